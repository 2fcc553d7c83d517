/* The strip of cloth that a wrinkle answers for. */
#include "layer/wrinkle_strip.h"

#include <math.h>

enum
{
    MOST_PLACES = 128,
    MOST_CROSSINGS = 8
};

/* How far the walk has come and what was lost on the way. */
typedef struct way
{
    uint32_t count;
    float length[MOST_PLACES], lost[MOST_PLACES];
} way;

static float lost_at(const way *w, float length)
{
    uint32_t i = 1;
    while (i + 1 < w->count && w->length[i] < length)
    {
        ++i;
    }
    if (w->count < 2)
    {
        return 0;
    }
    float piece = w->length[i] - w->length[i - 1];
    float t = piece > 0 ? fminf(fmaxf((length - w->length[i - 1]) / piece, 0), 1) : 0;
    return w->lost[i - 1] + t * (w->lost[i] - w->lost[i - 1]);
}

typedef struct crossing
{
    float at; /* along the piece, 0 .. 1 */
    float presence;
    uint32_t wrinkle;
} crossing;

/* Whether segment i is crossed by the piece from a to b, seen along the normal. */
static bool cross_segment(const pl_wrinkle_strip_job *job, uint32_t i, pl_f4 a, pl_f4 b, pl_f4 normal, crossing *out)
{
    const pl_crest *c = &job->near->crests[i];
    pl_f4 across = pl_cross(normal, b - a);
    float from = pl_dot3(across, c[0].position - a), to = pl_dot3(across, c[1].position - a);
    if ((from > 0) == (to > 0))
    {
        return false;
    }
    float t = from / (from - to);
    pl_f4 hit = pl_lerp(c[0].position, c[1].position, t);
    float length2 = pl_dot3(b - a, b - a);
    out->at = length2 > 0 ? pl_dot3(hit - a, b - a) / length2 : 0;
    out->presence = job->presence[i] + t * (job->presence[i + 1] - job->presence[i]);
    out->wrinkle = c->wrinkle;
    return out->at >= 0 && out->at < 1;
}

/* The crests that cross a piece of the way, in its order. */
static uint32_t find_crossings(const pl_wrinkle_strip_job *job, uint32_t crest, uint32_t triangle, pl_f4 a, pl_f4 b,
                               crossing *found)
{
    const uint32_t *corner = &job->near->topology->triangles[3 * (size_t)triangle];
    pl_f4 p = pl_load(&job->positions[corner[0]]);
    pl_f4 normal = pl_cross(pl_load(&job->positions[corner[1]]) - p, pl_load(&job->positions[corner[2]]) - p);
    uint32_t count = 0, own = job->near->crests[crest].wrinkle;
    for (uint32_t run = job->near->head[triangle]; run != PLEAT_NONE; run = job->near->runs[run].next)
    {
        const pl_wrinkle_run *r = &job->near->runs[run];
        for (uint32_t i = r->first; i <= r->last && count < MOST_CROSSINGS; ++i)
        {
            uint32_t apart = i > crest ? i - crest : crest - i;
            crossing one;
            if ((r->wrinkle == own && apart <= job->skip) || !cross_segment(job, i, a, b, normal, &one))
            {
                continue;
            }
            uint32_t at = count++;
            for (; at > 0 && found[at - 1].at > one.at; --at)
            {
                found[at] = found[at - 1];
            }
            found[at] = one;
        }
    }
    return count;
}

/* Straight across the crest, in the plane of its triangle. */
static pl_f4 direction_of(const pl_wrinkle_near *near, uint32_t crest, float side)
{
    const pl_crest *c = &near->crests[crest];
    uint32_t first = near->first[c->wrinkle], end = near->first[c->wrinkle + 1];
    const pl_crest *before = crest > first ? c - 1 : c, *after = crest + 1 < end ? c + 1 : c;
    return pl_cross(c->normal, after->position - before->position) * pl_splat(side);
}

/* Walks so far across, and ends the strip where crests are. Returns the part of it that none has ended. */
static float walk_across(const pl_wrinkle_strip_job *job, const pleat_place *place, uint32_t crest, float side,
                         float length, way *w, pl_wrinkle_strip *strip)
{
    pleat_place path[MOST_PLACES];
    const uint32_t *triangles = job->near->topology->triangles;
    pleat_walk walk = {.topology = job->near->topology,
                       .positions = job->positions,
                       .start = *place,
                       .direction = pl_to(direction_of(job->near, crest, side)),
                       .length = length,
                       .path = path,
                       .path_capacity = MOST_PLACES};
    pleat_walk_result walked = pleat_walk_run(&walk);
    float left = 1;
    *strip = (pl_wrinkle_strip){.neighbour = PLEAT_NONE};
    w->count = walked.path_count > 0 ? 1 : 0;
    w->length[0] = w->lost[0] = 0;
    for (uint32_t i = 1; i < walked.path_count && left > 0.01f; ++i)
    {
        const pleat_place *from = &path[i - 1], *to = &path[i];
        pl_f4 a = pl_place_position(triangles, job->positions, from->triangle, from->barycentric);
        pl_f4 b = pl_place_position(triangles, job->positions, to->triangle, to->barycentric);
        pl_f4 at_rest = pl_place_position(triangles, job->rest, to->triangle, to->barycentric) -
                        pl_place_position(triangles, job->rest, from->triangle, from->barycentric);
        float piece = pl_length3(b - a);
        w->length[i] = w->length[i - 1] + piece;
        w->lost[i] = w->lost[i - 1] + fmaxf(pl_length3(at_rest) - piece, 0);
        w->count = i + 1;
        crossing found[MOST_CROSSINGS];
        uint32_t count = find_crossings(job, crest, to->triangle, a, b, found);
        for (uint32_t k = 0; k < count; ++k)
        {
            float distance = w->length[i - 1] + found[k].at * piece, part = left * found[k].presence;
            strip->length += part * 0.5f * distance;
            strip->lost += part * lost_at(w, 0.5f * distance);
            if (strip->neighbour == PLEAT_NONE || found[k].presence > 0.5f)
            {
                strip->neighbour = found[k].wrinkle;
                strip->distance = distance;
            }
            left -= part;
        }
    }
    return fmaxf(left, 0);
}

pl_wrinkle_strip pl_wrinkle_strip_find(const pl_wrinkle_strip_job *job, const pleat_place *place, uint32_t crest,
                                       float side)
{
    way w;
    pl_wrinkle_strip strip;
    /* Neighbours are mostly near, and long walks are dear. */
    float left = walk_across(job, place, crest, side, 0.5f * job->farthest, &w, &strip);
    if (left > 0.01f)
    {
        left = walk_across(job, place, crest, side, 2 * job->farthest, &w, &strip);
    }
    float end = w.count > 0 ? fminf(w.length[w.count - 1], job->farthest) : 0;
    strip.length += left * end;
    strip.lost += left * lost_at(&w, end);
    return strip;
}

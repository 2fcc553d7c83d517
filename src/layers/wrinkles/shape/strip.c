/* The strip of cloth that a wrinkle answers for.
 *
 * Ways across are short and many, so they are walked in floats, straight in space through each triangle and turned over
 * its edges; where a triangle has no area, the whole way is that of pleat_walk_run. */
#include "layers/wrinkles/shape/strip.h"

#include <math.h>

enum
{
    MOST_PLACES = 128,
    MOST_CROSSINGS = 8,
    MOST_STEPS = 512 /* around a vertex there are some without length */
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

/* The normal of an edge, or of the triangle: side 3. */
PL_INLINE pl_f4 outward_of(const pl_wrinkle_planes *planes, uint32_t side)
{
    return pl_set(planes->x[side], planes->y[side], planes->z[side], 0);
}

/* A piece of the way, within a triangle. */
typedef struct piece
{
    uint32_t triangle;
    pl_f4 from, to;
    float length, lost; /* what it was longer at rest */
} piece;

/* Where segment i, whose ends stand so far aside of a piece, crosses it. */
static bool cross_segment(const pl_wrinkle_strip_job *job, uint32_t i, const piece *p, float from, float to,
                          crossing *out)
{
    const pl_crest *c = &job->near->crests[i];
    float t = from / (from - to);
    pl_f4 hit = pl_lerp(c[0].position, c[1].position, t), along = p->to - p->from;
    float length2 = pl_dot3(along, along);
    out->at = length2 > 0 ? pl_dot3(hit - p->from, along) / length2 : 0;
    out->presence = job->presence[i] + t * (job->presence[i + 1] - job->presence[i]);
    out->wrinkle = c->wrinkle;
    return out->at >= 0 && out->at < 1;
}

/* Puts one among those found, in the order of the way. */
static void insert(crossing *found, uint32_t count, crossing one)
{
    uint32_t at = count;
    for (; at > 0 && found[at - 1].at > one.at; --at)
    {
        found[at] = found[at - 1];
    }
    found[at] = one;
}

/* The crests that cross a piece of the way, seen along the normal, in its order. */
static uint32_t find_crossings(const pl_wrinkle_strip_job *job, uint32_t crest, const piece *p, crossing *found)
{
    pl_f4 across = pl_cross(outward_of(&job->near->planes[p->triangle], 3), p->to - p->from);
    const pl_crest *crests = job->near->crests;
    uint32_t count = 0, own = crests[crest].wrinkle;
    for (uint32_t run = job->near->head[p->triangle]; run != PLEAT_NONE; run = job->near->runs[run].next)
    {
        const pl_wrinkle_run *r = &job->near->runs[run];
        float from, to = pl_dot3(across, crests[r->first].position - p->from);
        for (uint32_t i = r->first; i <= r->last && count < MOST_CROSSINGS; ++i)
        {
            uint32_t apart = i > crest ? i - crest : crest - i;
            crossing one;
            from = to;
            to = pl_dot3(across, crests[i + 1].position - p->from);
            if ((from > 0) != (to > 0) && (r->wrinkle != own || apart > job->skip) &&
                cross_segment(job, i, p, from, to, &one))
            {
                insert(found, count++, one);
            }
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

/* A strip as it is walked. */
typedef struct strip_walk
{
    const pl_wrinkle_strip_job *job;
    uint32_t crest;
    way way;
    pl_wrinkle_strip strip;
    float left; /* the part of it that no crest has ended */
} strip_walk;

static void begin_strip(strip_walk *s)
{
    s->strip = (pl_wrinkle_strip){.neighbour = PLEAT_NONE};
    s->left = 1;
    s->way.count = 1;
    s->way.length[0] = s->way.lost[0] = 0;
}

/* Goes on by a piece, and ends the strip where crests are; false where nothing is left of it or there is no more room.
 */
static bool add_piece(strip_walk *s, const piece *p)
{
    way *w = &s->way;
    uint32_t i = w->count++;
    w->length[i] = w->length[i - 1] + p->length;
    w->lost[i] = w->lost[i - 1] + fmaxf(p->lost, 0);
    crossing found[MOST_CROSSINGS];
    uint32_t count = find_crossings(s->job, s->crest, p, found);
    for (uint32_t k = 0; k < count; ++k)
    {
        float distance = w->length[i - 1] + found[k].at * p->length, part = s->left * found[k].presence;
        s->strip.length += part * 0.5f * distance;
        s->strip.lost += part * lost_at(w, 0.5f * distance);
        if (s->strip.neighbour == PLEAT_NONE || found[k].presence > 0.5f)
        {
            s->strip.neighbour = found[k].wrinkle;
            s->strip.distance = distance;
        }
        s->left -= part;
    }
    return s->left > 0.01f && w->count < MOST_PLACES;
}

/* Over triangles of any shape. */
static void walk_exactly(strip_walk *s, const pleat_place *place, pl_f4 direction, float length)
{
    pleat_place path[MOST_PLACES];
    const pl_wrinkle_strip_job *job = s->job;
    const uint32_t *triangles = job->near->topology->triangles;
    pleat_walk walk = {.topology = job->near->topology,
                       .positions = job->positions,
                       .start = *place,
                       .direction = pl_to(direction),
                       .length = length,
                       .path = path,
                       .path_capacity = MOST_PLACES};
    pleat_walk_result walked = pleat_walk_run(&walk);
    begin_strip(s);
    bool goes_on = true;
    for (uint32_t i = 1; i < walked.path_count && goes_on; ++i)
    {
        const pleat_place *from = &path[i - 1], *to = &path[i];
        piece p = {.triangle = to->triangle,
                   .from = pl_place_position(triangles, job->positions, from->triangle, from->barycentric),
                   .to = pl_place_position(triangles, job->positions, to->triangle, to->barycentric)};
        pl_f4 at_rest = pl_place_position(triangles, job->rest, to->triangle, to->barycentric) -
                        pl_place_position(triangles, job->rest, from->triangle, from->barycentric);
        p.length = pl_length3(p.to - p.from);
        p.lost = pl_length3(at_rest) - p.length;
        goes_on = add_piece(s, &p);
    }
}

/* How fast places of a shape go by on the way through a triangle. Corner k + 2 is across from edge k; what they gain
 * and lose together is 0, so that two of them tell. */
PL_INLINE float speed_of(const uint32_t *corner, const pleat_vec4 *positions, pl_f4 by)
{
    pl_f4 from = pl_load(&positions[corner[0]]);
    return pl_length3((pl_load(&positions[corner[2]]) - from) * pl_splat(by[0]) +
                      (pl_load(&positions[corner[1]]) - from) * pl_splat(by[2]));
}

/* What a way through a triangle was longer at rest, per length; rates: how fast it nears each edge. Both lengths are
 * found alike, so that cloth at rest has lost nothing. */
static float loss_rate(const pl_wrinkle_strip_job *job, uint32_t triangle, pl_f4 rates)
{
    const uint32_t *corner = &job->near->topology->triangles[3 * (size_t)triangle];
    pl_f4 by = rates * job->near->planes[triangle].height;
    return speed_of(corner, job->rest, by) - speed_of(corner, job->positions, by);
}

/* The side by which a way leaves, and after how much; 3 where there is none. */
static uint32_t leaves_by(pl_f4 ahead, pl_f4 rates, uint32_t entered, float *length)
{
    uint32_t side = 3;
    pl_f4 after = pl_max(-ahead / rates, pl_splat(0));
    *length = INFINITY;
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (rates[k] > 0 && k != entered && after[k] < *length)
        {
            side = k;
            *length = after[k];
        }
    }
    return side;
}

/* From triangle to triangle; false where one has no area. */
static bool walk_lightly(strip_walk *s, uint32_t triangle, pl_f4 at, pl_f4 direction, float length)
{
    const pl_wrinkle_strip_job *job = s->job;
    const pleat_topology *topology = job->near->topology;
    float left = length;
    uint32_t entered = 3;
    bool goes_on = true;
    begin_strip(s);
    for (uint32_t step = 0; step < MOST_STEPS && goes_on && left > 0; ++step)
    {
        const pl_wrinkle_planes *planes = &job->near->planes[triangle];
        if (!(planes->height[0] > 0))
        {
            return false;
        }
        pl_f4 rates = planes->x * pl_splat(direction[0]) + planes->y * pl_splat(direction[1]) +
                      planes->z * pl_splat(direction[2]);
        float inside;
        uint32_t side = leaves_by(pl_planes_at(planes, at), rates, entered, &inside);
        piece p = {.triangle = triangle, .from = at, .length = fminf(inside, left)};
        p.to = at + direction * pl_splat(p.length);
        p.lost = p.length * loss_rate(job, triangle, rates);
        goes_on = side < 3 && (p.length == 0 || add_piece(s, &p));
        left -= p.length;
        at = p.to;
        uint32_t twin = goes_on ? topology->twin[3 * (size_t)triangle + side] : PLEAT_BOUNDARY;
        if (twin >= PLEAT_NON_MANIFOLD)
        {
            break;
        }
        /* What goes out over the edge goes in behind it. */
        pl_f4 both = outward_of(planes, side) + outward_of(&job->near->planes[twin / 3], twin % 3);
        direction -= both * pl_splat(rates[side]);
        triangle = twin / 3;
        entered = twin % 3;
    }
    return true;
}

pl_wrinkle_strip pl_wrinkle_strip_find(const pl_wrinkle_strip_job *job, const pleat_place *place, uint32_t crest,
                                       float side)
{
    strip_walk s = {.job = job, .crest = crest};
    pl_f4 direction = pl_normalize3(direction_of(job->near, crest, side));
    const pl_crest *from = &job->near->crests[crest];
    /* A neighbour twice as far away ends half of that. */
    float most = 2 * job->farthest;
    if (!(pl_dot3(direction, direction) > 0) || !walk_lightly(&s, place->triangle, from->position, direction, most))
    {
        walk_exactly(&s, place, direction, most);
    }
    float left = fmaxf(s.left, 0), end = fminf(s.way.length[s.way.count - 1], job->farthest);
    s.strip.length += left * end;
    s.strip.lost += left * lost_at(&s.way, end);
    return s.strip;
}

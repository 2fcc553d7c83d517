/* What each texel holds, settled one by one.
 *
 * Drawing refined triangles where their corners' lines begin gives heights that are right where lines are nearly
 * parallel. Where the coarse mesh is folded sharply they cross each other in front of or behind it: drawn triangles
 * turn over, cover each other, leave gaps, or lie where they do not belong. The other way round there still is an
 * answer: each texel has one line, and almost always it meets the surface. So what was drawn is a guess: from the
 * triangle that was drawn last, over its neighbours, to the one that the line does meet. Where several were drawn, or
 * none is met that way, all that the line meets is looked at: of the sides that face outwards the one whose cloth comes
 * from nearest to the texel's own place. Where a line meets nothing, the height at which it comes nearest to the
 * surface. */
#include "export/maps/maps.h"

#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum
{
    WALK = 16,      /* triangles from the one that was drawn */
    HITS = 24,      /* of one line */
    APPROACHES = 6, /* to the nearest point and back */
    DONE = 254,     /* of a texel of the chart: settled; 253 of one past its border */
    DONE_BORDER = 253
};

/* Of the largest height: a mean of samples that is this close to the height at the centre stays. */
static const float TOLERANCE = 0.005f;

/* A place where a line meets the surface. */
typedef struct crossing
{
    uint32_t triangle;
    float weight[3];
    float height;
    bool outside; /* the surface's outer side faces along the line */
} crossing;

typedef struct settling
{
    pleat_maps *maps;
    const pl_raster_job *job;
    pleat_height_range range;
    float tolerance;
} settling;

/* ---- Along one line ---- */

static pl_f4 corner_of(const pleat_maps *maps, uint32_t triangle, uint32_t k)
{
    return pl_load(&maps->positions[maps->stack->shape.surface_triangles[3 * (size_t)triangle + k]]);
}

/* Where the line meets the plane of a triangle; weights may lie outside. */
static bool cross_plane(const pleat_maps *maps, const pl_map_frame *frame, uint32_t triangle, crossing *out)
{
    pl_f4 a = corner_of(maps, triangle, 0) - frame->position, b = corner_of(maps, triangle, 1) - frame->position;
    pl_f4 c = corner_of(maps, triangle, 2) - frame->position, n = frame->normal;
    float u = pl_dot3(n, pl_cross(b, c)), v = pl_dot3(n, pl_cross(c, a)), w = pl_dot3(n, pl_cross(a, b));
    float sum = u + v + w;
    if (!(fabsf(sum) > 1e-20f))
    {
        return false;
    }
    float inverse = 1 / sum;
    *out = (crossing){triangle, {u * inverse, v * inverse, w * inverse}, 0, sum > 0};
    out->height = (u * pl_dot3(a, n) + v * pl_dot3(b, n) + w * pl_dot3(c, n)) * inverse;
    return true;
}

/* From triangle to triangle towards the one that the line meets. */
static bool walk_to_line(const pleat_maps *maps, const pl_map_frame *frame, uint32_t triangle, crossing *out)
{
    for (int step = 0; step < WALK && cross_plane(maps, frame, triangle, out); ++step)
    {
        uint32_t least = 0;
        for (uint32_t k = 1; k < 3; ++k)
        {
            least = out->weight[k] < out->weight[least] ? k : least;
        }
        if (out->weight[least] >= -1e-5f)
        {
            return true;
        }
        uint32_t twin = maps->topology->twin[3 * (size_t)triangle + (least + 1) % 3];
        if (twin >= PLEAT_NON_MANIFOLD)
        {
            return false;
        }
        triangle = twin / 3;
    }
    return false;
}

/* How far from the texel's own place, at rest, the cloth comes from that the line meets; squared. */
static float squared_way(const pleat_maps *maps, const pl_map_place *place, const crossing *hit)
{
    const pleat_stack *stack = maps->stack;
    const uint32_t *fine = stack->shape.surface_triangles + 3 * (size_t)hit->triangle;
    const uint32_t *coarse = stack->surface->triangles + 3 * (size_t)place->triangle;
    pl_f4 way = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        way += pl_load(&stack->shape.bind[fine[k]]) * pl_splat(hit->weight[k]) -
               pl_load(&stack->coarse_bind[coarse[k]]) * pl_splat(place->weight[k]);
    }
    return pl_dot3(way, way);
}

/* Whether cloth comes from so near to a texel's triangle that it may be what lies across the chart's border. */
static bool is_near(const pleat_maps *maps, const pl_map_place *place, const crossing *hit)
{
    const uint32_t *corner = maps->stack->surface->triangles + 3 * (size_t)place->triangle;
    float longest = 0;
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 edge =
            pl_load(&maps->stack->coarse_bind[corner[k]]) - pl_load(&maps->stack->coarse_bind[corner[(k + 1) % 3]]);
        longest = fmaxf(longest, pl_dot3(edge, edge));
    }
    return hit->outside && squared_way(maps, place, hit) <= longest;
}

/* Of all that the line meets within the range. */
static bool search(const pleat_maps *maps, const pl_map_frame *frame, const pl_map_place *place,
                   pleat_height_range range, crossing *best)
{
    float low = range.low, reach = range.high - range.low, t_min = 0, least = INFINITY;
    bool outside = false;
    pl_f4 origin = frame->position + frame->normal * pl_splat(low);
    for (int i = 0; i < HITS; ++i)
    {
        pleat_hit hit = pleat_bvh_ray(maps->bvh, pl_to(origin), pl_to(frame->normal), t_min, reach);
        crossing at;
        if (hit.triangle == PLEAT_NONE)
        {
            break;
        }
        t_min = hit.distance + 1e-5f * reach;
        if (!cross_plane(maps, frame, hit.triangle, &at))
        {
            continue;
        }
        float way = squared_way(maps, place, &at);
        if ((at.outside && !outside) || (at.outside == outside && way < least))
        {
            *best = at;
            least = way;
            outside = at.outside;
        }
    }
    return least < INFINITY;
}

/* The height and the normal of the surface, as it is drawn, in the tangent space of the place. */
static pl_f4 value_at(const pleat_maps *maps, const pl_map_place *place, const crossing *hit)
{
    const pleat_stack *stack = maps->stack;
    const uint32_t *corner = stack->shape.triangles + 3 * (size_t)hit->triangle;
    pl_map_frame frame = pl_maps_frame(maps, place);
    pl_f4 sum = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        sum += pl_load(&stack->group_normals[stack->render_normal[corner[k]]]) * pl_splat(hit->weight[k]);
    }
    pl_f4 seen = pl_maps_seen(&frame, pl_normalize3(sum));
    return pl_set(hit->height, seen[0], seen[1], seen[2]);
}

/* Where the line meets nothing: the height at which it comes nearest to the surface, found by going to the nearest
 * point and back to the line in turn. */
static bool come_near(const pleat_maps *maps, const pl_map_frame *frame, float from, pleat_height_range range,
                      crossing *out)
{
    float height = from, reach = range.high - range.low;
    for (int i = 0; i < APPROACHES; ++i)
    {
        pleat_hit hit = pleat_bvh_nearest(maps->bvh, pl_to(frame->position + frame->normal * pl_splat(height)), reach);
        if (hit.triangle == PLEAT_NONE)
        {
            return false;
        }
        float next = pl_dot3(pl_from(hit.position) - frame->position, frame->normal);
        height = fminf(fmaxf(next, range.low), range.high);
        *out = (crossing){hit.triangle, {hit.barycentric[0], hit.barycentric[1], hit.barycentric[2]}, height, true};
    }
    return true;
}

/* ---- Heights ---- */

/* The triangle that was drawn over a texel, or past a border over one beside it. */
static uint32_t guess_at(const pleat_maps *maps, size_t texel, pl_texel_kind kind)
{
    static const int8_t steps[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    uint32_t guess = maps->owners[texel];
    int64_t size = maps->raster.size, x = (int64_t)(texel % (size_t)size), y = (int64_t)(texel / (size_t)size);
    for (int i = 0; i < 8 && guess == PLEAT_NONE && kind == PL_TEXEL_BORDER; ++i)
    {
        int64_t column = x + steps[i][0], row = y + steps[i][1];
        bool inside = column >= 0 && column < size && row >= 0 && row < size;
        guess = inside ? maps->owners[row * size + column] : guess;
    }
    return guess;
}

/* Whether what was drawn over a texel, or near it, is what its line meets. */
static bool drawn_is_met(const settling *s, size_t texel, const pl_map_frame *frame, pl_texel_kind kind, crossing *hit)
{
    const pleat_maps *maps = s->maps;
    uint32_t guess = guess_at(maps, texel, kind);
    return maps->raster.covered[texel] != PL_RASTER_DOUBT && guess != PLEAT_NONE &&
           walk_to_line(maps, frame, guess, hit) && hit->outside && hit->height >= s->range.low - s->tolerance &&
           hit->height <= s->range.high + s->tolerance;
}

static void settle_height(void *user, size_t texel, const pl_map_place *place, pl_texel_kind kind)
{
    const settling *s = user;
    pleat_maps *maps = s->maps;
    const pl_raster_job *job = s->job;
    uint8_t *covered = &maps->raster.covered[texel];
    if (*covered == DONE || *covered == DONE_BORDER || kind == PL_TEXEL_FAR)
    {
        return;
    }
    pl_map_frame frame = pl_maps_line(maps, place);
    crossing hit;
    float drawn =
        job->out && *covered ? s->range.low + (float)job->out[texel] / 65535 * (s->range.high - s->range.low) : 0;
    bool met = drawn_is_met(s, texel, &frame, kind, &hit);
    bool kept = met && fabsf(hit.height - drawn) <= s->tolerance;
    maps->searched[texel / maps->raster.size] += !met && kind == PL_TEXEL_INSIDE;
    bool found = met || search(maps, &frame, place, s->range, &hit);
    /* Past an open border lines meet nothing near, and what the skirt holds is right. */
    found = kind == PL_TEXEL_INSIDE ? found || come_near(maps, &frame, drawn, s->range, &hit)
                                    : found && is_near(maps, place, &hit);
    if (found && !kept)
    {
        pl_raster_put(job, texel, value_at(maps, place, &hit));
    }
    if (found || *covered)
    {
        *covered = kind == PL_TEXEL_INSIDE ? DONE : DONE_BORDER;
    }
}

/* Texels that were settled count as drawn, or as continued past a border. */
static void finish_rows(pleat_maps *maps, uint32_t first_row, uint32_t row_count, bool drop)
{
    size_t size = maps->raster.size, first = first_row * size, end = first + row_count * size;
    uint8_t *covered = maps->raster.covered;
    for (size_t texel = first; texel < end && texel < size * size; ++texel)
    {
        uint8_t rest = drop || covered[texel] == PL_RASTER_DOUBT ? 0 : covered[texel];
        covered[texel] = covered[texel] == DONE ? 1 : covered[texel] == DONE_BORDER ? 2 : rest;
    }
}

static void settle_bands(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    settling *s = data;
    uint32_t first = begin * PL_RASTER_ROWS, count = (end - begin) * PL_RASTER_ROWS;
    (void)worker;
    pl_maps_visit_texels(s->maps, first, count, settle_height, s);
    finish_rows(s->maps, first, count, false);
}

void pl_maps_settle(pleat_maps *maps, const pl_raster_job *job, pleat_height_range range)
{
    settling s = {maps, job, range, TOLERANCE * fmaxf(fabsf(range.low), fabsf(range.high))};
    memset(maps->searched, 0, maps->raster.size * sizeof *maps->searched);
    pleat_bvh_refit(maps->bvh, maps->positions, job->tasks);
    pl_parallel_for(job->tasks, maps->raster.band_count, 1, settle_bands, &s);
    maps->drawn = pl_raster_drawn(&maps->raster);
    maps->repaired = 0;
    for (uint32_t row = 0; row < maps->raster.size; ++row)
    {
        maps->repaired += maps->searched[row];
    }
}

/* ---- Vectors ---- */

static void turn_vector(void *user, size_t texel, const pl_map_place *place, pl_texel_kind kind)
{
    const settling *s = user;
    uint8_t *covered = &s->maps->raster.covered[texel];
    uint16_t *out = s->job->out + 3 * texel;
    if (*covered != 1 && *covered != 2)
    {
        return;
    }
    *covered = kind == PL_TEXEL_INSIDE ? DONE : DONE_BORDER;
    if (abs(2 * out[0] - 65535) <= 1 && abs(2 * out[1] - 65535) <= 1 && abs(2 * out[2] - 65535) <= 1)
    {
        return; /* nothing has no direction */
    }
    float step = (s->range.high - s->range.low) / 65535;
    pl_f4 vector = pl_set((float)out[0], (float)out[1], (float)out[2], 0) * pl_splat(step) + pl_splat(s->range.low);
    pl_map_frame frame = pl_maps_frame(s->maps, place);
    pl_raster_put(s->job, texel, pl_maps_seen(&frame, vector));
}

static void turn_bands(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    settling *s = data;
    uint32_t first = begin * PL_RASTER_ROWS, count = (end - begin) * PL_RASTER_ROWS;
    (void)worker;
    pl_maps_visit_texels(s->maps, first, count, turn_vector, s);
    finish_rows(s->maps, first, count, true);
}

void pl_maps_turn(pleat_maps *maps, const pl_raster_job *job, pleat_height_range range)
{
    settling s = {maps, job, range, 0};
    pl_parallel_for(job->tasks, maps->raster.band_count, 1, turn_bands, &s);
}

/* Heights where the way from the refined surface back to the coarse mesh is lost.
 *
 * Where the coarse mesh is folded sharply, the lines along its normals cross each other in front of or behind it:
 * projected triangles turn over, cover each other or leave gaps, and their mean is no height at all. The other way
 * round there still is an answer: each texel has one line, and almost always it meets the surface. Such texels, some
 * hundredths of a map, are asked for one by one: the surface's outer side nearest to what was drawn, else its inner
 * side. */
#include "bake/maps.h"

#include "base/parallel.h"

#include <string.h>

/* ---- Texels of the coarse mesh ---- */

/* A coarse triangle in the texture, in texels whose centres stand at whole numbers. */
typedef struct flat_triangle
{
    float x[3], y[3];
    float inverse_area;
    int32_t first_row, last_row; /* texels that may lie in it */
} flat_triangle;

static bool flatten(const pleat_maps *maps, uint32_t triangle, flat_triangle *out)
{
    const uint32_t *render = maps->stack->surface->render_triangles + 3 * (size_t)triangle;
    float size = (float)maps->raster.size, mean_u = 0, mean_v = 0;
    for (int k = 0; k < 3; ++k)
    {
        mean_u += maps->coarse_uvs[2 * (size_t)render[k]] * (1.0f / 3);
        mean_v += maps->coarse_uvs[2 * (size_t)render[k] + 1] * (1.0f / 3);
    }
    if (!maps->coarse_drawn[triangle] || !(fabsf(mean_u) < 1e6f) || !(fabsf(mean_v) < 1e6f))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        out->x[k] = (maps->coarse_uvs[2 * (size_t)render[k]] - floorf(mean_u)) * size - 0.5f;
        out->y[k] = (maps->coarse_uvs[2 * (size_t)render[k] + 1] - floorf(mean_v)) * size - 0.5f;
    }
    float area = (out->x[1] - out->x[0]) * (out->y[2] - out->y[0]) - (out->x[2] - out->x[0]) * (out->y[1] - out->y[0]);
    if (!(fabsf(area) > 1e-9f))
    {
        return false;
    }
    out->inverse_area = 1 / area;
    out->first_row = (int32_t)fmaxf(ceilf(fminf(fminf(out->y[0], out->y[1]), out->y[2])), 0);
    out->last_row = (int32_t)fminf(floorf(fmaxf(fmaxf(out->y[0], out->y[1]), out->y[2])), size - 1);
    return true;
}

/* The weights of a texel's centre; false outside. */
static bool weights_at(const flat_triangle *t, float x, float y, float weight[3])
{
    for (int k = 0; k < 3; ++k)
    {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        weight[k] = ((t->x[a] - x) * (t->y[b] - y) - (t->x[b] - x) * (t->y[a] - y)) * t->inverse_area;
    }
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

static void columns_of(const flat_triangle *t, uint32_t size, int32_t *first, int32_t *last)
{
    *first = (int32_t)fmaxf(ceilf(fminf(fminf(t->x[0], t->x[1]), t->x[2])), 0);
    *last = (int32_t)fminf(floorf(fmaxf(fmaxf(t->x[0], t->x[1]), t->x[2])), (float)size - 1);
}

uint32_t pl_maps_count_shared(pleat_maps *maps)
{
    uint32_t size = maps->raster.size, shared = 0;
    uint8_t *covered = maps->raster.covered;
    memset(covered, 0, (size_t)size * size);
    for (uint32_t t = 0; t < maps->stack->surface->triangle_count; ++t)
    {
        flat_triangle flat;
        int32_t first, last;
        float weight[3];
        if (!flatten(maps, t, &flat))
        {
            continue;
        }
        columns_of(&flat, size, &first, &last);
        for (int32_t row = flat.first_row; row <= flat.last_row; ++row)
        {
            for (int32_t x = first; x <= last; ++x)
            {
                /* Well inside: neighbours share the texels on their edge. */
                bool inside = weights_at(&flat, (float)x, (float)row, weight) && weight[0] > 1e-3f &&
                              weight[1] > 1e-3f && weight[2] > 1e-3f;
                uint8_t *texel = &covered[(size_t)row * size + (size_t)x];
                shared += inside && *texel == 1;
                *texel = inside && *texel < 2 ? (uint8_t)(*texel + 1) : *texel;
            }
        }
    }
    return shared;
}

/* ---- Along one line ---- */

enum
{
    TRIES = 4,     /* sides that face the other way, before the search in a direction ends */
    APPROACHES = 6 /* to the nearest point and back */
};

/* The unit normal of the surface at a hit, as it is drawn. */
static pl_f4 normal_at(const pleat_maps *maps, const pleat_hit *hit)
{
    const pleat_stack *stack = maps->stack;
    const uint32_t *corner = stack->shape.triangles + 3 * (size_t)hit->triangle;
    pl_f4 sum = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        sum += pl_load(&stack->group_normals[stack->render_normal[corner[k]]]) * pl_splat(hit->barycentric[k]);
    }
    return pl_normalize3(sum);
}

/* The nearest hit from a height on, upwards (sign 1) or downwards; only sides that face along the line where outer. */
static bool search(const pleat_maps *maps, const pl_map_frame *frame, float from, float sign, float reach, bool outer,
                   float *height, pl_f4 *normal)
{
    pl_f4 direction = frame->normal * pl_splat(sign), origin = frame->position + frame->normal * pl_splat(from);
    float t_min = 0;
    for (int i = 0; i < TRIES; ++i)
    {
        pleat_hit hit = pleat_bvh_ray(maps->bvh, pl_to(origin), pl_to(direction), t_min, reach);
        if (hit.triangle == PLEAT_NONE)
        {
            return false;
        }
        *normal = normal_at(maps, &hit);
        *height = from + sign * hit.distance;
        if (!outer || pl_dot3(*normal, frame->normal) > 0)
        {
            return true;
        }
        t_min = hit.distance + 1e-4f * reach;
    }
    return false;
}

/* Where the line meets nothing: the height at which it comes nearest to the surface, found by going to the nearest
 * point and back to the line in turn. */
static bool come_near(const pleat_maps *maps, const pl_map_frame *frame, float from, pleat_height_range range,
                      pl_f4 *value)
{
    float height = from, reach = range.high - range.low;
    pleat_hit hit = {.triangle = PLEAT_NONE};
    for (int i = 0; i < APPROACHES; ++i)
    {
        hit = pleat_bvh_nearest(maps->bvh, pl_to(frame->position + frame->normal * pl_splat(height)), reach);
        if (hit.triangle == PLEAT_NONE)
        {
            return false;
        }
        float next = pl_dot3(pl_from(hit.position) - frame->position, frame->normal);
        height = fminf(fmaxf(next, range.low), range.high);
    }
    pl_f4 n = normal_at(maps, &hit);
    *value = pl_set(height, pl_dot3(n, frame->tangent), pl_dot3(n, frame->bitangent), pl_dot3(n, frame->normal));
    return true;
}

/* The value for a texel whose line starts at a place; drawn: its height so far. */
static bool find_value(const pleat_maps *maps, const pl_map_place *place, float drawn, pleat_height_range range,
                       pl_f4 *value)
{
    pl_map_frame frame = pl_maps_frame(maps, place);
    for (int outer = 1; outer >= 0; --outer)
    {
        float up, down;
        pl_f4 up_normal, down_normal;
        bool above = search(maps, &frame, drawn, 1, range.high - drawn, outer, &up, &up_normal);
        bool below = search(maps, &frame, drawn, -1, drawn - range.low, outer, &down, &down_normal);
        if (above || below)
        {
            bool upwards = above && (!below || up - drawn <= drawn - down);
            pl_f4 n = upwards ? up_normal : down_normal;
            *value = pl_set(upwards ? up : down, pl_dot3(n, frame.tangent), pl_dot3(n, frame.bitangent),
                            pl_dot3(n, frame.normal));
            return true;
        }
    }
    return come_near(maps, &frame, drawn, range, value);
}

/* ---- The texels in doubt ---- */

typedef struct repair
{
    pleat_maps *maps;
    const pl_raster_job *job;
    pleat_height_range range;
} repair;

static void repair_texel(const repair *r, size_t texel, const pl_map_place *place)
{
    pleat_maps *maps = r->maps;
    const pl_raster_job *job = r->job;
    bool empty = maps->raster.covered[texel] == 0;
    float drawn =
        job->out && !empty ? r->range.low + (float)job->out[texel] / 65535 * (r->range.high - r->range.low) : 0;
    pl_f4 value;
    bool found = find_value(maps, place, fminf(fmaxf(drawn, r->range.low), r->range.high), r->range, &value);
    if (found)
    {
        pl_raster_put(job, texel, value);
    }
    /* Where the line meets nothing, what was drawn stays; what was not drawn is continued from its neighbours. */
    maps->raster.covered[texel] = found || !empty;
}

static void repair_bands(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const repair *r = data;
    pleat_maps *maps = r->maps;
    uint32_t size = maps->raster.size;
    int32_t low = (int32_t)(begin * PL_RASTER_ROWS), high = (int32_t)(end * PL_RASTER_ROWS) - 1;
    (void)worker;
    for (uint32_t t = 0; t < maps->stack->surface->triangle_count; ++t)
    {
        flat_triangle flat;
        int32_t first, last;
        if (!flatten(maps, t, &flat) || flat.last_row < low || flat.first_row > high)
        {
            continue;
        }
        columns_of(&flat, size, &first, &last);
        for (int32_t row = flat.first_row > low ? flat.first_row : low; row <= flat.last_row && row <= high; ++row)
        {
            for (int32_t x = first; x <= last; ++x)
            {
                size_t texel = (size_t)row * size + (size_t)x;
                pl_map_place place = {t, {0, 0, 0}};
                if (maps->raster.covered[texel] != 1 && weights_at(&flat, (float)x, (float)row, place.weight))
                {
                    repair_texel(r, texel, &place);
                }
            }
        }
    }
}

void pl_maps_repair(pleat_maps *maps, const pl_raster_job *job, pleat_height_range range)
{
    repair r = {maps, job, range};
    uint32_t sure = pl_raster_drawn(&maps->raster);
    pleat_bvh_refit(maps->bvh, maps->positions, job->tasks);
    pl_parallel_for(job->tasks, maps->raster.band_count, 1, repair_bands, &r);
    maps->drawn = pl_raster_drawn(&maps->raster);
    maps->repaired = maps->drawn - sure;
}

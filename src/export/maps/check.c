/* How well a map of displacements does: applied to the coarse mesh as a renderer applies it, how far it ends from the
 * surface. */
#include "export/maps/maps.h"

/* Parts of the largest height. */
static const float GOOD = 0.02f;

/* Where the n-th of many places in a triangle lies: the golden ratios of two dimensions spread them evenly. */
static void place_of(uint32_t n, float weight[3])
{
    float a = (float)fmod(0.5 + 0.7548776662466927 * n, 1), b = (float)fmod(0.5 + 0.5698402909980532 * n, 1);
    bool over = a + b > 1;
    weight[1] = over ? 1 - a : a;
    weight[2] = over ? 1 - b : b;
    weight[0] = 1 - weight[1] - weight[2];
}

/* A map of one channel, along the normal, or of three. */
typedef struct checked_map
{
    const uint16_t *texels;
    uint32_t width;
    bool world; /* three channels: in the axes of the world, not in tangent space */
    pleat_height_range range;
} checked_map;

/* As a GPU reads it: from four texels; centres stand at halves. */
static float read_map(const pleat_maps *maps, const checked_map *map, uint32_t channel, float u, float v)
{
    uint32_t size = maps->raster.size;
    float x = u * (float)size - 0.5f, y = v * (float)size - 0.5f, left = floorf(x), top = floorf(y), sum = 0;
    for (int i = 0; i < 4; ++i)
    {
        float column = fminf(fmaxf(left + (float)(i % 2), 0), (float)size - 1);
        float row = fminf(fmaxf(top + (float)(i / 2), 0), (float)size - 1);
        float weight = (i % 2 ? x - left : 1 - (x - left)) * (i / 2 ? y - top : 1 - (y - top));
        sum += weight * (float)map->texels[((size_t)row * size + (size_t)column) * map->width + channel];
    }
    return map->range.low + sum / 65535 * (map->range.high - map->range.low);
}

/* Where a place ends. */
static pl_f4 displaced(const pleat_maps *maps, const checked_map *map, const pl_map_frame *frame)
{
    if (map->width == 1)
    {
        return frame->position + frame->normal * pl_splat(read_map(maps, map, 0, frame->u, frame->v));
    }
    float v[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        v[k] = read_map(maps, map, k, frame->u, frame->v);
    }
    return map->world ? frame->position + pl_set(v[0], v[1], v[2], 0)
                      : frame->position + frame->tangent * pl_splat(v[0]) + frame->bitangent * pl_splat(v[1]) +
                            frame->normal * pl_splat(v[2]);
}

/* Twice the area of a coarse triangle that is drawn; 0 else. */
static float area_of(const pleat_maps *maps, uint32_t triangle)
{
    const uint32_t *corner = maps->stack->surface->triangles + 3 * (size_t)triangle;
    pl_f4 a = pl_load(&maps->coarse_positions[corner[0]]);
    pl_f4 cross =
        pl_cross(pl_load(&maps->coarse_positions[corner[1]]) - a, pl_load(&maps->coarse_positions[corner[2]]) - a);
    return maps->coarse_drawn[triangle] ? pl_length3(cross) : 0;
}

/* The first of a triangle's coordinates, without the whole numbers that are taken off when it is drawn. */
static void take_tile_off(const pleat_maps *maps, uint32_t triangle, float *u, float *v)
{
    const uint32_t *render = maps->stack->surface->render_triangles + 3 * (size_t)triangle;
    float mean[2] = {0, 0};
    for (int k = 0; k < 3; ++k)
    {
        mean[0] += maps->coarse_uvs[2 * (size_t)render[k]] * (1.0f / 3);
        mean[1] += maps->coarse_uvs[2 * (size_t)render[k] + 1] * (1.0f / 3);
    }
    *u -= fabsf(mean[0]) < 1e6f ? floorf(mean[0]) : 0;
    *v -= fabsf(mean[1]) < 1e6f ? floorf(mean[1]) : 0;
}

static pleat_maps_error check_map(const pleat_maps *maps, const checked_map *map, float largest, uint32_t sample_count)
{
    uint32_t triangle_count = maps->stack->surface->triangle_count, drawn = 0, good = 0;
    double all = 0, passed = 0;
    pleat_maps_error out = {.largest = largest};
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        all += (double)area_of(maps, t);
    }
    for (uint32_t t = 0; t < triangle_count && all > 0 && isfinite(all); ++t)
    {
        /* Samples by area: as many as make up for what has passed. */
        passed += (double)area_of(maps, t);
        uint32_t wanted = (uint32_t)(passed / all * sample_count);
        for (; drawn < wanted; ++drawn)
        {
            pl_map_place place = {t, {0, 0, 0}};
            place_of(drawn, place.weight);
            pl_map_frame frame = pl_maps_frame(maps, &place);
            take_tile_off(maps, t, &frame.u, &frame.v);
            pleat_hit hit = pleat_bvh_nearest(maps->bvh, pl_to(displaced(maps, map, &frame)), INFINITY);
            float error = hit.triangle == PLEAT_NONE || !(out.largest > 0) ? 0 : hit.distance / out.largest;
            good += error <= GOOD;
            out.worst = fmaxf(out.worst, error);
        }
    }
    out.samples = drawn;
    out.good = drawn ? (float)good / (float)drawn : 1;
    return out;
}

pleat_maps_error pleat_maps_check(const pleat_maps *maps, const uint16_t *heights, pleat_height_range range,
                                  uint32_t sample_count)
{
    checked_map map = {heights, 1, false, range};
    return check_map(maps, &map, fmaxf(fabsf(range.low), fabsf(range.high)), sample_count);
}

pleat_maps_error pleat_maps_check_vectors(pleat_maps *maps, const uint16_t *vectors, pleat_maps_space space,
                                          pleat_height_range range, float largest, uint32_t sample_count)
{
    checked_map map = {vectors, 3, space == PLEAT_MAPS_WORLD, range};
    pleat_bvh_refit(maps->bvh, maps->positions, NULL);
    return check_map(maps, &map, largest > 0 ? largest : range.high, sample_count);
}

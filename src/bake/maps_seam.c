/* Heights on both sides of a seam: one edge of the coarse mesh that lies in two places of the texture. A point of the
 * edge has one line along one normal, so both places must read the same height. Where folds touch or hang over, or the
 * line meets nothing, each side may have found a height of its own. Here reads along the seams are compared, and the
 * texels that they are read from are moved until both sides read the better of the two. */
#include "bake/maps.h"

#include <string.h>

enum
{
    SWEEPS = 12
};

/* Of the range: reads that are this close are brought to their mean. */
static const float CLOSE = 0.02f;
/* And these are alike. */
static const float ALIKE = 1e-4f;

/* The edge at a corner, in texels, as a triangle is drawn: whole numbers of coordinates are taken off. */
static pl_map_side side_of(const pleat_maps *maps, uint32_t corner, bool turned)
{
    const uint32_t *render = maps->stack->surface->render_triangles + (corner - corner % 3);
    uint32_t ends[2] = {render[corner % 3], render[(corner + 1) % 3]};
    pl_map_side side;
    for (int k = 0; k < 2; ++k)
    {
        const float *uvs = maps->coarse_uvs + k;
        float tile =
            floorf((uvs[2 * (size_t)render[0]] + uvs[2 * (size_t)render[1]] + uvs[2 * (size_t)render[2]]) * (1.0f / 3));
        side.from[k] = (uvs[2 * (size_t)ends[turned]] - tile) * (float)maps->raster.size - 0.5f;
        side.to[k] = (uvs[2 * (size_t)ends[!turned]] - tile) * (float)maps->raster.size - 0.5f;
    }
    return side;
}

pleat_result pl_maps_find_seams(pleat_maps *maps, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_surface *surface = maps->stack->surface;
    pleat_topology *topology = NULL;
    PL_TRY(pleat_topology_create(surface->vertex_count, surface->triangle_count, surface->triangles, host, &topology,
                                 error));
    for (int pass = 0; pass < 2; ++pass)
    {
        if (pass == 1)
        {
            PL_ARENA_NEW_OR_FAIL(maps->seams, &maps->arena, pl_map_seam, maps->seam_count, error);
            maps->seam_count = 0;
        }
        for (uint32_t c = 0; c < 3 * surface->triangle_count; ++c)
        {
            uint32_t twin = topology->twin[c];
            if (twin >= PLEAT_NON_MANIFOLD || twin < c || !maps->coarse_drawn[c / 3] || !maps->coarse_drawn[twin / 3])
            {
                continue;
            }
            pl_map_side here = side_of(maps, c, false), there = side_of(maps, twin, true);
            if (memcmp(here.from, there.from, sizeof here.from) != 0 || memcmp(here.to, there.to, sizeof here.to) != 0)
            {
                if (pass == 1)
                {
                    maps->seams[maps->seam_count] = (pl_map_seam){c / 3, c % 3, {here, there}, false};
                }
                ++maps->seam_count;
            }
        }
    }
fail:
    pleat_topology_destroy(topology);
    return result;
}

/* ---- Reading and moving texels ---- */

/* The four texels of a bilinear read. */
typedef struct tap
{
    uint16_t *texel[4];
    float weight[4];
    float sum_of_squares;
} tap;

static tap tap_at(uint16_t *heights, uint32_t size, const pl_map_side *side, float part)
{
    tap out = {.sum_of_squares = 0};
    float x = side->from[0] + part * (side->to[0] - side->from[0]);
    float y = side->from[1] + part * (side->to[1] - side->from[1]);
    float left = floorf(x), top = floorf(y);
    for (int i = 0; i < 4; ++i)
    {
        float column = fminf(fmaxf(left + (float)(i % 2), 0), (float)size - 1);
        float row = fminf(fmaxf(top + (float)(i / 2), 0), (float)size - 1);
        out.texel[i] = heights + (size_t)row * size + (size_t)column;
        out.weight[i] = (i % 2 ? x - left : 1 - (x - left)) * (i / 2 ? y - top : 1 - (y - top));
        out.sum_of_squares += out.weight[i] * out.weight[i];
    }
    return out;
}

/* 0..1 */
static float read_tap(const tap *t)
{
    float sum = 0;
    for (int i = 0; i < 4; ++i)
    {
        sum += t->weight[i] * (float)*t->texel[i];
    }
    return sum / 65535;
}

/* The least change of the texels with which the tap reads a value. */
static void move_tap(const tap *t, float to)
{
    float change = (to - read_tap(t)) / t->sum_of_squares * 65535;
    for (int i = 0; i < 4; ++i)
    {
        float moved = (float)*t->texel[i] + change * t->weight[i];
        *t->texel[i] = (uint16_t)fminf(fmaxf(moved + 0.5f, 0), 65535);
    }
}

/* ---- Along a seam ---- */

static float length_of(const pl_map_side *side)
{
    float x = side->to[0] - side->from[0], y = side->to[1] - side->from[1];
    return sqrtf(x * x + y * y);
}

/* What both sides shall read at a place of the seam where they read something else. */
static float better_of(const pleat_maps *maps, const pl_map_place *place, pleat_height_range range, float one,
                       float other)
{
    if (fabsf(one - other) <= CLOSE)
    {
        return 0.5f * (one + other);
    }
    pl_map_frame frame = pl_maps_frame(maps, place);
    const float reads[2] = {one, other};
    float distance[2];
    for (int i = 0; i < 2; ++i)
    {
        float height = range.low + reads[i] * (range.high - range.low);
        pl_f4 at = frame.position + frame.normal * pl_splat(height);
        distance[i] = pleat_bvh_nearest(maps->bvh, pl_to(at), range.high - range.low).distance;
    }
    return distance[0] <= distance[1] ? one : other;
}

/* True if some reads had to be moved by more than a little. */
static bool match_seam(const pleat_maps *maps, const pl_map_seam *seam, uint16_t *heights, pleat_height_range range)
{
    bool moved = false;
    float length = fmaxf(length_of(&seam->sides[0]), length_of(&seam->sides[1]));
    uint32_t size = maps->raster.size, count = length < 4096 ? (uint32_t)(2 * length) + 2 : 8192;
    for (uint32_t i = 0; i <= count; ++i)
    {
        float part = (float)i / (float)count;
        tap here = tap_at(heights, size, &seam->sides[0], part), there = tap_at(heights, size, &seam->sides[1], part);
        float one = read_tap(&here), other = read_tap(&there);
        if (fabsf(one - other) > ALIKE)
        {
            pl_map_place place = {seam->triangle, {0, 0, 0}};
            place.weight[seam->corner] = 1 - part;
            place.weight[(seam->corner + 1) % 3] = part;
            float wanted = better_of(maps, &place, range, one, other);
            move_tap(&here, wanted);
            move_tap(&there, wanted);
            moved |= fabsf(one - other) > 0.1f * CLOSE;
        }
    }
    return moved;
}

void pl_maps_match_seams(pleat_maps *maps, uint16_t *heights, pleat_height_range range)
{
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
    {
        for (uint32_t i = 0; i < maps->seam_count; ++i)
        {
            /* Where both sides were close, two sweeps make them alike. */
            pl_map_seam *seam = &maps->seams[i];
            if (sweep < 2 || seam->moved)
            {
                seam->moved = match_seam(maps, seam, heights, range);
            }
        }
    }
}

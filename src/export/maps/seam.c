/* Heights on both sides of a seam: one edge of the coarse mesh that lies in two places of the texture. A point of the
 * edge has one line along one normal, so both places must read the same height. Where folds touch or hang over, or the
 * line meets nothing, each side may have found a height of its own. Here reads along the seams are compared, and the
 * texels that they are read from are moved until both sides read the better of the two. */
#include "export/maps/maps.h"

#include <string.h>

enum
{
    SWEEPS = 200,
    FIRST = 8,  /* sweeps over all seams, then over those that are still apart */
    EVERY = 24, /* and now and then over all */
    CHOICES = 3 /* sweeps in which one side can be better than the other */
};

/* Of the range: reads that are this close are brought together. */
static const float CLOSE = 0.02f;
/* After some sweeps over all, seams go on that are further apart than this. */
static const float APART = 0.01f;
/* And these are alike. */
static const float ALIKE = 2e-4f;

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

pleat_result pl_maps_find_seams(pleat_maps *maps, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_surface *surface = maps->stack->surface;
    const pleat_topology *topology = maps->stack->coarse_topology;
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
    return result;
}

/* ---- Reading and moving texels ---- */

/* The four texels of a bilinear read. */
typedef struct tap
{
    uint16_t *texel[4];
    float weight[4];
} tap;

/* Not fminf and fmaxf, which are calls: all seams are read over and over. */
static float within(float x, float most)
{
    return !(x > 0) ? 0 : x < most ? x : most;
}

static tap tap_at(uint16_t *heights, uint32_t size, const pl_map_side *side, float part)
{
    /* At the edge of the picture a texel is read in its neighbour's place, too. */
    float edge = (float)size - 1;
    float x = within(side->from[0] + part * (side->to[0] - side->from[0]), edge);
    float y = within(side->from[1] + part * (side->to[1] - side->from[1]), edge);
    uint32_t left = (uint32_t)x < size - 2 ? (uint32_t)x : size - 2;
    uint32_t top = (uint32_t)y < size - 2 ? (uint32_t)y : size - 2;
    float right_part = x - (float)left, low_part = y - (float)top;
    uint16_t *first = heights + (size_t)top * size + left;
    return (tap){{first, first + 1, first + size, first + size + 1},
                 {(1 - right_part) * (1 - low_part), right_part * (1 - low_part), (1 - right_part) * low_part,
                  right_part * low_part}};
}

static float sum_of_squares(const tap *t)
{
    float sum = 0;
    for (int i = 0; i < 4; ++i)
    {
        sum += t->weight[i] * t->weight[i];
    }
    return sum;
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

/* Moves each texel by its weight. */
static void move_tap(const tap *t, float change)
{
    for (int i = 0; i < 4; ++i)
    {
        float moved = (float)*t->texel[i] + change * t->weight[i] * 65535;
        *t->texel[i] = (uint16_t)within(moved + 0.5f, 65535);
    }
}

/* ---- Along a seam ---- */

static float length_of(const pl_map_side *side)
{
    float x = side->to[0] - side->from[0], y = side->to[1] - side->from[1];
    return sqrtf(x * x + y * y);
}

/* Which of two reads at a place of the seam lies nearer to the surface. */
static float better_of(const pleat_maps *maps, const pl_map_place *place, pleat_height_range range, float one,
                       float other)
{
    pl_map_frame line = pl_maps_line(maps, place);
    const float reads[2] = {one, other};
    float distance[2];
    for (int i = 0; i < 2; ++i)
    {
        float height = range.low + reads[i] * (range.high - range.low);
        pl_f4 at = line.position + line.normal * pl_splat(height);
        distance[i] = pleat_bvh_nearest(maps->bvh, pl_to(at), range.high - range.low).distance;
    }
    return distance[0] <= distance[1] ? one : other;
}

/* Where the sides are far apart one of them is wrong: both are to read the better one. After that (choose false) the
 * least change of all eight texels with which both read the same, one place after the other, which comes to an end:
 * such changes never undo what others have brought together. Returns whether some reads were far apart. */
static bool match_seam(const pleat_maps *maps, const pl_map_seam *seam, uint16_t *heights, pleat_height_range range,
                       bool choose)
{
    bool moved = false;
    float length = fmaxf(length_of(&seam->sides[0]), length_of(&seam->sides[1]));
    uint32_t size = maps->raster.size, count = length < 2048 ? (uint32_t)(4 * length) + 8 : 8192;
    for (uint32_t i = 0; i <= count; ++i)
    {
        float part = (float)i / (float)count;
        tap here = tap_at(heights, size, &seam->sides[0], part), there = tap_at(heights, size, &seam->sides[1], part);
        float one = read_tap(&here), other = read_tap(&there), apart = fabsf(one - other);
        moved |= apart > APART;
        if (choose && apart > CLOSE)
        {
            pl_map_place place = {seam->triangle, {0, 0, 0}};
            place.weight[seam->corner] = 1 - part;
            place.weight[(seam->corner + 1) % 3] = part;
            float wanted = better_of(maps, &place, range, one, other);
            move_tap(&here, (wanted - one) / sum_of_squares(&here));
            move_tap(&there, (wanted - other) / sum_of_squares(&there));
        }
        else if (apart > ALIKE)
        {
            float step = (other - one) / (sum_of_squares(&here) + sum_of_squares(&there));
            move_tap(&here, step);
            move_tap(&there, -step);
        }
    }
    return moved;
}

void pl_maps_match_seams(pleat_maps *maps, uint16_t *heights, pleat_height_range range)
{
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
    {
        bool any = false, full = sweep < FIRST || sweep % EVERY == 0;
        for (uint32_t i = 0; i < maps->seam_count; ++i)
        {
            /* Those that are alike stay so, but for what their neighbours still move: now and then all of them. */
            pl_map_seam *seam = &maps->seams[i];
            if (full || seam->moved)
            {
                seam->moved = match_seam(maps, seam, heights, range, sweep < CHOICES);
                any |= seam->moved;
            }
        }
        if (!any && full && sweep + 1 >= FIRST)
        {
            break;
        }
        /* None is left of those that were apart: the next sweep is over all. */
        sweep += !any && !full ? EVERY - 1 - sweep % EVERY : 0;
    }
}

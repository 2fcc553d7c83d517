/* Where a mesh must be fine so that the wrinkles of a whole clip can be seen: spots, one for each small cell of rest
 * space that a wrinkle ever passes, and for each coarse triangle those near it. */
#include "layers/wrinkles/wrinkles.h"

#include "base/vec.h"

#include <stdlib.h>

/* A cell of the rest shape, in a table with open addressing. */
typedef struct cell
{
    int32_t x, y, z;
    bool used;
    float reach;
    double edges, weight; /* what the wrinkles here ask for, by their depth */
} cell;

typedef struct cells
{
    cell *slots;
    size_t room, count;
    float size;
} cells;

static size_t slot_of(const cells *c, int32_t x, int32_t y, int32_t z)
{
    uint32_t hash = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
    size_t at = hash & (c->room - 1);
    while (c->slots[at].used && (c->slots[at].x != x || c->slots[at].y != y || c->slots[at].z != z))
    {
        at = (at + 1) & (c->room - 1);
    }
    return at;
}

static bool grow_cells(cells *c, pl_memory *memory)
{
    cells old = *c;
    c->room = old.room ? 2 * old.room : 1024;
    c->slots = PL_NEW(memory, cell, c->room);
    if (!c->slots)
    {
        *c = old;
        return false;
    }
    for (size_t i = 0; i < old.room; ++i)
    {
        if (old.slots[i].used)
        {
            c->slots[slot_of(c, old.slots[i].x, old.slots[i].y, old.slots[i].z)] = old.slots[i];
        }
    }
    pl_free(memory, old.slots);
    return true;
}

static bool add_spot(cells *c, pl_memory *memory, pl_f4 place, float reach, float edge, float weight)
{
    if (4 * c->count >= 3 * c->room && !grow_cells(c, memory))
    {
        return false;
    }
    int32_t x = pl_cell_at(place[0] / c->size), y = pl_cell_at(place[1] / c->size), z = pl_cell_at(place[2] / c->size);
    cell *here = &c->slots[slot_of(c, x, y, z)];
    if (!here->used)
    {
        *here = (cell){.x = x, .y = y, .z = z, .used = true};
        ++c->count;
    }
    here->reach = fmaxf(here->reach, reach);
    here->edges += (double)(weight * edge);
    here->weight += (double)weight;
    return true;
}

static pl_f4 place_at_rest(const pl_wrinkle_wish *wish, const pleat_place *place)
{
    const uint32_t *corner = wish->topology->triangles + 3 * (size_t)place->triangle;
    return pl_load(&wish->rest[corner[0]]) * pl_splat(place->barycentric[0]) +
           pl_load(&wish->rest[corner[1]]) * pl_splat(place->barycentric[1]) +
           pl_load(&wish->rest[corner[2]]) * pl_splat(place->barycentric[2]);
}

static bool gather_cells(const pl_wrinkle_wish *wish, const pleat_wrinkle_set *set, float detail, cells *c,
                         pl_memory *memory)
{
    uint32_t end = set->frame_count ? set->first_wrinkle[set->frame_count] : 0;
    for (uint32_t w = set->frame_count ? set->first_wrinkle[0] : 0; w < end; ++w)
    {
        const pleat_wrinkle_point *points = set->points + set->wrinkles[w].first_point;
        for (uint32_t i = 0; i < set->wrinkles[w].point_count; ++i)
        {
            /* Widths are those of the cloth as it moves; at rest it is longer by what it lost. */
            float longer = 1 / fmaxf(1 - points[i].strength, 0.25f), width = points[i].width * longer;
            if (points[i].depth != 0 && !add_spot(c, memory, place_at_rest(wish, &points[i].place), 1.1f * width,
                                                  width / detail, fabsf(points[i].depth)))
            {
                return false;
            }
        }
    }
    return true;
}

static int compare_spots(const void *a, const void *b)
{
    const pleat_vec4 *p = &((const pl_wrinkle_spot *)a)->place, *q = &((const pl_wrinkle_spot *)b)->place;
    if (p->x != q->x)
    {
        return p->x < q->x ? -1 : 1;
    }
    return p->y != q->y ? (p->y < q->y ? -1 : 1) : (p->z > q->z) - (p->z < q->z);
}

static pl_f4 cell_middle(const cells *c, const cell *here)
{
    return (pl_set((float)here->x, (float)here->y, (float)here->z, 0) + pl_set(0.5f, 0.5f, 0.5f, 0)) *
           pl_splat(c->size);
}

/* The nearest place of a triangle is no farther than to its centre less the size of the triangle. */
static bool spot_is_near(const pl_wrinkle_spot *spot, const pl_f4 corner[3])
{
    pl_f4 centre = (corner[0] + corner[1] + corner[2]) * pl_splat(1 / 3.0f);
    float size = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        size = fmaxf(size, pl_length3(corner[k] - centre));
    }
    return pl_length3(pl_load(&spot->place) - centre) < spot->reach + size;
}

static void triangle_corners(const pl_wrinkle_wish *wish, uint32_t triangle, pl_f4 corner[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        corner[k] = pl_load(&wish->rest[wish->topology->triangles[3 * (size_t)triangle + k]]);
    }
}

/* Lists, or (out NULL) counts, the spots near a triangle. They are sorted by x. */
static uint32_t list_near(const pl_wrinkle_wish *wish, uint32_t triangle, float reach, uint32_t *out)
{
    pl_f4 corner[3];
    triangle_corners(wish, triangle, corner);
    float low = fminf(corner[0][0], fminf(corner[1][0], corner[2][0])) - reach;
    float high = fmaxf(corner[0][0], fmaxf(corner[1][0], corner[2][0])) + reach;
    uint32_t first = 0, end = wish->spot_count, count = 0;
    while (first < end)
    {
        uint32_t middle = first + (end - first) / 2;
        if (wish->spots[middle].place.x < low)
        {
            first = middle + 1;
        }
        else
        {
            end = middle;
        }
    }
    for (uint32_t i = first; i < wish->spot_count && wish->spots[i].place.x <= high; ++i)
    {
        if (spot_is_near(&wish->spots[i], corner))
        {
            if (out)
            {
                out[count] = i;
            }
            ++count;
        }
    }
    return count;
}

static pleat_result list_spots(pl_wrinkle_wish *wish, pl_arena *arena, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t triangles = wish->topology->triangle_count, *first, *list;
    float reach = 0;
    for (uint32_t i = 0; i < wish->spot_count; ++i)
    {
        reach = fmaxf(reach, wish->spots[i].reach);
    }
    PL_ARENA_NEW_OR_FAIL(first, arena, uint32_t, (size_t)triangles + 1, error);
    for (uint32_t t = 0; t < triangles; ++t)
    {
        first[t + 1] = first[t] + list_near(wish, t, reach, NULL);
    }
    PL_ARENA_NEW_OR_FAIL(list, arena, uint32_t, first[triangles], error);
    for (uint32_t t = 0; t < triangles; ++t)
    {
        list_near(wish, t, reach, list + first[t]);
    }
    wish->first_spot = first;
    wish->triangle_spots = list;
fail:
    return result;
}

pleat_result pl_wrinkle_wish_make(const pleat_wrinkle_set *set, float radius, float detail, pl_arena *arena,
                                  pl_wrinkle_wish *wish, pleat_error *error)
{
    cells c = {.size = 0.5f * radius};
    pleat_result result = PLEAT_OK;
    if (!gather_cells(wish, set, detail, &c, arena->memory))
    {
        result = pl_fail_memory(arena->memory, error, "where wrinkles pass");
        goto fail;
    }
    PL_ARENA_NEW_OR_FAIL(wish->spots, arena, pl_wrinkle_spot, c.count, error);
    for (size_t i = 0; i < c.room; ++i)
    {
        if (c.slots[i].used)
        {
            pl_wrinkle_spot *spot = &wish->spots[wish->spot_count++];
            pl_store(&spot->place, cell_middle(&c, &c.slots[i]));
            spot->reach = c.slots[i].reach + 0.87f * c.size; /* half of a cell's diagonal: where in it is not known */
            spot->edge = (float)(c.slots[i].edges / c.slots[i].weight);
        }
    }
    qsort(wish->spots, wish->spot_count, sizeof *wish->spots, compare_spots);
    result = list_spots(wish, arena, error);
fail:
    pl_free(arena->memory, c.slots);
    return result;
}

static bool may_move(const pl_wrinkle_wish *wish, uint32_t triangle)
{
    const uint32_t *v = wish->topology->triangles + 3 * (size_t)triangle;
    return !wish->mask || wish->mask[v[0]] > 0 || wish->mask[v[1]] > 0 || wish->mask[v[2]] > 0;
}

enum
{
    LEVEL_EVERYWHERE = 4 /* at most, where nothing is known beforehand */
};

/* Splitting halves edges: within a root of two of the wish on either side is as near as that comes. */
static const float ENOUGH = 1.41f;

bool pl_wrinkle_wish_wants(const pl_wrinkle_wish *wish, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    if (!may_move(wish, triangle))
    {
        return false;
    }
    pl_f4 corner[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        pleat_place place = {triangle, {barycentric[3 * k], barycentric[3 * k + 1], barycentric[3 * k + 2]}};
        corner[k] = place_at_rest(wish, &place);
    }
    float edge =
        (pl_length3(corner[1] - corner[0]) + pl_length3(corner[2] - corner[1]) + pl_length3(corner[0] - corner[2])) / 3;
    if (wish->everywhere > 0)
    {
        return edge > ENOUGH * wish->everywhere && level < LEVEL_EVERYWHERE;
    }
    for (uint32_t i = wish->first_spot[triangle]; i < wish->first_spot[triangle + 1]; ++i)
    {
        const pl_wrinkle_spot *spot = &wish->spots[wish->triangle_spots[i]];
        if (edge > ENOUGH * spot->edge && spot_is_near(spot, corner))
        {
            return true;
        }
    }
    return false;
}

bool pl_wrinkle_wish_covers(const pl_wrinkle_wish *wish, uint32_t triangle, const float barycentric[3])
{
    if (wish->everywhere > 0)
    {
        return true;
    }
    pleat_place place = {triangle, {barycentric[0], barycentric[1], barycentric[2]}};
    pl_f4 here = place_at_rest(wish, &place);
    for (uint32_t i = wish->first_spot[triangle]; i < wish->first_spot[triangle + 1]; ++i)
    {
        const pl_wrinkle_spot *spot = &wish->spots[wish->triangle_spots[i]];
        if (pl_length3(pl_load(&spot->place) - here) < spot->reach)
        {
            return true;
        }
    }
    return false;
}

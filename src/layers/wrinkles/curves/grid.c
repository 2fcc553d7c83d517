#include "layers/wrinkles/curves/grid.h"

pleat_result pl_wrinkle_grid_make(pl_wrinkle_grid *grid, const pl_flat *flat, float cell, uint32_t capacity,
                                  pl_arena *arena, pleat_error *error)
{
    *grid = (pl_wrinkle_grid){.flat = flat, .cell = cell, .capacity = capacity, .bucket_count = 256};
    while (grid->bucket_count < capacity && grid->bucket_count < 1u << 20)
    {
        grid->bucket_count *= 2;
    }
    grid->buckets = PL_ARENA_NEW(arena, uint32_t, grid->bucket_count);
    grid->points = PL_ARENA_NEW(arena, pl_grid_point, capacity);
    if (!grid->buckets || !grid->points)
    {
        return pl_fail_memory(arena->memory, error, "a grid of wrinkle points");
    }
    memset(grid->buckets, 0xff, grid->bucket_count * sizeof *grid->buckets);
    return PLEAT_OK;
}

static uint32_t bucket_of(const pl_wrinkle_grid *grid, int32_t x, int32_t y, int32_t z)
{
    uint32_t hash = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    return (hash ^ hash >> 15) & (grid->bucket_count - 1);
}

static int32_t cell_of(const pl_wrinkle_grid *grid, float x)
{
    return (int32_t)floorf(fminf(fmaxf(x / grid->cell, -1e9f), 1e9f));
}

static uint32_t *bucket_at(const pl_wrinkle_grid *grid, pl_f4 p)
{
    return &grid->buckets[bucket_of(grid, cell_of(grid, p[0]), cell_of(grid, p[1]), cell_of(grid, p[2]))];
}

void pl_wrinkle_grid_clear(pl_wrinkle_grid *grid)
{
    if (grid->count * 4 > grid->bucket_count)
    {
        memset(grid->buckets, 0xff, grid->bucket_count * sizeof *grid->buckets);
    }
    else
    {
        for (uint32_t i = 0; i < grid->count; ++i)
        {
            *bucket_at(grid, grid->points[i].position) = PLEAT_NONE;
        }
    }
    grid->count = 0;
}

bool pl_wrinkle_grid_add(pl_wrinkle_grid *grid, pl_f4 position, uint32_t triangle, uint32_t owner, float parameter)
{
    if (grid->count == grid->capacity)
    {
        return false;
    }
    uint32_t *bucket = bucket_at(grid, position);
    grid->points[grid->count] = (pl_grid_point){position, triangle, owner, parameter, *bucket};
    *bucket = grid->count++;
    return true;
}

void pl_wrinkle_grid_shorten(pl_wrinkle_grid *grid, uint32_t count)
{
    while (grid->count > count)
    {
        const pl_grid_point *last = &grid->points[--grid->count];
        *bucket_at(grid, last->position) = last->next;
    }
}

/* True where a walk from the place towards the point comes near it. */
static bool hangs_together(const pl_flat *flat, const pleat_place *place, const pl_grid_point *point, float distance)
{
    if (place->triangle == point->triangle)
    {
        return true;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (flat->topology->twin[3 * place->triangle + k] / 3 == point->triangle)
        {
            return true;
        }
    }
    pleat_place end = pl_flat_approach(flat, *place, point->position, 1.5f * distance);
    return pl_length3(pl_flat_position(flat, &end) - point->position) < 0.1f * distance;
}

static bool counts(const pl_grid_query *query, const pl_grid_point *point)
{
    if (point->owner == query->self)
    {
        return fabsf(point->parameter - query->parameter) > query->self_apart;
    }
    return point->owner >= query->owner_from && point->owner != query->passed;
}

/* The nearest in one bucket, if it is nearer than *best (squared), else NULL. */
static const pl_grid_point *look_into(const pl_wrinkle_grid *grid, const pl_grid_query *query, uint32_t bucket,
                                      float *best)
{
    const pl_grid_point *nearest = NULL;
    for (uint32_t i = grid->buckets[bucket]; i != PLEAT_NONE; i = grid->points[i].next)
    {
        const pl_grid_point *point = &grid->points[i];
        pl_f4 way = point->position - query->position;
        float squared = pl_dot3(way, way);
        if (squared < *best && counts(query, point) && hangs_together(grid->flat, query->place, point, sqrtf(squared)))
        {
            nearest = point;
            *best = squared;
            if (query->any)
            {
                break;
            }
        }
    }
    return nearest;
}

const pl_grid_point *pl_wrinkle_grid_nearest(const pl_wrinkle_grid *grid, const pl_grid_query *query)
{
    const pl_grid_point *nearest = NULL;
    float best = query->radius * query->radius;
    pl_f4 low = query->position - pl_splat(query->radius), high = query->position + pl_splat(query->radius);
    int32_t from[3], to[3];
    for (int i = 0; i < 3; ++i)
    {
        from[i] = cell_of(grid, low[i]);
        to[i] = cell_of(grid, high[i]);
    }
    for (int32_t x = from[0]; x <= to[0]; ++x)
    {
        for (int32_t y = from[1]; y <= to[1]; ++y)
        {
            for (int32_t z = from[2]; z <= to[2]; ++z)
            {
                const pl_grid_point *found = look_into(grid, query, bucket_of(grid, x, y, z), &best);
                nearest = found ? found : nearest;
                if (found && query->any)
                {
                    return found;
                }
            }
        }
    }
    return nearest;
}

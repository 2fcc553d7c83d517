#include "layers/wrinkles/curves/seed.h"

enum
{
    PLACES_MOST = 1 << 18, /* besides the vertices: regions larger than the mesh's triangles are found in any case */
    PIECES_MOST = 64,      /* along an edge */
    BARRED_MOST = 4096     /* then no more seeds are tried in the frame */
};

/* ---- Places ---- */

static uint32_t pieces_of(const pl_flat_triangle *laid, float apart)
{
    float longest = fmaxf(laid->x1, sqrtf(fmaxf(laid->x2 * laid->x2, (laid->x2 - laid->x1) * (laid->x2 - laid->x1)) +
                                          laid->y2 * laid->y2));
    return (uint32_t)fminf(ceilf(longest / apart), PIECES_MOST);
}

/* Places in the middle of the n^2 pieces of a triangle that stand upright: n (n + 1) / 2. */
static uint32_t fill_triangle(uint32_t triangle, uint32_t n, pleat_place *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; ++i)
    {
        for (uint32_t j = 0; i + j < n; ++j, ++count)
        {
            float b = ((float)i + 1.0f / 3) / (float)n, c = ((float)j + 1.0f / 3) / (float)n;
            if (out)
            {
                out[count] = (pleat_place){triangle, {1 - b - c, b, c}};
            }
        }
    }
    return count;
}

/* Returns how many; out may be NULL to count. */
static uint64_t fill_places(const pl_flat *flat, float apart, pleat_place *out)
{
    const pleat_topology *topology = flat->topology;
    uint64_t count = 0;
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        /* On a border a wrinkle would run along it, half of it over the edge. */
        if (topology->ring_start[v] < topology->ring_start[v + 1] && topology->vertex_flags[v] == 0)
        {
            uint32_t corner = topology->ring_corner[topology->ring_start[v]];
            if (out)
            {
                out[count] = (pleat_place){corner / 3, {0, 0, 0}};
                out[count].barycentric[corner % 3] = 1;
            }
            ++count;
        }
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        if (flat->triangles[t].area > 0)
        {
            count += fill_triangle(t, pieces_of(&flat->triangles[t], apart), out ? out + count : NULL);
        }
    }
    return count;
}

pleat_result pl_wrinkle_seeds_make(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, pl_arena *arena,
                                   pleat_error *error)
{
    const pleat_topology *topology = tracer->flat->topology;
    float apart = tracer->options.spacing * tracer->options.r_min;
    uint64_t count = fill_places(tracer->flat, apart, NULL);
    while (count > PLACES_MOST + (uint64_t)topology->vertex_count + topology->triangle_count)
    {
        apart *= 1.5f;
        count = fill_places(tracer->flat, apart, NULL);
    }
    seeds->place_count = (uint32_t)count;
    seeds->places = PL_ARENA_NEW(arena, pleat_place, count);
    seeds->vertex_strength = PL_ARENA_NEW(arena, float, topology->vertex_count);
    seeds->heap = PL_ARENA_NEW(arena, uint32_t, count);
    seeds->strength = PL_ARENA_NEW(arena, float, count);
    if (!seeds->places || !seeds->vertex_strength || !seeds->heap || !seeds->strength)
    {
        return pl_fail_memory(arena->memory, error, "places of seeds");
    }
    fill_places(tracer->flat, apart, seeds->places);
    return pl_wrinkle_grid_make(&seeds->barred, tracer->flat, tracer->now.cell, BARRED_MOST, arena, error);
}

/* ---- The heap: strongest first, then the lowest place ---- */

static bool stronger(const pl_wrinkle_seeds *seeds, uint32_t a, uint32_t b)
{
    return seeds->strength[a] != seeds->strength[b] ? seeds->strength[a] > seeds->strength[b] : a < b;
}

static void sift_down(pl_wrinkle_seeds *seeds, uint32_t at)
{
    uint32_t *heap = seeds->heap;
    for (;;)
    {
        uint32_t best = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < seeds->heap_count; ++child)
        {
            best = stronger(seeds, heap[child], heap[best]) ? child : best;
        }
        if (best == at)
        {
            return;
        }
        uint32_t swap = heap[at];
        heap[at] = heap[best];
        heap[best] = swap;
        at = best;
    }
}

/* ---- Asking ---- */

static bool nothing_near(const pl_wrinkle_grid *grid, const pl_flat *flat, const pleat_place *place, float radius)
{
    pl_grid_query query = {.place = place, .position = pl_flat_position(flat, place), .radius = radius};
    query.any = true;
    query.self = query.passed = PLEAT_NONE;
    query.self_apart = INFINITY;
    return !pl_wrinkle_grid_nearest(grid, &query);
}

bool pl_wrinkle_free(const pl_wrinkle_tracer *tracer, const pleat_place *place, float radius)
{
    return nothing_near(&tracer->now, tracer->flat, place, radius);
}

static bool open_for_seed(const pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, const pleat_place *place)
{
    return seeds->barred.count < seeds->barred.capacity &&
           pl_wrinkle_free(tracer, place, tracer->options.spacing * tracer->options.r_min) &&
           (seeds->barred.count == 0 || nothing_near(&seeds->barred, tracer->flat, place, tracer->options.r_min));
}

void pl_wrinkle_seeds_collect(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer)
{
    const pleat_topology *topology = tracer->flat->topology;
    pl_wrinkle_grid_clear(&seeds->barred);
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        pl_field_value value = pl_tensor_value(&tracer->tensors[v]);
        seeds->vertex_strength[v] = pl_wrinkle_strength(tracer, &value);
    }
    seeds->heap_count = 0;
    for (uint32_t i = 0; i < seeds->place_count; ++i)
    {
        const pleat_place *place = &seeds->places[i];
        const uint32_t *corner = topology->triangles + 3 * (size_t)place->triangle;
        float most = fmaxf(fmaxf(seeds->vertex_strength[corner[0]], seeds->vertex_strength[corner[1]]),
                           seeds->vertex_strength[corner[2]]);
        if (most < tracer->threshold)
        {
            continue;
        }
        pl_field_value value = pl_wrinkle_look(tracer, place);
        seeds->strength[i] = pl_wrinkle_strength(tracer, &value);
        if (seeds->strength[i] >= tracer->threshold && open_for_seed(seeds, tracer, place))
        {
            seeds->heap[seeds->heap_count++] = i;
        }
    }
    for (uint32_t i = seeds->heap_count / 2; i-- > 0;)
    {
        sift_down(seeds, i);
    }
}

bool pl_wrinkle_seeds_next(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, pl_flat_point *seed)
{
    while (seeds->heap_count > 0)
    {
        const pleat_place *place = &seeds->places[seeds->heap[0]];
        seeds->heap[0] = seeds->heap[--seeds->heap_count];
        sift_down(seeds, 0);
        pl_field_value value = pl_wrinkle_look(tracer, place);
        if (open_for_seed(seeds, tracer, place) && (value.along.x != 0 || value.along.y != 0))
        {
            *seed = (pl_flat_point){*place, value.along};
            return true;
        }
    }
    return false;
}

bool pl_wrinkle_seeds_beside(const pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer,
                             const pleat_wrinkle_point *points, uint32_t point_count, pl_flat_point *seed)
{
    /* A little more than the spacing, or rounding would find the curve itself too near. */
    float apart = 1.01f * tracer->options.spacing * tracer->options.r_min, best = tracer->threshold;
    uint32_t stride = (uint32_t)fmaxf(tracer->options.r_min / tracer->step, 1);
    bool found = false;
    for (uint32_t i = 0; i < point_count; i += stride)
    {
        pl_field_value here = pl_wrinkle_look(tracer, &points[i].place);
        for (int side = -1; side <= 1; side += 2)
        {
            pl_flat_point point = {points[i].place, {(float)-side * here.along.y, (float)side * here.along.x}};
            if (pl_flat_move(tracer->flat, &point, apart) < 0.999f * apart)
            {
                continue;
            }
            pl_field_value there = pl_wrinkle_look(tracer, &point.place);
            float strength = pl_wrinkle_strength(tracer, &there);
            if (strength >= best && (there.along.x != 0 || there.along.y != 0) &&
                open_for_seed(seeds, tracer, &point.place))
            {
                /* Of equals, the first. */
                best = strength + 1e-6f;
                *seed = (pl_flat_point){point.place, there.along};
                found = true;
            }
        }
    }
    return found;
}

void pl_wrinkle_seeds_bar(pl_wrinkle_seeds *seeds, const pl_wrinkle_tracer *tracer, const pleat_place *place)
{
    pl_wrinkle_grid_add(&seeds->barred, pl_flat_position(tracer->flat, place), place->triangle, 0, 0);
}

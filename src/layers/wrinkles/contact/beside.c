#include "layers/wrinkles/contact/beside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

#include <stdatomic.h>

enum
{
    MOST_EXITS = 4 /* skins that a way may leave before something stops it */
};

struct pl_wrinkle_beside
{
    pl_memory memory;
    pl_arena arena;
    pl_wrinkle_beside_desc desc;
    const pleat_vec4 *positions; /* last update */
    uint32_t triangle_count;
    uint32_t *triangles; /* those of other nodes */
    bool *sheets;
    pleat_bvh *bvh;
};

static pleat_result choose(pl_wrinkle_beside *beside, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_neighbours *all = beside->desc.neighbours;
    PL_ARENA_NEW_OR_FAIL(beside->triangles, &beside->arena, uint32_t, 3 * (size_t)all->body.triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(beside->sheets, &beside->arena, bool, all->body.triangle_count, error);
    for (uint32_t t = 0; t < all->body.triangle_count; ++t)
    {
        if (all->nodes[t] != beside->desc.node)
        {
            uint32_t at = beside->triangle_count++;
            memcpy(beside->triangles + 3 * (size_t)at, all->body.triangles + 3 * (size_t)t, 3 * sizeof(uint32_t));
            beside->sheets[at] = all->sheets[t];
        }
    }
fail:
    return result;
}

pleat_result pl_wrinkle_beside_create(const pl_wrinkle_beside_desc *desc, const pleat_host *host,
                                      pl_wrinkle_beside **out, pleat_error *error)
{
    *out = NULL;
    pl_wrinkle_beside *beside = PL_CREATE(pl_wrinkle_beside, host);
    if (!beside)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the meshes beside wrinkles");
    }
    pl_arena_init(&beside->arena, &beside->memory);
    beside->desc = *desc;
    const pleat_body *body = &desc->neighbours->body;
    pleat_result result = choose(beside, error);
    if (result == PLEAT_OK && beside->triangle_count)
    {
        beside->positions = body->at(body->user, 0);
        result = pleat_bvh_create(body->vertex_count, beside->positions, beside->triangle_count, beside->triangles,
                                  host, &beside->bvh, error);
    }
    if (result != PLEAT_OK || !beside->triangle_count)
    {
        pl_wrinkle_beside_destroy(beside);
        return result;
    }
    *out = beside;
    return PLEAT_OK;
}

void pl_wrinkle_beside_destroy(pl_wrinkle_beside *beside)
{
    if (!beside)
    {
        return;
    }
    pleat_bvh_destroy(beside->bvh);
    pl_arena_free(&beside->arena);
    PL_DESTROY(beside);
}

static pl_f4 face_normal(const pl_wrinkle_beside *beside, uint32_t triangle)
{
    const uint32_t *v = beside->triangles + 3 * (size_t)triangle;
    pl_f4 a = pl_load(&beside->positions[v[0]]);
    return pl_normalize3(pl_cross(pl_load(&beside->positions[v[1]]) - a, pl_load(&beside->positions[v[2]]) - a));
}

/* Cloth that just came out through a sheet was stopped by it the moment before: it is let go in time, this many times
 * as far as it is out. */
#define LET_GO 8.0f

static float room_before_sheet(const pl_wrinkle_beside *beside, pl_f4 from, pl_f4 direction, float length)
{
    pleat_hit hit = pleat_bvh_ray(beside->bvh, pl_to(from), pl_to(-direction), 0, length / LET_GO);
    return hit.triangle != PLEAT_NONE && beside->sheets[hit.triangle] ? LET_GO * hit.distance : length;
}

/* How far a vertex may go along a direction before it meets something. */
static float room_along(const pl_wrinkle_beside *beside, pl_f4 from, pl_f4 direction, float length)
{
    const pl_wrinkle_beside_desc *desc = &beside->desc;
    float reach = length / desc->share + 4 * desc->gap, start = 0;
    for (uint32_t i = 0; i < MOST_EXITS; ++i)
    {
        pleat_hit hit = pleat_bvh_ray(beside->bvh, pl_to(from), pl_to(direction), start, reach);
        if (hit.triangle == PLEAT_NONE)
        {
            return length;
        }
        float across = pl_dot3(face_normal(beside, hit.triangle), direction);
        bool sheet = beside->sheets[hit.triangle];
        if (sheet || across < 0)
        {
            float free = fmaxf(hit.distance - desc->gap / fmaxf(fabsf(across), 0.25f), 0);
            return fminf(free * (sheet ? desc->share : 1), length);
        }
        /* Out of a skin that it was in: welcome. */
        start = nextafterf(hit.distance * 1.00001f + fminf(1e-7f, 1e-3f * desc->gap), INFINITY);
    }
    return length;
}

typedef struct beside_job
{
    const pl_wrinkle_beside *beside;
    const pleat_vec4 *from;
    pleat_vec4 *positions;
    _Atomic uint32_t stopped;
} beside_job;

static void stop_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    beside_job *job = data;
    uint32_t stopped = 0;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        pl_f4 from = pl_load(&job->from[v]), way = pl_load(&job->positions[v]) - from;
        float length = pl_length3(way);
        if (!(length > 0) || !isfinite(length))
        {
            continue;
        }
        pl_f4 direction = way * pl_splat(1 / length);
        float room = fminf(room_along(job->beside, from, direction, length),
                           room_before_sheet(job->beside, from, direction, length));
        if (room < length)
        {
            pl_store(&job->positions[v], from + direction * pl_splat(room));
            ++stopped;
        }
    }
    atomic_fetch_add(&job->stopped, stopped);
}

uint32_t pl_wrinkle_beside_update(pl_wrinkle_beside *beside, float time, uint32_t vertex_count, const pleat_vec4 *from,
                                  pleat_vec4 *positions, const pleat_tasks *tasks)
{
    const pleat_body *body = &beside->desc.neighbours->body;
    beside->positions = body->at(body->user, time);
    pleat_bvh_refit(beside->bvh, beside->positions, tasks);
    beside_job job = {beside, from, positions, 0};
    pl_parallel_for(tasks, vertex_count, 256, stop_range, &job);
    return atomic_load(&job.stopped);
}

/* Motion between frames, and popping: motion beyond that of the reference.
 *
 * Vertex v goes with a place on the reference, found at rest. Its offset from there is taken in axes that move with the
 * reference: the normal (interpolated from the vertices', so that it turns evenly) and, across it, the longest rest
 * edge of the place's triangle. Offsets of a surface that only follows are then the same in all frames, however
 * fast limbs turn. Where the reference collapses, as skinning does inside a bent elbow, those axes turn over at once;
 * so the way is also taken in the world's axes, and the shorter one counts: what pops does so in both. */
#include "measure/measure.h"

#include "base/parallel.h"
#include "base/vec.h"

#include <string.h>

/* ---- Places on the reference ---- */

static uint32_t group_of(const pleat_measure_mesh *mesh, uint32_t triangle)
{
    return mesh->groups ? mesh->groups[triangle] : 0;
}

/* The same list of triangles: vertices go with themselves. */
static bool same_topology(const pleat_measure_mesh *a, const pleat_measure_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

static void go_with_themselves(pl_jump_part *part)
{
    const pleat_topology *topology = part->surface;
    for (uint32_t c = 3 * topology->triangle_count; c-- > 0;)
    {
        pleat_place *place = &part->places[topology->triangles[c]];
        *place = (pleat_place){.triangle = c / 3};
        place->barycentric[c % 3] = 1;
    }
}

/* The vertices of one group's triangles, on the reference's triangles of that group. */
static pleat_result place_group(pl_jump_part *part, const pleat_measure_desc *desc, uint32_t group, uint32_t *list,
                                uint32_t *numbers, const pleat_host *host, pleat_error *error)
{
    const pleat_measure_mesh *reference = &desc->reference;
    uint32_t count = 0;
    for (uint32_t t = 0; t < reference->triangle_count; ++t)
    {
        if (group_of(reference, t) == group)
        {
            memcpy(list + 3 * (size_t)count, reference->triangles + 3 * (size_t)t, 3 * sizeof *list);
            numbers[count++] = t;
        }
    }
    if (count == 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "group %u of the surface has no triangles in the reference", group);
    }
    pleat_bvh *bvh = NULL;
    PL_TRY(pleat_bvh_create(reference->vertex_count, reference->rest, count, list, host, &bvh, error));
    for (uint64_t c = 0; c < 3 * (uint64_t)desc->surface.triangle_count; ++c)
    {
        uint32_t v = desc->surface.triangles[c];
        if (group_of(&desc->surface, (uint32_t)(c / 3)) == group && part->places[v].triangle == PLEAT_NONE)
        {
            pleat_hit hit = pleat_bvh_nearest(bvh, desc->surface.rest[v], INFINITY);
            part->places[v].triangle = numbers[hit.triangle];
            memcpy(part->places[v].barycentric, hit.barycentric, sizeof hit.barycentric);
        }
    }
    pleat_bvh_destroy(bvh);
    return PLEAT_OK;
}

static pleat_result place_all(pl_jump_part *part, const pleat_measure_desc *desc, pl_memory *memory,
                              const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t *list = NULL, *numbers = NULL;
    PL_NEW_OR_FAIL(list, memory, uint32_t, 3 * (size_t)desc->reference.triangle_count, error);
    PL_NEW_OR_FAIL(numbers, memory, uint32_t, desc->reference.triangle_count, error);
    /* A group is done when its first triangle is met; its vertices then have places. */
    for (uint32_t t = 0; t < desc->surface.triangle_count && result == PLEAT_OK; ++t)
    {
        const uint32_t *corner = desc->surface.triangles + 3 * (size_t)t;
        if (part->places[corner[0]].triangle == PLEAT_NONE || part->places[corner[1]].triangle == PLEAT_NONE ||
            part->places[corner[2]].triangle == PLEAT_NONE)
        {
            result = place_group(part, desc, group_of(&desc->surface, t), list, numbers, host, error);
        }
    }
fail:
    pl_free(memory, numbers);
    pl_free(memory, list);
    return result;
}

/* The longest edge at rest of the triangle that each vertex goes with. */
static void choose_edges(pl_jump_part *part, const pleat_vec4 *rest)
{
    for (uint32_t v = 0; v < part->surface->vertex_count; ++v)
    {
        float longest = -1;
        for (uint32_t k = 0; part->places[v].triangle != PLEAT_NONE && k < 3; ++k)
        {
            const uint32_t *corner = part->triangles + 3 * (size_t)part->places[v].triangle;
            float length = pl_length3(pl_load(&rest[corner[(k + 1) % 3]]) - pl_load(&rest[corner[k]]));
            if (length > longest)
            {
                longest = length;
                part->edge[v] = (uint8_t)k;
            }
        }
    }
}

static pleat_result bind_reference(pl_jump_part *part, const pleat_measure_desc *desc, pl_arena *arena,
                                   const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_measure_mesh *reference = &desc->reference;
    uint32_t count = part->surface->vertex_count;
    part->reference_count = reference->vertex_count;
    PL_TRY(pleat_normals_create(reference->vertex_count, reference->triangle_count, reference->triangles,
                                reference->triangles, host, &part->normals, error));
    PL_ARENA_NEW_OR_FAIL(part->triangles, arena, uint32_t, 3 * (size_t)reference->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(part->normal_of, arena, pleat_vec4, reference->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(part->places, arena, pleat_place, count, error);
    PL_ARENA_NEW_OR_FAIL(part->edge, arena, uint8_t, count, error);
    for (int axes = 0; axes < 2; ++axes)
    {
        PL_ARENA_NEW_OR_FAIL(part->offset[axes], arena, pleat_vec4, count, error);
        PL_ARENA_NEW_OR_FAIL(part->step[axes], arena, pleat_vec4, count, error);
    }
    memcpy(part->triangles, reference->triangles, 3 * (size_t)reference->triangle_count * sizeof *part->triangles);
    for (uint32_t v = 0; v < count; ++v)
    {
        part->places[v].triangle = PLEAT_NONE;
    }
    if (same_topology(&desc->surface, reference))
    {
        go_with_themselves(part);
    }
    else
    {
        PL_TRY(place_all(part, desc, arena->memory, host, error));
    }
    choose_edges(part, reference->rest);
fail:
    return result;
}

pleat_result pl_jump_part_create(pl_jump_part *part, const pleat_measure_desc *desc, const pleat_topology *surface,
                                 pl_arena *arena, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    part->surface = surface;
    PL_ARENA_NEW_OR_FAIL(part->before, arena, pleat_vec4, surface->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(part->found, arena, pleat_vec4, surface->vertex_count, error);
    if (desc->reference.vertex_count > 0)
    {
        return bind_reference(part, desc, arena, host, error);
    }
fail:
    return result;
}

void pl_jump_part_destroy(pl_jump_part *part)
{
    pleat_normals_destroy(part->normals);
}

/* ---- A frame ---- */

typedef struct jump_job
{
    pl_jump_part *part;
    const pleat_measure_input *input;
} jump_job;

/* Where vertex v is, seen from its place on the reference: in the world's axes and in the reference's. */
static void find_offsets(const pl_jump_part *part, const pleat_measure_input *input, uint32_t v, pl_f4 offset[2])
{
    const pleat_place *place = &part->places[v];
    const uint32_t *corner = part->triangles + 3 * (size_t)place->triangle;
    pl_f4 point = pl_splat(0), normal = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        pl_f4 weight = pl_splat(place->barycentric[k]);
        point += weight * pl_load(&input->reference[corner[k]]);
        normal += weight * pl_load(&part->normal_of[corner[k]]);
    }
    uint32_t k = part->edge[v];
    pl_f4 edge = pl_load(&input->reference[corner[(k + 1) % 3]]) - pl_load(&input->reference[corner[k]]);
    normal = pl_normalize3(normal);
    pl_f4 along = pl_normalize3(edge - normal * pl_splat(pl_dot3(edge, normal)));
    pl_f4 away = pl_load(&input->positions[v]) - point;
    offset[0] = away;
    offset[1] = pl_set(pl_dot3(away, along), pl_dot3(away, pl_cross(normal, along)), pl_dot3(away, normal), 0);
}

/* Jump and pop of one vertex against the frames before, which are then replaced by this one. */
static void find_jump(pl_jump_part *part, const pleat_measure_input *input, uint32_t v, pleat_vec4 *found)
{
    pl_f4 offset[2];
    float jump = INFINITY, pop = INFINITY;
    find_offsets(part, input, v, offset);
    for (int axes = 0; axes < 2; ++axes)
    {
        pl_f4 step = offset[axes] - pl_load(&part->offset[axes][v]);
        jump = fminf(jump, pl_length3(step));
        pop = fminf(pop, pl_length3(step - pl_load(&part->step[axes][v])));
        pl_store(&part->offset[axes][v], offset[axes]);
        pl_store(&part->step[axes][v], step);
    }
    found->y = part->frame_count > 0 ? jump : 0;
    found->z = part->frame_count > 1 ? pop : 0;
}

static void update_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const jump_job *job = data;
    pl_jump_part *part = job->part;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        pl_f4 now = pl_load(&job->input->positions[v]);
        part->found[v] = (pleat_vec4){0, 0, 0, 0};
        if (part->frame_count > 0)
        {
            part->found[v].x = pl_length3(now - pl_load(&part->before[v]));
        }
        pl_store(&part->before[v], now);
        if (part->reference_count > 0 && part->places[v].triangle != PLEAT_NONE)
        {
            find_jump(part, job->input, v, &part->found[v]);
        }
    }
}

void pl_jump_part_update(pl_jump_part *part, const pleat_measure_input *input, pleat_figures *figures)
{
    jump_job job = {part, input};
    if (part->reference_count > 0)
    {
        pleat_normals_update(part->normals, input->reference, part->normal_of, input->tasks);
    }
    pl_parallel_for(input->tasks, part->surface->vertex_count, 2048, update_range, &job);
    ++part->frame_count;
    float motion = 0, jump = 0, pop = 0;
    figures->jump_vertex = PLEAT_NONE;
    figures->pop_vertex = PLEAT_NONE;
    for (uint32_t v = 0; v < part->surface->vertex_count; ++v)
    {
        if (part->surface->vertex_flags[v] & PLEAT_VERTEX_ISOLATED)
        {
            continue;
        }
        const pleat_vec4 *found = &part->found[v];
        motion = fmaxf(motion, found->x);
        if (found->y > jump)
        {
            jump = found->y;
            figures->jump_vertex = v;
        }
        if (found->z > pop)
        {
            pop = found->z;
            figures->pop_vertex = v;
        }
    }
    figures->motion = (double)motion;
    figures->jump = (double)jump;
    figures->pop = (double)pop;
}

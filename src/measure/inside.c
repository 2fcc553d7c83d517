/* Vertices inside a body: the sign of the distance is that of the way from the nearest point on the body against the
 * normal there. On an edge the normal is the sum of its two faces', at a vertex the sum of all around it by their
 * angles (Baerentzen and Aanaes, "Signed Distance Computation Using the Angle Weighted Pseudonormal", 2005), which
 * makes the sign right for any closed body. Where the nearest point is on a border of the body the sign says nothing: a
 * cuff beyond the hand's cut-off arm is outside. */
#include "measure/measure.h"

#include "base/parallel.h"
#include "base/vec.h"
#include "mesh/corner.h"

/* Barycentric coordinates below this count as 0. Too large does no harm: close to an edge the edge's normal agrees with
 * the faces' about the side. */
#define ON_EDGE 1e-5f

pleat_result pl_inside_part_create(pl_inside_part *part, const pleat_measure_desc *desc, const float *triangle_areas,
                                   pl_arena *arena, const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_measure_mesh *body = &desc->body;
    if (body->vertex_count == 0)
    {
        return PLEAT_OK;
    }
    PL_TRY(
        pleat_topology_create(body->vertex_count, body->triangle_count, body->triangles, host, &part->topology, error));
    PL_TRY(pleat_bvh_create(body->vertex_count, body->rest, body->triangle_count, body->triangles, host, &part->bvh,
                            error));
    PL_ARENA_NEW_OR_FAIL(part->depths, arena, float, desc->surface.vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(part->areas, arena, double, desc->surface.vertex_count, error);
    for (uint64_t c = 0; c < 3 * (uint64_t)desc->surface.triangle_count; ++c)
    {
        part->areas[desc->surface.triangles[c]] += (double)triangle_areas[c / 3] / 3;
        part->area += (double)triangle_areas[c / 3] / 3;
    }
    pl_f4 low = pl_load(&body->rest[0]), high = low;
    for (uint32_t v = 1; v < body->vertex_count; ++v)
    {
        low = pl_min(low, pl_load(&body->rest[v]));
        high = pl_max(high, pl_load(&body->rest[v]));
    }
    part->tolerance = desc->inside_tolerance * pl_length3(high - low);
fail:
    return result;
}

void pl_inside_part_destroy(pl_inside_part *part)
{
    pleat_bvh_destroy(part->bvh);
    pleat_topology_destroy(part->topology);
}

/* ---- The normal at a point of the body ---- */

static pl_f4 face_normal(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t triangle)
{
    const uint32_t *corner = topology->triangles + 3 * (size_t)triangle;
    pl_f4 origin = pl_load(&positions[corner[0]]);
    return pl_normalize3(pl_cross(pl_load(&positions[corner[1]]) - origin, pl_load(&positions[corner[2]]) - origin));
}

static float corner_angle(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t corner)
{
    pl_f4 at = pl_load(&positions[topology->triangles[corner]]);
    pl_f4 u = pl_load(&positions[topology->triangles[pl_corner_next(corner)]]) - at;
    pl_f4 v = pl_load(&positions[topology->triangles[pl_corner_previous(corner)]]) - at;
    return atan2f(pl_length3(pl_cross(u, v)), pl_dot3(u, v));
}

static pl_f4 vertex_normal(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t vertex)
{
    pl_f4 normal = pl_splat(0);
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t corner = topology->ring_corner[i];
        normal += face_normal(topology, positions, corner / 3) * pl_splat(corner_angle(topology, positions, corner));
    }
    return normal;
}

/* Zero where the sign would say nothing. */
static pl_f4 normal_at(const pleat_topology *topology, const pleat_vec4 *positions, const pleat_hit *hit)
{
    uint32_t largest = 0, zeros = 0, zero = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        largest = hit->barycentric[k] > hit->barycentric[largest] ? k : largest;
        if (hit->barycentric[k] <= ON_EDGE)
        {
            ++zeros;
            zero = k;
        }
    }
    uint32_t first = 3 * hit->triangle;
    if (zeros == 0)
    {
        return face_normal(topology, positions, hit->triangle);
    }
    if (zeros == 1)
    {
        uint32_t twin = topology->twin[pl_corner_next(first + zero)]; /* of the edge opposite to that corner */
        if (twin >= PLEAT_NON_MANIFOLD)
        {
            return pl_splat(0);
        }
        return face_normal(topology, positions, hit->triangle) + face_normal(topology, positions, twin / 3);
    }
    uint32_t vertex = topology->triangles[first + largest];
    if (topology->vertex_flags[vertex] & PLEAT_VERTEX_BOUNDARY)
    {
        return pl_splat(0);
    }
    return vertex_normal(topology, positions, vertex);
}

/* ---- All vertices ---- */

typedef struct inside_job
{
    const pl_inside_part *part;
    const pleat_topology *surface;
    const pleat_measure_input *input;
} inside_job;

static void find_depths(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const inside_job *job = data;
    const pl_inside_part *part = job->part;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        part->depths[v] = 0;
        if (job->surface->vertex_flags[v] & PLEAT_VERTEX_ISOLATED)
        {
            continue;
        }
        pleat_hit hit = pleat_bvh_nearest(part->bvh, job->input->positions[v], INFINITY);
        if (hit.triangle != PLEAT_NONE && hit.distance > part->tolerance)
        {
            pl_f4 way = pl_load(&job->input->positions[v]) - pl_from(hit.position);
            bool inside = pl_dot3(way, normal_at(part->topology, job->input->body, &hit)) < 0;
            part->depths[v] = inside ? hit.distance : 0;
        }
    }
}

void pl_inside_part_update(pl_inside_part *part, const pleat_topology *surface, const pleat_measure_input *input,
                           pleat_figures *figures)
{
    figures->inside = 0;
    figures->inside_area = 0;
    figures->depth = 0;
    if (!part->topology)
    {
        return;
    }
    inside_job job = {part, surface, input};
    pleat_bvh_refit(part->bvh, input->body, input->tasks);
    pl_parallel_for(input->tasks, surface->vertex_count, 512, find_depths, &job);
    for (uint32_t v = 0; v < surface->vertex_count; ++v)
    {
        figures->inside += part->depths[v] > 0;
        figures->inside_area += part->depths[v] > 0 ? part->areas[v] : 0;
        figures->depth = fmax(figures->depth, (double)part->depths[v]);
    }
    figures->inside_area = part->area > 0 ? figures->inside_area / part->area : 0;
}

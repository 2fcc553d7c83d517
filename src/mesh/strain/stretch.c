/* Stretch tensors. With the rest triangle laid into a plane, its edges are (a, 0) and (b, c); the deformation gradient
 * is F = [x1 - x0, x2 - x0] D, D the inverse of the matrix of those edges, a 3 x 2 matrix. Principal stretches are the
 * square roots of the eigenvalues of C = F^T F. Bound by bytes: 3 points and 5 numbers in, 8 out. */
#include "mesh/strain/strain.h"

#include "base/parallel.h"
#include "base/vec.h"

#include <string.h>

static void lay_flat(pleat_strain *strain, uint32_t t, const pleat_vec4 *rest)
{
    const uint32_t *corner = strain->triangles + 3 * (size_t)t;
    pl_f4 origin = pl_load(&rest[corner[0]]);
    pl_f4 u = pl_load(&rest[corner[1]]) - origin, v = pl_load(&rest[corner[2]]) - origin;
    double a = sqrt((double)pl_dot3(u, u));
    double doubled_area = (double)pl_length3(pl_cross(u, v));
    double longest = fmax(a, (double)pl_length3(v));
    /* A needle of which one dimension is lost to rounding says nothing about compression. */
    if (!(doubled_area > 1e-6 * longest * longest))
    {
        strain->frames[t] = (pl_rest_frame){0, 0, 0};
        strain->areas[t] = 0;
        return;
    }
    double b = (double)pl_dot3(u, v) / a, c = doubled_area / a;
    strain->frames[t] = (pl_rest_frame){(float)(1 / a), (float)(-b / (a * c)), (float)(1 / c)};
    strain->areas[t] = (float)(0.5 * doubled_area);
}

pleat_result pleat_strain_create(uint32_t vertex_count, const pleat_vec4 *rest, uint32_t triangle_count,
                                 const uint32_t *triangles, const pleat_host *host, pleat_strain **out,
                                 pleat_error *error)
{
    *out = NULL;
    for (uint64_t c = 0; c < 3 * (uint64_t)triangle_count; ++c)
    {
        if (triangles[c] >= vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "corner %u of triangle %u is vertex %u; there are %u",
                           (unsigned)(c % 3), (unsigned)(c / 3), triangles[c], vertex_count);
        }
    }
    pleat_strain *strain = PL_CREATE(pleat_strain, host);
    if (!strain)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the strain");
    }
    pleat_result result = PLEAT_OK;
    pl_arena_init(&strain->arena, &strain->memory);
    strain->vertex_count = vertex_count;
    strain->triangle_count = triangle_count;
    PL_ARENA_NEW_OR_FAIL(strain->triangles, &strain->arena, uint32_t, 3 * (size_t)triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(strain->frames, &strain->arena, pl_rest_frame, triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(strain->areas, &strain->arena, float, triangle_count, error);
    memcpy(strain->triangles, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        lay_flat(strain, t, rest);
    }
    *out = strain;
    return PLEAT_OK;
fail:
    pleat_strain_destroy(strain);
    return result;
}

void pleat_strain_destroy(pleat_strain *strain)
{
    if (strain)
    {
        pl_arena_free(&strain->arena);
        PL_DESTROY(strain);
    }
}

const float *pleat_strain_areas(const pleat_strain *strain)
{
    return strain->areas;
}

/* u, v: edges of the triangle. The directions are put into the plane of two columns: those of F for directions in the
 * triangle as it is now, two perpendicular unit vectors for directions at rest. */
static pleat_stretch stretch_of(const pl_rest_frame *frame, pl_f4 u, pl_f4 v, const pl_f4 *columns)
{
    /* Columns of F. */
    pl_f4 first = u * pl_splat(frame->p), second = u * pl_splat(frame->q) + v * pl_splat(frame->r);
    float c00 = pl_dot3(first, first), c01 = pl_dot3(first, second), c11 = pl_dot3(second, second);
    float middle = 0.5f * (c00 + c11), difference = 0.5f * (c00 - c11);
    float radius = sqrtf(difference * difference + c01 * c01);
    /* The smaller eigenvalue by the determinant: no cancellation when it is near 0. */
    float large = middle + radius;
    pl_f4 normal = pl_cross(first, second);
    float small = large > 0 ? pl_dot3(normal, normal) / large : 0;
    /* The eigenvector of the larger one at angle theta / 2, tan(theta) = c01 / difference. */
    float x = difference + radius, y = c01;
    if (difference < 0)
    {
        x = c01;
        y = radius - difference;
    }
    float length = sqrtf(x * x + y * y);
    bool turned = length > 0;
    x = turned ? x / length : 1;
    y = turned ? y / length : 0;
    pleat_stretch out;
    out.largest = sqrtf(large);
    out.smallest = fminf(sqrtf(small), out.largest);
    first = columns ? columns[0] : first;
    second = columns ? columns[1] : second;
    pl_store3(&out.along, pl_normalize3(first * pl_splat(x) + second * pl_splat(y)));
    pl_store3(&out.across, pl_normalize3(second * pl_splat(x) - first * pl_splat(y)));
    return out;
}

typedef struct strain_job
{
    const pleat_strain *strain;
    const pleat_vec4 *positions;
    const pleat_vec4 *plain; /* where directions are wanted in; NULL: positions */
    pleat_stretch *out;
} strain_job;

/* The first edge of a triangle and the direction across it, unit. */
static void plane_of(const pleat_vec4 *points, const uint32_t corner[3], pl_f4 columns[2])
{
    pl_f4 origin = pl_load(&points[corner[0]]);
    pl_f4 u = pl_load(&points[corner[1]]) - origin, v = pl_load(&points[corner[2]]) - origin;
    columns[0] = pl_normalize3(u);
    columns[1] = pl_normalize3(v - columns[0] * pl_splat(pl_dot3(columns[0], v)));
}

static void update_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const strain_job *job = data;
    (void)worker;
    for (uint32_t t = begin; t < end; ++t)
    {
        const uint32_t *corner = job->strain->triangles + 3 * (size_t)t;
        const pl_rest_frame *frame = &job->strain->frames[t];
        if (frame->p == 0)
        {
            job->out[t] = (pleat_stretch){.smallest = 1, .largest = 1};
            continue;
        }
        pl_f4 origin = pl_load(&job->positions[corner[0]]), columns[2];
        if (job->plain)
        {
            plane_of(job->plain, corner, columns);
        }
        job->out[t] = stretch_of(frame, pl_load(&job->positions[corner[1]]) - origin,
                                 pl_load(&job->positions[corner[2]]) - origin, job->plain ? columns : NULL);
    }
}

void pleat_strain_update(const pleat_strain *strain, const pleat_vec4 *positions, pleat_stretch *out,
                         const pleat_tasks *tasks)
{
    strain_job job = {strain, positions, NULL, out};
    pl_parallel_for(tasks, strain->triangle_count, 2048, update_range, &job);
}

void pleat_strain_update_rest(const pleat_strain *strain, const pleat_vec4 *positions, const pleat_vec4 *rest,
                              pleat_stretch *out, const pleat_tasks *tasks)
{
    strain_job job = {strain, positions, rest, out};
    pl_parallel_for(tasks, strain->triangle_count, 2048, update_range, &job);
}

/* Area-weighted normals. Bound by bytes: each triangle reads three points and writes one vector, each normal reads
 * the vectors of its ring. Two passes, both parallel, no atomics: the order of every sum is fixed. */
#include "pleat/mesh.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"

struct pleat_normals
{
    pl_memory memory;
    uint32_t normal_count;
    uint32_t triangle_count;
    uint32_t *triangles;  /* #T by 3 position indices */
    uint32_t *ring_start; /* #N + 1 */
    uint32_t *ring;       /* triangles around each normal, ascending */
    pleat_vec4 *crosses;  /* #T: twice the area times the face normal */
};

pleat_result pleat_normals_create(uint32_t normal_count, uint32_t triangle_count, const uint32_t *normal_triangles,
                                  const uint32_t *triangles, const pleat_host *host, pleat_normals **out,
                                  pleat_error *error)
{
    *out = NULL;
    if (triangle_count > UINT32_MAX / 3 - 1 || normal_count == UINT32_MAX)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%u triangles, %u normals: too many", triangle_count, normal_count);
    }
    uint32_t corner_count = 3 * triangle_count;
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        if (normal_triangles[c] >= normal_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "corner %u of triangle %u is normal %u; there are %u", c % 3,
                           c / 3, normal_triangles[c], normal_count);
        }
    }
    pleat_normals *normals = PL_CREATE(pleat_normals, host);
    if (!normals)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the normals");
    }
    pleat_result result = PLEAT_OK;
    normals->normal_count = normal_count;
    normals->triangle_count = triangle_count;
    PL_NEW_OR_FAIL(normals->triangles, &normals->memory, uint32_t, corner_count, error);
    PL_NEW_OR_FAIL(normals->ring_start, &normals->memory, uint32_t, (size_t)normal_count + 1, error);
    PL_NEW_OR_FAIL(normals->ring, &normals->memory, uint32_t, corner_count, error);
    PL_NEW_OR_FAIL(normals->crosses, &normals->memory, pleat_vec4, triangle_count, error);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        normals->triangles[c] = triangles[c];
        ++normals->ring_start[normal_triangles[c]];
    }
    for (uint32_t n = 0; n < normal_count; ++n)
    {
        normals->ring_start[n + 1] += normals->ring_start[n];
    }
    for (uint32_t c = corner_count; c-- > 0;)
    {
        normals->ring[--normals->ring_start[normal_triangles[c]]] = c / 3;
    }
    *out = normals;
    return PLEAT_OK;
fail:
    pleat_normals_destroy(normals);
    return result;
}

void pleat_normals_destroy(pleat_normals *normals)
{
    if (!normals)
    {
        return;
    }
    pl_free(&normals->memory, normals->triangles);
    pl_free(&normals->memory, normals->ring_start);
    pl_free(&normals->memory, normals->ring);
    pl_free(&normals->memory, normals->crosses);
    PL_DESTROY(normals);
}

typedef struct normals_job
{
    const pleat_normals *normals;
    const pleat_vec4 *positions;
    pleat_vec4 *out;
    const uint32_t *list; /* of triangles or normals; NULL: all */
} normals_job;

PL_INLINE void cross_range(const normals_job *job, uint32_t begin, uint32_t end, const uint32_t *list)
{
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t t = list ? list[i] : i;
        const uint32_t *corner = job->normals->triangles + 3 * (size_t)t;
        pl_f4 a = pl_load(&job->positions[corner[0]]);
        pl_f4 b = pl_load(&job->positions[corner[1]]);
        pl_f4 c = pl_load(&job->positions[corner[2]]);
        pl_store(&job->normals->crosses[t], pl_cross(b - a, c - a));
    }
}

PL_INLINE void sum_range(const normals_job *job, uint32_t begin, uint32_t end, const uint32_t *list)
{
    for (uint32_t k = begin; k < end; ++k)
    {
        uint32_t n = list ? list[k] : k;
        pl_f4 sum = pl_splat(0);
        for (uint32_t i = job->normals->ring_start[n]; i < job->normals->ring_start[n + 1]; ++i)
        {
            sum += pl_load(&job->normals->crosses[job->normals->ring[i]]);
        }
        sum[3] = 0;
        pl_store(&job->out[n], pl_normalize3(sum));
    }
}

static void cross_triangles(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    cross_range(data, begin, end, NULL);
}

static void cross_some(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const normals_job *job = data;
    (void)worker;
    cross_range(job, begin, end, job->list);
}

static void sum_rings(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    sum_range(data, begin, end, NULL);
}

static void sum_some(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const normals_job *job = data;
    (void)worker;
    sum_range(job, begin, end, job->list);
}

void pleat_normals_update_part(pleat_normals *normals, const pleat_normals_part *part, const pleat_vec4 *positions,
                               pleat_vec4 *out, const pleat_tasks *tasks)
{
    normals_job triangles = {normals, positions, out, part->triangles},
                rings = {normals, positions, out, part->normals};
    pl_parallel_for(tasks, part->triangle_count, 4096, cross_some, &triangles);
    pl_parallel_for(tasks, part->normal_count, 4096, sum_some, &rings);
}

void pleat_normals_update(pleat_normals *normals, const pleat_vec4 *positions, pleat_vec4 *out,
                          const pleat_tasks *tasks)
{
    normals_job job = {normals, positions, out, NULL};
    pl_parallel_for(tasks, normals->triangle_count, 4096, cross_triangles, &job);
    pl_parallel_for(tasks, normals->normal_count, 4096, sum_rings, &job);
}

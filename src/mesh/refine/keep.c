/* The refinement object: what split.c cut, in order, on the patches of curve.c. */
#include "mesh/refine/keep.h"

#include "mesh/refine/channel.h"
#include "mesh/refine/curve.h"
#include "mesh/refine/split.h"

#include "base/parallel.h"

#include <string.h>

/* A new vertex of the surface: a mean of three coarse ones, and controls of the patch that it lies on. */
typedef struct keep_vertex
{
    uint32_t corner[3];
    float share[3];
    uint32_t first_control, control_count;
} keep_vertex;

typedef struct keep
{
    pl_refinement head;
    pl_memory memory;
    pl_arena arena; /* everything below */
    pleat_refined refined;
    uint32_t coarse_count, coarse_triangle_count;
    const uint32_t *coarse_triangles;
    keep_vertex *vertices;
    uint32_t *controls_of; /* by keep_vertex: from first_control on */
    float *control_weights;
    uint32_t control_count;
    pl_control *controls;
    pleat_vec4 *offsets; /* of the controls, of the points at work */
    uint32_t coarse_render, render_count;
    pl_channel_vertex *render; /* new render vertices */
} keep;

/* ---- Use ---- */

static void keep_destroy(pl_refinement *refinement)
{
    keep *r = (keep *)refinement;
    pl_arena_free(&r->arena);
    PL_DESTROY(r);
}

typedef struct points_job
{
    keep *r;
    const pleat_vec4 *in;
    pleat_vec4 *out;
} points_job;

static void make_offsets(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const points_job *job = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        const pl_control *c = &job->r->controls[i];
        pl_store(&job->r->offsets[i], (pl_load(&job->in[c->vertex[0]]) * pl_splat(c->weight[0]) +
                                       pl_load(&job->in[c->vertex[1]]) * pl_splat(c->weight[1])) +
                                          (pl_load(&job->in[c->vertex[2]]) * pl_splat(c->weight[2]) +
                                           pl_load(&job->in[c->vertex[3]]) * pl_splat(c->weight[3])));
    }
}

static void make_points(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const points_job *job = data;
    const keep *r = job->r;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        const keep_vertex *v = &r->vertices[i];
        pl_f4 sum = pl_load(&job->in[v->corner[0]]) * pl_splat(v->share[0]) +
                    pl_load(&job->in[v->corner[1]]) * pl_splat(v->share[1]) +
                    pl_load(&job->in[v->corner[2]]) * pl_splat(v->share[2]);
        for (uint32_t n = v->first_control; n < v->first_control + v->control_count; ++n)
        {
            sum += pl_load(&r->offsets[r->controls_of[n]]) * pl_splat(r->control_weights[n]);
        }
        pl_store(&job->out[r->coarse_count + i], sum);
    }
}

enum
{
    GRAIN = 2048 /* vertices that a worker takes at once: some 50 microseconds */
};

static void keep_points(pl_refinement *refinement, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks)
{
    keep *r = (keep *)refinement;
    points_job job = {r, in, out};
    memcpy(out, in, r->coarse_count * sizeof *out);
    pl_parallel_for(tasks, r->control_count, GRAIN, make_offsets, &job);
    pl_parallel_for(tasks, r->refined.vertex_count - r->coarse_count, GRAIN, make_points, &job);
}

static void mix_rows(const uint32_t corner[3], const float share[3], uint32_t width, const float *in, float *out)
{
    for (uint32_t j = 0; j < width; ++j)
    {
        out[j] = share[0] * in[(size_t)corner[0] * width + j] + share[1] * in[(size_t)corner[1] * width + j] +
                 share[2] * in[(size_t)corner[2] * width + j];
    }
}

static void keep_values(pl_refinement *refinement, pleat_loop_channel channel, uint32_t width, const float *in,
                        float *out)
{
    const keep *r = (const keep *)refinement;
    bool surface = channel == PLEAT_LOOP_SURFACE;
    uint32_t coarse = surface ? r->coarse_count : r->coarse_render;
    uint32_t count = surface ? r->refined.vertex_count - coarse : r->render_count;
    memcpy(out, in, (size_t)coarse * width * sizeof *out);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t *corner = surface ? r->vertices[i].corner : r->render[i].corner;
        const float *share = surface ? r->vertices[i].share : r->render[i].share;
        mix_rows(corner, share, width, in, out + (size_t)(coarse + i) * width);
    }
}

enum
{
    MOST_WIDTH = 8,
    MOST_INFLUENCES = 3 * MOST_WIDTH
};

/* The mean of three rows, the largest weights kept; of equal ones the joint that came first. */
static void mix_influences(const keep_vertex *v, uint32_t width, const uint16_t *in_joints, const float *in_weights,
                           uint16_t *joints, float *weights)
{
    uint16_t joint[MOST_INFLUENCES];
    float weight[MOST_INFLUENCES], sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3 * width; ++k)
    {
        size_t row = (size_t)v->corner[k / width] * width + k % width;
        uint32_t at = 0;
        while (at < count && joint[at] != in_joints[row])
        {
            ++at;
        }
        float share = v->share[k / width] * in_weights[row];
        weight[at] = at < count ? weight[at] + share : share;
        joint[at] = in_joints[row];
        count += at == count;
    }
    for (uint32_t k = 0; k < width; ++k)
    {
        uint32_t best = 0;
        for (uint32_t j = 1; j < count; ++j)
        {
            best = weight[j] > weight[best] ? j : best;
        }
        joints[k] = weight[best] > 0 ? joint[best] : 0;
        weights[k] = weight[best];
        sum += weight[best];
        weight[best] = 0;
    }
    for (uint32_t k = 0; k < width && sum > 0; ++k)
    {
        weights[k] /= sum;
    }
}

static pleat_result keep_weights(pl_refinement *refinement, uint32_t width, const uint16_t *in_joints,
                                 const float *in_weights, uint16_t *out_joints, float *out_weights, pleat_error *error)
{
    const keep *r = (const keep *)refinement;
    if (width == 0 || width > MOST_WIDTH)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%u influences a vertex; there can be 1 to %d", width, MOST_WIDTH);
    }
    memcpy(out_joints, in_joints, (size_t)r->coarse_count * width * sizeof *out_joints);
    memcpy(out_weights, in_weights, (size_t)r->coarse_count * width * sizeof *out_weights);
    for (uint32_t i = 0; i < r->refined.vertex_count - r->coarse_count; ++i)
    {
        size_t row = (size_t)(r->coarse_count + i) * width;
        mix_influences(&r->vertices[i], width, in_joints, in_weights, out_joints + row, out_weights + row);
    }
    return PLEAT_OK;
}

static pleat_result keep_channel(pl_refinement *refinement, uint32_t count, const uint32_t *triangles, uint32_t *out,
                                 uint32_t *out_count, pleat_error *error)
{
    keep *r = (keep *)refinement;
    uint32_t fresh;
    pl_channel_desc desc = {&r->refined, r->coarse_count, r->coarse_triangles, count, triangles};
    PL_TRY(pl_channel_make(&desc, &r->memory, out, &fresh, NULL, NULL, error));
    *out_count = count + fresh;
    return PLEAT_OK;
}

static const pl_refinement_type keep_type = {keep_destroy, keep_points, keep_values, keep_weights, keep_channel};

/* ---- Making ---- */

/* The order of triangles: by coarse triangle, else as they were made. new_of: split triangle -> refined. */
static void order_triangles(const pl_split *split, uint32_t *start, uint32_t *order)
{
    uint32_t coarse_count = split->desc->topology->triangle_count;
    for (uint32_t t = 0; t < split->triangle_count; ++t)
    {
        ++start[split->triangles[t].coarse + 1];
    }
    for (uint32_t t = 0; t < coarse_count; ++t)
    {
        start[t + 1] += start[t];
    }
    for (uint32_t t = 0; t < split->triangle_count; ++t)
    {
        order[start[split->triangles[t].coarse]++] = t;
    }
}

/* The refined mesh of what was split: coarse vertices first, new ones as the triangles come to them. */
static pleat_result take_mesh(keep *r, const pl_split *split, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &r->arena;
    uint32_t *start = NULL, *order = NULL, *renamed = NULL, *triangles, *coarse, *vertex_triangle;
    uint32_t next = r->coarse_count;
    uint8_t *levels;
    float *barycentric;
    PL_NEW_OR_FAIL(start, &r->memory, uint32_t, (size_t)r->coarse_triangle_count + 1, error);
    PL_NEW_OR_FAIL(order, &r->memory, uint32_t, split->triangle_count, error);
    PL_NEW_OR_FAIL(renamed, &r->memory, uint32_t, split->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(triangles, arena, uint32_t, 3 * (size_t)split->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(coarse, arena, uint32_t, split->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(levels, arena, uint8_t, split->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(vertex_triangle, arena, uint32_t, split->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(barycentric, arena, float, 3 * (size_t)split->vertex_count, error);
    order_triangles(split, start, order);
    for (uint32_t v = 0; v < split->vertex_count; ++v)
    {
        renamed[v] = v < r->coarse_count ? v : PLEAT_NONE;
    }
    for (uint32_t t = 0; t < split->triangle_count; ++t)
    {
        const pl_split_triangle *from = &split->triangles[order[t]];
        coarse[t] = from->coarse;
        levels[t] = (uint8_t)((from->depth + 1) / 2);
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t *name = &renamed[from->vertex[k]];
            *name = *name == PLEAT_NONE ? next++ : *name;
            triangles[3 * (size_t)t + k] = *name;
        }
    }
    for (uint32_t v = 0; v < split->vertex_count; ++v)
    {
        vertex_triangle[renamed[v]] = split->vertices[v].coarse;
        memcpy(barycentric + 3 * (size_t)renamed[v], split->vertices[v].barycentric, 3 * sizeof *barycentric);
    }
    r->refined = (pleat_refined){.vertex_count = split->vertex_count,
                                 .triangle_count = split->triangle_count,
                                 .triangles = triangles,
                                 .coarse_triangle = coarse,
                                 .triangle_level = levels,
                                 .vertex_triangle = vertex_triangle,
                                 .vertex_barycentric = barycentric};
fail:
    pl_free(&r->memory, renamed);
    pl_free(&r->memory, order);
    pl_free(&r->memory, start);
    return result;
}

/* Where new vertices lie: their corners, and the controls of their patches. */
static pleat_result take_patches(keep *r, const pl_curve *curve, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t fresh = r->refined.vertex_count - r->coarse_count, next = 0;
    PL_ARENA_NEW_OR_FAIL(r->vertices, &r->arena, keep_vertex, fresh, error);
    PL_ARENA_NEW_OR_FAIL(r->controls_of, &r->arena, uint32_t, 6 * (size_t)fresh, error);
    PL_ARENA_NEW_OR_FAIL(r->control_weights, &r->arena, float, 6 * (size_t)fresh, error);
    PL_ARENA_NEW_OR_FAIL(r->controls, &r->arena, pl_control, curve->control_count, error);
    PL_ARENA_NEW_OR_FAIL(r->offsets, &r->arena, pleat_vec4, curve->control_count, error);
    r->control_count = curve->control_count;
    memcpy(r->controls, curve->controls, curve->control_count * sizeof *r->controls);
    for (uint32_t i = 0; i < fresh; ++i)
    {
        keep_vertex *v = &r->vertices[i];
        uint32_t home = r->refined.vertex_triangle[r->coarse_count + i];
        const float *share = r->refined.vertex_barycentric + 3 * (size_t)(r->coarse_count + i);
        memcpy(v->corner, r->coarse_triangles + 3 * (size_t)home, sizeof v->corner);
        memcpy(v->share, share, sizeof v->share);
        v->first_control = next;
        v->control_count = pl_curve_at(curve, home, share, r->controls_of + next, r->control_weights + next);
        next += v->control_count;
    }
fail:
    return result;
}

static pleat_result curve_patches(keep *r, const pl_keep_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint8_t *marked = NULL;
    pl_curve curve = {0};
    PL_NEW_OR_FAIL(marked, &r->memory, uint8_t, r->coarse_triangle_count, error);
    for (uint32_t v = r->coarse_count; v < r->refined.vertex_count; ++v)
    {
        marked[r->refined.vertex_triangle[v]] = 1;
    }
    result = pl_curve_make(desc, marked, &r->memory, &curve, error);
    if (result == PLEAT_OK)
    {
        result = take_patches(r, &curve, error);
    }
    pl_curve_free(&r->memory, &curve);
fail:
    pl_free(&r->memory, marked);
    return result;
}

/* Render vertices, each with the surface vertex that it stands at. */
static pleat_result take_render(keep *r, const pl_keep_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t *triangles, *render_vertex;
    pl_channel_desc channel = {&r->refined, r->coarse_count, r->coarse_triangles, desc->render_count,
                               desc->render_triangles};
    r->coarse_render = desc->render_count;
    PL_ARENA_NEW_OR_FAIL(triangles, &r->arena, uint32_t, 3 * (size_t)r->refined.triangle_count, error);
    PL_TRY(pl_channel_make(&channel, &r->memory, triangles, &r->render_count, &r->arena, &r->render, error));
    PL_ARENA_NEW_OR_FAIL(render_vertex, &r->arena, uint32_t, (size_t)desc->render_count + r->render_count, error);
    for (uint32_t v = 0; v < desc->render_count; ++v)
    {
        render_vertex[v] = desc->render_vertex ? desc->render_vertex[v] : PLEAT_NONE;
    }
    for (uint32_t c = 0; c < 3 * r->coarse_triangle_count && !desc->render_vertex; ++c)
    {
        render_vertex[desc->render_triangles[c]] = r->coarse_triangles[c];
    }
    for (uint32_t i = 0; i < r->render_count; ++i)
    {
        render_vertex[desc->render_count + i] = r->render[i].vertex;
    }
    r->refined.render_count = desc->render_count + r->render_count;
    r->refined.render_triangles = triangles;
    r->refined.render_vertex = render_vertex;
fail:
    return result;
}

static pleat_result make(keep *r, const pl_keep_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t *coarse;
    r->coarse_count = desc->topology->vertex_count;
    r->coarse_triangle_count = desc->topology->triangle_count;
    PL_ARENA_NEW_OR_FAIL(coarse, &r->arena, uint32_t, 3 * (size_t)r->coarse_triangle_count, error);
    memcpy(coarse, desc->topology->triangles, 3 * (size_t)r->coarse_triangle_count * sizeof *coarse);
    r->coarse_triangles = coarse;
    pl_split split;
    result = pl_split_run(desc, &r->memory, &split, error);
    if (result == PLEAT_OK)
    {
        result = take_mesh(r, &split, error);
    }
    pl_split_free(&split);
    PL_TRY(result);
    PL_TRY(curve_patches(r, desc, error));
    return desc->render_count ? take_render(r, desc, error) : PLEAT_OK;
fail:
    return result;
}

pleat_result pl_refine_keep(const pl_keep_desc *desc, const pleat_host *host, pl_refinement **out, pleat_error *error)
{
    *out = NULL;
    keep *r = PL_CREATE(keep, host);
    if (!r)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for a refinement");
    }
    pl_arena_init(&r->arena, &r->memory);
    pleat_result result = make(r, desc, error);
    if (result != PLEAT_OK)
    {
        keep_destroy(&r->head);
        return result;
    }
    r->head = (pl_refinement){&keep_type, &r->refined};
    *out = &r->head;
    return PLEAT_OK;
}

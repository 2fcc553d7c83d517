/* Loop subdivision as a refinement: a paper's way, which rounds and shrinks. */
#include "mesh/refine/refinement.h"

#include "base/memory.h"

#include <string.h>

typedef struct by_loop
{
    pl_refinement head;
    pl_memory memory;
    pleat_host host;
    pleat_loop_desc desc;
    pleat_loop *loop;
} by_loop;

static void by_loop_destroy(pl_refinement *refinement)
{
    by_loop *r = (by_loop *)refinement;
    pleat_loop_destroy(r->loop);
    PL_DESTROY(r);
}

static void by_loop_points(pl_refinement *refinement, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks)
{
    pleat_loop_points(((by_loop *)refinement)->loop, PLEAT_LOOP_SURFACE, in, out, tasks);
}

static void by_loop_values(pl_refinement *refinement, pleat_loop_channel channel, uint32_t width, const float *in,
                           float *out)
{
    pleat_loop_values(((by_loop *)refinement)->loop, channel, width, in, out, NULL);
}

static pleat_result by_loop_weights(pl_refinement *refinement, uint32_t width, const uint16_t *in_joints,
                                    const float *in_weights, uint16_t *out_joints, float *out_weights,
                                    pleat_error *error)
{
    return pleat_loop_weights(((by_loop *)refinement)->loop, width, in_joints, in_weights, width, out_joints,
                              out_weights, error);
}

/* The same refinement once more, with the channel in the place of the render vertices. */
static pleat_result by_loop_channel(pl_refinement *refinement, uint32_t count, const uint32_t *triangles, uint32_t *out,
                                    uint32_t *out_count, pleat_error *error)
{
    by_loop *r = (by_loop *)refinement;
    pleat_loop *loop;
    pleat_loop_desc desc = r->desc;
    desc.render_count = count;
    desc.render_triangles = triangles;
    desc.render_vertex = NULL;
    PL_TRY(pleat_loop_create(&desc, &r->host, &loop, error));
    const pleat_refined *refined = pleat_loop_refined(loop);
    memcpy(out, refined->render_triangles, 3 * (size_t)refined->triangle_count * sizeof *out);
    *out_count = refined->render_count;
    pleat_loop_destroy(loop);
    return PLEAT_OK;
}

static const pl_refinement_type by_loop_type = {by_loop_destroy, by_loop_points, by_loop_values, by_loop_weights,
                                                by_loop_channel};

pleat_result pl_refine_by_loop(const pleat_loop_desc *desc, const pleat_host *host, pl_refinement **out,
                               pleat_error *error)
{
    *out = NULL;
    by_loop *r = PL_CREATE(by_loop, host);
    if (!r)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for a refinement");
    }
    r->host = host ? *host : pleat_host_default();
    r->desc = *desc;
    pleat_result result = pleat_loop_create(desc, host, &r->loop, error);
    if (result != PLEAT_OK)
    {
        PL_DESTROY(r);
        return result;
    }
    r->head = (pl_refinement){&by_loop_type, pleat_loop_refined(r->loop)};
    *out = &r->head;
    return PLEAT_OK;
}

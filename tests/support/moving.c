#include "support/moving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t largest_node(const pleat_model *model)
{
    uint32_t best = PLEAT_NONE, most = 0;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t mesh = model->nodes[n].mesh;
        uint32_t count = mesh == PLEAT_NONE ? 0 : pleat_mesh_triangle_count(&model->meshes[mesh]);
        if (count > most)
        {
            most = count;
            best = n;
        }
    }
    return best;
}

static support_moving open_actor(support_actor actor, const char *node, const char *clip)
{
    support_moving m = {.actor = actor};
    const pleat_model *model = actor.model;
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    m.clip = &model->clips[support_clip_named(model, clip)];
    desc.model = model;
    desc.node = node ? support_node_named(model, node) : largest_node(model);
    assert_int_equal(pleat_stack_create(&desc, NULL, &m.stack, NULL), PLEAT_OK);
    assert_int_equal(pleat_pose_create(model, NULL, &m.pose, NULL), PLEAT_OK);
    const pleat_stack_shape *shape = pleat_stack_get_shape(m.stack);
    m.vertex_count = shape->surface_count;
    m.triangle_count = shape->triangle_count;
    m.triangles = shape->surface_triangles;
    m.positions = malloc(m.vertex_count * sizeof *m.positions);
    assert_non_null(m.positions);
    const pleat_vec3 *p = support_moving_at(&m, 0);
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t v = 0; v < m.vertex_count; ++v)
    {
        const float x[3] = {p[v].x, p[v].y, p[v].z};
        for (int k = 0; k < 3; ++k)
        {
            low[k] = fminf(low[k], x[k]);
            high[k] = fmaxf(high[k], x[k]);
            m.height = fmaxf(m.height, high[k] - low[k]);
        }
    }
    return m;
}

support_moving support_moving_make(const char *name, const char *node, const char *clip)
{
    return open_actor(support_actor_make(name), node, clip);
}

support_moving support_moving_load(const char *path, const char *node, const char *clip)
{
    return open_actor(support_actor_load(path), node, clip);
}

void support_moving_drop(support_moving *m)
{
    free(m->positions);
    pleat_pose_destroy(m->pose);
    pleat_stack_destroy(m->stack);
    support_actor_drop(&m->actor);
}

const pleat_vec3 *support_moving_at(support_moving *m, double time)
{
    double length = (double)(m->clip->end - m->clip->start);
    pleat_stack_input input = {.pose = m->pose};
    pleat_pose_sample(m->pose, m->clip, m->clip->start + (float)(length > 0 ? fmod(time, length) : 0));
    pleat_stack_update(m->stack, &input);
    const pleat_vec4 *p = pleat_stack_positions(m->stack);
    for (uint32_t v = 0; v < m->vertex_count; ++v)
    {
        m->positions[v] = (pleat_vec3){p[v].x, p[v].y, p[v].z};
    }
    return m->positions;
}

pleat_live *support_moving_live(const support_moving *m, const pleat_live_options *options, const pleat_host *host)
{
    pleat_live_desc desc = pleat_live_desc_default();
    pleat_live *live = NULL;
    desc.vertex_count = m->vertex_count;
    desc.triangle_count = m->triangle_count;
    desc.triangles = m->triangles;
    desc.options = options ? *options : desc.options;
    assert_int_equal(pleat_live_create(&desc, host, &live, NULL), PLEAT_OK);
    return live;
}

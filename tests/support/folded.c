#include "support/folded.h"

#include <math.h>
#include <string.h>

static support_actor make_actor(const char *name, const pleat_make_options *options)
{
    support_actor a = {0};
    pleat_error error = {0};
    if (pleat_make(name, options, NULL, &a.made, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    a.model = pleat_made_model(a.made);
    return a;
}

support_actor support_actor_make(const char *name)
{
    pleat_make_options options = pleat_make_options_default();
    return make_actor(name, &options);
}

support_actor support_actor_arm(uint32_t around, uint32_t along)
{
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = around ? around : options.arm_around;
    options.arm_along = along ? along : options.arm_along;
    return make_actor("arm", &options);
}

support_actor support_actor_load(const char *path)
{
    support_actor a = {0};
    pleat_error error = {0};
    if (pleat_asset_load(path, NULL, NULL, &a.asset, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    a.model = pleat_asset_model(a.asset);
    return a;
}

void support_actor_drop(support_actor *a)
{
    pleat_made_destroy(a->made);
    pleat_asset_destroy(a->asset);
}

uint32_t support_clip_named(const pleat_model *model, const char *name)
{
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        if (strcmp(model->clips[c].name, name) == 0)
        {
            return c;
        }
    }
    fail_msg("no clip %s", name);
    return 0;
}

uint32_t support_node_named(const pleat_model *model, const char *part)
{
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh != PLEAT_NONE && (!*part || strstr(model->nodes[n].name, part)))
        {
            return n;
        }
    }
    fail_msg("no node %s", part);
    return 0;
}

support_run support_run_make(uint32_t clip, uint32_t first, uint32_t last)
{
    return (support_run){pleat_folds_options_default(), PLEAT_NONE, clip, first, last, 30, NULL, PLEAT_LBS, NULL};
}

pleat_bake *support_run_bake(const support_actor *a, const support_run *r)
{
    pleat_bake *bake = NULL;
    pleat_error error = {0};
    pleat_layer_desc layer = {&pleat_folds_layer, &r->options};
    pleat_bake_desc desc = pleat_bake_desc_default(a->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.node_count = r->node != PLEAT_NONE;
    desc.nodes = &r->node;
    desc.clip = r->clip;
    desc.fps = r->fps;
    desc.first_frame = r->first;
    desc.last_frame = r->last;
    desc.skinning = r->skinning;
    desc.mask = r->mask;
    desc.layer_count = 1;
    desc.layers = &layer;
    if (pleat_bake_create(&desc, r->host, &bake, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return bake;
}

pleat_bake *support_run_bake_plain(const support_actor *a, const support_run *r)
{
    support_run plain = *r;
    plain.options.strength = 0;
    return support_run_bake(a, &plain);
}

const pleat_vec4 *support_frame(pleat_bake *bake, uint32_t frame)
{
    assert_int_equal(pleat_bake_frame(bake, frame, NULL), PLEAT_OK);
    return pleat_stack_positions(pleat_bake_stack(bake, 0));
}

const pleat_stack_shape *support_shape_of(const pleat_bake *bake)
{
    return pleat_stack_get_shape(pleat_bake_stack(bake, 0));
}

double support_figure(const pleat_bake *bake, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; pleat_stack_figure(pleat_bake_stack(bake, 0), 0, i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    fail_msg("no figure %s", wanted);
    return 0;
}

double support_apart(pleat_vec4 a, pleat_vec4 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

double support_arm_angle(uint32_t frame)
{
    return 150 * (0.5 - 0.5 * cos(2 * 3.14159265358979 * frame / 120));
}

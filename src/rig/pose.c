/* A pose: the nodes' rest state, overwritten by a clip's channels, and the world matrices that follow. */
#include "pleat/rig.h"

#include "base/memory.h"
#include "base/vec.h"

struct pleat_pose
{
    pl_memory memory;
    const pleat_model *model;
    pleat_trs *rests;     /* node_count; a node with a matrix: its T R S, without the shear */
    pleat_trs *locals;    /* node_count, after sampling */
    bool *animated;       /* node_count: a channel moves the node, so locals counts even if it has a matrix */
    pleat_affine *worlds; /* node_count */
    size_t weight_count;
    float *rest_weights;  /* weight_count, node after node */
    float *weights;       /* weight_count, after sampling */
    float **node_weights; /* node_count: into weights, or NULL */
    pleat_vec3 origin;    /* of the worlds, from the next sample on */
};

/* Morph targets of a node's mesh. */
static uint32_t target_count(const pleat_model *model, uint32_t node)
{
    uint32_t mesh = model->nodes[node].mesh;
    return mesh == PLEAT_NONE ? 0 : model->meshes[mesh].target_count;
}

/* Over all nodes; SIZE_MAX, which no allocation passes, if the sum does not fit. */
static size_t count_weights(const pleat_model *model)
{
    size_t count = 0;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t targets = target_count(model, n);
        count = count > SIZE_MAX - targets ? SIZE_MAX : count + targets;
    }
    return count;
}

static void fill_rests(pleat_pose *pose)
{
    const pleat_model *model = pose->model;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        const pleat_node *node = &model->nodes[n];
        pose->rests[n] = node->has_matrix ? pl_affine_to_trs(&node->local_matrix) : node->local;
        pose->rests[n].rotation = pl_quat_to(pl_quat_normalize(pl_quat_load(&pose->rests[n].rotation)));
    }
}

/* A node's own weights come before its mesh's; without either they are 0. */
static void fill_rest_weights(pleat_pose *pose)
{
    const pleat_model *model = pose->model;
    size_t begin = 0;
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        uint32_t count = target_count(model, n);
        if (count == 0)
        {
            continue;
        }
        const float *own = model->nodes[n].weights;
        const float *weights = own ? own : model->meshes[model->nodes[n].mesh].weights;
        if (weights)
        {
            memcpy(pose->rest_weights + begin, weights, count * sizeof *weights);
        }
        pose->node_weights[n] = pose->weights + begin;
        begin += count;
    }
}

pleat_result pleat_pose_create(const pleat_model *model, const pleat_host *host, pleat_pose **pose_out,
                               pleat_error *error)
{
    *pose_out = NULL;
    pleat_result result = PLEAT_OK;
    pleat_pose *pose = PL_CREATE(pleat_pose, host);
    if (!pose)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "no memory for a pose");
    }
    pose->model = model;
    pose->weight_count = count_weights(model);
    PL_NEW_OR_FAIL(pose->rests, &pose->memory, pleat_trs, model->node_count, error);
    PL_NEW_OR_FAIL(pose->locals, &pose->memory, pleat_trs, model->node_count, error);
    PL_NEW_OR_FAIL(pose->animated, &pose->memory, bool, model->node_count, error);
    PL_NEW_OR_FAIL(pose->worlds, &pose->memory, pleat_affine, model->node_count, error);
    PL_NEW_OR_FAIL(pose->rest_weights, &pose->memory, float, pose->weight_count, error);
    PL_NEW_OR_FAIL(pose->weights, &pose->memory, float, pose->weight_count, error);
    PL_NEW_OR_FAIL(pose->node_weights, &pose->memory, float *, model->node_count, error);
    fill_rests(pose);
    fill_rest_weights(pose);
    pleat_pose_sample(pose, NULL, 0);
    *pose_out = pose;
    return PLEAT_OK;
fail:
    pleat_pose_destroy(pose);
    return result;
}

void pleat_pose_destroy(pleat_pose *pose)
{
    if (!pose)
    {
        return;
    }
    pl_free(&pose->memory, pose->rests);
    pl_free(&pose->memory, pose->locals);
    pl_free(&pose->memory, pose->animated);
    pl_free(&pose->memory, pose->worlds);
    pl_free(&pose->memory, pose->rest_weights);
    pl_free(&pose->memory, pose->weights);
    pl_free(&pose->memory, pose->node_weights);
    PL_DESTROY(pose);
}

static void apply_channel(pleat_pose *pose, const pleat_channel *channel, float time)
{
    pleat_trs *local = &pose->locals[channel->node];
    switch (channel->path)
    {
    case PLEAT_TRANSLATION:
        pleat_channel_sample(channel, time, &local->translation.x);
        break;
    case PLEAT_ROTATION:
        pleat_channel_sample(channel, time, &local->rotation.x);
        break;
    case PLEAT_SCALE:
        pleat_channel_sample(channel, time, &local->scale.x);
        break;
    case PLEAT_WEIGHTS:
        pleat_channel_sample(channel, time, pose->node_weights[channel->node]);
        return; /* moves no node */
    }
    pose->animated[channel->node] = true;
}

static void compute_worlds(pleat_pose *pose)
{
    const pleat_model *model = pose->model;
    for (uint32_t i = 0; i < model->node_count; ++i)
    {
        uint32_t n = model->node_order[i];
        const pleat_node *node = &model->nodes[n];
        pleat_affine local =
            node->has_matrix && !pose->animated[n] ? node->local_matrix : pl_affine_from_trs(&pose->locals[n]);
        if (node->parent == PLEAT_NONE)
        {
            local.row[0][3] -= pose->origin.x;
            local.row[1][3] -= pose->origin.y;
            local.row[2][3] -= pose->origin.z;
        }
        pose->worlds[n] = node->parent == PLEAT_NONE ? local : pl_affine_mul(&pose->worlds[node->parent], &local);
    }
}

void pleat_pose_set_origin(pleat_pose *pose, pleat_vec3 origin)
{
    pose->origin = origin;
}

pleat_vec3 pleat_pose_origin(const pleat_pose *pose)
{
    return pose->origin;
}

void pleat_pose_sample(pleat_pose *pose, const pleat_clip *clip, float time)
{
    size_t node_count = pose->model->node_count;
    memcpy(pose->locals, pose->rests, node_count * sizeof *pose->locals);
    memset(pose->animated, 0, node_count * sizeof *pose->animated);
    memcpy(pose->weights, pose->rest_weights, pose->weight_count * sizeof *pose->weights);
    for (uint32_t c = 0; clip && c < clip->channel_count; ++c)
    {
        apply_channel(pose, &clip->channels[c], time);
    }
    compute_worlds(pose);
}

const pleat_affine *pleat_pose_worlds(const pleat_pose *pose)
{
    return pose->worlds;
}

const float *pleat_pose_weights(const pleat_pose *pose, uint32_t node)
{
    return pose->node_weights[node];
}

pleat_trs pleat_pose_local(const pleat_pose *pose, uint32_t node)
{
    return pose->locals[node];
}

void pleat_pose_joints(const pleat_pose *pose, uint32_t skin, pleat_affine *out)
{
    const pleat_skin *s = &pose->model->skins[skin];
    for (uint32_t j = 0; j < s->joint_count; ++j)
    {
        out[j] = pl_affine_mul(&pose->worlds[s->joints[j]], &s->inverse_binds[j]);
    }
}

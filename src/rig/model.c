/* The rules that every model keeps; see pleat/model.h. */
#include "pleat/model.h"

#include "base/fail.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

pleat_clip pleat_clip_default(void)
{
    pleat_clip clip = {0};
    clip.name = "";
    clip.points.node = PLEAT_NONE;
    clip.points.fps = 30;
    return clip;
}

pleat_node pleat_node_default(void)
{
    pleat_node node = {0};
    node.name = "";
    node.parent = PLEAT_NONE;
    node.mesh = PLEAT_NONE;
    node.skin = PLEAT_NONE;
    node.local = pl_trs_identity();
    node.local_matrix = pl_affine_identity();
    return node;
}

uint32_t pleat_mesh_vertex_count(const pleat_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        count += mesh->primitives[p].vertex_count;
    }
    return count;
}

uint32_t pleat_mesh_triangle_count(const pleat_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        count += mesh->primitives[p].triangle_count;
    }
    return count;
}

/* NaN fails. */
static bool is_place(pleat_vec3 p)
{
    return fabsf(p.x) <= PLEAT_FARTHEST && fabsf(p.y) <= PLEAT_FARTHEST && fabsf(p.z) <= PLEAT_FARTHEST;
}

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        if (!isfinite(values[i]))
        {
            return false;
        }
    }
    return true;
}

static pleat_result check_influences(const pleat_primitive *primitive, uint32_t joint_count, const char *where,
                                     pleat_error *error)
{
    uint32_t width = primitive->influence_count;
    if (width != 0 && width != 4 && width != 8)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: influence_count is %u; it can be 0, 4 or 8", where, width);
    }
    if (width && (!primitive->joints || !primitive->weights))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: joints or weights are missing", where);
    }
    for (uint32_t v = 0; v < primitive->vertex_count && width; ++v)
    {
        float sum = 0;
        for (uint32_t i = 0; i < width; ++i)
        {
            float weight = primitive->weights[(size_t)v * width + i];
            uint32_t joint = primitive->joints[(size_t)v * width + i];
            if (!(weight >= 0) || !isfinite(weight))
            {
                return pl_fail(error, PLEAT_BAD_DATA, "%s: weight %u of vertex %u is %g; it must be at least 0", where,
                               i, v, (double)weight);
            }
            if (joint >= joint_count)
            {
                return pl_fail(error, PLEAT_BAD_DATA, "%s: joint %u of vertex %u is %u; the skin has %u joints", where,
                               i, v, joint, joint_count);
            }
            sum += weight;
        }
        if (!(fabsf(sum - 1) <= 1e-3f))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%s: the weights of vertex %u add up to %g; they must add up to 1",
                           where, v, (double)sum);
        }
    }
    return PLEAT_OK;
}

static pleat_result check_primitive(const pleat_model *model, const pleat_mesh *mesh, const pleat_primitive *primitive,
                                    const char *where, pleat_error *error)
{
    uint32_t vertex_count = primitive->vertex_count;
    if (vertex_count && !primitive->positions)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: positions are missing", where);
    }
    if (primitive->triangle_count > UINT32_MAX / 3 || (primitive->triangle_count && !primitive->triangles))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: %u triangles without a list of them", where,
                       primitive->triangle_count);
    }
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        pleat_vec3 p = primitive->positions[v];
        if (!is_place(p))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%s: position %u is (%g, %g, %g); it must be finite, up to %g", where,
                           v, (double)p.x, (double)p.y, (double)p.z, (double)PLEAT_FARTHEST);
        }
    }
    for (uint32_t c = 0; c < 3 * primitive->triangle_count; ++c)
    {
        if (primitive->triangles[c] >= vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%s: index %u is %u; there are %u vertices", where, c,
                           primitive->triangles[c], vertex_count);
        }
    }
    if (primitive->material != PLEAT_NONE && primitive->material >= model->material_count)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: material %u; there are %u", where, primitive->material,
                       model->material_count);
    }
    for (uint32_t t = 0; primitive->targets && t < mesh->target_count; ++t)
    {
        const pleat_target *target = &primitive->targets[t];
        if ((target->positions && !all_finite(&target->positions[0].x, 3 * (size_t)vertex_count)) ||
            (target->normals && !all_finite(&target->normals[0].x, 3 * (size_t)vertex_count)))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%s: morph target %u holds a number that is not finite", where, t);
        }
    }
    return PLEAT_OK;
}

static pleat_result check_meshes(const pleat_model *model, pleat_error *error)
{
    char where[160];
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        const pleat_mesh *mesh = &model->meshes[m];
        uint64_t vertices = 0;
        for (uint32_t p = 0; p < mesh->primitive_count; ++p)
        {
            snprintf(where, sizeof where, "mesh %u (%.60s), primitive %u", m, mesh->name, p);
            PL_TRY(check_primitive(model, mesh, &mesh->primitives[p], where, error));
            vertices += mesh->primitives[p].vertex_count;
        }
        if (vertices > UINT32_MAX / 4)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "mesh %u has %llu vertices; at most %u are possible", m,
                           (unsigned long long)vertices, UINT32_MAX / 4);
        }
    }
    return PLEAT_OK;
}

static pleat_result check_skins(const pleat_model *model, pleat_error *error)
{
    for (uint32_t s = 0; s < model->skin_count; ++s)
    {
        const pleat_skin *skin = &model->skins[s];
        if (skin->joint_count == 0 || skin->joint_count > UINT16_MAX)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "skin %u has %u joints; 1 to %u are possible", s, skin->joint_count,
                           UINT16_MAX);
        }
        for (uint32_t j = 0; j < skin->joint_count; ++j)
        {
            if (skin->joints[j] >= model->node_count)
            {
                return pl_fail(error, PLEAT_BAD_DATA, "skin %u, joint %u is node %u; there are %u nodes", s, j,
                               skin->joints[j], model->node_count);
            }
            if (!all_finite(&skin->inverse_binds[j].row[0][0], 12))
            {
                return pl_fail(error, PLEAT_BAD_DATA, "skin %u: inverse bind matrix %u is not finite", s, j);
            }
        }
    }
    return PLEAT_OK;
}

/* node_order is a permutation with parents first: then the tree has no cycle. Looked at for a block of nodes at a time,
 * so that no memory is needed and a long chain of nodes takes no longer than a bush. */
static pleat_result check_order(const pleat_model *model, pleat_error *error)
{
    enum
    {
        BLOCK = 2048
    };
    uint32_t places[BLOCK];
    for (uint32_t first = 0; first < model->node_count; first += BLOCK)
    {
        uint32_t count = model->node_count - first < BLOCK ? model->node_count - first : BLOCK;
        memset(places, 0xff, sizeof places);
        for (uint32_t i = 0; i < model->node_count; ++i)
        {
            uint32_t n = model->node_order[i];
            uint32_t parent = n < model->node_count ? model->nodes[n].parent : PLEAT_NONE;
            if (n >= model->node_count || (n - first < count && places[n - first] != PLEAT_NONE))
            {
                return pl_fail(error, PLEAT_BAD_DATA, "node_order[%u] is %u; it must have each of %u nodes once", i, n,
                               model->node_count);
            }
            if (parent - first < count && places[parent - first] == PLEAT_NONE)
            {
                return pl_fail(error, PLEAT_BAD_DATA,
                               "node_order[%u] is %u, whose parent %u comes later or is below it", i, n, parent);
            }
            if (n - first < count)
            {
                places[n - first] = i;
            }
        }
    }
    return PLEAT_OK;
}

static pleat_result check_nodes(const pleat_model *model, pleat_error *error)
{
    char where[160];
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        const pleat_node *node = &model->nodes[n];
        if (node->parent != PLEAT_NONE && node->parent >= model->node_count)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "node %u: parent %u; there are %u nodes", n, node->parent,
                           model->node_count);
        }
        if ((node->mesh != PLEAT_NONE && node->mesh >= model->mesh_count) ||
            (node->skin != PLEAT_NONE && node->skin >= model->skin_count))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "node %u: mesh or skin out of range", n);
        }
        if (!all_finite(&node->local.translation.x, 3) || !all_finite(&node->local.rotation.x, 4) ||
            !all_finite(&node->local.scale.x, 3) || !all_finite(&node->local_matrix.row[0][0], 12))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "node %u: its transform is not finite", n);
        }
        if (node->mesh == PLEAT_NONE || node->skin == PLEAT_NONE)
        {
            continue;
        }
        const pleat_mesh *mesh = &model->meshes[node->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; ++p)
        {
            snprintf(where, sizeof where, "mesh %u (%.60s), primitive %u", node->mesh, mesh->name, p);
            PL_TRY(check_influences(&mesh->primitives[p], model->skins[node->skin].joint_count, where, error));
        }
    }
    PL_TRY(check_order(model, error));
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        if (model->scene_nodes[i] >= model->node_count)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "scene_nodes[%u] is %u; there are %u nodes", i, model->scene_nodes[i],
                           model->node_count);
        }
    }
    return PLEAT_OK;
}

static uint32_t path_width(const pleat_model *model, const pleat_channel *channel)
{
    switch (channel->path)
    {
    case PLEAT_TRANSLATION:
    case PLEAT_SCALE:
        return 3;
    case PLEAT_ROTATION:
        return 4;
    case PLEAT_WEIGHTS:
        break;
    }
    uint32_t mesh = model->nodes[channel->node].mesh;
    return mesh == PLEAT_NONE ? 0 : model->meshes[mesh].target_count;
}

static pleat_result check_channel(const pleat_model *model, const pleat_channel *channel, const char *where,
                                  pleat_error *error)
{
    if (channel->node >= model->node_count)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: node %u; there are %u", where, channel->node, model->node_count);
    }
    uint32_t width = path_width(model, channel);
    if (channel->width != width || width == 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: width is %u; its path needs %u", where, channel->width, width);
    }
    if (channel->key_count == 0)
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: it has no keys", where);
    }
    for (uint32_t k = 0; k < channel->key_count; ++k)
    {
        float time = channel->times[k];
        if (!(time >= 0) || !isfinite(time) || (k > 0 && !(time > channel->times[k - 1])))
        {
            return pl_fail(error, PLEAT_BAD_DATA,
                           "%s: key %u is at %g s; times must be finite, 0 or more, and increase", where, k,
                           (double)time);
        }
    }
    size_t floats = (size_t)channel->key_count * width * (channel->interpolation == PLEAT_CUBICSPLINE ? 3 : 1);
    if (!all_finite(channel->values, floats))
    {
        return pl_fail(error, PLEAT_BAD_DATA, "%s: a value is not finite", where);
    }
    return PLEAT_OK;
}

static pleat_result check_clips(const pleat_model *model, pleat_error *error)
{
    char where[160];
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        if (!(clip->end >= clip->start) || !isfinite(clip->end) || !isfinite(clip->start))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "clip %u runs from %g to %g s", c, (double)clip->start,
                           (double)clip->end);
        }
        for (uint32_t h = 0; h < clip->channel_count; ++h)
        {
            snprintf(where, sizeof where, "clip %u (%.60s), channel %u", c, clip->name, h);
            PL_TRY(check_channel(model, &clip->channels[h], where, error));
        }
        const pleat_points *points = &clip->points;
        if (points->node == PLEAT_NONE)
        {
            continue;
        }
        if (points->node >= model->node_count || model->nodes[points->node].mesh == PLEAT_NONE ||
            pleat_mesh_vertex_count(&model->meshes[model->nodes[points->node].mesh]) != points->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "clip %u: its points have %u vertices and do not fit node %u", c,
                           points->vertex_count, points->node);
        }
        if (points->frame_count == 0 || !(points->fps > 0) || !points->read)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "clip %u: points need a frame, a frame rate above 0 and a reader", c);
        }
    }
    return PLEAT_OK;
}

pleat_result pleat_model_validate(const pleat_model *model, pleat_error *error)
{
    PL_TRY(check_meshes(model, error));
    PL_TRY(check_skins(model, error));
    PL_TRY(check_nodes(model, error));
    return check_clips(model, error);
}

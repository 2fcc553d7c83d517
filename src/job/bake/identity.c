/* Everything that the frames of a bake depend on, as one number. Field by field: structs have gaps. */
#include "job/bake/spool.h"

#include "job/bake/hash.h"

#include <string.h>

static void add(uint64_t *hash, const void *bytes, size_t count, size_t size)
{
    *hash = pl_spool_hash(*hash, bytes, bytes ? count * size : 0);
}

static void add_number(uint64_t *hash, uint64_t number)
{
    add(hash, &number, 1, sizeof number);
}

static void add_text(uint64_t *hash, const char *text)
{
    add(hash, text, strlen(text), 1);
}

static void add_mesh(uint64_t *hash, const pleat_mesh *mesh)
{
    add_number(hash, mesh->target_count);
    add(hash, mesh->weights, mesh->target_count, sizeof(float));
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        size_t count = primitive->vertex_count, influences = count * primitive->influence_count;
        add(hash, primitive->positions, count, sizeof(pleat_vec3));
        add(hash, primitive->normals, count, sizeof(pleat_vec3));
        add(hash, primitive->uvs, 2 * count, sizeof(float));
        add(hash, primitive->triangles, 3 * (size_t)primitive->triangle_count, sizeof(uint32_t));
        add(hash, primitive->joints, influences, sizeof(uint16_t));
        add(hash, primitive->weights, influences, sizeof(float));
        for (uint32_t t = 0; primitive->targets && t < mesh->target_count; ++t)
        {
            add(hash, primitive->targets[t].positions, count, sizeof(pleat_vec3));
        }
    }
}

static void add_model(uint64_t *hash, const pleat_model *model)
{
    for (uint32_t i = 0; i < model->node_count; ++i)
    {
        const pleat_node *node = &model->nodes[i];
        add_text(hash, node->name);
        add_number(hash, (uint64_t)node->parent << 32 | node->mesh);
        add_number(hash, (uint64_t)node->skin << 32 | node->has_matrix);
        add(hash, &node->local, 1, sizeof node->local);
        add(hash, &node->local_matrix, 1, sizeof node->local_matrix);
        add(hash, node->weights, node->mesh == PLEAT_NONE ? 0 : model->meshes[node->mesh].target_count, sizeof(float));
    }
    for (uint32_t i = 0; i < model->mesh_count; ++i)
    {
        add_mesh(hash, &model->meshes[i]);
    }
    for (uint32_t i = 0; i < model->skin_count; ++i)
    {
        const pleat_skin *skin = &model->skins[i];
        add(hash, skin->joints, skin->joint_count, sizeof(uint32_t));
        add(hash, skin->inverse_binds, skin->joint_count, sizeof(pleat_affine));
    }
}

static void add_channels(uint64_t *hash, const pleat_clip *clip)
{
    add(hash, &clip->start, 1, sizeof clip->start);
    add(hash, &clip->end, 1, sizeof clip->end);
    for (uint32_t i = 0; i < clip->channel_count; ++i)
    {
        const pleat_channel *channel = &clip->channels[i];
        size_t per_key = (size_t)channel->width * (channel->interpolation == PLEAT_CUBICSPLINE ? 3 : 1);
        add_number(hash, (uint64_t)channel->node << 32 | (uint64_t)channel->path << 16 | channel->interpolation);
        add(hash, channel->times, channel->key_count, sizeof(float));
        add(hash, channel->values, channel->key_count * per_key, sizeof(float));
    }
}

static pleat_result add_points(uint64_t *hash, const pleat_points *points, const pleat_host *host, pleat_error *error)
{
    if (points->node == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    pl_memory memory = pl_memory_from(host);
    pleat_vec3 *frame = PL_NEW(&memory, pleat_vec3, points->vertex_count);
    pleat_result result = frame ? PLEAT_OK : pl_fail_memory(&memory, error, "a frame of points");
    add_number(hash, (uint64_t)points->node << 32 | points->world);
    add(hash, &points->start, 1, sizeof points->start);
    add(hash, &points->fps, 1, sizeof points->fps);
    for (uint32_t i = 0; i < points->frame_count && result == PLEAT_OK; ++i)
    {
        result = points->read(points->user, i, frame, error);
        if (result == PLEAT_OK)
        {
            add(hash, frame, points->vertex_count, sizeof *frame);
        }
    }
    pl_free(&memory, frame);
    return result;
}

static void add_shape(uint64_t *hash, const pleat_bake_shape *shape)
{
    add(hash, shape->rest, shape->vertex_count, sizeof *shape->rest);
    add(hash, shape->triangles, 3 * (size_t)shape->triangle_count, sizeof *shape->triangles);
    for (uint32_t i = 0; i < shape->part_count; ++i)
    {
        add_number(hash, (uint64_t)shape->parts[i].node << 32 | shape->parts[i].primitive);
        add_number(hash, shape->parts[i].garment);
    }
    add_number(hash, shape->frame_count);
    add(hash, &shape->start, 1, sizeof shape->start);
    add(hash, &shape->fps, 1, sizeof shape->fps);
}

static void add_mask(uint64_t *hash, const pleat_bake_desc *desc)
{
    size_t count = 0;
    for (uint32_t i = 0; desc->mask && i < desc->node_count; ++i)
    {
        count += pleat_mesh_vertex_count(&desc->model->meshes[desc->model->nodes[desc->nodes[i]].mesh]);
    }
    add(hash, desc->mask, count, sizeof(float));
}

/* All parameters, as a look file. */
static pleat_result add_look(uint64_t *hash, const pl_job_look *look, const pleat_host *host, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    const pleat_look *sections = pleat_stack_look_sections(look->stack);
    size_t size = pleat_look_format(sections, NULL, 0) + 1;
    char *text = PL_NEW(&memory, char, size);
    if (!text)
    {
        return pl_fail_memory(&memory, error, "the look");
    }
    pleat_look_format(sections, text, size);
    add_text(hash, text);
    pl_free(&memory, text);
    return PLEAT_OK;
}

pleat_result pl_spool_identity(const pleat_bake_desc *desc, const pl_job_look *look, const pleat_bake *bake,
                               const pleat_host *host, uint64_t *identity, pleat_error *error)
{
    uint64_t hash = PL_SPOOL_HASH_START;
    add_text(&hash, PLEAT_VERSION);
    PL_TRY(add_look(&hash, look, host, error));
    add_number(&hash, (uint64_t)look->level << 32 | look->layer_count);
    add_number(&hash, (uint64_t)look->refine << 60 | look->max_triangles);
    add_number(&hash, (uint64_t)((double)look->triangle_times * 1e6));
    for (uint32_t i = 0; i < look->layer_count; ++i)
    {
        add_text(&hash, look->layers[i].type->name);
    }
    add_shape(&hash, pleat_bake_get_shape(bake));
    add_model(&hash, desc->model);
    add_mask(&hash, desc);
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    for (uint32_t i = 0; i < shape->shot_count; ++i)
    {
        const pleat_shot *shot = &shape->shots[i];
        add_number(&hash, (uint64_t)(shot->clip - desc->model->clips) << 32 | shot->frame_count);
        add_channels(&hash, shot->clip);
        PL_TRY(add_points(&hash, &shot->clip->points, host, error));
    }
    *identity = hash;
    return PLEAT_OK;
}

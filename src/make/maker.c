/* Assembling a model: nodes, meshes, the skin, clips. */
#include "make/maker.h"

#include <assert.h>

uint32_t pl_maker_material(pl_maker *maker, const char *name, double red, double green, double blue, double roughness)
{
    assert(maker->model.material_count < PL_MAKE_MATERIALS);
    maker->materials[maker->model.material_count] = (pleat_material){
        .name = name, .base_color = {(float)red, (float)green, (float)blue, 1}, .roughness = (float)roughness};
    return maker->model.material_count++;
}

uint32_t pl_maker_node(pl_maker *maker, const char *name, uint32_t parent, pl_v3 translation)
{
    assert(maker->model.node_count < PL_MAKE_NODES);
    pleat_node node = pleat_node_default();
    node.name = name;
    node.parent = parent;
    node.local.translation = (pleat_vec4){(float)translation.x, (float)translation.y, (float)translation.z, 0};
    maker->nodes[maker->model.node_count] = node;
    return maker->model.node_count++;
}

pleat_result pl_maker_mesh(pl_maker *maker, const char *name, uint32_t parent, uint32_t primitive_count,
                           pleat_primitive **primitives, uint32_t *node)
{
    assert(maker->model.mesh_count < PL_MAKE_MESHES);
    PL_MAKE_NEW(*primitives, maker, keep, pleat_primitive, primitive_count);
    for (uint32_t p = 0; p < primitive_count; ++p)
    {
        (*primitives)[p].material = PLEAT_NONE;
    }
    pleat_mesh *mesh = &maker->meshes[maker->model.mesh_count];
    *mesh = (pleat_mesh){.name = name, .primitive_count = primitive_count, .primitives = *primitives};
    *node = pl_maker_node(maker, name, parent, v3(0, 0, 0));
    maker->nodes[*node].mesh = maker->model.mesh_count++;
    return PLEAT_OK;
}

pleat_result pl_maker_skin(pl_maker *maker, const char *name, uint32_t first_node, uint32_t joint_count)
{
    uint32_t *joints;
    pleat_affine *binds;
    PL_MAKE_NEW(joints, maker, keep, uint32_t, joint_count);
    PL_MAKE_NEW(binds, maker, keep, pleat_affine, joint_count);
    for (uint32_t j = 0; j < joint_count; ++j)
    {
        joints[j] = first_node + j;
        binds[j] = pl_affine_identity();
        for (uint32_t node = joints[j]; node != PLEAT_NONE; node = maker->nodes[node].parent)
        {
            binds[j].row[0][3] -= maker->nodes[node].local.translation.x;
            binds[j].row[1][3] -= maker->nodes[node].local.translation.y;
            binds[j].row[2][3] -= maker->nodes[node].local.translation.z;
        }
    }
    assert(maker->model.skin_count == 0);
    maker->skins[0] = (pleat_skin){.name = name, .joint_count = joint_count, .joints = joints, .inverse_binds = binds};
    maker->model.skin_count = 1;
    return PLEAT_OK;
}

pleat_result pl_maker_clip(pl_maker *maker, const char *name, uint32_t frame_count, uint32_t channel_count,
                           pleat_clip **clip, pleat_channel **channels, float **times)
{
    assert(maker->model.clip_count < PL_MAKE_CLIPS);
    PL_MAKE_NEW(*channels, maker, keep, pleat_channel, channel_count);
    PL_MAKE_NEW(*times, maker, keep, float, frame_count);
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        (*times)[f] = (float)((double)f / PL_MAKE_FPS);
    }
    *clip = &maker->clips[maker->model.clip_count++];
    **clip = pleat_clip_default();
    (*clip)->name = name;
    (*clip)->end = (*times)[frame_count - 1];
    (*clip)->channel_count = channel_count;
    (*clip)->channels = *channels;
    return PLEAT_OK;
}

pleat_result pl_maker_channel(pl_maker *maker, pleat_channel *channel, uint32_t node, pleat_channel_path path,
                              uint32_t width, uint32_t key_count, const float *times, float **values)
{
    PL_MAKE_NEW(*values, maker, keep, float, (size_t)width *key_count);
    *channel = (pleat_channel){.node = node,
                               .path = path,
                               .interpolation = PLEAT_LINEAR,
                               .key_count = key_count,
                               .width = width,
                               .times = times,
                               .values = *values};
    return PLEAT_OK;
}

static uint32_t visit(const pl_maker *maker, uint32_t node, uint32_t *order, uint32_t count)
{
    order[count++] = node;
    for (uint32_t n = 0; n < maker->model.node_count; ++n)
    {
        if (maker->nodes[n].parent == node)
        {
            count = visit(maker, n, order, count);
        }
    }
    return count;
}

pleat_result pl_maker_finish(pl_maker *maker)
{
    uint32_t *order;
    uint32_t count = 0;
    PL_MAKE_NEW(order, maker, keep, uint32_t, maker->model.node_count);
    for (uint32_t n = 0; n < maker->model.node_count; ++n)
    {
        if (maker->nodes[n].parent == PLEAT_NONE)
        {
            count = visit(maker, n, order, count);
        }
    }
    assert(count == maker->model.node_count);
    maker->model.node_order = order;
    maker->model.scene_nodes = order;
    maker->model.scene_node_count = count;
    return PLEAT_OK;
}

/* ---- Frames: cloth that moves by itself ---- */

typedef struct frame_reader
{
    uint32_t vertex_count;
    const pleat_vec3 *frames;
} frame_reader;

static pleat_result read_frame(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error)
{
    const frame_reader *reader = user;
    (void)error;
    memcpy(out, &reader->frames[(size_t)frame * reader->vertex_count], reader->vertex_count * sizeof *out);
    return PLEAT_OK;
}

/* Area-weighted sums at the sources of vertices. */
static void sum_normals(const pleat_primitive *primitive, const pleat_vec3 *positions, const uint32_t *source,
                        pl_v3 *sums)
{
    memset(sums, 0, primitive->vertex_count * sizeof *sums);
    for (uint32_t t = 0; t < primitive->triangle_count; ++t)
    {
        const uint32_t *v = &primitive->triangles[3 * t];
        pl_v3 a = v3_of(positions[v[0]]);
        pl_v3 normal = v3_cross(v3_sub(v3_of(positions[v[1]]), a), v3_sub(v3_of(positions[v[2]]), a));
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t at = source ? source[v[k]] : v[k];
            sums[at] = v3_add(sums[at], normal);
        }
    }
}

static pleat_result add_targets(pl_maker *maker, pleat_mesh *mesh, const pl_frames *frames)
{
    const uint32_t *source = frames->source;
    pleat_primitive *primitive = (pleat_primitive *)&mesh->primitives[0];
    uint32_t vertex_count = primitive->vertex_count;
    pleat_target *targets;
    pl_v3 *normals;
    PL_MAKE_NEW(targets, maker, keep, pleat_target, frames->count);
    PL_MAKE_NEW(normals, maker, scratch, pl_v3, vertex_count);
    for (uint32_t f = 0; f < frames->count; ++f)
    {
        const pleat_vec3 *frame = &frames->positions[(size_t)f * vertex_count];
        pleat_vec3 *moves;
        pleat_vec3 *turns;
        PL_MAKE_NEW(moves, maker, keep, pleat_vec3, vertex_count);
        PL_MAKE_NEW(turns, maker, keep, pleat_vec3, vertex_count);
        sum_normals(primitive, frame, source, normals);
        for (uint32_t v = 0; v < vertex_count; ++v)
        {
            moves[v] = v3_float(v3_sub(v3_of(frame[v]), v3_of(primitive->positions[v])));
            pl_v3 normal = v3_unit(normals[source ? source[v] : v]);
            turns[v] = v3_float(v3_sub(normal, v3_of(primitive->normals[v])));
        }
        targets[f] = (pleat_target){moves, turns};
    }
    primitive->targets = targets;
    mesh->target_count = frames->count;
    return PLEAT_OK;
}

pleat_result pl_maker_frames(pl_maker *maker, uint32_t node, pleat_clip *clip, pleat_channel *channel,
                             const pl_frames *frames)
{
    pleat_mesh *mesh = &maker->meshes[maker->nodes[node].mesh];
    uint32_t count = frames->count;
    assert(mesh->primitive_count == 1);
    PL_TRY(add_targets(maker, mesh, frames));
    float *values;
    PL_TRY(pl_maker_channel(maker, channel, node, PLEAT_WEIGHTS, count, count, frames->times, &values));
    for (uint32_t f = 0; f < count; ++f)
    {
        values[(size_t)f * count + f] = 1;
    }
    frame_reader *reader;
    PL_MAKE_NEW(reader, maker, keep, frame_reader, 1);
    *reader = (frame_reader){mesh->primitives[0].vertex_count, frames->positions};
    clip->points = (pleat_points){.node = node,
                                  .frame_count = count,
                                  .vertex_count = reader->vertex_count,
                                  .start = 0,
                                  .fps = PL_MAKE_FPS,
                                  .read = read_frame,
                                  .user = reader};
    return PLEAT_OK;
}

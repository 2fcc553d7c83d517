#include "garment/shape.h"

#include <string.h>

enum
{
    /* A file may show one mesh on very many nodes: what is measured in all stays within reason. */
    MEASURED_VERTICES = 1 << 24,
    MEASURED_TREES = 32
};

/* ---- Motion ---------------------------------------------------------------------------------------------------------
 */

static bool points_move(const pleat_model *model, uint32_t node)
{
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        if (clip->points.node == node)
        {
            return true;
        }
        for (uint32_t h = 0; h < clip->channel_count; ++h)
        {
            if (clip->channels[h].node == node && clip->channels[h].path == PLEAT_WEIGHTS)
            {
                return true;
            }
        }
    }
    return false;
}

/* Sums the weight of each joint; weight_sums holds a float for each joint of the skin. */
static pl_part_motion skin_motion(const pleat_primitive *primitive, const pleat_skin *skin, double *weight_sums,
                                  uint32_t *main_joint)
{
    memset(weight_sums, 0, skin->joint_count * sizeof weight_sums[0]);
    for (size_t i = 0; i < (size_t)primitive->vertex_count * primitive->influence_count; ++i)
    {
        weight_sums[primitive->joints[i]] += (double)primitive->weights[i];
    }
    uint32_t largest = 0;
    for (uint32_t j = 1; j < skin->joint_count; ++j)
    {
        largest = weight_sums[j] > weight_sums[largest] ? j : largest;
    }
    *main_joint = skin->joints[largest];
    return weight_sums[largest] >= 0.97 * primitive->vertex_count ? PL_MOTION_ONE_JOINT : PL_MOTION_SKIN;
}

static pleat_result find_motion(const pleat_model *model, pl_shapes *shapes, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t joint_limit = 1;
    for (uint32_t s = 0; s < model->skin_count; ++s)
    {
        joint_limit = model->skins[s].joint_count > joint_limit ? model->skins[s].joint_count : joint_limit;
    }
    double *weight_sums;
    PL_NEW_OR_FAIL(weight_sums, shapes->memory, double, joint_limit, error);
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        pl_part_shape *part = &shapes->parts[p];
        const pleat_node *node = &model->nodes[part->node];
        const pleat_primitive *primitive = &model->meshes[node->mesh].primitives[part->primitive];
        part->main_joint = PLEAT_NONE;
        if (node->skin != PLEAT_NONE && primitive->influence_count)
        {
            part->motion = skin_motion(primitive, &model->skins[node->skin], weight_sums, &part->main_joint);
        }
        if (part->motion != PL_MOTION_SKIN && primitive->triangle_count && points_move(model, part->node))
        {
            part->motion = PL_MOTION_POINTS;
        }
    }
    pl_free(shapes->memory, weight_sums);
fail:
    return result;
}

/* ---- Measures -------------------------------------------------------------------------------------------------- */

static void measure_parts(const pl_node_shape *node, pl_part_shape *parts)
{
    const pleat_stack_shape *shape = pleat_stack_get_shape(node->stack);
    const pleat_vec4 *positions = pleat_stack_positions(node->stack);
    for (uint32_t p = 0; p < shape->primitive_count; ++p)
    {
        pl_part_shape *part = &parts[p];
        part->low = pl_splat(INFINITY);
        part->high = pl_splat(-INFINITY);
        part->measured = shape->first_triangle[p + 1] > shape->first_triangle[p];
        for (uint32_t t = shape->first_triangle[p]; t < shape->first_triangle[p + 1]; ++t)
        {
            const uint32_t *corner = &shape->surface_triangles[3 * (size_t)t];
            pl_f4 a = pl_load(&positions[corner[0]]);
            pl_f4 b = pl_load(&positions[corner[1]]);
            pl_f4 c = pl_load(&positions[corner[2]]);
            pl_f4 normal = pl_cross(b - a, c - a);
            part->low = pl_min(pl_min(a, b), pl_min(c, part->low));
            part->high = pl_max(pl_max(a, b), pl_max(c, part->high));
            part->area += 0.5 * (double)pl_length3(normal);
        }
    }
}

static uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
    {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Borders are the connected pieces of open edges; a primitive has those that one of its triangles lies at. */
static void count_borders(const pleat_stack_shape *shape, const pleat_topology *topology, uint32_t *parent,
                          uint32_t *seen, pl_part_shape *parts)
{
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        parent[v] = v;
        seen[v] = PLEAT_NONE;
    }
    for (uint32_t pass = 0; pass < 2; ++pass)
    {
        for (uint32_t p = 0; p < shape->primitive_count; ++p)
        {
            for (uint32_t corner = 3 * shape->first_triangle[p]; corner < 3 * shape->first_triangle[p + 1]; ++corner)
            {
                uint32_t next = corner % 3 == 2 ? corner - 2 : corner + 1;
                if (topology->twin[corner] != PLEAT_BOUNDARY || topology->corner_edge[corner] == PLEAT_NONE)
                {
                    continue;
                }
                uint32_t root = find_root(parent, topology->triangles[corner]);
                if (pass == 0)
                {
                    parent[find_root(parent, topology->triangles[next])] = root;
                }
                else if (seen[root] != p)
                {
                    seen[root] = p;
                    ++parts[p].border_count;
                }
            }
        }
    }
}

/* Surface vertices that each primitive uses. A vertex on the line between two primitives counts in both. */
static void count_surface(const pleat_stack_shape *shape, uint32_t *seen, pl_part_shape *parts)
{
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        seen[v] = PLEAT_NONE;
    }
    for (uint32_t p = 0; p < shape->primitive_count; ++p)
    {
        for (uint32_t render = shape->first_vertex[p]; render < shape->first_vertex[p + 1]; ++render)
        {
            uint32_t v = shape->render_vertex[render];
            parts[p].surface_count += seen[v] != p;
            seen[v] = p;
        }
    }
}

static pleat_result measure_surface(const pleat_host *host, pl_shapes *shapes, const pl_node_shape *node,
                                    pleat_error *error)
{
    const pleat_stack_shape *shape = pleat_stack_get_shape(node->stack);
    pl_part_shape *parts = shapes->parts + node->first_part;
    pleat_topology *topology = NULL;
    uint32_t *parent = NULL;
    uint32_t *seen = NULL;
    pleat_result result = pleat_topology_create(shape->surface_count, shape->triangle_count, shape->surface_triangles,
                                                host, &topology, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    PL_NEW_OR_FAIL(parent, shapes->memory, uint32_t, shape->surface_count, error);
    PL_NEW_OR_FAIL(seen, shapes->memory, uint32_t, shape->surface_count, error);
    count_borders(shape, topology, parent, seen, parts);
    count_surface(shape, seen, parts);
fail:
    pl_free(shapes->memory, seen);
    pl_free(shapes->memory, parent);
    pleat_topology_destroy(topology);
    return result;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

static pleat_result list_parts(const pleat_model *model, pl_shapes *shapes, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t part_count = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t mesh = model->nodes[model->scene_nodes[i]].mesh;
        part_count += mesh == PLEAT_NONE ? 0 : model->meshes[mesh].primitive_count;
        shapes->node_count += mesh != PLEAT_NONE;
    }
    PL_NEW_OR_FAIL(shapes->nodes, shapes->memory, pl_node_shape, shapes->node_count, error);
    PL_NEW_OR_FAIL(shapes->parts, shapes->memory, pl_part_shape, part_count, error);
    pl_node_shape *shape = shapes->nodes;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i];
        if (model->nodes[node].mesh == PLEAT_NONE)
        {
            continue;
        }
        const pleat_mesh *mesh = &model->meshes[model->nodes[node].mesh];
        *shape = (pl_node_shape){node, shapes->part_count, mesh->primitive_count, NULL, NULL};
        for (uint32_t p = 0; p < mesh->primitive_count; ++p)
        {
            shapes->parts[shapes->part_count++] =
                (pl_part_shape){.node = node, .primitive = p, .node_shape = (uint32_t)(shape - shapes->nodes)};
        }
        ++shape;
    }
fail:
    return result;
}

static bool node_bends(const pl_shapes *shapes, const pl_node_shape *shape)
{
    for (uint32_t p = 0; p < shape->part_count; ++p)
    {
        if (pl_part_bends(&shapes->parts[shape->first_part + p]))
        {
            return true;
        }
    }
    return false;
}

static pleat_result measure_node(const pleat_model *model, const pleat_host *host, const pleat_pose *rest, bool tree,
                                 pl_shapes *shapes, pl_node_shape *node, pleat_error *error)
{
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.rest = rest;
    desc.model = model;
    desc.node = node->node;
    desc.height = 1; /* no layer asks for it, and finding it looks at the whole scene */
    PL_TRY(pleat_stack_create(&desc, host, &node->stack, error));
    pleat_stack_input input = {.pose = rest};
    pleat_stack_update(node->stack, &input);
    measure_parts(node, shapes->parts + node->first_part);
    PL_TRY(measure_surface(host, shapes, node, error));
    const pleat_stack_shape *shape = pleat_stack_get_shape(node->stack);
    if (!tree || !shape->triangle_count)
    {
        return PLEAT_OK;
    }
    return pleat_bvh_create(shape->surface_count, pleat_stack_positions(node->stack), shape->triangle_count,
                            shape->surface_triangles, host, &node->bvh, error);
}

static pleat_result measure_nodes(const pleat_model *model, const pleat_host *host, const pleat_pose *rest,
                                  pl_shapes *shapes, pleat_error *error)
{
    uint32_t vertices_left = MEASURED_VERTICES;
    uint32_t trees_left = MEASURED_TREES;
    shapes->all_measured = true;
    for (uint32_t n = 0; n < shapes->node_count; ++n)
    {
        pl_node_shape *node = &shapes->nodes[n];
        uint32_t vertex_count = pleat_mesh_vertex_count(&model->meshes[model->nodes[node->node].mesh]);
        if (vertex_count > vertices_left)
        {
            shapes->all_measured = false;
            continue;
        }
        vertices_left -= vertex_count;
        bool tree = trees_left && node_bends(shapes, node);
        trees_left -= tree;
        PL_TRY(measure_node(model, host, rest, tree, shapes, node, error));
    }
    return PLEAT_OK;
}

pleat_result pl_shapes_create(const pleat_model *model, const pleat_host *host, pl_memory *memory, pl_shapes *shapes,
                              pleat_error *error)
{
    *shapes = (pl_shapes){.memory = memory};
    pleat_pose *rest = NULL;
    pleat_result result = list_parts(model, shapes, error);
    if (result == PLEAT_OK)
    {
        result = find_motion(model, shapes, error);
    }
    if (result == PLEAT_OK)
    {
        result = pleat_pose_create(model, host, &rest, error);
    }
    if (result == PLEAT_OK)
    {
        result = measure_nodes(model, host, rest, shapes, error);
    }
    pleat_pose_destroy(rest);
    if (result != PLEAT_OK)
    {
        pl_shapes_free(shapes);
    }
    return result;
}

void pl_shapes_free(pl_shapes *shapes)
{
    for (uint32_t n = 0; shapes->nodes && n < shapes->node_count; ++n)
    {
        pleat_bvh_destroy(shapes->nodes[n].bvh);
        pleat_stack_destroy(shapes->nodes[n].stack);
    }
    pl_free(shapes->memory, shapes->nodes);
    pl_free(shapes->memory, shapes->parts);
    shapes->nodes = NULL;
    shapes->parts = NULL;
}

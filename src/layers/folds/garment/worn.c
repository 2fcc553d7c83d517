#include "layers/folds/garment/twin.h"

#include "base/fail.h"

/* ---- Where it lies ---- */

static const pleat_skin *skin_of(const pleat_cloth *cloth)
{
    uint32_t skin = cloth->model->nodes[cloth->node].skin;
    return skin == PLEAT_NONE ? NULL : &cloth->model->skins[skin];
}

/* From the mesh's own space of a node that a joint carries to the joint's. */
static pleat_affine below_joint(const pleat_model *model, uint32_t node, uint32_t joint)
{
    pleat_affine sum = pl_affine_identity();
    for (; node != joint; node = model->nodes[node].parent)
    {
        const pleat_node *n = &model->nodes[node];
        pleat_affine local = n->has_matrix ? n->local_matrix : pl_affine_from_trs(&n->local);
        sum = pl_affine_mul(&local, &sum);
    }
    return sum;
}

/* From the space of one of the cloth's joints to that of what is worn. False: it does not have the joint. */
static bool from_joint(const pl_fold_worn *worn, const pleat_cloth *cloth, uint32_t node, uint32_t own,
                       pleat_affine *out)
{
    uint32_t joint = skin_of(cloth)->joints[own], theirs;
    if (!worn->skin)
    {
        pleat_affine up = joint == worn->carrier ? below_joint(cloth->model, node, joint) : pl_affine_identity();
        return joint == worn->carrier && pl_affine_inverse(&up, out);
    }
    theirs = pl_skin_joint_of(worn->skin, joint);
    return theirs != PLEAT_NONE && pl_affine_inverse(&worn->skin->inverse_binds[theirs], out);
}

/* Fills ways and hangs; a joint that it does not have takes the way of one that it has. False: there is none. */
static bool find_ways(pl_fold_worn *worn, const pleat_cloth *cloth, uint32_t node)
{
    const pleat_skin *skin = skin_of(cloth);
    uint32_t known = PLEAT_NONE;
    pleat_affine from_rest;
    if (!pl_affine_inverse(&cloth->to_rest, &from_rest))
    {
        return false;
    }
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        pleat_affine to_joint = pl_affine_mul(&skin->inverse_binds[j], &from_rest), there;
        if (from_joint(worn, cloth, node, j, &there))
        {
            worn->ways[j] = pl_affine_mul(&there, &to_joint);
            worn->hangs[j] = 1;
            known = known == PLEAT_NONE ? j : known;
        }
    }
    for (uint32_t j = 0; j <= skin->joint_count && known != PLEAT_NONE; ++j)
    {
        worn->ways[j] = worn->hangs[j] ? worn->ways[j] : worn->ways[known];
    }
    return known != PLEAT_NONE;
}

/* The nearest node above that is a joint of the cloth's skin. */
static uint32_t carrier_of(const pleat_cloth *cloth, uint32_t node)
{
    while (node != PLEAT_NONE && pl_skin_joint_of(skin_of(cloth), node) == PLEAT_NONE)
    {
        node = cloth->model->nodes[node].parent;
    }
    return node;
}

/* ---- Making ---- */

/* Shells, with vertices welded that a file splits. */
static pleat_result find_shells(pl_fold_worn *worn, const pleat_primitive *primitive, const pleat_host *host,
                                pleat_error *error)
{
    pleat_surface_desc desc = pleat_surface_desc_default();
    desc.render_count = primitive->vertex_count;
    desc.positions = primitive->positions;
    desc.triangle_count = primitive->triangle_count;
    desc.triangles = primitive->triangles;
    pleat_surface *surface = NULL;
    pleat_topology *topology = NULL;
    pleat_result result = pleat_surface_create(&desc, host, &surface, error);
    if (result == PLEAT_OK)
    {
        result = pleat_topology_create(surface->vertex_count, surface->triangle_count, surface->triangles, host,
                                       &topology, error);
    }
    if (result == PLEAT_OK)
    {
        worn->shell_count = pleat_topology_shells(topology, worn->shells);
    }
    pleat_topology_destroy(topology);
    pleat_surface_destroy(surface);
    return result;
}

typedef struct visitor
{
    const pleat_cloth *cloth;
    const pleat_host *host;
    pl_fold_worn_visit *visit;
    void *user;
    pl_memory memory;
    pl_fold_twins twins;
} visitor;

static pleat_result show(const visitor *v, pl_fold_worn *worn, uint32_t vertex_count, pleat_error *error)
{
    pleat_result result = pleat_bvh_create(vertex_count, worn->positions, worn->triangle_count, worn->triangles,
                                           v->host, &worn->bvh, error);
    result = result == PLEAT_OK ? v->visit(v->user, worn, error) : result;
    pleat_bvh_destroy(worn->bvh);
    return result;
}

static pleat_result show_primitive(const visitor *v, uint32_t node, const pleat_primitive *primitive, pl_arena *arena,
                                   pleat_error *error)
{
    const pleat_model *model = v->cloth->model;
    uint32_t joints = skin_of(v->cloth)->joint_count, skin = model->nodes[node].skin;
    pleat_vec4 *positions = PL_ARENA_NEW(arena, pleat_vec4, primitive->vertex_count);
    pl_fold_worn worn = {.triangle_count = primitive->triangle_count,
                         .triangles = primitive->triangles,
                         .positions = positions,
                         .carrier = skin == PLEAT_NONE ? carrier_of(v->cloth, node) : PLEAT_NONE,
                         .skin = skin == PLEAT_NONE ? NULL : &model->skins[skin],
                         .influence_count = primitive->influence_count,
                         .joints = primitive->joints,
                         .weights = primitive->weights};
    worn.shells = PL_ARENA_NEW(arena, uint32_t, primitive->triangle_count);
    worn.ways = PL_ARENA_NEW(arena, pleat_affine, joints + 1);
    worn.hangs = PL_ARENA_NEW(arena, uint8_t, joints + 1);
    if (!positions || !worn.shells || !worn.ways || !worn.hangs)
    {
        return pl_fail_memory(arena->memory, error, "what is worn with folds");
    }
    if (!primitive->triangle_count || !find_ways(&worn, v->cloth, node))
    {
        return PLEAT_OK;
    }
    for (uint32_t i = 0; i < primitive->vertex_count; ++i)
    {
        pl_store(&positions[i], pl_load3(&primitive->positions[i]));
    }
    if (pl_fold_is_twin(&v->twins, node, &worn, primitive->vertex_count))
    {
        return PLEAT_OK;
    }
    PL_TRY(find_shells(&worn, primitive, v->host, error));
    return show(v, &worn, primitive->vertex_count, error);
}

/* The cloth's own shells. */
static pleat_result show_own(const visitor *v, pl_arena *arena, pleat_error *error)
{
    const pleat_topology *topology = v->cloth->topology;
    uint32_t joints = skin_of(v->cloth)->joint_count;
    pl_fold_worn worn = {.triangle_count = topology->triangle_count,
                         .triangles = topology->triangles,
                         .positions = v->cloth->rest,
                         .own = true,
                         .carrier = PLEAT_NONE,
                         .skin = skin_of(v->cloth),
                         .influence_count = v->cloth->influence_count,
                         .joints = v->cloth->joints,
                         .weights = v->cloth->weights};
    worn.shells = PL_ARENA_NEW(arena, uint32_t, topology->triangle_count);
    worn.ways = PL_ARENA_NEW(arena, pleat_affine, joints + 1);
    worn.hangs = PL_ARENA_NEW(arena, uint8_t, joints + 1);
    if (!worn.shells || !worn.ways || !worn.hangs)
    {
        return pl_fail_memory(arena->memory, error, "what is worn with folds");
    }
    for (uint32_t j = 0; j <= joints; ++j)
    {
        worn.ways[j] = pl_affine_identity();
        worn.hangs[j] = 1;
    }
    worn.shell_count = pleat_topology_shells(topology, worn.shells);
    return worn.shell_count > 1 ? show(v, &worn, topology->vertex_count, error) : PLEAT_OK;
}

static bool is_worn(const pleat_cloth *cloth, uint32_t node)
{
    return node != cloth->node && cloth->model->nodes[node].mesh != PLEAT_NONE;
}

static pleat_result show_others(visitor *v, pl_arena *arena, pleat_error *error)
{
    const pleat_model *model = v->cloth->model;
    pleat_result result = PLEAT_OK;
    for (uint32_t n = 0; n < model->scene_node_count; ++n)
    {
        uint32_t node = model->scene_nodes[n], mesh = model->nodes[node].mesh;
        for (uint32_t i = 0; is_worn(v->cloth, node) && i < model->meshes[mesh].primitive_count; ++i)
        {
            pl_arena_free(arena);
            pl_arena_init(arena, &v->memory);
            result =
                result == PLEAT_OK ? show_primitive(v, node, &model->meshes[mesh].primitives[i], arena, error) : result;
        }
    }
    return result;
}

pleat_result pl_folds_each_worn(const pleat_cloth *cloth, const pleat_host *host, pl_fold_worn_visit *visit, void *user,
                                pleat_error *error)
{
    visitor v = {.cloth = cloth, .host = host, .visit = visit, .user = user, .memory = pl_memory_from(host)};
    pl_arena arena, kept;
    if (!skin_of(cloth))
    {
        return PLEAT_OK;
    }
    pl_arena_init(&arena, &v.memory);
    pl_arena_init(&kept, &v.memory);
    pleat_result result = show_own(&v, &arena, error);
    result = result == PLEAT_OK ? pl_fold_twins_make(cloth, host, &kept, &v.twins, error) : result;
    result = result == PLEAT_OK ? show_others(&v, &arena, error) : result;
    pl_fold_twins_release(&v.twins);
    pl_arena_free(&kept);
    pl_arena_free(&arena);
    return result;
}

/* ---- Moving together ---- */

/* The weight of a node at a triangle, as the mean of its corners. */
static float weight_at(const pl_fold_worn *worn, uint32_t triangle, uint32_t node)
{
    float sum = 0;
    if (!worn->skin)
    {
        return node == worn->carrier ? 1 : 0;
    }
    for (uint32_t n = 0; n < 3 * worn->influence_count; ++n)
    {
        uint32_t vertex = worn->triangles[3 * (size_t)triangle + n / worn->influence_count];
        size_t at = (size_t)vertex * worn->influence_count + n % worn->influence_count;
        bool is = worn->joints[at] < worn->skin->joint_count && worn->skin->joints[worn->joints[at]] == node;
        sum += is ? worn->weights[at] : 0;
    }
    return sum / 3;
}

float pl_fold_worn_together(const pl_fold_worn *worn, const pleat_cloth *cloth, uint32_t vertex, uint32_t triangle)
{
    const pleat_skin *skin = skin_of(cloth);
    float sum = 0;
    for (uint32_t i = 0; i < cloth->influence_count; ++i)
    {
        size_t at = (size_t)vertex * cloth->influence_count + i;
        if (cloth->weights[at] > 0 && cloth->joints[at] < skin->joint_count)
        {
            sum += fminf(cloth->weights[at], weight_at(worn, triangle, skin->joints[cloth->joints[at]]));
        }
    }
    return sum;
}

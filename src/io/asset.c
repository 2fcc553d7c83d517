/* Assets: made empty, filled by the loader of their format, checked, handed out. */
#include "io/asset.h"

#include "base/vec.h"
#include "io/file/file.h"

#include <math.h>
#include <string.h>

struct pl_asset_closer
{
    pl_asset_closer *next;
    void (*close)(void *user);
    void *user;
};

pleat_load_options pleat_load_options_default(void)
{
    return (pleat_load_options){.sequence_fps = 30, .points_path = NULL, .points_fps = 30};
}

void pleat_asset_destroy(pleat_asset *asset)
{
    if (!asset)
    {
        return;
    }
    for (pl_asset_closer *closer = asset->closers; closer; closer = closer->next)
    {
        closer->close(closer->user);
    }
    pl_gltf_close(asset->gltf);
    pl_arena_free(&asset->arena);
    PL_DESTROY(asset);
}

const pleat_model *pleat_asset_model(const pleat_asset *asset)
{
    return &asset->model;
}

pleat_format pleat_asset_format(const pleat_asset *asset)
{
    return asset->format;
}

pleat_result pl_asset_on_close(pleat_asset *asset, void (*close)(void *user), void *user, pleat_error *error)
{
    pl_asset_closer *closer = PL_ARENA_NEW(&asset->arena, pl_asset_closer, 1);
    if (!closer)
    {
        close(user);
        return pl_fail_memory(&asset->memory, error, "an open file");
    }
    *closer = (pl_asset_closer){asset->closers, close, user};
    asset->closers = closer;
    return PLEAT_OK;
}

/* ---- Parts that several loaders share ---- */

typedef struct held_file
{
    pl_memory *memory;
    unsigned char *bytes;
} held_file;

static void release_file(void *user)
{
    held_file *file = user;
    pl_free(file->memory, file->bytes);
}

pleat_result pl_asset_read_file(pleat_asset *asset, const char *path, const uint8_t **bytes, size_t *size,
                                pleat_error *error)
{
    *bytes = NULL;
    held_file *file = PL_ARENA_NEW(&asset->arena, held_file, 1);
    if (!file)
    {
        return pl_fail_memory(&asset->memory, error, path);
    }
    file->memory = &asset->memory;
    PL_TRY(pl_file_read(path, &asset->host, &asset->memory, &file->bytes, size, error));
    PL_TRY(pl_asset_on_close(asset, release_file, file, error));
    *bytes = file->bytes;
    return PLEAT_OK;
}

/* The first of a list of siblings that was not seen. Seen ones occur only where a scene lists a node and another
 * below it. */
static uint32_t unseen(uint32_t node, const uint32_t *sibling, const bool *seen)
{
    while (node != PLEAT_NONE && seen[node])
    {
        node = sibling[node];
    }
    return node;
}

/* The root and the nodes below it, depth first in the order of the file, into out; returns how many. */
static uint32_t walk(uint32_t root, const uint32_t *child, const uint32_t *sibling, const pleat_node *nodes, bool *seen,
                     uint32_t *out)
{
    uint32_t count = 0;
    uint32_t node = seen[root] ? PLEAT_NONE : root;
    while (node != PLEAT_NONE)
    {
        seen[node] = true;
        out[count++] = node;
        uint32_t next = unseen(child[node], sibling, seen);
        while (next == PLEAT_NONE && node != root)
        {
            next = unseen(sibling[node], sibling, seen);
            node = nodes[node].parent;
        }
        node = next;
    }
    return count;
}

pleat_result pl_asset_order_nodes(pleat_asset *asset, const uint32_t *roots, uint32_t root_count, pleat_error *error)
{
    pleat_model *model = &asset->model;
    uint32_t node_count = model->node_count;
    pleat_result result = PLEAT_OK;
    uint32_t *child = NULL;
    uint32_t *sibling = NULL;
    bool *seen = NULL;
    uint32_t *order = PL_ARENA_NEW(&asset->arena, uint32_t, node_count);
    uint32_t *scene = PL_ARENA_NEW(&asset->arena, uint32_t, node_count);
    if (!order || !scene)
    {
        return pl_fail_memory(&asset->memory, error, "the order of the nodes");
    }
    PL_NEW_OR_FAIL(child, &asset->memory, uint32_t, node_count, error);
    PL_NEW_OR_FAIL(sibling, &asset->memory, uint32_t, node_count, error);
    PL_NEW_OR_FAIL(seen, &asset->memory, bool, node_count, error);
    memset(child, 0xff, node_count * sizeof *child);
    memset(sibling, 0xff, node_count * sizeof *sibling);
    for (uint32_t i = node_count; i-- > 0;)
    {
        uint32_t parent = model->nodes[i].parent;
        if (parent != PLEAT_NONE)
        {
            sibling[i] = child[parent];
            child[parent] = i;
        }
    }
    uint32_t ordered = 0;
    for (uint32_t i = 0; i < node_count; ++i)
    {
        if (model->nodes[i].parent == PLEAT_NONE)
        {
            ordered += walk(i, child, sibling, model->nodes, seen, order + ordered);
        }
    }
    for (uint32_t i = 0; ordered < node_count && i < node_count; ++i)
    {
        if (!seen[i])
        {
            result = pl_fail(error, PLEAT_BAD_DATA, "%s: nodes[%u] is its own ancestor; nodes must form trees",
                             asset->name, i);
            goto fail;
        }
    }
    memset(seen, 0, node_count * sizeof *seen);
    uint32_t scene_count = 0;
    for (uint32_t i = 0; i < root_count; ++i)
    {
        scene_count += walk(roots[i], child, sibling, model->nodes, seen, scene + scene_count);
    }
    model->node_order = order;
    model->scene_nodes = scene;
    model->scene_node_count = scene_count;
fail:
    pl_free(&asset->memory, seen);
    pl_free(&asset->memory, sibling);
    pl_free(&asset->memory, child);
    return result;
}

pleat_result pl_asset_set_mesh(pleat_asset *asset, const pleat_mesh *mesh, pleat_error *error)
{
    pleat_mesh *held = PL_ARENA_NEW(&asset->arena, pleat_mesh, 1);
    pleat_node *node = PL_ARENA_NEW(&asset->arena, pleat_node, 1);
    if (!held || !node)
    {
        return pl_fail_memory(&asset->memory, error, "the mesh");
    }
    *held = *mesh;
    *node = pleat_node_default();
    node->name = mesh->name;
    node->mesh = 0;
    asset->model.meshes = held;
    asset->model.mesh_count = 1;
    asset->model.nodes = node;
    asset->model.node_count = 1;
    return pl_asset_order_nodes(asset, &(uint32_t){0}, 1, error);
}

/* ---- Making assets ---- */

static pleat_result create(pleat_format format, const char *name, const pleat_host *host, pleat_asset **asset,
                           pleat_error *error)
{
    *asset = NULL;
    pleat_asset *made = PL_CREATE(pleat_asset, host);
    if (!made)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for %s", name);
    }
    made->host = host ? *host : pleat_host_default();
    made->format = format;
    pl_arena_init(&made->arena, &made->memory);
    made->name = pl_arena_string(&made->arena, name, strlen(name));
    if (!made->name)
    {
        pleat_result result = pl_fail_memory(&made->memory, error, name);
        pleat_asset_destroy(made);
        return result;
    }
    *asset = made;
    return PLEAT_OK;
}

/* What every loader must have kept; a failure here is one that the loader should have named better. */
static pleat_result finish(pleat_asset *asset, pleat_error *error)
{
    pleat_error inner = {0};
    pleat_result result = pleat_model_validate(&asset->model, &inner);
    if (result != PLEAT_OK)
    {
        return pl_fail(error, result, "%.200s: %s", asset->name, inner.message);
    }
    return PLEAT_OK;
}

static pleat_result parse(pleat_asset *asset, const uint8_t *bytes, size_t size, unsigned char **owned,
                          pleat_error *error)
{
    switch (asset->format)
    {
    case PLEAT_FORMAT_GLTF:
    case PLEAT_FORMAT_GLB:
        return pl_gltf_load(asset, bytes, size, owned, error);
    case PLEAT_FORMAT_OBJ:
        return pl_obj_load(asset, bytes, size, error);
    case PLEAT_FORMAT_PLY:
        return pl_ply_load(asset, bytes, size, error);
    case PLEAT_FORMAT_PC2:
    case PLEAT_FORMAT_MDD:
        return pl_fail(error, PLEAT_UNSUPPORTED,
                       "%s: a point cache has no mesh; load the mesh, and give the cache as its points (--points)",
                       asset->name);
    case PLEAT_FORMAT_UNKNOWN:
        break;
    }
    return pl_fail(error, PLEAT_UNSUPPORTED, "%s: unknown kind of file; pleat reads .glb, .gltf, .obj and .ply",
                   asset->name);
}

static pleat_result load(pleat_asset *asset, const char *path, const pleat_load_options *options, pleat_error *error)
{
    if (pl_sequence_is(path))
    {
        PL_TRY(pl_sequence_load(asset, path, options->sequence_fps, error));
    }
    else if (asset->format < PLEAT_FORMAT_GLTF || asset->format > PLEAT_FORMAT_PLY)
    {
        PL_TRY(parse(asset, NULL, 0, NULL, error));
    }
    else
    {
        unsigned char *bytes;
        size_t size;
        PL_TRY(pl_file_read(path, &asset->host, &asset->memory, &bytes, &size, error));
        pleat_result result = parse(asset, bytes, size, &bytes, error);
        pl_free(&asset->memory, bytes);
        PL_TRY(result);
    }
    if (options->points_path)
    {
        PL_TRY(pl_points_load(asset, options->points_path, options->points_fps, error));
    }
    return finish(asset, error);
}

pleat_result pleat_asset_load(const char *path, const pleat_load_options *options, const pleat_host *host,
                              pleat_asset **asset, pleat_error *error)
{
    *asset = NULL;
    pleat_load_options standard = pleat_load_options_default();
    const pleat_load_options *chosen = options ? options : &standard;
    if (!(chosen->sequence_fps > 0) || !isfinite(chosen->sequence_fps) || !(chosen->points_fps > 0) ||
        !isfinite(chosen->points_fps))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "sequence_fps is %g and points_fps %g; both must be above 0",
                       (double)chosen->sequence_fps, (double)chosen->points_fps);
    }
    pleat_asset *made;
    PL_TRY(create(pleat_format_of(path), path, host, &made, error));
    made->allow_outside = chosen->allow_outside;
    pleat_result result = load(made, path, chosen, error);
    if (result != PLEAT_OK)
    {
        pleat_asset_destroy(made);
        return result;
    }
    *asset = made;
    return PLEAT_OK;
}

pleat_result pleat_asset_parse(pleat_format format, const void *bytes, size_t size, const char *name,
                               const pleat_host *host, pleat_asset **asset, pleat_error *error)
{
    *asset = NULL;
    pleat_asset *made;
    PL_TRY(create(format, name, host, &made, error));
    pleat_result result = parse(made, bytes, size, NULL, error);
    if (result == PLEAT_OK)
    {
        result = finish(made, error);
    }
    if (result != PLEAT_OK)
    {
        pleat_asset_destroy(made);
        return result;
    }
    *asset = made;
    return PLEAT_OK;
}

pleat_result pleat_asset_from_model(const pleat_model *model, const char *generator, const pleat_host *host,
                                    pleat_asset **asset, pleat_error *error)
{
    *asset = NULL;
    PL_TRY(pleat_model_validate(model, error));
    pleat_asset *made;
    PL_TRY(create(PLEAT_FORMAT_UNKNOWN, "a model", host, &made, error));
    made->model = *model;
    made->generator =
        pl_arena_string(&made->arena, generator ? generator : "pleat", strlen(generator ? generator : "pleat"));
    if (!made->generator)
    {
        pleat_result result = pl_fail_memory(&made->memory, error, "the generator's name");
        pleat_asset_destroy(made);
        return result;
    }
    *asset = made;
    return PLEAT_OK;
}

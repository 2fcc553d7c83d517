/* The inside of a pleat_asset, for the loaders of this folder.
 *
 * asset.c makes an empty asset, lets the loader of the format fill asset->model with arrays from asset->arena, and
 * validates the result; when the loader fails, asset.c destroys what there is. A loader's messages begin with
 * asset->name. What must be closed with the asset (an open point cache) is registered with pl_asset_on_close. */
#ifndef PL_IO_ASSET_H
#define PL_IO_ASSET_H

#include "base/memory.h"
#include "pleat/io.h"

typedef struct pl_asset_closer pl_asset_closer;
typedef struct pl_gltf pl_gltf;

struct pleat_asset
{
    pl_memory memory;
    pleat_host host;  /* a copy, for the log and for objects that the asset holds */
    pl_arena arena;   /* the model's arrays live here, as long as the asset */
    const char *name; /* the path as it was given */
    pleat_format format;
    bool allow_outside; /* files that it names may lie outside its folder */
    pleat_model model;
    /* OBJ and PLY: which of the file's source_point_count vertices each render vertex of the mesh came from, so that
     * point caches of the file's own vertices fit too; else NULL. */
    const uint32_t *source_points;
    uint32_t source_point_count;
    pl_asset_closer *closers;
    pl_gltf *gltf;         /* the document, for glTF that was read; else NULL */
    const char *generator; /* for assets made of a model; else NULL */
};

/* Arranges that close(user) is called when the asset is destroyed; the last one registered is called first. If this
 * fails, close has been called already. */
pleat_result pl_asset_on_close(pleat_asset *asset, void (*close)(void *user), void *user, pleat_error *error);

/* A whole file, held against the asset's limit and released with the asset. */
pleat_result pl_asset_read_file(pleat_asset *asset, const char *path, const uint8_t **bytes, size_t *size,
                                pleat_error *error);

/* Fills the model with one node that shows one mesh: what OBJ, PLY and mesh sequences need. The mesh is copied, its
 * arrays are not. */
pleat_result pl_asset_set_mesh(pleat_asset *asset, const pleat_mesh *mesh, pleat_error *error);

/* Fills node_order and scene_nodes from the parents, roots[0..root_count-1] being the scene's. Fails on a cycle. */
pleat_result pl_asset_order_nodes(pleat_asset *asset, const uint32_t *roots, uint32_t root_count, pleat_error *error);

/* ---- The loaders: each fills asset->model ---- */

/* From a file: *owned is the block of asset->memory that bytes lie in, which the loader may keep by setting *owned to
 * NULL; other files are looked for in the folder of asset->name. From memory: owned is NULL, bytes stay valid during
 * the call only, and no other file is opened. */
pleat_result pl_gltf_load(pleat_asset *asset, const uint8_t *bytes, size_t size, unsigned char **owned,
                          pleat_error *error);
void pl_gltf_close(pl_gltf *gltf); /* NULL is fine */
pleat_result pl_obj_load(pleat_asset *asset, const uint8_t *bytes, size_t size, pleat_error *error);
pleat_result pl_ply_load(pleat_asset *asset, const uint8_t *bytes, size_t size, pleat_error *error);

/* Is this a folder, or a path with %d or %0Nd in it? */
bool pl_sequence_is(const char *path);
pleat_result pl_sequence_load(pleat_asset *asset, const char *path, float fps, pleat_error *error);
/* Adds a clip whose points come from the meshes of a sequence. */
pleat_result pl_sequence_points(pleat_asset *asset, const char *path, float fps, pleat_error *error);
/* Adds a clip whose points come from a .pc2 or .mdd file, or a sequence, to a model with a single mesh. */
pleat_result pl_points_load(pleat_asset *asset, const char *path, float fps, pleat_error *error);

#endif

/* pleat/io/asset.h: a loaded file and its model. Part of libpleat_io. */
#ifndef PLEAT_IO_ASSET_H
#define PLEAT_IO_ASSET_H

#include "pleat/model.h"

PLEAT_BEGIN

typedef enum pleat_format
{
    PLEAT_FORMAT_UNKNOWN,
    PLEAT_FORMAT_GLTF,
    PLEAT_FORMAT_GLB,
    PLEAT_FORMAT_OBJ,
    PLEAT_FORMAT_PLY,
    PLEAT_FORMAT_PC2,
    PLEAT_FORMAT_MDD
} pleat_format;

/* By the ending of a path; UNKNOWN if none fits. */
pleat_format pleat_format_of(const char *path);

typedef struct pleat_asset pleat_asset;

/* Loads .gltf, .glb, .obj, .ply; or a mesh sequence: a folder, or a path with one %d or %0Nd in it (frames from the
 * first number found on). A sequence gives a model with one mesh and one clip of points at fps (default 30).
 * Warnings for harmless oddities go to the host's log. */
typedef struct pleat_load_options
{
    float sequence_fps; /* default 30 */
    const char
        *points_path;   /* NULL, or a .pc2, .mdd or mesh sequence whose frames become a clip of the (single) mesh */
    float points_fps;   /* default 30; what a .pc2 cannot say */
    bool allow_outside; /* default false: a .gltf reads buffers and images from its own folder and those in it, not by
                           "../" or a link that leads elsewhere */
} pleat_load_options;

pleat_load_options pleat_load_options_default(void);
pleat_result pleat_asset_load(const char *path, const pleat_load_options *options, const pleat_host *host,
                              pleat_asset **asset, pleat_error *error);
/* The same for bytes in memory; name stands for the path in messages. glTF may then have data URIs and the GLB
 * chunk only: other buffers are an error that names them. bytes need not outlive the call. */
pleat_result pleat_asset_parse(pleat_format format, const void *bytes, size_t size, const char *name,
                               const pleat_host *host, pleat_asset **asset, pleat_error *error);
/* An asset around a model made by a program, so that it can be written; copies nothing: the model must outlive it. */
pleat_result pleat_asset_from_model(const pleat_model *model, const char *generator, const pleat_host *host,
                                    pleat_asset **asset, pleat_error *error);
void pleat_asset_destroy(pleat_asset *asset);
const pleat_model *pleat_asset_model(const pleat_asset *asset);
pleat_format pleat_asset_format(const pleat_asset *asset);

PLEAT_END

#endif

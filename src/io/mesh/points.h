/* Frames of points behind a clip, with the last two kept: what a sampler between frames asks for again. */
#ifndef PL_IO_MESH_POINTS_H
#define PL_IO_MESH_POINTS_H

#include "io/asset.h"

/* Reads a frame of the file's own vertices. */
typedef pleat_result pl_points_read(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error);

typedef struct pl_points_source
{
    pl_points_read *read;
    void *user;
    uint32_t frame_count;
    uint32_t point_count; /* of the file */
    float start, fps;     /* seconds of frame 0; frames a second */
    const char *name;     /* of the clip; lives as long as the asset */
    const char *path;     /* for messages */
} pl_points_source;

/* Adds a clip with the source's frames to the asset, for the one node whose mesh they fit: as many points as the mesh
 * has render vertices, or as the file that the mesh came from has vertices (asset->source_point_count). */
pleat_result pl_points_add_clip(pleat_asset *asset, const pl_points_source *source, pleat_error *error);

/* The last part of a path without its ending, in the asset's arena; NULL when out of memory. */
const char *pl_points_title(pleat_asset *asset, const char *path);

#endif

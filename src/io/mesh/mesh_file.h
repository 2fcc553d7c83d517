/* What the writers of OBJ, PLY, point caches and their sidecars share. */
#ifndef PL_IO_MESH_MESH_FILE_H
#define PL_IO_MESH_MESH_FILE_H

#include "io/file/output.h"

/* Counts, triangles, uvs and groups come from desc; times do not matter. normals may be NULL. */
pleat_result pl_obj_write(pl_output *output, const pleat_cache_desc *desc, const pleat_vec3 *positions,
                          const pleat_vec3 *normals, pleat_error *error);
/* Binary, little-endian. Groups have no place in it. */
pleat_result pl_ply_write(pl_output *output, const pleat_cache_desc *desc, const pleat_vec3 *positions,
                          const pleat_vec3 *normals, pleat_error *error);

/* Seconds of a frame. */
float pl_cache_time(const pleat_cache_desc *desc, uint32_t frame);
/* Counts, times, triangles and groups of a description. */
pleat_result pl_cache_check(const char *path, const pleat_cache_desc *desc, pleat_error *error);
pleat_result pl_cache_check_positions(const char *path, uint32_t frame, const pleat_vec3 *positions, uint32_t count,
                                      pleat_error *error);

#endif

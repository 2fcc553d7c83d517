/* PLY: what was read, before it becomes a model. */
#ifndef PL_IO_MESH_PLY_H
#define PL_IO_MESH_PLY_H

#include "io/asset.h"

typedef struct pl_ply
{
    pl_memory *memory;
    uint32_t vertex_count, triangle_count;
    pleat_vec3 *positions;
    pleat_vec3 *normals; /* or NULL */
    float *uvs;          /* vertex_count by 2, v upwards as in the file; or NULL */
    float *colors;       /* vertex_count by 4; or NULL */
    uint32_t *triangles; /* triangle_count by 3 */
} pl_ply;

/* With positions_only reading stops behind the vertices. On failure there is nothing to free. */
pleat_result pl_ply_read(const uint8_t *bytes, size_t size, const char *name, bool positions_only, pl_memory *memory,
                         const pleat_host *host, pl_ply *ply, pleat_error *error);
void pl_ply_free(pl_ply *ply);

#endif

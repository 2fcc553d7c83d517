/* Wavefront OBJ: what was read, before it becomes a model. */
#ifndef PL_IO_MESH_OBJ_H
#define PL_IO_MESH_OBJ_H

#include "io/asset.h"

/* A corner of a face: indices into the lists of the file, from 0; PLEAT_NONE where it has no UV or normal. */
typedef struct pl_obj_corner
{
    uint32_t position, uv, normal;
} pl_obj_corner;

/* The lists of an OBJ file. Faces are already triangles. */
typedef struct pl_obj
{
    pl_memory *memory;
    const pleat_host *host;
    const char *name; /* for messages */
    uint32_t position_count, uv_count, normal_count, triangle_count, material_count;
    pleat_vec3 *positions;
    float *colors; /* position_count by 3, or NULL if no vertex has one */
    float *uvs;    /* uv_count by 2; v grows upwards, as in the file */
    pleat_vec3 *normals;
    pl_obj_corner *corners;      /* triangle_count by 3 */
    uint32_t *materials;         /* of each triangle: number of a name; 0: before the first usemtl */
    const char **material_names; /* the first is "" */
    char *object_name;           /* of the first o or g; may be NULL */
} pl_obj;

/* Reads the lists. On failure there is nothing to free. */
pleat_result pl_obj_read(const char *bytes, size_t size, const char *name, pl_memory *memory, const pleat_host *host,
                         pl_obj *obj, pleat_error *error);
void pl_obj_free(pl_obj *obj);

/* The positions alone, as a frame of a sequence: exactly count of them. */
pleat_result pl_obj_read_positions(const char *bytes, size_t size, const char *name, uint32_t count, pleat_vec3 *out,
                                   pleat_error *error);

#endif

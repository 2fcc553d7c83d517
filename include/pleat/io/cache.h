/* pleat/io/cache.h: point caches and mesh sequences, out and in. Part of libpleat_io. */
#ifndef PLEAT_IO_CACHE_H
#define PLEAT_IO_CACHE_H

#include "pleat/io/asset.h"
#include "pleat/io/file.h"

PLEAT_BEGIN

/* What a cache holds, and for OBJ and PLY the mesh its frames are drawn on. Its arrays must stay valid while a writer
 * uses them. */
typedef struct pleat_cache_desc
{
    uint32_t vertex_count;
    uint32_t frame_count;
    float start; /* seconds of the first frame */
    float fps;
    const float *times;        /* frame_count seconds, or NULL: start + i / fps */
    uint32_t triangle_count;   /* OBJ, PLY */
    const uint32_t *triangles; /* #T by 3 */
    const float *uvs;          /* #V by 2 or NULL */
    uint32_t group_count;      /* named ranges of triangles, or 0 */
    const struct pleat_cache_group *groups;
    pleat_outputs *outputs; /* NULL, or the group that the files are to appear with */
} pleat_cache_desc;

typedef struct pleat_cache_group
{
    const char *name;
    uint32_t first_triangle, triangle_count;
} pleat_cache_group;

typedef struct pleat_cache_writer pleat_cache_writer;

/* By the ending: .pc2, .mdd: one file. .obj, .ply: NAME_0000.obj and so on, or NAME.obj itself for a single frame.
 * Nothing appears under its final name before commit. */
pleat_result pleat_cache_writer_create(const char *path, const pleat_cache_desc *desc, const pleat_host *host,
                                       pleat_cache_writer **writer, pleat_error *error);
/* The next frame, in order. normals may be NULL (OBJ and PLY write them if given). */
pleat_result pleat_cache_writer_frame(pleat_cache_writer *writer, const pleat_vec3 *positions,
                                      const pleat_vec3 *normals, pleat_error *error);
/* All frames must have been given. Afterwards only destroy is legal. */
/* The frames to come are on another mesh: its vertices, triangles, uvs and groups count, of the rest of desc nothing.
 * Only of a mesh sequence. */
pleat_result pleat_cache_writer_mesh(pleat_cache_writer *writer, const pleat_cache_desc *desc, pleat_error *error);
pleat_result pleat_cache_writer_commit(pleat_cache_writer *writer, pleat_error *error);
/* Without commit: removes what was begun. */
void pleat_cache_writer_destroy(pleat_cache_writer *writer);

/* One mesh within a cache. */
typedef struct pleat_cache_range
{
    const char *node, *mesh, *material; /* names; NULL stands for "" */
    uint32_t primitive;                 /* of the mesh */
    uint32_t first_vertex, vertex_count;
    uint32_t first_triangle, triangle_count;
} pleat_cache_range;

typedef struct pleat_cache_sidecars
{
    const pleat_vec3 *rest;         /* the desc's vertex_count */
    const pleat_vec3 *rest_normals; /* or NULL */
    const char *units;              /* of positions; NULL: "metres" */
    uint32_t range_count;
    const pleat_cache_range *ranges;
} pleat_cache_sidecars;

/* Writes what lies beside the cache NAME.pc2 (or another ending): NAME.rest.obj, the rest shape and the triangles of
 * exactly the cache's vertices in their order, one group for each node; and NAME.json: names and ranges of the
 * meshes, times of the frames, fps, units. Both appear together, with desc->outputs if given. host may be NULL. */
pleat_result pleat_cache_sidecars_write(const char *path, const pleat_cache_desc *desc,
                                        const pleat_cache_sidecars *sidecars, const pleat_host *host,
                                        pleat_error *error);

typedef struct pleat_cache pleat_cache;
typedef struct pleat_cache_info
{
    pleat_format format;
    uint32_t vertex_count;
    uint32_t frame_count;
    float start_frame;  /* PC2 */
    float frame_step;   /* PC2 */
    const float *times; /* MDD: frame_count seconds; else NULL */
} pleat_cache_info;

pleat_result pleat_cache_open(const char *path, const pleat_host *host, pleat_cache **cache, pleat_error *error);
void pleat_cache_close(pleat_cache *cache);
pleat_cache_info pleat_cache_get_info(const pleat_cache *cache);
/* vertex_count points of a frame; NaN and infinity are an error that names frame and vertex. */
pleat_result pleat_cache_read(pleat_cache *cache, uint32_t frame, pleat_vec3 *out, pleat_error *error);

PLEAT_END

#endif

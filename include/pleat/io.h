/* pleat/io.h: files in and out. Part of libpleat_io, which needs jansson, libpng and libmeshoptimizer; the core
 * does not.
 *
 * Reading: any file may be hostile. Every count, offset and index is checked before use and before memory is asked for;
 * a failure names the file, the JSON path or byte offset, the value, and what was expected.
 * Writing: a file appears whole under its name or not at all (written beside, synced, renamed on commit). */
#ifndef PLEAT_IO_H
#define PLEAT_IO_H

#include "pleat/model.h"

PLEAT_BEGIN

/* ---- Files that appear together --------------------------------------------------------------------------------- */

/* A group of outputs: every function that writes and takes a group leaves its file beside the final name, complete and
 * on disk; commit then renames all of them, or none. Without a group (NULL) a file appears by itself. Not for use by
 * two threads at once; must outlive the writers that use it. */
typedef struct pleat_outputs pleat_outputs;
pleat_result pleat_outputs_create(const pleat_host *host, pleat_outputs **outputs, pleat_error *error);
/* On failure every target is as it was; what the group holds stays beside, for another try or for destroy. */
pleat_result pleat_outputs_commit(pleat_outputs *outputs, pleat_error *error);
/* Removes what was not committed. NULL is fine. */
void pleat_outputs_destroy(pleat_outputs *outputs);
/* Removes every temporary file of the process: for a signal handler that is about to end the program (it is
 * async-signal-safe). A commit that has begun on another thread is waited for; whoever begins an output afterwards
 * waits for the end. */
void pleat_outputs_remove_all(void);

/* ---- Assets: a loaded file and its model ------------------------------------------------------------------------ */

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
        *points_path; /* NULL, or a .pc2, .mdd or mesh sequence whose frames become a clip of the (single) mesh */
    float points_fps; /* default 30; what a .pc2 cannot say */
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

/* ---- glTF out -------------------------------------------------------------------------------------------------- */

/* A node's mesh replaced: same or other vertex count, morph targets, influences. Materials keep their index. Vertex
 * data of the input that has no place in pleat_mesh (further UV and colour sets, custom attributes) is carried over
 * only where source_vertex says from which vertex of the old primitive each new one comes. */
typedef struct pleat_mesh_edit
{
    uint32_t node;
    const pleat_mesh *mesh;
    const uint32_t *const *source_vertex; /* per primitive: #V old vertices, or NULL; NULL: none */
} pleat_mesh_edit;

/* A weights animation added to a clip (or in place of the one the node had). */
typedef struct pleat_weights_edit
{
    uint32_t node;
    uint32_t clip; /* PLEAT_NONE: a new clip named "bake" */
    uint32_t key_count;
    const float *times;   /* key_count, increasing */
    const float *weights; /* key_count by the edited mesh's target_count */
} pleat_weights_edit;

/* A further vertex attribute of an edited mesh, such as _COMPRESSION; in the place of one that was carried over. */
typedef struct pleat_attribute_edit
{
    uint32_t node;              /* one with a mesh edit */
    const char *name;           /* an underscore, then A-Z, 0-9 and underscores, as glTF asks for; or COLOR_0, or
                                 * TEXCOORD_1..7 */
    uint32_t width;             /* 1..4 */
    const float *const *values; /* per primitive of the edited mesh: #V by width, finite; NULL: not on this primitive */
} pleat_attribute_edit;

typedef struct pleat_gltf_edits
{
    uint32_t mesh_edit_count;
    const pleat_mesh_edit *mesh_edits;
    uint32_t weights_edit_count;
    const pleat_weights_edit *weights_edits;
    uint32_t attribute_edit_count;
    const pleat_attribute_edit *attribute_edits;
} pleat_gltf_edits;

/* Writes the asset with the edits as .glb (or .gltf with one .bin, by the ending); outputs may be NULL. Everything not
 * edited stays as it was: nodes, materials, textures, cameras, extras, unknown extensions. edits may be NULL. An array
 * of an edited mesh that is the very array of the asset's model (the same pointer) keeps its accessor, with the type
 * that the input had. Accessors and buffer views that only the old meshes used are dropped, compressed ones are written
 * plain. Images in files of their own go into a .glb, and into the .bin of a .gltf in another folder. The arrays of the
 * edits need to live during the call only. */
pleat_result pleat_gltf_write(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *path,
                              pleat_outputs *outputs, pleat_error *error);

/* ---- Point caches and mesh sequences out --------------------------------------------------------------------------
 */

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

/* ---- Point caches in ------------------------------------------------------------------------------------------------
 */

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

/* ---- Text and pictures out ----------------------------------------------------------------------------------------
 */

/* A whole file at once, whole or not at all. */
pleat_result pleat_file_write(const char *path, const void *bytes, size_t size, pleat_error *error);
/* The whole file into memory of the host; size is checked against the host's limit. Free with pleat_file_free. */
pleat_result pleat_file_read(const char *path, const pleat_host *host, void **bytes, size_t *size, pleat_error *error);
void pleat_file_free(const pleat_host *host, void *bytes, size_t size);

/* A picture or a texture: 8 or 16 bits a channel (16: native-endian uint16_t), 1 to 4 channels, rows from the top. */
typedef struct pleat_png
{
    uint32_t width, height;
    uint32_t channel_count, bits;
    const void *pixels;
    bool fast; /* less compression in a fifth of the time: for large textures */
} pleat_png;

/* A PNG of any kind as 8 bits of red, green, blue and alpha, rows from the top; at most 16384 pixels a side. Free with
 * pleat_image_free, which takes an empty one, too. */
typedef struct pleat_image
{
    uint32_t width, height;
    uint8_t *pixels; /* #height by #width by 4 */
} pleat_image;
pleat_result pleat_image_read(const char *path, const pleat_host *host, pleat_image *image, pleat_error *error);
/* The same for bytes in memory; name stands for the path in messages. */
pleat_result pleat_image_decode(const void *bytes, size_t size, const char *name, const pleat_host *host,
                                pleat_image *image, pleat_error *error);
void pleat_image_free(const pleat_host *host, pleat_image *image);

/* A drawn curve as the text of points that looks have: "x,height x,height ...", whole numbers from 0 to 999, at most 30
 * points, always shorter than size 256. Of an SVG the first polyline, polygon or path, moved by the transforms around
 * it; a polyline of at most 30 points from left to right keeps its points, everything else is sampled along its upper
 * side. Of a PNG the upper side of what is drawn in another tone than its corners have, or is not transparent. */
pleat_result pleat_curve_read(const char *path, const pleat_host *host, char *out, size_t size, pleat_error *error);
pleat_result pleat_curve_decode(const void *bytes, size_t byte_count, const char *name, const pleat_host *host,
                                char *out, size_t size, pleat_error *error);

/* outputs and host may be NULL. */
pleat_result pleat_png_write_in(const char *path, const pleat_png *png, pleat_outputs *outputs, const pleat_host *host,
                                pleat_error *error);
/* The same picture as an OpenEXR file of 32-bit floats 0..1, not compressed; 3 channels of 16 bits alone. */
pleat_result pleat_exr_write_in(const char *path, const pleat_png *picture, pleat_outputs *outputs,
                                const pleat_host *host, pleat_error *error);
/* A PNG, as a file by itself. */
pleat_result pleat_png_write(const char *path, uint32_t width, uint32_t height, uint32_t channel_count, uint32_t bits,
                             const void *pixels, pleat_error *error);

PLEAT_END

#endif

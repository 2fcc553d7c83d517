/* The inside of the glTF writer.
 *
 * It begins with a document, which is the asset's own JSON or one made of its model (write/from_model.c); edits replace
 * meshes and add animations (write/edit.c, write/mesh.c); what nothing refers to any more is dropped (gltf/refs.c);
 * and the bytes are laid out and written (write/emit.c). Data is written from where it lies, in the input or the
 * caller's arrays: only what changes its type is copied. */
#ifndef PL_IO_GLTF_WRITE_WRITER_H
#define PL_IO_GLTF_WRITE_WRITER_H

#include "io/gltf/gltf.h"

/* The bytes of a buffer view. */
typedef struct pl_piece
{
    const uint8_t *bytes; /* NULL: broken in the input; may be dropped but not written */
    size_t size;
    uint32_t buffer; /* of the input, or PLEAT_NONE */
    size_t offset;   /* in the output */
    size_t stride;   /* of elements that may be compressed (write/pack.c); 0: it stays as it is */
    bool indices;    /* of triangles */
    size_t unpacked; /* bytes before compression; 0: not compressed */
} pl_piece;

/* What is written in one go: a whole buffer of the input, or a view. */
typedef struct pl_segment
{
    const uint8_t *bytes;
    size_t size;
    size_t offset;
} pl_segment;

/* A block of the writer's memory that is freed at the end. */
typedef struct pl_owned
{
    struct pl_owned *next;
    unsigned char *bytes;
} pl_owned;

typedef struct pl_writer
{
    const pleat_asset *asset;
    const pleat_gltf_edits *edits;
    pleat_error *error;
    pl_memory memory;
    pl_arena arena;
    json_t *root;
    bool json_failed; /* an allocation of jansson failed: sticky */
    bool unknown;     /* an extension is used that may refer to accessors by itself: nothing is dropped */
    pl_piece *pieces; /* one for each of root.bufferViews */
    uint32_t piece_count, piece_room;
    uint32_t input_views; /* that many come from the input */
    bool views_dropped;
    pl_owned *owned;
    uint32_t *clip_animations; /* per clip of the model: its place in root.animations, or PLEAT_NONE */
    pl_segment *segments;      /* after pl_writer_layout, by offset */
    uint32_t segment_count;
    size_t total;    /* bytes of the binary part, after pl_writer_layout */
    size_t unpacked; /* bytes that compressed views have when decompressed */
} pl_writer;

/* ---- The document (write/writer.c) ---- */

pleat_result pl_writer_begin(pl_writer *w);
pleat_result pl_writer_fail(const pl_writer *w, pleat_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void *pl_writer_alloc(pl_writer *w, size_t count, size_t size); /* from the arena; NULL: pl_writer_no_memory */
pleat_result pl_writer_no_memory(const pl_writer *w);
/* NO_MEMORY if an allocation of jansson failed since the beginning. */
pleat_result pl_writer_check(const pl_writer *w);

/* Set or append a new value; a failure is remembered. */
void pl_json_set(pl_writer *w, json_t *object, const char *key, json_t *value);
void pl_json_append(pl_writer *w, json_t *array, json_t *value);
/* The array of root under key, made when absent. */
json_t *pl_section(pl_writer *w, const char *key);
/* Takes an extension off an object; an object of extensions that gets empty goes. */
void pl_json_delete_extension(json_t *object, const char *name);
json_t *pl_json_numbers(pl_writer *w, const float *values, size_t count);

/* What a new accessor holds. */
typedef struct pl_accessor_desc
{
    const void *data; /* tight; must stay until the file is written */
    uint32_t count;
    const char *type;
    pl_component component;
    uint32_t target; /* of the view: 34962 vertices, 34963 indices, 0 none */
    bool bounds;     /* with min and max; floats only */
    bool normalized; /* integers that stand for 0..1 or -1..1 */
    uint32_t stride; /* bytes from element to element; 0: tight */
} pl_accessor_desc;

/* Adds a view; PLEAT_NONE when out of memory. */
uint32_t pl_add_view(pl_writer *w, const void *data, size_t size, uint32_t target);
/* Each adds an accessor and gives its index. */
pleat_result pl_add_accessor(pl_writer *w, const pl_accessor_desc *desc, uint32_t *index);
/* An accessor into a view that is there; low and high may be NULL. */
pleat_result pl_add_accessor_in(pl_writer *w, uint32_t view, size_t offset, const pl_accessor_desc *desc,
                                const float *low, const float *high, uint32_t *index);
/* Puts a name on the lists of extensions that are used and required. */
void pl_require_extension(pl_writer *w, const char *name);

/* ---- Numbers as small integers (write/small.c); each adds an accessor and gives its index ---- */

pleat_result pl_small_directions(pl_writer *w, const float *values, uint32_t count, uint32_t width, uint32_t *index);
pleat_result pl_small_uvs(pl_writer *w, const float *uvs, uint32_t count, uint32_t *index);
/* Shares of 1 as 16 bits; the sum of each element's four stays 1. */
pleat_result pl_small_weights(pl_writer *w, const float *weights, uint32_t count, uint32_t *index);
/* Numbers of 0..1, one an element; false in *fits, and nothing added, where one lies outside. */
pleat_result pl_small_shares(pl_writer *w, const float *values, uint32_t count, bool *fits, uint32_t *index);
/* Positions in units of a step. */
pleat_result pl_scaled_positions(pl_writer *w, const pleat_vec3 *positions, uint32_t count, float step,
                                 uint32_t *index);

/* The morph targets of a primitive (write/targets.c), as objects with accessors, into a list. step: as in a mesh edit,
 * 0 for floats. */
typedef struct pl_targets_desc
{
    const pleat_target *targets; /* target_count, or NULL: zeros */
    uint32_t target_count;
    uint32_t vertex_count;
    float step;
} pl_targets_desc;
pleat_result pl_add_targets(pl_writer *w, const pl_targets_desc *desc, json_t *list);

/* Compresses what was added and can be (write/pack.c): after everything is there, before the layout. */
pleat_result pl_writer_pack(pl_writer *w);

/* ---- Meshes (write/mesh.c) ---- */

/* Makes the JSON of a mesh. before is the JSON it replaces and old its content, or both NULL; source_vertex as in
 * the edit. */
pleat_result pl_write_mesh(pl_writer *w, const pleat_mesh_edit *edit, json_t *before, const pleat_mesh *old,
                           json_t **out);
pleat_result pl_write_influences(pl_writer *w, const pleat_primitive *primitive, json_t *attributes);

/* ---- The steps ---- */

pleat_result pl_writer_from_model(pl_writer *w);  /* write/from_model.c */
pleat_result pl_writer_apply_edits(pl_writer *w); /* write/edit.c */

/* Puts right what extensions say of meshes that were edited (write/follow.c). */
pleat_result pl_writer_follow_meshes(pl_writer *w);

/* Which accessors and views something refers to (gltf/refs.c). */
typedef struct pl_references
{
    bool *accessors;
    bool *views;
    size_t accessor_count, view_count;
} pl_references;
pleat_result pl_writer_find_references(pl_writer *w, pl_references *out);
/* Drops what was referred to before and is no more, and what is broken and unused; indices follow. */
pleat_result pl_writer_drop_unused(pl_writer *w, const pl_references *before);

/* Puts images of other files into the binary part (gltf/image.c). */
pleat_result pl_writer_embed_images(pl_writer *w);

/* Where the written bytes go. */
typedef struct pl_sink
{
    pleat_result (*write)(void *user, const void *bytes, size_t size, pleat_error *error);
    void *user;
} pl_sink;

/* All of the above for one asset: afterwards the document is complete but for buffers and offsets. Call
 * pl_writer_end also when it fails. */
pleat_result pl_writer_build(pl_writer *w, const pleat_asset *asset, const pleat_gltf_edits *edits, bool embed_images,
                             pleat_error *error);
/* Lays out the binary part; uri names the file it goes to, NULL for a GLB. Then one of these. */
pleat_result pl_writer_layout(pl_writer *w, const char *uri);
pleat_result pl_writer_emit_glb(pl_writer *w, pl_sink sink);
pleat_result pl_writer_emit_text(pl_writer *w, pl_sink text, pl_sink binary);
void pl_writer_end(pl_writer *w);

#endif

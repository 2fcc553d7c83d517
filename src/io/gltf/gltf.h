/* The inside of the glTF reader and writer.
 *
 * Reading goes container (gltf/container.c: GLB chunks, JSON text, extensions, buffers), views and accessors
 * (gltf/accessor.c, gltf/meshopt.c), then the model (gltf/node.c, gltf/mesh.c, gltf_skin.c, gltf/clip.c). Every
 * accessor is read once and kept. The document stays with the asset, so that the writer can give back all of it.
 *
 * A file cannot make us allocate more than it can fill: every count is checked against the bytes behind it first, and
 * all that is unpacked (sparse, quantised and compressed data, and the JSON tree) together may take PL_GLTF_SLACK plus
 * PL_GLTF_EXPANSION times the bytes of the file. Numbers that are looked at once more each time something refers to
 * them count as a byte each, so that a small file cannot keep us busy either. */
#ifndef PL_IO_GLTF_GLTF_H
#define PL_IO_GLTF_GLTF_H

#include "io/asset.h"

#include <jansson.h>

#define PL_GLTF_SLACK ((uint64_t)256 << 20)
#define PL_GLTF_EXPANSION ((uint64_t)64)

typedef struct pl_gltf_buffer
{
    const uint8_t *bytes; /* NULL: the file gives no data, which is an error for whoever uses it */
    size_t size;
} pl_gltf_buffer;

typedef struct pl_gltf_view
{
    bool read;            /* checked, and what follows is filled */
    const uint8_t *bytes; /* in the buffer, or decompressed */
    size_t size;
    size_t stride; /* 0: elements are tight */
    uint32_t buffer;
    bool decoded; /* was compressed: bytes are no part of a buffer */
} pl_gltf_view;

typedef enum pl_component
{
    PL_I8 = 5120,
    PL_U8 = 5121,
    PL_I16 = 5122,
    PL_U16 = 5123,
    PL_U32 = 5125,
    PL_F32 = 5126
} pl_component;

typedef struct pl_gltf_accessor
{
    bool read;
    uint32_t count; /* elements */
    uint32_t width; /* components of an element; matrices: 4, 9 or 16 */
    bool matrix;
    bool normalized;
    pl_component component;
    size_t element_size;  /* with the padding of small matrices */
    const uint8_t *bytes; /* NULL: zeros */
    size_t stride;
    uint32_t sparse_count;
    pl_component sparse_component;
    const uint8_t *sparse_indices;
    const uint8_t *sparse_values;
    const float *floats;      /* once somebody asked for them */
    const uint32_t *integers; /* the same */
    bool finite;              /* every one of floats is known to be */
    uint32_t largest;         /* of integers */
} pl_gltf_accessor;

struct pl_gltf
{
    pleat_asset *asset;
    pleat_error *error; /* where failures of the running call go */
    json_t *root;
    size_t json_bytes;   /* reserved in the asset's memory for the tree, which jansson allocates by itself */
    unsigned char *file; /* the GLB that the buffers point into; or NULL */
    bool alone;          /* no other file may be opened */
    uint64_t source_bytes;
    uint64_t unpacked_bytes;
    uint32_t warning_count;
    uint32_t buffer_count, view_count, accessor_count;
    pl_gltf_buffer *buffers;
    pl_gltf_view *views;
    pl_gltf_accessor *accessors;
    struct pl_gltf_influences *influences; /* read last; primitives often share them */
};

/* ---- Messages and JSON with its place (gltf/json.c) ---- */

/* Where we are in the document, as text: "meshes[2].primitives[0]". */
typedef struct pl_place
{
    char text[128];
} pl_place;
pl_place pl_at(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A failure, or a warning, whose sentence begins with the file's name. Of the warnings the first PL_GLTF_WARNINGS are
 * said. */
#define PL_GLTF_WARNINGS 20
pleat_result pl_gltf_fail(const pl_gltf *g, pleat_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pl_gltf_warn(pl_gltf *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pl_gltf_say(pl_gltf *g, const char *sentence); /* a warning that has its name already */

/* Memory that lives as long as the asset, counted as unpacked; what names it in the error. */
pleat_result pl_gltf_alloc(pl_gltf *g, uint64_t count, size_t size, const char *what, void *pointer_out);
/* Counts bytes that are about to be unpacked, or numbers to be looked at. */
pleat_result pl_gltf_expand(pl_gltf *g, uint64_t bytes, const char *what);

/* Each gives object[key], checked for its kind; an absent key gives NULL, PLEAT_NONE, false or the fallback. */
pleat_result pl_json_object(const pl_gltf *g, json_t *object, const char *key, const char *place, json_t **out);
pleat_result pl_json_array(const pl_gltf *g, json_t *object, const char *key, const char *place, json_t **out,
                           uint32_t *count);
pleat_result pl_json_text(const pl_gltf *g, json_t *object, const char *key, const char *place, const char **out);
pleat_result pl_json_size(const pl_gltf *g, json_t *object, const char *key, const char *place, uint64_t fallback,
                          uint64_t *out);
pleat_result pl_json_bool(const pl_gltf *g, json_t *object, const char *key, const char *place, bool fallback,
                          bool *out);
/* An index below count; kind is the plural that the message uses ("meshes"). */
pleat_result pl_json_index(const pl_gltf *g, json_t *object, const char *key, const char *place, uint32_t count,
                           const char *kind, uint32_t *out);
/* Exactly count finite numbers; an absent key leaves out untouched. */
pleat_result pl_json_floats(const pl_gltf *g, json_t *object, const char *key, const char *place, uint32_t count,
                            float *out, bool *present);
/* Item i of an array, which must be an object; item i that must be an index below count. */
pleat_result pl_json_item(const pl_gltf *g, json_t *array, uint32_t i, const char *place, json_t **out);
pleat_result pl_json_item_index(const pl_gltf *g, json_t *array, uint32_t i, const char *place, uint32_t count,
                                const char *kind, uint32_t *out);
pleat_result pl_json_missing(const pl_gltf *g, const char *place, const char *key);
/* The name of a thing into the arena; "" when it has none. */
pleat_result pl_json_name(pl_gltf *g, json_t *object, const char *place, const char **out);

/* ---- The steps of reading ---- */

pleat_result pl_gltf_open(pl_gltf *g, const uint8_t *bytes, size_t size, unsigned char **owned); /* gltf/container.c */
pleat_result pl_gltf_check_extensions(pl_gltf *g);                                               /* gltf/extensions.c */
pleat_result pl_gltf_fail_draco(const pl_gltf *g, const char *place);
pleat_result pl_gltf_read_buffers(pl_gltf *g, const uint8_t *chunk, size_t chunk_size); /* gltf/buffer.c */

pleat_result pl_gltf_read_materials(pl_gltf *g); /* gltf/node.c */
/* Nodes, meshes and clips stay writable until reading ends. */
pleat_result pl_gltf_read_nodes(pl_gltf *g, pleat_node **nodes);       /* gltf/node.c: nodes and scene */
pleat_result pl_gltf_read_skins(pl_gltf *g);                           /* gltf/node.c */
pleat_result pl_gltf_read_meshes(pl_gltf *g, pleat_mesh **meshes);     /* gltf/mesh.c */
pleat_result pl_gltf_read_clips(pl_gltf *g, pleat_clip **clips);       /* gltf/clip.c */
pleat_result pl_gltf_read_node_weights(pl_gltf *g, pleat_node *nodes); /* gltf/mesh.c: after nodes and meshes */
/* gltf/names.c: nodes, meshes and clips without a name get one; last of all */
pleat_result pl_gltf_give_name(pl_gltf *g, const char *kind, uint32_t index, const char **name);
pleat_result pl_gltf_name_things(pl_gltf *g, pleat_node *nodes, pleat_mesh *meshes, pleat_clip *clips);

/* ---- URIs (gltf/uri.c) ---- */

/* The path that a URI in the asset's document means, in memory of the arena; NULL when there is none. *problem is NULL,
 * or says why the path may not be opened: it is absolute or has a scheme; or it leads out of the document's folder, by
 * ".." or a link, which the asset does not allow. */
char *pl_uri_path(pl_arena *arena, const pleat_asset *asset, const char *uri, const char **problem);
bool pl_uri_is_data(const char *uri);
/* Decodes the base64 of a data URI. */
pleat_result pl_gltf_uri_data(pl_gltf *g, const char *uri, size_t length, const char *place, const uint8_t **bytes,
                              size_t *size);

/* ---- Views and accessors (gltf/accessor.c) ---- */

/* The checked view or accessor; place says who asks, for the message about an index out of range. */
pleat_result pl_gltf_get_view(pl_gltf *g, uint32_t index, const pl_gltf_view **out);
pleat_result pl_gltf_get_accessor(pl_gltf *g, uint32_t index, pl_gltf_accessor **out);
size_t pl_component_size(pl_component component);

/* The elements as numbers, kept for the next who asks; points into the file where it can. Normalized integers become
 * -1..1 or 0..1, others their value. Not yet checked for finiteness. */
pleat_result pl_gltf_floats(pl_gltf *g, uint32_t index, const float **out);
/* Unsigned integers of any size; the accessor then has the largest, too. */
pleat_result pl_gltf_integers(pl_gltf *g, uint32_t index, const uint32_t **out);
/* The same into the caller's array, elements out_stride items apart; the shorts come from u8 or u16. */
pleat_result pl_gltf_copy_floats(pl_gltf *g, uint32_t index, float *out, uint32_t out_stride);
pleat_result pl_gltf_copy_shorts(pl_gltf *g, uint32_t index, uint16_t *out, uint32_t out_stride);
/* The elements as they are in the file, tight, with sparse ones in place: count by element_size bytes. */
void pl_gltf_flatten(const pl_gltf_accessor *accessor, uint8_t *out);

/* The first number of an accessor, whose floats were asked for, that is not finite; or how many it has. */
size_t pl_gltf_first_not_finite(pl_gltf_accessor *accessor);
/* The first of count numbers that is not finite, or count. */
size_t pl_first_not_finite(const float *values, size_t count);

/* Decompresses a view that has EXT_meshopt_compression or KHR_meshopt_compression (gltf/meshopt.c); bytes has
 * view->size bytes. */
json_t *pl_gltf_meshopt_extension(json_t *view, const char **name);
pleat_result pl_gltf_meshopt_decode(pl_gltf *g, json_t *extension, const char *place, pl_gltf_view *view);

#endif

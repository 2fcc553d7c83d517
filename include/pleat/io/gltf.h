/* pleat/io/gltf.h: an asset written as glTF, with edits. Part of libpleat_io. */
#ifndef PLEAT_IO_GLTF_H
#define PLEAT_IO_GLTF_H

#include "pleat/io/asset.h"
#include "pleat/io/file.h"

PLEAT_BEGIN

/* A node's mesh replaced: same or other vertex count, morph targets, influences. Materials keep their index. Vertex
 * data of the input that has no place in pleat_mesh (further UV and colour sets, custom attributes) is carried over
 * only where source_vertex says from which vertex of the old primitive each new one comes. */
typedef enum pleat_encoding
{
    PLEAT_ENCODE_PLAIN, /* floats, no extension: for every engine */
    PLEAT_ENCODE_SMALL, /* what edits add as small integers (KHR_mesh_quantization) */
    PLEAT_ENCODE_PACKED /* and compressed (EXT_meshopt_compression) */
} pleat_encoding;

typedef struct pleat_mesh_edit
{
    uint32_t node;
    const pleat_mesh *mesh;
    const uint32_t *const *source_vertex; /* per primitive: #V old vertices, or NULL; NULL: none */
    float step; /* small and packed, of a skinned node: positions of targets are rounded to multiples of it, in the
                 * mesh's own unit, a power of two. Default 0: they stay floats */
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
    pleat_encoding encoding; /* of what the edits add; the rest of the file stays as it is */
} pleat_gltf_edits;

/* Writes the asset with the edits as .glb (or .gltf with one .bin, by the ending); outputs may be NULL. Everything not
 * edited stays as it was: nodes, materials, textures, cameras, extras, unknown extensions. edits may be NULL. An array
 * of an edited mesh that is the very array of the asset's model (the same pointer) keeps its accessor, with the type
 * that the input had. Accessors and buffer views that only the old meshes used are dropped, compressed ones are written
 * plain. Images in files of their own go into a .glb, and into the .bin of a .gltf in another folder. The arrays of the
 * edits need to live during the call only. */
pleat_result pleat_gltf_write(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *path,
                              pleat_outputs *outputs, pleat_error *error);

PLEAT_END

#endif

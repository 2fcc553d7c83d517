/* glTF files that tests write: where they go, what is in them, and whether two models are the same. */
#ifndef SUPPORT_GLTF_FILE_H
#define SUPPORT_GLTF_FILE_H

#include "support/support.h"

#include "pleat/io.h"

#include <jansson.h>

/* A path in the test's folder; it lasts for seven more calls. */
const char *support_out_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Both fail the test where the file cannot be read or written. */
pleat_asset *support_load_file(const char *path);
void support_write_asset(const pleat_asset *asset, const pleat_gltf_edits *edits, const char *path);

/* The JSON and the binary chunk of a GLB file. */
typedef struct support_opened
{
    void *bytes;
    size_t size;
    json_t *root;
    const unsigned char *binary;
    size_t binary_size;
} support_opened;

support_opened support_open_glb(const char *path);
void support_close_glb(support_opened *o);
json_t *support_json_at(json_t *root, const char *section, size_t index);
size_t support_json_count(json_t *root, const char *section);

/* Both hold the same, or the test fails; weights to the last bits. Bytes may be NULL on both sides. */
void support_same_bytes(const void *a, const void *b, size_t size);
void support_same_primitive(const pleat_primitive *a, const pleat_primitive *b, uint32_t target_count);
void support_same_model(const pleat_model *a, const pleat_model *b);

/* Remembers a written file for support_validate; source, what it was made of, may be NULL. */
void support_judge(const char *written, const char *source);
/* The Khronos validator over all files that were remembered, against their sources; skips the test where it is not
 * installed. */
void support_validate(void);

#endif

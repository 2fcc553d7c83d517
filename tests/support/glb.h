/* Small glTF documents for tests: JSON with ' for ", and bytes, put together as a GLB. */
#ifndef PLEAT_TEST_GLB_H
#define PLEAT_TEST_GLB_H

#include "pleat/io.h"

/* Bytes that grow; every put begins at a multiple of 4. Zero-initialise; support_bytes_free at the end. */
typedef struct support_bytes
{
    unsigned char *data;
    size_t size;
} support_bytes;

/* Appends and returns the offset at which the bytes begin. */
size_t support_put(support_bytes *bytes, const void *data, size_t size);
void support_bytes_free(support_bytes *bytes);

/* A GLB of JSON text and a binary chunk (none if size is 0); ' in the text stands for ". */
support_bytes support_glb(const char *json, const void *binary, size_t size);

/* A log that remembers what it was told, all lines in one text. */
typedef struct support_log
{
    char text[4096];
} support_log;
pleat_host support_logging_host(support_log *log);

/* The document, as JSON of support_glb and a binary chunk (or NULL), must be read; or refused with a sentence that
 * names the file "t.glb" and has this part in it. Warnings go to support_warnings. */
extern support_log support_warnings;
pleat_asset *support_parse(const char *json, const support_bytes *binary);
void support_refuse(const char *json, const support_bytes *binary, const char *part); /* as BAD_DATA */
void support_refuse_as(pleat_result expected, const char *json, const support_bytes *binary, const char *part);
/* Bytes as they are; gives the result. */
pleat_result support_parse_bytes(const void *bytes, size_t size, pleat_error *error);

/* printf into one of 32 static buffers. */
const char *support_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A document of one mesh with one primitive in one node; the parts are the inner text of the lists, more follows the
 * attributes. */
const char *support_document(const char *attributes, const char *more, const char *accessors, const char *views,
                             size_t size);
const pleat_primitive *support_first_primitive(const pleat_asset *asset);

/* The four positions that most small documents have at the beginning of their data. */
extern const float support_square[4][3];
#define SUPPORT_POSITIONS "{'bufferView':0,'componentType':5126,'type':'VEC3','count':4}"
#define SUPPORT_VIEW_0 "{'buffer':0,'byteLength':48}"

#endif

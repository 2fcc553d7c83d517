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

#endif

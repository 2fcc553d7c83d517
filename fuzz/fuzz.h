/* What the targets share. */
#ifndef PLEAT_FUZZ_H
#define PLEAT_FUZZ_H

#include "pleat/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A host with the memory that any small file may take. */
static inline pleat_host fuzz_host(void)
{
    pleat_host host = pleat_host_default();
    host.memory_limit = (size_t)512 << 20;
    return host;
}

/* A path of our own with this ending, in memory where the system has such a place. */
static inline const char *fuzz_path(const char *ending)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/pleat-fuzz-%ld%s", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)getpid(), ending);
    return path;
}

/* A fault of ours. */
static inline void fuzz_must(bool good, const char *what, const pleat_error *error)
{
    if (!good)
    {
        fprintf(stderr, "%s: %s\n", what, error->message);
        abort();
    }
}

/* Every failure is said in one sentence. */
static inline void fuzz_failed(pleat_result result, const pleat_error *error)
{
    fuzz_must(error->result == result && error->message[0] != 0 && result != PLEAT_OK, "no message", error);
}

/* Writes a mesh of one primitive and reads it back: positions and triangles must be the same. */
static inline void fuzz_round_trip(const pleat_asset *asset, const char *ending)
{
    const pleat_mesh *mesh = &pleat_asset_model(asset)->meshes[0];
    const pleat_primitive *from = &mesh->primitives[0];
    if (mesh->primitive_count != 1 || from->vertex_count == 0)
    {
        return;
    }
    pleat_cache_desc desc = {.vertex_count = from->vertex_count,
                             .frame_count = 1,
                             .fps = 30,
                             .triangle_count = from->triangle_count,
                             .triangles = from->triangles};
    const char *path = fuzz_path(ending);
    pleat_error error = {0};
    pleat_cache_writer *writer;
    fuzz_must(pleat_cache_writer_create(path, &desc, NULL, &writer, &error) == PLEAT_OK &&
                  pleat_cache_writer_frame(writer, from->positions, NULL, &error) == PLEAT_OK &&
                  pleat_cache_writer_commit(writer, &error) == PLEAT_OK,
              "write", &error);
    pleat_cache_writer_destroy(writer);
    pleat_asset *again;
    fuzz_must(pleat_asset_load(path, NULL, NULL, &again, &error) == PLEAT_OK, "read again", &error);
    const pleat_primitive *to = &pleat_asset_model(again)->meshes[0].primitives[0];
    fuzz_must(to->vertex_count == from->vertex_count && to->triangle_count == from->triangle_count &&
                  memcmp(to->positions, from->positions, from->vertex_count * sizeof *to->positions) == 0 &&
                  (from->triangle_count == 0 ||
                   memcmp(to->triangles, from->triangles, from->triangle_count * 3 * sizeof(uint32_t)) == 0),
              "not the same", &error);
    pleat_asset_destroy(again);
    unlink(path);
}

#endif

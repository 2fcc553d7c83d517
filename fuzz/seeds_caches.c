/* Small files from our own writers to start from: pleat_fuzz_seeds_caches FOLDER makes FOLDER/fuzz_obj/... and so on.
 */
#include "pleat/io.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static pleat_error error;

static bool write_cache(const char *path, uint32_t frame_count)
{
    static const pleat_vec3 positions[] = {{0, 0, 0}, {1, 0, 0.5f}, {1, 1, -1e-8f}, {0, 1, 12345.678f}};
    static const pleat_vec3 normals[] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, -1}};
    static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    static const pleat_cache_group groups[] = {{"first", 0, 1}, {"second", 1, 1}};
    pleat_cache_desc desc = {.vertex_count = 4,
                             .frame_count = frame_count,
                             .fps = 30,
                             .triangle_count = 2,
                             .triangles = triangles,
                             .uvs = uvs,
                             .group_count = 2,
                             .groups = groups};
    pleat_cache_writer *writer;
    bool good = pleat_cache_writer_create(path, &desc, NULL, &writer, &error) == PLEAT_OK;
    for (uint32_t f = 0; f < frame_count && good; ++f)
    {
        good = pleat_cache_writer_frame(writer, positions, normals, &error) == PLEAT_OK;
    }
    good = good && pleat_cache_writer_commit(writer, &error) == PLEAT_OK;
    pleat_cache_writer_destroy(writer);
    return good;
}

static bool write_text(const char *path, const char *text)
{
    return pleat_file_write(path, text, strlen(text), &error) == PLEAT_OK;
}

static const char obj_text[] =
    "mtllib a.mtl\no a\nv 0 0 0 1 0 0\nv 1 0 0 \\\n 1 0 0\nv 1e0 1.5 -.5\nv 0 1 0\nvt 0 1\nvn 0 0 1\n"
    "usemtl red\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf -1//-1 -2//-1 -3//-1\nf 1/1 2/1 3/1 # end\ns off\n";
static const char ply_text[] =
    "ply\nformat ascii 1.0\ncomment a\nelement vertex 3\nproperty double x\nproperty float y\nproperty int16 z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty list uchar float extra\nelement face 1\n"
    "property list uchar int vertex_indices\nend_header\n0 0 0 1 2 3 0\n1 0 0 1 2 3 1 5\n1 1 0 255 0 0 2 5 6\n3 0 1 "
    "2\n";
static const char look_text[] =
    "{\"folds\": {\"number\": 1.5, \"length\": \"2.2cm\", \"share\": \"36%\", \"angle\": \"30deg\","
    " \"count\": 4, \"on\": true, \"choice\": \"dqs\"}}";

int main(int count, char **arguments)
{
    static const struct
    {
        const char *target, *name;
        uint32_t frames; /* 0: a text */
        const char *text;
    } seeds[] = {
        {"fuzz_obj", "own.obj", 1, NULL},        {"fuzz_obj", "text.obj", 0, obj_text},
        {"fuzz_ply", "own.ply", 1, NULL},        {"fuzz_ply", "text.ply", 0, ply_text},
        {"fuzz_cache", "own.pc2", 3, NULL},      {"fuzz_cache", "own.mdd", 3, NULL},
        {"fuzz_look", "own.json", 0, look_text},
    };
    if (count < 2)
    {
        fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
        return 2;
    }
    mkdir(arguments[1], 0777);
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; ++i)
    {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", arguments[1], seeds[i].target);
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/%s/%s", arguments[1], seeds[i].target, seeds[i].name);
        if (!(seeds[i].frames ? write_cache(path, seeds[i].frames) : write_text(path, seeds[i].text)))
        {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
    }
    return 0;
}

/* Point caches and mesh sequences out; the formats are described in cache_read.c. */
#include "io/mesh/mesh_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct pleat_cache_writer
{
    pl_memory memory;
    pleat_host host;
    char *path;
    pleat_format format;
    pleat_cache_desc desc; /* its arrays stay the caller's */
    uint32_t frame;        /* the next one */
    pl_output *output;     /* of a cache; a sequence has one for each frame */
    pleat_outputs *files;  /* what a sequence has finished */
    bool done;
};

static void store32(unsigned char *bytes, uint32_t value, bool big)
{
    for (int i = 0; i < 4; ++i)
    {
        bytes[big ? 3 - i : i] = (unsigned char)(value >> (8 * i));
    }
}

static void store_float(unsigned char *bytes, float value, bool big)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    store32(bytes, bits, big);
}

static pleat_result write_floats(pl_output *output, const float *values, size_t count, bool big, pleat_error *error)
{
    unsigned char block[4096];
    for (size_t i = 0; i < count;)
    {
        size_t n = 0;
        for (; n < sizeof block / 4 && i < count; ++n, ++i)
        {
            store_float(block + 4 * n, values[i], big);
        }
        PL_TRY(pl_output_write(output, block, 4 * n, error));
    }
    return PLEAT_OK;
}

static pleat_result write_pc2_head(pleat_cache_writer *writer, pleat_error *error)
{
    const pleat_cache_desc *desc = &writer->desc;
    unsigned char head[32] = "POINTCACHE2";
    float start = desc->times ? desc->times[0] : desc->start;
    store32(head + 12, 1, false);
    store32(head + 16, desc->vertex_count, false);
    store_float(head + 20, start * desc->fps, false);
    store_float(head + 24, 1, false);
    store32(head + 28, desc->frame_count, false);
    return pl_output_write(writer->output, head, sizeof head, error);
}

static pleat_result write_mdd_head(pleat_cache_writer *writer, pleat_error *error)
{
    const pleat_cache_desc *desc = &writer->desc;
    unsigned char head[8];
    store32(head, desc->frame_count, true);
    store32(head + 4, desc->vertex_count, true);
    PL_TRY(pl_output_write(writer->output, head, sizeof head, error));
    for (uint32_t i = 0; i < desc->frame_count; ++i)
    {
        float time = pl_cache_time(desc, i);
        PL_TRY(write_floats(writer->output, &time, 1, true, error));
    }
    return PLEAT_OK;
}

float pl_cache_time(const pleat_cache_desc *desc, uint32_t frame)
{
    return desc->times ? desc->times[frame] : (float)((double)desc->start + (double)frame / (double)desc->fps);
}

static pleat_result check_mesh(const char *path, const pleat_cache_desc *desc, pleat_error *error)
{
    if (desc->triangle_count > UINT32_MAX / 3 || (desc->triangle_count > 0 && !desc->triangles))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: %u triangles without a list of them", path,
                       desc->triangle_count);
    }
    for (size_t c = 0; c < 3 * (size_t)desc->triangle_count; ++c)
    {
        if (desc->triangles[c] >= desc->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: index %zu of the triangles is %u; there are %u vertices",
                           path, c, desc->triangles[c], desc->vertex_count);
        }
    }
    for (uint32_t g = 0; g < desc->group_count; ++g)
    {
        const pleat_cache_group *group = &desc->groups[g];
        if (group->first_triangle > desc->triangle_count ||
            group->triangle_count > desc->triangle_count - group->first_triangle)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.200s: group %u (%.60s) is triangles %u to %u; there are %u",
                           path, g, group->name, group->first_triangle, group->first_triangle + group->triangle_count,
                           desc->triangle_count);
        }
    }
    return PLEAT_OK;
}

pleat_result pl_cache_check(const char *path, const pleat_cache_desc *desc, pleat_error *error)
{
    if (desc->vertex_count == 0 || desc->frame_count == 0 || desc->vertex_count > UINT32_MAX / 4 ||
        desc->frame_count > INT32_MAX)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: %u frames of %u vertices; both must be at least 1", path,
                       desc->frame_count, desc->vertex_count);
    }
    if (!(desc->fps > 0) || !isfinite(desc->fps) || !isfinite(desc->start))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: fps is %g and start %g; fps must be above 0", path,
                       (double)desc->fps, (double)desc->start);
    }
    for (uint32_t i = 0; desc->times && i < desc->frame_count; ++i)
    {
        if (!isfinite(desc->times[i]) || (i > 0 && !(desc->times[i] > desc->times[i - 1])))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: frame %u is at %g s; times must be finite and increase",
                           path, i, (double)desc->times[i]);
        }
    }
    return check_mesh(path, desc, error);
}

static pleat_result begin(pleat_cache_writer *writer, pleat_error *error)
{
    switch (writer->format)
    {
    case PLEAT_FORMAT_PC2:
        PL_TRY(pl_output_begin(writer->path, &writer->host, &writer->output, error));
        return write_pc2_head(writer, error);
    case PLEAT_FORMAT_MDD:
        PL_TRY(pl_output_begin(writer->path, &writer->host, &writer->output, error));
        return write_mdd_head(writer, error);
    case PLEAT_FORMAT_OBJ:
    case PLEAT_FORMAT_PLY:
        return pleat_outputs_create(&writer->host, &writer->files, error);
    default:
        return pl_fail(error, PLEAT_UNSUPPORTED,
                       "%.300s: a point cache or mesh sequence ends in .pc2, .mdd, .obj or .ply", writer->path);
    }
}

pleat_result pleat_cache_writer_create(const char *path, const pleat_cache_desc *desc, const pleat_host *host,
                                       pleat_cache_writer **result_writer, pleat_error *error)
{
    *result_writer = NULL;
    PL_TRY(pl_cache_check(path, desc, error));
    pleat_cache_writer *writer = PL_CREATE(pleat_cache_writer, host);
    if (!writer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for %.300s", path);
    }
    pleat_result result = PLEAT_OK;
    writer->host = host ? *host : pleat_host_default();
    writer->desc = *desc;
    writer->format = pleat_format_of(path);
    PL_NEW_OR_FAIL(writer->path, &writer->memory, char, strlen(path) + 1, error);
    strcpy(writer->path, path);
    result = begin(writer, error);
    if (result == PLEAT_OK)
    {
        *result_writer = writer;
        return PLEAT_OK;
    }
fail:
    pleat_cache_writer_destroy(writer);
    return result;
}

/* NAME_0012.obj, or NAME.obj if there is one frame. */
static pleat_result begin_frame_file(pleat_cache_writer *writer, pl_output **output, pleat_error *error)
{
    if (writer->desc.frame_count == 1)
    {
        return pl_output_begin(writer->path, &writer->host, output, error);
    }
    size_t length = strlen(writer->path);
    const char *dot = strrchr(writer->path, '.'); /* there is one: the format was found by it */
    char *name = PL_NEW(&writer->memory, char, length + 16);
    if (!name)
    {
        return pl_fail_memory(&writer->memory, error, "the name of a frame");
    }
    snprintf(name, length + 16, "%.*s_%04u%s", (int)(dot - writer->path), writer->path, writer->frame, dot);
    pleat_result result = pl_output_begin(name, &writer->host, output, error);
    pl_free(&writer->memory, name);
    return result;
}

static pleat_result write_frame_file(pleat_cache_writer *writer, const pleat_vec3 *positions, const pleat_vec3 *normals,
                                     pleat_error *error)
{
    pl_output *output;
    PL_TRY(begin_frame_file(writer, &output, error));
    pleat_result result = writer->format == PLEAT_FORMAT_OBJ
                              ? pl_obj_write(output, &writer->desc, positions, normals, error)
                              : pl_ply_write(output, &writer->desc, positions, normals, error);
    if (result != PLEAT_OK)
    {
        pl_output_abort(output);
        return result;
    }
    return pl_output_end(output, writer->files, error);
}

pleat_result pl_cache_check_positions(const char *path, uint32_t frame, const pleat_vec3 *positions, uint32_t count,
                                      pleat_error *error)
{
    for (uint32_t v = 0; v < count; ++v)
    {
        if (!isfinite(positions[v].x) || !isfinite(positions[v].y) || !isfinite(positions[v].z))
        {
            return pl_fail(error, PLEAT_BAD_DATA, "%.250s: frame %u, vertex %u is (%g, %g, %g); it must be finite",
                           path, frame, v, (double)positions[v].x, (double)positions[v].y, (double)positions[v].z);
        }
    }
    return PLEAT_OK;
}

pleat_result pleat_cache_writer_frame(pleat_cache_writer *writer, const pleat_vec3 *positions,
                                      const pleat_vec3 *normals, pleat_error *error)
{
    const pleat_cache_desc *desc = &writer->desc;
    if (writer->frame >= desc->frame_count || writer->done)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: frame %u; %u were announced", writer->path, writer->frame,
                       desc->frame_count);
    }
    PL_TRY(pl_cache_check_positions(writer->path, writer->frame, positions, desc->vertex_count, error));
    PL_TRY(writer->output ? write_floats(writer->output, &positions[0].x, 3 * (size_t)desc->vertex_count,
                                         writer->format == PLEAT_FORMAT_MDD, error)
                          : write_frame_file(writer, positions, normals, error));
    ++writer->frame;
    return PLEAT_OK;
}

pleat_result pleat_cache_writer_mesh(pleat_cache_writer *writer, const pleat_cache_desc *desc, pleat_error *error)
{
    if (writer->output)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: a point cache has one mesh for all its frames",
                       writer->path);
    }
    pleat_cache_desc next = writer->desc;
    next.vertex_count = desc->vertex_count;
    next.triangle_count = desc->triangle_count;
    next.triangles = desc->triangles;
    next.uvs = desc->uvs;
    next.group_count = desc->group_count;
    next.groups = desc->groups;
    PL_TRY(pl_cache_check(writer->path, &next, error));
    writer->desc = next;
    return PLEAT_OK;
}

pleat_result pleat_cache_writer_commit(pleat_cache_writer *writer, pleat_error *error)
{
    if (writer->frame != writer->desc.frame_count || writer->done)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: %u frames were written; %u were announced", writer->path,
                       writer->frame, writer->desc.frame_count);
    }
    writer->done = true;
    if (writer->output)
    {
        pl_output *output = writer->output;
        writer->output = NULL;
        return pl_output_end(output, writer->desc.outputs, error);
    }
    return writer->desc.outputs ? pl_outputs_move(writer->files, writer->desc.outputs, error)
                                : pleat_outputs_commit(writer->files, error);
}

void pleat_cache_writer_destroy(pleat_cache_writer *writer)
{
    if (!writer)
    {
        return;
    }
    pl_output_abort(writer->output);
    pleat_outputs_destroy(writer->files);
    pl_free(&writer->memory, writer->path);
    PL_DESTROY(writer);
}

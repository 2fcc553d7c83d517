/* Wavefront OBJ out: every position and normal reads back as the same float. A UV's v is turned over (OBJ counts it
 * upwards), which keeps values between 0.5 and 1 exactly and others within 6e-8. */
#include "io/mesh/mesh_file.h"

#include "io/file/number.h"

#include <string.h>

enum
{
    LINE_SIZE = 8 + 9 * PL_NUMBER_SIZE /* the longest: a face with three indices a corner */
};

static pleat_result write_row(pl_output *output, const char *keyword, const float *values, int count,
                              pleat_error *error)
{
    char line[LINE_SIZE];
    size_t length = strlen(keyword);
    memcpy(line, keyword, length);
    for (int i = 0; i < count; ++i)
    {
        line[length++] = ' ';
        length += pl_number_format(line + length, values[i]);
    }
    line[length++] = '\n';
    return pl_output_write(output, line, length, error);
}

/* A corner's index once for each list that the file has: v, v/t, v//n or v/t/n. */
static size_t write_corner(char *text, uint32_t vertex, bool uvs, bool normals)
{
    size_t length = pl_number_format_unsigned(text, vertex + 1);
    if (uvs || normals)
    {
        text[length++] = '/';
    }
    if (uvs)
    {
        length += pl_number_format_unsigned(text + length, vertex + 1);
    }
    if (normals)
    {
        text[length++] = '/';
        length += pl_number_format_unsigned(text + length, vertex + 1);
    }
    return length;
}

static pleat_result write_faces(pl_output *output, const pleat_cache_desc *desc, uint32_t first, uint32_t count,
                                bool normals, pleat_error *error)
{
    for (uint32_t t = first; t < first + count; ++t)
    {
        char line[LINE_SIZE] = "f";
        size_t length = 1;
        for (uint32_t k = 0; k < 3; ++k)
        {
            line[length++] = ' ';
            length += write_corner(line + length, desc->triangles[3 * (size_t)t + k], desc->uvs != NULL, normals);
        }
        line[length++] = '\n';
        PL_TRY(pl_output_write(output, line, length, error));
    }
    return PLEAT_OK;
}

/* A name on one line: whatever would end the line or join it to the next becomes a blank. */
static pleat_result write_name(pl_output *output, const char *keyword, const char *name, pleat_error *error)
{
    PL_TRY(pl_output_write(output, keyword, strlen(keyword), error));
    for (const char *c = name; *c; ++c)
    {
        bool plain = (unsigned char)*c >= 0x20 && *c != '\\';
        PL_TRY(pl_output_write(output, plain ? c : " ", 1, error));
    }
    return pl_output_write(output, "\n", 1, error);
}

static pleat_result write_all_faces(pl_output *output, const pleat_cache_desc *desc, bool normals, pleat_error *error)
{
    if (desc->group_count == 0)
    {
        return write_faces(output, desc, 0, desc->triangle_count, normals, error);
    }
    for (uint32_t g = 0; g < desc->group_count; ++g)
    {
        const pleat_cache_group *group = &desc->groups[g];
        PL_TRY(write_name(output, "g ", group->name, error));
        PL_TRY(write_faces(output, desc, group->first_triangle, group->triangle_count, normals, error));
    }
    return PLEAT_OK;
}

pleat_result pl_obj_write(pl_output *output, const pleat_cache_desc *desc, const pleat_vec3 *positions,
                          const pleat_vec3 *normals, pleat_error *error)
{
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        PL_TRY(write_row(output, "v", &positions[v].x, 3, error));
    }
    for (uint32_t v = 0; v < desc->vertex_count && desc->uvs; ++v)
    {
        float uv[2] = {desc->uvs[2 * (size_t)v], 1.0f - desc->uvs[2 * (size_t)v + 1]};
        PL_TRY(write_row(output, "vt", uv, 2, error));
    }
    for (uint32_t v = 0; v < desc->vertex_count && normals; ++v)
    {
        PL_TRY(write_row(output, "vn", &normals[v].x, 3, error));
    }
    return write_all_faces(output, desc, normals != NULL, error);
}

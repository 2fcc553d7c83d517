/* PLY out: binary, little-endian, float properties, triangles as lists. */
#include "io/mesh/mesh_file.h"

#include <string.h>

static void put32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
    {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static size_t put_floats(unsigned char *bytes, const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        uint32_t bits;
        memcpy(&bits, &values[i], 4);
        put32(bytes + 4 * i, bits);
    }
    return 4 * count;
}

pleat_result pl_ply_write(pl_output *output, const pleat_cache_desc *desc, const pleat_vec3 *positions,
                          const pleat_vec3 *normals, pleat_error *error)
{
    PL_TRY(pl_output_print(output, error,
                           "ply\nformat binary_little_endian 1.0\ncomment made by pleat " PLEAT_VERSION
                           "\nelement vertex %u\nproperty float x\nproperty float y\nproperty float z\n%s%s"
                           "element face %u\nproperty list uchar uint vertex_indices\nend_header\n",
                           desc->vertex_count,
                           normals ? "property float nx\nproperty float ny\nproperty float nz\n" : "",
                           desc->uvs ? "property float s\nproperty float t\n" : "", desc->triangle_count));
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        unsigned char row[32];
        size_t length = put_floats(row, &positions[v].x, 3);
        length += normals ? put_floats(row + length, &normals[v].x, 3) : 0;
        if (desc->uvs)
        {
            float uv[2] = {desc->uvs[2 * (size_t)v], 1.0f - desc->uvs[2 * (size_t)v + 1]};
            length += put_floats(row + length, uv, 2);
        }
        PL_TRY(pl_output_write(output, row, length, error));
    }
    for (uint32_t t = 0; t < desc->triangle_count; ++t)
    {
        unsigned char row[13] = {3};
        for (size_t k = 0; k < 3; ++k)
        {
            put32(row + 1 + 4 * k, desc->triangles[3 * (size_t)t + k]);
        }
        PL_TRY(pl_output_write(output, row, sizeof row, error));
    }
    return PLEAT_OK;
}

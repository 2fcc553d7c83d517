/* A PLY file as a model: one mesh with one primitive, vertices in the file's order. */
#include "io/mesh/ply.h"

#include "io/mesh/points.h"

#include <string.h>

/* A copy of a list in the asset's arena; NULL stays NULL. */
static bool keep(pleat_asset *asset, const void *from, size_t size, const void **to)
{
    void *copy = from ? pl_arena_alloc(&asset->arena, size, 1) : NULL;
    if (copy)
    {
        memcpy(copy, from, size);
    }
    *to = copy;
    return copy || !from;
}

static pleat_result build(pleat_asset *asset, const pl_ply *ply, pleat_error *error)
{
    size_t count = ply->vertex_count;
    for (size_t v = 0; v < count && ply->uvs; ++v)
    {
        ply->uvs[2 * v + 1] = 1.0f - ply->uvs[2 * v + 1];
    }
    const void *positions;
    const void *normals;
    const void *uvs;
    const void *colors;
    const void *triangles;
    pleat_primitive *primitive = PL_ARENA_NEW(&asset->arena, pleat_primitive, 1);
    const char *name = pl_points_title(asset, asset->name);
    if (!primitive || !name || !keep(asset, ply->positions, count * sizeof(pleat_vec3), &positions) ||
        !keep(asset, ply->normals, count * sizeof(pleat_vec3), &normals) ||
        !keep(asset, ply->uvs, count * 2 * sizeof(float), &uvs) ||
        !keep(asset, ply->colors, count * 4 * sizeof(float), &colors) ||
        !keep(asset, ply->triangles, 3 * (size_t)ply->triangle_count * sizeof(uint32_t), &triangles))
    {
        return pl_fail_memory(&asset->memory, error, asset->name);
    }
    *primitive = (pleat_primitive){.vertex_count = ply->vertex_count,
                                   .triangle_count = ply->triangle_count,
                                   .triangles = triangles,
                                   .positions = positions,
                                   .normals = normals,
                                   .uvs = uvs,
                                   .colors = colors,
                                   .material = PLEAT_NONE};
    pleat_mesh mesh = {.name = name, .primitive_count = 1, .primitives = primitive};
    return pl_asset_set_mesh(asset, &mesh, error);
}

pleat_result pl_ply_load(pleat_asset *asset, const uint8_t *bytes, size_t size, pleat_error *error)
{
    pl_ply ply;
    PL_TRY(pl_ply_read(bytes, size, asset->name, false, &asset->memory, &asset->host, &ply, error));
    pleat_result result = build(asset, &ply, error);
    pl_ply_free(&ply);
    return result;
}

/* The rectangle: flat cloth, 1 m by 1 m, compressed along X.
 *
 * After the rectangle of "Animation Wrinkling: Augmenting Coarse Cloth Simulations with Realistic-Looking Wrinkles":
 * the front edge (z = 0.5) loses 36 % of its length, the back edge (z = -0.5) nothing, and in between the map is
 * smooth: x' = x (1 - 0.36 g(z) h(t)), with g a smoothstep from back to front and h one over the first 60 frames. It
 * stays flat: there is nothing but compression to answer for. */
#include "make/maker.h"

enum
{
    GROW_FRAMES = 60,
    HOLD_FRAMES = 15
};

static pleat_result make_cloth(pl_maker *maker, pleat_primitive *cloth)
{
    uint32_t quads = maker->options->cloth_quads;
    uint32_t row = quads + 1;
    uint32_t vertex_count = row * row;
    pleat_vec3 *positions;
    pleat_vec3 *normals;
    float *uvs;
    uint32_t *triangles;
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(uvs, maker, keep, float, 2 * (size_t)vertex_count);
    PL_MAKE_NEW(triangles, maker, keep, uint32_t, 6 * (size_t)quads * quads);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        double u = (double)(v % row) / quads;
        double w = (double)(v / row) / quads;
        positions[v] = v3_float(v3(u - 0.5, 0, w - 0.5));
        normals[v] = (pleat_vec3){0, 1, 0};
        uvs[2 * v] = (float)u;
        uvs[2 * v + 1] = (float)w;
    }
    uint32_t *corner = triangles;
    for (uint32_t j = 0; j < quads; ++j)
    {
        for (uint32_t i = 0; i < quads; ++i)
        {
            uint32_t a = j * row + i;
            /* Diagonals alternate, so that no direction is favoured. */
            uint32_t even[6] = {a, a + row, a + row + 1, a, a + row + 1, a + 1};
            uint32_t odd[6] = {a, a + row, a + 1, a + 1, a + row, a + row + 1};
            memcpy(corner, (i + j) % 2 ? odd : even, sizeof even);
            corner += 6;
        }
    }
    *cloth = (pleat_primitive){.vertex_count = vertex_count,
                               .triangle_count = 2 * quads * quads,
                               .triangles = triangles,
                               .positions = positions,
                               .normals = normals,
                               .uvs = uvs,
                               .material = 0};
    return PLEAT_OK;
}

pleat_result pl_make_rectangle(pl_maker *maker)
{
    const uint32_t frame_count = GROW_FRAMES + HOLD_FRAMES + 1;
    maker->materials[pl_maker_material(maker, "cloth", 0.55, 0.18, 0.14, 0.85)].double_sided = true;
    pleat_primitive *cloth;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "cloth", PLEAT_NONE, 1, &cloth, &node));
    PL_TRY(make_cloth(maker, cloth));
    pleat_vec3 *frames;
    PL_MAKE_NEW(frames, maker, keep, pleat_vec3, (size_t)frame_count * cloth->vertex_count);
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        double grown = pl_smoothstep(0, GROW_FRAMES, f);
        for (uint32_t v = 0; v < cloth->vertex_count; ++v)
        {
            pleat_vec3 p = cloth->positions[v];
            double front = pl_smoothstep(-0.5, 0.5, (double)p.z);
            p.x = (float)((double)p.x * (1 - 0.36 * front * grown));
            frames[(size_t)f * cloth->vertex_count + v] = p;
        }
    }
    pleat_clip *clip;
    pleat_channel *channel;
    float *times;
    PL_TRY(pl_maker_clip(maker, "compress", frame_count, 1, &clip, &channel, &times));
    pl_frames all = {frame_count, times, frames, NULL};
    return pl_maker_frames(maker, node, clip, channel, &all);
}

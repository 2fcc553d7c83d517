/* Vertex-animation textures. */
#include "pleat/export/maps.h"

#include <math.h>

enum
{
    WIDEST = 8192
};

pleat_vat_layout pleat_vat_layout_of(uint32_t vertex_count, uint32_t frame_count)
{
    pleat_vat_layout layout = {0};
    uint32_t blocks = (vertex_count + WIDEST - 1) / WIDEST;
    blocks = blocks ? blocks : 1;
    layout.width = (vertex_count + blocks - 1) / blocks;
    layout.height = blocks * frame_count;
    layout.frame_count = frame_count;
    return layout;
}

size_t pleat_vat_texel(const pleat_vat_layout *layout, uint32_t vertex, uint32_t frame)
{
    size_t row = (size_t)(vertex / layout->width) * layout->frame_count + frame;
    return row * layout->width + vertex % layout->width;
}

static uint16_t word_between(float x, float low, float high)
{
    float part = high > low ? (x - low) / (high - low) : 0;
    return (uint16_t)(fminf(fmaxf(part, 0), 1) * 65535.0f + 0.5f);
}

void pleat_vat_frame(const pleat_vat_layout *layout, uint32_t frame, uint32_t vertex_count, const pleat_vec3 *positions,
                     const pleat_vec3 *normals, pleat_vec3 low, pleat_vec3 high, uint16_t *out_positions,
                     uint16_t *out_normals)
{
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        size_t texel = pleat_vat_texel(layout, v, frame);
        if (positions && out_positions)
        {
            uint16_t *out = out_positions + 3 * texel;
            out[0] = word_between(positions[v].x, low.x, high.x);
            out[1] = word_between(positions[v].y, low.y, high.y);
            out[2] = word_between(positions[v].z, low.z, high.z);
        }
        if (normals && out_normals)
        {
            uint16_t *out = out_normals + 3 * texel;
            out[0] = word_between(normals[v].x, -1, 1);
            out[1] = word_between(normals[v].y, -1, 1);
            out[2] = word_between(normals[v].z, -1, 1);
        }
    }
}

/* Vertex-animation textures. */
#include "pleat/maps.h"

#include <math.h>

enum
{
    WIDEST = 8192
};

pleat_vat_layout pleat_vat_layout_of(uint32_t vertex_count, uint32_t frame_count)
{
    pleat_vat_layout layout = {0};
    layout.rows = (vertex_count + WIDEST - 1) / WIDEST;
    layout.rows = layout.rows ? layout.rows : 1;
    layout.width = (vertex_count + layout.rows - 1) / layout.rows;
    layout.height = layout.rows * frame_count;
    return layout;
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
    size_t first = (size_t)frame * layout->rows * layout->width;
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        if (positions && out_positions)
        {
            uint16_t *out = out_positions + 3 * (first + v);
            out[0] = word_between(positions[v].x, low.x, high.x);
            out[1] = word_between(positions[v].y, low.y, high.y);
            out[2] = word_between(positions[v].z, low.z, high.z);
        }
        if (normals && out_normals)
        {
            uint16_t *out = out_normals + 3 * (first + v);
            out[0] = word_between(normals[v].x, -1, 1);
            out[1] = word_between(normals[v].y, -1, 1);
            out[2] = word_between(normals[v].z, -1, 1);
        }
    }
}

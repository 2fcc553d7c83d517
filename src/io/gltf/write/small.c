/* Numbers as small integers, as KHR_mesh_quantization and glTF itself allow them. Elements of vertex data begin at
 * multiples of 4 bytes. */
#include "io/gltf/write/writer.h"

#include <math.h>
#include <string.h>

enum
{
    VERTICES = 34962
};

void pl_require_extension(pl_writer *w, const char *name)
{
    static const char *const lists[] = {"extensionsUsed", "extensionsRequired"};
    for (size_t l = 0; l < 2; ++l)
    {
        json_t *list = pl_section(w, lists[l]);
        bool there = false;
        for (size_t i = 0; i < json_array_size(list); ++i)
        {
            const char *listed = json_string_value(json_array_get(list, i));
            there |= listed && strcmp(listed, name) == 0;
        }
        if (!there)
        {
            pl_json_append(w, list, json_string(name));
        }
    }
}

/* The nearest of -127..127 for a number of -1..1. */
static int8_t to_byte(float value)
{
    float held = fminf(fmaxf(value, -1), 1);
    return (int8_t)lrintf(held * 127);
}

pleat_result pl_small_directions(pl_writer *w, const float *values, uint32_t count, uint32_t width, uint32_t *index)
{
    int8_t *bytes = pl_writer_alloc(w, (size_t)count * 4, 1);
    if (!bytes)
    {
        return pl_writer_no_memory(w);
    }
    for (size_t v = 0; v < count; ++v)
    {
        for (uint32_t c = 0; c < 4; ++c)
        {
            bytes[4 * v + c] = c < width ? to_byte(values[v * width + c]) : 0;
        }
    }
    pl_require_extension(w, "KHR_mesh_quantization");
    pl_accessor_desc desc = {bytes,      count, width == 4 ? "VEC4" : "VEC3", PL_I8, VERTICES, .normalized = true,
                             .stride = 4};
    return pl_add_accessor(w, &desc, index);
}

static uint16_t to_share(float value)
{
    return (uint16_t)lrintf(value * UINT16_MAX);
}

static bool are_shares(const float *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        if (!(values[i] >= 0 && values[i] <= 1))
        {
            return false;
        }
    }
    return true;
}

pleat_result pl_small_uvs(pl_writer *w, const float *uvs, uint32_t count, uint32_t *index)
{
    pl_accessor_desc desc = {uvs, count, "VEC2", .component = PL_F32, .target = VERTICES};
    if (are_shares(uvs, 2 * (size_t)count))
    {
        uint16_t *shorts = pl_writer_alloc(w, 2 * (size_t)count, sizeof *shorts);
        if (!shorts)
        {
            return pl_writer_no_memory(w);
        }
        for (size_t i = 0; i < 2 * (size_t)count; ++i)
        {
            shorts[i] = to_share(uvs[i]);
        }
        pl_require_extension(w, "KHR_mesh_quantization");
        desc = (pl_accessor_desc){shorts, count, "VEC2", PL_U16, VERTICES, .normalized = true, .stride = 4};
    }
    return pl_add_accessor(w, &desc, index);
}

pleat_result pl_small_weights(pl_writer *w, const float *weights, uint32_t count, uint32_t *index)
{
    uint16_t *shorts = pl_writer_alloc(w, 4 * (size_t)count, sizeof *shorts);
    if (!shorts)
    {
        return pl_writer_no_memory(w);
    }
    for (size_t v = 0; v < count; ++v)
    {
        const float *in = weights + 4 * v;
        uint16_t *out = shorts + 4 * v;
        float sum = in[0] + in[1] + in[2] + in[3]; /* of this set; a second one has the rest */
        int32_t rest = (int32_t)lrintf(sum * UINT16_MAX);
        uint32_t largest = 0;
        for (uint32_t c = 0; c < 4; ++c)
        {
            out[c] = to_share(in[c]);
            rest -= out[c];
            largest = in[c] > in[largest] ? c : largest;
        }
        int32_t mended = out[largest] + rest;
        out[largest] = (uint16_t)(mended < 0 ? 0 : mended > UINT16_MAX ? UINT16_MAX : mended);
    }
    pl_accessor_desc desc = {shorts, count, "VEC4", PL_U16, VERTICES, .normalized = true, .stride = 8};
    return pl_add_accessor(w, &desc, index);
}

pleat_result pl_small_shares(pl_writer *w, const float *values, uint32_t count, bool *fits, uint32_t *index)
{
    *fits = are_shares(values, count);
    uint16_t *shorts = *fits ? pl_writer_alloc(w, count, sizeof *shorts) : NULL;
    if (!shorts)
    {
        return *fits ? pl_writer_no_memory(w) : PLEAT_OK;
    }
    for (size_t i = 0; i < count; ++i)
    {
        shorts[i] = to_share(values[i]);
    }
    pl_accessor_desc desc = {shorts, count, "SCALAR", PL_U16, .normalized = true};
    return pl_add_accessor(w, &desc, index);
}

pleat_result pl_scaled_positions(pl_writer *w, const pleat_vec3 *positions, uint32_t count, float step, uint32_t *index)
{
    pleat_vec3 *scaled = pl_writer_alloc(w, count, sizeof *scaled);
    if (!scaled)
    {
        return pl_writer_no_memory(w);
    }
    for (size_t v = 0; v < count; ++v)
    {
        scaled[v] = (pleat_vec3){positions[v].x / step, positions[v].y / step, positions[v].z / step};
    }
    pl_accessor_desc desc = {scaled, count, "VEC3", PL_F32, VERTICES, .bounds = true};
    return pl_add_accessor(w, &desc, index);
}

/* Joints and weights as files want them: no joint twice in a vertex, joint 0 where the weight is 0, and a sum of 1. */
#include "io/gltf/write/writer.h"

#include <math.h>

enum
{
    MOST = 8
};

/* One vertex, cleaned. */
typedef struct influences
{
    uint16_t joints[MOST];
    float weights[MOST];
} influences;

static bool clean(const pleat_primitive *primitive, uint32_t v, influences *out)
{
    uint32_t width = primitive->influence_count;
    const uint16_t *joints = primitive->joints + (size_t)v * width;
    const float *weights = primitive->weights + (size_t)v * width;
    double sums[MOST] = {0};
    double total = 0;
    uint32_t count = 0;
    *out = (influences){0};
    for (uint32_t i = 0; i < width; ++i)
    {
        if (!(weights[i] >= 0) || !isfinite(weights[i]))
        {
            return false;
        }
        if (weights[i] == 0)
        {
            continue;
        }
        uint32_t place = 0;
        while (place < count && out->joints[place] != joints[i])
        {
            ++place;
        }
        count += place == count;
        out->joints[place] = joints[i];
        sums[place] += (double)weights[i];
        total += (double)weights[i];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        out->weights[i] = (float)(sums[i] / total);
        if (out->weights[i] == 0)
        {
            out->joints[i] = 0;
        }
    }
    return total > 0;
}

static bool small_joints(const pleat_primitive *primitive)
{
    size_t count = (size_t)primitive->vertex_count * primitive->influence_count;
    for (size_t i = 0; i < count; ++i)
    {
        if (primitive->joints[i] > UINT8_MAX)
        {
            return false;
        }
    }
    return true;
}

static pleat_result put_set(pl_writer *w, const pleat_primitive *primitive, uint32_t set, bool small,
                            json_t *attributes)
{
    size_t count = (size_t)primitive->vertex_count * 4;
    uint8_t *bytes = pl_writer_alloc(w, small ? count : 0, sizeof *bytes);
    uint16_t *shorts = pl_writer_alloc(w, small ? 0 : count, sizeof *shorts);
    float *weights = pl_writer_alloc(w, count, sizeof *weights);
    if (!bytes || !shorts || !weights)
    {
        return pl_writer_no_memory(w);
    }
    for (uint32_t v = 0; v < primitive->vertex_count; ++v)
    {
        influences cleaned;
        if (!clean(primitive, v, &cleaned))
        {
            return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "the weights of vertex %u to be written do not add up to 1",
                                  v);
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            size_t at = (size_t)v * 4 + i;
            weights[at] = cleaned.weights[set * 4 + i];
            /* A weight that 16 bits round to 0 has joint 0, too. */
            bool gone = w->edits->encoding != PLEAT_ENCODE_PLAIN && weights[at] * UINT16_MAX < 0.5f;
            uint16_t joint = gone ? 0 : cleaned.joints[set * 4 + i];
            if (small)
            {
                bytes[at] = (uint8_t)joint;
            }
            else
            {
                shorts[at] = joint;
            }
        }
    }
    uint32_t index;
    pl_accessor_desc joint_desc = {small ? (void *)bytes : (void *)shorts, primitive->vertex_count, "VEC4",
                                   .component = small ? PL_U8 : PL_U16, .target = 34962};
    PL_TRY(pl_add_accessor(w, &joint_desc, &index));
    pl_json_set(w, attributes, pl_at("JOINTS_%u", set).text, json_integer(index));
    if (w->edits->encoding != PLEAT_ENCODE_PLAIN)
    {
        PL_TRY(pl_small_weights(w, weights, primitive->vertex_count, &index));
    }
    else
    {
        pl_accessor_desc weight_desc = {weights, primitive->vertex_count, "VEC4", .component = PL_F32, .target = 34962};
        PL_TRY(pl_add_accessor(w, &weight_desc, &index));
    }
    pl_json_set(w, attributes, pl_at("WEIGHTS_%u", set).text, json_integer(index));
    return pl_writer_check(w);
}

pleat_result pl_write_influences(pl_writer *w, const pleat_primitive *primitive, json_t *attributes)
{
    if (primitive->influence_count != 4 && primitive->influence_count != 8)
    {
        return pl_writer_fail(w, PLEAT_BAD_ARGUMENT, "influence_count is %u; it can be 0, 4 or 8",
                              primitive->influence_count);
    }
    bool small = small_joints(primitive);
    for (uint32_t set = 0; set < primitive->influence_count / 4; ++set)
    {
        PL_TRY(put_set(w, primitive, set, small, attributes));
    }
    return PLEAT_OK;
}

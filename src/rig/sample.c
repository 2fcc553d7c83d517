/* One channel at one time: glTF 2.0, section 3.11 and appendix C (interpolation). */
#include "pleat/rig.h"

#include "base/vec.h"

/* The key k with times[k] <= time < times[k + 1], for a time between the first and the last key. Exporters mostly place
 * keys at even steps, so the search starts at the key that even steps would give and is then over at once. */
static uint32_t find_key(const float *times, uint32_t key_count, float time)
{
    uint32_t low = 0;
    uint32_t high = key_count - 1;
    float fraction = (time - times[0]) / (times[high] - times[0]);
    uint32_t middle = (uint32_t)(fraction * (float)high);
    middle = middle < high ? middle : high - 1;
    if (times[middle] <= time)
    {
        low = middle;
        high = times[middle + 1] > time ? middle + 1 : high;
    }
    else
    {
        high = middle;
    }
    while (high - low > 1)
    {
        middle = low + (high - low) / 2;
        if (times[middle] <= time)
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

static pl_f4 load4(const float *values)
{
    return pl_set(values[0], values[1], values[2], values[3]);
}

static void store4(float *values, pl_f4 v)
{
    memcpy(values, &v, sizeof v);
}

static void hold(const pleat_channel *channel, uint32_t key, float *out)
{
    size_t width = channel->width;
    bool spline = channel->interpolation == PLEAT_CUBICSPLINE;
    const float *value = spline ? channel->values + (3 * (size_t)key + 1) * width : channel->values + key * width;
    memcpy(out, value, width * sizeof *out);
}

static void linear(const pleat_channel *channel, uint32_t key, float t, float *out)
{
    size_t width = channel->width;
    const float *a = channel->values + key * width;
    const float *b = a + width;
    if (channel->path == PLEAT_ROTATION)
    {
        store4(out, pl_quat_slerp(pl_quat_normalize(load4(a)), pl_quat_normalize(load4(b)), t));
        return;
    }
    for (size_t i = 0; i < width; ++i)
    {
        out[i] = a[i] + (b[i] - a[i]) * t;
    }
}

/* Hermite with tangents in units per second: step is the time between the two keys. */
static void spline(const pleat_channel *channel, uint32_t key, float t, float step, float *out)
{
    size_t width = channel->width;
    const float *value = channel->values + (3 * (size_t)key + 1) * width;
    const float *leaving = value + width;
    const float *arriving = leaving + width; /* the next key's in-tangent */
    const float *next = arriving + width;
    float t2 = t * t;
    float t3 = t2 * t;
    float of_value = 2 * t3 - 3 * t2 + 1;
    float of_leaving = step * (t3 - 2 * t2 + t);
    float of_next = -2 * t3 + 3 * t2;
    float of_arriving = step * (t3 - t2);
    for (size_t i = 0; i < width; ++i)
    {
        out[i] = of_value * value[i] + of_leaving * leaving[i] + of_next * next[i] + of_arriving * arriving[i];
    }
}

void pleat_channel_sample(const pleat_channel *channel, float time, float *out)
{
    const float *times = channel->times;
    uint32_t last = channel->key_count - 1;
    if (!(time > times[0]))
    {
        hold(channel, 0, out);
    }
    else if (time >= times[last])
    {
        hold(channel, last, out);
    }
    else
    {
        uint32_t key = find_key(times, channel->key_count, time);
        float step = times[key + 1] - times[key];
        float t = (time - times[key]) / step;
        switch (channel->interpolation)
        {
        case PLEAT_STEP:
            hold(channel, key, out);
            break;
        case PLEAT_LINEAR:
            linear(channel, key, t, out);
            return; /* a slerp is normalised already */
        case PLEAT_CUBICSPLINE:
            spline(channel, key, t, step, out);
            break;
        }
    }
    if (channel->path == PLEAT_ROTATION)
    {
        store4(out, pl_quat_normalize(load4(out)));
    }
}

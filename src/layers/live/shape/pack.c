/* Buffers for a GPU, see pleat_live_buffers. R. Gillette, 2015, sec. 7.2: three of them, so that what is uploaded grows
 * with the wrinkles and not with the mesh. Triangles that nothing touches are not in them at all. */
#include "layers/live/live.h"

#include <string.h>

/* A float as a half: to the nearest, ties to even; too small is 0, too large the largest. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest < 0x38800000) /* below 2^-14: in steps of 2^-24 */
    {
        return (uint16_t)(sign | (uint32_t)lrintf(fabsf(value) * 16777216.0f));
    }
    if (rest >= 0x477ff000)
    {
        return (uint16_t)(sign | 0x7bff);
    }
    rest += 0xfff + (rest >> 13 & 1);
    return (uint16_t)(sign | ((rest - 0x38000000) >> 13));
}

static size_t bytes_of(uint32_t points, uint32_t touches)
{
    return (size_t)points * PLEAT_LIVE_POINT_BYTES + (size_t)touches * (PLEAT_LIVE_PATCH_BYTES + PLEAT_LIVE_SPAN_BYTES);
}

/* Chooses lines, the highest first, until the room is full: marks of lines get their first packed point, or NONE. */
static void choose(pleat_live *live, uint32_t *first_packed)
{
    uint32_t *touches = live->candidates, *order = live->candidates + live->most, points = 0, touched = 0;
    memset(touches, 0, live->most * sizeof *touches);
    for (uint32_t i = 0; i < live->touch_count; ++i)
    {
        ++touches[live->touches[i].line];
    }
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        uint32_t at = i;
        for (; at > 0 && live->lines[order[at - 1]].height < live->lines[i].height; --at)
        {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    live->figures.left_out = 0;
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        const pleat_live_wrinkle *line = &live->lines[order[i]];
        bool fits = bytes_of(points + line->point_count, touched + touches[order[i]]) <= PLEAT_LIVE_UPLOAD_BYTES;
        bool drawn = line->height > 0;
        live->figures.left_out += drawn && !fits;
        first_packed[order[i]] = drawn && fits ? 0 : PLEAT_NONE;
        points += drawn && fits ? line->point_count : 0;
        touched += drawn && fits ? touches[order[i]] : 0;
    }
}

static uint8_t *put_u16(uint8_t *out, uint32_t value)
{
    *out++ = (uint8_t)value;
    *out++ = (uint8_t)(value >> 8);
    return out;
}

static uint8_t *put_float(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u16(put_u16(out, bits), bits >> 16);
}

static uint8_t *put_points(pleat_live *live, uint32_t *first_packed, uint8_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        const pleat_live_wrinkle *line = &live->lines[i];
        if (first_packed[i] == PLEAT_NONE)
        {
            continue;
        }
        first_packed[i] = count;
        count += line->point_count;
        for (uint32_t k = 0; k < line->point_count; ++k)
        {
            const pleat_live_point *point = &live->points[line->first_point + k];
            out = put_float(put_float(put_float(out, point->position.x), point->position.y), point->position.z);
            out = put_u16(put_u16(out, half_of(point->height)), half_of(point->width));
        }
    }
    live->buffers.point_count = count;
    return out;
}

static uint32_t count_spans(const pleat_live *live, const uint32_t *first_packed, uint32_t triangle)
{
    uint32_t count = 0;
    for (uint32_t i = live->touched[triangle]; i != PLEAT_NONE; i = live->touches[i].next)
    {
        count += first_packed[live->touches[i].line] != PLEAT_NONE;
    }
    return count;
}

static uint8_t *put_patches(pleat_live *live, const uint32_t *first_packed, uint8_t *out)
{
    uint32_t first = 0;
    live->buffers.patch_count = 0;
    for (uint32_t i = 0; i < live->patch_count; ++i)
    {
        uint32_t count = count_spans(live, first_packed, live->patches[i]);
        if (count)
        {
            out = put_u16(put_u16(out, live->patches[i]), live->patches[i] >> 16);
            out = put_u16(put_u16(out, first), count);
            first += count;
            ++live->buffers.patch_count;
        }
    }
    live->buffers.span_count = first;
    return out;
}

static void put_spans(const pleat_live *live, const uint32_t *first_packed, uint8_t *out)
{
    for (uint32_t p = 0; p < live->patch_count; ++p)
    {
        for (uint32_t i = live->touched[live->patches[p]]; i != PLEAT_NONE; i = live->touches[i].next)
        {
            const pl_live_touch *touch = &live->touches[i];
            uint32_t from = first_packed[touch->line], line = live->lines[touch->line].first_point;
            if (from != PLEAT_NONE)
            {
                out = put_u16(put_u16(out, from + touch->first - line), from + touch->last - line);
            }
        }
    }
}

void pl_live_pack(pleat_live *live)
{
    uint32_t *first_packed = live->candidates + 2 * (size_t)live->most;
    choose(live, first_packed);
    uint8_t *patches = put_points(live, first_packed, live->packed);
    uint8_t *spans = put_patches(live, first_packed, patches);
    put_spans(live, first_packed, spans);
    live->buffers.points = live->packed;
    live->buffers.patches = patches;
    live->buffers.spans = spans;
}

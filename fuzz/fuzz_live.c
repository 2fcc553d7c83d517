/* Live wrinkles on hostile triangles and motion: whatever comes, their numbers are numbers, the buffers fit, and a
 * state that was saved goes on alike. Bytes: how many vertices and triangles, corners, then frames: what happens, and a
 * step for each coordinate. */
#include "fuzz.h"

#include "pleat/layers/live.h"

#include <math.h>

enum
{
    VERTICES = 40,
    TRIANGLES = 60,
    FRAMES = 60
};

typedef struct bytes
{
    const uint8_t *at, *end;
} bytes;

static uint8_t take(bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

static void check(const pleat_live *live)
{
    pleat_error none = {0};
    const pleat_live_wrinkle *wrinkles;
    const pleat_live_point *points;
    uint32_t count = pleat_live_wrinkles(live, &wrinkles, &points);
    for (uint32_t w = 0; w < count; ++w)
    {
        for (uint32_t i = 0; i < wrinkles[w].point_count; ++i)
        {
            const pleat_live_point *p = &points[wrinkles[w].first_point + i];
            float sum = p->position.x + p->position.y + p->position.z + p->height + p->width;
            fuzz_must(isfinite(sum) && p->place.triangle < TRIANGLES, "a wrinkle is no number", &none);
        }
    }
    pleat_live_buffers b = pleat_live_packed(live);
    fuzz_must(b.patch_count * PLEAT_LIVE_PATCH_BYTES + b.span_count * PLEAT_LIVE_SPAN_BYTES +
                      b.point_count * PLEAT_LIVE_POINT_BYTES <=
                  PLEAT_LIVE_UPLOAD_BYTES,
              "too much to upload", &none);
}

static void move(bytes *b, uint32_t count, pleat_vec3 *positions)
{
    uint8_t kind = take(b);
    for (uint32_t v = 0; v < count; ++v)
    {
        float *x[3] = {&positions[v].x, &positions[v].y, &positions[v].z};
        for (int k = 0; k < 3; ++k)
        {
            float step = ((float)take(b) - 128) / 1000;
            *x[k] = kind == 255 ? NAN : kind == 254 ? *x[k] * 1e3f : kind == 253 ? *x[k] * 1e-3f : *x[k] + step;
            *x[k] = kind < 253 && !isfinite(*x[k]) ? step : *x[k];
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const float steps[8] = {1 / 30.0f, 1 / 60.0f, 1 / 120.0f, 0, -1, 0.2f, 60, NAN};
    bytes b = {data, data + size};
    uint32_t triangles[3 * TRIANGLES];
    pleat_vec3 positions[VERTICES] = {{0}};
    pleat_host host = fuzz_host();
    pleat_error error = {0};
    pleat_live *live;
    pleat_live_desc desc = pleat_live_desc_default();
    desc.vertex_count = 3 + take(&b) % (VERTICES - 2);
    desc.triangle_count = 1 + take(&b) % TRIANGLES;
    desc.triangles = triangles;
    desc.options.tau = 1.02f + (float)take(&b) / 500;
    desc.options.width = 0.01f;
    desc.options.side = take(&b) % 3;
    for (uint32_t c = 0; c < 3 * desc.triangle_count; ++c)
    {
        triangles[c] = take(&b) % desc.vertex_count;
    }
    pleat_result result = pleat_live_create(&desc, &host, &live, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    for (int f = 0; f < FRAMES && b.at < b.end; ++f)
    {
        move(&b, desc.vertex_count, positions);
        pleat_live_update(live, positions, steps[take(&b) % 8], NULL);
        check(live);
    }
    pleat_live_destroy(live);
    return 0;
}

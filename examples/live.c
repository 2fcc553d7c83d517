/* Live wrinkles in a program of one's own, from triangles alone: a sleeve that bends, as an engine would skin it. */
#include "pleat/layers/live.h"
#include <math.h>
#include <stdio.h>
#define AROUND 12u
#define ALONG 31u
/* A tube of 60 cm along x, bent at its middle. */
static void move_sleeve(float angle, pleat_vec3 *positions)
{
    for (uint32_t v = 0; v < AROUND * ALONG; ++v)
    {
        float turn = 6.2831853f * (float)(v % AROUND) / AROUND, x = 0.02f * (float)(v / AROUND) - 0.3f;
        float y = 0.05f * cosf(turn), z = 0.05f * sinf(turn);
        float share = fminf(fmaxf(x / 0.1f + 0.5f, 0), 1); /* of the second bone */
        float bent_x = cosf(angle) * x - sinf(angle) * y, bent_y = sinf(angle) * x + cosf(angle) * y;
        positions[v] = (pleat_vec3){x + share * (bent_x - x), y + share * (bent_y - y), z};
    }
}
int main(void)
{
    static uint32_t triangles[6 * AROUND * (ALONG - 1)];
    static pleat_vec3 positions[AROUND * ALONG];
    for (uint32_t i = 0; i < AROUND * (ALONG - 1); ++i)
    {
        uint32_t a = i, b = i % AROUND == AROUND - 1 ? i + 1 - AROUND : i + 1;
        uint32_t quad[6] = {a, b + AROUND, b, a, a + AROUND, b + AROUND}; /* turning left as seen from outside */
        for (uint32_t k = 0; k < 6; ++k)
            triangles[6 * i + k] = quad[k];
    }
    pleat_error error = {0};
    pleat_live *live = NULL;
    pleat_live_desc desc = pleat_live_desc_default();
    desc.vertex_count = AROUND * ALONG;
    desc.triangle_count = 2 * AROUND * (ALONG - 1);
    desc.triangles = triangles;
    desc.options.width = 0.008f; /* metres, as positions are */
    if (pleat_live_create(&desc, NULL, &live, &error))
        return fprintf(stderr, "%s\n", error.message), 1;
    for (int frame = 0; frame <= 90; ++frame)
    {
        move_sleeve(1.9f * fminf((float)frame / 60, 1), positions);
        pleat_live_update(live, positions, 1 / 60.0f, NULL); /* never allocates */
        pleat_live_buffers b = pleat_live_packed(live);      /* for the GPU */
        if (frame % 15 == 0)
            printf("%.2f s: %u wrinkles, up to %.1f mm; %u patches, %u spans, %u points\n", (double)frame / 60,
                   pleat_live_last(live).wrinkles, 1e3 * (double)pleat_live_last(live).highest, b.patch_count,
                   b.span_count, b.point_count);
    }
    bool none = pleat_live_last(live).wrinkles == 0;
    pleat_live_destroy(live);
    return none;
}

/* Where the cloth was 1/30 s ago. Compared with the last frame, labels would depend on the frame rate: at 60 frames a
 * second only a third of them would be those of 30. */
#include "layers/live/live.h"

#include <string.h>

/* Positions are remembered this often at most: enough of them reach back for 1/30 s, and one more. */
static const float RING_STEP = 1 / 300.0f;
/* A frame of 1/30 s may be a little short of it. */
static const float ALMOST = 0.95f;

static pleat_vec4 *entry(const pleat_live *live, uint32_t back)
{
    uint32_t slot = (live->head->ring_last + PL_LIVE_RING - back) % PL_LIVE_RING;
    return live->ring + (size_t)slot * live->topology->vertex_count;
}

static float *age(const pleat_live *live, uint32_t back)
{
    return &live->head->ring_age[(live->head->ring_last + PL_LIVE_RING - back) % PL_LIVE_RING];
}

static void remember(pleat_live *live)
{
    pl_live_head *head = live->head;
    head->ring_last = (head->ring_last + 1) % PL_LIVE_RING;
    head->ring_count += head->ring_count < PL_LIVE_RING;
    *age(live, 0) = 0;
    memcpy(entry(live, 0), live->now, live->topology->vertex_count * sizeof *live->now);
}

void pl_live_ring_restart(pleat_live *live)
{
    live->head->ring_count = 0;
    remember(live);
}

/* Between two shapes, or at one of them. */
static void blend(pleat_live *live, const pleat_vec4 *older, const pleat_vec4 *younger, float share)
{
    for (uint32_t v = 0; v < live->topology->vertex_count; ++v)
    {
        pl_store(&live->before[v], pl_lerp(pl_load(&older[v]), pl_load(&younger[v]), share));
    }
}

void pl_live_ring_push(pleat_live *live, float dt)
{
    pl_live_head *head = live->head;
    float wanted = 1 / PL_LIVE_RATE;
    uint32_t back = 0;
    for (uint32_t i = 0; i < head->ring_count; ++i)
    {
        *age(live, i) += dt;
    }
    while (back + 1 < head->ring_count && *age(live, back) < ALMOST * wanted)
    {
        ++back;
    }
    float old = *age(live, back), young = back ? *age(live, back - 1) : 0;
    float share = old > wanted ? (old - wanted) / (old - young) : 0;
    blend(live, entry(live, back), back ? entry(live, back - 1) : live->now, share);
    if (*age(live, 0) >= RING_STEP)
    {
        remember(live);
    }
}

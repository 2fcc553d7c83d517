/* The volume under a block of quads: what every frame computes for all of them. Bound by the loads of four points for
 * two triangles. */
#include "layers/volume/volume.h"

#include "base/eight.h"
#include "base/wide.h"

enum
{
    CHUNK = 8 /* pairs of quads that are summed in single precision */
};

#define TURNED(v) __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7)

/* Sum of (a - near) . N over quads, N = (c - a) x (d - b), and of N. */
typedef struct block_sums
{
    double volume, area[3];
} block_sums;

PL_INLINE pl_f4 point_at(const pl_volume_view *view, uint32_t offset, bool plain)
{
    if (plain)
    {
        return *(const pl_f4 *)((const char *)view->positions + offset);
    }
    return pl_volume_point(view->closed, view->positions, view->centres, offset / (uint32_t)sizeof(pleat_vec4));
}

/* The corners of two quads, one in each half. */
PL_INLINE pl_f8 load_pair(const pl_volume_view *view, uint32_t one, uint32_t other, bool plain)
{
    return pl_join8(point_at(view, one, plain), point_at(view, other, plain));
}

PL_INLINE block_sums sum_block(const pl_volume_view *view, const pl_volume_block *b, pl_f4 near, bool plain)
{
    const uint32_t *corner = view->groups->quads + 4 * (size_t)b->first;
    const uint32_t *final = corner + 4 * (size_t)(b->count - 1);
    const uint32_t last[8] = {final[0], final[1], final[2], final[3], final[0], final[0], final[0], final[0]};
    pl_f8 near_pair = pl_join8(near, near);
    pl_d4 volume = {0, 0, 0, 0}, area = {0, 0, 0, 0};
    for (uint32_t q = 0; q < b->count;)
    {
        pl_f8 volume_part = {0}, area_part = {0};
        for (uint32_t end = q + 2 * CHUNK; q < end && q < b->count; q += 2, corner += 8)
        {
            /* The odd one at the end goes with a quad that is a point. */
            const uint32_t *here = q + 1 < b->count ? corner : last;
            pl_f8 p = load_pair(view, here[0], here[4], plain), u = load_pair(view, here[2], here[6], plain) - p;
            pl_f8 v = load_pair(view, here[3], here[7], plain) - load_pair(view, here[1], here[5], plain);
            pl_f8 normal = u * TURNED(v) - TURNED(u) * v; /* z, x, y */
            normal = TURNED(normal);
            volume_part += (p - near_pair) * normal;
            area_part += normal;
        }
        volume += pl_double_half(volume_part, 0) + pl_double_half(volume_part, 1);
        area += pl_double_half(area_part, 0) + pl_double_half(area_part, 1);
    }
    return (block_sums){volume[0] + volume[1] + volume[2], {area[0], area[1], area[2]}};
}

/* Points are taken from a vertex of the block, so that floats hold them well, and the sum is brought to the shell's
 * origin with the sum of N. */
double PL_WIDE(pl_volume_of_block)(const pl_volume_view *view, uint32_t block)
{
    const pl_volume_block *b = &view->groups->blocks[block];
    const pleat_vec4 *origin = &view->origins[view->groups->groups[b->group].shell];
    pl_f4 near = point_at(view, view->groups->quads[4 * (size_t)b->first], false);
    block_sums sums = b->plain ? sum_block(view, b, near, true) : sum_block(view, b, near, false);
    double x = (double)near[0] - (double)origin->x, y = (double)near[1] - (double)origin->y;
    double z = (double)near[2] - (double)origin->z;
    return (sums.volume + x * sums.area[0] + y * sums.area[1] + z * sums.area[2]) / 6;
}

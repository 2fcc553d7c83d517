/* The volume under a block of triangles: what every frame computes for all of them. Bound by the loads of three points
 * a triangle. */
#include "layer/volume.h"

#include "base/eight.h"
#include "base/wide.h"

enum
{
    CHUNK = 8 /* pairs of triangles that are summed in single precision */
};

/* Sum of (p - near) . N over triangles, N = (q - p) x (r - p), and of N. */
typedef struct block_sums
{
    double volume, area[3];
} block_sums;

/* The corners k of two triangles, one in each half. */
static inline __attribute__((always_inline)) void load_pair(const pl_volume_view *view, const uint32_t *corner,
                                                            bool plain, pl_f8 *out)
{
    pl_f4 low, high;
    if (plain)
    {
        low = pl_load(&view->positions[corner[0]]);
        high = pl_load(&view->positions[corner[3]]);
    }
    else
    {
        low = pl_volume_point(view->closed, view->positions, view->centres, corner[0]);
        high = pl_volume_point(view->closed, view->positions, view->centres, corner[3]);
    }
    *out = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

static inline __attribute__((always_inline)) void add_halves(pl_d4 *sum, const pl_f8 *terms)
{
    *sum += __builtin_convertvector(__builtin_shufflevector(*terms, *terms, 0, 1, 2, 3), pl_d4) +
            __builtin_convertvector(__builtin_shufflevector(*terms, *terms, 4, 5, 6, 7), pl_d4);
}

static inline __attribute__((always_inline)) block_sums sum_block(const pl_volume_view *view, const pl_volume_block *b,
                                                                  pl_f4 near, bool plain)
{
    const uint32_t *corner = view->groups->triangles + 3 * (size_t)b->first;
    const uint32_t last[6] = {corner[3 * b->count - 3], corner[3 * b->count - 2], corner[3 * b->count - 1],
                              corner[3 * b->count - 3], corner[3 * b->count - 3], corner[3 * b->count - 3]};
    pl_f8 near_pair = __builtin_shufflevector(near, near, 0, 1, 2, 3, 0, 1, 2, 3);
    pl_d4 volume = {0, 0, 0, 0}, area = {0, 0, 0, 0};
    for (uint32_t t = 0; t < b->count;)
    {
        pl_f8 volume_part = {0}, area_part = {0};
        for (uint32_t end = t + 2 * CHUNK; t < end && t < b->count; t += 2, corner += 6)
        {
            /* The odd one at the end goes with a triangle that is a point. */
            const uint32_t *here = t + 1 < b->count ? corner : last;
            pl_f8 p, u, v;
            load_pair(view, here, plain, &p);
            load_pair(view, here + 1, plain, &u);
            load_pair(view, here + 2, plain, &v);
            u -= p;
            v -= p;
            pl_f8 turned_u = __builtin_shufflevector(u, u, 1, 2, 0, 3, 5, 6, 4, 7);
            pl_f8 turned_v = __builtin_shufflevector(v, v, 1, 2, 0, 3, 5, 6, 4, 7);
            pl_f8 normal = u * turned_v - turned_u * v; /* z, x, y */
            normal = __builtin_shufflevector(normal, normal, 1, 2, 0, 3, 5, 6, 4, 7);
            volume_part += (p - near_pair) * normal;
            area_part += normal;
        }
        add_halves(&volume, &volume_part);
        add_halves(&area, &area_part);
    }
    return (block_sums){volume[0] + volume[1] + volume[2], {area[0], area[1], area[2]}};
}

/* Points are taken from a vertex of the block, so that floats hold them well, and the sum is brought to the shell's
 * origin with the sum of N. */
double PL_WIDE(pl_volume_of_block)(const pl_volume_view *view, uint32_t block)
{
    const pl_volume_block *b = &view->groups->blocks[block];
    const pleat_vec4 *origin = &view->origins[view->groups->groups[b->group].shell];
    uint32_t first = view->groups->triangles[3 * (size_t)b->first];
    pl_f4 near = pl_volume_point(view->closed, view->positions, view->centres, first);
    block_sums sums = b->plain ? sum_block(view, b, near, true) : sum_block(view, b, near, false);
    double x = (double)near[0] - (double)origin->x, y = (double)near[1] - (double)origin->y;
    double z = (double)near[2] - (double)origin->z;
    return (sums.volume + x * sums.area[0] + y * sums.area[1] + z * sums.area[2]) / 6;
}

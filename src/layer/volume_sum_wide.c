/* The volume under a block of triangles: what every frame computes for all of them. Bound by the loads of three points
 * a triangle. */
#include "layer/volume.h"

#include "base/wide.h"

/* Sum of (p - near) . N over triangles, N = (q - p) x (r - p), and of N. */
typedef struct block_sums
{
    double volume, area[3];
} block_sums;

static inline __attribute__((always_inline)) block_sums sum_block(const pl_volume_view *view, const pl_volume_block *b,
                                                                  pl_f4 near, bool plain)
{
    const uint32_t *corner = view->groups->triangles + 3 * (size_t)b->first;
    pl_d4 sum = {0, 0, 0, 0}, area = {0, 0, 0, 0};
    for (uint32_t t = 0; t < b->count; ++t, corner += 3)
    {
        pl_f4 p, q, r;
        if (plain)
        {
            p = pl_load(&view->positions[corner[0]]);
            q = pl_load(&view->positions[corner[1]]);
            r = pl_load(&view->positions[corner[2]]);
        }
        else
        {
            p = pl_volume_point(view->closed, view->positions, view->centres, corner[0]);
            q = pl_volume_point(view->closed, view->positions, view->centres, corner[1]);
            r = pl_volume_point(view->closed, view->positions, view->centres, corner[2]);
        }
        pl_f4 normal = pl_cross(q - p, r - p);
        sum += __builtin_convertvector((p - near) * normal, pl_d4);
        area += __builtin_convertvector(normal, pl_d4);
    }
    return (block_sums){sum[0] + sum[1] + sum[2], {area[0], area[1], area[2]}};
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

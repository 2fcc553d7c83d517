/* The outer side of a bend.
 *
 * Linear blending makes the middle line of a limb shorter: by 29 % at a joint bent by 90 degrees. Where weights blend
 * over a length much larger than the limb is thick, the outer side, which a bend stretches, comes out shorter too. What
 * is lost there is skinning's and not the cloth's: folds of it would go all the way round, over the kneecap and the
 * point of the elbow. So there are none where cloth lies opposite of the side that a joint bends to. */
#include "layers/folds/rings/outer.h"

/* The swing of a joint from which on folds go down at its outer side, and from which on they are gone there, radians:
 * slight bends take little of the middle line, and where they go to may turn fast. */
#define BEGINS 0.05f
#define CLEAR 0.5f
/* Past 160 degrees, radians, it is unclear again. */
#define UNCLEAR 2.8f
#define LOST 3.1f

/* One bone seen from the other: which way it leans, unit. The inverse but for its size: normalized afterwards. */
static pl_f4 leaning(const pleat_affine *from, pl_f4 bone, pl_f4 axis)
{
    pl_f4 x = pl_affine_row(from, 0), y = pl_affine_row(from, 1), z = pl_affine_row(from, 2), yz = pl_cross(y, z);
    float determinant = pl_dot3(x, yz);
    pl_f4 seen = yz * pl_splat(bone[0]) + pl_cross(z, x) * pl_splat(bone[1]) + pl_cross(x, y) * pl_splat(bone[2]);
    return determinant != 0 ? pl_folds_across(pl_normalize3(determinant < 0 ? -seen : seen), axis) : pl_splat(0);
}

pl_f4 pl_fold_inner(pl_f4 axis, const pleat_affine *parent, const pleat_affine *joint)
{
    pl_f4 near = pl_affine_vector(parent, axis), far = pl_affine_vector(joint, axis);
    pl_f4 along = pl_normalize3(near), bent = pl_normalize3(far);
    float sine = pl_length3(pl_cross(along, bent)), swing = atan2f(sine, pl_dot3(along, bent));
    float clear = pl_fold_ramp(swing, BEGINS, CLEAR) * (1 - pl_fold_ramp(swing, UNCLEAR, LOST));
    if (!(clear > 0))
    {
        return pl_splat(0);
    }
    /* A limb that is wrung as well has its inner side half way between those of both bones. */
    pl_f4 inner = (leaning(parent, far, axis) + leaning(joint, -near, axis)) * pl_splat(0.5f);
    inner[3] = clear;
    return inner;
}

float pl_fold_outer(pl_f4 inner, pl_f4 out)
{
    return 1 - inner[3] * pl_fold_ramp(-pl_dot3(inner, out), -PL_FOLD_OUTER_LOWER, -PL_FOLD_OUTER_GONE);
}

void pl_folds_find_outs(pl_fold_ring *ring, const pleat_affine *from_rest)
{
    pl_f4 middle = pl_fold_ring_middle(ring);
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        const pl_station *station = &ring->ring.stations[i];
        /* The middle of a part of a ring is not that of the limb. */
        pl_f4 out = station->normal;
        if (ring->ring.closed)
        {
            out = station->position - middle;
        }
        ring->outs[i] = pl_folds_across(pl_normalize3(pl_affine_vector(from_rest, out)), ring->axis);
    }
}

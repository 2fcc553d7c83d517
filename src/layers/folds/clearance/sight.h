/* A fold and a place before it. For kernels of any width: frames ask for lanes of pairs (clearance/others_wide.c),
 * planning for one at a time (clearance/near.c). Lengths are in widths of a fold. */
#ifndef PL_LAYERS_FOLDS_CLEARANCE_SIGHT_H
#define PL_LAYERS_FOLDS_CLEARANCE_SIGHT_H

#include "base/width.h"

/* How far from a fold's middle places count, in widths: 1.9 aside, 2 behind. */
#define PL_FOLD_NEAR 2.83f
/* What lies behind a fold counts less the farther it is: from the first on in part, from the second on wholly. */
#define PL_FOLD_BEHIND (-2.0f)
#define PL_FOLD_BESIDES (-0.5f)
/* Half a width aside is the fold itself. */
#define PL_FOLD_ITSELF 0.5f
/* What is left between two folds that meet. */
#define PL_FOLD_MEETING_GAP 0.03f
/* Ways run together at least as fast as this, of the distance: half of what they do where folds look at each other. */
#define PL_FOLD_CLOSING 0.5f

/* What has been pushed through, as ramps. A place is behind the fold from the first of these on (PASSED: wholly); its
 * cloth is turned to the fold from ASKANCE on, and counts as far aside as AWAY, or right here, passing at an angle. */
#define PL_FOLD_BEFORE 0.1f
#define PL_FOLD_PASSED (-0.6f)
#define PL_FOLD_ASKANCE (-0.1f) /* of facing */
#define PL_FOLD_FACING 0.6f
#define PL_FOLD_TURNED_NEAR 0.5f /* aside: all of it counts, */
#define PL_FOLD_TURNED_AWAY 1.8f /* and none */
#define PL_FOLD_PASSING (-0.9f)  /* of facing, to 0; and of ahead */
#define PL_FOLD_HERE (-0.1f)
#define PL_FOLD_HERE_NEAR 0.4f
#define PL_FOLD_HERE_AWAY 1.4f

/* Where a place is, seen from the middle of a fold, and which way its cloth looks. */
typedef struct pl_fold_sight
{
    pl_fw ahead, aside;
    pl_fw facing, sideways; /* how much it looks back against the fold's direction, and across that towards the fold */
} pl_fold_sight;

/* d: to the place; up: of the fold, normal: of the place, both unit. */
PL_INLINE pl_fold_sight pl_fold_sight_of(const pl_fw d[3], const pl_fw up[3], const pl_fw normal[3], float width)
{
    pl_fw along = pl_dot_w(d, up), across[3];
    for (int c = 0; c < 3; ++c)
    {
        across[c] = d[c] - up[c] * along;
    }
    pl_fw away = pl_length_w(across);
    pl_fw sideways = pl_where_w(away > pl_splat_w(0), -pl_dot_w(normal, across) / away);
    return (pl_fold_sight){along * pl_splat_w(1 / width), away * pl_splat_w(1 / width), -pl_dot_w(normal, up),
                           sideways};
}

/* How high a fold may rise before the place has been reached if both rise: half of the way where they look at each
 * other, more where their ways only run together further on. */
PL_INLINE pl_fw pl_fold_room_ahead(const pl_fold_sight *s)
{
    pl_fw zero = pl_splat_w(0), ahead = pl_max_w(s->ahead, zero), aside = pl_max_w(s->aside - PL_FOLD_ITSELF, zero);
    pl_fw squared = ahead * ahead + aside * aside;
    pl_fw closing = ahead * (1 + pl_max_w(s->facing, zero)) + aside * pl_max_w(s->sideways, zero);
    closing = pl_max_w(closing, PL_FOLD_CLOSING * pl_sqrt_w(squared));
    return pl_where_w(squared > PL_FOLD_MEETING_GAP * closing, squared / closing - PL_FOLD_MEETING_GAP);
}

/* How much the fold's cloth has been pushed through the place's, 0 .. 1: that lies behind it and looks the other way,
 * or passes right here at an angle. Folds there are not seen, and would only cross it more often. Ramps are wide, so
 * that heights change hardly faster than the cloth moves. */
PL_INLINE pl_fw pl_fold_part_through(const pl_fold_sight *s)
{
    pl_fw behind = (1 - pl_ramp_w(s->ahead, PL_FOLD_PASSED, PL_FOLD_BEFORE)) *
                   pl_ramp_w(s->ahead, PL_FOLD_BEHIND, PL_FOLD_BESIDES);
    pl_fw turned = pl_ramp_w(s->facing, PL_FOLD_ASKANCE, PL_FOLD_FACING) *
                   (1 - pl_ramp_w(s->aside, PL_FOLD_TURNED_NEAR, PL_FOLD_TURNED_AWAY));
    pl_fw here = pl_ramp_w(s->facing, PL_FOLD_PASSING, 0) *
                 (1 - pl_ramp_w(s->aside, PL_FOLD_HERE_NEAR, PL_FOLD_HERE_AWAY)) *
                 pl_ramp_w(s->ahead, PL_FOLD_PASSING, PL_FOLD_HERE);
    return behind * pl_max_w(turned, here);
}

/* How high a fold may rise before a place; most where that is far, or leaves it more. Continuous in all but there. */
PL_INLINE pl_fw pl_fold_room_to(const pl_fw d[3], const pl_fw up[3], const pl_fw normal[3], float width, float most)
{
    pl_fold_sight s = pl_fold_sight_of(d, up, normal, width);
    pl_fw free = pl_min_w(width * pl_fold_room_ahead(&s), pl_splat_w(most));
    free = most + (free - most) * pl_ramp_w(s.ahead, PL_FOLD_BEHIND, PL_FOLD_BESIDES);
    float reach = PL_FOLD_NEAR * width;
    return pl_select_w(pl_dot_w(d, d) < pl_splat_w(reach * reach), free * (1 - pl_fold_part_through(&s)),
                       pl_splat_w(most));
}

#endif

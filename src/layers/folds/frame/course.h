/* How high folds are between two stations. */
#ifndef PL_LAYERS_FOLDS_FRAME_COURSE_H
#define PL_LAYERS_FOLDS_FRAME_COURSE_H

#include "base/vec.h"

/* How high a fold is between two stations, a part t of the way: first + t (change + bulge (1 - t)). Heights go with the
 * square root of what is lost, which changes about evenly along a ring: a fold that ends at a station is higher before
 * it than a straight line; by half of what that asks, which adds fewer crossings. And between directions that point
 * apart, on a round limb, the mean is shorter than they are and the loss larger than between losses; both grow with the
 * square of the angle. */
typedef struct pl_fold_course
{
    float first, change, bulge;
} pl_fold_course;

/* turn: the difference of the directions in which cloth rises. */
PL_INLINE pl_fold_course pl_fold_course_of(float first, float second, pl_f4 turn)
{
    float sum = first + second, change = second - first;
    float bulge = sum > 0 ? 0.5f * change * change / sum + 0.375f * pl_dot3(turn, turn) * sum : 0;
    return (pl_fold_course){first, change, bulge};
}

#endif

/* The shape of a fold or a swelling from side to side: non-negative, 0 outside of -1..1, 1 at its highest. */
#ifndef PL_LAYERS_PROFILE_H
#define PL_LAYERS_PROFILE_H

#include "base/vec.h"

typedef enum pl_profile_kind
{
    PL_PROFILE_THIRD, /* 1 - 3 x^2 + 2 |x|^3, the paper's blob */
    PL_PROFILE_FIFTH, /* 1 - 10 |x|^3 + 15 x^4 - 6 |x|^5: flatter on top */
    PL_PROFILE_CURVE  /* through given points, with smooth slopes */
} pl_profile_kind;

enum
{
    PL_PROFILE_POINTS = 32
};

typedef struct pl_profile
{
    pl_profile_kind kind;
    uint32_t count; /* of the curve's points */
    float x[PL_PROFILE_POINTS];
    float y[PL_PROFILE_POINTS];
    float slope[PL_PROFILE_POINTS];
} pl_profile;

pl_profile pl_profile_polynomial(pl_profile_kind kind);
/* points: (x, y) pairs, x increasing strictly. They are moved into -1..1 and scaled to a height of 1; both ends come
 * down to 0. Fails for fewer than 2 points, more than 30, a negative or all-zero height, x not increasing. */
pleat_result pl_profile_curve(const float *points, uint32_t count, pl_profile *out, pleat_error *error);
/* The same from a text "x,y x,y ...". */
pleat_result pl_profile_parse(const char *text, pl_profile *out, pleat_error *error);
/* Height at x; 0 outside of -1..1. */
float pl_profile_at(const pl_profile *profile, float x);

#endif

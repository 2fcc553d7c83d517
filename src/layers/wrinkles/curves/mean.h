/* The mean of one wrinkle over several frames, at constant parameter.
 *
 * Each frame in which the wrinkle is gives a strand with a weight. The mean is a continuous function of the weights,
 * and a strand of weight 0 is no part of it: as a window moves over frames that come one after the other, nothing
 * jumps. */
#ifndef PL_LAYERS_WRINKLES_CURVES_MEAN_H
#define PL_LAYERS_WRINKLES_CURVES_MEAN_H

#include "mesh/walk/flat.h"
#include "pleat/curves.h"

/* A wrinkle in one frame. */
typedef struct pl_wrinkle_strand
{
    const pleat_wrinkle_point *points;
    uint32_t count;
    float weight;
    float apart;               /* frames from the one that the mean is for */
    float first, second, last; /* parameters of points 0 and 1, and of the last */
    bool closed;
    pl_f4 out[2]; /* where it goes on behind the border that it ends at, unit; 0: no border */
    /* At the parameter last looked at. */
    bool there;
    pl_f4 position;
} pl_wrinkle_strand;

typedef struct pl_wrinkle_mean
{
    const pl_flat *flat;
    float step;                 /* between points, metres */
    pl_wrinkle_strand *strands; /* as many as frames may come */
    uint32_t count;
    pl_f4 *goals; /* of as many points as the result may have */
    /* Of what was added. */
    float low, high; /* parameters where any strand is */
    bool border[2];  /* a strand ends at a border on this side */
    bool closed;     /* a ring in every frame: parameters are then scaled to the same length */
} pl_wrinkle_mean;

/* Forgets all strands. */
void pl_wrinkle_mean_begin(pl_wrinkle_mean *mean);
/* The wrinkle of another frame; points: those of the frame, at least two of the wrinkle; seed: its parameter. */
void pl_wrinkle_mean_add(pl_wrinkle_mean *mean, const pleat_wrinkle *wrinkle, const pleat_wrinkle_point *points,
                         float seed, float weight, float apart);
/* At most so many points the result has. */
uint32_t pl_wrinkle_mean_most(const pl_wrinkle_mean *mean);
/* Writes the mean; total: of the weights of all frames, with the wrinkle or without; seed: the parameter of its seed,
 * which becomes that of the point chosen. Returns how many points, in *out from first_point on; 0: nothing is left.
 */
uint32_t pl_wrinkle_mean_run(pl_wrinkle_mean *mean, float total, float *seed, pleat_wrinkle_point *points,
                             uint32_t *seed_index);

#endif

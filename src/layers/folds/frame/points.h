/* Where the lines of folds are in a frame, and how long they are there; in deep bends as held (frame/held.c). For
 * *_wide.c. */
#ifndef PL_LAYERS_FOLDS_FRAME_POINTS_H
#define PL_LAYERS_FOLDS_FRAME_POINTS_H

#include "layers/folds/bind/lanes.h"

/* Positions are floats: their rounding, of the largest coordinate. Two roundings of a sum of a few terms. */
#define PL_FOLD_ROUNDING 1e-6f

PL_INLINE pl_fw pl_fold_rounding_w(const pl_fw point[3])
{
    pl_fw most = pl_max_w(pl_max_w(pl_abs_w(point[0]), pl_abs_w(point[1])), pl_abs_w(point[2]));
    return pl_splat_w(PL_FOLD_ROUNDING) * most;
}

/* A loss of length as small as the rounding of positions is none. What is a little larger counts in part, so that
 * nothing jumps; from three times that on it counts in full. */
PL_INLINE pl_fw pl_fold_lost_w(pl_fw length, pl_fw wanted, pl_fw noise)
{
    pl_fw lost = wanted - length, part = pl_where_w(lost > noise, 1.5f * (lost - noise));
    return pl_select_w(lost >= 3 * noise, lost, part);
}

PL_INLINE void pl_fold_places_mix(const pleat_vec4 *positions, const pl_fold_places *places, pl_fw out[3])
{
    pl_fw corner[3][3];
    for (int i = 0; i < 3; ++i)
    {
        pl_gather_twice_w(positions, places->twice[i], corner[i]);
    }
    for (int c = 0; c < 3; ++c)
    {
        out[c] = corner[0][c] * places->weight[0] + corner[1][c] * places->weight[1] + corner[2][c] * places->weight[2];
    }
}

PL_INLINE void pl_fold_crossings_mix(const pleat_vec4 *positions, const pl_fold_crossings *crossings, pl_fw out[3])
{
    pl_fw from[3], to[3];
    pl_gather_twice_w(positions, crossings->twice[0], from);
    pl_gather_twice_w(positions, crossings->twice[1], to);
    for (int c = 0; c < 3; ++c)
    {
        out[c] = from[c] + (to[c] - from[c]) * crossings->share;
    }
}

/* Directions, turned back as places of those shares turn. Half of an angle is below 0.7: the series are exact in
 * floats. */
PL_INLINE void pl_fold_hold_directions(const pl_fold_held *held, pl_fw share, pl_fw v[3])
{
    pl_fw half = share * pl_splat_w(0.5f * held->excess), s = half * half;
    pl_fw sine = half * (1 - s * (1 / 6.0f) * (1 - s * (1 / 20.0f) * (1 - s * (1 / 42.0f) * (1 - s * (1 / 72.0f)))));
    pl_fw cosine = 1 - s * 0.5f * (1 - s * (1 / 12.0f) * (1 - s * (1 / 30.0f) * (1 - s * (1 / 56.0f))));
    pl_fw q[4] = {held->axis[0] * sine, held->axis[1] * sine, held->axis[2] * sine, cosine};
    pl_quat_rotate_w(q, v);
}

/* Points of the real pose in the held one. rest: in the mesh's own space, and in w the weight of the joint and all
 * below it. */
PL_INLINE void pl_fold_hold_places(const pl_fold_held *held, const pl_fw rest[4], pl_fw place[3])
{
    if (!(held->excess > 0))
    {
        return;
    }
    if (held->linear)
    {
        /* (1 - w) P x + w J x turns into (1 - w) P x + w J' x. */
        pl_fw turned[3];
        pl_affine_vector_w(&held->turn, rest, turned);
        for (int c = 0; c < 3; ++c)
        {
            place[c] += (turned[c] + pl_splat_w(held->turn.row[c][3])) * rest[3];
        }
        return;
    }
    for (int c = 0; c < 3; ++c)
    {
        place[c] -= pl_splat_w(held->pivot[c]);
    }
    pl_fold_hold_directions(held, rest[3], place);
    for (int c = 0; c < 3; ++c)
    {
        place[c] += pl_splat_w(held->pivot[c]);
    }
}

/* Where folds meet. */
PL_INLINE void pl_fold_feet_place(const pl_fold_job *job, size_t index, pl_fw out[3])
{
    const pl_fold_lanes *lanes = job->ring->cloth.lanes;
    pl_fold_places_mix(job->frame->positions, &lanes->places[index], out);
    pl_fold_hold_places(&job->pose.held, lanes->feet_rest[index], out);
}

PL_INLINE pl_fw pl_fold_distance_w(const pl_fw a[3], const pl_fw b[3])
{
    pl_fw d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return pl_sqrt_w(pl_dot_w(d, d));
}

/* Finds where the inside of a fold is at the stations of a block, in a deep bend as held, and its lengths; its feet are
 * known. */
PL_INLINE void pl_fold_group_measure(const pl_fold_job *job, uint32_t block, uint32_t k)
{
    pl_fold_lane_work *work = job->layer->work;
    uint32_t index = block * job->ring->fold_count + k;
    const pl_fold_group *group = &job->ring->cloth.lanes->groups[index];
    pl_fw(*begin)[3] = &work->foot_points[index + block], (*before)[3] = begin;
    pl_fw length = {0};
    for (uint32_t i = group->first_row; i <= group->first_row + group->row_count; ++i)
    {
        bool last = i == group->first_row + group->row_count;
        pl_fw(*point)[3] = last ? begin + 1 : &work->points[i];
        if (!last)
        {
            pl_fold_crossings_mix(job->frame->positions, &job->ring->cloth.lanes->crossings[i], *point);
            pl_fold_hold_places(&job->pose.held, job->ring->cloth.lanes->row_rest[i], *point);
        }
        length += pl_fold_distance_w(*before, *point);
        before = point;
    }
    work->noises[index] = pl_fold_rounding_w(*begin);
    work->lengths[index] = length;
    work->known[block] |= 1u << k;
}

PL_INLINE bool pl_fold_group_is_known(const pl_fold_job *job, uint32_t block, uint32_t k)
{
    return job->layer->work->known[block] & 1u << k;
}

/* Measures those that measuring left out, as they are stretched. */
PL_INLINE void pl_fold_group_know(const pl_fold_job *job, uint32_t block, uint32_t k)
{
    if (!pl_fold_group_is_known(job, block, k))
    {
        pl_fold_group_measure(job, block, k);
    }
}

#endif

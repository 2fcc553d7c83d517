/* Where the lines of folds are in a frame, eight stations at a time; in deep bends as held (frame/held.c). For
 * *_wide.c. */
#ifndef PL_LAYERS_FOLDS_FRAME_POINTS_H
#define PL_LAYERS_FOLDS_FRAME_POINTS_H

#include "layers/folds/bind/lanes.h"

PL_INLINE void pl_fold_places_mix(const pleat_vec4 *positions, const pl_fold_places *places, pl_f8 out[3])
{
    pl_f8 corner[3][3];
    for (int i = 0; i < 3; ++i)
    {
        pl_gather_twice8(positions, places->twice[i], corner[i]);
    }
    for (int c = 0; c < 3; ++c)
    {
        out[c] = corner[0][c] * places->weight[0] + corner[1][c] * places->weight[1] + corner[2][c] * places->weight[2];
    }
}

PL_INLINE void pl_fold_crossings_mix(const pleat_vec4 *positions, const pl_fold_crossings *crossings, pl_f8 out[3])
{
    pl_f8 from[3], to[3];
    pl_gather_twice8(positions, crossings->twice[0], from);
    pl_gather_twice8(positions, crossings->twice[1], to);
    for (int c = 0; c < 3; ++c)
    {
        out[c] = from[c] + (to[c] - from[c]) * crossings->share;
    }
}

/* pl_fold_hold_direction. Half of an angle is below 0.7: the series are exact in floats. */
PL_INLINE void pl_fold_hold_directions(const pl_fold_held *held, pl_f8 share, pl_f8 v[3])
{
    pl_f8 half = share * pl_splat8(0.5f * held->excess), s = half * half;
    pl_f8 sine = half * (1 - s * (1 / 6.0f) * (1 - s * (1 / 20.0f) * (1 - s * (1 / 42.0f) * (1 - s * (1 / 72.0f)))));
    pl_f8 cosine = 1 - s * 0.5f * (1 - s * (1 / 12.0f) * (1 - s * (1 / 30.0f) * (1 - s * (1 / 56.0f))));
    pl_f8 q[4] = {held->axis[0] * sine, held->axis[1] * sine, held->axis[2] * sine, cosine};
    pl_quat_rotate8(q, v);
}

/* pl_fold_hold_point, where anything is held. */
PL_INLINE void pl_fold_hold_places(const pl_fold_held *held, const pl_f8 rest[4], pl_f8 place[3])
{
    if (!(held->excess > 0))
    {
        return;
    }
    if (held->linear)
    {
        pl_f8 turned[3];
        pl_affine_vector8(&held->turn, rest, turned);
        for (int c = 0; c < 3; ++c)
        {
            place[c] += (turned[c] + pl_splat8(held->turn.row[c][3])) * rest[3];
        }
        return;
    }
    for (int c = 0; c < 3; ++c)
    {
        place[c] -= pl_splat8(held->pivot[c]);
    }
    pl_fold_hold_directions(held, rest[3], place);
    for (int c = 0; c < 3; ++c)
    {
        place[c] += pl_splat8(held->pivot[c]);
    }
}

/* Where folds meet. */
PL_INLINE void pl_fold_feet_place(const pl_fold_lane_job *job, size_t index, pl_f8 out[3])
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    pl_fold_places_mix(job->frame->positions, &lanes->places[index], out);
    pl_fold_hold_places(&job->pose->held, lanes->feet_rest[index], out);
}

PL_INLINE pl_f8 pl_fold_distance8(const pl_f8 a[3], const pl_f8 b[3])
{
    pl_f8 d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return pl_sqrt8(pl_dot8(d, d));
}

/* Finds where the inside of a fold is at eight stations, in a deep bend as held, and its lengths; its feet are
 * known. */
PL_INLINE void pl_fold_group_measure(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    pl_fold_lane_work *work = job->layer->work;
    uint32_t index = block * job->ring->fold_count + k;
    const pl_fold_group *group = &job->ring->lanes->groups[index];
    pl_f8(*begin)[3] = &work->foot_points[index + block], (*before)[3] = begin;
    pl_f8 length = {0};
    for (uint32_t i = group->first_row; i <= group->first_row + group->row_count; ++i)
    {
        bool last = i == group->first_row + group->row_count;
        pl_f8(*point)[3] = last ? begin + 1 : &work->points[i];
        if (!last)
        {
            pl_fold_crossings_mix(job->frame->positions, &job->ring->lanes->crossings[i], *point);
            pl_fold_hold_places(&job->pose->held, job->ring->lanes->row_rest[i], *point);
        }
        length += pl_fold_distance8(*before, *point);
        before = point;
    }
    work->noises[index] = pl_fold_rounding8(*begin);
    work->lengths[index] = length;
    work->known[block] |= 1u << k;
}

/* Those that measuring left out, as they are stretched. */
PL_INLINE bool pl_fold_group_is_known(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    return job->layer->work->known[block] & 1u << k;
}

#endif

/* Which way cloth rises in a frame and how high contact lets it, for a block of eight stations: prepare_stations of
 * frame/frame.c and the planes of clearance/contact.c. */
#include "base/wide.h"
#include "layers/folds/frame/points.h"

/* ---- Directions ---- */

static void turn_foot(const pl_fold_lane_job *job, uint32_t block, uint32_t k)
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    uint32_t count = job->ring->fold_count + 1;
    const pl_fold_foot *foot = &lanes->feet[(size_t)block * count + k];
    pl_f8 sum[4] = {pl_splat8(0), pl_splat8(0), pl_splat8(0), pl_splat8(0)};
    for (uint32_t i = foot->first_turn; i < foot->first_turn + foot->turn_count; ++i)
    {
        pl_f8 turned[3];
        pl_affine_vector8(&job->frame->joints[lanes->turn_joints[i]], foot->normal, turned);
        for (int c = 0; c < 3; ++c)
        {
            sum[c] += turned[c] * lanes->turns[i];
        }
    }
    pl_normalize8(sum);
    pl_scatter8(sum, job->layer->ups + (size_t)block * PL_FOLD_LANES * count + k, count);
    size_t at = (size_t)block * count + k;
    if (job->pose->held.excess > 0)
    {
        pl_fold_hold_directions(&job->pose->held, lanes->feet_rest[at][3], sum);
    }
    for (int c = 0; c < 3; ++c)
    {
        job->layer->work->ups[at][c] = sum[c];
    }
}

/* ---- Planes ---- */

typedef struct wall
{
    pl_f8 point[3], direction[3];
} wall;

typedef struct bones
{
    pl_f8 near[3], far[3];
} bones;

static void find_bones(const pl_fold_lane_job *job, uint32_t block, uint32_t k, bones *out)
{
    const pl_fold_foot *foot = &job->ring->lanes->feet[(size_t)block * (job->ring->fold_count + 1) + k];
    pl_affine_vector8(&job->frame->joints[job->ring->parent], foot->along, out->near);
    pl_affine_vector8(&job->frame->joints[job->ring->joint], foot->along, out->far);
    pl_normalize8(out->near);
    pl_normalize8(out->far);
    if (job->pose->held.excess > 0)
    {
        pl_f4 back = job->pose->held.back;
        pl_quat_rotate8((const pl_f8[]){pl_splat8(back[0]), pl_splat8(back[1]), pl_splat8(back[2]), pl_splat8(back[3])},
                        out->far);
    }
}

/* The way of the bones where two folds meet: from the parent's to the joint's along the line. */
PL_INLINE void find_mean(const pl_fold_lane_job *job, uint32_t block, uint32_t k, pl_f8 mean[3])
{
    pl_f8 share = pl_splat8((float)k / (float)job->ring->fold_count);
    bones pair;
    find_bones(job, block, k, &pair);
    for (int c = 0; c < 3; ++c)
    {
        mean[c] = pair.near[c] + (pair.far[c] - pair.near[c]) * share;
    }
}

/* From a foot to a sample inside the fold before or behind it; nothing where there is no fold. row: of the sample. */
PL_INLINE void add_way(const pl_fold_lane_job *job, const pl_fold_group *group, uint32_t row, const pl_f8 foot[3],
                       float sign, pl_f8 along[3])
{
    pl_i8 there = group->rest_length > pl_splat8(0);
    const pl_f8 *inside = job->layer->work->points[row];
    for (int c = 0; c < 3 && group->row_count; ++c)
    {
        along[c] += sign * (pl_f8)((pl_i8)(inside[c] - foot[c]) & there);
    }
}

/* The plane across lines there: foot_wall. out: so far its direction is that mean. */
PL_INLINE void find_wall(const pl_fold_lane_job *job, uint32_t block, uint32_t k, wall *out)
{
    uint32_t count = job->ring->fold_count;
    size_t index = (size_t)block * (count + 1) + k;
    const pl_fold_group *groups = job->ring->lanes->groups + (size_t)block * count;
    const pl_f8 *here = job->layer->work->foot_points[index], *mean = out->direction;
    pl_f8 along[3] = {pl_splat8(0), pl_splat8(0), pl_splat8(0)};
    if (k > 0)
    {
        const pl_fold_group *before = &groups[k - 1];
        add_way(job, before, before->first_row + before->row_count - 1, here, -1, along);
    }
    if (k < count)
    {
        add_way(job, &groups[k], groups[k].first_row, here, 1, along);
    }
    pl_f8 back = pl_dot8(along, mean), squared = pl_max8(pl_dot8(mean, mean), pl_splat8(1e-12f));
    pl_f8 less = (pl_f8)((pl_i8)(back / squared) & (back < pl_splat8(0)));
    for (int c = 0; c < 3; ++c)
    {
        along[c] -= mean[c] * less;
        out->point[c] = here[c];
        out->direction[c] = along[c] * job->ring->lanes->feet[index].scale + mean[c] * pl_splat8(0.35f);
    }
    pl_normalize8(out->direction);
}

/* ---- Rooms ---- */

/* A wall as a fold meets it, seen from where the fold begins. Directions change evenly along the fold, and with them
 * how they lean towards the wall. */
typedef struct barrier
{
    pl_f8 direction[3];      /* towards the wall */
    pl_f8 distance;          /* of the wall */
    pl_f8 lean, lean_change; /* how much a place nears the wall as it rises by 1 */
    float gap, least;        /* room_before of clearance/contact.c */
} barrier;

/* side: 1, or -1 where folds lie behind the plane. */
PL_INLINE void find_barrier(const wall *w, float side, const pl_f8 begin[3], const pl_f8 (*ups)[3], barrier *out)
{
    pl_f8 away[3], leans[2];
    for (int c = 0; c < 3; ++c)
    {
        out->direction[c] = w->direction[c] * pl_splat8(side);
        away[c] = w->point[c] - begin[c];
    }
    leans[0] = pl_dot8(ups[0], out->direction);
    leans[1] = pl_dot8(ups[1], out->direction);
    out->distance = pl_dot8(away, out->direction);
    out->lean = leans[0];
    out->lean_change = leans[1] - leans[0];
}

/* room_before of clearance/contact.c, for all walls of a fold at once: most of them stand in nobody's way. asked:
 * lanes. */
PL_INLINE pl_f8 room_before(const pl_fold_lane_job *job, uint32_t block, uint32_t index, const barrier walls[3],
                            pl_i8 asked, pl_f8 most)
{
    const pl_fold_group *group = &job->ring->lanes->groups[index];
    const pl_fold_row *rows = job->ring->lanes->rows + group->first_row;
    pl_f8(*points)[3] = job->layer->work->points + group->first_row;
    const pl_f8 *begin = job->layer->work->foot_points[index + block];
    for (uint32_t i = 0; i < group->row_count; ++i)
    {
        pl_f8 share = rows[i].rise, from[3], room[3], towards[3];
        pl_i8 nearer[3], rises = asked & (share >= pl_splat8(0.25f));
        for (int c = 0; c < 3; ++c)
        {
            from[c] = points[i][c] - begin[c];
        }
        for (int n = 0; n < 3; ++n)
        {
            const barrier *w = &walls[n];
            room[n] = w->distance - pl_dot8(from, w->direction) - pl_splat8(w->gap) * share;
            towards[n] = pl_max8(w->lean + w->lean_change * rows[i].part, pl_splat8(w->least)) * share;
            nearer[n] = rises & (room[n] < most * towards[n]);
        }
        for (int n = 0; n < 3 && pl_mask8(nearer[0] | nearer[1] | nearer[2]); ++n)
        {
            pl_f8 least = pl_max8(room[n], pl_splat8(0)) / towards[n];
            most = pl_select8(nearer[n], pl_min8(least, most), most);
        }
    }
    return most;
}

/* What contact takes of a station's rooms, in lanes. */
typedef struct contact
{
    pl_i8 stations; /* those that have any */
    pl_f8 share;    /* how much contact matters */
    pl_f8 part;     /* for neighbours */
    pl_f8 clear;    /* how well the planes are known */
    wall crease;
} contact;

static void limit_group(const pl_fold_lane_job *job, uint32_t block, uint32_t k, const contact *touch,
                        const wall feet[2])
{
    const pl_bound_ring *ring = job->ring;
    uint32_t index = block * ring->fold_count + k;
    const pl_fold_group *group = &ring->lanes->groups[index];
    pl_i8 there = touch->stations & (group->rest_length > pl_splat8(0));
    float side = k >= ring->fold_count / 2 ? -1.0f : 1.0f, width = ring->width;
    const pl_f8 *begin = job->layer->work->foot_points[index + block];
    const pl_f8(*ups)[3] = (const pl_f8(*)[3])job->layer->work->ups + index + block;
    barrier walls[3] = {{.gap = 0.02f * width, .least = 0.25f},
                        {.gap = 0.02f * width, .least = 0.25f},
                        {.gap = 0.1f * width, .least = PL_FOLD_LEAN}};
    find_barrier(&feet[0], -1, begin, ups, &walls[0]);
    find_barrier(&feet[1], 1, begin, ups, &walls[1]);
    find_barrier(&touch->crease, side, begin, ups, &walls[2]);
    pl_f8 full = pl_splat8(PL_FOLD_STEEP * width), most = room_before(job, block, index, walls, there, full);
    most = pl_min8(most, touch->clear * full);
    pl_f8 less = (pl_f8)((pl_i8)((most - full) * touch->share) & there);
    pl_f8 room = full + less, taper = full + less * touch->part;
    size_t at = (size_t)block * PL_FOLD_LANES * ring->fold_count + k;
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane, at += ring->fold_count)
    {
        job->layer->rooms[at] = room[lane];
        job->layer->tapers[at] = taper[lane];
    }
}

static void find_rooms(const pl_fold_lane_job *job, uint32_t block, contact *touch, const bones *middle)
{
    uint32_t count = job->ring->fold_count;
    const pl_fold_group *groups = job->ring->lanes->groups + (size_t)block * count;
    size_t crease = (size_t)block * (count + 1) + count / 2;
    for (int c = 0; c < 3; ++c)
    {
        touch->crease.point[c] = job->layer->work->foot_points[crease][c];
        touch->crease.direction[c] = middle->near[c] + middle->far[c];
    }
    pl_normalize8(touch->crease.direction);
    /* In rounds, so that more feet are under way at once. */
    wall feet[2 * PL_FOLDS_A_SIDE + 1];
    uint32_t begin = 0, end = count;
    while (begin < end && !groups[begin].row_count)
    {
        ++begin;
    }
    while (begin < end && !groups[end - 1].row_count)
    {
        --end;
    }
    for (uint32_t k = begin; k < end; ++k)
    {
        if (groups[k].row_count && !pl_fold_group_is_known(job, block, k))
        {
            pl_fold_group_measure(job, block, k);
        }
    }
    for (uint32_t k = begin; k <= end; ++k)
    {
        find_mean(job, block, k, feet[k].direction);
    }
    for (uint32_t k = begin; k <= end; ++k)
    {
        find_wall(job, block, k, &feet[k]);
    }
    for (uint32_t k = begin; k < end; ++k)
    {
        if (groups[k].row_count)
        {
            limit_group(job, block, k, touch, &feet[k]);
        }
    }
}

/* ---- A block ---- */

/* pl_fold_bend_of, and the rooms. */
static void bend_stations(const pl_fold_lane_job *job, uint32_t block, pl_f8 lost)
{
    size_t first = (size_t)block * PL_FOLD_LANES;
    bones middle;
    find_bones(job, block, job->ring->fold_count / 2, &middle);
    pl_f8 cosine = pl_dot8(middle.near, middle.far), zero = pl_splat8(0), one = pl_splat8(1);
    pl_i8 any = lost > zero;
    *(pl_f8 *)(job->layer->carries + first) = pl_select8(any, pl_fold_ramp8(cosine, -0.574f, -0.174f), one);
    *(pl_f8 *)(job->layer->ends + first) =
        pl_select8(any, pl_max8(pl_fold_ramp8(cosine, -0.375f, 0), pl_splat8(0.35f)), one);
    contact touch = {.share = 1 - pl_fold_ramp8(cosine, 0.978f, 0.996f), .clear = pl_fold_ramp8(cosine, -0.9f, -0.4f)};
    touch.stations = any & (touch.share > zero);
    touch.part = pl_select8(lost < pl_splat8(0.12f), lost / pl_splat8(0.12f), one);
    if (job->layer->options.contact && pl_mask8(touch.stations))
    {
        find_rooms(job, block, &touch, &middle);
    }
}

/* pl_fold_outer. */
PL_INLINE pl_f8 outers_of(const pl_fold_lane_job *job, uint32_t block)
{
    pl_f4 inner = job->pose->inner;
    const pl_f8 *out = job->ring->lanes->outs[block];
    pl_f8 across = inner[0] * out[0] + inner[1] * out[1] + inner[2] * out[2];
    return 1 - inner[3] * pl_fold_ramp8(-across, -PL_FOLD_OUTER_LOWER, -PL_FOLD_OUTER_GONE);
}

void PL_WIDE(pl_folds_prepare)(const pl_fold_lane_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, first = block * PL_FOLD_LANES;
    float *rooms = job->layer->rooms + (size_t)first * count, *tapers = job->layer->tapers + (size_t)first * count;
    pl_f8 full = pl_splat8(PL_FOLD_STEEP * job->ring->width), one = pl_splat8(1);
    for (uint32_t i = 0; i < count; ++i)
    {
        ((pl_f8 *)rooms)[i] = ((pl_f8 *)tapers)[i] = full;
    }
    *(pl_f8 *)(job->layer->carries + first) = *(pl_f8 *)(job->layer->ends + first) = one;
    *(pl_f8 *)(job->layer->outers + first) = outers_of(job, block);
    pl_f8 lost = *(const pl_f8 *)(job->layer->lost + first);
    bool any = pl_mask8(lost > pl_splat8(0));
    /* Vertices between two stations rise as both are turned. */
    uint32_t end = first + PL_FOLD_LANES < job->ring->station_count ? first + PL_FOLD_LANES : job->ring->station_count;
    if (any || pl_fold_is_lost(job->layer, job->ring, (int64_t)first - 1) ||
        pl_fold_is_lost(job->layer, job->ring, end))
    {
        for (uint32_t k = 0; k <= count; ++k)
        {
            if (job->ring->lanes->feet[(size_t)block * (count + 1) + k].turn_count)
            {
                turn_foot(job, block, k);
            }
        }
    }
    if (any)
    {
        bend_stations(job, block, lost);
    }
}

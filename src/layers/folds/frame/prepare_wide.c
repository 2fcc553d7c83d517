/* Which way cloth rises in a frame and how high contact lets it, for a block of stations.
 *
 * Planes stand across a line where two folds meet, and one more at the crease of the joint; each fold stays on its side
 * of them. Where plain skinning has already pushed the surface through itself, samples lie behind their planes from the
 * start and nothing rises. A plane's direction comes from where the two bones point, not from the surface alone: that
 * may turn around in the crease, the bones' mean direction does not before they lie on each other. */
#include "layers/folds/frame/covered.h"
#include "layers/folds/frame/points.h"
#include "layers/folds/rings/outer.h"

/* What a plane's direction has of the bones': the line's own is worth its length, and where it is nearly lost, the
 * bones decide. */
#define BONES 0.35f
/* Samples that rise by less than this part of the fold are close to a foot: they are not asked. */
#define LOW_SAMPLE 0.25f
/* Even a sample that rises away from a wall gets no higher than so many times its distance from it, 1 over this: where
 * skinning has pushed the surface through the wall, nothing rises, and on the way there nothing jumps. Towards the
 * crease it is PL_FOLD_LEAN. */
#define LEAST_LEAN 0.25f
/* The gap before neighbours and before the crease at the top of a fold, of its width. */
#define GAP 0.02f
#define CREASE_GAP 0.1f
/* Cosines of bends. Of the length that contact takes from a fold all goes on to the next up to 100 degrees, none from
 * 125 on, where lengths mean nothing. Ends of folds along the ring become flatter from 90 to 103 degrees, more than
 * which no swing is held at, down to ENDS_LEAST. Contact matters from 5 degrees on, wholly from 12. */
#define CARRY_NONE (-0.574f)
#define CARRY_ALL (-0.174f)
#define ENDS_FLAT (-0.375f)
#define ENDS_STEEP 0.0f
#define ENDS_LEAST 0.35f
#define TOUCH_ALL 0.978f
#define TOUCH_NONE 0.996f

/* ---- Directions ---- */

static void turn_foot(const pl_fold_job *job, uint32_t block, uint32_t k)
{
    const pl_fold_lanes *lanes = job->ring->cloth.lanes;
    uint32_t count = job->ring->fold_count + 1;
    const pl_fold_foot *foot = &lanes->feet[(size_t)block * count + k];
    pl_fw sum[4] = {pl_splat_w(0), pl_splat_w(0), pl_splat_w(0), pl_splat_w(0)};
    for (uint32_t i = foot->first_turn; i < foot->first_turn + foot->turn_count; ++i)
    {
        pl_fw turned[3];
        pl_affine_vector_w(&job->frame->joints[lanes->turn_joints[i]], foot->normal, turned);
        for (int c = 0; c < 3; ++c)
        {
            sum[c] += turned[c] * lanes->turns[i];
        }
    }
    pl_normalize_w(sum);
    pl_scatter_w(sum, job->layer->at.allowed.ups + (size_t)block * PL_WIDTH * count + k, count);
    size_t at = (size_t)block * count + k;
    if (job->pose.held.excess > 0)
    {
        pl_fold_hold_directions(&job->pose.held, lanes->feet_rest[at][3], sum);
    }
    for (int c = 0; c < 3; ++c)
    {
        job->layer->work->ups[at][c] = sum[c];
    }
}

/* ---- Planes ---- */

typedef struct wall
{
    pl_fw point[3], direction[3];
} wall;

typedef struct bones
{
    pl_fw near[3], far[3];
} bones;

static void find_bones(const pl_fold_job *job, uint32_t block, uint32_t k, bones *out)
{
    const pl_fold_foot *foot = &job->ring->cloth.lanes->feet[(size_t)block * (job->ring->fold_count + 1) + k];
    pl_affine_vector_w(&job->frame->joints[job->ring->limb.parent], foot->along, out->near);
    pl_affine_vector_w(&job->frame->joints[job->ring->limb.joint], foot->along, out->far);
    pl_normalize_w(out->near);
    pl_normalize_w(out->far);
    if (job->pose.held.excess > 0)
    {
        pl_f4 back = job->pose.held.back;
        pl_quat_rotate_w(
            (const pl_fw[]){pl_splat_w(back[0]), pl_splat_w(back[1]), pl_splat_w(back[2]), pl_splat_w(back[3])},
            out->far);
    }
}

/* The way of the bones where two folds meet: from the parent's to the joint's along the line. */
PL_INLINE void find_mean(const pl_fold_job *job, uint32_t block, uint32_t k, pl_fw mean[3])
{
    pl_fw share = pl_splat_w((float)k / (float)job->ring->fold_count);
    bones pair;
    find_bones(job, block, k, &pair);
    for (int c = 0; c < 3; ++c)
    {
        mean[c] = pair.near[c] + (pair.far[c] - pair.near[c]) * share;
    }
}

/* From a foot to a sample inside the fold before or behind it; nothing where there is no fold. row: of the sample. */
PL_INLINE void add_way(const pl_fold_job *job, const pl_fold_group *group, uint32_t row, const pl_fw foot[3],
                       float sign, pl_fw along[3])
{
    pl_iw there = group->rest_length > pl_splat_w(0);
    const pl_fw *inside = job->layer->work->points[row];
    for (int c = 0; c < 3 && group->row_count; ++c)
    {
        along[c] += sign * pl_where_w(there, inside[c] - foot[c]);
    }
}

/* The plane across lines where two folds meet; both stop at it, from either side. What of a line points backwards,
 * where skinning has turned it around, does not count: the sum never vanishes, so the plane never flips. out: so far
 * its direction is that mean. */
PL_INLINE void find_wall(const pl_fold_job *job, uint32_t block, uint32_t k, wall *out)
{
    uint32_t count = job->ring->fold_count;
    size_t index = (size_t)block * (count + 1) + k;
    const pl_fold_group *groups = job->ring->cloth.lanes->groups + (size_t)block * count;
    const pl_fw *here = job->layer->work->foot_points[index], *mean = out->direction;
    pl_fw along[3] = {pl_splat_w(0), pl_splat_w(0), pl_splat_w(0)};
    if (k > 0)
    {
        const pl_fold_group *before = &groups[k - 1];
        add_way(job, before, before->first_row + before->row_count - 1, here, -1, along);
    }
    if (k < count)
    {
        add_way(job, &groups[k], groups[k].first_row, here, 1, along);
    }
    pl_fw back = pl_dot_w(along, mean), squared = pl_max_w(pl_dot_w(mean, mean), pl_splat_w(1e-12f));
    pl_fw less = pl_where_w(back < pl_splat_w(0), back / squared);
    for (int c = 0; c < 3; ++c)
    {
        along[c] -= mean[c] * less;
        out->point[c] = here[c];
        out->direction[c] = along[c] * job->ring->cloth.lanes->feet[index].scale + mean[c] * pl_splat_w(BONES);
    }
    pl_normalize_w(out->direction);
}

/* ---- Rooms ---- */

/* A wall as a fold meets it, seen from where the fold begins. Directions change evenly along the fold, and with them
 * how they lean towards the wall. */
typedef struct barrier
{
    pl_fw direction[3];      /* towards the wall */
    pl_fw distance;          /* of the wall */
    pl_fw lean, lean_change; /* how much a place nears the wall as it rises by 1 */
    float gap, least;        /* before it, of what a sample rises; and how little that nears it */
} barrier;

/* side: 1, or -1 where folds lie behind the plane. */
PL_INLINE void find_barrier(const wall *w, float side, const pl_fw begin[3], const pl_fw (*ups)[3], barrier *out)
{
    pl_fw away[3], leans[2];
    for (int c = 0; c < 3; ++c)
    {
        out->direction[c] = w->direction[c] * pl_splat_w(side);
        away[c] = w->point[c] - begin[c];
    }
    leans[0] = pl_dot_w(ups[0], out->direction);
    leans[1] = pl_dot_w(ups[1], out->direction);
    out->distance = pl_dot_w(away, out->direction);
    out->lean = leans[0];
    out->lean_change = leans[1] - leans[0];
}

/* The largest amplitude that keeps every sample on its side of the walls of a fold, with gaps that grow from nothing at
 * the foot; one that is behind a wall from the start allows none. Most walls stand in nobody's way. asked: lanes. */
PL_INLINE pl_fw room_before(const pl_fold_job *job, uint32_t block, uint32_t index, const barrier walls[3], pl_iw asked,
                            pl_fw most)
{
    const pl_fold_group *group = &job->ring->cloth.lanes->groups[index];
    const pl_fold_row *rows = job->ring->cloth.lanes->rows + group->first_row;
    pl_fw(*points)[3] = job->layer->work->points + group->first_row;
    const pl_fw *begin = job->layer->work->foot_points[index + block];
    for (uint32_t i = 0; i < group->row_count; ++i)
    {
        pl_fw share = rows[i].rise, from[3], room[3], towards[3];
        pl_iw nearer[3], rises = asked & (share >= pl_splat_w(LOW_SAMPLE));
        for (int c = 0; c < 3; ++c)
        {
            from[c] = points[i][c] - begin[c];
        }
        for (int n = 0; n < 3; ++n)
        {
            const barrier *w = &walls[n];
            room[n] = w->distance - pl_dot_w(from, w->direction) - pl_splat_w(w->gap) * share;
            towards[n] = pl_max_w(w->lean + w->lean_change * rows[i].part, pl_splat_w(w->least)) * share;
            nearer[n] = rises & (room[n] < most * towards[n]);
        }
        for (int n = 0; n < 3 && pl_mask_w(nearer[0] | nearer[1] | nearer[2]); ++n)
        {
            pl_fw least = pl_max_w(room[n], pl_splat_w(0)) / towards[n];
            most = pl_select_w(nearer[n], pl_min_w(least, most), most);
        }
    }
    return most;
}

/* What contact takes of a station's rooms, in lanes. */
typedef struct contact
{
    pl_iw stations; /* those that have any */
    pl_fw share;    /* how much contact matters */
    pl_fw part;     /* for neighbours */
    pl_fw clear;    /* how well the planes are known */
    wall crease;
} contact;

static void limit_group(const pl_fold_job *job, uint32_t block, uint32_t k, const contact *touch, const wall feet[2])
{
    const pl_bound_ring *ring = job->ring;
    uint32_t index = block * ring->fold_count + k;
    const pl_fold_group *group = &ring->cloth.lanes->groups[index];
    pl_iw there = touch->stations & (group->rest_length > pl_splat_w(0));
    float side = k >= ring->fold_count / 2 ? -1.0f : 1.0f, width = ring->width;
    const pl_fw *begin = job->layer->work->foot_points[index + block];
    const pl_fw(*ups)[3] = (const pl_fw(*)[3])job->layer->work->ups + index + block;
    barrier walls[3] = {{.gap = GAP * width, .least = LEAST_LEAN},
                        {.gap = GAP * width, .least = LEAST_LEAN},
                        {.gap = CREASE_GAP * width, .least = PL_FOLD_LEAN}};
    find_barrier(&feet[0], -1, begin, ups, &walls[0]);
    find_barrier(&feet[1], 1, begin, ups, &walls[1]);
    find_barrier(&touch->crease, side, begin, ups, &walls[2]);
    pl_fw full = pl_splat_w(PL_FOLD_STEEP * width), most = room_before(job, block, index, walls, there, full);
    most = pl_min_w(most, touch->clear * full);
    pl_fw less = pl_where_w(there, (most - full) * touch->share);
    pl_fw room = full + less, taper = full + less * touch->part;
    size_t at = (size_t)block * PL_WIDTH * ring->fold_count + k;
    for (uint32_t lane = 0; lane < PL_WIDTH; ++lane, at += ring->fold_count)
    {
        job->layer->at.allowed.rooms[at] = room[lane];
        job->layer->at.allowed.tapers[at] = taper[lane];
    }
}

static void find_rooms(const pl_fold_job *job, uint32_t block, contact *touch, const bones *middle)
{
    uint32_t count = job->ring->fold_count;
    const pl_fold_group *groups = job->ring->cloth.lanes->groups + (size_t)block * count;
    size_t crease = (size_t)block * (count + 1) + count / 2;
    for (int c = 0; c < 3; ++c)
    {
        touch->crease.point[c] = job->layer->work->foot_points[crease][c];
        touch->crease.direction[c] = middle->near[c] + middle->far[c];
    }
    pl_normalize_w(touch->crease.direction);
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
        if (groups[k].row_count)
        {
            pl_fold_group_know(job, block, k);
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

/* What the bend of each station allows, and the rooms. */
static void bend_stations(const pl_fold_job *job, uint32_t block, pl_fw lost)
{
    size_t first = (size_t)block * PL_WIDTH;
    bones middle;
    find_bones(job, block, job->ring->fold_count / 2, &middle);
    pl_fw cosine = pl_dot_w(middle.near, middle.far), zero = pl_splat_w(0), one = pl_splat_w(1);
    pl_iw any = lost > zero;
    *(pl_fw *)(job->layer->at.allowed.carries + first) =
        pl_select_w(any, pl_ramp_w(cosine, CARRY_NONE, CARRY_ALL), one);
    *(pl_fw *)(job->layer->at.allowed.ends + first) =
        pl_select_w(any, pl_max_w(pl_ramp_w(cosine, ENDS_FLAT, ENDS_STEEP), pl_splat_w(ENDS_LEAST)), one);
    contact touch = {.share = 1 - pl_ramp_w(cosine, TOUCH_ALL, TOUCH_NONE),
                     .clear = pl_ramp_w(cosine, PL_FOLD_CLEAR_NONE, PL_FOLD_CLEAR_ALL)};
    touch.stations = any & (touch.share > zero);
    touch.part = pl_select_w(lost < pl_splat_w(PL_FOLD_TAPER_LOSS), lost / pl_splat_w(PL_FOLD_TAPER_LOSS), one);
    if (job->layer->options.contact && pl_mask_w(touch.stations))
    {
        find_rooms(job, block, &touch, &middle);
    }
}

/* What is left of folds at the outer side of the bend: pl_fold_outer. */
PL_INLINE pl_fw outers_of(const pl_fold_job *job, uint32_t block)
{
    pl_f4 inner = job->pose.inner;
    const pl_fw *out = job->ring->cloth.lanes->outs[block];
    pl_fw across = inner[0] * out[0] + inner[1] * out[1] + inner[2] * out[2];
    return 1 - inner[3] * pl_ramp_w(-across, -PL_FOLD_OUTER_LOWER, -PL_FOLD_OUTER_GONE);
}

void PL_WIDE(pl_folds_prepare)(const pl_fold_job *job, uint32_t block)
{
    uint32_t count = job->ring->fold_count, first = block * PL_WIDTH;
    float *rooms = job->layer->at.allowed.rooms + (size_t)first * count,
          *tapers = job->layer->at.allowed.tapers + (size_t)first * count;
    pl_fw full = pl_splat_w(PL_FOLD_STEEP * job->ring->width), one = pl_splat_w(1);
    for (uint32_t i = 0; i < count; ++i)
    {
        ((pl_fw *)rooms)[i] = ((pl_fw *)tapers)[i] = full;
    }
    *(pl_fw *)(job->layer->at.allowed.carries + first) = *(pl_fw *)(job->layer->at.allowed.ends + first) = one;
    *(pl_fw *)(job->layer->at.allowed.outers + first) = outers_of(job, block);
    pl_fw lost = *(const pl_fw *)(job->layer->at.lost + first);
    bool any = pl_mask_w(lost > pl_splat_w(0));
    /* Vertices between two stations rise as both are turned. */
    uint32_t end = first + PL_WIDTH < job->ring->station_count ? first + PL_WIDTH : job->ring->station_count;
    if (any || pl_fold_is_lost(&job->layer->at, job->ring, (int64_t)first - 1) ||
        pl_fold_is_lost(&job->layer->at, job->ring, end))
    {
        for (uint32_t k = 0; k <= count; ++k)
        {
            if (job->ring->cloth.lanes->feet[(size_t)block * (count + 1) + k].turn_count)
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

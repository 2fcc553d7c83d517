#include "layers/folds/frame/covered.h"

#include "base/parallel.h"

/* Cloth that has lost nothing is not pressed: what covers it begins with its loss, wholly from this part on. */
#define PRESSED_LOSS 0.05f
/* A crease is turned into the plane of its ring only where cloth lies on cloth: far from it the plane would sweep over
 * folds that it has nothing to do with. Wholly from this much covered on, of a fold's width. */
#define TURNED 0.7f
/* Where a ring is crushed to less than this, of its stations' distance, it runs nowhere. */
#define CRUSHED_RING 0.7f
/* A line that leaves the ring straight, and along the bone: cosines between the ways, none of it counts at the first
 * and all from the second on. */
#define CURLED 0.5f
#define STRAIGHT 0.8f
#define ASKEW 0.6f
#define ALONG 0.9f
/* The sides lie on each other if what is not put back lies as deep on both, to within so many folds' widths; from the
 * second on they do not. */
#define LEVEL 0.5f
#define UNEVEN 1.5f
enum
{
    CLOSING_FOLDS = 4 /* on each side, from whose ends a closing crease takes the ways of its sides */
};

/* ---- Creases ---- */

/* Where folds meet, in the real pose. */
static pl_f4 foot_place(const pl_bound_ring *ring, size_t index, const pleat_layer_frame *frame)
{
    return pl_fold_mix(frame->positions, ring->lines.feet[index].vertex, ring->lines.feet[index].weight);
}

/* The direction of the line at the ring, as the bone on each side turns it; in a deep bend as held. */
typedef struct bone_pair
{
    pl_f4 near, far;
} bone_pair;

static bone_pair bone_directions(const pl_bound_ring *ring, uint32_t station, const pl_fold_held *held,
                                 const pleat_layer_frame *frame)
{
    pl_f4 along = ring->lines.along[(size_t)station * (ring->fold_count + 1) + ring->fold_count / 2];
    pl_f4 near = pl_normalize3(pl_affine_vector(&frame->joints[ring->limb.parent], along));
    pl_f4 far = pl_normalize3(pl_affine_vector(&frame->joints[ring->limb.joint], along));
    return (bone_pair){near, held && held->excess > 0 ? pl_quat_rotate(held->back, far) : far};
}

/* How well the planes of a station are known: not at all where the limb is wrung so far that the line points one way on
 * one bone and back on the other. */
static float clear_of(const pl_bound_ring *ring, uint32_t station, const pl_fold_pose *pose)
{
    bone_pair pair = bone_directions(ring, station, &pose->held, pose->frame);
    return pl_fold_ramp(pl_dot3(pair.near, pair.far), PL_FOLD_CLEAR_NONE, PL_FOLD_CLEAR_ALL);
}

/* How many whole folds follow each other from the ring on; side 0: towards the parent. */
static uint32_t folds_from_ring(const pl_bound_ring *ring, uint32_t station, int side)
{
    const pl_fold *folds = ring->folds + (size_t)station * ring->fold_count;
    uint32_t middle = ring->fold_count / 2, n = 0;
    while (n < CLOSING_FOLDS && n < middle && folds[side ? middle + n : middle - 1 - n].sample_count > 2)
    {
        ++n;
    }
    return n;
}

/* The plane where the sides of a limb lie on each other, in the real pose: through the line's point on the ring, half
 * way between where both go from the ring within a few folds, as their bones turn them. An upper arm widens there while
 * a forearm does not, and what the line does at the ring itself says little of either. */
static pl_fold_wall closing_of(const pl_bound_ring *ring, uint32_t station, const pleat_layer_frame *frame)
{
    uint32_t ends[2] = {folds_from_ring(ring, station, 0), folds_from_ring(ring, station, 1)};
    size_t foot = (size_t)station * (ring->fold_count + 1) + ring->fold_count / 2;
    const pl_f4 *rest = ring->lines.feet_rest + foot;
    bone_pair pair = bone_directions(ring, station, NULL, frame);
    if (ends[0] && ends[1])
    {
        pair.near =
            pl_normalize3(pl_affine_vector(&frame->joints[ring->limb.parent], rest[0] - rest[-(ptrdiff_t)ends[0]]));
        pair.far = pl_normalize3(pl_affine_vector(&frame->joints[ring->limb.joint], rest[ends[1]] - rest[0]));
    }
    return (pl_fold_wall){foot_place(ring, foot, frame), pl_normalize3(pair.near + pair.far)};
}

/* Turns a crease towards the plane that holds the ring itself, a part of the way, 0 .. 1. Where a limb is wrung, the
 * two sides that lie on each other are of different stations: only planes along the ring tell both the same place.
 * Returns which way the ring runs. */
static pl_f4 turn_crease(const pl_bound_ring *ring, uint32_t station, const pleat_layer_frame *frame, float part,
                         pl_fold_wall *crease)
{
    uint32_t count = ring->station_count;
    size_t stride = (size_t)ring->fold_count + 1, foot = ring->fold_count / 2;
    uint32_t before = pl_fold_station_beside(count, ring->closed, station, 0);
    uint32_t behind = pl_fold_station_beside(count, ring->closed, station, 1);
    pl_f4 way = foot_place(ring, behind * stride + foot, frame) - foot_place(ring, before * stride + foot, frame);
    float least = CRUSHED_RING * ring->spacing;
    float along = pl_dot3(crease->direction, way) / (pl_dot3(way, way) + least * least);
    crease->direction = pl_normalize3(crease->direction - way * pl_splat(part * along));
    return pl_normalize3(way);
}

/* ---- Covered cloth ---- */

/* Cloth is covered from this distance before the crease on, and wholly so at it; of a fold's width. */
#define COVER 0.4f

/* How much of a stretch is covered, on which the distance to the crease goes from a to b. In four steps. */
static float covered_part(float a, float b, float width)
{
    float sum = 0;
    for (int i = 0; i < 4; ++i)
    {
        float t = ((float)i + 0.5f) / 4, part = 1 - (a + (b - a) * t) / (COVER * width);
        sum += part < 0 ? 0 : part > 1 ? 1 : part;
    }
    return sum / 4;
}

/* How straight the way from the ring to a foot is at rest. A line that curls, as one through the crotch to the other
 * leg does, lies behind its crease at rest already: skinning did not put it there, and the plane says nothing about it.
 */
static float straight_to(const pl_f4 *feet_rest, uint32_t middle, uint32_t foot, pl_f4 outwards)
{
    pl_f4 way = feet_rest[foot] - feet_rest[middle];
    float length = pl_length3(way);
    return length > 0 ? pl_fold_ramp(pl_dot3(way, outwards) / length, CURLED, STRAIGHT) : 0;
}

/* How much cloth that is that far from the ring, now and at rest, may have been pushed through the crease, 0 .. 1: it
 * is not stretched on its way from the ring. Where it is, a limb was thrown across the body, and the crease tells
 * nothing.
 */
static float part_pushed(float way, float from_ring, float width)
{
    return 1 - pl_fold_ramp(way / (from_ring + PL_FOLD_DRAWN * width), PL_FOLD_PUSHED_ALL, PL_FOLD_PUSHED_NONE);
}

/* Walks from the ring outwards; side 0: towards the parent. Returns the covered length. A line that leaves the ring
 * askew to the bone, as those inside a thigh do, is turned by more than the bend, and less of it counts. Behind cloth
 * that tells nothing none is covered: further out lines are as long as ever though they began with a leap. */
static float cover_side(const pl_bound_ring *ring, uint32_t station, uint32_t side, const pl_fold_wall *crease,
                        const pleat_layer_frame *frame)
{
    uint32_t middle = ring->fold_count / 2;
    const pl_fold_sample *feet = ring->lines.feet + (size_t)station * (ring->fold_count + 1);
    const pl_f4 *rest = ring->lines.feet_rest + (size_t)station * (ring->fold_count + 1);
    float sum = 0, before = 0, way = side ? 1.0f : -1.0f;
    pl_f4 outwards = ring->lines.along[(size_t)station * (ring->fold_count + 1) + middle] * pl_splat(way);
    float straight = pl_fold_ramp(fabsf(pl_dot3(outwards, ring->limb.axis)), ASKEW, ALONG);
    for (uint32_t n = 1; n <= middle; ++n)
    {
        uint32_t foot = side ? middle + n : middle - n, k = side ? foot - 1 : foot;
        if (ring->folds[station * ring->fold_count + k].sample_count < 3)
        {
            break; /* the cloth ends */
        }
        pl_f4 place = pl_fold_mix(frame->positions, feet[foot].vertex, feet[foot].weight);
        float distance = pl_dot3(place - crease->point, crease->direction) * way;
        float way_now = pl_length3(place - crease->point), way_rest = fabsf(ring->bounds[foot]);
        straight = fminf(straight, straight_to(rest, middle, foot, outwards));
        straight = fminf(straight, part_pushed(way_now, way_rest, ring->width));
        sum += straight * covered_part(before, distance, ring->width) * (ring->bounds[k + 1] - ring->bounds[k]);
        before = distance;
    }
    return sum;
}

/* How far behind the crease a line is at that distance from the ring, or where it ends; 0 before the crease. */
static float depth_at(const pl_bound_ring *ring, uint32_t station, uint32_t side, float at, const pl_fold_wall *crease,
                      const pleat_layer_frame *frame)
{
    uint32_t middle = ring->fold_count / 2;
    const pl_fold_sample *feet = ring->lines.feet + (size_t)station * (ring->fold_count + 1);
    float depth = 0, arc = 0, way = side ? -1.0f : 1.0f;
    for (uint32_t n = 1; n <= middle && arc < at; ++n)
    {
        uint32_t foot = side ? middle + n : middle - n, k = side ? foot - 1 : foot;
        if (ring->folds[station * ring->fold_count + k].sample_count < 3)
        {
            break;
        }
        pl_f4 place = pl_fold_mix(frame->positions, feet[foot].vertex, feet[foot].weight);
        float next = pl_dot3(place - crease->point, crease->direction) * way, end = fabsf(ring->bounds[foot]);
        depth += (next - depth) * (end > at ? (at - arc) / (end - arc) : 1);
        arc = end;
    }
    return fmaxf(depth, 0);
}

/* How much of a station's cloth is covered in a deep bend: the length on each side of the ring that lies on the
 * other's. */
static float cover_of(const pl_bound_ring *ring, uint32_t station, const pl_fold_wall *crease,
                      const pleat_layer_frame *frame)
{
    float covered = fminf(cover_side(ring, station, 0, crease, frame), cover_side(ring, station, 1, crease, frame));
    if (!(covered > 0))
    {
        return 0;
    }
    /* Where nothing is put back any more (push_part), one side alone may still be far behind the crease, as a thigh is
     * that is drawn up beside the belly. There the sides do not lie on each other: what is put back nearer to the ring
     * would lie double on the crease, and cross itself. */
    float end = covered + fminf(covered, 2 * ring->width);
    float one = depth_at(ring, station, 0, end, crease, frame), other = depth_at(ring, station, 1, end, crease, frame);
    return covered * (1 - pl_fold_ramp(fabsf(one - other) / ring->width, LEVEL, UNEVEN));
}

/* ---- Where places lie ---- */

/* Planes that differ by less than 3 degrees are the same, those that differ by 10 are not: 1 less their cosine. */
#define SAME 0.0014f
#define OTHER 0.015f

/* Fills strays, once creases, runs and what is pressed are known. */
static void find_strays(const pl_bound_ring *ring, pl_folds_layer *layer)
{
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        float pressed = layer->at.covered.pressed[i], apart = 0;
        for (int side = 0; side < 2 && layer->at.covered.runs[i][3] > 0; ++side)
        {
            uint32_t at = i;
            for (int n = 0; n < PL_FOLD_ASIDE; ++n)
            {
                at = pl_fold_station_beside(ring->station_count, ring->closed, at, side);
                if (!(layer->at.covered.runs[at][3] > 0))
                {
                    break;
                }
                pressed = fmaxf(pressed, layer->at.covered.pressed[at]);
                apart = fmaxf(apart, 1 - pl_dot3(layer->at.covered.creases[i].direction,
                                                 layer->at.covered.creases[at].direction));
            }
        }
        layer->at.covered.strays[i] = pressed > ring->width ? pl_fold_ramp(apart, SAME, OTHER) : 0;
    }
}

/* ---- All ---- */

/* The largest loss of a station and those beside it. Inside a bend lines that skinning has pushed through each other
 * grow back, and lose nothing any more, between others that do. */
static float lost_around(const pl_fold_job *job, uint32_t station)
{
    float lost = job->layer->at.lost[station];
    for (int side = 0; side < 2; ++side)
    {
        uint32_t at = station;
        for (int n = 0; n < PL_FOLD_ASIDE; ++n)
        {
            at = pl_fold_station_beside(job->ring->station_count, job->ring->closed, at, side);
            lost = fmaxf(lost, job->layer->at.lost[at]);
        }
    }
    return lost;
}

static void cover_station(const pl_fold_job *job, uint32_t station)
{
    pl_fold_wall *crease = &job->layer->at.covered.creases[station];
    *crease = closing_of(job->ring, station, job->frame);
    float part = pl_fold_ramp(lost_around(job, station), 0, PRESSED_LOSS);
    part *= clear_of(job->ring, station, &job->pose);
    part *= cover_of(job->ring, station, crease, job->frame);
    job->layer->at.covered.pressed[station] = part;
    float turn = pl_fold_ramp(part / job->ring->width, 0, TURNED);
    job->layer->at.covered.runs[station] = turn_crease(job->ring, station, job->frame, turn, crease);
    job->layer->at.covered.runs[station][3] = 1;
}

/* Vertices between two stations rise as both are turned. */
static bool is_turned(const pl_fold_job *job, int64_t station)
{
    return pl_fold_is_lost(&job->layer->at, job->ring, station) ||
           pl_fold_is_lost(&job->layer->at, job->ring, station - 1) ||
           pl_fold_is_lost(&job->layer->at, job->ring, station + 1);
}

static void cover_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const pl_fold_job *job = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        job->layer->at.covered.runs[i] = pl_splat(0);
        job->layer->at.covered.pressed[i] = 0;
        if (is_turned(job, i))
        {
            cover_station(job, i);
        }
    }
}

void pl_folds_cover(const pl_fold_job *job)
{
    pl_parallel_for(job->frame->tasks, job->ring->station_count, 4, cover_stations, (void *)(uintptr_t)job);
    find_strays(job->ring, job->layer);
}

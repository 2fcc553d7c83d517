/* Deep bends: what the real pose still asks of folds that were solved in the held one (frame/held.c).
 *
 * Where a limb is pressed against itself, the cloth between is covered and shows no folds: those that the crease closes
 * over stay where they are on the cloth, go down before it, and come up again as it opens. Squeezing them out along the
 * cloth instead would send ridge after ridge past every place beside the crease. */
#include "layers/folds/folds.h"

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
    return length > 0 ? pl_fold_ramp(pl_dot3(way, outwards) / length, 0.5f, 0.8f) : 0;
}

/* How much cloth that is that far from the ring, now and at rest, may have been pushed through the crease, 0 .. 1: it
 * is not stretched on its way from the ring. Where it is, a limb was thrown across the body, and the crease tells
 * nothing.
 */
static float part_pushed(float way, float from_ring, float width)
{
    return 1 - pl_fold_ramp(way / (from_ring + PL_FOLD_DRAWN * width), 1.05f, 1.35f);
}

/* Walks from the ring outwards; side 0: towards the parent. Returns the covered length. A line that leaves the ring
 * askew to the bone, as those inside a thigh do, is turned by more than the bend, and less of it counts. Behind cloth
 * that tells nothing none is covered: further out lines are as long as ever though they began with a leap. */
static float cover_side(const pl_bound_ring *ring, uint32_t station, uint32_t side, const pl_fold_wall *crease,
                        const pleat_layer_frame *frame)
{
    uint32_t middle = ring->fold_count / 2;
    const pl_fold_sample *feet = ring->feet + (size_t)station * (ring->fold_count + 1);
    const pl_f4 *rest = ring->feet_rest + (size_t)station * (ring->fold_count + 1);
    float sum = 0, before = 0, way = side ? 1.0f : -1.0f;
    pl_f4 outwards = ring->along[(size_t)station * (ring->fold_count + 1) + middle] * pl_splat(way);
    float straight = pl_fold_ramp(fabsf(pl_dot3(outwards, ring->axis)), 0.6f, 0.9f);
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
    const pl_fold_sample *feet = ring->feet + (size_t)station * (ring->fold_count + 1);
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

float pl_fold_cover(const pl_bound_ring *ring, uint32_t station, const pl_fold_wall *crease,
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
    return covered * (1 - pl_fold_ramp(fabsf(one - other) / ring->width, 0.5f, 1.5f));
}

/* ---- Where places lie ---- */

/* Planes that differ by less than 3 degrees are the same, those that differ by 10 are not: 1 less their cosine. */
#define SAME 0.0014f
#define OTHER 0.015f

void pl_folds_find_strays(const pl_bound_ring *ring, pl_folds_layer *layer)
{
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        float pressed = layer->pressed[i], apart = 0;
        for (int side = 0; side < 2 && layer->runs[i][3] > 0; ++side)
        {
            uint32_t at = i;
            for (int n = 0; n < PL_FOLD_ASIDE; ++n)
            {
                at = pl_fold_station_beside(ring->station_count, ring->closed, at, side);
                if (!(layer->runs[at][3] > 0))
                {
                    break;
                }
                pressed = fmaxf(pressed, layer->pressed[at]);
                apart = fmaxf(apart, 1 - pl_dot3(layer->creases[i].direction, layer->creases[at].direction));
            }
        }
        layer->strays[i] = pressed > ring->width ? pl_fold_ramp(apart, SAME, OTHER) : 0;
    }
}

/* Between two stations. */
typedef struct spot
{
    uint32_t stations[2];
    float share; /* of the second */
} spot;

/* How far a place lies beyond a station, along the ring. */
static float beyond(const pl_folds_layer *layer, uint32_t station, pl_f4 place)
{
    return pl_dot3(place - layer->creases[station].point, layer->runs[station]);
}

/* Walks along the ring from a place's own stations to those between which it lies. */
static spot spot_of(const pl_fold_press *p, pl_f4 place)
{
    const pl_bound_ring *ring = p->ring;
    uint32_t at[2] = {p->stations[0], p->stations[1]};
    float far[2] = {beyond(p->layer, at[0], place), beyond(p->layer, at[1], place)};
    for (int i = 0; i < PL_FOLD_ASIDE && (far[0] < 0) != (far[1] > 0); ++i)
    {
        int side = far[1] > 0;
        uint32_t next = pl_fold_station_beside(ring->station_count, ring->closed, at[side], side);
        if (next == at[side] || !(p->layer->runs[next][3] > 0))
        {
            break;
        }
        at[1 - side] = at[side];
        far[1 - side] = far[side];
        at[side] = next;
        far[side] = beyond(p->layer, next, place);
    }
    float between = far[0] - far[1], share = between > 0 ? far[0] / between : 0.5f;
    return (spot){{at[0], at[1]}, far[0] < 0 ? 0 : far[1] > 0 ? 1 : share};
}

static float mix(float a, float b, float share)
{
    return a + (b - a) * share;
}

/* The direction is not unit. */
static pl_fold_wall wall_between(const pl_fold_wall *a, const pl_fold_wall *b, float share)
{
    return (pl_fold_wall){pl_lerp(a->point, b->point, share), pl_lerp(a->direction, b->direction, share)};
}

static float pressed_at(const pl_fold_press *p, float share)
{
    return mix(p->pressed[0], p->pressed[1], share);
}

pl_fold_wall pl_fold_crease_at(const pl_fold_press *p, float share, pl_f4 place)
{
    const pl_folds_layer *layer = p->layer;
    spot at = spot_of(p, place);
    const pl_fold_wall *creases[2] = {&layer->creases[at.stations[0]], &layer->creases[at.stations[1]]};
    pl_fold_wall own = wall_between(p->creases[0], p->creases[1], share);
    pl_fold_wall there = wall_between(creases[0], creases[1], at.share);
    float lies = mix(layer->pressed[at.stations[0]], layer->pressed[at.stations[1]], at.share);
    float part = pl_fold_ramp(fmaxf(pressed_at(p, share), lies) / p->ring->width, 1, 2);
    pl_fold_wall crease = wall_between(&own, &there, part * mix(p->strays[0], p->strays[1], share));
    crease.direction = pl_normalize3(crease.direction);
    return crease;
}

/* ---- Before the crease ---- */

pl_fold_press pl_fold_press_of(const pl_bound_ring *ring, uint32_t station, uint32_t k, const pl_folds_layer *layer,
                               float part)
{
    uint32_t stations[2] = {station, pl_fold_station_after(ring, station)};
    pl_fold_press press = {
        .ring = ring, .k = k, .way = k >= ring->fold_count / 2 ? 1.0f : -1.0f, .part = part, .layer = layer};
    for (int i = 0; i < 2; ++i)
    {
        press.stations[i] = stations[i];
        press.folds[i] = ring->folds + (size_t)stations[i] * ring->fold_count;
        press.creases[i] = &layer->creases[stations[i]];
        press.pressed[i] = layer->pressed[stations[i]];
        press.strays[i] = layer->strays[stations[i]];
    }
    return press;
}

/* The fold next to fold k, towards the ring or away from it; fold_count: none. */
static uint32_t fold_beside(const pl_bound_ring *ring, uint32_t k, bool outwards)
{
    uint32_t middle = ring->fold_count / 2;
    bool far = k >= middle;
    if (!outwards)
    {
        return far ? (k == middle ? ring->fold_count : k - 1) : k + 1 == middle ? ring->fold_count : k + 1;
    }
    return far ? k + 1 : k > 0 ? k - 1 : ring->fold_count;
}

/* How much a place belongs to its ring: as its fold in the middle of it, towards the next one the lower of both; not at
 * all where folds end. at: 0 .. 1 outwards in fold k. */
static float fade_at(const pl_bound_ring *ring, const pl_fold *folds, uint32_t k, float at)
{
    uint32_t next = fold_beside(ring, k, at > 0.5f);
    float here = folds[k].fade, end = next < ring->fold_count ? folds[next].fade : at > 0.5f ? 0 : here;
    end = end < here ? end : here;
    return here + (end - here) * pl_smooth_step(fabsf(2 * at - 1));
}

/* What part of its rise a place keeps so that it stays before the crease. distance: to it; towards: how far it would
 * come nearer; length: of the whole rise. Even a place that rises along the crease gets no higher than a few times its
 * distance, so that nothing jumps where the surface passes it. */
static float kept_part(float distance, float towards, float length, float width)
{
    float room = distance - 0.03f * width, least = 0.3f * length;
    towards = towards > least ? towards : least;
    if (!(room > 0))
    {
        return 0;
    }
    return towards > 0 ? (float)(pl_fold_limit((double)towards, (double)room) / (double)towards) : 1;
}

/* How far to put a place back that lies that deep behind the crease. way: to the place now; from_ring: at rest. */
static float push_of(const pl_fold_press *p, float depth, float way, float from_ring)
{
    float width = p->ring->width;
    float back = (float)pl_fold_limit((double)depth, (double)(PL_FOLD_FARTHEST * width));
    return (1 + PL_FOLD_PAST) * back * part_pushed(way, from_ring, width);
}

/* How much a place that skinning has pushed through the crease is put back onto it: where cloth of both sides is
 * covered, and less towards where the ring's folds end. */
static float push_part(const pl_fold_press *p, const pl_fold_vertex *v, float from_ring)
{
    float covered = pressed_at(p, v->share);
    float reach = covered < 2 * p->ring->width ? covered : 2 * p->ring->width;
    float outwards = 0.5f * (1 + p->way * v->x);
    if (!(from_ring - covered < reach))
    {
        return 0;
    }
    float t = (from_ring - covered) / reach;
    float first = fade_at(p->ring, p->folds[0], p->k, outwards), second = fade_at(p->ring, p->folds[1], p->k, outwards);
    return (first + (second - first) * v->share) * (1 - pl_smooth_step(t)) * p->part * v->mask * p->ring->strength;
}

pl_f4 pl_fold_settle(const pl_fold_press *p, const pl_fold_vertex *v, pl_f4 place, pl_f4 move)
{
    const float *bounds = p->ring->bounds;
    pl_fold_wall crease = wall_between(p->creases[0], p->creases[1], v->share);
    crease.direction = pl_normalize3(crease.direction);
    pl_f4 towards = crease.direction * pl_splat(-p->way), from = crease.point, before = place;
    float distance = pl_dot3(from - place, towards);
    float kept = kept_part(distance, pl_dot3(move, towards), pl_length3(move), p->ring->width);
    place += move * pl_splat(1 - p->part * (1 - kept));
    /* The two sides lie on each other with a gap between them that begins at the ring. */
    float from_ring = fabsf(bounds[p->k] + 0.5f * (v->x + 1) * (bounds[p->k + 1] - bounds[p->k]));
    float gap = PL_FOLD_GAP * (from_ring < p->ring->width ? from_ring : p->ring->width);
    if (pl_fold_is_spread(p))
    {
        crease = pl_fold_crease_at(p, v->share, before);
        towards = crease.direction * pl_splat(-p->way);
        distance = pl_dot3(crease.point - before, towards);
    }
    if (distance < gap)
    {
        float way = pl_length3(from - before);
        float push = push_of(p, gap - distance, way, from_ring);
        place -= towards * pl_splat(push * push_part(p, v, from_ring));
    }
    return place;
}

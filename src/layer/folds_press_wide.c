/* Vertices of a deep bend, eight at a time: press_cell of folds_frame.c, and what it asks of folds_press.c, which is
 * the definition. Bound by operations. */
#include "base/wide.h"
#include "layer/folds_octet.h"

/* ---- A cell ---- */

/* A value of fold k at a station, and how it changes by the end of the fold, towards the ring and away from it:
 * height_at and fade_at. */
typedef struct slope
{
    float here, change[2];
} slope;

/* The cloth between two stations within one fold. */
typedef struct cell
{
    pl_fold_cell rise;
    pl_fold_press press;
    slope heights[2], fades[2];
    float arc, span; /* where the fold begins, and how wide it is */
    bool rises;      /* does anything of it rise? */
    bool pushed;     /* can anything of it be put back? */
} cell;

static slope slope_of(float here, float inner, float outer)
{
    return (slope){here, {(inner < here ? inner : here) - here, (outer < here ? outer : here) - here}};
}

/* The same of both. inner, outer: the folds beside fold k, or fold_count. */
static void find_slopes(cell *c, uint32_t inner, uint32_t outer)
{
    const pl_fold_press *p = &c->press;
    uint32_t count = p->ring->fold_count;
    for (int i = 0; i < 2; ++i)
    {
        const float *heights = p->heights[i];
        const pl_fold *folds = p->folds[i];
        c->heights[i] =
            slope_of(heights[p->k], inner < count ? heights[inner] : heights[p->k], outer < count ? heights[outer] : 0);
        c->fades[i] = slope_of(folds[p->k].fade, inner < count ? folds[inner].fade : folds[p->k].fade,
                               outer < count ? folds[outer].fade : 0);
    }
}

/* Where a fold begins, seen from the ring. */
static float inner_edge(const pl_fold_press *p, uint32_t k)
{
    return fabsf(p->ring->bounds[p->way > 0 ? k : k + 1]);
}

/* Has any fold risen that may slide to this one? */
static bool any_rises(const pl_fold_press *p)
{
    uint32_t middle = p->ring->fold_count / 2;
    float reach = inner_edge(p, p->k) - fmaxf(p->slides[0], p->slides[1]);
    bool any = p->squeezed[0] > 0 || p->squeezed[1] > 0;
    for (uint32_t k = p->k;; k = p->way > 0 ? k - 1 : k + 1)
    {
        any = any || p->heights[0][k] > 0 || p->heights[1][k] > 0;
        if (any || k == (p->way > 0 ? middle : middle - 1) || inner_edge(p, k) <= reach)
        {
            return any;
        }
    }
}

static void make_cell(const pl_fold_lane_job *job, uint32_t station, uint32_t k, cell *c)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, middle = count / 2, none = count;
    c->press = pl_fold_press_of(ring, station, k, job->layer, job->pose->held.press);
    const pl_fold_press *p = &c->press;
    float covered = fmaxf(p->pressed[0], p->pressed[1]);
    c->arc = ring->bounds[k];
    c->span = ring->bounds[k + 1] - ring->bounds[k];
    c->rises = any_rises(p);
    c->pushed = p->part > 0 && inner_edge(p, k) < covered + fminf(covered, 2 * ring->width);
    if (c->rises || c->pushed)
    {
        pl_fold_cell_make(job, station, pl_fold_station_after(ring, station), k, &c->rise);
        find_slopes(c,
                    k == middle || k + 1 == middle ? none
                    : p->way > 0                   ? k - 1
                                                   : k + 1,
                    p->way > 0 ? k + 1
                    : k > 0    ? k - 1
                               : none);
    }
}

/* ---- Small parts, in lanes ---- */

PL_INLINE pl_f8 smooth_step(pl_f8 t)
{
    t = pl_min8(pl_max8(t, pl_splat8(0)), pl_splat8(1));
    return t * t * (3 - 2 * t);
}

/* pl_fold_limit. */
PL_INLINE pl_f8 limit(pl_f8 amplitude, pl_f8 room)
{
    float soft = (float)PL_FOLD_SOFT;
    pl_f8 over = amplitude - soft * room, span = 2 * (1 - soft) * room;
    pl_f8 slowed = pl_select8(over >= span, room, amplitude - over * over / (2 * span));
    return pl_select8(over > pl_splat8(0), slowed, amplitude);
}

/* Eight vertices of a cell on their way. */
typedef struct lot
{
    pl_fold_lot v;
    pl_f8 arc;       /* across the ring */
    pl_f8 end;       /* how far they are from the middle of their fold, eased */
    pl_i8 outer;     /* are they beyond it? */
    pl_f8 rise[3];   /* how they would rise */
    pl_f8 points[3]; /* where they are */
} lot;

PL_INLINE pl_f8 slope_at(const slope *s, const lot *l)
{
    return s->here + pl_select8(l->outer, pl_splat8(s->change[1]), pl_splat8(s->change[0])) * l->end;
}

/* ---- Sliding ---- */

/* The folds that slide to eight vertices. */
typedef struct origin
{
    pl_f8 begin, end; /* arcs */
    pl_f8 heights[2];
    pl_f8 share; /* squeezed_share */
} origin;

/* squeezed_share of fold k. */
static float share_of(const pl_fold_press *p, uint32_t k)
{
    uint32_t middle = p->ring->fold_count / 2;
    return pl_fold_squeezed_share(k >= middle ? k - middle : middle - 1 - k);
}

/* fold_after: folds come from nearer the ring. at: arcs that they come from. */
PL_INLINE void find_origin(const pl_fold_press *p, pl_f8 at, pl_i8 covered, origin *o)
{
    const float *bounds = p->ring->bounds;
    uint32_t k = p->k, last = p->way > 0 ? p->ring->fold_count / 2 : p->ring->fold_count / 2 - 1;
    *o = (origin){pl_splat8(bounds[k]),
                  pl_splat8(bounds[k + 1]),
                  {pl_splat8(p->heights[0][k]), pl_splat8(p->heights[1][k])},
                  pl_splat8(share_of(p, k))};
    while (k != last)
    {
        pl_i8 nearer = ~covered & (p->way > 0 ? at < pl_splat8(bounds[k]) : at > pl_splat8(bounds[k + 1]));
        if (!pl_mask8(nearer))
        {
            return;
        }
        k = p->way > 0 ? k - 1 : k + 1;
        o->begin = pl_select8(nearer, pl_splat8(bounds[k]), o->begin);
        o->end = pl_select8(nearer, pl_splat8(bounds[k + 1]), o->end);
        o->heights[0] = pl_select8(nearer, pl_splat8(p->heights[0][k]), o->heights[0]);
        o->heights[1] = pl_select8(nearer, pl_splat8(p->heights[1][k]), o->heights[1]);
        o->share = pl_select8(nearer, pl_splat8(share_of(p, k)), o->share);
    }
}

/* pl_fold_slide, and how eight vertices rise by it. */
PL_INLINE void slide(const cell *c, const pl_fold_octet *octet, lot *l)
{
    const pl_fold_press *p = &c->press;
    pl_f8 width = pl_splat8(p->ring->width), zero = pl_splat8(0), shift[4], height[2];
    pl_f8 slides = p->slides[0] + (p->slides[1] - p->slides[0]) * l->v.share;
    pl_f8 part = pl_min8(slides / width, pl_splat8(1)), at = l->arc - p->way * slides;
    pl_i8 covered = ~(at * p->way > zero);
    origin o;
    find_origin(p, at, covered, &o);
    for (int i = 0; i < 2; ++i)
    {
        pl_f8 here = slope_at(&c->heights[i], l);
        here = pl_sqrt8(here * here + p->squeezed[i] * o.share) * slope_at(&c->fades[i], l);
        here = limit(here, 0.5f * width);
        height[i] = o.heights[i] + (here - o.heights[i]) * part;
    }
    pl_f8 amplitude = l->v.mask * (height[0] + (height[1] - height[0]) * l->v.share);
    pl_i8 rising = ~covered & (amplitude > zero);
    pl_fold_lot_shifts(&c->rise, octet, &l->v, shift);
    pl_f8 loose = 1 - part, x = (2 * at - o.begin - o.end) / (o.end - o.begin) + shift[3] * loose;
    amplitude *= pl_fold_profiles_at(&p->ring->profile, x);
    for (int i = 0; i < 3; ++i)
    {
        pl_f8 move = shift[i] * loose + pl_fold_lot_direction(&c->rise, &l->v, i) * amplitude;
        l->rise[i] = (pl_f8)((pl_i8)move & rising);
    }
}

/* ---- Before the crease ---- */

/* kept_part of folds_press.c. */
PL_INLINE pl_f8 kept_part(pl_f8 distance, pl_f8 towards, pl_f8 length, float width)
{
    pl_f8 room = distance - 0.03f * width, zero = pl_splat8(0);
    towards = pl_max8(towards, 0.3f * length);
    pl_f8 kept = pl_select8(towards > zero, limit(towards, room) / towards, pl_splat8(1));
    return (pl_f8)((pl_i8)kept & (room > zero));
}

/* push_of times push_part. depth: behind the crease; way: to the places now, from_ring: at rest. */
PL_INLINE pl_f8 push_of(const cell *c, const lot *l, pl_f8 depth, pl_f8 way, pl_f8 from_ring)
{
    const pl_fold_press *p = &c->press;
    float width = p->ring->width;
    pl_f8 stretch = way / (from_ring + 0.1f * width);
    pl_f8 push = limit(depth, pl_splat8(PL_FOLD_FARTHEST * width)) * (1 - smooth_step((stretch - 1.05f) / 0.3f));
    pl_f8 covered = p->pressed[0] + (p->pressed[1] - p->pressed[0]) * l->v.share;
    pl_f8 reach = pl_min8(covered, pl_splat8(2 * width)), beyond = from_ring - covered;
    pl_f8 first = slope_at(&c->fades[0], l), second = slope_at(&c->fades[1], l);
    pl_f8 part = (first + (second - first) * l->v.share) * (1 - smooth_step(beyond / reach)) * l->v.mask;
    push *= part * (p->part * p->ring->strength);
    return (pl_f8)((pl_i8)push & (beyond < reach) & (depth > pl_splat8(0)));
}

/* pl_fold_settle: turns how vertices rise into how they move. */
PL_INLINE void settle(const cell *c, const lot *l, pl_f8 move[4])
{
    const pl_fold_press *p = &c->press;
    pl_f8 towards[3], away[3], from_ring = pl_abs8(l->arc);
    for (int i = 0; i < 3; ++i)
    {
        const pl_fold_wall *a = p->creases[0], *b = p->creases[1];
        towards[i] = a->direction[i] + (b->direction[i] - a->direction[i]) * l->v.share;
        away[i] = a->point[i] + (b->point[i] - a->point[i]) * l->v.share - l->points[i];
    }
    pl_normalize8(towards);
    pl_f8 distance = -p->way * pl_dot8(away, towards), push = pl_splat8(0), kept = push;
    if (c->rises)
    {
        pl_f8 length = pl_sqrt8(pl_dot8(l->rise, l->rise));
        kept = kept_part(distance, -p->way * pl_dot8(l->rise, towards), length, p->ring->width);
        kept = 1 - p->part * (1 - kept);
    }
    pl_f8 depth = 0.02f * pl_min8(from_ring, pl_splat8(p->ring->width)) - distance;
    if (c->pushed && pl_mask8(depth > pl_splat8(0)))
    {
        push = p->way * push_of(c, l, depth, pl_sqrt8(pl_dot8(away, away)), from_ring);
    }
    for (int i = 0; i < 3; ++i)
    {
        move[i] = l->rise[i] * kept + towards[i] * push;
    }
    move[3] = pl_splat8(0);
}

PL_INLINE void press_octet(const cell *c, const pl_fold_octet *octet, pleat_vec4 *positions)
{
    lot l = {.v = pl_fold_lot_load(octet)};
    pl_f8 x = 2 * l.v.part - 1, move[4];
    l.arc = c->arc + l.v.part * c->span;
    l.end = smooth_step(pl_abs8(x));
    l.outer = x * c->press.way > pl_splat8(0);
    if (c->rises)
    {
        slide(c, octet, &l);
    }
    pl_gather8(positions, octet->vertex, l.points);
    settle(c, &l, move);
    pl_fold_octet_add(octet, move, positions);
}

void PL_WIDE(pl_folds_press)(const pl_fold_lane_job *job, uint32_t station)
{
    const uint32_t *first = job->ring->lanes->first_octet + (size_t)station * job->ring->fold_count;
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        cell c;
        if (first[k] == first[k + 1])
        {
            continue;
        }
        make_cell(job, station, k, &c);
        for (uint32_t n = first[k]; n < first[k + 1] && (c.rises || c.pushed); ++n)
        {
            const pl_fold_octet *octet = &job->ring->lanes->octets[n];
            pl_fold_octets_expect(octet, job->frame->positions);
            press_octet(&c, octet, job->frame->positions);
        }
    }
}

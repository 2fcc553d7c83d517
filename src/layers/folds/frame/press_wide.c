/* Vertices of a deep bend, eight at a time: press_cell of frame/frame.c, and what it asks of frame/press.c, which is
 * the definition. Bound by operations. */
#include "base/wide.h"
#include "layers/folds/frame/octet.h"

/* ---- A cell ---- */

/* How much fold k belongs to its ring at a station, and how that changes by the end of the fold, towards the ring and
 * away from it: fade_at. */
typedef struct slope
{
    float here, change[2];
} slope;

/* The cloth between two stations within one fold. */
typedef struct cell
{
    pl_fold_cell rise;
    pl_fold_press press;
    const pl_profile *profile; /* NULL: the usual one */
    slope fades[2];
    float arc, span; /* where the fold begins, and how wide it is */
    bool rises;      /* does anything of it rise? */
    bool pushed;     /* can anything of it be put back? */
} cell;

static slope slope_of(float here, float inner, float outer)
{
    return (slope){here, {(inner < here ? inner : here) - here, (outer < here ? outer : here) - here}};
}

/* The same of both stations. inner, outer: the folds beside fold k, or fold_count. */
static void find_slopes(cell *c, uint32_t inner, uint32_t outer)
{
    const pl_fold_press *p = &c->press;
    uint32_t count = p->ring->fold_count;
    for (int i = 0; i < 2; ++i)
    {
        const pl_fold *folds = p->folds[i];
        c->fades[i] = slope_of(folds[p->k].fade, inner < count ? folds[inner].fade : folds[p->k].fade,
                               outer < count ? folds[outer].fade : 0);
    }
}

/* Where a fold begins, seen from the ring. */
static float inner_edge(const pl_fold_press *p, uint32_t k)
{
    return fabsf(p->ring->bounds[p->way > 0 ? k : k + 1]);
}

static void make_cell(const pl_fold_lane_job *job, uint32_t station, uint32_t k, cell *c)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, middle = count / 2, none = count, next = pl_fold_station_after(ring, station);
    c->press = pl_fold_press_of(ring, station, k, job->layer, job->pose->held.press);
    c->profile = ring->profile.kind != PL_PROFILE_THIRD ? &ring->profile : NULL;
    const pl_fold_press *p = &c->press;
    float covered = fmaxf(p->pressed[0], p->pressed[1]);
    c->arc = ring->bounds[k];
    c->span = ring->bounds[k + 1] - ring->bounds[k];
    c->rises = job->layer->heights[station * count + k] > 0 || job->layer->heights[next * count + k] > 0;
    c->pushed = p->part > 0 && inner_edge(p, k) < covered + fminf(covered, 2 * ring->width);
    if (c->rises || c->pushed)
    {
        pl_fold_cell_make(job, station, next, k, &c->rise);
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

/* Eight vertices of a cell on their way. */
typedef struct lot
{
    pl_fold_lot v;
    pl_f8 share;     /* 0 .. 1 */
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

/* ---- Where places lie ---- */

/* Between which stations eight places lie. */
typedef struct spots
{
    _Alignas(32) uint32_t stations[2][PL_FOLD_LANES];
    pl_f8 far[2]; /* how far beyond them, along the ring */
} spots;

/* Points of creases, or directions; w is left out. */
PL_INLINE void creases_of(const pl_folds_layer *layer, const uint32_t *stations, bool direction, pl_f8 out[3])
{
    uint32_t index[PL_FOLD_LANES];
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        index[lane] = 2 * stations[lane] + direction;
    }
    pl_gather8((const pleat_vec4 *)layer->creases, index, out);
}

PL_INLINE pl_f8 beyond(const pl_folds_layer *layer, const uint32_t *stations, const pl_f8 points[3])
{
    pl_f8 from[3], run[3];
    creases_of(layer, stations, false, from);
    pl_gather8((const pleat_vec4 *)layer->runs, stations, run);
    for (int i = 0; i < 3; ++i)
    {
        from[i] = points[i] - from[i];
    }
    return pl_dot8(from, run);
}

/* Takes a place one station further on; returns false if there is none. */
PL_INLINE bool step_aside(const pl_fold_press *p, uint32_t lane, int side, spots *s)
{
    uint32_t at = s->stations[side][lane];
    uint32_t next = pl_fold_station_beside(p->ring->station_count, p->ring->closed, at, side);
    if (next == at || !(p->layer->runs[next][3] > 0))
    {
        return false;
    }
    s->stations[1 - side][lane] = at;
    s->stations[side][lane] = next;
    return true;
}

/* spot_of. */
static void find_spots(const pl_fold_press *p, const pl_f8 points[3], spots *s)
{
    pl_f8 zero = pl_splat8(0);
    for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
    {
        s->stations[0][lane] = p->stations[0];
        s->stations[1][lane] = p->stations[1];
    }
    uint32_t walking = (1u << PL_FOLD_LANES) - 1;
    for (int i = 0;; ++i)
    {
        s->far[0] = beyond(p->layer, s->stations[0], points);
        s->far[1] = beyond(p->layer, s->stations[1], points);
        uint32_t ahead = pl_mask8(s->far[1] > zero);
        walking &= ahead ^ pl_mask8(s->far[0] < zero);
        if (i == PL_FOLD_ASIDE || !walking)
        {
            return;
        }
        for (uint32_t lane = 0; lane < PL_FOLD_LANES; ++lane)
        {
            if (walking >> lane & 1 && !step_aside(p, lane, ahead >> lane & 1, s))
            {
                walking &= ~(1u << lane);
            }
        }
    }
}

/* pl_fold_crease_at. towards: the creases' own until then; away: from the places to the crease, filled. */
static void crease_at(const cell *c, const lot *l, pl_f8 towards[3], pl_f8 away[3])
{
    const pl_fold_press *p = &c->press;
    const pl_folds_layer *layer = p->layer;
    spots s;
    find_spots(p, l->points, &s);
    pl_f8 zero = pl_splat8(0), between = s.far[0] - s.far[1], own = l->share;
    pl_f8 share = pl_select8(between > zero, s.far[0] / between, pl_splat8(0.5f));
    share = pl_select8(s.far[1] > zero, pl_splat8(1), share);
    share = pl_select8(s.far[0] < zero, zero, share);
    pl_f8 pressed[2];
    for (int end = 0; end < 2; ++end)
    {
        pressed[end] = pl_fetch8(layer->pressed, *(const pl_i8 *)s.stations[end]);
    }
    pl_f8 covered = p->pressed[0] + (p->pressed[1] - p->pressed[0]) * own;
    pl_f8 lies = pressed[0] + (pressed[1] - pressed[0]) * share;
    pl_f8 part = pl_fold_ramp8(pl_max8(covered, lies) / pl_splat8(p->ring->width), 1, 2);
    part *= p->strays[0] + (p->strays[1] - p->strays[0]) * own;
    pl_f8 a[2][3], b[2][3];
    for (int k = 0; k < 2; ++k)
    {
        creases_of(layer, s.stations[0], k, a[k]);
        creases_of(layer, s.stations[1], k, b[k]);
    }
    const pl_fold_wall *first = p->creases[0], *second = p->creases[1];
    for (int i = 0; i < 3; ++i)
    {
        pl_f8 point = first->point[i] + (second->point[i] - first->point[i]) * own;
        pl_f8 direction = first->direction[i] + (second->direction[i] - first->direction[i]) * own;
        point += (a[0][i] + (b[0][i] - a[0][i]) * share - point) * part;
        towards[i] = direction + (a[1][i] + (b[1][i] - a[1][i]) * share - direction) * part;
        away[i] = point - l->points[i];
    }
    pl_normalize8(towards);
}

/* ---- Before the crease ---- */

/* kept_part of frame/press.c. */
PL_INLINE pl_f8 kept_part(pl_f8 distance, pl_f8 towards, pl_f8 length, float width)
{
    pl_f8 room = distance - 0.03f * width, zero = pl_splat8(0);
    towards = pl_max8(towards, 0.3f * length);
    pl_f8 kept = pl_select8(towards > zero, pl_fold_limit8(towards, room) / towards, pl_splat8(1));
    return (pl_f8)((pl_i8)kept & (room > zero));
}

/* push_of times push_part. depth: behind the crease; way: to the places now, from_ring: at rest. */
PL_INLINE pl_f8 push_of(const cell *c, const lot *l, pl_f8 depth, pl_f8 way, pl_f8 from_ring)
{
    const pl_fold_press *p = &c->press;
    float width = p->ring->width;
    pl_f8 stretch = way / (from_ring + PL_FOLD_DRAWN * width);
    pl_f8 push = (1 + PL_FOLD_PAST) * pl_fold_limit8(depth, pl_splat8(PL_FOLD_FARTHEST * width)) *
                 (1 - pl_smooth_step8((stretch - 1.05f) / 0.3f));
    pl_f8 covered = p->pressed[0] + (p->pressed[1] - p->pressed[0]) * l->share;
    pl_f8 reach = pl_min8(covered, pl_splat8(2 * width)), beyond = from_ring - covered;
    pl_f8 first = slope_at(&c->fades[0], l), second = slope_at(&c->fades[1], l);
    pl_f8 part = (first + (second - first) * l->share) * (1 - pl_smooth_step8(beyond / reach)) * l->v.mask;
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
        towards[i] = a->direction[i] + (b->direction[i] - a->direction[i]) * l->share;
        away[i] = a->point[i] + (b->point[i] - a->point[i]) * l->share - l->points[i];
    }
    pl_normalize8(towards);
    pl_f8 distance = -p->way * pl_dot8(away, towards), push = pl_splat8(0), kept = push;
    if (c->rises)
    {
        pl_f8 length = pl_sqrt8(pl_dot8(l->rise, l->rise));
        kept = kept_part(distance, -p->way * pl_dot8(l->rise, towards), length, p->ring->width);
        kept = 1 - p->part * (1 - kept);
    }
    pl_f8 way = pl_sqrt8(pl_dot8(away, away));
    if (c->pushed && pl_fold_is_spread(p))
    {
        crease_at(c, l, towards, away);
        distance = -p->way * pl_dot8(away, towards);
    }
    pl_f8 depth = PL_FOLD_GAP * pl_min8(from_ring, pl_splat8(p->ring->width)) - distance;
    if (c->pushed && pl_mask8(depth > pl_splat8(0)))
    {
        push = p->way * push_of(c, l, depth, way, from_ring);
    }
    for (int i = 0; i < 3; ++i)
    {
        move[i] = l->rise[i] * kept + towards[i] * push;
    }
    move[3] = pl_splat8(0);
}

/* count: of vertices; there are as many lanes or more. */
PL_INLINE void press_octet(const cell *c, const pl_fold_octet *octet, const pl_fold_slots *slots, const uint16_t *mask,
                           uint32_t count, pleat_vec4 *positions)
{
    lot l = {.v = pl_fold_lot_load(octet, mask)};
    pl_f8 part = l.v.part * PL_FOLD_UNIT, x = 2 * part - 1, move[4];
    l.share = l.v.share * PL_FOLD_UNIT;
    l.arc = c->arc + part * c->span;
    l.end = pl_smooth_step8(pl_abs8(x));
    l.outer = x * c->press.way > pl_splat8(0);
    if (c->rises)
    {
        pl_f8 shift[4] = {{0}};
        if (c->rise.even)
        {
            pl_fold_lot_shifts(&c->rise, slots, &l.v, shift);
        }
        pl_fold_lot_move(c->profile, &c->rise, &l.v, shift, l.rise);
    }
    pl_gather_twice8(positions, octet->twice, l.points);
    settle(c, &l, move);
    for (int i = 0; i < 3 && count < PL_FOLD_LANES; ++i)
    {
        move[i] = (pl_f8)((pl_i8)move[i] & pl_fold_octet_own(count));
    }
    pl_fold_octet_add(octet, count <= PL_FOLD_LANES / 2, move, positions);
}

void PL_WIDE(pl_folds_press)(const pl_fold_lane_job *job, uint32_t station)
{
    const pl_fold_lanes *lanes = job->ring->lanes;
    const uint32_t *first = job->ring->first_vertex + (size_t)station * job->ring->fold_count;
    const uint32_t *octets = lanes->first_octet + (size_t)station * job->ring->fold_count;
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        uint32_t left = first[k + 1] - first[k];
        cell c;
        if (!left)
        {
            continue;
        }
        make_cell(job, station, k, &c);
        for (uint32_t n = octets[k]; n < octets[k + 1] && (c.rises || c.pushed); ++n, left -= PL_FOLD_LANES)
        {
            pl_fold_octets_expect(&lanes->octets[n], job->frame->positions);
            press_octet(&c, &lanes->octets[n], &lanes->slots[n], lanes->masks ? lanes->masks[n] : NULL, left,
                        job->frame->positions);
        }
    }
}

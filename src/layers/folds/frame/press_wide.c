/* Vertices of a deep bend: they rise, stay before the crease, and are put back onto it where skinning has pushed them
 * through (frame/covered.h). Bound by operations. */
#include "layers/folds/frame/cell.h"
#include "layers/folds/frame/covered.h"
#include "layers/folds/solve/line.h"

/* How far a place that skinning pushed through the crease may be put back, of a fold's width. */
#define FARTHEST 4.0f
/* And how far past it, of what it is put back: what lay deeper comes to lie further before the crease, and cloth that
 * skinning has drawn to a point at the ring does not lie double there. */
#define PAST 0.05f
/* The sides lie on each other with this gap, of a fold's width, on each side; it begins at the ring. */
#define GAP 0.06f
/* Folds keep this distance to the crease as they rise, of their width, */
#define RISING_GAP 0.03f
/* and even a place that rises along the crease gets no higher than its distance over this, so that nothing jumps where
 * the surface passes it. */
#define LEAST_LEAN 0.3f
/* Places are put back as far from the ring as cloth is covered, and so many folds' widths on. */
#define PUT_BACK 2.0f
/* Pressed cloth asks for the crease where it lies from one width of covered cloth on, and wholly at two. */
#define SPREAD_BEGINS 1.0f
#define SPREAD 2.0f

/* ---- A cell ---- */

/* Between two stations, within fold k. */
typedef struct pressed_pair
{
    const pl_bound_ring *ring;
    const pl_folds_layer *layer;
    uint32_t k;
    float way; /* 1 on the joint's side of the ring, -1 on its parent's */
    float part;
    uint32_t stations[2];
    float pressed[2], strays[2];
    const pl_fold *folds[2];
    const pl_fold_wall *creases[2];
} pressed_pair;

static pressed_pair pair_of(const pl_fold_job *job, uint32_t station, uint32_t k)
{
    const pl_bound_ring *ring = job->ring;
    pressed_pair b = {.ring = ring, .layer = job->layer, .k = k, .part = job->pose.held.press};
    b.way = k >= ring->fold_count / 2 ? 1.0f : -1.0f;
    b.stations[0] = station;
    b.stations[1] = pl_fold_station_after(ring, station);
    for (int i = 0; i < 2; ++i)
    {
        b.folds[i] = ring->folds + (size_t)b.stations[i] * ring->fold_count;
        b.creases[i] = &job->layer->at.covered.creases[b.stations[i]];
        b.pressed[i] = job->layer->at.covered.pressed[b.stations[i]];
        b.strays[i] = job->layer->at.covered.strays[b.stations[i]];
    }
    return b;
}

/* How much fold k belongs to its ring at a station: as much as it has of its fade in the middle of it, towards the next
 * one the lower of both; not at all where folds end. And how that changes by the end of the fold, towards the ring and
 * away from it. */
typedef struct slope
{
    float here, change[2];
} slope;

/* The cloth between two stations within one fold. */
typedef struct cell
{
    pl_fold_cell rise;
    pressed_pair press;
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
    const pressed_pair *p = &c->press;
    uint32_t count = p->ring->fold_count;
    for (int i = 0; i < 2; ++i)
    {
        const pl_fold *folds = p->folds[i];
        c->fades[i] = slope_of(folds[p->k].fade, inner < count ? folds[inner].fade : folds[p->k].fade,
                               outer < count ? folds[outer].fade : 0);
    }
}

/* Where a fold begins, seen from the ring. */
static float inner_edge(const pressed_pair *p, uint32_t k)
{
    return fabsf(p->ring->bounds[p->way > 0 ? k : k + 1]);
}

static void make_cell(const pl_fold_job *job, uint32_t station, uint32_t k, cell *c)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t count = ring->fold_count, middle = count / 2, none = count, next = pl_fold_station_after(ring, station);
    c->press = pair_of(job, station, k);
    c->profile = ring->profile.kind != PL_PROFILE_THIRD ? &ring->profile : NULL;
    const pressed_pair *p = &c->press;
    float covered = fmaxf(p->pressed[0], p->pressed[1]);
    c->arc = ring->bounds[k];
    c->span = ring->bounds[k + 1] - ring->bounds[k];
    c->rises =
        job->layer->at.risen.heights[station * count + k] > 0 || job->layer->at.risen.heights[next * count + k] > 0;
    c->pushed = p->part > 0 && inner_edge(p, k) < covered + fminf(covered, PUT_BACK * ring->width);
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

/* Vertices of a cell on their way. */
typedef struct lot
{
    pl_fold_lot v;
    pl_fw share;     /* 0 .. 1 */
    pl_fw arc;       /* across the ring */
    pl_fw end;       /* how far they are from the middle of their fold, eased */
    pl_iw outer;     /* are they beyond it? */
    pl_fw rise[3];   /* how they would rise */
    pl_fw points[3]; /* where they are */
} lot;

PL_INLINE pl_fw slope_at(const slope *s, const lot *l)
{
    return s->here + pl_select_w(l->outer, pl_splat_w(s->change[1]), pl_splat_w(s->change[0])) * l->end;
}

/* ---- Where places lie ---- */

/* Between which stations places lie. */
typedef struct spots
{
    _Alignas(32) uint32_t stations[2][PL_WIDTH];
    pl_fw far[2]; /* how far beyond them, along the ring */
} spots;

/* Points of creases, or directions; w is left out. */
PL_INLINE void creases_of(const pl_folds_layer *layer, const uint32_t *stations, bool direction, pl_fw out[3])
{
    uint32_t index[PL_WIDTH];
    for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
    {
        index[lane] = 2 * stations[lane] + direction;
    }
    pl_gather_w((const pleat_vec4 *)layer->at.covered.creases, index, out);
}

PL_INLINE pl_fw beyond(const pl_folds_layer *layer, const uint32_t *stations, const pl_fw points[3])
{
    pl_fw from[3], run[3];
    creases_of(layer, stations, false, from);
    pl_gather_w((const pleat_vec4 *)layer->at.covered.runs, stations, run);
    for (int i = 0; i < 3; ++i)
    {
        from[i] = points[i] - from[i];
    }
    return pl_dot_w(from, run);
}

/* Takes a place one station further on; returns false if there is none. */
PL_INLINE bool step_aside(const pressed_pair *p, uint32_t lane, int side, spots *s)
{
    uint32_t at = s->stations[side][lane];
    uint32_t next = pl_fold_station_beside(p->ring->station_count, p->ring->closed, at, side);
    if (next == at || !(p->layer->at.covered.runs[next][3] > 0))
    {
        return false;
    }
    s->stations[1 - side][lane] = at;
    s->stations[side][lane] = next;
    return true;
}

/* Walks along the ring from the places' own stations to those between which they lie. */
static void find_spots(const pressed_pair *p, const pl_fw points[3], spots *s)
{
    pl_fw zero = pl_splat_w(0);
    for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
    {
        s->stations[0][lane] = p->stations[0];
        s->stations[1][lane] = p->stations[1];
    }
    uint32_t walking = (1u << PL_WIDTH) - 1;
    for (int i = 0;; ++i)
    {
        s->far[0] = beyond(p->layer, s->stations[0], points);
        s->far[1] = beyond(p->layer, s->stations[1], points);
        uint32_t ahead = pl_mask_w(s->far[1] > zero);
        walking &= ahead ^ pl_mask_w(s->far[0] < zero);
        if (i == PL_FOLD_ASIDE || !walking)
        {
            return;
        }
        for (uint32_t lane = 0; lane < PL_WIDTH; ++lane)
        {
            if (walking >> lane & 1 && !step_aside(p, lane, ahead >> lane & 1, s))
            {
                walking &= ~(1u << lane);
            }
        }
    }
}

/* The crease where places lie. Cloth that is pressed together far from the ring has gone aside: what lies on it belongs
 * to stations several further on, whose planes are others, and each side put back onto its own would come through the
 * other. So both ask the place for its station. towards: which way the crease looks; away: from the places to it. */
static void crease_at(const cell *c, const lot *l, pl_fw towards[3], pl_fw away[3])
{
    const pressed_pair *p = &c->press;
    const pl_folds_layer *layer = p->layer;
    spots s;
    find_spots(p, l->points, &s);
    pl_fw zero = pl_splat_w(0), between = s.far[0] - s.far[1], own = l->share;
    pl_fw share = pl_select_w(between > zero, s.far[0] / between, pl_splat_w(0.5f));
    share = pl_select_w(s.far[1] > zero, pl_splat_w(1), share);
    share = pl_select_w(s.far[0] < zero, zero, share);
    pl_fw pressed[2];
    for (int end = 0; end < 2; ++end)
    {
        pressed[end] = pl_fetch_w(layer->at.covered.pressed, *(const pl_iw *)s.stations[end]);
    }
    pl_fw covered = p->pressed[0] + (p->pressed[1] - p->pressed[0]) * own;
    pl_fw lies = pressed[0] + (pressed[1] - pressed[0]) * share;
    pl_fw part = pl_ramp_w(pl_max_w(covered, lies) / pl_splat_w(p->ring->width), SPREAD_BEGINS, SPREAD);
    part *= p->strays[0] + (p->strays[1] - p->strays[0]) * own;
    pl_fw a[2][3], b[2][3];
    for (int k = 0; k < 2; ++k)
    {
        creases_of(layer, s.stations[0], k, a[k]);
        creases_of(layer, s.stations[1], k, b[k]);
    }
    const pl_fold_wall *first = p->creases[0], *second = p->creases[1];
    for (int i = 0; i < 3; ++i)
    {
        pl_fw point = first->point[i] + (second->point[i] - first->point[i]) * own;
        pl_fw direction = first->direction[i] + (second->direction[i] - first->direction[i]) * own;
        point += (a[0][i] + (b[0][i] - a[0][i]) * share - point) * part;
        towards[i] = direction + (a[1][i] + (b[1][i] - a[1][i]) * share - direction) * part;
        away[i] = point - l->points[i];
    }
    pl_normalize_w(towards);
}

/* ---- Before the crease ---- */

/* What part of its rise a place keeps so that it stays before the crease. distance: to it; towards: how far it would
 * come nearer; length: of the whole rise. */
PL_INLINE pl_fw kept_part(pl_fw distance, pl_fw towards, pl_fw length, float width)
{
    pl_fw room = distance - RISING_GAP * width, zero = pl_splat_w(0);
    towards = pl_max_w(towards, LEAST_LEAN * length);
    pl_fw kept = pl_select_w(towards > zero, pl_fold_limit_w(towards, room) / towards, pl_splat_w(1));
    return pl_where_w(room > zero, kept);
}

/* How far places that skinning has pushed through the crease are put back onto it: where cloth of both sides is
 * covered, and less towards where the ring's folds end. depth: behind the crease; way: to the places now, from_ring: at
 * rest. */
PL_INLINE pl_fw push_of(const cell *c, const lot *l, pl_fw depth, pl_fw way, pl_fw from_ring)
{
    const pressed_pair *p = &c->press;
    float width = p->ring->width;
    pl_fw stretch = way / (from_ring + PL_FOLD_DRAWN * width);
    pl_fw push = (1 + PAST) * pl_fold_limit_w(depth, pl_splat_w(FARTHEST * width)) *
                 (1 - pl_ramp_w(stretch, PL_FOLD_PUSHED_ALL, PL_FOLD_PUSHED_NONE));
    pl_fw covered = p->pressed[0] + (p->pressed[1] - p->pressed[0]) * l->share;
    pl_fw reach = pl_min_w(covered, pl_splat_w(PUT_BACK * width)), beyond = from_ring - covered;
    pl_fw first = slope_at(&c->fades[0], l), second = slope_at(&c->fades[1], l);
    pl_fw part = (first + (second - first) * l->share) * (1 - pl_smooth_step_w(beyond / reach)) * l->v.mask;
    push *= part * (p->part * p->ring->strength);
    return pl_where_w((beyond < reach) & (depth > pl_splat_w(0)), push);
}

/* Turns how vertices rise into how they move, so that they stay before the crease. The two sides lie on each other with
 * a gap between them that begins at the ring. */
PL_INLINE void settle(const cell *c, const lot *l, pl_fw move[4])
{
    const pressed_pair *p = &c->press;
    pl_fw towards[3], away[3], from_ring = pl_abs_w(l->arc);
    for (int i = 0; i < 3; ++i)
    {
        const pl_fold_wall *a = p->creases[0], *b = p->creases[1];
        towards[i] = a->direction[i] + (b->direction[i] - a->direction[i]) * l->share;
        away[i] = a->point[i] + (b->point[i] - a->point[i]) * l->share - l->points[i];
    }
    pl_normalize_w(towards);
    pl_fw distance = -p->way * pl_dot_w(away, towards), push = pl_splat_w(0), kept = push;
    if (c->rises)
    {
        pl_fw length = pl_sqrt_w(pl_dot_w(l->rise, l->rise));
        kept = kept_part(distance, -p->way * pl_dot_w(l->rise, towards), length, p->ring->width);
        kept = 1 - p->part * (1 - kept);
    }
    pl_fw way = pl_sqrt_w(pl_dot_w(away, away));
    if (c->pushed && (p->strays[0] > 0 || p->strays[1] > 0))
    {
        crease_at(c, l, towards, away);
        distance = -p->way * pl_dot_w(away, towards);
    }
    pl_fw depth = GAP * pl_min_w(from_ring, pl_splat_w(p->ring->width)) - distance;
    if (c->pushed && pl_mask_w(depth > pl_splat_w(0)))
    {
        push = p->way * push_of(c, l, depth, way, from_ring);
    }
    for (int i = 0; i < 3; ++i)
    {
        move[i] = l->rise[i] * kept + towards[i] * push;
    }
    move[3] = pl_splat_w(0);
}

/* count: of vertices; there are as many lanes or more. */
PL_INLINE void press_pack(const cell *c, const pl_fold_pack *pack, const pl_fold_slots *slots, const uint16_t *mask,
                          uint32_t count, pleat_vec4 *positions)
{
    lot l = {.v = pl_fold_lot_load(pack, mask)};
    pl_fw part = l.v.part * PL_FOLD_UNIT, x = 2 * part - 1, move[4];
    l.share = l.v.share * PL_FOLD_UNIT;
    l.arc = c->arc + part * c->span;
    l.end = pl_smooth_step_w(pl_abs_w(x));
    l.outer = x * c->press.way > pl_splat_w(0);
    if (c->rises)
    {
        pl_fw shift[4] = {{0}};
        if (c->rise.even)
        {
            pl_fold_lot_shifts(&c->rise, slots, &l.v, shift);
        }
        pl_fold_lot_move(c->profile, &c->rise, &l.v, shift, l.rise);
    }
    pl_gather_twice_w(positions, pack->twice, l.points);
    settle(c, &l, move);
    for (int i = 0; i < 3 && count < PL_WIDTH; ++i)
    {
        move[i] = pl_where_w(pl_fold_pack_own(count), move[i]);
    }
    pl_add_w(move, pack->twice, count <= PL_WIDTH / 2, positions);
}

void PL_WIDE(pl_folds_press)(const pl_fold_job *job, uint32_t station)
{
    const pl_fold_lanes *lanes = job->ring->cloth.lanes;
    const uint32_t *first = job->ring->cloth.first_vertex + (size_t)station * job->ring->fold_count;
    const uint32_t *packs = lanes->first_pack + (size_t)station * job->ring->fold_count;
    for (uint32_t k = 0; k < job->ring->fold_count; ++k)
    {
        uint32_t left = first[k + 1] - first[k];
        cell c;
        if (!left)
        {
            continue;
        }
        make_cell(job, station, k, &c);
        for (uint32_t n = packs[k]; n < packs[k + 1] && (c.rises || c.pushed); ++n, left -= PL_WIDTH)
        {
            pl_fold_packs_expect(&lanes->packs[n], job->frame->positions);
            press_pack(&c, &lanes->packs[n], &lanes->slots[n], lanes->masks ? lanes->masks[n] : NULL, left,
                       job->frame->positions);
        }
    }
}

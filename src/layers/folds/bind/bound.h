/* Rings bound to the refined mesh: lines across them, folds on those, and the vertices of folds. */
#ifndef PL_LAYERS_FOLDS_BIND_BOUND_H
#define PL_LAYERS_FOLDS_BIND_BOUND_H

#include "layers/folds/rings/ring.h"

/* One point of a line across a ring, as part of one fold: where it is, and how it rises for an amplitude of 1. */
typedef struct pl_fold_sample
{
    uint32_t vertex[3];
    float weight[3]; /* barycentric */
    float rise;      /* the profile in this fold, between the vertices */
    float arc;       /* of the fold at rest, up to here */
    float part;      /* the same, of the whole fold */
} pl_fold_sample;

/* One fold at one station. */
typedef struct pl_fold
{
    uint32_t first_sample, sample_count; /* 0 samples: the line does not reach that far */
    float rest_length;
    float rest_way; /* straight from where it begins to where it ends */
    float fade;     /* 1, less towards where the fold ends along the ring */
} pl_fold;

enum
{
    PL_FOLD_INSIDE = 4, /* samples of one fold at one station between its ends, at most: more tell no more of it */
    PL_FOLD_SAMPLES = 8 /* room for all of them in a table that fills a register */
};

/* A shell that is smaller than so many folds' widths and has no ring is a trimming, such as a button: it moves with the
 * cloth below. */
#define PL_FOLD_TRIMMING 3

/* Height of a fold over its width, at most: steeper ones are spikes. */
#define PL_FOLD_STEEP 0.7f
/* Folds count as leaning towards the crease's plane by at least this: the sine of half a bend of 47 degrees. More holds
 * them down where they would not reach it; less lets room open faster than cloth moves. */
#define PL_FOLD_LEAN 0.4f

/* Folds lower than this, of their width, do not rise: a few hundredths of a millimetre, and less than three millionths
 * of their length. So low are those alone that end along the ring or beside another one. */
#define PL_FOLD_LEAST 0.001f

/* Folds lower than this, of their width, are not evened out, and wholly from EVEN more on. A fold of height h has lost
 * 2.4 (h / w)^2 of its length, which is 9.6 % here: nothing on it is shorter than 0.9. More than half of what
 * folds of the built-in dancer raise is as low. */
#define PL_FOLD_LOW 0.2f
#define PL_FOLD_EVEN 0.06f

/* Which way cloth rises where folds meet on a line: its normal at rest, turned as skinning turns the place. The
 * surface's own normals would do where it is smooth; in a crease that skinning has pushed through itself they flip. */
typedef struct pl_fold_up
{
    pl_f4 normal; /* unit, in the mesh's own space */
    uint16_t joint[4];
    float weight[4];
} pl_fold_up;

/* A vertex of a fold, between two stations. */
typedef struct pl_fold_vertex
{
    uint32_t vertex;
    float mask;
    float share;     /* of the second station */
    float x;         /* in the fold, -1 .. 1 */
    float beyond[2]; /* at each station, how far it is from that sample of the fold to the next, 0 .. 1 */
    uint8_t sample[2];
    uint8_t fold;
} pl_fold_vertex;

/* A place that comes near a fold, */
typedef struct pl_fold_other
{
    uint32_t vertex;
    float aside; /* how much of it belongs to another limb than the fold */
    pl_fold_up up;
} pl_fold_other;
/* and the fold. */
typedef struct pl_fold_near
{
    uint32_t fold, sample, up; /* in the ring's folds, samples and ups: its middle */
    uint32_t first, count;     /* in the ring's others */
} pl_fold_near;

/* A fold in a hollow along its ring, such as a cleft, or under other cloth. */
typedef struct pl_fold_pinch
{
    uint32_t fold;
    float room; /* how high it may rise */
} pl_fold_pinch;

/* A fold that lines beside it come near at some time. */
typedef struct pl_fold_narrow
{
    uint32_t fold, up;           /* in the ring's folds and ups */
    uint32_t begin, middle, end; /* of its samples */
    uint32_t beside[2];          /* middles of the same fold at the stations before and behind */
    float aside[2];              /* how far from its line those are at rest; 0: not asked */
} pl_fold_narrow;

typedef struct pl_fold_lanes pl_fold_lanes;

/* The joint that a ring goes around. */
typedef struct pl_fold_limb
{
    uint32_t joint, parent; /* in the skin */
    pl_f4 axis, pivot;      /* as planned */
    bool linear;            /* skinned by linear blending */
    bool outward;           /* lines at the outer side of its bend are shortened at some time */
    float opens;            /* the swing at which its crease is left as skinning has it, radians: where closing it would
                             * make more cross; INFINITY: none */
} pl_fold_limb;

/* What leaves folds of a ring less room than its own bend does. */
typedef struct pl_fold_obstacles
{
    uint32_t near_count;
    pl_fold_near *nears;
    pl_fold_other *others;
    bool beside_limbs; /* some of them belong to another limb */
    uint32_t narrow_count;
    pl_fold_narrow *narrows;
    uint32_t pinch_count;
    pl_fold_pinch *pinches;
    uint32_t cover_count;
    pl_fold_pinch *covers; /* folds that other cloth lies over */
    float *beneath;        /* by station: how far down the next mesh lies, such as the body; INFINITY: none */
} pl_fold_obstacles;

/* Where a ring crosses others: in the layer's rivals. */
typedef struct pl_fold_crossed
{
    uint32_t first_contest, contest_count;
    uint32_t first_ask, ask_count; /* any where it crosses another ring or is crossed */
    uint32_t *asked;               /* by station: bits of folds that are asked for what they have lost */
} pl_fold_crossed;

/* What a ring's folds move. */
typedef struct pl_fold_cloth
{
    uint32_t vertex_count;
    uint32_t *first_vertex;   /* stations by fold_count, and one more */
    pl_fold_vertex *vertices; /* by station, then by fold, then by vertex */
    pl_fold_lanes *lanes;     /* all of the ring for kernels (bind/lanes.h) */
} pl_fold_cloth;

/* Lines across a ring. */
typedef struct pl_fold_lines
{
    uint32_t sample_count;
    pl_fold_sample *samples;
    pl_f4 *sample_rest;   /* by sample, in the mesh's own space; w: the weight of the joint and all below it */
    pl_fold_sample *feet; /* stations by fold_count + 1: where folds meet */
    pl_f4 *feet_rest;     /* as sample_rest */
    pl_f4 *along;         /* stations by fold_count + 1: the line's direction there, in the mesh's own space */
    pl_fold_up *ups;      /* stations by fold_count + 1: which way the cloth rises there */
} pl_fold_lines;

/* A ring bound to the cloth. */
typedef struct pl_bound_ring
{
    pl_fold_limb limb;
    uint32_t station_count, fold_count;
    pl_fold *folds; /* stations by fold_count */
    pl_fold_lines lines;
    pl_profile profile;
    float width;       /* of a fold */
    float strength;    /* how much of the lost length becomes height */
    float spacing;     /* of the plan's stations */
    uint32_t begin;    /* the plan's station that is the first one, */
    uint32_t *planned; /* and how many on from there others are; and where the ring ends or closes */
    float bounds[2 * PL_FOLDS_A_SIDE + 1]; /* as planned */
    float gives[2 * PL_FOLDS_A_SIDE];      /* likewise */
    bool closed;
    pl_f4 *outs;           /* by station, as planned */
    uint32_t first_fold;   /* in arrays of all rings' folds */
    uint32_t first_figure; /* in the layer's figures */
    pl_fold_crossed crossed;
    pl_fold_obstacles obstacles;
    pl_fold_cloth cloth;
} pl_bound_ring;

/* What rings are bound to. */
typedef struct pl_fold_binding
{
    const pl_folds_plan *plan;
    const pleat_cloth *cloth;
    const pl_ring_surface *surface;
    pl_arena *arena;
    const pleat_host *host;
} pl_fold_binding;

pleat_result pl_folds_bind_ring(const pl_fold_binding *to, const pl_fold_ring *from, pl_bound_ring *out,
                                pleat_error *error);

/* The station before (side 0) or behind another; at the end of an open ring the same. */
PL_INLINE uint32_t pl_fold_station_beside(uint32_t count, bool closed, uint32_t station, int side)
{
    uint32_t last = count - 1;
    return side ? (station < last ? station + 1 : closed ? 0 : station) : station ? station - 1 : closed ? last : 0;
}

/* The station that a place beyond a station lies before; at the end of an open ring the same. */
PL_INLINE uint32_t pl_fold_station_after(const pl_bound_ring *ring, uint32_t station)
{
    return pl_fold_station_beside(ring->station_count, ring->closed, station, 1);
}

/* How many of the plan's stations it is from a station to the next one; 0 at the end of an open ring. */
PL_INLINE float pl_fold_gap(const pl_bound_ring *ring, uint32_t station)
{
    return (float)(ring->planned[station + 1] - ring->planned[station]);
}

/* Which one of the plan's a station is. */
PL_INLINE uint32_t pl_fold_planned(const pl_bound_ring *ring, uint32_t station)
{
    uint32_t at = ring->begin + ring->planned[station], count = ring->planned[ring->station_count];
    return ring->closed && at >= count ? at - count : at;
}

/* The station before a place along the ring as planned. share: how far it is from there to the next, 0 .. 1. */
PL_INLINE uint32_t pl_fold_station_before(const pl_bound_ring *ring, float u, float *share)
{
    uint32_t station = 0;
    u -= (float)ring->begin;
    u += u < 0 ? (float)ring->planned[ring->station_count] : 0;
    while (station + 1 < ring->station_count && (float)ring->planned[station + 1] <= u)
    {
        ++station;
    }
    float gap = pl_fold_gap(ring, station);
    *share = gap > 0 ? (u - (float)ring->planned[station]) / gap : 0;
    return station;
}

/* A place on a line, from values at vertices. */
PL_INLINE pl_f4 pl_fold_mix(const pleat_vec4 *values, const uint32_t vertex[3], const float weight[3])
{
    return pl_load(&values[vertex[0]]) * pl_splat(weight[0]) + pl_load(&values[vertex[1]]) * pl_splat(weight[1]) +
           pl_load(&values[vertex[2]]) * pl_splat(weight[2]);
}

/* Which way a place's cloth rises in a frame, unit. */
PL_INLINE pl_f4 pl_fold_turn(const pl_fold_up *up, const pleat_affine *joints)
{
    pl_f4 sum = pl_splat(0);
    for (int i = 0; i < 4 && up->weight[i] > 0; ++i)
    {
        sum += pl_affine_vector(&joints[up->joint[i]], up->normal) * pl_splat(up->weight[i]);
    }
    return pl_normalize3(sum);
}

#endif

/* The inside of the folds layer.
 *
 * Around each joint that bends lies a ring: the line on the cloth where the joint and all below it have half of the
 * skinning weight. Straight lines cross it at stations all the way round, and folds lie along the ring, several on each
 * side. Planning (rings/plan.c) finds the rings on a finely subdivided rest shape, so that they do not depend on the
 * mesh, and looks the clip over (rings/watch.c) for which stations are needed (rings/stations.c), what comes near folds
 * (clearance/near.c) and where they are crushed (clearance/narrow.c); binding (bind/bind.c) lays the lines over the
 * refined mesh and gives its vertices their fold and station; a frame (frame/frame.c, clearance/contact.c) solves the
 * amplitude of every fold at every station that is left and raises the vertices. Before the first one the bound layer
 * plays the clip (clip/rehearse.h), so that folds neither spring with it nor pass through cloth that skinning keeps
 * apart.
 *
 * Beyond the paper: stations all the way round instead of one curve per bending direction, so that nothing has to move
 * when the axis turns; the length is kept on every line across a ring, not on one; rings of different joints share
 * the cloth between them (rings/share.c) and run one after the other, each on what the one before left; the outer side
 * of a bend, which skinning shortens and cloth does not, has no folds (rings/outer.c). */
#ifndef PL_LAYERS_FOLDS_FOLDS_H
#define PL_LAYERS_FOLDS_FOLDS_H

#include "mesh/curve/patch.h"
#include "layers/profile.h"
#include "pleat/layers/folds.h"

enum
{
    PL_FOLDS_A_SIDE = 8, /* at most, on each side of a ring */
    PL_FOLDS_SPARE = 2   /* of them, that lie beyond where weights blend */
};

/* The joint of a skin that a node is, or PLEAT_NONE; and where a joint is as the skin was bound (rings/plan.c). */
uint32_t pl_skin_joint_of(const pleat_skin *skin, uint32_t node);
pl_f4 pl_skin_bind_position(const pleat_skin *skin, uint32_t joint);

/* What a joint may have for itself, as in the options. */
typedef struct pl_fold_values
{
    float width, strength, length, bend, angle, spread;
    uint32_t profile;
    const char *curve; /* the options' or a joint's: for planning alone */
} pl_fold_values;

enum
{
    PL_FOLD_OTHERS = 32
};

/* Places of other parts of the body that come near a fold at some time of the clip. */
typedef struct pl_fold_others
{
    uint32_t count;
    uint32_t vertex[PL_FOLD_OTHERS]; /* of the planning surface, */
    pl_f4 rest[PL_FOLD_OTHERS];      /* and where it is at rest */
} pl_fold_others;

/* Triangles that no fold stands on: what follows the outer side (garment/lining.h), and shells that are no garment. */
enum
{
    PL_FOLD_LINING = 1,
    PL_FOLD_NO_GARMENT = 2
};

/* A ring and its folds. */
typedef struct pl_fold_ring
{
    uint32_t joint, parent; /* in the skin */
    uint32_t shell;         /* of the outer side: rings of garments over each other do not know each other */
    pl_f4 axis, pivot;      /* of the joint's bone, unit, and the joint itself, in the mesh's own space */
    uint8_t *below;         /* by joint of the skin and one more: the joint and all below it */
    uint8_t *aside;         /* likewise: those that are neither below it nor above, as of the other leg */
    pl_fold_values values;  /* width is filled in */
    pl_profile profile;
    pl_ring ring;
    float reach;                           /* of the blend of weights, to each side: what folds should cover */
    float chain;                           /* how much of it other joints add, for which the ring stands as well */
    float half;                            /* of the region, to each side */
    uint32_t fold_count;                   /* an even number: a valley runs along the ring itself */
    float bounds[2 * PL_FOLDS_A_SIDE + 1]; /* arc lengths where folds begin and end */
    float gives[2 * PL_FOLDS_A_SIDE];      /* by fold: how much of its lost length it leaves to the next one */
    pl_patch patch;                        /* on the planning surface */
    pl_f4 *outs;     /* by station: which way it lies from the ring's middle, unit, in the mesh's own space */
    float *own;      /* stations by fold_count: how much of a fold is this ring's and not its neighbours', 0 .. 1 */
    uint8_t *kept;   /* by station: its folds are solved; others lie between such (rings/stations.c) */
    uint32_t first;  /* of them: where a closed ring begins */
    uint8_t *active; /* stations by fold_count: compressed at some time in the clip, or next to such a fold */
    float *heights;  /* stations by fold_count: how high it comes to stand at most, about; 0 where it is not active */
    pl_fold_others *others; /* stations by fold_count */
    uint8_t *narrow;        /* stations by fold_count: crushed along the ring at some time in the clip */
    bool outward;           /* some line is shortened at some time in the clip though it faces out of the bend */
} pl_fold_ring;

typedef struct pl_folds_plan
{
    pl_memory memory;
    pl_arena arena;
    pleat_folds_options options;
    float width; /* of folds whose joint has none of its own */
    uint32_t ring_count;
    pl_fold_ring *rings;
    uint8_t *lining;           /* by triangle of the input: 0 outer side, or as below; NULL: all is */
    float lining_reach;        /* how far it lies from the outer side, at most */
    const pleat_cloth *coarse; /* while refining */
    uint32_t shell_count;      /* of the outer side */
    const uint32_t *garments;  /* while binding, by vertex: its shell, PLEAT_NONE for trimmings; NULL: there is one */
} pl_folds_plan;

pleat_result pl_folds_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                                const pleat_host *host, void **plan, pleat_error *error);
/* The mean distance of a ring's stations from another ring. */
float pl_folds_apart(const pl_ring *ring, const pl_ring *other);
/* Leaves one ring of each chain of joints that bend together, as bones that share one bend do (rings/chain.c).
 * probes: by ring, dropped with it. */
pleat_result pl_folds_merge_chains(pl_folds_plan *plan, pl_patch *probes, pleat_error *error);
/* Makes folds between a ring and its neighbours a little wider or narrower, so that whole ones fit. probe: lines across
 * the ring at least as long as its region; scratch: a number a station. Changes bounds and half. */
void pl_folds_fit_between(const pl_folds_plan *plan, uint32_t ring, const pl_patch *probe, float row_step,
                          float *scratch);
/* Fills own of a ring, whose patch is made. */
void pl_folds_share_places(const pl_folds_plan *plan, uint32_t ring, float row_step);
/* Values of joints (rings/joints.c): by a joint's name; of one entry, index joint_count being the general ones; and the
 * profile that they ask for, which fails where its curve is no curve. */
pl_fold_values pl_folds_values_of(const pleat_folds_options *options, const char *joint);
pl_fold_values pl_folds_values_at(const pleat_folds_options *options, uint32_t index);
pleat_result pl_folds_profile_of(const pl_fold_values *values, pl_profile *profile, pleat_error *error);
/* The part of a direction across an axis, unit; any other across it where there is none. */
pl_f4 pl_folds_across(pl_f4 direction, pl_f4 axis);
/* The mean of its stations. */
pl_f4 pl_fold_ring_middle(const pl_fold_ring *ring);
/* Is the side of a limb that folds left open? */
bool pl_folds_any_side(const pl_fold_values *values);
/* Makes own smaller away from the side that folds. axis: of the bone, inner: the inner side of
 * the bend, both unit and in the space of the ring. */
void pl_folds_choose_side(pl_fold_ring *ring, pl_f4 axis, pl_f4 inner, const pl_fold_values *values);
/* Warns of names that fit no joint. */
void pl_folds_check_names(const pleat_folds_options *options, const pleat_model *model, const pleat_skin *skin,
                          const pleat_host *host);
/* The fold that an arc length across a ring lies in. */
uint32_t pl_fold_ring_at(const pl_fold_ring *ring, float arc);

/* Where the cloth has to be finer (rings/wish.c): as a layer's wants and misses. */
bool pl_folds_plan_wants(void *plan, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
float pl_folds_plan_misses(void *plan, uint32_t coarse_triangle, const float barycentric[9]);
void pl_folds_plan_destroy(void *plan);

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
typedef struct pl_fold_lane_work pl_fold_lane_work;
typedef struct pl_fold_kernels pl_fold_kernels;
typedef struct pl_fold_lining pl_fold_lining;
typedef struct pl_fold_lids pl_fold_lids;

/* A ring bound to the cloth. */
typedef struct pl_bound_ring
{
    uint32_t joint, parent; /* in the skin */
    pl_f4 axis, pivot;      /* as planned */
    bool linear;            /* skinned by linear blending */
    uint32_t station_count, fold_count;
    pl_fold *folds; /* stations by fold_count */
    uint32_t sample_count;
    pl_fold_sample *samples;
    pl_f4 *sample_rest;   /* by sample, in the mesh's own space; w: the weight of the joint and all below it */
    pl_f4 *feet_rest;     /* the same of the feet */
    pl_fold_sample *feet; /* stations by fold_count + 1: where folds meet */
    pl_f4 *along;         /* stations by fold_count + 1: the line's direction there, in the mesh's own space */
    pl_fold_up *ups;      /* stations by fold_count + 1: which way the cloth rises there */
    pl_profile profile;
    float width;       /* of a fold */
    float strength;    /* how much of the lost length becomes height */
    float spacing;     /* of the plan's stations */
    uint32_t begin;    /* the plan's station that is the first one, */
    uint32_t *planned; /* and how many on from there others are; and where the ring ends or closes */
    float bounds[2 * PL_FOLDS_A_SIDE + 1]; /* as planned */
    float gives[2 * PL_FOLDS_A_SIDE];      /* likewise */
    bool closed;
    pl_f4 *outs;                           /* by station, as planned */
    bool outward;                          /* lines at its outer side are shortened at some time */
    float opens;                           /* the swing at which its crease is left as skinning has it, radians:
                                              where closing it would make more cross; INFINITY: none */
    uint32_t first_fold;                   /* in arrays of all rings' folds */
    uint32_t first_figure;                 /* in the layer's figures */
    uint32_t first_contest, contest_count; /* in the layer's contests */
    uint32_t first_ask, ask_count;         /* in the layer's asks; any where it crosses another ring or is crossed */
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
    uint32_t vertex_count;
    uint32_t *first_vertex;   /* stations by fold_count, and one more */
    pl_fold_vertex *vertices; /* by station, then by fold, then by vertex */
    uint32_t *asked;          /* by station: bits of folds whose way is asked for where rings cross */
    pl_fold_lanes *lanes;     /* all of it for kernels (bind/lanes.h) */
} pl_bound_ring;

pleat_result pl_folds_bind_ring(const pl_folds_plan *plan, const pl_fold_ring *from, const pleat_cloth *cloth,
                                const pl_ring_surface *surface, pl_arena *arena, const pleat_host *host,
                                pl_bound_ring *out, pleat_error *error);

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

/* ---- Frames ---- */

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

/* How much a fold takes of the length that came over from the one before; the rest slides on. One that took all of it
 * would stand alone as high as it may, and beside it along the ring the next: a row of leaves instead of long folds. */
#define PL_FOLD_TAKE 0.65f
/* The same where the limb touches itself. The crease covers folds one after the other along the ring, and what is seen
 * of each is short: with less of the length near the crease, and more of it further out, they end slowly. */
#define PL_FOLD_TAKE_DEEP 0.5f

/* A fold at a station that folds of another ring cross. */
typedef struct pl_fold_contest
{
    uint32_t fold;     /* in its ring */
    uint32_t ring;     /* the other one */
    uint32_t rival[4]; /* the folds there around the middle of this one */
    float weight[4];   /* how much each of them counts; at most 1 together, less where lines do not quite cross */
} pl_fold_contest;

/* A fold of which others ask, or which asks, what is lost around it: a mean over its neighbours and itself. */
typedef struct pl_fold_ask
{
    uint32_t fold;      /* in its ring */
    uint32_t beside[9]; /* likewise; with fewer neighbours, one of them several times */
    float weight[9];    /* 1 together */
} pl_fold_ask;

/* What the folds of a block of stations came to in the last frame; at its first station. */
typedef struct pl_fold_figure
{
    float tau;      /* relative to the rest length; the largest */
    float residual; /* Fischer-Burmeister, likewise */
    uint32_t raised, limited;
    uint32_t steps, most_steps; /* of those that are raised: together, and of one */
} pl_fold_figure;

/* A plane that folds on either side must not pass: a point, and a unit direction along the line. */
typedef struct pl_fold_wall
{
    pl_f4 point, direction;
} pl_fold_wall;

/* The layer, bound. */
typedef struct pl_folds_layer
{
    pl_memory memory;
    pl_arena arena;
    pleat_folds_options options;
    uint32_t ring_count;
    pl_bound_ring *rings;
    struct pl_fold_held *bends; /* by ring, in this frame */
    float *closed;              /* likewise: the longest of what is pressed at a station, 0 where none is */
    pl_f4 *inners;              /* likewise: pl_fold_inner, or 0 where nothing at the outer side is shortened */
    uint32_t fold_count;        /* over all rings and stations */
    uint32_t figure_count;
    pl_fold_figure *figures; /* of all rings, by station */
    /* Where rings cross, by fold of all rings. */
    pl_fold_contest *contests;
    pl_fold_ask *asks;
    float *skin_losses; /* what part of the length skinning alone takes around a fold */
    float *gates;       /* what is left of a fold's height beside its rivals; 1 where there are none */
    /* Of the ring at work, stations by folds. Room is for stations in whole blocks. */
    float *heights; /* fade and strength included */
    float *rooms;   /* how high contact lets a fold rise */
    float *tapers;  /* and how high its neighbours along the ring do */
    float *slides;  /* how much of the length that comes to a fold, or that it cannot take, slides on, 0 .. 1; asked of
                     * rings beside other limbs alone */
    float *losses;  /* what part of its length a fold has lost, of those that are asked for where rings cross */
    float *lowest;  /* the least height of a fold and those near it along the ring */
    float *shifts;  /* 4 by PL_FOLD_SAMPLES: how a sample moves along the line, and by how much x; 0 at both ends */
    pl_f4 *ups;     /* stations by fold_count + 1: which way cloth rises where folds meet, unit */
    pl_fold_wall *creases; /* by station, in the real pose: filled when it is not the held one */
    pl_f4 *runs;           /* by station: which way the ring runs there, unit; w: 1, or 0 where not filled */
    float *strays;         /* by station: how much creases of the stations around differ, 0 .. 1, where any covers */
    float *pressed;        /* by station: the length on each side of the ring that lies on the other's */
    float *tucks;          /* by station: how deep the crease is tucked in */
    float *spared;         /* by station: the length on each side of the ring that the crease takes from its folds */
    float *lost;           /* by station: the largest of the losses of its folds */
    float *carries;        /* by station: how much of what contact takes from a fold the next one gets */
    float *ends;           /* by station: how steeply folds may end */
    float *outers;         /* by station: what is left of folds at the outer side of the bend, 0 .. 1 */
    float *highs;          /* by station: the largest of the heights of its folds */
    float width;           /* as planned */
    float highest;
    const pl_fold_kernels *kernels;
    pl_fold_lane_work *work; /* of the kernels */
    pl_fold_lining *lining;  /* NULL: none */
    uint8_t *no_cloth;       /* by triangle: lining, trimmings and what is no garment; NULL: none */
    pl_fold_lids *lids;      /* NULL: none */
} pl_folds_layer;

/* Finds what lies beneath rings and over them, once all are bound (garment/beneath.c, garment/cover.c). */
pleat_result pl_folds_look_around(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                                  const pl_ring_surface *surface, const pleat_host *host, pleat_error *error);
/* Lowers rooms (stations by folds) of a ring where other cloth lies over it. */
void pl_folds_hold_down(const pl_bound_ring *ring, float *rooms);
/* Finds the folds that cross each other, once all rings are bound (bind/cross.c). */
pleat_result pl_folds_find_rivals(pl_folds_layer *layer, const pl_folds_plan *plan, pleat_error *error);
/* Fills skin_losses of a ring from the layer's losses: straight ways from where folds begin to where they end on the
 * skinned surface, which tell well enough what rings lose against each other. */
void pl_folds_note_losses(pl_folds_layer *layer, const pl_bound_ring *ring);
/* Then fills gates. */
void pl_folds_settle_crossings(pl_folds_layer *layer);

/* Which way a joint bends: the inner side of the bend in the mesh's own space, unit or shorter where the limb is wrung,
 * and in w, how much it is bent, 0 .. 1 (rings/outer.c). axis: of its bone, in the same space. */
pl_f4 pl_fold_inner(pl_f4 axis, const pleat_affine *parent, const pleat_affine *joint);
/* The cosine between a station's way out and the inner side, from where folds are lower and where they are gone. */
#define PL_FOLD_OUTER_LOWER (-0.5f)
#define PL_FOLD_OUTER_GONE (-0.85f)
/* What is left of folds at a station that lies that way from its ring's middle: 1, less and 0 at the outer side. */
float pl_fold_outer(pl_f4 inner, pl_f4 out);
/* Fills outs of a ring. */
void pl_folds_find_outs(pl_fold_ring *ring, const pleat_affine *from_rest);

void pl_folds_update(void *layer, const pleat_layer_frame *frame);

/* Has any fold of a station lost length? Beyond the end of an open ring none has. */
PL_INLINE bool pl_fold_is_lost(const pl_folds_layer *layer, const pl_bound_ring *ring, int64_t station)
{
    int64_t count = ring->station_count;
    station = ring->closed ? (station + count) % count : station;
    return station >= 0 && station < count && layer->lost[station] > 0;
}

/* A place on a line, from values at vertices. */
PL_INLINE pl_f4 pl_fold_mix(const pleat_vec4 *values, const uint32_t vertex[3], const float weight[3])
{
    return pl_load(&values[vertex[0]]) * pl_splat(weight[0]) + pl_load(&values[vertex[1]]) * pl_splat(weight[1]) +
           pl_load(&values[vertex[2]]) * pl_splat(weight[2]);
}

/* From 0 to 1 as x goes from low to high, evenly at both ends. */
PL_INLINE float pl_fold_ramp(float x, float low, float high)
{
    return pl_smooth_step((x - low) / (high - low));
}

/* A frame with the swing of one joint held. */
typedef struct pl_fold_held
{
    bool deep;         /* the bend is so strong that the limb touches itself */
    float tuck, press; /* how much of each there is in it, 0 .. 1 */
    float spared;      /* how much of what the crease takes folds need not; tucked or, in the deepest bends, covered */
    float given_up;    /* how much of it they need not though there is no room for it, likewise */
    float along;       /* how much folds share length along the ring, likewise */
    float stubs;       /* how much short folds are left out, likewise */
    float take;        /* PL_FOLD_TAKE, less where the limb touches itself */
    pl_f4 pivot;
    float excess;     /* radians that are held back; 0: the pose is as it is */
    pl_f4 axis, back; /* unit, and a quaternion: turns the joint back by the excess */
    bool linear;
    pleat_affine turn; /* where linear: what turning back by the excess adds to a place of the joint */
} pl_fold_held;
typedef struct pl_fold_pose
{
    const pleat_layer_frame *frame;
    pl_fold_held held;
    pl_f4 inner; /* as of the layer */
} pl_fold_pose;

pl_fold_held pl_fold_held_of(const pl_bound_ring *ring, const pleat_layer_frame *frame);
/* How far a ring's joint is bent, twist left out, radians. */
float pl_fold_swing(const pl_bound_ring *ring, const pleat_affine *joints);
/* How high a fold is between two stations, a part t of the way: first + t (change + bulge (1 - t)). Heights go with the
 * square root of what is lost, which changes about evenly along a ring: a fold that ends at a station is higher before
 * it than a straight line; by half of what that asks, which adds fewer crossings. And between directions that point
 * apart, on a round limb, the mean is shorter than they are and the loss larger than between losses; both grow with the
 * square of the angle. */
typedef struct pl_fold_course
{
    float first, change, bulge;
} pl_fold_course;

/* turn: the difference of the directions in which cloth rises. */
PL_INLINE pl_fold_course pl_fold_course_of(float first, float second, pl_f4 turn)
{
    float sum = first + second, change = second - first;
    float bulge = sum > 0 ? 0.5f * change * change / sum + 0.375f * pl_dot3(turn, turn) * sum : 0;
    return (pl_fold_course){first, change, bulge};
}

#endif

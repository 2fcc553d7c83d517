/* What stands before folds in a frame, eight pairs of a fold and a place at a time: pl_folds_mind_others of
 * clearance/near.c, which is the definition. Bound by operations: few folds are asked, each about few places. */
#include "base/wide.h"
#include "layers/folds/bind/lanes.h"
#include "layers/folds/clearance/near.h"

/* Pairs that wait until there are eight. */
typedef struct pairs
{
    uint32_t count;
    uint32_t near[PL_FOLD_LANES];
    pl_f4 way[PL_FOLD_LANES]; /* from the fold's middle to the place */
    pl_f4 up[PL_FOLD_LANES];
    pl_f4 normal[PL_FOLD_LANES];  /* of the place, at rest; */
    pl_f4 turn[3][PL_FOLD_LANES]; /* rows of what turns it */
    float aside[PL_FOLD_LANES];   /* how much of it belongs to another limb */
} pairs;

/* The fold whose pairs are looked at. */
typedef struct fold_at_work
{
    uint32_t near; /* PLEAT_NONE: none yet */
    float room, aside;
} fold_at_work;

PL_INLINE void load(const pl_f4 from[PL_FOLD_LANES], pl_f8 out[4])
{
    for (int i = 0; i < 4; ++i)
    {
        out[i] = pl_join8(from[i], from[i + 4]);
    }
    pl_transpose8(out);
}

/* pl_fold_turn of the places' normals. */
PL_INLINE void turn_normals(const pairs *p, pl_f8 out[3])
{
    pl_f8 normal[4];
    load(p->normal, normal);
    for (int k = 0; k < 3; ++k)
    {
        pl_f8 row[4];
        load(p->turn[k], row);
        out[k] = pl_dot8(row, normal);
    }
    pl_normalize8(out);
}

/* room_ahead. */
PL_INLINE pl_f8 room_ahead(pl_f8 ahead, pl_f8 aside, pl_f8 facing, pl_f8 sideways)
{
    pl_f8 zero = pl_splat8(0);
    ahead = pl_max8(ahead, zero);
    aside = pl_max8(aside - 0.5f, zero);
    pl_f8 squared = ahead * ahead + aside * aside;
    pl_f8 closing = ahead * (1 + pl_max8(facing, zero)) + aside * pl_max8(sideways, zero);
    closing = pl_max8(closing, 0.5f * pl_sqrt8(squared));
    return (pl_f8)((pl_i8)(squared / closing - 0.03f) & (squared > 0.03f * closing));
}

/* part_through. */
PL_INLINE pl_f8 part_through(pl_f8 ahead, pl_f8 aside, pl_f8 facing)
{
    pl_f8 behind = (1 - pl_fold_ramp8(ahead, -0.6f, 0.1f)) * pl_fold_ramp8(ahead, -2, -0.5f);
    pl_f8 turned = pl_fold_ramp8(facing, -0.1f, 0.6f) * (1 - pl_fold_ramp8(aside, 0.5f, 1.8f));
    pl_f8 here =
        pl_fold_ramp8(facing, -0.9f, 0) * (1 - pl_fold_ramp8(aside, 0.4f, 1.4f)) * pl_fold_ramp8(ahead, -0.9f, -0.1f);
    return behind * pl_max8(turned, here);
}

/* room_to, where the place is not far; else most. */
static pl_f8 rooms_to(const pairs *p, float width, float most)
{
    pl_f8 d[4], up[4], normal[3], across[3], zero = pl_splat8(0);
    load(p->way, d);
    load(p->up, up);
    turn_normals(p, normal);
    pl_f8 along = pl_dot8(d, up), squared = pl_dot8(d, d);
    for (int c = 0; c < 3; ++c)
    {
        across[c] = d[c] - up[c] * along;
    }
    pl_f8 away = pl_sqrt8(pl_dot8(across, across)), facing = -pl_dot8(normal, up);
    pl_f8 sideways = (pl_f8)((pl_i8)(-pl_dot8(normal, across) / away) & (away > zero));
    pl_f8 ahead = along * pl_splat8(1 / width), aside = away * pl_splat8(1 / width);
    pl_f8 free = pl_min8(width * room_ahead(ahead, aside, facing, sideways), pl_splat8(most));
    free = (most + (free - most) * pl_fold_ramp8(ahead, -2, -0.5f)) * (1 - part_through(ahead, aside, facing));
    float reach = PL_FOLD_NEAR * width;
    return pl_select8(squared < pl_splat8(reach * reach), free, pl_splat8(most));
}

static void finish(const pl_fold_lane_job *job, const fold_at_work *fold)
{
    const pl_bound_ring *ring = job->ring;
    if (fold->near != PLEAT_NONE && fold->room < PL_FOLD_STEEP * ring->width)
    {
        uint32_t index = ring->nears[fold->near].fold;
        float loss = pl_fold_loss_around(job->layer, ring, index / ring->fold_count);
        pl_fold_give_way(job->layer, ring, index, fold->room, fold->aside, loss);
    }
}

static void look_at(const pl_fold_lane_job *job, pairs *p, fold_at_work *fold)
{
    float width = job->ring->width, most = PL_FOLD_STEEP * width;
    pl_f8 rooms = rooms_to(p, width, most);
    for (uint32_t lane = 0; lane < p->count; ++lane)
    {
        if (p->near[lane] != fold->near)
        {
            finish(job, fold);
            *fold = (fold_at_work){p->near[lane], most, most};
        }
        float room = rooms[lane], aside = most + (room - most) * p->aside[lane];
        fold->room = room < fold->room ? room : fold->room;
        fold->aside = aside < fold->aside ? aside : fold->aside;
    }
    p->count = 0;
}

static void add_pair(const pl_fold_lane_job *job, uint32_t near, const pl_fold_other *other, pl_f4 place, pl_f4 up,
                     pairs *p)
{
    uint32_t at = p->count++;
    p->near[at] = near;
    p->way[at] = pl_load(&job->frame->positions[other->vertex]) - place;
    p->up[at] = up;
    p->normal[at] = other->up.normal;
    p->aside[at] = other->aside;
    pl_f4 rows[3] = {pl_splat(0), pl_splat(0), pl_splat(0)};
    for (int i = 0; i < 4 && other->up.weight[i] > 0; ++i)
    {
        const pleat_affine *joint = &job->frame->joints[other->up.joint[i]];
        for (int k = 0; k < 3; ++k)
        {
            rows[k] += pl_affine_row(joint, k) * pl_splat(other->up.weight[i]);
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        p->turn[k][at] = rows[k];
    }
}

void PL_WIDE(pl_folds_mind)(const pl_fold_lane_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t begin = block * PL_FOLD_NEARS, end = begin + PL_FOLD_NEARS;
    pairs p = {.count = 0};
    fold_at_work fold = {PLEAT_NONE, 0, 0};
    for (uint32_t n = begin; n < end && n < ring->near_count; ++n)
    {
        const pl_fold_near *near = &ring->nears[n];
        if (!(pl_fold_loss_around(job->layer, ring, near->fold / ring->fold_count) > 0))
        {
            continue;
        }
        const pl_fold_sample *top = &ring->samples[near->sample];
        pl_f4 place = pl_fold_mix(job->frame->positions, top->vertex, top->weight), up = job->layer->ups[near->up];
        for (uint32_t i = near->first; i < near->first + near->count; ++i)
        {
            add_pair(job, n, &ring->others[i], place, up, &p);
            if (p.count == PL_FOLD_LANES)
            {
                look_at(job, &p, &fold);
            }
        }
    }
    if (p.count)
    {
        look_at(job, &p, &fold);
    }
    finish(job, &fold);
}

/* What stands before folds in a frame, as many pairs of a fold and a place at a time as there are lanes. Bound by
 * operations: few folds are asked, each about few places. */
#include "layers/folds/bind/lanes.h"
#include "layers/folds/clearance/near.h"
#include "layers/folds/clearance/sight.h"

/* Pairs that wait until there is one for each lane. */
typedef struct pairs
{
    uint32_t count;
    uint32_t near[PL_WIDTH];
    pl_f4 way[PL_WIDTH]; /* from the fold's middle to the place */
    pl_f4 up[PL_WIDTH];
    pl_f4 normal[PL_WIDTH];  /* of the place, at rest; */
    pl_f4 turn[3][PL_WIDTH]; /* rows of what turns it */
    float aside[PL_WIDTH];   /* how much of it belongs to another limb */
} pairs;

/* The fold whose pairs are looked at. */
typedef struct fold_at_work
{
    uint32_t near; /* PLEAT_NONE: none yet */
    float room, aside;
} fold_at_work;

/* pl_fold_turn of the places' normals. */
PL_INLINE void turn_normals(const pairs *p, pl_fw out[3])
{
    pl_fw normal[4];
    pl_unpack_w(p->normal, normal);
    for (int k = 0; k < 3; ++k)
    {
        pl_fw row[4];
        pl_unpack_w(p->turn[k], row);
        out[k] = pl_dot_w(row, normal);
    }
    pl_normalize_w(out);
}

static pl_fw rooms_to(const pairs *p, float width, float most)
{
    pl_fw d[4], up[4], normal[3];
    pl_unpack_w(p->way, d);
    pl_unpack_w(p->up, up);
    turn_normals(p, normal);
    return pl_fold_room_to(d, up, normal, width, most);
}

static void finish(const pl_fold_job *job, const fold_at_work *fold)
{
    const pl_bound_ring *ring = job->ring;
    if (fold->near != PLEAT_NONE && fold->room < PL_FOLD_STEEP * ring->width)
    {
        uint32_t index = ring->obstacles.nears[fold->near].fold;
        float loss = pl_fold_loss_around(job->layer, ring, index / ring->fold_count);
        pl_fold_give_way(job->layer, ring, index, fold->room, fold->aside, loss);
    }
}

static void look_at(const pl_fold_job *job, pairs *p, fold_at_work *fold)
{
    float width = job->ring->width, most = PL_FOLD_STEEP * width;
    pl_fw rooms = rooms_to(p, width, most);
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

static void add_pair(const pl_fold_job *job, uint32_t near, const pl_fold_other *other, pl_f4 place, pl_f4 up, pairs *p)
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

/* Lets folds rise through half of the gaps, and fills slides of those beside other limbs. */
void PL_WIDE(pl_folds_others)(const pl_fold_job *job, uint32_t block)
{
    const pl_bound_ring *ring = job->ring;
    uint32_t begin = block * PL_FOLD_NEARS, end = begin + PL_FOLD_NEARS;
    pairs p = {.count = 0};
    fold_at_work fold = {PLEAT_NONE, 0, 0};
    for (uint32_t n = begin; n < end && n < ring->obstacles.near_count; ++n)
    {
        const pl_fold_near *near = &ring->obstacles.nears[n];
        if (!(pl_fold_loss_around(job->layer, ring, near->fold / ring->fold_count) > 0))
        {
            continue;
        }
        const pl_fold_sample *top = &ring->lines.samples[near->sample];
        pl_f4 place = pl_fold_mix(job->frame->positions, top->vertex, top->weight),
              up = job->layer->at.allowed.ups[near->up];
        for (uint32_t i = near->first; i < near->first + near->count; ++i)
        {
            add_pair(job, n, &ring->obstacles.others[i], place, up, &p);
            if (p.count == PL_WIDTH)
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

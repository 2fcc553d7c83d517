/* Limbs that are flung: lids for places that would spring with them. */
#include "layer/folds_leap.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* ---- Poses ---- */

/* How joints are turned against the ones above them, three columns each: what the limbs do, wherever the body is. */
static void take_pose(const pl_fold_leaps *leaps, const pleat_affine *joints, pl_f4 *pose)
{
    for (uint32_t j = 0; j < leaps->joint_count; ++j)
    {
        uint32_t parent = leaps->parents[j] != PLEAT_NONE ? leaps->parents[j] : j;
        pl_f4 own[3], above[3];
        for (int c = 0; c < 3; ++c)
        {
            const float(*a)[4] = joints[j].row, (*b)[4] = joints[parent].row;
            own[c] = pl_normalize3(pl_set(a[0][c], a[1][c], a[2][c], 0));
            above[c] = pl_normalize3(pl_set(b[0][c], b[1][c], b[2][c], 0));
        }
        for (int c = 0; c < 3; ++c)
        {
            *pose++ = pl_set(pl_dot3(own[c], above[0]), pl_dot3(own[c], above[1]), pl_dot3(own[c], above[2]), 0);
        }
    }
}

/* The largest angle by which a joint is turned otherwise in another pose, radians. */
static float turn_between(uint32_t joint_count, const pl_f4 *a, const pl_f4 *b)
{
    float least = 3;
    for (uint32_t j = 0; j < joint_count; ++j, a += 3, b += 3)
    {
        least = fminf(least, pl_dot3(a[0], b[0]) + pl_dot3(a[1], b[1]) + pl_dot3(a[2], b[2]));
    }
    return acosf(fmaxf(fminf(0.5f * (least - 1), 1), -1));
}

/* ---- Rehearsing ---- */

/* Joints that turn faster than this are flung, radians a second: 1350 degrees. Those of dancers hardly do; those of
 * recordings that slip and of game characters do. */
#define FLUNG 23.6f
/* What is flung is played in steps of this many seconds, */
#define STEP (1.0f / 300)
/* in each of which an offset may change by this part of a fold's width: no more than in slower frames. */
#define SPRING 0.15f
/* Places around those that spring get a lid, too, from this part of it on: no edge shows between them. */
#define AROUND 0.5f

enum
{
    SPARE_STEPS = 300,      /* are played beside as many as the clip has frames: short clips may be flung, too */
    MOST_LIDS = 1000 * 1000 /* of a clip that throws limbs about all the time */
};

typedef struct rehearsal
{
    pl_folds_layer *layer;
    pl_fold_leaps *leaps;
    const pleat_cloth *cloth;
    const pleat_layer_preview *preview;
    const pleat_host *host;
    pl_arena scratch;
    uint32_t vertex_count, lid_count;
    float spring;  /* how much an offset may change in a step */
    float fastest; /* turn in a step so far */
    pleat_vec4 *skinned, *folded;
    pleat_affine *joints;
    uint32_t steps;    /* a frame */
    int64_t at;        /* the step last played, counted from the first frame on; below 0: none */
    float *offsets[2]; /* by vertex, of the step before and of this one */
    pl_f4 *poses[2];   /* likewise */
    uint32_t *slots;   /* by vertex: its place among those with lids, or PLEAT_NONE */
} rehearsal;

static void take_joints(const rehearsal *r)
{
    const pleat_pose *pose = r->preview->pose(r->preview->user);
    pleat_pose_joints(pose, r->cloth->model->nodes[r->cloth->node].skin, r->joints);
    r->joints[r->leaps->joint_count] = pleat_pose_worlds(pose)[r->cloth->node];
}

static void swap_steps(rehearsal *r)
{
    float *offsets = r->offsets[0];
    pl_f4 *pose = r->poses[0];
    r->offsets[0] = r->offsets[1];
    r->poses[0] = r->poses[1];
    r->offsets[1] = offsets;
    r->poses[1] = pose;
}

static pleat_result play(rehearsal *r, int64_t step, pleat_error *error)
{
    swap_steps(r);
    PL_TRY(r->preview->look(r->preview->user, (double)step / r->steps, r->skinned, error));
    take_joints(r);
    take_pose(r->leaps, r->joints, r->poses[1]);
    memcpy(r->folded, r->skinned, r->vertex_count * sizeof *r->folded);
    pleat_layer_frame frame = {.joints = r->joints, .positions = r->folded, .tasks = &r->host->tasks};
    frame.worlds = pleat_pose_worlds(r->preview->pose(r->preview->user));
    pl_folds_update(r->layer, &frame);
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        r->offsets[1][v] = pl_length3(pl_load(&r->folded[v]) - pl_load(&r->skinned[v]));
    }
    r->at = step;
    return PLEAT_OK;
}

/* How many places rise by more than that from one end of a step to the other. */
static uint32_t count_rising(const rehearsal *r, const float *low, const float *high, float least)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        count += high[v] - low[v] > least;
    }
    return count;
}

static uint32_t slot_of(rehearsal *r, uint32_t vertex)
{
    if (r->slots[vertex] == PLEAT_NONE)
    {
        r->slots[vertex] = r->leaps->vertex_count++;
    }
    return r->slots[vertex];
}

/* low: which end of the step it is that places spring from. */
static pleat_result note_leap(rehearsal *r, int low, pleat_error *error)
{
    const float *from = r->offsets[low], *to = r->offsets[1 - low];
    uint32_t count = count_rising(r, from, to, r->spring) ? count_rising(r, from, to, AROUND * r->spring) : 0;
    if (!count || r->lid_count + count > MOST_LIDS)
    {
        return PLEAT_OK;
    }
    size_t columns = 3 * (size_t)r->leaps->joint_count;
    pl_fold_leap *leap = PL_ARENA_NEW(&r->layer->arena, pl_fold_leap, 1);
    pl_f4 *pose = PL_ARENA_NEW(&r->layer->arena, pl_f4, columns);
    pl_fold_lid *lids = PL_ARENA_NEW(&r->layer->arena, pl_fold_lid, count);
    if (!leap || !pose || !lids)
    {
        return pl_fail_memory(&r->layer->memory, error, "limbs that are flung");
    }
    memcpy(pose, r->poses[low], columns * sizeof *pose);
    *leap = (pl_fold_leap){r->leaps->first, pose, 0, lids};
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        if (to[v] - from[v] > AROUND * r->spring)
        {
            lids[leap->lid_count++] = (pl_fold_lid){slot_of(r, v), from[v]};
        }
    }
    r->lid_count += count;
    r->leaps->first = leap;
    return PLEAT_OK;
}

/* Between two frames. */
static pleat_result play_frame(rehearsal *r, uint32_t frame, pleat_error *error)
{
    int64_t end = (int64_t)frame * r->steps, begin = end - r->steps;
    if (r->at != begin)
    {
        PL_TRY(play(r, begin, error));
    }
    for (int64_t step = begin + 1; step <= end; ++step)
    {
        PL_TRY(play(r, step, error));
        r->fastest = fmaxf(r->fastest, turn_between(r->leaps->joint_count, r->poses[0], r->poses[1]));
        PL_TRY(note_leap(r, 0, error));
        PL_TRY(note_leap(r, 1, error));
    }
    return PLEAT_OK;
}

/* turns: by frame, since the one before it in its shot. */
static pleat_result measure_turns(rehearsal *r, float *turns, pleat_error *error)
{
    const pleat_cloth *cloth = r->cloth;
    for (uint32_t f = 0; f < cloth->frame_count; ++f)
    {
        bool first = pleat_shot_of(cloth->shots, cloth->shot_count, f)->first_frame == f;
        PL_TRY(r->preview->look(r->preview->user, f, NULL, error));
        swap_steps(r);
        take_joints(r);
        take_pose(r->leaps, r->joints, r->poses[1]);
        turns[f] = first ? 0 : turn_between(r->leaps->joint_count, r->poses[0], r->poses[1]);
    }
    return PLEAT_OK;
}

static int larger_first(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The turn from which on frames are played; sorted: turns of all, the order of which changes. */
static float least_turn(const rehearsal *r, float *sorted)
{
    uint32_t count = r->cloth->frame_count, most = (count + SPARE_STEPS) / r->steps;
    float least = FLUNG * r->cloth->clip_step;
    qsort(sorted, count, sizeof *sorted, larger_first);
    return most < count ? fmaxf(least, sorted[most]) : least;
}

static pleat_result rehearse(rehearsal *r, pleat_error *error)
{
    uint32_t frames = r->cloth->frame_count;
    float *turns = PL_ARENA_NEW(&r->scratch, float, frames), *sorted = PL_ARENA_NEW(&r->scratch, float, frames);
    if (!turns || !sorted)
    {
        return pl_fail_memory(&r->layer->memory, error, "limbs that are flung");
    }
    PL_TRY(measure_turns(r, turns, error));
    memcpy(sorted, turns, frames * sizeof *sorted);
    float least = least_turn(r, sorted);
    for (uint32_t f = 1; f < frames; ++f)
    {
        if (turns[f] > least)
        {
            PL_TRY(play_frame(r, f, error));
        }
    }
    return PLEAT_OK;
}

static void find_parents(const pleat_cloth *cloth, const pl_fold_leaps *leaps)
{
    const pleat_node *nodes = cloth->model->nodes;
    const pleat_skin *skin = &cloth->model->skins[nodes[cloth->node].skin];
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        leaps->parents[j] = PLEAT_NONE;
        for (uint32_t node = nodes[skin->joints[j]].parent; node != PLEAT_NONE && leaps->parents[j] == PLEAT_NONE;)
        {
            leaps->parents[j] = pl_skin_joint_of(skin, node);
            node = nodes[node].parent;
        }
    }
}

static pleat_result make_leaps(rehearsal *r, pleat_error *error)
{
    pl_arena *arena = &r->layer->arena;
    const pleat_model *model = r->cloth->model;
    uint32_t joints = model->skins[model->nodes[r->cloth->node].skin].joint_count;
    pl_fold_leaps *leaps = r->leaps = PL_ARENA_NEW(arena, pl_fold_leaps, 1);
    if (!leaps)
    {
        return pl_fail_memory(&r->layer->memory, error, "limbs that are flung");
    }
    leaps->joint_count = joints;
    leaps->parents = PL_ARENA_NEW(arena, uint32_t, joints);
    leaps->pose = PL_ARENA_NEW(arena, pl_f4, 3 * (size_t)joints);
    r->skinned = PL_ARENA_NEW(&r->scratch, pleat_vec4, r->vertex_count);
    r->folded = PL_ARENA_NEW(&r->scratch, pleat_vec4, r->vertex_count);
    r->slots = PL_ARENA_NEW(&r->scratch, uint32_t, r->vertex_count);
    r->joints = PL_ARENA_NEW(&r->scratch, pleat_affine, joints + 1);
    bool all = leaps->parents && leaps->pose && r->skinned && r->folded && r->slots && r->joints;
    for (int i = 0; i < 2; ++i)
    {
        r->offsets[i] = PL_ARENA_NEW(&r->scratch, float, r->vertex_count);
        r->poses[i] = PL_ARENA_NEW(&r->scratch, pl_f4, 3 * (size_t)joints);
        all = all && r->offsets[i] && r->poses[i];
    }
    if (!all)
    {
        return pl_fail_memory(&r->layer->memory, error, "limbs that are flung");
    }
    find_parents(r->cloth, leaps);
    memset(r->slots, 0xff, r->vertex_count * sizeof *r->slots);
    return PLEAT_OK;
}

/* What frames need, once all leaps are known. */
static pleat_result finish_leaps(const rehearsal *r, pleat_error *error)
{
    pl_fold_leaps *leaps = r->leaps;
    pl_arena *arena = &r->layer->arena;
    leaps->slope = r->spring / r->fastest;
    leaps->vertices = PL_ARENA_NEW(arena, uint32_t, leaps->vertex_count);
    leaps->skinned = PL_ARENA_NEW(arena, pl_f4, leaps->vertex_count);
    leaps->lids = PL_ARENA_NEW(arena, float, leaps->vertex_count);
    if (!leaps->vertices || !leaps->skinned || !leaps->lids)
    {
        return pl_fail_memory(&r->layer->memory, error, "limbs that are flung");
    }
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        if (r->slots[v] != PLEAT_NONE)
        {
            leaps->vertices[r->slots[v]] = v;
        }
    }
    r->layer->leaps = leaps;
    return PLEAT_OK;
}

static float widest_fold(const pl_folds_layer *layer)
{
    float width = 0;
    for (uint32_t i = 0; i < layer->ring_count; ++i)
    {
        width = fmaxf(width, layer->rings[i].width);
    }
    return width;
}

pleat_result pl_folds_rehearse(void *user, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                               const pleat_host *host, pleat_error *error)
{
    rehearsal r = {.layer = user, .cloth = cloth, .preview = preview, .host = host, .at = -1};
    if (!r.layer->ring_count || cloth->frame_count < 2)
    {
        return PLEAT_OK;
    }
    r.vertex_count = cloth->topology->vertex_count;
    r.spring = SPRING * widest_fold(r.layer);
    /* Frames may be any time apart; of more steps than a number holds none would be played. */
    r.steps = (uint32_t)fminf(fmaxf(ceilf(cloth->clip_step / STEP - 0.01f), 1), 1e6f);
    pl_arena_init(&r.scratch, &r.layer->memory);
    pleat_result result = make_leaps(&r, error);
    if (result == PLEAT_OK)
    {
        result = rehearse(&r, error);
    }
    if (result == PLEAT_OK && r.leaps->first)
    {
        result = finish_leaps(&r, error);
    }
    pl_arena_free(&r.scratch);
    return result;
}

/* ---- Frames ---- */

void pl_folds_meet_leaps(const pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    const pl_fold_leaps *leaps = layer->leaps;
    if (!leaps)
    {
        return;
    }
    take_pose(leaps, frame->joints, leaps->pose);
    for (uint32_t i = 0; i < leaps->vertex_count; ++i)
    {
        leaps->skinned[i] = pl_load(&frame->positions[leaps->vertices[i]]);
        leaps->lids[i] = INFINITY;
    }
    for (const pl_fold_leap *leap = leaps->first; leap; leap = leap->next)
    {
        float more = leaps->slope * turn_between(leaps->joint_count, leaps->pose, leap->pose);
        for (uint32_t i = 0; i < leap->lid_count; ++i)
        {
            const pl_fold_lid *lid = &leap->lids[i];
            leaps->lids[lid->slot] = fminf(leaps->lids[lid->slot], lid->height + more);
        }
    }
}

void pl_folds_hold_lids(const pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    const pl_fold_leaps *leaps = layer->leaps;
    for (uint32_t i = 0; leaps && i < leaps->vertex_count; ++i)
    {
        pleat_vec4 *position = &frame->positions[leaps->vertices[i]];
        pl_f4 offset = pl_load(position) - leaps->skinned[i];
        float length = pl_length3(offset);
        if (length > leaps->lids[i])
        {
            pl_store(position, leaps->skinned[i] + offset * pl_splat(leaps->lids[i] / length));
        }
    }
}

#include "layers/folds/clip/rehearse.h"

#include "base/fail.h"

#include <string.h>

/* ---- Steps ---- */

void pl_fold_rehearsal_swap(pl_fold_rehearsal *r)
{
    float *offsets = r->offsets[0];
    pl_f4 *pose = r->poses[0];
    r->offsets[0] = r->offsets[1];
    r->poses[0] = r->poses[1];
    r->offsets[1] = offsets;
    r->poses[1] = pose;
}

void pl_fold_rehearsal_take_pose(pl_fold_rehearsal *r)
{
    const pleat_pose *pose = r->preview->pose(r->preview->user);
    pleat_pose_joints(pose, r->cloth->model->nodes[r->cloth->node].skin, r->joints);
    r->joints[r->lids->joint_count] = pleat_pose_worlds(pose)[r->cloth->node];
    pl_fold_lids_take_pose(r->lids, r->joints, r->poses[1]);
}

pleat_result pl_fold_rehearsal_play(pl_fold_rehearsal *r, int64_t step, pleat_error *error)
{
    pl_fold_rehearsal_swap(r);
    PL_TRY(r->preview->look(r->preview->user, (double)step / r->steps, r->skinned, error));
    pl_fold_rehearsal_take_pose(r);
    memcpy(r->folded, r->skinned, r->vertex_count * sizeof *r->folded);
    r->frame = (pleat_layer_frame){.joints = r->joints, .positions = r->folded, .tasks = &r->host->tasks};
    r->frame.worlds = pleat_pose_worlds(r->preview->pose(r->preview->user));
    pl_folds_update(r->layer, &r->frame);
    for (uint32_t v = 0; v < r->vertex_count; ++v)
    {
        float offset = pl_length3(pl_load(&r->folded[v]) - pl_load(&r->skinned[v]));
        r->offsets[1][v] = offset;
        r->furthest[v] = offset > r->furthest[v] ? offset : r->furthest[v];
    }
    r->at = step;
    return PLEAT_OK;
}

/* ---- Lids ---- */

pleat_result pl_fold_rehearsal_keep(pl_fold_rehearsal *r, const pl_f4 *pose, uint32_t lid_count, pl_fold_stance **out,
                                    pleat_error *error)
{
    pl_arena *arena = &r->layer->arena;
    size_t columns = 3 * (size_t)r->lids->joint_count;
    pl_fold_stance *stance = PL_ARENA_NEW(arena, pl_fold_stance, 1);
    pl_f4 *copy = PL_ARENA_NEW(arena, pl_f4, columns);
    pl_fold_lid *lids = PL_ARENA_NEW(arena, pl_fold_lid, lid_count);
    if (!stance || !copy || !lids)
    {
        return pl_fail_memory(&r->layer->memory, error, "lids of folds");
    }
    memcpy(copy, pose, columns * sizeof *copy);
    *stance = (pl_fold_stance){r->lids->first, copy, 0, lids, -2, -1};
    r->lids->first = stance;
    r->lid_count += lid_count;
    *out = stance;
    return PLEAT_OK;
}

void pl_fold_rehearsal_lid(pl_fold_rehearsal *r, pl_fold_stance *stance, uint32_t vertex, float height)
{
    if (r->slots[vertex] == PLEAT_NONE)
    {
        r->slots[vertex] = r->lids->vertex_count++;
        r->lids->vertices[r->slots[vertex]] = vertex;
    }
    stance->lids[stance->lid_count++] = (pl_fold_lid){r->slots[vertex], height};
}

/* ---- All ---- */

/* Of those that rise at all. */
static float widest_fold(const pl_folds_layer *layer)
{
    float width = 0;
    for (uint32_t i = 0; i < layer->ring_count; ++i)
    {
        width = layer->rings[i].strength > 0 ? fmaxf(width, layer->rings[i].width) : width;
    }
    return width;
}

/* Room for lids in an arena. vertex_count: that may have some. */
static bool make_room(pl_fold_lids *lids, uint32_t vertex_count, pl_arena *arena)
{
    lids->vertices = PL_ARENA_NEW(arena, uint32_t, vertex_count);
    lids->skinned = PL_ARENA_NEW(arena, pl_f4, vertex_count);
    lids->heights = PL_ARENA_NEW(arena, float, vertex_count);
    return lids->vertices && lids->skinned && lids->heights;
}

static pleat_result open_rehearsal(pl_fold_rehearsal *r, pleat_error *error)
{
    pl_arena *arena = &r->layer->arena;
    const pleat_model *model = r->cloth->model;
    uint32_t joints = model->skins[model->nodes[r->cloth->node].skin].joint_count;
    pl_fold_lids *lids = r->lids = PL_ARENA_NEW(arena, pl_fold_lids, 1);
    if (!lids)
    {
        return pl_fail_memory(&r->layer->memory, error, "lids of folds");
    }
    lids->joint_count = joints;
    lids->parents = PL_ARENA_NEW(arena, uint32_t, joints);
    lids->pose = PL_ARENA_NEW(arena, pl_f4, 3 * (size_t)joints);
    r->skinned = PL_ARENA_NEW(&r->scratch, pleat_vec4, r->vertex_count);
    r->folded = PL_ARENA_NEW(&r->scratch, pleat_vec4, r->vertex_count);
    r->slots = PL_ARENA_NEW(&r->scratch, uint32_t, r->vertex_count);
    r->furthest = PL_ARENA_NEW(&r->scratch, float, r->vertex_count);
    r->joints = PL_ARENA_NEW(&r->scratch, pleat_affine, joints + 1);
    bool all = lids->parents && lids->pose && r->skinned && r->folded && r->slots && r->furthest && r->joints;
    for (int i = 0; i < 2; ++i)
    {
        r->offsets[i] = PL_ARENA_NEW(&r->scratch, float, r->vertex_count);
        r->poses[i] = PL_ARENA_NEW(&r->scratch, pl_f4, 3 * (size_t)joints);
        all = all && r->offsets[i] && r->poses[i];
    }
    if (!all || !make_room(lids, r->vertex_count, &r->scratch))
    {
        return pl_fail_memory(&r->layer->memory, error, "lids of folds");
    }
    pl_fold_lids_find_parents(lids, r->cloth);
    memset(r->slots, 0xff, r->vertex_count * sizeof *r->slots);
    return PLEAT_OK;
}

/* Leaps first: they tell how fast the clip is, and so how steep lids may be. Then those are in force already. */
static pleat_result rehearse(pl_fold_rehearsal *r, pleat_error *error)
{
    PL_TRY(pl_folds_find_leaps(r, error));
    r->lids->slope = PL_FOLD_SPRING * r->width / r->fastest;
    r->layer->lids = r->lids;
    return r->layer->options.contact ? pl_folds_keep_clear(r, error) : PLEAT_OK;
}

/* A stance further away than the ways that its vertices ever go holds nothing. */
static void find_reach(const pl_fold_rehearsal *r, pl_fold_stance *stance)
{
    float most = 0;
    for (uint32_t i = 0; i < stance->lid_count; ++i)
    {
        float over = r->furthest[r->lids->vertices[stance->lids[i].slot]] - stance->lids[i].height;
        most = over > most ? over : most;
    }
    stance->enough = pl_fold_lids_trace(most / r->lids->slope);
}

/* What frames need, out of the scratch. */
static pleat_result keep_lids(const pl_fold_rehearsal *r, pleat_error *error)
{
    pl_fold_lids *lids = r->lids;
    const uint32_t *vertices = lids->vertices;
    for (pl_fold_stance *stance = lids->first; stance; stance = stance->next)
    {
        find_reach(r, stance);
    }
    if (!make_room(lids, lids->vertex_count, &r->layer->arena))
    {
        return pl_fail_memory(&r->layer->memory, error, "lids of folds");
    }
    memcpy(lids->vertices, vertices, lids->vertex_count * sizeof *vertices);
    return PLEAT_OK;
}

pleat_result pl_folds_rehearse(void *user, const pleat_cloth *cloth, const pleat_layer_preview *preview,
                               const pleat_host *host, pleat_error *error)
{
    pl_fold_rehearsal r = {.layer = user, .cloth = cloth, .preview = preview, .host = host, .at = -1};
    r.width = widest_fold(r.layer);
    if (!(r.width > 0) || !cloth->frame_count)
    {
        return PLEAT_OK;
    }
    r.vertex_count = cloth->topology->vertex_count;
    r.fastest = PL_FOLD_FLUNG * PL_FOLD_STEP;
    /* Frames may be any time apart; of more steps than a number holds none would be played. */
    r.steps = (uint32_t)fminf(fmaxf(ceilf(cloth->clip_step / PL_FOLD_STEP - 0.01f), 1), 1e6f);
    pl_arena_init(&r.scratch, &r.layer->memory);
    pleat_result result = open_rehearsal(&r, error);
    if (result == PLEAT_OK)
    {
        result = rehearse(&r, error);
    }
    if (result == PLEAT_OK && r.lids->first)
    {
        result = keep_lids(&r, error);
    }
    r.layer->lids = result == PLEAT_OK && r.lids->first ? r.lids : NULL;
    pl_arena_free(&r.scratch);
    return result;
}

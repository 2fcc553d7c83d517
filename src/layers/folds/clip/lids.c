#include "layers/folds/clip/lids.h"

/* ---- Poses ---- */

void pl_fold_lids_find_parents(const pl_fold_lids *lids, const pleat_cloth *cloth)
{
    const pleat_node *nodes = cloth->model->nodes;
    const pleat_skin *skin = &cloth->model->skins[nodes[cloth->node].skin];
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        lids->parents[j] = PLEAT_NONE;
        for (uint32_t node = nodes[skin->joints[j]].parent; node != PLEAT_NONE && lids->parents[j] == PLEAT_NONE;)
        {
            lids->parents[j] = pl_skin_joint_of(skin, node);
            node = nodes[node].parent;
        }
    }
}

/* The columns of one joint. */
static void take_joint(const pl_fold_lids *lids, const pleat_affine *joints, uint32_t joint, pl_f4 *pose)
{
    uint32_t parent = lids->parents[joint] != PLEAT_NONE ? lids->parents[joint] : joint;
    pl_f4 own[3], above[3];
    for (int c = 0; c < 3; ++c)
    {
        const float(*a)[4] = joints[joint].row, (*b)[4] = joints[parent].row;
        own[c] = pl_normalize3(pl_set(a[0][c], a[1][c], a[2][c], 0));
        above[c] = pl_normalize3(pl_set(b[0][c], b[1][c], b[2][c], 0));
    }
    for (int c = 0; c < 3; ++c)
    {
        pose[c] = pl_set(pl_dot3(own[c], above[0]), pl_dot3(own[c], above[1]), pl_dot3(own[c], above[2]), 0);
    }
}

void pl_fold_lids_take_pose(const pl_fold_lids *lids, const pleat_affine *joints, pl_f4 *pose)
{
    for (uint32_t j = 0; j < lids->joint_count; ++j)
    {
        take_joint(lids, joints, j, pose + 3 * (size_t)j);
    }
}

/* The trace of the turn of a joint from one pose to another; by its columns. */
static float trace_of(const pl_f4 *a, const pl_f4 *b)
{
    pl_f4 products = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return products[0] + products[1] + products[2];
}

static float angle_of(float trace)
{
    return acosf(fmaxf(fminf(0.5f * (trace - 1), 1), -1));
}

float pl_fold_lids_turn(const pl_fold_lids *lids, const pl_f4 *a, const pl_f4 *b)
{
    float least = 3;
    for (uint32_t j = 0; j < lids->joint_count; ++j, a += 3, b += 3)
    {
        least = fminf(trace_of(a, b), least);
    }
    return angle_of(least);
}

float pl_fold_lids_trace(float radians)
{
    /* A little less than it is: angles of poses that are the same are rounded, too. */
    return radians < 3.14f ? 1 + 2 * cosf(radians) - 1e-5f : -2;
}

/* ---- Frames ---- */

/* The least trace of a joint's turn from a stance; not followed further once nothing holds. Most frames are told from
 * most stances by their first joints: known is how many of the frame's own are. */
static float least_trace(pl_fold_lids *lids, const pl_fold_stance *stance, const pleat_affine *joints, uint32_t *known)
{
    float least = 3;
    for (uint32_t j = 0; j < lids->joint_count && least >= stance->enough; ++j)
    {
        if (j == *known)
        {
            take_joint(lids, joints, j, lids->pose + 3 * (size_t)j);
            ++*known;
        }
        least = fminf(trace_of(lids->pose + 3 * (size_t)j, stance->pose + 3 * (size_t)j), least);
    }
    return least;
}

void pl_folds_meet_lids(const pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    pl_fold_lids *lids = layer->lids;
    if (!lids)
    {
        return;
    }
    lids->hold = false;
    uint32_t known = 0;
    for (pl_fold_stance *stance = lids->first; stance; stance = stance->next)
    {
        float trace = least_trace(lids, stance, frame->joints, &known);
        bool holds = trace >= stance->enough;
        stance->more = holds ? lids->slope * angle_of(trace) : -1;
        lids->hold = lids->hold || holds;
    }
    for (uint32_t i = 0; lids->hold && i < lids->vertex_count; ++i)
    {
        lids->skinned[i] = pl_load(&frame->positions[lids->vertices[i]]);
        lids->heights[i] = INFINITY;
    }
}

/* Lowers heights by the lids of a stance. */
static void hold_stance(const pl_fold_lids *lids, const pl_fold_stance *stance)
{
    for (uint32_t i = 0; i < stance->lid_count; ++i)
    {
        const pl_fold_lid *lid = &stance->lids[i];
        float height = lid->height + stance->more, *held = &lids->heights[lid->slot];
        *held = height < *held ? height : *held;
    }
}

void pl_folds_hold_lids(const pl_folds_layer *layer, const pleat_layer_frame *frame)
{
    const pl_fold_lids *lids = layer->lids;
    if (!lids || !lids->hold)
    {
        return;
    }
    for (const pl_fold_stance *stance = lids->first; stance; stance = stance->next)
    {
        if (stance->more >= 0)
        {
            hold_stance(lids, stance);
        }
    }
    for (uint32_t i = 0; i < lids->vertex_count; ++i)
    {
        pleat_vec4 *position = &frame->positions[lids->vertices[i]];
        pl_f4 offset = pl_load(position) - lids->skinned[i];
        float squared = pl_dot3(offset, offset), height = lids->heights[i];
        if (squared > height * height)
        {
            pl_store(position, lids->skinned[i] + offset * pl_splat(height / sqrtf(squared)));
        }
    }
}

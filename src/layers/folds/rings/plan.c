/* Where folds will be: which joints bend, the surface that rings are found on, and where the cloth has to be finer. */
#include "layers/folds/garment/lining.h"
#include "layers/folds/rings/outer.h"
#include "layers/folds/rings/plan.h"

#include "base/name.h"

#include <stdlib.h>
#include <string.h>

/* Edges of the planning surface, of the height: a ring at an elbow then crosses some 60 of them. */
#define EDGE 0.006f

/* ---- Joints ---- */

uint32_t pl_skin_joint_of(const pleat_skin *skin, uint32_t node)
{
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        if (skin->joints[j] == node)
        {
            return j;
        }
    }
    return PLEAT_NONE;
}

pl_f4 pl_skin_bind_position(const pleat_skin *skin, uint32_t joint)
{
    pleat_affine bind;
    if (!pl_affine_inverse(&skin->inverse_binds[joint], &bind))
    {
        return pl_splat(0);
    }
    return pl_set(bind.row[0][3], bind.row[1][3], bind.row[2][3], 0);
}

/* A joint this near to the one above it, of the skin's longest bone, stands where that does. */
#define NO_BONE 1e-6f

/* A bone points from its joint to the mean of the joints below; a last one goes on as its parent's does. */
static void find_bones(pl_folds_planner *p)
{
    const pleat_node *nodes = p->coarse->model->nodes;
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        uint32_t node = nodes[p->skin->joints[j]].parent;
        p->joints[j].parent = PLEAT_NONE;
        while (node != PLEAT_NONE && p->joints[j].parent == PLEAT_NONE)
        {
            p->joints[j].parent = pl_skin_joint_of(p->skin, node);
            node = nodes[node].parent;
        }
    }
    float longest = 0; /* from a joint to its parent: what no length at all is judged by, in whatever unit */
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        uint32_t parent = p->joints[j].parent;
        if (parent != PLEAT_NONE)
        {
            longest =
                fmaxf(longest, pl_length3(pl_skin_bind_position(p->skin, j) - pl_skin_bind_position(p->skin, parent)));
        }
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        pl_f4 sum = pl_splat(0), here = pl_skin_bind_position(p->skin, j);
        for (uint32_t k = 0; k < p->skin->joint_count; ++k)
        {
            if (p->joints[k].parent == j)
            {
                sum += pl_skin_bind_position(p->skin, k) - here;
            }
        }
        uint32_t parent = p->joints[j].parent;
        if (!(pl_length3(sum) > NO_BONE * longest) && parent != PLEAT_NONE)
        {
            sum = here - pl_skin_bind_position(p->skin, parent);
        }
        p->joints[j].axis = pl_normalize3(sum);
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        /* A twist bone that stands where its parent does turns about the same bone. */
        for (uint32_t k = j; k != PLEAT_NONE && !(pl_length3(p->joints[j].axis) > 0.5f); k = p->joints[k].parent)
        {
            p->joints[j].axis = p->joints[k].axis;
        }
        p->joints[j].inner = pl_folds_across(pl_set(0, 0, 1, 0), p->joints[j].axis);
    }
}

/* The angle of a rotation without its part about an axis (swing of a swing-twist split). */
static float swing_of(const pleat_affine *matrix, pl_f4 axis)
{
    pl_f4 q;
    pleat_affine stretch;
    pl_affine_polar(matrix, &q, &stretch);
    float along = pl_dot3(q, axis);
    return 2 * acosf(fminf(sqrtf(q[3] * q[3] + along * along), 1));
}

/* Keeps the largest bend of a joint, and the side that its limb moves to. */
static void note_bend(pl_fold_joint *joint, const pleat_affine *relative)
{
    float bend = swing_of(relative, joint->axis);
    if (bend > joint->bend)
    {
        joint->bend = bend;
        joint->inner = pl_folds_across(pl_normalize3(pl_affine_vector(relative, joint->axis)), joint->axis);
    }
}

static pleat_result watch_clip(pl_folds_planner *p, const pleat_layer_preview *preview, pleat_error *error)
{
    pleat_affine *matrices = PL_ARENA_NEW(&p->scratch, pleat_affine, p->skin->joint_count);
    if (!matrices)
    {
        return pl_fail_memory(p->scratch.memory, error, "joint matrices");
    }
    for (uint32_t f = 0; f < p->coarse->frame_count; ++f)
    {
        PL_TRY(preview->look(preview->user, f, NULL, error));
        pleat_pose_joints(preview->pose(preview->user), p->coarse->model->nodes[p->coarse->node].skin, matrices);
        for (uint32_t j = 0; j < p->skin->joint_count; ++j)
        {
            pleat_affine inverse;
            uint32_t parent = p->joints[j].parent;
            if (parent != PLEAT_NONE && pl_affine_inverse(&matrices[parent], &inverse))
            {
                pleat_affine relative = pl_affine_mul(&inverse, &matrices[j]);
                note_bend(&p->joints[j], &relative);
            }
        }
    }
    return PLEAT_OK;
}

static void choose_joints(pl_folds_planner *p)
{
    const pleat_folds_options *options = &p->plan->options;
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        pl_fold_joint *joint = &p->joints[j];
        const char *name = p->coarse->model->nodes[p->skin->joints[j]].name;
        joint->values = pl_folds_values_of(options, name);
        bool bends = p->coarse->frame_count == 0 || joint->bend > joint->values.bend;
        bool asked = !options->joints[0] || pl_name_is_listed(options->joints, name);
        /* With no strength at all the mesh is still refined, to compare with; a single joint without it is left out. */
        bool rises = joint->values.strength > 0 || options->strength == 0;
        joint->chosen = joint->parent != PLEAT_NONE && bends && asked && rises;
    }
}

/* ---- The planning surface ---- */

static float median_edge(const pleat_cloth *cloth)
{
    double sum = 0;
    uint32_t count = cloth->topology->edge_count;
    for (uint32_t e = 0; e < count; ++e)
    {
        uint32_t corner = cloth->topology->edge_corner[e];
        uint32_t a = cloth->topology->triangles[corner];
        uint32_t b = cloth->topology->triangles[corner % 3 == 2 ? corner - 2 : corner + 1];
        sum += (double)pl_length3(pl_load(&cloth->rest[a]) - pl_load(&cloth->rest[b]));
    }
    return count ? (float)(sum / count) : 0;
}

/* Folds are planned on the outer side of cloth that has two. */
static pleat_result find_lining(pl_folds_planner *p, pleat_error *error)
{
    pl_fold_bone *bones = PL_ARENA_NEW(&p->scratch, pl_fold_bone, p->skin->joint_count);
    if (!bones)
    {
        return pl_fail_memory(p->scratch.memory, error, "bones");
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        bones[j].place = pl_affine_point(&p->coarse->to_rest, pl_skin_bind_position(p->skin, j));
        bones[j].axis = pl_normalize3(pl_affine_vector(&p->coarse->to_rest, p->joints[j].axis));
    }
    return pl_folds_find_lining(p->coarse, bones, p->skin->joint_count, p->host, &p->plan->arena, &p->plan->sides,
                                error);
}

static pleat_result make_surface(pl_folds_planner *p, pleat_error *error)
{
    const pleat_cloth *cloth = p->coarse;
    float wanted = EDGE * cloth->height, edge = median_edge(cloth);
    uint32_t level = 0;
    for (uint64_t triangles = cloth->topology->triangle_count; edge > wanted && level < 4 && triangles < 400000;
         edge *= 0.5f)
    {
        ++level;
        triangles *= 4;
    }
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = cloth->topology->vertex_count;
    desc.triangle_count = cloth->topology->triangle_count;
    desc.triangles = cloth->topology->triangles;
    desc.level = level;
    PL_TRY(pleat_loop_create(&desc, p->host, &p->loop, error));
    const pleat_refined *refined = pleat_loop_refined(p->loop);
    pleat_topology whole = {.vertex_count = refined->vertex_count,
                            .triangle_count = refined->triangle_count,
                            .triangles = refined->triangles};
    PL_TRY(pl_folds_outer_side(&whole, refined->coarse_triangle, p->plan->sides.lining, p->host, &p->topology, error));
    pleat_vec4 *positions = PL_ARENA_NEW(&p->scratch, pleat_vec4, refined->vertex_count);
    pleat_vec4 *normals = PL_ARENA_NEW(&p->scratch, pleat_vec4, refined->vertex_count);
    p->share = PL_ARENA_NEW(&p->scratch, float, refined->vertex_count);
    p->coarse_share = PL_ARENA_NEW(&p->scratch, float, cloth->topology->vertex_count);
    p->shell = PL_ARENA_NEW(&p->scratch, uint32_t, p->topology->triangle_count);
    if (!positions || !normals || !p->share || !p->coarse_share || !p->shell)
    {
        return pl_fail_memory(p->scratch.memory, error, "the planning surface");
    }
    p->plan->shell_count = pleat_topology_shells(p->topology, p->shell);
    pleat_loop_points(p->loop, PLEAT_LOOP_SURFACE, cloth->rest, positions, &p->host->tasks);
    const pleat_topology *outer = p->topology;
    PL_TRY(pleat_normals_create(outer->vertex_count, outer->triangle_count, outer->triangles, outer->triangles, p->host,
                                &p->normals, error));
    pleat_normals_update(p->normals, positions, normals, &p->host->tasks);
    PL_TRY(pleat_bvh_create(outer->vertex_count, positions, outer->triangle_count, outer->triangles, p->host, &p->bvh,
                            error));
    p->surface = (pl_ring_surface){p->topology, positions, normals, p->bvh};
    return PLEAT_OK;
}

/* ---- The plan ---- */

static pleat_result check_values(const pl_fold_values *v, pleat_error *error)
{
    if (!(v->width >= 0 && isfinite(v->width)) || !(v->length >= 0) || !(v->bend >= 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "folds: width %g, length %g and bend %g must be 0 or more",
                       (double)v->width, (double)v->length, (double)v->bend);
    }
    if (!(v->strength >= 0 && v->strength <= 1) || !(v->spread >= 0) || !isfinite(v->angle))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "folds: strength %g lies in 0..1, spread %g is 0 or more, angle %g a number",
                       (double)v->strength, (double)v->spread, (double)v->angle);
    }
    return PLEAT_OK;
}

static pleat_result check_options(const pleat_folds_options *options, pleat_error *error)
{
    if (!memchr(options->curve, 0, sizeof options->curve) || !memchr(options->joints, 0, sizeof options->joints))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "folds: curve and joints are texts that end with 0");
    }
    for (uint32_t i = 0; i <= options->joint_count; ++i)
    {
        pl_profile ignored;
        if (i < options->joint_count && !options->joint_values[i].joints)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "folds: the joints of joint_values[%u] are NULL", i);
        }
        pl_fold_values values = pl_folds_values_at(options, i);
        PL_TRY(check_values(&values, error));
        PL_TRY(pl_folds_profile_of(&values, &ignored, error));
    }
    if (!(options->irregularity >= 0 && options->irregularity <= 1) || !(options->detail >= 2 && options->detail <= 16))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "folds: irregularity %g lies in 0..1, detail %g in 2..16",
                       (double)options->irregularity, (double)options->detail);
    }
    return PLEAT_OK;
}

static pleat_result make_plan(pl_folds_planner *p, const pleat_layer_preview *preview, pleat_error *error)
{
    const pleat_folds_options *options = &p->plan->options;
    if (!p->skin || p->coarse->topology->triangle_count == 0)
    {
        return PLEAT_OK; /* nothing bends it: no folds */
    }
    p->joints = PL_ARENA_NEW(&p->scratch, pl_fold_joint, p->skin->joint_count);
    if (!p->joints)
    {
        return pl_fail_memory(p->scratch.memory, error, "joints");
    }
    pl_folds_check_names(options, p->coarse->model, p->skin, p->host);
    find_bones(p);
    PL_TRY(watch_clip(p, preview, error));
    choose_joints(p);
    PL_TRY(find_lining(p, error));
    PL_TRY(make_surface(p, error));
    PL_TRY(pl_folds_find_rings(p, error));
    return pl_folds_watch(p, preview, error);
}

pleat_result pl_folds_plan_make(const void *options, const pleat_cloth *coarse, const pleat_layer_preview *preview,
                                const pleat_host *host, void **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_options(options, error));
    pl_folds_plan *plan = PL_CREATE(pl_folds_plan, host);
    if (!plan)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the plan of folds");
    }
    pl_arena_init(&plan->arena, &plan->memory);
    plan->options = *(const pleat_folds_options *)options;
    plan->coarse = coarse;
    uint32_t skin = coarse->influence_count ? coarse->model->nodes[coarse->node].skin : PLEAT_NONE;
    pl_folds_planner p = {
        .plan = plan, .coarse = coarse, .host = host, .skin = skin == PLEAT_NONE ? NULL : &coarse->model->skins[skin]};
    pl_memory scratch_memory = pl_memory_from(host);
    pl_arena_init(&p.scratch, &scratch_memory);
    pleat_result result = make_plan(&p, preview, error);
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        pl_patch_release(&p.probes[r]);
    }
    pleat_bvh_destroy(p.bvh);
    pleat_normals_destroy(p.normals);
    pleat_topology_destroy(p.topology);
    pleat_loop_destroy(p.loop);
    pl_arena_free(&p.scratch);
    if (result != PLEAT_OK)
    {
        pl_folds_plan_destroy(plan);
        return result;
    }
    *out = plan;
    return PLEAT_OK;
}

uint32_t pl_fold_ring_at(const pl_fold_ring *ring, float arc)
{
    uint32_t k = 0;
    while (k + 1 < ring->fold_count && arc >= ring->bounds[k + 1])
    {
        ++k;
    }
    return k;
}

void pl_folds_plan_destroy(void *user)
{
    pl_folds_plan *plan = user;
    if (!plan)
    {
        return;
    }
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        pl_patch_release(&plan->rings[i].patch);
    }
    pl_arena_free(&plan->arena);
    PL_DESTROY(plan);
}

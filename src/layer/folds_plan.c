/* Where folds will be: which joints bend, the rings around them, and how far their regions reach. */
#include "layer/folds_lining.h"
#include "layer/folds_near.h"

#include "base/name.h"

#include <stdlib.h>
#include <string.h>

/* ---- Joints ---- */

/* What planning knows of a joint. */
typedef struct joint_info
{
    uint32_t parent; /* in the skin, or PLEAT_NONE */
    pl_f4 axis;      /* of its bone, bind pose, unit */
    float bend;      /* the largest in the clip, radians, without twist about the bone */
    pl_f4 inner;     /* bind pose: the inner side of that bend, or the front */
    pl_fold_values values;
    bool chosen;
} joint_info;

typedef struct planner
{
    pl_folds_plan *plan;
    const pleat_cloth *coarse;
    const pleat_skin *skin;
    const pleat_host *host;
    pl_arena scratch;
    joint_info *joints;
    /* The planning surface: the cloth at rest, subdivided. */
    pleat_loop *loop;
    pleat_topology *topology;
    pleat_bvh *bvh;
    pleat_normals *normals;
    pl_ring_surface surface;
    pl_patch *probes;    /* by ring: lines across it as long as any region may be */
    float *coarse_share; /* of a joint and all below it, per vertex of the input */
    float *share;        /* the same on the planning surface */
    uint32_t *shell;     /* by triangle of it */
} planner;

static uint32_t joint_of_node(const pleat_skin *skin, uint32_t node)
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

static pl_f4 bind_position(const pleat_skin *skin, uint32_t joint)
{
    pleat_affine bind;
    if (!pl_affine_inverse(&skin->inverse_binds[joint], &bind))
    {
        return pl_splat(0);
    }
    return pl_set(bind.row[0][3], bind.row[1][3], bind.row[2][3], 0);
}

/* A bone points from its joint to the mean of the joints below; a last one goes on as its parent's does. */
static void find_bones(planner *p)
{
    const pleat_node *nodes = p->coarse->model->nodes;
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        uint32_t node = nodes[p->skin->joints[j]].parent;
        p->joints[j].parent = PLEAT_NONE;
        while (node != PLEAT_NONE && p->joints[j].parent == PLEAT_NONE)
        {
            p->joints[j].parent = joint_of_node(p->skin, node);
            node = nodes[node].parent;
        }
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        pl_f4 sum = pl_splat(0), here = bind_position(p->skin, j);
        for (uint32_t k = 0; k < p->skin->joint_count; ++k)
        {
            if (p->joints[k].parent == j)
            {
                sum += bind_position(p->skin, k) - here;
            }
        }
        uint32_t parent = p->joints[j].parent;
        if (pl_length3(sum) < 1e-6f && parent != PLEAT_NONE)
        {
            sum = here - bind_position(p->skin, parent);
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
static void note_bend(joint_info *joint, const pleat_affine *relative)
{
    float bend = swing_of(relative, joint->axis);
    if (bend > joint->bend)
    {
        joint->bend = bend;
        joint->inner = pl_folds_across(pl_normalize3(pl_affine_vector(relative, joint->axis)), joint->axis);
    }
}

static pleat_result watch_clip(planner *p, const pleat_layer_preview *preview, pleat_error *error)
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

static void choose_joints(planner *p)
{
    const pleat_folds_options *options = &p->plan->options;
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        joint_info *joint = &p->joints[j];
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
static pleat_result find_lining(planner *p, pleat_error *error)
{
    pl_fold_bone *bones = PL_ARENA_NEW(&p->scratch, pl_fold_bone, p->skin->joint_count);
    if (!bones)
    {
        return pl_fail_memory(p->scratch.memory, error, "bones");
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        bones[j].place = pl_affine_point(&p->coarse->to_rest, bind_position(p->skin, j));
        bones[j].axis = pl_normalize3(pl_affine_vector(&p->coarse->to_rest, p->joints[j].axis));
    }
    return pl_folds_find_lining(p->coarse, bones, p->skin->joint_count, p->host, &p->plan->arena, &p->plan->lining,
                                &p->plan->lining_reach, error);
}

static pleat_result make_surface(planner *p, pleat_error *error)
{
    const pleat_cloth *cloth = p->coarse;
    /* Edges of about half a percent of the height: a ring at an elbow then crosses some 60 of them. */
    float wanted = 0.006f * cloth->height, edge = median_edge(cloth);
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
    PL_TRY(pl_folds_outer_side(&whole, refined->coarse_triangle, p->plan->lining, p->host, &p->topology, error));
    pleat_vec4 *positions = PL_ARENA_NEW(&p->scratch, pleat_vec4, refined->vertex_count);
    pleat_vec4 *normals = PL_ARENA_NEW(&p->scratch, pleat_vec4, refined->vertex_count);
    p->share = PL_ARENA_NEW(&p->scratch, float, refined->vertex_count);
    p->coarse_share = PL_ARENA_NEW(&p->scratch, float, cloth->topology->vertex_count);
    p->shell = PL_ARENA_NEW(&p->scratch, uint32_t, p->topology->triangle_count);
    if (!positions || !normals || !p->share || !p->coarse_share || !p->shell)
    {
        return pl_fail_memory(p->scratch.memory, error, "the planning surface");
    }
    pleat_topology_shells(p->topology, p->shell);
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

/* ---- Rings ---- */

static bool is_below(const planner *p, uint32_t joint, uint32_t top)
{
    while (joint != PLEAT_NONE && joint != top)
    {
        joint = joint < p->skin->joint_count ? p->joints[joint].parent : PLEAT_NONE;
    }
    return joint == top;
}

static pleat_result mark_below(const planner *p, pl_fold_ring *ring, pleat_error *error)
{
    ring->below = PL_ARENA_NEW(&p->plan->arena, uint8_t, (size_t)p->skin->joint_count + 1);
    if (!ring->below)
    {
        return pl_fail_memory(&p->plan->memory, error, "the joints below a ring");
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        ring->below[j] = is_below(p, j, ring->joint);
    }
    return PLEAT_OK;
}

/* The weight of a joint and all below it, at every vertex. */
static void fill_share(planner *p, uint32_t joint)
{
    const pleat_cloth *cloth = p->coarse;
    for (uint32_t v = 0; v < cloth->topology->vertex_count; ++v)
    {
        float sum = 0;
        for (uint32_t i = 0; i < cloth->influence_count; ++i)
        {
            size_t at = (size_t)v * cloth->influence_count + i;
            sum += is_below(p, cloth->joints[at], joint) ? cloth->weights[at] : 0;
        }
        p->coarse_share[v] = sum;
    }
    pleat_loop_values(p->loop, PLEAT_LOOP_SURFACE, 1, p->coarse_share, p->share, &p->host->tasks);
}

static float share_at(const planner *p, const pleat_place *place)
{
    const uint32_t *corner = p->topology->triangles + 3 * (size_t)place->triangle;
    return p->share[corner[0]] * place->barycentric[0] + p->share[corner[1]] * place->barycentric[1] +
           p->share[corner[2]] * place->barycentric[2];
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Two joints with (nearly) the same share have the same ring; it counts once. */
static bool is_known(const pl_folds_plan *plan, const pl_fold_ring *ring)
{
    for (uint32_t k = 0; k < plan->ring_count; ++k)
    {
        if (plan->rings[k].shell == ring->shell &&
            pl_folds_apart(&ring->ring, &plan->rings[k].ring) < 0.5f * plan->width)
        {
            return true;
        }
    }
    return false;
}

/* How far the blend of weights reaches across a ring: three quarters of the lines leave it within this. */
static float blend_reach(planner *p, const pl_patch *patch, float width)
{
    uint32_t count = patch->ring->station_count;
    float *reaches = PL_ARENA_NEW(&p->scratch, float, 2 * (size_t)count);
    if (!reaches)
    {
        return width;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const pl_line *line = &patch->lines[i];
        reaches[2 * i] = -line->low;
        reaches[2 * i + 1] = line->high;
        for (uint32_t k = 0; k < line->count; ++k)
        {
            float share = share_at(p, &line->places[k]);
            if (share < 0.02f || share > 0.98f)
            {
                uint32_t side = line->arc[k] > 0;
                reaches[2 * i + side] = fminf(reaches[2 * i + side], fabsf(line->arc[k]));
            }
        }
    }
    qsort(reaches, 2 * count, sizeof *reaches, compare_floats);
    return reaches[3 * count / 2];
}

enum
{
    SPARE = 2
};

/* A number of a sequence, from 0 to 1. */
static float next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

/* Widths of the folds, and how much each leaves to the next: equal, or changed by the seed. */
static void lay_folds(const pl_folds_plan *plan, pl_fold_ring *ring)
{
    float width = ring->values.width;
    float wanted = ring->values.length > 0 ? 0.5f * ring->values.length : ring->reach;
    /* Beyond the blend lies room for length that contact keeps the inner folds from taking. */
    float sides = fminf(fmaxf(wanted / width + 0.3f, 1), PL_FOLDS_A_SIDE - SPARE) + SPARE;
    uint32_t a_side = (uint32_t)sides;
    ring->fold_count = 2 * a_side;
    ring->half = (float)a_side * width;
    uint32_t state = (plan->options.seed + 1) * 2654435761u ^ (ring->joint + 1) * 40503u;
    for (uint32_t k = 0; k <= ring->fold_count; ++k)
    {
        float jitter = (next_random(&state) - 0.5f) * 0.8f * plan->options.irregularity;
        bool fixed = k == 0 || k == ring->fold_count;
        ring->bounds[k] = ((float)k - (float)a_side + (fixed ? 0 : jitter)) * width;
    }
    for (uint32_t k = 0; k < ring->fold_count; ++k)
    {
        float gives = next_random(&state) * 0.5f * plan->options.irregularity;
        bool last = k == 0 || k + 1 == ring->fold_count;
        ring->gives[k] = last ? 0 : gives;
    }
}

/* What the weights themselves blend over. Refinement smooths them over an edge of the input, and on a coarse mesh folds
 * would reach farther and become more than on a fine one: variances add up, so what it added is taken off again. */
static float own_reach(const planner *p, uint32_t joint, float reach)
{
    const pleat_topology *topology = p->coarse->topology;
    pl_f4 axis = pl_normalize3(pl_affine_vector(&p->coarse->to_rest, p->joints[joint].axis));
    double sum = 0, squares = 0;
    for (uint32_t e = 0; e < topology->edge_count; ++e)
    {
        uint32_t corner = topology->edge_corner[e];
        uint32_t a = topology->triangles[corner], b = topology->triangles[corner % 3 == 2 ? corner - 2 : corner + 1];
        float change = fabsf(p->coarse_share[a] - p->coarse_share[b]);
        float along = fabsf(pl_dot3(pl_load(&p->coarse->rest[a]) - pl_load(&p->coarse->rest[b]), axis));
        sum += (double)(change * along);
        squares += (double)(change * along * along);
    }
    float edge = sum > 0 ? (float)(squares / sum) : 0;
    return sqrtf(fmaxf(reach * reach - edge * edge, 0.25f * reach * reach));
}

/* A fold is no wider than this part of its ring. */
#define WIDEST 0.14f

static pleat_result add_ring(planner *p, uint32_t joint, const pl_contour *line, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    pl_fold_ring *ring = &plan->rings[plan->ring_count];
    *ring = (pl_fold_ring){.joint = joint, .parent = p->joints[joint].parent, .values = p->joints[joint].values};
    float width = ring->values.width > 0 ? ring->values.width : plan->width;
    if (!(ring->values.width > 0) && !(plan->options.width > 0))
    {
        /* What suits an arm is too wide for a finger. */
        width = fminf(width, WIDEST * pl_contour_length(&p->surface, line));
    }
    ring->values.width = width;
    ring->shell = p->shell[line->points[0].triangle];
    ring->axis = p->joints[joint].axis;
    ring->pivot = bind_position(p->skin, joint);
    PL_TRY(pl_folds_profile_of(&ring->values, &ring->profile, error));
    PL_TRY(mark_below(p, ring, error));
    PL_TRY(pl_ring_make(&p->surface, line, width / 2, 0.5f * width, &plan->arena, &ring->ring, error));
    if (is_known(plan, ring))
    {
        return PLEAT_OK;
    }
    /* Counted from here on: whoever fails later releases the probe and the patch. */
    pl_patch *probe = &p->probes[plan->ring_count++];
    PL_TRY(pl_patch_make(&p->surface, &ring->ring, PL_FOLDS_A_SIDE * width, width / 4, &p->scratch, p->host, probe,
                         error));
    ring->reach = own_reach(p, joint, blend_reach(p, probe, width));
    return PLEAT_OK;
}

enum
{
    RINGS_PER_JOINT = 4
};

/* Traces the level lines of all chosen joints; with width 0 only their lengths are wanted. */
static pleat_result trace_joints(planner *p, float *lengths, uint32_t *length_count, pleat_error *error)
{
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        if (!p->joints[j].chosen)
        {
            continue;
        }
        fill_share(p, j);
        pl_contours lines;
        PL_TRY(pl_contours_trace(p->topology, p->share, 0.5f, &p->scratch, &lines, error));
        uint32_t taken = 0;
        for (uint32_t i = 0; i < lines.count && taken < RINGS_PER_JOINT; ++i)
        {
            float length = pl_contour_length(&p->surface, &lines.lines[i]);
            if (!(length > 0.03f * p->coarse->height) && !(p->plan->width > 0 && length > 6 * p->plan->width))
            {
                continue; /* a speck of weights */
            }
            ++taken;
            if (p->plan->width > 0)
            {
                PL_TRY(add_ring(p, j, &lines.lines[i], error));
            }
            else
            {
                lengths[(*length_count)++] = length;
            }
        }
    }
    return PLEAT_OK;
}

/* With all rings known: what lies between them is shared, then each gets its patch. */
static pleat_result settle_rings(planner *p, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    PL_TRY(pl_folds_merge_chains(plan, p->probes, error));
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        lay_folds(plan, &plan->rings[r]);
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        float row_step = plan->rings[r].values.width / 4;
        float *scratch = PL_ARENA_NEW(&p->scratch, float, plan->rings[r].ring.station_count);
        if (!scratch)
        {
            return pl_fail_memory(&plan->memory, error, "a ring");
        }
        pl_folds_fit_between(plan, r, &p->probes[r], row_step, scratch);
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        pl_fold_ring *ring = &plan->rings[r];
        const joint_info *joint = &p->joints[ring->joint];
        float row_step = ring->values.width / 4;
        ring->own = PL_ARENA_NEW(&plan->arena, float, (size_t)ring->ring.station_count * ring->fold_count);
        if (!ring->own)
        {
            return pl_fail_memory(&plan->memory, error, "a ring");
        }
        PL_TRY(
            pl_patch_make(&p->surface, &ring->ring, ring->half, row_step, &plan->arena, p->host, &ring->patch, error));
        pl_folds_share_places(plan, r, row_step);
        pl_folds_choose_side(ring, pl_normalize3(pl_affine_vector(&p->coarse->to_rest, joint->axis)),
                             pl_normalize3(pl_affine_vector(&p->coarse->to_rest, joint->inner)), &ring->values);
    }
    return PLEAT_OK;
}

static pleat_result find_rings(planner *p, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    uint32_t most = RINGS_PER_JOINT * p->skin->joint_count, length_count = 0;
    float *lengths = PL_ARENA_NEW(&p->scratch, float, most);
    plan->rings = PL_ARENA_NEW(&plan->arena, pl_fold_ring, most);
    p->probes = PL_ARENA_NEW(&p->scratch, pl_patch, most);
    if (!lengths || !plan->rings || !p->probes)
    {
        return pl_fail_memory(&plan->memory, error, "rings");
    }
    plan->width = plan->options.width;
    if (!(plan->width > 0))
    {
        PL_TRY(trace_joints(p, lengths, &length_count, error));
        if (length_count == 0)
        {
            return PLEAT_OK;
        }
        qsort(lengths, length_count, sizeof *lengths, compare_floats);
        /* Fingers and toes have more joints than all the rest: they do not say what suits a sleeve. */
        uint32_t first = 0;
        while (lengths[first] < 0.12f * lengths[length_count - 1])
        {
            ++first;
        }
        plan->width = 0.07f * lengths[first + (length_count - first) / 2];
    }
    PL_TRY(trace_joints(p, lengths, &length_count, error));
    return settle_rings(p, error);
}

/* ---- Which folds the clip ever needs ---- */

/* The places of a line that lie in a fold. */
typedef struct place_range
{
    uint32_t first, count;
} place_range;

static place_range places_in(const pl_line *line, float low, float high)
{
    place_range range = {0, 0};
    for (uint32_t i = 0; i < line->count; ++i)
    {
        if (line->arc[i] >= low && line->arc[i] <= high)
        {
            range.first = range.count ? range.first : i;
            ++range.count;
        }
    }
    return range;
}

static double length_of(const planner *p, const pl_line *line, place_range range, const pleat_vec4 *positions)
{
    double length = 0;
    pl_f4 before = pl_place_position(p->topology, positions, &line->places[range.first]);
    for (uint32_t i = range.first + 1; i < range.first + range.count; ++i)
    {
        pl_f4 here = pl_place_position(p->topology, positions, &line->places[i]);
        length += (double)pl_length3(here - before);
        before = here;
    }
    return length;
}

/* Notes what comes near the middle of a compressed fold. */
static void watch_near(const planner *p, const pl_fold_crowd *crowd, pl_fold_ring *ring, uint32_t station, uint32_t k,
                       const pleat_place *place, const pleat_vec4 *positions)
{
    const uint32_t *corner = p->topology->triangles + 3 * (size_t)place->triangle;
    pl_f4 a = pl_load(&positions[corner[0]]);
    pl_f4 up = pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a);
    pl_fold_crowd_note(crowd, ring, station, k, pl_place_position(p->topology, positions, place),
                       pl_normalize3(up) * pl_splat(crowd->turn));
}

/* least: stations by folds, the smallest ratio of length to rest length so far. */
static void watch_ring(const planner *p, const pl_fold_crowd *crowd, pl_fold_ring *ring, const pleat_vec4 *positions,
                       float *least)
{
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        const pl_line *line = &ring->patch.lines[i];
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            float *ratio = &least[i * ring->fold_count + k];
            place_range range = places_in(line, ring->bounds[k], ring->bounds[k + 1]);
            if (range.count < 2)
            {
                *ratio = 0; /* too coarse to tell: taken to be needed */
                continue;
            }
            double rest = length_of(p, line, range, p->surface.positions);
            float now = (float)(length_of(p, line, range, positions) / rest);
            *ratio = fminf(*ratio, now);
            if (now < 0.99f)
            {
                watch_near(p, crowd, ring, i, k, &line->places[range.first + range.count / 2], positions);
            }
        }
    }
}

enum
{
    NEIGHBOURS = 2 /* stations to each side of a fold that is needed: what it fades over */
};

static void mark_active(const pl_fold_ring *ring, uint32_t station, uint32_t k)
{
    uint32_t count = ring->ring.station_count;
    for (uint32_t d = 0; d <= 2 * NEIGHBOURS; ++d)
    {
        uint32_t at = station + d + (ring->ring.closed ? count : 0) - NEIGHBOURS;
        at = ring->ring.closed ? at % count : at;
        if (at < count)
        {
            ring->active[at * ring->fold_count + k] = 1;
        }
    }
}

/* A fold that is compressed is active; one that is compressed so much that contact may stop it has those behind it
 * active too, which take its length over. */
static void choose_active(const pl_fold_ring *ring, const float *least)
{
    uint32_t middle = ring->fold_count / 2;
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            float ratio = least[i * ring->fold_count + k];
            uint32_t spare = ratio < 0.75f ? SPARE + 1 : ratio < 0.99f ? 1 : 0;
            for (uint32_t n = 0; ratio < 0.99f && n <= spare; ++n)
            {
                uint32_t at = k < middle ? k - n : k + n; /* wraps below 0, past fold_count */
                if (at < ring->fold_count && ring->own[i * ring->fold_count + at] > 0)
                {
                    mark_active(ring, i, at);
                }
            }
        }
    }
}

/* -1 where a pose mirrors the mesh, else 1. */
static float turn_of(const planner *p, const pleat_layer_preview *preview)
{
    uint32_t joint = p->skin->joints[0];
    pleat_affine matrix =
        pl_affine_mul(&pleat_pose_worlds(preview->pose(preview->user))[joint], &p->skin->inverse_binds[0]);
    return pl_affine_determinant(&matrix) < 0 ? -1 : 1;
}

static pleat_result watch_folds(planner *p, const pleat_layer_preview *preview, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    pleat_vec4 *coarse = PL_ARENA_NEW(&p->scratch, pleat_vec4, p->coarse->topology->vertex_count);
    pleat_vec4 *positions = PL_ARENA_NEW(&p->scratch, pleat_vec4, p->topology->vertex_count);
    float **least = PL_ARENA_NEW(&p->scratch, float *, plan->ring_count);
    if (!coarse || !positions || !least)
    {
        return pl_fail_memory(p->scratch.memory, error, "a look at the clip");
    }
    bool known = p->coarse->frame_count > 0;
    pl_fold_crowd crowd;
    PL_TRY(pl_fold_crowd_make(p->coarse, plan->lining, 1.5f * plan->width, &p->scratch, &crowd, error));
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        uint32_t folds = plan->rings[r].ring.station_count * plan->rings[r].fold_count;
        least[r] = PL_ARENA_NEW(&p->scratch, float, folds);
        plan->rings[r].active = PL_ARENA_NEW(&plan->arena, uint8_t, folds);
        plan->rings[r].others = PL_ARENA_NEW(&plan->arena, pl_fold_other, (size_t)PL_FOLD_OTHERS * folds);
        if (!least[r] || !plan->rings[r].active || !plan->rings[r].others)
        {
            return pl_fail_memory(p->scratch.memory, error, "a look at the clip");
        }
        for (uint32_t i = 0; i < folds; ++i)
        {
            least[r][i] = known ? 1 : 0; /* no clip: everything may be needed */
        }
    }
    for (uint32_t f = 0; f < p->coarse->frame_count && plan->ring_count; ++f)
    {
        PL_TRY(preview->look(preview->user, f, coarse, error));
        pleat_loop_points(p->loop, PLEAT_LOOP_SURFACE, coarse, positions, &p->host->tasks);
        pl_fold_crowd_fill(&crowd, coarse, turn_of(p, preview));
        for (uint32_t r = 0; r < plan->ring_count; ++r)
        {
            watch_ring(p, &crowd, &plan->rings[r], positions, least[r]);
        }
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        choose_active(&plan->rings[r], least[r]);
    }
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

static pleat_result make_plan(planner *p, const pleat_layer_preview *preview, pleat_error *error)
{
    const pleat_folds_options *options = &p->plan->options;
    if (!p->skin || p->coarse->topology->triangle_count == 0)
    {
        return PLEAT_OK; /* nothing bends it: no folds */
    }
    p->joints = PL_ARENA_NEW(&p->scratch, joint_info, p->skin->joint_count);
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
    PL_TRY(find_rings(p, error));
    return watch_folds(p, preview, error);
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
    planner p = {
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

/* Is a fold active within a distance of a place of the patch? */
static bool any_active(const pl_fold_ring *ring, float u, float s, float around)
{
    uint32_t count = ring->ring.station_count, first = pl_fold_ring_at(ring, s - around);
    uint32_t last = pl_fold_ring_at(ring, s + around);
    int32_t reach = (int32_t)fminf(around * (float)count / ring->ring.length, (float)count) + 1;
    for (int32_t d = -reach; d <= reach + 1; ++d)
    {
        int64_t at = (int64_t)u + d;
        at = ring->ring.closed ? (at % count + count) % count : at;
        for (uint32_t k = first; at >= 0 && at < count && k <= last; ++k)
        {
            if (ring->active[(uint32_t)at * ring->fold_count + k])
            {
                return true;
            }
        }
    }
    return false;
}

bool pl_folds_plan_wants(void *user, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    const pl_folds_plan *plan = user;
    (void)level;
    const uint32_t *corner = plan->coarse->topology->triangles + 3 * (size_t)triangle;
    pl_f4 points[3], normal = pl_splat(0), middle = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        points[k] = pl_splat(0);
        for (int j = 0; j < 3; ++j)
        {
            points[k] += pl_load(&plan->coarse->rest[corner[j]]) * pl_splat(barycentric[3 * k + j]);
        }
        middle += points[k] * pl_splat(1.0f / 3);
        normal += pl_load(&plan->coarse->rest_normals[corner[k]]);
    }
    /* A lining becomes as fine as what it follows. */
    bool lining = plan->lining && plan->lining[triangle] == PL_FOLD_LINING;
    normal = lining ? -normal : normal;
    float longest = 0;
    for (int k = 0; k < 3; ++k)
    {
        longest = fmaxf(longest, pl_length3(points[k] - points[(k + 1) % 3]));
    }
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        float width = plan->rings[i].values.width, u, s;
        /* The flat coarse triangle lies off the smooth surface by up to a part of its size. */
        float reach = 0.5f * longest + 0.3f * width + (lining ? plan->lining_reach : 0);
        if (longest > width / plan->options.detail &&
            pl_patch_find(&plan->rings[i].patch, middle, pl_normalize3(normal), reach, &u, &s) &&
            any_active(&plan->rings[i], u, s, 0.5f * longest))
        {
            return true;
        }
    }
    return false;
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

/* The rings around joints that bend, and the folds across them. */
#include "layers/folds/rings/outer.h"
#include "layers/folds/rings/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a blend of weights ends: what is left of it on either side. */
#define BLEND_END 0.02f
/* Part of a fold that may lie beyond the blend before one less is laid. */
#define OVER 0.3f
/* The most that a border between folds is moved, of a width from one extreme to the other, and that a fold leaves to
 * the next one, of its lost length; where irregularity is 1. */
#define JITTER 0.8f
#define GIVEN 0.5f
/* Lines that lean together by this much, of their distance, within a way meet there. */
#define LEANING 0.7f
/* Rings that are no longer than this, of the height, and than so many folds' widths are specks of weights. */
#define SPECK 0.03f
#define SPECK_FOLDS 6
/* Rings shorter than this, of the longest, are those of fingers and toes. */
#define FINGER 0.12f
/* The width of a fold, of the median ring. */
#define WIDTH 0.07f

static bool is_below(const pl_folds_planner *p, uint32_t joint, uint32_t top)
{
    while (joint != PLEAT_NONE && joint != top)
    {
        joint = joint < p->skin->joint_count ? p->joints[joint].parent : PLEAT_NONE;
    }
    return joint == top;
}

static pleat_result mark_below(const pl_folds_planner *p, pl_fold_ring *ring, pleat_error *error)
{
    ring->below = PL_ARENA_NEW(&p->plan->arena, uint8_t, (size_t)p->skin->joint_count + 1);
    ring->aside = PL_ARENA_NEW(&p->plan->arena, uint8_t, (size_t)p->skin->joint_count + 1);
    if (!ring->below || !ring->aside)
    {
        return pl_fail_memory(&p->plan->memory, error, "the joints below a ring");
    }
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        ring->below[j] = is_below(p, j, ring->joint);
        ring->aside[j] = !ring->below[j] && !is_below(p, ring->joint, j);
    }
    return PLEAT_OK;
}

/* The weight of a joint and all below it, at every vertex. */
static void fill_share(pl_folds_planner *p, uint32_t joint)
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

static float share_at(const pl_folds_planner *p, const pleat_place *place)
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

/* How far the blend of weights reaches on each line across a ring, before it and behind it; NULL without memory. */
static float *blend_reaches(pl_folds_planner *p, const pl_patch *patch)
{
    uint32_t count = patch->ring->station_count;
    float *reaches = PL_ARENA_NEW(&p->scratch, float, 2 * (size_t)count);
    for (uint32_t i = 0; i < count && reaches; ++i)
    {
        const pl_line *line = &patch->lines[i];
        reaches[2 * i] = -line->low;
        reaches[2 * i + 1] = line->high;
        for (uint32_t k = 0; k < line->count; ++k)
        {
            float share = share_at(p, &line->places[k]);
            if (share < BLEND_END || share > 1 - BLEND_END)
            {
                uint32_t side = line->arc[k] > 0;
                reaches[2 * i + side] = fminf(reaches[2 * i + side], fabsf(line->arc[k]));
            }
        }
    }
    return reaches;
}

/* The same of the ring: three quarters of the lines leave it within this. */
static float blend_reach(pl_folds_planner *p, const pl_patch *patch, float width)
{
    uint32_t count = patch->ring->station_count;
    float *reaches = blend_reaches(p, patch);
    if (!reaches)
    {
        return width;
    }
    qsort(reaches, 2 * count, sizeof *reaches, compare_floats);
    return reaches[3 * count / 2];
}

/* The longest of the reaches around a station, on a side. */
static float reach_around(const pl_ring *ring, const float *reaches, uint32_t station, uint32_t side)
{
    enum
    {
        STATIONS = 2
    };
    float most = 0;
    for (int64_t d = -STATIONS; d <= STATIONS; ++d)
    {
        int64_t count = ring->station_count, at = station + d;
        at = ring->closed ? (at % count + count) % count : at;
        most = at >= 0 && at < count ? fmaxf(most, reaches[2 * at + side]) : most;
    }
    return most;
}

/* A line of which less than this is its own ring's has passed into another ring's part. */
#define PASSED 0.1f

/* Ends folds of one line on one side of a ring, whose weights blend as far as this: two and a half folds behind it, and
 * right there if the line has passed through another ring's part before, from which it would come out again at each
 * station elsewhere. */
static void end_behind(const pl_fold_ring *ring, uint32_t station, bool high, float reach)
{
    uint32_t middle = ring->fold_count / 2;
    float *own = ring->own + station * ring->fold_count;
    float least = 1;
    for (uint32_t d = 0; d < middle; ++d)
    {
        uint32_t k = high ? middle + d : middle - 1 - d;
        float away = 0.5f * fabsf(ring->bounds[k] + ring->bounds[k + 1]);
        least = fminf(least, own[k]);
        float spare = pl_smooth_step(least / PASSED) * (PL_FOLDS_SPARE + 0.5f);
        own[k] *= 1 - pl_smooth_step((away - reach) / ring->values.width - spare);
    }
}

/* Where a line has left the blend of its joint's weights, the joint bends nothing: what is lost there other joints
 * take, as where lines of the chest go on over the arm. */
static pleat_result keep_to_blend(pl_folds_planner *p, const pl_fold_ring *ring, pleat_error *error)
{
    fill_share(p, ring->joint);
    const float *reaches = blend_reaches(p, &ring->patch);
    if (!reaches)
    {
        return pl_fail_memory(p->scratch.memory, error, "the reach of a ring");
    }
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        end_behind(ring, i, false, ring->chain + reach_around(&ring->ring, reaches, i, 0));
        end_behind(ring, i, true, ring->chain + reach_around(&ring->ring, reaches, i, 1));
    }
    return PLEAT_OK;
}

/* A number of a sequence, from 0 to 1. */
static float next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

/* How many folds a ring asks for on each side, and how many more than it can have. Beyond the blend lies room for
 * length that contact keeps the inner folds from taking. A length that was asked for is kept, as near as whole folds
 * come to it: nothing rises outside. */
static uint32_t folds_a_side(const pl_fold_ring *ring, uint32_t *more)
{
    bool given = ring->values.length > 0;
    float spare = given ? 0 : PL_FOLDS_SPARE, width = ring->values.width;
    float sides = given ? 0.5f * ring->values.length / width + 0.5f : ring->reach / width + OVER;
    sides = fminf(fmaxf(sides, 1), 1e6f) + spare;
    *more = sides < PL_FOLDS_A_SIDE + 1 ? 0 : (uint32_t)sides - PL_FOLDS_A_SIDE;
    return (uint32_t)sides - *more;
}

/* Widths of the folds, and how much each leaves to the next: equal, or changed by the seed. Returns how many more the
 * ring asks for on each side than it can have. */
static uint32_t lay_folds(const pl_folds_plan *plan, pl_fold_ring *ring)
{
    float width = ring->values.width;
    uint32_t more, a_side = folds_a_side(ring, &more);
    ring->fold_count = 2 * a_side;
    ring->half = (float)a_side * width;
    uint32_t state = (plan->options.seed + 1) * 2654435761u ^ (ring->joint + 1) * 40503u;
    for (uint32_t k = 0; k <= ring->fold_count; ++k)
    {
        float jitter = (next_random(&state) - 0.5f) * JITTER * plan->options.irregularity;
        bool fixed = k == 0 || k == ring->fold_count;
        ring->bounds[k] = ((float)k - (float)a_side + (fixed ? 0 : jitter)) * width;
    }
    for (uint32_t k = 0; k < ring->fold_count; ++k)
    {
        float gives = next_random(&state) * GIVEN * plan->options.irregularity;
        bool last = k == 0 || k + 1 == ring->fold_count;
        ring->gives[k] = last ? 0 : gives;
    }
    return more;
}

/* Was a width or a length asked for? By default some limbs blend farther than folds are of use. */
static bool is_asked(const pleat_folds_options *options)
{
    bool asked = options->width > 0 || options->length > 0;
    for (uint32_t i = 0; i < options->joint_count; ++i)
    {
        asked = asked || options->joint_values[i].width > 0 || options->joint_values[i].length > 0;
    }
    return asked;
}

static void warn_of_cut(const pl_folds_planner *p, uint32_t rings)
{
    if (rings && p->host && p->host->log && is_asked(&p->plan->options))
    {
        char message[200];
        snprintf(message, sizeof message,
                 "folds: there are at most %d across a joint; around %u joint%s they do not reach as far as asked. "
                 "Wider ones do",
                 2 * PL_FOLDS_A_SIDE, rings, rings == 1 ? "" : "s");
        p->host->log(p->host->log_user, PLEAT_WARNING, message);
    }
}

/* How long the edges of the input are, along a joint's bone, over which its weights change: no nearer than this is
 * known where the weights are a half. */
static float edge_of_blend(const pl_folds_planner *p, uint32_t joint)
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
    return sum > 0 ? (float)(squares / sum) : 0;
}

/* What the weights themselves blend over. Refinement smooths them over an edge of the input, and on a coarse mesh folds
 * would reach farther and become more than on a fine one: variances add up, so what it added is taken off again. */
static float own_reach(float edge, float reach)
{
    return sqrtf(fmaxf(reach * reach - edge * edge, 0.25f * reach * reach));
}

/* The part of the straight lines across a closed ring that would come near their neighbours within a distance. */
static float meeting_part(const pl_ring *ring, float distance)
{
    uint32_t count = ring->station_count, met = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pl_station *here = &ring->stations[i], *next = &ring->stations[(i + 1) % count];
        pl_f4 apart = next->position - here->position;
        float turn = pl_dot3(next->across - here->across, apart), square = pl_dot3(apart, apart);
        met += fabsf(turn) * distance > LEANING * square;
    }
    return (float)met / (float)count;
}

/* How wide a fold is by default, of its ring, and no wider than those of the median ring: what suits an arm is too wide
 * for a finger, and folds as wide as a waist asks for leap when a recording flings a leg (0.44 of a frame's change in a
 * tenth of it, on the sports suit). Wider ones stand in each other's way before they have taken up what is lost: at 70
 * degrees a knee is 0.97 of its length with folds of 0.13 of the ring, 0.99 with 0.09. */
#define USUAL 0.07f
/* Where triangles are few they are as wide as this part of the edges over which weights blend, as far as this part of
 * the ring: facets want folds of their own size, and narrower ones would take most of the triangles that there may be.
 * More triangles than PLENTY times the input's make edges shorter by the square root of what there is more. */
#define OF_EDGES 0.6f
#define WIDEST 0.13f
#define PLENTY 6.0f

/* How long a ring is all the way round. Of one that a hem cuts open only a part is there: it tells how far the bone is.
 */
static float length_around(const pl_folds_planner *p, uint32_t joint, const pl_contour *line)
{
    float length = pl_contour_length(&p->surface, line);
    if (line->closed)
    {
        return length;
    }
    pl_f4 bone = pl_affine_point(&p->coarse->to_rest, pl_skin_bind_position(p->skin, joint));
    pl_f4 axis = pl_normalize3(pl_affine_vector(&p->coarse->to_rest, p->joints[joint].axis));
    float sum = 0;
    for (uint32_t i = 0; i < line->point_count; ++i)
    {
        pl_f4 from = pl_place_position(p->topology, p->surface.positions, &line->points[i]) - bone;
        sum += pl_length3(pl_cross(from, axis));
    }
    return fmaxf(length, 6.2831853f * sum / (float)line->point_count);
}

static pleat_result make_probe(pl_folds_planner *p, const pl_fold_ring *ring, pl_patch *probe, pleat_error *error)
{
    float width = ring->values.width;
    return pl_patch_make(&p->surface, &ring->ring, (pl_patch_size){PL_FOLDS_A_SIDE * width, width / 4}, &p->scratch,
                         p->host, probe, error);
}

enum
{
    STRAIGHTER = 4 /* times at most: to waves of twice the edges together */
};
/* Edges longer than this, in widths of a fold, are too coarse for a ring to follow; and the part of lines that may
 * meet. */
#define COARSE 1.5f
#define MEETING 0.1f

static pleat_result add_ring(pl_folds_planner *p, uint32_t joint, const pl_contour *line, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    pl_fold_ring *ring = &plan->rings[plan->ring_count];
    *ring = (pl_fold_ring){.joint = joint, .parent = p->joints[joint].parent, .values = p->joints[joint].values};
    float width = ring->values.width > 0 ? ring->values.width : plan->width, edge = edge_of_blend(p, joint);
    if (!(ring->values.width > 0) && !(plan->options.width > 0))
    {
        float around = length_around(p, joint, line);
        float of_edges = OF_EDGES * edge * sqrtf(fminf(PLENTY / p->coarse->triangle_times, 1));
        width = fmaxf(fminf(width, USUAL * around), fminf(of_edges, WIDEST * around));
    }
    ring->values.width = width;
    ring->shell = p->shell[line->points[0].triangle];
    ring->axis = p->joints[joint].axis;
    ring->pivot = pl_skin_bind_position(p->skin, joint);
    PL_TRY(pl_folds_profile_of(&ring->values, &ring->profile, error));
    PL_TRY(mark_below(p, ring, error));
    PL_TRY(pl_ring_make(&p->surface, line, width / 2, 0.5f * width, &plan->arena, &ring->ring, error));
    if (is_known(plan, ring))
    {
        return PLEAT_OK;
    }
    /* Counted from here on: whoever fails later releases the probe and the patch. */
    pl_patch *probe = &p->probes[plan->ring_count++];
    PL_TRY(make_probe(p, ring, probe, error));
    /* On a mesh of edges longer than folds a ring winds from vertex to vertex, and lines across it meet. */
    bool coarse = ring->ring.closed && edge > COARSE * width;
    for (uint32_t i = 0; i < STRAIGHTER && coarse; ++i)
    {
        if (meeting_part(&ring->ring, blend_reach(p, probe, width)) <= MEETING)
        {
            break;
        }
        PL_TRY(pl_ring_straighten(&p->surface, edge, &p->scratch, &ring->ring, error));
        pl_patch_release(probe);
        PL_TRY(make_probe(p, ring, probe, error));
    }
    ring->reach = own_reach(edge, blend_reach(p, probe, width));
    return PLEAT_OK;
}

enum
{
    RINGS_PER_JOINT = 4
};

/* Traces the level lines of all chosen joints; with width 0 only their lengths are wanted. */
static pleat_result trace_joints(pl_folds_planner *p, float *lengths, uint32_t *length_count, pleat_error *error)
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
            if (!(length > SPECK * p->coarse->height) && !(p->plan->width > 0 && length > SPECK_FOLDS * p->plan->width))
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
static pleat_result settle_rings(pl_folds_planner *p, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    pleat_affine from_rest;
    bool whole = pl_affine_inverse(&p->coarse->to_rest, &from_rest);
    PL_TRY(pl_folds_merge_chains(plan, p->probes, error));
    uint32_t cut = 0;
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        cut += lay_folds(plan, &plan->rings[r]) > 0;
    }
    warn_of_cut(p, cut);
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
        const pl_fold_joint *joint = &p->joints[ring->joint];
        float row_step = ring->values.width / 4;
        ring->own = PL_ARENA_NEW(&plan->arena, float, (size_t)ring->ring.station_count * ring->fold_count);
        ring->outs = PL_ARENA_NEW(&plan->arena, pl_f4, ring->ring.station_count);
        if (!ring->own || !ring->outs)
        {
            return pl_fail_memory(&plan->memory, error, "a ring");
        }
        pl_folds_find_outs(ring, whole ? &from_rest : &p->coarse->to_rest);
        PL_TRY(pl_patch_make(&p->surface, &ring->ring, (pl_patch_size){ring->half, row_step}, &plan->arena, p->host,
                             &ring->patch, error));
        pl_folds_share_places(plan, r, row_step);
        if (!(ring->values.length > 0))
        {
            PL_TRY(keep_to_blend(p, ring, error));
        }
        pl_folds_choose_side(ring, pl_normalize3(pl_affine_vector(&p->coarse->to_rest, joint->axis)),
                             pl_normalize3(pl_affine_vector(&p->coarse->to_rest, joint->inner)), &ring->values);
    }
    return PLEAT_OK;
}

pleat_result pl_folds_find_rings(pl_folds_planner *p, pleat_error *error)
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
        while (lengths[first] < FINGER * lengths[length_count - 1])
        {
            ++first;
        }
        plan->width = WIDTH * lengths[first + (length_count - first) / 2];
    }
    PL_TRY(trace_joints(p, lengths, &length_count, error));
    return settle_rings(p, error);
}

/* From a bake to meshes with morph targets. */
#include "pleat/export/morphs.h"

#include "base/memory.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

enum
{
    PRUNE_STEPS = 16,
    PRUNE_FROM = 700000 /* vertices times targets: below, a file has less than 16 MB of targets and may be dense */
};

/* How much of the error goes into leaving out what hardly shows: of the error that is asked for, and, where so few
 * targets cannot reach that, of what a vertex is better off than the worst one. */
#define PRUNE_OF_ASKED 0.25f
#define PRUNE_OF_LEFT 0.4f
/* What rounding may take of the error asked for: with some 64 targets, whose weights average a half, it is about eight
 * steps at the worst vertex of a few ten thousand. Never more than STEPS_OF_LARGEST make the largest displacement. */
#define ROUNDING_OF_ASKED 0.25f
#define STEP_OF_ASKED (ROUNDING_OF_ASKED / 8)
#define STEPS_OF_LARGEST 30000
/* What may be left out of a normal, which has length 1: two degrees. */
#define NORMAL_TOLERANCE 0.035f

/* A node on its way: buffers of a frame and the fit. */
typedef struct node_fit
{
    pleat_stack *stack;
    uint32_t node;
    pleat_fit *fit;
    pleat_vec3 *displacements;  /* surface vertices */
    pleat_vec3 *base_normals;   /* render vertices, bind space */
    pleat_vec3 *normal_changes; /* render vertices */
    float *input_weights;       /* frame_count by the input's target_count */
    float unreached;            /* largest distance that no displacement in bind space leads over */
    bool prunes;                /* the file would be large: targets leave out what hardly shows */
    float stretch;              /* a length in bind space is at most this many times as long in the world */
} node_fit;

struct pleat_morphs
{
    pl_memory memory;
    pl_arena arena;
    pleat_host host;
    const pleat_bake *bake;
    pleat_morphs_options options;
    uint32_t node_count;
    node_fit *nodes;
    uint32_t count;
    pleat_morphed *morphed;
    float *times;
};

pleat_morphs_options pleat_morphs_options_default(void)
{
    return (pleat_morphs_options){.target_limit = 64, .largest_error = 0, .normals = true};
}

static pleat_result create_node(pleat_morphs *morphs, uint32_t index, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    node_fit *node = &morphs->nodes[index];
    node->stack = pleat_bake_stack(morphs->bake, index);
    node->node = pleat_bake_stack_node(morphs->bake, index);
    const pleat_stack_shape *shape = pleat_stack_get_shape(node->stack);
    uint32_t frame_count = pleat_bake_get_shape(morphs->bake)->frame_count;
    uint32_t normal_count = morphs->options.normals ? shape->vertex_count : 0;
    PL_ARENA_NEW_OR_FAIL(node->displacements, &morphs->arena, pleat_vec3, shape->surface_count, error);
    PL_ARENA_NEW_OR_FAIL(node->base_normals, &morphs->arena, pleat_vec3, shape->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(node->normal_changes, &morphs->arena, pleat_vec3, normal_count, error);
    PL_ARENA_NEW_OR_FAIL(node->input_weights, &morphs->arena, float,
                         (size_t)frame_count *pleat_stack_get_mesh(node->stack)->target_count, error);
    pleat_stack_base_normals(node->stack, node->base_normals);
    /* One target is left for lift_weights. */
    uint32_t limit = morphs->options.target_limit > 1 ? morphs->options.target_limit - 1 : 1;
    result = pleat_fit_create(shape->surface_count, normal_count, frame_count, limit, &morphs->host, &node->fit, error);
fail:
    return result;
}

static pleat_result create_all(pleat_morphs *morphs, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_bake_shape *shape = pleat_bake_get_shape(morphs->bake);
    PL_ARENA_NEW_OR_FAIL(morphs->nodes, &morphs->arena, node_fit, morphs->node_count, error);
    PL_ARENA_NEW_OR_FAIL(morphs->morphed, &morphs->arena, pleat_morphed, morphs->node_count, error);
    PL_ARENA_NEW_OR_FAIL(morphs->times, &morphs->arena, float, shape->frame_count, error);
    for (uint32_t f = 0; f < shape->frame_count; ++f)
    {
        morphs->times[f] = pleat_bake_time(morphs->bake, f);
    }
    for (uint32_t i = 0; i < morphs->node_count && result == PLEAT_OK; ++i)
    {
        result = create_node(morphs, i, error);
    }
fail:
    return result;
}

pleat_result pleat_morphs_create(const pleat_bake *bake, const pleat_morphs_options *options, const pleat_host *host,
                                 pleat_morphs **out, pleat_error *error)
{
    *out = NULL;
    if (!(options->largest_error >= 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "largest_error is %g; it must be 0 or more",
                       (double)options->largest_error);
    }
    pleat_morphs *morphs = PL_CREATE(pleat_morphs, host);
    if (!morphs)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the morph targets");
    }
    pl_arena_init(&morphs->arena, &morphs->memory);
    morphs->host = host ? *host : pleat_host_default();
    morphs->bake = bake;
    morphs->options = *options;
    morphs->node_count = pleat_bake_stack_count(bake);
    pleat_result result = create_all(morphs, error);
    if (result != PLEAT_OK)
    {
        pleat_morphs_destroy(morphs);
        return result;
    }
    *out = morphs;
    return PLEAT_OK;
}

void pleat_morphs_destroy(pleat_morphs *morphs)
{
    if (!morphs)
    {
        return;
    }
    for (uint32_t i = 0; morphs->nodes && i < morphs->node_count; ++i)
    {
        pleat_fit_destroy(morphs->nodes[i].fit);
    }
    pl_arena_free(&morphs->arena);
    PL_DESTROY(morphs);
}

/* ---- The two passes ---- */

void pleat_morphs_learn(pleat_morphs *morphs)
{
    for (uint32_t i = 0; i < morphs->node_count; ++i)
    {
        node_fit *node = &morphs->nodes[i];
        pleat_stack_bind_displacements(node->stack, node->displacements);
        node->stretch = fmaxf(node->stretch, pleat_stack_stretch(node->stack));
        pleat_fit_learn(node->fit, node->displacements);
    }
}

void pleat_morphs_settle(pleat_morphs *morphs)
{
    for (uint32_t i = 0; i < morphs->node_count; ++i)
    {
        node_fit *node = &morphs->nodes[i];
        pleat_fit_settle(node->fit);
        size_t size = (size_t)pleat_fit_target_count(node->fit) * pleat_stack_get_shape(node->stack)->vertex_count;
        node->prunes = node->stretch > 0 && morphs->options.largest_error > 0 && size > PRUNE_FROM;
        if (node->prunes)
        {
            float asked = morphs->options.largest_error / node->stretch;
            pleat_fit_prune(node->fit, PRUNE_OF_ASKED * asked, PRUNE_OF_LEFT);
        }
    }
}

void pleat_morphs_weigh(pleat_morphs *morphs, uint32_t frame)
{
    for (uint32_t i = 0; i < morphs->node_count; ++i)
    {
        node_fit *node = &morphs->nodes[i];
        uint32_t target_count = pleat_stack_get_mesh(node->stack)->target_count;
        const float *weights = pleat_pose_weights(pleat_bake_pose(morphs->bake), node->node);
        if (weights)
        {
            memcpy(node->input_weights + (size_t)frame * target_count, weights, target_count * sizeof *weights);
        }
        node->unreached = fmaxf(node->unreached, pleat_stack_bind_displacements(node->stack, node->displacements));
        if (morphs->options.normals)
        {
            uint32_t count = pleat_stack_get_shape(node->stack)->vertex_count;
            pleat_stack_bind_normals(node->stack, node->normal_changes);
            for (uint32_t r = 0; r < count; ++r)
            {
                pl_store3(&node->normal_changes[r],
                          pl_load3(&node->normal_changes[r]) - pl_load3(&node->base_normals[r]));
            }
        }
        pleat_fit_weigh(node->fit, frame, node->displacements, morphs->options.normals ? node->normal_changes : NULL);
    }
}

/* ---- The meshes ---- */

/* Everything of one node that its primitives share while they are made. */
typedef struct making
{
    pleat_morphs *morphs;
    node_fit *node;
    const pleat_mesh *input;
    const pleat_stack_shape *shape;
    uint32_t fitted;               /* targets of the fit */
    uint32_t lifts;                /* 1: a last target, always at weight 1, makes all other weights positive; else 0 */
    float *lows, *spans;           /* fitted: a weight w of the fit is written as (w - low) / span */
    pleat_vec3 *surface_target;    /* one target, surface vertices */
    pleat_vec3 **target_positions; /* per target: all render vertices */
    pleat_vec3 **target_normals;   /* per target, or NULL */
} making;

static uint32_t all_targets(const making *m)
{
    return m->input->target_count + m->fitted + m->lifts;
}

/* The smallest and the largest weight of a target over the clip. */
static void weight_range(const making *m, uint32_t target, float *low, float *high)
{
    uint32_t frame_count = pleat_bake_get_shape(m->morphs->bake)->frame_count;
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        float weight = pleat_fit_weight(m->node->fit, f, target);
        *low = fminf(*low, weight);
        *high = fmaxf(*high, weight);
    }
}

/* Weights of a fit have both signs, but Blender's importer and some engines hold weights to 0..1. So each target is
 * scaled to the range of its weights, and what its lowest weight gives goes, for all targets together, into one more
 * target, which has weight 1 in this clip and 0 elsewhere. */
static pleat_result lift_weights(making *m, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    bool negative = false;
    for (uint32_t t = 0; t < m->fitted; ++t)
    {
        float low, high;
        weight_range(m, t, &low, &high);
        negative = negative || low < 0;
    }
    m->lifts = negative && m->fitted < m->morphs->options.target_limit;
    PL_ARENA_NEW_OR_FAIL(m->lows, &m->morphs->arena, float, m->fitted, error);
    PL_ARENA_NEW_OR_FAIL(m->spans, &m->morphs->arena, float, m->fitted, error);
    for (uint32_t t = 0; t < m->fitted; ++t)
    {
        float low, high;
        weight_range(m, t, &low, &high);
        m->lows[t] = m->lifts ? fminf(low, 0) : 0;
        m->spans[t] = m->lows[t] < 0 && high > low ? high - m->lows[t] : 1;
    }
fail:
    return result;
}

static void scale_points(pleat_vec3 *points, uint32_t count, float scale)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_store3(&points[i], pl_splat(scale) * pl_load3(&points[i]));
    }
}

static void add_points(pleat_vec3 *sums, const pleat_vec3 *points, uint32_t count, float scale)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_store3(&sums[i], pl_load3(&sums[i]) + pl_splat(scale) * pl_load3(&points[i]));
    }
}

/* Target `fit_target` of the fit as output target t. */
static void fill_fitted(const making *m, uint32_t t, uint32_t fit_target)
{
    pleat_vec3 *positions = m->target_positions[t];
    pleat_fit_target(m->node->fit, fit_target, m->surface_target);
    for (uint32_t r = 0; r < m->shape->vertex_count; ++r)
    {
        positions[r] = m->surface_target[m->shape->render_vertex[r]];
    }
    if (m->target_normals[t])
    {
        pleat_fit_normal_target(m->node->fit, fit_target, m->target_normals[t]);
    }
}

/* Drops the changes of normals that hardly show: at each vertex the smallest ones, as pleat_fit_prune does with
 * positions. */
static void prune_normals(const making *m, uint32_t first)
{
    for (uint32_t r = 0; r < m->shape->vertex_count; ++r)
    {
        float low = 0, high = NORMAL_TOLERANCE;
        for (int step = 0; step < PRUNE_STEPS; ++step)
        {
            float middle = 0.5f * (low + high), squares = 0;
            for (uint32_t t = first; t < first + m->fitted; ++t)
            {
                pl_f4 change = pl_load3(&m->target_normals[t][r]);
                float squared = pl_dot3(change, change);
                squares += squared < middle * middle ? squared : 0;
            }
            *(squares <= NORMAL_TOLERANCE * NORMAL_TOLERANCE ? &low : &high) = middle;
        }
        for (uint32_t t = first; t < first + m->fitted; ++t)
        {
            pl_f4 change = pl_load3(&m->target_normals[t][r]);
            if (pl_dot3(change, change) < low * low)
            {
                m->target_normals[t][r] = (pleat_vec3){0, 0, 0};
            }
        }
    }
}

/* Scales a target to the range of its weights, and gives the last target its share. */
static void lift_target(const making *m, uint32_t t, uint32_t fit_target)
{
    uint32_t count = m->shape->vertex_count, last = all_targets(m) - 1;
    float low = m->lows[fit_target], span = m->spans[fit_target];
    add_points(m->target_positions[last], m->target_positions[t], count, low);
    scale_points(m->target_positions[t], count, span);
    if (m->target_normals[t])
    {
        add_points(m->target_normals[last], m->target_normals[t], count, low);
        scale_points(m->target_normals[t], count, span);
    }
}

/* Targets over all render vertices of the node; primitives take their ranges. */
static pleat_result make_targets(making *m, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &m->morphs->arena;
    uint32_t input_count = m->input->target_count, count = all_targets(m);
    PL_ARENA_NEW_OR_FAIL(m->target_positions, arena, pleat_vec3 *, count, error);
    PL_ARENA_NEW_OR_FAIL(m->target_normals, arena, pleat_vec3 *, count, error);
    for (uint32_t t = 0; t < count; ++t)
    {
        PL_ARENA_NEW_OR_FAIL(m->target_positions[t], arena, pleat_vec3, m->shape->vertex_count, error);
        if (m->morphs->options.normals)
        {
            /* Every target of a primitive has the same attributes; the input's own normals were made for the input's
             * base normals, so theirs stay at zero. */
            PL_ARENA_NEW_OR_FAIL(m->target_normals[t], arena, pleat_vec3, m->shape->vertex_count, error);
        }
    }
    for (uint32_t t = 0; t < input_count; ++t)
    {
        pleat_stack_input_target(m->node->stack, t, m->surface_target);
        for (uint32_t r = 0; r < m->shape->vertex_count; ++r)
        {
            m->target_positions[t][r] = m->surface_target[m->shape->render_vertex[r]];
        }
    }
    for (uint32_t t = 0; t < m->fitted; ++t)
    {
        fill_fitted(m, input_count + t, t);
    }
    if (m->morphs->options.normals && m->node->prunes && m->fitted)
    {
        prune_normals(m, input_count);
    }
    for (uint32_t t = 0; m->lifts && t < m->fitted; ++t)
    {
        lift_target(m, input_count + t, t);
    }
fail:
    return result;
}

static pleat_result make_influences(making *m, uint32_t first, uint32_t count, pleat_primitive *primitive,
                                    pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint16_t *joints;
    float *weights;
    uint32_t width = m->shape->influence_count;
    if (width == 0)
    {
        return PLEAT_OK; /* the shape has no lists of them */
    }
    PL_ARENA_NEW_OR_FAIL(joints, &m->morphs->arena, uint16_t, (size_t)count * width, error);
    PL_ARENA_NEW_OR_FAIL(weights, &m->morphs->arena, float, (size_t)count *width, error);
    for (uint32_t r = 0; r < count; ++r)
    {
        size_t from = (size_t)m->shape->render_vertex[first + r] * width;
        memcpy(joints + (size_t)r * width, m->shape->joints + from, width * sizeof *joints);
        memcpy(weights + (size_t)r * width, m->shape->weights + from, width * sizeof *weights);
    }
    primitive->influence_count = width;
    primitive->joints = joints;
    primitive->weights = weights;
fail:
    return result;
}

static pleat_result make_primitive(making *m, uint32_t index, pleat_primitive *primitive, const uint32_t **source,
                                   pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &m->morphs->arena;
    const pleat_primitive *input = &m->input->primitives[index];
    uint32_t first = m->shape->first_vertex[index], count = m->shape->first_vertex[index + 1] - first;
    uint32_t first_triangle = m->shape->first_triangle[index];
    uint32_t triangle_count = m->shape->first_triangle[index + 1] - first_triangle;
    uint32_t target_count = all_targets(m);
    pleat_vec3 *positions;
    uint32_t *triangles, *identity;
    pleat_target *targets;
    PL_ARENA_NEW_OR_FAIL(positions, arena, pleat_vec3, count, error);
    PL_ARENA_NEW_OR_FAIL(triangles, arena, uint32_t, 3 * (size_t)triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(targets, arena, pleat_target, target_count, error);
    for (uint32_t r = 0; r < count; ++r)
    {
        pl_store3(&positions[r], pl_load(&m->shape->bind[m->shape->render_vertex[first + r]]));
    }
    for (uint32_t c = 0; c < 3 * triangle_count; ++c)
    {
        triangles[c] = m->shape->triangles[3 * (size_t)first_triangle + c] - first;
    }
    for (uint32_t t = 0; t < target_count; ++t)
    {
        targets[t].positions = m->target_positions[t] + first;
        targets[t].normals = m->target_normals[t] ? m->target_normals[t] + first : NULL;
    }
    memset(primitive, 0, sizeof *primitive);
    primitive->vertex_count = count;
    primitive->triangle_count = triangle_count;
    primitive->triangles = triangles;
    primitive->positions = positions;
    /* An input that is not refined keeps its authored normals: the targets hold changes, not normals. */
    primitive->normals = !m->shape->refined && input->normals ? input->normals : m->node->base_normals + first;
    primitive->targets = targets;
    primitive->material = input->material;
    primitive->uvs = input->uvs ? m->shape->uvs + 2 * (size_t)first : NULL;
    if (!m->shape->refined)
    {
        PL_ARENA_NEW_OR_FAIL(identity, arena, uint32_t, count, error);
        for (uint32_t r = 0; r < count; ++r)
        {
            identity[r] = r;
        }
        *source = identity;
        primitive->colors = input->colors;
        primitive->tangents = input->tangents;
    }
    if (input->influence_count)
    {
        result = make_influences(m, first, count, primitive, error);
    }
fail:
    return result;
}

static pleat_result make_weights(making *m, pleat_morphed *morphed, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t frame_count = pleat_bake_get_shape(m->morphs->bake)->frame_count;
    uint32_t input_count = m->input->target_count, count = all_targets(m);
    float *weights;
    PL_ARENA_NEW_OR_FAIL(weights, &m->morphs->arena, float, (size_t)frame_count *count, error);
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        float *row = weights + (size_t)f * count;
        memcpy(row, m->node->input_weights + (size_t)f * input_count, input_count * sizeof *row);
        for (uint32_t t = 0; t < m->fitted; ++t)
        {
            row[input_count + t] = (pleat_fit_weight(m->node->fit, f, t) - m->lows[t]) / m->spans[t];
        }
        if (m->lifts)
        {
            row[count - 1] = 1;
        }
    }
    morphed->weights = weights;
fail:
    return result;
}

static pleat_result make_names(making *m, const char *const **out, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const char **names;
    uint32_t input_count = m->input->target_count, count = all_targets(m);
    PL_ARENA_NEW_OR_FAIL(names, &m->morphs->arena, const char *, count, error);
    for (uint32_t t = 0; t < count; ++t)
    {
        char text[32];
        int length = t < input_count ? snprintf(text, sizeof text, "target_%u", t)
                                     : snprintf(text, sizeof text, "pleat_%u", t - input_count);
        if (t < input_count && m->input->target_names)
        {
            names[t] = m->input->target_names[t];
            continue;
        }
        char *copy;
        PL_ARENA_NEW_OR_FAIL(copy, &m->morphs->arena, char, (size_t)length + 1, error);
        memcpy(copy, text, (size_t)length);
        names[t] = copy;
    }
    *out = names;
fail:
    return result;
}

/* ---- Steps ---- */

/* The step that the new targets are rounded to: a power of two, so that rest positions stay as they are when they count
 * in it, well below the error that is asked for or, where nothing is, below what is moved. */
static float choose_step(const making *m)
{
    const pleat_model *model = pleat_stack_get_model(m->node->stack);
    float asked = m->morphs->options.largest_error / m->node->stretch;
    float least = pleat_fit_largest(m->node->fit) / STEPS_OF_LARGEST;
    float wanted = fmaxf(asked * STEP_OF_ASKED, least);
    int exponent;
    if (!m->morphs->options.steps || model->nodes[m->node->node].skin == PLEAT_NONE || !(wanted > 0) ||
        !isfinite(wanted))
    {
        return 0;
    }
    frexpf(wanted, &exponent);
    return ldexpf(0.5f, exponent);
}

/* Rounds a target in place; left gets what was added, for the sum over targets. */
static void round_target(const making *m, pleat_vec3 *target, float step, pleat_vec3 *added)
{
    for (uint32_t r = 0; r < m->shape->vertex_count; ++r)
    {
        const pleat_vec3 whole = {rintf(target[r].x / step) * step, rintf(target[r].y / step) * step,
                                  rintf(target[r].z / step) * step};
        added[r] = (pleat_vec3){whole.x - target[r].x, whole.y - target[r].y, whole.z - target[r].z};
        target[r] = whole;
    }
}

/* The most that rounding moves a vertex in any frame: the sum over targets by their weights, in blocks of vertices. */
static float rounding_error(const making *m, pleat_vec3 *const *added, const float *weights)
{
    enum
    {
        BLOCK = 256
    };
    uint32_t frame_count = pleat_bake_get_shape(m->morphs->bake)->frame_count;
    uint32_t first = m->input->target_count, count = all_targets(m);
    float most = 0;
    for (uint32_t begin = 0; begin < m->shape->vertex_count; begin += BLOCK)
    {
        uint32_t numbers = 3 * (m->shape->vertex_count - begin < BLOCK ? m->shape->vertex_count - begin : BLOCK);
        for (uint32_t f = 0; f < frame_count; ++f)
        {
            float sums[3 * BLOCK] = {0};
            for (uint32_t t = first; t < count; ++t)
            {
                const float *row = &added[t - first][begin].x;
                float weight = weights[(size_t)f * count + t];
                for (uint32_t i = 0; weight != 0 && i < numbers; ++i)
                {
                    sums[i] += weight * row[i];
                }
            }
            for (uint32_t i = 0; i < numbers; i += 3)
            {
                most = fmaxf(most, sums[i] * sums[i] + sums[i + 1] * sums[i + 1] + sums[i + 2] * sums[i + 2]);
            }
        }
    }
    return sqrtf(most);
}

/* Rounds the new targets, and counts it into the stated error. */
static pleat_result round_targets(making *m, pleat_morphed *morphed, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t first = m->input->target_count, count = all_targets(m);
    pl_arena arena;
    pleat_vec3 **added;
    morphed->step = choose_step(m);
    if (morphed->step == 0 || first == count)
    {
        return PLEAT_OK;
    }
    pl_arena_init(&arena, &m->morphs->memory);
    PL_ARENA_NEW_OR_FAIL(added, &arena, pleat_vec3 *, count - first, error);
    for (uint32_t t = first; t < count; ++t)
    {
        PL_ARENA_NEW_OR_FAIL(added[t - first], &arena, pleat_vec3, m->shape->vertex_count, error);
        round_target(m, m->target_positions[t], morphed->step, added[t - first]);
    }
    float most = rounding_error(m, added, morphed->weights) * m->node->stretch;
    morphed->error.largest += most;
    morphed->error.rms = sqrtf(morphed->error.rms * morphed->error.rms + most * most / 9); /* of three deviations */
fail:
    pl_arena_free(&arena);
    return result;
}

static pleat_result make_mesh(making *m, pleat_morphed *morphed, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &m->morphs->arena;
    uint32_t primitive_count = m->input->primitive_count;
    pleat_primitive *primitives;
    const uint32_t **sources;
    float *defaults;
    PL_TRY(lift_weights(m, error));
    uint32_t count = all_targets(m);
    PL_ARENA_NEW_OR_FAIL(primitives, arena, pleat_primitive, primitive_count, error);
    PL_ARENA_NEW_OR_FAIL(sources, arena, const uint32_t *, primitive_count, error);
    PL_ARENA_NEW_OR_FAIL(defaults, arena, float, count, error);
    PL_ARENA_NEW_OR_FAIL(m->surface_target, arena, pleat_vec3, m->shape->surface_count, error);
    PL_TRY(make_targets(m, error));
    for (uint32_t p = 0; p < primitive_count; ++p)
    {
        PL_TRY(make_primitive(m, p, &primitives[p], &sources[p], error));
    }
    if (m->input->weights)
    {
        memcpy(defaults, m->input->weights, m->input->target_count * sizeof *defaults);
    }
    morphed->node = m->node->node;
    morphed->mesh = (pleat_mesh){.name = m->input->name,
                                 .primitive_count = primitive_count,
                                 .primitives = primitives,
                                 .target_count = count,
                                 .weights = defaults};
    morphed->source_vertex = m->shape->refined ? NULL : sources;
    morphed->input_target_count = m->input->target_count;
    pleat_fit_error in_bind_space = pleat_fit_error_of(m->node->fit, m->fitted);
    morphed->error.largest = in_bind_space.largest * m->node->stretch + m->node->unreached;
    morphed->error.rms = in_bind_space.rms * m->node->stretch;
    morphed->largest_displacement = pleat_fit_largest(m->node->fit) * m->node->stretch;
    PL_TRY(make_names(m, &morphed->mesh.target_names, error));
    PL_TRY(make_weights(m, morphed, error));
    return round_targets(m, morphed, error);
fail:
    return result;
}

pleat_result pleat_morphs_finish(pleat_morphs *morphs, pleat_error *error)
{
    for (uint32_t i = 0; i < morphs->node_count; ++i)
    {
        node_fit *node = &morphs->nodes[i];
        float for_fit = morphs->options.steps ? 1 - ROUNDING_OF_ASKED : 1;
        PL_TRY(pl_go_on(&morphs->host, "making meshes,", i, morphs->node_count, error));
        making m = {.morphs = morphs,
                    .node = node,
                    .input = pleat_stack_get_mesh(node->stack),
                    .shape = pleat_stack_get_shape(node->stack),
                    .fitted = pleat_fit_choose(node->fit, for_fit * morphs->options.largest_error / node->stretch)};
        /* What linear skinning itself rounds away is no displacement. */
        bool moved = pleat_fit_largest(node->fit) * node->stretch > 2e-6f * pleat_stack_height(node->stack);
        if (!moved)
        {
            m.fitted = 0;
        }
        if (moved || m.shape->refined)
        {
            PL_TRY(make_mesh(&m, &morphs->morphed[morphs->count], error));
            ++morphs->count;
        }
        /* It is large, and the next mesh and the file need room. */
        pleat_fit_destroy(node->fit);
        node->fit = NULL;
    }
    return PLEAT_OK;
}

uint32_t pleat_morphs_count(const pleat_morphs *morphs)
{
    return morphs->count;
}

const pleat_morphed *pleat_morphs_get(const pleat_morphs *morphs, uint32_t index)
{
    return &morphs->morphed[index];
}

const float *pleat_morphs_times(const pleat_morphs *morphs)
{
    return morphs->times;
}

/* The folds layer: options, binding, and the frame. */
#include "layers/folds/frame/kernels.h"
#include "layers/folds/garment/around.h"
#include "layers/folds/garment/lining.h"
#include "layers/folds/clip/rehearse.h"

#include "base/length.h"

#include <stdio.h>
#include <string.h>

pleat_folds_options pleat_folds_options_default(void)
{
    pleat_folds_options options = {0};
    options.strength = 1;
    options.spread = 2 * 3.14159265f;
    options.bend = 10 * 3.14159265f / 180;
    options.detail = 4;
    snprintf(options.curve, sizeof options.curve, "0,0 0.65,1 1,0");
    options.contact = true;
    options.even = true;
    return options;
}

static const pleat_parameter parameters[] = {
    {"width", PLEAT_VALUE_LENGTH, offsetof(pleat_folds_options, width), 0, 1000, NULL,
     "width of one fold; 0: 7 % of the median ring around a joint"},
    {"profile", PLEAT_VALUE_CHOICE, offsetof(pleat_folds_options, profile), 0, 0, "third|fifth|curve",
     "shape of a fold: third (round), fifth (flat on top), or the curve below"},
    {"curve", PLEAT_VALUE_CURVE, offsetof(pleat_folds_options, curve), 0, 0, NULL,
     "points of the profile, x,height x,height ...: x grows, in any scale; or a drawing, @FILE"},
    {"strength", PLEAT_VALUE_SHARE, offsetof(pleat_folds_options, strength), 0, 1, NULL,
     "height of the folds, of what the lost length asks for"},
    {"length", PLEAT_VALUE_LENGTH, offsetof(pleat_folds_options, length), 0, 10000, NULL,
     "length of the region across a joint, in whole folds; 0: as far as its weights blend"},
    {"angle", PLEAT_VALUE_ANGLE, offsetof(pleat_folds_options, angle), -6.2831854, 6.2831854, NULL,
     "middle of the side that folds, about the bone from the inner side of the largest bend"},
    {"spread", PLEAT_VALUE_ANGLE, offsetof(pleat_folds_options, spread), 0, 6.2831854, NULL,
     "how much of the way round a limb folds"},
    {"joints", PLEAT_VALUE_TEXT, offsetof(pleat_folds_options, joints), 0, 0, NULL,
     "joints that may fold, by name with * and ?, separated by commas; nothing: all"},
    {"bend", PLEAT_VALUE_ANGLE, offsetof(pleat_folds_options, bend), 0, 3.1415927, NULL,
     "joints that bend less than this in the clip get no folds"},
    {"irregularity", PLEAT_VALUE_SHARE, offsetof(pleat_folds_options, irregularity), 0, 1, NULL,
     "how much neighbouring folds differ in width and height"},
    {"seed", PLEAT_VALUE_COUNT, offsetof(pleat_folds_options, seed), 0, 4294967295.0, NULL,
     "chooses one irregular pattern"},
    {"detail", PLEAT_VALUE_NUMBER, offsetof(pleat_folds_options, detail), 2, 16, NULL,
     "mesh edges along one fold: how fine the mesh becomes"},
    {"contact", PLEAT_VALUE_SWITCH, offsetof(pleat_folds_options, contact), 0, 0, NULL,
     "folds stop where they would pass through each other"},
    {"even", PLEAT_VALUE_SWITCH, offsetof(pleat_folds_options, even), 0, 0, NULL,
     "cloth is spread evenly over each fold, so that no part of it stays compressed"},
};

static void fill_defaults(void *options)
{
    *(pleat_folds_options *)options = pleat_folds_options_default();
}

/* The curve is not copied: the joint's options live as long as the table of them. */
static void take_joints(void *user, uint32_t count, const pleat_joint_options *own, void *room)
{
    pleat_folds_options *options = user;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pleat_folds_options *o = own[i].options;
        ((pleat_folds_joint *)room)[i] = (pleat_folds_joint){own[i].joints, o->width,  o->strength, o->length, o->bend,
                                                             o->angle,      o->spread, o->profile,  o->curve};
    }
    options->joint_count = count;
    options->joint_values = room;
}

/* A drawn profile that nothing takes is likely a mistake. */
static void review(const void *user, const pleat_host *host)
{
    const pleat_folds_options *options = user;
    pleat_folds_options plain = pleat_folds_options_default();
    const char *unused = NULL;
    bool taken = options->profile == PLEAT_PROFILE_CURVE;
    for (uint32_t i = 0; i < options->joint_count; ++i)
    {
        const pleat_folds_joint *joint = &options->joint_values[i];
        bool drawn = joint->profile == PLEAT_PROFILE_CURVE;
        taken |= drawn;
        unused = !drawn && joint->curve && strcmp(joint->curve, options->curve) != 0 ? joint->joints : unused;
    }
    if (unused || (!taken && strcmp(options->curve, plain.curve) != 0))
    {
        pl_log(host, PLEAT_WARNING, "folds%s%.250s%s.curve changes nothing without profile=curve beside it",
               unused ? "[" : "", unused ? unused : "", unused ? "]" : "");
    }
}

/* ---- Binding ---- */

static void destroy_layer(void *user)
{
    pl_folds_layer *layer = user;
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

static pleat_result bind_rings(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                               const pl_ring_surface *surface, const pleat_host *host, pleat_error *error)
{
    pl_arena *arena = &layer->arena;
    pl_fold_binding to = {plan, cloth, surface, arena, host};
    layer->rings = PL_ARENA_NEW(arena, pl_bound_ring, plan->ring_count);
    if (!layer->rings)
    {
        return pl_fail_memory(&layer->memory, error, "rings");
    }
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        pl_bound_ring *ring = &layer->rings[i];
        PL_TRY(pl_folds_bind_ring(&to, &plan->rings[i], ring, error));
        PL_TRY(layer->kernels->pack(ring, arena, &ring->cloth.lanes, error));
        ring->first_fold = layer->fold_count;
        layer->fold_count += ring->station_count * ring->fold_count;
        ring->first_figure = layer->figure_count;
        layer->figure_count += ring->station_count;
        ++layer->ring_count;
    }
    layer->figures = PL_ARENA_NEW(arena, pl_fold_figure, layer->figure_count);
    layer->bends.held = PL_ARENA_NEW(arena, pl_fold_held, layer->ring_count);
    layer->bends.closed = PL_ARENA_NEW(arena, float, layer->ring_count);
    layer->bends.inners = PL_ARENA_NEW(arena, pl_f4, layer->ring_count);
    if (!layer->figures || !layer->bends.held || !layer->bends.closed || !layer->bends.inners)
    {
        return pl_fail_memory(&layer->memory, error, "rings");
    }
    PL_TRY(pl_fold_stages_make(layer->rings, layer->ring_count, arena, &layer->at, error));
    PL_TRY(layer->kernels->make_work(layer->rings, layer->ring_count, arena, &layer->work, error));
    return pl_folds_find_rivals(layer, plan, error);
}

/* A box around a shell. */
typedef struct shell_box
{
    pl_f4 low, high;
    bool folds; /* it has a ring */
} shell_box;

/* Tells garments in one mesh from each other. Triangles come in the order of those that were planned with, so shells
 * have the same numbers. */
static pleat_result tell_garments(pl_folds_plan *plan, const pleat_cloth *cloth, const pleat_topology *outer,
                                  pl_arena *arena, pleat_error *error)
{
    uint32_t *shell = PL_ARENA_NEW(arena, uint32_t, outer->triangle_count);
    uint32_t *garments = PL_ARENA_NEW(arena, uint32_t, outer->vertex_count);
    shell_box *boxes = PL_ARENA_NEW(arena, shell_box, plan->shell_count);
    if (!shell || !garments || !boxes)
    {
        return pl_fail_memory(arena->memory, error, "garments");
    }
    if (pleat_topology_shells(outer, shell) != plan->shell_count)
    {
        return PLEAT_OK;
    }
    for (uint32_t i = 0; i < plan->shell_count; ++i)
    {
        boxes[i] = (shell_box){pl_splat(INFINITY), pl_splat(-INFINITY), false};
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        boxes[plan->rings[r].shell].folds = true;
    }
    for (uint32_t v = 0; v < outer->vertex_count; ++v)
    {
        garments[v] = PLEAT_NONE;
    }
    for (uint32_t c = 0; c < 3 * outer->triangle_count; ++c)
    {
        if (shell[c / 3] != PLEAT_NONE)
        {
            shell_box *box = &boxes[shell[c / 3]];
            box->low = pl_min(box->low, pl_load(&cloth->rest[outer->triangles[c]]));
            box->high = pl_max(box->high, pl_load(&cloth->rest[outer->triangles[c]]));
        }
    }
    for (uint32_t c = 0; c < 3 * outer->triangle_count; ++c)
    {
        if (shell[c / 3] != PLEAT_NONE)
        {
            const shell_box *box = &boxes[shell[c / 3]];
            bool large = box->folds || pl_length3(box->high - box->low) > PL_FOLD_TRIMMING * plan->width;
            garments[outer->triangles[c]] = large ? shell[c / 3] : PLEAT_NONE;
        }
    }
    plan->garments = garments;
    return PLEAT_OK;
}

/* Fills no_cloth. */
static pleat_result tell_cloth(pl_folds_layer *layer, const pl_folds_plan *plan, const pleat_cloth *cloth,
                               pleat_error *error)
{
    uint32_t count = cloth->topology->triangle_count;
    if (!plan->sides.lining && !plan->garments)
    {
        return PLEAT_OK;
    }
    layer->no_cloth = PL_ARENA_NEW(&layer->arena, uint8_t, count);
    if (!layer->no_cloth)
    {
        return pl_fail_memory(&layer->memory, error, "garments");
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        bool lining = plan->sides.lining && plan->sides.lining[cloth->coarse_triangle[t]];
        bool trimming = plan->garments && plan->garments[cloth->topology->triangles[3 * (size_t)t]] == PLEAT_NONE;
        layer->no_cloth[t] = lining || trimming;
    }
    return PLEAT_OK;
}

static pleat_result bind_layer(pl_folds_layer *layer, pl_folds_plan *plan, const pleat_cloth *cloth,
                               const pleat_host *host, pleat_error *error)
{
    pleat_topology *outer = NULL;
    pleat_bvh *bvh = NULL;
    pleat_result result = PLEAT_OK;
    layer->width = plan->width;
    if (plan->sides.lining)
    {
        result = pl_folds_outer_side(cloth->topology, cloth->coarse_triangle, plan->sides.lining, host, &outer, error);
    }
    const pleat_topology *topology = outer ? outer : cloth->topology;
    if (result == PLEAT_OK)
    {
        result = pleat_bvh_create(topology->vertex_count, cloth->rest, topology->triangle_count, topology->triangles,
                                  host, &bvh, error);
    }
    pl_ring_surface surface = {topology, cloth->rest, cloth->rest_normals, bvh};
    pl_arena scratch;
    pl_arena_init(&scratch, &layer->memory);
    if (result == PLEAT_OK && plan->shell_count > 1)
    {
        result = tell_garments(plan, cloth, topology, &scratch, error);
    }
    if (result == PLEAT_OK)
    {
        result = bind_rings(layer, plan, cloth, &surface, host, error);
    }
    if (result == PLEAT_OK)
    {
        result = pl_folds_bind_lining(layer, plan, cloth, &surface, error);
    }
    if (result == PLEAT_OK)
    {
        result = pl_folds_look_around(layer, plan, cloth, &surface, host, error);
    }
    if (result == PLEAT_OK)
    {
        result = tell_cloth(layer, plan, cloth, error);
    }
    plan->garments = NULL;
    pl_arena_free(&scratch);
    pleat_bvh_destroy(bvh);
    pleat_topology_destroy(outer);
    return result;
}

static pleat_result create_layer(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    *out = NULL;
    pl_folds_layer *layer = PL_CREATE(pl_folds_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the folds");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->options = *(const pleat_folds_options *)options;
    layer->kernels = pl_fold_kernels_get();
    pleat_result result = bind_layer(layer, plan, cloth, host, error);
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

static void mark_moved(const void *user, uint8_t *marks)
{
    pl_folds_mark_rings(user, marks);
    pl_folds_mark_lining(user, marks);
}

/* Of folds whose joint has no width of its own; where every joint has one, of the widest. */
static float told_width(const pl_folds_layer *layer)
{
    float widest = 0;
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        float width = layer->rings[r].width;
        if (fabsf(width - layer->width) <= 1e-5f * width)
        {
            return layer->width;
        }
        widest = fmaxf(widest, width);
    }
    return layer->ring_count ? widest : layer->width;
}

/* In the order of measure. */
static const pleat_layer_figure figures[] = {
    {"rings", "", "rings of folds around joints"},
    {"folds", "", "folds there are, over all stations of all rings"},
    {"raised", "", "those that are raised"},
    {"limited", "", "those that contact keeps lower"},
    {"highest", "m", "height of the highest, before the mask"},
    {"tau", "1", "largest scale of a raised fold, of its rest length, before contact"},
    {"residual", "1", "largest rest of an equation, by Fischer and Burmeister"},
    {"steps", "", "steps of Newton, the mean over raised folds"},
    {"most_steps", "", "steps of Newton, the most"},
    {"ridges", "", "folds across all rings"},
    {"width", "m", "of folds whose joint has none of its own, or where each has one, of the widest"},
};
enum
{
    RINGS,
    FOLDS,
    RAISED,
    LIMITED,
    HIGHEST,
    TAU,
    RESIDUAL,
    STEPS,
    MOST_STEPS,
    RIDGES,
    WIDTH
};

static void measure(const void *user, double *values)
{
    const pl_folds_layer *layer = user;
    double steps = 0;
    memset(values, 0, sizeof figures / sizeof figures[0] * sizeof *values);
    for (uint32_t i = 0; i < layer->figure_count; ++i)
    {
        const pl_fold_figure *figure = &layer->figures[i];
        values[RAISED] += figure->raised;
        values[LIMITED] += figure->limited;
        steps += figure->steps;
        values[MOST_STEPS] = fmax(values[MOST_STEPS], (double)figure->most_steps);
        values[TAU] = fmax(values[TAU], (double)figure->tau);
        values[RESIDUAL] = fmax(values[RESIDUAL], (double)figure->residual);
    }
    for (uint32_t r = 0; r < layer->ring_count; ++r)
    {
        values[RIDGES] += layer->rings[r].fold_count;
    }
    values[RINGS] = layer->ring_count;
    values[FOLDS] = layer->fold_count;
    values[HIGHEST] = (double)layer->highest;
    values[STEPS] = values[RAISED] > 0 ? steps / values[RAISED] : 0;
    values[WIDTH] = (double)told_width(layer);
}

static void tell(const double *largest, char *out, size_t size)
{
    char width[PL_LENGTH_TEXT], highest[PL_LENGTH_TEXT];
    pl_length_text(largest[WIDTH], width);
    pl_length_text(largest[HIGHEST], highest);
    if (!(largest[RINGS] > 0))
    {
        snprintf(out, size, "none; no joint that may fold bends enough, or no ring around it was found");
    }
    else if (!(largest[RAISED] > 0))
    {
        snprintf(out, size, "none; no length is lost where they may rise (%s wide)", width);
    }
    else
    {
        snprintf(out, size, "%.0f around %.0f joint%s, %s wide, up to %s high", largest[RIDGES], largest[RINGS],
                 largest[RINGS] == 1 ? "" : "s", width, highest);
    }
}

const pleat_layer_type pleat_folds_layer = {
    .name = "folds",
    .summary = "tight garments stretch but never compress: the lost length becomes folds around joints",
    .needs = PLEAT_NEED_SKIN | PLEAT_NEED_REST | PLEAT_NEED_CLIP,
    .options_size = sizeof(pleat_folds_options),
    .defaults = fill_defaults,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .joint_from = offsetof(pleat_folds_options, width),
    .joint_to = offsetof(pleat_folds_options, joint_count),
    .joint_size = sizeof(pleat_folds_joint),
    .take_joints = take_joints,
    .review = review,
    .plan = pl_folds_plan_make,
    .wants = pl_folds_plan_wants,
    .misses = pl_folds_plan_misses,
    .along = pl_folds_plan_along,
    .plan_destroy = pl_folds_plan_destroy,
    .create = create_layer,
    .rehearse = pl_folds_rehearse,
    .destroy = destroy_layer,
    .update = pl_folds_update,
    .no_normals = true,
    .moves = mark_moved,
    .figures = figures,
    .figure_count = sizeof figures / sizeof figures[0],
    .measure = measure,
    .tell = tell,
};

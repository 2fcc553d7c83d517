/* The wrinkles layer: options, binding, and the frame.
 *
 * D. Rohmer, T. Popa, M.-P. Cani, S. Hahmann, A. Sheffer, "Animation Wrinkling", 2010; deviations stand where they are
 * made (curves/track.c, shape/shape.c, deform/deform.c), and in docs/wrinkles.md. */
#include "layers/wrinkles/wrinkles.h"

#include "base/length.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

typedef struct wrinkles_layer
{
    pl_memory memory;
    pl_arena arena;
    const pl_wrinkles_plan *plan; /* the stack keeps it as long as the layer */
    pl_wrinkle_deform *deform;
    pl_wrinkle_layers *layers;
    pl_wrinkle_contact *contact; /* NULL: no body */
    pl_wrinkle_beside *beside;   /* NULL: no neighbours */
    uint32_t vertex_count;
    pl_wrinkles_fine *fine;
    float *edges; /* mean edge at rest, per coarse vertex */
    pl_wrinkle_crumple crumple;
    bool crumpled;               /* somewhere, in this frame */
    pleat_wrinkle *scratch;      /* the wrinkles of a frame, with points one after the other */
    pleat_wrinkle_point *deeper; /* their points */
    uint32_t most_wrinkles, most_points;
    pl_wrinkle_engine engine; /* without a clip; else zero */
    pleat_vec4 *before;       /* #V: positions as they came; NULL where nobody asks */
    pleat_vec4 *other;        /* #V: the result of the other neighbour, between frames; NULL without a clip */
    /* Of the last update. */
    uint32_t wrinkle_count, point_count, stopped;
    const pleat_wrinkle *wrinkles;
    const pleat_wrinkle_point *points;
    pl_wrinkle_deform_figures figures;
} wrinkles_layer;

/* ---- Options ---- */

pleat_wrinkles_options pleat_wrinkles_options_default(void)
{
    pleat_wrinkles_options options = {0};
    options.fabric = PLEAT_FABRIC_COTTON;
    options.threshold = 0.1f;
    options.strength = 1;
    options.smoothing = 0.1f;
    options.even = true;
    options.detail = 4;
    return options;
}

static const pleat_parameter parameters[] = {
    {"radius", PLEAT_VALUE_LENGTH, offsetof(pleat_wrinkles_options, radius), 0, 1, NULL,
     "smallest radius of curvature of the cloth; 0: the fabric's"},
    {"fabric", PLEAT_VALUE_CHOICE, offsetof(pleat_wrinkles_options, fabric), 0, 0, "silk|cotton|leather",
     "fine, middling or coarse wrinkles: a radius of 0.4, 0.8 or 1.6 % of the height"},
    {"side", PLEAT_VALUE_CHOICE, offsetof(pleat_wrinkles_options, side), 0, 0, "outward|inward|both",
     "which way wrinkles stand"},
    {"threshold", PLEAT_VALUE_SHARE, offsetof(pleat_wrinkles_options, threshold), 0, 0.9, NULL,
     "cloth that lost a smaller share of its length has no wrinkles"},
    {"strength", PLEAT_VALUE_SHARE, offsetof(pleat_wrinkles_options, strength), 0, 1, NULL,
     "how much of the lost length comes back"},
    {"smoothing", PLEAT_VALUE_TIME, offsetof(pleat_wrinkles_options, smoothing), 0, 2, NULL,
     "over which curves are smoothed in time, to either side"},
    {"tension", PLEAT_VALUE_SWITCH, offsetof(pleat_wrinkles_options, tension), 0, 0, NULL,
     "wrinkles also along the pull, where cloth is stretched"},
    {"even", PLEAT_VALUE_SWITCH, offsetof(pleat_wrinkles_options, even), 0, 0, NULL,
     "cloth is spread evenly over each wrinkle, so that no part of it stays compressed"},
    {"detail", PLEAT_VALUE_NUMBER, offsetof(pleat_wrinkles_options, detail), 1, 16, NULL,
     "mesh edges from the crest of a wrinkle to its foot: how fine the mesh becomes"},
    {"gap", PLEAT_VALUE_LENGTH, offsetof(pleat_wrinkles_options, gap), 0, 1, NULL,
     "wrinkles stay this far from the body; 0: 0.05 % of the height"},
};

static void fill_defaults(void *options)
{
    *(pleat_wrinkles_options *)options = pleat_wrinkles_options_default();
}

static const pleat_layer_input inputs[] = {
    {"wrinkles", PLEAT_INPUT_CURVES, offsetof(pleat_wrinkles_options, curves), "FILE",
     "curves of wrinkles from a file, not traced ones"},
    {"body", PLEAT_INPUT_BODY, offsetof(pleat_wrinkles_options, body), "NAME",
     "what wrinkles stay out of: a mesh by name, or a file"},
    {NULL, PLEAT_INPUT_NEIGHBOURS, offsetof(pleat_wrinkles_options, neighbours), NULL,
     "the other meshes, which wrinkles do not cross"},
};

static const pleat_layer_channel channels[] = {
    {"wrinkles-out", PLEAT_CHANNEL_CURVES, "FILE", "also write the curves of the wrinkles, as a text for --wrinkles"},
};

/* ---- Binding ---- */

static void destroy_layer(void *user)
{
    wrinkles_layer *layer = user;
    pl_wrinkle_engine_destroy(&layer->engine);
    pl_wrinkle_deform_destroy(layer->deform);
    pl_wrinkle_layers_destroy(layer->layers);
    pl_wrinkle_contact_destroy(layer->contact);
    pl_wrinkle_beside_destroy(layer->beside);
    pl_arena_free(&layer->arena);
    PL_DESTROY(layer);
}

static pleat_result bind_layer(wrinkles_layer *layer, const pleat_cloth *cloth, const pleat_host *host,
                               pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_wrinkles_plan *plan = layer->plan;
    uint32_t most_wrinkles = plan->most_wrinkles, most_points = plan->most_points;
    float *areas, gap = plan->options.gap > 0 ? plan->options.gap : 5e-4f * plan->size;
    layer->vertex_count = cloth->topology->vertex_count;
    if (!plan->set)
    {
        /* The first vertices of the refined surface are those of the coarse one, where refinement has put them. */
        float step = cloth->clip_step > 0 ? cloth->clip_step : 1 / 30.0f;
        const pl_wrinkle_engine_desc desc = {&plan->options, plan->radius, plan->coarse, cloth->rest, step};
        PL_TRY(pl_wrinkle_engine_create(&desc, host, &layer->engine, error));
        most_wrinkles = layer->engine.most_wrinkles;
        most_points = layer->engine.most_points;
    }
    else
    {
        PL_ARENA_NEW_OR_FAIL(layer->other, &layer->arena, pleat_vec4, layer->vertex_count, error);
    }
    if (plan->options.body || plan->options.neighbours)
    {
        PL_ARENA_NEW_OR_FAIL(layer->before, &layer->arena, pleat_vec4, layer->vertex_count, error);
    }
    PL_ARENA_NEW_OR_FAIL(layer->fine, &layer->arena, pl_wrinkles_fine, 1, error);
    PL_ARENA_NEW_OR_FAIL(layer->edges, &layer->arena, float, plan->coarse->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(areas, &layer->arena, float, plan->coarse->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(layer->scratch, &layer->arena, pleat_wrinkle, most_wrinkles, error);
    PL_ARENA_NEW_OR_FAIL(layer->deeper, &layer->arena, pleat_wrinkle_point, most_points, error);
    layer->most_wrinkles = most_wrinkles;
    layer->most_points = most_points;
    PL_TRY(pl_wrinkle_crumple_make(&layer->crumple, plan->coarse, plan->coarse_rest, &layer->arena, error));
    pl_wrinkles_fine_make(layer->fine);
    pl_wrinkles_fine_edges(cloth, plan->coarse, areas, layer->edges);
    pl_wrinkle_deform_desc desc = pl_wrinkle_deform_desc_default();
    desc.coarse = plan->coarse;
    desc.vertex_count = layer->vertex_count;
    desc.vertex_triangle = cloth->vertex_triangle;
    desc.vertex_barycentric = cloth->vertex_barycentric;
    desc.coarse_rest = plan->wish.rest;
    desc.rest = cloth->rest;
    desc.mask = cloth->mask;
    desc.slide = plan->options.even;
    desc.wrinkle_capacity = most_wrinkles;
    desc.point_capacity = most_points;
    PL_TRY(pl_wrinkle_deform_create(&desc, host, &layer->deform, error));
    pl_wrinkle_layers_desc layers = {.topology = plan->coarse,
                                     .rest = plan->coarse_rest,
                                     .side = plan->options.side,
                                     .gap = gap,
                                     .point_capacity = most_points};
    PL_TRY(pl_wrinkle_layers_create(&layers, host, &layer->layers, error));
    if (plan->options.body)
    {
        PL_TRY(pl_wrinkle_contact_create(plan->options.body, gap, host, &layer->contact, error));
    }
    if (plan->options.neighbours)
    {
        /* Where wrinkles go inward, too, those of both cloths may come from either side: each has half of the room. */
        pl_wrinkle_beside_desc beside = {.neighbours = plan->options.neighbours,
                                         .node = cloth->node,
                                         .gap = gap,
                                         .share = plan->options.side == PLEAT_WRINKLE_OUTWARD ? 1 : 0.5f};
        PL_TRY(pl_wrinkle_beside_create(&beside, host, &layer->beside, error));
    }
fail:
    return result;
}

static pleat_result create_layer(const void *options, void *plan, const pleat_cloth *cloth, const pleat_host *host,
                                 void **out, pleat_error *error)
{
    (void)options; /* as the plan has them */
    *out = NULL;
    wrinkles_layer *layer = PL_CREATE(wrinkles_layer, host);
    if (!layer)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the wrinkles");
    }
    pl_arena_init(&layer->arena, &layer->memory);
    layer->plan = plan;
    pleat_result result = bind_layer(layer, cloth, host, error);
    if (result != PLEAT_OK)
    {
        destroy_layer(layer);
        return result;
    }
    *out = layer;
    return PLEAT_OK;
}

static void mark_moves(const void *user, uint8_t *marks)
{
    const wrinkles_layer *layer = user;
    for (uint32_t v = 0; v < layer->vertex_count; ++v)
    {
        const float *barycentric;
        uint32_t triangle = pl_wrinkle_deform_place(layer->deform, v, &barycentric);
        marks[v] |= triangle != PLEAT_NONE && pl_wrinkle_wish_covers(&layer->plan->wish, triangle, barycentric);
    }
}

/* ---- A frame ---- */

/* Copies the wrinkles of a frame with the depths that this mesh needs. */
static uint32_t deepen(wrinkles_layer *layer)
{
    uint32_t filled = 0, w = 0;
    for (; w < layer->wrinkle_count && w < layer->most_wrinkles; ++w)
    {
        const pleat_wrinkle *wrinkle = &layer->wrinkles[w];
        if (wrinkle->point_count > layer->most_points - filled)
        {
            break;
        }
        layer->scratch[w] = *wrinkle;
        layer->scratch[w].first_point = filled;
        for (uint32_t i = 0; i < wrinkle->point_count; ++i)
        {
            pleat_wrinkle_point point = layer->points[wrinkle->first_point + i];
            const uint32_t *corner = &layer->plan->coarse->triangles[3 * (size_t)point.place.triangle];
            const float *b = point.place.barycentric;
            float edge =
                b[0] * layer->edges[corner[0]] + b[1] * layer->edges[corner[1]] + b[2] * layer->edges[corner[2]];
            point.depth = pl_wrinkles_fine_depth(layer->fine, &point, edge, layer->plan->crests);
            point.depth *= layer->crumpled ? pl_wrinkle_soundness(&layer->crumple, point.place.triangle, b) : 1;
            layer->deeper[filled++] = point;
        }
    }
    return w;
}

/* Finds where the cloth of a frame is crumpled, for nothing moves there, and where its layers are. */
static void look_at(wrinkles_layer *layer, const pleat_layer_frame *frame)
{
    layer->crumpled = pl_wrinkle_crumple_update(&layer->crumple, frame->positions);
    pl_wrinkle_layers_begin(layer->layers, frame->positions, layer->crumple.normals, frame->tasks);
}

/* The cloth of a frame with some wrinkles; positions in and out. */
static void deform(wrinkles_layer *layer, const pleat_layer_frame *frame, uint32_t wrinkle_count,
                   const pleat_wrinkle *wrinkles, const pleat_wrinkle_point *points, pleat_vec4 *positions)
{
    layer->wrinkle_count = wrinkle_count;
    layer->wrinkles = wrinkles;
    layer->points = points;
    layer->figures = (pl_wrinkle_deform_figures){0};
    if (wrinkle_count)
    {
        uint32_t count = deepen(layer);
        pl_wrinkle_layers_limit(layer->layers, count, layer->scratch, layer->deeper, frame->tasks);
        pl_wrinkle_deform_frame job = {.coarse = frame->positions,
                                       .positions = positions,
                                       .normals = frame->normals,
                                       .wrinkle_count = count,
                                       .wrinkles = layer->scratch,
                                       .points = layer->deeper,
                                       .soundness = layer->crumpled ? layer->crumple.soundness : NULL,
                                       .tasks = frame->tasks};
        pl_wrinkle_deform_update(layer->deform, &job);
        layer->figures = pl_wrinkle_deform_last(layer->deform);
    }
}

static void deform_by_set(wrinkles_layer *layer, const pleat_layer_frame *frame, uint32_t index, pleat_vec4 *positions)
{
    const pleat_wrinkle_set *set = layer->plan->set;
    uint32_t first = set->first_wrinkle[index], count = set->first_wrinkle[index + 1] - first;
    deform(layer, frame, count, count ? set->wrinkles + first : NULL, set->points, positions);
}

static void update_by_set(wrinkles_layer *layer, const pleat_layer_frame *frame)
{
    const pleat_wrinkle_set *set = layer->plan->set;
    float after = 0;
    if (set->frame_count == 0)
    {
        deform(layer, frame, 0, NULL, NULL, frame->positions);
        return;
    }
    /* Traced curves are of the whole row; those of a file are of any clip that has such times. */
    double time = layer->plan->options.curves ? (double)frame->time : frame->row_time;
    uint32_t index = pl_wrinkles_find_frame(set, time, &after);
    if (after > 0)
    {
        memcpy(layer->other, frame->positions, layer->vertex_count * sizeof *layer->other);
        deform_by_set(layer, frame, index + 1, layer->other);
    }
    deform_by_set(layer, frame, index, frame->positions);
    for (uint32_t v = 0; v < layer->vertex_count && after > 0; ++v)
    {
        pl_f4 here = pl_load(&frame->positions[v]), there = pl_load(&layer->other[v]);
        pl_store(&frame->positions[v], pl_lerp(here, there, after));
    }
}

static void update_by_engine(wrinkles_layer *layer, const pleat_layer_frame *frame)
{
    const pl_wrinkle_frame *now = pl_wrinkle_engine_step(&layer->engine, frame->positions, frame->step, frame->tasks);
    if (now)
    {
        deform(layer, frame, now->wrinkle_count, now->wrinkles, now->points, frame->positions);
    }
    else
    {
        deform(layer, frame, 0, NULL, NULL, frame->positions);
    }
}

static void update_layer(void *user, const pleat_layer_frame *frame)
{
    wrinkles_layer *layer = user;
    if (layer->contact || layer->beside)
    {
        memcpy(layer->before, frame->positions, layer->vertex_count * sizeof *layer->before);
    }
    look_at(layer, frame);
    if (layer->plan->set)
    {
        update_by_set(layer, frame);
    }
    else
    {
        update_by_engine(layer, frame);
    }
    layer->stopped = 0;
    if (layer->beside && layer->wrinkle_count)
    {
        layer->stopped += pl_wrinkle_beside_update(layer->beside, (float)frame->row_time, layer->vertex_count,
                                                   layer->before, frame->positions, frame->tasks);
    }
    if (layer->contact && layer->wrinkle_count)
    {
        layer->stopped += pl_wrinkle_contact_update(layer->contact, (float)frame->row_time, layer->vertex_count,
                                                    layer->before, frame->positions, frame->tasks);
    }
}

/* ---- State, figures, curves ---- */

static size_t state_size(const void *user)
{
    const wrinkles_layer *layer = user;
    return layer->engine.tracker ? pl_wrinkle_engine_state_size(&layer->engine) : 0;
}

static void state_save(const void *user, void *state)
{
    pl_wrinkle_engine_save(&((const wrinkles_layer *)user)->engine, state);
}

static void state_restore(void *user, const void *state)
{
    pl_wrinkle_engine_restore(&((wrinkles_layer *)user)->engine, state);
}

/* In the order of measure. */
static const pleat_layer_figure figures[] = {
    {"wrinkles", "", "wrinkles there are"},
    {"points", "", "points of their curves"},
    {"moved", "", "vertices that were moved"},
    {"highest", "m", "farthest move"},
    {"steps", "", "steps of Newton, the mean"},
    {"most_steps", "", "steps of Newton, the most"},
    {"left_out", "", "wrinkles for which there was no room in memory"},
    {"stopped", "", "vertices that the body or other meshes stopped"},
};

static void measure(const void *user, double *values)
{
    const wrinkles_layer *layer = user;
    uint32_t points = 0;
    for (uint32_t w = 0; w < layer->wrinkle_count; ++w)
    {
        points += layer->wrinkles[w].point_count;
    }
    const double now[] = {layer->wrinkle_count,
                          points,
                          layer->figures.moved,
                          (double)layer->figures.highest,
                          (double)layer->figures.mean_steps,
                          layer->figures.most_steps,
                          layer->figures.left_out,
                          layer->stopped};
    memcpy(values, now, sizeof now);
}

static void tell(const double *largest, char *out, size_t size)
{
    char highest[PL_LENGTH_TEXT];
    pl_length_text(largest[3], highest);
    if (!(largest[0] > 0))
    {
        snprintf(out, size, "none; nothing is compressed enough");
        return;
    }
    snprintf(out, size, "up to %.0f at a time, up to %s high", largest[0], highest);
}

static const pleat_wrinkle_set *clip_curves(const void *layer)
{
    return ((const wrinkles_layer *)layer)->plan->set;
}

static uint32_t curves_now(const void *user, const pleat_wrinkle **wrinkles, const pleat_wrinkle_point **points)
{
    const wrinkles_layer *layer = user;
    *wrinkles = layer->wrinkles;
    *points = layer->points;
    return layer->wrinkle_count;
}

const pleat_layer_type pleat_wrinkles_layer = {
    .name = "wrinkles",
    .summary = "fine wrinkles on coarse cloth, where and as much as it is compressed",
    .needs = PLEAT_NEED_REST,
    .options_size = sizeof(pleat_wrinkles_options),
    .defaults = fill_defaults,
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof inputs[0],
    .plan = pl_wrinkles_plan_make,
    .wants = pl_wrinkles_plan_wants,
    .focus = pl_wrinkles_plan_focus,
    .plan_destroy = pl_wrinkles_plan_destroy,
    .create = create_layer,
    .destroy = destroy_layer,
    .update = update_layer,
    .moves = mark_moves,
    .state_size = state_size,
    .state_save = state_save,
    .state_restore = state_restore,
    .figures = figures,
    .figure_count = sizeof figures / sizeof figures[0],
    .measure = measure,
    .tell = tell,
    .channels = channels,
    .channel_count = sizeof channels / sizeof channels[0],
    .clip_curves = clip_curves,
    .curves = curves_now,
};

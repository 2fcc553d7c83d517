/* Lines along which cloth wrinkles, for cotton. Frames one after the other are tracked; any other frame is traced by
 * itself. Where a layer gives curves, its own are drawn. */
#include "actor.h"

#include "pleat/curves.h"

#include <stdlib.h>

static const float RADIUS = 0.008f; /* of the height */

struct app_curves
{
    pleat_topology *topology; /* of the garments alone, with the surface's vertices */
    pleat_curve_tracer *tracer;
    uint32_t frame; /* last traced, or PLEAT_NONE */
    pleat_curve_drawable *drawables;
    pleat_vec4 *points;
    uint32_t drawable_room, point_room;
};

void actor_curves_destroy(app_actor *actor)
{
    app_curves *curves = actor->curves;
    if (curves)
    {
        pleat_curve_tracer_destroy(curves->tracer);
        pleat_topology_destroy(curves->topology);
        free(curves->drawables);
        free(curves->points);
        free(curves);
    }
    actor->curves = NULL;
}

/* Corners of the garments' triangles, or of all where there is no garment. */
static uint32_t list_triangles(const app_actor *actor, uint32_t *out)
{
    uint32_t count = 0;
    for (int pass = 0; pass < 2 && count == 0; ++pass)
    {
        for (uint32_t i = 0; i < actor->shape->part_count; ++i)
        {
            const pleat_bake_part *part = &actor->shape->parts[i];
            size_t first = 3 * (size_t)part->first_triangle;
            for (size_t c = 0; (pass || part->garment) && c < 3 * (size_t)part->triangle_count; ++c)
            {
                out[count++] = actor->surface->triangles[first + c];
            }
        }
    }
    return count;
}

static pleat_result make_tracer(app_actor *actor, app_curves *curves, const pleat_host *host, pleat_error *error)
{
    uint32_t *triangles = malloc((3 * (size_t)actor->surface->triangle_count + 1) * sizeof *triangles);
    if (!triangles)
    {
        return PLEAT_NO_MEMORY;
    }
    uint32_t corners = list_triangles(actor, triangles);
    pleat_result result =
        pleat_topology_create(actor->surface->vertex_count, corners / 3, triangles, host, &curves->topology, error);
    free(triangles);
    if (result == PLEAT_OK)
    {
        result = pleat_curve_tracer_create(curves->topology, actor->places, RADIUS * actor->height, host,
                                           &curves->tracer, error);
    }
    return result;
}

pleat_result actor_curves_create(app_actor *actor, const pleat_host *host, pleat_error *error)
{
    app_curves *curves = actor->curves = calloc(1, sizeof *curves);
    pleat_result result = curves ? make_tracer(actor, curves, host, error) : PLEAT_NO_MEMORY;
    if (result == PLEAT_OK)
    {
        pleat_curve_tracer_limits(curves->tracer, &curves->drawable_room, &curves->point_room);
        curves->frame = PLEAT_NONE;
        curves->drawables = calloc(curves->drawable_room, sizeof *curves->drawables);
        curves->points = aligned_alloc(16, curves->point_room * sizeof *curves->points);
        result = curves->drawables && curves->points ? PLEAT_OK : PLEAT_NO_MEMORY;
    }
    if (result == PLEAT_NO_MEMORY)
    {
        *error = (pleat_error){PLEAT_NO_MEMORY, "the curves need more memory than there is"};
    }
    return result;
}

static pleat_vec4 place_at(const app_actor *actor, const pleat_place *place)
{
    const uint32_t *corners = actor->curves->topology->triangles + 3 * (size_t)place->triangle;
    pleat_vec4 out = {0, 0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        const pleat_vec4 *p = &actor->places[corners[k]];
        out.x += place->barycentric[k] * p->x;
        out.y += place->barycentric[k] * p->y;
        out.z += place->barycentric[k] * p->z;
    }
    return out;
}

/* A colour that lasts as long as the wrinkle does. */
static pleat_rgba color_of(uint32_t id)
{
    static const pleat_rgba colors[] = {
        {255, 196, 60, 255}, {250, 120, 80, 255}, {120, 200, 120, 255}, {110, 180, 250, 255}, {220, 130, 230, 255}};
    return colors[id % (sizeof colors / sizeof colors[0])];
}

/* The first layer of a stack that gives curves. */
static const void *layer_with_curves(const pleat_stack *stack, const pleat_layer_type **type)
{
    const void *layer;
    uint32_t i = 0;
    while ((layer = pleat_stack_layer(stack, i, type)) && !(*type)->curves)
    {
        ++i;
    }
    return layer;
}

/* The curves of a layer itself, on the wrinkled cloth; false if there is none. */
static bool show_layer(app_actor *actor)
{
    app_curves *curves = actor->curves;
    bool found = false;
    uint32_t filled = 0;
    actor->curve_count = 0;
    for (uint32_t s = 0; s < pleat_bake_stack_count(actor->bake); ++s)
    {
        const pleat_stack *stack = pleat_bake_stack(actor->bake, s);
        const pleat_layer_type *type;
        const void *layer = layer_with_curves(stack, &type);
        const pleat_wrinkle *wrinkles = NULL;
        const pleat_wrinkle_point *points = NULL;
        uint32_t count = layer ? type->curves(layer, &wrinkles, &points) : 0;
        found |= layer != NULL;
        for (uint32_t w = 0; w < count && actor->curve_count < curves->drawable_room &&
                             wrinkles[w].point_count <= curves->point_room - filled;
             ++w)
        {
            pleat_vec4 *out = curves->points + filled;
            for (uint32_t i = 0; i < wrinkles[w].point_count; ++i)
            {
                out[i] = pleat_stack_place(stack, &points[wrinkles[w].first_point + i].place);
            }
            curves->drawables[actor->curve_count++] = (pleat_curve_drawable){.point_count = wrinkles[w].point_count,
                                                                             .points = out,
                                                                             .width = 2.2f,
                                                                             .color = color_of(wrinkles[w].id)};
            filled += wrinkles[w].point_count;
        }
    }
    return found;
}

void actor_curves_update(app_actor *actor, uint32_t frame, const pleat_tasks *tasks)
{
    app_curves *curves = actor->curves;
    if (show_layer(actor))
    {
        return;
    }
    bool next = curves->frame != PLEAT_NONE && frame == curves->frame + 1;
    const pleat_wrinkle *traced;
    const pleat_wrinkle_point *places;
    uint32_t count = pleat_curve_tracer_step(curves->tracer, actor->places, next ? 1 / actor->shape->fps : 0, tasks,
                                             &traced, &places);
    uint32_t filled = 0;
    curves->frame = frame;
    for (uint32_t w = 0; w < count; ++w)
    {
        curves->drawables[w] = (pleat_curve_drawable){.point_count = traced[w].point_count,
                                                      .points = curves->points + filled,
                                                      .width = 2.2f,
                                                      .color = color_of(traced[w].id)};
        for (uint32_t i = 0; i < traced[w].point_count; ++i)
        {
            curves->points[filled++] = place_at(actor, &places[traced[w].first_point + i].place);
        }
    }
    actor->curve_count = count;
}

const pleat_curve_drawable *actor_curves_shown(const app_actor *actor)
{
    return actor->curves ? actor->curves->drawables : NULL;
}

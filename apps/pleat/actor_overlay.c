/* Stretch against the rest shape, as colours and as ellipses. Works on the welded surface, so that seams do not show.
 */
#include "actor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    ELLIPSES_MAX = 20000
};

static const float ELLIPSE_SPACING = 0.016f; /* of the actor's height */
static const float ELLIPSE_STRESS = 3;       /* stretch is drawn this many times as strong */

static pleat_result fail_memory(pleat_error *error)
{
    *error = (pleat_error){PLEAT_NO_MEMORY, "the overlay needs more memory than there is"};
    return PLEAT_NO_MEMORY;
}

static pleat_result bind_strain(app_actor *actor, const pleat_host *host, pleat_error *error)
{
    const pleat_surface *surface = actor->surface;
    for (uint32_t v = 0; v < surface->vertex_count; ++v)
    {
        pleat_vec3 p = actor->shape->rest[surface->vertex_render[v]];
        actor->places[v] = (pleat_vec4){p.x, p.y, p.z, 0};
    }
    return pleat_strain_create(surface->vertex_count, actor->places, surface->triangle_count, surface->triangles, host,
                               &actor->strain, error);
}

pleat_result actor_overlay_create(app_actor *actor, const pleat_host *host, pleat_error *error)
{
    const pleat_bake_shape *shape = actor->shape;
    pleat_surface_desc desc = pleat_surface_desc_default();
    desc.render_count = shape->vertex_count;
    desc.positions = shape->rest;
    desc.triangle_count = shape->triangle_count;
    desc.triangles = shape->triangles;
    pleat_result result = pleat_surface_create(&desc, host, &actor->surface, error);
    if (result != PLEAT_OK)
    {
        return result;
    }
    size_t count = (size_t)actor->surface->vertex_count + 1;
    actor->places = aligned_alloc(16, count * sizeof *actor->places);
    actor->smallest = malloc(count * sizeof *actor->smallest);
    actor->largest = malloc(count * sizeof *actor->largest);
    actor->weights = malloc(count * sizeof *actor->weights);
    actor->tensors = malloc(((size_t)shape->triangle_count + 1) * sizeof *actor->tensors);
    actor->stretches = malloc(((size_t)shape->vertex_count + 1) * sizeof *actor->stretches);
    if (!actor->places || !actor->smallest || !actor->largest || !actor->weights || !actor->tensors ||
        !actor->stretches)
    {
        return fail_memory(error);
    }
    if (actor->overlays & OVERLAY_TENSOR)
    {
        actor->ellipses = aligned_alloc(16, ELLIPSES_MAX * sizeof *actor->ellipses);
        if (!actor->ellipses)
        {
            return fail_memory(error);
        }
    }
    result = bind_strain(actor, host, error);
    if (result == PLEAT_OK && (actor->overlays & OVERLAY_CURVES))
    {
        result = actor_curves_create(actor, host, error);
    }
    return result;
}

/* Area-weighted means at the vertices; of the two principal stretches the one further from 1 is shown. */
static void update_colors(app_actor *actor)
{
    const pleat_surface *surface = actor->surface;
    const float *areas = pleat_strain_areas(actor->strain);
    size_t count = surface->vertex_count;
    memset(actor->smallest, 0, count * sizeof *actor->smallest);
    memset(actor->largest, 0, count * sizeof *actor->largest);
    memset(actor->weights, 0, count * sizeof *actor->weights);
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
    {
        for (int k = 0; k < 3; ++k)
        {
            uint32_t v = surface->triangles[3 * (size_t)t + (size_t)k];
            actor->smallest[v] += areas[t] * actor->tensors[t].smallest;
            actor->largest[v] += areas[t] * actor->tensors[t].largest;
            actor->weights[v] += areas[t];
        }
    }
    for (uint32_t r = 0; r < surface->render_count; ++r)
    {
        uint32_t v = surface->render_vertex[r];
        float weight = actor->weights[v];
        float low = weight > 0 ? actor->smallest[v] / weight : 1;
        float high = weight > 0 ? actor->largest[v] / weight : 1;
        actor->stretches[r] = low * high < 1 ? low : high;
    }
}

static uint64_t cell_of(pleat_vec4 p, float size)
{
    int64_t x = (int64_t)floorf(p.x / size), y = (int64_t)floorf(p.y / size), z = (int64_t)floorf(p.z / size);
    return ((uint64_t)x & 0x1fffff) | ((uint64_t)y & 0x1fffff) << 21 | ((uint64_t)z & 0x1fffff) << 42;
}

static pleat_vec4 center_of(const app_actor *actor, uint32_t t)
{
    const uint32_t *corners = actor->surface->triangles + 3 * (size_t)t;
    pleat_vec4 a = actor->places[corners[0]], b = actor->places[corners[1]], c = actor->places[corners[2]];
    return (pleat_vec4){(a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3, (a.z + b.z + c.z) / 3, 0};
}

static pleat_vec4 rest_center(const app_actor *actor, uint32_t t)
{
    const uint32_t *corners = actor->shape->triangles + 3 * (size_t)t;
    const pleat_vec3 *a = &actor->shape->rest[corners[0]], *b = &actor->shape->rest[corners[1]],
                     *c = &actor->shape->rest[corners[2]];
    return (pleat_vec4){(a->x + b->x + c->x) / 3, (a->y + b->y + c->y) / 3, (a->z + b->z + c->z) / 3, 0};
}

static pleat_vec4 axis_of(pleat_vec3 direction, float stretch, float radius)
{
    float length = radius * fminf(fmaxf(1 + ELLIPSE_STRESS * (stretch - 1), 0.08f), 1.6f);
    return (pleat_vec4){direction.x * length, direction.y * length, direction.z * length, 0};
}

/* One ellipse in each cell of a grid at rest, on the first triangle there: the same triangles in every frame, and as
 * many on a fine mesh as on a coarse one. */
static void update_ellipses(app_actor *actor)
{
    static uint64_t taken[1 << 16]; /* open addressing; 0 is free */
    memset(taken, 0, sizeof taken);
    float spacing = ELLIPSE_SPACING * actor->height;
    const pleat_stretch_scale scale = pleat_stretch_scale_default();
    actor->ellipse_count = 0;
    for (uint32_t t = 0; t < actor->surface->triangle_count && actor->ellipse_count < ELLIPSES_MAX; ++t)
    {
        uint64_t cell = cell_of(rest_center(actor, t), spacing) | (uint64_t)1 << 63;
        uint32_t slot = (uint32_t)((cell * 0x9e3779b97f4a7c15u) >> 48);
        while (taken[slot] && taken[slot] != cell)
        {
            slot = (slot + 1) & 0xffff;
        }
        const pleat_stretch *tensor = &actor->tensors[t];
        if (taken[slot] || (tensor->along.x == 0 && tensor->along.y == 0 && tensor->along.z == 0))
        {
            continue;
        }
        taken[slot] = cell;
        float shown = tensor->smallest * tensor->largest < 1 ? tensor->smallest : tensor->largest;
        actor->ellipses[actor->ellipse_count++] = (pleat_ellipse_drawable){
            center_of(actor, t), axis_of(tensor->along, tensor->largest, 0.4f * spacing),
            axis_of(tensor->across, tensor->smallest, 0.4f * spacing), pleat_stretch_color(&scale, shown)};
    }
}

void actor_overlay_update(app_actor *actor, uint32_t frame, const pleat_tasks *tasks)
{
    for (uint32_t v = 0; v < actor->surface->vertex_count; ++v)
    {
        pleat_vec3 p = actor->positions[actor->surface->vertex_render[v]];
        actor->places[v] = (pleat_vec4){p.x, p.y, p.z, 0};
    }
    pleat_strain_update(actor->strain, actor->places, actor->tensors, tasks);
    update_colors(actor);
    if (actor->ellipses)
    {
        update_ellipses(actor);
    }
    if (actor->curves)
    {
        actor_curves_update(actor, frame, tasks);
    }
}

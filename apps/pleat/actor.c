#include "actor.h"

#include "pleat/garment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pleat_result fail_memory(pleat_error *error)
{
    *error = (pleat_error){PLEAT_NO_MEMORY, "the picture needs more memory than there is"};
    return PLEAT_NO_MEMORY;
}

/* ---- Materials ---- */

static bool fits_any(const char *name, const char *const *patterns)
{
    for (; *patterns; ++patterns)
    {
        if (pleat_name_matches(*patterns, name))
        {
            return true;
        }
    }
    return false;
}

/* What a part looks like by the words in its names; -1 where they say nothing. */
static int shading_by_name(const char *name)
{
    static const char *const skin[] = {"*skin*", "*flesh*", "*body", "*face*", "*head", "hand*", "belly", "arm*", NULL};
    static const char *const plain[] = {"*hair*",    "*eye*",   "*lash*", "*brow*",  "*teeth*", "*tongue*", "*lip*",
                                        "*slipper*", "*shoe*",  "*boot*", "*nail*",  "*metal*", "*armor*",  "*armour*",
                                        "*helmet*",  "*sword*", "*belt*", "*glass*", NULL};
    if (fits_any(name, plain))
    {
        return PLEAT_SHADING_PLAIN;
    }
    return fits_any(name, skin) ? PLEAT_SHADING_SKIN : -1;
}

static pleat_shading shading_of(const pleat_model *model, const pleat_bake_part *part, const pleat_part_guess *guess)
{
    int by_material = part->material == PLEAT_NONE ? -1 : shading_by_name(model->materials[part->material].name);
    int by_mesh = shading_by_name(model->meshes[part->mesh].name);
    if (by_material >= 0)
    {
        return (pleat_shading)by_material;
    }
    /* A suit and skin in one mesh stands in as a garment, whatever it is called. */
    if (guess && guess->garment && (by_mesh < 0 || guess->score >= 0.5f))
    {
        return PLEAT_SHADING_CLOTH;
    }
    return by_mesh >= 0 ? (pleat_shading)by_mesh : PLEAT_SHADING_PLAIN;
}

/* Colour and roughness. Where a material says nothing (no texture, a factor of white), a quiet colour of our own stands
 * in, another for each garment. */
static void paint(pleat_drawable *drawable, const pleat_material *material, uint32_t index)
{
    static const float cloth[][3] = {
        {0.045f, 0.12f, 0.25f}, {0.30f, 0.07f, 0.06f}, {0.10f, 0.20f, 0.12f}, {0.34f, 0.24f, 0.10f}};
    static const float skin[3] = {0.62f, 0.37f, 0.27f};
    static const float grey[3] = {0.45f, 0.45f, 0.46f};
    const float *color = drawable->shading == PLEAT_SHADING_CLOTH  ? cloth[index % 4]
                         : drawable->shading == PLEAT_SHADING_SKIN ? skin
                                                                   : grey;
    drawable->roughness = drawable->shading == PLEAT_SHADING_PLAIN ? 0.6f : 0.55f;
    if (material)
    {
        drawable->base_alpha = material->alpha == PLEAT_ALPHA_OPAQUE ? 1 : fminf(fmaxf(material->base_color[3], 0), 1);
        drawable->cutoff = material->alpha == PLEAT_ALPHA_MASK ? material->alpha_cutoff : 0;
        drawable->blends = material->alpha == PLEAT_ALPHA_BLEND;
        const float *base = material->base_color;
        bool white = base[0] > 0.95f && base[1] > 0.95f && base[2] > 0.95f;
        color = white ? color : base;
        drawable->roughness = white ? drawable->roughness : material->roughness;
    }
    for (int c = 0; c < 3; ++c)
    {
        drawable->base_color[c] = color[c];
    }
}

/* Colours of vertices, where the part's vertices are those of the file. */
static const float *vertex_colors(const app_actor *actor, const pleat_bake_part *part)
{
    const pleat_primitive *primitive = &actor->model->meshes[part->mesh].primitives[part->primitive];
    return primitive->vertex_count == part->vertex_count ? primitive->colors : NULL;
}

static void paint_part(app_actor *actor, uint32_t index)
{
    const pleat_bake_part *part = &actor->shape->parts[index];
    pleat_drawable *drawable = &actor->drawables[index];
    const pleat_material *material = part->material == PLEAT_NONE ? NULL : &actor->model->materials[part->material];
    const pleat_texture *texture = material ? &actor->textures[part->material] : NULL;
    drawable->uvs = actor->shape->uvs ? actor->shape->uvs + 2 * (size_t)part->first_vertex : NULL;
    drawable->paint = texture && texture->image.pixels && drawable->uvs ? &actor->paints[part->material] : NULL;
    drawable->colors = vertex_colors(actor, part);
    if (!drawable->paint && !drawable->colors)
    {
        return;
    }
    drawable->roughness = material ? material->roughness : drawable->roughness;
    for (int c = 0; c < 3; ++c)
    {
        drawable->base_color[c] = material ? material->base_color[c] : 1;
    }
}

pleat_result actor_paint(app_actor *actor, const pleat_asset *asset, pleat_error *error)
{
    uint32_t count = actor->model->material_count;
    actor->textures = calloc((size_t)count + 1, sizeof *actor->textures);
    actor->paints = calloc((size_t)count + 1, sizeof *actor->paints);
    if (!actor->textures || !actor->paints)
    {
        return fail_memory(error);
    }
    actor->texture_count = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_texture *texture = &actor->textures[i];
        pleat_result result = pleat_asset_base_texture(asset, i, texture, error);
        if (result != PLEAT_OK)
        {
            return result;
        }
        actor->paints[i] = (pleat_paint){.width = texture->image.width,
                                         .height = texture->image.height,
                                         .pixels = texture->image.pixels,
                                         .clamp_u = texture->wrap_u == PLEAT_WRAP_CLAMP,
                                         .clamp_v = texture->wrap_v == PLEAT_WRAP_CLAMP,
                                         .mirror_u = texture->wrap_u == PLEAT_WRAP_MIRROR,
                                         .mirror_v = texture->wrap_v == PLEAT_WRAP_MIRROR,
                                         .nearest = texture->nearest};
        memcpy(actor->paints[i].transform, texture->transform, sizeof texture->transform);
    }
    for (uint32_t i = 0; i < actor->shape->part_count; ++i)
    {
        paint_part(actor, i);
    }
    return PLEAT_OK;
}

static const pleat_part_guess *find_guess(const pleat_garment_guess *guess, const pleat_bake_part *part)
{
    for (uint32_t i = 0; i < guess->part_count; ++i)
    {
        if (guess->parts[i].node == part->node && guess->parts[i].primitive == part->primitive)
        {
            return &guess->parts[i];
        }
    }
    return NULL;
}

/* ---- Life ---- */

static void fill_drawables(app_actor *actor, const pleat_garment_guess *guess)
{
    for (uint32_t i = 0; i < actor->shape->part_count; ++i)
    {
        const pleat_bake_part *part = &actor->shape->parts[i];
        pleat_drawable *drawable = &actor->drawables[i];
        size_t first = 3 * (size_t)part->first_triangle;
        for (size_t c = first; c < first + 3 * (size_t)part->triangle_count; ++c)
        {
            actor->triangles[c] = actor->shape->triangles[c] - part->first_vertex;
        }
        *drawable = pleat_drawable_default();
        drawable->vertex_count = part->vertex_count;
        drawable->triangle_count = part->triangle_count;
        drawable->positions = actor->positions + part->first_vertex;
        drawable->normals = actor->normals + part->first_vertex;
        drawable->triangles = actor->triangles + first;
        drawable->stretches = actor->overlays & OVERLAY_STRAIN ? actor->stretches + part->first_vertex : NULL;
        drawable->wireframe = actor->overlays & OVERLAY_WIRE;
        drawable->points = actor->overlays & OVERLAY_VERTICES;
        drawable->shading = shading_of(actor->model, part, find_guess(guess, part));
        paint(drawable, part->material == PLEAT_NONE ? NULL : &actor->model->materials[part->material], i);
    }
}

static void measure_height(app_actor *actor)
{
    pleat_bounds bounds = pleat_bounds_empty();
    pleat_bounds_add(&bounds, actor->shape->vertex_count, actor->shape->rest);
    float height = bounds.high.y - bounds.low.y;
    float width = bounds.high.x - bounds.low.x;
    actor->height = height > width ? height : width;
    actor->height = actor->height > 0 ? actor->height : 1;
}

pleat_result actor_create(app_actor *actor, const pleat_model *model, pleat_bake *bake, uint32_t overlays,
                          const pleat_host *host, pleat_error *error)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(bake);
    *actor = (app_actor){.model = model, .bake = bake, .shape = shape, .overlays = overlays};
    actor->host = host ? *host : pleat_host_default();
    size_t vertex_count = (size_t)shape->vertex_count + 1;
    actor->positions = malloc(vertex_count * sizeof *actor->positions);
    actor->normals = malloc(vertex_count * sizeof *actor->normals);
    actor->triangles = malloc((3 * (size_t)shape->triangle_count + 1) * sizeof *actor->triangles);
    actor->drawables = calloc((size_t)shape->part_count + 1, sizeof *actor->drawables);
    pleat_garment_guess *guess = NULL;
    pleat_result result = PLEAT_OK;
    measure_height(actor);
    if (!actor->positions || !actor->normals || !actor->triangles || !actor->drawables)
    {
        result = fail_memory(error);
    }
    if (result == PLEAT_OK && (overlays & (OVERLAY_STRAIN | OVERLAY_TENSOR | OVERLAY_CURVES)))
    {
        result = actor_overlay_create(actor, host, error);
    }
    if (result == PLEAT_OK)
    {
        result = pleat_garment_guess_create(model, host, &guess, error);
    }
    if (result != PLEAT_OK)
    {
        actor_destroy(actor);
        return result;
    }
    fill_drawables(actor, guess);
    pleat_garment_guess_destroy(guess);
    return PLEAT_OK;
}

void actor_destroy(app_actor *actor)
{
    free(actor->positions);
    free(actor->normals);
    free(actor->triangles);
    free(actor->drawables);
    for (uint32_t i = 0; i < actor->texture_count; ++i)
    {
        pleat_image_free(&actor->host, &actor->textures[i].image);
    }
    free(actor->textures);
    free(actor->paints);
    pleat_surface_destroy(actor->surface);
    pleat_strain_destroy(actor->strain);
    free(actor->places);
    free(actor->tensors);
    free(actor->smallest);
    free(actor->largest);
    free(actor->weights);
    free(actor->stretches);
    free(actor->ellipses);
    actor_curves_destroy(actor);
    pleat_bake_destroy(actor->bake);
    *actor = (app_actor){0};
}

/* ---- Frames ---- */

/* A part whose material has one side shows that side alone, as viewers do; where the file turns its triangles the other
 * way round than its normals (a mirrored node), both. */
static void settle_sides(app_actor *actor)
{
    for (uint32_t i = 0; i < actor->shape->part_count; ++i)
    {
        const pleat_bake_part *part = &actor->shape->parts[i];
        pleat_drawable *d = &actor->drawables[i];
        uint32_t agree = 0;
        for (uint32_t t = 0; t < d->triangle_count; ++t)
        {
            const pleat_vec3 *a = &d->positions[d->triangles[3 * t]], *b = &d->positions[d->triangles[3 * t + 1]];
            const pleat_vec3 *c = &d->positions[d->triangles[3 * t + 2]], *n = &d->normals[d->triangles[3 * t]];
            float ux = b->x - a->x, uy = b->y - a->y, uz = b->z - a->z;
            float vx = c->x - a->x, vy = c->y - a->y, vz = c->z - a->z;
            agree += (uy * vz - uz * vy) * n->x + (uz * vx - ux * vz) * n->y + (ux * vy - uy * vx) * n->z > 0;
        }
        bool one_sided = part->material != PLEAT_NONE && !actor->model->materials[part->material].double_sided;
        d->double_sided = !one_sided || agree < d->triangle_count / 2;
    }
}

pleat_result actor_frame(app_actor *actor, uint32_t frame, const pleat_tasks *tasks, pleat_error *error)
{
    uint32_t last = actor->shape->frame_count - 1;
    frame = frame < last ? frame : last;
    pleat_result result = pleat_bake_frame(actor->bake, frame, error);
    if (result != PLEAT_OK)
    {
        return result;
    }
    pleat_bake_copy(actor->bake, actor->positions, actor->normals);
    if (!actor->sided)
    {
        settle_sides(actor);
        actor->sided = true;
    }
    if (actor->strain)
    {
        actor_overlay_update(actor, frame, tasks);
    }
    return PLEAT_OK;
}

void actor_show(const app_actor *actor, pleat_scene *scene)
{
    scene->drawable_count = actor->shape->part_count;
    scene->drawables = actor->drawables;
    scene->ellipse_count = actor->ellipse_count;
    scene->ellipses = actor->ellipses;
    scene->curve_count = actor->curve_count;
    scene->curves = actor_curves_shown(actor);
}

uint32_t actor_find_node(const app_actor *actor, const char *pattern)
{
    for (uint32_t i = 0; i < actor->model->node_count; ++i)
    {
        if (pleat_name_matches(pattern, actor->model->nodes[i].name))
        {
            return i;
        }
    }
    return PLEAT_NONE;
}

pleat_vec4 actor_node_place(const app_actor *actor, uint32_t node)
{
    const pleat_affine *world = &pleat_pose_worlds(pleat_bake_pose(actor->bake))[node];
    return (pleat_vec4){world->row[0][3], world->row[1][3], world->row[2][3], 0};
}

pleat_vec4 actor_middle(const app_actor *actor)
{
    double sum[3] = {0};
    for (uint32_t i = 0; i < actor->shape->vertex_count; ++i)
    {
        sum[0] += (double)actor->positions[i].x;
        sum[1] += (double)actor->positions[i].y;
        sum[2] += (double)actor->positions[i].z;
    }
    double count = actor->shape->vertex_count ? actor->shape->vertex_count : 1;
    return (pleat_vec4){(float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count), 0};
}

#include "gpu/scene.h"

#include "base/vec.h"

pleat_drawable pleat_drawable_default(void)
{
    return (pleat_drawable){.shading = PLEAT_SHADING_PLAIN,
                            .base_color = {0.55f, 0.55f, 0.56f},
                            .roughness = 0.6f,
                            .base_alpha = 1,
                            .double_sided = true};
}

pleat_studio pleat_studio_default(void)
{
    return (pleat_studio){.key = {-42, 44, {1.0f, 0.96f, 0.90f}, 1.4f},
                          .fill = {58, 10, {0.78f, 0.87f, 1.0f}, 0.30f},
                          .rim = {150, 35, {0.93f, 0.96f, 1.0f}, 1.6f},
                          .key_size = 9,
                          .sky = {0.20f, 0.22f, 0.25f},
                          .floor_light = {0.09f, 0.08f, 0.075f},
                          .exposure = 0.8f,
                          .occlusion = 1.5f,
                          .occlusion_reach = 0.10f,
                          .cavity = 1.1f,
                          .cavity_reach = 0.010f,
                          .ground = true,
                          .ground_height = 0,
                          .ground_shade = 0.7f,
                          .background_top = {206, 209, 213, 255},
                          .background_bottom = {160, 163, 168, 255}};
}

pleat_scene pleat_scene_default(void)
{
    return (pleat_scene){.bounds = pleat_bounds_empty(),
                         .stretch_scale = pleat_stretch_scale_default(),
                         .studio = pleat_studio_default()};
}

static bool finite4(pleat_vec4 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

static bool is_empty(const pleat_bounds *b)
{
    return !(b->low.x <= b->high.x && b->low.y <= b->high.y && b->low.z <= b->high.z);
}

static pleat_result check_range(const char *name, float value, float low, float high, pleat_error *error)
{
    if (!(value >= low && value <= high))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s is %g; it can be %g to %g", name, (double)value, (double)low,
                       (double)high);
    }
    return PLEAT_OK;
}

static pleat_result check_drawable(const pleat_drawable *d, uint32_t index, pleat_error *error)
{
    if (!d->positions || (d->triangle_count > 0 && !d->triangles))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "drawable %u has no %s", index,
                       d->positions ? "triangles" : "positions");
    }
    if (d->vertex_count > INT32_MAX / 16 || d->triangle_count > INT32_MAX / 12)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "drawable %u has %u vertices and %u triangles; at most %d and %d can be drawn", index,
                       d->vertex_count, d->triangle_count, INT32_MAX / 16, INT32_MAX / 12);
    }
    for (size_t i = 0; i < 3 * (size_t)d->triangle_count; ++i)
    {
        if (d->triangles[i] >= d->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "drawable %u, triangle %zu uses vertex %u; there are %u", index,
                           i / 3, d->triangles[i], d->vertex_count);
        }
    }
    for (uint32_t i = 0; i < d->vertex_count; ++i)
    {
        if (!pl_finite3(d->positions[i]))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT,
                           "drawable %u, vertex %u is at (%g, %g, %g); positions must be finite", index, i,
                           (double)d->positions[i].x, (double)d->positions[i].y, (double)d->positions[i].z);
        }
    }
    if ((unsigned)d->shading > PLEAT_SHADING_SKIN)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "drawable %u has shading %d; it can be 0 to %d", index,
                       (int)d->shading, PLEAT_SHADING_SKIN);
    }
    if (d->paint && (!d->paint->pixels || d->paint->width < 1 || d->paint->height < 1))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "drawable %u is painted with %u x %u pixels%s", index,
                       d->paint->width, d->paint->height, d->paint->pixels ? "" : " that are not there");
    }
    PL_TRY(check_range("base_alpha", d->base_alpha, 0, 1, error));
    PL_TRY(check_range("cutoff", d->cutoff, 0, 1, error));
    return check_range("roughness", d->roughness, 0, 1, error);
}

static pleat_result check_light(const char *name, const pleat_light *light, pleat_error *error)
{
    if (!isfinite(light->azimuth) || !(fabsf(light->elevation) <= 90) || !(light->strength >= 0) ||
        !isfinite(light->strength))
    {
        return pl_fail(
            error, PLEAT_BAD_ARGUMENT,
            "the %s light has azimuth %g, elevation %g and strength %g; elevation can be -90 to 90, strength at "
            "least 0",
            name, (double)light->azimuth, (double)light->elevation, (double)light->strength);
    }
    return PLEAT_OK;
}

static pleat_result check_studio(const pleat_studio *studio, pleat_error *error)
{
    PL_TRY(check_light("key", &studio->key, error));
    PL_TRY(check_light("fill", &studio->fill, error));
    PL_TRY(check_light("rim", &studio->rim, error));
    PL_TRY(check_range("key_size", studio->key_size, 0, 30, error));
    PL_TRY(check_range("exposure", studio->exposure, 0, 100, error));
    PL_TRY(check_range("occlusion", studio->occlusion, 0, 2, error));
    PL_TRY(check_range("occlusion_reach", studio->occlusion_reach, 1e-4f, 0.5f, error));
    PL_TRY(check_range("cavity", studio->cavity, 0, 2, error));
    PL_TRY(check_range("cavity_reach", studio->cavity_reach, 1e-4f, 0.1f, error));
    PL_TRY(check_range("ground_shade", studio->ground_shade, 0, 1, error));
    return check_range("ground_height", studio->ground_height, -1e9f, 1e9f, error);
}

/* Of all that is drawn. */
static pleat_bounds bounds_of(const pleat_scene *scene)
{
    pleat_bounds bounds = pleat_bounds_empty();
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        pleat_bounds_add(&bounds, scene->drawables[i].vertex_count, scene->drawables[i].positions);
    }
    for (uint32_t i = 0; i < scene->curve_count; ++i)
    {
        for (uint32_t k = 0; k < scene->curves[i].point_count; ++k)
        {
            const pleat_vec4 *p = &scene->curves[i].points[k];
            pleat_bounds_add(&bounds, 1, &(pleat_vec3){p->x, p->y, p->z});
        }
    }
    for (uint32_t i = 0; i < scene->ellipse_count; ++i)
    {
        const pleat_vec4 *p = &scene->ellipses[i].center;
        pleat_bounds_add(&bounds, 1, &(pleat_vec3){p->x, p->y, p->z});
    }
    return bounds;
}

pleat_result pl_scene_check(const pleat_scene *scene, pleat_bounds *bounds, pleat_error *error)
{
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        PL_TRY(check_drawable(&scene->drawables[i], i, error));
    }
    for (uint32_t i = 0; i < scene->curve_count; ++i)
    {
        const pleat_curve_drawable *curve = &scene->curves[i];
        PL_TRY(check_range("the width of a curve", curve->width, 0, 1000, error));
        for (uint32_t k = 0; k < curve->point_count; ++k)
        {
            if (!finite4(curve->points[k]))
            {
                return pl_fail(error, PLEAT_BAD_ARGUMENT, "curve %u, point %u is not finite", i, k);
            }
        }
    }
    for (uint32_t i = 0; i < scene->ellipse_count; ++i)
    {
        const pleat_ellipse_drawable *e = &scene->ellipses[i];
        if (!finite4(e->center) || !finite4(e->a) || !finite4(e->b))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "ellipse %u is not finite", i);
        }
    }
    const pleat_stretch_scale *scale = &scene->stretch_scale;
    if (!(scale->low < 1 && scale->high > 1) || !isfinite(scale->low) || !isfinite(scale->high))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "the stretch scale runs from %g to %g; it must hold 1 between its ends", (double)scale->low,
                       (double)scale->high);
    }
    PL_TRY(check_studio(&scene->studio, error));
    *bounds = is_empty(&scene->bounds) ? bounds_of(scene) : scene->bounds;
    if (is_empty(bounds))
    {
        *bounds = (pleat_bounds){{-1, -1, -1, 0}, {1, 1, 1, 0}};
    }
    if (!finite4(bounds->low) || !finite4(bounds->high))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the scene's bounds are not finite");
    }
    return PLEAT_OK;
}

pleat_result pl_camera_check(const pleat_camera *camera, pleat_error *error)
{
    pl_f4 way = pl_from(camera->target) - pl_from(camera->eye);
    if (!finite4(camera->eye) || !finite4(camera->target) || !(pl_length3(way) > 1e-12f))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "the camera at (%g, %g, %g) looks at (%g, %g, %g); they must be finite and apart",
                       (double)camera->eye.x, (double)camera->eye.y, (double)camera->eye.z, (double)camera->target.x,
                       (double)camera->target.y, (double)camera->target.z);
    }
    return check_range("the camera's field", camera->field, 1, 120, error);
}

pleat_result pl_picture_check(const pleat_picture *picture, pleat_error *error)
{
    if (picture->width < 1 || picture->height < 1 || picture->width > PL_PICTURE_MAX ||
        picture->height > PL_PICTURE_MAX)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the picture is %u x %u pixels; each side can be 1 to %d",
                       picture->width, picture->height, PL_PICTURE_MAX);
    }
    if (!picture->pixels || picture->stride < 4 * (size_t)picture->width)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the picture has %s",
                       picture->pixels ? "rows that overlap" : "no pixels");
    }
    return PLEAT_OK;
}

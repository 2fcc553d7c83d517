/* Bounds, and cameras that have them in the picture. */
#include "pleat/render.h"

#include "base/vec.h"

pleat_bounds pleat_bounds_empty(void)
{
    return (pleat_bounds){{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
}

void pleat_bounds_add(pleat_bounds *bounds, uint32_t count, const pleat_vec3 *points)
{
    pleat_vec4 low = bounds->low, high = bounds->high;
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_vec3 p = points[i];
        low = (pleat_vec4){fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z), 0};
        high = (pleat_vec4){fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z), 0};
    }
    bounds->low = low;
    bounds->high = high;
}

pleat_view pleat_view_default(void)
{
    return (pleat_view){.orbit = 0, .elevation = 8, .field = 24, .margin = 0.06f};
}

/* The camera's axes for a view: right, up and back (towards the eye). */
static void view_axes(const pleat_view *view, pl_f4 *right, pl_f4 *up, pl_f4 *back)
{
    float orbit = view->orbit * 3.14159265f / 180;
    float elevation = view->elevation * 3.14159265f / 180;
    *back = pl_set(sinf(orbit) * cosf(elevation), sinf(elevation), cosf(orbit) * cosf(elevation), 0);
    *right = pl_set(cosf(orbit), 0, -sinf(orbit), 0);
    *up = pl_cross(*back, *right);
}

/* In one direction of the picture, an eye at (e, d) sees the point (x, z), z towards the eye, within tangent t if
 * |x - e| <= t (d - z). Over all points: d is at least half of (max(x + t z) - min(x - t z)) / t, and e is in the
 * middle. So four extremes hold all there is to know about the points. */
pleat_framing pleat_framing_begin(const pleat_view *view, uint32_t width, uint32_t height)
{
    float along = tanf(view->field * 0.5f * 3.14159265f / 180) * (1 - 2 * view->margin);
    return (pleat_framing){.view = *view,
                           .across_tangent = along * (float)width / (float)height,
                           .along_tangent = along,
                           .across_low = INFINITY,
                           .across_high = -INFINITY,
                           .along_low = INFINITY,
                           .along_high = -INFINITY,
                           .near_most = -INFINITY,
                           .far_most = INFINITY};
}

void pleat_framing_add(pleat_framing *framing, uint32_t count, const pleat_vec3 *points)
{
    pl_f4 right, up, back;
    view_axes(&framing->view, &right, &up, &back);
    for (uint32_t i = 0; i < count; ++i)
    {
        pl_f4 p = pl_load3(&points[i]);
        float x = pl_dot3(right, p), y = pl_dot3(up, p), z = pl_dot3(back, p);
        framing->across_high = fmaxf(framing->across_high, x + framing->across_tangent * z);
        framing->across_low = fminf(framing->across_low, x - framing->across_tangent * z);
        framing->along_high = fmaxf(framing->along_high, y + framing->along_tangent * z);
        framing->along_low = fminf(framing->along_low, y - framing->along_tangent * z);
        framing->near_most = fmaxf(framing->near_most, z);
        framing->far_most = fminf(framing->far_most, z);
    }
}

pleat_camera pleat_framing_camera(const pleat_framing *framing)
{
    pleat_framing f = *framing;
    if (!(f.near_most >= f.far_most))
    {
        const pleat_vec3 corners[2] = {{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
        pleat_framing_add(&f, 2, corners);
    }
    pl_f4 right, up, back;
    view_axes(&f.view, &right, &up, &back);
    float distance = fmaxf((f.across_high - f.across_low) / (2 * f.across_tangent),
                           (f.along_high - f.along_low) / (2 * f.along_tangent));
    /* A single point has no size to step back from. */
    float depth = f.near_most - f.far_most;
    distance = fmaxf(distance, f.near_most + fmaxf(0.01f * depth, 1e-5f));
    pl_f4 center =
        right * pl_splat(0.5f * (f.across_high + f.across_low)) + up * pl_splat(0.5f * (f.along_high + f.along_low));
    pleat_camera camera;
    camera.eye = pl_to(center + back * pl_splat(distance));
    camera.target = pl_to(center + back * pl_splat(0.5f * (f.near_most + f.far_most)));
    camera.field = f.view.field;
    return camera;
}

pleat_camera pleat_camera_frame(const pleat_bounds *bounds, const pleat_view *view, uint32_t width, uint32_t height)
{
    pleat_framing framing = pleat_framing_begin(view, width, height);
    for (int i = 0; i < 8 && bounds->low.x <= bounds->high.x; ++i)
    {
        const pleat_vec3 corner = {i & 1 ? bounds->high.x : bounds->low.x, i & 2 ? bounds->high.y : bounds->low.y,
                                   i & 4 ? bounds->high.z : bounds->low.z};
        pleat_framing_add(&framing, 1, &corner);
    }
    return pleat_framing_camera(&framing);
}

pleat_camera pleat_camera_focus(pleat_vec4 point, float radius, const pleat_view *view, uint32_t width, uint32_t height)
{
    pl_f4 right, up, back;
    view_axes(view, &right, &up, &back);
    float half = view->field * 0.5f * 3.14159265f / 180;
    if (width < height)
    {
        half = atanf(tanf(half) * (float)width / (float)height);
    }
    half = atanf(tanf(half) * (1 - 2 * view->margin));
    pleat_camera camera;
    camera.target = point;
    camera.eye = pl_to(pl_from(point) + back * pl_splat(radius / sinf(half)));
    camera.eye.w = 0;
    camera.field = view->field;
    return camera;
}

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

/* One direction of the picture. The eye at (e, d) sees the point (x, z), z towards the eye, within tangent t if
 * |x - e| <= t (d - z). Over all points: d at least half of (max(x + t z) - min(x - t z)) / t, and e in the middle. */
typedef struct fit
{
    float tangent;
    float high; /* max of x + t z */
    float low;  /* min of x - t z */
} fit;

static void fit_add(fit *f, float x, float z)
{
    f->high = fmaxf(f->high, x + f->tangent * z);
    f->low = fminf(f->low, x - f->tangent * z);
}

pleat_camera pleat_camera_frame(const pleat_bounds *bounds, const pleat_view *view, uint32_t width, uint32_t height)
{
    pl_f4 right, up, back;
    view_axes(view, &right, &up, &back);
    float tangent = tanf(view->field * 0.5f * 3.14159265f / 180);
    float inner = tangent * (1 - 2 * view->margin);
    fit across = {inner * (float)width / (float)height, -INFINITY, INFINITY};
    fit along = {inner, -INFINITY, INFINITY};
    float z_high = -INFINITY, z_low = INFINITY;
    for (int i = 0; i < 8; ++i)
    {
        pl_f4 p = pl_set(i & 1 ? bounds->high.x : bounds->low.x, i & 2 ? bounds->high.y : bounds->low.y,
                         i & 4 ? bounds->high.z : bounds->low.z, 0);
        float z = pl_dot3(back, p);
        fit_add(&across, pl_dot3(right, p), z);
        fit_add(&along, pl_dot3(up, p), z);
        z_high = fmaxf(z_high, z);
        z_low = fminf(z_low, z);
    }
    float distance = fmaxf((across.high - across.low) / (2 * across.tangent), (along.high - along.low) / (2 * inner));
    distance = fmaxf(distance, z_high + 1e-3f);
    pl_f4 center = right * pl_splat(0.5f * (across.high + across.low)) + up * pl_splat(0.5f * (along.high + along.low));
    pleat_camera camera;
    camera.eye = pl_to(center + back * pl_splat(distance));
    camera.target = pl_to(center + back * pl_splat(0.5f * (z_high + z_low)));
    camera.field = view->field;
    return camera;
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

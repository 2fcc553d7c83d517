#include "gpu/frame.h"

#include "base/vec.h"

/* Right, up and forward of the camera, and the eye. */
typedef struct basis
{
    pl_f4 right, up, forward, eye;
} basis;

static basis basis_of(const pleat_camera *camera)
{
    basis b;
    b.eye = pl_from(camera->eye);
    b.forward = pl_normalize3(pl_from(camera->target) - b.eye);
    pl_f4 right = pl_cross(b.forward, pl_set(0, 1, 0, 0));
    b.right = pl_dot3(right, right) > 1e-8f ? pl_normalize3(right) : pl_set(1, 0, 0, 0);
    b.up = pl_cross(b.right, b.forward);
    return b;
}

static pl_f4 to_view(const basis *b, pl_f4 v)
{
    return pl_set(pl_dot3(b->right, v), pl_dot3(b->up, v), pl_dot3(b->forward, v), 0);
}

static void put(float out[4], pl_f4 v, float w)
{
    out[0] = v[0];
    out[1] = v[1];
    out[2] = v[2];
    out[3] = w;
}

static pl_f4 corner(const pleat_bounds *bounds, int i)
{
    return pl_set(i & 1 ? bounds->high.x : bounds->low.x, i & 2 ? bounds->high.y : bounds->low.y,
                  i & 4 ? bounds->high.z : bounds->low.z, 0);
}

/* Columns of the matrix whose rows are (x, ox), (y, oy), (z, oz), (0 0 0 1). */
static void put_rows(float out[16], pl_f4 x, float ox, pl_f4 y, float oy, pl_f4 z, float oz)
{
    for (int c = 0; c < 3; ++c)
    {
        out[4 * c] = x[c];
        out[4 * c + 1] = y[c];
        out[4 * c + 2] = z[c];
        out[4 * c + 3] = 0;
    }
    out[12] = ox;
    out[13] = oy;
    out[14] = oz;
    out[15] = 1;
}

static float radius_of(const pleat_bounds *bounds)
{
    return fmaxf(0.5f * pl_length3(pl_from(bounds->high) - pl_from(bounds->low)), 1e-6f);
}

/* Near and far as tight as the bounds allow. */
static void lens(pl_frame *frame, const basis *b, const pleat_bounds *bounds, const pleat_camera *camera, float aspect)
{
    float radius = radius_of(bounds);
    float nearest = INFINITY, farthest = -INFINITY;
    for (int i = 0; i < 8; ++i)
    {
        float depth = pl_dot3(b->forward, corner(bounds, i) - b->eye);
        nearest = fminf(nearest, depth);
        farthest = fmaxf(farthest, depth);
    }
    float pad = 0.01f * radius;
    float least = 0.005f * radius;
    float z_near = fmaxf(nearest - pad, least);
    float z_far = fmaxf(farthest + pad, 2 * z_near);
    float tangent = tanf(camera->field * 0.5f * 3.14159265f / 180);
    frame->lens[0] = tangent * aspect;
    frame->lens[1] = tangent;
    frame->lens[2] = z_near;
    frame->lens[3] = z_far;

    /* clip = (x / tx, y / ty, z (f + n) / (f - n) - 2 f n / (f - n), z) with z along forward. */
    float *m = frame->clip_from_world;
    float scale = (z_far + z_near) / (z_far - z_near);
    float offset = -2 * z_far * z_near / (z_far - z_near);
    for (int c = 0; c < 3; ++c)
    {
        m[4 * c] = b->right[c] / frame->lens[0];
        m[4 * c + 1] = b->up[c] / frame->lens[1];
        m[4 * c + 2] = b->forward[c] * scale;
        m[4 * c + 3] = b->forward[c];
    }
    m[12] = -pl_dot3(b->right, b->eye) / frame->lens[0];
    m[13] = -pl_dot3(b->up, b->eye) / frame->lens[1];
    m[14] = -pl_dot3(b->forward, b->eye) * scale + offset;
    m[15] = -pl_dot3(b->forward, b->eye);
    put(frame->view_right, b->right, pl_dot3(b->right, b->eye));
    put(frame->view_up, b->up, pl_dot3(b->up, b->eye));
    put(frame->view_forward, b->forward, pl_dot3(b->forward, b->eye));
}

/* The world direction towards a light: azimuth and elevation from the camera. */
static pl_f4 toward(const basis *b, const pleat_light *light)
{
    float azimuth = light->azimuth * 3.14159265f / 180;
    float elevation = light->elevation * 3.14159265f / 180;
    pl_f4 back = pl_cross(b->right, pl_set(0, 1, 0, 0));
    pl_f4 level = back * pl_splat(cosf(azimuth)) + b->right * pl_splat(sinf(azimuth));
    return pl_normalize3(level * pl_splat(cosf(elevation)) + pl_set(0, sinf(elevation), 0, 0));
}

static void put_light(pl_frame *frame, int i, const basis *b, const pleat_light *light, float bleed)
{
    put(frame->light_toward[i], to_view(b, toward(b, light)), 0);
    put(frame->light_color[i], pl_set(light->color[0], light->color[1], light->color[2], 0) * pl_splat(light->strength),
        bleed);
}

/* A point given by depth and the side of the picture it lies on. */
static pl_f4 frustum_corner(const pl_frame *frame, const basis *b, int i)
{
    float z = i & 4 ? frame->lens[3] : frame->lens[2];
    float x = (i & 1 ? z : -z) * frame->lens[0];
    float y = (i & 2 ? z : -z) * frame->lens[1];
    return b->eye + b->right * pl_splat(x) + b->up * pl_splat(y) + b->forward * pl_splat(z);
}

typedef struct range
{
    float low, high;
} range;

static range range_add(range r, float x)
{
    return (range){fminf(r.low, x), fmaxf(r.high, x)};
}

/* What lies in both; a when they do not meet. */
static range range_meet(range a, range b)
{
    range both = {fmaxf(a.low, b.low), fminf(a.high, b.high)};
    return both.low < both.high ? both : a;
}

/* The key light's map: parallel rays, as wide as what is both in the scene and in the picture, so that a close-up has
 * fine shadows; deep enough for the ground that the scene's top shades. */
static void shadow_map(pl_frame *frame, const basis *b, const pleat_scene *scene, const pleat_bounds *bounds,
                       uint32_t texels)
{
    const range none = {INFINITY, -INFINITY};
    float radius = radius_of(bounds);
    pl_f4 towards = toward(b, &scene->studio.key);
    pl_f4 down = -towards;
    pl_f4 x_axis = pl_perpendicular(down);
    pl_f4 y_axis = pl_cross(x_axis, down);
    range sx = none, sy = none, sz = none, fx = none, fy = none;
    for (int i = 0; i < 8; ++i)
    {
        pl_f4 p = corner(bounds, i);
        sx = range_add(sx, pl_dot3(x_axis, p));
        sy = range_add(sy, pl_dot3(y_axis, p));
        float depth = pl_dot3(down, p);
        sz = range_add(sz, depth);
        if (scene->studio.ground && towards[1] > 0.05f)
        {
            float fall = (p[1] - scene->studio.ground_height) / towards[1];
            sz = range_add(sz, depth + fminf(fmaxf(fall, 0), 3 * radius));
        }
        pl_f4 f = frustum_corner(frame, b, i);
        fx = range_add(fx, pl_dot3(x_axis, f));
        fy = range_add(fy, pl_dot3(y_axis, f));
    }
    sx = range_meet(sx, fx);
    sy = range_meet(sy, fy);
    float margin = 1.06f;
    float width = fmaxf(fmaxf(sx.high - sx.low, sy.high - sy.low) * margin, 1e-4f * radius);
    float pad = 0.01f * radius;
    float depth = sz.high - sz.low + 2 * pad;
    float ox = 0.5f - 0.5f * (sx.low + sx.high) / width;
    float oy = 0.5f - 0.5f * (sy.low + sy.high) / width;
    float oz = -(sz.low - pad) / depth;
    pl_f4 rows[3] = {x_axis / pl_splat(width), y_axis / pl_splat(width), down / pl_splat(depth)};
    put_rows(frame->shadow_from_world, rows[0], ox, rows[1], oy, rows[2], oz);
    put_rows(frame->shadow_from_view, to_view(b, rows[0]), ox + pl_dot3(rows[0], b->eye), to_view(b, rows[1]),
             oy + pl_dot3(rows[1], b->eye), to_view(b, rows[2]), oz + pl_dot3(rows[2], b->eye));
    frame->shadow[0] = depth;
    frame->shadow[1] = width;
    frame->shadow[2] = tanf(scene->studio.key_size * 0.5f * 3.14159265f / 180);
    frame->shadow[3] = 1.0f / (float)texels;
    put(frame->shadow_axis_x, to_view(b, x_axis), 0);
    put(frame->shadow_axis_y, to_view(b, y_axis), 0);
}

/* The map from below the ground. */
static void floor_map(pl_frame *frame, const basis *b, const pleat_scene *scene, const pleat_bounds *bounds,
                      uint32_t texels)
{
    float radius = radius_of(bounds);
    pl_f4 low = pl_from(bounds->low), high = pl_from(bounds->high);
    float width = fmaxf(high[0] - low[0], high[2] - low[2]) + 0.8f * radius;
    float height = fmaxf(high[1] - scene->studio.ground_height, 1e-3f * radius);
    pl_f4 rows[3] = {pl_set(1 / width, 0, 0, 0), pl_set(0, 0, 1 / width, 0), pl_set(0, 1 / height, 0, 0)};
    float ox = 0.5f - 0.5f * (low[0] + high[0]) / width;
    float oy = 0.5f - 0.5f * (low[2] + high[2]) / width;
    float oz = -scene->studio.ground_height / height;
    put_rows(frame->floor_from_world, rows[0], ox, rows[1], oy, rows[2], oz);
    put_rows(frame->floor_from_view, to_view(b, rows[0]), ox + pl_dot3(rows[0], b->eye), to_view(b, rows[1]),
             oy + pl_dot3(rows[1], b->eye), to_view(b, rows[2]), oz + pl_dot3(rows[2], b->eye));
    put(frame->floor_map, pl_set(height, width, 1.0f / (float)texels, 0), radius);
}

static void put_rgba(float out[4], pleat_rgba color)
{
    put(out, pl_set(color.r, color.g, color.b, 0) / pl_splat(255), 1);
}

pl_frame pl_frame_make(const pleat_scene *scene, const pleat_bounds *bounds, const pleat_camera *camera, uint32_t width,
                       uint32_t height, uint32_t shadow_size, uint32_t floor_size)
{
    pl_frame frame = {0};
    const pleat_studio *studio = &scene->studio;
    basis b = basis_of(camera);
    float w = (float)width, h = (float)height;
    lens(&frame, &b, bounds, camera, w / h);
    put(frame.size, pl_set(w, h, 1 / w, 0), 1 / h);
    put_light(&frame, 0, &b, &studio->key, 0);
    put_light(&frame, 1, &b, &studio->fill, 0.2f); /* a wide, soft source */
    put_light(&frame, 2, &b, &studio->rim, 0);
    put(frame.up, to_view(&b, pl_set(0, 1, 0, 0)), camera->eye.y - studio->ground_height);
    put(frame.sky_light, pl_set(studio->sky[0], studio->sky[1], studio->sky[2], 0), studio->exposure);
    put(frame.floor_light, pl_set(studio->floor_light[0], studio->floor_light[1], studio->floor_light[2], 0),
        studio->ground ? studio->ground_shade : -1);
    put(frame.hollow, pl_set(studio->occlusion, studio->occlusion_reach, studio->cavity, 0), studio->cavity_reach);
    shadow_map(&frame, &b, scene, bounds, shadow_size);
    floor_map(&frame, &b, scene, bounds, floor_size);
    put_rgba(frame.background_top, studio->background_top);
    put_rgba(frame.background_bottom, studio->background_bottom);
    put(frame.taps, pl_set(10, 14, 5, 0), 6);
    put(frame.counts, pl_set(3, 4, 0, 0), 0);
    return frame;
}

/* Grows the rectangle by a point; false if it lies behind the eye. */
static bool add_to_rect(const pl_frame *frame, pl_f4 p, range *x, range *y)
{
    const float *m = frame->clip_from_world;
    float w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    if (!(w > 0.5f * frame->lens[2]))
    {
        return false;
    }
    *x = range_add(*x, (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w);
    *y = range_add(*y, (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w);
    return true;
}

/* -1..1 to pixels, with room around; within 0..count. */
static void to_pixels(range r, float room, float count, int32_t *first, int32_t *end)
{
    float low = floorf((r.low * 0.5f + 0.5f) * count - room), high = ceilf((r.high * 0.5f + 0.5f) * count + room);
    *first = (int32_t)fminf(fmaxf(low, 0), count);
    *end = (int32_t)fminf(fmaxf(high, (float)*first), count);
}

pl_rect pl_frame_rect(const pl_frame *frame, const pleat_scene *scene)
{
    range x = {INFINITY, -INFINITY}, y = x;
    bool seen = true;
    float room = 8;
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        for (uint32_t v = 0; v < scene->drawables[i].vertex_count && seen; ++v)
        {
            seen = add_to_rect(frame, pl_load3(&scene->drawables[i].positions[v]), &x, &y);
        }
    }
    for (uint32_t i = 0; i < scene->curve_count; ++i)
    {
        room = fmaxf(room, 8 + scene->curves[i].width);
        for (uint32_t k = 0; k < scene->curves[i].point_count && seen; ++k)
        {
            seen = add_to_rect(frame, pl_from(scene->curves[i].points[k]), &x, &y);
        }
    }
    for (uint32_t i = 0; i < scene->ellipse_count && seen; ++i)
    {
        const pleat_ellipse_drawable *e = &scene->ellipses[i];
        pl_f4 reach = pl_splat(pl_length3(pl_from(e->a)) + pl_length3(pl_from(e->b)));
        for (int k = 0; k < 8 && seen; ++k)
        {
            pl_f4 side = pl_set(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1, 0);
            seen = add_to_rect(frame, pl_from(e->center) + side * reach, &x, &y);
        }
    }
    pl_rect rect = {0, 0, (int32_t)frame->size[0], (int32_t)frame->size[1]};
    if (seen && x.low <= x.high)
    {
        to_pixels(x, room, frame->size[0], &rect.left, &rect.right);
        to_pixels(y, room, frame->size[1], &rect.bottom, &rect.top);
    }
    else if (seen)
    {
        rect.right = rect.top = 0;
    }
    return rect;
}

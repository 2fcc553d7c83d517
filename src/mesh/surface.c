/* The weld: render vertices that are one point of the cloth become one surface vertex. */
#include "pleat/mesh.h"

#include "base/memory.h"
#include "base/vec.h"

#include <string.h>

typedef struct surface_object
{
    pleat_surface shown;
    pl_memory memory;
} surface_object;

enum
{
    /* Vertices tried in one place before a new one is made without a look: bounds the time on a file that puts
     * everything into one point. */
    MAX_TRIES = 256
};

pleat_surface_desc pleat_surface_desc_default(void)
{
    pleat_surface_desc desc = {0};
    desc.key_tolerance = 1e-3f;
    return desc;
}

/* The weld's work space: a hash from place to the first surface vertex there, and chains. */
typedef struct weld
{
    const pleat_surface_desc *desc;
    uint32_t *bucket; /* mask + 1: first surface vertex or PLEAT_NONE */
    uint32_t mask;
    uint32_t *next; /* surface vertex -> next in its bucket */
    uint32_t *vertex_render;
    uint32_t vertex_count;
    float inverse_cell;
} weld;

static uint32_t mix(uint32_t h, uint32_t value)
{
    h = (h ^ value) * 0x85ebca6bu;
    return h ^ (h >> 15);
}

static uint32_t hash_exact(pleat_vec3 p)
{
    float f[3] = {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}; /* -0 becomes 0 */
    uint32_t bits[3];
    memcpy(bits, f, sizeof bits);
    return mix(mix(mix(0x9e3779b9u, bits[0]), bits[1]), bits[2]);
}

static uint32_t hash_cell(const int64_t cell[3])
{
    uint32_t h = 0x9e3779b9u;
    for (int k = 0; k < 3; ++k)
    {
        h = mix(mix(h, (uint32_t)(uint64_t)cell[k]), (uint32_t)((uint64_t)cell[k] >> 32));
    }
    return h;
}

static int64_t cell_of(float x, float inverse_cell)
{
    double cell = floor((double)x * (double)inverse_cell);
    return cell < -4e18 ? INT64_MIN / 2 : cell > 4e18 ? INT64_MAX / 2 : (int64_t)cell;
}

static bool same_point(const weld *w, uint32_t render, uint32_t vertex)
{
    pleat_vec3 a = w->desc->positions[render], b = w->desc->positions[w->vertex_render[vertex]];
    float limit = w->desc->weld_distance;
    if (limit > 0)
    {
        pl_f4 d = pl_load3(&a) - pl_load3(&b);
        return pl_dot3(d, d) <= limit * limit;
    }
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_keys(const weld *w, uint32_t render, uint32_t vertex)
{
    uint32_t count = w->desc->keys ? w->desc->key_count : 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        float a = w->desc->keys[(size_t)render * count + k];
        float b = w->desc->keys[(size_t)w->vertex_render[vertex] * count + k];
        if (!(fabsf(a - b) <= w->desc->key_tolerance))
        {
            return false;
        }
    }
    return true;
}

static uint32_t find_in_bucket(const weld *w, uint32_t render, uint32_t bucket)
{
    uint32_t tries = 0;
    for (uint32_t v = w->bucket[bucket]; v != PLEAT_NONE && tries < MAX_TRIES; v = w->next[v], ++tries)
    {
        if (same_point(w, render, v) && same_keys(w, render, v))
        {
            return v;
        }
    }
    return PLEAT_NONE;
}

static uint32_t weld_vertex(weld *w, uint32_t render)
{
    pleat_vec3 p = w->desc->positions[render];
    uint32_t home;
    uint32_t found = PLEAT_NONE;
    if (w->desc->weld_distance > 0)
    {
        int64_t middle[3] = {cell_of(p.x, w->inverse_cell), cell_of(p.y, w->inverse_cell),
                             cell_of(p.z, w->inverse_cell)};
        home = hash_cell(middle) & w->mask;
        for (int n = 0; n < 27 && found == PLEAT_NONE; ++n)
        {
            int64_t cell[3] = {middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1};
            found = find_in_bucket(w, render, hash_cell(cell) & w->mask);
        }
    }
    else
    {
        home = hash_exact(p) & w->mask;
        found = find_in_bucket(w, render, home);
    }
    if (found == PLEAT_NONE)
    {
        found = w->vertex_count++;
        w->vertex_render[found] = render;
        w->next[found] = w->bucket[home];
        w->bucket[home] = found;
    }
    return found;
}

/* Gives each render vertex its smooth-group vertex: the first group of a surface vertex has the same number, and a
 * render vertex whose normal agrees with no group so far opens another. group_next, group_render: 2 x render_count. */
static uint32_t group_normals(const pleat_surface_desc *desc, const uint32_t *render_vertex, uint32_t vertex_count,
                              uint32_t *render_normal, uint32_t *group_next, uint32_t *group_render)
{
    uint32_t group_count = vertex_count;
    memset(group_next, 0xff, 2 * (size_t)desc->render_count * sizeof *group_next);
    memset(group_render, 0xff, 2 * (size_t)desc->render_count * sizeof *group_render);
    for (uint32_t r = 0; r < desc->render_count; ++r)
    {
        uint32_t group = render_vertex[r];
        pl_f4 normal = desc->normals ? pl_normalize3(pl_load3(&desc->normals[r])) : pl_splat(0);
        for (uint32_t tries = 0; desc->normals; ++tries)
        {
            if (group_render[group] == PLEAT_NONE)
            {
                group_render[group] = r;
                break;
            }
            pl_f4 other = pl_normalize3(pl_load3(&desc->normals[group_render[group]]));
            /* Under 1.8 degrees is smooth; so is a vertex that has no normal. */
            if (pl_dot3(normal, other) > 0.9995f || pl_dot3(normal, normal) == 0 || tries == MAX_TRIES)
            {
                break;
            }
            if (group_next[group] == PLEAT_NONE)
            {
                group_next[group] = group_count++;
            }
            group = group_next[group];
        }
        render_normal[r] = group;
    }
    return group_count;
}

static pleat_result check_desc(const pleat_surface_desc *desc, pleat_error *error)
{
    if (!(desc->weld_distance >= 0) || !(desc->key_tolerance >= 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "weld_distance is %g and key_tolerance %g; both must be 0 or more",
                       (double)desc->weld_distance, (double)desc->key_tolerance);
    }
    if (desc->render_count > UINT32_MAX / 4 || desc->triangle_count > UINT32_MAX / 3 - 1)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%u vertices and %u triangles are more than one surface can hold",
                       desc->render_count, desc->triangle_count);
    }
    for (uint32_t r = 0; r < desc->render_count; ++r)
    {
        if (!pl_finite3(desc->positions[r]))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "position %u is not finite", r);
        }
    }
    for (uint32_t c = 0; c < 3 * desc->triangle_count; ++c)
    {
        if (desc->triangles[c] >= desc->render_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "corner %u of triangle %u is vertex %u; there are %u", c % 3,
                           c / 3, desc->triangles[c], desc->render_count);
        }
    }
    return PLEAT_OK;
}

static uint32_t bucket_mask(uint32_t count)
{
    uint32_t size = 16;
    while (size < count && size < (1u << 30))
    {
        size *= 2;
    }
    return size - 1;
}

pleat_result pleat_surface_create(const pleat_surface_desc *desc, const pleat_host *host, pleat_surface **out,
                                  pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    surface_object *object = PL_CREATE(surface_object, host);
    if (!object)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the surface");
    }
    pleat_result result = PLEAT_OK;
    pl_memory *memory = &object->memory;
    pleat_surface *shown = &object->shown;
    uint32_t render_count = desc->render_count, corner_count = 3 * desc->triangle_count;
    uint32_t *triangles, *render_triangles, *normal_triangles, *render_vertex, *render_normal;
    uint32_t *group_next = NULL, *group_render = NULL;
    weld w = {.desc = desc, .mask = bucket_mask(render_count)};
    PL_NEW_OR_FAIL(triangles, memory, uint32_t, corner_count, error);
    shown->triangles = triangles;
    PL_NEW_OR_FAIL(render_triangles, memory, uint32_t, corner_count, error);
    shown->render_triangles = render_triangles;
    PL_NEW_OR_FAIL(normal_triangles, memory, uint32_t, corner_count, error);
    shown->normal_triangles = normal_triangles;
    PL_NEW_OR_FAIL(render_vertex, memory, uint32_t, render_count, error);
    shown->render_vertex = render_vertex;
    PL_NEW_OR_FAIL(render_normal, memory, uint32_t, render_count, error);
    shown->render_normal = render_normal;
    PL_NEW_OR_FAIL(w.vertex_render, memory, uint32_t, render_count, error);
    shown->vertex_render = w.vertex_render;
    PL_NEW_OR_FAIL(w.next, memory, uint32_t, render_count, error);
    PL_NEW_OR_FAIL(w.bucket, memory, uint32_t, (size_t)w.mask + 1, error);
    PL_NEW_OR_FAIL(group_next, memory, uint32_t, 2 * (size_t)render_count, error);
    PL_NEW_OR_FAIL(group_render, memory, uint32_t, 2 * (size_t)render_count, error);

    memset(w.bucket, 0xff, ((size_t)w.mask + 1) * sizeof *w.bucket);
    w.inverse_cell = desc->weld_distance > 0 ? 1 / desc->weld_distance : 0;
    for (uint32_t r = 0; r < render_count; ++r)
    {
        render_vertex[r] = weld_vertex(&w, r);
    }
    shown->vertex_count = w.vertex_count;
    shown->render_count = render_count;
    shown->triangle_count = desc->triangle_count;
    shown->normal_count = group_normals(desc, render_vertex, w.vertex_count, render_normal, group_next, group_render);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        render_triangles[c] = desc->triangles[c];
        triangles[c] = render_vertex[desc->triangles[c]];
        normal_triangles[c] = render_normal[desc->triangles[c]];
    }
    *out = shown;
fail:
    pl_free(memory, group_render);
    pl_free(memory, group_next);
    pl_free(memory, w.bucket);
    pl_free(memory, w.next);
    if (result != PLEAT_OK)
    {
        pleat_surface_destroy(shown);
    }
    return result;
}

void pleat_surface_destroy(pleat_surface *surface)
{
    if (!surface)
    {
        return;
    }
    surface_object *object = (surface_object *)surface;
    pl_memory *memory = &object->memory;
    pl_free(memory, surface->triangles);
    pl_free(memory, surface->render_triangles);
    pl_free(memory, surface->normal_triangles);
    pl_free(memory, surface->render_vertex);
    pl_free(memory, surface->render_normal);
    pl_free(memory, surface->vertex_render);
    PL_DESTROY(object);
}

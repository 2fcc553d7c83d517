#include "layers/folds/garment/twin.h"

#include "base/fail.h"

#include <string.h>

/* A copy lies within this of the garment, of the character's height. A level of detail is farther off, by as much as
 * its edges cut corners; it says so in its name. */
#define COPY 2e-4f
#define DETAIL 0.01f
/* As many of its vertices as this do. */
#define MOST 0.9f
/* A patch or a pocket lies as close, but is smaller than this part of the garment's area. */
#define PATCH 0.1f

/* ---- Places ---- */

static pl_f4 corner_cross(const pleat_vec4 *positions, const uint32_t *corner)
{
    pl_f4 a = pl_load(&positions[corner[0]]);
    return pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a);
}

static double area_of(const pleat_vec4 *positions, uint32_t triangle_count, const uint32_t *triangles)
{
    double sum = 0;
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        sum += 0.5 * (double)pl_length3(corner_cross(positions, triangles + 3 * (size_t)t));
    }
    return sum;
}

pleat_result pl_fold_twins_make(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena, pl_fold_twins *out,
                                pleat_error *error)
{
    const pleat_mesh *mesh = &cloth->model->meshes[cloth->model->nodes[cloth->node].mesh];
    uint32_t vertices = 0, triangles = 0;
    *out = (pl_fold_twins){.cloth = cloth};
    for (uint32_t i = 0; i < mesh->primitive_count; ++i)
    {
        vertices += mesh->primitives[i].vertex_count;
        triangles += mesh->primitives[i].triangle_count;
    }
    pleat_vec4 *positions = PL_ARENA_NEW(arena, pleat_vec4, vertices);
    uint32_t *corners = PL_ARENA_NEW(arena, uint32_t, 3 * (size_t)triangles);
    if (!positions || !corners)
    {
        return pl_fail_memory(arena->memory, error, "copies of a garment");
    }
    uint32_t vertex = 0, corner = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; ++i)
    {
        const pleat_primitive *p = &mesh->primitives[i];
        for (uint32_t c = 0; c < 3 * p->triangle_count; ++c)
        {
            corners[corner++] = vertex + p->triangles[c];
        }
        for (uint32_t v = 0; v < p->vertex_count; ++v)
        {
            pl_store(&positions[vertex++], pl_affine_point(&cloth->to_rest, pl_load3(&p->positions[v])));
        }
    }
    out->area = area_of(positions, triangles, corners);
    return pleat_bvh_create(vertices, positions, triangles, corners, host, &out->bvh, error);
}

void pl_fold_twins_release(pl_fold_twins *twins)
{
    pleat_bvh_destroy(twins->bvh);
    twins->bvh = NULL;
}

/* ---- Names ---- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Where a name says "lod" and a number, and how long that is; 0: nowhere. */
static size_t find_detail(const char *name, size_t *at)
{
    for (size_t i = 0; name[i]; ++i)
    {
        size_t length = 3;
        if (lower(name[i]) != 'l' || lower(name[i + 1]) != 'o' || lower(name[i + 2]) != 'd')
        {
            continue;
        }
        length += name[i + length] == '_' || name[i + length] == ' ' || name[i + length] == '-';
        size_t digits = strspn(name + i + length, "0123456789");
        if (digits)
        {
            *at = i;
            return length + digits;
        }
    }
    return 0;
}

static bool is_letter(char c)
{
    c = lower(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 128;
}

/* The next letter or digit of a name past its level of detail; 0 at the end. */
static char next_letter(const char *name, size_t skip_at, size_t skip, size_t *i)
{
    while (name[*i] && (!is_letter(name[*i]) || (*i >= skip_at && *i < skip_at + skip)))
    {
        ++*i;
    }
    return name[*i] ? name[(*i)++] : 0;
}

/* Are two names the same but for a level of detail, which one of them has? */
static bool differ_in_detail(const char *a, const char *b)
{
    size_t at[2] = {0, 0}, skip[2] = {find_detail(a, &at[0]), find_detail(b, &at[1])}, i = 0, j = 0;
    if (!skip[0] && !skip[1])
    {
        return false;
    }
    for (;;)
    {
        char x = next_letter(a, at[0], skip[0], &i), y = next_letter(b, at[1], skip[1], &j);
        if (lower(x) != lower(y))
        {
            return false;
        }
        if (!x)
        {
            return true;
        }
    }
}

static bool is_detail(const pleat_model *model, uint32_t node, uint32_t other)
{
    const pleat_node *a = &model->nodes[node], *b = &model->nodes[other];
    return differ_in_detail(a->name, b->name) ||
           differ_in_detail(model->meshes[a->mesh].name, model->meshes[b->mesh].name);
}

/* ---- Copies ---- */

bool pl_fold_is_twin(const pl_fold_twins *twins, uint32_t node, const pl_fold_worn *worn, uint32_t vertex_count)
{
    const pleat_cloth *cloth = twins->cloth;
    float reach = (is_detail(cloth->model, cloth->node, node) ? DETAIL : COPY) * cloth->height;
    pleat_affine back;
    uint32_t near = 0;
    if (!pl_affine_inverse(&worn->ways[0], &back))
    {
        return false;
    }
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        pl_f4 place = pl_affine_point(&back, pl_load(&worn->positions[v]));
        near += pleat_bvh_nearest(twins->bvh, pl_to(place), reach).triangle != PLEAT_NONE;
        if ((float)(v + 1 - near) > (1 - MOST) * (float)vertex_count)
        {
            return false;
        }
    }
    double scale = cbrt(fabs((double)pl_affine_determinant(&back)));
    return area_of(worn->positions, worn->triangle_count, worn->triangles) * scale * scale >=
           (double)PATCH * twins->area;
}

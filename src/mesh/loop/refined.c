#include "mesh/loop/refined.h"

#include <string.h>

static void free_triangle_lists(pl_refined_lists *r)
{
    pl_free(r->memory, r->triangles);
    pl_free(r->memory, r->render_triangles);
    pl_free(r->memory, r->coarse_triangle);
    pl_free(r->memory, r->triangle_level);
    r->triangles = r->render_triangles = r->coarse_triangle = NULL;
    r->triangle_level = NULL;
}

void pl_refined_free(pl_refined_lists *r)
{
    free_triangle_lists(r);
    pl_free(r->memory, r->vertex_triangle);
    pl_free(r->memory, r->vertex_barycentric);
    pl_free(r->memory, r->render_vertex);
}

/* Grows a list to count entries, or returns the error. */
#define GROW(r, list, count)                                                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        void *grown = (list) ? pl_realloc((r)->memory, (list), (count), sizeof *(list))                                \
                             : pl_alloc((r)->memory, (count), sizeof *(list));                                         \
        if (!grown)                                                                                                    \
        {                                                                                                              \
            return pl_fail_memory((r)->memory, (r)->error, "the refined mesh");                                        \
        }                                                                                                              \
        (list) = grown;                                                                                                \
    } while (0)

static pleat_result grow_triangles(pl_refined_lists *r, uint64_t more)
{
    uint64_t count = r->triangle_count + more;
    if (count > UINT32_MAX / 3 - 1)
    {
        return pl_fail(r->error, PLEAT_OVER_LIMIT, "level is too high: the refined mesh has over 1431655764 triangles");
    }
    GROW(r, r->triangles, 3 * count);
    GROW(r, r->coarse_triangle, count);
    GROW(r, r->triangle_level, count);
    if (r->has_render)
    {
        GROW(r, r->render_triangles, 3 * count);
    }
    return PLEAT_OK;
}

/* A triangle with some of its edges split, as corners 0..2 and middles 3..5 of its edges. One middle: cut in two; two:
 * in three; three: in four. Vertex numbers decide which way a
 * quad is cut. */
static uint32_t close_triangle(const pl_loop_level *surface, uint32_t t, uint8_t pieces[4][3])
{
    bool split[3];
    uint32_t split_count = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        split[k] = pl_loop_is_split(surface, 3 * t + k);
        split_count += split[k];
    }
    /* Turn so that the first edge (and with two, the second) is split. */
    uint32_t k0 = 0;
    while (split_count > 0 && split_count < 3 && !(split[k0] && (split_count == 1 || split[(k0 + 1) % 3])))
    {
        ++k0;
    }
    uint8_t k = (uint8_t)k0, k1 = (uint8_t)((k0 + 1) % 3), k2 = (uint8_t)((k0 + 2) % 3);
    uint8_t m = (uint8_t)(3 + k), m1 = (uint8_t)(3 + k1), m2 = (uint8_t)(3 + k2);
    static const uint8_t whole[3] = {0, 1, 2};
    memcpy(pieces[0], whole, 3);
    if (split_count == 1)
    {
        memcpy(pieces, (uint8_t[2][3]){{k, m, k2}, {m, k1, k2}}, 6);
    }
    else if (split_count == 2)
    {
        bool from_first = surface->corner_vertex[3 * t + k] < surface->corner_vertex[3 * t + k2];
        memcpy(pieces[0], (uint8_t[3]){m, k1, m1}, 3);
        memcpy(pieces[1], from_first ? (uint8_t[3]){k, m, m1} : (uint8_t[3]){m, m1, k2}, 3);
        memcpy(pieces[2], from_first ? (uint8_t[3]){k, m1, k2} : (uint8_t[3]){k, m, k2}, 3);
    }
    else if (split_count == 3)
    {
        memcpy(pieces, (uint8_t[4][3]){{k, m, m2}, {m, k1, m1}, {m2, m1, k2}, {m, m1, m2}}, 12);
    }
    return split_count + 1;
}

static uint32_t piece_vertex(const pl_loop_level *level, uint32_t t, uint8_t place)
{
    return place < 3 ? level->corner_vertex[3 * t + place] : level->edge_middle[level->corner_edge[3 * t + place - 3u]];
}

/* All triangles of a level, and none before: their lists become the refined mesh's. */
static pleat_result take_triangles(pl_refined_lists *r, pl_loop_triangles *triangles, pl_loop_level levels[2],
                                   uint32_t l)
{
    free_triangle_lists(r); /* lists of nothing */
    GROW(r, r->triangle_level, triangles->count);
    memset(r->triangle_level, (int)l, triangles->count);
    r->triangle_count = triangles->count;
    r->triangles = levels[0].corner_vertex;
    r->render_triangles = levels[1].corner_vertex;
    r->coarse_triangle = triangles->coarse;
    levels[0].corner_vertex = levels[1].corner_vertex = NULL;
    triangles->coarse = NULL;
    r->level_count = 1;
    return PLEAT_OK;
}

pleat_result pl_refined_keep(pl_refined_lists *r, pl_loop_triangles *triangles, pl_loop_level levels[2], uint32_t l)
{
    bool is_last = levels[0].corner_edge == NULL;
    if (is_last && r->triangle_count == 0)
    {
        return take_triangles(r, triangles, levels, l);
    }
    uint64_t piece_count = triangles->count - triangles->split_count;
    for (uint32_t i = 0, t = 0; !is_last && t < triangles->count; ++t)
    {
        if (i < triangles->split_count && triangles->split[i] == t)
        {
            ++i;
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            piece_count += pl_loop_is_split(&levels[0], 3 * t + k);
        }
    }
    PL_TRY(grow_triangles(r, piece_count));
    uint32_t n = r->triangle_count;
    for (uint32_t i = 0, t = 0; t < triangles->count; ++t)
    {
        if (i < triangles->split_count && triangles->split[i] == t)
        {
            ++i;
            continue;
        }
        uint8_t pieces[4][3] = {{0, 1, 2}};
        uint32_t count = is_last ? 1 : close_triangle(&levels[0], t, pieces);
        for (uint32_t p = 0; p < count; ++p, ++n)
        {
            r->coarse_triangle[n] = triangles->coarse[t];
            r->triangle_level[n] = (uint8_t)l;
            for (uint32_t k = 0; k < 3; ++k)
            {
                r->triangles[3 * n + k] = piece_vertex(&levels[0], t, pieces[p][k]);
                if (r->has_render)
                {
                    r->render_triangles[3 * n + k] = piece_vertex(&levels[1], t, pieces[p][k]);
                }
            }
        }
    }
    r->level_count += n > r->triangle_count;
    r->triangle_count = n;
    return PLEAT_OK;
}

/* ---- Vertices of the refined mesh ---- */

static void place_vertex(pl_refined_lists *r, uint32_t vertex, uint32_t coarse, float x, float y)
{
    float *barycentric = r->vertex_barycentric + 3 * (size_t)vertex;
    r->vertex_triangle[vertex] = coarse;
    barycentric[0] = x;
    barycentric[1] = y;
    barycentric[2] = 1.0f - x - y;
}

static pleat_result grow_vertices(pl_refined_lists *r, uint32_t vertex_count, uint32_t render_count)
{
    GROW(r, r->vertex_triangle, vertex_count);
    GROW(r, r->vertex_barycentric, 3 * (size_t)vertex_count);
    for (uint32_t v = r->vertex_count; v < vertex_count; ++v)
    {
        r->vertex_triangle[v] = PLEAT_NONE;
    }
    r->vertex_count = vertex_count;
    if (r->has_render)
    {
        GROW(r, r->render_vertex, render_count);
        for (uint32_t v = r->render_count; v < render_count; ++v)
        {
            r->render_vertex[v] = PLEAT_NONE;
        }
        r->render_count = render_count;
    }
    return PLEAT_OK;
}

pleat_result pl_refined_begin(pl_refined_lists *r, const pleat_loop_desc *desc, const pl_loop_level *surface)
{
    PL_TRY(grow_vertices(r, desc->vertex_count, desc->render_count));
    /* A degenerate triangle only where there is no other. */
    for (uint64_t i = 0; i < 6 * (uint64_t)desc->triangle_count; ++i)
    {
        bool again = i >= 3 * (uint64_t)desc->triangle_count;
        uint32_t corner = (uint32_t)(again ? i - 3 * (uint64_t)desc->triangle_count : i);
        uint32_t v = desc->triangles[corner];
        if (r->vertex_triangle[v] == PLEAT_NONE && (again || surface->corner_edge[corner] != PLEAT_NONE))
        {
            place_vertex(r, v, corner / 3, corner % 3 == 0 ? 1.0f : 0.0f, corner % 3 == 1 ? 1.0f : 0.0f);
        }
    }
    if (!r->has_render)
    {
        return PLEAT_OK;
    }
    if (desc->render_vertex)
    {
        memcpy(r->render_vertex, desc->render_vertex, desc->render_count * sizeof *desc->render_vertex);
    }
    for (uint32_t corner = 0; corner < 3 * desc->triangle_count; ++corner)
    {
        uint32_t v = desc->triangles[corner], render = desc->render_triangles[corner];
        if (r->render_vertex[render] == PLEAT_NONE)
        {
            r->render_vertex[render] = v;
        }
        if (r->render_vertex[render] != v)
        {
            return pl_fail(r->error, PLEAT_BAD_ARGUMENT,
                           "render vertex %u belongs to surface vertex %u and, in triangle %u, to %u; it can have one",
                           render, r->render_vertex[render], corner / 3, v);
        }
    }
    return PLEAT_OK;
}

pleat_result pl_refined_place(pl_refined_lists *r, const pl_loop_triangles *triangles, const pl_loop_level levels[2],
                              uint32_t l)
{
    const pl_loop_level *surface = &levels[PLEAT_LOOP_SURFACE];
    const pl_loop_level *render = &levels[PLEAT_LOOP_RENDER];
    PL_TRY(grow_vertices(r, surface->vertex_count + surface->split_count, render->vertex_count + render->split_count));
    float unit = 1.0f / (float)(2u << l);
    for (uint32_t i = 0; i < surface->split_count; ++i)
    {
        uint32_t corner = surface->edge_corner[surface->middle_edge[i]][0];
        const pl_loop_grid *grid = triangles->grid[corner / 3];
        pl_loop_grid a = grid[corner % 3], b = grid[(corner + 1) % 3];
        place_vertex(r, surface->vertex_count + i, triangles->coarse[corner / 3], (float)(a.x + b.x) * unit,
                     (float)(a.y + b.y) * unit);
    }
    for (uint32_t i = 0; i < render->split_count; ++i)
    {
        uint32_t corner = render->edge_corner[render->middle_edge[i]][0];
        r->render_vertex[render->vertex_count + i] = surface->edge_middle[surface->corner_edge[corner]];
    }
    return PLEAT_OK;
}

/* ---- Handing over ---- */

/* Stable, by coarse triangle: what was kept level by level comes to lie together. */
static pleat_result sort_triangles(pl_refined_lists *r, uint32_t coarse_count)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = r->triangle_count;
    pl_refined_lists sorted = {.memory = r->memory, .error = r->error, .has_render = r->has_render};
    uint32_t *start = NULL;
    PL_NEW_OR_FAIL(start, r->memory, uint32_t, (size_t)coarse_count + 1, r->error);
    result = grow_triangles(&sorted, count);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        ++start[r->coarse_triangle[t] + 1];
    }
    for (uint32_t t = 0; t < coarse_count; ++t)
    {
        start[t + 1] += start[t];
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        uint32_t to = start[r->coarse_triangle[t]]++;
        sorted.coarse_triangle[to] = r->coarse_triangle[t];
        sorted.triangle_level[to] = r->triangle_level[t];
        memcpy(sorted.triangles + 3 * (size_t)to, r->triangles + 3 * (size_t)t, 3 * sizeof(uint32_t));
        if (r->has_render)
        {
            memcpy(sorted.render_triangles + 3 * (size_t)to, r->render_triangles + 3 * (size_t)t, 3 * sizeof(uint32_t));
        }
    }
    free_triangle_lists(r);
    r->triangles = sorted.triangles;
    r->render_triangles = sorted.render_triangles;
    r->coarse_triangle = sorted.coarse_triangle;
    r->triangle_level = sorted.triangle_level;
    sorted = (pl_refined_lists){.memory = r->memory};
fail:
    pl_free(r->memory, start);
    free_triangle_lists(&sorted);
    return result;
}

pleat_result pl_refined_finish(pl_refined_lists *r, uint32_t coarse_count, pleat_refined *out)
{
    if (r->level_count > 1)
    {
        PL_TRY(sort_triangles(r, coarse_count));
    }
    *out = (pleat_refined){.vertex_count = r->vertex_count,
                           .render_count = r->render_count,
                           .triangle_count = r->triangle_count,
                           .triangles = r->triangles,
                           .render_triangles = r->render_triangles,
                           .render_vertex = r->render_vertex,
                           .coarse_triangle = r->coarse_triangle,
                           .triangle_level = r->triangle_level,
                           .vertex_triangle = r->vertex_triangle,
                           .vertex_barycentric = r->vertex_barycentric};
    *r = (pl_refined_lists){.memory = r->memory};
    return PLEAT_OK;
}

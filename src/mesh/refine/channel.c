#include "mesh/refine/channel.h"

#include "mesh/loop/place.h"

#include <string.h>

/* The channel's vertices that stand at one surface vertex, in a list: told apart by the ends of the coarse edge that
 * they lie on. */
typedef struct variant
{
    uint32_t low, high; /* of the channel; PLEAT_NONE inside a triangle */
    uint32_t next;      /* PLEAT_NONE: the last */
} variant;

typedef struct channel_maker
{
    const pl_channel_desc *desc;
    pl_refined_surface places;
    uint32_t *first; /* by new surface vertex: a variant, or PLEAT_NONE */
    uint32_t count, room;
    variant *variants;
    pl_channel_vertex *vertices; /* the same numbers */
    pl_memory *memory;
} channel_maker;

static pleat_result grow(channel_maker *m, pleat_error *error)
{
    uint32_t room = m->room ? 2 * m->room : 1024;
    variant *variants = pl_realloc(m->memory, m->variants, room, sizeof *variants);
    m->variants = variants ? variants : m->variants;
    pl_channel_vertex *vertices = pl_realloc(m->memory, m->vertices, room, sizeof *vertices);
    m->vertices = vertices ? vertices : m->vertices;
    m->room = variants && vertices ? room : m->room;
    return variants && vertices ? PLEAT_OK : pl_fail_memory(m->memory, error, "a channel of the refined mesh");
}

/* The channel's vertex at a corner of a coarse triangle that has a coarse surface vertex. */
static uint32_t corner_of(const channel_maker *m, uint32_t coarse, uint32_t vertex, uint32_t k)
{
    const uint32_t *surface = m->desc->coarse_surface + 3 * (size_t)coarse;
    for (uint32_t i = 0; i < 3 && surface[k] != vertex; ++i)
    {
        k = (k + 1) % 3;
    }
    return m->desc->coarse_channel[3 * (size_t)coarse + k];
}

static pleat_result find_fresh(channel_maker *m, uint32_t vertex, uint32_t coarse, uint32_t *out, pleat_error *error)
{
    const uint32_t *channel = m->desc->coarse_channel + 3 * (size_t)coarse;
    pl_channel_vertex fresh = {.vertex = vertex};
    memcpy(fresh.corner, channel, sizeof fresh.corner);
    pl_refined_barycentric(&m->places, vertex, coarse, fresh.share);
    variant own = {PLEAT_NONE, PLEAT_NONE, PLEAT_NONE};
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (fresh.share[k] == 0)
        {
            uint32_t a = channel[(k + 1) % 3], b = channel[(k + 2) % 3];
            own.low = a < b ? a : b;
            own.high = a < b ? b : a;
        }
    }
    uint32_t *first = &m->first[vertex - m->desc->coarse_count];
    for (uint32_t at = *first; at != PLEAT_NONE; at = m->variants[at].next)
    {
        if (m->variants[at].low == own.low && m->variants[at].high == own.high)
        {
            *out = m->desc->count + at;
            return PLEAT_OK;
        }
    }
    if (m->count == m->room)
    {
        PL_TRY(grow(m, error));
    }
    own.next = *first;
    *first = m->count;
    m->variants[m->count] = own;
    m->vertices[m->count] = fresh;
    *out = m->desc->count + m->count++;
    return PLEAT_OK;
}

static pleat_result fill(channel_maker *m, uint32_t *triangles, pleat_error *error)
{
    const pleat_refined *refined = m->desc->refined;
    for (uint32_t c = 0; c < 3 * refined->triangle_count; ++c)
    {
        uint32_t vertex = refined->triangles[c], coarse = refined->coarse_triangle[c / 3];
        if (vertex < m->desc->coarse_count)
        {
            triangles[c] = corner_of(m, coarse, vertex, c % 3);
        }
        else
        {
            PL_TRY(find_fresh(m, vertex, coarse, &triangles[c], error));
        }
    }
    return PLEAT_OK;
}

pleat_result pl_channel_make(const pl_channel_desc *desc, pl_memory *memory, uint32_t *triangles, uint32_t *fresh_count,
                             pl_arena *arena, pl_channel_vertex **fresh, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_refined *refined = desc->refined;
    uint32_t made = refined->vertex_count - desc->coarse_count;
    channel_maker m = {.desc = desc,
                       .places = {desc->coarse_surface, refined->triangle_count, refined->triangles,
                                  refined->coarse_triangle, refined->vertex_triangle, refined->vertex_barycentric},
                       .memory = memory};
    PL_NEW_OR_FAIL(m.first, memory, uint32_t, made, error);
    memset(m.first, 0xff, made * sizeof *m.first);
    result = fill(&m, triangles, error);
    *fresh_count = m.count;
    if (result == PLEAT_OK && fresh)
    {
        PL_ARENA_NEW_OR_FAIL(*fresh, arena, pl_channel_vertex, m.count, error);
        for (uint32_t i = 0; i < m.count; ++i) /* there may be none, and no list of them */
        {
            (*fresh)[i] = m.vertices[i];
        }
    }
fail:
    pl_free(memory, m.vertices);
    pl_free(memory, m.variants);
    pl_free(memory, m.first);
    return result;
}

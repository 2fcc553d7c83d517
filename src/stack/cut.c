#include "stack/cut.h"

#include "stack/line.h"
#include "base/vec.h"
#include "mesh/embed/embed.h"
#include "mesh/loop/place.h"

#include <string.h>

/* Nearer to a vertex or an edge than this share of a triangle, a line goes through it. Triangles with larger shares
 * are better, lines with smaller ones truer: at four edges a width this is a fiftieth of it. */
static const float SNAP = 0.08f;

/* ---- A channel ---- */

/* The vertex of a channel that stands at a surface vertex of a refined triangle. */
static uint32_t corner_of(const uint32_t *surface, const uint32_t *channel, uint32_t vertex)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (surface[k] == vertex)
        {
            return channel[k];
        }
    }
    return PLEAT_NONE;
}

/* A new vertex of the surface may be two of a channel: one for each side of an edge where the channel is split. They
 * are told apart by what they are means of. */
typedef struct made_vertex
{
    uint32_t index[2]; /* PLEAT_NONE: not made yet */
} made_vertex;

static uint32_t make_vertex(const pl_stack_cut *cut, const pleat_refined *refined, const uint32_t *triangles,
                            uint32_t fresh, uint32_t source, made_vertex *made, pl_cut_channel *channel)
{
    const uint32_t *from = cut->surface.corners + 3 * (size_t)fresh;
    const float *shares = cut->surface.shares + 3 * (size_t)fresh;
    uint32_t corner[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        /* A corner without a share may belong to the triangle on the other side. */
        corner[k] = corner_of(refined->triangles + 3 * (size_t)source, triangles + 3 * (size_t)source, from[k]);
        corner[k] = shares[k] > 0 ? corner[k] : triangles[3 * (size_t)source];
    }
    for (uint32_t side = 0; side < 2; ++side)
    {
        uint32_t index = made->index[side];
        if (index == PLEAT_NONE)
        {
            index = made->index[side] = channel->count++ - channel->old_count;
            memcpy(channel->corners + 3 * (size_t)index, corner, sizeof corner);
            memcpy(channel->shares + 3 * (size_t)index, shares, 3 * sizeof *shares);
            channel->vertex[index] = cut->surface.old_count + fresh;
            return channel->old_count + index;
        }
        const uint32_t *known = channel->corners + 3 * (size_t)index;
        bool same = true;
        for (uint32_t k = 0; k < 3; ++k)
        {
            same &= shares[k] == 0 || known[k] == corner[k];
        }
        if (same)
        {
            return channel->old_count + index;
        }
    }
    return channel->old_count + made->index[0];
}

pleat_result pl_stack_cut_channel(const pl_stack_cut *cut, const pleat_refined *refined, uint32_t count,
                                  const uint32_t *triangles, pl_arena *arena, pl_cut_channel *channel,
                                  pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t old = cut->surface.old_count, fresh = cut->vertex_count - old;
    made_vertex *made = NULL;
    *channel = (pl_cut_channel){.old_count = count, .count = count};
    PL_ARENA_NEW_OR_FAIL(channel->triangles, arena, uint32_t, 3 * (size_t)cut->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(channel->corners, arena, uint32_t, 6 * (size_t)fresh, error);
    PL_ARENA_NEW_OR_FAIL(channel->shares, arena, float, 6 * (size_t)fresh, error);
    PL_ARENA_NEW_OR_FAIL(channel->vertex, arena, uint32_t, 2 * (size_t)fresh, error);
    PL_NEW_OR_FAIL(made, arena->memory, made_vertex, fresh, error);
    memset(made, 0xff, fresh * sizeof *made);
    for (uint32_t c = 0; c < 3 * cut->triangle_count; ++c)
    {
        uint32_t vertex = cut->surface.triangles[c], source = cut->source[c / 3];
        channel->triangles[c] =
            vertex < old ? corner_of(refined->triangles + 3 * (size_t)source, triangles + 3 * (size_t)source, vertex)
                         : make_vertex(cut, refined, triangles, vertex - old, source, &made[vertex - old], channel);
    }
fail:
    pl_free(arena->memory, made);
    return result;
}

void pl_cut_channel_points(const pl_cut_channel *channel, pleat_vec4 *points)
{
    for (uint32_t i = 0; i < channel->count - channel->old_count; ++i)
    {
        const uint32_t *corner = channel->corners + 3 * (size_t)i;
        const float *share = channel->shares + 3 * (size_t)i;
        pl_store(&points[channel->old_count + i], pl_load(&points[corner[0]]) * pl_splat(share[0]) +
                                                      pl_load(&points[corner[1]]) * pl_splat(share[1]) +
                                                      pl_load(&points[corner[2]]) * pl_splat(share[2]));
    }
}

void pl_cut_channel_values(const pl_cut_channel *channel, uint32_t width, float *values)
{
    for (uint32_t i = 0; i < channel->count - channel->old_count; ++i)
    {
        for (uint32_t j = 0; j < width; ++j)
        {
            float sum = 0;
            for (uint32_t k = 0; k < 3; ++k)
            {
                size_t row = channel->corners[3 * (size_t)i + k];
                sum += channel->shares[3 * (size_t)i + k] * values[row * width + j];
            }
            values[(size_t)(channel->old_count + i) * width + j] = sum;
        }
    }
}

enum
{
    MOST_INFLUENCES = 3 * 8
};

void pl_cut_channel_weights(const pl_cut_channel *channel, uint32_t width, uint16_t *joints, float *weights)
{
    for (uint32_t i = 0; i < channel->count - channel->old_count; ++i)
    {
        uint16_t joint[MOST_INFLUENCES];
        float weight[MOST_INFLUENCES], sum = 0;
        uint32_t count = 0;
        for (uint32_t k = 0; k < 3 * width; ++k)
        {
            size_t row = (size_t)channel->corners[3 * (size_t)i + k / width] * width + k % width;
            float share = channel->shares[3 * (size_t)i + k / width] * weights[row];
            uint32_t at = 0;
            while (at < count && joint[at] != joints[row])
            {
                ++at;
            }
            weight[at] = at < count ? weight[at] + share : share;
            joint[at] = joints[row];
            count += at == count;
        }
        size_t out = (size_t)(channel->old_count + i) * width;
        for (uint32_t k = 0; k < width; ++k)
        {
            uint32_t best = 0;
            for (uint32_t j = 1; j < count; ++j)
            {
                best = weight[j] > weight[best] ? j : best;
            }
            joints[out + k] = weight[best] > 0 ? joint[best] : 0;
            weights[out + k] = weight[best];
            sum += weight[best];
            weight[best] = 0;
        }
        for (uint32_t k = 0; k < width && sum > 0; ++k)
        {
            weights[out + k] /= sum;
        }
    }
}

/* ---- The cut ---- */

/* The surface's own channel, and where everything is on the coarse surface. */
static pleat_result take_surface(const pl_stack_cut_desc *desc, const pl_embedded *embedded, pl_arena *arena,
                                 pl_stack_cut *cut, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_refined *refined = desc->refined;
    uint32_t old = refined->vertex_count, fresh = embedded->vertex_count - old;
    pl_refined_surface places = {desc->coarse_triangles,   refined->triangle_count,  refined->triangles,
                                 refined->coarse_triangle, refined->vertex_triangle, refined->vertex_barycentric};
    pl_cut_channel *surface = &cut->surface;
    *surface = (pl_cut_channel){.old_count = old, .count = embedded->vertex_count};
    PL_ARENA_NEW_OR_FAIL(surface->triangles, arena, uint32_t, 3 * (size_t)embedded->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(surface->corners, arena, uint32_t, 3 * (size_t)fresh, error);
    PL_ARENA_NEW_OR_FAIL(surface->shares, arena, float, 3 * (size_t)fresh, error);
    PL_ARENA_NEW_OR_FAIL(cut->coarse_triangle, arena, uint32_t, embedded->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(cut->vertex_triangle, arena, uint32_t, embedded->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(cut->vertex_barycentric, arena, float, 3 * (size_t)embedded->vertex_count, error);
    memcpy(surface->triangles, embedded->triangles, 3 * (size_t)embedded->triangle_count * sizeof *surface->triangles);
    memcpy(cut->vertex_triangle, refined->vertex_triangle, old * sizeof *cut->vertex_triangle);
    memcpy(cut->vertex_barycentric, refined->vertex_barycentric, 3 * (size_t)old * sizeof *cut->vertex_barycentric);
    for (uint32_t t = 0; t < embedded->triangle_count; ++t)
    {
        cut->coarse_triangle[t] = refined->coarse_triangle[embedded->source[t]];
    }
    for (uint32_t i = 0; i < fresh; ++i)
    {
        const pleat_place *place = &embedded->places[old + i];
        const uint32_t *corner = refined->triangles + 3 * (size_t)place->triangle;
        float *out = cut->vertex_barycentric + 3 * (size_t)(old + i);
        cut->vertex_triangle[old + i] = refined->coarse_triangle[place->triangle];
        memcpy(surface->corners + 3 * (size_t)i, corner, 3 * sizeof *corner);
        memcpy(surface->shares + 3 * (size_t)i, place->barycentric, sizeof place->barycentric);
        for (uint32_t k = 0; k < 3; ++k)
        {
            float b[3];
            pl_refined_barycentric(&places, corner[k], cut->vertex_triangle[old + i], b);
            for (uint32_t j = 0; j < 3; ++j)
            {
                out[j] += place->barycentric[k] * b[j];
            }
        }
    }
    cut->source = embedded->source;
    cut->vertex_count = embedded->vertex_count;
    cut->triangle_count = embedded->triangle_count;
fail:
    return result;
}

pleat_result pl_stack_cut_make(const pl_stack_cut_desc *desc, pl_arena *arena, pl_stack_cut *cut, pleat_error *error)
{
    pl_stack_lines lines;
    pl_embedded embedded;
    *cut = (pl_stack_cut){0};
    pleat_result result = pl_stack_lines_make(desc, arena->memory, &lines, error);
    if (result == PLEAT_OK)
    {
        pl_embed_desc embed = {desc->topology, desc->rest, lines.line_count, lines.first_place, lines.places, SNAP};
        result = pl_embed(&embed, arena, &embedded, error);
    }
    pl_stack_lines_free(&lines);
    if (result == PLEAT_OK && embedded.vertex_count > desc->refined->vertex_count)
    {
        const pleat_refined *refined = desc->refined;
        PL_TRY(take_surface(desc, &embedded, arena, cut, error));
        result = pl_stack_cut_channel(cut, refined, refined->render_count, refined->render_triangles, arena,
                                      &cut->render, error);
    }
    return result;
}

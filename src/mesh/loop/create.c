/* Building a loop: level by level, both channels on the same triangles, and the refined mesh with its seams between
 * levels closed. */
#include "mesh/loop/loop.h"
#include "mesh/loop/mark.h"
#include "mesh/loop/refined.h"

#include <string.h>

pleat_loop_desc pleat_loop_desc_default(void)
{
    return (pleat_loop_desc){.level = 1};
}

/* ---- Checks ---- */

static pleat_result check_render(const pleat_loop_desc *desc, pleat_error *error)
{
    if (desc->render_count == 0)
    {
        return PLEAT_OK;
    }
    if (!desc->render_triangles && desc->triangle_count > 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "render_triangles is NULL with %u render vertices; give both or none",
                       desc->render_count);
    }
    for (uint32_t i = 0; desc->render_vertex && i < desc->render_count; ++i)
    {
        if (desc->render_vertex[i] >= desc->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "render_vertex %u is surface vertex %u; there are %u", i,
                           desc->render_vertex[i], desc->vertex_count);
        }
    }
    return PLEAT_OK;
}

static pleat_result check(const pleat_loop_desc *desc, pleat_error *error)
{
    if (!desc->triangles && desc->triangle_count > 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "triangles is NULL with %u triangles", desc->triangle_count);
    }
    if (desc->level > PL_LOOP_MAX_LEVEL)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "level is %u; it can be 0 to %d", desc->level, PL_LOOP_MAX_LEVEL);
    }
    return check_render(desc, error);
}

/* ---- Level by level ---- */

enum
{
    ABOVE,
    HERE,
    BELOW,
    LEVELS_AT_WORK
};

typedef struct creation
{
    pleat_loop *loop;
    pl_memory *memory;
    const pleat_loop_desc *desc;
    pleat_error *error;
    uint32_t channel_count;
    bool is_local;
    pl_loop_marks marks;
    pl_loop_triangles triangles[LEVELS_AT_WORK];
    pl_loop_level levels[LEVELS_AT_WORK][PL_LOOP_CHANNELS];
    pl_refined_lists refined;
} creation;

static void free_level(creation *c, uint32_t which)
{
    pl_free(c->memory, c->triangles[which].coarse);
    pl_free(c->memory, c->triangles[which].grid);
    pl_free(c->memory, c->triangles[which].split);
    c->triangles[which] = (pl_loop_triangles){0};
    pl_loop_level_free(c->memory, &c->levels[which][PLEAT_LOOP_SURFACE]);
    pl_loop_level_free(c->memory, &c->levels[which][PLEAT_LOOP_RENDER]);
}

static void go_down(creation *c)
{
    free_level(c, ABOVE);
    for (uint32_t i = ABOVE; i < BELOW; ++i)
    {
        c->triangles[i] = c->triangles[i + 1];
        memcpy(c->levels[i], c->levels[i + 1], sizeof c->levels[i]);
    }
    c->triangles[BELOW] = (pl_loop_triangles){0};
    memset(c->levels[BELOW], 0, sizeof c->levels[BELOW]);
}

static pleat_result new_triangles(creation *c, uint32_t which, uint32_t count, bool has_grid)
{
    pl_loop_triangles *triangles = &c->triangles[which];
    triangles->count = count;
    triangles->coarse = PL_NEW(c->memory, uint32_t, count);
    triangles->grid = has_grid ? pl_alloc(c->memory, count, sizeof *triangles->grid) : NULL;
    if (!triangles->coarse || (has_grid && !triangles->grid))
    {
        return pl_fail_memory(c->memory, c->error, "the triangles of a subdivision level");
    }
    return PLEAT_OK;
}

static pleat_result new_topology(creation *c, uint32_t vertex_count, const uint32_t *triangles,
                                 pleat_topology **topology)
{
    pleat_host host = pleat_host_default();
    host.allocator = c->memory->allocator;
    host.memory_limit = c->memory->limit - c->memory->used;
    return pleat_topology_create(vertex_count, c->desc->triangle_count, triangles, &host, topology, c->error);
}

static pleat_result begin_surface(creation *c)
{
    pleat_topology *topology;
    PL_TRY(new_topology(c, c->desc->vertex_count, c->desc->triangles, &topology));
    pleat_result result =
        pl_loop_level_first(c->memory, topology, PLEAT_LOOP_SURFACE, &c->levels[HERE][PLEAT_LOOP_SURFACE], c->error);
    if (result == PLEAT_OK && c->is_local)
    {
        result = pl_loop_mark(c->memory, c->desc, topology, &c->marks, c->error);
    }
    pleat_topology_destroy(topology);
    return result;
}

/* A triangle that is a line on the surface, as at the poles of a sphere whose seam was welded, may be whole here. It is
 * not split there, so no edge and no rule of this channel goes by it either: its neighbours have a border. */
static pleat_result begin_render(creation *c)
{
    pleat_result result = PLEAT_OK;
    pleat_topology *topology = NULL;
    pl_loop_level *level = &c->levels[HERE][PLEAT_LOOP_RENDER];
    const uint32_t *edges = c->levels[HERE][PLEAT_LOOP_SURFACE].corner_edge;
    uint32_t *triangles = NULL;
    size_t corner_count = 3 * (size_t)c->desc->triangle_count;
    PL_NEW_OR_FAIL(triangles, c->memory, uint32_t, corner_count, c->error);
    for (size_t corner = 0; corner < corner_count; ++corner)
    {
        size_t from = edges[corner] == PLEAT_NONE ? corner - corner % 3 : corner;
        triangles[corner] = c->desc->render_triangles[from];
    }
    result = new_topology(c, c->desc->render_count, triangles, &topology);
    if (result == PLEAT_OK)
    {
        result = pl_loop_level_first(c->memory, topology, PLEAT_LOOP_RENDER, level, c->error);
    }
    if (result == PLEAT_OK && corner_count > 0)
    {
        memcpy(level->corner_vertex, c->desc->render_triangles, corner_count * sizeof *triangles);
    }
fail:
    pleat_topology_destroy(topology);
    pl_free(c->memory, triangles);
    return result;
}

static pleat_result begin(creation *c)
{
    PL_TRY(begin_surface(c));
    if (c->channel_count > 1)
    {
        PL_TRY(begin_render(c));
    }
    PL_TRY(pl_refined_begin(&c->refined, c->desc, &c->levels[HERE][PLEAT_LOOP_SURFACE]));
    PL_TRY(new_triangles(c, HERE, c->desc->triangle_count, true));
    for (uint32_t t = 0; t < c->desc->triangle_count; ++t)
    {
        c->triangles[HERE].coarse[t] = t;
        c->triangles[HERE].grid[t][0].x = 1;
        c->triangles[HERE].grid[t][1].y = 1;
    }
    return PLEAT_OK;
}

static bool is_split(const creation *c, uint32_t l, uint32_t t)
{
    return c->levels[HERE][PLEAT_LOOP_SURFACE].corner_edge[3 * t] != PLEAT_NONE &&
           (!c->is_local || (c->marks.split[l] && c->marks.split[l][t]));
}

/* Lists the triangles to be split, and marks the edges: on the surface those of such triangles; in the render channel
 * those that are split on the surface, so that both sides of a seam match. */
static pleat_result choose(creation *c, uint32_t l)
{
    pl_loop_triangles *triangles = &c->triangles[HERE];
    pl_loop_level *surface = &c->levels[HERE][PLEAT_LOOP_SURFACE];
    pl_loop_level *render = &c->levels[HERE][PLEAT_LOOP_RENDER];
    triangles->split = PL_NEW(c->memory, uint32_t, triangles->count);
    if (!triangles->split)
    {
        return pl_fail_memory(c->memory, c->error, "the triangles that are split");
    }
    for (uint32_t t = 0; t < triangles->count; ++t)
    {
        if (!is_split(c, l, t))
        {
            continue;
        }
        triangles->split[triangles->split_count++] = t;
        for (uint32_t k = 0; k < 3; ++k)
        {
            surface->edge_split[surface->corner_edge[3 * t + k]] = 1;
        }
    }
    if (triangles->split_count > (UINT32_MAX / 3 - 1) / 4)
    {
        return pl_fail(c->error, PLEAT_OVER_LIMIT, "level is too high: level %u has over 1431655764 triangles", l + 1);
    }
    for (uint32_t corner = 0; c->channel_count > 1 && corner < 3 * triangles->count; ++corner)
    {
        if (pl_loop_is_split(surface, corner))
        {
            render->edge_split[render->corner_edge[corner]] = 1;
        }
    }
    return PLEAT_OK;
}

static pleat_result split_triangles(creation *c, bool is_last)
{
    const pl_loop_triangles *up = &c->triangles[HERE];
    PL_TRY(new_triangles(c, BELOW, 4 * up->split_count, !is_last));
    pl_loop_triangles *down = &c->triangles[BELOW];
    for (uint32_t t = 0; t < down->count; ++t)
    {
        down->coarse[t] = up->coarse[up->split[t / 4]];
        if (!is_last)
        {
            pl_loop_child_grid(up->grid[up->split[t / 4]], t % 4, down->grid[t]);
        }
    }
    return PLEAT_OK;
}

/* One step down in both channels. */
static pleat_result descend(creation *c, uint32_t l)
{
    bool is_last = l + 1 == c->desc->level;
    for (uint32_t channel = 0; channel < c->channel_count; ++channel)
    {
        pl_loop_level *here = &c->levels[HERE][channel];
        const pl_loop_level *above = l == 0 ? NULL : &c->levels[ABOVE][channel];
        PL_TRY(pl_loop_step_build(c->memory, above, &c->triangles[ABOVE], here, &c->triangles[HERE],
                                  &c->loop->steps[channel][l], c->error));
        PL_TRY(pl_loop_level_next(c->memory, here, &c->triangles[HERE], is_last, &c->levels[BELOW][channel], c->error));
    }
    PL_TRY(pl_refined_place(&c->refined, &c->triangles[HERE], c->levels[HERE], l));
    return split_triangles(c, is_last);
}

static pleat_result refine(creation *c)
{
    PL_TRY(begin(c));
    for (uint32_t l = 0; l < c->desc->level; ++l)
    {
        PL_TRY(choose(c, l));
        if (c->triangles[HERE].split_count == 0)
        {
            break;
        }
        PL_TRY(descend(c, l));
        PL_TRY(pl_refined_keep(&c->refined, &c->triangles[HERE], c->levels[HERE], l));
        go_down(c);
        ++c->loop->step_count;
    }
    PL_TRY(pl_refined_keep(&c->refined, &c->triangles[HERE], c->levels[HERE], c->loop->step_count));
    return pl_refined_finish(&c->refined, c->desc->triangle_count, &c->loop->refined);
}

/* Room for the levels between: those written by all steps but the last, in turns. */
static pleat_result allocate_between(creation *c)
{
    uint32_t largest[2] = {0, 0};
    for (uint32_t channel = 0; channel < c->channel_count; ++channel)
    {
        for (uint32_t s = 0; s + 1 < c->loop->step_count; ++s)
        {
            uint32_t count = c->loop->steps[channel][s].out_count;
            largest[s % 2] = largest[s % 2] > count ? largest[s % 2] : count;
        }
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        c->loop->between[i] = PL_NEW(c->memory, pleat_vec4, largest[i]);
        if (!c->loop->between[i])
        {
            return pl_fail_memory(c->memory, c->error, "the levels between");
        }
    }
    return PLEAT_OK;
}

pleat_result pleat_loop_create(const pleat_loop_desc *desc, const pleat_host *host, pleat_loop **out,
                               pleat_error *error)
{
    *out = NULL;
    PL_TRY(check(desc, error));
    pleat_loop *loop = PL_CREATE(pleat_loop, host);
    if (!loop)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the subdivision");
    }
    bool has_render = desc->render_count > 0;
    creation c = {.loop = loop,
                  .memory = &loop->memory,
                  .desc = desc,
                  .error = error,
                  .channel_count = has_render ? 2 : 1,
                  .is_local = desc->triangle_levels || desc->wants,
                  .refined = {.memory = &loop->memory, .error = error, .has_render = has_render}};
    loop->coarse_count[PLEAT_LOOP_SURFACE] = desc->vertex_count;
    loop->coarse_count[PLEAT_LOOP_RENDER] = desc->render_count;
    pleat_result result = refine(&c);
    for (uint32_t i = 0; i < LEVELS_AT_WORK; ++i)
    {
        free_level(&c, i);
    }
    pl_loop_marks_free(c.memory, &c.marks);
    pl_refined_free(&c.refined);
    if (result == PLEAT_OK)
    {
        result = allocate_between(&c);
    }
    if (result != PLEAT_OK)
    {
        pleat_loop_destroy(loop);
        return result;
    }
    *out = loop;
    return PLEAT_OK;
}

void pleat_loop_destroy(pleat_loop *loop)
{
    if (!loop)
    {
        return;
    }
    pl_memory *memory = &loop->memory;
    for (uint32_t channel = 0; channel < PL_LOOP_CHANNELS; ++channel)
    {
        for (uint32_t s = 0; s < PL_LOOP_MAX_LEVEL; ++s)
        {
            pl_loop_step_free(memory, &loop->steps[channel][s]);
        }
    }
    pl_free(memory, loop->between[0]);
    pl_free(memory, loop->between[1]);
    pl_free(memory, loop->refined.triangles);
    pl_free(memory, loop->refined.render_triangles);
    pl_free(memory, loop->refined.render_vertex);
    pl_free(memory, loop->refined.coarse_triangle);
    pl_free(memory, loop->refined.triangle_level);
    pl_free(memory, loop->refined.vertex_triangle);
    pl_free(memory, loop->refined.vertex_barycentric);
    PL_DESTROY(loop);
}

/* A line's points are places of the flat coarse triangles; refinement has moved vertices away from there and along the
 * surface. What counts is where the points lie at rest: the walk goes over the refined surface at rest, each time
 * straight towards the next point, so that errors do not add up. Points inside triangles are left out but for the
 * ends, a line runs straight through a triangle: they would only make slivers. */
#include "stack/line.h"

#include "base/vec.h"
#include "mesh/loop/place.h"

enum
{
    MOST_PATH = 400 /* places of one walk, from one point to the next */
};

static pl_f4 at(const pleat_vec4 *positions, const uint32_t *triangles, const pleat_place *place)
{
    pl_f4 sum = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        sum += pl_load(&positions[triangles[3 * (size_t)place->triangle + k]]) * pl_splat(place->barycentric[k]);
    }
    return sum;
}

static pleat_result add(pl_stack_lines *lines, const pleat_place *place, pleat_error *error)
{
    if (lines->place_count == lines->place_room)
    {
        size_t room = lines->place_room ? 2 * lines->place_room : 1024;
        pleat_place *grown = room > UINT32_MAX ? NULL : pl_realloc(lines->memory, lines->places, room, sizeof *grown);
        if (!grown)
        {
            return pl_fail_memory(lines->memory, error, "lines on the refined surface");
        }
        lines->places = grown;
        lines->place_room = room;
    }
    lines->places[lines->place_count++] = *place;
    return PLEAT_OK;
}

/* From a place straight towards a point of space; path may be NULL. */
static pleat_walk_result walk_towards(const pl_stack_cut_desc *desc, const pleat_place *from, pl_f4 target,
                                      pleat_place *path)
{
    const uint32_t *corner = desc->topology->triangles + 3 * (size_t)from->triangle;
    pl_f4 a = pl_load(&desc->rest[corner[0]]), way = target - at(desc->rest, desc->topology->triangles, from);
    pl_f4 normal = pl_cross(pl_load(&desc->rest[corner[1]]) - a, pl_load(&desc->rest[corner[2]]) - a);
    float size = pl_dot3(normal, normal);
    way -= normal * pl_splat(size > 0 ? pl_dot3(way, normal) / size : 0);
    pleat_walk walk = {.topology = desc->topology,
                       .positions = desc->rest,
                       .start = *from,
                       .direction = pl_to(way),
                       .length = pl_length3(way),
                       .path = path,
                       .path_capacity = path ? MOST_PATH : 0};
    return pleat_walk_run(&walk);
}

static pleat_result add_line(const pl_stack_cut_desc *desc, const pl_refined_surface *surface,
                             const pleat_place *places, uint32_t count, pl_stack_lines *lines, pleat_error *error)
{
    pleat_place path[MOST_PATH], here = pl_refined_find(surface, &places[0]);
    if (here.triangle == PLEAT_NONE)
    {
        return PLEAT_OK;
    }
    pleat_walk_result step = walk_towards(desc, &here, at(desc->coarse_rest, desc->coarse_triangles, &places[0]), NULL);
    here = step.place;
    PL_TRY(add(lines, &here, error));
    /* What stops one walk (a border, no way to go) need not stop the next: its point may lead back inside. */
    for (uint32_t i = 1; i < count; ++i)
    {
        step = walk_towards(desc, &here, at(desc->coarse_rest, desc->coarse_triangles, &places[i]), path);
        /* The first of a path is where it starts, the last where it ends. */
        for (uint32_t k = 1; k + 1 < step.path_count; ++k)
        {
            PL_TRY(add(lines, &path[k], error));
        }
        here = step.place;
    }
    return add(lines, &here, error);
}

pleat_result pl_stack_lines_make(const pl_stack_cut_desc *desc, pl_memory *memory, pl_stack_lines *lines,
                                 pleat_error *error)
{
    const pleat_refined *refined = desc->refined;
    pl_refined_surface surface = {desc->coarse_triangles,   refined->triangle_count,  refined->triangles,
                                  refined->coarse_triangle, refined->vertex_triangle, refined->vertex_barycentric};
    *lines = (pl_stack_lines){.memory = memory};
    lines->first_place = PL_NEW(memory, uint32_t, (size_t)desc->lines.line_count + 1);
    if (!lines->first_place)
    {
        return pl_fail_memory(memory, error, "lines on the refined surface");
    }
    for (uint32_t l = 0; l < desc->lines.line_count; ++l)
    {
        uint32_t first = desc->lines.first_place[l], count = desc->lines.first_place[l + 1] - first;
        if (count >= 2)
        {
            PL_TRY(add_line(desc, &surface, desc->lines.places + first, count, lines, error));
        }
        lines->first_place[++lines->line_count] = (uint32_t)lines->place_count;
    }
    return PLEAT_OK;
}

void pl_stack_lines_free(pl_stack_lines *lines)
{
    pl_free(lines->memory, lines->first_place);
    pl_free(lines->memory, lines->places);
}

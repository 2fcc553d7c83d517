/* Lines across a ring. */
#include "mesh/curve/patch.h"

#include <string.h>

enum
{
    PATH_CAPACITY = 4096
};

static pleat_place nearest_place(const pl_ring_surface *surface, pl_f4 position)
{
    pleat_hit hit = pleat_bvh_nearest(surface->bvh, pl_to(position), INFINITY);
    pleat_place place = {.triangle = hit.triangle};
    memcpy(place.barycentric, hit.barycentric, sizeof place.barycentric);
    return place;
}

static pleat_walk_result walk(const pl_ring_surface *surface, const pleat_place *start, pl_f4 direction, float length,
                              pleat_place *path, uint32_t capacity)
{
    pleat_walk walk = {.topology = surface->topology,
                       .positions = surface->positions,
                       .start = *start,
                       .direction = pl_to(direction),
                       .length = length,
                       .path = path,
                       .path_capacity = capacity};
    return pleat_walk_run(&walk);
}

/* Lines go out from the ring row by row, side by side. Straight lines from a curved ring, or over a bulge, would meet
 * after a few folds, and neither could go on: where neighbours come near, lines turn away from the nearer one, and the
 * narrowness spreads along the ring. */
typedef struct course
{
    pleat_place place;
    pl_f4 direction; /* away from the ring */
    bool on;         /* false: ended before this row */
} course;

typedef struct courses
{
    const pl_ring_surface *surface;
    const pl_ring *ring;
    float row_step, half;
    uint32_t steps;    /* on each side */
    course *rows[2];   /* by side: stations by steps and one more */
    pl_f4 *directions; /* by station: those of the row at work */
} courses;

/* How much a line turns in a row, at most. */
#define TURN 0.08f

static course *course_at(const courses *c, int side, uint32_t station, uint32_t step)
{
    return &c->rows[side][(size_t)station * (c->steps + 1) + step];
}

static pl_f4 course_position(const courses *c, const course *at)
{
    return pl_place_position(c->surface->topology, c->surface->positions, &at->place);
}

/* The line beside a station's, 1 after or -1 before it, at a row; NULL where there is none or it has ended. */
static const course *beside(const courses *c, int side, uint32_t station, uint32_t step, int direction)
{
    int64_t count = c->ring->station_count, at = (int64_t)station + direction;
    at = c->ring->closed ? (at + count) % count : at;
    const course *found = at < 0 || at >= count ? NULL : course_at(c, side, (uint32_t)at, step);
    return found && found->on ? found : NULL;
}

/* The direction in which a line goes on from a row: towards the middle between both neighbours, and as they go, so that
 * lines do not swing. Without one it keeps away from the other. */
static pl_f4 steer(const courses *c, int side, uint32_t station, uint32_t step)
{
    const course *own = course_at(c, side, station, step);
    pl_f4 normal = pl_place_normal(c->surface->topology, c->surface->normals, &own->place);
    pl_f4 along = pl_cross(own->direction, normal) * pl_splat(side ? 1.0f : -1.0f), position = course_position(c, own);
    float spacing = c->ring->length / (float)(c->ring->closed ? c->ring->station_count : c->ring->station_count - 1);
    float least = 1, pull = 0, swing = 0;
    for (int direction = -1; direction <= 1; direction += 2)
    {
        const course *other = beside(c, side, station, step, direction);
        float gap = other ? (float)direction * pl_dot3(course_position(c, other) - position, along) / spacing : 1;
        least = fminf(least, gap);
        pull += (float)direction * gap;
        swing += other ? 0.5f * pl_dot3(other->direction - own->direction, along) : 0;
    }
    float turn = pl_smooth_step((0.9f - least) / 0.4f) * (0.3f * pull + 0.25f * swing);
    return pl_normalize3(own->direction + along * pl_splat(fminf(fmaxf(turn, -TURN), TURN)));
}

static float row_length(const courses *c, uint32_t step)
{
    return fminf(c->row_step, c->half - (float)step * c->row_step);
}

static void go_on(const courses *c, int side, uint32_t station, uint32_t step)
{
    course *from = course_at(c, side, station, step), *to = from + 1;
    *to = (course){.on = false};
    if (from->on)
    {
        pleat_walk_result end = walk(c->surface, &from->place, from->direction, row_length(c, step), NULL, 0);
        *to = (course){end.place, pl_from(end.end_direction), end.end == PLEAT_WALK_DONE};
    }
}

static void go_out(const courses *c, int side)
{
    for (uint32_t step = 0; step < c->steps; ++step)
    {
        for (uint32_t i = 0; i < c->ring->station_count; ++i)
        {
            c->directions[i] = step && course_at(c, side, i, step)->on ? steer(c, side, i, step)
                                                                       : course_at(c, side, i, step)->direction;
        }
        for (uint32_t i = 0; i < c->ring->station_count; ++i)
        {
            course_at(c, side, i, step)->direction = c->directions[i];
            go_on(c, side, i, step);
        }
    }
}

static pleat_result find_courses(courses *c, pl_arena *arena, pleat_error *error)
{
    uint32_t count = c->ring->station_count;
    c->directions = PL_ARENA_NEW(arena, pl_f4, count);
    for (int side = 0; side < 2; ++side)
    {
        c->rows[side] = PL_ARENA_NEW(arena, course, (size_t)count * (c->steps + 1));
    }
    if (!c->directions || !c->rows[0] || !c->rows[1])
    {
        return pl_fail_memory(arena->memory, error, "lines across a ring");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_place start = nearest_place(c->surface, c->ring->stations[i].position);
        *course_at(c, 0, i, 0) = (course){start, -c->ring->stations[i].across, true};
        *course_at(c, 1, i, 0) = (course){start, c->ring->stations[i].across, true};
    }
    go_out(c, 0);
    go_out(c, 1);
    return PLEAT_OK;
}

/* The places where a line crosses edges on one side, its start before them and its end behind them. Where it turns,
 * inside a triangle, no place is kept. */
static uint32_t trace_side(const courses *c, int side, uint32_t station, pleat_place *path)
{
    uint32_t count = 1;
    path[0] = course_at(c, side, station, 0)->place;
    for (uint32_t step = 0; step < c->steps && course_at(c, side, station, step)->on; ++step)
    {
        const course *from = course_at(c, side, station, step);
        /* Over where the row before ended: here it begins. */
        pleat_place *row = path + count - 1, first = *row;
        pleat_walk_result end =
            walk(c->surface, &from->place, from->direction, row_length(c, step), row, PATH_CAPACITY - count + 1);
        if (end.path_count < 2)
        {
            *row = first;
        }
        else if (step == 0)
        {
            count = end.path_count;
        }
        else
        {
            memmove(row, row + 1, (end.path_count - 1) * sizeof *row);
            count += end.path_count - 2;
        }
    }
    return count;
}

static void measure_arcs(const pl_ring_surface *surface, pl_line *line, uint32_t middle)
{
    for (uint32_t i = middle; i-- > 0;)
    {
        line->arc[i] = line->arc[i + 1] -
                       pl_length3(pl_place_position(surface->topology, surface->positions, &line->places[i]) -
                                  pl_place_position(surface->topology, surface->positions, &line->places[i + 1]));
    }
    for (uint32_t i = middle + 1; i < line->count; ++i)
    {
        line->arc[i] = line->arc[i - 1] +
                       pl_length3(pl_place_position(surface->topology, surface->positions, &line->places[i]) -
                                  pl_place_position(surface->topology, surface->positions, &line->places[i - 1]));
    }
    line->low = line->arc[0];
    line->high = line->arc[line->count - 1];
}

static pleat_result make_line(const courses *c, uint32_t station, pl_arena *arena, pl_line *line, pleat_error *error)
{
    pleat_place back[PATH_CAPACITY], ahead[PATH_CAPACITY];
    uint32_t back_count = trace_side(c, 0, station, back), ahead_count = trace_side(c, 1, station, ahead);
    line->count = back_count + ahead_count - 1; /* both hold the start */
    line->places = PL_ARENA_NEW(arena, pleat_place, line->count);
    line->arc = PL_ARENA_NEW(arena, float, line->count);
    if (!line->places || !line->arc)
    {
        return pl_fail_memory(arena->memory, error, "a line across a ring");
    }
    uint32_t middle = back_count - 1;
    line->places[middle] = course_at(c, 0, station, 0)->place;
    for (uint32_t i = 1; i < back_count; ++i)
    {
        line->places[middle - i] = back[i];
    }
    for (uint32_t i = 1; i < ahead_count; ++i)
    {
        line->places[middle + i] = ahead[i];
    }
    measure_arcs(c->surface, line, middle);
    return PLEAT_OK;
}

/* The same point seen from another triangle that has it, if that triangle has its corners: for mixing two places of one
 * triangle, of which the first is given in the one before. */
static bool seen_from(const pleat_topology *topology, const pleat_place *place, uint32_t triangle, float out[3])
{
    if (place->triangle == triangle)
    {
        memcpy(out, place->barycentric, 3 * sizeof *out);
        return true;
    }
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (place->barycentric[k] == 0)
        {
            continue;
        }
        uint32_t vertex = topology->triangles[3 * (size_t)place->triangle + k], j = 0;
        while (j < 3 && topology->triangles[3 * (size_t)triangle + j] != vertex)
        {
            ++j;
        }
        if (j == 3)
        {
            return false;
        }
        out[j] += place->barycentric[k];
    }
    return true;
}

pleat_place pl_line_at(const pl_ring_surface *surface, const pl_line *line, float arc)
{
    uint32_t i = 0;
    while (i + 2 < line->count && line->arc[i + 1] < arc)
    {
        ++i;
    }
    if (line->count < 2)
    {
        return line->places[0];
    }
    float span = line->arc[i + 1] - line->arc[i];
    float t = span > 0 ? fminf(fmaxf((arc - line->arc[i]) / span, 0), 1) : 0;
    const pleat_place *a = &line->places[i], *b = &line->places[i + 1];
    /* The piece lies in the triangle of one of the two, the one that both can be seen from. */
    for (int side = 0; side < 2; ++side)
    {
        uint32_t triangle = side ? a->triangle : b->triangle;
        float from[3], to[3];
        if (seen_from(surface->topology, a, triangle, from) && seen_from(surface->topology, b, triangle, to))
        {
            pleat_place mixed = {.triangle = triangle};
            for (int k = 0; k < 3; ++k)
            {
                mixed.barycentric[k] = from[k] + (to[k] - from[k]) * t;
            }
            return mixed;
        }
    }
    return t < 0.5f ? *a : *b;
}

pleat_result pl_lines_make(const pl_ring_surface *surface, const pl_ring *ring, float half, float row_step,
                           pl_arena *arena, pl_line *out, pleat_error *error)
{
    courses c = {.surface = surface, .ring = ring, .row_step = row_step, .half = half};
    c.steps = (uint32_t)ceilf(half / row_step);
    PL_TRY(find_courses(&c, arena, error));
    for (uint32_t i = 0; i < ring->station_count; ++i)
    {
        PL_TRY(make_line(&c, i, arena, &out[i], error));
    }
    return PLEAT_OK;
}

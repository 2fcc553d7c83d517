/* Lines on the rest surface, kept as places on its triangles, and their lengths in any frame. Every piece of a line
 * lies in one triangle, which stays flat, so lengths are exact. */
#include "measure/measure.h"

#include "base/vec.h"
#include "mesh/corner.h"

#include <string.h>

#define PI 3.14159265358979323846

/* ---- Points ---- */

void pl_point_at(const uint32_t *triangles, const pleat_vec4 *positions, const pleat_place *place, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const pleat_vec4 *p = &positions[triangles[3 * (size_t)place->triangle + k]];
        double weight = (double)place->barycentric[k];
        out[0] += weight * (double)p->x;
        out[1] += weight * (double)p->y;
        out[2] += weight * (double)p->z;
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    subtract(a, b, d);
    return sqrt(dot(d, d));
}

static double distance_to_piece(const double p[3], const double a[3], const double b[3])
{
    double along[3], to[3];
    subtract(b, a, along);
    subtract(p, a, to);
    double squared = dot(along, along);
    double t = squared > 0 ? fmin(fmax(dot(to, along) / squared, 0), 1) : 0;
    double foot[3] = {a[0] + t * along[0], a[1] + t * along[1], a[2] + t * along[2]};
    return distance(p, foot);
}

static bool normalize(double a[3])
{
    double length = sqrt(dot(a, a));
    if (!(length > 1e-30))
    {
        return false;
    }
    a[0] /= length;
    a[1] /= length;
    a[2] /= length;
    return true;
}

double pl_line_length(const pl_line *line, const uint32_t *triangles, const pleat_vec4 *positions)
{
    double length = 0, from[3], to[3];
    for (uint32_t i = 0; i < line->place_count; ++i)
    {
        pl_point_at(triangles, positions, &line->places[i], to);
        length += i ? distance(from, to) : 0;
        memcpy(from, to, sizeof from);
    }
    return length;
}

/* ---- The straight way between two places ---- */

/* The surface while lines are laid on it, and room for the longest cut in either direction. */
typedef struct layer_of_lines
{
    const pleat_measure *measure;
    pleat_place *cut[2];
} layer_of_lines;

static void point_of(const pleat_measure *measure, const pleat_place *place, double out[3])
{
    pl_point_at(measure->topology->triangles, measure->rest, place, out);
}

/* Area-weighted normal of all triangles around the corners of the place's own: smooth enough, and never zero on a
 * surface worth the name. */
static void add_normal_near(const pleat_measure *measure, const pleat_place *place, double normal[3])
{
    const pleat_topology *topology = measure->topology;
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t v = topology->triangles[3 * (size_t)place->triangle + k];
        double weight = (double)place->barycentric[k];
        for (uint32_t i = topology->ring_start[v]; i < topology->ring_start[v + 1]; ++i)
        {
            const uint32_t *corner = topology->triangles + topology->ring_corner[i] / 3 * 3;
            pl_f4 origin = pl_load(&measure->rest[corner[0]]);
            pl_f4 n =
                pl_cross(pl_load(&measure->rest[corner[1]]) - origin, pl_load(&measure->rest[corner[2]]) - origin);
            normal[0] += weight * (double)n[0];
            normal[1] += weight * (double)n[1];
            normal[2] += weight * (double)n[2];
        }
    }
}

static pl_cut cut_between(const pleat_measure *measure, const pleat_place *a, const pleat_place *b)
{
    pl_cut cut = {.topology = measure->topology, .positions = measure->rest};
    double from[3], to[3], way[3], up[3] = {0, 0, 0};
    point_of(measure, a, from);
    point_of(measure, b, to);
    subtract(to, from, way);
    add_normal_near(measure, a, up);
    add_normal_near(measure, b, up);
    normalize(way);
    normalize(up);
    cross(way, up, cut.normal);
    if (!(dot(cut.normal, cut.normal) > 1e-12))
    {
        /* The way leads straight through the surface: any plane along it. */
        pl_f4 side = pl_perpendicular(pl_set((float)way[0], (float)way[1], (float)way[2], 0));
        double other[3] = {(double)side[0], (double)side[1], (double)side[2]};
        cross(way, other, cut.normal);
    }
    normalize(cut.normal);
    cut.offset = 0.5 * (dot(cut.normal, from) + dot(cut.normal, to));
    return cut;
}

/* The corners of a triangle whose edges the plane crosses: two, or none. */
static bool crossing_corners(const pl_cut *cut, uint32_t triangle, uint32_t corners[2])
{
    uint32_t found = 0;
    for (uint32_t c = 3 * triangle; c < 3 * triangle + 3 && found < 2; ++c)
    {
        if (pl_cut_crosses(cut, c))
        {
            corners[found++] = c;
        }
    }
    return found == 2;
}

/* The triangle around a place through which the cut passes nearest to it: its own, or where the place is a vertex or on
 * an edge perhaps one beside it. */
static bool find_start(const pleat_measure *measure, const pl_cut *cut, const pleat_place *place, uint32_t corners[2])
{
    const pleat_topology *topology = measure->topology;
    double point[3], best = INFINITY;
    point_of(measure, place, point);
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t v = topology->triangles[3 * (size_t)place->triangle + k];
        for (uint32_t i = topology->ring_start[v]; i < topology->ring_start[v + 1]; ++i)
        {
            uint32_t found[2];
            if (!crossing_corners(cut, topology->ring_corner[i] / 3, found))
            {
                continue;
            }
            double a[3], b[3];
            pleat_place ends[2] = {pl_cut_place(cut, found[0]), pl_cut_place(cut, found[1])};
            point_of(measure, &ends[0], a);
            point_of(measure, &ends[1], b);
            double away = distance_to_piece(point, a, b);
            if (away < best)
            {
                best = away;
                memcpy(corners, found, sizeof found);
            }
        }
    }
    return best < INFINITY;
}

/* How many places of a cut lie before `end`, or PLEAT_NONE if it does not pass there; and the length up to it. */
static uint32_t reach(const pleat_measure *measure, const double start[3], const double end[3], uint32_t count,
                      const pleat_place *places, double *length)
{
    double tolerance = 1e-4 * distance(start, end);
    double from[3], to[3], walked = 0, best = INFINITY;
    uint32_t at = PLEAT_NONE;
    memcpy(from, start, sizeof from);
    for (uint32_t i = 0; i < count; ++i)
    {
        point_of(measure, &places[i], to);
        double away = distance_to_piece(end, from, to);
        if (at != PLEAT_NONE && !(away < best))
        {
            break;
        }
        if (away <= tolerance)
        {
            best = away;
            at = i;
            *length = walked + distance(from, end);
        }
        walked += distance(from, to);
        memcpy(from, to, sizeof from);
    }
    return at;
}

/* Appends the places from a (left out) to b (included) to the line, which has room. */
static bool walk_straight(layer_of_lines *on, const pleat_place *a, const pleat_place *b, pl_line *line)
{
    const pleat_measure *measure = on->measure;
    pl_cut cut = cut_between(measure, a, b);
    uint32_t corners[2], before[2];
    double start[3], end[3], length[2] = {INFINITY, INFINITY};
    if (!find_start(measure, &cut, a, corners))
    {
        return false;
    }
    point_of(measure, a, start);
    point_of(measure, b, end);
    for (int side = 0; side < 2; ++side)
    {
        uint32_t count = pl_cut_follow(&cut, corners[side], on->cut[side]);
        before[side] = reach(measure, start, end, count, on->cut[side], &length[side]);
    }
    int side = length[1] < length[0];
    if (before[side] == PLEAT_NONE)
    {
        return false;
    }
    memcpy(line->places + line->place_count, on->cut[side], before[side] * sizeof *line->places);
    line->place_count += before[side];
    line->places[line->place_count++] = *b;
    return true;
}

/* ---- Adding ---- */

static pleat_result open_layer(pleat_measure *measure, layer_of_lines *on, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *on = (layer_of_lines){.measure = measure};
    if (measure->total.frame_count > 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a line was added after %u frames; lines come before the first",
                       measure->total.frame_count);
    }
    for (int side = 0; side < 2; ++side)
    {
        PL_NEW_OR_FAIL(on->cut[side], &measure->memory, pleat_place, (size_t)measure->topology->triangle_count + 1,
                       error);
    }
    return PLEAT_OK;
fail:
    pl_free(&measure->memory, on->cut[0]);
    on->cut[0] = NULL;
    return result;
}

static void close_layer(pleat_measure *measure, layer_of_lines *on)
{
    pl_free(&measure->memory, on->cut[1]);
    pl_free(&measure->memory, on->cut[0]);
}

/* A copy of the line in the measure, with its rest length. */
static pleat_result keep_line(pleat_measure *measure, const pl_line *line, pleat_error *error)
{
    if (measure->line_count == measure->line_capacity)
    {
        uint32_t capacity = measure->line_capacity ? 2 * measure->line_capacity : 16;
        pl_line *lines = pl_realloc(&measure->memory, measure->lines, capacity, sizeof *lines);
        if (!lines)
        {
            return pl_fail_memory(&measure->memory, error, "the lines");
        }
        measure->lines = lines;
        measure->line_capacity = capacity;
    }
    pl_line *kept = &measure->lines[measure->line_count];
    *kept = (pl_line){.place_count = line->place_count};
    kept->places = PL_ARENA_NEW(&measure->arena, pleat_place, line->place_count);
    if (!kept->places)
    {
        return pl_fail_memory(&measure->memory, error, "the places of a line");
    }
    memcpy(kept->places, line->places, line->place_count * sizeof *line->places);
    kept->rest = pl_line_length(kept, measure->topology->triangles, measure->rest);
    kept->length = kept->rest;
    ++measure->line_count;
    return PLEAT_OK;
}

static pleat_result draw_line(layer_of_lines *on, uint32_t count, const pleat_vec4 *points, pl_line *line,
                              pleat_error *error)
{
    const pleat_measure *measure = on->measure;
    pleat_place from = {0};
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_hit hit = pleat_bvh_nearest(measure->bvh, points[i], INFINITY);
        if (hit.triangle == PLEAT_NONE || measure->topology->corner_edge[3 * (size_t)hit.triangle] == PLEAT_NONE)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "point %u of the line, %g %g %g, has no triangle near it", i,
                           (double)points[i].x, (double)points[i].y, (double)points[i].z);
        }
        pleat_place place = {hit.triangle, {hit.barycentric[0], hit.barycentric[1], hit.barycentric[2]}};
        double a[3], b[3];
        point_of(measure, &place, b);
        if (i == 0)
        {
            line->places[line->place_count++] = place;
        }
        else
        {
            point_of(measure, &from, a);
            if (!(distance(a, b) > 0))
            {
                return pl_fail(error, PLEAT_BAD_ARGUMENT, "points %u and %u of the line meet at %g %g %g", i - 1, i,
                               b[0], b[1], b[2]);
            }
            if (!walk_straight(on, &from, &place, line))
            {
                return pl_fail(error, PLEAT_BAD_ARGUMENT,
                               "no straight way leads over the surface from %g %g %g to %g %g %g; give points between",
                               a[0], a[1], a[2], b[0], b[1], b[2]);
            }
        }
        from = place;
    }
    return PLEAT_OK;
}

pleat_result pleat_measure_add_line(pleat_measure *measure, uint32_t point_count, const pleat_vec4 *points,
                                    uint32_t *index, pleat_error *error)
{
    if (point_count < 2 || point_count > 100000)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a line of %u points; it takes 2 to 100000", point_count);
    }
    layer_of_lines on;
    pl_line line = {0};
    PL_TRY(open_layer(measure, &on, error));
    pleat_result result = PLEAT_OK;
    PL_NEW_OR_FAIL(line.places, &measure->memory, pleat_place,
                   ((size_t)measure->topology->triangle_count + 1) * (point_count - 1) + 1, error);
    result = draw_line(&on, point_count, points, &line, error);
    if (result == PLEAT_OK)
    {
        *index = measure->line_count;
        result = keep_line(measure, &line, error);
    }
fail:
    pl_free(&measure->memory, line.places);
    close_layer(measure, &on);
    return result;
}

/* ---- Meridians ---- */

/* The two longest borders, the first by number first. */
static bool find_ends(const pleat_measure *measure, uint32_t ends[2])
{
    double longest[2] = {-1, -1};
    ends[0] = ends[1] = PLEAT_NONE;
    for (uint32_t b = 0; b < measure->volume.border_count; ++b)
    {
        double centre[3], length;
        pl_border_centre(&measure->volume, b, measure->rest, centre, &length);
        int place = length > longest[0] ? 0 : length > longest[1] ? 1 : 2;
        if (place == 0)
        {
            longest[1] = longest[0];
            ends[1] = ends[0];
        }
        if (place < 2)
        {
            longest[place] = length;
            ends[place] = b;
        }
    }
    if (ends[1] < ends[0])
    {
        uint32_t swapped = ends[0];
        ends[0] = ends[1];
        ends[1] = swapped;
    }
    return ends[1] != PLEAT_NONE;
}

typedef struct tube
{
    uint32_t ends[2];
    double centre[3], axis[3], out[3], side[3]; /* of the first end; orthonormal */
} tube;

static pleat_result find_tube(const pleat_measure *measure, tube *t, pleat_error *error)
{
    if (!find_ends(measure, t->ends))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "meridians need a tube with two borders; the surface has %u",
                       measure->volume.border_count);
    }
    const pl_volume_part *volume = &measure->volume;
    const pl_border *border = &volume->borders[t->ends[0]];
    uint32_t first = PLEAT_NONE;
    double far_centre[3];
    for (uint32_t i = 0; i < border->count; ++i)
    {
        uint32_t v = measure->topology->triangles[volume->border_corners[border->first + i]];
        first = v < first ? v : first;
    }
    pl_border_centre(volume, t->ends[0], measure->rest, t->centre, NULL);
    pl_border_centre(volume, t->ends[1], measure->rest, far_centre, NULL);
    subtract(far_centre, t->centre, t->axis);
    const pleat_vec4 *p = &measure->rest[first];
    double to[3] = {(double)p->x - t->centre[0], (double)p->y - t->centre[1], (double)p->z - t->centre[2]};
    bool straight = normalize(t->axis);
    double along = dot(to, t->axis);
    for (int axis = 0; axis < 3; ++axis)
    {
        t->out[axis] = to[axis] - along * t->axis[axis];
    }
    if (!straight || !normalize(t->out))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the two borders of the surface have no axis between them");
    }
    cross(t->axis, t->out, t->side);
    return PLEAT_OK;
}

/* The corner of the first border where the half plane of an angle begins, furthest from the axis; or PLEAT_NONE. */
static uint32_t find_meridian_start(const pleat_measure *measure, const tube *t, const pl_cut *cut, const double out[3])
{
    const pl_border *border = &measure->volume.borders[t->ends[0]];
    uint32_t best = PLEAT_NONE;
    double furthest = 0;
    for (uint32_t i = 0; i < border->count; ++i)
    {
        uint32_t corner = measure->volume.border_corners[border->first + i];
        if (!pl_cut_crosses(cut, corner))
        {
            continue;
        }
        pleat_place place = pl_cut_place(cut, corner);
        double point[3], to[3];
        point_of(measure, &place, point);
        subtract(point, t->centre, to);
        if (dot(to, out) > furthest)
        {
            furthest = dot(to, out);
            best = corner;
        }
    }
    return best;
}

static bool draw_meridian(layer_of_lines *on, const tube *t, double angle, pl_line *line)
{
    const pleat_measure *measure = on->measure;
    pl_cut cut = {.topology = measure->topology, .positions = measure->rest};
    double c = cos(angle), s = sin(angle), out[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        out[axis] = c * t->out[axis] + s * t->side[axis];
        cut.normal[axis] = c * t->side[axis] - s * t->out[axis];
    }
    cut.offset = dot(cut.normal, t->centre);
    uint32_t corner = find_meridian_start(measure, t, &cut, out);
    if (corner == PLEAT_NONE)
    {
        return false;
    }
    line->places = on->cut[0];
    line->places[0] = pl_cut_place(&cut, corner);
    line->place_count = 1 + pl_cut_follow(&cut, corner, line->places + 1);
    /* It must have come out at the other end. */
    const pleat_place *last = &line->places[line->place_count - 1];
    const pl_border *border = &measure->volume.borders[t->ends[1]];
    for (uint32_t i = 0; i < border->count; ++i)
    {
        if (measure->volume.border_corners[border->first + i] / 3 == last->triangle)
        {
            return true;
        }
    }
    return false;
}

pleat_result pleat_measure_add_meridians(pleat_measure *measure, uint32_t count, uint32_t *first, pleat_error *error)
{
    tube t;
    layer_of_lines on;
    PL_TRY(find_tube(measure, &t, error));
    PL_TRY(open_layer(measure, &on, error));
    pleat_result result = PLEAT_OK;
    uint32_t already = measure->line_count;
    for (uint32_t i = 0; i < count && result == PLEAT_OK; ++i)
    {
        pl_line line = {0};
        result = draw_meridian(&on, &t, 2 * PI * i / count, &line)
                     ? keep_line(measure, &line, error)
                     : pl_fail(error, PLEAT_BAD_ARGUMENT,
                               "meridian %u of %u does not lead from one border to the other: the surface is no tube",
                               i, count);
    }
    if (result != PLEAT_OK)
    {
        measure->line_count = already;
    }
    else
    {
        *first = already;
    }
    close_layer(measure, &on);
    return result;
}

/* ---- Asking ---- */

uint32_t pleat_measure_line_count(const pleat_measure *measure)
{
    return measure->line_count;
}

double pleat_measure_line_rest(const pleat_measure *measure, uint32_t line)
{
    return measure->lines[line].rest;
}

double pleat_measure_line_length(const pleat_measure *measure, uint32_t line)
{
    return measure->lines[line].length;
}

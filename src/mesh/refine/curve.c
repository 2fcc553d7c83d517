#include "mesh/refine/curve.h"

#include "mesh/corner.h"

#include <string.h>

/* How much less than half a turn a line may bend at the end of its fan, radians: edges that leave a border at nearly
 * the same angle on both sides go on along it. */
#define NEARLY 0.3f
static const float HALF_TURN = 3.14159265f;
/* Turns smaller than this, radians, say little of the normals' opinion: the patch then follows the plain parabola
 * through the three points, which shows only once the cloth bends. */
#define SLIGHT 0.05f
/* How far a control's W may be, of the edge's length: the edge bends by 24 degrees at each end. */
#define STEEPEST 0.4f

/* Where a line through a vertex comes from. */
typedef struct ahead
{
    uint32_t vertex[2];
    float share;  /* of the second */
    float length; /* at rest, over the triangles */
} ahead;

static pl_f4 rest_of(const pl_keep_desc *desc, uint32_t corner)
{
    return pl_load(&desc->rest[desc->topology->triangles[corner]]);
}

static bool has_normal(const pl_keep_desc *desc, uint32_t corner)
{
    pl_f4 normal = pl_load(&desc->normals[desc->normal_triangles[corner]]);
    return pl_dot3(normal, normal) > 0.5f;
}

/* Does the surface go on smoothly over a corner's edge? */
static bool is_smooth(const pl_keep_desc *desc, uint32_t corner)
{
    uint32_t twin = desc->topology->twin[corner];
    if (!desc->normal_count || twin >= PLEAT_NON_MANIFOLD)
    {
        return false;
    }
    uint32_t next = pl_corner_next(corner), twin_next = pl_corner_next(twin);
    bool same = desc->normal_triangles[corner] == desc->normal_triangles[twin_next] &&
                desc->normal_triangles[next] == desc->normal_triangles[twin];
    bool one_part = !desc->parts || desc->parts[corner / 3] == desc->parts[twin / 3];
    return same && one_part && has_normal(desc, corner) && has_normal(desc, next);
}

static float angle_at(const pl_keep_desc *desc, uint32_t corner)
{
    pl_f4 at = rest_of(desc, corner);
    pl_f4 a = rest_of(desc, pl_corner_next(corner)) - at, b = rest_of(desc, pl_corner_previous(corner)) - at;
    return atan2f(pl_length3(pl_cross(a, b)), pl_dot3(a, b));
}

/* The next corner at the same vertex, on the side that `left` says; PLEAT_NONE behind the last smooth edge. */
static uint32_t turn(const pl_keep_desc *desc, uint32_t corner, bool left)
{
    uint32_t edge = left ? pl_corner_previous(corner) : corner;
    if (!is_smooth(desc, edge))
    {
        return PLEAT_NONE;
    }
    uint32_t twin = desc->topology->twin[edge];
    return left ? twin : pl_corner_next(twin);
}

enum
{
    MOST_TURNS = 64 /* triangles around a vertex: bounds the time on a file with a fan of thousands */
};

/* All angles on one side of an edge that leaves a vertex. first: the first corner there; *closed: the fan came back. */
static float whole_angle(const pl_keep_desc *desc, uint32_t first, bool left, bool *closed)
{
    float sum = 0;
    uint32_t corner = first;
    *closed = false;
    for (uint32_t i = 0; i < MOST_TURNS && corner != PLEAT_NONE && !*closed; ++i)
    {
        sum += angle_at(desc, corner);
        corner = turn(desc, corner, left);
        *closed = corner == first;
    }
    return sum;
}

/* Where a line at an angle from the edge leaves the ring of the vertex. */
static bool find_at(const pl_keep_desc *desc, uint32_t first, bool left, float angle, ahead *out)
{
    uint32_t corner = first;
    float before = 0;
    for (uint32_t i = 0; i < MOST_TURNS && corner != PLEAT_NONE; ++i)
    {
        float here = angle_at(desc, corner);
        uint32_t next = turn(desc, corner, left);
        if (before + here >= angle || next == PLEAT_NONE || next == first)
        {
            uint32_t near = left ? pl_corner_next(corner) : pl_corner_previous(corner);
            uint32_t far = left ? pl_corner_previous(corner) : pl_corner_next(corner);
            float t = fminf(angle - before, here);
            float a = pl_length3(rest_of(desc, near) - rest_of(desc, corner)) * sinf(t);
            float b = pl_length3(rest_of(desc, far) - rest_of(desc, corner)) * sinf(here - t);
            out->vertex[0] = desc->topology->triangles[near];
            out->vertex[1] = desc->topology->triangles[far];
            out->share = a / (a + b);
            pl_f4 q = pl_lerp(rest_of(desc, near), rest_of(desc, far), out->share);
            out->length = pl_length3(q - rest_of(desc, corner));
            return a + b > 0 && out->length > 0;
        }
        before += here;
        corner = next;
    }
    return false;
}

/* Straight on from an edge through the vertex that a corner stands at: by half of the fan's angle where it is closed,
 * else by half a turn. corner: owns the edge (from = true), or its edge ends at the vertex. */
static bool look_ahead(const pl_keep_desc *desc, uint32_t corner, bool from, ahead *out)
{
    uint32_t twin = desc->topology->twin[corner];
    uint32_t left = from ? corner : twin, right = from ? pl_corner_next(twin) : pl_corner_next(corner);
    bool closed;
    float angle = whole_angle(desc, left, true, &closed);
    if (closed)
    {
        return find_at(desc, left, true, 0.5f * angle, out);
    }
    float other = whole_angle(desc, right, false, &closed);
    if (fmaxf(angle, other) < HALF_TURN - NEARLY)
    {
        return false;
    }
    return find_at(desc, angle >= other ? left : right, angle >= other, HALF_TURN, out);
}

/* A line through a vertex and on along an edge. */
typedef struct through
{
    uint32_t vertex, next;
    float length; /* of the edge at rest */
    ahead from;
} through;

static pl_f4 turn_at(const pl_keep_desc *desc, const through *line)
{
    pl_f4 at = pl_load(&desc->rest[line->vertex]);
    pl_f4 q = pl_lerp(pl_load(&desc->rest[line->from.vertex[0]]), pl_load(&desc->rest[line->from.vertex[1]]),
                      line->from.share);
    return (pl_load(&desc->rest[line->next]) - at) * pl_splat(1 / line->length) +
           (q - at) * pl_splat(1 / line->from.length);
}

/* A control off an edge, from the turn of a line: way is the edge from where the control is, normal the one there. */
static pl_control make_control(const pl_keep_desc *desc, const through *line, pl_f4 way, pl_f4 normal)
{
    pl_f4 d = turn_at(desc, line);
    float length = line->length, back = line->from.length, plain = length * back / (length + back);
    float off = pl_dot3(way, normal), turned = pl_dot3(d, normal);
    float g = (off * turned + SLIGHT * SLIGHT * plain) / (turned * turned + SLIGHT * SLIGHT);
    g = fminf(fmaxf(g, 0), length);
    float most = fminf(STEEPEST * length, 3 * desc->farthest), w = g * pl_length3(d);
    g = w > most ? g * most / w : g;
    float third = -g / 3, along = third / length, behind = third / back;
    return (pl_control){{line->vertex, line->next, line->from.vertex[0], line->from.vertex[1]},
                        {-(along + behind), along, behind * (1 - line->from.share), behind * line->from.share}};
}

/* Both controls of a corner's edge. */
static void make_edge(const pl_keep_desc *desc, uint32_t corner, pl_curve *curve)
{
    uint32_t next = pl_corner_next(corner), twin = desc->topology->twin[corner];
    uint32_t a = desc->topology->triangles[corner], b = desc->topology->triangles[next];
    pl_f4 way = rest_of(desc, next) - rest_of(desc, corner);
    through lines[2] = {{.vertex = a, .next = b, .length = pl_length3(way)},
                        {.vertex = b, .next = a, .length = pl_length3(way)}};
    if (!(lines[0].length > 0) || !is_smooth(desc, corner))
    {
        return;
    }
    bool known[2] = {look_ahead(desc, corner, true, &lines[0].from), look_ahead(desc, corner, false, &lines[1].from)};
    uint32_t corners[2] = {corner, next};
    for (uint32_t end = 0; end < 2 && (known[0] || known[1]); ++end)
    {
        /* Where a line does not come from anywhere it bends as at its other end. */
        const through *line = &lines[known[end] ? end : 1 - end];
        pl_f4 normal = pl_load(&desc->normals[desc->normal_triangles[corners[end]]]);
        curve->controls[curve->control_count] = make_control(desc, line, end ? -way : way, normal);
        curve->edge_controls[corner][end] = curve->edge_controls[twin][1 - end] = curve->control_count++;
    }
}

pleat_result pl_curve_make(const pl_keep_desc *desc, const uint8_t *marked, pl_memory *memory, pl_curve *out,
                           pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_topology *topology = desc->topology;
    uint32_t room = 0;
    *out = (pl_curve){0};
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        room += marked[t] ? 6 : 0;
    }
    PL_NEW_OR_FAIL(out->edge_controls, memory, pl_control_pair, 3 * (size_t)topology->triangle_count, error);
    memset(out->edge_controls, 0xff, 3 * (size_t)topology->triangle_count * sizeof *out->edge_controls);
    PL_NEW_OR_FAIL(out->controls, memory, pl_control, room, error);
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        if (marked[c / 3] && out->edge_controls[c][0] == PLEAT_NONE)
        {
            make_edge(desc, c, out);
        }
    }
fail:
    return result;
}

void pl_curve_free(pl_memory *memory, pl_curve *curve)
{
    pl_free(memory, curve->edge_controls);
    pl_free(memory, curve->controls);
}

uint32_t pl_curve_at(const pl_curve *curve, uint32_t coarse_triangle, const float barycentric[3], uint32_t *controls,
                     float *weights)
{
    /* The control inside is a quarter of the sum of the six: what makes a patch of a quadric exact. */
    float inside = 1.5f * barycentric[0] * barycentric[1] * barycentric[2];
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        for (uint32_t end = 0; end < 2; ++end)
        {
            uint32_t near = end ? (k + 1) % 3 : k, far = end ? k : (k + 1) % 3;
            uint32_t control = curve->edge_controls[3 * (size_t)coarse_triangle + k][end];
            float weight = 3 * barycentric[near] * barycentric[near] * barycentric[far] + inside;
            if (control != PLEAT_NONE && weight > 0)
            {
                controls[count] = control;
                weights[count++] = weight;
            }
        }
    }
    return count;
}

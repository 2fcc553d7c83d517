/* Which wrinkles pass near each triangle of the coarse surface. */
#include "layers/wrinkles/deform/near.h"

#include <math.h>
#include <string.h>

/* However much was lost, a wrinkle is no wider at rest than one over this. */
static const float LEFT_LEAST = 0.25f;

enum
{
    RUNS_A_TRIANGLE = 8, /* on average over the surface; the pool is shared */
    RUNS_A_POINT = 4,
    RUNS_A_WRINKLE = 16
};

pleat_result pl_wrinkle_near_init(pl_wrinkle_near *near, const pleat_topology *topology, uint32_t wrinkle_capacity,
                                  uint32_t point_capacity, pl_memory *memory, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t triangle_count = topology->triangle_count;
    *near = (pl_wrinkle_near){.memory = memory, .topology = topology, .wrinkle_capacity = wrinkle_capacity};
    size_t crests = (size_t)point_capacity + 2 * (size_t)wrinkle_capacity;
    size_t runs = RUNS_A_TRIANGLE * triangle_count + RUNS_A_POINT * (size_t)point_capacity +
                  RUNS_A_WRINKLE * (size_t)wrinkle_capacity;
    if (crests >= PLEAT_NONE || runs >= PLEAT_NONE)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%u wrinkles with %u points, or %zu triangles, are too many",
                       wrinkle_capacity, point_capacity, triangle_count);
    }
    near->crest_capacity = (uint32_t)crests;
    near->run_capacity = (uint32_t)runs;
    PL_NEW_OR_FAIL(near->first, memory, uint32_t, (size_t)wrinkle_capacity + 1, error);
    PL_NEW_OR_FAIL(near->crests, memory, pl_crest, crests, error);
    PL_NEW_OR_FAIL(near->runs, memory, pl_wrinkle_run, runs, error);
    PL_NEW_OR_FAIL(near->normals, memory, pl_f4, topology->vertex_count, error);
    PL_NEW_OR_FAIL(near->head, memory, uint32_t, triangle_count, error);
    PL_NEW_OR_FAIL(near->touched, memory, uint32_t, triangle_count, error);
    PL_NEW_OR_FAIL(near->seen, memory, uint32_t, triangle_count, error);
    PL_NEW_OR_FAIL(near->waiting, memory, uint32_t, triangle_count, error);
    PL_NEW_OR_FAIL(near->planes, memory, pl_wrinkle_planes, triangle_count, error);
    memset(near->head, 0xff, triangle_count * sizeof *near->head);
    return PLEAT_OK;
fail:
    pl_wrinkle_near_free(near);
    return result;
}

void pl_wrinkle_near_free(pl_wrinkle_near *near)
{
    if (near->memory)
    {
        pl_free(near->memory, near->first);
        pl_free(near->memory, near->crests);
        pl_free(near->memory, near->runs);
        pl_free(near->memory, near->normals);
        pl_free(near->memory, near->head);
        pl_free(near->memory, near->touched);
        pl_free(near->memory, near->seen);
        pl_free(near->memory, near->waiting);
        pl_free(near->memory, near->planes);
    }
    *near = (pl_wrinkle_near){0};
}

/* ---- Points in space ---- */

float pl_wrinkle_at_border(const pleat_topology *topology, const pleat_vec4 *positions, const pleat_place *place,
                           float distance)
{
    const uint32_t *corner = &topology->triangles[3 * (size_t)place->triangle];
    pl_f4 p[3] = {pl_load(&positions[corner[0]]), pl_load(&positions[corner[1]]), pl_load(&positions[corner[2]])};
    float area2 = pl_length3(pl_cross(p[1] - p[0], p[2] - p[0])), nearest = INFINITY;
    pl_f4 at = pl_place_position(topology->triangles, positions, place->triangle, place->barycentric);
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t next = (k + 1) % 3; /* owns the edge across from corner k */
        if (topology->vertex_flags[corner[k]] & PLEAT_VERTEX_BOUNDARY)
        {
            nearest = fminf(nearest, pl_length3(at - p[k]));
        }
        if (topology->twin[3 * (size_t)place->triangle + next] == PLEAT_BOUNDARY)
        {
            float edge = pl_length3(p[(k + 2) % 3] - p[next]);
            nearest = edge > 0 ? fminf(nearest, fabsf(place->barycentric[k]) * area2 / edge) : nearest;
        }
    }
    float t = distance > 0 ? fminf(fmaxf(2 - 2 * nearest / distance, 0), 1) : 0;
    return t * t * (3 - 2 * t);
}

bool pl_place_on_border(const pleat_topology *topology, const pleat_place *place)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        /* Corner k owns the edge to the next one; across from it is the third. */
        if (topology->twin[3 * (size_t)place->triangle + k] >= PLEAT_NON_MANIFOLD &&
            place->barycentric[(k + 2) % 3] < 1e-4f)
        {
            return true;
        }
    }
    return false;
}

bool pl_wrinkle_closed(const pleat_wrinkle *wrinkle, const pleat_wrinkle_point *points)
{
    const pleat_place *a = &points[wrinkle->first_point].place;
    const pleat_place *b = &points[wrinkle->first_point + wrinkle->point_count - 1].place;
    return wrinkle->point_count > 3 && memcmp(a, b, sizeof *a) == 0;
}

static bool is_place(const pleat_topology *topology, const pleat_place *place)
{
    const float *b = place->barycentric;
    return place->triangle < topology->triangle_count && isfinite(b[0] + b[1] + b[2]);
}

/* The sum of the triangles around each vertex. */
static void find_normals(const pleat_topology *topology, const pleat_vec4 *positions, pl_f4 *normals)
{
    memset(normals, 0, topology->vertex_count * sizeof *normals);
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        const uint32_t *corner = &topology->triangles[3 * (size_t)t];
        pl_f4 a = pl_load(&positions[corner[0]]);
        pl_f4 normal = pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a);
        for (int k = 0; k < 3; ++k)
        {
            normals[corner[k]] += normal;
        }
    }
}

static void put_crest(pl_wrinkle_near *near, const pl_wrinkle_near_frame *frame, uint32_t wrinkle, uint32_t point)
{
    const pleat_wrinkle_point *p = &frame->points[point];
    const uint32_t *corner = &near->topology->triangles[3 * (size_t)p->place.triangle];
    pl_f4 a = pl_load(&frame->positions[corner[0]]);
    pl_f4 normal = pl_cross(pl_load(&frame->positions[corner[1]]) - a, pl_load(&frame->positions[corner[2]]) - a);
    pl_f4 smooth = pl_splat(0), rest = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        smooth += pl_normalize3(near->normals[corner[k]]) * pl_splat(p->place.barycentric[k]);
    }
    if (frame->rest)
    {
        rest = pl_place_position(near->topology->triangles, frame->rest, p->place.triangle, p->place.barycentric);
    }
    near->crests[near->crest_count++] =
        (pl_crest){.smooth = pl_normalize3(smooth),
                   .rest = rest,
                   .rest_width = p->width / fmaxf(1 - p->strength, LEFT_LEAST),
                   .position = pl_place_position(near->topology->triangles, frame->positions, p->place.triangle,
                                                 p->place.barycentric),
                   .normal = pl_normalize3(normal),
                   .width = p->width,
                   .depth = p->depth,
                   .triangle = p->place.triangle,
                   .wrinkle = wrinkle,
                   .place = point};
}

/* A crest behind the border, as far as the width (or less, as its end is less at the border), in the direction from one
 * crest to the next. */
static pl_crest beyond(const pl_crest *before, const pl_crest *end, float share)
{
    pl_crest out = *end;
    out.position = end->position + pl_normalize3(end->position - before->position) * pl_splat(share * end->width);
    out.rest = end->rest + pl_normalize3(end->rest - before->rest) * pl_splat(share * end->rest_width);
    return out;
}

static void put_wrinkle(pl_wrinkle_near *near, const pl_wrinkle_near_frame *frame, uint32_t index)
{
    const pleat_wrinkle *wrinkle = &frame->wrinkles[index];
    const pleat_wrinkle_point *points = &frame->points[wrinkle->first_point];
    uint32_t count = wrinkle->point_count, first = near->crest_count;
    bool whole = count >= 2;
    for (uint32_t i = 0; whole && i < count; ++i)
    {
        whole = is_place(near->topology, &points[i].place);
    }
    if (!whole || count > near->crest_capacity - near->crest_count ||
        near->crest_capacity - near->crest_count - count < 2)
    {
        near->left_out += count > 0;
        return;
    }
    bool open = frame->extend && !pl_wrinkle_closed(wrinkle, frame->points);
    float border[2] = {0, 0};
    for (int end = 0; open && end < 2; ++end)
    {
        const pleat_wrinkle_point *p = &points[end ? count - 1 : 0];
        border[end] = pl_wrinkle_at_border(near->topology, frame->positions, &p->place, 0.5f * p->width);
    }
    near->crest_count += border[0] > 0; /* filled when its direction is known */
    for (uint32_t i = 0; i < count; ++i)
    {
        put_crest(near, frame, index, wrinkle->first_point + i);
    }
    if (border[0] > 0)
    {
        near->crests[first] = beyond(&near->crests[first + 2], &near->crests[first + 1], border[0]);
    }
    if (border[1] > 0)
    {
        const pl_crest *last = &near->crests[near->crest_count - 1];
        near->crests[near->crest_count++] = beyond(last - 1, last, border[1]);
    }
}

/* The squared distance from a point to a triangle, and the nearest place in it. */
static float nearest_in(const pl_f4 p[3], pl_f4 point, float barycentric[3])
{
    pl_f4 ab = p[1] - p[0], ac = p[2] - p[0], away = point - p[0], normal = pl_cross(ab, ac);
    float area2 = pl_dot3(normal, normal);
    float v = area2 > 0 ? pl_dot3(pl_cross(away, ac), normal) / area2 : -1;
    float w = area2 > 0 ? pl_dot3(pl_cross(ab, away), normal) / area2 : -1;
    if (v >= 0 && w >= 0 && v + w <= 1)
    {
        float above = pl_dot3(away, normal);
        barycentric[0] = 1 - v - w;
        barycentric[1] = v;
        barycentric[2] = w;
        return above * above / area2;
    }
    float best = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        int next = (k + 1) % 3;
        pl_f4 edge = p[next] - p[k];
        float length2 = pl_dot3(edge, edge);
        float t = length2 > 0 ? fminf(fmaxf(pl_dot3(point - p[k], edge) / length2, 0), 1) : 0;
        pl_f4 rest = point - p[k] - edge * pl_splat(t);
        if (pl_dot3(rest, rest) < best)
        {
            best = pl_dot3(rest, rest);
            barycentric[k] = 1 - t;
            barycentric[next] = t;
            barycentric[(k + 2) % 3] = 0;
        }
    }
    return best;
}

void pl_place_nearby(const pleat_topology *topology, const pleat_vec4 *positions, pl_f4 point, uint32_t *triangle,
                     float barycentric[3])
{
    const uint32_t *start = &topology->triangles[3 * (size_t)*triangle];
    float best = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        for (uint32_t i = topology->ring_start[start[k]]; i < topology->ring_start[start[k] + 1]; ++i)
        {
            uint32_t t = topology->ring_corner[i] / 3;
            const uint32_t *corner = &topology->triangles[3 * (size_t)t];
            pl_f4 p[3] = {pl_load(&positions[corner[0]]), pl_load(&positions[corner[1]]),
                          pl_load(&positions[corner[2]])};
            float place[3], squared = nearest_in(p, point, place);
            if (squared < best)
            {
                best = squared;
                *triangle = t;
                memcpy(barycentric, place, sizeof place);
            }
        }
    }
}

/* ---- Search ---- */

static pl_wrinkle_planes make_planes(const pleat_topology *topology, const pleat_vec4 *positions, uint32_t triangle)
{
    const uint32_t *corner = &topology->triangles[3 * (size_t)triangle];
    pl_f4 p[3] = {pl_load(&positions[corner[0]]), pl_load(&positions[corner[1]]), pl_load(&positions[corner[2]])};
    pl_f4 normal = pl_cross(p[1] - p[0], p[2] - p[0]), outward[4];
    float area2 = pl_length3(normal);
    pl_wrinkle_planes planes = {0};
    if (!(area2 > 1e-30f) || !isfinite(area2))
    {
        return planes;
    }
    outward[3] = normal * pl_splat(1 / area2);
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 edge = p[(k + 1) % 3] - p[k];
        float length = pl_length3(edge);
        outward[k] = pl_cross(edge, outward[3]) * pl_splat(1 / length);
        planes.height[k] = length / area2;
    }
    for (int k = 0; k < 4; ++k)
    {
        planes.x[k] = outward[k][0];
        planes.y[k] = outward[k][1];
        planes.z[k] = outward[k][2];
        planes.distance[k] = pl_dot3(outward[k], p[k % 3]);
    }
    return planes;
}

static void find_planes(pl_wrinkle_near *near, const pl_wrinkle_near_frame *frame)
{
    if (frame->rest && frame->rest == near->planes_shape)
    {
        return;
    }
    near->planes_shape = frame->rest;
    for (uint32_t t = 0; t < near->topology->triangle_count; ++t)
    {
        near->planes[t] = make_planes(near->topology, frame->rest ? frame->rest : frame->positions, t);
    }
}

/* False only if the segment from a to b is farther than reach from the triangle: some edge's outside, or one side of
 * its plane, holds the segment with a gap. */
static bool may_reach(const pl_wrinkle_planes *planes, pl_f4 a, pl_f4 b, float reach)
{
    pl_f4 from = pl_planes_at(planes, a), to = pl_planes_at(planes, b);
    pl_i4 outside = (from > pl_splat(reach)) & (to > pl_splat(reach));
    return !(outside[0] | outside[1] | outside[2] | outside[3]) && !(from[3] < -reach && to[3] < -reach);
}

/* A segment of a wrinkle reaches a triangle. */
static void add_to_run(pl_wrinkle_near *near, uint32_t triangle, uint32_t wrinkle, uint32_t segment)
{
    uint32_t head = near->head[triangle];
    if (head != PLEAT_NONE && near->runs[head].wrinkle == wrinkle)
    {
        near->runs[head].last = segment;
        return;
    }
    if (near->run_count == near->run_capacity)
    {
        ++near->left_out;
        return;
    }
    if (head == PLEAT_NONE)
    {
        near->touched[near->touched_count++] = triangle;
    }
    near->head[triangle] = near->run_count;
    near->runs[near->run_count++] =
        (pl_wrinkle_run){.first = segment, .last = segment, .wrinkle = wrinkle, .next = head};
}

static void search_segment(pl_wrinkle_near *near, const pl_wrinkle_near_frame *frame, uint32_t wrinkle,
                           uint32_t segment)
{
    const pl_crest *a = &near->crests[segment], *b = a + 1;
    float reach = frame->reach > 0 ? frame->reach : fmaxf(a->width, b->width);
    pl_f4 from = frame->rest ? a->rest : a->position, to = frame->rest ? b->rest : b->position;
    if (frame->rest && !(frame->reach > 0))
    {
        reach = PL_WRINKLE_APART * fmaxf(a->rest_width, b->rest_width);
    }
    if (!(reach > 0))
    {
        return;
    }
    uint32_t count = 0;
    if (++near->search == 0) /* once in four billion: what was seen then would look seen now */
    {
        memset(near->seen, 0, near->topology->triangle_count * sizeof *near->seen);
        near->search = 1;
    }
    for (int end = 0; end < 2; ++end)
    {
        uint32_t triangle = end ? b->triangle : a->triangle;
        if (near->seen[triangle] != near->search)
        {
            near->seen[triangle] = near->search;
            near->waiting[count++] = triangle;
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t triangle = near->waiting[i];
        add_to_run(near, triangle, wrinkle, segment);
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t twin = near->topology->twin[3 * (size_t)triangle + k];
            if (twin >= PLEAT_NON_MANIFOLD || near->seen[twin / 3] == near->search)
            {
                continue;
            }
            near->seen[twin / 3] = near->search;
            if (may_reach(&near->planes[twin / 3], from, to, reach))
            {
                near->waiting[count++] = twin / 3;
            }
        }
    }
}

void pl_wrinkle_near_build(pl_wrinkle_near *near, const pl_wrinkle_near_frame *frame)
{
    for (uint32_t i = 0; i < near->touched_count; ++i)
    {
        near->head[near->touched[i]] = PLEAT_NONE;
    }
    near->touched_count = near->run_count = near->crest_count = near->left_out = 0;
    near->wrinkle_count = frame->wrinkle_count;
    if (near->wrinkle_count > near->wrinkle_capacity)
    {
        near->left_out = near->wrinkle_count - near->wrinkle_capacity;
        near->wrinkle_count = near->wrinkle_capacity;
    }
    find_planes(near, frame);
    find_normals(near->topology, frame->positions, near->normals);
    for (uint32_t w = 0; w < near->wrinkle_count; ++w)
    {
        near->first[w] = near->crest_count;
        put_wrinkle(near, frame, w);
        for (uint32_t i = near->first[w]; i + 1 < near->crest_count; ++i)
        {
            search_segment(near, frame, w, i);
        }
    }
    near->first[near->wrinkle_count] = near->crest_count;
}

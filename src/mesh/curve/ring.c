#include "mesh/curve/ring.h"

#include <string.h>

pl_f4 pl_place_normal(const pleat_topology *topology, const pleat_vec4 *normals, const pleat_place *place)
{
    return pl_normalize3(pl_place_position(topology, normals, place));
}

float pl_contour_length(const pl_ring_surface *surface, const pl_contour *line)
{
    float length = 0;
    for (uint32_t i = line->closed ? 0 : 1; i < line->point_count; ++i)
    {
        uint32_t before = i ? i - 1 : line->point_count - 1;
        length += pl_length3(pl_place_position(surface->topology, surface->positions, &line->points[i]) -
                             pl_place_position(surface->topology, surface->positions, &line->points[before]));
    }
    return length;
}

/* count points at equal steps along a polyline of `from_count` points. Closed: step total / count, else total / (count
 * - 1). */
static void resample(const pl_f4 *from, uint32_t from_count, bool closed, pl_f4 *to, uint32_t count)
{
    uint32_t segment_count = closed ? from_count : from_count - 1;
    double total = 0;
    for (uint32_t i = 0; i < segment_count; ++i)
    {
        total += (double)pl_length3(from[(i + 1) % from_count] - from[i]);
    }
    double step = total / (closed ? count : count - 1), walked = 0;
    uint32_t segment = 0;
    double length = (double)pl_length3(from[1 % from_count] - from[0]);
    for (uint32_t i = 0; i < count; ++i)
    {
        double wanted = step * i;
        while (segment + 1 < segment_count && walked + length < wanted)
        {
            walked += length;
            ++segment;
            length = (double)pl_length3(from[(segment + 1) % from_count] - from[segment]);
        }
        double t = length > 0 ? fmin(fmax((wanted - walked) / length, 0), 1) : 0;
        to[i] = pl_lerp(from[segment], from[(segment + 1) % from_count], (float)t);
    }
}

/* Repeated quarter-half-quarter means; ends of an open line stay. */
static void smooth_points(pl_f4 *points, pl_f4 *scratch, uint32_t count, bool closed, uint32_t rounds)
{
    for (uint32_t round = 0; round < rounds; ++round)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            bool end = !closed && (i == 0 || i + 1 == count);
            pl_f4 before = points[(i + count - 1) % count], after = points[(i + 1) % count];
            scratch[i] = points[i];
            if (!end)
            {
                scratch[i] = points[i] * pl_splat(0.5f) + (before + after) * pl_splat(0.25f);
            }
        }
        memcpy(points, scratch, count * sizeof *points);
    }
}

/* Turns a closed list so that it begins at the point farthest along a fixed skew direction. */
static void turn_to_start(pl_f4 *points, pl_f4 *scratch, uint32_t count)
{
    uint32_t first = 0;
    float best = -INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        float along = pl_dot3(points[i], pl_set(0.2f, 0.31f, 0.93f, 0));
        first = along > best ? i : first;
        best = fmaxf(along, best);
    }
    memcpy(scratch, points + first, (count - first) * sizeof *points);
    memcpy(scratch + count - first, points, first * sizeof *points);
    memcpy(points, scratch, count * sizeof *points);
}

static void frame_stations(const pl_ring_surface *surface, const pl_f4 *points, pl_ring *ring)
{
    uint32_t count = ring->station_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_hit hit = pleat_bvh_nearest(surface->bvh, pl_to(points[i]), INFINITY);
        pleat_place place = {.triangle = hit.triangle};
        memcpy(place.barycentric, hit.barycentric, sizeof place.barycentric);
        ring->stations[i].position = pl_from(hit.position);
        ring->stations[i].normal = pl_place_normal(surface->topology, surface->normals, &place);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t before = ring->closed ? (i + count - 1) % count : i ? i - 1 : 0;
        uint32_t after = ring->closed ? (i + 1) % count : i + 1 < count ? i + 1 : i;
        pl_station *station = &ring->stations[i];
        pl_f4 along = ring->stations[after].position - ring->stations[before].position;
        along -= station->normal * pl_splat(pl_dot3(along, station->normal));
        station->tangent = pl_normalize3(along);
        station->across = pl_cross(station->normal, station->tangent);
    }
}

pleat_result pl_ring_make(const pl_ring_surface *surface, const pl_contour *line, float spacing, float smooth,
                          pl_arena *arena, pl_ring *out, pleat_error *error)
{
    float length = pl_contour_length(surface, line);
    uint32_t steps = (uint32_t)fminf(fmaxf(length / spacing + 0.5f, 3), 4096);
    uint32_t station_count = line->closed ? steps : steps + 1;
    /* Smoothing works on four points a station. */
    uint32_t fine_count = line->closed ? 4 * steps : 4 * steps + 1;
    uint32_t most = fine_count > line->point_count ? fine_count : line->point_count;
    pl_f4 *raw = PL_ARENA_NEW(arena, pl_f4, most), *fine = PL_ARENA_NEW(arena, pl_f4, most);
    *out = (pl_ring){.station_count = station_count, .closed = line->closed, .length = length};
    out->stations = PL_ARENA_NEW(arena, pl_station, station_count);
    if (!raw || !fine || !out->stations)
    {
        return pl_fail_memory(arena->memory, error, "a ring");
    }
    for (uint32_t i = 0; i < line->point_count; ++i)
    {
        raw[i] = pl_place_position(surface->topology, surface->positions, &line->points[i]);
    }
    resample(raw, line->point_count, line->closed, fine, fine_count);
    float step = length / (float)(4 * steps), deviation = smooth / step;
    uint32_t rounds = (uint32_t)fminf(2 * deviation * deviation, 400); /* each round has a variance of 1/2 */
    smooth_points(fine, raw, fine_count, line->closed, rounds);
    if (line->closed)
    {
        turn_to_start(fine, raw, fine_count);
    }
    resample(fine, fine_count, line->closed, raw, station_count);
    frame_stations(surface, raw, out);
    return PLEAT_OK;
}

static float length_through(const pl_f4 *points, uint32_t count)
{
    float length = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        length += pl_length3(points[(i + 1) % count] - points[i]);
    }
    return length;
}

pleat_result pl_ring_straighten(const pl_ring_surface *surface, float smooth, pl_arena *arena, pl_ring *ring,
                                pleat_error *error)
{
    uint32_t count = ring->station_count;
    pl_f4 *points = PL_ARENA_NEW(arena, pl_f4, count), *scratch = PL_ARENA_NEW(arena, pl_f4, count);
    if (!points || !scratch)
    {
        return pl_fail_memory(arena->memory, error, "a ring");
    }
    float deviation = smooth * (float)count / ring->length;
    uint32_t rounds = ring->closed ? (uint32_t)fminf(2 * deviation * deviation, 400) : 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = ring->stations[i].position;
    }
    for (uint32_t round = 0; round < rounds; ++round)
    {
        smooth_points(points, scratch, count, true, 1);
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = pl_from(pleat_bvh_nearest(surface->bvh, pl_to(points[i]), INFINITY).position);
        }
    }
    if (rounds)
    {
        ring->length = length_through(points, count);
        resample(points, count, true, scratch, count);
        frame_stations(surface, scratch, ring);
    }
    return PLEAT_OK;
}

#include "layer/folds_near.h"

#include "base/fail.h"

/* ---- Planning ---- */

pleat_result pl_fold_crowd_make(const pleat_cloth *cloth, const uint8_t *lining, float cell, pl_arena *arena,
                                pl_fold_crowd *out, pleat_error *error)
{
    uint32_t count = cloth->topology->vertex_count, buckets = 1;
    while (buckets < count && buckets < 1u << 20)
    {
        buckets *= 2;
    }
    *out = (pl_fold_crowd){.cloth = cloth, .cell = cell, .mask = buckets - 1};
    out->first = PL_ARENA_NEW(arena, uint32_t, buckets);
    out->next = PL_ARENA_NEW(arena, uint32_t, count);
    out->triangle = PL_ARENA_NEW(arena, uint32_t, count);
    if (!out->first || !out->next || !out->triangle)
    {
        return pl_fail_memory(arena->memory, error, "what is near");
    }
    for (uint32_t v = 0; v < count; ++v)
    {
        out->triangle[v] = PLEAT_NONE;
    }
    for (uint32_t i = 0; i < 3 * cloth->topology->triangle_count; ++i)
    {
        if (!lining || lining[i / 3] != PL_FOLD_LINING)
        {
            out->triangle[cloth->topology->triangles[i]] = i / 3;
        }
    }
    return PLEAT_OK;
}

typedef struct cell_index
{
    int64_t x, y, z;
} cell_index;

/* Far out all lies in one cell: nothing overflows. */
static int64_t cell_along(float x, float cell)
{
    float at = floorf(x / cell);
    return at > -1e9f && at < 1e9f ? (int64_t)at : 0;
}

static cell_index cell_of(const pl_fold_crowd *crowd, pl_f4 place)
{
    return (cell_index){cell_along(place[0], crowd->cell), cell_along(place[1], crowd->cell),
                        cell_along(place[2], crowd->cell)};
}

static uint32_t bucket_of(const pl_fold_crowd *crowd, cell_index c)
{
    uint64_t mixed = (uint64_t)c.x * 73856093u ^ (uint64_t)c.y * 19349663u ^ (uint64_t)c.z * 83492791u;
    return (uint32_t)mixed & crowd->mask;
}

void pl_fold_crowd_fill(pl_fold_crowd *crowd, const pleat_vec4 *positions, float turn)
{
    crowd->positions = positions;
    crowd->turn = turn;
    for (uint32_t i = 0; i <= crowd->mask; ++i)
    {
        crowd->first[i] = PLEAT_NONE;
    }
    for (uint32_t v = 0; v < crowd->cloth->topology->vertex_count; ++v)
    {
        if (crowd->triangle[v] == PLEAT_NONE)
        {
            continue;
        }
        uint32_t bucket = bucket_of(crowd, cell_of(crowd, pl_load(&positions[v])));
        crowd->next[v] = crowd->first[bucket];
        crowd->first[bucket] = v;
    }
}

static pl_f4 facing_of(const pl_fold_crowd *crowd, uint32_t vertex)
{
    const uint32_t *corner = crowd->cloth->topology->triangles + 3 * (size_t)crowd->triangle[vertex];
    pl_f4 a = pl_load(&crowd->positions[corner[0]]);
    pl_f4 area = pl_cross(pl_load(&crowd->positions[corner[1]]) - a, pl_load(&crowd->positions[corner[2]]) - a);
    return pl_normalize3(area) * pl_splat(crowd->turn);
}

/* Does a vertex lie just across the ring from a station? The crease sees to that. */
static bool is_across(const pl_fold_crowd *crowd, const pl_fold_ring *ring, uint32_t station, uint32_t vertex)
{
    enum
    {
        STATIONS = 2
    };
    float u, s, count = (float)ring->ring.station_count;
    if (!pl_patch_find(&ring->patch, pl_load(&crowd->cloth->rest[vertex]), pl_load(&crowd->cloth->rest_normals[vertex]),
                       0.35f * ring->values.width, &u, &s))
    {
        return false;
    }
    float apart = fabsf(u - (float)station);
    apart = ring->ring.closed && apart > 0.5f * count ? count - apart : apart;
    return apart <= STATIONS;
}

/* Keeps the nearest few. */
static void keep_near(pl_fold_other *others, pl_f4 rest, float gap)
{
    uint32_t last = 0;
    for (uint32_t n = 0; n < PL_FOLD_OTHERS; ++n)
    {
        pl_f4 d = others[n].rest - rest;
        if (others[n].known && !(pl_dot3(d, d) > 0))
        {
            others[n].gap = gap < others[n].gap ? gap : others[n].gap;
            return;
        }
        bool farther = others[last].known && (!others[n].known || others[n].gap > others[last].gap);
        last = farther ? n : last;
    }
    if (!others[last].known || gap < others[last].gap)
    {
        others[last] = (pl_fold_other){rest, gap, true};
    }
}

void pl_fold_crowd_note(const pl_fold_crowd *crowd, pl_fold_ring *ring, uint32_t station, uint32_t k, pl_f4 place,
                        pl_f4 up)
{
    float width = ring->values.width;
    cell_index c = cell_of(crowd, place);
    for (int n = 0; n < 27; ++n)
    {
        cell_index at = {c.x + n % 3 - 1, c.y + n / 3 % 3 - 1, c.z + n / 9 - 1};
        for (uint32_t v = crowd->first[bucket_of(crowd, at)]; v != PLEAT_NONE; v = crowd->next[v])
        {
            pl_f4 d = pl_load(&crowd->positions[v]) - place;
            float ahead = pl_dot3(d, up), aside = pl_length3(d - up * pl_splat(ahead));
            if (ahead > -0.5f * width && ahead < 2 * PL_FOLD_STEEP * width && aside < 1.2f * width &&
                pl_dot3(facing_of(crowd, v), up) < -0.2f && !is_across(crowd, ring, station, v))
            {
                keep_near(ring->others + PL_FOLD_OTHERS * ((size_t)station * ring->fold_count + k),
                          pl_load(&crowd->cloth->rest[v]), fabsf(ahead) + aside);
            }
        }
    }
}

/* ---- Hollows ---- */

/* The middle of a fold at rest. */
typedef struct hollow_side
{
    pl_f4 place, normal;
} hollow_side;

static hollow_side side_of(const pl_bound_ring *ring, const pl_ring_surface *surface, uint32_t index)
{
    const pl_fold *fold = &ring->folds[index];
    const pl_fold_sample *sample = &ring->samples[fold->first_sample + fold->sample_count / 2];
    return (hollow_side){pl_fold_mix(surface->positions, sample->vertex, sample->weight),
                         pl_normalize3(pl_fold_mix(surface->normals, sample->vertex, sample->weight))};
}

/* Where normals run together along the ring, folds higher than that would meet; a quarter of the
 * way is theirs: the hollow narrows as the cloth moves. */
static float room_between(const hollow_side *a, const hollow_side *b)
{
    pl_f4 way = b->place - a->place;
    float closing = -pl_dot3(b->normal - a->normal, way), squared = pl_dot3(way, way);
    return closing > 0 ? 0.25f * squared / closing : INFINITY;
}

/* How high a fold may rise before the cloth a few stations or folds on, or INFINITY. */
static float room_in_hollow(const pl_bound_ring *ring, const pl_ring_surface *surface, uint32_t index, int stations,
                            int folds)
{
    int64_t count = ring->station_count, station = (int64_t)(index / ring->fold_count) + stations;
    int64_t k = (int64_t)(index % ring->fold_count) + folds;
    station = ring->closed ? (station + count) % count : station;
    if (station < 0 || station >= count || k < 0 || k >= ring->fold_count)
    {
        return INFINITY;
    }
    uint32_t other = (uint32_t)(station * ring->fold_count + k);
    if (ring->folds[index].sample_count < 3 || ring->folds[other].sample_count < 3)
    {
        return INFINITY;
    }
    hollow_side a = side_of(ring, surface, index), b = side_of(ring, surface, other);
    return room_between(&a, &b);
}

pleat_result pl_folds_find_pinches(pl_bound_ring *ring, const pl_ring_surface *surface, pl_arena *arena,
                                   pleat_error *error)
{
    /* Up to two folds' widths to each side. */
    static const int8_t around[][2] = {{-2, 0}, {2, 0}, {0, -1}, {0, 1}, {0, -2}, {0, 2}};
    uint32_t folds = ring->station_count * ring->fold_count;
    ring->pinches = PL_ARENA_NEW(arena, pl_fold_pinch, folds);
    if (!ring->pinches)
    {
        return pl_fail_memory(arena->memory, error, "hollows");
    }
    for (uint32_t i = 0; i < folds; ++i)
    {
        float room = PL_FOLD_STEEP * ring->width, most = room;
        for (size_t n = 0; n < sizeof around / sizeof around[0]; ++n)
        {
            room = fminf(room, room_in_hollow(ring, surface, i, around[n][0], around[n][1]));
        }
        if (room < most)
        {
            ring->pinches[ring->pinch_count++] = (pl_fold_pinch){i, room};
        }
    }
    return PLEAT_OK;
}

/* ---- Frames ---- */

/* How high a fold may rise before what faces it. top: its middle; most: without it. Continuous in where both are. */
static float room_before(const pl_fold_near *near, pl_f4 top, pl_f4 up, const pl_bound_ring *ring,
                         const pleat_layer_frame *frame, float most)
{
    pl_f4 a = pl_load(&frame->positions[near->vertex[0]]);
    pl_f4 b = pl_load(&frame->positions[near->vertex[1]]), c = pl_load(&frame->positions[near->vertex[2]]);
    pl_f4 d = (a + b + c) * pl_splat(1.0f / 3) - top;
    if (!(pl_dot3(d, d) < 2.5f * 2.5f * ring->width * ring->width))
    {
        return most; /* 2 widths aside or 1.5 ahead or behind, where nothing counts: most is at most 0.7 */
    }
    float ahead = pl_dot3(d, up), aside = pl_length3(d - up * pl_splat(ahead)), width = ring->width;
    if (!(ahead < 2 * most) || !(aside < 2 * width))
    {
        return most;
    }
    pl_f4 normal = pl_cross(b - a, c - a);
    float turn = pl_affine_determinant(&frame->joints[ring->ups[near->up].joint[0]]) < 0 ? -1 : 1;
    float facing = -turn * pl_dot3(normal, up);
    if (!(facing > 0))
    {
        return most;
    }
    /* A triangle that skinning crushes turns over at once: what is left of its area tells how much it faces anything.
     */
    facing /= fmaxf(pl_length3(normal), 0.7f * near->area);
    float part = pl_fold_ramp(facing, 0, 0.6f) * (1 - pl_fold_ramp(aside, 0.5f * width, 1.8f * width)) *
                 pl_fold_ramp(ahead, -1.5f * width, -0.7f * width);
    float half = 0.5f * ahead - 0.03f * width;
    half = half < 0 ? 0 : half > most ? most : half;
    return most + (half - most) * part;
}

void pl_folds_mind_others(const pl_bound_ring *ring, const pleat_layer_frame *frame, const float *lost,
                          const pl_f4 *ups, float *rooms)
{
    float most = PL_FOLD_STEEP * ring->width;
    for (uint32_t n = 0; n < ring->pinch_count; ++n)
    {
        const pl_fold_pinch *pinch = &ring->pinches[n];
        float loss = lost[pinch->fold / ring->fold_count];
        float room = most + (pinch->room - most) * (loss < 0.12f ? loss / 0.12f : 1);
        rooms[pinch->fold] = room < rooms[pinch->fold] ? room : rooms[pinch->fold];
    }
    pl_f4 top = pl_splat(0);
    for (uint32_t n = 0, known = PLEAT_NONE; n < ring->near_count; ++n)
    {
        const pl_fold_near *near = &ring->nears[n];
        float loss = lost[near->fold / ring->fold_count];
        if (loss > 0)
        {
            const pl_fold_sample *middle = &ring->samples[near->sample];
            top = near->sample != known ? pl_fold_mix(frame->positions, middle->vertex, middle->weight) : top;
            known = near->sample;
            /* Neighbours taper towards it: for them it narrows down as the station begins to fold, not at once. */
            float part = loss < 0.12f ? loss / 0.12f : 1;
            float room = most + (room_before(near, top, ups[near->up], ring, frame, most) - most) * part;
            rooms[near->fold] = room < rooms[near->fold] ? room : rooms[near->fold];
        }
    }
}

/* From a planned ring to the refined mesh: which vertices rise with which fold, and the lines that say how far. */
#include "layers/folds/folds.h"
#include "layers/folds/clearance/near.h"

#include <string.h>

/* A line goes as far as a fold if it lacks no more of it than this, of its width. */
#define SLACK 0.02f
/* A line's direction where folds meet is taken from so far before to so far behind, of a fold's width. */
#define AROUND 0.15f

/* One ring being bound. */
typedef struct binder
{
    const pl_folds_plan *plan;
    const pl_fold_ring *from;
    const pleat_cloth *cloth;
    const pl_ring_surface *surface;
    pl_arena *arena;
    pl_patch patch;
    float *vertex_u;       /* per vertex of the cloth */
    float *vertex_profile; /* 0 outside; without the mask, or folds would rise higher to make up for what it takes */
    float *vertex_x;       /* in the fold, -1 .. 1 */
    uint8_t *vertex_fold;
} binder;

/* Garments that lie over each other in one mesh move each by its own rings; trimmings move with the cloth below. What
 * lies beside the end of an open ring is the next piece of the same garment, across a seam that is not welded: it moves
 * along. */
static bool is_another_garment(const binder *b, uint32_t vertex, float u)
{
    const uint32_t *garments = b->plan->garments;
    const pl_ring *ring = &b->from->ring;
    bool beside = !ring->closed && !(u > 1e-3f && u < (float)(ring->station_count - 1) - 1e-3f);
    return garments && garments[vertex] != PLEAT_NONE && garments[vertex] != b->from->shell && !beside;
}

/* Gives every vertex near the patch its fold, its height in the profile and its place along the ring. Returns how many.
 */
static uint32_t place_vertices(binder *b)
{
    const pleat_cloth *cloth = b->cloth;
    uint32_t count = 0;
    for (uint32_t v = 0; v < cloth->topology->vertex_count; ++v)
    {
        float u, s;
        b->vertex_profile[v] = 0;
        if (!pl_patch_find(&b->patch, pl_load(&cloth->rest[v]), pl_load(&cloth->rest_normals[v]),
                           PL_FOLD_PATCH_REACH * b->from->values.width, &u, &s) ||
            is_another_garment(b, v, u))
        {
            continue;
        }
        uint32_t k = pl_fold_ring_at(b->from, s);
        float low = b->from->bounds[k], high = b->from->bounds[k + 1];
        b->vertex_u[v] = u;
        b->vertex_fold[v] = (uint8_t)k;
        b->vertex_x[v] = (2 * s - low - high) / (high - low);
        b->vertex_profile[v] = pl_profile_at(&b->from->profile, b->vertex_x[v]);
        count += b->vertex_profile[v] > 0;
    }
    return count;
}

/* ---- Folds and their samples ---- */

static bool is_active(const binder *b, uint32_t station, uint32_t k)
{
    return b->from->active[station * b->from->fold_count + k];
}

/* Does the line of a station go as far as the fold? */
static bool is_whole(const binder *b, uint32_t station, uint32_t k)
{
    const pl_line *line = &b->patch.lines[station];
    float slack = SLACK * b->from->values.width;
    return b->from->bounds[k] >= line->low - slack && b->from->bounds[k + 1] <= line->high + slack;
}

/* Does it before it meets another? */
static bool is_clear(const binder *b, uint32_t station, uint32_t k)
{
    const pl_line *line = &b->patch.lines[station];
    bool meets = k < b->from->fold_count / 2 ? line->low_meets : line->high_meets;
    return !meets || is_whole(b, station, k);
}

/* How many stations away the nearest is where something does not hold; `most` if it does at all that are nearer. */
static uint32_t stations_to(const binder *b, bool (*holds)(const binder *b, uint32_t station, uint32_t k),
                            uint32_t station, uint32_t k, uint32_t most)
{
    uint32_t count = b->from->ring.station_count;
    for (uint32_t d = 0; d < most; ++d)
    {
        for (int side = -1; side <= 1; side += 2)
        {
            int64_t at = (int64_t)station + side * (int64_t)d;
            if (b->from->ring.closed)
            {
                at = (at % count + count) % count;
            }
            if (at < 0 || at >= count || !holds(b, (uint32_t)at, k))
            {
                return d;
            }
        }
    }
    return most;
}

/* Edges across a fold, of those asked for, from which on it is drawn as it is; with half of them it would come out as
 * other bumps than the fold, and there is none. */
#define FINE_ENOUGH 0.75f

/* How long edges are around a place of a line, about: as of squares cut in two. 0 where nothing may move. */
static float edge_at(const binder *b, const pl_line *line, float arc)
{
    pleat_place place = pl_line_at(b->surface, line, arc);
    const uint32_t *corner = b->surface->topology->triangles + 3 * (size_t)place.triangle;
    pl_f4 at = pl_load(&b->cloth->rest[corner[0]]);
    pl_f4 u = pl_load(&b->cloth->rest[corner[1]]) - at, v = pl_load(&b->cloth->rest[corner[2]]) - at;
    const float *mask = b->cloth->mask;
    bool still = !(mask[corner[0]] > 0) && !(mask[corner[1]] > 0) && !(mask[corner[2]] > 0);
    return still ? 0 : sqrtf(pl_length3(pl_cross(u, v)));
}

/* How much of a fold the mesh can show, 1 where it was refined as asked: where triangles were too few for that, folds
 * go down. */
static float shown_part(const binder *b, uint32_t station, uint32_t k)
{
    enum
    {
        PLACES = 4
    };
    const pl_line *line = &b->patch.lines[station];
    float low = b->from->bounds[k], high = b->from->bounds[k + 1], edge = 0;
    for (uint32_t i = 0; i < PLACES; ++i)
    {
        edge = fmaxf(edge, edge_at(b, line, low + (high - low) * ((float)i + 0.5f) / PLACES));
    }
    float wanted = FINE_ENOUGH * fminf(b->plan->options.detail, PL_FOLD_LEAST_EDGES);
    return edge > 0 ? pl_smooth_step(2 * (high - low) / (wanted * edge) - 1) : 1;
}

/* Folds end within their width where nothing is lost or the cloth ends. Where a line ends because it meets another,
 * the patch is no good beyond the next line already, and they end before that. */
static float fade_of(const binder *b, uint32_t station, uint32_t k)
{
    enum
    {
        SPAN = 2
    };
    uint32_t lost = stations_to(b, is_active, station, k, SPAN), whole = stations_to(b, is_whole, station, k, SPAN);
    uint32_t clear = stations_to(b, is_clear, station, k, SPAN + 1), least = lost < whole ? lost : whole;
    return pl_smooth_step(fminf((float)least, (float)clear - 0.5f) / SPAN);
}

static pl_fold_sample make_sample(const binder *b, const pleat_place *place, uint32_t k)
{
    pl_fold_sample sample = {.arc = 0};
    for (int j = 0; j < 3; ++j)
    {
        uint32_t vertex = b->surface->topology->triangles[3 * (size_t)place->triangle + (uint32_t)j];
        bool rises = b->vertex_profile[vertex] > 0 && b->vertex_fold[vertex] == k;
        sample.vertex[j] = vertex;
        sample.weight[j] = place->barycentric[j];
        sample.rise += rises ? place->barycentric[j] * b->vertex_profile[vertex] : 0;
    }
    return sample;
}

/* Which of a line's crossings between two arcs tell its length: all, or where a mesh is much finer than the fold those
 * nearest to even steps. Returns how many. */
static uint32_t pick_crossings(const pl_line *line, float low, float high, float close, uint32_t *picked)
{
    uint32_t begin = 0;
    while (begin < line->count && !(line->arc[begin] > low + close))
    {
        ++begin;
    }
    uint32_t end = begin;
    while (end < line->count && line->arc[end] < high - close)
    {
        ++end;
    }
    uint32_t count = end - begin < PL_FOLD_INSIDE ? end - begin : PL_FOLD_INSIDE, at = begin;
    for (uint32_t n = 0; n < count; ++n)
    {
        float wanted = low + (high - low) * (float)(n + 1) / (float)(count + 1);
        uint32_t last = end - (count - n); /* leaves enough for the rest */
        while (at < last && fabsf(line->arc[at + 1] - wanted) <= fabsf(line->arc[at] - wanted))
        {
            ++at;
        }
        picked[n] = at++;
    }
    return count;
}

/* Places of a line within a fold: its two ends, and crossings between them. out may be NULL to count. */
static uint32_t fold_samples(const binder *b, uint32_t station, uint32_t k, pl_fold_sample *out)
{
    const pl_line *line = &b->patch.lines[station];
    float low = b->from->bounds[k], high = b->from->bounds[k + 1];
    uint32_t picked[PL_FOLD_INSIDE], inside = pick_crossings(line, low, high, 1e-3f * b->from->values.width, picked);
    for (uint32_t i = 0; i < inside + 2 && out; ++i)
    {
        pleat_place place = i == 0            ? pl_line_at(b->surface, line, low)
                            : i == inside + 1 ? pl_line_at(b->surface, line, high)
                                              : line->places[picked[i - 1]];
        out[i] = make_sample(b, &place, k);
    }
    return inside + 2;
}

static pl_f4 sample_rest(const binder *b, const pl_fold_sample *sample)
{
    return pl_fold_mix(b->cloth->rest, sample->vertex, sample->weight);
}

/* In ascending order, those without weight last: sums over joints then have one order everywhere. */
static void sort_by_joint(pl_fold_up *up)
{
    for (int pass = 0; pass < 3; ++pass)
    {
        for (int i = 0; i < 3 - pass; ++i)
        {
            if (up->weight[i + 1] > 0 && (!(up->weight[i] > 0) || up->joint[i + 1] < up->joint[i]))
            {
                uint16_t joint = up->joint[i];
                float weight = up->weight[i];
                up->joint[i] = up->joint[i + 1];
                up->weight[i] = up->weight[i + 1];
                up->joint[i + 1] = joint;
                up->weight[i + 1] = weight;
            }
        }
    }
}

/* The four strongest joints of a place, and its normal. */
static pl_fold_up make_up(const binder *b, const pl_fold_sample *place, const pleat_affine *from_rest)
{
    const pleat_cloth *cloth = b->cloth;
    pl_f4 normal = pl_fold_mix(cloth->rest_normals, place->vertex, place->weight);
    pl_fold_up up = {.normal = pl_normalize3(pl_affine_vector(from_rest, normal))};
    for (uint32_t n = 0; n < 3 * cloth->influence_count; ++n)
    {
        uint32_t corner = n / cloth->influence_count;
        size_t at = (size_t)place->vertex[corner] * cloth->influence_count + n % cloth->influence_count;
        float weight = place->weight[corner] * cloth->weights[at];
        uint32_t slot = 0, weakest = 0;
        for (; slot < 4 && !(up.weight[slot] > 0 && up.joint[slot] == cloth->joints[at]); ++slot)
        {
            weakest = up.weight[slot] < up.weight[weakest] ? slot : weakest;
        }
        if (slot < 4)
        {
            up.weight[slot] += weight;
        }
        else if (weight > up.weight[weakest])
        {
            up.weight[weakest] = weight;
            up.joint[weakest] = cloth->joints[at];
        }
    }
    sort_by_joint(&up);
    return up;
}

/* A place in the mesh's own space; w: the weight of the ring's joint and all below it. */
static pl_f4 own_rest(const binder *b, const pl_fold_sample *sample, const pleat_affine *from_rest)
{
    const pleat_cloth *cloth = b->cloth;
    pl_f4 rest = pl_affine_point(from_rest, sample_rest(b, sample));
    for (uint32_t n = 0; n < 3 * cloth->influence_count; ++n)
    {
        uint32_t corner = n / cloth->influence_count;
        size_t at = (size_t)sample->vertex[corner] * cloth->influence_count + n % cloth->influence_count;
        rest[3] += b->from->below[cloth->joints[at]] ? sample->weight[corner] * cloth->weights[at] : 0;
    }
    return rest;
}

/* Where folds meet, and the line's direction there. */
static void fill_feet(const binder *b, pl_bound_ring *out, uint32_t station)
{
    pleat_affine from_rest;
    bool known = pl_affine_inverse(&b->cloth->to_rest, &from_rest);
    for (uint32_t k = 0; k <= out->fold_count; ++k)
    {
        size_t at = (size_t)station * (out->fold_count + 1) + k;
        pl_fold_sample around[3]; /* just before, at and behind it */
        for (int i = 0; i < 3; ++i)
        {
            float arc = b->from->bounds[k] + AROUND * (float)(i - 1) * b->from->values.width;
            pleat_place place = pl_line_at(b->surface, &b->patch.lines[pl_fold_planned(out, station)], arc);
            around[i] = make_sample(b, &place, 0);
        }
        pl_f4 along = sample_rest(b, &around[2]) - sample_rest(b, &around[0]);
        out->lines.feet[at] = around[1];
        out->lines.feet_rest[at] = own_rest(b, &around[1], known ? &from_rest : &b->cloth->to_rest);
        out->lines.along[at] = known ? pl_normalize3(pl_affine_vector(&from_rest, along)) : pl_splat(0);
        out->lines.ups[at] = make_up(b, &around[1], known ? &from_rest : &b->cloth->to_rest);
    }
}

static void fill_folds(const binder *b, pl_bound_ring *out)
{
    uint32_t next = 0;
    pleat_affine from_rest;
    bool known = pl_affine_inverse(&b->cloth->to_rest, &from_rest);
    for (uint32_t i = 0; i < out->station_count; ++i)
    {
        uint32_t planned = pl_fold_planned(out, i);
        for (uint32_t k = 0; k < out->fold_count; ++k)
        {
            pl_fold *fold = &out->folds[i * out->fold_count + k];
            fold->fade = fade_of(b, planned, k) * b->from->own[planned * out->fold_count + k];
            fold->fade *= fold->fade > 0 ? shown_part(b, planned, k) : 0;
            if (!(fold->fade > 0))
            {
                continue;
            }
            fold->first_sample = next;
            fold->sample_count = fold_samples(b, planned, k, out->lines.samples + next);
            double length = 0;
            for (uint32_t j = next + 1; j < next + fold->sample_count; ++j)
            {
                length += (double)pl_length3(sample_rest(b, &out->lines.samples[j]) -
                                             sample_rest(b, &out->lines.samples[j - 1]));
                out->lines.samples[j].arc = (float)length;
            }
            fold->rest_length = (float)length;
            fold->rest_way = pl_length3(sample_rest(b, &out->lines.samples[next + fold->sample_count - 1]) -
                                        sample_rest(b, &out->lines.samples[next]));
            for (uint32_t j = next; j < next + fold->sample_count; ++j)
            {
                out->lines.sample_rest[j] =
                    own_rest(b, &out->lines.samples[j], known ? &from_rest : &b->cloth->to_rest);
                out->lines.samples[j].part = length > 0 ? out->lines.samples[j].arc / fold->rest_length : 0;
            }
            next += fold->sample_count;
        }
        fill_feet(b, out, i);
    }
}

static uint32_t count_samples(const binder *b, const pl_bound_ring *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->station_count; ++i)
    {
        uint32_t planned = pl_fold_planned(out, i);
        for (uint32_t k = 0; k < b->from->fold_count; ++k)
        {
            bool raised = fade_of(b, planned, k) > 0 && b->from->own[planned * b->from->fold_count + k] > 0;
            count += raised ? fold_samples(b, planned, k, NULL) : 0;
        }
    }
    return count;
}

/* The station before a vertex. */
static uint32_t station_of(const binder *b, const pl_bound_ring *ring, uint32_t vertex)
{
    float share;
    return pl_fold_station_before(ring, b->vertex_u[vertex], &share);
}

/* Does a vertex ever rise? */
static bool can_rise(const binder *b, const pl_bound_ring *ring, uint32_t vertex)
{
    uint32_t first = station_of(b, ring, vertex), k = b->vertex_fold[vertex];
    return b->vertex_profile[vertex] > 0 && b->cloth->mask[vertex] > 0 &&
           (ring->folds[first * ring->fold_count + k].fade > 0 ||
            ring->folds[pl_fold_station_after(ring, first) * ring->fold_count + k].fade > 0);
}

/* The cell of a vertex: its station and its fold. */
static uint32_t cell_of(const binder *b, const pl_bound_ring *ring, uint32_t vertex)
{
    return station_of(b, ring, vertex) * b->from->fold_count + b->vertex_fold[vertex];
}

/* Between which samples of the fold at a station a vertex lies. */
static void place_in_fold(const pl_bound_ring *ring, uint32_t station, int end, pl_fold_vertex *v)
{
    const pl_fold *fold = &ring->folds[station * ring->fold_count + v->fold];
    const pl_fold_sample *samples = ring->lines.samples + fold->first_sample;
    float part = 0.5f * (v->x + 1);
    uint32_t i = 0;
    while (i + 2 < fold->sample_count && samples[i + 1].part <= part)
    {
        ++i;
    }
    v->sample[end] = (uint8_t)i;
    if (fold->sample_count > 1 && samples[i + 1].part > samples[i].part)
    {
        v->beyond[end] = fminf((part - samples[i].part) / (samples[i + 1].part - samples[i].part), 1);
    }
}

static pl_fold_vertex make_vertex(const binder *b, const pl_bound_ring *ring, uint32_t vertex)
{
    float share;
    uint32_t station = pl_fold_station_before(ring, b->vertex_u[vertex], &share);
    pl_fold_vertex v = {.vertex = vertex,
                        .mask = b->cloth->mask[vertex],
                        .share = share,
                        .x = b->vertex_x[vertex],
                        .fold = b->vertex_fold[vertex]};
    place_in_fold(ring, station, 0, &v);
    place_in_fold(ring, pl_fold_station_after(ring, station), 1, &v);
    return v;
}

/* Sorted by station and fold, so that a frame passes over those with nothing to do at once. */
static void fill_vertices(const binder *b, pl_bound_ring *out)
{
    uint32_t count = b->cloth->topology->vertex_count, cells = out->station_count * out->fold_count;
    uint32_t *next = out->cloth.first_vertex + 1;
    for (uint32_t v = 0; v < count; ++v)
    {
        if (can_rise(b, out, v))
        {
            ++next[cell_of(b, out, v)];
        }
    }
    for (uint32_t i = 0; i < cells; ++i)
    {
        out->cloth.first_vertex[i + 1] += out->cloth.first_vertex[i];
    }
    out->cloth.vertex_count = out->cloth.first_vertex[cells];
    /* Each cell's entry moves from its beginning to its end. */
    memmove(next, out->cloth.first_vertex, cells * sizeof *next);
    for (uint32_t v = 0; v < count; ++v)
    {
        if (can_rise(b, out, v))
        {
            out->cloth.vertices[next[cell_of(b, out, v)]++] = make_vertex(b, out, v);
        }
    }
}

/* The vertex of the refined cloth that a place at rest is, or PLEAT_NONE. */
static uint32_t vertex_at(const binder *b, pl_f4 rest)
{
    pleat_hit hit = pleat_bvh_nearest(b->surface->bvh, pl_to(rest), b->from->values.width);
    uint32_t nearest = PLEAT_NONE;
    float least = INFINITY;
    for (uint32_t i = 0; i < 3 && hit.triangle != PLEAT_NONE; ++i)
    {
        uint32_t vertex = b->surface->topology->triangles[3 * (size_t)hit.triangle + i];
        float away = pl_length3(pl_load(&b->cloth->rest[vertex]) - rest);
        nearest = away < least ? vertex : nearest;
        least = fminf(least, away);
    }
    return nearest;
}

static const pl_fold_others *others_of(const binder *b, const pl_bound_ring *ring, uint32_t fold)
{
    uint32_t station = pl_fold_planned(ring, fold / ring->fold_count);
    return &b->from->others[station * ring->fold_count + fold % ring->fold_count];
}

/* How much of a place belongs to joints that are neither above nor below the ring's, 0 .. 1. */
static float part_aside(const binder *b, const pl_fold_up *up)
{
    float part = 0, whole = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        part += b->from->aside[up->joint[i]] ? up->weight[i] : 0;
        whole += up->weight[i];
    }
    return whole > 0 ? part / whole : 0;
}

/* What comes near folds. */
static pleat_result fill_nears(const binder *b, pl_bound_ring *out, pleat_error *error)
{
    uint32_t folds = out->station_count * out->fold_count, known = 0, places = 0;
    for (uint32_t i = 0; i < folds; ++i)
    {
        const pl_fold_others *others = others_of(b, out, i);
        bool asks = others->count && out->folds[i].sample_count > 2;
        known += asks;
        places += asks ? others->count : 0;
    }
    out->obstacles.nears = PL_ARENA_NEW(b->arena, pl_fold_near, known);
    out->obstacles.others = PL_ARENA_NEW(b->arena, pl_fold_other, places);
    if (!out->obstacles.nears || !out->obstacles.others)
    {
        return pl_fail_memory(b->arena->memory, error, "what is near folds");
    }
    pleat_affine from_rest;
    bool whole = pl_affine_inverse(&b->cloth->to_rest, &from_rest);
    for (uint32_t i = 0, next = 0; i < folds; ++i)
    {
        const pl_fold_others *others = others_of(b, out, i);
        const pl_fold *fold = &out->folds[i];
        if (!others->count || fold->sample_count < 3)
        {
            continue;
        }
        pl_fold_near *near = &out->obstacles.nears[out->obstacles.near_count++];
        *near = (pl_fold_near){i, fold->first_sample + fold->sample_count / 2, i + i / out->fold_count, next, 0};
        for (uint32_t n = 0; n < others->count; ++n)
        {
            uint32_t vertex = vertex_at(b, others->rest[n]);
            if (vertex != PLEAT_NONE)
            {
                pl_fold_sample place = {.vertex = {vertex, vertex, vertex}, .weight = {1, 0, 0}};
                pl_fold_up up = make_up(b, &place, whole ? &from_rest : &b->cloth->to_rest);
                pl_fold_other *other = &out->obstacles.others[next++];
                *other = (pl_fold_other){vertex, part_aside(b, &up), up};
                out->obstacles.beside_limbs = out->obstacles.beside_limbs || other->aside > 0;
                ++near->count;
            }
        }
    }
    return PLEAT_OK;
}

/* Takes the plan's stations that are kept. */
static pleat_result choose_stations(const binder *b, pl_bound_ring *out, pleat_error *error)
{
    uint32_t count = b->from->ring.station_count, steps = out->closed ? count : count - 1;
    out->spacing = b->from->ring.length / (float)steps;
    out->planned = PL_ARENA_NEW(b->arena, uint32_t, (size_t)count + 1);
    if (!out->planned)
    {
        return pl_fail_memory(b->arena->memory, error, "the stations of a ring");
    }
    out->begin = b->from->first;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t at = i + out->begin;
        if (b->from->kept[at < count ? at : at - count])
        {
            out->planned[out->station_count++] = i;
        }
    }
    out->planned[out->station_count] = steps;
    return PLEAT_OK;
}

static bool make_room(const binder *b, uint32_t raised, pl_bound_ring *out)
{
    size_t folds = (size_t)out->station_count * out->fold_count, feet = folds + out->station_count;
    pl_fold_lines *lines = &out->lines;
    lines->sample_count = count_samples(b, out);
    lines->samples = PL_ARENA_NEW(b->arena, pl_fold_sample, lines->sample_count);
    lines->sample_rest = PL_ARENA_NEW(b->arena, pl_f4, lines->sample_count);
    lines->feet = PL_ARENA_NEW(b->arena, pl_fold_sample, feet);
    lines->feet_rest = PL_ARENA_NEW(b->arena, pl_f4, feet);
    lines->along = PL_ARENA_NEW(b->arena, pl_f4, feet);
    lines->ups = PL_ARENA_NEW(b->arena, pl_fold_up, feet);
    out->folds = PL_ARENA_NEW(b->arena, pl_fold, folds);
    out->outs = PL_ARENA_NEW(b->arena, pl_f4, out->station_count);
    out->crossed.asked = PL_ARENA_NEW(b->arena, uint32_t, out->station_count);
    out->cloth.first_vertex = PL_ARENA_NEW(b->arena, uint32_t, folds + 1);
    out->cloth.vertices = PL_ARENA_NEW(b->arena, pl_fold_vertex, raised);
    return lines->samples && lines->sample_rest && lines->feet && lines->feet_rest && lines->along && lines->ups &&
           out->folds && out->outs && out->crossed.asked && out->cloth.first_vertex && out->cloth.vertices;
}

static pleat_result bind_patch(binder *b, pl_bound_ring *out, pl_arena *scratch, pleat_error *error)
{
    uint32_t vertex_count = b->cloth->topology->vertex_count;
    b->vertex_u = PL_ARENA_NEW(scratch, float, vertex_count);
    b->vertex_profile = PL_ARENA_NEW(scratch, float, vertex_count);
    b->vertex_x = PL_ARENA_NEW(scratch, float, vertex_count);
    b->vertex_fold = PL_ARENA_NEW(scratch, uint8_t, vertex_count);
    if (!b->vertex_u || !b->vertex_profile || !b->vertex_x || !b->vertex_fold)
    {
        return pl_fail_memory(scratch->memory, error, "coordinates of a ring");
    }
    uint32_t raised = place_vertices(b);
    PL_TRY(choose_stations(b, out, error));
    if (!make_room(b, raised, out))
    {
        return pl_fail_memory(b->arena->memory, error, "the folds of a ring");
    }
    for (uint32_t i = 0; i < out->station_count; ++i)
    {
        out->outs[i] = b->from->outs[pl_fold_planned(out, i)];
    }
    fill_folds(b, out);
    fill_vertices(b, out);
    PL_TRY(pl_folds_find_pinches(out, b->surface, b->arena, error));
    PL_TRY(pl_folds_find_narrow(out, b->from->narrow, b->cloth, b->arena, error));
    return fill_nears(b, out, error);
}

/* What a bound ring has of the planned one. */
static pl_bound_ring ring_of(const pl_fold_ring *from, const pleat_cloth *cloth)
{
    pl_fold_limb limb = {.joint = from->joint, .parent = from->parent, .axis = from->axis, .pivot = from->pivot};
    limb.linear = cloth->skinning != PLEAT_DQS;
    limb.outward = from->outward;
    limb.opens = INFINITY;
    pl_bound_ring ring = {.limb = limb, .fold_count = from->fold_count, .profile = from->profile};
    ring.width = from->values.width;
    ring.strength = from->values.strength;
    ring.closed = from->ring.closed;
    memcpy(ring.bounds, from->bounds, sizeof ring.bounds);
    memcpy(ring.gives, from->gives, sizeof ring.gives);
    return ring;
}

pleat_result pl_folds_bind_ring(const pl_fold_binding *to, const pl_fold_ring *from, pl_bound_ring *out,
                                pleat_error *error)
{
    *out = ring_of(from, to->cloth);
    binder b = {.plan = to->plan, .from = from, .cloth = to->cloth, .surface = to->surface, .arena = to->arena};
    pl_memory memory = pl_memory_from(to->host);
    pl_arena scratch;
    pl_arena_init(&scratch, &memory);
    pleat_result result = pl_patch_make(to->surface, &from->ring, (pl_patch_size){from->half, from->values.width / 4},
                                        &scratch, to->host, &b.patch, error);
    if (result == PLEAT_OK)
    {
        result = bind_patch(&b, out, &scratch, error);
    }
    pl_patch_release(&b.patch);
    pl_arena_free(&scratch);
    return result;
}

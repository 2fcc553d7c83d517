#include "layers/folds/bind/lanes.h"

/* A way across a foot that is shorter than this, of a fold's width, says little of where the line goes. */
#define LEAST_SPAN 0.15f

/* A ring on its way into lanes. */
typedef struct packer
{
    const pl_bound_ring *ring;
    pl_arena *arena;
    pl_fold_lanes *out;
} packer;

static uint32_t stations_of(const packer *p, uint32_t block)
{
    uint32_t left = p->ring->station_count - block * PL_WIDTH;
    return left < PL_WIDTH ? left : PL_WIDTH;
}

/* ---- Places ---- */

static void pack_place(pl_fold_places *places, uint32_t lane, const pl_fold_sample *sample)
{
    for (uint32_t i = 0; i < 3; ++i)
    {
        places->twice[i][lane] = 2 * sample->vertex[i];
        places->weight[i][lane] = sample->weight[i];
    }
}

/* A sample inside a fold lies on an edge: the corner with the least weight has none. */
static void pack_crossing(pl_fold_crossings *crossings, uint32_t lane, const pl_fold_sample *sample)
{
    uint32_t least = sample->weight[0] <= sample->weight[1] ? 0u : 1u;
    least = sample->weight[2] < sample->weight[least] ? 2u : least;
    uint32_t first = least == 0 ? 1u : 0u, second = 3 - first - least;
    float whole = sample->weight[first] + sample->weight[second];
    crossings->twice[0][lane] = 2 * sample->vertex[first];
    crossings->twice[1][lane] = 2 * sample->vertex[second];
    crossings->share[lane] = whole > 0 ? sample->weight[second] / whole : 0;
}

static void pack_rest(pl_fw rest[4], uint32_t lane, pl_f4 from)
{
    for (int c = 0; c < 4; ++c)
    {
        rest[c][lane] = from[c];
    }
}

/* ---- Folds ---- */

/* NULL: the fold is not at this station, or too short to rise. */
static const pl_fold *fold_at(const packer *p, uint32_t block, uint32_t k, uint32_t lane)
{
    const pl_fold *fold = &p->ring->folds[(block * PL_WIDTH + lane) * p->ring->fold_count + k];
    return fold->sample_count > 2 ? fold : NULL;
}

/* Of PL_FOLD_BLOCK stations, whatever the width: sums over the same segments round alike. */
static uint32_t most_inside(const packer *p, uint32_t block, uint32_t k)
{
    uint32_t begin = block * PL_WIDTH / PL_FOLD_BLOCK * PL_FOLD_BLOCK, most = 0;
    for (uint32_t i = begin; i < begin + PL_FOLD_BLOCK && i < p->ring->station_count; ++i)
    {
        uint32_t count = p->ring->folds[i * p->ring->fold_count + k].sample_count;
        most = count > most + 2 ? count - 2 : most;
    }
    return most;
}

static void pack_fold(const packer *p, pl_fold_group *group, uint32_t lane, const pl_fold *fold)
{
    const pl_fold_sample *samples = p->ring->lines.samples + fold->first_sample;
    uint32_t inside = fold->sample_count - 2;
    group->rest_length[lane] = fold->rest_length;
    group->rest_way[lane] = fold->rest_way;
    group->fade[lane] = fold->fade;
    group->rise[0][lane] = samples[0].rise;
    group->rise[1][lane] = samples[inside + 1].rise;
    for (uint32_t i = 0; i < group->row_count; ++i)
    {
        const pl_fold_sample *sample = &samples[i < inside ? i + 1 : inside];
        pl_fold_row *row = &p->out->rows[group->first_row + i];
        row->rise[lane] = sample->rise;
        row->part[lane] = sample->part;
        pack_crossing(&p->out->crossings[group->first_row + i], lane, sample);
        pack_rest(p->out->row_rest[group->first_row + i], lane,
                  p->ring->lines.sample_rest[sample - p->ring->lines.samples]);
    }
}

static void pack_folds(const packer *p)
{
    for (uint32_t block = 0; block < p->out->block_count; ++block)
    {
        for (uint32_t k = 0; k < p->ring->fold_count; ++k)
        {
            pl_fold_group *group = &p->out->groups[block * p->ring->fold_count + k];
            for (uint32_t lane = 0; lane < stations_of(p, block); ++lane)
            {
                const pl_fold *fold = fold_at(p, block, k, lane);
                if (fold)
                {
                    pack_fold(p, group, lane, fold);
                }
            }
        }
    }
}

/* ---- Feet ---- */

/* How far it is at rest from the last sample inside the fold before a foot to the first one inside the fold behind it;
 * where there is no fold, from or to the foot. Not less than says enough about the line's direction. */
static float foot_span(const pl_bound_ring *ring, uint32_t station, uint32_t k)
{
    const pl_fold *folds = ring->folds + (size_t)station * ring->fold_count;
    float span = 0;
    if (k > 0 && folds[k - 1].sample_count > 2)
    {
        uint32_t last = folds[k - 1].first_sample + folds[k - 1].sample_count - 2;
        span += (1 - ring->lines.samples[last].part) * (ring->bounds[k] - ring->bounds[k - 1]);
    }
    if (k < ring->fold_count && folds[k].sample_count > 2)
    {
        span += ring->lines.samples[folds[k].first_sample + 1].part * (ring->bounds[k + 1] - ring->bounds[k]);
    }
    return fmaxf(span, LEAST_SPAN * ring->width);
}

static void pack_foot(const packer *p, uint32_t block, uint32_t k, uint32_t lane)
{
    uint32_t count = p->ring->fold_count + 1;
    size_t from = (size_t)(block * PL_WIDTH + lane) * count + k, to = (size_t)block * count + k;
    pl_fold_foot *foot = &p->out->feet[to];
    for (int i = 0; i < 3; ++i)
    {
        foot->normal[i][lane] = p->ring->lines.ups[from].normal[i];
        foot->along[i][lane] = p->ring->lines.along[from][i];
    }
    foot->scale[lane] = 1 / foot_span(p->ring, block * PL_WIDTH + lane, k);
    pack_place(&p->out->places[to], lane, &p->ring->lines.feet[from]);
    pack_rest(p->out->feet_rest[to], lane, p->ring->lines.feet_rest[from]);
}

/* The joint after `last` that turns any of a block's feet, and how much; returns false if there is none. last -1: the
 * first. */
static bool next_turn(const packer *p, uint32_t block, uint32_t k, int32_t last, int32_t *joint, pl_fw *weights)
{
    *joint = INT32_MAX;
    for (uint32_t n = 0; n < 4 * stations_of(p, block); ++n)
    {
        const pl_fold_up *up = &p->ring->lines.ups[(size_t)(block * PL_WIDTH + n / 4) * (p->ring->fold_count + 1) + k];
        int32_t own = up->joint[n % 4];
        *joint = up->weight[n % 4] > 0 && own > last && own < *joint ? own : *joint;
    }
    *weights = pl_splat_w(0);
    for (uint32_t n = 0; n < 4 * stations_of(p, block); ++n)
    {
        const pl_fold_up *up = &p->ring->lines.ups[(size_t)(block * PL_WIDTH + n / 4) * (p->ring->fold_count + 1) + k];
        if (up->weight[n % 4] > 0 && up->joint[n % 4] == *joint)
        {
            (*weights)[n / 4] = up->weight[n % 4];
        }
    }
    return *joint < INT32_MAX;
}

/* Does any fold or vertex between these stations and their neighbours ask where a foot is turned to? */
static bool is_asked(const packer *p, uint32_t block, uint32_t k)
{
    const pl_bound_ring *ring = p->ring;
    for (uint32_t lane = 0; lane < stations_of(p, block); ++lane)
    {
        uint32_t station = block * PL_WIDTH + lane;
        uint32_t before = station ? station - 1 : ring->closed ? ring->station_count - 1 : 0;
        for (uint32_t fold = k ? k - 1 : 0; fold <= k && fold < ring->fold_count; ++fold)
        {
            const uint32_t *here = ring->cloth.first_vertex + (size_t)station * ring->fold_count + fold;
            const uint32_t *there = ring->cloth.first_vertex + (size_t)before * ring->fold_count + fold;
            if (here[0] < here[1] || there[0] < there[1] || fold_at(p, block, fold, lane))
            {
                return true;
            }
        }
    }
    return false;
}

/* Fills the turns of all feet that are asked for, or counts them if there is no room yet. */
static uint32_t pack_turns(const packer *p)
{
    uint32_t count = p->ring->fold_count + 1, next = 0;
    for (uint32_t at = 0; at < p->out->block_count * count; ++at)
    {
        pl_fold_foot *foot = &p->out->feet[at];
        pl_fw weights;
        foot->first_turn = next;
        bool asked = is_asked(p, at / count, at % count);
        for (int32_t joint = -1; asked && next_turn(p, at / count, at % count, joint, &joint, &weights); ++next)
        {
            if (p->out->turns)
            {
                p->out->turns[next] = weights;
                p->out->turn_joints[next] = (uint32_t)joint;
            }
        }
        foot->turn_count = next - foot->first_turn;
    }
    return next;
}

static void pack_outs(const packer *p)
{
    for (uint32_t i = 0; i < p->ring->station_count; ++i)
    {
        for (int c = 0; c < 3; ++c)
        {
            p->out->outs[i / PL_WIDTH][c][i % PL_WIDTH] = p->ring->outs[i][c];
        }
    }
}

/* ---- All ---- */

static void lay_out_rows(const packer *p)
{
    for (uint32_t at = 0; at < p->out->block_count * p->ring->fold_count; ++at)
    {
        pl_fold_group *group = &p->out->groups[at];
        group->first_row = p->out->row_count;
        group->row_count = most_inside(p, at / p->ring->fold_count, at % p->ring->fold_count);
        p->out->row_count += group->row_count;
    }
}

static bool make_room(const packer *p)
{
    pl_fold_lanes *out = p->out;
    size_t feet = (size_t)out->block_count * (p->ring->fold_count + 1);
    out->groups = PL_ARENA_NEW(p->arena, pl_fold_group, (size_t)out->block_count * p->ring->fold_count);
    out->feet = PL_ARENA_NEW(p->arena, pl_fold_foot, feet);
    out->outs = (pl_fw(*)[3])PL_ARENA_NEW(p->arena, pl_fw, 3 * (size_t)out->block_count);
    out->places = PL_ARENA_NEW(p->arena, pl_fold_places, feet);
    out->feet_rest = (pl_fw(*)[4])PL_ARENA_NEW(p->arena, pl_fw, 4 * feet);
    if (!out->groups || !out->feet || !out->outs || !out->places || !out->feet_rest)
    {
        return false;
    }
    lay_out_rows(p);
    uint32_t turn_count = pack_turns(p);
    out->crossings = PL_ARENA_NEW(p->arena, pl_fold_crossings, out->row_count);
    out->rows = PL_ARENA_NEW(p->arena, pl_fold_row, out->row_count);
    out->row_rest = (pl_fw(*)[4])PL_ARENA_NEW(p->arena, pl_fw, 4 * (size_t)out->row_count);
    out->turn_joints = PL_ARENA_NEW(p->arena, uint32_t, turn_count);
    out->turns = out->turn_joints ? PL_ARENA_NEW(p->arena, pl_fw, turn_count) : NULL;
    return out->crossings && out->rows && out->row_rest && out->turns;
}

/* 0 .. 1 in a number of bits. */
static uint16_t pack_share(float share, uint32_t bits)
{
    float most = (float)((1u << bits) - 1), value = share * most + 0.5f;
    return (uint16_t)(value > 0 ? (value < most ? value : most) : 0);
}

static void pack_vertex(pl_fold_pack *pack, pl_fold_slots *slots, uint32_t lane, const pl_fold_vertex *v)
{
    pack->twice[lane] = 2 * v->vertex;
    pack->share[lane] = pack_share(v->share, 16);
    pack->x[lane] = pack_share(0.5f * (v->x + 1), 16);
    for (int end = 0; end < 2; ++end)
    {
        uint32_t beyond = pack_share(v->beyond[end], PL_FOLD_BEYOND);
        slots->place[end][lane] = (uint16_t)((uint32_t)v->sample[end] << PL_FOLD_BEYOND | beyond);
    }
}

/* Is vertex n of a cell the first of two that follow each other in memory? */
static bool is_pair(const pl_fold_vertex *vertices, uint32_t count, uint32_t n)
{
    return n + 1 < count && vertices[n + 1].vertex == vertices[n].vertex + 1;
}

/* How many packs of such a cell's pairs fill. */
static uint32_t count_paired(const pl_fold_vertex *vertices, uint32_t count)
{
    uint32_t pairs = 0, most = PL_WIDTH / 2;
    for (uint32_t n = 0; most && n < count; n += is_pair(vertices, count, n) ? 2 : 1)
    {
        pairs += is_pair(vertices, count, n);
    }
    return most ? pairs / most : 0;
}

/* Where packing a cell has come to. */
typedef struct cell_packer
{
    pl_fold_pack *packs;
    pl_fold_slots *slots;
    uint16_t (*masks)[PL_WIDTH];
} cell_packer;

static void pack_lane(const cell_packer *c, uint32_t lane, const pl_fold_vertex *v)
{
    pack_vertex(&c->packs[lane / PL_WIDTH], &c->slots[lane / PL_WIDTH], lane % PL_WIDTH, v);
    if (c->masks)
    {
        c->masks[lane / PL_WIDTH][lane % PL_WIDTH] = pack_share(v->mask, 16);
    }
}

/* The vertices of a cell, pairs first; in lanes that are left over, its own once more where nothing rises. */
static void pack_cell(const cell_packer *c, const pl_fold_vertex *vertices, uint32_t count, uint32_t paired)
{
    uint32_t half = PL_WIDTH / 2, pair = 0, single = paired * PL_WIDTH;
    for (uint32_t n = 0; n < count; ++n)
    {
        if (pair < paired * half && is_pair(vertices, count, n))
        {
            uint32_t lane = pair / half * PL_WIDTH + pair % half;
            pack_lane(c, lane, &vertices[n++]);
            pack_lane(c, lane + half, &vertices[n]);
            ++pair;
        }
        else
        {
            pack_lane(c, single++, &vertices[n]);
        }
    }
    for (uint32_t n = 0; single % PL_WIDTH; ++n)
    {
        pack_lane(c, single++, &(pl_fold_vertex){.vertex = vertices[n % count].vertex, .x = -1});
    }
}

static bool is_masked(const pl_bound_ring *ring)
{
    uint32_t i = 0;
    while (i < ring->cloth.vertex_count && pack_share(ring->cloth.vertices[i].mask, 16) == UINT16_MAX)
    {
        ++i;
    }
    return i < ring->cloth.vertex_count;
}

/* Each in one line of memory, or less. */
static pl_fold_pack *make_packs(const packer *p, size_t count)
{
    _Static_assert(64 % sizeof(pl_fold_pack) == 0, "a line of memory");
    pl_fold_pack *packs = PL_ARENA_NEW(p->arena, pl_fold_pack, count + 64 / sizeof(pl_fold_pack));
    return packs ? (pl_fold_pack *)(((uintptr_t)packs + 63) & ~(uintptr_t)63) : NULL;
}

static bool pack_vertices(const packer *p)
{
    const pl_bound_ring *ring = p->ring;
    pl_fold_lanes *out = p->out;
    uint32_t cells = ring->station_count * ring->fold_count;
    uint32_t *first = out->first_pack = PL_ARENA_NEW(p->arena, uint32_t, (size_t)cells + 1);
    for (uint32_t i = 0; i < cells && first; ++i)
    {
        uint32_t count = ring->cloth.first_vertex[i + 1] - ring->cloth.first_vertex[i];
        first[i + 1] = first[i] + (count + PL_WIDTH - 1) / PL_WIDTH;
    }
    bool masked = is_masked(ring);
    out->packs = first ? make_packs(p, (size_t)first[cells] + PL_FOLD_AHEAD) : NULL;
    out->slots = out->packs ? PL_ARENA_NEW(p->arena, pl_fold_slots, first[cells]) : NULL;
    out->masks = out->slots && masked
                     ? (uint16_t(*)[PL_WIDTH])PL_ARENA_NEW(p->arena, uint16_t, PL_WIDTH * (size_t)first[cells])
                     : NULL;
    out->paired = out->slots ? PL_ARENA_NEW(p->arena, uint32_t, cells) : NULL;
    bool all = out->paired && (!masked || out->masks);
    for (uint32_t i = 0; i < cells && all; ++i)
    {
        uint32_t begin = ring->cloth.first_vertex[i];
        cell_packer c = {out->packs + first[i], out->slots + first[i], masked ? out->masks + first[i] : NULL};
        out->paired[i] = count_paired(ring->cloth.vertices + begin, ring->cloth.first_vertex[i + 1] - begin);
        pack_cell(&c, ring->cloth.vertices + begin, ring->cloth.first_vertex[i + 1] - begin, out->paired[i]);
    }
    return all;
}

pleat_result PL_WIDE(pl_fold_lanes_make)(const pl_bound_ring *ring, pl_arena *arena, pl_fold_lanes **out,
                                         pleat_error *error)
{
    packer p = {ring, arena, PL_ARENA_NEW(arena, pl_fold_lanes, 1)};
    *out = p.out;
    if (!p.out)
    {
        return pl_fail_memory(arena->memory, error, "lanes of folds");
    }
    p.out->block_count = (ring->station_count + PL_WIDTH - 1) / PL_WIDTH;
    if (!make_room(&p) || !pack_vertices(&p))
    {
        return pl_fail_memory(arena->memory, error, "lanes of folds");
    }
    pack_folds(&p);
    pack_turns(&p);
    pack_outs(&p);
    for (uint32_t at = 0; at < ring->station_count * (ring->fold_count + 1); ++at)
    {
        uint32_t station = at / (ring->fold_count + 1);
        pack_foot(&p, station / PL_WIDTH, at % (ring->fold_count + 1), station % PL_WIDTH);
    }
    return PLEAT_OK;
}

pleat_result PL_WIDE(pl_fold_lane_work_make)(const pl_bound_ring *rings, uint32_t ring_count, pl_arena *arena,
                                             pl_fold_lane_work **out, pleat_error *error)
{
    uint32_t rows = 0, groups = 0, feet = 0, most = 0;
    for (uint32_t r = 0; r < ring_count; ++r)
    {
        uint32_t blocks = rings[r].cloth.lanes->block_count, folds = blocks * rings[r].fold_count;
        rows = rings[r].cloth.lanes->row_count > rows ? rings[r].cloth.lanes->row_count : rows;
        groups = folds > groups ? folds : groups;
        feet = folds + blocks > feet ? folds + blocks : feet;
        most = blocks > most ? blocks : most;
    }
    pl_fold_lane_work *work = *out = PL_ARENA_NEW(arena, pl_fold_lane_work, 1);
    if (work)
    {
        work->points = (pl_fw(*)[3])PL_ARENA_NEW(arena, pl_fw, 3 * (size_t)rows);
        work->foot_points = (pl_fw(*)[3])PL_ARENA_NEW(arena, pl_fw, 3 * (size_t)feet);
        work->ups = (pl_fw(*)[3])PL_ARENA_NEW(arena, pl_fw, 3 * (size_t)feet);
        work->lengths = PL_ARENA_NEW(arena, pl_fw, groups);
        work->noises = PL_ARENA_NEW(arena, pl_fw, groups);
        work->known = PL_ARENA_NEW(arena, uint32_t, most);
    }
    bool all = work && work->points && work->foot_points && work->ups && work->lengths && work->noises && work->known;
    return all ? PLEAT_OK : pl_fail_memory(arena->memory, error, "lanes of folds");
}

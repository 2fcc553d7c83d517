/* Which folds the clip ever needs, and what comes near them. */
#include "layers/folds/clearance/near.h"
#include "layers/folds/rings/outer.h"
#include "layers/folds/rings/plan.h"

#include "base/parallel.h"

/* Losses of a fold's length in the clip: less is none; from the second on what contact takes from it may go further
 * than to the next fold; and one at the outer side of a bend. */
#define LEAST_LOSS 0.01f
#define STRONG 0.25f
#define LEAST_OUTWARD 0.005f

/* The places of a line that lie in a fold. */
typedef struct place_range
{
    uint32_t first, count;
} place_range;

static place_range places_in(const pl_line *line, float low, float high)
{
    place_range range = {0, 0};
    for (uint32_t i = 0; i < line->count; ++i)
    {
        if (line->arc[i] >= low && line->arc[i] <= high)
        {
            range.first = range.count ? range.first : i;
            ++range.count;
        }
    }
    return range;
}

static double length_of(const pl_folds_planner *p, const pl_line *line, place_range range, const pleat_vec4 *positions)
{
    double length = 0;
    pl_f4 before = pl_place_position(p->topology, positions, &line->places[range.first]);
    for (uint32_t i = range.first + 1; i < range.first + range.count; ++i)
    {
        pl_f4 here = pl_place_position(p->topology, positions, &line->places[i]);
        length += (double)pl_length3(here - before);
        before = here;
    }
    return length;
}

/* One frame of the clip. */
typedef struct watched
{
    pl_fold_crowd crowd;
    pleat_vec4 *coarse;    /* positions of the input, */
    pleat_vec4 *positions; /* of the planning surface, */
    pleat_vec4 *turned;    /* and normals of both, as skinning turns them */
    pleat_vec4 *ups;
    pleat_affine *joints; /* of the skin, and one more */
} watched;

/* Normals as skinning turns them: those of the surface itself flip where it is crushed. */
static void turn_normals(const pl_folds_planner *p, const pleat_layer_preview *preview, const watched *w)
{
    const pleat_cloth *cloth = p->coarse;
    const pleat_affine *worlds = pleat_pose_worlds(preview->pose(preview->user));
    const pleat_affine *from_rest = &w->crowd.from_rest;
    for (uint32_t j = 0; j < p->skin->joint_count; ++j)
    {
        w->joints[j] = pl_affine_mul(&worlds[p->skin->joints[j]], &p->skin->inverse_binds[j]);
    }
    w->joints[p->skin->joint_count] = worlds[cloth->node];
    for (uint32_t v = 0; v < cloth->topology->vertex_count; ++v)
    {
        pl_f4 normal = pl_load(&cloth->rest_normals[v]), sum = pl_splat(0);
        normal = pl_affine_vector(from_rest, normal);
        for (size_t i = (size_t)v * cloth->influence_count; i < ((size_t)v + 1) * cloth->influence_count; ++i)
        {
            sum += pl_affine_vector(&w->joints[cloth->joints[i]], normal) * pl_splat(cloth->weights[i]);
        }
        pl_store(&w->turned[v], sum);
    }
    pleat_loop_points(p->loop, PLEAT_LOOP_SURFACE, w->turned, w->ups, &p->host->tasks);
}

/* A fold at a station, looked at. */
typedef struct watched_fold
{
    place_range range;
    double rest;    /* its length there */
    float least;    /* the smallest ratio of its length to that so far */
    float aside[2]; /* how far from its line those before and behind it are at rest; 0: not asked */
} watched_fold;

/* The place of a line that a fold's middle is taken to be. */
static const pleat_place *middle_of(const pl_line *line, place_range range)
{
    return &line->places[range.first + range.count / 2];
}

/* How far the lines beside a fold are from its own. at: the planning surface at some time; folds: of the station. */
static void measure_aside(const pl_ring_surface *at, const pl_fold_ring *ring, uint32_t station,
                          const watched_fold *folds, uint32_t k, float out[2])
{
    const pl_line *line = &ring->patch.lines[station];
    const pleat_place *places = line->places + folds[k].range.first, *middle = middle_of(line, folds[k].range);
    pl_f4 from = pl_place_position(at->topology, at->positions, middle);
    pl_f4 along = pl_place_position(at->topology, at->positions, &places[folds[k].range.count - 1]) -
                  pl_place_position(at->topology, at->positions, &places[0]);
    pl_f4 sideways = pl_fold_sideways(along, pl_place_position(at->topology, at->normals, middle));
    for (int side = 0; side < 2; ++side)
    {
        uint32_t beside = pl_fold_station_beside(ring->ring.station_count, ring->ring.closed, station, side);
        const watched_fold *other = folds + ((ptrdiff_t)beside - (ptrdiff_t)station) * (ptrdiff_t)ring->fold_count + k;
        out[side] = 0;
        if (other->range.count > 1)
        {
            const pleat_place *place = middle_of(&ring->patch.lines[beside], other->range);
            out[side] = pl_dot3(pl_place_position(at->topology, at->positions, place) - from, sideways);
        }
    }
}

/* Frames ask only folds whose line comes this near to one beside it in the clip, of their distance at rest. */
#define NARROW 0.6f

/* Is a fold crushed along its ring in this frame? */
static bool is_narrow(const pl_folds_planner *p, const watched *w, const pl_fold_ring *ring, uint32_t station,
                      const watched_fold *folds, uint32_t k)
{
    float now[2];
    const float *rest = folds[k].aside;
    const pl_ring_surface at = {.topology = p->topology, .positions = w->positions, .normals = w->ups};
    measure_aside(&at, ring, station, folds, k, now);
    if (pl_affine_determinant(&w->joints[ring->joint]) * pl_affine_determinant(&w->crowd.from_rest) < 0)
    {
        now[0] = -now[0];
        now[1] = -now[1];
    }
    return (rest[0] != 0 && now[0] / rest[0] < NARROW) || (rest[1] != 0 && now[1] / rest[1] < NARROW);
}

/* What is left of a station's folds at the outer side of the bend. */
static float outer_part(const watched *w, const pl_fold_ring *ring, uint32_t station)
{
    if (!pl_folds_any_side(&ring->values))
    {
        return 1;
    }
    pl_f4 inner = pl_fold_inner(ring->axis, &w->joints[ring->parent], &w->joints[ring->joint]);
    return pl_fold_outer(inner, ring->outs[station]);
}

/* folds: of the station; ratios: by fold, of lengths to those at rest, filled. Returns whether a line at the outer side
 * is shortened. */
static bool watch_station(const pl_folds_planner *p, const watched *w, pl_fold_ring *ring, uint32_t station,
                          watched_fold *folds, float *ratios)
{
    const pl_line *line = &ring->patch.lines[station];
    float part = outer_part(w, ring, station);
    bool any = false, outward = false;
    for (uint32_t k = 0; k < ring->fold_count; ++k)
    {
        ratios[k] = 1;
        if (folds[k].range.count > 1)
        {
            ratios[k] = (float)(length_of(p, line, folds[k].range, w->positions) / folds[k].rest);
            outward = outward || (part < 1 && ratios[k] < 1 - LEAST_OUTWARD);
            ratios[k] = ratios[k] < 1 ? 1 - part * (1 - ratios[k]) : ratios[k];
            folds[k].least = fminf(folds[k].least, ratios[k]);
            any = any || ratios[k] < 1 - LEAST_LOSS;
        }
    }
    for (uint32_t k = 0; k < ring->fold_count && any; ++k)
    {
        uint8_t *narrow = &ring->narrow[station * ring->fold_count + k];
        if (folds[k].range.count > 1)
        {
            pl_fold_crowd_note(&w->crowd, ring, station, k, middle_of(line, folds[k].range));
            *narrow = *narrow || is_narrow(p, w, ring, station, folds, k);
        }
    }
    return outward;
}

/* A station of a ring. */
typedef struct watched_station
{
    pl_fold_ring *ring;
    uint32_t station;
    watched_fold *folds;
    bool outward;         /* as of a ring */
    float *ratios;        /* of the folds, in this frame */
    pl_fold_miss *misses; /* of all stations of the ring */
} watched_station;

/* All stations in a frame. */
typedef struct watch_job
{
    const pl_folds_planner *p;
    const watched *w;
    watched_station *stations;
} watch_job;

static void watch_stations(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const watch_job *job = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        watched_station *at = &job->stations[i];
        at->outward = watch_station(job->p, job->w, at->ring, at->station, at->folds, at->ratios) || at->outward;
    }
}

enum
{
    NEIGHBOURS = 2 /* stations to each side of a fold that is needed: what it fades over */
};

/* height: of the fold that it is, or that it takes length over from, at the station. */
static void mark_active(const pl_fold_ring *ring, uint32_t station, uint32_t k, float height)
{
    uint32_t count = ring->ring.station_count;
    for (uint32_t d = 0; d <= 2 * NEIGHBOURS; ++d)
    {
        uint32_t at = station + d + (ring->ring.closed ? count : 0) - NEIGHBOURS;
        at = ring->ring.closed ? at % count : at;
        if (at < count)
        {
            uint32_t away = d < NEIGHBOURS ? NEIGHBOURS - d : d - NEIGHBOURS;
            float *known = &ring->heights[at * ring->fold_count + k];
            ring->active[at * ring->fold_count + k] = 1;
            *known = fmaxf(*known, height * (1 - (float)away / (NEIGHBOURS + 1)));
        }
    }
}

/* How high a fold stands that has so much of its length left: a low one of height h has lost 2.4 (h / w)^2. */
static float height_of(const pl_fold_ring *ring, float ratio)
{
    float lost = ring->values.strength * fmaxf(1 - ratio, 0);
    return ring->values.width * fminf(sqrtf(lost / 2.4f), PL_FOLD_STEEP);
}

/* What the next fold gets of a height that contact does not leave room for, about. */
#define PASSED_ON 0.6f

/* A fold that is compressed is active; one that is compressed so much that contact may stop it has those behind it
 * active too, which take its length over. */
static void choose_active(const pl_fold_ring *ring, const watched_fold *folds)
{
    uint32_t middle = ring->fold_count / 2;
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            float ratio = folds[i * ring->fold_count + k].least;
            uint32_t spare = ratio < 1 - STRONG ? PL_FOLDS_SPARE + 1 : ratio < 1 - LEAST_LOSS ? 1 : 0;
            float height = height_of(ring, ratio) * ring->own[i * ring->fold_count + k];
            for (uint32_t n = 0; ratio < 1 - LEAST_LOSS && n <= spare; ++n, height *= PASSED_ON)
            {
                uint32_t at = k < middle ? k - n : k + n; /* wraps below 0, past fold_count */
                if (at < ring->fold_count && ring->own[i * ring->fold_count + at] > 0)
                {
                    mark_active(ring, i, at, height);
                }
            }
        }
    }
}

static pleat_result make_watched(pl_folds_planner *p, watched *w, pleat_error *error)
{
    uint32_t coarse = p->coarse->topology->vertex_count, fine = p->topology->vertex_count;
    w->coarse = PL_ARENA_NEW(&p->scratch, pleat_vec4, coarse);
    w->turned = PL_ARENA_NEW(&p->scratch, pleat_vec4, coarse);
    w->positions = PL_ARENA_NEW(&p->scratch, pleat_vec4, fine);
    w->ups = PL_ARENA_NEW(&p->scratch, pleat_vec4, fine);
    w->joints = PL_ARENA_NEW(&p->scratch, pleat_affine, p->skin->joint_count + 1);
    if (!w->coarse || !w->turned || !w->positions || !w->ups || !w->joints)
    {
        return pl_fail_memory(p->scratch.memory, error, "a look at the clip");
    }
    PL_TRY(pl_fold_crowd_make(p->plan, &p->surface, &p->scratch, &w->crowd, error));
    w->crowd.joints = w->joints;
    if (!pl_affine_inverse(&p->coarse->to_rest, &w->crowd.from_rest))
    {
        w->crowd.from_rest = p->coarse->to_rest;
    }
    return PLEAT_OK;
}

/* known: there is a clip to look at; without one everything may be needed. */
static void make_folds(const pl_folds_planner *p, const pl_fold_ring *ring, uint32_t station, bool known,
                       watched_fold *folds)
{
    const pl_line *line = &ring->patch.lines[station];
    for (uint32_t k = 0; k < ring->fold_count; ++k)
    {
        place_range range = places_in(line, ring->bounds[k], ring->bounds[k + 1]);
        /* Fewer places are too coarse to tell: the fold is taken to be needed. */
        bool whole = range.count > 1;
        folds[k] = (watched_fold){
            range, whole ? length_of(p, line, range, p->surface.positions) : 0, known && whole ? 1 : 0, {0, 0}};
    }
}

/* Once all stations of the ring are made. */
static void measure_beside(const pl_folds_planner *p, const pl_fold_ring *ring, uint32_t station, watched_fold *folds)
{
    float spacing = ring->ring.length / (float)ring->ring.station_count;
    for (uint32_t k = 0; k < ring->fold_count; ++k)
    {
        float *aside = folds[k].aside;
        if (folds[k].range.count > 1)
        {
            measure_aside(&p->surface, ring, station, folds, k, aside);
        }
        aside[0] = fabsf(aside[0]) > PL_FOLD_BESIDE * spacing ? aside[0] : 0;
        aside[1] = fabsf(aside[1]) > PL_FOLD_BESIDE * spacing ? aside[1] : 0;
    }
}

/* All stations of all rings, with what is noted of them. */
static pleat_result make_stations(pl_folds_planner *p, uint32_t *count, watched_station **out, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    *count = 0;
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        *count += plan->rings[r].ring.station_count;
    }
    *out = PL_ARENA_NEW(&p->scratch, watched_station, *count);
    for (uint32_t r = 0, at = 0; r < plan->ring_count && *out; ++r)
    {
        pl_fold_ring *ring = &plan->rings[r];
        uint32_t folds = ring->ring.station_count * ring->fold_count;
        watched_fold *seen = PL_ARENA_NEW(&p->scratch, watched_fold, folds);
        float *ratios = PL_ARENA_NEW(&p->scratch, float, folds);
        pl_fold_miss *misses = PL_ARENA_NEW(&p->scratch, pl_fold_miss, ring->ring.station_count);
        ring->kept = PL_ARENA_NEW(&plan->arena, uint8_t, ring->ring.station_count);
        ring->active = PL_ARENA_NEW(&plan->arena, uint8_t, folds);
        ring->heights = PL_ARENA_NEW(&plan->arena, float, folds);
        ring->others = PL_ARENA_NEW(&plan->arena, pl_fold_others, folds);
        ring->narrow = PL_ARENA_NEW(&plan->arena, uint8_t, folds);
        if (!seen || !ratios || !misses || !ring->kept || !ring->active || !ring->heights || !ring->others ||
            !ring->narrow)
        {
            return pl_fail_memory(p->scratch.memory, error, "a look at the clip");
        }
        for (uint32_t i = 0; i < ring->ring.station_count; ++i, ++at)
        {
            size_t first = (size_t)i * ring->fold_count;
            (*out)[at] = (watched_station){ring,           i,
                                           seen + first,   !p->coarse->frame_count && pl_folds_any_side(&ring->values),
                                           ratios + first, misses};
            make_folds(p, ring, i, p->coarse->frame_count > 0, (*out)[at].folds);
        }
        for (uint32_t i = 0; i < ring->ring.station_count; ++i)
        {
            measure_beside(p, ring, i, seen + (size_t)i * ring->fold_count);
        }
    }
    return *out || !*count ? PLEAT_OK : pl_fail_memory(p->scratch.memory, error, "a look at the clip");
}

/* After a frame. */
static void note_misses(const watched_station *stations, uint32_t count, uint64_t moment)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!stations[i].station)
        {
            pl_folds_note_misses(stations[i].ring, moment, stations[i].ratios, stations[i].misses);
        }
    }
}

/* After the clip, of the ring that begins with a station; without one all stations are kept. */
static void choose_stations(const watched_station *first, bool known)
{
    uint32_t stations = first->ring->ring.station_count;
    for (uint32_t i = 0; i < stations * first->ring->fold_count; ++i)
    {
        first->ratios[i] = first->folds[i].least;
    }
    for (uint32_t i = 0; i < stations && !known; ++i)
    {
        first->misses[i].wrong = INFINITY;
        first->misses[i].moments = UINT64_MAX;
    }
    pl_folds_choose_stations(first->ring, first->misses, first->ratios);
}

pleat_result pl_folds_watch(pl_folds_planner *p, const pleat_layer_preview *preview, pleat_error *error)
{
    watched_station *stations;
    uint32_t count;
    watched w;
    PL_TRY(make_watched(p, &w, error));
    PL_TRY(make_stations(p, &count, &stations, error));
    for (uint32_t f = 0; f < p->coarse->frame_count && count; ++f)
    {
        PL_TRY(preview->look(preview->user, f, w.coarse, error));
        pleat_loop_points(p->loop, PLEAT_LOOP_SURFACE, w.coarse, w.positions, &p->host->tasks);
        turn_normals(p, preview, &w);
        pl_fold_crowd_fill(&w.crowd, w.positions, w.ups);
        watch_job job = {p, &w, stations};
        pl_parallel_for(&p->host->tasks, count, 16, watch_stations, &job);
        note_misses(stations, count, UINT64_C(1) << (uint64_t)f * 64 / p->coarse->frame_count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        stations[i].ring->outward = stations[i].ring->outward || stations[i].outward;
        if (!stations[i].station)
        {
            choose_active(stations[i].ring, stations[i].folds);
            choose_stations(&stations[i], p->coarse->frame_count > 0);
        }
    }
    return PLEAT_OK;
}

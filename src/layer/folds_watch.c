/* Which folds the clip ever needs, and what comes near them. */
#include "layer/folds_near.h"
#include "layer/folds_plan.h"

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

/* Notes what comes near the middle of a compressed fold. */
static void watch_near(const pl_folds_planner *p, const pl_fold_crowd *crowd, pl_fold_ring *ring, uint32_t station,
                       uint32_t k, const pleat_place *place, const pleat_vec4 *positions)
{
    const uint32_t *corner = p->topology->triangles + 3 * (size_t)place->triangle;
    pl_f4 a = pl_load(&positions[corner[0]]);
    pl_f4 up = pl_cross(pl_load(&positions[corner[1]]) - a, pl_load(&positions[corner[2]]) - a);
    pl_fold_crowd_note(crowd, ring, station, k, pl_place_position(p->topology, positions, place),
                       pl_normalize3(up) * pl_splat(crowd->turn));
}

/* least: stations by folds, the smallest ratio of length to rest length so far. */
static void watch_ring(const pl_folds_planner *p, const pl_fold_crowd *crowd, pl_fold_ring *ring,
                       const pleat_vec4 *positions, float *least)
{
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        const pl_line *line = &ring->patch.lines[i];
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            float *ratio = &least[i * ring->fold_count + k];
            place_range range = places_in(line, ring->bounds[k], ring->bounds[k + 1]);
            if (range.count < 2)
            {
                *ratio = 0; /* too coarse to tell: taken to be needed */
                continue;
            }
            double rest = length_of(p, line, range, p->surface.positions);
            float now = (float)(length_of(p, line, range, positions) / rest);
            *ratio = fminf(*ratio, now);
            if (now < 0.99f)
            {
                watch_near(p, crowd, ring, i, k, &line->places[range.first + range.count / 2], positions);
            }
        }
    }
}

enum
{
    NEIGHBOURS = 2 /* stations to each side of a fold that is needed: what it fades over */
};

static void mark_active(const pl_fold_ring *ring, uint32_t station, uint32_t k)
{
    uint32_t count = ring->ring.station_count;
    for (uint32_t d = 0; d <= 2 * NEIGHBOURS; ++d)
    {
        uint32_t at = station + d + (ring->ring.closed ? count : 0) - NEIGHBOURS;
        at = ring->ring.closed ? at % count : at;
        if (at < count)
        {
            ring->active[at * ring->fold_count + k] = 1;
        }
    }
}

/* A fold that is compressed is active; one that is compressed so much that contact may stop it has those behind it
 * active too, which take its length over. */
static void choose_active(const pl_fold_ring *ring, const float *least)
{
    uint32_t middle = ring->fold_count / 2;
    for (uint32_t i = 0; i < ring->ring.station_count; ++i)
    {
        for (uint32_t k = 0; k < ring->fold_count; ++k)
        {
            float ratio = least[i * ring->fold_count + k];
            uint32_t spare = ratio < 0.75f ? PL_FOLDS_SPARE + 1 : ratio < 0.99f ? 1 : 0;
            for (uint32_t n = 0; ratio < 0.99f && n <= spare; ++n)
            {
                uint32_t at = k < middle ? k - n : k + n; /* wraps below 0, past fold_count */
                if (at < ring->fold_count && ring->own[i * ring->fold_count + at] > 0)
                {
                    mark_active(ring, i, at);
                }
            }
        }
    }
}

/* -1 where a pose mirrors the mesh, else 1. */
static float turn_of(const pl_folds_planner *p, const pleat_layer_preview *preview)
{
    uint32_t joint = p->skin->joints[0];
    pleat_affine matrix =
        pl_affine_mul(&pleat_pose_worlds(preview->pose(preview->user))[joint], &p->skin->inverse_binds[0]);
    return pl_affine_determinant(&matrix) < 0 ? -1 : 1;
}

pleat_result pl_folds_watch(pl_folds_planner *p, const pleat_layer_preview *preview, pleat_error *error)
{
    pl_folds_plan *plan = p->plan;
    pleat_vec4 *coarse = PL_ARENA_NEW(&p->scratch, pleat_vec4, p->coarse->topology->vertex_count);
    pleat_vec4 *positions = PL_ARENA_NEW(&p->scratch, pleat_vec4, p->topology->vertex_count);
    float **least = PL_ARENA_NEW(&p->scratch, float *, plan->ring_count);
    if (!coarse || !positions || !least)
    {
        return pl_fail_memory(p->scratch.memory, error, "a look at the clip");
    }
    bool known = p->coarse->frame_count > 0;
    pl_fold_crowd crowd;
    PL_TRY(pl_fold_crowd_make(p->coarse, plan->lining, 1.5f * plan->width, &p->scratch, &crowd, error));
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        uint32_t folds = plan->rings[r].ring.station_count * plan->rings[r].fold_count;
        least[r] = PL_ARENA_NEW(&p->scratch, float, folds);
        plan->rings[r].active = PL_ARENA_NEW(&plan->arena, uint8_t, folds);
        plan->rings[r].others = PL_ARENA_NEW(&plan->arena, pl_fold_other, (size_t)PL_FOLD_OTHERS * folds);
        if (!least[r] || !plan->rings[r].active || !plan->rings[r].others)
        {
            return pl_fail_memory(p->scratch.memory, error, "a look at the clip");
        }
        for (uint32_t i = 0; i < folds; ++i)
        {
            least[r][i] = known ? 1 : 0; /* no clip: everything may be needed */
        }
    }
    for (uint32_t f = 0; f < p->coarse->frame_count && plan->ring_count; ++f)
    {
        PL_TRY(preview->look(preview->user, f, coarse, error));
        pleat_loop_points(p->loop, PLEAT_LOOP_SURFACE, coarse, positions, &p->host->tasks);
        pl_fold_crowd_fill(&crowd, coarse, turn_of(p, preview));
        for (uint32_t r = 0; r < plan->ring_count; ++r)
        {
            watch_ring(p, &crowd, &plan->rings[r], positions, least[r]);
        }
    }
    for (uint32_t r = 0; r < plan->ring_count; ++r)
    {
        choose_active(&plan->rings[r], least[r]);
    }
    return PLEAT_OK;
}

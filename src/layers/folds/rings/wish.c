/* Where the cloth has to be finer than the input: where a fold rises at some time, and how fine. */
#include "layers/folds/rings/plan.h"

/* How far from a patch a coarse triangle may lie that it refines, of a fold's width. */
#define OFF_SURFACE 0.3f

/* Folds lower than this, of the character's height, need no triangles: half a millimetre on a grown person. */
#define INVISIBLE 3e-4f
/* A fold this high, of its width, has edges of a `detail`-th of the width; their number grows with the square root of
 * the height, since what a straight edge misses of a bump goes with the height and with the square of the edge. */
#define PLAIN_HEIGHT 0.25f
/* Fewer edges than this across a fold are other bumps than the fold; and more than half as many again as asked for do
 * not show. */
#define LEAST_EDGES 3.0f
#define MOST_EDGES 1.5f

/* A piece of a coarse triangle, at rest. */
typedef struct wish_piece
{
    pl_f4 middle, normal;
    float longest; /* edge */
    float spare;   /* how much farther from a patch it may lie, as a lining does */
} wish_piece;

static wish_piece piece_of(const pl_folds_plan *plan, uint32_t triangle, const float barycentric[9])
{
    const uint32_t *corner = plan->coarse->topology->triangles + 3 * (size_t)triangle;
    wish_piece piece = {.middle = pl_splat(0), .normal = pl_splat(0)};
    pl_f4 points[3];
    for (int k = 0; k < 3; ++k)
    {
        points[k] = pl_splat(0);
        for (int j = 0; j < 3; ++j)
        {
            points[k] += pl_load(&plan->coarse->rest[corner[j]]) * pl_splat(barycentric[3 * k + j]);
        }
        piece.middle += points[k] * pl_splat(1.0f / 3);
        piece.normal += pl_load(&plan->coarse->rest_normals[corner[k]]);
    }
    /* A lining becomes as fine as what it follows. */
    bool lining = plan->sides.lining && plan->sides.lining[triangle] == PL_FOLD_LINING;
    piece.normal = pl_normalize3(lining ? -piece.normal : piece.normal);
    piece.spare = lining ? plan->sides.reach : 0;
    for (int k = 0; k < 3; ++k)
    {
        piece.longest = fmaxf(piece.longest, pl_length3(points[k] - points[(k + 1) % 3]));
    }
    return piece;
}

/* The highest of the active folds within a distance of a place of the patch; less than 0: there is none. */
static float highest_around(const pl_fold_ring *ring, float u, float s, float around)
{
    uint32_t count = ring->ring.station_count, first = pl_fold_ring_at(ring, s - around);
    uint32_t last = pl_fold_ring_at(ring, s + around);
    int32_t reach = (int32_t)fminf(around * (float)count / ring->ring.length, (float)count) + 1;
    float most = -1;
    for (int32_t d = -reach; d <= reach + 1; ++d)
    {
        int64_t at = (int64_t)u + d;
        at = ring->ring.closed ? (at % count + count) % count : at;
        for (uint32_t k = first; at >= 0 && at < count && k <= last; ++k)
        {
            uint32_t fold = (uint32_t)at * ring->fold_count + k;
            most = ring->active[fold] ? fmaxf(most, ring->heights[fold]) : most;
        }
    }
    return most;
}

/* The highest fold of a ring that ever rises where a piece is; less than 0: none does. */
static float height_at(const pl_fold_ring *ring, const wish_piece *piece)
{
    /* The flat coarse triangle lies off the smooth surface by up to a part of its size. */
    float reach = 0.5f * piece->longest + OFF_SURFACE * ring->values.width + piece->spare, u, s;
    return pl_patch_find(&ring->patch, piece->middle, piece->normal, reach, &u, &s)
               ? highest_around(ring, u, s, 0.5f * piece->longest)
               : -1;
}

bool pl_folds_plan_wants(void *user, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    const pl_folds_plan *plan = user;
    wish_piece piece = piece_of(plan, triangle, barycentric);
    (void)level;
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        const pl_fold_ring *ring = &plan->rings[i];
        if (piece.longest > ring->values.width / plan->options.detail && height_at(ring, &piece) >= 0)
        {
            return true;
        }
    }
    return false;
}

/* How many edges a fold of some height has across. */
static float edges_across(const pl_folds_plan *plan, const pl_fold_ring *ring, float height)
{
    float detail = plan->options.detail, least = fminf(detail, LEAST_EDGES);
    float edges = detail * sqrtf(height / (PLAIN_HEIGHT * ring->values.width));
    return fminf(fmaxf(edges, least), MOST_EDGES * detail);
}

float pl_folds_plan_misses(void *user, uint32_t triangle, const float barycentric[9])
{
    const pl_folds_plan *plan = user;
    wish_piece piece = piece_of(plan, triangle, barycentric);
    float most = 0;
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        const pl_fold_ring *ring = &plan->rings[i];
        float width = ring->values.width;
        if (!(piece.longest > width / (MOST_EDGES * plan->options.detail)))
        {
            continue;
        }
        float height = height_at(ring, &piece);
        if (height > INVISIBLE * plan->coarse->height && piece.longest > width / edges_across(plan, ring, height))
        {
            most = fmaxf(most, height);
        }
    }
    return most;
}

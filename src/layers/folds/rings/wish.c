/* Where the cloth has to be finer than the input: where a fold rises at some time, and how fine. */
#include "layers/folds/rings/plan.h"

#include "mesh/refine/keep.h"

/* How far from a patch a coarse triangle may lie that it refines, of a fold's width. */
#define OFF_SURFACE 0.3f

/* Folds lower than this, of the character's height, need no triangles: half a millimetre on a grown person. */
#define INVISIBLE 3e-4f
/* A fold this high, of its width, has edges of a `detail`-th of the width; their number grows with the square root of
 * the height, since what a straight edge misses of a bump goes with the height and with the square of the edge. */
#define PLAIN_HEIGHT 0.25f
/* More than half as many edges again as asked for do not show. */
#define MOST_EDGES 1.5f

/* What is much higher than wide shows, and so does what is large: a fold counts by its height, and one of USUAL_WIDTH,
 * of the character's height, as it is. One four times as wide counts for half. */
#define USUAL_WIDTH 0.015f
/* How much longer the longest edge of a triangle may be than those of its squares' sides: of halves of squares, and of
 * triangles that are longer than wide. */
#define HALF_SQUARE 1.3f

/* A piece of a coarse triangle, at rest. */
typedef struct wish_piece
{
    pl_f4 points[3], middle, normal;
    float longest; /* edge */
    float spare;   /* how much farther from a patch it may lie, as a lining does */
} wish_piece;

static wish_piece piece_of(const pl_folds_plan *plan, uint32_t triangle, const float *barycentric, int count)
{
    const uint32_t *corner = plan->coarse->topology->triangles + 3 * (size_t)triangle;
    wish_piece piece = {.middle = pl_splat(0), .normal = pl_splat(0)};
    for (int k = 0; k < count; ++k)
    {
        piece.points[k] = pl_splat(0);
        for (int j = 0; j < 3; ++j)
        {
            piece.points[k] += pl_load(&plan->coarse->rest[corner[j]]) * pl_splat(barycentric[3 * k + j]);
        }
        piece.middle += piece.points[k] * pl_splat(1 / (float)count);
    }
    for (int j = 0; j < 3; ++j)
    {
        piece.normal += pl_load(&plan->coarse->rest_normals[corner[j]]);
    }
    /* A lining becomes as fine as what it follows. */
    bool lining = plan->sides.lining && plan->sides.lining[triangle] == PL_FOLD_LINING;
    piece.normal = pl_normalize3(lining ? -piece.normal : piece.normal);
    piece.spare = lining ? plan->sides.reach : 0;
    for (int k = 0; k < count; ++k)
    {
        piece.longest = fmaxf(piece.longest, pl_length3(piece.points[k] - piece.points[(k + 1) % count]));
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

/* Which way folds run at a place of a patch: from one line to the next. */
static pl_f4 along_at(const pl_fold_ring *ring, float u, float s)
{
    const pl_patch *patch = &ring->patch;
    uint32_t count = ring->ring.station_count, rows = patch->row_count;
    float row = (float)(rows / 2) + 4 * s / ring->values.width + 0.5f; /* rows are a quarter of a fold apart */
    uint32_t at = (uint32_t)fminf(fmaxf(row, 0), (float)(rows - 1));
    uint32_t from = (uint32_t)u % count, to = from + 1 < count ? from + 1 : ring->ring.closed ? 0 : from;
    from = from == to && from > 0 ? from - 1 : from;
    return pl_normalize3(patch->grid[(size_t)to * rows + at] - patch->grid[(size_t)from * rows + at]);
}

/* What a ring raises where a piece is. */
typedef struct wish_place
{
    float height; /* of the highest fold around that ever rises; less than 0: none does */
    pl_f4 along;  /* with a height */
} wish_place;

static wish_place place_on(const pl_fold_ring *ring, const wish_piece *piece)
{
    /* The flat coarse triangle lies off the smooth surface by up to a part of its size. */
    float reach = 0.5f * piece->longest + OFF_SURFACE * ring->values.width + piece->spare, u, s;
    wish_place place = {-1, pl_splat(0)};
    if (pl_patch_find(&ring->patch, piece->middle, piece->normal, reach, &u, &s))
    {
        place.height = highest_around(ring, u, s, 0.5f * piece->longest);
        place.along = place.height >= 0 ? along_at(ring, u, s) : place.along;
    }
    return place;
}

bool pl_folds_plan_wants(void *user, uint32_t triangle, const float barycentric[9], uint32_t level)
{
    const pl_folds_plan *plan = user;
    wish_piece piece = piece_of(plan, triangle, barycentric, 3);
    (void)level;
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        const pl_fold_ring *ring = &plan->rings[i];
        if (piece.longest > ring->values.width / plan->options.detail && place_on(ring, &piece).height >= 0)
        {
            return true;
        }
    }
    return false;
}

/* How many edges a fold of some height has across. */
static float edges_across(const pl_folds_plan *plan, const pl_fold_ring *ring, float height)
{
    float detail = plan->options.detail, least = fminf(detail, PL_FOLD_LEAST_EDGES);
    float edges = detail * sqrtf(height / (PLAIN_HEIGHT * ring->values.width));
    return fminf(fmaxf(edges, least), MOST_EDGES * detail);
}

/* The longest edge, where what it has along folds counts for less. */
static float longest_across(const wish_piece *piece, pl_f4 along)
{
    float most = 0;
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 edge = piece->points[(k + 1) % 3] - piece->points[k];
        float part = pl_dot3(edge, along);
        most = fmaxf(most, pl_dot3(edge, edge) - (1 - 1 / (PL_KEEP_LONGER * PL_KEEP_LONGER)) * part * part);
    }
    return sqrtf(most);
}

float pl_folds_plan_misses(void *user, uint32_t triangle, const float barycentric[9])
{
    const pl_folds_plan *plan = user;
    wish_piece piece = piece_of(plan, triangle, barycentric, 3);
    float most = 0;
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        const pl_fold_ring *ring = &plan->rings[i];
        float width = ring->values.width;
        if (!(piece.longest > width / (MOST_EDGES * plan->options.detail)))
        {
            continue;
        }
        wish_place place = place_on(ring, &piece);
        if (place.height > INVISIBLE * plan->coarse->height &&
            longest_across(&piece, place.along) > HALF_SQUARE * width / edges_across(plan, ring, place.height))
        {
            most = fmaxf(most, place.height * sqrtf(USUAL_WIDTH * plan->coarse->height / width));
        }
    }
    return most;
}

void pl_folds_plan_along(void *user, uint32_t triangle, const float barycentric[3], pleat_vec4 *out)
{
    const pl_folds_plan *plan = user;
    wish_piece piece = piece_of(plan, triangle, barycentric, 1);
    float most = INVISIBLE * plan->coarse->height;
    for (uint32_t i = 0; i < plan->ring_count; ++i)
    {
        wish_place place = place_on(&plan->rings[i], &piece);
        if (place.height > most)
        {
            most = place.height;
            pl_store(out, place.along);
        }
    }
}

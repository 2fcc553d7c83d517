#include "mesh/curve/patch.h"

#include <string.h>

static uint32_t last_cell(const pl_patch *patch)
{
    return patch->ring->closed ? patch->ring->station_count : patch->ring->station_count - 1;
}

/* Ends a line before an arc length at which it meets another. */
static void shorten(pl_line *line, float arc, float by)
{
    if (arc < 0 && line->low < arc + by)
    {
        line->low = fminf(arc + by, 0);
        line->low_meets = true;
    }
    if (arc > 0 && line->high > arc - by)
    {
        line->high = fmaxf(arc - by, 0);
        line->high_meets = true;
    }
}

/* Lines from a curved ring can meet: from there on neither is good. Seen from the ring outwards, the step to
 * the next line must keep some of its width and stay on its side. */
static void stop_at_meetings(const pl_ring_surface *surface, pl_patch *patch, float row_step)
{
    uint32_t count = patch->ring->station_count, rows = patch->row_count, middle = rows / 2;
    for (uint32_t i = 0; i < last_cell(patch); ++i)
    {
        uint32_t next = (i + 1) % count;
        pl_line *a = &patch->lines[i], *b = &patch->lines[next];
        float width = pl_length3(patch->grid[(size_t)next * rows + middle] - patch->grid[(size_t)i * rows + middle]);
        for (int side = -1; side <= 1; side += 2)
        {
            for (uint32_t step = 1; step <= middle; ++step)
            {
                uint32_t row = side < 0 ? middle - step : middle + step;
                uint32_t inner = side < 0 ? row + 1 : row - 1;
                float arc = (float)side * (float)step * row_step;
                if (arc < a->low || arc > a->high || arc < b->low || arc > b->high)
                {
                    break;
                }
                pleat_place place = pl_line_at(surface, a, arc);
                pl_f4 normal = pl_place_normal(surface->topology, surface->normals, &place);
                pl_f4 along = (patch->grid[(size_t)i * rows + row] - patch->grid[(size_t)i * rows + inner]) *
                              pl_splat((float)side);
                pl_f4 tangent = pl_normalize3(pl_cross(along, normal));
                pl_f4 to_next = patch->grid[(size_t)next * rows + row] - patch->grid[(size_t)i * rows + row];
                if (!(pl_dot3(to_next, tangent) > 0.45f * width))
                {
                    shorten(a, arc, row_step);
                    shorten(b, arc, row_step);
                    break;
                }
            }
        }
    }
}

static void fill_grid(const pl_ring_surface *surface, pl_patch *patch, float row_step)
{
    uint32_t rows = patch->row_count;
    for (uint32_t i = 0; i < patch->ring->station_count; ++i)
    {
        const pl_line *line = &patch->lines[i];
        for (uint32_t row = 0; row < rows; ++row)
        {
            float wanted = ((float)row - (float)(rows / 2)) * row_step;
            float arc = fminf(fmaxf(wanted, line->low), line->high);
            pleat_place place = pl_line_at(surface, line, arc);
            size_t at = (size_t)i * rows + row;
            patch->grid[at] = pl_place_position(surface->topology, surface->positions, &place);
            patch->grid_arc[at] = arc;
            patch->grid_normal[at] = pl_place_normal(surface->topology, surface->normals, &place);
            patch->grid_good[at] = fabsf(arc - wanted) < 0.5f * row_step;
        }
    }
}

/* ---- Overlaps ---- */

/* Lines from far apart on the ring can come around a limb and cover the same cloth. Nodes of the grid are hashed by
 * place; where nodes of distant stations meet on one side of the cloth, the line that came farther ends. */
typedef struct overlap_hash
{
    uint32_t *first; /* mask + 1: node or PLEAT_NONE */
    uint32_t *next;  /* by node */
    uint32_t mask;
    float inverse_cell;
} overlap_hash;

static uint32_t hash_of(const overlap_hash *hash, pl_f4 position, int dx, int dy, int dz)
{
    uint32_t x = (uint32_t)(pl_cell_at(position[0] * hash->inverse_cell) + dx);
    uint32_t y = (uint32_t)(pl_cell_at(position[1] * hash->inverse_cell) + dy);
    uint32_t z = (uint32_t)(pl_cell_at(position[2] * hash->inverse_cell) + dz);
    uint32_t h = x * 73856093u ^ y * 19349663u ^ z * 83492791u;
    return (h ^ (h >> 15)) & hash->mask;
}

static bool is_distant(const pl_patch *patch, uint32_t a, uint32_t b)
{
    uint32_t count = patch->ring->station_count, apart = a > b ? a - b : b - a;
    apart = patch->ring->closed && count - apart < apart ? count - apart : apart;
    return apart > 4;
}

static void meet(pl_patch *patch, uint32_t a, uint32_t b, float row_step)
{
    uint32_t rows = patch->row_count;
    pl_f4 apart = patch->grid[a] - patch->grid[b];
    if (!is_distant(patch, a / rows, b / rows) || pl_dot3(apart, apart) > row_step * row_step ||
        pl_dot3(patch->grid_normal[a], patch->grid_normal[b]) < 0.3f)
    {
        return;
    }
    uint32_t farther = fabsf(patch->grid_arc[a]) > fabsf(patch->grid_arc[b]) ? a : b;
    shorten(&patch->lines[farther / rows], patch->grid_arc[farther], row_step);
}

static pleat_result stop_at_overlaps(pl_patch *patch, float row_step, pl_arena *arena, pleat_error *error)
{
    uint32_t node_count = patch->ring->station_count * patch->row_count;
    overlap_hash hash = {.mask = 63, .inverse_cell = 1 / row_step};
    while (hash.mask < node_count)
    {
        hash.mask = 2 * hash.mask + 1;
    }
    hash.first = PL_ARENA_NEW(arena, uint32_t, (size_t)hash.mask + 1);
    hash.next = PL_ARENA_NEW(arena, uint32_t, node_count);
    if (!hash.first || !hash.next)
    {
        return pl_fail_memory(arena->memory, error, "overlaps of a patch");
    }
    memset(hash.first, 0xff, ((size_t)hash.mask + 1) * sizeof *hash.first);
    for (uint32_t n = 0; n < node_count; ++n)
    {
        if (!patch->grid_good[n])
        {
            continue;
        }
        for (int k = 0; k < 27; ++k)
        {
            uint32_t bucket = hash_of(&hash, patch->grid[n], k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
            for (uint32_t other = hash.first[bucket]; other != PLEAT_NONE; other = hash.next[other])
            {
                meet(patch, n, other, row_step);
            }
        }
        uint32_t home = hash_of(&hash, patch->grid[n], 0, 0, 0);
        hash.next[n] = hash.first[home];
        hash.first[home] = n;
    }
    return PLEAT_OK;
}

static pleat_result build_tree(pl_patch *patch, pl_arena *arena, const pleat_host *host, pleat_error *error)
{
    uint32_t count = patch->ring->station_count, rows = patch->row_count, cells = last_cell(patch) * (rows - 1);
    uint32_t *triangles = PL_ARENA_NEW(arena, uint32_t, 6 * (size_t)cells);
    patch->points = PL_ARENA_NEW(arena, pleat_vec4, (size_t)count * rows);
    if (!triangles || !patch->points)
    {
        return pl_fail_memory(arena->memory, error, "the grid of a patch");
    }
    for (uint32_t i = 0; i < count * rows; ++i)
    {
        pl_store(&patch->points[i], patch->grid[i]);
    }
    uint32_t c = 0;
    for (uint32_t i = 0; i < last_cell(patch); ++i)
    {
        uint32_t next = (i + 1) % count;
        for (uint32_t row = 0; row + 1 < rows; ++row)
        {
            uint32_t corner[6] = {i * rows + row, next * rows + row,     next * rows + row + 1,
                                  i * rows + row, next * rows + row + 1, i * rows + row + 1};
            memcpy(triangles + c, corner, sizeof corner);
            c += 6;
        }
    }
    return pleat_bvh_create(count * rows, patch->points, 2 * cells, triangles, host, &patch->bvh, error);
}

pleat_result pl_patch_make(const pl_ring_surface *surface, const pl_ring *ring, pl_patch_size size, pl_arena *arena,
                           const pleat_host *host, pl_patch *out, pleat_error *error)
{
    float half = size.half, row_step = size.row_step;
    *out = (pl_patch){.ring = ring};
    if (!(half / row_step <= PL_PATCH_ROWS))
    {
        return pl_fail(error, PLEAT_BAD_DATA,
                       "lines across a ring of length %g should go %g to each side in steps of %g; lengths above 0 and "
                       "at most %d steps are possible",
                       (double)ring->length, (double)half, (double)row_step, PL_PATCH_ROWS);
    }
    out->row_count = 2 * (uint32_t)ceilf(half / row_step) + 1;
    out->lines = PL_ARENA_NEW(arena, pl_line, ring->station_count);
    out->grid = PL_ARENA_NEW(arena, pl_f4, (size_t)ring->station_count * out->row_count);
    out->grid_arc = PL_ARENA_NEW(arena, float, (size_t)ring->station_count * out->row_count);
    out->grid_normal = PL_ARENA_NEW(arena, pl_f4, (size_t)ring->station_count * out->row_count);
    out->grid_good = PL_ARENA_NEW(arena, bool, (size_t)ring->station_count * out->row_count);
    if (!out->lines || !out->grid || !out->grid_arc || !out->grid_normal || !out->grid_good)
    {
        return pl_fail_memory(arena->memory, error, "a patch");
    }
    PL_TRY(pl_lines_make(surface, ring, half, row_step, arena, out->lines, error));
    fill_grid(surface, out, row_step);
    stop_at_meetings(surface, out, row_step);
    fill_grid(surface, out, row_step);
    PL_TRY(stop_at_overlaps(out, row_step, arena, error));
    fill_grid(surface, out, row_step);
    return build_tree(out, arena, host, error);
}

void pl_patch_release(pl_patch *patch)
{
    pleat_bvh_destroy(patch->bvh);
    patch->bvh = NULL;
}

bool pl_patch_find(const pl_patch *patch, pl_f4 position, pl_f4 normal, float reach, float *u, float *s)
{
    pleat_hit hit = pleat_bvh_nearest(patch->bvh, pl_to(position), reach);
    if (hit.triangle == PLEAT_NONE)
    {
        return false;
    }
    uint32_t count = patch->ring->station_count, rows = patch->row_count;
    uint32_t cell = hit.triangle / 2, i = cell / (rows - 1), row = cell % (rows - 1), next = (i + 1) % count;
    bool second = hit.triangle % 2;
    size_t corner[3] = {(size_t)i * rows + row, second ? (size_t)next * rows + row + 1 : (size_t)next * rows + row,
                        second ? (size_t)i * rows + row + 1 : (size_t)next * rows + row + 1};
    pl_f4 face =
        pl_cross(patch->grid[corner[1]] - patch->grid[corner[0]], patch->grid[corner[2]] - patch->grid[corner[0]]);
    if (pl_dot3(face, normal) < 0.2f * pl_length3(face))
    {
        return false;
    }
    const float *b = hit.barycentric;
    *u = (float)i + (second ? b[1] : b[1] + b[2]);
    *s = b[0] * patch->grid_arc[corner[0]] + b[1] * patch->grid_arc[corner[1]] + b[2] * patch->grid_arc[corner[2]];
    return *u >= 0 && isfinite(*s); /* not so where cells of the grid are points */
}

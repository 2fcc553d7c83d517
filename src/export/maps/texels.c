/* Which place of the coarse mesh each texel stands for: of those inside of a chart the point at their centre, of those
 * just outside the point that the chart's last triangle, continued, would have there. A read near a border takes in
 * texels from both sides. */
#include "export/maps/maps.h"

#include <stdlib.h>
#include <string.h>

/* Texels past the border: what skirts reach, and what a bilinear read can take in. */
static const float BORDER = 3;
/* The latter alone. */
static const float READ = 1.5f;
/* A place this far outside is guessed well from the triangle, by its weights; further out the border stands for it. */
static const float FAR_OUT = -0.75f;

/* A coarse triangle in the texture, in texels whose centres stand at whole numbers. */
typedef struct flat_triangle
{
    float x[3], y[3];
    float inverse_area;
    int32_t first_row, last_row; /* texels that may lie in it */
} flat_triangle;

static bool flatten(const pleat_maps *maps, uint32_t triangle, flat_triangle *out)
{
    const uint32_t *render = maps->stack->surface->render_triangles + 3 * (size_t)triangle;
    float size = (float)maps->raster.size, mean_u = 0, mean_v = 0;
    for (int k = 0; k < 3; ++k)
    {
        mean_u += maps->coarse_uvs[2 * (size_t)render[k]] * (1.0f / 3);
        mean_v += maps->coarse_uvs[2 * (size_t)render[k] + 1] * (1.0f / 3);
    }
    if (!maps->coarse_drawn[triangle] || !(fabsf(mean_u) < 1e6f) || !(fabsf(mean_v) < 1e6f))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        out->x[k] = (maps->coarse_uvs[2 * (size_t)render[k]] - floorf(mean_u)) * size - 0.5f;
        out->y[k] = (maps->coarse_uvs[2 * (size_t)render[k] + 1] - floorf(mean_v)) * size - 0.5f;
    }
    float area = (out->x[1] - out->x[0]) * (out->y[2] - out->y[0]) - (out->x[2] - out->x[0]) * (out->y[1] - out->y[0]);
    if (!(fabsf(area) > 1e-9f))
    {
        return false;
    }
    out->inverse_area = 1 / area;
    out->first_row = (int32_t)fmaxf(ceilf(fminf(fminf(out->y[0], out->y[1]), out->y[2])), 0);
    out->last_row = (int32_t)fminf(floorf(fmaxf(fmaxf(out->y[0], out->y[1]), out->y[2])), size - 1);
    return true;
}

/* The weights of a texel's centre; false outside. */
static bool weights_at(const flat_triangle *t, float x, float y, float weight[3])
{
    for (int k = 0; k < 3; ++k)
    {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        weight[k] = ((t->x[a] - x) * (t->y[b] - y) - (t->x[b] - x) * (t->y[a] - y)) * t->inverse_area;
    }
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
}

/* The columns of a row in which the triangle may lie, one more on each side. */
static void columns_in(const flat_triangle *t, float y, uint32_t size, int32_t *first, int32_t *last)
{
    float left = (float)size, right = -1;
    for (int k = 0; k < 3; ++k)
    {
        int n = (k + 1) % 3;
        float low = t->y[k] < t->y[n] ? t->y[k] : t->y[n], high = t->y[k] < t->y[n] ? t->y[n] : t->y[k];
        if (y < low || y > high)
        {
            continue;
        }
        float part = high > low ? (y - t->y[k]) / (t->y[n] - t->y[k]) : 0;
        float x = t->x[k] + part * (t->x[n] - t->x[k]);
        float also = high > low ? x : t->x[n];
        left = fminf(left, fminf(x, also));
        right = fmaxf(right, fmaxf(x, also));
    }
    *first = (int32_t)fmaxf(floorf(left - 0.01f), 0);
    *last = (int32_t)fminf(ceilf(right + 0.01f), (float)size - 1);
}

/* ---- Visits ---- */

static void visit_triangle(const pleat_maps *maps, uint32_t triangle, int32_t low, int32_t high, pl_texel_visit *visit,
                           void *user)
{
    flat_triangle flat;
    int32_t first, last;
    uint32_t size = maps->raster.size;
    if (!flatten(maps, triangle, &flat) || flat.last_row < low || flat.first_row > high)
    {
        return;
    }
    for (int32_t row = flat.first_row > low ? flat.first_row : low; row <= flat.last_row && row <= high; ++row)
    {
        columns_in(&flat, (float)row, size, &first, &last);
        for (int32_t x = first; x <= last; ++x)
        {
            pl_map_place place = {triangle, {0, 0, 0}};
            if (weights_at(&flat, (float)x, (float)row, place.weight))
            {
                visit(user, (size_t)row * size + (size_t)x, &place, PL_TEXEL_INSIDE);
            }
        }
    }
}

/* Weights of a place outside of its triangle become those of a place on its edge. */
static void pull_in(float *w)
{
    float sum = 0;
    for (int k = 0; k < 3; ++k)
    {
        w[k] = fmaxf(w[k], 0);
        sum += w[k];
    }
    for (int k = 0; k < 3; ++k)
    {
        w[k] = sum > 0 ? w[k] / sum : 1.0f / 3;
    }
}

/* Where it is too far out to say, the nearest place of the triangle. */
static pl_texel_kind keep_near(pl_map_place *place)
{
    float *w = place->weight;
    if (fminf(fminf(w[0], w[1]), w[2]) >= FAR_OUT)
    {
        return PL_TEXEL_BORDER;
    }
    pull_in(w);
    return PL_TEXEL_FAR;
}

void pl_maps_visit_texels(const pleat_maps *maps, uint32_t first_row, uint32_t row_count, pl_texel_visit *visit,
                          void *user)
{
    uint32_t size = maps->raster.size, end = first_row + row_count < size ? first_row + row_count : size;
    for (uint32_t t = 0; t < maps->stack->surface->triangle_count; ++t)
    {
        visit_triangle(maps, t, (int32_t)first_row, (int32_t)end - 1, visit, user);
    }
    /* Borders are in the order of their texels. */
    size_t from = (size_t)first_row * size, to = (size_t)end * size;
    uint32_t low = 0, high = maps->border_count;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        low = maps->borders[middle].texel < from ? middle + 1 : low;
        high = maps->borders[middle].texel < from ? high : middle;
    }
    for (; low < maps->border_count && maps->borders[low].texel < to; ++low)
    {
        const pl_map_border *border = &maps->borders[low];
        flat_triangle flat;
        if (flatten(maps, border->triangle, &flat))
        {
            pl_map_place place = {border->triangle, {0, 0, 0}};
            weights_at(&flat, (float)(border->texel % size), (float)(border->texel / size), place.weight);
            pl_texel_kind kind = keep_near(&place);
            visit(user, border->texel, &place, border->distance > READ ? PL_TEXEL_FAR : kind);
        }
    }
}

/* The texel of a chart nearest to a point; false if none is near. */
static bool nearest_texel(const pleat_maps *maps, float x, float y, size_t *out)
{
    int32_t size = (int32_t)maps->raster.size, column = (int32_t)lroundf(x), row = (int32_t)lroundf(y);
    float least = INFINITY;
    for (int32_t r = row - 2; r <= row + 2; ++r)
    {
        for (int32_t c = column - 2; c <= column + 2; ++c)
        {
            float dx = (float)c - x, dy = (float)r - y, squared = dx * dx + dy * dy;
            size_t texel = (size_t)r * (size_t)size + (size_t)c;
            if (r >= 0 && r < size && c >= 0 && c < size && squared < least && maps->raster.covered[texel] == 1)
            {
                least = squared;
                *out = texel;
            }
        }
    }
    return least < INFINITY;
}

void pl_maps_close_borders(pleat_maps *maps, const pl_raster_job *job)
{
    uint32_t size = maps->raster.size;
    for (uint32_t i = 0; i < maps->border_count; ++i)
    {
        const pl_map_border *border = &maps->borders[i];
        flat_triangle t;
        pl_map_place place = {border->triangle, {0, 0, 0}};
        float *w = place.weight;
        size_t from = 0;
        if (maps->raster.covered[border->texel] || !flatten(maps, border->triangle, &t))
        {
            continue;
        }
        weights_at(&t, (float)(border->texel % size), (float)(border->texel / size), w);
        pull_in(w);
        if (nearest_texel(maps, w[0] * t.x[0] + w[1] * t.x[1] + w[2] * t.x[2],
                          w[0] * t.y[0] + w[1] * t.y[1] + w[2] * t.y[2], &from))
        {
            pl_raster_copy(job, from, border->texel);
            maps->raster.covered[border->texel] = 2;
        }
    }
}

/* ---- Borders ---- */

static int compare_borders(const void *a, const void *b)
{
    const pl_map_border *x = a, *y = b;
    if (x->texel != y->texel)
    {
        return x->texel < y->texel ? -1 : 1;
    }
    if (x->distance != y->distance)
    {
        return x->distance < y->distance ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static float distance_to_edge(const flat_triangle *t, uint32_t k, float x, float y)
{
    uint32_t n = (k + 1) % 3;
    float ex = t->x[n] - t->x[k], ey = t->y[n] - t->y[k], squared = ex * ex + ey * ey;
    float part = squared > 0 ? ((x - t->x[k]) * ex + (y - t->y[k]) * ey) / squared : 0;
    part = fminf(fmaxf(part, 0), 1);
    return hypotf(t->x[k] + part * ex - x, t->y[k] + part * ey - y);
}

/* The columns in which the edge may come near to a row. */
static void columns_near(const flat_triangle *t, uint32_t k, float y, float size, float *left, float *right)
{
    uint32_t n = (k + 1) % 3;
    float dx = t->x[n] - t->x[k], dy = t->y[n] - t->y[k], from = 0, to = 1;
    if (fabsf(dy) > 1e-6f)
    {
        float a = (y - BORDER - t->y[k]) / dy, b = (y + BORDER - t->y[k]) / dy;
        from = fminf(fmaxf(fminf(a, b), 0), 1);
        to = fminf(fmaxf(fmaxf(a, b), 0), 1);
    }
    float a = t->x[k] + from * dx, b = t->x[k] + to * dx;
    *left = fmaxf(ceilf(fminf(a, b) - BORDER), 0);
    *right = fminf(floorf(fmaxf(a, b) + BORDER), size - 1);
}

/* Texels near the edge at a corner that no chart covers; out may be NULL. Returns their number. */
static size_t border_of_edge(const pleat_maps *maps, uint32_t corner, pl_map_border *out)
{
    flat_triangle flat;
    size_t count = 0;
    uint32_t k = corner % 3, n = (k + 1) % 3, size = maps->raster.size;
    if (!flatten(maps, corner / 3, &flat))
    {
        return 0;
    }
    float top = fmaxf(ceilf(fminf(flat.y[k], flat.y[n]) - BORDER), 0), left, right;
    float bottom = fminf(floorf(fmaxf(flat.y[k], flat.y[n]) + BORDER), (float)size - 1);
    for (float y = top; y <= bottom; ++y)
    {
        columns_near(&flat, k, y, (float)size, &left, &right);
        for (float x = left; x <= right; ++x)
        {
            size_t texel = (size_t)y * size + (size_t)x;
            float distance = maps->raster.covered[texel] ? INFINITY : distance_to_edge(&flat, k, x, y);
            if (distance <= BORDER)
            {
                if (out)
                {
                    out[count] = (pl_map_border){texel, corner / 3, distance};
                }
                ++count;
            }
        }
    }
    return count;
}

/* An edge at which a chart ends: nothing lies across, or it lies elsewhere in the texture. */
static bool ends_chart(const pleat_maps *maps, uint32_t corner)
{
    const uint32_t *render = maps->stack->surface->render_triangles;
    uint32_t twin = maps->stack->coarse_topology->twin[corner];
    if (!maps->coarse_drawn[corner / 3])
    {
        return false;
    }
    if (twin >= PLEAT_NON_MANIFOLD || !maps->coarse_drawn[twin / 3])
    {
        return true;
    }
    uint32_t next = corner - corner % 3 + (corner + 1) % 3, after = twin - twin % 3 + (twin + 1) % 3;
    const uint32_t ends[2][2] = {{render[corner], render[after]}, {render[next], render[twin]}};
    for (int i = 0; i < 2; ++i)
    {
        const float *here = maps->coarse_uvs + 2 * (size_t)ends[i][0];
        const float *there = maps->coarse_uvs + 2 * (size_t)ends[i][1];
        if (here[0] != there[0] || here[1] != there[1])
        {
            return true;
        }
    }
    return false;
}

static void cover_texel(void *user, size_t texel, const pl_map_place *place, pl_texel_kind kind)
{
    pleat_maps *maps = user;
    uint8_t *covered = &maps->raster.covered[texel];
    /* Well inside: neighbours share the texels on their edge. */
    bool inside = place->weight[0] > 1e-3f && place->weight[1] > 1e-3f && place->weight[2] > 1e-3f;
    (void)kind;
    maps->shared += inside && *covered == 2;
    *covered = inside || *covered == 2 ? 2 : 1;
}

pleat_result pl_maps_find_texels(pleat_maps *maps, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t size = maps->raster.size, corner_count = 3 * maps->stack->surface->triangle_count;
    size_t count = 0, at = 0;
    memset(maps->raster.covered, 0, (size_t)size * size);
    maps->shared = 0;
    maps->border_count = 0;
    pl_maps_visit_texels(maps, 0, size, cover_texel, maps);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        count += ends_chart(maps, c) ? border_of_edge(maps, c, NULL) : 0;
    }
    PL_ARENA_NEW_OR_FAIL(maps->borders, &maps->arena, pl_map_border, count, error);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        at += ends_chart(maps, c) ? border_of_edge(maps, c, maps->borders + at) : 0;
    }
    if (count)
    {
        qsort(maps->borders, count, sizeof *maps->borders, compare_borders);
    }
    for (size_t i = 0; i < count; ++i)
    {
        if (maps->border_count == 0 || maps->borders[maps->border_count - 1].texel != maps->borders[i].texel)
        {
            maps->borders[maps->border_count++] = maps->borders[i];
        }
    }
fail:
    return result;
}

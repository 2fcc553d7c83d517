/* Texture coordinates: parts of a surface unrolled around axes, and what does not lie flat that way (shoulders, soles,
 * the tips of fingers, where triangles come out squeezed or on top of others) laid into patches of its own, which get
 * the largest square of the texture that is left. */
#include "make/skinned.h"

#include "pleat/export/atlas.h"

#include <string.h>

enum
{
    CELLS = 64, /* a side: where triangles are looked for */
    GRID = 256  /* a side: where the texture is empty */
};

/* Of what its area would be at the chart's scale: a triangle below this is squeezed. */
static const double SQUEEZED = 0.4;
/* Triangles that share a corner touch; deeper than this they overlap. */
static const double TOUCHING = 1e-6;
/* Others stay this far apart, three texels of 2048: a read at the border of a chart takes in the texels around it,
 * which cannot belong to two charts. */
static const double GAP = 3.0 / 2048;

/* Turns around the axis from the chart's front, -0.5 to 0.5, and the way along it. */
static double unroll(const pl_chart *chart, pl_v3 p, double *along)
{
    pl_v3 d = v3_sub(p, chart->origin);
    pl_v3 side = v3_cross(chart->axis, chart->front);
    *along = v3_dot(d, chart->axis);
    return atan2(v3_dot(d, side), v3_dot(d, chart->front)) / (2 * PL_PI);
}

static double scale_of(const pl_chart *chart)
{
    return chart->height / (chart->high - chart->low);
}

static double doubled_area(const float *uv)
{
    return (double)(uv[2] - uv[0]) * (double)(uv[5] - uv[1]) - (double)(uv[4] - uv[0]) * (double)(uv[3] - uv[1]);
}

/* One triangle's corners; true if it lies flat enough. */
static bool unroll_triangle(const pl_chart *chart, const pl_v3 p[3], pl_v3 middle, float *uv)
{
    double unused, centre = unroll(chart, middle, &unused);
    for (uint32_t k = 0; k < 3; ++k)
    {
        double along, turn = unroll(chart, p[k], &along);
        /* On the middle's side of the seam; a whole turn is exact, so that neighbours still agree. */
        turn += turn - centre > 0.5 ? -1 : turn - centre < -0.5 ? 1 : 0;
        /* A triangle around the axis itself has no way to lie flat; it stays near its chart. */
        turn = pl_clamp(turn, -0.55, 0.55);
        uv[2 * k] = (float)(chart->u + chart->width * (0.5 + turn));
        uv[2 * k + 1] = (float)(chart->v + chart->height * (chart->high - along) / (chart->high - chart->low));
    }
    double scale = scale_of(chart), area = v3_length(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
    return fabs(doubled_area(uv)) > SQUEEZED * scale * scale * area;
}

/* ---- Overlaps ---- */

static bool share_corner(const float *a, const float *b)
{
    for (int i = 0; i < 9; ++i)
    {
        const float *p = a + 2 * (i / 3), *q = b + 2 * (i % 3);
        if (p[0] == q[0] && p[1] == q[1])
        {
            return true;
        }
    }
    return false;
}

/* Whether a line along an edge of one keeps two triangles apart, of which no more than depth lies across. */
static bool edge_parts(const float *a, const float *b, double depth)
{
    for (int k = 0; k < 3; ++k)
    {
        const float *p = a + 2 * k, *q = a + 2 * ((k + 1) % 3);
        double x = (double)(p[1] - q[1]), y = (double)(q[0] - p[0]), length = sqrt(x * x + y * y);
        double low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
        for (int i = 0; i < 6; ++i)
        {
            const float *c = (i < 3 ? a : b) + 2 * (i % 3);
            double at = x * (double)c[0] + y * (double)c[1];
            low[i / 3] = fmin(low[i / 3], at);
            high[i / 3] = fmax(high[i / 3], at);
        }
        if (fmin(high[0], high[1]) - fmax(low[0], low[1]) <= depth * length)
        {
            return true;
        }
    }
    return false;
}

static bool overlap(const float *a, const float *b)
{
    double depth = share_corner(a, b) ? TOUCHING : -GAP;
    return !edge_parts(a, b, depth) && !edge_parts(b, a, depth);
}

static void cells_of(const float *uv, uint32_t cells, uint32_t margin, uint32_t first[2], uint32_t last[2])
{
    for (int k = 0; k < 2; ++k)
    {
        double low = (double)fminf(fminf(uv[k], uv[2 + k]), uv[4 + k]) * cells - margin;
        double high = (double)fmaxf(fmaxf(uv[k], uv[2 + k]), uv[4 + k]) * cells + margin;
        first[k] = (uint32_t)pl_clamp(low, 0, cells - 1);
        last[k] = (uint32_t)pl_clamp(high, 0, cells - 1);
    }
}

/* Triangles by the cells they lie in. */
typedef struct buckets
{
    uint32_t *start; /* CELLS * CELLS + 2 */
    uint32_t *list;
} buckets;

static pleat_result fill_buckets(pl_maker *maker, const float *uvs, uint32_t count, const uint8_t *apart, buckets *out)
{
    PL_MAKE_NEW(out->start, maker, scratch, uint32_t, CELLS * CELLS + 2);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (uint32_t t = 0; t < count; ++t)
        {
            uint32_t first[2], last[2];
            cells_of(uvs + 6 * (size_t)t, CELLS, 0, first, last);
            for (uint32_t y = first[1]; y <= last[1] && !apart[t]; ++y)
            {
                for (uint32_t x = first[0]; x <= last[0]; ++x)
                {
                    if (pass == 0)
                    {
                        ++out->start[y * CELLS + x + 2];
                    }
                    else
                    {
                        out->list[out->start[y * CELLS + x + 1]++] = t;
                    }
                }
            }
        }
        if (pass == 0)
        {
            for (uint32_t c = 2; c < CELLS * CELLS + 2; ++c)
            {
                out->start[c] += out->start[c - 1];
            }
            PL_MAKE_NEW(out->list, maker, scratch, uint32_t, (size_t)out->start[CELLS * CELLS + 1] + 1);
        }
    }
    return PLEAT_OK;
}

/* With how many others a triangle overlaps that are still in their charts; pairs that share several cells count in
 * each, which does no harm. */
static uint32_t crowd_of(const buckets *b, const float *uvs, const uint8_t *apart, uint32_t t)
{
    uint32_t first[2], last[2], count = 0;
    cells_of(uvs + 6 * (size_t)t, CELLS, 1, first, last);
    for (uint32_t y = first[1]; y <= last[1]; ++y)
    {
        for (uint32_t x = first[0]; x <= last[0]; ++x)
        {
            for (uint32_t i = b->start[y * CELLS + x]; i < b->start[y * CELLS + x + 1]; ++i)
            {
                uint32_t other = b->list[i];
                count += other != t && !apart[other] && overlap(uvs + 6 * (size_t)t, uvs + 6 * (size_t)other);
            }
        }
    }
    return count;
}

/* Takes triangles out, the most crowded first, until none overlaps another. */
static pleat_result take_out_overlaps(pl_maker *maker, const float *uvs, uint32_t count, uint8_t *apart)
{
    buckets b;
    uint32_t *crowd;
    PL_MAKE_NEW(crowd, maker, scratch, uint32_t, count);
    PL_TRY(fill_buckets(maker, uvs, count, apart, &b));
    for (uint32_t t = 0; t < count; ++t)
    {
        crowd[t] = apart[t] ? 0 : crowd_of(&b, uvs, apart, t);
    }
    for (;;)
    {
        uint32_t most = 0;
        for (uint32_t t = 1; t < count; ++t)
        {
            most = crowd[t] > crowd[most] ? t : most;
        }
        if (crowd[most] == 0)
        {
            return PLEAT_OK;
        }
        uint32_t now = crowd_of(&b, uvs, apart, most); /* others may have gone since */
        apart[most] = now > 0 && now == crowd[most];
        crowd[most] = apart[most] ? 0 : now;
    }
}

/* ---- Patches ---- */

/* The largest square in which no chart is; side 0: none. */
static pleat_result largest_gap(pl_maker *maker, const float *uvs, uint32_t count, const uint8_t *apart,
                                double corner[2], double *side)
{
    uint8_t *taken;
    uint32_t *square, best = 0;
    PL_MAKE_NEW(taken, maker, scratch, uint8_t, GRID * GRID);
    PL_MAKE_NEW(square, maker, scratch, uint32_t, GRID * GRID);
    for (uint32_t t = 0; t < count; ++t)
    {
        uint32_t first[2], last[2];
        cells_of(uvs + 6 * (size_t)t, GRID, 2, first, last);
        for (uint32_t y = first[1]; y <= last[1] && !apart[t]; ++y)
        {
            memset(taken + (size_t)y * GRID + first[0], 1, last[0] - first[0] + 1);
        }
    }
    corner[0] = corner[1] = 0;
    /* square: the side of the largest one that ends in a cell. */
    for (uint32_t y = 0; y < GRID; ++y)
    {
        for (uint32_t x = 0; x < GRID; ++x)
        {
            uint32_t at = y * GRID + x, least = 0;
            if (x > 0 && y > 0)
            {
                least = square[at - 1] < square[at - GRID] ? square[at - 1] : square[at - GRID];
                least = square[at - GRID - 1] < least ? square[at - GRID - 1] : least;
            }
            square[at] = taken[at] ? 0 : least + 1;
            if (square[at] > best)
            {
                best = square[at];
                corner[0] = (double)(x + 1 - best) / GRID;
                corner[1] = (double)(y + 1 - best) / GRID;
            }
        }
    }
    *side = (double)best / GRID;
    return PLEAT_OK;
}

/* The triangles taken out, as a mesh of their own; numbers receives which they are. */
static pleat_result patch_mesh(pl_maker *maker, const pl_whole *whole, const uint8_t *apart, pleat_primitive *out,
                               uint32_t **numbers)
{
    uint32_t *triangles;
    pleat_vec3 *positions;
    PL_MAKE_NEW(positions, maker, scratch, pleat_vec3, whole->vertex_count);
    PL_MAKE_NEW(triangles, maker, scratch, uint32_t, 3 * (size_t)whole->triangle_count);
    PL_MAKE_NEW(*numbers, maker, scratch, uint32_t, whole->triangle_count);
    for (uint32_t v = 0; v < whole->vertex_count; ++v)
    {
        pl_v3 p = whole->positions[v];
        positions[v] = (pleat_vec3){(float)p.x, (float)p.y, (float)p.z};
    }
    *out = (pleat_primitive){
        .vertex_count = whole->vertex_count, .triangles = triangles, .positions = positions, .material = PLEAT_NONE};
    for (uint32_t t = 0; t < whole->triangle_count; ++t)
    {
        if (apart[t])
        {
            memcpy(triangles + 3 * (size_t)out->triangle_count, whole->triangles + 3 * (size_t)t,
                   3 * sizeof *triangles);
            (*numbers)[out->triangle_count++] = t;
        }
    }
    return PLEAT_OK;
}

static pleat_result lay_patches(pl_maker *maker, pl_skinned *skinned, const uint8_t *apart, double scale)
{
    const pl_whole *whole = &skinned->whole;
    pleat_host host = pleat_host_default();
    pleat_primitive primitive;
    pleat_atlas *atlas = NULL;
    uint32_t *numbers;
    double corner[2] = {0, 0}, side = 0;
    PL_TRY(patch_mesh(maker, whole, apart, &primitive, &numbers));
    PL_TRY(largest_gap(maker, skinned->uvs, whole->triangle_count, apart, corner, &side));
    if (primitive.triangle_count == 0 || !(side > 0))
    {
        return PLEAT_OK;
    }
    pleat_mesh mesh = {.name = "patches", .primitive_count = 1, .primitives = &primitive};
    pleat_atlas_options options = pleat_atlas_options_default();
    options.size = 512;
    options.padding = 6;
    host.allocator = maker->memory->allocator;
    PL_TRY(pleat_atlas_create(&mesh, &options, &host, &atlas, maker->error));
    /* At the scale of the charts, if there is room for that. */
    double own = (double)pleat_atlas_get_report(atlas).scale / options.size;
    side = fmin(side, scale / own);
    const pleat_primitive *flat = &pleat_atlas_mesh(atlas)->primitives[0];
    for (uint32_t c = 0; c < 3 * primitive.triangle_count; ++c)
    {
        float *uv = skinned->uvs + 2 * (3 * (size_t)numbers[c / 3] + c % 3);
        const float *from = flat->uvs + 2 * (size_t)flat->triangles[c];
        uv[0] = (float)(corner[0] + side * (double)from[0]);
        uv[1] = (float)(corner[1] + side * (double)from[1]);
    }
    pleat_atlas_destroy(atlas);
    return PLEAT_OK;
}

pleat_result pl_skinned_charts(pl_maker *maker, pl_skinned *skinned, const pl_chart *charts,
                               uint32_t (*chart_of)(const void *user, pl_v3 middle), const void *user)
{
    const pl_whole *whole = &skinned->whole;
    uint8_t *apart;
    PL_MAKE_NEW(skinned->uvs, maker, scratch, float, 6 * (size_t)whole->triangle_count);
    PL_MAKE_NEW(apart, maker, scratch, uint8_t, whole->triangle_count);
    for (uint32_t t = 0; t < whole->triangle_count; ++t)
    {
        pl_v3 p[3], middle = v3(0, 0, 0);
        for (uint32_t k = 0; k < 3; ++k)
        {
            p[k] = whole->positions[whole->triangles[3 * t + k]];
            middle = v3_mad(middle, 1.0 / 3, p[k]);
        }
        apart[t] = !unroll_triangle(&charts[chart_of(user, middle)], p, middle, skinned->uvs + 6 * (size_t)t);
    }
    PL_TRY(take_out_overlaps(maker, skinned->uvs, whole->triangle_count, apart));
    return lay_patches(maker, skinned, apart, scale_of(&charts[0]));
}

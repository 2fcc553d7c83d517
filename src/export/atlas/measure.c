/* How well coordinates that a mesh has could hold a map. */
#include "base/fail.h"
#include "base/memory.h"
#include "pleat/export/atlas.h"

#include <math.h>
#include <string.h>

enum
{
    SIZE = 1024 /* texels a side */
};

typedef struct tally
{
    uint8_t *texels; /* SIZE by SIZE: 1 once, 2 several times */
    uint32_t covered, shared;
} tally;

/* Texels whose centre lies well inside: neighbours share those on their edge. */
static void draw(tally *out, const float *uv[3])
{
    double x[3], y[3], low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30}, tile[2] = {0, 0};
    for (int k = 0; k < 3; ++k)
    {
        tile[0] += (double)uv[k][0] / 3;
        tile[1] += (double)uv[k][1] / 3;
    }
    if (!(fabs(tile[0]) < 1e6) || !(fabs(tile[1]) < 1e6))
    {
        return;
    }
    for (int k = 0; k < 3; ++k)
    {
        x[k] = ((double)uv[k][0] - floor(tile[0])) * SIZE - 0.5;
        y[k] = ((double)uv[k][1] - floor(tile[1])) * SIZE - 0.5;
        low[0] = fmin(low[0], x[k]);
        low[1] = fmin(low[1], y[k]);
        high[0] = fmax(high[0], x[k]);
        high[1] = fmax(high[1], y[k]);
    }
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    for (double row = fmax(ceil(low[1]), 0); fabs(area) > 1e-9 && row <= fmin(high[1], SIZE - 1); ++row)
    {
        for (double column = fmax(ceil(low[0]), 0); column <= fmin(high[0], SIZE - 1); ++column)
        {
            double b = ((column - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (row - y[0])) / area;
            double c = ((x[1] - x[0]) * (row - y[0]) - (column - x[0]) * (y[1] - y[0])) / area;
            if (b > 1e-3 && c > 1e-3 && b + c < 1 - 1e-3)
            {
                uint8_t *texel = &out->texels[(size_t)row * SIZE + (size_t)column];
                out->covered += *texel == 0;
                out->shared += *texel == 1;
                *texel = *texel == 0 ? 1 : 2;
            }
        }
    }
}

static void draw_primitive(tally *out, const pleat_primitive *primitive)
{
    for (uint32_t t = 0; t < primitive->triangle_count; ++t)
    {
        const uint32_t *corner = primitive->triangles + 3 * (size_t)t;
        const float *uv[3];
        for (int k = 0; k < 3; ++k)
        {
            uv[k] = primitive->uvs + 2 * (size_t)corner[k];
        }
        draw(out, uv);
    }
}

static bool is_looked_at(const pleat_mesh *mesh, const bool *primitives, uint32_t p)
{
    return (!primitives || primitives[p]) && mesh->primitives[p].uvs && mesh->primitives[p].triangle_count;
}

pleat_result pleat_atlas_measure(const pleat_mesh *mesh, const bool *primitives, const pleat_host *host,
                                 pleat_atlas_fit *fit, pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    tally all = {.texels = PL_NEW(&memory, uint8_t, SIZE * SIZE)};
    *fit = (pleat_atlas_fit){1, 0};
    if (!all.texels)
    {
        return pl_fail_memory(&memory, error, "the measure of texture coordinates");
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        bool first = is_looked_at(mesh, primitives, p);
        for (uint32_t q = 0; q < p && first; ++q)
        {
            first = !is_looked_at(mesh, primitives, q) || mesh->primitives[q].material != mesh->primitives[p].material;
        }
        if (!first)
        {
            continue;
        }
        memset(all.texels, 0, SIZE * SIZE);
        all.covered = all.shared = 0;
        for (uint32_t q = p; q < mesh->primitive_count; ++q)
        {
            if (is_looked_at(mesh, primitives, q) && mesh->primitives[q].material == mesh->primitives[p].material)
            {
                draw_primitive(&all, &mesh->primitives[q]);
            }
        }
        fit->covered = fminf(fit->covered, (float)all.covered / (SIZE * SIZE));
        fit->shared = all.covered ? fmaxf(fit->shared, (float)all.shared / (float)all.covered) : fit->shared;
    }
    pl_free(&memory, all.texels);
    return PLEAT_OK;
}

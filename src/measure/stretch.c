/* Principal stretches over the surface: how they spread, which share is compressed, and the L2 norm of compression
 *
 *     sqrt( sum_t A_t max(0, 1 - s_t)^2 / sum_t A_t ),   A_t the rest area, s_t the smaller principal stretch,
 *
 * 0 where nothing is compressed, 1 where everything is folded to a line. */
#include "measure/measure.h"

#include <math.h>

static pleat_result init_sums(pl_stretch_sums *sums, pl_arena *arena, pleat_error *error)
{
    PL_TRY(pl_histogram_init(&sums->smallest, arena, error));
    return pl_histogram_init(&sums->largest, arena, error);
}

pleat_result pl_stretch_part_create(pl_stretch_part *part, const pleat_measure_desc *desc, pl_arena *arena,
                                    const pleat_host *host, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_measure_mesh *mesh = &desc->surface;
    part->triangle_count = mesh->triangle_count;
    part->compressed_below = desc->compressed_below;
    PL_TRY(pleat_strain_create(mesh->vertex_count, mesh->rest, mesh->triangle_count, mesh->triangles, host,
                               &part->strain, error));
    PL_TRY(init_sums(&part->frame, arena, error));
    PL_TRY(init_sums(&part->all, arena, error));
    PL_ARENA_NEW_OR_FAIL(part->stretches, arena, pleat_stretch, mesh->triangle_count, error);
fail:
    return result;
}

void pl_stretch_part_destroy(pl_stretch_part *part)
{
    pleat_strain_destroy(part->strain);
}

static void add_triangle(pl_stretch_sums *sums, const pleat_stretch *stretch, double area, float compressed_below)
{
    double short_of_one = fmax(0, 1 - (double)stretch->smallest);
    bool compressed = stretch->smallest < compressed_below;
    pl_histogram_add(&sums->smallest, stretch->smallest, area);
    pl_histogram_add(&sums->largest, stretch->largest, area);
    sums->area += area;
    sums->squares += area * short_of_one * short_of_one;
    sums->compressed_area += compressed ? area : 0;
    sums->compressed_count += compressed;
    ++sums->count;
}

void pl_stretch_part_update(pl_stretch_part *part, const pleat_vec4 *positions, const pleat_tasks *tasks, bool all)
{
    pl_stretch_sums *frame = &part->frame;
    const float *areas = pleat_strain_areas(part->strain);
    pleat_strain_update(part->strain, positions, part->stretches, tasks);
    pl_histogram_clear(&frame->smallest);
    pl_histogram_clear(&frame->largest);
    *frame = (pl_stretch_sums){.smallest = frame->smallest, .largest = frame->largest};
    for (uint32_t t = 0; t < part->triangle_count; ++t)
    {
        if (areas[t] > 0)
        {
            add_triangle(frame, &part->stretches[t], (double)areas[t], part->compressed_below);
            if (all)
            {
                add_triangle(&part->all, &part->stretches[t], (double)areas[t], part->compressed_below);
            }
        }
    }
}

void pl_stretch_sums_figures(const pl_stretch_sums *sums, pleat_figures *figures)
{
    figures->smallest = pl_histogram_spread(&sums->smallest);
    figures->largest = pl_histogram_spread(&sums->largest);
    figures->compressed_area = sums->area > 0 ? sums->compressed_area / sums->area : 0;
    figures->compressed_triangles = sums->count > 0 ? (double)sums->compressed_count / (double)sums->count : 0;
    figures->compression = sums->area > 0 ? sqrt(sums->squares / sums->area) : 0;
}

/* A measure: the parts of measure.h over one surface, and their sums over frames. */
#include "measure/measure.h"

#include <math.h>
#include <string.h>

pleat_measure_desc pleat_measure_desc_default(void)
{
    return (pleat_measure_desc){.crossings = true, .compressed_below = 0.9f, .inside_tolerance = 1e-5f};
}

/* ---- Creation ---- */

static pleat_result check_mesh(const pleat_measure_mesh *mesh, const char *what, pleat_error *error)
{
    if (mesh->vertex_count > 0 && (!mesh->rest || !mesh->triangles || mesh->triangle_count == 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the %s has %u vertices and %u triangles; both it needs, and arrays",
                       what, mesh->vertex_count, mesh->triangle_count);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        const pleat_vec4 *p = &mesh->rest[v];
        if (!(isfinite(p->x) && isfinite(p->y) && isfinite(p->z)))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "vertex %u of the %s lies at %g %g %g; it must be finite", v,
                           what, (double)p->x, (double)p->y, (double)p->z);
        }
    }
    for (uint64_t c = 0; c < 3 * (uint64_t)mesh->triangle_count && mesh->vertex_count > 0; ++c)
    {
        if (mesh->triangles[c] >= mesh->vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "corner %u of triangle %u of the %s is vertex %u; there are %u",
                           (unsigned)(c % 3), (unsigned)(c / 3), what, mesh->triangles[c], mesh->vertex_count);
        }
    }
    return PLEAT_OK;
}

static pleat_result check_desc(const pleat_measure_desc *desc, pleat_error *error)
{
    if (desc->surface.vertex_count == 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "the surface has no vertices; there is nothing to measure");
    }
    PL_TRY(check_mesh(&desc->surface, "surface", error));
    PL_TRY(check_mesh(&desc->reference, "reference", error));
    PL_TRY(check_mesh(&desc->body, "body", error));
    if (!(desc->compressed_below > 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "compressed_below is %g; it must be above 0",
                       (double)desc->compressed_below);
    }
    if (!(desc->inside_tolerance >= 0))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "inside_tolerance is %g; it must be 0 or more",
                       (double)desc->inside_tolerance);
    }
    return PLEAT_OK;
}

static void count_crossings(pleat_measure *measure, const pleat_tasks *tasks, pleat_figures *figures)
{
    const float *areas = pleat_strain_areas(measure->stretch.strain);
    uint32_t count = measure->topology->triangle_count;
    double area = 0, crossed = 0;
    memset(measure->crosses, 0, count);
    figures->crossings = pleat_bvh_count_crossings(measure->bvh, measure->bvh, measure->crosses, tasks);
    for (uint32_t t = 0; t < count; ++t)
    {
        area += (double)areas[t];
        crossed += measure->crosses[t] ? (double)areas[t] : 0;
    }
    figures->crossings_area = area > 0 ? crossed / area : 0;
}

static void take_figures(pleat_measure *measure, const pleat_measure_input *input, bool is_rest, pleat_figures *figures)
{
    *figures = (pleat_figures){.jump_vertex = PLEAT_NONE, .pop_vertex = PLEAT_NONE};
    pl_stretch_part_update(&measure->stretch, input->positions, input->tasks, !is_rest);
    pl_stretch_sums_figures(&measure->stretch.frame, figures);
    pl_volume_part_update(&measure->volume, input->positions, figures);
    pl_inside_part_update(&measure->inside, measure->topology, input, figures);
    if (measure->has_crossings)
    {
        if (!is_rest)
        {
            pleat_bvh_refit(measure->bvh, input->positions, input->tasks);
        }
        count_crossings(measure, input->tasks, figures);
    }
    if (!is_rest)
    {
        pl_jump_part_update(&measure->jump, input, figures);
    }
}

static pleat_result bind(pleat_measure *measure, const pleat_measure_desc *desc, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_measure_mesh *surface = &desc->surface;
    const pleat_host *host = &measure->host;
    pl_arena *arena = &measure->arena;
    measure->has_crossings = desc->crossings;
    PL_TRY(pleat_topology_create(surface->vertex_count, surface->triangle_count, surface->triangles, host,
                                 &measure->topology, error));
    PL_ARENA_NEW_OR_FAIL(measure->rest, arena, pleat_vec4, surface->vertex_count, error);
    memcpy(measure->rest, surface->rest, surface->vertex_count * sizeof *measure->rest);
    PL_ARENA_NEW_OR_FAIL(measure->crosses, arena, uint8_t, surface->triangle_count, error);
    PL_TRY(pleat_bvh_create(surface->vertex_count, surface->rest, surface->triangle_count, surface->triangles, host,
                            &measure->bvh, error));
    PL_TRY(pl_stretch_part_create(&measure->stretch, desc, arena, host, error));
    PL_TRY(pl_volume_part_create(&measure->volume, measure->topology, measure->rest, arena, error));
    PL_TRY(
        pl_inside_part_create(&measure->inside, desc, pleat_strain_areas(measure->stretch.strain), arena, host, error));
    PL_TRY(pl_jump_part_create(&measure->jump, desc, measure->topology, arena, host, error));
    pleat_measure_input rest = {.positions = measure->rest, .body = desc->body.rest, .tasks = &host->tasks};
    take_figures(measure, &rest, true, &measure->rest_figures);
fail:
    return result;
}

pleat_result pleat_measure_create(const pleat_measure_desc *desc, const pleat_host *host, pleat_measure **out,
                                  pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_desc(desc, error));
    pleat_measure *measure = PL_CREATE(pleat_measure, host);
    if (!measure)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the measure");
    }
    pl_arena_init(&measure->arena, &measure->memory);
    measure->host = host ? *host : pleat_host_default();
    measure->total = (pleat_figures_total){.motion_frame = PLEAT_NONE,
                                           .jump_frame = PLEAT_NONE,
                                           .pop_frame = PLEAT_NONE,
                                           .crossings_frame = PLEAT_NONE,
                                           .inside_frame = PLEAT_NONE,
                                           .depth_frame = PLEAT_NONE};
    measure->total.all.jump_vertex = PLEAT_NONE;
    measure->total.all.pop_vertex = PLEAT_NONE;
    pleat_result result = bind(measure, desc, error);
    if (result != PLEAT_OK)
    {
        pleat_measure_destroy(measure);
        return result;
    }
    *out = measure;
    return PLEAT_OK;
}

void pleat_measure_destroy(pleat_measure *measure)
{
    if (!measure)
    {
        return;
    }
    pl_jump_part_destroy(&measure->jump);
    pl_inside_part_destroy(&measure->inside);
    pl_stretch_part_destroy(&measure->stretch);
    pleat_bvh_destroy(measure->bvh);
    pleat_topology_destroy(measure->topology);
    pl_free(&measure->memory, measure->lines);
    pl_arena_free(&measure->arena);
    PL_DESTROY(measure);
}

/* ---- Frames ---- */

/* Takes a value over where it is the largest so far; true if so. */
static bool take_largest(double *largest, uint32_t *where, double value, uint32_t frame)
{
    if (!(value > *largest))
    {
        return false;
    }
    *largest = value;
    *where = frame;
    return true;
}

static void take_most(uint64_t *most, uint32_t *where, uint64_t value, uint32_t frame)
{
    if (value > *most)
    {
        *most = value;
        *where = frame;
    }
}

static void add_to_total(pleat_figures_total *total, const pleat_figures *figures)
{
    uint32_t frame = total->frame_count++;
    pleat_figures *all = &total->all;
    bool first = frame == 0;
    total->area_least = first ? figures->area : fmin(total->area_least, figures->area);
    total->area_most = first ? figures->area : fmax(total->area_most, figures->area);
    total->volume_least = first ? figures->volume : fmin(total->volume_least, figures->volume);
    total->volume_most = first ? figures->volume : fmax(total->volume_most, figures->volume);
    /* Sums here; the means are taken when asked for. */
    all->area += figures->area;
    all->volume += figures->volume;
    all->crossings += figures->crossings;
    all->inside += figures->inside;
    all->crossings_area += figures->crossings_area;
    all->inside_area += figures->inside_area;
    take_most(&total->crossings_most, &total->crossings_frame, figures->crossings, frame);
    take_most(&total->inside_most, &total->inside_frame, figures->inside, frame);
    take_largest(&all->depth, &total->depth_frame, figures->depth, frame);
    take_largest(&all->motion, &total->motion_frame, figures->motion, frame);
    if (take_largest(&all->jump, &total->jump_frame, figures->jump, frame))
    {
        all->jump_vertex = figures->jump_vertex;
    }
    if (take_largest(&all->pop, &total->pop_frame, figures->pop, frame))
    {
        all->pop_vertex = figures->pop_vertex;
    }
}

pleat_result pleat_measure_frame(pleat_measure *measure, const pleat_measure_input *input, pleat_figures *figures,
                                 pleat_error *error)
{
    if (!input->positions || (measure->jump.reference_count > 0 && !input->reference) ||
        (measure->inside.topology && !input->body))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "frame %u has no %s positions; the measure was made for them",
                       measure->total.frame_count,
                       !input->positions                                        ? "surface"
                       : measure->jump.reference_count > 0 && !input->reference ? "reference"
                                                                                : "body");
    }
    pleat_figures found;
    take_figures(measure, input, false, &found);
    for (uint32_t i = 0; i < measure->line_count; ++i)
    {
        measure->lines[i].length = pl_line_length(&measure->lines[i], measure->topology->triangles, input->positions);
    }
    add_to_total(&measure->total, &found);
    if (figures)
    {
        *figures = found;
    }
    return PLEAT_OK;
}

/* ---- Asking ---- */

const pleat_figures *pleat_measure_rest(const pleat_measure *measure)
{
    return &measure->rest_figures;
}

pleat_figures_total pleat_measure_total(const pleat_measure *measure)
{
    pleat_figures_total total = measure->total;
    pl_stretch_sums_figures(&measure->stretch.all, &total.all);
    if (total.frame_count > 0)
    {
        total.all.area /= total.frame_count;
        total.all.volume /= total.frame_count;
        total.all.crossings_area /= total.frame_count;
        total.all.inside_area /= total.frame_count;
    }
    return total;
}

const pleat_measure_shell *pleat_measure_shells(const pleat_measure *measure, uint32_t *count)
{
    *count = measure->volume.shell_count;
    return measure->volume.shells;
}

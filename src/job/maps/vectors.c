/* Vector maps that nobody asked for: where heights cannot hold the surface. In tangent space, which moves with a
 * character, unless that does not do either: where normals of neighbouring vertices point in all directions, the axes
 * of the world still do. */
#include "job/maps/maps.h"

static pleat_result take_frame(pl_maps_run *run, uint32_t frame, uint32_t frame_count, pleat_error *error)
{
    /* The only frame is still there. */
    return frame_count > 1 ? pleat_bake_frame(run->bake, frame, error) : PLEAT_OK;
}

static void draw_vectors(pl_maps_run *run, pl_maps_set *set)
{
    double start = pl_job_seconds();
    pleat_maps_vectors(set->maps, PLEAT_MAPS_FRAME, set->world ? PLEAT_MAPS_WORLD : PLEAT_MAPS_TANGENT, run->vectors,
                       NULL, &set->vectors, &run->job.host.tasks);
    run->map_seconds += pl_job_seconds() - start;
}

/* In which space: one for all frames of a texture. */
static pleat_result choose_spaces(pl_maps_run *run, uint32_t frame_count, pleat_error *error)
{
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(take_frame(run, frame, frame_count, error));
        for (uint32_t i = 0; i < run->set_count; ++i)
        {
            pl_maps_set *set = &run->sets[i];
            if (set->needs_vectors && !set->world)
            {
                draw_vectors(run, set);
                json_decref(pl_job_maps_check_vectors(run, set));
                set->world = set->vector_error.worst > 0.02f;
            }
        }
    }
    return PLEAT_OK;
}

static void tell_of(pl_maps_run *run, const pl_maps_set *set)
{
    bool good = !(set->vector_error.worst > 0.02f);
    pl_log(&run->job.host, good ? PLEAT_INFO : PLEAT_WARNING,
           "heights of %.100s leave %.3g %% of it more than 2 %% of the largest height off the surface (%.0f %% at the "
           "worst), since one height cannot say it: a vector map is written, too, in %s, off by %.1f %% at most%s",
           set->name, (double)(100 * (1 - set->error.good)), (double)(100 * set->error.worst),
           set->world ? "the axes of the world" : "tangent space", (double)(100 * set->vector_error.worst),
           good ? "" : "; more texels hold more (--size)");
}

void pl_job_maps_tell_of_vectors(pl_maps_run *run)
{
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        if (run->sets[i].needs_vectors)
        {
            tell_of(run, &run->sets[i]);
        }
    }
}

pleat_result pl_job_maps_write_vectors(pl_maps_run *run, uint32_t first_frame, pleat_error *error)
{
    uint32_t frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    PL_TRY(choose_spaces(run, frame_count, error));
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        run->sets[i].vector_error = (pleat_maps_error){0};
    }
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(pl_job_step(&run->job, "vectors of frame", frame, frame_count, error));
        PL_TRY(take_frame(run, frame, frame_count, error));
        for (uint32_t i = 0; i < run->set_count; ++i)
        {
            pl_maps_set *set = &run->sets[i];
            json_t *entry = json_array_get(json_object_get(set->json, "frames"), frame);
            uint32_t number = frame_count > 1 ? first_frame + frame : PLEAT_NONE;
            if (set->needs_vectors)
            {
                draw_vectors(run, set);
                json_object_set_new(entry, "vector_error", pl_job_maps_check_vectors(run, set));
                PL_TRY(pl_job_maps_write_plain(run, entry, "vector",
                                               pl_job_maps_file_name(run, set->name, "vector", number, ".png"), 3,
                                               run->vectors, error));
            }
        }
    }
    return PLEAT_OK;
}

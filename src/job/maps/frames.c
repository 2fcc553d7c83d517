/* Maps of frames. All frames of a texture share one range, so several frames are run over twice: first for the range.
 */
#include "job/maps/maps.h"

#include <math.h>
#include <string.h>

enum
{
    CHECKED_PLACES = 20000 /* of each height map */
};

static bool wants_heights(const pleat_maps_job *options)
{
    /* Without vectors a normal map is that of the heights: of what is seen where the coarse mesh is drawn. */
    return options->kinds.height || (options->kinds.normal && !options->kinds.vector);
}

static void widen(pleat_height_range *range, pleat_height_range by)
{
    bool first = !(range->low < range->high);
    range->low = first ? by.low : fminf(range->low, by.low);
    range->high = first ? by.high : fmaxf(range->high, by.high);
}

static pleat_result find_ranges(pl_maps_run *run, uint32_t frame_count, pleat_error *error)
{
    const pleat_tasks *tasks = &run->job.host.tasks;
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(pl_job_step(&run->job, "range of frame", frame, frame_count, error));
        PL_TRY(pleat_bake_frame(run->bake, frame, error));
        for (uint32_t i = 0; i < run->set_count; ++i)
        {
            pl_maps_set *set = &run->sets[i];
            pleat_height_range heights = {0, 0}, vectors = {0, 0};
            if (wants_heights(&run->options))
            {
                pleat_maps_update(set->maps, NULL, NULL, &heights, tasks);
                widen(&set->heights, heights);
            }
            if (run->options.kinds.vector || run->settle)
            {
                pleat_maps_vectors(set->maps, PLEAT_MAPS_FRAME, set->world ? PLEAT_MAPS_WORLD : PLEAT_MAPS_TANGENT,
                                   NULL, NULL, &vectors, tasks);
                widen(&set->vectors, vectors);
            }
        }
    }
    return PLEAT_OK;
}

pleat_result pl_job_maps_write_plain(pl_maps_run *run, json_t *entry, const char *key, const char *file,
                                     uint32_t channels, const uint16_t *pixels, pleat_error *error)
{
    uint32_t size = run->options.size;
    pleat_png png = {size, size, channels, 16, pixels, true};
    json_object_set_new(entry, key, json_string(file));
    return pl_job_maps_write_png(run, file, &png, error);
}

/* The worst of all frames is kept for a word about it. */
static json_t *error_json(pleat_maps_error found, pleat_maps_error *worst)
{
    if (worst->samples == 0 || found.worst > worst->worst)
    {
        float good = worst->samples ? fminf(worst->good, found.good) : found.good;
        *worst = found;
        worst->good = good;
    }
    return json_pack("{s:f, s:f, s:f}", "largest_height", (double)found.largest, "within_2_percent", (double)found.good,
                     "worst", (double)found.worst);
}

static json_t *check_heights(const pl_maps_run *run, pl_maps_set *set)
{
    return error_json(pleat_maps_check(set->maps, run->heights, set->heights, CHECKED_PLACES), &set->error);
}

json_t *pl_job_maps_check_vectors(pl_maps_run *run, pl_maps_set *set)
{
    return error_json(pleat_maps_check_vectors(set->maps, run->vectors,
                                               set->world ? PLEAT_MAPS_WORLD : PLEAT_MAPS_TANGENT, set->vectors,
                                               set->error.largest, CHECKED_PLACES),
                      &set->vector_error);
}

/* One frame of one texture. number: in the names, or PLEAT_NONE. */
static pleat_result write_set(pl_maps_run *run, pl_maps_set *set, json_t *entry, uint32_t number, pleat_error *error)
{
    const pleat_maps_job *options = &run->options;
    const pleat_tasks *tasks = &run->job.host.tasks;
    double start = pl_job_seconds();
    if (wants_heights(options))
    {
        pleat_maps_update(set->maps, run->heights, options->kinds.normal ? run->normals : NULL, &set->heights, tasks);
    }
    pleat_maps_cover cover = pleat_maps_get_cover(set->maps);
    run->map_seconds += pl_job_seconds() - start;
    if (options->kinds.height)
    {
        json_object_set_new(entry, "height_error", check_heights(run, set));
    }
    start = pl_job_seconds();
    if (options->kinds.vector)
    {
        bool normals = options->kinds.normal && !options->kinds.height;
        pleat_maps_vectors(set->maps, PLEAT_MAPS_FRAME, set->world ? PLEAT_MAPS_WORLD : PLEAT_MAPS_TANGENT,
                           run->vectors, normals ? run->normals : NULL, &set->vectors, tasks);
        json_object_set_new(entry, "vector_error", pl_job_maps_check_vectors(run, set));
        cover.drawn = pleat_maps_get_cover(set->maps).drawn;
        cover.shared = pleat_maps_get_cover(set->maps).shared;
    }
    run->map_seconds += pl_job_seconds() - start;
    if (wants_heights(options) || options->kinds.vector)
    {
        json_object_set_new(entry, "drawn", pl_number_json((double)cover.drawn));
        json_object_set_new(entry, "shared", pl_number_json((double)cover.shared));
        json_object_set_new(entry, "searched", pl_number_json((double)cover.repaired));
    }
    if (options->kinds.height)
    {
        PL_TRY(pl_job_maps_write_plain(run, entry, "height",
                                       pl_job_maps_file_name(run, set->name, "height", number, ".png"), 1, run->heights,
                                       error));
    }
    if (options->kinds.vector)
    {
        PL_TRY(pl_job_maps_write_plain(run, entry, "vector",
                                       pl_job_maps_file_name(run, set->name, "vector", number, ".png"), 3, run->vectors,
                                       error));
    }
    if (options->kinds.normal)
    {
        const char *file = pl_job_maps_file_name(run, set->name, "normal", number, ".png");
        json_object_set_new(entry, "normal", json_string(file));
        PL_TRY(pl_job_maps_write_normals(run, file, run->normals, error));
    }
    if (options->kinds.stretch)
    {
        PL_TRY(pl_job_maps_write_stretch(run, set, entry, number, error));
    }
    if (options->posed)
    {
        const char *file = pl_job_maps_file_name(run, set->name, "coarse", number, ".glb");
        json_object_set_new(entry, "coarse", json_string(file));
        PL_TRY(pl_job_maps_write_posed(run, set, file, error));
    }
    return PLEAT_OK;
}

static void warn_of_overlap(pl_maps_run *run, const pl_maps_set *set)
{
    pleat_maps_cover cover = pleat_maps_get_cover(set->maps);
    if (cover.shared > PL_MAPS_MANY_SHARED)
    {
        pl_log(&run->job.host, PLEAT_WARNING,
               "%.1f %% of the texels of %.100s belong to several parts of the surface, since its texture coordinates "
               "overlap; --atlas makes new ones",
               (double)(100 * cover.shared), set->name);
    }
}

/* Whether heights leave places far from the surface. Flat maps have no folds to get wrong: a hundredth of a millimetre
 * is rounding. Of texels that several places share a warning has been given. */
static bool heights_fail(const pl_maps_set *set)
{
    return set->error.samples > 0 && !(pleat_maps_get_cover(set->maps).shared > PL_MAPS_MANY_SHARED) &&
           set->error.worst > 0.02f && set->error.largest > 1e-5f;
}

/* Where one number cannot say it, three can. */
static void hint_at_vectors(pl_maps_run *run, const pl_maps_set *set)
{
    if (heights_fail(set) && !run->options.kinds.vector)
    {
        pl_log(&run->job.host, PLEAT_WARNING,
               "%.3g %% of %.100s ends more than 2 %% of the largest height off the surface, %.0f %% at the worst: one "
               "height cannot say where folds hang over; --map vector can",
               (double)(100 * (1 - set->error.good)), set->name, (double)(100 * set->error.worst));
    }
}

/* Every texture of one frame. */
static pleat_result write_frame(pl_maps_run *run, uint32_t frame, uint32_t number, pleat_error *error)
{
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        json_t *frames = json_object_get(run->sets[i].json, "frames");
        if (!frames)
        {
            frames = json_array();
            json_object_set_new(run->sets[i].json, "frames", frames);
        }
        json_t *entry = json_pack("{s:f}", "time", (double)pleat_bake_time(run->bake, frame));
        json_array_append_new(frames, entry);
        PL_TRY(write_set(run, &run->sets[i], entry, number, error));
        if (frame == 0)
        {
            warn_of_overlap(run, &run->sets[i]);
        }
    }
    return PLEAT_OK;
}

pleat_result pl_job_maps_write_frames(pl_maps_run *run, pleat_error *error)
{
    uint32_t frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    uint32_t first = run->job.input->last_frame == PLEAT_NONE ? 0 : run->job.input->first_frame;
    PL_TRY(pl_job_begin(&run->job, PLEAT_JOB_FRAMES, "frame", error));
    if (frame_count > 1 && (wants_heights(&run->options) || run->options.kinds.vector))
    {
        PL_TRY(find_ranges(run, frame_count, error));
    }
    for (uint32_t frame = 0; frame < frame_count; ++frame)
    {
        PL_TRY(pl_job_step(&run->job, "frame", frame, frame_count, error));
        PL_TRY(pleat_bake_frame(run->bake, frame, error));
        if (run->options.kinds.stretch)
        {
            pl_job_maps_take_stretch(run);
        }
        PL_TRY(write_frame(run, frame, frame_count > 1 ? first + frame : PLEAT_NONE, error));
    }
    bool any = false;
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        pl_maps_set *set = &run->sets[i];
        set->needs_vectors = run->settle && heights_fail(set);
        any |= set->needs_vectors;
        if (!run->settle)
        {
            hint_at_vectors(run, set);
        }
    }
    if (any)
    {
        PL_TRY(pl_job_maps_write_vectors(run, first, error));
    }
    return run->options.kinds.stretch ? pl_job_maps_write_most(run, error) : PLEAT_OK;
}

/* ---- Masks ---- */

static pleat_result write_mask(pl_maps_run *run, pl_maps_set *set, const char *joints, uint32_t number, float *mask,
                               bool *found, pleat_error *error)
{
    uint32_t size = run->options.size;
    char kind[24];
    if (!pleat_maps_joint_mask(set->maps, joints, mask))
    {
        return PLEAT_OK;
    }
    *found = true;
    pleat_maps_values(set->maps, mask, 1, run->heights, &run->job.host.tasks);
    for (size_t i = 0; i < (size_t)size * size; ++i)
    {
        run->bytes[i] = (uint8_t)((run->heights[i] * 255u + 32767u) / 65535u);
    }
    snprintf(kind, sizeof kind, "mask%u", number);
    const char *file = pl_job_maps_file_name(run, set->name, kind, PLEAT_NONE, ".png");
    json_t *masks = json_object_get(set->json, "masks");
    if (!masks)
    {
        masks = json_array();
        json_object_set_new(set->json, "masks", masks);
    }
    json_array_append_new(masks, json_pack("{s:s, s:s}", "joints", pl_shown(joints), "file", file));
    pleat_png png = {size, size, 1, 8, run->bytes, true};
    return pl_job_maps_write_png(run, file, &png, error);
}

/* The joints of all skins, as far as there is room. */
static void list_joints(const pleat_model *model, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (uint32_t s = 0; s < model->skin_count; ++s)
    {
        for (uint32_t i = 0; i < model->skins[s].joint_count; ++i)
        {
            const char *name = pl_shown(model->nodes[model->skins[s].joints[i]].name);
            size_t length = strlen(name);
            if (used + length + 8 > room)
            {
                snprintf(out + used, room - used, ", ...");
                return;
            }
            snprintf(out + used, room - used, "%s%s", used ? ", " : "", name);
            used = strlen(out);
        }
    }
    if (!used)
    {
        snprintf(out, room, "there are no joints");
    }
}

pleat_result pl_job_maps_write_masks(pl_maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    for (uint32_t n = 0; n < run->options.joint_masks.count; ++n)
    {
        const char *joints = run->options.joint_masks.list[n];
        bool found = false;
        for (uint32_t i = 0; i < run->set_count; ++i)
        {
            float *mask;
            const pleat_stack *stack = pleat_bake_stack(run->bake, run->sets[i].stack);
            PL_ARENA_NEW_OR_FAIL(mask, &run->job.arena, float, pleat_stack_get_shape(stack)->surface_count, error);
            PL_TRY(write_mask(run, &run->sets[i], joints, n + 1, mask, &found, error));
        }
        if (!found)
        {
            char names[200];
            list_joints(run->model, names, sizeof names);
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "--mask-joints '%.100s' fits no joint of a garment's skin: %s",
                           pl_shown(joints), names);
        }
    }
fail:
    return result;
}

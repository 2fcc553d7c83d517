/* What a stack adds to the coarse mesh, as textures. */
#include "job/input.h"
#include "job/inputs.h"
#include "job/maps/maps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    USUAL_TEXELS = 2048, /* a side */
    MOST_TEXELS = 8192   /* a side, where maps choose their size */
};

pleat_maps_job pleat_maps_job_default(void)
{
    return (pleat_maps_job){.input = pleat_job_input_default(),
                            .stack = pleat_job_stack_default(),
                            .samples = 2,
                            .margin = 8,
                            .normal_bits = 8,
                            .colors = PLEAT_STRETCH_SIGNED,
                            .strength = 0.5f};
}

/* A report that is being filled; what is given out is its first member. */
typedef struct maps_report
{
    pleat_maps_report shown;
    pl_memory memory;
    pl_arena arena;
} maps_report;

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

static pleat_result check_whole(const char *option, uint32_t value, uint32_t low, uint32_t high, pleat_error *error)
{
    return value >= low && value <= high
               ? PLEAT_OK
               : pl_fail(error, PLEAT_BAD_REQUEST, "--%s is %u; it takes a whole number from %u to %u", option, value,
                         low, high);
}

static pleat_result check_job(const pleat_maps_job *asked, pleat_error *error)
{
    if (!asked->input.file)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "an argument is missing; the form is: pleat maps FILE -o DIR");
    }
    if (asked->most && !asked->kinds.stretch)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--most goes with --map stretch");
    }
    if (asked->basis && asked->kinds.stretch)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "--basis and --map stretch do not go together; --most is one map for all frames");
    }
    if (!asked->folder)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "it needs a folder to write to: -o DIR");
    }
    if (asked->size)
    {
        PL_TRY(check_whole("size", asked->size, 16, 16384, error));
    }
    if (asked->basis)
    {
        PL_TRY(check_whole("basis", asked->basis, 1, 256, error));
    }
    PL_TRY(check_whole("samples", asked->samples, 1, 4, error));
    PL_TRY(check_whole("margin", asked->margin, 0, 64, error));
    if (asked->normal_bits != 8 && asked->normal_bits != 16)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--normal-bits is %u; it takes one of 8|16", asked->normal_bits);
    }
    return asked->strength >= 0.001f && asked->strength <= 100
               ? PLEAT_OK
               : pl_fail(error, PLEAT_BAD_REQUEST, "--stretch-strength is %g; it takes a number from 0.001 to 100",
                         (double)asked->strength);
}

static pleat_result open_folder(const pl_maps_run *run, bool *made, pleat_error *error)
{
    struct stat there;
    if (stat(run->folder, &there) == 0)
    {
        return S_ISDIR(there.st_mode)
                   ? PLEAT_OK
                   : pl_fail(error, PLEAT_BAD_REQUEST, "-o %.300s: it is no folder; maps need one", run->folder);
    }
    if (mkdir(run->folder, 0777) != 0)
    {
        return pl_fail(error, PLEAT_FILE_ERROR, "-o %.250s: the folder could not be made: %s", run->folder,
                       strerror(errno));
    }
    *made = true;
    return PLEAT_OK;
}

/* ---- Textures --------------------------------------------------------------------------------------------------- */

static pleat_result make_room(pl_maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t texels = (size_t)run->options.size * run->options.size;
    PL_ARENA_NEW_OR_FAIL(run->heights, &run->job.arena, uint16_t, texels, error);
    PL_ARENA_NEW_OR_FAIL(run->normals, &run->job.arena, uint16_t, run->options.kinds.normal ? 3 * texels : 0, error);
    PL_ARENA_NEW_OR_FAIL(run->bytes, &run->job.arena, uint8_t, 3 * texels, error);
    PL_ARENA_NEW_OR_FAIL(run->vectors, &run->job.arena, uint16_t,
                         run->options.kinds.vector || run->settle || run->options.basis ? 3 * texels : 0, error);
fail:
    return result;
}

static pleat_result write_textures(pl_maps_run *run, pleat_error *error)
{
    bool atlas = false;
    PL_TRY(make_room(run, error));
    PL_TRY(pl_job_maps_open_sets(run, error));
    if (run->options.kinds.stretch)
    {
        PL_TRY(pl_job_maps_open_stretch(run, error));
    }
    /* First, since a pattern may be wrong, and frames take long. */
    PL_TRY(pl_job_maps_write_masks(run, error));
    PL_TRY(run->options.basis ? pl_job_maps_write_basis(run, error) : pl_job_maps_write_frames(run, error));
    for (uint32_t m = 0; m < run->model->mesh_count; ++m)
    {
        atlas |= run->atlases[m] != NULL;
    }
    if (atlas)
    {
        PL_TRY(pl_job_maps_write_mesh(run, error));
    }
    json_t *root = pl_job_maps_describe(run);
    pleat_result result = root ? pl_job_maps_write_json(run, "maps.json", root, error)
                               : pl_fail(error, PLEAT_NO_MEMORY, "out of memory for maps.json");
    json_decref(root);
    return result;
}

/* Whether even vectors end off the surface, and nobody said how many texels there are to be. */
static bool wants_more_texels(const pl_maps_run *run)
{
    bool more = false;
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        more |= run->sets[i].needs_vectors && run->sets[i].vector_error.worst > 0.02f;
    }
    return more && run->options.size < MOST_TEXELS && !run->asked->size;
}

static pleat_result write_all(pl_maps_run *run, const pleat_bake_desc *desc, pleat_error *error)
{
    PL_TRY(pleat_bake_create(desc, &run->job.host, &run->bake, error));
    PL_TRY(pleat_outputs_create(&run->job.host, &run->outputs, error));
    if (run->options.kinds.vat)
    {
        PL_TRY(pl_job_maps_write_vat(run, error));
    }
    if (pl_job_maps_want_textures(run))
    {
        PL_TRY(write_textures(run, error));
    }
    run->again = wants_more_texels(run);
    if (run->again)
    {
        return PLEAT_OK;
    }
    pl_job_maps_tell_of_vectors(run);
    PL_TRY(pl_job_begin(&run->job, PLEAT_JOB_WRITE, "writes", error));
    PL_TRY(pleat_outputs_commit(run->outputs, error));
    pl_job_done(&run->job);
    return PLEAT_OK;
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

static pleat_result fill_report(const pl_maps_run *run, maps_report *report, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_maps_basis *basis;
    pleat_maps_report *shown = &report->shown;
    shown->file_count = run->file_count;
    shown->frame_count = pleat_bake_get_shape(run->bake)->frame_count;
    shown->texture_count = run->set_count;
    shown->size = run->options.size;
    shown->map_seconds = run->map_seconds;
    shown->write_seconds = run->write_seconds;
    shown->basis_count = run->options.basis ? run->set_count : 0;
    PL_ARENA_NEW_OR_FAIL(basis, &report->arena, pleat_maps_basis, shown->basis_count, error);
    shown->basis = basis;
    for (uint32_t i = 0; i < shown->basis_count; ++i)
    {
        const pl_maps_set *set = &run->sets[i];
        snprintf(basis[i].name, sizeof basis[i].name, "%s", set->name);
        basis[i].map_count = set->basis_count;
        basis[i].largest_error = set->basis_error;
        basis[i].largest_displacement = set->basis_displacement;
    }
fail:
    return result;
}

void pleat_maps_report_destroy(const pleat_maps_report *shown)
{
    maps_report *report = (maps_report *)shown;
    if (report)
    {
        pl_arena_free(&report->arena);
        PL_DESTROY(report);
    }
}

/* ---- The job ---------------------------------------------------------------------------------------------------- */

/* Maps of frames are for a frame, unless frames are chosen; basis maps and vertex textures are for the clip. */
static void choose_middle(const pl_maps_run *run, pleat_bake_desc *desc)
{
    bool whole = run->options.basis || run->options.most || (run->options.kinds.vat && !pl_job_maps_want_textures(run));
    if (run->job.input->last_frame == PLEAT_NONE && !whole && desc->clip != PLEAT_NONE)
    {
        uint32_t count = pleat_clip_frame_count(&run->model->clips[desc->clip], desc->fps);
        desc->first_frame = desc->last_frame = count / 2;
    }
}

/* Everything once the atlases are there: desc is complete but for its model and layers. */
static pleat_result bake_maps(pl_maps_run *run, pleat_bake_desc *desc, const pl_job_look *look, const pl_choice *choice,
                              maps_report *report, pleat_error *error)
{
    pl_job_look settled = *look;
    double start = pl_job_seconds();
    pl_look_settle(&run->job, run->model, desc->clip, choice, &settled);
    desc->model = run->model;
    pl_choice_apply(choice, &settled, desc);
    choose_middle(run, desc);
    run->clip = desc->clip;
    pleat_result result = write_all(run, desc, error);
    result = result == PLEAT_OK ? fill_report(run, report, error) : pl_job_fail_in(&run->job, error);
    report->shown.seconds = pl_job_seconds() - start;
    pl_job_maps_close_stretch(run);
    pl_job_maps_close_sets(run);
    pleat_outputs_destroy(run->outputs);
    pleat_bake_destroy(run->bake);
    run->outputs = NULL;
    run->bake = NULL;
    run->stretches = NULL;
    run->set_count = run->file_count = 0;
    return result;
}

static pleat_result map_with(pl_maps_run *run, const pl_job_look *look, pl_layer_inputs *inputs, maps_report *report,
                             pleat_error *error)
{
    pl_job *job = &run->job;
    const pleat_model *model = pleat_asset_model(run->asset);
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    pl_choice choice;
    pleat_atlas_model *changed = NULL;
    pleat_atlas **atlases = PL_ARENA_NEW(&job->arena, pleat_atlas *, model->mesh_count);
    if (!atlases)
    {
        return pl_fail_memory(&job->memory, error, "the list of atlases");
    }
    run->atlases = (const pleat_atlas **)atlases;
    desc.fps = (float)job->input->fps;
    PL_TRY(pl_job_begin(job, PLEAT_JOB_BIND, "binds", error));
    PL_TRY(pl_choose_clip(job, model, &desc.clip, error));
    PL_TRY(pl_choose_frames(job, model, &desc, error));
    PL_TRY(pl_choose_stack(job, model, look, true, &choice, error));
    pl_clip_row row = {.clip = desc.clip, .fps = desc.fps};
    PL_TRY(pl_inputs_open(job, model, &row, look, inputs, error));
    pleat_result result = pl_job_maps_make_atlases(run, model, &choice, atlases, error);
    if (result == PLEAT_OK)
    {
        result = pleat_atlas_model_create(model, run->atlases, &job->host, &changed, error);
    }
    if (result == PLEAT_OK)
    {
        run->model = pleat_atlas_model_get(changed);
        result = bake_maps(run, &desc, look, &choice, report, error);
    }
    else
    {
        pl_job_fail_in(job, error);
    }
    pleat_atlas_model_destroy(changed);
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        pleat_atlas_destroy(atlases[m]);
    }
    return result;
}

static pleat_result map_asset(pl_maps_run *run, const pl_job_look *look, maps_report *report, pleat_error *error)
{
    pl_layer_inputs inputs = {0};
    pleat_result result = map_with(run, look, &inputs, report, error);
    pl_inputs_close(&inputs);
    return result;
}

static void choose_kinds(pl_maps_run *run)
{
    pleat_maps_kinds *kinds = &run->options.kinds;
    if (!pl_job_maps_want_textures(run) && !kinds->vat)
    {
        kinds->height = kinds->normal = true;
        run->settle = !run->options.basis;
    }
    run->options.size = run->asked->size ? run->asked->size : USUAL_TEXELS;
}

static pleat_result run_all(pl_maps_run *run, const pl_job_look *look, maps_report *report, bool *made,
                            pleat_error *error)
{
    pleat_asset *asset;
    PL_TRY(open_folder(run, made, error));
    PL_TRY(pl_job_begin(&run->job, PLEAT_JOB_LOAD, "loads", error));
    PL_TRY(pl_job_load(&run->job, &asset, error));
    run->asset = asset;
    choose_kinds(run);
    pleat_result result = map_asset(run, look, report, error);
    while (result == PLEAT_OK && run->again)
    {
        run->options.size *= 2;
        result = map_asset(run, look, report, error);
    }
    pleat_asset_destroy(asset);
    return result;
}

pleat_result pleat_maps_job_validate(const pleat_maps_job *asked, const pleat_host *host, pleat_error *error)
{
    pl_job_look look;
    PL_TRY(pl_job_look_open(&asked->stack, true, host, &look, error));
    pleat_result result = check_job(asked, error);
    result = result == PLEAT_OK ? pl_job_look_check_used(&asked->stack, &look, error) : result;
    pl_job_look_close(&look);
    return result;
}

static pleat_result run_with(const pleat_maps_job *asked, const pl_job_look *look, const pleat_job_watch *watch,
                             const pleat_host *host, const pleat_maps_report **out, pleat_error *error)
{
    pl_maps_run run = {.asked = asked, .options = *asked, .folder = asked->folder};
    bool made = false;
    PL_TRY(check_job(asked, error));
    PL_TRY(pl_job_look_check_used(&asked->stack, look, error));
    maps_report *report = PL_CREATE(maps_report, host);
    if (!report)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the report");
    }
    pl_arena_init(&report->arena, &report->memory);
    pleat_result result = pl_job_open(&run.job, &asked->input, &asked->stack, watch, host, error);
    result = result != PLEAT_OK ? result : run_all(&run, look, report, &made, error);
    pl_job_close(&run.job);
    if (made && result != PLEAT_OK)
    {
        rmdir(asked->folder);
    }
    if (result == PLEAT_OK && out)
    {
        *out = &report->shown;
    }
    else
    {
        pleat_maps_report_destroy(&report->shown);
    }
    return result;
}

pleat_result pleat_maps_job_run(const pleat_maps_job *asked, const pleat_job_watch *watch, const pleat_host *host,
                                const pleat_maps_report **out, pleat_error *error)
{
    pleat_error local = {0};
    pl_job_look look;
    error = error ? error : &local;
    if (out)
    {
        *out = NULL;
    }
    PL_TRY(pl_job_look_open(&asked->stack, true, host, &look, error));
    pleat_result result = run_with(asked, &look, watch, host, out, error);
    pl_job_look_close(&look);
    return result;
}

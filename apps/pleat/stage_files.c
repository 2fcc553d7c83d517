/* Actors as the options of pleat render ask for them. */
#include "request.h"
#include "stage.h"

#include "job/input.h"

#include <string.h>

static uint32_t read_overlays(const app_session *session)
{
    static const struct
    {
        const char *name;
        uint32_t bit;
    } overlays[] = {{"strain", OVERLAY_STRAIN},
                    {"tensor", OVERLAY_TENSOR},
                    {"curves", OVERLAY_CURVES},
                    {"wire", OVERLAY_WIRE},
                    {"vertices", OVERLAY_VERTICES}};
    uint32_t bits = 0;
    const char *name;
    for (uint32_t i = 0; (name = arguments_each(session->arguments, "overlay", i)); ++i)
    {
        for (size_t k = 0; k < sizeof overlays / sizeof overlays[0]; ++k)
        {
            bits |= strcmp(name, overlays[k].name) == 0 ? overlays[k].bit : 0;
        }
    }
    return bits;
}

/* Adds the model of an asset with the stack of a look; its clip and garments by the options. */
static pleat_result add_actor(app_stage *stage, const pleat_asset *asset, const pl_job_look *look, pleat_error *error)
{
    const pleat_model *model = pleat_asset_model(asset);
    pl_job *job = &stage->job;
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    pl_choice choice;
    pleat_bake *bake;
    PL_TRY(pl_choose_clip(job, model, &desc.clip, error));
    PL_TRY(pl_choose_stack(job, model, look, false, &choice, error));
    if (look->layer_count)
    {
        pl_clip_row row = {.clip = desc.clip, .fps = (float)stage->input.fps};
        PL_TRY(pl_inputs_open(job, model, &row, look, &stage->inputs, error));
    }
    desc.fps = (float)stage->input.fps;
    pl_choice_apply(&choice, look, &desc);
    PL_TRY(pleat_bake_create(&desc, &job->host, &bake, error));
    PL_TRY(stage_add(stage, model, bake, read_overlays(stage->session), error));
    return actor_paint(&stage->actors[stage->actor_count - 1], asset, error);
}

static pleat_result add_file(app_stage *stage, uint32_t index, const pl_job_look *look, pleat_asset **asset,
                             pleat_error *error)
{
    const app_arguments *arguments = stage->session->arguments;
    pl_job_look plain = *look;
    plain.layer_count = plain.level = 0;
    stage->input.file = arguments->files[index];
    PL_TRY(pl_job_load(&stage->job, asset, error));
    bool last = index + 1 == arguments->file_count;
    if (!last || (index == 0 && arguments_given(arguments, "compare")))
    {
        PL_TRY(add_actor(stage, *asset, &plain, error));
    }
    return last ? add_actor(stage, *asset, look, error) : PLEAT_OK;
}

static int add_files(app_stage *stage, pleat_asset *assets[2])
{
    app_session *session = stage->session;
    const app_arguments *arguments = session->arguments;
    pleat_error error = {0};
    stage->input = request_input(session, 0);
    stage->stack = request_stack(session);
    stage->watch = session_watch(session, NULL);
    if (pl_job_open(&stage->job, &stage->input, &stage->stack, &stage->watch, &session->host, &error) != PLEAT_OK ||
        pl_job_look_open(&stage->stack, false, &session->host, &stage->look, &error) != PLEAT_OK ||
        pl_job_look_check_used(&stage->stack, &stage->look, &error) != PLEAT_OK)
    {
        return fail_error(session, &error);
    }
    if (arguments->file_count == 1 && arguments_given(arguments, "compare") && !pl_look_shapes(&stage->look))
    {
        return fail_usage(session, "--compare needs a second file, or a --layer to show with and without");
    }
    for (uint32_t i = 0; i < arguments->file_count; ++i)
    {
        if (add_file(stage, i, &stage->look, &assets[i], &error) != PLEAT_OK)
        {
            return fail_error(session, &error);
        }
    }
    return EXIT_DONE;
}

int stage_add_files(app_stage *stage, pleat_asset *assets[2])
{
    int status = add_files(stage, assets);
    progress_end(stage->session);
    return status;
}

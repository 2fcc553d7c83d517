/* Actors as the options of pleat render ask for them. */
#include "bake_look.h"
#include "job/choice.h"
#include "job/input.h"
#include "stage.h"

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
static int add_actor(app_stage *stage, const pleat_asset *asset, const bake_look *look)
{
    const pleat_model *model = pleat_asset_model(asset);
    app_session *session = stage->session;
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    pleat_layer_desc layers[LAYER_KINDS];
    stack_choice choice = {0};
    int status = choose_clip(session, model, &desc.clip);
    status = status == EXIT_DONE
                 ? choose_stack(session, model, look_garment_use(look), false, look_mask(session, look), &choice)
                 : status;
    if (status != EXIT_DONE)
    {
        return status;
    }
    bake_look bound = *look;
    if (look_has_layer(look, &pleat_wrinkles_layer))
    {
        clip_row row = {.clip = desc.clip};
        status = wrinkle_input_open(session, model, &row, &bound, &stage->wrinkles);
    }
    if (status != EXIT_DONE)
    {
        choice_free(&choice);
        return status;
    }
    desc.fps = (float)arguments_number(session->arguments, "fps");
    desc.skinning = (pleat_skinning)look->skin.method;
    look_refine(look, &desc);
    desc.layer_count = look->layer_count;
    desc.layers = layers;
    look_layers(&bound, layers);
    choice_apply(&choice, &desc);
    pleat_error error = {0};
    pleat_bake *bake;
    if (pleat_bake_create(&desc, &session->host, &bake, &error) != PLEAT_OK ||
        stage_add(stage, model, bake, read_overlays(session), &error) != PLEAT_OK ||
        actor_paint(&stage->actors[stage->actor_count - 1], asset, &error) != PLEAT_OK)
    {
        status = fail_error(session, &error);
    }
    choice_free(&choice);
    return status;
}

int stage_add_files(app_stage *stage, pleat_asset *assets[2])
{
    app_session *session = stage->session;
    const app_arguments *arguments = session->arguments;
    bake_look look, plain;
    int status = look_open(session, &look);
    status = status == EXIT_DONE ? look_check_used(session, &look) : status;
    plain = look;
    plain.layer_count = plain.level = 0;
    if (status == EXIT_DONE && arguments->file_count == 1 && arguments_given(arguments, "compare") &&
        !look_shapes(&look))
    {
        status = fail_usage(session, "--compare needs a second file, or a --layer to show with and without");
    }
    for (uint32_t i = 0; i < arguments->file_count && status == EXIT_DONE; ++i)
    {
        assets[i] = load_input(session, i, arguments_number(arguments, "fps"));
        bool last = i + 1 == arguments->file_count;
        status = !assets[i] ? EXIT_BAD_INPUT : last ? EXIT_DONE : add_actor(stage, assets[i], &plain);
        if (status == EXIT_DONE && last && i == 0 && arguments_given(arguments, "compare"))
        {
            status = add_actor(stage, assets[i], &plain);
        }
        if (status == EXIT_DONE && last)
        {
            status = add_actor(stage, assets[i], &look);
        }
    }
    return status;
}

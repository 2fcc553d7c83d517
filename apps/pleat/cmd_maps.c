/* pleat maps: what a stack adds to the coarse mesh, as textures. */
#include "bake_look.h"
#include "job/choice.h"
#include "commands.h"
#include "job/input.h"
#include "layer_words.h"
#include "job/maps/maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The command line ---- */

static maps_options read_options(const app_arguments *arguments)
{
    maps_options options = {.size = arguments_whole(arguments, "size"),
                            .samples = arguments_whole(arguments, "samples"),
                            .margin = arguments_whole(arguments, "margin"),
                            .normal_bits = strcmp(arguments_text(arguments, "normal-bits"), "8") == 0 ? 8 : 16,
                            .green_down = strcmp(arguments_text(arguments, "green"), "down") == 0,
                            .world = strcmp(arguments_text(arguments, "space"), "world") == 0,
                            .posed = arguments_given(arguments, "coarse"),
                            .atlas = arguments_given(arguments, "atlas"),
                            .most = arguments_given(arguments, "most"),
                            .colors = stretch_colors_named(arguments_text(arguments, "stretch-color")),
                            .strength = (float)arguments_number(arguments, "stretch-strength"),
                            .basis = arguments_given(arguments, "basis") ? arguments_whole(arguments, "basis") : 0};
    const char *kind;
    for (uint32_t i = 0; (kind = arguments_each(arguments, "map", i)); ++i)
    {
        options.kinds.height |= strcmp(kind, "height") == 0;
        options.kinds.vector |= strcmp(kind, "vector") == 0;
        options.kinds.normal |= strcmp(kind, "normal") == 0;
        options.kinds.stretch |= strcmp(kind, "stretch") == 0;
        options.kinds.vat |= strncmp(kind, "vat", 3) == 0;
        options.vat = strcmp(kind, "vat-exr") == 0      ? VAT_EXR
                      : strcmp(kind, "vat-packed") == 0 ? VAT_PACKED
                                                        : options.vat;
    }
    if (!arguments_given(arguments, "map"))
    {
        options.kinds.height = options.kinds.normal = true;
        options.settle = !options.basis;
    }
    return options;
}

static bool wants_textures(const maps_run *run)
{
    const maps_kinds *kinds = &run->options.kinds;
    return kinds->height || kinds->vector || kinds->normal || kinds->stretch;
}

/* Maps of frames are for a frame, unless --frames says for which; basis maps and vertex textures are for the clip. */
static void choose_middle(const maps_run *run, pleat_bake_desc *desc)
{
    bool whole = run->options.basis || run->options.most || (run->options.kinds.vat && !wants_textures(run));
    if (!arguments_given(run->session->arguments, "frames") && !whole && desc->clip != PLEAT_NONE)
    {
        uint32_t count = pleat_clip_frame_count(&run->model->clips[desc->clip], desc->fps);
        desc->first_frame = desc->last_frame = count / 2;
    }
}

static int open_folder(maps_run *run, bool *made)
{
    struct stat there;
    *made = false;
    if (stat(run->folder, &there) == 0)
    {
        return S_ISDIR(there.st_mode) ? EXIT_DONE
                                      : fail_usage(run->session, "-o %s: it is no folder; maps need one", run->folder);
    }
    if (mkdir(run->folder, 0777) != 0)
    {
        return fail_input(run->session, "-o %s: the folder could not be made: %s", run->folder, strerror(errno));
    }
    *made = true;
    return EXIT_DONE;
}

/* ---- Coordinates ---- */

/* Which primitives of a mesh need an atlas: garments without coordinates, or all garments. */
static bool needs_atlas(const pleat_model *model, const stack_choice *choice, uint32_t mesh, bool all, bool *primitives)
{
    bool any = false;
    size_t at = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t node = model->scene_nodes[i], index = model->nodes[node].mesh, place = 0;
        while (choice->node_count && place < choice->node_count && choice->nodes[place] != node)
        {
            ++place;
        }
        bool chosen = index != PLEAT_NONE && (!choice->node_count || place < choice->node_count);
        for (uint32_t p = 0; chosen && p < model->meshes[index].primitive_count; ++p, ++at)
        {
            bool garment = !choice->garment || choice->garment[at];
            bool wanted = garment && (all || !model->meshes[index].primitives[p].uvs) &&
                          model->meshes[index].primitives[p].triangle_count;
            if (index == mesh && wanted)
            {
                primitives[p] = any = true;
            }
        }
    }
    return any;
}

/* Of the texels: with fewer of its own a garment gets an atlas, where nobody said what to write. */
static const float FEW_TEXELS = 0.02f;

/* Whether coordinates that are there are of no use: they overlap, or hold next to nothing. */
static pleat_result judge_coordinates(maps_run *run, const pleat_mesh *mesh, const bool *garment, bool *useless,
                                      pleat_error *error)
{
    pleat_atlas_fit fit;
    PL_TRY(pleat_atlas_measure(mesh, garment, &run->session->host, &fit, error));
    *useless = fit.shared > MAPS_MANY_SHARED || fit.covered < FEW_TEXELS;
    if (*useless && !run->again)
    {
        char message[400];
        snprintf(
            message, sizeof message,
            "the texture coordinates of %.100s %s: maps are on new ones, in mesh.glb (--map height and others keep "
            "the old)",
            shown(mesh->name), fit.shared > MAPS_MANY_SHARED ? "overlap" : "leave it hardly any texels of a texture");
        run->session->host.log(run->session->host.log_user, PLEAT_INFO, message);
    }
    return PLEAT_OK;
}

static pleat_result make_atlases(maps_run *run, const pleat_model *model, const stack_choice *choice,
                                 pleat_atlas **atlases, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        bool *primitives;
        bool all = run->options.atlas;
        PL_ARENA_NEW_OR_FAIL(primitives, &run->arena, bool, model->meshes[m].primitive_count, error);
        if (run->options.settle && !all && needs_atlas(model, choice, m, true, primitives))
        {
            PL_TRY(judge_coordinates(run, &model->meshes[m], primitives, &all, error));
            memset(primitives, 0, model->meshes[m].primitive_count * sizeof *primitives);
        }
        if (wants_textures(run) && needs_atlas(model, choice, m, all, primitives))
        {
            pleat_atlas_options options = pleat_atlas_options_default();
            options.size = run->options.size;
            options.padding = run->options.margin;
            options.primitives = primitives;
            PL_TRY(pleat_atlas_create(&model->meshes[m], &options, &run->session->host, &atlases[m], error));
        }
    }
fail:
    return result;
}

/* ---- The description ---- */

static json_t *encoding_json(pleat_height_range range)
{
    double span = (double)range.high - (double)range.low;
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:i, s:s}", "formula", "low + texel / 65535 * (high - low)", "low",
                     (double)range.low, "high", (double)range.high, "scale", span, "midlevel",
                     span > 0 ? -(double)range.low / span : 0.5, "bits", 16, "unit", "metres");
}

static void describe_set(const maps_run *run, maps_set *set)
{
    const maps_options *options = &run->options;
    uint32_t mesh = run->model->nodes[set->node].mesh;
    json_t *json = set->json;
    json_object_set_new(json, "name", json_string(set->name));
    json_object_set_new(json, "node", json_string(shown(run->model->nodes[set->node].name)));
    json_object_set_new(json, "mesh", json_string(shown(run->model->meshes[mesh].name)));
    json_object_set_new(json, "size", json_integer(options->size));
    json_object_set_new(json, "uv_set", json_integer(set->uv_set));
    if (set->material != PLEAT_NONE)
    {
        json_object_set_new(json, "material", json_string(shown(run->model->materials[set->material].name)));
    }
    if (run->atlases[mesh])
    {
        pleat_atlas_report report = pleat_atlas_get_report(run->atlases[mesh]);
        json_object_set_new(json, "atlas",
                            json_pack("{s:i, s:i, s:f, s:f}", "charts", (int)report.chart_count, "padding",
                                      (int)report.padding, "covered", (double)report.covered, "squeezed",
                                      (double)report.squeezed));
    }
    if (options->kinds.height && !options->basis)
    {
        json_object_set_new(json, "height", encoding_json(set->heights));
    }
    bool vectors = options->kinds.vector || set->needs_vectors;
    if (vectors && !options->basis)
    {
        json_t *vector = encoding_json(set->vectors);
        json_object_set_new(vector, "space", json_string(set->world ? "world" : "tangent"));
        json_object_set_new(json, "vector", vector);
    }
    if (options->settle)
    {
        /* Which of the maps holds the surface within 2 % of the largest height. */
        json_object_set_new(json, "displace_by", json_string(vectors ? "vector" : "height"));
    }
}

static json_t *describe_run(const maps_run *run)
{
    const pleat_bake_shape *shape = pleat_bake_get_shape(run->bake);
    bool down = run->options.green_down && !run->options.basis;
    json_t *list = json_array();
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        describe_set(run, &run->sets[i]);
        json_array_append(list, run->sets[i].json);
    }
    bool atlas = false;
    for (uint32_t m = 0; m < run->model->mesh_count; ++m)
    {
        atlas |= run->atlases[m] != NULL;
    }
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:f, s:{s:s, s:s, s:s, s:s}, s:o}", "generator", "pleat " PLEAT_VERSION, "source",
                  shown(run->session->arguments->files[0]), "clip",
                  run->clip == PLEAT_NONE ? "" : shown(run->model->clips[run->clip].name), "fps", (double)shape->fps,
                  "conventions", "rows", "from the top, v grows downwards", "tangent_space",
                  "x along +u, y upwards in the picture, z along the smooth normal", "green",
                  down ? "down (DirectX)" : "up (OpenGL)", "normals_of",
                  run->options.kinds.vector && !run->options.kinds.height ? "vector" : "height", "maps", list);
    if (root && atlas)
    {
        json_object_set_new(root, "coordinates", json_string("mesh.glb"));
    }
    return root;
}

/* ---- The run ---- */

enum
{
    MOST_TEXELS = 8192 /* a side, where maps choose their size */
};

static pleat_result make_room(maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t texels = (size_t)run->options.size * run->options.size;
    PL_ARENA_NEW_OR_FAIL(run->heights, &run->arena, uint16_t, texels, error);
    PL_ARENA_NEW_OR_FAIL(run->normals, &run->arena, uint16_t, run->options.kinds.normal ? 3 * texels : 0, error);
    PL_ARENA_NEW_OR_FAIL(run->bytes, &run->arena, uint8_t, 3 * texels, error);
    PL_ARENA_NEW_OR_FAIL(run->vectors, &run->arena, uint16_t,
                         run->options.kinds.vector || run->options.settle || run->options.basis ? 3 * texels : 0,
                         error);
fail:
    return result;
}

static pleat_result write_textures(maps_run *run, pleat_error *error)
{
    bool atlas = false;
    PL_TRY(make_room(run, error));
    PL_TRY(maps_open_sets(run, error));
    if (run->options.kinds.stretch)
    {
        PL_TRY(maps_open_stretch(run, error));
    }
    /* First, since a pattern may be wrong, and frames take long. */
    PL_TRY(maps_write_masks(run, error));
    PL_TRY(run->options.basis ? maps_write_basis(run, error) : maps_write_frames(run, error));
    for (uint32_t m = 0; m < run->model->mesh_count; ++m)
    {
        atlas |= run->atlases[m] != NULL;
    }
    if (atlas)
    {
        PL_TRY(maps_write_mesh(run, error));
    }
    json_t *root = describe_run(run);
    pleat_result result = root ? maps_write_json(run, "maps.json", root, error)
                               : pl_fail(error, PLEAT_NO_MEMORY, "out of memory for maps.json");
    json_decref(root);
    return result;
}

/* Whether even vectors end off the surface, and nobody said how many texels there are to be. */
static bool wants_more_texels(const maps_run *run)
{
    bool more = false;
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        more |= run->sets[i].needs_vectors && run->sets[i].vector_error.worst > 0.02f;
    }
    return more && run->options.size < MOST_TEXELS && !arguments_given(run->session->arguments, "size");
}

static pleat_result run_maps(maps_run *run, const pleat_bake_desc *desc, pleat_error *error)
{
    PL_TRY(pleat_bake_create(desc, &run->session->host, &run->bake, error));
    PL_TRY(pleat_outputs_create(&run->session->host, &run->outputs, error));
    if (run->options.kinds.vat)
    {
        PL_TRY(maps_write_vat(run, error));
    }
    if (wants_textures(run))
    {
        PL_TRY(write_textures(run, error));
    }
    run->again = wants_more_texels(run);
    if (!run->again)
    {
        maps_tell_of_vectors(run);
    }
    return run->again ? PLEAT_OK : pleat_outputs_commit(run->outputs, error);
}

static int print_report(maps_run *run, double seconds)
{
    uint32_t frames = pleat_bake_get_shape(run->bake)->frame_count;
    if (run->session->json)
    {
        return print_json(run->session,
                          json_pack("{s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:o}", "output", shown(run->folder), "files",
                                    (int)run->file_count, "frames", (int)frames, "textures", (int)run->set_count,
                                    "map_seconds", run->map_seconds, "write_seconds", run->write_seconds, "seconds",
                                    seconds, "warnings", warnings_json(run->session)));
    }
    if (!run->session->quiet)
    {
        printf("%s: %u files, %u frame%s, %.2f s", shown(run->folder), run->file_count, frames, frames == 1 ? "" : "s",
               seconds);
        if (run->map_seconds > 0)
        {
            printf(" (maps %.2f s, writing %.2f s)", run->map_seconds, run->write_seconds);
        }
        printf("\n");
        for (uint32_t i = 0; i < run->set_count && run->options.basis; ++i)
        {
            const maps_set *set = &run->sets[i];
            printf("  %s: %u basis maps, off by at most %s of %s\n", set->name, set->basis_count,
                   length_text((double)set->basis_error), length_text((double)set->basis_displacement));
        }
    }
    return EXIT_DONE;
}

/* Everything once the atlases are there: desc is complete but for its model and layers. */
static int bake_maps(maps_run *run, pleat_bake_desc *desc, bake_look *look, const stack_choice *choice)
{
    pleat_layer_desc layers[LAYER_KINDS];
    pleat_error error = {0};
    double start = seconds_now();
    look_settle(run->session, run->model, desc->clip, choice, look);
    desc->model = run->model;
    desc->skinning = (pleat_skinning)look->skin.method;
    look_refine(look, desc);
    desc->layer_count = look->layer_count;
    desc->layers = layers;
    look_layers(look, layers);
    choice_apply(choice, desc);
    choose_middle(run, desc);
    run->clip = desc->clip;
    bool done = run_maps(run, desc, &error) == PLEAT_OK;
    int status = done && !run->again ? print_report(run, seconds_now() - start)
                 : done              ? EXIT_DONE
                                     : fail_error_in(run->session, run->session->arguments->files[0], &error);
    maps_close_stretch(run);
    maps_close_sets(run);
    pleat_outputs_destroy(run->outputs);
    pleat_bake_destroy(run->bake);
    run->outputs = NULL;
    run->bake = NULL;
    run->stretches = NULL;
    run->set_count = run->file_count = 0;
    return status;
}

static int map_asset(maps_run *run, bake_look *look)
{
    app_session *session = run->session;
    const pleat_model *model = pleat_asset_model(run->asset);
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    stack_choice choice = {0};
    pleat_error error = {0};
    pleat_atlas_model *changed = NULL;
    pleat_atlas **atlases = PL_ARENA_NEW(&run->arena, pleat_atlas *, model->mesh_count);
    desc.fps = (float)arguments_number(session->arguments, "fps");
    int status = atlases ? choose_clip(session, model, &desc.clip) : fail_input(session, "out of memory");
    status = status == EXIT_DONE ? choose_bake_frames(session, model, &desc) : status;
    status = status == EXIT_DONE
                 ? choose_stack(session, model, look_garment_use(look), true, look_mask(session, look), &choice)
                 : status;
    if (status == EXIT_DONE)
    {
        run->atlases = (const pleat_atlas **)atlases;
        if (make_atlases(run, model, &choice, atlases, &error) != PLEAT_OK ||
            pleat_atlas_model_create(model, run->atlases, &session->host, &changed, &error) != PLEAT_OK)
        {
            status = fail_error_in(session, session->arguments->files[0], &error);
        }
    }
    if (status == EXIT_DONE)
    {
        run->model = pleat_atlas_model_get(changed);
        status = bake_maps(run, &desc, look, &choice);
    }
    pleat_atlas_model_destroy(changed);
    for (uint32_t m = 0; atlases && m < model->mesh_count; ++m)
    {
        pleat_atlas_destroy(atlases[m]);
    }
    choice_free(&choice);
    return status;
}

static int run_maps_command(app_session *session)
{
    maps_run run = {.session = session, .folder = arguments_text(session->arguments, "output")};
    bake_look look;
    bool made;
    run.options = read_options(session->arguments);
    if (run.options.most && !run.options.kinds.stretch)
    {
        return fail_usage(session, "--most goes with --map stretch");
    }
    if (run.options.basis && run.options.kinds.stretch)
    {
        return fail_usage(session, "--basis and --map stretch do not go together; --most is one map for all frames");
    }
    int status = look_open(session, &look);
    if (status != EXIT_DONE)
    {
        return status;
    }
    look_take_default_layers(session, &look);
    if (!run.folder)
    {
        return fail_usage(session, "it needs a folder to write to: -o DIR");
    }
    if ((status = look_check_used(session, &look)) != EXIT_DONE || (status = open_folder(&run, &made)) != EXIT_DONE)
    {
        return status;
    }
    run.memory = pl_memory_from(&session->host);
    pl_arena_init(&run.arena, &run.memory);
    pleat_asset *asset = load_input(session, 0, arguments_number(session->arguments, "fps"));
    run.asset = asset;
    bake_look settled = look;
    status = asset ? map_asset(&run, &settled) : EXIT_BAD_INPUT;
    while (status == EXIT_DONE && run.again)
    {
        settled = look;
        run.options.size *= 2;
        status = map_asset(&run, &settled);
    }
    pleat_asset_destroy(asset);
    pl_arena_free(&run.arena);
    if (made && status != EXIT_DONE)
    {
        rmdir(run.folder);
    }
    return status;
}

static const app_option maps_table[] = {
    {"output", 'o', OPTION_PATH, false, "DIR", NULL, 0, 0, "the folder to write to; it is made if it is not there"},
    {"map", 0, OPTION_CHOICE, true, "height|vector|normal|stretch|vat|vat-exr|vat-packed", NULL, 0, 0,
     "default: height, normal; vector where heights fail"},
    {"size", 0, OPTION_WHOLE, false, "N", "2048", 16, 16384, "texels a side"},
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 0,
     "frames of the clip; default: the middle; all for --basis, --most, vat"},
    {"basis", 0, OPTION_WHOLE, false, "N", NULL, 1, 256,
     "at most N basis maps with weights, instead of maps of frames"},
    {"space", 0, OPTION_CHOICE, false, "tangent|world", "tangent", 0, 0, "axes of vector maps"},
    {"green", 0, OPTION_CHOICE, false, "up|down", "up", 0, 0, "of normal maps: up for OpenGL, down for DirectX"},
    {"normal-bits", 0, OPTION_CHOICE, false, "8|16", "8", 0, 0, "bits a channel of normal maps"},
    {"most", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "stretch: one map, of the most over all frames"},
    {"stretch-color", 0, OPTION_CHOICE, false, STRETCH_COLORS, NULL, 0, 0, "what stretch maps show; default tension"},
    STRETCH_STRENGTH_OPTION,
    {"mask-joints", 0, OPTION_TEXT, true, "PATTERN", NULL, 0, 0, "also a mask of what these joints move (* and ?)"},
    {"atlas", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "new texture coordinates even where the mesh has some"},
    {"coarse", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "also the coarse mesh of each frame, as the maps see it"},
    {"samples", 0, OPTION_WHOLE, false, "N", "2", 1, 4, "N x N samples a texel"},
    {"margin", 0, OPTION_WHOLE, false, "N", "8", 0, 64, "texels by which charts are continued past their borders"},
    LOOK_OPTIONS,
    INPUT_CLIP_OPTION,
    {"fps", 0, OPTION_NUMBER, false, "N", "30", 0.001, 10000, "frames a second"},
    INPUT_GARMENT_OPTION,
    INPUT_POINTS_OPTION,
};

static const char *const maps_examples[] = {
    "pleat maps hero.glb -o maps --frames 40",
    "maps of each garment in frame 40",
    "pleat maps hero.glb -o maps --basis 16 --map normal --green down",
    "the clip as 16 normal maps and weights, for Unreal",
    NULL,
};

const app_command command_maps = {
    .name = "maps",
    .arguments = "FILE -o DIR",
    .argument_min = 1,
    .argument_max = 1,
    .summary = "displacement, normal and stretch maps of garments, vertex-animation textures",
    .description = "Writes what the stack adds to each garment's coarse mesh as textures: 16-bit heights or vectors, "
                   "normal maps, maps of stretch, and maps.json, which says what they mean. Meshes without texture "
                   "coordinates get an atlas, in mesh.glb. Either all files appear, or none.",
    .options = maps_table,
    .option_count = sizeof maps_table / sizeof maps_table[0],
    .examples = maps_examples,
    .run = run_maps_command,
};

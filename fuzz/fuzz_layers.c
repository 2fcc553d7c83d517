/* What follows reading: the garments are guessed, and stacks of every layer are bound to hostile meshes and run over
 * their clips. A stack may refuse, in a sentence; what it gives is finite. */
#include "fuzz.h"

#include "pleat/bake.h"
#include "pleat/garment.h"

#include <math.h>

enum
{
    MOST_VERTICES = 3000, /* more only take time */
    MOST_FRAMES = 6
};

static pleat_format format_of(const uint8_t *data, size_t size)
{
    static const struct
    {
        const char *mark;
        pleat_format format;
    } marks[] = {{"glTF", PLEAT_FORMAT_GLB}, {"{", PLEAT_FORMAT_GLTF}, {"ply", PLEAT_FORMAT_PLY}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i)
    {
        size_t length = strlen(marks[i].mark);
        if (size >= length && memcmp(data, marks[i].mark, length) == 0)
        {
            return marks[i].format;
        }
    }
    return PLEAT_FORMAT_OBJ;
}

/* Few frames, over all of the clip. */
static float rate_of(const pleat_model *model)
{
    float seconds = model->clip_count ? model->clips[0].end - model->clips[0].start : 0;
    return fminf(fmaxf((MOST_FRAMES - 1) / fmaxf(seconds, 1e-3f), 1e-3f), 30);
}

static void run_bake(const pleat_bake_desc *desc, const pleat_host *host)
{
    pleat_error error = {0};
    pleat_bake *bake;
    pleat_result result = pleat_bake_create(desc, host, &bake, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return;
    }
    for (uint32_t frame = 0; frame < pleat_bake_get_shape(bake)->frame_count && frame < MOST_FRAMES; ++frame)
    {
        result = pleat_bake_frame(bake, frame, &error);
        if (result != PLEAT_OK)
        {
            fuzz_failed(result, &error);
            break;
        }
        uint32_t count = pleat_bake_get_shape(bake)->vertex_count;
        pleat_vec3 *positions = malloc(((size_t)count + 1) * sizeof *positions);
        pleat_bake_copy(bake, positions, NULL);
        for (uint32_t v = 0; v < count; ++v)
        {
            fuzz_must(isfinite(positions[v].x) && isfinite(positions[v].y) && isfinite(positions[v].z),
                      "a vertex is nowhere", &error);
        }
        free(positions);
    }
    pleat_bake_destroy(bake);
}

static bool is_small(const pleat_model *model)
{
    uint32_t vertices = 0;
    for (uint32_t i = 0; i < model->scene_node_count; ++i)
    {
        uint32_t mesh = model->nodes[model->scene_nodes[i]].mesh;
        vertices += mesh == PLEAT_NONE ? 0 : pleat_mesh_vertex_count(&model->meshes[mesh]);
        vertices += mesh == PLEAT_NONE ? 0 : pleat_mesh_triangle_count(&model->meshes[mesh]);
        if (vertices > MOST_VERTICES)
        {
            return false;
        }
    }
    return true;
}

/* The options of a layer, of whatever kind; what is called radius, of wrinkles, is wide: how fine the mesh becomes is
 * not what is tried. Released by the caller. */
static void *make_options(const pleat_layer_type *type, float height)
{
    char *options = calloc(1, type->options_size);
    type->defaults(options);
    for (uint32_t p = 0; p < type->parameter_count; ++p)
    {
        const pleat_parameter *parameter = &type->parameters[p];
        if (strcmp(parameter->name, "radius") == 0 && parameter->kind == PLEAT_VALUE_LENGTH)
        {
            float wide = 0.05f * height;
            memcpy(options + parameter->offset, &wide, sizeof wide);
        }
    }
    return options;
}

/* The layers of a stack: each of the table alone, the correction of a skinning method, or the first three together. */
static uint32_t choose_layers(uint32_t which, const pleat_layer_type *types[3])
{
    uint32_t rows = pleat_layer_count(), methods = pleat_skin_method_count();
    uint32_t choice = which % (rows + methods + 1), count = 0;
    if (choice < rows)
    {
        types[count++] = pleat_layer_at(choice);
    }
    else if (choice < rows + methods && pleat_skin_method_at(choice - rows)->layer)
    {
        types[count++] = pleat_skin_method_at(choice - rows)->layer;
        types[count++] = pleat_layer_at(0);
    }
    while (count == 0 || (choice == rows + methods && count < 3))
    {
        types[count] = pleat_layer_at(count);
        ++count;
    }
    return count;
}

/* One stack, so that there is time for many files; the bytes say which. */
static void run_layers(const pleat_model *model, const pleat_host *host, uint32_t which)
{
    pleat_error error = {0};
    pleat_pose *pose;
    if (pleat_pose_create(model, host, &pose, &error) != PLEAT_OK)
    {
        return;
    }
    float height = pleat_model_height(model, pose);
    pleat_pose_destroy(pose);
    const pleat_layer_type *types[3];
    pleat_layer_desc layers[3];
    uint32_t count = choose_layers(which, types);
    for (uint32_t i = 0; i < count; ++i)
    {
        layers[i] = (pleat_layer_desc){types[i], make_options(types[i], isfinite(height) ? height : 0)};
    }
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.fps = rate_of(model);
    desc.skinning = which >> 8 & 1 ? PLEAT_DQS : PLEAT_LBS;
    desc.level = which >> 9 & 3 ? 0 : 1;
    desc.layers = layers;
    desc.layer_count = count;
    desc.frame_topology = (which >> 11 & 3) == 0;
    desc.recentre = which >> 13 & 1;
    run_bake(&desc, host);
    for (uint32_t i = 0; i < count; ++i)
    {
        free((void *)(uintptr_t)layers[i].options);
    }
}

static uint32_t sum_of(const uint8_t *data, size_t size)
{
    uint32_t sum = 0x811c9dc5u;
    for (size_t i = 0; i < size; ++i)
    {
        sum = (sum ^ data[i]) * 0x01000193u;
    }
    return sum ^ sum >> 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pleat_host host = fuzz_host();
    pleat_error error = {0};
    pleat_asset *asset;
    pleat_result result = pleat_asset_parse(format_of(data, size), data, size, "fuzz", &host, &asset, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    const pleat_model *model = pleat_asset_model(asset);
    pleat_garment_guess *guess;
    result = pleat_garment_guess_create(model, &host, &guess, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        guess = NULL;
    }
    pleat_garment_guess_destroy(guess);
    if (is_small(model))
    {
        /* What was found, once more by every stack: replay asks for that. */
        const char *every = getenv("PLEAT_FUZZ_ALL");
        uint32_t which = sum_of(data, size);
        for (uint32_t i = 0; i < (every ? pleat_layer_count() + pleat_skin_method_count() + 1 : 1); ++i)
        {
            run_layers(model, &host, which + i);
        }
    }
    pleat_asset_destroy(asset);
    return 0;
}

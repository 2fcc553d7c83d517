/* What follows reading: the garments are guessed, and stacks of every layer are bound to hostile meshes and run over
 * their clips. A stack may refuse, in a sentence; what it gives is finite. */
#include "fuzz.h"

#include "pleat/bake.h"
#include "pleat/garment.h"
#include "pleat/layers/folds.h"
#include "pleat/layers/volume.h"
#include "pleat/layers/wrinkles.h"

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

/* One of four stacks, so that there is time for many files; the bytes say which. Wrinkles are wide: how fine the mesh
 * becomes is not what is tried. */
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
    pleat_folds_options folds = pleat_folds_options_default();
    pleat_volume_options volume = pleat_volume_options_default();
    pleat_wrinkles_options wrinkles = pleat_wrinkles_options_default();
    wrinkles.radius = isfinite(height) ? 0.05f * height : 0;
    const pleat_layer_desc all[] = {
        {&pleat_volume_layer, &volume}, {&pleat_folds_layer, &folds}, {&pleat_wrinkles_layer, &wrinkles}};
    static const struct
    {
        uint32_t first, count, level;
        bool frame_topology;
    } stacks[] = {{0, 2, 0, false}, {1, 1, 1, false}, {2, 1, 0, false}, {1, 2, 0, true}};
    uint32_t i = which % (sizeof stacks / sizeof stacks[0]);
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    desc.fps = rate_of(model);
    desc.skinning = which & 4 ? PLEAT_DQS : PLEAT_LBS;
    desc.level = stacks[i].level;
    desc.layers = all + stacks[i].first;
    desc.layer_count = stacks[i].count;
    desc.frame_topology = stacks[i].frame_topology;
    desc.recentre = i == 0;
    run_bake(&desc, host);
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
        for (uint32_t i = 0; i < (every ? 8 : 1); ++i)
        {
            run_layers(model, &host, which + i);
        }
    }
    pleat_asset_destroy(asset);
    return 0;
}

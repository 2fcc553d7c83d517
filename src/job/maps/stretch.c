/* Compression maps: how each garment is squeezed and stretched, of every frame or the most of all. */
#include "job/maps/maps.h"

#include <math.h>
#include <string.h>

/* What the channels of each convention say, in the order of pleat_stretch_colors. */
static const char *const meanings[] = {
    "red: (largest stretch - 1) / strength; blue: (1 - smallest stretch) / strength",
    "two files, xx yy zz and xy yz zx of the strain in the mesh's own space: (texel / 65535 - 0.5) * 2 * strength",
    "all: 0.5 + 0.5 * (area now / area at rest - 1) / strength",
};
static const char *const names[] = {"tension", "tensor", "area"};

pleat_result pl_job_maps_open_stretch(pl_maps_run *run, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t most = 0;
    size_t texels = (size_t)run->options.size * run->options.size;
    for (uint32_t i = 0; i < run->set_count; ++i)
    {
        uint32_t count = pleat_stack_get_shape(pleat_bake_stack(run->bake, run->sets[i].stack))->surface_count;
        most = count > most ? count : most;
        json_object_set_new(run->sets[i].json, "stretch",
                            json_pack("{s:s, s:f, s:s, s:i, s:s}", "convention", names[run->options.colors], "strength",
                                      (double)run->options.strength, "channels", meanings[run->options.colors], "bits",
                                      run->options.colors == PLEAT_STRETCH_TENSOR ? 16 : 8, "of",
                                      run->options.most ? "the most of all frames" : "each frame"));
    }
    PL_ARENA_NEW_OR_FAIL(run->stretch_values, &run->job.arena, float, 3 * (size_t)most, error);
    PL_ARENA_NEW_OR_FAIL(run->stretch_texels, &run->job.arena, uint16_t, 3 * texels, error);
    result = pleat_stretches_create(run->bake, &run->job.host, &run->stretches, error);
fail:
    return result;
}

void pl_job_maps_close_stretch(pl_maps_run *run)
{
    pleat_stretches_destroy(run->stretches);
}

/* Three numbers a vertex, 0..1, drawn and written. first: of the tensor's six. */
static pleat_result write_values(pl_maps_run *run, pl_maps_set *set, uint32_t first, const char *file,
                                 pleat_error *error)
{
    const pleat_maps_job *options = &run->options;
    uint32_t size = options->size,
             count = pleat_stack_get_shape(pleat_bake_stack(run->bake, set->stack))->surface_count;
    const pleat_stretch *stretches = pleat_stretches_of(run->stretches, set->stack);
    bool words = options->colors == PLEAT_STRETCH_TENSOR;
    double start = pl_job_seconds();
    for (uint32_t v = 0; v < count; ++v)
    {
        float *out = run->stretch_values + 3 * (size_t)v, tensor[6];
        pleat_vec3 color =
            pleat_stretch_to_color(&stretches[v], options->colors, options->strength, (pleat_vec3){0}, (pleat_vec3){0});
        memcpy(out, &color, 3 * sizeof *out);
        pleat_stretch_to_tensor(&stretches[v], tensor);
        for (uint32_t k = 0; k < 3 && words; ++k)
        {
            out[k] = fminf(fmaxf(0.5f + 0.5f * tensor[first + k] / options->strength, 0), 1);
        }
    }
    pleat_maps_values(set->maps, run->stretch_values, 3, run->stretch_texels, &run->job.host.tasks);
    for (size_t i = 0; i < 3 * (size_t)size * size && !words; ++i)
    {
        run->bytes[i] = (uint8_t)((run->stretch_texels[i] * 255u + 32767u) / 65535u);
    }
    run->map_seconds += pl_job_seconds() - start;
    pleat_png png = {size, size, 3, words ? 16 : 8, words ? (const void *)run->stretch_texels : run->bytes, true};
    return pl_job_maps_write_png(run, file, &png, error);
}

static pleat_result write_stretch(pl_maps_run *run, pl_maps_set *set, json_t *entry, uint32_t number,
                                  pleat_error *error)
{
    bool tensor = run->options.colors == PLEAT_STRETCH_TENSOR;
    const char *file = pl_job_maps_file_name(run, set->name, tensor ? "strain" : "stretch", number, ".png");
    json_object_set_new(entry, tensor ? "strain" : "stretch", json_string(file));
    PL_TRY(write_values(run, set, 0, file, error));
    if (tensor)
    {
        file = pl_job_maps_file_name(run, set->name, "strain_mixed", number, ".png");
        json_object_set_new(entry, "strain_mixed", json_string(file));
        PL_TRY(write_values(run, set, 3, file, error));
    }
    return PLEAT_OK;
}

void pl_job_maps_take_stretch(pl_maps_run *run)
{
    if (!run->options.most)
    {
        pleat_stretches_clear(run->stretches);
    }
    pleat_stretches_add(run->stretches, &run->job.host.tasks);
}

pleat_result pl_job_maps_write_stretch(pl_maps_run *run, pl_maps_set *set, json_t *entry, uint32_t number,
                                       pleat_error *error)
{
    return run->options.most ? PLEAT_OK : write_stretch(run, set, entry, number, error);
}

pleat_result pl_job_maps_write_most(pl_maps_run *run, pleat_error *error)
{
    for (uint32_t i = 0; run->options.most && i < run->set_count; ++i)
    {
        PL_TRY(write_stretch(run, &run->sets[i], json_object_get(run->sets[i].json, "stretch"), PLEAT_NONE, error));
    }
    return PLEAT_OK;
}

/* maps.json: what the textures mean. */
#include "job/maps/maps.h"

#include <math.h>

json_t *pl_number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *encoding_json(pleat_height_range range)
{
    double span = (double)range.high - (double)range.low;
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:i, s:s}", "formula", "low + texel / 65535 * (high - low)", "low",
                     (double)range.low, "high", (double)range.high, "scale", span, "midlevel",
                     span > 0 ? -(double)range.low / span : 0.5, "bits", 16, "unit", "metres");
}

static void describe_set(const pl_maps_run *run, pl_maps_set *set)
{
    const pleat_maps_job *options = &run->options;
    uint32_t mesh = run->model->nodes[set->node].mesh;
    json_t *json = set->json;
    json_object_set_new(json, "name", json_string(set->name));
    json_object_set_new(json, "node", json_string(pl_shown(run->model->nodes[set->node].name)));
    json_object_set_new(json, "mesh", json_string(pl_shown(run->model->meshes[mesh].name)));
    json_object_set_new(json, "size", json_integer(options->size));
    json_object_set_new(json, "uv_set", json_integer(set->uv_set));
    if (set->material != PLEAT_NONE)
    {
        json_object_set_new(json, "material", json_string(pl_shown(run->model->materials[set->material].name)));
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
    if (run->settle)
    {
        /* Which of the maps holds the surface within 2 % of the largest height. */
        json_object_set_new(json, "displace_by", json_string(vectors ? "vector" : "height"));
    }
}

json_t *pl_job_maps_describe(const pl_maps_run *run)
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
                  pl_shown(run->job.input->file), "clip",
                  run->clip == PLEAT_NONE ? "" : pl_shown(run->model->clips[run->clip].name), "fps", (double)shape->fps,
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

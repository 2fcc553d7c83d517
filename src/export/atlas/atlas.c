/* From charts back to a mesh: vertices in several charts are copied, and everything that belongs to them. */
#include "export/atlas/atlas.h"

#include <string.h>

struct pleat_atlas
{
    pl_memory memory;
    pl_arena arena;
    const pleat_mesh *input;
    pleat_mesh mesh;
    pleat_primitive *primitives;
    const uint32_t **source; /* per primitive */
    pleat_atlas_report report;
};

pleat_atlas_options pleat_atlas_options_default(void)
{
    return (pleat_atlas_options){.size = 2048, .padding = 8, .angle = 50};
}

static pleat_result check(const pleat_mesh *mesh, const pleat_atlas_options *options, pleat_error *error)
{
    if (options->size < 16 || options->size > 16384)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "atlas: size is %u; it can be 16 to 16384", options->size);
    }
    if (options->padding > 64)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "atlas: padding is %u; it can be 0 to 64", options->padding);
    }
    if (!(options->angle >= 10 && options->angle <= 60))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "atlas: angle is %g; it can be 10 to 60", (double)options->angle);
    }
    if (pleat_mesh_triangle_count(mesh) > UINT32_MAX / 16)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "atlas: the mesh '%.80s' has too many triangles", mesh->name);
    }
    return PLEAT_OK;
}

static bool is_wanted(const pleat_atlas_options *options, uint32_t primitive)
{
    return !options->primitives || options->primitives[primitive];
}

/* ---- The surface ---- */

/* All wanted primitives behind one another, welded where positions agree. */
static pleat_result weld(const pleat_mesh *mesh, const pleat_atlas_options *options, pl_arena *arena,
                         const pleat_host *host, pleat_surface **surface, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_surface_desc desc = pleat_surface_desc_default();
    pleat_vec3 *positions;
    uint32_t *triangles;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        desc.render_count += is_wanted(options, p) ? mesh->primitives[p].vertex_count : 0;
        desc.triangle_count += is_wanted(options, p) ? mesh->primitives[p].triangle_count : 0;
    }
    PL_ARENA_NEW_OR_FAIL(positions, arena, pleat_vec3, desc.render_count, error);
    PL_ARENA_NEW_OR_FAIL(triangles, arena, uint32_t, 3 * (size_t)desc.triangle_count, error);
    uint32_t vertex = 0;
    size_t corner = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        if (!is_wanted(options, p))
        {
            continue;
        }
        memcpy(positions + vertex, primitive->positions, primitive->vertex_count * sizeof *positions);
        for (size_t i = 0; i < 3 * (size_t)primitive->triangle_count; ++i)
        {
            triangles[corner++] = primitive->triangles[i] + vertex;
        }
        vertex += primitive->vertex_count;
    }
    desc.positions = positions;
    desc.triangles = triangles;
    result = pleat_surface_create(&desc, host, surface, error);
fail:
    return result;
}

/* ---- Vertices ---- */

/* The copies of the vertices of one primitive while it is cut. */
typedef struct cutting
{
    uint32_t *chart; /* room for 3 triangles' vertices: which chart each new vertex lies in, or PLEAT_NONE */
    uint32_t *next;  /* further copy of the same input vertex, or PLEAT_NONE */
    uint32_t *source;
    float *uvs;
    uint32_t count;
} cutting;

/* The vertex for a corner: the input's own where its chart is the first to come, else a copy. */
static uint32_t vertex_in(cutting *cut, uint32_t vertex, uint32_t chart, const float uv[2])
{
    uint32_t at = vertex;
    while (cut->chart[at] != chart && cut->chart[at] != PLEAT_NONE && cut->next[at] != PLEAT_NONE)
    {
        at = cut->next[at];
    }
    if (cut->chart[at] != chart && cut->chart[at] != PLEAT_NONE)
    {
        cut->source[cut->count] = vertex;
        cut->next[cut->count] = PLEAT_NONE;
        cut->next[at] = cut->count;
        at = cut->count++;
    }
    cut->chart[at] = chart;
    cut->uvs[2 * (size_t)at] = uv[0];
    cut->uvs[2 * (size_t)at + 1] = uv[1];
    return at;
}

/* Rows of an array in the order of source; NULL stays NULL. */
static pleat_result gather(pl_arena *arena, const void *from, size_t row, const cutting *cut, const void **out,
                           pleat_error *error)
{
    *out = NULL;
    if (!from)
    {
        return PLEAT_OK;
    }
    char *made = pl_arena_alloc(arena, cut->count, row);
    if (!made)
    {
        return pl_fail_memory(arena->memory, error, "the vertices of an atlas");
    }
    for (uint32_t v = 0; v < cut->count; ++v)
    {
        memcpy(made + v * row, (const char *)from + cut->source[v] * row, row);
    }
    *out = made;
    return PLEAT_OK;
}

static pleat_result gather_vertices(pleat_atlas *atlas, const pleat_primitive *old, const cutting *cut,
                                    pleat_primitive *now, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena *arena = &atlas->arena;
    pleat_target *targets = NULL;
#define GATHER(member, row)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        const void *made;                                                                                              \
        PL_TRY(gather(arena, old->member, (row), cut, &made, error));                                                  \
        now->member = made;                                                                                            \
    } while (0)
    GATHER(positions, sizeof(pleat_vec3));
    GATHER(normals, sizeof(pleat_vec3));
    GATHER(colors, 4 * sizeof(float));
    GATHER(joints, old->influence_count * sizeof(uint16_t));
    GATHER(weights, old->influence_count * sizeof(float));
#undef GATHER
    now->tangents = NULL; /* they were those of other coordinates */
    if (old->targets)
    {
        PL_ARENA_NEW_OR_FAIL(targets, arena, pleat_target, atlas->input->target_count, error);
        for (uint32_t t = 0; t < atlas->input->target_count; ++t)
        {
            const void *positions, *normals;
            PL_TRY(gather(arena, old->targets[t].positions, sizeof(pleat_vec3), cut, &positions, error));
            PL_TRY(gather(arena, old->targets[t].normals, sizeof(pleat_vec3), cut, &normals, error));
            targets[t] = (pleat_target){positions, normals};
        }
    }
    now->targets = targets;
    now->vertex_count = cut->count;
fail:
    return result;
}

static pleat_result cut_primitive(pleat_atlas *atlas, const pl_charts *charts, uint32_t first_triangle, uint32_t index,
                                  pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_primitive *old = &atlas->input->primitives[index];
    pleat_primitive *now = &atlas->primitives[index];
    pl_arena *arena = &atlas->arena;
    cutting cut = {.count = old->vertex_count};
    uint32_t *triangles;
    size_t most = old->vertex_count + 3 * (size_t)old->triangle_count;
    PL_ARENA_NEW_OR_FAIL(cut.chart, arena, uint32_t, most, error);
    PL_ARENA_NEW_OR_FAIL(cut.next, arena, uint32_t, most, error);
    PL_ARENA_NEW_OR_FAIL(cut.source, arena, uint32_t, most, error);
    PL_ARENA_NEW_OR_FAIL(cut.uvs, arena, float, 2 * most, error);
    PL_ARENA_NEW_OR_FAIL(triangles, arena, uint32_t, 3 * (size_t)old->triangle_count, error);
    for (uint32_t v = 0; v < old->vertex_count; ++v)
    {
        cut.chart[v] = cut.next[v] = PLEAT_NONE;
        cut.source[v] = v;
    }
    for (uint32_t c = 0; c < 3 * old->triangle_count; ++c)
    {
        uint32_t t = first_triangle + c / 3;
        triangles[c] =
            vertex_in(&cut, old->triangles[c], charts->chart[t], charts->flat[3 * (size_t)first_triangle + c]);
    }
    PL_TRY(gather_vertices(atlas, old, &cut, now, error));
    now->triangles = triangles;
    now->uvs = cut.uvs;
    atlas->source[index] = cut.source;
fail:
    return result;
}

/* A primitive that stays: its vertices are the input's. */
static pleat_result keep_primitive(pleat_atlas *atlas, uint32_t index, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t *source, count = atlas->input->primitives[index].vertex_count;
    PL_ARENA_NEW_OR_FAIL(source, &atlas->arena, uint32_t, count, error);
    for (uint32_t v = 0; v < count; ++v)
    {
        source[v] = v;
    }
    atlas->source[index] = source;
fail:
    return result;
}

static pleat_result make_mesh(pleat_atlas *atlas, const pl_charts *charts, const pleat_atlas_options *options,
                              pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t first = 0, count = atlas->input->primitive_count;
    PL_ARENA_NEW_OR_FAIL(atlas->primitives, &atlas->arena, pleat_primitive, count, error);
    PL_ARENA_NEW_OR_FAIL(atlas->source, &atlas->arena, const uint32_t *, count, error);
    for (uint32_t p = 0; p < count && result == PLEAT_OK; ++p)
    {
        atlas->primitives[p] = atlas->input->primitives[p];
        result =
            is_wanted(options, p) ? cut_primitive(atlas, charts, first, p, error) : keep_primitive(atlas, p, error);
        first += is_wanted(options, p) ? atlas->input->primitives[p].triangle_count : 0;
    }
    atlas->mesh = *atlas->input;
    atlas->mesh.primitives = atlas->primitives;
fail:
    return result;
}

/* ---- Creation ---- */

static void fill_report(pleat_atlas *atlas, const pl_charts *charts, const pl_packing *packing,
                        const pleat_atlas_options *options)
{
    pleat_atlas_report *report = &atlas->report;
    *report = (pleat_atlas_report){charts->count, packing->padding, 0, packing->scale * (float)options->size, 1};
    for (uint32_t t = 0; t < charts->triangle_count; ++t)
    {
        if (charts->areas[t] > 0)
        {
            float cosine = pl_dot3(charts->normals[t], charts->axes[charts->chart[t]]);
            report->squeezed = fminf(report->squeezed, cosine);
            report->covered += charts->areas[t] * cosine * packing->scale * packing->scale;
        }
    }
}

static pleat_result fill_atlas(pleat_atlas *atlas, const pleat_atlas_options *options, const pleat_host *host,
                               pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_arena scratch;
    pleat_surface *surface = NULL;
    pleat_topology *topology = NULL;
    pl_charts charts = {.memory = &atlas->memory, .arena = &scratch};
    pl_packing packing;
    pl_f4 *positions;
    pl_arena_init(&scratch, &atlas->memory);
    if ((result = weld(atlas->input, options, &scratch, host, &surface, error)) != PLEAT_OK ||
        (result = pleat_topology_create(surface->vertex_count, surface->triangle_count, surface->triangles, host,
                                        &topology, error)) != PLEAT_OK)
    {
        goto fail;
    }
    PL_ARENA_NEW_OR_FAIL(positions, &scratch, pl_f4, surface->vertex_count, error);
    for (uint32_t p = 0, r = 0; p < atlas->input->primitive_count; ++p)
    {
        for (uint32_t v = 0; is_wanted(options, p) && v < atlas->input->primitives[p].vertex_count; ++v, ++r)
        {
            positions[surface->render_vertex[r]] = pl_load3(&atlas->input->primitives[p].positions[v]);
        }
    }
    charts.topology = topology;
    charts.positions = positions;
    charts.triangle_count = surface->triangle_count;
    if ((result = pl_charts_cut(&charts, options->angle, error)) == PLEAT_OK &&
        (result = pl_charts_flatten(&charts, error)) == PLEAT_OK &&
        (result = pl_charts_pack(&charts, options->size, options->padding, &packing, error)) == PLEAT_OK)
    {
        fill_report(atlas, &charts, &packing, options);
        result = make_mesh(atlas, &charts, options, error);
    }
fail:
    pleat_topology_destroy(topology);
    pleat_surface_destroy(surface);
    pl_arena_free(&scratch);
    return result;
}

pleat_result pleat_atlas_create(const pleat_mesh *mesh, const pleat_atlas_options *options, const pleat_host *host,
                                pleat_atlas **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(check(mesh, options, error));
    pleat_atlas *atlas = PL_CREATE(pleat_atlas, host);
    if (!atlas)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for an atlas");
    }
    pl_arena_init(&atlas->arena, &atlas->memory);
    atlas->input = mesh;
    pleat_result result = fill_atlas(atlas, options, host, error);
    if (result != PLEAT_OK)
    {
        pleat_atlas_destroy(atlas);
        return result;
    }
    *out = atlas;
    return PLEAT_OK;
}

void pleat_atlas_destroy(pleat_atlas *atlas)
{
    if (atlas)
    {
        pl_arena_free(&atlas->arena);
        PL_DESTROY(atlas);
    }
}

const pleat_mesh *pleat_atlas_mesh(const pleat_atlas *atlas)
{
    return &atlas->mesh;
}

const uint32_t *const *pleat_atlas_source(const pleat_atlas *atlas)
{
    return atlas->source;
}

pleat_atlas_report pleat_atlas_get_report(const pleat_atlas *atlas)
{
    return atlas->report;
}

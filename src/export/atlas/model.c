/* A model with the meshes of atlases in the place of its own. */
#include "base/memory.h"
#include "pleat/export/atlas.h"

#include <string.h>

/* Points of the input's mesh, given out for the vertices of the atlas. */
typedef struct moved_points
{
    pleat_points from;
    const pleat_mesh *old, *now;
    const uint32_t *const *source;
    pleat_vec3 *frame; /* of the input */
} moved_points;

struct pleat_atlas_model
{
    pl_memory memory;
    pl_arena arena;
    pleat_model model;
};

static pleat_result read_moved(void *user, uint32_t frame, pleat_vec3 *out, pleat_error *error)
{
    const moved_points *points = user;
    PL_TRY(points->from.read(points->from.user, frame, points->frame, error));
    const pleat_vec3 *from = points->frame;
    for (uint32_t p = 0; p < points->now->primitive_count; ++p)
    {
        uint32_t count = points->now->primitives[p].vertex_count;
        for (uint32_t v = 0; v < count; ++v)
        {
            out[v] = from[points->source[p][v]];
        }
        out += count;
        from += points->old->primitives[p].vertex_count;
    }
    return PLEAT_OK;
}

static pleat_result move_points(pleat_atlas_model *made, const pleat_atlas *const *atlases, pleat_clip *clip,
                                pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t mesh = clip->points.node == PLEAT_NONE ? PLEAT_NONE : made->model.nodes[clip->points.node].mesh;
    moved_points *points;
    if (mesh == PLEAT_NONE || !atlases[mesh])
    {
        return PLEAT_OK;
    }
    PL_ARENA_NEW_OR_FAIL(points, &made->arena, moved_points, 1, error);
    PL_ARENA_NEW_OR_FAIL(points->frame, &made->arena, pleat_vec3, clip->points.vertex_count, error);
    points->from = clip->points;
    points->old = &made->model.meshes[mesh];
    points->now = pleat_atlas_mesh(atlases[mesh]);
    points->source = pleat_atlas_source(atlases[mesh]);
    clip->points.vertex_count = pleat_mesh_vertex_count(points->now);
    clip->points.read = read_moved;
    clip->points.user = points;
fail:
    return result;
}

static pleat_result fill(pleat_atlas_model *made, const pleat_atlas *const *atlases, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pleat_model *model = &made->model;
    pleat_mesh *meshes;
    pleat_clip *clips;
    PL_ARENA_NEW_OR_FAIL(meshes, &made->arena, pleat_mesh, model->mesh_count, error);
    PL_ARENA_NEW_OR_FAIL(clips, &made->arena, pleat_clip, model->clip_count, error);
    for (uint32_t c = 0; c < model->clip_count && result == PLEAT_OK; ++c)
    {
        clips[c] = model->clips[c];
        result = move_points(made, atlases, &clips[c], error);
    }
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        meshes[m] = atlases[m] ? *pleat_atlas_mesh(atlases[m]) : model->meshes[m];
    }
    model->meshes = meshes;
    model->clips = clips;
fail:
    return result;
}

pleat_result pleat_atlas_model_create(const pleat_model *model, const pleat_atlas *const *atlases,
                                      const pleat_host *host, pleat_atlas_model **out, pleat_error *error)
{
    *out = NULL;
    pleat_atlas_model *made = PL_CREATE(pleat_atlas_model, host);
    if (!made)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for an atlas");
    }
    pl_arena_init(&made->arena, &made->memory);
    made->model = *model;
    pleat_result result = fill(made, atlases, error);
    if (result != PLEAT_OK)
    {
        pleat_atlas_model_destroy(made);
        return result;
    }
    *out = made;
    return PLEAT_OK;
}

void pleat_atlas_model_destroy(pleat_atlas_model *model)
{
    if (model)
    {
        pl_arena_free(&model->arena);
        PL_DESTROY(model);
    }
}

const pleat_model *pleat_atlas_model_get(const pleat_atlas_model *model)
{
    return &model->model;
}

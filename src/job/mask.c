/* A painted mask: where layers act, and how much. */
#include "job/choice.h"

#include "pleat/io.h"

#include <math.h>
#include <string.h>

/* Brightness of a pixel, 0 .. 1; the picture repeats itself. */
static float pixel_at(const pleat_image *image, int64_t x, int64_t y)
{
    int64_t width = image->width, height = image->height;
    x = (x % width + width) % width;
    y = (y % height + height) % height;
    const uint8_t *p = image->pixels + 4 * (size_t)(y * width + x);
    return (float)(p[0] + p[1] + p[2]) / 765.0f;
}

/* Between the four pixels around a texture coordinate. */
static float brightness_at(const pleat_image *image, const float uv[2])
{
    double x = (double)uv[0] * image->width - 0.5, y = (double)uv[1] * image->height - 0.5;
    if (!(fabs(x) < 1e9) || !(fabs(y) < 1e9))
    {
        return 1;
    }
    int64_t column = (int64_t)floor(x), row = (int64_t)floor(y);
    float s = (float)(x - floor(x)), t = (float)(y - floor(y));
    float top = (1 - s) * pixel_at(image, column, row) + s * pixel_at(image, column + 1, row);
    float bottom = (1 - s) * pixel_at(image, column, row + 1) + s * pixel_at(image, column + 1, row + 1);
    return (1 - t) * top + t * bottom;
}

/* One primitive; image NULL: by the red of its colours. False if it has not what it takes. */
static bool mask_primitive(const pleat_primitive *primitive, const pleat_image *image, float *out)
{
    if (image ? !primitive->uvs : !primitive->colors)
    {
        return false;
    }
    for (uint32_t v = 0; v < primitive->vertex_count; ++v)
    {
        float value = image ? brightness_at(image, primitive->uvs + 2 * (size_t)v) : primitive->colors[4 * (size_t)v];
        out[v] = fminf(fmaxf(value, 0), 1);
    }
    return true;
}

static pleat_result fill_mask(const pl_job *job, const pleat_model *model, const pleat_image *image, pl_choice *choice,
                              pleat_error *error)
{
    size_t at = 0, part = 0;
    for (uint32_t i = 0; i < choice->node_count; ++i)
    {
        const pleat_node *node = &model->nodes[choice->nodes[i]];
        const pleat_mesh *mesh = &model->meshes[node->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; ++p, ++part)
        {
            const pleat_primitive *primitive = &mesh->primitives[p];
            if (choice->garment[part] && !mask_primitive(primitive, image, choice->mask + at))
            {
                return pl_fail(error, PLEAT_BAD_DATA, "%.200s: '%.100s' has no %s for the mask", job->input->file,
                               pl_shown(node->name), image ? "texture coordinates" : "colours");
            }
            at += primitive->vertex_count;
        }
    }
    return PLEAT_OK;
}

pleat_result pl_choose_mask(pl_job *job, const pleat_model *model, const char *path, pl_choice *choice,
                            pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    size_t count = 0;
    if (!path || choice->node_count == 0)
    {
        return PLEAT_OK;
    }
    for (uint32_t i = 0; i < choice->node_count; ++i)
    {
        count += pleat_mesh_vertex_count(&model->meshes[model->nodes[choice->nodes[i]].mesh]);
    }
    PL_ARENA_NEW_OR_FAIL(choice->mask, &job->arena, float, count, error);
    for (size_t v = 0; v < count; ++v)
    {
        choice->mask[v] = 1;
    }
    if (strcmp(path, "color") == 0)
    {
        return fill_mask(job, model, NULL, choice, error);
    }
    pleat_image image;
    PL_TRY(pleat_image_read(path, &job->host, &image, error));
    result = fill_mask(job, model, &image, choice, error);
    pleat_image_free(&job->host, &image);
fail:
    return result;
}

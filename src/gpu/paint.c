/* Pictures on meshes: kept by the driver from frame to frame. */
#include "gpu/renderer.h"

#include "gpu/program.h"

static const pl_paint_slot *find(const pleat_renderer *renderer, const pleat_paint *paint)
{
    for (uint32_t i = 0; i < renderer->paint_count; ++i)
    {
        const pl_paint_slot *slot = &renderer->paints[i];
        if (slot->pixels == paint->pixels && slot->width == paint->width && slot->height == paint->height)
        {
            return slot;
        }
    }
    return NULL;
}

static pleat_result add(pleat_renderer *renderer, const pleat_paint *paint, pleat_error *error)
{
    pl_paint_slot *slots = pl_realloc(&renderer->memory, renderer->paints, renderer->paint_count + 1, sizeof *slots);
    if (!slots)
    {
        return pl_fail_memory(&renderer->memory, error, "the list of pictures");
    }
    renderer->paints = slots;
    pl_paint_slot *slot = &slots[renderer->paint_count++];
    *slot = (pl_paint_slot){paint->pixels, paint->width, paint->height, 0};
    glGenTextures(1, &slot->texture);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, slot->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, (GLsizei)paint->width, (GLsizei)paint->height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, paint->pixels);
    glGenerateMipmap(GL_TEXTURE_2D);
    return PLEAT_OK;
}

pleat_result pl_paint_upload(pleat_renderer *renderer, const pleat_scene *scene, pleat_error *error)
{
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        const pleat_paint *paint = scene->drawables[i].paint;
        if (paint && (paint->width > (uint32_t)most || paint->height > (uint32_t)most))
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT,
                           "drawable %u is painted with %u x %u pixels; this driver takes %d", i, paint->width,
                           paint->height, (int)most);
        }
        if (paint && !find(renderer, paint))
        {
            PL_TRY(add(renderer, paint, error));
        }
    }
    return PLEAT_OK;
}

static GLint wrap_mode(bool clamp, bool mirror)
{
    return clamp ? GL_CLAMP_TO_EDGE : mirror ? GL_MIRRORED_REPEAT : GL_REPEAT;
}

void pl_paint_bind(const pleat_renderer *renderer, GLuint program, GLenum unit, const pleat_drawable *d)
{
    const pl_paint_slot *slot = d->paint && d->uvs ? find(renderer, d->paint) : NULL;
    glUniform4f(glGetUniformLocation(program, "alpha"), d->base_alpha, d->cutoff, d->blends ? 1.0f : 0.0f,
                slot ? 1.0f : 0.0f);
    if (!slot)
    {
        return;
    }
    const float *t = d->paint->transform;
    glUniform3f(glGetUniformLocation(program, "paint_u"), t[0], t[1], t[2]);
    glUniform3f(glGetUniformLocation(program, "paint_v"), t[3], t[4], t[5]);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, slot->texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap_mode(d->paint->clamp_u, d->paint->mirror_u));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap_mode(d->paint->clamp_v, d->paint->mirror_v));
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, d->paint->nearest ? GL_NEAREST : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

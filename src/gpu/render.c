/* A frame: depth maps from the light and from below, surfaces with several samples a pixel, what each pixel sees around
 * it, then light and colour. Everything runs in a context of the renderer's own. */
#include "gpu/renderer.h"

#include "gpu/program.h"
#include "gpu/scene.h"
#include "gpu/shaders.h"

#include <stdio.h>
#include <string.h>

enum
{
    STRETCH_MAP_SIZE = 256
};

pleat_renderer_options pleat_renderer_options_default(void)
{
    return (pleat_renderer_options){.samples = 4, .shadow_size = 2048};
}

/* ---- Creation ---- */

#define AROUND_SAMPLERS                                                                                                \
    {                                                                                                                  \
        "depth_map", "normal_map", "shadow_depth", "shadow_compare", "floor_open"                                      \
    }
#define SHADE_SAMPLERS                                                                                                 \
    {                                                                                                                  \
        "sample_depth", "sample_normal", "sample_base", "sample_overlay", "depth_map", "around_map"                    \
    }

/* Two passes have a lighter form for the part of the picture where there is nothing but ground. */
static const struct
{
    const char *name, *vertex, *fragment, *define;
    const char *samplers[6]; /* texture unit i */
} programs[PL_PROGRAM_COUNT] = {
    [PL_PROGRAM_SURFACE] = {"surface", pl_shader_surface_vert, pl_shader_surface_frag, NULL, {"stretch_map", "paint"}},
    [PL_PROGRAM_DEPTH] = {"depth", pl_shader_depth_vert, pl_shader_depth_frag, NULL, {"paint"}},
    [PL_PROGRAM_CONTACT] = {"contact", pl_shader_screen_vert, pl_shader_contact_frag, NULL, {"floor_depth"}},
    [PL_PROGRAM_GATHER] =
        {"gather", pl_shader_screen_vert, pl_shader_gather_frag, NULL, {"sample_depth", "sample_normal"}},
    [PL_PROGRAM_AROUND] = {"around", pl_shader_screen_vert, pl_shader_around_frag, NULL, AROUND_SAMPLERS},
    [PL_PROGRAM_AROUND_GROUND] = {"around", pl_shader_screen_vert, pl_shader_around_frag, "GROUND_ONLY",
                                  AROUND_SAMPLERS},
    [PL_PROGRAM_BLUR] =
        {"blur", pl_shader_screen_vert, pl_shader_blur_frag, NULL, {"depth_map", "normal_map", "around_map"}},
    [PL_PROGRAM_SHADE] = {"shade", pl_shader_screen_vert, pl_shader_shade_frag, NULL, SHADE_SAMPLERS},
    [PL_PROGRAM_SHADE_GROUND] = {"shade", pl_shader_screen_vert, pl_shader_shade_frag, "GROUND_ONLY", SHADE_SAMPLERS},
    [PL_PROGRAM_LINE] = {"line", pl_shader_line_vert, pl_shader_line_frag, NULL, {NULL}},
    [PL_PROGRAM_ELLIPSE] = {"ellipse", pl_shader_ellipse_vert, pl_shader_ellipse_frag, NULL, {NULL}},
};

static pleat_result make_programs(pleat_renderer *renderer, pleat_error *error)
{
    for (int i = 0; i < PL_PROGRAM_COUNT; ++i)
    {
        PL_TRY(pl_program_make(programs[i].name, programs[i].vertex, programs[i].fragment, programs[i].define,
                               &renderer->programs[i], error));
        for (int unit = 0; unit < 6 && programs[i].samplers[unit]; ++unit)
        {
            pl_program_int(renderer->programs[i], programs[i].samplers[unit], unit);
        }
    }
    return PLEAT_OK;
}

static pleat_result check_samples(const pleat_renderer_options *options, pleat_error *error)
{
    GLint color_samples = 1, depth_samples = 1;
    glGetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &color_samples);
    glGetIntegerv(GL_MAX_DEPTH_TEXTURE_SAMPLES, &depth_samples);
    GLint most = color_samples < depth_samples ? color_samples : depth_samples;
    if (options->samples > (uint32_t)most)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "samples is %u; this driver gives at most %d", options->samples,
                       (int)most);
    }
    return PLEAT_OK;
}

/* Everything that needs the context to be current. */
static pleat_result make_objects(pleat_renderer *renderer, pleat_error *error)
{
    PL_TRY(check_samples(&renderer->options, error));
    PL_TRY(make_programs(renderer, error));
    snprintf(renderer->driver, sizeof renderer->driver, "%s, OpenGL %s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));
    glGenBuffers(1, &renderer->frame_buffer);
    glGenVertexArrays(1, &renderer->empty_array);
    glGenVertexArrays(1, &renderer->overlay_array);
    glGenBuffers(1, &renderer->overlay_buffer);
    glGenTextures(1, &renderer->stretch_map);
    glGenSamplers(1, &renderer->compare_sampler);
    glSamplerParameteri(renderer->compare_sampler, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(renderer->compare_sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glSamplerParameteri(renderer->compare_sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glSamplerParameteri(renderer->compare_sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glSamplerParameteri(renderer->compare_sampler, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glSamplerParameteri(renderer->compare_sampler, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return PLEAT_OK;
}

pleat_result pleat_renderer_create(const pleat_renderer_options *options, const pleat_host *host,
                                   pleat_renderer **renderer, pleat_error *error)
{
    *renderer = NULL;
    uint32_t samples = options->samples;
    if (samples != 1 && samples != 2 && samples != 4 && samples != 8)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "samples is %u; it can be 1, 2, 4 or 8", samples);
    }
    if (options->shadow_size < 64 || options->shadow_size > 8192)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "shadow_size is %u; it can be 64 to 8192", options->shadow_size);
    }
    pleat_renderer *made = PL_CREATE(pleat_renderer, host);
    if (!made)
    {
        pl_memory memory = pl_memory_from(host);
        return pl_fail_memory(&memory, error, "the renderer");
    }
    made->options = *options;
    pl_context_saved saved;
    pleat_result result = pl_context_open(&made->context, error);
    if (result == PLEAT_OK)
    {
        result = pl_context_enter(&made->context, &saved, error);
        if (result == PLEAT_OK)
        {
            result = make_objects(made, error);
            pl_context_leave(&made->context, &saved);
        }
    }
    if (result != PLEAT_OK)
    {
        pleat_renderer_destroy(made);
        return result;
    }
    *renderer = made;
    return PLEAT_OK;
}

/* With the context go all its objects. */
void pleat_renderer_destroy(pleat_renderer *renderer)
{
    if (!renderer)
    {
        return;
    }
    pl_context_close(&renderer->context);
    pl_free(&renderer->memory, renderer->slots);
    pl_free(&renderer->memory, renderer->paints);
    pl_free(&renderer->memory, renderer->lines);
    pl_free(&renderer->memory, renderer->edges);
    pl_free(&renderer->memory, renderer->pixels);
    PL_DESTROY(renderer);
}

const char *pleat_renderer_driver(const pleat_renderer *renderer)
{
    return renderer->driver;
}

/* ---- Meshes ---- */

/* Fills a buffer and points attribute index at it, or turns the attribute off where there is no data. */
static void upload(GLuint buffer, GLuint index, const void *data, uint32_t count, GLint width, size_t stride)
{
    if (!data)
    {
        glDisableVertexAttribArray(index);
        return;
    }
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * stride), data, GL_STREAM_DRAW);
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, width, GL_FLOAT, GL_FALSE, (GLsizei)stride, NULL);
}

static pleat_result upload_meshes(pleat_renderer *renderer, const pleat_scene *scene, pleat_error *error)
{
    if (scene->drawable_count > renderer->slot_count)
    {
        pl_mesh_slot *slots = pl_realloc(&renderer->memory, renderer->slots, scene->drawable_count, sizeof *slots);
        if (!slots)
        {
            return pl_fail_memory(&renderer->memory, error, "the drawables' buffers");
        }
        renderer->slots = slots;
        for (uint32_t i = renderer->slot_count; i < scene->drawable_count; ++i)
        {
            glGenVertexArrays(1, &slots[i].array);
            glGenBuffers(6, slots[i].buffers);
        }
        renderer->slot_count = scene->drawable_count;
    }
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        const pleat_drawable *d = &scene->drawables[i];
        const pl_mesh_slot *slot = &renderer->slots[i];
        glBindVertexArray(slot->array);
        upload(slot->buffers[0], 0, d->positions, d->vertex_count, 3, sizeof *d->positions);
        upload(slot->buffers[1], 1, d->normals, d->vertex_count, 3, sizeof *d->normals);
        upload(slot->buffers[2], 2, d->colors, d->vertex_count, 4, 4 * sizeof *d->colors);
        upload(slot->buffers[3], 3, d->stretches, d->vertex_count, 1, sizeof *d->stretches);
        upload(slot->buffers[5], 4, d->uvs, d->vertex_count, 2, 2 * sizeof *d->uvs);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, slot->buffers[4]);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(3 * (size_t)d->triangle_count * sizeof *d->triangles),
                     d->triangles, GL_STREAM_DRAW);
    }
    return PLEAT_OK;
}

static void draw_mesh(const pleat_renderer *renderer, const pleat_scene *scene, uint32_t i)
{
    glBindVertexArray(renderer->slots[i].array);
    glDrawElements(GL_TRIANGLES, (GLsizei)(3 * scene->drawables[i].triangle_count), GL_UNSIGNED_INT, NULL);
}

/* The colours of stretches as a texture, in linear light. */
static void upload_stretch_map(const pleat_renderer *renderer, const pleat_stretch_scale *scale)
{
    uint8_t texels[STRETCH_MAP_SIZE][4];
    for (int i = 0; i < STRETCH_MAP_SIZE; ++i)
    {
        float t = (float)i / (STRETCH_MAP_SIZE - 1);
        pleat_rgba color = pleat_stretch_color(scale, scale->low + (scale->high - scale->low) * t);
        memcpy(texels[i], &color, 4);
    }
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, renderer->stretch_map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, STRETCH_MAP_SIZE, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

/* ---- Passes ---- */

static void begin_pass(const pleat_renderer *renderer, pl_pass pass, pl_program program, GLsizei width, GLsizei height)
{
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers[pass]);
    glViewport(0, 0, width, height);
    glUseProgram(renderer->programs[program]);
}

static void depth_pass(const pleat_renderer *renderer, const pleat_scene *scene, pl_pass pass, GLsizei size)
{
    begin_pass(renderer, pass, PL_PROGRAM_DEPTH, size, size);
    glUniform1i(glGetUniformLocation(renderer->programs[PL_PROGRAM_DEPTH], "from_below"), pass == PL_PASS_FLOOR);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_DEPTH_CLAMP);
    glDisable(GL_CULL_FACE);
    glVertexAttrib4f(2, 1, 1, 1, 1);
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        pl_paint_bind(renderer, renderer->programs[PL_PROGRAM_DEPTH], 0, &scene->drawables[i]);
        draw_mesh(renderer, scene, i);
    }
    glDisable(GL_DEPTH_CLAMP);
}

static void surface_pass(const pleat_renderer *renderer, const pleat_scene *scene)
{
    GLuint program = renderer->programs[PL_PROGRAM_SURFACE];
    begin_pass(renderer, PL_PASS_SURFACE, PL_PROGRAM_SURFACE, renderer->targets.width, renderer->targets.height);
    glClear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
    GLint base = glGetUniformLocation(program, "base");
    GLint traits = glGetUniformLocation(program, "traits");
    /* Stretches at the ends of the scale meet the middles of the map's first and last texel. */
    float span = scene->stretch_scale.high - scene->stretch_scale.low;
    float factor = (STRETCH_MAP_SIZE - 1.0f) / STRETCH_MAP_SIZE / span;
    glUniform2f(glGetUniformLocation(program, "stretch_to_map"), factor,
                0.5f / STRETCH_MAP_SIZE - scene->stretch_scale.low * factor);
    glVertexAttrib4f(2, 1, 1, 1, 1);
    for (uint32_t i = 0; i < scene->drawable_count; ++i)
    {
        const pleat_drawable *d = &scene->drawables[i];
        glUniform4f(base, d->base_color[0], d->base_color[1], d->base_color[2], d->roughness);
        pl_paint_bind(renderer, program, 1, d);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, renderer->stretch_map);
        glUniform4i(traits, (GLint)d->shading + 1, d->double_sided, d->normals == NULL, d->stretches != NULL);
        if (d->double_sided)
        {
            glDisable(GL_CULL_FACE);
        }
        else
        {
            glEnable(GL_CULL_FACE);
        }
        draw_mesh(renderer, scene, i);
    }
    glDisable(GL_CULL_FACE);
}

/* Binds targets to the texture units in order, in the way the program's table names them. */
static void bind_targets(const pleat_renderer *renderer, int count, const pl_target *targets)
{
    for (int unit = 0; unit < count; ++unit)
    {
        bool samples = targets[unit] <= PL_TARGET_SAMPLE_OVERLAY;
        glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
        glBindTexture(samples ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D, renderer->targets.textures[targets[unit]]);
    }
}

static void screen_pass(const pleat_renderer *renderer, pl_pass pass, pl_program program, GLsizei width, GLsizei height)
{
    begin_pass(renderer, pass, program, width, height);
    glBindVertexArray(renderer->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* The program within the rectangle, its form for the ground in the strips around it. */
static void parted_pass(const pleat_renderer *renderer, pl_pass pass, pl_program program, pl_program ground, pl_rect r)
{
    GLsizei width = renderer->targets.width, height = renderer->targets.height;
    const pl_rect strips[5] = {r,
                               {0, 0, width, r.bottom},
                               {0, r.top, width, height},
                               {0, r.bottom, r.left, r.top},
                               {r.right, r.bottom, width, r.top}};
    glEnable(GL_SCISSOR_TEST);
    for (int i = 0; i < 5; ++i)
    {
        GLsizei across = strips[i].right - strips[i].left, along = strips[i].top - strips[i].bottom;
        if (across > 0 && along > 0)
        {
            glScissor(strips[i].left, strips[i].bottom, across, along);
            screen_pass(renderer, pass, i == 0 ? program : ground, width, height);
        }
    }
    glDisable(GL_SCISSOR_TEST);
}

static void light_passes(const pleat_renderer *renderer, bool has_overlay, pl_rect rect)
{
    GLsizei width = renderer->targets.width, height = renderer->targets.height;
    glDisable(GL_DEPTH_TEST);
    bind_targets(renderer, 1, (const pl_target[]){PL_TARGET_FLOOR_DEPTH});
    screen_pass(renderer, PL_PASS_CONTACT, PL_PROGRAM_CONTACT, PL_FLOOR_SIZE, PL_FLOOR_SIZE);

    GLuint gather = renderer->programs[PL_PROGRAM_GATHER];
    bind_targets(renderer, 2, (const pl_target[]){PL_TARGET_SAMPLE_DEPTH, PL_TARGET_SAMPLE_NORMAL});
    pl_program_int(gather, "sample_count", renderer->targets.samples);
    screen_pass(renderer, PL_PASS_GATHER, PL_PROGRAM_GATHER, width, height);

    bind_targets(renderer, 5,
                 (const pl_target[]){PL_TARGET_DEPTH, PL_TARGET_NORMAL, PL_TARGET_SHADOW, PL_TARGET_SHADOW,
                                     PL_TARGET_FLOOR_OPEN});
    glBindSampler(3, renderer->compare_sampler);
    parted_pass(renderer, PL_PASS_AROUND, PL_PROGRAM_AROUND, PL_PROGRAM_AROUND_GROUND, rect);
    glBindSampler(3, 0);

    bind_targets(renderer, 3, (const pl_target[]){PL_TARGET_DEPTH, PL_TARGET_NORMAL, PL_TARGET_AROUND_ROUGH});
    screen_pass(renderer, PL_PASS_BLUR, PL_PROGRAM_BLUR, width, height);

    GLuint shade = renderer->programs[PL_PROGRAM_SHADE];
    bind_targets(renderer, 6,
                 (const pl_target[]){PL_TARGET_SAMPLE_DEPTH, PL_TARGET_SAMPLE_NORMAL, PL_TARGET_SAMPLE_BASE,
                                     PL_TARGET_SAMPLE_OVERLAY, PL_TARGET_DEPTH, PL_TARGET_AROUND});
    pl_program_int(shade, "sample_count", renderer->targets.samples);
    pl_program_int(shade, "has_overlay", has_overlay);
    parted_pass(renderer, PL_PASS_SHADE, PL_PROGRAM_SHADE, PL_PROGRAM_SHADE_GROUND, rect);
}

/* Out of the final target, rows turned over. */
static void read_picture(const pleat_renderer *renderer, const pleat_picture *picture)
{
    size_t row = 4 * (size_t)picture->width;
    glBindFramebuffer(GL_FRAMEBUFFER, renderer->targets.framebuffers[PL_PASS_SHADE]);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, (GLsizei)picture->width, (GLsizei)picture->height, GL_RGBA, GL_UNSIGNED_BYTE, renderer->pixels);
    for (uint32_t y = 0; y < picture->height; ++y)
    {
        memcpy(picture->pixels + y * picture->stride, renderer->pixels + (picture->height - 1 - y) * row, row);
    }
}

static pleat_result draw_current(pleat_renderer *renderer, const pleat_scene *scene, const pl_frame *frame,
                                 const pleat_picture *picture, pleat_error *error)
{
    GLsizei width = (GLsizei)picture->width, height = (GLsizei)picture->height;
    PL_TRY(pl_targets_make(&renderer->targets, width, height, (GLsizei)renderer->options.samples,
                           (GLsizei)renderer->options.shadow_size, error));
    PL_TRY(upload_meshes(renderer, scene, error));
    PL_TRY(pl_paint_upload(renderer, scene, error));
    PL_TRY(pl_overlay_collect(renderer, scene, error));
    upload_stretch_map(renderer, &scene->stretch_scale);
    glBindBuffer(GL_UNIFORM_BUFFER, renderer->frame_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *frame, frame, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, PL_FRAME_BINDING, renderer->frame_buffer);

    depth_pass(renderer, scene, PL_PASS_SHADOW, (GLsizei)renderer->options.shadow_size);
    depth_pass(renderer, scene, PL_PASS_FLOOR, PL_FLOOR_SIZE);
    surface_pass(renderer, scene);
    bool has_overlay = pl_overlay_any(renderer, scene);
    if (has_overlay)
    {
        pl_overlay_draw(renderer, scene);
    }
    light_passes(renderer, has_overlay, pl_frame_rect(frame, scene));
    read_picture(renderer, picture);
    GLenum problem = glGetError();
    if (problem != GL_NO_ERROR)
    {
        return pl_fail(error, problem == GL_OUT_OF_MEMORY ? PLEAT_NO_MEMORY : PLEAT_UNSUPPORTED,
                       "the driver failed while drawing (GL error 0x%04x)", (unsigned)problem);
    }
    return PLEAT_OK;
}

pleat_result pleat_renderer_draw(pleat_renderer *renderer, const pleat_scene *scene, const pleat_camera *camera,
                                 const pleat_picture *picture, pleat_error *error)
{
    pleat_bounds bounds;
    PL_TRY(pl_picture_check(picture, error));
    PL_TRY(pl_camera_check(camera, error));
    PL_TRY(pl_scene_check(scene, &bounds, error));
    size_t bytes = 4 * (size_t)picture->width * picture->height;
    if (bytes > renderer->pixel_capacity)
    {
        uint8_t *pixels = pl_realloc(&renderer->memory, renderer->pixels, bytes, 1);
        if (!pixels)
        {
            return pl_fail_memory(&renderer->memory, error, "the picture's pixels");
        }
        renderer->pixels = pixels;
        renderer->pixel_capacity = bytes;
    }
    pl_frame frame = pl_frame_make(scene, &bounds, camera, picture->width, picture->height,
                                   renderer->options.shadow_size, PL_FLOOR_SIZE);
    pl_context_saved saved;
    PL_TRY(pl_context_enter(&renderer->context, &saved, error));
    pleat_result result = draw_current(renderer, scene, &frame, picture, error);
    pl_context_leave(&renderer->context, &saved);
    return result;
}

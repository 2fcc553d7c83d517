#include "gpu/targets.h"

typedef enum extent
{
    EXTENT_SAMPLES,
    EXTENT_PICTURE,
    EXTENT_SHADOW,
    EXTENT_FLOOR
} extent;

/* One line a texture. linear: the filter between texels. */
static const struct
{
    extent extent;
    GLenum format, client_format, client_type;
    bool linear;
} textures[PL_TARGET_COUNT] = {
    [PL_TARGET_SAMPLE_BASE] = {EXTENT_SAMPLES, GL_RGBA8, 0, 0, false},
    [PL_TARGET_SAMPLE_NORMAL] = {EXTENT_SAMPLES, GL_RG16, 0, 0, false},
    [PL_TARGET_SAMPLE_DEPTH] = {EXTENT_SAMPLES, GL_DEPTH_COMPONENT32F, 0, 0, false},
    [PL_TARGET_SAMPLE_OVERLAY] = {EXTENT_SAMPLES, GL_RGBA8, 0, 0, false},
    [PL_TARGET_DEPTH] = {EXTENT_PICTURE, GL_R32F, GL_RED, GL_FLOAT, false},
    [PL_TARGET_NORMAL] = {EXTENT_PICTURE, GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, false},
    [PL_TARGET_AROUND_ROUGH] = {EXTENT_PICTURE, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, false},
    [PL_TARGET_AROUND] = {EXTENT_PICTURE, GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, false},
    [PL_TARGET_FINAL] = {EXTENT_PICTURE, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, false},
    [PL_TARGET_SHADOW] = {EXTENT_SHADOW, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, false},
    [PL_TARGET_FLOOR_DEPTH] = {EXTENT_FLOOR, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, false},
    [PL_TARGET_FLOOR_OPEN] = {EXTENT_FLOOR, GL_R16, GL_RED, GL_UNSIGNED_SHORT, true},
};

#define NO_TARGET PL_TARGET_COUNT

/* One line a pass: what it draws into. */
static const struct
{
    pl_target colors[2];
    pl_target depth;
} passes[PL_PASS_COUNT] = {
    [PL_PASS_SURFACE] = {{PL_TARGET_SAMPLE_BASE, PL_TARGET_SAMPLE_NORMAL}, PL_TARGET_SAMPLE_DEPTH},
    [PL_PASS_OVERLAY] = {{PL_TARGET_SAMPLE_OVERLAY, NO_TARGET}, PL_TARGET_SAMPLE_DEPTH},
    [PL_PASS_GATHER] = {{PL_TARGET_DEPTH, PL_TARGET_NORMAL}, NO_TARGET},
    [PL_PASS_AROUND] = {{PL_TARGET_AROUND_ROUGH, NO_TARGET}, NO_TARGET},
    [PL_PASS_BLUR] = {{PL_TARGET_AROUND, NO_TARGET}, NO_TARGET},
    [PL_PASS_SHADE] = {{PL_TARGET_FINAL, NO_TARGET}, NO_TARGET},
    [PL_PASS_SHADOW] = {{NO_TARGET, NO_TARGET}, PL_TARGET_SHADOW},
    [PL_PASS_FLOOR] = {{NO_TARGET, NO_TARGET}, PL_TARGET_FLOOR_DEPTH},
    [PL_PASS_CONTACT] = {{PL_TARGET_FLOOR_OPEN, NO_TARGET}, NO_TARGET},
};

static GLenum kind_of(pl_target target)
{
    return textures[target].extent == EXTENT_SAMPLES ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
}

static void make_texture(pl_targets *targets, pl_target target)
{
    GLsizei width = targets->width, height = targets->height;
    if (textures[target].extent == EXTENT_SHADOW)
    {
        width = height = targets->shadow_size;
    }
    else if (textures[target].extent == EXTENT_FLOOR)
    {
        width = height = PL_FLOOR_SIZE;
    }
    GLenum kind = kind_of(target);
    glBindTexture(kind, targets->textures[target]);
    if (kind == GL_TEXTURE_2D_MULTISAMPLE)
    {
        glTexImage2DMultisample(kind, targets->samples, textures[target].format, width, height, GL_TRUE);
        return;
    }
    glTexImage2D(kind, 0, (GLint)textures[target].format, width, height, 0, textures[target].client_format,
                 textures[target].client_type, NULL);
    GLint filter = textures[target].linear ? GL_LINEAR : GL_NEAREST;
    glTexParameteri(kind, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(kind, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(kind, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(kind, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(kind, GL_TEXTURE_MAX_LEVEL, 0);
}

static bool make_framebuffer(pl_targets *targets, pl_pass pass)
{
    glBindFramebuffer(GL_FRAMEBUFFER, targets->framebuffers[pass]);
    GLenum buffers[2];
    GLsizei buffer_count = 0;
    for (int i = 0; i < 2; ++i)
    {
        pl_target color = passes[pass].colors[i];
        if (color != NO_TARGET)
        {
            GLenum attachment = GL_COLOR_ATTACHMENT0 + (GLenum)i;
            glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, kind_of(color), targets->textures[color], 0);
            buffers[buffer_count++] = attachment;
        }
    }
    if (passes[pass].depth != NO_TARGET)
    {
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, kind_of(passes[pass].depth),
                               targets->textures[passes[pass].depth], 0);
    }
    if (buffer_count == 0)
    {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    else
    {
        glDrawBuffers(buffer_count, buffers);
    }
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

pleat_result pl_targets_make(pl_targets *targets, GLsizei width, GLsizei height, GLsizei samples, GLsizei shadow_size,
                             pleat_error *error)
{
    if (targets->width == width && targets->height == height && targets->samples == samples &&
        targets->shadow_size == shadow_size)
    {
        return PLEAT_OK;
    }
    pl_targets_free(targets);
    targets->width = width;
    targets->height = height;
    targets->samples = samples;
    targets->shadow_size = shadow_size;
    glGenTextures(PL_TARGET_COUNT, targets->textures);
    glGenFramebuffers(PL_PASS_COUNT, targets->framebuffers);
    for (int i = 0; i < PL_TARGET_COUNT; ++i)
    {
        make_texture(targets, (pl_target)i);
    }
    bool complete = true;
    for (int i = 0; i < PL_PASS_COUNT; ++i)
    {
        complete = make_framebuffer(targets, (pl_pass)i) && complete;
    }
    GLenum problem = glGetError();
    if (problem == GL_NO_ERROR && complete)
    {
        return PLEAT_OK;
    }
    pl_targets_free(targets);
    return pl_fail(error, problem == GL_OUT_OF_MEMORY ? PLEAT_NO_MEMORY : PLEAT_UNSUPPORTED,
                   "the driver cannot make targets of %d x %d pixels with %d samples (GL error 0x%04x)", (int)width,
                   (int)height, (int)samples, (unsigned)problem);
}

void pl_targets_free(pl_targets *targets)
{
    if (targets->width)
    {
        glDeleteTextures(PL_TARGET_COUNT, targets->textures);
        glDeleteFramebuffers(PL_PASS_COUNT, targets->framebuffers);
    }
    *targets = (pl_targets){0};
}

/* The textures and framebuffers a frame passes through. */
#ifndef PL_GPU_TARGETS_H
#define PL_GPU_TARGETS_H

#include "base/fail.h"

#include <epoxy/gl.h>

typedef enum pl_target
{
    PL_TARGET_SAMPLE_BASE, /* several samples a pixel */
    PL_TARGET_SAMPLE_NORMAL,
    PL_TARGET_SAMPLE_DEPTH,
    PL_TARGET_SAMPLE_OVERLAY,
    PL_TARGET_DEPTH, /* one sample a pixel */
    PL_TARGET_NORMAL,
    PL_TARGET_AROUND_ROUGH,
    PL_TARGET_AROUND,
    PL_TARGET_FINAL,
    PL_TARGET_SHADOW, /* maps of fixed size */
    PL_TARGET_FLOOR_DEPTH,
    PL_TARGET_FLOOR_OPEN,
    PL_TARGET_COUNT
} pl_target;

typedef enum pl_pass
{
    PL_PASS_SURFACE,
    PL_PASS_OVERLAY,
    PL_PASS_GATHER,
    PL_PASS_AROUND,
    PL_PASS_BLUR,
    PL_PASS_SHADE,
    PL_PASS_SHADOW,
    PL_PASS_FLOOR,
    PL_PASS_CONTACT,
    PL_PASS_COUNT
} pl_pass;

#define PL_FLOOR_SIZE 192

typedef struct pl_targets
{
    GLuint textures[PL_TARGET_COUNT];
    GLuint framebuffers[PL_PASS_COUNT];
    GLsizei width, height, samples, shadow_size;
} pl_targets;

/* Makes all of them, for a size; those of another size are thrown away first. Needs a current context. */
pleat_result pl_targets_make(pl_targets *targets, GLsizei width, GLsizei height, GLsizei samples, GLsizei shadow_size,
                             pleat_error *error);
void pl_targets_free(pl_targets *targets);

#endif

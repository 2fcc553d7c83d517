/* A GL context with no window, through EGL. */
#ifndef PL_GPU_CONTEXT_H
#define PL_GPU_CONTEXT_H

#include "base/fail.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

typedef struct pl_context
{
    EGLDisplay display;
    EGLContext context;
} pl_context;

/* What was current on this thread before, to be put back. */
typedef struct pl_context_saved
{
    EGLDisplay display;
    EGLContext context;
    EGLSurface draw, read;
} pl_context_saved;

/* OpenGL 4.1 core or later. On failure the context is zero. */
pleat_result pl_context_open(pl_context *context, pleat_error *error);
/* A zero context is fine. */
void pl_context_close(pl_context *context);

pleat_result pl_context_enter(const pl_context *context, pl_context_saved *saved, pleat_error *error);
void pl_context_leave(const pl_context *context, const pl_context_saved *saved);

#endif

#include "gpu/context.h"

#include <dlfcn.h>
#include <string.h>

#define PACKAGES "install libegl1, libgl1 and libgl1-mesa-dri (Debian), or a graphics driver with EGL"

/* libepoxy ends the process when a library is missing: look before it does. */
static bool library_present(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle)
    {
        dlclose(handle);
    }
    return handle != NULL;
}

static pleat_result check_libraries(pleat_error *error)
{
    if (!library_present("libEGL.so.1"))
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "pictures need libEGL.so.1, which cannot be loaded: " PACKAGES);
    }
    if (!library_present("libOpenGL.so.0") && !library_present("libGL.so.1"))
    {
        return pl_fail(error, PLEAT_UNSUPPORTED,
                       "pictures need libOpenGL.so.0 or libGL.so.1, neither of which can be loaded: " PACKAGES);
    }
    return PLEAT_OK;
}

static bool initialized(EGLDisplay display)
{
    EGLint major = 0, minor = 0;
    return display != EGL_NO_DISPLAY && eglInitialize(display, &major, &minor);
}

/* Mesa's surfaceless platform, then the driver's devices (NVIDIA), then whatever the default display is. */
static EGLDisplay open_display(void)
{
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    bool platforms = extensions && strstr(extensions, "EGL_EXT_platform_base");
    if (platforms && strstr(extensions, "EGL_MESA_platform_surfaceless"))
    {
        EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
        if (initialized(display))
        {
            return display;
        }
    }
    if (platforms && strstr(extensions, "EGL_EXT_platform_device") && strstr(extensions, "EGL_EXT_device_enumeration"))
    {
        EGLDeviceEXT devices[8];
        EGLint device_count = 0;
        eglQueryDevicesEXT(8, devices, &device_count);
        for (EGLint i = 0; i < device_count; ++i)
        {
            EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
            if (initialized(display))
            {
                return display;
            }
        }
    }
    EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    return initialized(display) ? display : EGL_NO_DISPLAY;
}

pleat_result pl_context_open(pl_context *context, pleat_error *error)
{
    *context = (pl_context){EGL_NO_DISPLAY, EGL_NO_CONTEXT};
    PL_TRY(check_libraries(error));
    EGLDisplay display = open_display();
    if (display == EGL_NO_DISPLAY)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "no EGL display could be opened (error 0x%04x): " PACKAGES,
                       (unsigned)eglGetError());
    }
    static const EGLint config_wish[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config;
    EGLint config_count = 0;
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, config_wish, &config, 1, &config_count) ||
        config_count < 1)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED,
                       "EGL has no configuration for desktop OpenGL (error 0x%04x): " PACKAGES,
                       (unsigned)eglGetError());
    }
    static const EGLint context_wish[] = {
        EGL_CONTEXT_MAJOR_VERSION,           4,       EGL_CONTEXT_MINOR_VERSION, 1, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    EGLContext made = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
    if (made == EGL_NO_CONTEXT)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED, "EGL gives no OpenGL 4.1 core context (error 0x%04x): " PACKAGES,
                       (unsigned)eglGetError());
    }
    *context = (pl_context){display, made};
    return PLEAT_OK;
}

/* The display stays open: it is one for the whole process, and another context may live on it. */
void pl_context_close(pl_context *context)
{
    if (context->context != EGL_NO_CONTEXT)
    {
        eglDestroyContext(context->display, context->context);
    }
    *context = (pl_context){EGL_NO_DISPLAY, EGL_NO_CONTEXT};
}

pleat_result pl_context_enter(const pl_context *context, pl_context_saved *saved, pleat_error *error)
{
    *saved = (pl_context_saved){eglGetCurrentDisplay(), eglGetCurrentContext(), eglGetCurrentSurface(EGL_DRAW),
                                eglGetCurrentSurface(EGL_READ)};
    eglBindAPI(EGL_OPENGL_API);
    if (!eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context))
    {
        return pl_fail(error, PLEAT_UNSUPPORTED,
                       "the GL context cannot be made current without a surface (error 0x%04x)",
                       (unsigned)eglGetError());
    }
    return PLEAT_OK;
}

void pl_context_leave(const pl_context *context, const pl_context_saved *saved)
{
    if (saved->context == EGL_NO_CONTEXT)
    {
        eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
    else
    {
        eglMakeCurrent(saved->display, saved->draw, saved->read, saved->context);
    }
}

/* The inside of a renderer. */
#ifndef PL_GPU_RENDERER_H
#define PL_GPU_RENDERER_H

#include "base/memory.h"
#include "gpu/context.h"
#include "gpu/frame.h"
#include "gpu/targets.h"

typedef enum pl_program
{
    PL_PROGRAM_SURFACE,
    PL_PROGRAM_DEPTH,
    PL_PROGRAM_CONTACT,
    PL_PROGRAM_GATHER,
    PL_PROGRAM_AROUND,
    PL_PROGRAM_AROUND_GROUND,
    PL_PROGRAM_BLUR,
    PL_PROGRAM_SHADE,
    PL_PROGRAM_SHADE_GROUND,
    PL_PROGRAM_LINE,
    PL_PROGRAM_ELLIPSE,
    PL_PROGRAM_COUNT
} pl_program;

/* Buffers of one drawable; kept from frame to frame. */
typedef struct pl_mesh_slot
{
    GLuint array;
    GLuint buffers[6]; /* positions, normals, colours, stretches, triangles, coordinates */
} pl_mesh_slot;

/* A picture that was drawn before (gpu/paint.c). */
typedef struct pl_paint_slot
{
    const uint8_t *pixels;
    uint32_t width, height;
    GLuint texture;
} pl_paint_slot;

/* A line or dot as line.vert reads it. */
typedef struct pl_line
{
    float from[3], width;
    float to[3], nearer;
    pleat_rgba color;
} pl_line;

struct pleat_renderer
{
    pl_memory memory;
    pleat_renderer_options options;
    pl_context context;
    pl_targets targets;
    GLuint programs[PL_PROGRAM_COUNT];
    GLuint frame_buffer;
    GLuint empty_array;
    GLuint stretch_map;
    GLuint compare_sampler;
    GLuint overlay_array, overlay_buffer;
    pl_mesh_slot *slots;
    uint32_t slot_count;
    pl_paint_slot *paints;
    uint32_t paint_count;
    pl_line *lines;
    size_t line_count, line_capacity;
    uint64_t *edges;
    size_t edge_capacity;
    uint8_t *pixels; /* as GL gives them, rows from the bottom */
    size_t pixel_capacity;
    char driver[160];
};

/* Gives the pictures of a scene's drawables to the driver, those that it does not have. */
pleat_result pl_paint_upload(pleat_renderer *renderer, const pleat_scene *scene, pleat_error *error);
/* Binds a drawable's picture to a texture unit and tells the program (surface or depth) what alpha means. */
void pl_paint_bind(const pleat_renderer *renderer, GLuint program, GLenum unit, const pleat_drawable *drawable);

/* Fills renderer->lines from the scene's curves, wireframes and points. */
pleat_result pl_overlay_collect(pleat_renderer *renderer, const pleat_scene *scene, pleat_error *error);
/* True if there is something to lay over the picture. */
bool pl_overlay_any(const pleat_renderer *renderer, const pleat_scene *scene);
/* Draws it into the overlay target. The surface's depth must be there. */
void pl_overlay_draw(pleat_renderer *renderer, const pleat_scene *scene);

#endif

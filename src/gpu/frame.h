/* What every shader of a frame shares: camera, lights and maps, worked out on the CPU. */
#ifndef PL_GPU_FRAME_H
#define PL_GPU_FRAME_H

#include "pleat/render.h"

/* Mirrors frame_block in shaders/common.glsl (std140: vec4 and mat4 only; matrices by columns). */
typedef struct pl_frame
{
    float clip_from_world[16];
    float shadow_from_world[16];
    float floor_from_world[16];
    float shadow_from_view[16];
    float floor_from_view[16];
    float view_right[4], view_up[4], view_forward[4];
    float lens[4];
    float size[4];
    float light_toward[3][4];
    float light_color[3][4];
    float up[4];
    float sky_light[4], floor_light[4];
    float hollow[4];
    float shadow[4];
    float shadow_axis_x[4], shadow_axis_y[4];
    float floor_map[4];
    float background_top[4], background_bottom[4];
    float taps[4];
    float counts[4];
} pl_frame;

/* bounds: not empty. The camera and the scene have been checked. */
pl_frame pl_frame_make(const pleat_scene *scene, const pleat_bounds *bounds, const pleat_camera *camera, uint32_t width,
                       uint32_t height, uint32_t shadow_size, uint32_t floor_size);

/* Pixels from the lower left corner; right and top are one past the last. */
typedef struct pl_rect
{
    int32_t left, bottom, right, top;
} pl_rect;

/* Holds every pixel that the scene's drawables, curves and ellipses can touch. */
pl_rect pl_frame_rect(const pl_frame *frame, const pleat_scene *scene);

#endif

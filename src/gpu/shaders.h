/* The texts in src/gpu/shaders, made into constants by the build; common.glsl goes in front of each, paint.glsl of
 * fragment shaders. */
#ifndef PL_GPU_SHADERS_H
#define PL_GPU_SHADERS_H

extern const char pl_shader_common_glsl[];
extern const char pl_shader_paint_glsl[];
extern const char pl_shader_surface_vert[];
extern const char pl_shader_surface_frag[];
extern const char pl_shader_depth_vert[];
extern const char pl_shader_depth_frag[];
extern const char pl_shader_screen_vert[];
extern const char pl_shader_contact_frag[];
extern const char pl_shader_gather_frag[];
extern const char pl_shader_around_frag[];
extern const char pl_shader_blur_frag[];
extern const char pl_shader_shade_frag[];
extern const char pl_shader_live_glsl[]; /* GLSL ES 3.00 and 4.20: wants a version, and nothing else, in front */
extern const char pl_shader_live_patch_vert[];
extern const char pl_shader_live_patch_frag[];
extern const char pl_shader_live_tess_vert[];
extern const char pl_shader_live_tess_tesc[];
extern const char pl_shader_live_tess_tese[];
extern const char pl_shader_line_vert[];
extern const char pl_shader_line_frag[];
extern const char pl_shader_ellipse_vert[];
extern const char pl_shader_ellipse_frag[];

#endif

/* Checks of what a host asks to have drawn. */
#ifndef PL_GPU_SCENE_H
#define PL_GPU_SCENE_H

#include "base/fail.h"
#include "pleat/render.h"

#define PL_PICTURE_MAX 8192

/* The error names the first thing that is wrong. bounds receives the scene's, or the drawables' where it has none. */
pleat_result pl_scene_check(const pleat_scene *scene, pleat_bounds *bounds, pleat_error *error);
pleat_result pl_camera_check(const pleat_camera *camera, pleat_error *error);
pleat_result pl_picture_check(const pleat_picture *picture, pleat_error *error);

#endif

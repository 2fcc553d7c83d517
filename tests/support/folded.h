/* Characters with folds, for the tests of that layer. */
#ifndef PLEAT_TEST_FOLDED_H
#define PLEAT_TEST_FOLDED_H

#include "support/support.h"

#include "pleat/bake.h"
#include "pleat/layers/folds.h"
#include "pleat/io.h"
#include "pleat/make.h"

/* A character, from a file or built in. */
typedef struct support_actor
{
    pleat_made *made;
    pleat_asset *asset;
    const pleat_model *model;
} support_actor;

support_actor support_actor_make(const char *name);
/* The built-in arm; 0: as it is by default. */
support_actor support_actor_arm(uint32_t around, uint32_t along);
support_actor support_actor_load(const char *path);
void support_actor_drop(support_actor *a);
/* Fail where there is none. A node with a mesh, whose name holds the part. */
uint32_t support_clip_named(const pleat_model *model, const char *name);
uint32_t support_node_named(const pleat_model *model, const char *part);

/* One node of a character with folds, over frames first .. last of a clip. */
typedef struct support_run
{
    pleat_folds_options options;
    uint32_t node;
    uint32_t clip, first, last;
    float fps;
    const pleat_host *host;
    pleat_skinning skinning;
    const float *mask; /* NULL: none */
} support_run;

support_run support_run_make(uint32_t clip, uint32_t first, uint32_t last);
pleat_bake *support_run_bake(const support_actor *a, const support_run *r);
/* Skinning on the same mesh: strength 0 plans and refines as 1 does. */
pleat_bake *support_run_bake_plain(const support_actor *a, const support_run *r);
const pleat_vec4 *support_frame(pleat_bake *bake, uint32_t frame);
const pleat_stack_shape *support_shape_of(const pleat_bake *bake);
/* Of the layer, by name. */
double support_figure(const pleat_bake *bake, const char *wanted);
double support_apart(pleat_vec4 a, pleat_vec4 b);
/* The bend of the arm's clip at a frame, degrees. */
double support_arm_angle(uint32_t frame);

#endif

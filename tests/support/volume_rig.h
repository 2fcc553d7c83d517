/* Meshes with the volume layer on them, and an integrator that is not ours: pieces of a triangle list, open edges
 * chained to loops, signed tetrahedra in long double. */
#ifndef PLEAT_TEST_VOLUME_RIG_H
#define PLEAT_TEST_VOLUME_RIG_H

#include "support/support.h"

#include "stack/stack.h"
#include "pleat/make.h"
#include "pleat/layers/volume.h"

/* The volume of each connected piece, by the root vertex of the piece; zero elsewhere. For manifold meshes. */
void volume_judge(uint32_t vertex_count, const pleat_vec4 *p, uint32_t triangle_count, const uint32_t *triangles,
                  double *volume, uint32_t *piece);

/* A stack with the layer on it. */
typedef struct volume_rig
{
    pleat_made *made;
    const pleat_model *model;
    pleat_stack *stack;
    pleat_pose *pose;
    const pleat_clip *clip;
    const pleat_stack_shape *shape;
    double *rest, *now; /* volumes of pieces */
    uint32_t *piece;
    pleat_tasks *tasks;
} volume_rig;

/* The node of a mesh by name. */
uint32_t volume_node(const pleat_model *model, const char *mesh);

/* options NULL: skinning alone; clip PLEAT_NONE: the rest pose. */
volume_rig volume_rig_of(const pleat_model *model, uint32_t node, uint32_t clip, const pleat_volume_options *options,
                         const float *mask, const pleat_host *host);
void volume_rig_free(volume_rig *r);

/* Setup and teardown of a group: arm (24 x 80), hand and belly, made once for all tests. */
int volume_make_characters(void **state);
int volume_free_characters(void **state);
extern pleat_made *volume_characters[3];
volume_rig volume_rig_named(const char *name, const char *mesh, uint32_t clip, const pleat_volume_options *options);

const pleat_vec4 *volume_update(volume_rig *r, float time);
/* The largest |V / (rest * factor) - 1| over pieces whose rest volume is above least. */
double volume_worst_error(volume_rig *r, const pleat_vec4 *positions, double factor, double least);
double volume_figure(const volume_rig *r, const char *wanted);

#endif

/* A tube of two bones that bends at its middle: what skinning is judged by. */
#ifndef PLEAT_TEST_BENT_TUBE_H
#define PLEAT_TEST_BENT_TUBE_H

#include "support/support.h"

#include "pleat/layer.h"
#include "pleat/stack.h"

typedef struct bent_tube_desc
{
    uint32_t around, along; /* quads */
    double radius, length;
    double blend;  /* half length over which weights go from one bone to the other */
    double height; /* of the section, times its width: 1 is round */
    double rest;   /* radians that the tube is bent by at rest, about x */
} bent_tube_desc;
bent_tube_desc bent_tube_default(void); /* 120 x 180, 5 cm, 55 cm, 7.2 cm, round, straight */

typedef struct bent_tube
{
    pleat_model model;
    pleat_node nodes[3];
    pleat_mesh mesh;
    pleat_skin skin;
    pleat_primitive primitive;
    uint32_t node_order[3], joints[2];
    pleat_affine binds[2];
    pleat_channel channel;
    float keys[8], times[2];
    pleat_clip clip; /* from 0 to 180 degrees in 180 seconds: one a second */
    uint32_t around, along;
    void *memory[4];
} bent_tube;

/* The tube runs along z, its joint is at the origin; caps closed by a fan. It bends about x, to +y. Vertex
 * row * around + i lies at the angle 2 pi i / around from +y. */
void bent_tube_make(const bent_tube_desc *desc, bent_tube *tube);
void bent_tube_free(bent_tube *tube);

/* A stack on it; layer NULL: plain. */
pleat_stack *bent_tube_stack(const bent_tube *tube, pleat_skinning skinning, const pleat_layer_type *type,
                             const void *options);
/* The tube at an angle in degrees; valid until the next. pose: of the tube's model. */
const pleat_vec4 *bent_tube_at(const bent_tube *tube, pleat_stack *stack, pleat_pose *pose, double degrees,
                               const pleat_tasks *tasks);

/* Signed tetrahedra. */
double bent_tube_volume(uint32_t triangle_count, const uint32_t *triangles, const pleat_vec4 *positions);
/* The shortest of the meridians on the inner side (those within 30 degrees of +y). */
double bent_tube_meridian(const bent_tube *tube, const pleat_vec4 *positions);

#endif

/* Width and depth of wrinkles, from the length that the cloth lost around them.
 *
 * "Animation Wrinkling", 2010, sec. 4.1, with these changes: a wrinkle answers for its strip, half way to its
 * neighbours on either side, and for the length that this strip really lost (its rest length less its length now); and
 * the depth is solved on the profile as it comes out of the deformer, blended with the cloth. */
#ifndef PL_LAYERS_WRINKLES_SHAPE_SHAPE_H
#define PL_LAYERS_WRINKLES_SHAPE_SHAPE_H

#include "pleat/layers/wrinkles.h"

/* R_min, metres, for a character of this height (a fraction of it: 4, 8 and 16 thousandths). */
float pl_fabric_radius(pleat_fabric fabric, float height);

typedef struct pl_wrinkle_shape_desc
{
    const pleat_topology *topology; /* the surface that was traced; must outlive the object, and so must rest */
    const pleat_vec4 *rest;         /* #V */
    float radius;                   /* R_min, metres, above 0 */
    pleat_wrinkle_side side;
    float strength;  /* 0 .. 1: the share of the lost length that is given back; default 1 */
    float threshold; /* 0 .. 1: wrinkles fade from this share of length lost down to 3/4 of it; default 0: not at all */
    bool lean;       /* as in the deformer; default true */
    uint32_t wrinkle_capacity, point_capacity; /* of one frame */
} pl_wrinkle_shape_desc;

pl_wrinkle_shape_desc pl_wrinkle_shape_desc_default(void);

typedef struct pl_wrinkle_shape pl_wrinkle_shape;

pleat_result pl_wrinkle_shape_create(const pl_wrinkle_shape_desc *desc, const pleat_host *host,
                                     pl_wrinkle_shape **shape, pleat_error *error);
void pl_wrinkle_shape_destroy(pl_wrinkle_shape *shape);

/* Fills width and depth of the points of one frame. positions: #V of this frame. wrinkles: of the frame, by id;
 * wrinkles[i].first_point goes into points (so points may hold other frames', too). Reads place and strength; a wrinkle
 * tapers to depth 0 at its ends. Frames are to come in order only for PLEAT_WRINKLE_BOTH (the sides that ids have).
 * Never allocates; what is beyond the capacities gets depth 0. A width is always above 0. */
void pl_wrinkle_shape_update(pl_wrinkle_shape *shape, const pleat_vec4 *positions, uint32_t wrinkle_count,
                             const pleat_wrinkle *wrinkles, pleat_wrinkle_point *points, const pleat_tasks *tasks);

/* Forgets the sides: before a second run over a clip. */
void pl_wrinkle_shape_reset(pl_wrinkle_shape *shape);

/* The sides, as plain bytes. */
size_t pl_wrinkle_shape_state_size(const pl_wrinkle_shape *shape);
void pl_wrinkle_shape_save(const pl_wrinkle_shape *shape, void *state);
void pl_wrinkle_shape_restore(pl_wrinkle_shape *shape, const void *state);

#endif

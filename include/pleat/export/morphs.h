/* pleat/morphs.h: a bake as skinned meshes with morph targets, so that any glTF viewer plays it.
 *
 * Every chosen node whose result differs from what linear skinning of its input gives gets a new mesh: the refined
 * garment in bind space, the input's own targets, and targets fitted to the rest of the motion. Two passes over the
 * frames: learn after each pleat_bake_frame of the first, settle, weigh after each of the second, finish. */
#ifndef PLEAT_MORPHS_H
#define PLEAT_MORPHS_H

#include "pleat/bake.h"
#include "pleat/export/fit.h"

PLEAT_BEGIN

typedef struct pleat_morphs_options
{
    uint32_t target_limit; /* default 64, 1..1024; with 1, weights are in -1..1 */
    float largest_error;   /* in scene units; default 0: as many targets as the limit allows. Above 0, targets
                            * are zero at vertices where they make a small part of that difference: small files */
    bool normals;          /* default true: normals as targets too */
    bool steps;            /* default false; true: targets of skinned nodes are rounded to a step, so that files can
                            * hold them as small integers. Stated errors include it */
} pleat_morphs_options;

pleat_morphs_options pleat_morphs_options_default(void);

/* What became of one node. */
typedef struct pleat_morphed
{
    uint32_t node;
    pleat_mesh mesh;                      /* the new mesh */
    const uint32_t *const *source_vertex; /* per primitive: vertices of the input, or NULL (refined) */
    uint32_t input_target_count;          /* targets that the input had; they come first */
    const float *weights;                 /* frame_count by mesh.target_count; those of new targets lie in 0..1 */
    float step;                           /* of the new targets, in the mesh's own unit; 0: not rounded */
    pleat_fit_error error;                /* in the world, as largest_displacement */
    float largest_displacement;
} pleat_morphed;

typedef struct pleat_morphs pleat_morphs;

pleat_result pleat_morphs_create(const pleat_bake *bake, const pleat_morphs_options *options, const pleat_host *host,
                                 pleat_morphs **morphs, pleat_error *error);
void pleat_morphs_destroy(pleat_morphs *morphs);
/* After each frame of the first pass. Never allocates. */
void pleat_morphs_learn(pleat_morphs *morphs);
/* Takes as long as many frames. Where the host's go_on stops it, what is left is of no use, and finish fails. */
void pleat_morphs_settle(pleat_morphs *morphs);
/* After each frame of the second pass. Never allocates. */
void pleat_morphs_weigh(pleat_morphs *morphs, uint32_t frame);
/* Makes the meshes. They live as long as the object; nodes that linear skinning already gets right are left out. */
pleat_result pleat_morphs_finish(pleat_morphs *morphs, pleat_error *error);

uint32_t pleat_morphs_count(const pleat_morphs *morphs);
const pleat_morphed *pleat_morphs_get(const pleat_morphs *morphs, uint32_t index);
/* frame_count seconds. */
const float *pleat_morphs_times(const pleat_morphs *morphs);

PLEAT_END

#endif

/* pleat/body.h: what cloth lies on, and what lies beside it: triangles that move. */
#ifndef PLEAT_BODY_H
#define PLEAT_BODY_H

#include "pleat/base.h"

PLEAT_BEGIN

/* What cloth lies on: triangles that move. */
typedef struct pleat_body
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t *triangles; /* #T by 3, turning left as seen from outside */
    /* #V positions at a time of the clip (of several: of the row they make, see pleat_layer_frame), world space, valid
     * until the next call. Never allocates. */
    const pleat_vec4 *(*at)(void *user, float time);
    void *user;
} pleat_body;

/* The other meshes of a character: cloth over or under this one, and skins. */
typedef struct pleat_neighbours
{
    pleat_body body;
    const uint32_t *nodes; /* #T -> node of the model; each cloth leaves out its own */
    const bool *sheets;    /* #T: cloth, which nothing crosses from either side; else a skin: not from outside */
} pleat_neighbours;

PLEAT_END

#endif

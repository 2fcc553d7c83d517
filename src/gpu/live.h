/* Draws the buffers of pleat/layers/live.h by the shaders live*: with instanced patches, in GLSL ES 3.00, or with
 * tessellation. What an engine or a web page does, as short as it can be. */
#ifndef PL_GPU_LIVE_H
#define PL_GPU_LIVE_H

#include "base/memory.h"
#include "pleat/layers/live.h"

#include <epoxy/gl.h>

typedef struct pl_live_drawer_desc
{
    uint32_t vertex_count, triangle_count;
    /* Those of the live object, welded: over a seam of split vertices patches and triangles without one would not meet
     * exactly. */
    const uint32_t *triangles;
    uint32_t level;  /* pieces of a triangle's edge in a patch, 1 .. 64; with tessellation: at most */
    bool tessellate; /* by tessellation shaders (OpenGL 4.2), in the place of instanced patches */
    float piece;     /* with tessellation: the length that an edge is cut into; 3/8 of the smallest width */
} pl_live_drawer_desc;

typedef struct pl_live_drawer pl_live_drawer;

/* Needs a current context (OpenGL 4.3 or OpenGL ES 3.0) here and below. The light is white and has no shadows. */
pleat_result pl_live_drawer_create(const pl_live_drawer_desc *desc, const pleat_host *host, pl_live_drawer **drawer,
                                   pleat_error *error);
void pl_live_drawer_destroy(pl_live_drawer *drawer); /* NULL is fine */

/* Takes a frame over: #V positions and smooth unit normals, and what is packed. */
void pl_live_drawer_update(pl_live_drawer *drawer, const pleat_vec4 *positions, const pleat_vec4 *normals,
                           const pleat_live_buffers *buffers);
/* view: from the positions' space to the clip's, by columns. light: unit, towards it. Depth and culling as they are. */
void pl_live_drawer_draw(const pl_live_drawer *drawer, const float view[16], const float light[3]);

#endif

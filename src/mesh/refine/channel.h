/* Lists of vertices over the triangles of a refined mesh: its render vertices, its smoothing groups. */
#ifndef PL_MESH_REFINE_CHANNEL_H
#define PL_MESH_REFINE_CHANNEL_H

#include "base/memory.h"
#include "pleat/mesh.h"

/* A new vertex of a channel: the surface vertex it stands at, and the corners of a coarse triangle that it is a mean
 * of.
 */
typedef struct pl_channel_vertex
{
    uint32_t vertex;
    uint32_t corner[3]; /* of the channel */
    float share[3];
} pl_channel_vertex;

typedef struct pl_channel_desc
{
    const pleat_refined *refined;   /* surface and places; its render lists are not read */
    uint32_t coarse_count;          /* surface vertices of the coarse mesh */
    const uint32_t *coarse_surface; /* coarse #T by 3 */
    uint32_t count;                 /* coarse vertices of the channel */
    const uint32_t *coarse_channel; /* coarse #T by 3 */
} pl_channel_desc;

/* triangles: refined #T by 3, out. fresh: *fresh_count new vertices, numbered from count on; may be NULL, else in the
 * arena. A vertex on an edge of the coarse mesh is two of the channel where the channel is split there. */
pleat_result pl_channel_make(const pl_channel_desc *desc, pl_memory *memory, uint32_t *triangles, uint32_t *fresh_count,
                             pl_arena *arena, pl_channel_vertex **fresh, pleat_error *error);

#endif

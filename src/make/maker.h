/* What every generator works with: the model being built, memory that stays, and memory that goes. */
#ifndef PL_MAKE_MAKER_H
#define PL_MAKE_MAKER_H

#include "pleat/make.h"
#include "base/memory.h"
#include "make/v3.h"

enum
{
    PL_MAKE_NODES = 64,
    PL_MAKE_MESHES = 8,
    PL_MAKE_CLIPS = 4,
    PL_MAKE_MATERIALS = 12,
    PL_MAKE_FPS = 30
};

/* The tables have room for the largest character; indices are handed out in order. */
typedef struct pl_maker
{
    const pleat_make_options *options;
    pleat_error *error;
    pl_memory *memory;
    pl_arena keep;    /* lives as long as the model */
    pl_arena scratch; /* freed when the character is made */
    pleat_model model;
    pleat_node *nodes;
    pleat_mesh *meshes;
    pleat_clip *clips;
    pleat_material *materials;
    pleat_skin *skins;
} pl_maker;

/* Allocates from one of the maker's arenas, or returns the error from the calling function: arenas need no cleanup. */
#define PL_MAKE_NEW(variable, maker, arena, type, count)                                                               \
    do                                                                                                                 \
    {                                                                                                                  \
        (variable) = PL_ARENA_NEW(&(maker)->arena, type, (count));                                                     \
        if (!(variable))                                                                                               \
        {                                                                                                              \
            return pl_fail_memory((maker)->memory, (maker)->error, #variable);                                         \
        }                                                                                                              \
    } while (0)

/* An array in the scratch arena that grows by doubling; the old copies go with the arena. */
#define PL_MAKE_GROW(variable, maker, type, count, capacity)                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((count) == (capacity))                                                                                     \
        {                                                                                                              \
            uint32_t pl_grow_capacity = (capacity) ? (capacity)*2 : 1024;                                              \
            type *pl_grow;                                                                                             \
            PL_MAKE_NEW(pl_grow, maker, scratch, type, pl_grow_capacity);                                              \
            if (count)                                                                                                 \
            {                                                                                                          \
                memcpy(pl_grow, (variable), (count) * sizeof(type));                                                   \
            }                                                                                                          \
            (variable) = pl_grow;                                                                                      \
            (capacity) = pl_grow_capacity;                                                                             \
        }                                                                                                              \
    } while (0)

/* ---- Assembling; names are string literals, kept as they are ---- */

uint32_t pl_maker_material(pl_maker *maker, const char *name, double red, double green, double blue, double roughness);
/* translation is relative to the parent. */
uint32_t pl_maker_node(pl_maker *maker, const char *name, uint32_t parent, pl_v3 translation);
/* A mesh of primitives (room for primitive_count, zeroed, material PLEAT_NONE), on a node of its own under parent. */
pleat_result pl_maker_mesh(pl_maker *maker, const char *name, uint32_t parent, uint32_t primitive_count,
                           pleat_primitive **primitives, uint32_t *node);
/* One skin over nodes first..first+count-1, whose rest rotations are the identity; used by every mesh node that asks.
 */
pleat_result pl_maker_skin(pl_maker *maker, const char *name, uint32_t first_node, uint32_t joint_count);
/* A clip of frame_count frames with room for channel_count channels. times: the shared key times, one a frame. */
pleat_result pl_maker_clip(pl_maker *maker, const char *name, uint32_t frame_count, uint32_t channel_count,
                           pleat_clip **clip, pleat_channel **channels, float **times);
/* Fills a channel that has a key in every frame; *values is width floats a frame, for the caller to fill. */
pleat_result pl_maker_channel(pl_maker *maker, pleat_channel *channel, uint32_t node, pleat_channel_path path,
                              uint32_t width, uint32_t key_count, const float *times, float **values);
/* node_order and scene_nodes, once all nodes are there. */
pleat_result pl_maker_finish(pl_maker *maker);

/* The frames of a cloth that moves by itself. */
typedef struct pl_frames
{
    uint32_t count;
    const float *times;          /* of the clip, one a frame */
    const pleat_vec3 *positions; /* kept memory, count by the mesh's vertices, in the node's space */
    const uint32_t *source; /* vertices with the same source (each below the vertex count) share a normal, so that a
                               texture seam does not show; NULL: all differ */
} pl_frames;

/* Frames as morph targets of the one primitive of a node's mesh, with a weights animation in channel, and as points of
 * the clip. */
pleat_result pl_maker_frames(pl_maker *maker, uint32_t node, pleat_clip *clip, pleat_channel *channel,
                             const pl_frames *frames);

/* ---- The characters ---- */

pleat_result pl_make_arm(pl_maker *maker);
pleat_result pl_make_dancer(pl_maker *maker);
pleat_result pl_make_hand(pl_maker *maker);
pleat_result pl_make_belly(pl_maker *maker);
pleat_result pl_make_rectangle(pl_maker *maker);
pleat_result pl_make_towel(pl_maker *maker);
pleat_result pl_make_skirt(pl_maker *maker);
pleat_result pl_make_shirt(pl_maker *maker);

#endif

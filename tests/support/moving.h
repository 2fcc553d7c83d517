/* Characters in motion as a game has them: triangles, and positions at any time. */
#ifndef PLEAT_TEST_MOVING_H
#define PLEAT_TEST_MOVING_H

#include "support/folded.h"

#include "pleat/layers/live.h"

typedef struct support_moving
{
    support_actor actor;
    pleat_stack *stack; /* without layers: skinning alone */
    pleat_pose *pose;
    const pleat_clip *clip;
    uint32_t vertex_count, triangle_count; /* of the welded surface */
    const uint32_t *triangles;
    pleat_vec3 *positions; /* of the last time */
    float height;          /* the longest side of its box at the start of the clip */
} support_moving;

/* A built-in character, or a file; the node with the most triangles where its name is NULL. */
support_moving support_moving_make(const char *name, const char *node, const char *clip);
support_moving support_moving_load(const char *path, const char *node, const char *clip);
void support_moving_drop(support_moving *m);
/* Positions at a time of the clip, which repeats; as long as the next call. */
const pleat_vec3 *support_moving_at(support_moving *m, double time);

/* With these options; fails the test where it cannot be. */
pleat_live *support_moving_live(const support_moving *m, const pleat_live_options *options, const pleat_host *host);

#endif

/* The inside of the volume layer.
 *
 * volume/close.c makes closed triangles of a mesh with holes, volume/quads.c pairs them; volume/regions.c cuts them
 * into groups whose volume can be measured alone; volume/bind.c finds where each joint acts, volume/reach.c what lies
 * around, volume/spread.c how its correction is spread, volume/local.c the triangles it needs; volume/solve_wide.c
 * corrects one joint, volume/settle.c the last digits; volume/sum_wide.c measures; volume.c runs the frame. */
#ifndef PL_LAYERS_VOLUME_VOLUME_H
#define PL_LAYERS_VOLUME_VOLUME_H

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec.h"
#include "pleat/mesh.h"
#include "pleat/layers/volume.h"

enum
{
    PL_VOLUME_BLOCK = 256 /* quads whose volume is one term of a sum: the same for any number of threads */
};

/* ---- Closed triangles ---- */

/* The shells that have a volume, with a fan of triangles over each hole. Vertices from vertex_count on are the centres
 * of the holes: hole h has vertex vertex_count + h, the mean of its border. */
typedef struct pl_closed
{
    uint32_t vertex_count;
    uint32_t hole_count;
    uint32_t *hole_start;  /* hole_count + 1 */
    uint32_t *hole_vertex; /* borders, in the order that the fan runs */
    uint32_t triangle_count;
    uint32_t *triangles; /* #T by 3 */
    uint32_t *shell;     /* #T */
    uint32_t shell_count;
    double *shell_volume; /* shell_count, at rest */
} pl_closed;

pleat_result pl_volume_close(const pleat_cloth *cloth, const pleat_host *host, pl_arena *arena, pl_closed *closed,
                             pleat_error *error);

/* Means of the holes' borders. */
void pl_volume_centres(const pl_closed *closed, const pleat_vec4 *positions, pleat_vec4 *centres);

static inline pl_f4 pl_volume_point(const pl_closed *closed, const pleat_vec4 *positions, const pleat_vec4 *centres,
                                    uint32_t vertex)
{
    return pl_load(vertex < closed->vertex_count ? &positions[vertex] : &centres[vertex - closed->vertex_count]);
}

/* ---- Quads ---- */

/* Two triangles a b c and a c d that share an edge, or one alone, with d = c. Pairs the triangles of a list, numbers of
 * the topology's; waits is 1 for all of them, 0 for all others, and comes back as 0. quads receives four vertices each,
 * at most count of them, and quad_of the quad of each triangle of the list; returns how many quads there are. */
uint32_t pl_volume_pair(const pleat_topology *topology, const uint32_t *list, uint32_t count, uint8_t *waits,
                        uint32_t *quads, uint32_t *quad_of);

/* Kernels find a vertex by its place in bytes. */
static inline uint32_t pl_volume_offset(uint32_t vertex)
{
    return vertex * (uint32_t)sizeof(pleat_vec4);
}

/* ---- Groups ---- */

/* Quads in the order of their groups; the border of a group is a set of loops, each shared with one other group, so
 * that volumes of groups, closed by fans over their loops, add up to the shell's. */
typedef struct pl_volume_group
{
    uint32_t shell;
    uint32_t first_block, block_count;
    uint32_t first_loop, loop_count;
    double rest_volume; /* closed */
    double rest_area;
} pl_volume_group;

typedef struct pl_volume_block
{
    uint32_t group;
    uint32_t first, count; /* quads */
    bool plain;            /* without centres of holes */
} pl_volume_block;

typedef struct pl_volume_groups
{
    uint32_t group_count;
    pl_volume_group *groups;
    uint32_t block_count;
    pl_volume_block *blocks;
    uint32_t *quads;          /* by 4, in the order of the blocks: offsets of vertices of pl_closed */
    uint32_t *triangle_group; /* #T */
    uint32_t *triangle_block; /* #T */
    uint32_t loop_count;
    uint32_t *loop_start;  /* loop_count + 1 */
    uint32_t *loop_vertex; /* each loop runs so that its fan closes the group */
    uint32_t *origin;      /* per shell: a vertex of it */
} pl_volume_groups;

/* region: #T, any number that says to what a triangle belongs, PLEAT_NONE where nothing acts. topology: of the closed
 * triangles. */
pleat_result pl_volume_group_triangles(const pl_closed *closed, const pleat_topology *topology, const uint32_t *region,
                                       const pleat_host *host, pl_arena *arena, pl_volume_groups *groups,
                                       pleat_error *error);

/* Where everything stands while volumes are measured. */
typedef struct pl_volume_view
{
    const pl_closed *closed;
    const pl_volume_groups *groups;
    const pleat_vec4 *positions;
    const pleat_vec4 *centres;
    const pleat_vec4 *origins; /* per shell: what volumes are measured from; must not change between sums that add up */
} pl_volume_view;

/* The first vertex of each shell. */
void pl_volume_origins(const pl_volume_groups *groups, const pl_closed *closed, const pleat_vec4 *positions,
                       pleat_vec4 *origins);
/* The volume under the triangles of a block, and of the fans that close a group. */
double pl_volume_of_block(const pl_volume_view *view, uint32_t block);
double pl_volume_of_block_base(const pl_volume_view *view, uint32_t block);
double pl_volume_of_block_avx2(const pl_volume_view *view, uint32_t block);
double pl_volume_of_loops(const pl_volume_view *view, uint32_t group);

/* ---- Joints ---- */

/* A hole whose centre goes with active vertices. */
typedef struct pl_volume_centre
{
    uint32_t local, hole;
    uint32_t first_member, member_count; /* active vertices on its border */
    float share;                         /* of each vertex of the border */
} pl_volume_centre;

/* One joint's region: where the joint's weights blend with those before it. Local vertices are the active ones (which
 * may move) and then those around them. */
typedef struct pl_volume_joint
{
    uint32_t joint, parent; /* skinning matrices whose difference drives the region; PLEAT_NONE: none does */
    uint32_t shell;
    bool adds; /* the volume that the options add goes here */
    float mu[PLEAT_VOLUME_AXES];
    float radius; /* of the region at rest, metres */
    uint32_t active_count, local_count, quad_count;
    /* local_count, and one more if that is odd; for the centre of a hole any vertex, see centres. */
    uint32_t *vertices;
    uint32_t *quads; /* quad_count by 4: offsets of local vertices */
    /* Active vertices, up to a multiple of 8. Gamma along each axis, before division by area; creases in the order 0 2
     * 4 6 1 3 5 7 of each eight, see spread; x and y of the frame: along and front are sums of positions times these.
     */
    pleat_vec4 *gamma;
    float *crease;
    pleat_vec4 *frame;
    uint32_t centre_count;
    pl_volume_centre *centres;
    uint32_t *members; /* active vertices, local */
    uint32_t block_count;
    uint32_t *blocks; /* blocks of triangles whose volume changes */
} pl_volume_joint;

/* A part that a joint has in the loss of a group. */
typedef struct pl_volume_share
{
    uint32_t group, joint;
    float area; /* at rest, weighted by the blend */
} pl_volume_share;

typedef struct pl_volume_bound
{
    pl_closed closed;
    pl_volume_groups groups;
    uint32_t joint_count; /* in the order of correction: parents first; then regions without a joint */
    pl_volume_joint *joints;
    uint32_t *keeper; /* per shell: the region of all that may move, for what joints cannot bring back; or PLEAT_NONE */
    uint32_t share_count;
    pl_volume_share *shares; /* by group */
    uint32_t largest_local;
} pl_volume_bound;

/* adds: the options add volume at some time. */
pleat_result pl_volume_bind(const pleat_volume_options *options, bool adds, const pleat_cloth *cloth,
                            const pleat_host *host, pl_arena *arena, pl_volume_bound *bound, pleat_error *error);

/* A joint's part of the mesh. */
typedef struct pl_volume_part
{
    const pl_closed *closed;
    const pl_volume_groups *groups;
    const pleat_topology *topology; /* of the closed triangles */
    const uint32_t *active;
    uint32_t active_count;
    uint32_t *local_of; /* an array of PLEAT_NONE for all closed vertices, and left so */
} pl_volume_part;

/* Renumbers it: fills vertices (from the active ones on), quads, centres and blocks. */
pleat_result pl_volume_localise(const pl_volume_part *part, const pleat_host *host, pl_arena *arena,
                                pl_volume_joint *joint, pleat_error *error);

/* A search along the mesh from where a joint's blend is strong. The arrays are scratch, vertex_count each. */
typedef struct pl_volume_reach
{
    const pleat_topology *topology; /* of the closed triangles */
    uint32_t vertex_count;          /* without the centres of holes */
    const pleat_vec4 *rest;
    pl_f4 direction; /* along the limb, any length */
    float *blend;    /* by vertex; grows */
    float *distance;
    uint32_t *queue;
    uint8_t *waits;
    uint32_t first, waiting; /* of the queue, which goes round */
} pl_volume_reach;

/* Widens the blend of a region by a part of its half length. vertices: the region's; those that are new join them.
 * Returns their number. */
uint32_t pl_volume_reach_out(pl_volume_reach *reach, float part, uint32_t *vertices, uint32_t count);

/* How the blend of a joint's weights becomes a frame and gammas. */
typedef struct pl_volume_spread
{
    const pleat_volume_shape *shape;
    pl_f4 direction; /* along the limb at rest, any length; zero: none */
    uint32_t count;  /* active vertices */
    const uint32_t *active;
    const float *blend; /* by vertex, 0 .. 1 */
    const pleat_vec4 *rest;
    const float *mask;
    const float *area; /* by vertex: of the triangles around it */
} pl_volume_spread;

/* Fills gamma, crease, frame, mu and radius of a joint. */
pleat_result pl_volume_spread_out(const pl_volume_spread *spread, pl_arena *arena, pl_volume_joint *joint,
                                  pleat_error *error);

/* ---- Solving ---- */

/* Scratch for the largest joint. */
typedef struct pl_volume_scratch
{
    pleat_vec4 *points, *slopes, *directions; /* local vertices, and room for 7 more */
    pleat_vec4 *rows;                         /* three times that */
} pl_volume_scratch;

pleat_result pl_volume_make_scratch(const pl_volume_bound *bound, pl_arena *arena, pl_volume_scratch *scratch,
                                    pleat_error *error);

typedef struct pl_volume_moved
{
    double change; /* of volume, as asked for unless limited */
    float farthest;
    bool limited;
} pl_volume_moved;

/* Changes the volume by an amount by moving the joint's active vertices; centres follow. */
typedef pl_volume_moved pl_volume_kernel(const pl_closed *closed, const pl_volume_joint *joint, double amount,
                                         float limit, pl_volume_scratch *scratch, pleat_vec4 *positions,
                                         pleat_vec4 *centres);
pl_volume_kernel pl_volume_correct;
pl_volume_kernel pl_volume_correct_base, pl_volume_correct_avx2; /* the same bits; avx2 on x86-64 alone */

/* Means of the borders of the holes that a joint's vertices are on. */
void pl_volume_refresh_centres(const pl_closed *closed, const pl_volume_joint *joint, const pleat_vec4 *positions,
                               pleat_vec4 *centres);

/* The last digits: changes the volume by a tiny amount, less than what rounding of single positions would lose, but for
 * what is little enough to be left. */
void pl_volume_settle(const pl_closed *closed, const pl_volume_joint *joint, double amount, double enough,
                      pl_volume_scratch *scratch, pleat_vec4 *positions, pleat_vec4 *centres);

#endif

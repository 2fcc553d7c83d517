/* pleat/mesh.h: the surface and what can be asked of it.
 *
 * Files split a vertex wherever its normal or texture coordinate jumps. The *surface* has those splits welded; the
 * *render vertices* are what a file holds and a GPU draws. Layers work on the surface, so a seam cannot open. */
#ifndef PLEAT_MESH_H
#define PLEAT_MESH_H

#include "pleat/base.h"

PLEAT_BEGIN

/* ---- Surface: welded vertices and the way back to render vertices ------------------------------------------ */

/* What is welded. Render vertices become one surface vertex when their positions agree (within weld_distance) and
 * so do their keys: anything else that moves them, such as influences and morph targets. Lips that touch in
 * the rest pose but follow different joints stay apart. */
typedef struct pleat_surface_desc
{
    uint32_t render_count;       /* #R */
    const pleat_vec3 *positions; /* #R, finite */
    const pleat_vec3 *normals;   /* #R or NULL; only tells smooth from hard edges */
    const float *keys;           /* #R by key_count, or NULL */
    uint32_t key_count;
    float key_tolerance;       /* default 1e-3: more than 8-bit weights lose, less than artists mean */
    float weld_distance;       /* default 0: exactly equal positions (-0 equals 0) */
    uint32_t triangle_count;   /* #T */
    const uint32_t *triangles; /* #T by 3, render vertices */
} pleat_surface_desc;

pleat_surface_desc pleat_surface_desc_default(void);

/* Both sides of the weld. Triangle t is the same triangle in both lists. */
typedef struct pleat_surface
{
    uint32_t vertex_count;            /* #V surface vertices */
    uint32_t render_count;            /* #R */
    uint32_t normal_count;            /* #N: surface vertices, one more for each further smoothing group around them */
    uint32_t triangle_count;          /* #T */
    const uint32_t *triangles;        /* #T by 3, surface vertices */
    const uint32_t *render_triangles; /* #T by 3, render vertices */
    const uint32_t *normal_triangles; /* #T by 3, smooth-group vertices, for normals */
    const uint32_t *render_vertex;    /* #R -> surface vertex */
    const uint32_t *render_normal;    /* #R -> smooth-group vertex */
    const uint32_t *vertex_render;    /* #V -> its first render vertex, the one whose data counts */
} pleat_surface;

pleat_result pleat_surface_create(const pleat_surface_desc *desc, const pleat_host *host, pleat_surface **surface,
                                  pleat_error *error);
void pleat_surface_destroy(pleat_surface *surface);

/* ---- Topology ------------------------------------------------------------------------------------------------ */

/* Corner c = 3 t + k stands at vertex triangles[c] and owns the edge from there to the next corner of t. A degenerate
 * triangle (a vertex used twice) has no edges and no part in the rings. */
#define PLEAT_BOUNDARY UINT32_MAX           /* twin: no triangle on the other side */
#define PLEAT_NON_MANIFOLD (UINT32_MAX - 1) /* twin: three or more triangles, or two that run the same way */

typedef struct pleat_topology
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t edge_count;
    const uint32_t *triangles;   /* copied from the caller, #T by 3 */
    const uint32_t *twin;        /* #C = 3 #T: corner of the same edge in the other triangle, or one of the above */
    const uint32_t *corner_edge; /* #C -> edge, PLEAT_NONE in degenerate triangles */
    const uint32_t *edge_corner; /* #E -> its first corner; the edge runs from that corner to the next */
    const uint32_t *ring_start;  /* #V + 1: ring of v is ring_corner[ring_start[v] .. ring_start[v + 1]] */
    const uint32_t *ring_corner; /* corners that stand at v, fan by fan in turning order where it is manifold */
    const uint8_t *vertex_flags; /* #V of PLEAT_VERTEX_... */
} pleat_topology;

#define PLEAT_VERTEX_BOUNDARY 1u     /* at least one boundary edge */
#define PLEAT_VERTEX_NON_MANIFOLD 2u /* a non-manifold edge, or more than one fan of triangles */
#define PLEAT_VERTEX_ISOLATED 4u     /* no (non-degenerate) triangle */

pleat_result pleat_topology_create(uint32_t vertex_count, uint32_t triangle_count, const uint32_t *triangles,
                                   const pleat_host *host, pleat_topology **topology, pleat_error *error);
void pleat_topology_destroy(pleat_topology *topology);

/* Shells: connected pieces over edges. shell: #T, out; PLEAT_NONE for degenerate triangles. Returns their number. */
uint32_t pleat_topology_shells(const pleat_topology *topology, uint32_t *shell);

/* ---- Normals ------------------------------------------------------------------------------------------------- */

/* Area-weighted vertex normals over any triangle list. Bound once; update never allocates. Each normal is summed in
 * triangle order, so the result does not depend on threads. */
typedef struct pleat_normals pleat_normals;
pleat_result pleat_normals_create(uint32_t normal_count, uint32_t triangle_count, const uint32_t *normal_triangles,
                                  const uint32_t *triangles, const pleat_host *host, pleat_normals **normals,
                                  pleat_error *error);
void pleat_normals_destroy(pleat_normals *normals);
/* positions: indexed by triangles; out: normal_count unit vectors, zero where no triangle has area. */
void pleat_normals_update(pleat_normals *normals, const pleat_vec4 *positions, pleat_vec4 *out,
                          const pleat_tasks *tasks);
/* What has to be done again after some of the positions have moved. */
typedef struct pleat_normals_part
{
    uint32_t triangle_count;
    const uint32_t *triangles; /* those with a moved corner */
    uint32_t normal_count;
    const uint32_t *normals; /* those with such a triangle */
} pleat_normals_part;
/* The same result as an update, after an update into the same out since which only corners of the part have moved. */
void pleat_normals_update_part(pleat_normals *normals, const pleat_normals_part *part, const pleat_vec4 *positions,
                               pleat_vec4 *out, const pleat_tasks *tasks);

/* ---- Loop subdivision ------------------------------------------------------------------------------------------ */

typedef enum pleat_loop_channel
{
    PLEAT_LOOP_SURFACE, /* smooth everywhere; boundary edges by the cubic curve rule; for positions and weights */
    PLEAT_LOOP_RENDER   /* smooth inside a chart, linear along its border; for texture coordinates and colours */
} pleat_loop_channel;

/* Splits triangles into four where the wish for a level is above the level reached. Refinement is graded (ring
 * neighbours differ by at most one level) and closed without T-junctions: a coarser triangle with finer neighbours is
 * cut in two, three or four, and such pieces are never split further. Whatever is refined lies, to the bit, where
 * uniform subdivision to that level puts it.
 * Any triangle list is taken. Borders follow OpenSubdiv's EDGE_ONLY rule. An edge of three or more triangles, or of two
 * that run the same way, is a crease that all its triangles share; a vertex where anything but two creases meet, or
 * where several fans touch, keeps its place. Degenerate triangles and lone vertices pass through. */
typedef struct pleat_loop_desc
{
    uint32_t vertex_count; /* surface vertices */
    uint32_t render_count; /* render vertices, or 0 for no render channel */
    uint32_t triangle_count;
    const uint32_t *triangles;        /* #T by 3, surface */
    const uint32_t *render_triangles; /* #T by 3, render; NULL with render_count 0 */
    const uint32_t *render_vertex;    /* #R -> surface vertex, or NULL: read off the triangles */
    uint32_t level;                   /* uniform level, 0..8; with triangle_levels or wants: the largest level */
    const uint8_t *triangle_levels;   /* #T wished levels, or NULL; higher ones count as `level` */
    /* Finer than whole triangles, or NULL: called for every triangle of a level below `level` with its coarse
     * triangle and the barycentric coordinates (3 corners by 3) in it; true to split it. With triangle_levels: either
     * wish splits. */
    bool (*wants)(void *user, uint32_t coarse_triangle, const float barycentric[9], uint32_t level);
    void *wants_user;
} pleat_loop_desc;

pleat_loop_desc pleat_loop_desc_default(void);

typedef struct pleat_loop pleat_loop;

/* The refined mesh. Every coarse vertex keeps its index, in both channels; new ones follow. Triangles come in the order
 * of their coarse triangles and turn the same way. */
typedef struct pleat_refined
{
    uint32_t vertex_count;
    uint32_t render_count;
    uint32_t triangle_count;
    const uint32_t *triangles;        /* #T by 3 */
    const uint32_t *render_triangles; /* #T by 3 or NULL */
    const uint32_t *render_vertex;    /* refined render vertex -> refined surface vertex, or NULL; PLEAT_NONE where an
                                         unused render vertex has no render_vertex of the desc */
    const uint32_t *coarse_triangle;  /* #T -> triangle of the input */
    const uint8_t *triangle_level;    /* #T: 0 is an input triangle; pieces that close a gap have that of the whole */
    const uint32_t *vertex_triangle;  /* #V -> a coarse triangle that holds the vertex (PLEAT_NONE if isolated) */
    const float *vertex_barycentric;  /* #V by 3, in that coarse triangle; exact */
} pleat_refined;

pleat_result pleat_loop_create(const pleat_loop_desc *desc, const pleat_host *host, pleat_loop **loop,
                               pleat_error *error);
void pleat_loop_destroy(pleat_loop *loop);
const pleat_refined *pleat_loop_refined(const pleat_loop *loop);

/* Applies the stencils, level by level. in: coarse vertices of the channel; out: refined ones; no overlap. Never
 * allocates; one call on a loop at a time. The second form takes rows of width floats (1..64), packed. */
void pleat_loop_points(pleat_loop *loop, pleat_loop_channel channel, const pleat_vec4 *in, pleat_vec4 *out,
                       const pleat_tasks *tasks);
void pleat_loop_values(pleat_loop *loop, pleat_loop_channel channel, uint32_t width, const float *in, float *out,
                       const pleat_tasks *tasks);
/* Limit normals' stand-in: refined directions, interpolated by the stencils and normalised. */
void pleat_loop_normals(pleat_loop *loop, const pleat_vec4 *in, pleat_vec4 *out, const pleat_tasks *tasks);

/* Skinning weights of the refined vertices: the stencils' mean of the coarse ones, the out_width largest kept, sorted
 * and renormalised. in: coarse #V by in_width; out: refined #V by out_width (1..8), unused places joint 0, weight 0.
 * Allocates scratch, so it can fail for lack of memory. */
pleat_result pleat_loop_weights(pleat_loop *loop, uint32_t in_width, const uint16_t *in_joints, const float *in_weights,
                                uint32_t out_width, uint16_t *out_joints, float *out_weights, pleat_error *error);

/* ---- Nearest point, rays, touching triangles -------------------------------------------------------------------- */

typedef struct pleat_bvh pleat_bvh;

/* A point on a triangle list. */
typedef struct pleat_hit
{
    uint32_t triangle; /* PLEAT_NONE: nothing within reach */
    float distance;    /* nearest: distance; ray: t along the direction as given */
    float barycentric[3];
    pleat_vec4 position;
} pleat_hit;

/* Over all triangles, degenerate ones too (a point or a segment is a legal nearest thing). */
pleat_result pleat_bvh_create(uint32_t vertex_count, const pleat_vec4 *positions, uint32_t triangle_count,
                              const uint32_t *triangles, const pleat_host *host, pleat_bvh **bvh, pleat_error *error);
void pleat_bvh_destroy(pleat_bvh *bvh);
/* New positions, same triangles. A triangle with a corner that is not finite is not found until it is again. Never
 * allocates; no query may run meanwhile. */
void pleat_bvh_refit(pleat_bvh *bvh, const pleat_vec4 *positions, const pleat_tasks *tasks);
/* Nearest point within max_distance (INFINITY allowed). Safe from many threads at once between refits. On equal
 * distance the lowest triangle index wins, so results do not depend on the tree. */
pleat_hit pleat_bvh_nearest(const pleat_bvh *bvh, pleat_vec4 point, float max_distance);
/* First hit with t in [t_min, t_max], both sides of a triangle. Same rules. */
pleat_hit pleat_bvh_ray(const pleat_bvh *bvh, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max);
/* True if the segment's ray is blocked anywhere in [t_min, t_max]; cheaper than the first hit. */
bool pleat_bvh_occluded(const pleat_bvh *bvh, pleat_vec4 origin, pleat_vec4 direction, float t_min, float t_max);
/* Calls visit for each pair of triangles (a of this tree, b of other) that really cross: each has corners strictly on
 * both sides of the other's plane and they share a piece of line; touching is not crossing. With other == bvh: each
 * pair once with a < b, pairs that share a vertex position left out. visit (may be NULL) returns false to stop. The
 * order of the pairs depends on the tree, which of them there are does not: signs are exact. Returns the count. */
uint64_t pleat_bvh_crossings(const pleat_bvh *bvh, const pleat_bvh *other,
                             bool (*visit)(void *user, uint32_t a, uint32_t b), void *user);
/* The same count over the host's workers. marks: one byte for each triangle of bvh, set to 1 where it crosses something
 * and left alone elsewhere; or NULL. Never allocates. */
uint64_t pleat_bvh_count_crossings(const pleat_bvh *bvh, const pleat_bvh *other, uint8_t *marks,
                                   const pleat_tasks *tasks);

/* ---- Walking on a surface ---------------------------------------------------------------------------------------- */

/* A place on a surface. */
typedef struct pleat_place
{
    uint32_t triangle;
    float barycentric[3];
} pleat_place;

typedef enum pleat_walk_end
{
    PLEAT_WALK_DONE,     /* the whole length was walked */
    PLEAT_WALK_BOUNDARY, /* a border or non-manifold edge stopped it */
    PLEAT_WALK_STUCK,    /* no way on: a start without area, no direction in its plane, a length that is not finite */
    PLEAT_WALK_FULL      /* path_capacity was reached */
} pleat_walk_end;

/* Walks the straightest path from a place along a direction (projected into the start triangle) for a length.
 * Edges are crossed by unfolding; at a vertex the path leaves so that the angle is equal on both sides. Within 1e-6 of
 * a vertex (barycentric) the path goes through it; within 1e-6 rad of a border that it is on, along it. */
typedef struct pleat_walk
{
    const pleat_topology *topology;
    const pleat_vec4 *positions;
    pleat_place start;
    pleat_vec4 direction;
    float length;
    /* Transported along: comes back in end_vector as the parallel transport of this vector. */
    pleat_vec4 vector;
    /* Receives each place where the path leaves a triangle, start and end included; may be NULL. A place is given in
     * the triangle that it leaves, so the piece from place i to i + 1 lies in the triangle of place i + 1. */
    pleat_place *path;
    uint32_t path_capacity;
} pleat_walk;

typedef struct pleat_walk_result
{
    pleat_walk_end end;
    pleat_place place;        /* where it ended */
    pleat_vec4 end_direction; /* unit, in the end triangle's plane */
    pleat_vec4 end_vector;
    float walked;
    uint32_t path_count;
} pleat_walk_result;

/* Never allocates; safe from many threads at once. A length of 0 or less gives the start back. */
pleat_walk_result pleat_walk_run(const pleat_walk *walk);

/* ---- Distance along a surface ------------------------------------------------------------------------------------ */

typedef struct pleat_geodesic pleat_geodesic;

/* Where distances are counted from. The path of a walk is a curve of sources: all but the first joined. */
typedef struct pleat_geodesic_source
{
    pleat_place place;
    float distance; /* at the place itself, 0 or more */
    bool joined;    /* so is the straight piece from the source before it, which lies in this place's triangle */
} pleat_geodesic_source;

/* topology must outlive the object. */
pleat_result pleat_geodesic_create(const pleat_topology *topology, const pleat_host *host, pleat_geodesic **geodesic,
                                   pleat_error *error);
void pleat_geodesic_destroy(pleat_geodesic *geodesic);
/* Shortest distances along the surface from the sources to the vertices, exact over the triangles. distances: #V, out;
 * INFINITY where it is over radius (INFINITY allowed) or there is no way. nearest: #V, out, the source each was counted
 * from (of a joined piece the later one), PLEAT_NONE where the distance is INFINITY; may be NULL. May allocate what it
 * then keeps for later calls; when it fails, nothing was written. One call on an object at a time. */
pleat_result pleat_geodesic_distances(pleat_geodesic *geodesic, const pleat_vec4 *positions, uint32_t source_count,
                                      const pleat_geodesic_source *sources, float radius, float *distances,
                                      uint32_t *nearest, pleat_error *error);

PLEAT_END

#endif

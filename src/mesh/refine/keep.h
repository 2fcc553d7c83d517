/* Refinement that keeps the input: every vertex stays where it is, and triangles are only added where somebody asks.
 *
 * Triangles are bisected at their longest edge, with the triangle on its other side (Rivara's longest-edge
 * propagation): the mesh has no T-junction at any moment, no angle becomes smaller than half of the smallest one of the
 * input, and an added vertex costs two triangles, so that a budget can be kept to the triangle. Those that miss most
 * come first (split.c). Along ridges edges count for less, and triangles become longer there.
 *
 * New vertices lie on cubic patches over the coarse triangles (curve.c): curved by the normals where the surface is
 * smooth, straight along everything that has to stay a line. A patch is linear in the coarse points, at rest and in
 * any pose, so that the same table serves skinned points, morph targets and the bind shape alike, in any scale. */
#ifndef PL_MESH_REFINE_KEEP_H
#define PL_MESH_REFINE_KEEP_H

#include "mesh/refine/refinement.h"

/* A ridge changes along itself far more slowly than across. From 1.5 on two directions may disagree for ever about
 * which edge of a triangle is the longest: bisecting the others in turn leaves two thirds of it. */
#define PL_KEEP_LONGER 1.45f

typedef struct pl_keep_desc
{
    const pleat_topology *topology; /* of the coarse surface: #V, #T and its triangles */
    const pleat_vec4 *rest;         /* #V: lengths are measured here */
    uint32_t render_count;
    const uint32_t *render_triangles; /* #T by 3; may lie apart where the surface is whole */
    const uint32_t *render_vertex;    /* #R -> surface vertex, or NULL: read off the triangles */
    uint32_t normal_count;            /* smoothing groups; 0: everything is flat */
    const uint32_t *normal_triangles; /* #T by 3 */
    const pleat_vec4 *normals;        /* by group, unit; zero: flat there */
    const uint32_t *parts;            /* #T: borders between parts stay straight, as those of materials; NULL: one */
    float farthest;                   /* how far new vertices may lie off the coarse triangles at rest, about */
    uint32_t max_triangles;           /* fewer than #T count as #T: nothing is split then */
    /* What would be missed if a piece of a coarse triangle (3 corners by 3 barycentric coordinates) were not split, in
     * rest's unit; what is larger comes first, 0 is fine enough. Must be 0 once a piece is small. */
    float (*misses)(void *user, uint32_t coarse_triangle, const float barycentric[9]);
    /* Which way edges at a place may be PL_KEEP_LONGER times as long as across it: unit, at rest, or zero. May be NULL.
     */
    void (*along)(void *user, uint32_t coarse_triangle, const float barycentric[3], pleat_vec4 *out);
    void *user; /* of both */
} pl_keep_desc;

/* Triangles come in the order of their coarse ones, new vertices in the order of the triangles. triangle_level of the
 * refined mesh counts halvings of edges, rounded up. */
pleat_result pl_refine_keep(const pl_keep_desc *desc, const pleat_host *host, pl_refinement **out, pleat_error *error);

#endif

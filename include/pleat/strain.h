/* pleat/strain.h: how each triangle is stretched against its rest shape, and stretch as a field over the surface. */
#ifndef PLEAT_STRAIN_H
#define PLEAT_STRAIN_H

#include "pleat/mesh.h"

PLEAT_BEGIN

/* The stretch tensor of a triangle by its principal values: lengths now over lengths at rest. */
typedef struct pleat_stretch
{
    float smallest;    /* 0 .. : below 1 the triangle is compressed across `across` */
    float largest;     /* at least smallest */
    pleat_vec3 across; /* unit, in the triangle as it is now: the direction of the smallest stretch */
    pleat_vec3 along;  /* and of the largest */
} pleat_stretch;

typedef struct pleat_strain pleat_strain;

/* triangles: #T by 3 into rest's vertex_count points. A triangle without area at rest (or with a corner used twice) has
 * no tensor: its stretches are 1, its directions zero, and its rest area 0. */
pleat_result pleat_strain_create(uint32_t vertex_count, const pleat_vec4 *rest, uint32_t triangle_count,
                                 const uint32_t *triangles, const pleat_host *host, pleat_strain **strain,
                                 pleat_error *error);
void pleat_strain_destroy(pleat_strain *strain);
/* out: #T. Never allocates; the same bits for any number of threads. */
void pleat_strain_update(const pleat_strain *strain, const pleat_vec4 *positions, pleat_stretch *out,
                         const pleat_tasks *tasks);
/* The same with directions in the triangles as they are in rest, the points that the strain was made from or those
 * moved, turned and scaled as a whole: what data of a skinned mesh speaks of. */
void pleat_strain_update_rest(const pleat_strain *strain, const pleat_vec4 *positions, const pleat_vec4 *rest,
                              pleat_stretch *out, const pleat_tasks *tasks);
/* The tensors of the triangles around each vertex, laid into its tangent plane and averaged by rest area: what an
 * attribute or a texture holds. triangles: #T of an update with the same positions (or,
 * of pleat_strain_update_rest, with the same rest in their place); out: #V. A vertex without a tensor
 * has stretches of 1 and directions of zero. Never allocates. */
void pleat_strain_vertices(const pleat_strain *strain, const pleat_vec4 *positions, const pleat_stretch *triangles,
                           pleat_stretch *out);

/* How stretch is shown as a colour. */
typedef enum pleat_stretch_colors
{
    PLEAT_STRETCH_SIGNED, /* red: stretched, blue: compressed, both by strength; green 0 (the usual tension map) */
    PLEAT_STRETCH_TENSOR, /* red: 1 - smallest, green: largest - 1, both by strength; blue: direction, 0..1 a half turn
                           */
    PLEAT_STRETCH_GREY    /* all: area now over area at rest, 0.5 unchanged */
} pleat_stretch_colors;

/* The colour of a stretch, linear, 0..1. strength: of the stretch that gives full colour, such as 0.5. tangent: the
 * direction from which the turn of `across` is counted (about normal); both may be zero. */
pleat_vec3 pleat_stretch_to_color(const pleat_stretch *stretch, pleat_stretch_colors colors, float strength,
                                  pleat_vec3 tangent, pleat_vec3 normal);

/* #T rest areas. */
const float *pleat_strain_areas(const pleat_strain *strain);

/* ---- A continuous field ------------------------------------------------------------------------------------------ */

/* The stretch tensor U = sqrt(F^T F) at every place of the rest surface, F the deformation gradient of a triangle. A
 * vertex holds the affine-invariant mean of the tensors around it, weighted by rest area; a place inside a triangle the
 * mean of its three corners' by barycentric weight. Tensors are carried between triangles by unfolding: no charts. */
typedef struct pleat_strain_field pleat_strain_field;

/* topology must outlive the field; rest (#V) is copied. */
pleat_result pleat_strain_field_create(const pleat_topology *topology, const pleat_vec4 *rest, const pleat_host *host,
                                       pleat_strain_field **field, pleat_error *error);
void pleat_strain_field_destroy(pleat_strain_field *field);
/* positions: #V of a frame. Never allocates; the same bits for any number of threads. Until the first update the field
 * is that of the rest shape: 1 everywhere. Stretches outside 0.01 .. 100 count as these. */
void pleat_strain_field_update(pleat_strain_field *field, const pleat_vec4 *positions, const pleat_tasks *tasks);
/* The stretch at a place. across and along lie in the plane of the *rest* triangle, in rest space: a wrinkle runs along
 * `along`, the cloth is short of room across it. Both are zero where the stretch is the same in all directions and in
 * triangles without area at rest. Continuous over edges; safe from many threads at once. */
pleat_stretch pleat_strain_field_at(const pleat_strain_field *field, const pleat_place *place);

PLEAT_END

#endif

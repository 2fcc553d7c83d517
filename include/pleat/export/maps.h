/* pleat/maps.h: what a stack adds to the coarse mesh, as textures on the mesh's own UVs.
 *
 * Two kinds of displacement. A height is one number: with P and N interpolated over a coarse triangle, P + h N is on
 * the refined, wrinkled surface; what displacement and parallax shaders take. A vector is three: it leads from P to the
 * point that subdivision made of P, whatever way that lies, so that it is exact where folds hang over or touch. A
 * normal map holds the surface's normals in the coarse mesh's tangent space. Does no file access. See docs/maps.md. */
#ifndef PLEAT_MAPS_H
#define PLEAT_MAPS_H

#include "pleat/stack.h"

PLEAT_BEGIN

typedef struct pleat_maps_desc
{
    const pleat_stack *stack; /* of a mesh with UVs; must outlive the maps */
    uint32_t size;            /* texels a side, 16..16384; default 2048 */
    uint32_t samples;         /* a texel, along each side, 1..4; default 2 */
    uint32_t margin;          /* texels by which charts are continued past their border, 0..64; default 8 */
    const bool *primitives;   /* of the mesh: which are drawn; default NULL: all. Those of one material share a map */
} pleat_maps_desc;

pleat_maps_desc pleat_maps_desc_default(void);

typedef struct pleat_maps pleat_maps;

/* Fails with BAD_ARGUMENT, naming the mesh, where a primitive to be drawn has no UVs. */
pleat_result pleat_maps_create(const pleat_maps_desc *desc, const pleat_host *host, pleat_maps **maps,
                               pleat_error *error);
void pleat_maps_destroy(pleat_maps *maps);

/* Displacements of a map: texel / 65535 * (high - low) + low, in the unit of the scene. */
typedef struct pleat_height_range
{
    float low, high;
} pleat_height_range;

/* The frame that the stack was last updated to. Rows from the top; v grows downwards. UVs are taken into 0..1 by whole
 * numbers, triangle by triangle. Either map may be NULL. heights: size x size. normals: size x size x 3, n = texel /
 * 65535 * 2 - 1; green to +V of the tangent space, that is upwards in the picture, as glTF has it. range: receives the
 * range of the heights; a range that is given with low < high is kept (heights outside of it are cut), so that the
 * frames of a clip can share one. Texels without surface are flat. Never allocates; the same bits for any number of
 * threads. */
void pleat_maps_update(pleat_maps *maps, uint16_t *heights, uint16_t *normals, pleat_height_range *range,
                       const pleat_tasks *tasks);

typedef enum pleat_maps_space
{
    PLEAT_MAPS_TANGENT, /* x along the tangent, y along the bitangent, z along the normal */
    PLEAT_MAPS_WORLD    /* of the bind shape: the mesh's own space */
} pleat_maps_space;

/* What vectors are taken of. */
typedef enum pleat_maps_shape
{
    PLEAT_MAPS_FRAME, /* the frame that the stack was last updated to */
    PLEAT_MAPS_BIND   /* the bind shape, refined: what morph targets are added to. Overwrites the stack's normals */
} pleat_maps_shape;

/* Vector displacements, size x size x 3, and the normals that belong to them: those of the very points that the vectors
 * lead to (normals of pleat_maps_update are those that the heights lead to). Either may be NULL. range: as above, for
 * all three channels; what is found is symmetric, so that 0 lies between 32767 and 32768 (in tangent space the length
 * of the longest vector, which does for either space). */
void pleat_maps_vectors(pleat_maps *maps, pleat_maps_shape of, pleat_maps_space space, uint16_t *vectors,
                        uint16_t *normals, pleat_height_range *range, const pleat_tasks *tasks);

/* Differences in bind space, such as those of a morph target, in the tangent space of the coarse bind mesh: vectors
 * (size x size x 3), or their part along the normal alone (size x size), or NULL. changes: per render vertex of the
 * stack. Added up by the targets' weights onto the map of the bind shape they give the map of a frame. */
void pleat_maps_changes(pleat_maps *maps, const pleat_vec3 *changes, uint16_t *vectors, uint16_t *heights,
                        pleat_height_range *range, const pleat_tasks *tasks);

/* Any value of the stack's surface vertices (0..1) as a map, without displacement: masks, stretch. values:
 * surface_count by width (1..4); out: size x size by width. */
void pleat_maps_values(pleat_maps *maps, const float *values, uint32_t width, uint16_t *out, const pleat_tasks *tasks);

/* For pleat_maps_values: at each surface vertex the sum of weights of joints whose names fit a pattern (* and ?, as in
 * pleat_name_matches). out: surface_count. Returns whether any joint fits. */
bool pleat_maps_joint_mask(const pleat_maps *maps, const char *joints, float *out);

/* What the last call drew, of all texels. */
typedef struct pleat_maps_cover
{
    float drawn;    /* share of texels with surface */
    float shared;   /* share of those that two parts of the coarse mesh lay claim to: UVs that overlap */
    float repaired; /* share of those where a height was searched for, see docs/maps.md */
} pleat_maps_cover;
pleat_maps_cover pleat_maps_get_cover(const pleat_maps *maps);

/* How far the coarse mesh, displaced by a height map, ends from the refined surface: at places spread over its area.
 * The map must be that of the last pleat_maps_update. A height cannot be right where folds hang over, or where no line
 * along a normal meets the surface; vectors can. */
typedef struct pleat_maps_error
{
    uint32_t samples;
    float largest; /* height, metres: what errors are parts of */
    float good;    /* share of samples within 2 % */
    float worst;
} pleat_maps_error;
pleat_maps_error pleat_maps_check(const pleat_maps *maps, const uint16_t *heights, pleat_height_range range,
                                  uint32_t sample_count);

/* The same of a vector map, that of the last pleat_maps_vectors. largest: the height that errors are parts of; 0: the
 * longest vector. */
pleat_maps_error pleat_maps_check_vectors(pleat_maps *maps, const uint16_t *vectors, pleat_maps_space space,
                                          pleat_height_range range, float largest, uint32_t sample_count);

/* The coarse mesh that the last update's map belongs to, world space: what a game draws. Per surface vertex of the
 * input; tangents and normals unit, w of a tangent is the sign of the bitangent. */
typedef struct pleat_maps_coarse
{
    uint32_t vertex_count;     /* #V surface vertices of the input */
    uint32_t render_count;     /* #R */
    uint32_t triangle_count;   /* #T */
    const uint32_t *triangles; /* #T by 3, surface vertices */
    const uint32_t *render_triangles;
    const pleat_vec4 *positions; /* #V */
    const pleat_vec4 *normals;   /* #V */
    const pleat_vec4 *tangents;  /* #R */
    const float *uvs;            /* #R by 2 */
} pleat_maps_coarse;

pleat_maps_coarse pleat_maps_get_coarse(const pleat_maps *maps);

/* ---- Vertex-animation textures ---- */

/* Columns are vertices, rows are frames; more vertices than width go to further blocks of rows, one row a frame in
 * each. So from frame to frame it is one row further down for every vertex, as importers expect. */
typedef struct pleat_vat_layout
{
    uint32_t width, height; /* texels */
    uint32_t frame_count;   /* rows of a block */
} pleat_vat_layout;

/* width at most 8192. */
pleat_vat_layout pleat_vat_layout_of(uint32_t vertex_count, uint32_t frame_count);
/* The texel of a vertex in a frame, counted row by row from the top. */
size_t pleat_vat_texel(const pleat_vat_layout *layout, uint32_t vertex, uint32_t frame);
/* One frame: vectors as 16 bits between low and high (a box around all frames), normals as n * 0.5 + 0.5; each 3
 * channels, height x width; either may be NULL. */
void pleat_vat_frame(const pleat_vat_layout *layout, uint32_t frame, uint32_t vertex_count, const pleat_vec3 *positions,
                     const pleat_vec3 *normals, pleat_vec3 low, pleat_vec3 high, uint16_t *out_positions,
                     uint16_t *out_normals);

PLEAT_END

#endif

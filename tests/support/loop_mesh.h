/* Meshes and short-cuts that the tests of Loop subdivision share. */
#ifndef PLEAT_TEST_LOOP_MESH_H
#define PLEAT_TEST_LOOP_MESH_H

#include "pleat/mesh.h"

typedef struct mesh
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t *triangles;
    pleat_vec4 *positions;
    /* A render side with texture coordinates; 0 and NULL without. */
    uint32_t render_count;
    uint32_t *render_triangles;
    float *uvs;
} mesh;

/* columns by rows quads, each cut along one of its diagonals (random_cut: any, so that valences vary), closed around
 * where wrap says so; bent and jittered unless flat. A render side is split along the lines where it wraps. */
typedef struct grid_options
{
    uint32_t columns, rows;
    bool wrap_columns, wrap_rows, random_cut, flat, render;
} grid_options;

mesh make_grid(grid_options options);
mesh make_tetrahedron(void);
/* A cone of n triangles around vertex 0 and a second one below: valence n at both tips, 4 around. */
mesh make_spindle(uint32_t n);
/* Positions 0, triangles 0 0 0. */
mesh new_mesh(uint32_t vertex_count, uint32_t triangle_count);
void free_mesh(mesh *m);
void set_triangle(uint32_t *triangles, uint32_t t, uint32_t a, uint32_t b, uint32_t c);
void drop_triangles(mesh *m, uint32_t first, uint32_t count);

/* Uniform to a level, with the render side where the mesh has one. */
pleat_loop_desc mesh_desc(const mesh *m, uint32_t level);
/* Fails the test if it cannot be made. */
pleat_loop *make_loop(const pleat_loop_desc *desc);
/* Not a number everywhere, so that what is not written shows. */
pleat_vec4 *new_points(uint32_t count);
pleat_vec4 *refine(pleat_loop *loop, const mesh *m);

#endif

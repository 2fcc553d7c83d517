/* Shapes whose distances and paths are known in closed form. */
#ifndef PLEAT_TEST_SHAPES_H
#define PLEAT_TEST_SHAPES_H

#include "pleat/mesh.h"

typedef struct support_mesh
{
    uint32_t vertex_count;
    uint32_t triangle_count;
    pleat_vec4 *positions;
    uint32_t *triangles;
    pleat_topology *topology;
} support_mesh;

/* To be filled and then finished, which makes the topology. */
support_mesh support_mesh_new(uint32_t vertex_count, uint32_t triangle_count);
void support_mesh_point(support_mesh *m, uint32_t v, double x, double y, double z);
/* Two triangles at *t, which moves on. */
void support_mesh_quad(support_mesh *m, uint32_t *t, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void support_mesh_finish(support_mesh *m);
void support_mesh_free(support_mesh *m);

/* size by size squares of side 1 in the plane z = 0, row by row; inner vertices moved by up to jitter. */
support_mesh support_plane(uint32_t size, float jitter);
/* A prism of so many sides and rows around the z axis, radius 1, open at both ends. */
support_mesh support_tube(uint32_t sides, uint32_t rows, double height);
/* The unit sphere by latitude and longitude, its poles last. */
support_mesh support_sphere(uint32_t rings);
/* A fan around an apex, the last vertex: sides triangles, side edges of length 1, each with this angle at the apex. */
support_mesh support_cone(uint32_t sides, double angle);

pleat_vec4 support_position(const support_mesh *m, pleat_place place);
double support_distance(pleat_vec4 a, pleat_vec4 b);

#endif

/* The inside of a pleat_strain. */
#ifndef PL_MESH_STRAIN_STRAIN_H
#define PL_MESH_STRAIN_STRAIN_H

#include "base/memory.h"
#include "pleat/strain.h"

/* The upper triangular inverse [p q; 0 r]. */
typedef struct pl_rest_frame
{
    float p, q, r;
} pl_rest_frame;

struct pleat_strain
{
    pl_memory memory;
    pl_arena arena;
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t *triangles;
    pl_rest_frame *frames; /* p is 0 where there is no tensor */
    float *areas;
};

#endif

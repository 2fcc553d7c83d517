/* A flat cloth with wrinkles drawn by hand, for the tests of shape and deformer. */
#ifndef PLEAT_TEST_WRINKLED_H
#define PLEAT_TEST_WRINKLED_H

#include "support/shapes.h"

#include "pleat/layers/wrinkles.h"

/* A square of size by size quads of side 1 in the plane z = 0, refined by so many levels; x runs across the wrinkles.
 * At rest it is longer along x. */
typedef struct support_cloth
{
    support_mesh coarse; /* positions: as it is now */
    pleat_vec4 *rest;    /* of coarse */
    pleat_loop *loop;
    const pleat_refined *refined;
    pleat_vec4 *positions, *normals; /* refined, flat */
    pleat_vec4 *refined_rest;
    uint32_t lattice; /* refined vertices along a side */
    uint32_t *at;     /* lattice by lattice: the vertex of column, row */
    uint32_t size;
} support_cloth;

/* compressed: the share of length that is lost along x; jitter: of the coarse vertices. */
support_cloth support_cloth_make(uint32_t size, uint32_t level, double compressed, float jitter);
void support_cloth_free(support_cloth *cloth);

/* Wrinkles of one frame, straight in the plane. */
typedef struct support_wrinkles
{
    uint32_t wrinkle_count, point_count;
    pleat_wrinkle wrinkles[64];
    pleat_wrinkle_point points[8192];
} support_wrinkles;

/* The place of a point of the plane. */
pleat_place support_place(const support_cloth *cloth, double x, double y);
/* Adds a wrinkle from one point to another, in so many pieces. */
void support_wrinkle(const support_cloth *cloth, support_wrinkles *set, double x0, double y0, double x1, double y1,
                     uint32_t pieces, float width, float depth);
/* Length along x through the refined vertices of a lattice row, between two columns. */
double support_row_length(const support_cloth *cloth, const pleat_vec4 *positions, uint32_t row, uint32_t from,
                          uint32_t to);

#endif

/* On which side of a plane a point lies, with the right sign. */
#ifndef PL_ORIENT_H
#define PL_ORIENT_H

#include "base/vec.h"

/* The sign (-1, 0 or 1) of det(a - d, b - d, c - d): 1 where a, b, c run clockwise as seen from d. Exact as long as the
 * differences of coordinates are exact in double (magnitudes within 2^28 of each other). w is ignored. */
int pl_orient(pl_f4 a, pl_f4 b, pl_f4 c, pl_f4 d);

#endif

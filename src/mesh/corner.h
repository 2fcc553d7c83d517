/* Corner c = 3 t + k of a triangle list: its neighbours within the triangle. */
#ifndef PL_CORNER_H
#define PL_CORNER_H

#include <stdint.h>

static inline __attribute__((unused)) uint32_t pl_corner_next(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline __attribute__((unused)) uint32_t pl_corner_previous(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

#endif

/* Fields at eight points at once. Bound by operations: about thirty for each centre, with one root and one division. */
#ifndef PL_IMPLICIT_HRBF_EIGHT_H
#define PL_IMPLICIT_HRBF_EIGHT_H

#include "base/eight.h"
#include "layers/implicit/implicit.h"

/* How fast the bound of a field's value rises out of its box. */
#define BOX_SLOPE 4.0f

/* A value and its gradient in the same space, eight times. */
typedef struct pl_value8
{
    pl_f8 value, gradient[3];
} pl_value8;

PL_INLINE void pl_affine_point8(const pleat_affine *m, const pl_f8 in[3], pl_f8 out[3])
{
    for (int r = 0; r < 3; ++r)
    {
        out[r] = m->row[r][0] * in[0] + m->row[r][1] * in[1] + m->row[r][2] * in[2] + m->row[r][3];
    }
}

/* The transpose of the linear part: what brings a gradient back. */
PL_INLINE void pl_affine_back8(const pleat_affine *m, const pl_f8 in[3], pl_f8 out[3])
{
    for (int c = 0; c < 3; ++c)
    {
        out[c] = m->row[0][c] * in[0] + m->row[1][c] * in[1] + m->row[2][c] * in[2];
    }
}

/* Distance outside a field's box, in its units, and the way there (not unit). */
PL_INLINE pl_f8 pl_hrbf_outside8(const pl_hrbf *field, const pl_f8 at[3], pl_f8 way[3])
{
    for (int c = 0; c < 3; ++c)
    {
        pl_f8 zero = pl_splat8(0);
        way[c] = pl_max8(at[c] - field->high[c], zero) - pl_max8(field->low[c] - at[c], zero);
    }
    return pl_sqrt8(pl_dot8(way, way));
}

/* at: in the field's units. */
PL_INLINE pl_value8 pl_hrbf_at8(const pl_hrbf *field, const pl_f8 at[3])
{
    pl_f8 value = pl_splat8(0), sum[3] = {value, value, value};
    for (uint32_t i = 0; i < field->count; ++i)
    {
        const float *term = &field->terms[8 * (size_t)i];
        pl_f8 r[3] = {at[0] - term[0], at[1] - term[1], at[2] - term[2]};
        pl_f8 squared = pl_max8(pl_dot8(r, r), pl_splat8(1e-20f)), t = pl_sqrt8(squared);
        pl_f8 along = r[0] * term[4] + r[1] * term[5] + r[2] * term[6], weighted = t * term[3];
        value += squared * weighted - t * along;
        pl_f8 factor = 3 * weighted - along / t;
        for (int c = 0; c < 3; ++c)
        {
            sum[c] += factor * r[c] - t * term[4 + c];
        }
    }
    pl_f8 way[3], outside = pl_hrbf_outside8(field, at, way);
    pl_f8 bound = BOX_SLOPE * outside - field->depth;
    pl_i8 beyond = bound > value;
    pl_f8 scale = BOX_SLOPE / pl_max8(outside, pl_splat8(1e-20f));
    pl_value8 out = {.value = pl_max8(value, bound) * field->size};
    for (int c = 0; c < 3; ++c)
    {
        out.gradient[c] = pl_select8(beyond, way[c] * scale, sum[c]) * field->size;
    }
    return out;
}

#endif

/* The determinant is taken in double with a bound on its error; where the bound does not settle the sign, as a sum of
 * doubles without rounding (Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
 * Predicates", 1997, sections 2 and 4). */
#include "mesh/orient.h"

typedef struct expansion
{
    double part[24]; /* nonoverlapping, rising; their exact sum is the value */
    int count;
} expansion;

/* a + b = sum + rest exactly. */
PL_INLINE double two_sum(double a, double b, double *rest)
{
    double sum = a + b;
    double b_part = sum - a;
    double a_part = sum - b_part;
    *rest = (a - a_part) + (b - b_part);
    return sum;
}

/* Upper half of the digits. */
PL_INLINE double upper(double a)
{
    double c = 134217729.0 * a; /* 2^27 + 1 */
    return c - (c - a);
}

/* a b = product + rest exactly. */
PL_INLINE double two_product(double a, double b, double *rest)
{
    double product = a * b;
    double a_high = upper(a), b_high = upper(b);
    double a_low = a - a_high, b_low = b - b_high;
    *rest = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

static void add(expansion *e, double value)
{
    double q = value;
    int kept = 0;
    for (int i = 0; i < e->count; ++i)
    {
        double rest;
        q = two_sum(q, e->part[i], &rest);
        if (rest != 0)
        {
            e->part[kept++] = rest;
        }
    }
    if (q != 0)
    {
        e->part[kept++] = q;
    }
    e->count = kept;
}

/* Adds a b c. */
static void add_product(expansion *e, double a, double b, double c)
{
    double rest, low;
    double ab = two_product(a, b, &rest);
    double high = two_product(ab, c, &low);
    add(e, low);
    add(e, high);
    if (rest != 0)
    {
        high = two_product(rest, c, &low);
        add(e, low);
        add(e, high);
    }
}

static int sign_exact(const double a[3], const double b[3], const double c[3])
{
    expansion e = {.count = 0};
    add_product(&e, a[0], b[1], c[2]);
    add_product(&e, -a[0], b[2], c[1]);
    add_product(&e, a[1], b[2], c[0]);
    add_product(&e, -a[1], b[0], c[2]);
    add_product(&e, a[2], b[0], c[1]);
    add_product(&e, -a[2], b[1], c[0]);
    double top = e.count > 0 ? e.part[e.count - 1] : 0;
    return (top > 0) - (top < 0);
}

int pl_orient(pl_f4 pa, pl_f4 pb, pl_f4 pc, pl_f4 pd)
{
    double a[3], b[3], c[3];
    for (int i = 0; i < 3; ++i)
    {
        a[i] = (double)pa[i] - (double)pd[i];
        b[i] = (double)pb[i] - (double)pd[i];
        c[i] = (double)pc[i] - (double)pd[i];
    }
    double bc = b[1] * c[2], cb = b[2] * c[1];
    double ca = b[2] * c[0], ac = b[0] * c[2];
    double ab = b[0] * c[1], ba = b[1] * c[0];
    double value = a[0] * (bc - cb) + a[1] * (ca - ac) + a[2] * (ab - ba);
    double size =
        fabs(a[0]) * (fabs(bc) + fabs(cb)) + fabs(a[1]) * (fabs(ca) + fabs(ac)) + fabs(a[2]) * (fabs(ab) + fabs(ba));
    double bound = 1e-15 * size; /* Shewchuk's 7 + 56 eps units of 2^-53, and some */
    if (value > bound || value < -bound)
    {
        return value > 0 ? 1 : -1;
    }
    return size > 0 ? sign_exact(a, b, c) : 0;
}

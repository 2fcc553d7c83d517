/* Convolution surfaces along polylines, closed form per segment.
 *
 * With t along the segment from the foot of the point's perpendicular, h the perpendicular's length,
 *     q^2 = 1 + s^2 h^2,   D = q^2 + s^2 t^2 = 1 + s^2 d^2,   d^2 = h^2 + t^2,
 * the kernel is 1 / D^2 - e - k1 t^2 with k1 the slope of Cauchy's kernel over d^2 at the reach, and e what is left of
 * the parabola. Everything below is an antiderivative in t, taken at both ends of what lies within reach. */
#include "mesh/field/convolution.h"

#include <math.h>

#define PI 3.14159265358979323846

/* A kernel by its constants. */
typedef struct kernel
{
    double s2;    /* s^2 */
    double reach; /* r */
    double end;   /* k(r) */
    double slope; /* dk / d(d^2) at r */
} kernel;

static kernel kernel_of(double sharpness, double reach)
{
    kernel k = {.s2 = sharpness * sharpness, .reach = reach};
    if (isfinite(reach))
    {
        double inverse = 1 / (1 + k.s2 * reach * reach);
        k.end = inverse * inverse;
        k.slope = -2 * k.s2 * inverse * inverse * inverse;
    }
    return k;
}

/* Half of the piece of a line at squared distance h2 that is within reach; 0 outside. */
static double half_piece(const kernel *k, double h2)
{
    double left = k->reach * k->reach - h2;
    return left > 0 ? sqrt(left) : 0;
}

/* Antiderivatives in t of kernel and t kernel, and of their derivatives over d^2 times 1, t and t^2. */
typedef struct moments
{
    double value[2];
    double slope[3];
} moments;

static moments moments_at(const kernel *k, double h2, double t)
{
    double q2 = 1 + k->s2 * h2, d = q2 + k->s2 * t * t;
    double s = sqrt(k->s2), q = sqrt(q2), t2 = t * t;
    double square = t / (2 * q2 * d) + atan(s * t / q) / (2 * s * q2 * q); /* of 1 / D^2 */
    double cube = t / (4 * q2 * d * d) + 3 * square / (4 * q2);            /* of 1 / D^3 */
    double e = isfinite(k->reach) ? k->end + k->slope * (h2 - k->reach * k->reach) : 0;
    moments m;
    m.value[0] = square - e * t - k->slope * t2 * t / 3;
    m.value[1] = -1 / (2 * k->s2 * d) - e * t2 / 2 - k->slope * t2 * t2 / 4;
    m.slope[0] = -2 * k->s2 * cube - k->slope * t;
    m.slope[1] = 1 / (2 * d * d) - k->slope * t2 / 2;
    m.slope[2] = -2 * (square - q2 * cube) - k->slope * t2 * t / 3;
    return m;
}

double pl_convolution_field(const pl_convolution_segment *segment, pl_f4 point, pl_f4 *gradient)
{
    if (gradient)
    {
        *gradient = pl_splat(0);
    }
    double axis[3], away[3], length2 = 0, along = 0, squared = 0;
    for (int i = 0; i < 3; ++i)
    {
        axis[i] = (double)segment->to[i] - segment->from[i];
        away[i] = (double)point[i] - segment->from[i];
        length2 += axis[i] * axis[i];
    }
    if (!(length2 > 0))
    {
        return 0;
    }
    double length = sqrt(length2);
    for (int i = 0; i < 3; ++i)
    {
        axis[i] /= length;
        along += axis[i] * away[i];
        squared += away[i] * away[i];
    }
    kernel k = kernel_of(segment->sharpness, segment->reach);
    double h2 = fmax(0, squared - along * along);
    double half = half_piece(&k, h2);
    double from = fmax(-along, -half), to = fmin(length - along, half);
    if (!(from < to))
    {
        return 0;
    }
    moments a = moments_at(&k, h2, from), b = moments_at(&k, h2, to);
    double rise = ((double)segment->weight[1] - segment->weight[0]) / length;
    double weight = segment->weight[0] + rise * along; /* at the foot */
    if (gradient)
    {
        double across = 2 * (weight * (b.slope[0] - a.slope[0]) + rise * (b.slope[1] - a.slope[1]));
        double forward = -2 * (weight * (b.slope[1] - a.slope[1]) + rise * (b.slope[2] - a.slope[2]));
        for (int i = 0; i < 3; ++i)
        {
            (*gradient)[i] = (float)(across * (away[i] - along * axis[i]) + forward * axis[i]);
        }
    }
    return weight * (b.value[0] - a.value[0]) + rise * (b.value[1] - a.value[1]);
}

double pl_convolution_line(double sharpness, double reach, double distance)
{
    kernel k = kernel_of(sharpness, reach);
    double h2 = distance * distance;
    if (!isfinite(reach))
    {
        double q2 = 1 + k.s2 * h2;
        return PI / (2 * sharpness * q2 * sqrt(q2));
    }
    double half = half_piece(&k, h2);
    return half > 0 ? 2 * moments_at(&k, h2, half).value[0] : 0;
}

double pl_convolution_weight(double sharpness, double radius)
{
    double q2 = 1 + sharpness * sharpness * radius * radius;
    return 2 * sharpness * q2 * sqrt(q2) / PI;
}

double pl_convolution_plane(double sharpness, double z0, double z, double *slope)
{
    double s2 = sharpness * sharpness, top = 1 + s2 * z0 * z0, bottom = 1 + s2 * (z + z0) * (z + z0);
    if (slope)
    {
        *slope = -2 * s2 * (z + z0) * top / (bottom * bottom);
    }
    return top / bottom;
}

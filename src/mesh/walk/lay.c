#include "mesh/walk/lay.h"

static void normalize(double v[3])
{
    double size = sqrt(pl_dot_d(v, v));
    for (int i = 0; i < 3; ++i)
    {
        v[i] /= size;
    }
}

/* For triangles without area: along whichever edge has length, else the axes. */
static void any_frame(const double next[3], const double previous[3], pl_frame *frame)
{
    bool use_next = pl_dot_d(next, next) >= pl_dot_d(previous, previous);
    double size = sqrt(pl_dot_d(use_next ? next : previous, use_next ? next : previous));
    bool sized = size > 0 && size < INFINITY;
    for (int i = 0; i < 3; ++i)
    {
        frame->along[i] = !sized ? (i == 0) : (use_next ? next : previous)[i] / size;
    }
    double axis[3] = {0, 0, 0};
    axis[fabs(frame->along[0]) < 0.6 ? 0 : 1] = 1;
    pl_cross_d(frame->along, axis, frame->normal);
    normalize(frame->normal);
    pl_cross_d(frame->normal, frame->along, frame->side);
}

bool pl_frame_of(const uint32_t *triangles, const pleat_vec4 *positions, uint32_t corner, pl_frame *frame)
{
    double next[3], previous[3];
    pl_edges_at(triangles, positions, corner, next, previous);
    pl_cross_d(next, previous, frame->normal);
    double area = sqrt(pl_dot_d(frame->normal, frame->normal));
    double largest = pl_dot_d(next, next) + pl_dot_d(previous, previous);
    if (!(area > 1e-10 * largest && largest < INFINITY))
    {
        any_frame(next, previous, frame);
        return false;
    }
    normalize(frame->normal);
    for (int i = 0; i < 3; ++i)
    {
        frame->along[i] = next[i];
    }
    normalize(frame->along);
    pl_cross_d(frame->normal, frame->along, frame->side);
    return true;
}

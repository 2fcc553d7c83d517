/* How the correction of one joint is directed and spread: its frame, and the gammas of eq. 2.
 *
 * The frame must follow the moving skin. It is taken from the skin itself: with w the blend of weights, the affine map
 * that fits the rest positions to the present ones best (weighted by w) takes a rest direction d to
 *     sum over k of c_k p_k,   c_k = w_k (r_k - mean) . Cov^-1 d,
 * so a direction is a fixed list of numbers c_k, and per frame one weighted sum. At a bent joint this is the bisecting
 * frame, at a twisted one the half-twisted frame. */
#include "layers/profile.h"
#include "layers/volume/volume.h"

#include <string.h>

/* A vertex stands for the skin around it: the norm of eq. 2 is taken over the area, so that a correction does not
 * depend on how finely the mesh is cut, and gamma is divided by it. Facing areas of less than this part of the area at
 * rest say little about where the skin faces, and count less. */
#define CREASED 2.0f

enum
{
    EIGHT = 8 /* vertices that are weighted together */
};

/* Cov^-1 d for a symmetric 3x3, damped so that flat regions have an answer. */
static void solve_symmetric(const double c[6], const float direction[3], double out[3])
{
    double damping = 1e-6 * (c[0] + c[3] + c[5]);
    double xx = c[0] + damping, xy = c[1], xz = c[2], yy = c[3] + damping, yz = c[4], zz = c[5] + damping;
    double i00 = yy * zz - yz * yz, i01 = xz * yz - xy * zz, i02 = xy * yz - xz * yy;
    double i11 = xx * zz - xz * xz, i12 = xy * xz - xx * yz, i22 = xx * yy - xy * xy;
    double determinant = xx * i00 + xy * i01 + xz * i02;
    double x = (double)direction[0], y = (double)direction[1], z = (double)direction[2];
    double inverse = determinant > 0 ? 1 / determinant : 0;
    out[0] = (i00 * x + i01 * y + i02 * z) * inverse;
    out[1] = (i01 * x + i11 * y + i12 * z) * inverse;
    out[2] = (i02 * x + i12 * y + i22 * z) * inverse;
}

/* Along the limb; to the front and to the side, turned. */
static void rest_frame(const pl_volume_spread *spread, pl_f4 axes[PLEAT_VOLUME_AXES])
{
    pl_f4 along = pl_normalize3(spread->direction);
    along = pl_length3(along) > 0 ? along : pl_set(0, 1, 0, 0);
    pl_f4 towards = fabsf(along[2]) > 0.9f ? pl_set(0, 1, 0, 0) : pl_set(0, 0, 1, 0);
    pl_f4 front = pl_normalize3(towards - along * pl_splat(pl_dot3(along, towards)));
    pl_f4 side = pl_cross(along, front);
    float c = cosf(spread->shape->turn), s = sinf(spread->shape->turn);
    axes[PLEAT_VOLUME_ALONG] = along;
    axes[PLEAT_VOLUME_FRONT] = front * pl_splat(c) + side * pl_splat(s);
    axes[PLEAT_VOLUME_SIDE] = side * pl_splat(c) - front * pl_splat(s);
}

/* Weighted mean and covariance of the rest positions. */
static pl_f4 moments(const pl_volume_spread *spread, double covariance[6])
{
    double sum = 0, mean[3] = {0, 0, 0};
    for (uint32_t i = 0; i < spread->count; ++i)
    {
        uint32_t v = spread->active[i];
        double w = (double)spread->blend[v];
        sum += w;
        mean[0] += w * (double)spread->rest[v].x;
        mean[1] += w * (double)spread->rest[v].y;
        mean[2] += w * (double)spread->rest[v].z;
    }
    sum = sum > 0 ? sum : 1;
    memset(covariance, 0, 6 * sizeof *covariance);
    for (uint32_t i = 0; i < spread->count; ++i)
    {
        uint32_t v = spread->active[i];
        double w = (double)spread->blend[v];
        double x = (double)spread->rest[v].x - mean[0] / sum, y = (double)spread->rest[v].y - mean[1] / sum;
        double z = (double)spread->rest[v].z - mean[2] / sum;
        const double terms[6] = {x * x, x * y, x * z, y * y, y * z, z * z};
        for (int k = 0; k < 6; ++k)
        {
            covariance[k] += w * terms[k];
        }
    }
    return pl_set((float)(mean[0] / sum), (float)(mean[1] / sum), (float)(mean[2] / sum), 0);
}

static void fill_direction(const pl_volume_spread *spread, pl_f4 mean, const double covariance[6],
                           const pl_f4 axes[PLEAT_VOLUME_AXES], int axis, pleat_vec4 *frame)
{
    float d[3] = {axes[axis][0], axes[axis][1], axes[axis][2]};
    double c[3];
    solve_symmetric(covariance, d, c);
    for (uint32_t i = 0; i < spread->count; ++i)
    {
        uint32_t v = spread->active[i];
        pl_f4 from = pl_load(&spread->rest[v]) - mean;
        (&frame[i].x)[axis] = (float)((double)spread->blend[v] *
                                      ((double)from[0] * c[0] + (double)from[1] * c[1] + (double)from[2] * c[2]));
    }
}

static float bulge(float x, float width)
{
    return expf(-(x / width) * (x / width));
}

static float smooth(float t)
{
    t = fminf(fmaxf(t, 0), 1);
    return t * t * (3 - 2 * t);
}

/* A place of a region. */
typedef struct place
{
    float x;        /* along the limb, -1 .. 1 */
    float q;        /* along the axis (the front, for along), in radii */
    float front;    /* in radii */
    float distance; /* from the centre, in half lengths or radii, whichever is larger */
} place;

static float profile_at(const pleat_volume_shape *shape, pleat_volume_profile profile, const pl_profile *curve,
                        const place *at)
{
    float wave;
    switch (profile)
    {
    case PLEAT_VOLUME_BULGE:
        return bulge(at->x, shape->width);
    case PLEAT_VOLUME_MUSCLE:
        return smooth(at->q) * bulge(at->x, shape->width);
    case PLEAT_VOLUME_FOLDS:
        wave = sinf(1.57079633f * (float)shape->fold_count * (at->x + 1));
        return wave * wave * bulge(at->distance, shape->width);
    case PLEAT_VOLUME_CURVE:
        return pl_profile_at(curve, at->x);
    case PLEAT_VOLUME_WEIGHTS:
        break;
    }
    return 1;
}

static float around_at(pleat_volume_around around, float front)
{
    return around == PLEAT_VOLUME_ALL ? 1 : smooth(0.5f + (around == PLEAT_VOLUME_ONLY_FRONT ? front : -front));
}

/* Half length and radius of the region, where it is more than a trace. */
static void extents(const pl_volume_spread *spread, pl_f4 mean, const pl_f4 axes[PLEAT_VOLUME_AXES], float *half,
                    float *radius)
{
    *half = *radius = 0;
    for (uint32_t i = 0; i < spread->count; ++i)
    {
        uint32_t v = spread->active[i];
        if (spread->blend[v] > 0.02f)
        {
            pl_f4 from = pl_load(&spread->rest[v]) - mean;
            float along = pl_dot3(from, axes[PLEAT_VOLUME_ALONG]);
            *half = fmaxf(*half, fabsf(along));
            *radius = fmaxf(*radius, pl_length3(from - axes[PLEAT_VOLUME_ALONG] * pl_splat(along)));
        }
    }
    *half = *half > 0 ? *half : 1;
    *radius = *radius > 0 ? *radius : 1;
}

/* Gamma along one axis. */
static pleat_result fill_gamma(const pl_volume_spread *spread, int axis, pl_f4 mean,
                               const pl_f4 axes[PLEAT_VOLUME_AXES], float half, pl_volume_joint *joint,
                               pleat_error *error)
{
    const pleat_volume_shape *shape = spread->shape;
    pl_profile curve;
    PL_TRY(pl_profile_parse(shape->curve[axis], &curve, error));
    pl_f4 sided = axes[axis == PLEAT_VOLUME_ALONG ? PLEAT_VOLUME_FRONT : axis];
    for (uint32_t i = 0; i < spread->count; ++i)
    {
        uint32_t v = spread->active[i];
        pl_f4 from = pl_load(&spread->rest[v]) - mean;
        place at = {.x = pl_dot3(from, axes[PLEAT_VOLUME_ALONG]) / half,
                    .q = pl_dot3(from, sided) / joint->radius,
                    .front = pl_dot3(from, axes[PLEAT_VOLUME_FRONT]) / joint->radius,
                    .distance = pl_length3(from) / fmaxf(half, joint->radius)};
        (&joint->gamma[i].x)[axis] = spread->blend[v] * spread->mask[v] *
                                     around_at((pleat_volume_around)shape->around, at.front) *
                                     profile_at(shape, (pleat_volume_profile)shape->profile[axis], &curve, &at);
    }
    return PLEAT_OK;
}

pleat_result pl_volume_spread_out(const pl_volume_spread *spread, pl_arena *arena, pl_volume_joint *joint,
                                  pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    pl_f4 axes[PLEAT_VOLUME_AXES];
    double covariance[6];
    float half, sum = 0;
    size_t room = ((size_t)spread->count + EIGHT - 1) / EIGHT * EIGHT;
    PL_ARENA_NEW_OR_FAIL(joint->gamma, arena, pleat_vec4, room, error);
    PL_ARENA_NEW_OR_FAIL(joint->crease, arena, float, room, error);
    PL_ARENA_NEW_OR_FAIL(joint->frame, arena, pleat_vec4, room, error);
    rest_frame(spread, axes);
    pl_f4 mean = moments(spread, covariance);
    fill_direction(spread, mean, covariance, axes, PLEAT_VOLUME_ALONG, joint->frame);
    fill_direction(spread, mean, covariance, axes, PLEAT_VOLUME_FRONT, joint->frame);
    extents(spread, mean, axes, &half, &joint->radius);
    for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        sum += spread->shape->mu[a];
    }
    for (size_t i = 0; i < room; ++i)
    {
        float area = CREASED * spread->area[spread->active[i < spread->count ? i : 0]];
        size_t within = i % EIGHT;
        joint->crease[i - within + within % 2 * 4 + within / 2] = area > 0 ? area * area : 1;
    }
    for (int a = 0; a < PLEAT_VOLUME_AXES; ++a)
    {
        joint->mu[a] = spread->shape->mu[a] / sum;
        PL_TRY(fill_gamma(spread, a, mean, axes, half, joint, error));
    }
fail:
    return result;
}

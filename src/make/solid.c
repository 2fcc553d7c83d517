/* Implicit solids; see solid.h. */
#include "make/solid.h"

#include <assert.h>

/* ---- Lofts ---- */

/* Monotone cubics: slopes are the harmonic mean of the neighbours' slopes (Fritsch and Butland, 1984), 0 at extremes.
 */
static void make_slopes(pl_loft *loft)
{
    for (uint32_t k = 0; k < PL_SECTION_VALUES; ++k)
    {
        for (uint32_t i = 1; i + 1 < loft->count; ++i)
        {
            double h0 = loft->at[i] - loft->at[i - 1], h1 = loft->at[i + 1] - loft->at[i];
            double d0 = (loft->values[i][k] - loft->values[i - 1][k]) / h0;
            double d1 = (loft->values[i + 1][k] - loft->values[i][k]) / h1;
            double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
            loft->slopes[i][k] = d0 * d1 > 0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
        }
    }
}

void pl_loft_init(pl_loft *loft, pl_v3 origin, pl_v3 x, pl_v3 t, const pl_section *sections, uint32_t count,
                  double cap_low, double cap_high)
{
    assert(count >= 2 && count <= PL_LOFT_SECTIONS);
    *loft = (pl_loft){.origin = origin, .x = x, .t = t, .z = v3_cross(x, t), .count = count};
    loft->cap_low = cap_low;
    loft->cap_high = cap_high;
    for (uint32_t i = 0; i < count; ++i)
    {
        const pl_section *s = &sections[i];
        double values[PL_SECTION_VALUES] = {s->x, s->z, s->left, s->right, s->front, s->back, 0.9 * (s->power - 2)};
        loft->at[i] = s->t;
        memcpy(loft->values[i], values, sizeof values);
    }
    make_slopes(loft);
}

/* All values and slopes at t; flat beyond the ends. */
static void loft_sample(const pl_loft *loft, double t, double value[PL_SECTION_VALUES], double slope[PL_SECTION_VALUES])
{
    uint32_t i = 0;
    while (i + 2 < loft->count && t > loft->at[i + 1])
    {
        ++i;
    }
    double h = loft->at[i + 1] - loft->at[i];
    double raw = (t - loft->at[i]) / h;
    double u = pl_clamp(raw, 0, 1);
    bool inside = raw == u;
    for (uint32_t k = 0; k < PL_SECTION_VALUES; ++k)
    {
        double a = loft->values[i][k], b = loft->values[i + 1][k];
        double da = loft->slopes[i][k] * h, db = loft->slopes[i + 1][k] * h;
        double c2 = 3 * (b - a) - 2 * da - db, c3 = 2 * (a - b) + da + db;
        value[k] = a + u * (da + u * (c2 + u * c3));
        slope[k] = inside ? (da + u * (2 * c2 + u * 3 * c3)) / h : 0;
    }
}

double pl_loft_value(const pl_loft *loft, double t, uint32_t index)
{
    double value[PL_SECTION_VALUES], slope[PL_SECTION_VALUES];
    loft_sample(loft, t, value, slope);
    return value[index];
}

/* |q| - 1 over its own gradient, q being the point in units of the section's radii. */
double pl_loft_distance(const pl_loft *loft, pl_v3 p)
{
    pl_v3 d = v3_sub(p, loft->origin);
    double px = v3_dot(d, loft->x), t = v3_dot(d, loft->t), pz = v3_dot(d, loft->z);
    double v[PL_SECTION_VALUES], s[PL_SECTION_VALUES];
    loft_sample(loft, t, v, s);
    double dx = px - v[0], dz = pz - v[1];
    uint32_t ix = dx > 0 ? 2 : 3, iz = dz > 0 ? 4 : 5;
    double rx = v[ix], rz = v[iz], square = v[6];
    double qx = dx / rx, qz = dz / rz;
    double last = loft->at[loft->count - 1];
    double beyond = t < loft->at[0] ? (t - loft->at[0]) / loft->cap_low : t > last ? (t - last) / loft->cap_high : 0;
    double cap = t < loft->at[0] ? loft->cap_low : loft->cap_high;
    /* The section's norm, between the Euclidean one and the squarer fourth power, and its gradient. */
    double round = sqrt(qx * qx + qz * qz), flat = sqrt(sqrt(qx * qx * qx * qx + qz * qz * qz * qz));
    double a = round > 1e-9 ? (1 - square) / round : 0, b = round > 1e-9 ? square / (flat * flat * flat) : 0;
    double radial = round + square * (flat - round);
    double gx = a * qx + b * qx * qx * qx, gz = a * qz + b * qz * qz * qz;
    double norm = sqrt(radial * radial + beyond * beyond);
    double gt = (gx * (-s[0] - qx * s[ix]) / rx + gz * (-s[1] - qz * s[iz]) / rz);
    gx /= rx;
    gz /= rz;
    double share = norm > 1e-9 ? radial / norm : 1;
    double along = gt * share + (norm > 1e-9 ? beyond / norm / cap : 0);
    double gradient = sqrt(share * share * (gx * gx + gz * gz) + along * along);
    double least = 1 / pl_greater(rx, rz);
    return (norm - 1) / pl_greater(gradient, least);
}

/* ---- Cones and ellipsoids ---- */

static double cone_distance(const pl_solid *cone, pl_v3 p)
{
    pl_v3 axis = v3_sub(cone->b, cone->a), d = v3_sub(p, cone->a);
    double length2 = v3_dot(axis, axis), length = sqrt(length2);
    double y = v3_dot(d, axis) / length;
    double x = sqrt(pl_greater(v3_dot(d, d) - y * y, 0));
    /* In the plane of axis and point; slope is the sine of the cone's half angle. */
    double slope = (cone->ra - cone->rb) / length;
    double flat = sqrt(pl_greater(1 - slope * slope, 0));
    double t = y + x * slope / pl_greater(flat, 1e-6);
    if (t <= 0)
    {
        return sqrt(x * x + y * y) - cone->ra;
    }
    if (t >= length)
    {
        return sqrt(x * x + (y - length) * (y - length)) - cone->rb;
    }
    return x * flat + y * slope - cone->ra;
}

static double ellipsoid_distance(const pl_solid *solid, pl_v3 p)
{
    pl_v3 d = v3_sub(p, solid->a);
    pl_v3 q = v3(v3_dot(d, solid->axes[0]) / solid->b.x, v3_dot(d, solid->axes[1]) / solid->b.y,
                 v3_dot(d, solid->axes[2]) / solid->b.z);
    double k0 = v3_length(q);
    double k1 = v3_length(v3(q.x / solid->b.x, q.y / solid->b.y, q.z / solid->b.z));
    if (k1 < 1e-9)
    {
        return -pl_lesser(solid->b.x, pl_lesser(solid->b.y, solid->b.z));
    }
    return k0 * (k0 - 1) / k1;
}

double pl_solid_distance(const pl_solid *solid, pl_v3 p)
{
    switch (solid->kind)
    {
    case PL_SOLID_LOFT:
        return pl_loft_distance(solid->loft, p);
    case PL_SOLID_CONE:
        return cone_distance(solid, p);
    case PL_SOLID_ELLIPSOID:
        break;
    }
    return ellipsoid_distance(solid, p);
}

/* ---- Bodies ---- */

static pl_solid *add_solid(pl_body *body, pl_solid_kind kind, double blend)
{
    assert(body->count < PL_BODY_SOLIDS);
    pl_solid *solid = &body->solids[body->count++];
    *solid = (pl_solid){.kind = kind, .blend = blend};
    return solid;
}

pl_solid *pl_body_loft(pl_body *body, double blend, const pl_loft *loft)
{
    pl_solid *solid = add_solid(body, PL_SOLID_LOFT, blend);
    solid->loft = loft;
    return solid;
}

pl_solid *pl_body_cone(pl_body *body, double blend, pl_v3 a, double ra, pl_v3 b, double rb)
{
    pl_solid *solid = add_solid(body, PL_SOLID_CONE, blend);
    solid->a = a;
    solid->b = b;
    solid->ra = ra;
    solid->rb = rb;
    return solid;
}

pl_solid *pl_body_ellipsoid(pl_body *body, double blend, pl_v3 centre, pl_v3 radii, pl_v3 turn)
{
    pl_solid *solid = add_solid(body, PL_SOLID_ELLIPSOID, blend);
    pl_q q = pl_q_degrees(turn.x, turn.y, turn.z);
    solid->a = centre;
    solid->b = radii;
    solid->axes[0] = pl_q_turn(q, v3(1, 0, 0));
    solid->axes[1] = pl_q_turn(q, v3(0, 1, 0));
    solid->axes[2] = pl_q_turn(q, v3(0, 0, 1));
    return solid;
}

/* d with one more solid, on one side of the body or on both. */
static double join(double d, const pl_solid *solid, pl_v3 p)
{
    for (uint32_t side = 0; side < (solid->both_sides ? 2u : 1u); ++side)
    {
        double e = pl_solid_distance(solid, side ? v3_mirror(p) : p);
        d = solid->cut ? pl_smooth_max(d, -e, solid->blend) : pl_smooth_min(d, e, solid->blend);
    }
    return d;
}

static double field_of(const pl_body *body, const uint64_t *chosen, pl_v3 p)
{
    double d = 10;
    for (uint32_t word = 0; word * 64 < body->count; ++word)
    {
        for (uint64_t bits = chosen[word]; bits; bits &= bits - 1)
        {
            d = join(d, &body->solids[word * 64 + (uint32_t)__builtin_ctzll(bits)], p);
        }
    }
    return d;
}

static pl_body_cell *cell_at(const pl_body_grid *grid, pl_v3 p, pl_v3 *middle)
{
    if (!grid->cells)
    {
        return NULL;
    }
    double at[3] = {floor((p.x - grid->low.x) / grid->size), floor((p.y - grid->low.y) / grid->size),
                    floor((p.z - grid->low.z) / grid->size)};
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (!(at[k] >= 0) || at[k] >= grid->count[k])
        {
            return NULL;
        }
    }
    *middle = v3_mad(grid->low, grid->size, v3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5));
    return &grid->cells[(uint32_t)at[0] + grid->count[0] * ((uint32_t)at[1] + grid->count[1] * (uint32_t)at[2])];
}

/* Leaves out what is, anywhere in the cell, farther than the surface by more than the widest transition. Fields may
 * grow by up to 1.5 m a metre. */
static void fill_cell(const pl_body *body, pl_body_cell *cell, pl_v3 middle, double size, const uint64_t *chosen)
{
    const double widest = 0.06;
    double slack = 2 * 1.5 * size * 0.8660254 + widest;
    double d = field_of(body, chosen, middle);
    for (uint32_t i = 0; i < body->count; ++i)
    {
        const pl_solid *solid = &body->solids[i];
        if (!(chosen[i / 64] >> (i % 64) & 1))
        {
            continue;
        }
        double e = pl_solid_distance(solid, middle);
        e = solid->both_sides ? pl_lesser(e, pl_solid_distance(solid, v3_mirror(middle))) : e;
        if (e < (solid->cut ? fabs(d) : d) + slack)
        {
            cell->solids[i / 64] |= 1ull << (i % 64);
        }
    }
    cell->filled = true;
}

double pl_body_field(const void *user, pl_v3 p)
{
    const pl_body *body = user;
    p.x = fabs(p.x);
    pl_v3 middle;
    uint64_t every[PL_BODY_SOLIDS / 64 + 1];
    for (uint32_t word = 0; word <= PL_BODY_SOLIDS / 64; ++word)
    {
        uint32_t left = body->count > word * 64 ? body->count - word * 64 : 0;
        every[word] = left >= 64 ? UINT64_MAX : (1ull << left) - 1;
    }
    const uint64_t *chosen = every;
    const pl_body_grid *grids[2] = {&body->coarse, &body->fine};
    for (uint32_t g = 0; g < 2; ++g)
    {
        pl_body_cell *cell = cell_at(grids[g], p, &middle);
        if (!cell)
        {
            break;
        }
        if (!cell->filled)
        {
            fill_cell(body, cell, middle, grids[g]->size, chosen);
        }
        chosen = cell->solids;
    }
    return field_of(body, chosen, p);
}

static pleat_result make_grid(pl_maker *maker, pl_body_grid *grid, pl_v3 low, pl_v3 high, double size)
{
    *grid = (pl_body_grid){.low = v3(0, low.y, low.z), .size = size};
    grid->count[0] = (uint32_t)ceil(high.x / size);
    grid->count[1] = (uint32_t)ceil((high.y - low.y) / size);
    grid->count[2] = (uint32_t)ceil((high.z - low.z) / size);
    PL_MAKE_NEW(grid->cells, maker, scratch, pl_body_cell, (size_t)grid->count[0] * grid->count[1] * grid->count[2]);
    return PLEAT_OK;
}

pleat_result pl_body_prepare(pl_maker *maker, pl_body *body, pl_v3 low, pl_v3 high)
{
    PL_TRY(make_grid(maker, &body->coarse, low, high, 0.08));
    return make_grid(maker, &body->fine, low, high, 0.016);
}

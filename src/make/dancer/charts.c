/* How the dancer's surfaces are unrolled: trunk, head, arms and legs, each around its own axis, with the seam where it
 * is least seen: along the back, the inner arm, the inner leg. */
#include "make/dancer/dancer.h"

enum
{
    TRUNK,
    HEAD,
    ARM, /* left, right */
    LEG = ARM + 2
};

uint32_t pl_dancer_chart_of(const void *user, pl_v3 p)
{
    const pl_dancer *dancer = user;
    uint32_t side = p.x < 0 ? 1 : 0;
    pl_v3 q = v3(fabs(p.x), p.y, p.z);
    double weights[PL_DANCER_JOINTS], arm = 0, leg = 0;
    pl_dancer_weights(dancer, q, weights);
    for (uint32_t j = PL_UPPER_ARM; j <= PL_THUMB; ++j)
    {
        arm += weights[j];
    }
    for (uint32_t j = PL_THIGH; j <= PL_TOES; ++j)
    {
        leg += weights[j];
    }
    if (weights[PL_HEAD] > 0.5)
    {
        return HEAD;
    }
    return arm > 0.5 ? ARM + side : leg > 0.4 ? LEG + side : TRUNK;
}

/* Metres to texture units so that all charts of a mesh are of one scale and fit. */
static pl_chart chart_at(pl_v3 origin, pl_v3 axis, pl_v3 front, double low, double high, double around, double scale,
                         double u, double v)
{
    return (pl_chart){origin, axis, front, low, high, u, v, around * scale, (high - low) * scale};
}

static void limbs(const pl_dancer *dancer, pl_chart *charts, double scale, double arm_end, double leg_top, double u,
                  double v)
{
    for (uint32_t side = 0; side < 2; ++side)
    {
        double sign = side ? -1 : 1;
        pl_v3 shoulder = dancer->joints[PL_UPPER_ARM + side * PL_SIDE], way = dancer->arm_axis;
        pl_v3 axis = v3(sign * way.x, way.y, 0), outer = v3(sign * -way.y, way.x, 0);
        pl_v3 hip = v3(sign * 0.0925, 0, 0);
        charts[ARM + side] = chart_at(shoulder, v3_scale(axis, -1), outer, -arm_end, 0.07, 0.24, scale, u, v);
        charts[LEG + side] =
            chart_at(hip, v3(0, 1, 0), v3(sign, 0, 0), 0, leg_top, 0.44, scale, side ? 0.50 : 0.03, 0.03);
        u += 0.24 * scale + 0.03;
    }
}

void pl_dancer_skin_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS])
{
    pl_v3 up = v3(0, 1, 0), front = v3(0, 0, 1);
    limbs(dancer, charts, 0.40, 0.73, 1.0, 0.03, 0.48);
    for (uint32_t side = 0; side < 2; ++side)
    {
        charts[LEG + side].u = 0.28 + 0.21 * side;
        charts[LEG + side].v = 0.48;
    }
    charts[TRUNK] = chart_at(v3(0, 0, -0.01), up, front, 0.78, 1.52, 0.86, 0.40, 0.03, 0.08);
    charts[HEAD] = chart_at(v3(0, 0, -0.005), up, front, 1.45, 1.72, 0.56, 0.90, 0.43, 0.08);
}

void pl_dancer_leotard_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS])
{
    limbs(dancer, charts, 0.75, 0.49, 1.0, 0.30, 0.54);
    charts[TRUNK] = chart_at(v3(0, 0, -0.01), v3(0, 1, 0), v3(0, 0, 1), 0.77, 1.44, 0.86, 0.75, 0.08, 0.02);
    charts[HEAD] = charts[TRUNK];
    /* What little of the legs it covers stays with the trunk. */
    charts[LEG] = charts[LEG + 1] = charts[TRUNK];
}

void pl_dancer_shirt_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS])
{
    limbs(dancer, charts, 0.75, 0.22, 1.0, 0.20, 0.62);
    charts[TRUNK] = chart_at(v3(0, 0, -0.01), v3(0, 1, 0), v3(0, 0, 1), 0.87, 1.48, 1.05, 0.75, 0.09, 0.05);
    charts[HEAD] = charts[LEG] = charts[LEG + 1] = charts[TRUNK];
    charts[ARM + 1].u += 0.2;
    charts[ARM].width = charts[ARM + 1].width = 0.30;
}

void pl_dancer_tights_charts(const pl_dancer *dancer, pl_chart charts[PL_DANCER_CHARTS])
{
    limbs(dancer, charts, 0.90, 0.49, 1.04, 0.30, 0.54);
    charts[TRUNK] = charts[HEAD] = charts[LEG];
}

uint32_t pl_dancer_tights_chart_of(const void *user, pl_v3 p)
{
    (void)user;
    return p.x < 0 ? LEG + 1 : LEG;
}

#include "draw/axis.h"

#include <math.h>
#include <stdio.h>

/* The smallest of 1, 2, 5 times a power of ten that is not below the wish. */
static double round_step(double wish)
{
    double power = pow(10, floor(log10(wish)));
    double over = wish / power;
    return power * (over <= 1.0001 ? 1 : over <= 2.0001 ? 2 : over <= 5.0001 ? 5 : 10);
}

pl_axis pl_axis_make(double low, double high, int wanted, bool tight, bool whole)
{
    pl_axis axis = {.low = low, .high = high};
    double span = high - low;
    if (!(span > 0))
    {
        span = fmax(fabs(low) * 1e-3, whole ? 1 : 1e-6);
        axis.high = low + span;
    }
    axis.step = round_step(span / wanted);
    axis.step = whole ? fmax(axis.step, 1) : axis.step;
    double slack = 1e-6 * axis.step;
    if (!tight)
    {
        axis.low = axis.step * floor((axis.low + slack) / axis.step);
        axis.high = axis.step * ceil((axis.high - slack) / axis.step);
    }
    axis.first = axis.step * ceil((axis.low - slack) / axis.step);
    axis.tick_count = 1 + (int)floor((axis.high + slack - axis.first) / axis.step);
    axis.decimals = (int)fmax(0, -floor(log10(axis.step) + 1e-9));
    return axis;
}

void pl_axis_label(const pl_axis *axis, int tick, char *out, size_t size)
{
    double value = axis->first + tick * axis->step;
    value = fabs(value) < 1e-9 * axis->step ? 0 : value;
    if (fabs(axis->high) >= 10000 && axis->step >= 1000)
    {
        snprintf(out, size, value == 0 ? "0" : "%.0fk", value / 1000);
        return;
    }
    snprintf(out, size, "%.*f", axis->decimals, value);
}

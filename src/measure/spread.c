/* Percentiles in bounded memory: weights summed in steps of equal width. Values beyond the last step fall into it; the
 * extremes are kept apart, so they are exact and the ends of the outermost steps are known. */
#include "measure/measure.h"

#include <math.h>
#include <string.h>

enum
{
    STEP_COUNT = 8192,
    STEPS_PER_UNIT = 2048
};

pleat_result pl_histogram_init(pl_histogram *histogram, pl_arena *arena, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    PL_ARENA_NEW_OR_FAIL(histogram->weights, arena, double, STEP_COUNT, error);
    pl_histogram_clear(histogram);
fail:
    return result;
}

void pl_histogram_clear(pl_histogram *histogram)
{
    memset(histogram->weights, 0, STEP_COUNT * sizeof *histogram->weights);
    histogram->total = 0;
    histogram->least = INFINITY;
    histogram->most = -INFINITY;
}

void pl_histogram_add(pl_histogram *histogram, float value, double weight)
{
    float step = value * STEPS_PER_UNIT;
    uint32_t at = !(step > 0) ? 0 : step < STEP_COUNT - 1 ? (uint32_t)step : STEP_COUNT - 1;
    histogram->weights[at] += weight;
    histogram->total += weight;
    histogram->least = fminf(histogram->least, value);
    histogram->most = fmaxf(histogram->most, value);
}

/* The value that a share of all weight lies below. */
static float percentile(const pl_histogram *histogram, double share)
{
    double wanted = share * histogram->total;
    double below = 0;
    for (uint32_t i = 0; i < STEP_COUNT; ++i)
    {
        double weight = histogram->weights[i];
        if (weight > 0 && below + weight >= wanted)
        {
            double low = fmax((double)i / STEPS_PER_UNIT, (double)histogram->least);
            double high = fmin((i + 1.0) / STEPS_PER_UNIT, (double)histogram->most);
            high = i == STEP_COUNT - 1 ? (double)histogram->most : high;
            return (float)(low + (high - low) * (wanted - below) / weight);
        }
        below += weight;
    }
    return histogram->most;
}

pleat_spread pl_histogram_spread(const pl_histogram *histogram)
{
    if (!(histogram->total > 0))
    {
        return (pleat_spread){1, 1, 1, 1, 1};
    }
    return (pleat_spread){histogram->least, percentile(histogram, 0.01), percentile(histogram, 0.5),
                          percentile(histogram, 0.99), histogram->most};
}

/* The cross-section of a wrinkle: solved and measured once, in double. */
#include "layers/wrinkles/shape/profile.h"

#include "base/once.h"
#include "mesh/field/convolution.h"

#include <math.h>

enum
{
    FINE = 128 /* pieces of the profile that is measured */
};

/* What is above 1 in the sum of the cloth's field and those of two crests, `apart` widths from each other (INFINITY:
 * one alone): falls with the height, from 0 or more on the cloth. */
static double above_one(double weight, double place, double apart, double z)
{
    double rise = PL_WRINKLE_RISE * z, field = pl_convolution_line(1, 1, hypot(place, rise));
    if (apart - place < 1)
    {
        field += pl_convolution_line(1, 1, hypot(apart - place, rise));
    }
    return weight * field + pl_convolution_plane(1, 1, z, NULL) - 1;
}

/* The height at a place; not above `most`. False position, halving the value at an end that stays (Illinois). */
static double solve_height(double weight, double place, double apart, double most)
{
    double low = 0, high = most, at_low = above_one(weight, place, apart, 0);
    double at_high = above_one(weight, place, apart, most);
    if (!(at_low > 0) || !(at_high < 0))
    {
        return at_low > 0 ? most : 0;
    }
    for (int i = 0; i < 60 && high - low > 1e-9; ++i)
    {
        double z = (low * at_high - high * at_low) / (at_high - at_low);
        double value = above_one(weight, place, apart, z);
        if (fabs(value) < 1e-8)
        {
            return z;
        }
        bool moves_low = value > 0;
        at_low = moves_low ? value : 0.5 * at_low;
        at_high = moves_low ? 0.5 * at_high : value;
        *(moves_low ? &low : &high) = z;
    }
    return 0.5 * (low + high);
}

static double weight_of(double depth)
{
    double height = PL_WRINKLE_RISE * depth;
    return (1 - pl_convolution_plane(1, 1, depth, NULL)) / pl_convolution_line(1, 1, height);
}

/* Where along the arc (lengths up to each of the fine places) a length is reached, as a place. */
static double place_at(const double lengths[FINE + 1], double length)
{
    int i = 0;
    while (i < FINE - 1 && lengths[i + 1] < length)
    {
        ++i;
    }
    double piece = lengths[i + 1] - lengths[i];
    return (i + (piece > 0 ? fmin(1, (length - lengths[i]) / piece) : 0)) / FINE;
}

float pl_wrinkle_lean(float depth)
{
    float t = fminf(fmaxf(2 * (depth - 1), 0), 1);
    return 0.6f * t * t * (3 - 2 * t);
}

/* The length of a piece of the profile, on the mean of both sides of a wrinkle that leans. */
static double piece_length(double before, double z, double lean)
{
    double aside = lean * (before * before - z * z);
    return 0.5 * (hypot(1.0 / FINE + aside, z - before) + hypot(1.0 / FINE - aside, z - before));
}

static void fill_row(pl_wrinkle_profile *profile, int row)
{
    /* The row of 0 stands for the limit of shallow wrinkles. */
    double depth = row > 0 ? (double)PL_WRINKLE_DEEPEST * row / PL_PROFILE_DEPTHS : 1e-3;
    double weight = weight_of(depth), before = depth, aside = (double)pl_wrinkle_lean((float)depth) / depth;
    double total = 0;
    double lengths[FINE + 1] = {0};
    profile->height[row][0] = row > 0 ? (float)depth : 0;
    for (int i = 1; i <= FINE; ++i)
    {
        double z = i < FINE ? solve_height(weight, (double)i / FINE, INFINITY, before) : 0;
        lengths[i] = lengths[i - 1] + hypot(1.0 / FINE, z - before);
        total += piece_length(before, z, aside);
        before = z;
        if (i % (FINE / PL_PROFILE_PLACES) == 0)
        {
            profile->height[row][i / (FINE / PL_PROFILE_PLACES)] = row > 0 ? (float)z : 0;
        }
    }
    profile->excess[0][row] = (float)((lengths[FINE] - 1) / (depth * depth));
    profile->excess[1][row] = (float)((total - 1) / (depth * depth));
    for (int i = 0; i <= PL_PROFILE_PLACES; ++i)
    {
        double place = (double)i / PL_PROFILE_PLACES;
        bool moves = row > 0 && i > 0 && i < PL_PROFILE_PLACES;
        profile->shift[row][i] = moves ? (float)(place_at(lengths, place * lengths[FINE]) - place) : 0;
    }
}

static double exact_nearness(double x)
{
    return pl_convolution_line(1, 1, x) / pl_convolution_line(1, 1, 0);
}

/* Ten milliseconds: once a process. */
static pl_wrinkle_profile the_profile;
static pl_once profile_made;

static void fill_profile(void)
{
    pl_wrinkle_profile *profile = &the_profile;
    profile->unit = (float)(1 / pl_convolution_line(1, 1, 0));
    for (int row = 0; row <= PL_PROFILE_DEPTHS; ++row)
    {
        fill_row(profile, row);
    }
    for (int i = 0; i <= PL_PROFILE_PLACES; ++i)
    {
        double x = (double)i / PL_PROFILE_PLACES, step = 1e-5;
        double from = fmax(0, x - step), to = fmin(1, x + step);
        profile->slope[i] = i > 0 ? (float)((exact_nearness(to) - exact_nearness(from)) / (to - from)) : 0;
        double root = 1 - x * x, low = 0, high = 1; /* sqrt(1 - sqrt(nearness)) = x */
        for (int k = 0; k < 50; ++k)
        {
            double middle = 0.5 * (low + high);
            *(exact_nearness(middle) > root * root ? &low : &high) = middle;
        }
        profile->place[i] = (float)(0.5 * (low + high));
    }
}

void pl_wrinkle_profile_make(pl_wrinkle_profile *profile)
{
    pl_run_once(&profile_made, fill_profile);
    *profile = the_profile;
}

/* Not fminf and fmaxf: those are calls. */
PL_INLINE float smaller(float a, float b)
{
    return a < b ? a : b;
}

/* A table of equal steps over 0 .. 1. */
static float read_row(const float *row, int count, float at)
{
    float x = at > 0 ? (at < 1 ? at : 1) * (float)count : 0;
    int i = x < (float)(count - 1) ? (int)x : count - 1;
    return row[i] + (x - (float)i) * (row[i + 1] - row[i]);
}

float pl_wrinkle_weight(float depth)
{
    return (float)weight_of(fmin(fmax(depth, 0), PL_WRINKLE_DEEPEST));
}

float pl_wrinkle_excess(const pl_wrinkle_profile *profile, float depth)
{
    float held = smaller(depth, PL_WRINKLE_DEEPEST);
    return read_row(profile->excess[profile->lean], PL_PROFILE_DEPTHS, held / PL_WRINKLE_DEEPEST) * held * held;
}

float pl_wrinkle_depth_for(const pl_wrinkle_profile *profile, float excess)
{
    const float *row = profile->excess[profile->lean], step = PL_WRINKLE_DEEPEST / PL_PROFILE_DEPTHS;
    int low = 0, high = PL_PROFILE_DEPTHS;
    if (!(excess > 0))
    {
        return 0;
    }
    if (!(excess < row[high] * PL_WRINKLE_DEEPEST * PL_WRINKLE_DEEPEST))
    {
        return PL_WRINKLE_DEEPEST;
    }
    while (high - low > 1)
    {
        int middle = (low + high) / 2;
        float depth = step * (float)middle;
        *(row[middle] * depth * depth < excess ? &low : &high) = middle;
    }
    /* Between two rows it is (a + b x) depth^2: Newton's steps from a root of the middle's square. */
    float from = step * (float)low, rise = (row[high] - row[low]) / step;
    float depth = sqrtf(2 * excess / (row[low] + row[high]));
    for (int i = 0; i < 3; ++i)
    {
        float a = row[low] + rise * (depth - from);
        depth -= (a * depth * depth - excess) / (depth * (2 * a + rise * depth));
    }
    return fminf(fmaxf(depth, from), from + step);
}

/* ---- Neighbours ---- */

/* Half of the excess between two crests of this weight, so many widths apart. */
static double excess_between(double weight, double depth, double apart)
{
    enum
    {
        PIECES = 40
    };
    double half = 0.5 * apart, length = 0, before = 0;
    for (int i = 0; i <= PIECES; ++i)
    {
        double z = solve_height(weight, half * i / PIECES, apart, i > 0 ? before : 1.5 * depth);
        length += i > 0 ? hypot(half / PIECES, z - before) : 0;
        before = z;
    }
    return length - half;
}

static pl_wrinkle_overlap the_overlap;
static pl_once overlap_made;

static void fill_overlap(void)
{
    for (int row = 1; row <= PL_OVERLAP_DEPTHS; ++row)
    {
        double depth = (double)PL_WRINKLE_DEEPEST * row / PL_OVERLAP_DEPTHS, weight = weight_of(depth);
        double alone = excess_between(weight, depth, 2);
        for (int i = 1; i <= PL_OVERLAP_STEPS; ++i)
        {
            double between = excess_between(weight, depth, 2 - (double)i / PL_OVERLAP_STEPS);
            the_overlap.missing[row][i] = (float)fmax(alone - between, 0);
        }
    }
}

void pl_wrinkle_overlap_make(pl_wrinkle_overlap *overlap)
{
    pl_run_once(&overlap_made, fill_overlap);
    *overlap = the_overlap;
}

float pl_wrinkle_missing(const pl_wrinkle_overlap *table, float depth, float overlap)
{
    float share = depth > 0 ? smaller(depth / PL_WRINKLE_DEEPEST, 1) : 0, x = share * PL_OVERLAP_DEPTHS;
    int i = x < PL_OVERLAP_DEPTHS - 1 ? (int)x : PL_OVERLAP_DEPTHS - 1;
    float a = read_row(table->missing[i], PL_OVERLAP_STEPS, overlap);
    float b = read_row(table->missing[i + 1], PL_OVERLAP_STEPS, overlap);
    return a + (x - (float)i) * (b - a);
}

float pl_wrinkle_depth_between(const pl_wrinkle_profile *profile, const pl_wrinkle_overlap *table, float excess,
                               const float overlaps[2])
{
    float low = 0, high = PL_WRINKLE_DEEPEST, below = 0, above = INFINITY;
    if (!(excess > 0))
    {
        return 0;
    }
    for (int i = 0; i < 10; ++i)
    {
        float middle = 0.5f * (low + high);
        float got = 2 * pl_wrinkle_excess(profile, middle) - pl_wrinkle_missing(table, middle, overlaps[0]) -
                    pl_wrinkle_missing(table, middle, overlaps[1]);
        *(got < excess ? &low : &high) = middle;
        *(got < excess ? &below : &above) = got;
    }
    /* The rest is straight; at the deepest there is none. */
    return above < INFINITY && above > below ? low + (high - low) * (excess - below) / (above - below) : high;
}

float pl_wrinkle_nearness(float x)
{
    return (float)exact_nearness(x);
}

float pl_wrinkle_place(const pl_wrinkle_profile *profile, float nearness)
{
    if (!(nearness < 1))
    {
        return 0;
    }
    return read_row(profile->place, PL_PROFILE_PLACES, sqrtf(1 - sqrtf(nearness > 0 ? nearness : 0)));
}

float pl_wrinkle_read(const float table[][PL_PROFILE_PLACES + 1], float depth, float place)
{
    float x = smaller(depth / PL_WRINKLE_DEEPEST, 1) * PL_PROFILE_DEPTHS;
    int i = x > 0 ? (x < PL_PROFILE_DEPTHS - 1 ? (int)x : PL_PROFILE_DEPTHS - 1) : 0;
    float a = read_row(table[i], PL_PROFILE_PLACES, place), b = read_row(table[i + 1], PL_PROFILE_PLACES, place);
    return a + (x - (float)i) * (b - a);
}

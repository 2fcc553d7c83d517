/* Axes: a range with round ticks. */
#ifndef PL_AXIS_H
#define PL_AXIS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pl_axis
{
    double low, high; /* shown */
    double first;     /* tick */
    double step;      /* 1, 2 or 5 times a power of ten */
    int tick_count;
    int decimals; /* that the ticks need */
} pl_axis;

/* An axis around low..high with about `wanted` ticks. tight: the range stays as it is and ticks lie inside; else it
 * grows to whole steps. whole: steps of 1 or more. */
pl_axis pl_axis_make(double low, double high, int wanted, bool tight, bool whole);
/* The number at a tick as text: no more decimals than the step needs; thousands from 10000 on as 10k. */
void pl_axis_label(const pl_axis *axis, int tick, char *out, size_t size);

#endif

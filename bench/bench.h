/* The bench: every figure is a ratio against a reference that runs in the same process, turn by turn. */
#ifndef PLEAT_BENCH_H
#define PLEAT_BENCH_H

#include <stdbool.h>
#include <stdint.h>

typedef void bench_body(void *user);

/* Runs body and reference alternately, rounds times each, and returns the best seconds of both. */
typedef struct bench_pair
{
    double seconds;
    double reference_seconds;
} bench_pair;
bench_pair bench_compare(bench_body *body, void *user, bench_body *reference, void *reference_user, uint32_t rounds);

/* The best seconds of one body alone. */
double bench_best(bench_body *body, void *user, uint32_t rounds);

typedef enum bench_goal
{
    BENCH_AT_MOST,
    BENCH_AT_LEAST,
    BENCH_NO_GOAL
} bench_goal;

/* One row of the table and of the JSON. ratio is what the goal speaks of; reference names what value is held against.
 */
void bench_row(const char *name, double value, const char *unit, const char *reference, double ratio, bench_goal goal,
               double bound);

/* Whether what was asked for on the command line (nothing: all) names this part of a group. */
bool bench_wants(const char *part);

/* Each group of groups.h. */
#define GROUP(name) void bench_##name(void);
#include "groups.h"
#undef GROUP

#endif

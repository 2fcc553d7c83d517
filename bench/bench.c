/* make bench: prints the table, writes the JSON named as the argument. A second argument names one group, a third a
 * part of it: pleat_bench build/bench.json cloth shirt. */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum
{
    MAX_ROWS = 256
};

typedef struct row
{
    char name[80];
    char unit[16];
    char reference[80];
    double value;
    double ratio;
    double bound;
    bench_goal goal;
} row;

static row rows[MAX_ROWS];
static uint32_t row_count;
static const char *wanted_part;

bool bench_wants(const char *part)
{
    return !wanted_part || strcmp(wanted_part, part) == 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double once(bench_body *body, void *user)
{
    double start = now();
    body(user);
    return now() - start;
}

bench_pair bench_compare(bench_body *body, void *user, bench_body *reference, void *reference_user, uint32_t rounds)
{
    bench_pair best = {1e30, 1e30};
    for (uint32_t i = 0; i < rounds; ++i)
    {
        double seconds = once(body, user);
        double reference_seconds = once(reference, reference_user);
        best.seconds = seconds < best.seconds ? seconds : best.seconds;
        best.reference_seconds =
            reference_seconds < best.reference_seconds ? reference_seconds : best.reference_seconds;
    }
    return best;
}

double bench_best(bench_body *body, void *user, uint32_t rounds)
{
    double best = 1e30;
    for (uint32_t i = 0; i < rounds; ++i)
    {
        double seconds = once(body, user);
        best = seconds < best ? seconds : best;
    }
    return best;
}

static const char *verdict(const row *r)
{
    switch (r->goal)
    {
    case BENCH_AT_MOST:
        return r->ratio <= r->bound ? "reached" : "MISSED";
    case BENCH_AT_LEAST:
        return r->ratio >= r->bound ? "reached" : "MISSED";
    case BENCH_NO_GOAL:
        break;
    }
    return "";
}

void bench_row(const char *name, double value, const char *unit, const char *reference, double ratio, bench_goal goal,
               double bound)
{
    if (row_count == MAX_ROWS)
    {
        return;
    }
    row *r = &rows[row_count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->unit, sizeof r->unit, "%s", unit);
    snprintf(r->reference, sizeof r->reference, "%s", reference);
    r->value = value;
    r->ratio = ratio;
    r->goal = goal;
    r->bound = bound;
    static const char *const goals[] = {"at most", "at least", ""};
    printf("%-44s %10.3f %-9s %-40s %8.3f", r->name, value, unit, reference, ratio);
    if (goal != BENCH_NO_GOAL)
    {
        printf("  %s %g: %s", goals[goal], bound, verdict(r));
    }
    printf("\n");
    fflush(stdout);
}

static int write_json(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
    {
        perror(path);
        return 1;
    }
    static const char *const goals[] = {"at most", "at least", "none"};
    fprintf(file, "[\n");
    for (uint32_t i = 0; i < row_count; ++i)
    {
        const row *r = &rows[i];
        fprintf(file,
                "  {\"name\": \"%s\", \"value\": %.9g, \"unit\": \"%s\", \"reference\": \"%s\", \"ratio\": %.9g, "
                "\"goal\": \"%s\", \"bound\": %.9g, \"verdict\": \"%s\"}%s\n",
                r->name, r->value, r->unit, r->reference, r->ratio, goals[r->goal], r->bound, verdict(r),
                i + 1 < row_count ? "," : "");
    }
    fprintf(file, "]\n");
    return fclose(file) == 0 ? 0 : 1;
}

int main(int argument_count, char **arguments)
{
    static const struct
    {
        const char *name;
        void (*run)(void);
    } groups[] = {
        {"", NULL},
#define GROUP(name) {#name, bench_##name},
#include "groups.h"
#undef GROUP
    };
    const char *only = argument_count > 2 ? arguments[2] : NULL;
    wanted_part = argument_count > 3 ? arguments[3] : NULL;
    printf("%-44s %10s %-9s %-40s %8s\n", "name", "value", "unit", "reference", "ratio");
    for (uint32_t i = 1; i < sizeof groups / sizeof groups[0]; ++i)
    {
        if (!only || strcmp(only, groups[i].name) == 0)
        {
            groups[i].run();
        }
    }
    return argument_count > 1 ? write_json(arguments[1]) : 0;
}

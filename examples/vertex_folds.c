/* An experiment: why folds, and not vertices, are what rises.
 *
 * M. Ly, F. Bertails-Descoubes, D. Rohmer, "Unilaterally Incompressible Skinning", 2017, sec. 4.1 and figure 3. The
 * inner side of a bent limb is a line of vertices, compressed and curved inwards. In the model without bending every
 * vertex may leave the line along its normal by its own X_i >= 0, and every edge wants tau_i(X) >= 0 with X_i tau_i =
 * 0. Descending on the Fischer-Burmeister error ends in another zigzag from every start: each is a minimum. With
 * bending, one amplitude X lifts all vertices of a fold by one profile: the length is convex in X, there is one root,
 * and every start finds it. The program prints both and fails if it were not so; example_vertex_folds FIGURE.svg also
 * draws them as in the paper: above three of the results, below the error over the height of the central peak. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum
{
    VERTICES = 17,
    FOLD_FIRST = 4, /* the fold in the middle: its first and last vertex */
    FOLD_LAST = 12,
    STARTS = 12
};

static double line[VERTICES][2], normal[VERTICES][2];
static double rest_edge;

/* A sixth of a circle seen from inside, edges 15 % shorter than at rest. */
static void bend_line(void)
{
    for (int i = 0; i < VERTICES; ++i)
    {
        double angle = 1.0471976 * i / (VERTICES - 1);
        line[i][0] = -cos(angle);
        line[i][1] = -sin(angle);
        normal[i][0] = cos(angle);
        normal[i][1] = sin(angle);
    }
    rest_edge = hypot(line[1][0] - line[0][0], line[1][1] - line[0][1]) / 0.85;
}

static double stretch_of(int edge, const double *x)
{
    double a[2];
    for (int k = 0; k < 2; ++k)
    {
        a[k] = line[edge + 1][k] + x[edge + 1] * normal[edge + 1][k] - line[edge][k] - x[edge] * normal[edge][k];
    }
    return hypot(a[0], a[1]) - rest_edge;
}

static double fischer_burmeister(double a, double b)
{
    return sqrt(a * a + b * b) - a - b;
}

/* ---- Both models as one error of some unknowns ---- */

/* Both ends of the line stay where they are. */
static double vertex_error(const double *inner, int count)
{
    double x[VERTICES] = {0}, sum = 0;
    memcpy(x + 1, inner, (size_t)count * sizeof *inner);
    for (int i = 0; i + 1 < VERTICES; ++i)
    {
        double e = fischer_burmeister(x[i], stretch_of(i, x));
        sum += e * e;
    }
    return sqrt(sum);
}

static double fold_error(const double *amplitude, int count)
{
    double x[VERTICES] = {0}, tau = 0;
    (void)count;
    for (int i = FOLD_FIRST; i <= FOLD_LAST; ++i)
    {
        double r = fabs(2.0 * (i - FOLD_FIRST) / (FOLD_LAST - FOLD_FIRST) - 1);
        x[i] = *amplitude * (1 - r * r * (3 - 2 * r));
    }
    for (int i = FOLD_FIRST; i < FOLD_LAST; ++i)
    {
        tau += stretch_of(i, x);
    }
    return fabs(fischer_burmeister(*amplitude, tau));
}

/* Goes down one unknown at a time with steps that halve when none helps; unknowns stay at 0 or above. */
static double descend(double (*error)(const double *, int), double *x, int count)
{
    double best = error(x, count);
    for (double step = 0.2; step > 1e-12;)
    {
        bool better = false;
        for (int i = 0; i < 2 * count; ++i)
        {
            double before = x[i / 2];
            x[i / 2] = fmax(0, before + (i % 2 ? step : -step));
            double now = error(x, count);
            if (now < best)
            {
                best = now;
                better = true;
            }
            else
            {
                x[i / 2] = before;
            }
        }
        step *= better ? 1 : 0.5;
    }
    return best;
}

/* ---- The figure ---- */

enum
{
    DRAWN = 3, /* starts that the figure shows */
    PANEL = 400
};

typedef struct start_result
{
    double vertices[VERTICES - 2], fold;
} start_result;

/* Heights of all vertices, for either model. */
static void heights_of(const start_result *r, bool bending, double *x)
{
    memset(x, 0, VERTICES * sizeof *x);
    for (int i = 1; i + 1 < VERTICES; ++i)
    {
        double t = fabs(2.0 * (i - FOLD_FIRST) / (FOLD_LAST - FOLD_FIRST) - 1);
        x[i] = !bending ? r->vertices[i - 1] : t < 1 ? r->fold * (1 - t * t * (3 - 2 * t)) : 0;
    }
}

/* A line of vertices, seen with its middle up. */
static void draw_line(FILE *out, const double *x, double left, double top, const char *color)
{
    fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
    for (int i = 0; i < VERTICES; ++i)
    {
        double p[2] = {line[i][0] + x[i] * normal[i][0], line[i][1] + x[i] * normal[i][1]};
        double c = 0.8660254, s = 0.5; /* the middle of the arc lies at 30 degrees */
        fprintf(out, "%.1f,%.1f ", left + PANEL * (0.5 - 0.85 * (c * p[1] - s * p[0])),
                top + PANEL * 0.55 * (1 + c * p[0] + s * p[1]) * -1);
    }
    fprintf(out, "'/>\n");
}

/* The error over the height of the central peak, the other unknowns as they are. */
static void draw_error(FILE *out, start_result r, bool bending, double left, double top, const char *color)
{
    int peak = (VERTICES - 2) / 2;
    fprintf(out, "<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
    for (int i = 0; i <= 200; ++i)
    {
        double x = 0.3 * i / 200;
        r.vertices[peak] = r.fold = x;
        double error = bending ? fold_error(&x, 1) : vertex_error(r.vertices, VERTICES - 2);
        fprintf(out, "%.1f,%.1f ", left + PANEL * (0.05 + 3 * x), top - fmin(PANEL * error, 180));
    }
    fprintf(out, "'/>\n");
}

static int draw_figure(const char *path, const start_result *results)
{
    static const char *const colors[DRAWN] = {"#1f5fa8", "#2e8b57", "#c77b00"};
    FILE *out = fopen(path, "w");
    if (!out)
    {
        perror(path);
        return 1;
    }
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='470' font-family='sans-serif'>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n",
            2 * PANEL);
    for (int b = 0; b < 2; ++b)
    {
        double left = b * PANEL, flat[VERTICES] = {0}, x[VERTICES];
        fprintf(out, "<text x='%.0f' y='24'>%s</text>\n", left + 20,
                b ? "(b) one amplitude a fold: every start ends here" : "(a) every vertex by itself: three starts");
        for (int s = 0; s < DRAWN; ++s)
        {
            draw_line(out, flat, left, 110 + 60 * s, "#f3a6b8");
            heights_of(&results[s], b, x);
            draw_line(out, x, left, 110 + 60 * s, colors[s]);
            draw_error(out, results[s], b, left, 440, colors[s]);
        }
        fprintf(out,
                "<path d='M%.0f 440h360M%.0f 440v-170' stroke='black'/>\n"
                "<text x='%.0f' y='460'>height of the central peak</text>"
                "<text x='%.0f' y='285'>error</text>\n",
                left + 20, left + 20, left + 130, left + 28);
    }
    fprintf(out, "</svg>\n");
    return fclose(out) != 0;
}

static double start_value(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return 0.15 * (double)(*state >> 8) / 16777216.0;
}

int main(int argc, char **argv)
{
    start_result results[STARTS];
    bend_line();
    unsigned state = 7;
    double first[VERTICES], worst = 0, spread = 0, fold_low = INFINITY, fold_high = 0, fold_worst = 0;
    for (int s = 0; s < STARTS; ++s)
    {
        double x[VERTICES - 2], amplitude = 0.03 * (s + 1);
        for (int i = 0; i < VERTICES - 2; ++i)
        {
            x[i] = start_value(&state);
        }
        double error = descend(vertex_error, x, VERTICES - 2), fold = descend(fold_error, &amplitude, 1);
        printf("start %2d  vertices:", s);
        for (int i = 0; i < VERTICES - 2; ++i)
        {
            printf(" %4.0f", 1000 * x[i] / rest_edge);
            first[i] = s ? first[i] : x[i];
            spread = fmax(spread, fabs(x[i] - first[i]) / rest_edge);
        }
        printf("  error %.1e | fold: %.6f, error %.0e\n", error, amplitude, fold);
        memcpy(results[s].vertices, x, sizeof x);
        results[s].fold = amplitude;
        worst = fmax(worst, error);
        fold_low = fmin(fold_low, amplitude);
        fold_high = fmax(fold_high, amplitude);
        fold_worst = fmax(fold_worst, fold);
    }
    printf("(heights of vertices in thousandths of an edge)\n"
           "without bending: patterns differ by up to %.2f edges, errors up to %.1e\n"
           "with bending: one solution, to %.0e, errors up to %.0e\n",
           spread, worst, fold_high - fold_low, fold_worst);
    if (argc > 1 && draw_figure(argv[1], results) != 0)
    {
        return 1;
    }
    return spread > 0.5 && worst < 1e-6 && fold_high - fold_low < 1e-6 && fold_worst < 1e-6 ? 0 : 1;
}

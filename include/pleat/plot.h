/* pleat/plot.h: curves over frames, drawn on a picture or written as SVG; the two look the same. Part of libpleat_draw.
 */
#ifndef PLEAT_PLOT_H
#define PLEAT_PLOT_H

#include "pleat/draw.h"

PLEAT_BEGIN

/* One value a frame. Values that are not finite leave a gap. */
typedef struct pleat_plot_curve
{
    uint32_t count;
    const double *values;
    uint32_t style; /* index into the plot's styles */
} pleat_plot_curve;

/* What a curve looks like, and its line in the legend. */
typedef struct pleat_plot_style
{
    const char *name;
    pleat_rgba color;
    bool dashed;
} pleat_plot_style;

/* One pair of axes. */
typedef struct pleat_plot_panel
{
    const char *title;
    const char *note; /* at the right of the title, or NULL */
    uint32_t curve_count;
    const pleat_plot_curve *curves; /* later ones are drawn over earlier ones */
    double level;                   /* a value to mark with a line, such as 1; NAN: none */
    double least_span;              /* the axis shows at least so much, so that noise stays small; 0: no least */
    bool from_zero;                 /* the axis starts at 0 */
} pleat_plot_panel;

typedef struct pleat_plot
{
    const char *title;
    const char *subtitle; /* or NULL */
    const char *across;   /* what the horizontal axis counts: "frame" */
    double first;         /* its first value */
    double step;          /* and how it grows; default 1 */
    uint32_t style_count;
    const pleat_plot_style *styles;
    uint32_t panel_count; /* 1..9 */
    const pleat_plot_panel *panels;
} pleat_plot;

pleat_plot pleat_plot_default(void);

/* Fills the picture, which should be 480 by 280 or larger. Letters and lines grow with it. */
pleat_result pleat_plot_draw(const pleat_plot *plot, const pleat_picture *picture, const pleat_host *host,
                             pleat_error *error);
/* The same picture of width by height as SVG text, *size bytes; free with pleat_plot_free. Letters are drawn as
 * strokes, so that it needs no font. */
pleat_result pleat_plot_svg(const pleat_plot *plot, uint32_t width, uint32_t height, const pleat_host *host,
                            char **text, size_t *size, pleat_error *error);
void pleat_plot_free(const pleat_host *host, char *text); /* NULL is fine */

PLEAT_END

#endif

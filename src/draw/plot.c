/* The layout of a plot: title and legend on top, panels in a grid below. All sizes are for 1200 by 700 and grow with
 * the picture. */
#include "pleat/plot.h"

#include "draw/axis.h"
#include "draw/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const pleat_rgba paper = {255, 255, 255, 255};
static const pleat_rgba ink = {34, 38, 46, 255};
static const pleat_rgba quiet = {110, 116, 126, 255};
static const pleat_rgba grid = {232, 234, 238, 255};
static const pleat_rgba base_line = {176, 181, 190, 255};
static const pleat_rgba level_line = {150, 156, 166, 255};

pleat_plot pleat_plot_default(void)
{
    return (pleat_plot){.title = "", .across = "frame", .step = 1};
}

/* Room for everything that is drawn at once. */
typedef struct layout
{
    const pleat_plot *plot;
    pl_canvas *canvas;
    float unit; /* pixels that stand for one of 1200 x 700 */
    uint32_t columns, rows;
    uint32_t frames; /* of the longest curve */
    pl_point *points;
} layout;

/* The inside of a pair of axes, in pixels, and its numbers. */
typedef struct axes
{
    float left, right, top, bottom;
    pl_axis x, y;
} axes;

/* ---- Head ---- */

static void draw_legend(layout *l, float right, float y)
{
    float height = 11 * l->unit, x = right;
    for (uint32_t i = l->plot->style_count; i-- > 0;)
    {
        const pleat_plot_style *style = &l->plot->styles[i];
        float width = pleat_text_width(height, style->name);
        pl_canvas_text(l->canvas, x, y, height, PL_ANCHOR_RIGHT, ink, style->name);
        x -= width + 10 * l->unit;
        pl_point line[2] = {{x - 44 * l->unit, y - 0.5f * height}, {x, y - 0.5f * height}};
        pl_canvas_lines(l->canvas, 2, line, (style->dashed ? 2.0f : 2.6f) * l->unit, style->dashed ? 7 * l->unit : 0,
                        style->color);
        x -= (44 + 30) * l->unit;
    }
}

/* Text cut to a width, with dots where it was. */
static void text_within(layout *l, float x, float y, float height, float width, pleat_rgba color, const char *text)
{
    char cut[256];
    snprintf(cut, sizeof cut, "%s", text);
    for (size_t length = strlen(cut); length > 3 && pleat_text_width(height, cut) > width; --length)
    {
        memcpy(cut + length - 3, "..", 3);
    }
    pl_canvas_text(l->canvas, x, y, height, PL_ANCHOR_LEFT, color, cut);
}

static float legend_width(const layout *l)
{
    float width = 0;
    for (uint32_t i = 0; i < l->plot->style_count; ++i)
    {
        width += pleat_text_width(11 * l->unit, l->plot->styles[i].name) + (10 + 44 + 30) * l->unit;
    }
    return width;
}

static void draw_head(layout *l)
{
    float u = l->unit, margin = 36 * u;
    float room = l->canvas->width - 2 * margin - legend_width(l);
    text_within(l, margin, 46 * u, 16 * u, room, ink, l->plot->title);
    if (l->plot->subtitle)
    {
        text_within(l, margin, 72 * u, 10 * u, l->canvas->width - 2 * margin, quiet, l->plot->subtitle);
    }
    draw_legend(l, l->canvas->width - margin, 45 * u);
}

/* ---- A panel ---- */

static void find_range(const pleat_plot_panel *panel, double *low, double *high)
{
    *low = panel->from_zero ? 0 : INFINITY;
    *high = panel->from_zero ? 0 : -INFINITY;
    for (uint32_t c = 0; c < panel->curve_count; ++c)
    {
        for (uint32_t i = 0; i < panel->curves[c].count; ++i)
        {
            double value = panel->curves[c].values[i];
            *low = isfinite(value) ? fmin(*low, value) : *low;
            *high = isfinite(value) ? fmax(*high, value) : *high;
        }
    }
    if (isfinite(panel->level))
    {
        *low = fmin(*low, panel->level);
        *high = fmax(*high, panel->level);
    }
    if (!(*low <= *high))
    {
        *low = 0;
        *high = 1;
    }
    double missing = panel->least_span - (*high - *low);
    if (missing > 0)
    {
        *high += panel->from_zero ? missing : 0.5 * missing;
        *low -= panel->from_zero ? 0 : 0.5 * missing;
    }
}

static float x_of(const axes *a, double value)
{
    return a->left + (float)((value - a->x.low) / (a->x.high - a->x.low)) * (a->right - a->left);
}

static float y_of(const axes *a, double value)
{
    return a->bottom - (float)((value - a->y.low) / (a->y.high - a->y.low)) * (a->bottom - a->top);
}

static void draw_axes(layout *l, const axes *a, bool name_across)
{
    float u = l->unit, height = 9 * u;
    char label[32];
    for (int i = 0; i < a->y.tick_count; ++i)
    {
        float y = floorf(y_of(a, a->y.first + i * a->y.step)) + 0.5f;
        pl_point line[2] = {{a->left, y}, {a->right, y}};
        pl_canvas_lines(l->canvas, 2, line, 1, 0, grid);
        pl_axis_label(&a->y, i, label, sizeof label);
        pl_canvas_text(l->canvas, a->left - 9 * u, y + 0.5f * height, height, PL_ANCHOR_RIGHT, quiet, label);
    }
    float bottom = floorf(a->bottom) + 0.5f;
    pl_point base[2] = {{a->left, bottom}, {a->right, bottom}};
    pl_canvas_lines(l->canvas, 2, base, 1, 0, base_line);
    for (int i = 0; i < a->x.tick_count; ++i)
    {
        float x = floorf(x_of(a, a->x.first + i * a->x.step)) + 0.5f;
        pl_point tick[2] = {{x, bottom}, {x, bottom + 4 * u}};
        pl_canvas_lines(l->canvas, 2, tick, 1, 0, base_line);
        pl_axis_label(&a->x, i, label, sizeof label);
        pl_canvas_text(l->canvas, x, bottom + 20 * u, height, PL_ANCHOR_MIDDLE, quiet, label);
    }
    if (name_across)
    {
        pl_canvas_text(l->canvas, a->right, bottom + 38 * u, height, PL_ANCHOR_RIGHT, quiet, l->plot->across);
    }
}

static void draw_curve(layout *l, const axes *a, const pleat_plot_curve *curve)
{
    const pleat_plot_style *style = &l->plot->styles[curve->style];
    float width = (style->dashed ? 2.0f : 2.6f) * l->unit;
    uint32_t count = 0;
    for (uint32_t i = 0; i <= curve->count; ++i)
    {
        if (i < curve->count && isfinite(curve->values[i]))
        {
            l->points[count++] = (pl_point){x_of(a, l->plot->first + i * l->plot->step), y_of(a, curve->values[i])};
            continue;
        }
        pl_canvas_lines(l->canvas, count, l->points, width, style->dashed ? 7 * l->unit : 0, style->color);
        count = 0;
    }
}

static bool counts_whole(const pleat_plot_panel *panel)
{
    for (uint32_t c = 0; c < panel->curve_count; ++c)
    {
        for (uint32_t i = 0; i < panel->curves[c].count; ++i)
        {
            if (panel->curves[c].values[i] != floor(panel->curves[c].values[i]))
            {
                return false;
            }
        }
    }
    return true;
}

static void draw_panel(layout *l, const pleat_plot_panel *panel, uint32_t column, uint32_t row)
{
    float u = l->unit, head = 88 * u, foot = 16 * u, side = 36 * u, gap = 44 * u;
    float width = (l->canvas->width - 2 * side - (float)(l->columns - 1) * gap) / (float)l->columns;
    float height = (l->canvas->height - head - foot) / (float)l->rows;
    float left = side + (float)column * (width + gap), top = head + (float)row * height;
    axes a = {.left = left + 46 * u, .right = left + width, .top = top + 44 * u, .bottom = top + height - 42 * u};
    double low, high;
    find_range(panel, &low, &high);
    a.y = pl_axis_make(low, high, 5, false, counts_whole(panel));
    uint32_t last = l->frames > 1 ? l->frames - 1 : 1;
    a.x = pl_axis_make(l->plot->first, l->plot->first + last * l->plot->step, 7, true, l->plot->step == 1);

    float note = panel->note ? pleat_text_width(10 * u, panel->note) + 16 * u : 0;
    text_within(l, left, top + 22 * u, 11 * u, width - note, ink, panel->title);
    if (panel->note)
    {
        pl_canvas_text(l->canvas, left + width, top + 22 * u, 10 * u, PL_ANCHOR_RIGHT, quiet, panel->note);
    }
    draw_axes(l, &a, row + 1 == l->rows);
    if (isfinite(panel->level))
    {
        float y = floorf(y_of(&a, panel->level)) + 0.5f;
        pl_point line[2] = {{a.left, y}, {a.right, y}};
        pl_canvas_lines(l->canvas, 2, line, 1, 0, level_line);
    }
    for (uint32_t c = 0; c < panel->curve_count; ++c)
    {
        draw_curve(l, &a, &panel->curves[c]);
    }
}

/* ---- The whole ---- */

static pleat_result check(const pleat_plot *plot, float width, float height, pleat_error *error)
{
    if (!(width >= 1 && height >= 1 && width <= 16384 && height <= 16384))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a plot of %g by %g pixels; each side must be 1 to 16384",
                       (double)width, (double)height);
    }
    if (plot->panel_count < 1 || plot->panel_count > 9)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "a plot has 1 to 9 panels, not %u", plot->panel_count);
    }
    for (uint32_t p = 0; p < plot->panel_count; ++p)
    {
        for (uint32_t c = 0; c < plot->panels[p].curve_count; ++c)
        {
            if (plot->panels[p].curves[c].style >= plot->style_count)
            {
                return pl_fail(error, PLEAT_BAD_ARGUMENT, "curve %u of panel %u has style %u; there are %u", c, p,
                               plot->panels[p].curves[c].style, plot->style_count);
            }
        }
    }
    return PLEAT_OK;
}

static pleat_result draw(const pleat_plot *plot, pl_canvas *canvas, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    layout l = {.plot = plot, .canvas = canvas};
    l.unit = fminf(canvas->width / 1200, canvas->height / 700);
    l.columns = plot->panel_count < 2 ? 1 : plot->panel_count <= 4 ? 2 : 3;
    l.rows = (plot->panel_count + l.columns - 1) / l.columns;
    for (uint32_t p = 0; p < plot->panel_count; ++p)
    {
        for (uint32_t c = 0; c < plot->panels[p].curve_count; ++c)
        {
            uint32_t count = plot->panels[p].curves[c].count;
            l.frames = count > l.frames ? count : l.frames;
        }
    }
    PL_NEW_OR_FAIL(l.points, canvas->memory, pl_point, l.frames, error);
    pl_canvas_rectangle(canvas, 0, 0, canvas->width, canvas->height, paper);
    draw_head(&l);
    for (uint32_t p = 0; p < plot->panel_count; ++p)
    {
        draw_panel(&l, &plot->panels[p], p % l.columns, p / l.columns);
    }
    if (canvas->failed)
    {
        result = pl_fail_memory(canvas->memory, error, "the plot");
    }
fail:
    pl_free(canvas->memory, l.points);
    return result;
}

pleat_result pleat_plot_draw(const pleat_plot *plot, const pleat_picture *picture, const pleat_host *host,
                             pleat_error *error)
{
    pl_memory memory = pl_memory_from(host);
    pl_canvas canvas = {
        .width = (float)picture->width, .height = (float)picture->height, .picture = picture, .memory = &memory};
    PL_TRY(check(plot, canvas.width, canvas.height, error));
    return draw(plot, &canvas, error);
}

pleat_result pleat_plot_svg(const pleat_plot *plot, uint32_t width, uint32_t height, const pleat_host *host,
                            char **text, size_t *size, pleat_error *error)
{
    *text = NULL;
    *size = 0;
    pl_memory memory = pl_memory_from(host);
    pl_svg svg = {0};
    pl_canvas canvas = {.width = (float)width, .height = (float)height, .svg = &svg, .memory = &memory};
    PL_TRY(check(plot, canvas.width, canvas.height, error));
    pl_svg_begin(&canvas, plot->title);
    pleat_result result = draw(plot, &canvas, error);
    pl_svg_end(&canvas);
    if (result == PLEAT_OK && canvas.failed)
    {
        result = pl_fail_memory(&memory, error, "the plot");
    }
    if (result != PLEAT_OK)
    {
        pl_free(&memory, svg.text);
        return result;
    }
    *text = svg.text;
    *size = svg.size;
    return PLEAT_OK;
}

void pleat_plot_free(const pleat_host *host, char *text)
{
    pl_memory memory = pl_memory_from(host);
    pl_free(&memory, text);
}

/* What is drawn on a picture without a GPU: fills, lines, the colours of stretch. */
#include "draw/picture.h"

#include <math.h>
#include <stdio.h>

pleat_picture pleat_picture_part(const pleat_picture *picture, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    pleat_picture part = {0, 0, picture->stride, picture->pixels};
    if (x < picture->width && y < picture->height)
    {
        part.width = width < picture->width - x ? width : picture->width - x;
        part.height = height < picture->height - y ? height : picture->height - y;
        part.pixels = picture->pixels + y * picture->stride + 4 * (size_t)x;
    }
    return part;
}

/* alpha 0..1 of a colour over a pixel; pictures are opaque. */
static void blend(uint8_t *pixel, pleat_rgba color, float alpha)
{
    alpha *= (float)color.a / 255;
    const uint8_t source[3] = {color.r, color.g, color.b};
    for (int c = 0; c < 3; ++c)
    {
        pixel[c] = (uint8_t)((float)pixel[c] + ((float)source[c] - (float)pixel[c]) * alpha + 0.5f);
    }
    pixel[3] = 255;
}

void pleat_picture_fill(const pleat_picture *picture, pleat_rgba color)
{
    for (uint32_t y = 0; y < picture->height; ++y)
    {
        uint8_t *row = picture->pixels + y * picture->stride;
        for (uint32_t x = 0; x < picture->width; ++x)
        {
            blend(row + 4 * (size_t)x, color, 1);
        }
    }
}

/* First pixel at or after x, within 0..count. */
static uint32_t clamp_pixel(float x, uint32_t count)
{
    if (!(x > 0))
    {
        return 0;
    }
    return x < (float)count ? (uint32_t)x : count;
}

static float distance_squared(const pl_segment *s, float x, float y)
{
    float dx = s->x1 - s->x0, dy = s->y1 - s->y0;
    float px = x - s->x0, py = y - s->y0;
    float squared = dx * dx + dy * dy;
    float t = squared > 0 ? fminf(fmaxf((px * dx + py * dy) / squared, 0), 1) : 0;
    px -= t * dx;
    py -= t * dy;
    return px * px + py * py;
}

enum
{
    TILE = 16, /* pixels */
    TILE_SEGMENTS = 256
};

typedef struct pixel_box
{
    uint32_t left, right, top, bottom; /* right and bottom are past the last */
} pixel_box;

/* The pixels of a box, from the segments that may reach them. */
static void stroke_tile(const pleat_picture *picture, const pixel_box *box, uint32_t count, const pl_segment *segments,
                        float width, pleat_rgba color)
{
    for (uint32_t y = box->top; y < box->bottom; ++y)
    {
        uint8_t *row = picture->pixels + y * picture->stride;
        for (uint32_t x = box->left; x < box->right; ++x)
        {
            float least = INFINITY;
            for (uint32_t i = 0; i < count; ++i)
            {
                least = fminf(least, distance_squared(&segments[i], (float)x + 0.5f, (float)y + 0.5f));
            }
            float alpha = fminf(0.5f * width + 0.5f - sqrtf(least), 1);
            if (alpha > 0)
            {
                blend(row + 4 * (size_t)x, color, alpha);
            }
        }
    }
}

static bool may_reach(const pl_segment *s, const pixel_box *box, float reach)
{
    return fminf(s->x0, s->x1) - reach < (float)box->right && fmaxf(s->x0, s->x1) + reach > (float)box->left &&
           fminf(s->y0, s->y1) - reach < (float)box->bottom && fmaxf(s->y0, s->y1) + reach > (float)box->top;
}

void pl_picture_stroke(const pleat_picture *picture, uint32_t count, const pl_segment *segments, float width,
                       pleat_rgba color)
{
    float low_x = INFINITY, low_y = INFINITY, high_x = -INFINITY, high_y = -INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        low_x = fminf(low_x, fminf(segments[i].x0, segments[i].x1));
        low_y = fminf(low_y, fminf(segments[i].y0, segments[i].y1));
        high_x = fmaxf(high_x, fmaxf(segments[i].x0, segments[i].x1));
        high_y = fmaxf(high_y, fmaxf(segments[i].y0, segments[i].y1));
    }
    float reach = 0.5f * width + 1;
    uint32_t left = clamp_pixel(low_x - reach, picture->width);
    uint32_t right = clamp_pixel(high_x + reach + 1, picture->width);
    uint32_t top = clamp_pixel(low_y - reach, picture->height);
    uint32_t bottom = clamp_pixel(high_y + reach + 1, picture->height);
    for (uint32_t y = top; y < bottom; y += TILE)
    {
        for (uint32_t x = left; x < right; x += TILE)
        {
            pixel_box box = {x, x + TILE < right ? x + TILE : right, y, y + TILE < bottom ? y + TILE : bottom};
            pl_segment near[TILE_SEGMENTS];
            uint32_t near_count = 0;
            for (uint32_t i = 0; i < count && near_count < TILE_SEGMENTS; ++i)
            {
                if (may_reach(&segments[i], &box, reach))
                {
                    near[near_count++] = segments[i];
                }
            }
            bool all = near_count == TILE_SEGMENTS;
            stroke_tile(picture, &box, all ? count : near_count, all ? segments : near, width, color);
        }
    }
}

void pleat_picture_line(const pleat_picture *picture, float x0, float y0, float x1, float y1, float width,
                        pleat_rgba color)
{
    pl_segment segment = {x0, y0, x1, y1};
    pl_picture_stroke(picture, 1, &segment, width, color);
}

/* ---- Stretch ---- */

pleat_stretch_scale pleat_stretch_scale_default(void)
{
    return (pleat_stretch_scale){0.7f, 1.3f};
}

pleat_rgba pleat_stretch_color(const pleat_stretch_scale *scale, float stretch)
{
    /* From the far end to the middle, for both sides; lightness falls evenly away from the middle. */
    static const uint8_t stops[2][5][3] = {
        {{242, 241, 238}, {170, 202, 232}, {92, 148, 214}, {36, 92, 184}, {12, 44, 124}},
        {{242, 241, 238}, {246, 190, 160}, {228, 116, 86}, {190, 46, 44}, {118, 10, 28}},
    };
    bool compressed = !(stretch >= 1);
    float t = compressed ? (1 - stretch) / (1 - scale->low) : (stretch - 1) / (scale->high - 1);
    t = fminf(fmaxf(t, 0), 1) * 4;
    int at = t < 3 ? (int)t : 3;
    float f = t - (float)at;
    const uint8_t *a = stops[compressed ? 0 : 1][at], *b = stops[compressed ? 0 : 1][at + 1];
    uint8_t out[3];
    for (int c = 0; c < 3; ++c)
    {
        out[c] = (uint8_t)((float)a[c] + ((float)b[c] - (float)a[c]) * f + 0.5f);
    }
    return (pleat_rgba){out[0], out[1], out[2], 255};
}

/* ---- Labels ---- */

static float text_height(const pleat_picture *picture)
{
    return fmaxf(8, 0.019f * (float)picture->height);
}

static const pleat_rgba panel_color = {20, 22, 26, 150};
static const pleat_rgba text_color = {250, 250, 250, 255};

/* A rectangle with round corners, from edge to edge in pixels. */
static void panel(const pleat_picture *picture, float left, float top, float right, float bottom, float radius)
{
    uint32_t x_end = clamp_pixel(right + 1, picture->width), y_end = clamp_pixel(bottom + 1, picture->height);
    for (uint32_t y = clamp_pixel(top, picture->height); y < y_end; ++y)
    {
        for (uint32_t x = clamp_pixel(left, picture->width); x < x_end; ++x)
        {
            float px = (float)x + 0.5f, py = (float)y + 0.5f;
            float dx = fmaxf(fmaxf(left + radius - px, px - right + radius), 0);
            float dy = fmaxf(fmaxf(top + radius - py, py - bottom + radius), 0);
            float alpha = fminf(fmaxf(radius + 0.5f - sqrtf(dx * dx + dy * dy), 0), 1);
            blend(picture->pixels + y * picture->stride + 4 * (size_t)x, panel_color, alpha);
        }
    }
}

void pleat_picture_label(const pleat_picture *picture, const char *text)
{
    float height = 1.2f * text_height(picture);
    float width = pleat_text_width(height, text);
    float x = 2 * height, y = 2.9f * height;
    panel(picture, x - height, y - 1.8f * height, x + width + height, y + 0.8f * height, 0.8f * height);
    pleat_picture_text(picture, x, y, height, text_color, text);
}

static void centered_number(const pleat_picture *picture, float x, float y, float height, float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.2f", (double)value);
    pleat_picture_text(picture, x - 0.5f * pleat_text_width(height, text), y, height, text_color, text);
}

/* A bar of colours, low at the left, with three numbers under it and the title above. */
void pleat_picture_legend(const pleat_picture *picture, const pleat_stretch_scale *scale, const char *title)
{
    float height = text_height(picture);
    float width = fminf(20 * height, 0.8f * (float)picture->width);
    float left = (float)picture->width - width - 3.2f * height;
    float bottom = (float)picture->height - 3.6f * height; /* of the bar */
    float bar = 1.2f * height;
    if (!(left > 0) || !(bottom > 4 * height))
    {
        return;
    }
    panel(picture, left - 1.4f * height, bottom - bar - 3 * height, left + width + 1.4f * height,
          bottom + 2.7f * height, height);
    uint32_t columns = (uint32_t)width;
    for (uint32_t i = 0; i < columns; ++i)
    {
        float t = ((float)i + 0.5f) / (float)columns;
        pleat_picture column =
            pleat_picture_part(picture, (uint32_t)left + i, (uint32_t)(bottom - bar), 1, (uint32_t)bar);
        pleat_picture_fill(&column, pleat_stretch_color(scale, scale->low + (scale->high - scale->low) * t));
    }
    float middle = left + width * (1 - scale->low) / (scale->high - scale->low);
    pleat_picture_text(picture, left, bottom - bar - 0.7f * height, height, text_color, title);
    centered_number(picture, left + height, bottom + 1.7f * height, height, scale->low);
    centered_number(picture, middle, bottom + 1.7f * height, height, 1);
    centered_number(picture, left + width - height, bottom + 1.7f * height, height, scale->high);
}

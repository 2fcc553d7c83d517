/* Wrinkles that run into each other: the younger one ends where it comes to the older.
 *
 * R. Gillette, 2015, sec. 5.2.3 and ch. 8. A younger path is looked at in steps; those that lie on an older line are
 * not its own. It keeps the longest stretch of the rest, so that crossing, joining and lying on top of each other are
 * one rule; what is left of it may be too short to live. Ends move there at their usual speed. */
#include "layers/live/live.h"

/* Paths nearer than this share of the smallest width are one. */
static const float SAME = 0.5f;
/* A path is looked at in steps of so many widths: no crossing fits between two. */
static const float STEP = 0.75f;

enum
{
    MOST_STEPS = 128
};

/* The place at a length along a path, and the piece that it lies on. */
static pl_f4 place_at(const pl_live_path *path, const pl_f4 *at, const float *arc, float length, uint32_t *piece)
{
    float pieces = pl_live_pieces_at(path, arc, length);
    uint32_t i = pieces < (float)(path->count - 1) ? (uint32_t)pieces : path->count - 2;
    *piece = i;
    return pl_lerp(at[i], at[i + 1], pieces - (float)i);
}

/* A path as it is looked at, and the older lines that come near it at all. */
typedef struct look
{
    const pleat_live *live;
    const pl_live_path *path;
    pl_f4 at[PL_LIVE_NODES];
    float arc[PL_LIVE_NODES];
    uint32_t line_count;
    uint32_t *lines;
} look;

static void gather_lines(look *l, uint32_t index, float margin)
{
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    for (uint32_t i = 0; i < l->path->count; ++i)
    {
        low = pl_min(low, l->at[i]);
        high = pl_max(high, l->at[i]);
    }
    pl_f4 middle = (low + high) * pl_splat(0.5f);
    float radius = 0.5f * pl_length3(high - low) + margin;
    for (uint32_t i = 0; i < index; ++i)
    {
        if (pl_live_ball_is_near(l->live, i, middle, radius))
        {
            l->lines[l->line_count++] = i;
        }
    }
}

static bool is_free_at(const look *l, float length, float radius)
{
    uint32_t piece;
    pl_f4 place = place_at(l->path, l->at, l->arc, length, &piece);
    pl_f4 normal = pl_live_normal(l->live, l->path->triangles[piece]);
    for (uint32_t i = 0; i < l->line_count; ++i)
    {
        if (pl_live_ball_is_near(l->live, l->lines[i], place, radius) &&
            pl_live_line_is_near(l->live, l->lines[i], place, normal, radius))
        {
            return false;
        }
    }
    return true;
}

void pl_live_limit(pleat_live *live, uint32_t index)
{
    pl_live_path *path = &live->paths[index];
    look l = {.live = live, .path = path, .lines = live->queue};
    float width = live->head->width, whole = pl_live_measure(live, path, l.at, l.arc);
    path->lowest = 0;
    path->uppermost = (float)(path->count - 1);
    gather_lines(&l, index, SAME * width);
    if (l.line_count == 0)
    {
        return;
    }
    /* As far as the ends may have come until the next look. */
    float low = fmaxf(pl_live_arc_at(path, l.arc, path->begin) - 2 * width, 0);
    float high = fminf(pl_live_arc_at(path, l.arc, path->end) + 2 * width, whole);
    float count = ceilf((high - low) / (STEP * width));
    uint32_t steps = count < 1 ? 1 : count < MOST_STEPS ? (uint32_t)count : MOST_STEPS;
    float step = (high - low) / (float)steps, best_from = low, best = -1, from = low;
    bool was_free = false;
    for (uint32_t i = 0; i <= steps + 1; ++i)
    {
        float length = low + step * (float)i;
        bool is_free = i <= steps && is_free_at(&l, length, SAME * width);
        if (is_free && !was_free)
        {
            from = length;
        }
        if (!is_free && was_free && length - step - from > best)
        {
            best = length - step - from;
            best_from = from;
        }
        was_free = is_free;
    }
    bool free_front = best >= 0 && best_from <= low, free_back = best >= 0 && best_from + best >= high - 0.5f * step;
    path->lowest = free_front ? 0 : pl_live_pieces_at(path, l.arc, best_from);
    path->uppermost = free_back ? path->uppermost : pl_live_pieces_at(path, l.arc, best_from + fmaxf(best, 0));
}

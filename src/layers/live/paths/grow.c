/* Ends and heights of wrinkles: both follow what the cloth asks for, as fast as the eye can follow.
 *
 * R. Gillette, 2015, secs. 5.2.3 and 6.1. A length changes by at most 15 % in 1/30 s, as there. Beyond that, ends have
 * a top speed, lower for high wrinkles, and heights another, so that between two frames at 60 a second nothing moves by
 * more than a quarter of the smallest width, and nothing rises by more than a tenth. A wrinkle is born with its whole
 * length and no height, and dies the same way. */
#include "layers/live/live.h"

static const float GROWTH = 1.15f;
/* In widths a second. */
static const float END_SPEED = 7, HEIGHT_SPEED = 2.4f;
/* The height that moving ends may add anywhere, in widths a second: with HEIGHT_SPEED less than a tenth at 60 frames a
 * second. */
static const float END_HEIGHT_SPEED = 2.4f;
/* Compression that is this much nearer to 1 than tau still keeps a wrinkle: what flickers about tau does not. */
static const float KEEP = 0.75f;
/* No wrinkle is higher than this share of its length: a short one that is high is a blob. */
static const float STEEPEST = 0.1f;

/* A path gets more nodes when what is visible of it is so many pieces from its end. */
static const float NEAR_END = 1.5f;

static float compression_of(const pleat_live *live, uint32_t triangle)
{
    return fminf(live->field[triangle].compression, live->options.cap);
}

static float kept(const pleat_live *live)
{
    return 1 + KEEP * (live->options.tau - 1);
}

/* The piece with enough compression that is nearest to the middle of what there is; PLEAT_NONE without one. */
static uint32_t find_heart(const pleat_live *live, const pl_live_path *path, float keep)
{
    float middle = 0.5f * (path->begin + path->end), nearest = INFINITY;
    uint32_t heart = PLEAT_NONE;
    for (uint32_t i = 0; i + 1 < path->count; ++i)
    {
        float distance = fabsf((float)i + 0.5f - middle);
        if (compression_of(live, path->triangles[i]) >= keep && distance < nearest)
        {
            nearest = distance;
            heart = i;
        }
    }
    return heart;
}

/* The triangle beyond an end of the path, PLEAT_NONE at a border. */
static uint32_t beyond(const pleat_live *live, const pl_live_path *path, bool front)
{
    const pleat_topology *topology = live->topology;
    uint32_t edge = path->nodes[front ? 0 : path->count - 1].edge, corner = topology->edge_corner[edge];
    uint32_t inside = path->triangles[front ? 0 : path->count - 2], twin = topology->twin[corner];
    if (twin >= PLEAT_NON_MANIFOLD)
    {
        return PLEAT_NONE;
    }
    return corner / 3 == inside ? twin / 3 : corner / 3;
}

/* Walks from the heart towards one end until compression falls short; between the middles of two triangles it is taken
 * to run straight. */
static float extent_to(const pleat_live *live, const pl_live_path *path, uint32_t heart, bool front, float keep)
{
    uint32_t pieces = path->count - 1;
    for (uint32_t i = heart;; front ? --i : ++i)
    {
        bool last = front ? i == 0 : i + 1 == pieces;
        uint32_t next = last ? beyond(live, path, front) : path->triangles[front ? i - 1 : i + 1];
        float here = compression_of(live, path->triangles[i]);
        float there = next == PLEAT_NONE ? here : compression_of(live, next);
        if (there < keep)
        {
            float reach = fminf((here - keep) / (here - there), 1);
            float at = front ? (float)i + 0.5f - reach : (float)i + 0.5f + reach;
            return fminf(fmaxf(at, 0), (float)pieces);
        }
        if (last)
        {
            return front ? 0 : (float)pieces;
        }
    }
}

void pl_live_extent(const pleat_live *live, const pl_live_path *path, float *begin, float *end)
{
    float keep = kept(live);
    uint32_t heart = find_heart(live, path, keep);
    if (heart == PLEAT_NONE)
    {
        *begin = *end = 0.5f * (path->begin + path->end);
        return;
    }
    *begin = fmaxf(extent_to(live, path, heart, true, keep), path->lowest);
    *end = fminf(extent_to(live, path, heart, false, keep), path->uppermost);
    if (!(*begin <= *end))
    {
        *begin = *end = 0.5f * (*begin + *end);
    }
}

/* The height that brings back what the cloth lost along the path, in the mean over its length. The thesis takes the
 * largest compression for all of it, by which one crumpled triangle makes a long wrinkle high. */
static float wanted_height(const pleat_live *live, const pl_live_path *path, const float *arc, float begin, float end)
{
    double sum = 0, whole = 0;
    for (uint32_t i = 0; i + 1 < path->count; ++i)
    {
        float low = fmaxf(arc[i], begin), high = fminf(arc[i + 1], end);
        if (high > low)
        {
            sum += (double)((high - low) * fmaxf(compression_of(live, path->triangles[i]) - 1, 0));
            whole += (double)(high - low);
        }
    }
    if (!(whole > 0))
    {
        return 0;
    }
    float ratio = 1 + live->options.strength * (float)(sum / whole), arc_length = live->options.arc * live->head->width;
    return fminf(pleat_live_contour_height(ratio) * arc_length / ratio, STEEPEST * (end - begin));
}

static float towards(float from, float to, float most)
{
    return from + fminf(fmaxf(to - from, -most), most);
}

/* Nodes more than one piece beyond the ends are not needed; a path that wants to go on gets one more. */
static void fit_support(pleat_live *live, pl_live_path *path, float begin, float end)
{
    uint32_t front = path->begin > NEAR_END && begin > NEAR_END ? (uint32_t)(fminf(path->begin, begin) - 0.5f) : 0;
    float last = (float)(path->count - 1), rest = fminf(last - path->end, last - end);
    uint32_t back = rest > NEAR_END ? (uint32_t)(rest - 0.5f) : 0;
    if (front + back + 2 <= path->count)
    {
        pl_live_drop(path, front, back);
    }
    float keep = kept(live);
    uint32_t next = beyond(live, path, true);
    if (begin <= 0 && path->begin < NEAR_END && !(path->lowest > 0) && next != PLEAT_NONE &&
        compression_of(live, next) >= keep)
    {
        pl_live_extend(live, path, true);
    }
    next = beyond(live, path, false);
    if (end >= last && path->end > last - NEAR_END && path->uppermost >= last && next != PLEAT_NONE &&
        compression_of(live, next) >= keep)
    {
        pl_live_extend(live, path, false);
    }
}

bool pl_live_grow(pleat_live *live, pl_live_path *path, float dt)
{
    pl_f4 at[PL_LIVE_NODES];
    float arc[PL_LIVE_NODES], begin, end, width = live->head->width;
    pl_live_measure(live, path, at, arc);
    pl_live_extent(live, path, &begin, &end);
    fit_support(live, path, begin, end);
    pl_live_measure(live, path, at, arc);
    pl_live_extent(live, path, &begin, &end);
    float from = pl_live_arc_at(path, arc, path->begin), to = pl_live_arc_at(path, arc, path->end);
    float want_from = pl_live_arc_at(path, arc, begin), want_to = pl_live_arc_at(path, arc, end);
    path->dying = want_to - want_from >= live->options.shortest * width ? 0u : 1u;
    path->dying = live->head->detail > 0 ? path->dying : 1;
    float want_height = path->dying ? 0 : live->head->detail * wanted_height(live, path, arc, want_from, want_to);
    /* The flank to an end rises by at most 1.5 times the height on half of the length. */
    float most = fminf(END_SPEED, END_HEIGHT_SPEED * width / fmaxf(path->height * 3 * STEEPEST, 1e-6f * width));
    most = fminf(most * width * dt, 0.5f * (powf(GROWTH, PL_LIVE_RATE * dt) - 1) * fmaxf(to - from, width));
    if (!path->dying)
    {
        from = towards(from, want_from, most);
        to = towards(to, want_to, most);
        path->begin = pl_live_pieces_at(path, arc, from);
        path->end = pl_live_pieces_at(path, arc, to);
    }
    path->height = towards(path->height, want_height, HEIGHT_SPEED * width * dt);
    path->age += dt;
    return path->height > 0 || !path->dying;
}

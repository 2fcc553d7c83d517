/* Paths as they are drawn: smooth curves through the nodes, with heights and widths.
 *
 * R. Gillette, 2015, secs. 6.1 and 6.2. Within a triangle the path is a cubic curve; where it crosses an edge its
 * direction is the mean of those of the two pieces, taken with both triangles laid flat, so that it has no corner
 * there. The height falls off with the square of the distance from an end; the thesis makes the *width* run to that of
 * cloth that is flat, which gives blunt ends. The width follows from the height, so that each cut across a wrinkle
 * holds the same length of cloth. */
#include "layers/live/live.h"

/* Heights fall off to the ends over this many arcs of a wrinkle, or half of its length. */
static const float FADE = 2;
/* Lengths of the pieces that are drawn, in widths; and how many a piece of the path is made of at most. */
static const float PIECE = 1.25f;

enum
{
    MOST_PIECES = 12
};

/* A direction at an edge: along it, and across it in the sense of the path. */
typedef struct heading
{
    float along, across;
} heading;

static pl_f4 edge_way(const pleat_live *live, pl_live_node node)
{
    return pl_normalize3(pl_live_node_place(live, (pl_live_node){node.edge, 1}) -
                         pl_live_node_place(live, (pl_live_node){node.edge, 0}));
}

static heading heading_of(pl_f4 way, pl_f4 edge)
{
    float along = pl_dot3(way, edge);
    return (heading){along, sqrtf(fmaxf(1 - along * along, 0))};
}

/* The direction of the path at each node, as it crosses the node's edge: the mean of its two pieces', by their lengths.
 * Where the path goes round a vertex in small steps those do not turn the long pieces beside them. */
static void head_nodes(const pleat_live *live, const pl_live_path *path, const pl_f4 *at, heading *out)
{
    for (uint32_t i = 0; i < path->count; ++i)
    {
        pl_f4 before = at[i] - at[i ? i - 1 : i], after = at[i + 1 < path->count ? i + 1 : i] - at[i];
        pl_f4 edge = edge_way(live, path->nodes[i]);
        float a = pl_length3(before), b = pl_length3(after);
        heading from = heading_of(pl_normalize3(before), edge), to = heading_of(pl_normalize3(after), edge);
        float along = a * from.along + b * to.along, across = a * from.across + b * to.across;
        float length = sqrtf(along * along + across * across);
        out[i] = length > 0 ? (heading){along / length, across / length} : from;
    }
}

/* That direction in the plane of a piece's triangle. */
static pl_f4 heading_in(pl_f4 edge, pl_f4 piece, heading h)
{
    pl_f4 across = pl_normalize3(piece - edge * pl_splat(pl_dot3(piece, edge)));
    return edge * pl_splat(h.along) + across * pl_splat(h.across);
}

/* A point of a triangle's plane by its barycentric coordinates, kept within the triangle. */
static pleat_place place_in(const pleat_live *live, uint32_t triangle, pl_f4 p)
{
    pl_f4 x[3];
    pl_live_corners(live, triangle, x);
    pl_f4 u = x[1] - x[0], v = x[2] - x[0], w = p - x[0];
    float uu = pl_dot3(u, u), uv = pl_dot3(u, v), vv = pl_dot3(v, v), wu = pl_dot3(w, u), wv = pl_dot3(w, v);
    float determinant = uu * vv - uv * uv;
    float b1 = determinant > 0 ? (wu * vv - wv * uv) / determinant : 0;
    float b2 = determinant > 0 ? (wv * uu - wu * uv) / determinant : 0;
    float b0 = fmaxf(1 - b1 - b2, 0), sum;
    b1 = fmaxf(b1, 0);
    b2 = fmaxf(b2, 0);
    sum = b0 + b1 + b2;
    return (pleat_place){triangle, {b0 / sum, b1 / sum, b2 / sum}};
}

typedef struct drawing
{
    pleat_live *live;
    const pl_live_path *path;
    pl_f4 at[PL_LIVE_NODES];
    float arc[PL_LIVE_NODES];
    heading headings[PL_LIVE_NODES];
    float from, to; /* lengths along the path where it begins and ends */
} drawing;

/* 0 at an end of the wrinkle, like the square of the distance; 1 from where it is whole. */
static float fade(const drawing *d, float length)
{
    float over = fminf(FADE * d->live->options.arc * d->live->head->width, 0.5f * (d->to - d->from));
    float t = fminf(length - d->from, d->to - length) / over;
    return over > 0 ? pl_smooth_step(t) : 0;
}

static float mask_at(const pleat_live *live, const pleat_place *place)
{
    const uint32_t *corner = live->topology->triangles + 3 * (size_t)place->triangle;
    const float *b = place->barycentric;
    return live->mask ? b[0] * live->mask[corner[0]] + b[1] * live->mask[corner[1]] + b[2] * live->mask[corner[2]] : 1;
}

static void add_point(const drawing *d, uint32_t piece, float share)
{
    pleat_live *live = d->live;
    const pl_live_path *path = d->path;
    pl_f4 p0 = d->at[piece], p1 = d->at[piece + 1], way = p1 - p0;
    float length = pl_length3(way), s = share, s2 = s * s, s3 = s2 * s;
    pl_f4 e0 = edge_way(live, path->nodes[piece]), e1 = edge_way(live, path->nodes[piece + 1]);
    pl_f4 m0 = heading_in(e0, way, d->headings[piece]) * pl_splat(length);
    pl_f4 m1 = heading_in(e1, way, d->headings[piece + 1]) * pl_splat(length);
    pl_f4 p = p0 * pl_splat(2 * s3 - 3 * s2 + 1) + m0 * pl_splat(s3 - 2 * s2 + s) + p1 * pl_splat(3 * s2 - 2 * s3) +
              m1 * pl_splat(s3 - s2);
    pleat_live_point *point = &live->points[live->point_count++];
    point->place = place_in(live, path->triangles[piece], p);
    pl_f4 x[3];
    pl_live_corners(live, point->place.triangle, x);
    p = x[0] * pl_splat(point->place.barycentric[0]) + x[1] * pl_splat(point->place.barycentric[1]) +
        x[2] * pl_splat(point->place.barycentric[2]);
    pl_store3(&point->position, p);
    float height = path->height * fade(d, d->arc[piece] + share * length) * mask_at(live, &point->place);
    point->width = pl_live_contour_width(&live->contour, height, live->options.arc * live->head->width);
    point->height = path->side * height;
}

static uint32_t pieces_of(const drawing *d, uint32_t piece, float low, float high)
{
    float length = (d->arc[piece + 1] - d->arc[piece]) * (high - low);
    float count = ceilf(length / (PIECE * d->live->head->width));
    return count < 1 ? 1 : count < MOST_PIECES ? (uint32_t)count : MOST_PIECES;
}

/* The points of the visible part, as long as there is room; each in the triangle of the piece that ends there. */
static void add_points(const drawing *d)
{
    const pl_live_path *path = d->path;
    bool begun = false;
    for (uint32_t i = 0; i + 1 < path->count; ++i)
    {
        float low = fmaxf(path->begin - (float)i, 0), high = fminf(path->end - (float)i, 1);
        if (!(high > low))
        {
            continue;
        }
        uint32_t count = pieces_of(d, i, low, high);
        for (uint32_t k = begun ? 1 : 0; k <= count && d->live->point_count < d->live->point_capacity; ++k)
        {
            add_point(d, i, low + (high - low) * (float)k / (float)count);
        }
        begun = true;
    }
}

/* The direction at each point: the mean of its two pieces'. */
static void find_ways(pleat_live *live, const pleat_live_wrinkle *line)
{
    pl_f4 before = pl_splat(0);
    for (uint32_t i = 0; i < line->point_count; ++i)
    {
        const pleat_live_point *point = &live->points[line->first_point + i];
        pl_f4 after = pl_splat(0);
        if (i + 1 < line->point_count)
        {
            after = pl_normalize3(pl_load3(&point[1].position) - pl_load3(&point->position));
        }
        pl_store(&live->ways[line->first_point + i], pl_normalize3(before + after));
        before = after;
    }
}

static void find_ball(pleat_live *live, uint32_t index)
{
    const pleat_live_wrinkle *line = &live->lines[index];
    const pleat_live_point *points = live->points + line->first_point;
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    float longest = 0;
    for (uint32_t i = 0; i < line->point_count; ++i)
    {
        pl_f4 p = pl_load3(&points[i].position);
        low = pl_min(low, p);
        high = pl_max(high, p);
        longest = i ? fmaxf(longest, pl_length3(p - pl_load3(&points[i - 1].position))) : 0;
    }
    pl_f4 middle = (low + high) * pl_splat(0.5f);
    live->balls[index] = (pl_live_ball){middle[0], middle[1], middle[2], 0.5f * pl_length3(high - low), longest};
}

void pl_live_draw(pleat_live *live, const pl_live_path *path)
{
    drawing d = {.live = live, .path = path};
    pl_live_measure(live, path, d.at, d.arc);
    head_nodes(live, path, d.at, d.headings);
    d.from = pl_live_arc_at(path, d.arc, path->begin);
    d.to = pl_live_arc_at(path, d.arc, path->end);
    uint32_t index = live->line_count++;
    pleat_live_wrinkle *line = &live->lines[index];
    *line = (pleat_live_wrinkle){path->id, live->point_count, 0, path->age, 0};
    add_points(&d);
    line->point_count = live->point_count - line->first_point;
    for (uint32_t i = 0; i < line->point_count; ++i)
    {
        line->height = fmaxf(line->height, fabsf(live->points[line->first_point + i].height));
    }
    if (line->point_count)
    {
        live->points[line->first_point + line->point_count - 1].height = 0; /* also where room ran out */
    }
    find_ways(live, line);
    find_ball(live, index);
}

void pl_live_draw_all(pleat_live *live)
{
    live->line_count = live->point_count = 0;
    for (uint32_t i = 0; i < live->head->path_count; ++i)
    {
        pl_live_draw(live, &live->paths[i]);
    }
}

void pl_live_show_line(pleat_live *live, uint32_t id, uint32_t count, const pleat_wrinkle_point *points)
{
    uint32_t index = live->line_count++;
    pleat_live_wrinkle *line = &live->lines[index];
    *line = (pleat_live_wrinkle){id, live->point_count, count, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
    {
        pleat_live_point *point = &live->points[live->point_count++];
        pl_f4 x[3];
        const float *b = points[i].place.barycentric;
        pl_live_corners(live, points[i].place.triangle, x);
        *point = (pleat_live_point){.place = points[i].place, .height = points[i].depth, .width = 2 * points[i].width};
        pl_store3(&point->position, x[0] * pl_splat(b[0]) + x[1] * pl_splat(b[1]) + x[2] * pl_splat(b[2]));
        line->height = fmaxf(line->height, fabsf(point->height));
    }
    find_ways(live, line);
    find_ball(live, index);
}

/* ---- Nearness to lines ---- */

static bool piece_is_near(pl_f4 p, const pleat_live_point *piece, float radius)
{
    pl_f4 a = pl_load3(&piece[0].position), way = pl_load3(&piece[1].position) - a, from = p - a;
    float squared = pl_dot3(way, way), t = squared > 0 ? pl_dot3(from, way) / squared : 0;
    pl_f4 gap = from - way * pl_splat(t < 0 ? 0 : t > 1 ? 1 : t);
    return pl_dot3(gap, gap) < radius * radius;
}

bool pl_live_ball_is_near(const pleat_live *live, uint32_t line, pl_f4 place, float radius)
{
    const pl_live_ball *ball = &live->balls[line];
    pl_f4 from = place - pl_set(ball->x, ball->y, ball->z, 0);
    float reach = ball->radius + radius;
    return pl_dot3(from, from) < reach * reach;
}

/* No piece is longer than the longest: from a point that is far there is nothing near for some points on. */
bool pl_live_line_is_near(const pleat_live *live, uint32_t line, pl_f4 place, pl_f4 normal, float radius)
{
    const pleat_live_point *points = live->points + live->lines[line].first_point;
    uint32_t count = live->lines[line].point_count, k = 0;
    float longest = live->balls[line].longest;
    while (k + 1 < count)
    {
        float away = pl_length3(place - pl_load3(&points[k].position)) - radius;
        if (away > longest)
        {
            float skipped = away / longest;
            k += skipped < (float)count ? (uint32_t)skipped : count;
            continue;
        }
        if (piece_is_near(place, &points[k], radius) &&
            pl_dot3(pl_live_normal(live, points[k + 1].place.triangle), normal) > 0)
        {
            return true;
        }
        ++k;
    }
    return false;
}

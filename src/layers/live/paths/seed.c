/* Where wrinkles are born.
 *
 * R. Gillette, 2015, sec. 5.1: from the most compressed triangle to the least, at places that keep a distance from all
 * wrinkles that there are. Seeds are sown each 1/30 s, not each frame, so that a higher frame rate does not mean more
 * of them. Triangles that are pushed together from all sides have no direction and bear none. */
#include "layers/live/live.h"

/* Smallest over largest stretch: above this there is no direction to speak of. */
static const float NO_DIRECTION = 0.92f;
/* With less to see new wrinkles keep apart by its inverse, at most by that of this. */
static const float LEAST_DETAIL = 0.2f;
/* Cloth that is this many times shorter has been crushed by skinning, in a crotch or an armpit; it does not wrinkle. */
static const float CRUSHED = 3;

enum
{
    CANDIDATES = 192, /* triangles looked at each time */
    BIRTHS = 16,      /* each time */
    PLACES = 8        /* of a triangle, at most */
};

/* Compression decides, the lower number where it is equal. */
static bool comes_before(const pleat_live *live, uint32_t a, uint32_t b)
{
    float x = live->field[a].compression, y = live->field[b].compression;
    return x > y || (x == y && a < b);
}

/* A heap whose first is the one that comes last; keeps the CANDIDATES that come first. */
static void sift(const pleat_live *live, uint32_t *heap, uint32_t count, uint32_t at)
{
    for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1)
    {
        if (child + 1 < count && comes_before(live, heap[child], heap[child + 1]))
        {
            ++child;
        }
        if (!comes_before(live, heap[at], heap[child]))
        {
            return;
        }
        uint32_t swapped = heap[at];
        heap[at] = heap[child];
        heap[child] = swapped;
        at = child;
    }
}

static bool may_bear(const pleat_live *live, uint32_t t)
{
    const pleat_live_tensor *tensor = &live->field[t];
    return tensor->compression >= live->options.tau && tensor->compression < CRUSHED && tensor->narrow < NO_DIRECTION &&
           pl_live_open(live, t);
}

/* Spread evenly over the triangle by the additive recurrence of the plastic number, from a start that its vertices
 * give: the same for a mirrored character, whatever corner comes first. */
static pleat_place place_of(const pleat_live *live, uint32_t t, uint32_t index)
{
    const uint32_t *corner = live->topology->triangles + 3 * (size_t)t;
    uint32_t order[3] = {0, 1, 2};
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (uint32_t j = i + 1; j < 3; ++j)
        {
            if (corner[order[j]] < corner[order[i]])
            {
                uint32_t swapped = order[i];
                order[i] = order[j];
                order[j] = swapped;
            }
        }
    }
    uint32_t hash = corner[order[0]] * 73856093u ^ corner[order[1]] * 19349663u ^ corner[order[2]] * 83492791u;
    float u = (float)(hash & 0xffff) / 65536 + 0.7548777f * (float)index, v = (float)(hash >> 16) / 65536;
    v += 0.5698403f * (float)index;
    u -= floorf(u);
    v -= floorf(v);
    if (u + v > 1)
    {
        u = 1 - u;
        v = 1 - v;
    }
    pleat_place place = {.triangle = t};
    /* Off the border of the triangle, where what is traced would begin on an edge. */
    place.barycentric[order[0]] = 0.1f + 0.7f * u;
    place.barycentric[order[1]] = 0.1f + 0.7f * v;
    place.barycentric[order[2]] = 0.1f + 0.7f * (1 - u - v);
    return place;
}

static pl_f4 point_of(const pleat_live *live, const pleat_place *place)
{
    pl_f4 x[3];
    pl_live_corners(live, place->triangle, x);
    return x[0] * pl_splat(place->barycentric[0]) + x[1] * pl_splat(place->barycentric[1]) +
           x[2] * pl_splat(place->barycentric[2]);
}

/* How many places of a triangle are looked at: one for each square of half the spacing, about. */
static uint32_t places_of(pl_f4 normal, float spacing)
{
    float places = ceilf(pl_length3(normal) / (spacing * spacing)); /* twice the area */
    return places < PLACES ? (uint32_t)places : PLACES;
}

static float spacing_of(const pleat_live *live)
{
    return live->options.spacing * live->options.arc * live->head->width / fmaxf(live->head->detail, LEAST_DETAIL);
}

static bool is_taken(const pleat_live *live, pl_f4 place, pl_f4 normal, float spacing)
{
    for (uint32_t i = 0; i < live->line_count; ++i)
    {
        if (pl_live_ball_is_near(live, i, place, spacing) && pl_live_line_is_near(live, i, place, normal, spacing))
        {
            return true;
        }
    }
    return false;
}

/* A triangle whose only place is taken is none; in a fine mesh those are nearly all, and others would not have a turn.
 */
static bool has_room(const pleat_live *live, uint32_t t, float spacing)
{
    pl_f4 normal = pl_live_normal(live, t);
    if (places_of(normal, spacing) > 1)
    {
        return true;
    }
    pleat_place place = place_of(live, t, 0);
    return !is_taken(live, point_of(live, &place), normal, spacing);
}

static uint32_t find_candidates(const pleat_live *live, uint32_t *heap)
{
    uint32_t count = 0;
    float spacing = spacing_of(live);
    for (uint32_t t = 0; t < live->topology->triangle_count; ++t)
    {
        bool last = count == CANDIDATES && !comes_before(live, t, heap[0]);
        if (last || !may_bear(live, t) || !has_room(live, t, spacing))
        {
            continue;
        }
        if (count < CANDIDATES)
        {
            heap[count++] = t;
            for (uint32_t i = count / 2; count == CANDIDATES && i-- > 0;)
            {
                sift(live, heap, count, i);
            }
        }
        else
        {
            heap[0] = t;
            sift(live, heap, count, 0);
        }
    }
    for (uint32_t i = count / 2; i-- > 0;)
    {
        sift(live, heap, count, i);
    }
    for (uint32_t end = count; end > 1; --end)
    {
        uint32_t swapped = heap[0];
        heap[0] = heap[end - 1];
        heap[end - 1] = swapped;
        sift(live, heap, end - 1, 0);
    }
    return count;
}

/* Whether the cloth around a triangle is hollow across the compression: the far corners of its neighbours stand over
 * its plane, counted by how much they lie across. */
static bool is_hollow(const pleat_live *live, uint32_t t)
{
    pl_f4 x[3], normal = pl_normalize3(pl_live_normal(live, t));
    pl_f4 across = pl_cross(normal, pl_load3(&live->field[t].along));
    float sum = 0;
    pl_live_corners(live, t, x);
    pl_f4 middle = (x[0] + x[1] + x[2]) * pl_splat(1 / 3.0f);
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t twin = live->topology->twin[3 * t + k];
        if (twin < PLEAT_NON_MANIFOLD)
        {
            uint32_t far = twin % 3 == 0 ? twin + 2 : twin - 1;
            pl_f4 way = pl_load(&live->now[live->topology->triangles[far]]) - middle;
            float share = pl_dot3(way, across) / fmaxf(pl_length3(way), 1e-20f);
            sum += pl_dot3(way, normal) * share * share;
        }
    }
    return sum > 0;
}

static float side_of(const pleat_live *live, uint32_t t)
{
    switch ((pleat_live_side)live->options.side)
    {
    case PLEAT_LIVE_INWARD:
        return -1;
    case PLEAT_LIVE_BOTH:
        return is_hollow(live, t) ? -1 : 1;
    case PLEAT_LIVE_OUTWARD:
        break;
    }
    return 1;
}

/* The length of what is visible of a path. */
static float visible(const pleat_live *live, const pl_live_path *path)
{
    pl_f4 at[PL_LIVE_NODES];
    float arc[PL_LIVE_NODES];
    pl_live_measure(live, path, at, arc);
    return pl_live_arc_at(path, arc, path->end) - pl_live_arc_at(path, arc, path->begin);
}

static bool bear(pleat_live *live, const pleat_place *place)
{
    pl_live_head *head = live->head;
    pl_live_path *path = &live->paths[head->path_count];
    float least = live->options.shortest * head->width;
    uint32_t points = live->point_count, lines = live->line_count;
    *path = (pl_live_path){0};
    pl_live_trace(live, place, path);
    if (path->count < 2)
    {
        return false;
    }
    for (int look = 0; look < 2; ++look)
    {
        pl_live_extent(live, path, &path->begin, &path->end);
        if (!(visible(live, path) >= least))
        {
            live->point_count = points;
            live->line_count = lines;
            return false;
        }
        live->point_count = points;
        live->line_count = lines;
        pl_live_draw(live, path);
        if (look == 0)
        {
            pl_live_limit(live, head->path_count); /* beside those that there are */
        }
    }
    path->id = head->next_id++;
    path->side = side_of(live, place->triangle);
    live->lines[lines].id = path->id;
    ++head->path_count;
    ++head->births;
    return true;
}

void pl_live_sow(pleat_live *live)
{
    uint32_t heap[CANDIDATES], count = find_candidates(live, heap), births = 0;
    float spacing = spacing_of(live);
    for (uint32_t i = 0; i < count && births < BIRTHS && live->head->path_count < live->most; ++i)
    {
        pl_f4 normal = pl_live_normal(live, heap[i]);
        uint32_t places = places_of(normal, spacing);
        for (uint32_t k = 0; k < places; ++k)
        {
            pleat_place place = place_of(live, heap[i], k);
            if (!is_taken(live, point_of(live, &place), normal, spacing) && bear(live, &place))
            {
                ++births;
                break;
            }
        }
    }
}

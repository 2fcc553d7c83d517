/* How the mean stays continuous where strands end.
 *
 * A mean of the places of all strands that reach a parameter would jump aside wherever one of them ends. So the shape
 * is the integral of the mean direction of those that are there, and it stands where it fits the places of all strands
 * best, each by its weight and length. As long as all reach equally far that is the mean of the places.
 *
 * Depth counts as 0 where a strand does not reach, so that births, deaths and growing ends fade; but a strand that ends
 * at a border of the cloth goes on behind it, straight and as deep as it ends: frames whose strands meet the border at
 * different parameters have a mean that passes the border, and is cut there. */
#include "layers/wrinkles/curves/mean.h"

#include "layers/wrinkles/deform/near.h"

/* Of a step: nearer to an end no other point stands. */
static const float END_ROOM = 0.25f;
/* Of a step: no farther behind a border the mean may run along it; beyond, it has left the cloth. */
static const float OFF_CLOTH = 0.25f;
/* Of a step: the mean of strands that all end at a border goes on so far behind it, to be cut by it for certain. */
static const float BEHIND_BORDER = 0.5f;

/* Of a width: a wrinkle whose strands lie so far from their mean, across it, is half as deep. Cloth does not carry a
 * wrinkle over itself at any speed, and what a field that swings draws there would swim: it is flat on the way, and
 * rises where it comes to rest. With a window of 0.1 s to either side that is 20 widths a second; at half of that all
 * of it is there. */
static const float SWIMS = 0.7f;

static pl_f4 position_of(const pl_wrinkle_mean *mean, const pleat_wrinkle_point *point)
{
    return pl_flat_position(mean->flat, &point->place);
}

/* ---- Strands ---- */

/* The direction in which a strand leaves the cloth, over its last whole step; 0 where it ends within. */
static pl_f4 leaves(const pl_wrinkle_mean *mean, const pl_wrinkle_strand *s, bool last)
{
    const pleat_wrinkle_point *end = &s->points[last ? s->count - 1 : 0], *before = last ? end - 1 : end + 1;
    if (s->closed || !pl_place_on_border(mean->flat->topology, &end->place))
    {
        return pl_splat(0);
    }
    pl_f4 way = position_of(mean, end) - position_of(mean, before);
    if (s->count > 2 && pl_length3(way) < END_ROOM * mean->step)
    {
        before += last ? -1 : 1;
        way = position_of(mean, end) - position_of(mean, before);
    }
    return pl_normalize3(way);
}

void pl_wrinkle_mean_begin(pl_wrinkle_mean *mean)
{
    mean->count = 0;
    mean->low = INFINITY;
    mean->high = -INFINITY;
    mean->border[0] = mean->border[1] = false;
    mean->closed = true;
}

void pl_wrinkle_mean_add(pl_wrinkle_mean *mean, const pleat_wrinkle *wrinkle, const pleat_wrinkle_point *points,
                         float seed, float weight, float apart)
{
    pl_wrinkle_strand s = {.points = points + wrinkle->first_point, .count = wrinkle->point_count};
    uint32_t last = s.count - 1;
    float step = mean->step;
    s.weight = weight;
    s.apart = apart;
    s.closed = pl_wrinkle_closed(wrinkle, points);
    /* Points are a step apart; the first and the last may be nearer to their neighbours. */
    pl_f4 head = position_of(mean, &s.points[0]) - position_of(mean, &s.points[1]);
    pl_f4 tail = position_of(mean, &s.points[last]) - position_of(mean, &s.points[last - 1]);
    s.second = wrinkle->seed == 0 ? seed + step : seed - (float)(wrinkle->seed - 1) * step;
    s.first = wrinkle->seed == 0 ? seed : s.second - fminf(pl_length3(head), step);
    s.last = wrinkle->seed == last
                 ? seed
                 : seed + ((float)last - 1 - (float)wrinkle->seed) * step + fminf(pl_length3(tail), step);
    for (int end = 0; end < 2; ++end)
    {
        s.out[end] = leaves(mean, &s, end);
        mean->border[end] = mean->border[end] || pl_dot3(s.out[end], s.out[end]) > 0;
    }
    mean->low = fminf(mean->low, s.first);
    mean->high = fmaxf(mean->high, s.last);
    mean->closed = mean->closed && s.closed;
    mean->strands[mean->count++] = s;
}

/* What a strand is behind the border that it ends at; false where it ends at none. */
static bool look_behind(const pl_wrinkle_mean *mean, const pl_wrinkle_strand *s, bool last, float behind,
                        pl_f4 *position, pleat_wrinkle_point *out)
{
    if (!(pl_dot3(s->out[last], s->out[last]) > 0))
    {
        return false;
    }
    *out = s->points[last ? s->count - 1 : 0];
    *position = position_of(mean, out) + s->out[last] * pl_splat(behind);
    return true;
}

/* What a strand is at a parameter; false where it does not reach that far. *real: it lies on the cloth there. */
static bool look_up(const pl_wrinkle_mean *mean, const pl_wrinkle_strand *s, float parameter, pl_f4 *position,
                    pleat_wrinkle_point *out, bool *real)
{
    if (mean->closed && mean->high > mean->low)
    {
        parameter = s->first + (s->last - s->first) * (parameter - mean->low) / (mean->high - mean->low);
    }
    float slack = 1e-3f * mean->step;
    *real = parameter >= s->first - slack && parameter <= s->last + slack;
    if (!*real)
    {
        bool last = parameter > s->last;
        return look_behind(mean, s, last, last ? parameter - s->last : s->first - parameter, position, out);
    }
    float at = parameter < s->second ? (parameter - s->first) / fmaxf(s->second - s->first, slack)
                                     : 1 + (parameter - s->second) / mean->step;
    uint32_t i = (uint32_t)fminf(fmaxf(at, 0), (float)(s->count - 2));
    float share = fminf(fmaxf(at - (float)i, 0), 1);
    if (i == s->count - 2 && s->count > 2)
    {
        float before = s->second + ((float)i - 1) * mean->step;
        share = fminf(fmaxf((parameter - before) / fmaxf(s->last - before, slack), 0), 1);
    }
    const pleat_wrinkle_point *a = &s->points[i], *b = &s->points[i + 1];
    *position = pl_lerp(position_of(mean, a), position_of(mean, b), share);
    out->place = share < 0.5f ? a->place : b->place;
    out->width = a->width + share * (b->width - a->width);
    out->depth = a->depth + share * (b->depth - a->depth);
    out->strength = a->strength + share * (b->strength - a->strength);
    return true;
}

/* ---- The mean in space ---- */

/* Parameters of the result: the ends, and multiples of the step between them. Returns how many; parameter may be NULL.
 */
static uint32_t list_parameters(const pl_wrinkle_mean *mean, uint32_t index, float *parameter)
{
    float step = mean->step, room = END_ROOM * step;
    float low = mean->low - (mean->border[0] ? BEHIND_BORDER * step : 0);
    float high = mean->high + (mean->border[1] ? BEHIND_BORDER * step : 0);
    int32_t first = (int32_t)ceilf((low + room) / step), last = (int32_t)floorf((high - room) / step);
    uint32_t inner = last >= first ? (uint32_t)(last - first) + 1 : 0;
    if (parameter)
    {
        *parameter = index == 0 ? low : index > inner ? high : (float)(first + (int32_t)index - 1) * step;
    }
    return inner + 2;
}

static float parameter_of(const pl_wrinkle_mean *mean, uint32_t index)
{
    float parameter;
    list_parameters(mean, index, &parameter);
    return parameter;
}

uint32_t pl_wrinkle_mean_most(const pl_wrinkle_mean *mean)
{
    return list_parameters(mean, 0, NULL);
}

/* Where strands are at a parameter, by weight. */
typedef struct around
{
    pl_f4 sum; /* of those on the cloth */
    float weight;
    pl_f4 steps; /* of those that were there at the parameter before as well */
    float step_weight;
} around;

/* Everything of the mean at a parameter but its place, which becomes that of the strand nearest in time. */
static around look_around(const pl_wrinkle_mean *mean, float parameter, float total, pleat_wrinkle_point *out)
{
    around a = {pl_splat(0), 0, pl_splat(0), 0};
    float weight = 0, width_weight = 0, nearest = INFINITY;
    *out = (pleat_wrinkle_point){.width = 0};
    for (uint32_t i = 0; i < mean->count; ++i)
    {
        pl_wrinkle_strand *s = &mean->strands[i];
        pl_f4 position;
        pleat_wrinkle_point point;
        bool was_there = s->there, real;
        s->there = look_up(mean, s, parameter, &position, &point, &real);
        if (!s->there)
        {
            continue;
        }
        float on_cloth = real ? s->weight : 0, went_on = was_there ? s->weight : 0;
        a.sum += position * pl_splat(on_cloth);
        a.weight += on_cloth;
        a.steps += (position - s->position) * pl_splat(went_on);
        a.step_weight += went_on;
        s->position = position;
        weight += s->weight;
        out->depth += s->weight * point.depth;
        out->strength += s->weight * point.strength;
        out->width += point.width > 0 ? s->weight * point.width : 0;
        width_weight += point.width > 0 ? s->weight : 0;
        if (s->apart < nearest)
        {
            nearest = s->apart;
            out->place = point.place;
        }
    }
    out->strength = weight > 0 ? out->strength / weight : 0;
    out->width = width_weight > 0 ? out->width / width_weight : 0;
    out->depth /= total;
    return a;
}

/* How much of a wrinkle is left where its strands, as last looked at, lie aside of each other. */
static float stays(const pl_wrinkle_mean *mean, pl_f4 tangent, float total, float width)
{
    pl_f4 middle = pl_splat(0);
    float weight = 0, aside = 0;
    for (uint32_t i = 0; i < mean->count; ++i)
    {
        const pl_wrinkle_strand *s = &mean->strands[i];
        middle += s->position * pl_splat(s->there ? s->weight : 0);
        weight += s->there ? s->weight : 0;
    }
    middle *= pl_splat(weight > 0 ? 1 / weight : 0);
    for (uint32_t i = 0; i < mean->count; ++i)
    {
        const pl_wrinkle_strand *s = &mean->strands[i];
        pl_f4 away = s->position - middle;
        away -= tangent * pl_splat(pl_dot3(away, tangent));
        aside += s->there ? s->weight * pl_dot3(away, away) : 0;
    }
    float most = SWIMS * width, share = most > 0 ? aside / (total * most * most) : 0;
    float over = fmaxf(share - 0.25f, 0) / 0.75f;
    return 1 / (1 + over * over);
}

/* Fills points and where they should be in space. */
static void find_goals(pl_wrinkle_mean *mean, uint32_t count, float total, pleat_wrinkle_point *points)
{
    for (uint32_t i = 0; i < mean->count; ++i)
    {
        mean->strands[i].there = false;
        mean->strands[i].position = pl_splat(0);
    }
    pl_f4 away = pl_splat(0), shape = pl_splat(0), origin = pl_splat(0);
    float weight = 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        float here = parameter_of(mean, k);
        float before = k > 0 ? parameter_of(mean, k - 1) : here,
              after = k + 1 < count ? parameter_of(mean, k + 1) : here;
        around a = look_around(mean, here, total, &points[k]);
        pl_f4 middle = a.weight > 0 ? a.sum * pl_splat(1 / a.weight) : origin + shape;
        origin = k == 0 ? middle : origin;
        shape = a.step_weight > 0 ? shape + a.steps * pl_splat(1 / a.step_weight) : middle - origin;
        mean->goals[k] = shape;
        if (a.step_weight > 0)
        {
            points[k].depth *= stays(mean, pl_normalize3(a.steps), total, points[k].width);
        }
        float part = 0.5f * (after - before);
        away += (a.sum - (origin + shape) * pl_splat(a.weight)) * pl_splat(part);
        weight += a.weight * part;
    }
    origin += away * pl_splat(weight > 0 ? 1 / weight : 0);
    for (uint32_t k = 0; k < count; ++k)
    {
        mean->goals[k] += origin;
    }
}

/* ---- On the cloth ---- */

/* Brings a point to its goal, or as near as the cloth goes. Returns how far behind a border the goal lies. */
static float settle(const pl_wrinkle_mean *mean, pl_f4 goal, pleat_place *place)
{
    float away = pl_length3(goal - pl_flat_position(mean->flat, place));
    if (!(away > 1e-4f * mean->step))
    {
        return 0;
    }
    *place = pl_flat_approach(mean->flat, *place, goal, 2 * away);
    pl_f4 left = goal - pl_flat_position(mean->flat, place);
    pl_turn aside = pl_flat_from_space(mean->flat, place->triangle, left);
    return pl_place_on_border(mean->flat->topology, place) ? sqrtf(aside.x * aside.x + aside.y * aside.y) : 0;
}

/* The point where the way from one to the goal of the next meets the border. */
static pleat_wrinkle_point cut(const pl_wrinkle_mean *mean, const pleat_wrinkle_point *from,
                               const pleat_wrinkle_point *next, pl_f4 goal)
{
    pleat_wrinkle_point out = *from;
    pl_turn way = pl_flat_from_space(mean->flat, from->place.triangle, goal - position_of(mean, from));
    float length = sqrtf(way.x * way.x + way.y * way.y);
    if (length > 0)
    {
        pl_flat_point point = {from->place, {way.x / length, way.y / length}};
        float share = pl_flat_move(mean->flat, &point, length) / length;
        out.place = point.place;
        out.width += share * (next->width - from->width);
        out.depth += share * (next->depth - from->depth);
        out.strength += share * (next->strength - from->strength);
    }
    return out;
}

/* Ends a wrinkle where it leaves the cloth behind its last point inside; returns the last point. */
static uint32_t cut_behind(const pl_wrinkle_mean *mean, uint32_t inside, uint32_t next, uint32_t from,
                           pleat_wrinkle_point *points)
{
    points[next] = cut(mean, &points[inside], &points[next], mean->goals[next]);
    pl_f4 gap = position_of(mean, &points[next]) - position_of(mean, &points[inside]);
    if (inside == from || pl_length3(gap) >= END_ROOM * mean->step)
    {
        return next;
    }
    points[inside] = points[next];
    return inside;
}

/* Places points from one on, upwards or downwards to the end or to a border; returns the last one. */
static uint32_t place_points(const pl_wrinkle_mean *mean, uint32_t from, uint32_t count, bool up,
                             pleat_wrinkle_point *points)
{
    uint32_t last = from, inside = from, by = up ? 1 : UINT32_MAX;
    settle(mean, mean->goals[from], &points[from].place);
    for (uint32_t i = from + by; i < count; i += by)
    {
        float behind = settle(mean, mean->goals[i], &points[i].place);
        if (behind > OFF_CLOTH * mean->step)
        {
            return cut_behind(mean, inside, inside + by, from, points);
        }
        last = i;
        inside = behind > 1e-2f * mean->step ? inside : i;
    }
    return inside != last && mean->border[up] ? cut_behind(mean, inside, inside + by, from, points) : last;
}

/* The point whose parameter is nearest. */
static uint32_t nearest_to(const pl_wrinkle_mean *mean, uint32_t count, float wanted)
{
    uint32_t nearest = 0;
    float best = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        float away = fabsf(parameter_of(mean, i) - wanted);
        if (away < best)
        {
            best = away;
            nearest = i;
        }
    }
    return nearest;
}

/* The middle of all strands. */
static float middle_of(const pl_wrinkle_mean *mean)
{
    float sum = 0, weight = 0;
    for (uint32_t i = 0; i < mean->count; ++i)
    {
        const pl_wrinkle_strand *s = &mean->strands[i];
        sum += s->weight * 0.5f * (s->first + s->last);
        weight += s->weight;
    }
    return weight > 0 ? sum / weight : 0;
}

uint32_t pl_wrinkle_mean_run(pl_wrinkle_mean *mean, float total, float *seed, pleat_wrinkle_point *points,
                             uint32_t *seed_index)
{
    uint32_t count = pl_wrinkle_mean_most(mean);
    find_goals(mean, count, total, points);
    uint32_t middle = nearest_to(mean, count, middle_of(mean));
    uint32_t last = place_points(mean, middle, count, true, points);
    uint32_t first = place_points(mean, middle, count, false, points);
    if (last == first)
    {
        return 0;
    }
    if (mean->closed)
    {
        points[last] = points[first];
    }
    uint32_t index = nearest_to(mean, count, *seed);
    index = index < first ? first : index > last ? last : index;
    *seed = parameter_of(mean, index);
    *seed_index = index - first;
    memmove(points, points + first, (last - first + 1) * sizeof *points);
    return last - first + 1;
}

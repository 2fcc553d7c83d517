/* Streamlines by the midpoint rule, a fixed step along the rest surface. A curve ends where the cloth is no longer
 * compressed enough (the last step is shortened to that very point), at a border, where its direction turns too fast to
 * mean anything, and, other than in the paper, where it comes near an older curve: the two would be one wrinkle. */
#include "layers/wrinkles/curves/trace.h"

/* Own points nearer than this along the curve, in multiples of the merge distance, are no other wrinkle. */
static const float SELF_APART = 4;
/* Ends that meet no farther aside than this, in multiples of the merge distance, become one. */
static const float JOIN_ASIDE = 0.6f;
/* With the border so near ahead, in r_min, a wrinkle goes on to it. */
static const float BORDER_AHEAD = 1;
/* Nearer to the border aside than this share of the way to the border ahead, in r_min, a wrinkle ends: it would run
 * along the border, half of it over the edge. */
static const float BORDER_ASIDE = 0.25f, BORDER_AHEAD_MOST = 2;
/* The least cosine of the turn in half a step. */
static const float TURN_LEAST = 0.5f;

typedef struct branch
{
    pl_wrinkle_tracer *tracer;
    pl_trace_past *past;
    uint32_t owner;
    int side; /* 0: against u, 1: along */
    const pl_flat_point *seed;
    float parameter; /* of the seed */
    pl_f4 origin;    /* the seed's position */
    pl_flat_point point;
    float strength, length;
    uint32_t joined; /* a younger wrinkle that this one has run into, end to end, or PLEAT_NONE */
    bool closed;
} branch;

pl_field_value pl_wrinkle_look(const pl_wrinkle_tracer *tracer, const pleat_place *place)
{
    return pl_field_at(tracer->field, tracer->tensors, place);
}

float pl_wrinkle_strength(const pl_wrinkle_tracer *tracer, const pl_field_value *value)
{
    return tracer->options.tension ? 1 - 1 / value->largest : 1 - value->smallest;
}

/* The field's direction, up to its sign that nearest to `heading`; false where it turns too far. */
static bool align(const pl_field_value *value, pl_turn heading, pl_turn *direction)
{
    float cosine = value->along.x * heading.x + value->along.y * heading.y;
    if (value->along.x == 0 && value->along.y == 0)
    {
        *direction = heading;
        return true;
    }
    *direction = cosine < 0 ? (pl_turn){-value->along.x, -value->along.y} : value->along;
    return fabsf(cosine) >= TURN_LEAST;
}

/* The direction of the next step: the field's half a step ahead, carried back. */
static bool look_ahead(const branch *b, pl_turn *direction)
{
    pl_flat_point middle = b->point;
    float half = 0.5f * b->tracer->step;
    *direction = b->point.direction;
    if (pl_flat_move(b->tracer->flat, &middle, half) < 0.99f * half)
    {
        return true;
    }
    pl_field_value value = pl_wrinkle_look(b->tracer, &middle.place);
    pl_turn there;
    if (!align(&value, middle.direction, &there))
    {
        return false;
    }
    *direction = pl_turn_mul(b->point.direction, pl_turn_back(middle.direction, there));
    return true;
}

static bool add_point(branch *b)
{
    pl_wrinkle_tracer *tracer = b->tracer;
    uint32_t *count = &tracer->branch_count[b->side];
    float parameter = b->parameter + (b->side ? b->length : -b->length);
    if (*count == tracer->branch_capacity ||
        !pl_wrinkle_grid_add(&tracer->now, pl_flat_position(tracer->flat, &b->point.place), b->point.place.triangle,
                             b->owner, parameter))
    {
        tracer->full = true;
        return false;
    }
    tracer->branch[b->side][(*count)++] = b->point.place;
    return true;
}

/* Closes a ring: from here to the seed. */
static void close_ring(branch *b)
{
    pl_wrinkle_tracer *tracer = b->tracer;
    pl_f4 from = pl_flat_position(tracer->flat, &b->point.place);
    float gap = pl_length3(b->origin - from), length = b->length;
    uint32_t pieces = (uint32_t)(gap / tracer->step) + 1;
    b->closed = add_point(b);
    for (uint32_t i = 1; i <= pieces && b->closed; ++i)
    {
        float share = (float)i / (float)pieces;
        pl_f4 goal = pl_lerp(from, b->origin, share);
        b->point.place =
            i == pieces ? b->seed->place : pl_flat_approach(tracer->flat, b->point.place, goal, 2 * tracer->step);
        b->length = length + share * gap;
        b->closed = add_point(b);
    }
}

/* Two pieces of one wrinkle, end to end: the older one goes on, and where it passes the younger one dies. */
static bool meets_end(const branch *b, const pl_grid_point *point, pl_f4 position, float radius)
{
    pl_f4 heading = pl_flat_to_space(b->tracer->flat, b->point.place.triangle, b->point.direction);
    pl_f4 way = point->position - position;
    float ahead = pl_dot3(way, heading);
    return point->parameter <= radius && ahead > 0 && pl_length3(way - heading * pl_splat(ahead)) < JOIN_ASIDE * radius;
}

/* True where another wrinkle, or an earlier part of this one, is too near to go on. */
static bool meets(branch *b, bool grown)
{
    pl_wrinkle_tracer *tracer = b->tracer;
    float radius = tracer->options.merge * tracer->options.r_min;
    pl_grid_query query = {.place = &b->point.place,
                           .position = pl_flat_position(tracer->flat, &b->point.place),
                           .radius = radius,
                           .self = b->owner,
                           .parameter = b->parameter + (b->side ? b->length : -b->length),
                           .self_apart = SELF_APART * radius,
                           .passed = PLEAT_NONE};
    const pl_grid_point *near = pl_wrinkle_grid_nearest(&tracer->now, &query);
    if (near && near->owner == b->owner && b->side == 1 && fabsf(near->parameter - b->parameter) < 2 * radius)
    {
        pl_f4 heading = pl_flat_to_space(tracer->flat, b->point.place.triangle, b->point.direction);
        pl_f4 away = pl_cross(heading, b->origin - query.position);
        if (pl_length3(away) < 0.5f * radius)
        {
            close_ring(b);
        }
    }
    if (!near && grown)
    {
        query.self_apart = INFINITY;
        query.owner_from = b->owner + 1;
        query.passed = b->joined;
        near = pl_wrinkle_grid_nearest(&tracer->past, &query);
        if (near && meets_end(b, near, query.position, radius))
        {
            b->joined = near->owner;
            near = NULL;
        }
    }
    return near != NULL;
}

/* Where the next point was in the frame before, or NULL. */
static const pleat_place *place_before(const branch *b)
{
    const pl_trace_past *past = b->past;
    int32_t index = (int32_t)b->tracer->branch_count[b->side] + 1;
    index = b->side ? index : -index;
    return past && index >= past->low && index <= past->high ? &past->origin[index] : NULL;
}

/* False where the curve has jumped. */
static bool keeps_up(const branch *b, const pleat_place *before)
{
    const pl_flat *flat = b->tracer->flat;
    pl_f4 moved = pl_flat_position(flat, &b->point.place) - pl_flat_position(flat, before);
    return pl_dot3(moved, moved) <= b->past->most * b->past->most;
}

/* How far the cloth goes on in the point's direction, turned; at most reach. */
static float room_at(const branch *b, const pl_flat_point *from, pl_turn turn, float reach)
{
    pl_flat_point ahead = {from->place, pl_turn_mul(turn, from->direction)};
    return pl_flat_move(b->tracer->flat, &ahead, reach);
}

static bool nears_border(const branch *b, const pl_flat_point *from)
{
    float reach = BORDER_AHEAD * b->tracer->options.r_min;
    return room_at(b, from, (pl_turn){1, 0}, reach) < 0.999f * reach;
}

static bool runs_along_border(const branch *b)
{
    const pleat_topology *topology = b->tracer->flat->topology;
    const uint32_t *corner = topology->triangles + 3 * (size_t)b->point.place.triangle;
    uint32_t flags = topology->vertex_flags[corner[0]] | topology->vertex_flags[corner[1]];
    if (!((flags | topology->vertex_flags[corner[2]]) & PLEAT_VERTEX_BOUNDARY))
    {
        return false;
    }
    float ahead = room_at(b, &b->point, (pl_turn){1, 0}, BORDER_AHEAD_MOST * b->tracer->options.r_min);
    float reach = BORDER_ASIDE * ahead, left = room_at(b, &b->point, (pl_turn){0, 1}, reach);
    return fminf(left, room_at(b, &b->point, (pl_turn){0, -1}, reach)) < 0.999f * reach;
}

/* A step from the point; false where nothing was moved. *last: the branch ends after it. */
static bool take_step(branch *b, float limit, float threshold, pl_field_value *value, bool *last)
{
    pl_wrinkle_tracer *tracer = b->tracer;
    pl_flat_point from = b->point;
    if (!look_ahead(b, &from.direction))
    {
        return false;
    }
    b->point = from;
    float wanted = fminf(tracer->step, limit - b->length), moved = pl_flat_move(tracer->flat, &b->point, wanted);
    *value = pl_wrinkle_look(tracer, &b->point.place);
    float strength = pl_wrinkle_strength(tracer, value);
    if (!(strength >= threshold) && !nears_border(b, &from))
    {
        float share = fmaxf(b->strength - threshold, 0) / (b->strength - strength);
        b->point = from;
        moved = pl_flat_move(tracer->flat, &b->point, share < 1 ? share * moved : 0);
        *value = pl_wrinkle_look(tracer, &b->point.place);
        strength = threshold;
    }
    *last = moved < 0.999f * tracer->step;
    b->strength = strength;
    b->length += moved;
    return moved > 1e-3f * tracer->step;
}

static void trace_branch(branch *b)
{
    float limit = b->past ? b->past->limit[b->side] : INFINITY;
    if (b->past)
    {
        b->past->limit[b->side] = INFINITY;
    }
    for (bool last = false; !last;)
    {
        pl_field_value value;
        const pleat_place *place = place_before(b);
        /* New ground takes more than to stay: no flicker at the ends. */
        float before = b->length, kept = b->tracer->kept;
        if (!take_step(b, limit, place ? kept : 0.5f * (kept + b->tracer->threshold), &value, &last) ||
            (!last && runs_along_border(b)))
        {
            b->length = before;
            break;
        }
        if (!last && place && !keeps_up(b, place))
        {
            b->past->limit[b->side] = b->length = before;
            break;
        }
        if (meets(b, b->past && !place) || !add_point(b))
        {
            b->length = b->closed ? b->length : before;
            break;
        }
        last = last || !align(&value, b->point.direction, &b->point.direction);
    }
    if (b->length >= limit)
    {
        b->past->limit[b->side] = limit;
    }
}

float pl_wrinkle_trace(pl_wrinkle_tracer *tracer, const pl_flat_point *seed, float parameter, uint32_t owner,
                       pl_trace_past *past)
{
    pl_field_value value = pl_wrinkle_look(tracer, &seed->place);
    float strength = pl_wrinkle_strength(tracer, &value);
    pl_f4 origin = pl_flat_position(tracer->flat, &seed->place);
    tracer->branch_count[0] = tracer->branch_count[1] = 0;
    if (!pl_wrinkle_grid_add(&tracer->now, origin, seed->place.triangle, owner, parameter))
    {
        tracer->full = true;
        return 0;
    }
    float length = 0;
    bool closed = false;
    for (int side = 1; side >= 0 && !closed; --side)
    {
        branch b = {.tracer = tracer, .past = past, .owner = owner, .side = side, .parameter = parameter};
        b.seed = seed;
        b.origin = origin;
        b.joined = PLEAT_NONE;
        b.point = *seed;
        b.strength = strength;
        if (!side)
        {
            b.point.direction = (pl_turn){-seed->direction.x, -seed->direction.y};
        }
        pl_turn heading;
        if (align(&value, b.point.direction, &heading))
        {
            b.point.direction = heading;
            trace_branch(&b);
        }
        length += b.length;
        closed = b.closed;
    }
    return length;
}

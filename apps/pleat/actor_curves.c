/* Lines along which folds would run: from the most compressed places across the compression, over the surface, until
 * the compression ends or another line is near. A preview of where the cloth is short of room, as in Rohmer et al.
 * 2010, section 4, without their merging and smoothing over time. */
#include "actor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    CURVES_MAX = 600,
    POINTS_MAX = 160, /* of one line */
    CELLS = 1 << 16
};

static const float COMPRESSED = 0.93f; /* a line starts below this stretch, and ends above */
static const float FADED = 0.97f;
static const float STEP = 0.004f;  /* of the height */
static const float APART = 0.012f; /* lines keep this distance, of the height */

/* A triangle and how compressed it is, for sorting. */
typedef struct seed
{
    float smallest;
    uint32_t triangle;
} seed;

pleat_result actor_curves_create(app_actor *actor, pleat_error *error)
{
    actor->curves = calloc(CURVES_MAX, sizeof *actor->curves);
    actor->curve_points = aligned_alloc(16, (size_t)CURVES_MAX * POINTS_MAX * sizeof *actor->curve_points);
    if (!actor->curves || !actor->curve_points)
    {
        *error = (pleat_error){PLEAT_NO_MEMORY, "the curves need more memory than there is"};
        return PLEAT_NO_MEMORY;
    }
    return PLEAT_OK;
}

static int compare_seeds(const void *a, const void *b)
{
    const seed *x = a, *y = b;
    if (x->smallest != y->smallest)
    {
        return x->smallest < y->smallest ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

/* Which line passes a cell of space, plus 1; 0 for none. Cells that share a slot look taken: a line less, no harm. */
typedef struct space
{
    uint16_t owner[CELLS];
    float size;
} space;

static uint16_t *cell_at(space *s, pleat_vec4 p)
{
    uint32_t x = (uint32_t)(int32_t)floorf(p.x / s->size), y = (uint32_t)(int32_t)floorf(p.y / s->size),
             z = (uint32_t)(int32_t)floorf(p.z / s->size);
    return &s->owner[(x * 73856093u ^ y * 19349663u ^ z * 83492791u) % CELLS];
}

static pleat_vec4 place_at(const app_actor *actor, const pleat_place *place)
{
    const uint32_t *corners = actor->surface->triangles + 3 * (size_t)place->triangle;
    pleat_vec4 out = {0, 0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        const pleat_vec4 *p = &actor->places[corners[k]];
        out.x += place->barycentric[k] * p->x;
        out.y += place->barycentric[k] * p->y;
        out.z += place->barycentric[k] * p->z;
    }
    return out;
}

/* Walks from a place across the compression; fills points, and returns how many. sign chooses the side. */
static uint32_t trace(const app_actor *actor, space *s, uint16_t owner, uint32_t triangle, float sign,
                      pleat_vec4 *points, uint32_t capacity)
{
    pleat_place place = {triangle, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}};
    pleat_vec3 along = actor->tensors[triangle].along;
    pleat_vec4 direction = {sign * along.x, sign * along.y, sign * along.z, 0};
    uint32_t count = 0;
    while (count < capacity)
    {
        pleat_walk walk = {.topology = actor->topology,
                           .positions = actor->places,
                           .start = place,
                           .direction = direction,
                           .length = STEP * actor->height,
                           .vector = direction};
        pleat_walk_result end = pleat_walk_run(&walk);
        const pleat_stretch *tensor = &actor->tensors[end.place.triangle];
        pleat_vec4 at = place_at(actor, &end.place);
        uint16_t *cell = cell_at(s, at);
        if (end.end != PLEAT_WALK_DONE || tensor->smallest > FADED || (*cell && *cell != owner))
        {
            break;
        }
        *cell = owner;
        points[count++] = at;
        place = end.place;
        pleat_vec3 a = tensor->along;
        float same = a.x * end.end_direction.x + a.y * end.end_direction.y + a.z * end.end_direction.z;
        float turn = same < 0 ? -1.0f : 1.0f;
        direction = (pleat_vec4){turn * a.x, turn * a.y, turn * a.z, 0};
    }
    return count;
}

static void reverse(pleat_vec4 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; ++i)
    {
        pleat_vec4 kept = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = kept;
    }
}

/* One line through the middle of a triangle, both ways; false if it is too short to be one. */
static bool add_curve(app_actor *actor, space *s, uint32_t triangle)
{
    pleat_vec4 *points = actor->curve_points + (size_t)actor->curve_count * POINTS_MAX;
    const pleat_place start = {triangle, {1 / 3.0f, 1 / 3.0f, 1 / 3.0f}};
    pleat_vec4 at = place_at(actor, &start);
    uint16_t owner = (uint16_t)(actor->curve_count + 1);
    if (*cell_at(s, at))
    {
        return false;
    }
    uint32_t back = trace(actor, s, owner, triangle, -1, points, POINTS_MAX / 2 - 1);
    reverse(points, back);
    points[back] = at;
    uint32_t front = trace(actor, s, owner, triangle, 1, points + back + 1, POINTS_MAX / 2);
    uint32_t count = back + 1 + front;
    if (count < 6)
    {
        return false;
    }
    actor->curves[actor->curve_count++] = (pleat_curve_drawable){count, points, false, 2.2f, {255, 196, 60, 255}};
    return true;
}

void actor_curves_update(app_actor *actor)
{
    static space around;
    memset(around.owner, 0, sizeof around.owner);
    around.size = APART * actor->height;
    actor->curve_count = 0;
    uint32_t seed_count = 0;
    seed *seeds = malloc(((size_t)actor->surface->triangle_count + 1) * sizeof *seeds);
    for (uint32_t t = 0; seeds && t < actor->surface->triangle_count; ++t)
    {
        if (actor->tensors[t].smallest < COMPRESSED)
        {
            seeds[seed_count++] = (seed){actor->tensors[t].smallest, t};
        }
    }
    if (seed_count > 0)
    {
        qsort(seeds, seed_count, sizeof *seeds, compare_seeds);
    }
    for (uint32_t i = 0; i < seed_count && actor->curve_count < CURVES_MAX; ++i)
    {
        add_curve(actor, &around, seeds[i].triangle);
    }
    free(seeds);
}

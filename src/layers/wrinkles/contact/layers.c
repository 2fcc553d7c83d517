#include "layers/wrinkles/contact/layers.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "layers/wrinkles/deform/near.h"

#include <math.h>

/* Cosine between a ray and the normal of what it meets, from which on that counts in full. */
static const float GRAZING = 0.3f;
/* What of the room a wrinkle may take: crests that meet stand higher than each alone. Inside a bend much less, for its
 * sides come together. */
static const float MARGIN = 0.8f, BEND_MARGIN = 0.3f;
/* Cloth is in a bend where the way to the other side, at rest, is so many times that through the air (half a
 * turn: 1.6), and in a layer of its own from the second on. */
static const float BEND = 1.6f, LAYER = 3;
/* How fast a crest rises beside a place where it is held down, per metre of its way. */
static const float RISE = 0.5f;
/* Of a width: a wrinkle of less needs no room. */
static const float FLAT = 0.02f;

enum
{
    STRIDE = 2,   /* points of a crest, R_min apart */
    MOST_HITS = 4 /* of a ray */
};

struct pl_wrinkle_layers
{
    pl_memory memory;
    pl_wrinkle_layers_desc desc;
    pleat_bvh *bvh;
    const pleat_vec4 *positions; /* of the frame */
    const pl_f4 *normals;
    float *cut; /* by point: what it is lower than it wants to be */
};

pleat_result pl_wrinkle_layers_create(const pl_wrinkle_layers_desc *desc, const pleat_host *host,
                                      pl_wrinkle_layers **out, pleat_error *error)
{
    *out = NULL;
    pl_wrinkle_layers *layers = PL_CREATE(pl_wrinkle_layers, host);
    if (!layers)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the layers of cloth");
    }
    layers->desc = *desc;
    const pleat_topology *topology = desc->topology;
    pleat_result result = pleat_bvh_create(topology->vertex_count, desc->rest, topology->triangle_count,
                                           topology->triangles, host, &layers->bvh, error);
    if (result == PLEAT_OK)
    {
        layers->cut = PL_NEW(&layers->memory, float, desc->point_capacity);
        result = layers->cut ? PLEAT_OK : pl_fail_memory(&layers->memory, error, "points of wrinkles");
    }
    if (result != PLEAT_OK)
    {
        pl_wrinkle_layers_destroy(layers);
        return result;
    }
    *out = layers;
    return PLEAT_OK;
}

void pl_wrinkle_layers_destroy(pl_wrinkle_layers *layers)
{
    if (layers)
    {
        pleat_bvh_destroy(layers->bvh);
        pl_free(&layers->memory, layers->cut);
        PL_DESTROY(layers);
    }
}

void pl_wrinkle_layers_begin(pl_wrinkle_layers *layers, const pleat_vec4 *positions, const pl_f4 *normals,
                             const pleat_tasks *tasks)
{
    layers->positions = positions;
    layers->normals = normals;
    pleat_bvh_refit(layers->bvh, positions, tasks);
}

static float smooth_step(float from, float to, float at)
{
    float t = fminf(fmaxf((at - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

/* How much what a ray has met is in its way, 0 to 1, and whether it turns its back. */
static float weight_of(const pl_wrinkle_layers *layers, const pleat_wrinkle_point *point, pl_f4 direction,
                       const pleat_hit *hit, bool *back)
{
    const pleat_topology *topology = layers->desc.topology;
    const uint32_t *corner = topology->triangles + 3 * (size_t)hit->triangle;
    pl_f4 a = pl_load(&layers->positions[corner[0]]);
    pl_f4 normal =
        pl_normalize3(pl_cross(pl_load(&layers->positions[corner[1]]) - a, pl_load(&layers->positions[corner[2]]) - a));
    float across = pl_dot3(normal, direction);
    pleat_place place = {hit->triangle, {hit->barycentric[0], hit->barycentric[1], hit->barycentric[2]}};
    float border = pl_wrinkle_at_border(topology, layers->positions, &place, point->width);
    /* Where borders lie on each other none comes over the other. */
    border *= border > 0 ? 1 - pl_wrinkle_at_border(topology, layers->positions, &point->place, 2 * point->width) : 1;
    *back = across > 0;
    return smooth_step(0, GRAZING, fabsf(across)) * (1 - border);
}

/* What of the room up to a hit a wrinkle may take. */
static float margin_of(const pl_wrinkle_layers *layers, const pleat_wrinkle_point *point, const pleat_hit *hit)
{
    const uint32_t *triangles = layers->desc.topology->triangles;
    const pleat_vec4 *rest = layers->desc.rest;
    pl_f4 from = pl_place_position(triangles, rest, point->place.triangle, point->place.barycentric);
    float way = pl_length3(pl_place_position(triangles, rest, hit->triangle, hit->barycentric) - from);
    return BEND_MARGIN + (MARGIN - BEND_MARGIN) * smooth_step(BEND * hit->distance, LAYER * hit->distance, way);
}

/* How high a point of a crest may stand; depth: how high it wants to. */
static float room_at(const pl_wrinkle_layers *layers, const pleat_wrinkle_point *point, float depth)
{
    const uint32_t *corner = layers->desc.topology->triangles + 3 * (size_t)point->place.triangle;
    const float *b = point->place.barycentric;
    pl_f4 normal = layers->normals[corner[0]] * pl_splat(b[0]) + layers->normals[corner[1]] * pl_splat(b[1]) +
                   layers->normals[corner[2]] * pl_splat(b[2]);
    pl_f4 direction = pl_normalize3(normal) * pl_splat(point->depth < 0 ? -1 : 1);
    pl_f4 origin = pl_place_position(layers->desc.topology->triangles, layers->positions, point->place.triangle, b);
    float start = 1e-3f * point->width, end = 2 * depth / BEND_MARGIN + layers->desc.gap, room = depth;
    for (uint32_t i = 0; i < MOST_HITS && room > 0; ++i)
    {
        pleat_hit hit = pleat_bvh_ray(layers->bvh, pl_to(origin), pl_to(direction), start, end);
        if (hit.triangle == PLEAT_NONE)
        {
            break;
        }
        bool back;
        float weight = weight_of(layers, point, direction, &hit, &back);
        bool alone = back == (point->depth >= 0) && layers->desc.side != PLEAT_WRINKLE_BOTH;
        float free = margin_of(layers, point, &hit) * fmaxf(hit.distance - layers->desc.gap, 0) * (alone ? 1 : 0.5f);
        /* Less weight, more room: all that is wanted without any. */
        room = fminf(room, depth + weight * (fminf(free, depth) - depth));
        start = nextafterf(hit.distance * 1.00001f + fminf(1e-7f, 1e-4f * point->width), INFINITY);
    }
    return room;
}

/* How far two points of a crest are apart. */
static float step_of(const pl_wrinkle_layers *layers, const pleat_wrinkle_point *a, const pleat_wrinkle_point *b)
{
    const uint32_t *triangles = layers->desc.topology->triangles;
    pl_f4 from = pl_place_position(triangles, layers->positions, a->place.triangle, a->place.barycentric);
    return pl_length3(pl_place_position(triangles, layers->positions, b->place.triangle, b->place.barycentric) - from);
}

/* What is cut off every few points, and less and less beside them. */
static void limit_wrinkle(const pl_wrinkle_layers *layers, const pleat_wrinkle *wrinkle, pleat_wrinkle_point *points)
{
    uint32_t count = wrinkle->point_count, offset = wrinkle->seed % STRIDE;
    float *cut = &layers->cut[wrinkle->first_point];
    bool held = false;
    for (uint32_t i = 0; i < count; ++i)
    {
        float depth = fabsf(points[i].depth);
        bool asks = i % STRIDE == offset && depth > FLAT * points[i].width;
        cut[i] = asks ? depth - room_at(layers, &points[i], depth) : 0;
        held = held || cut[i] > 0;
    }
    for (int way = 0; held && way < 2; ++way)
    {
        for (uint32_t k = 1; k < count; ++k)
        {
            uint32_t i = way ? count - 1 - k : k, before = way ? i + 1 : i - 1;
            cut[i] = cut[before] > cut[i]
                         ? fmaxf(cut[i], cut[before] - RISE * step_of(layers, &points[before], &points[i]))
                         : cut[i];
        }
    }
    for (uint32_t i = 0; held && i < count; ++i)
    {
        points[i].depth = copysignf(fmaxf(fabsf(points[i].depth) - cut[i], 0), points[i].depth);
    }
}

typedef struct work
{
    const pl_wrinkle_layers *layers;
    const pleat_wrinkle *wrinkles;
    pleat_wrinkle_point *points;
} work;

static void limit_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const work *w = data;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        limit_wrinkle(w->layers, &w->wrinkles[i], &w->points[w->wrinkles[i].first_point]);
    }
}

void pl_wrinkle_layers_limit(const pl_wrinkle_layers *layers, uint32_t wrinkle_count, const pleat_wrinkle *wrinkles,
                             pleat_wrinkle_point *points, const pleat_tasks *tasks)
{
    work w = {layers, wrinkles, points};
    pl_parallel_for(tasks, wrinkle_count, 8, limit_range, &w);
}

/* The stretch tensor as a continuous field.
 *
 * At a vertex: eq. 2 of D. Rohmer et al., "Animation Wrinkling", 2010 (X. Pennec et al., 2006), in the coordinates of
 * field.h. There the metric is that of the hyperbolic plane in the hyperboloid model, and an iteration needs no matrix
 * roots: with h = a a' - b b' - c c' = cosh of the distance from the mean to a tensor, the logarithm is
 * (acosh h / sqrt(h^2 - 1)) (tensor - h mean).
 *
 * Inside a triangle: the sum of the corners' points by weight, scaled back onto the hyperboloid. That is the centre of
 * mass for the distance 2 (cosh d - 1) instead of d^2: invariant in the same way, equal for two tensors half way
 * between them and to the third order of d elsewhere, and closed form.
 *
 * Around a vertex, directions are angles counted over the triangles laid flat one after the other, scaled to a full
 * turn where the vertex lies inside the cloth. Each of the two edges of a corner thus has a turn of its own into the
 * vertex's coordinates; inside the triangle the turn goes from one to the other, so that neighbours agree on their
 * edge. Where the triangles around a vertex are no single fan, turns come from the shortest way between normals.
 *
 * Bound by the roots and logarithms: about 0.2 us a triangle and 0.4 us a vertex. */
#include "mesh/strain/field.h"

#include "base/parallel.h"
#include "mesh/corner.h"

#include <string.h>

static const float STRETCH_LEAST = 0.01f, STRETCH_MOST = 100;

enum
{
    MEAN_ROUNDS = 8
};

/* How a corner's triangle lies in the coordinates of its vertex. */
typedef struct corner_turn
{
    pl_turn doubled; /* twice the turn, at the edge that the corner owns */
    float spread;    /* at the other edge twice the turn is 2 atan(spread) more */
} corner_turn;

struct pleat_strain_field
{
    pl_memory memory;
    pl_arena arena;
    const pleat_topology *topology;
    pl_flat flat;
    corner_turn *corners;        /* #C */
    float *ring_weights;         /* as ring_corner: shares of the area around the vertex */
    pl_tensor *ring;             /* as ring_corner: tensors in the vertex's coordinates */
    pl_tensor *of_triangle;      /* #T */
    pl_tensor *of_vertex;        /* #V */
    const pleat_vec4 *positions; /* during an update */
};

/* ---- Tensors ---- */

/* Of principal stretches and the double of their direction (unit). */
static pl_tensor tensor_of(float smallest, float largest, pl_turn doubled)
{
    float root = sqrtf(smallest * largest), away = 0.5f * (largest - smallest) / root;
    return (pl_tensor){away * doubled.x, away * doubled.y, logf(root)};
}

static float within(float stretch)
{
    return stretch > STRETCH_LEAST ? fminf(stretch, STRETCH_MOST) : STRETCH_LEAST;
}

/* sqrt(C), for C = [xx xy; xy yy] of this determinant. */
static pl_tensor root_of(float xx, float xy, float yy, float determinant)
{
    float middle = 0.5f * (xx + yy), difference = 0.5f * (xx - yy);
    float radius = sqrtf(difference * difference + xy * xy), large = middle + radius;
    float largest = sqrtf(large), smallest = large > 0 ? sqrtf(determinant / large) : 0;
    if (smallest > STRETCH_LEAST && largest < STRETCH_MOST)
    {
        /* The differences of the entries, not of the stretches: nothing cancels near 1. */
        float root = sqrtf(smallest * largest), scale = 1 / ((smallest + largest) * root);
        return (pl_tensor){difference * scale, xy * scale, logf(root)};
    }
    pl_turn doubled = radius > 0 ? (pl_turn){difference / radius, xy / radius} : (pl_turn){1, 0};
    return tensor_of(within(smallest), within(largest), doubled);
}

pl_tensor pl_tensor_from(float xx, float xy, float yy)
{
    float middle = 0.5f * (xx + yy), difference = 0.5f * (xx - yy);
    float radius = sqrtf(difference * difference + xy * xy);
    pl_turn doubled = radius > 0 ? (pl_turn){difference / radius, xy / radius} : (pl_turn){1, 0};
    return tensor_of(within(middle - radius), within(middle + radius), doubled);
}

void pl_tensor_to(const pl_tensor *tensor, float *xx, float *xy, float *yy)
{
    float a = sqrtf(1 + tensor->b * tensor->b + tensor->c * tensor->c), size = expf(tensor->size);
    *xx = size * (a + tensor->b);
    *xy = size * tensor->c;
    *yy = size * (a - tensor->b);
}

/* acosh(h) / sqrt(h^2 - 1), h >= 1. */
static float log_scale(float h)
{
    float over = h - 1;
    if (!(over > 0.01f))
    {
        return 1 - over * (1.0f / 3 - over * (2.0f / 15));
    }
    float root = sqrtf(over * (h + 1));
    return logf(h + root) / root;
}

static pl_f4 on_hyperboloid(float b, float c)
{
    return pl_set(sqrtf(1 + b * b + c * c), b, c, 0);
}

/* The sum by weight, brought back: where the iteration starts. */
static pl_f4 first_mean(const pl_tensor *tensors, const float *weights, uint32_t count, float *size)
{
    pl_f4 sum = pl_splat(0);
    *size = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += on_hyperboloid(tensors[i].b, tensors[i].c) * pl_splat(weights[i]);
        *size += weights[i] * tensors[i].size;
    }
    float length = sum[0] * sum[0] - sum[1] * sum[1] - sum[2] * sum[2];
    float scale = length > 0 ? 1 / sqrtf(length) : 0;
    return on_hyperboloid(sum[1] * scale, sum[2] * scale);
}

pl_tensor pl_tensor_mean(const pl_tensor *tensors, const float *weights, uint32_t count)
{
    float size;
    pl_f4 mean = first_mean(tensors, weights, count, &size);
    for (int round = 0; round < MEAN_ROUNDS; ++round)
    {
        pl_f4 step = pl_splat(0);
        for (uint32_t i = 0; i < count; ++i)
        {
            pl_f4 at = on_hyperboloid(tensors[i].b, tensors[i].c);
            float h = mean[0] * at[0] - mean[1] * at[1] - mean[2] * at[2];
            step += (at - mean * pl_splat(h)) * pl_splat(weights[i] * log_scale(h));
        }
        float squared = step[1] * step[1] + step[2] * step[2] - step[0] * step[0];
        float length = sqrtf(fmaxf(squared, 0));
        pl_f4 moved = mean * pl_splat(coshf(length)) + step * pl_splat(length > 1e-4f ? sinhf(length) / length : 1);
        mean = on_hyperboloid(moved[1], moved[2]);
        if (!(length > 1e-5f))
        {
            break;
        }
    }
    return (pl_tensor){mean[1], mean[2], size};
}

/* ---- Turns ---- */

static double angle_of_edge(const pl_flat_triangle *laid, uint32_t k)
{
    double x1 = (double)laid->x1, x2 = (double)laid->x2, y2 = (double)laid->y2;
    return k == 0 ? 0 : k == 1 ? atan2(y2, x2 - x1) : atan2(-y2, -x2);
}

/* The angle inside a corner. */
static double angle_of_corner(const pl_flat_triangle *laid, uint32_t k)
{
    double opened = angle_of_edge(laid, (k + 2) % 3) + 3.141592653589793 - angle_of_edge(laid, k);
    return opened < 0 ? opened + 6.283185307179586 : opened > 6.283185307179586 ? opened - 6.283185307179586 : opened;
}

static void set_turn(corner_turn *corner, double turn, double more)
{
    corner->doubled = (pl_turn){(float)cos(2 * turn), (float)sin(2 * turn)};
    corner->spread = (float)tan(fmin(fmax(more, -1.2), 1.2));
}

/* A single fan: angles one after the other. */
static void turn_fan(pleat_strain_field *field, uint32_t vertex)
{
    const pleat_topology *topology = field->topology;
    uint32_t begin = topology->ring_start[vertex], end = topology->ring_start[vertex + 1];
    double around = 0;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t c = topology->ring_corner[i];
        around += angle_of_corner(&field->flat.triangles[c / 3], c % 3);
    }
    bool inside = topology->vertex_flags[vertex] == 0;
    double scale = inside && around > 0 ? 6.283185307179586 / around : 1, angle = 0;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t c = topology->ring_corner[i];
        const pl_flat_triangle *laid = &field->flat.triangles[c / 3];
        double opening = angle_of_corner(laid, c % 3);
        set_turn(&field->corners[c], angle - angle_of_edge(laid, c % 3), (scale - 1) * opening);
        angle += scale * opening;
    }
}

/* Anything else: by normals. */
static void turn_by_normals(pleat_strain_field *field, uint32_t vertex)
{
    const pleat_topology *topology = field->topology;
    pl_f4 normal = pl_splat(0);
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t t = topology->ring_corner[i] / 3;
        normal += pl_flat_normal(&field->flat, t) * pl_splat(field->flat.triangles[t].area);
    }
    normal = pl_normalize3(normal);
    pl_f4 x = pl_perpendicular(normal), y = pl_cross(normal, x);
    for (uint32_t i = topology->ring_start[vertex]; i < topology->ring_start[vertex + 1]; ++i)
    {
        uint32_t c = topology->ring_corner[i];
        pl_f4 face = pl_flat_normal(&field->flat, c / 3), axis = pl_flat_to_space(&field->flat, c / 3, (pl_turn){1, 0});
        pl_f4 about = pl_cross(face, normal), once = pl_cross(about, axis);
        float cosine = pl_dot3(face, normal);
        if (cosine > -0.99f)
        {
            axis += once + pl_cross(about, once) * pl_splat(1 / (1 + cosine));
        }
        set_turn(&field->corners[c], atan2((double)pl_dot3(axis, y), (double)pl_dot3(axis, x)), 0);
    }
}

static void set_weights(pleat_strain_field *field, uint32_t vertex)
{
    const pleat_topology *topology = field->topology;
    uint32_t begin = topology->ring_start[vertex], end = topology->ring_start[vertex + 1];
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i)
    {
        sum += (double)field->flat.triangles[topology->ring_corner[i] / 3].area;
    }
    for (uint32_t i = begin; i < end; ++i)
    {
        double area = (double)field->flat.triangles[topology->ring_corner[i] / 3].area;
        field->ring_weights[i] = sum > 0 ? (float)(area / sum) : 0;
    }
}

/* ---- Making ---- */

pleat_result pleat_strain_field_create(const pleat_topology *topology, const pleat_vec4 *rest, const pleat_host *host,
                                       pleat_strain_field **out, pleat_error *error)
{
    *out = NULL;
    pleat_strain_field *field = PL_CREATE(pleat_strain_field, host);
    if (!field)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the stretch field");
    }
    pleat_result result = PLEAT_OK;
    size_t corner_count = 3 * (size_t)topology->triangle_count;
    pleat_vec4 *copy;
    pl_arena_init(&field->arena, &field->memory);
    field->topology = topology;
    PL_ARENA_NEW_OR_FAIL(copy, &field->arena, pleat_vec4, topology->vertex_count, error);
    PL_ARENA_NEW_OR_FAIL(field->corners, &field->arena, corner_turn, corner_count, error);
    PL_ARENA_NEW_OR_FAIL(field->ring_weights, &field->arena, float, corner_count, error);
    PL_ARENA_NEW_OR_FAIL(field->ring, &field->arena, pl_tensor, corner_count, error);
    PL_ARENA_NEW_OR_FAIL(field->of_triangle, &field->arena, pl_tensor, topology->triangle_count, error);
    PL_ARENA_NEW_OR_FAIL(field->of_vertex, &field->arena, pl_tensor, topology->vertex_count, error);
    memcpy(copy, rest, topology->vertex_count * sizeof *rest);
    result = pl_flat_make(topology, copy, &field->arena, &field->flat, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    for (uint32_t v = 0; v < topology->vertex_count; ++v)
    {
        bool several = topology->vertex_flags[v] & PLEAT_VERTEX_NON_MANIFOLD;
        (several ? turn_by_normals : turn_fan)(field, v);
        set_weights(field, v);
    }
    *out = field;
    return PLEAT_OK;
fail:
    pleat_strain_field_destroy(field);
    return result;
}

void pleat_strain_field_destroy(pleat_strain_field *field)
{
    if (field)
    {
        pl_arena_free(&field->arena);
        PL_DESTROY(field);
    }
}

const pl_flat *pl_field_flat(const pleat_strain_field *field)
{
    return &field->flat;
}

/* ---- A frame ---- */

static void update_triangles(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_strain_field *field = data;
    (void)worker;
    for (uint32_t t = begin; t < end; ++t)
    {
        const pl_flat_triangle *laid = &field->flat.triangles[t];
        const uint32_t *corner = field->topology->triangles + 3 * (size_t)t;
        field->of_triangle[t] = (pl_tensor){0, 0, 0};
        if (laid->area > 0)
        {
            pl_f4 origin = pl_load(&field->positions[corner[0]]);
            pl_f4 u = pl_load(&field->positions[corner[1]]) - origin;
            pl_f4 v = pl_load(&field->positions[corner[2]]) - origin;
            pl_f4 first = u * pl_splat(1 / laid->x1);
            pl_f4 second = (v - first * pl_splat(laid->x2)) * pl_splat(1 / laid->y2);
            pl_f4 normal = pl_cross(first, second);
            field->of_triangle[t] = root_of(pl_dot3(first, first), pl_dot3(first, second), pl_dot3(second, second),
                                            pl_dot3(normal, normal));
        }
    }
}

static void update_vertices(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    pleat_strain_field *field = data;
    (void)worker;
    for (uint32_t v = begin; v < end; ++v)
    {
        uint32_t first = field->topology->ring_start[v], after = field->topology->ring_start[v + 1];
        for (uint32_t i = first; i < after; ++i)
        {
            uint32_t c = field->topology->ring_corner[i];
            const pl_tensor *tensor = &field->of_triangle[c / 3];
            /* The middle of the corner's two turns. */
            float half = 0.5f * field->corners[c].spread, scale = 1 / (1 + half * half);
            pl_turn more = {(1 - half * half) * scale, 2 * half * scale};
            pl_turn turned = pl_turn_mul(pl_turn_mul(field->corners[c].doubled, more), (pl_turn){tensor->b, tensor->c});
            field->ring[i] = (pl_tensor){turned.x, turned.y, tensor->size};
        }
        field->of_vertex[v] = pl_tensor_mean(field->ring + first, field->ring_weights + first, after - first);
    }
}

void pleat_strain_field_update(pleat_strain_field *field, const pleat_vec4 *positions, const pleat_tasks *tasks)
{
    field->positions = positions;
    pl_parallel_for(tasks, field->topology->triangle_count, 1024, update_triangles, field);
    pl_parallel_for(tasks, field->topology->vertex_count, 256, update_vertices, field);
    field->positions = NULL;
}

/* ---- Asking ---- */

static pl_field_value value_of(float a, float b, float c, float size)
{
    float radius = sqrtf(b * b + c * c), norm = sqrtf(fmaxf(a * a - radius * radius, 1e-12f));
    float scale = expf(size), ratio = (a + radius) / norm;
    pl_field_value value = {.smallest = scale / ratio, .largest = scale * ratio};
    /* Half of the angle of (b, c). */
    float x = b < 0 ? c : radius + b, y = b < 0 ? radius - b : c;
    float length = sqrtf(x * x + y * y);
    if (length > 1e-6f)
    {
        value.along = (pl_turn){x / length, y / length};
    }
    return value;
}

pl_field_value pl_field_at(const pleat_strain_field *field, const pl_tensor *tensors, const pleat_place *place)
{
    if (!(field->flat.triangles[place->triangle].area > 0))
    {
        return (pl_field_value){.smallest = 1, .largest = 1};
    }
    float a = 0, b = 0, c = 0, size = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t corner = 3 * place->triangle + k;
        const pl_tensor *tensor = &tensors[field->topology->triangles[corner]];
        const corner_turn *turn = &field->corners[corner];
        float weight = place->barycentric[k], next = place->barycentric[(k + 1) % 3];
        float previous = place->barycentric[(k + 2) % 3], both = next + previous;
        float half = both > 0 ? turn->spread * (previous / both) : 0.5f * turn->spread;
        float scale = 1 / (1 + half * half);
        pl_turn more = {(1 - half * half) * scale, 2 * half * scale};
        pl_turn back = pl_turn_back(pl_turn_mul(turn->doubled, more), (pl_turn){tensor->b, tensor->c});
        a += weight * sqrtf(1 + tensor->b * tensor->b + tensor->c * tensor->c);
        b += weight * back.x;
        c += weight * back.y;
        size += weight * tensor->size;
    }
    return value_of(a, b, c, size);
}

pl_field_value pl_tensor_value(const pl_tensor *tensor)
{
    pl_field_value value =
        value_of(sqrtf(1 + tensor->b * tensor->b + tensor->c * tensor->c), tensor->b, tensor->c, tensor->size);
    value.along = (pl_turn){0, 0};
    return value;
}

const pl_tensor *pl_field_tensors(const pleat_strain_field *field)
{
    return field->of_vertex;
}

pleat_stretch pleat_strain_field_at(const pleat_strain_field *field, const pleat_place *place)
{
    pl_field_value value = pl_field_at(field, field->of_vertex, place);
    pl_f4 along = pl_flat_to_space(&field->flat, place->triangle, value.along);
    pleat_stretch out = {.smallest = value.smallest, .largest = value.largest};
    pl_store3(&out.along, along);
    pl_store3(&out.across, pl_cross(pl_flat_normal(&field->flat, place->triangle), along));
    return out;
}

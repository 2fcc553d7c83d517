/* The first half of binding a stack: the mesh of a node as one welded surface with its influences. */
#include "stack/stack.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* All primitives of the mesh behind one another, as the weld wants them. */
typedef struct gathered
{
    pleat_vec3 *positions;
    pleat_vec3 *normals;
    float *keys;
    uint32_t *triangles;
} gathered;

enum
{
    WEIGHT_KEYS = 4,                      /* projections of the skinning weights */
    TARGET_KEYS = 3,                      /* projections of the morph differences */
    SIDE_KEY = WEIGHT_KEYS + TARGET_KEYS, /* 1 on the back of cloth whose both sides are modelled in one place */
    KEY_COUNT
};

/* A number in -1..1 for a pair of indices. Weight vectors that agree have projections on such numbers that agree, and
 * those that differ hardly ever do: far cheaper than comparing lists of joints. */
static float scatter(uint32_t index, uint32_t salt)
{
    uint32_t h = (index + 1) * 0x9e3779b9u ^ (salt + 1) * 0x85ebca6bu;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    h ^= h >> 15;
    return (float)(h >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

static void fill_keys(const pleat_mesh *mesh, const pleat_primitive *primitive, uint32_t v, float inverse_size,
                      float *keys)
{
    memset(keys, 0, KEY_COUNT * sizeof *keys);
    for (uint32_t i = 0; i < primitive->influence_count; ++i)
    {
        size_t at = (size_t)v * primitive->influence_count + i;
        for (uint32_t k = 0; k < WEIGHT_KEYS; ++k)
        {
            keys[k] += primitive->weights[at] * scatter(primitive->joints[at], k);
        }
    }
    for (uint32_t t = 0; primitive->targets && t < mesh->target_count; ++t)
    {
        if (primitive->targets[t].positions)
        {
            const float *difference = &primitive->targets[t].positions[v].x;
            for (uint32_t k = 0; k < TARGET_KEYS; ++k)
            {
                keys[WEIGHT_KEYS + k] += scatter(t, k) * difference[k] * inverse_size;
            }
        }
    }
}

static float mesh_size(const pleat_mesh *mesh)
{
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        for (uint32_t v = 0; v < mesh->primitives[p].vertex_count; ++v)
        {
            pl_f4 at = pl_load3(&mesh->primitives[p].positions[v]);
            low = pl_min(at, low);
            high = pl_max(at, high);
        }
    }
    float size = pl_length3(high - low);
    return isfinite(size) && size > 0 ? size : 1;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Exporters that transform a mesh may leave the two sides of a seam apart by rounding. Small against the mesh, and
 * against its triangles, which one vertex far away does not make larger. */
static float rounding_of(const gathered *all, uint32_t triangle_count, float size)
{
    enum
    {
        SAMPLES = 255
    };
    float edges[SAMPLES];
    uint32_t count = 0, step = triangle_count / SAMPLES + 1;
    for (uint32_t t = 0; t < triangle_count && count < SAMPLES; t += step)
    {
        const uint32_t *corner = all->triangles + 3 * (size_t)t;
        edges[count++] = pl_length3(pl_load3(&all->positions[corner[0]]) - pl_load3(&all->positions[corner[1]]));
    }
    qsort(edges, count, sizeof *edges, compare_floats);
    float edge = count ? edges[count / 2] : 0, rounding = fminf(1e-6f * size, 1e-3f * edge);
    return isfinite(rounding) ? rounding : 0;
}

static void gather(const pleat_stack *stack, gathered *all)
{
    const pleat_mesh *mesh = stack->mesh;
    float inverse_size = 1 / mesh_size(mesh);
    uint32_t vertex = 0, corner = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        stack->primitive_start[p] = vertex;
        for (uint32_t c = 0; c < 3 * primitive->triangle_count; ++c)
        {
            all->triangles[corner++] = vertex + primitive->triangles[c];
        }
        for (uint32_t v = 0; v < primitive->vertex_count; ++v, ++vertex)
        {
            all->positions[vertex] = primitive->positions[v];
            all->normals[vertex] = primitive->normals ? primitive->normals[v] : (pleat_vec3){0, 0, 0};
            fill_keys(mesh, primitive, v, inverse_size, all->keys + (size_t)vertex * KEY_COUNT);
        }
    }
    stack->primitive_start[mesh->primitive_count] = vertex;
}

/* ---- Both sides in one place ----
 *
 * Games model cloth that is seen from both sides twice: the same triangles turned around, with vertices of their own.
 * Welded together, every edge would belong to four triangles and nothing could be found on such a surface. The two
 * sides stay apart instead, as two surfaces in one place. */

static uint32_t bucket_of_triangle(const uint32_t *corner, uint32_t mask)
{
    uint32_t low = corner[0], high = corner[0];
    for (int k = 1; k < 3; ++k)
    {
        low = corner[k] < low ? corner[k] : low;
        high = corner[k] > high ? corner[k] : high;
    }
    uint32_t h = (low * 0x9e3779b9u) ^ (high * 0x85ebca6bu) ^ ((corner[0] + corner[1] + corner[2]) * 0x2c1b3c6du);
    return (h ^ (h >> 15)) & mask;
}

/* Do two triangles have the same corners in the opposite order? */
static bool turned_around(const uint32_t *a, const uint32_t *b)
{
    for (int k = 0; k < 3; ++k)
    {
        if (a[0] == b[k] && a[1] == b[(k + 2) % 3] && a[2] == b[(k + 1) % 3])
        {
            return a[0] != a[1] && a[1] != a[2] && a[2] != a[0];
        }
    }
    return false;
}

/* Marks the surface vertices of triangles that are there twice, turned around. Returns how many triangles are. */
static uint32_t mark_doubled(const pleat_surface *surface, uint32_t *first, uint32_t *next, uint32_t mask,
                             uint8_t *doubled)
{
    enum
    {
        MAX_TRIES = 64 /* in one place: bounds the time on a file that puts all triangles into one */
    };
    uint32_t count = 0;
    memset(first, 0xff, ((size_t)mask + 1) * sizeof *first);
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
    {
        const uint32_t *corner = surface->triangles + 3 * (size_t)t;
        uint32_t bucket = bucket_of_triangle(corner, mask), tries = 0, other = first[bucket];
        while (other != PLEAT_NONE && tries++ < MAX_TRIES &&
               !turned_around(corner, surface->triangles + 3 * (size_t)other))
        {
            other = next[other];
        }
        if (other != PLEAT_NONE && tries <= MAX_TRIES)
        {
            doubled[corner[0]] = doubled[corner[1]] = doubled[corner[2]] = 1;
            count += 2;
        }
        next[t] = first[bucket];
        first[bucket] = t;
    }
    return count;
}

/* At each place of doubled cloth, the back is what faces away from the first render vertex there. facing: by render
 * vertex, zeros. */
static void fill_sides(const pleat_surface *surface, const uint8_t *doubled, pl_f4 *facing, const gathered *all)
{
    for (size_t t = 0; t < surface->triangle_count; ++t)
    {
        const uint32_t *corner = surface->render_triangles + 3 * t;
        pl_f4 a = pl_load3(&all->positions[corner[0]]);
        pl_f4 area = pl_cross(pl_load3(&all->positions[corner[1]]) - a, pl_load3(&all->positions[corner[2]]) - a);
        for (int k = 0; k < 3; ++k)
        {
            facing[corner[k]] += area;
        }
    }
    for (uint32_t r = 0; r < surface->render_count; ++r)
    {
        uint32_t v = surface->render_vertex[r];
        bool back = doubled[v] && pl_dot3(facing[r], facing[surface->vertex_render[v]]) < 0;
        all->keys[(size_t)r * KEY_COUNT + SIDE_KEY] = back ? 1 : 0;
    }
}

/* Fills the keys of sides; *found: there is cloth with two, and the weld must be done again. */
static pleat_result find_sides(pleat_stack *stack, const gathered *all, bool *found, pleat_error *error)
{
    const pleat_surface *surface = stack->surface;
    pl_memory *memory = &stack->memory;
    pleat_result result = PLEAT_OK;
    uint32_t *first = NULL, *next = NULL, mask = 15;
    uint8_t *doubled = NULL;
    pl_f4 *facing = NULL;
    while (mask < surface->triangle_count && mask < (1u << 30))
    {
        mask = 2 * mask + 1;
    }
    *found = false;
    PL_NEW_OR_FAIL(first, memory, uint32_t, (size_t)mask + 1, error);
    PL_NEW_OR_FAIL(next, memory, uint32_t, surface->triangle_count, error);
    PL_NEW_OR_FAIL(doubled, memory, uint8_t, surface->vertex_count, error);
    if (mark_doubled(surface, first, next, mask, doubled))
    {
        PL_NEW_OR_FAIL(facing, memory, pl_f4, surface->render_count, error);
        fill_sides(surface, doubled, facing, all);
        *found = true;
    }
fail:
    pl_free(memory, facing);
    pl_free(memory, doubled);
    pl_free(memory, next);
    pl_free(memory, first);
    return result;
}

static pleat_result weld_mesh(pleat_stack *stack, pleat_error *error)
{
    const pleat_mesh *mesh = stack->mesh;
    pl_memory *memory = &stack->memory;
    pleat_result result = PLEAT_OK;
    gathered all = {0};
    bool sides = false;
    uint32_t triangle_count = pleat_mesh_triangle_count(mesh);
    stack->coarse_render_count = pleat_mesh_vertex_count(mesh);
    PL_ARENA_NEW_OR_FAIL(stack->primitive_start, &stack->arena, uint32_t, (size_t)mesh->primitive_count + 1, error);
    PL_NEW_OR_FAIL(all.positions, memory, pleat_vec3, stack->coarse_render_count, error);
    PL_NEW_OR_FAIL(all.normals, memory, pleat_vec3, stack->coarse_render_count, error);
    PL_NEW_OR_FAIL(all.keys, memory, float, (size_t)stack->coarse_render_count *KEY_COUNT, error);
    PL_NEW_OR_FAIL(all.triangles, memory, uint32_t, 3 * (size_t)triangle_count, error);
    gather(stack, &all);
    pleat_surface_desc desc = pleat_surface_desc_default();
    desc.render_count = stack->coarse_render_count;
    desc.positions = all.positions;
    desc.normals = all.normals;
    desc.keys = all.keys;
    desc.key_count = KEY_COUNT;
    desc.triangle_count = triangle_count;
    desc.triangles = all.triangles;
    desc.weld_distance = rounding_of(&all, triangle_count, mesh_size(mesh));
    result = pleat_surface_create(&desc, &stack->host, &stack->surface, error);
    if (result == PLEAT_OK)
    {
        result = find_sides(stack, &all, &sides, error);
    }
    if (result == PLEAT_OK && sides)
    {
        pleat_surface_destroy(stack->surface);
        stack->surface = NULL;
        result = pleat_surface_create(&desc, &stack->host, &stack->surface, error);
    }
    if (result == PLEAT_OK)
    {
        stack->coarse_count = stack->surface->vertex_count;
        result = pleat_topology_create(stack->coarse_count, triangle_count, stack->surface->triangles, &stack->host,
                                       &stack->coarse_topology, error);
    }
fail:
    pl_free(memory, all.triangles);
    pl_free(memory, all.keys);
    pl_free(memory, all.normals);
    pl_free(memory, all.positions);
    return result;
}

/* Surface vertices are numbered by their first render vertex, so those of one primitive lie together. */
static void place_vertices(pleat_stack *stack)
{
    const pleat_mesh *mesh = stack->mesh;
    uint32_t primitive = 0;
    for (uint32_t v = 0; v < stack->coarse_count; ++v)
    {
        uint32_t render = stack->surface->vertex_render[v];
        while (render >= stack->primitive_start[primitive + 1])
        {
            stack->vertex_start[++primitive] = v;
        }
        uint32_t row = render - stack->primitive_start[primitive];
        stack->vertex_row[v] = row;
        pl_store(&stack->coarse_bind[v], pl_load3(&mesh->primitives[primitive].positions[row]));
    }
    while (primitive < mesh->primitive_count)
    {
        stack->vertex_start[++primitive] = stack->coarse_count;
    }
}

static void place_influences(pleat_stack *stack)
{
    uint32_t width = stack->influence_count;
    for (uint32_t p = 0; p < stack->mesh->primitive_count && width; ++p)
    {
        const pleat_primitive *primitive = &stack->mesh->primitives[p];
        uint32_t count = primitive->influence_count;
        for (uint32_t v = stack->vertex_start[p]; v < stack->vertex_start[p + 1]; ++v)
        {
            uint16_t *joints = stack->coarse_joints + (size_t)v * width;
            float *weights = stack->coarse_weights + (size_t)v * width;
            size_t row = (size_t)stack->vertex_row[v] * count;
            for (uint32_t i = 0; i < count; ++i)
            {
                joints[i] = primitive->joints[row + i];
                weights[i] = primitive->weights[row + i];
            }
            if (count == 0)
            {
                /* No influences in a skinned mesh: the vertex goes with its node. */
                joints[0] = (uint16_t)stack->skin->joint_count;
                weights[0] = 1;
            }
        }
    }
}

pleat_result pl_stack_bind_coarse(pleat_stack *stack, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    for (uint32_t p = 0; p < stack->mesh->primitive_count && stack->skin; ++p)
    {
        uint32_t count = stack->mesh->primitives[p].influence_count;
        uint32_t least = count ? count : 4;
        stack->influence_count = stack->influence_count > least ? stack->influence_count : least;
    }
    uint32_t width = stack->influence_count;
    PL_TRY(weld_mesh(stack, error));
    PL_ARENA_NEW_OR_FAIL(stack->vertex_start, &stack->arena, uint32_t, (size_t)stack->mesh->primitive_count + 1, error);
    PL_ARENA_NEW_OR_FAIL(stack->vertex_row, &stack->arena, uint32_t, stack->coarse_count, error);
    PL_ARENA_NEW_OR_FAIL(stack->coarse_bind, &stack->arena, pleat_vec4, stack->coarse_count, error);
    PL_ARENA_NEW_OR_FAIL(stack->coarse_joints, &stack->arena, uint16_t, (size_t)stack->coarse_count * width, error);
    PL_ARENA_NEW_OR_FAIL(stack->coarse_weights, &stack->arena, float, (size_t)stack->coarse_count *width, error);
    place_vertices(stack);
    place_influences(stack);
    stack->coarse_morphed = stack->coarse_bind;
    if (stack->mesh->target_count)
    {
        PL_ARENA_NEW_OR_FAIL(stack->coarse_morphed, &stack->arena, pleat_vec4, stack->coarse_count, error);
    }
    PL_ARENA_NEW_OR_FAIL(stack->coarse_positions, &stack->arena, pleat_vec4, stack->coarse_count, error);
    stack->joint_count = stack->skin ? stack->skin->joint_count + 1 : 1;
    PL_ARENA_NEW_OR_FAIL(stack->joint_matrices, &stack->arena, pleat_affine, stack->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(stack->skin_scratch, &stack->arena, char, pleat_skin_scratch_size(stack->joint_count), error);
fail:
    return result;
}

/* Triangle topology over anything a file can hold. Edges are found by sorting corners on their two vertices (two
 * counting sorts, so the cost is linear whatever the input), rings by turning from twin to twin. */
#include "pleat/mesh.h"

#include "base/memory.h"
#include "mesh/corner.h"

#include <string.h>

typedef struct topology_object
{
    pleat_topology shown; /* first: the public pointer is the object */
    pl_memory memory;
} topology_object;

static bool is_degenerate(const uint32_t *triangle)
{
    return triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
}

static uint32_t edge_low(const uint32_t *triangles, uint32_t corner)
{
    uint32_t a = triangles[corner], b = triangles[pl_corner_next(corner)];
    return a < b ? a : b;
}

static uint32_t edge_high(const uint32_t *triangles, uint32_t corner)
{
    uint32_t a = triangles[corner], b = triangles[pl_corner_next(corner)];
    return a > b ? a : b;
}

/* Stable counting sort of corners by a key below key_count. counts has key_count + 1 entries. */
static void sort_corners(const uint32_t *triangles, const uint32_t *in, uint32_t *out, uint32_t count, uint32_t *counts,
                         uint32_t key_count, uint32_t (*key)(const uint32_t *, uint32_t))
{
    memset(counts, 0, ((size_t)key_count + 1) * sizeof *counts);
    for (uint32_t i = 0; i < count; ++i)
    {
        ++counts[key(triangles, in[i]) + 1];
    }
    for (uint32_t k = 0; k < key_count; ++k)
    {
        counts[k + 1] += counts[k];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        out[counts[key(triangles, in[i])]++] = in[i];
    }
}

/* corners: sorted so that those of one edge lie together. */
static uint32_t pair_edges(const uint32_t *triangles, const uint32_t *corners, uint32_t count, uint32_t *twin,
                           uint32_t *corner_edge, uint32_t *edge_corner)
{
    uint32_t edge_count = 0;
    for (uint32_t begin = 0; begin < count;)
    {
        uint32_t first = corners[begin];
        uint32_t end = begin + 1;
        while (end < count && edge_low(triangles, corners[end]) == edge_low(triangles, first) &&
               edge_high(triangles, corners[end]) == edge_high(triangles, first))
        {
            ++end;
        }
        for (uint32_t i = begin; i < end; ++i)
        {
            corner_edge[corners[i]] = edge_count;
            twin[corners[i]] = end - begin == 1 ? PLEAT_BOUNDARY : PLEAT_NON_MANIFOLD;
        }
        if (end - begin == 2 && triangles[first] != triangles[corners[begin + 1]])
        {
            twin[first] = corners[begin + 1];
            twin[corners[begin + 1]] = first;
        }
        edge_corner[edge_count++] = first;
        begin = end;
    }
    return edge_count;
}

static bool has_twin(const uint32_t *twin, uint32_t corner)
{
    return twin[corner] < PLEAT_NON_MANIFOLD;
}

/* Reorders one vertex's corners fan by fan, counter-clockwise, open fans from their clockwise end. The corners' marks
 * in `listed` are 0 on entry. Returns the number of fans. */
static uint32_t order_ring(const uint32_t *twin, uint32_t *ring, uint32_t count, uint32_t *scratch, uint8_t *listed)
{
    uint32_t fan_count = 0;
    uint32_t done = 0;
    for (int closed = 0; closed < 2; ++closed)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            uint32_t corner = ring[i];
            if (listed[corner] || (!closed && has_twin(twin, corner)))
            {
                continue;
            }
            ++fan_count;
            while (!listed[corner])
            {
                listed[corner] = 1;
                scratch[done++] = corner;
                uint32_t incoming = pl_corner_previous(corner);
                if (!has_twin(twin, incoming))
                {
                    break;
                }
                corner = twin[incoming];
            }
        }
    }
    memcpy(ring, scratch, count * sizeof *ring);
    return fan_count;
}

static void fill_rings(const pleat_topology *shown, uint32_t *ring_start, uint32_t *ring_corner)
{
    uint32_t corner_count = 3 * shown->triangle_count;
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        if (shown->corner_edge[c] != PLEAT_NONE)
        {
            ++ring_start[shown->triangles[c]];
        }
    }
    for (uint32_t v = 0; v < shown->vertex_count; ++v)
    {
        ring_start[v + 1] += ring_start[v];
    }
    /* From the back: the end of each ring walks down to its start. */
    for (uint32_t c = corner_count; c-- > 0;)
    {
        if (shown->corner_edge[c] != PLEAT_NONE)
        {
            ring_corner[--ring_start[shown->triangles[c]]] = c;
        }
    }
}

static uint8_t side_flag(uint32_t twin)
{
    return twin == PLEAT_BOUNDARY ? PLEAT_VERTEX_BOUNDARY : twin == PLEAT_NON_MANIFOLD ? PLEAT_VERTEX_NON_MANIFOLD : 0;
}

static void order_rings(const pleat_topology *shown, uint32_t *ring_corner, uint8_t *flags, uint32_t *scratch,
                        uint8_t *listed)
{
    for (uint32_t v = 0; v < shown->vertex_count; ++v)
    {
        uint32_t count = shown->ring_start[v + 1] - shown->ring_start[v];
        uint32_t *ring = ring_corner + shown->ring_start[v];
        uint32_t fan_count = order_ring(shown->twin, ring, count, scratch, listed);
        uint8_t flag = (uint8_t)(count == 0 ? PLEAT_VERTEX_ISOLATED : fan_count > 1 ? PLEAT_VERTEX_NON_MANIFOLD : 0);
        for (uint32_t i = 0; i < count; ++i)
        {
            flag |= side_flag(shown->twin[ring[i]]);
            flag |= side_flag(shown->twin[pl_corner_previous(ring[i])]);
        }
        flags[v] = flag;
    }
}

static pleat_result check_triangles(uint32_t vertex_count, uint32_t triangle_count, const uint32_t *triangles,
                                    pleat_error *error)
{
    if (triangle_count > UINT32_MAX / 3 - 1 || vertex_count > UINT32_MAX - 2)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%u triangles over %u vertices are more than a topology can hold",
                       triangle_count, vertex_count);
    }
    for (uint32_t c = 0; c < 3 * triangle_count; ++c)
    {
        if (triangles[c] >= vertex_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT, "corner %u of triangle %u is vertex %u; there are %u", c % 3,
                           c / 3, triangles[c], vertex_count);
        }
    }
    return PLEAT_OK;
}

pleat_result pleat_topology_create(uint32_t vertex_count, uint32_t triangle_count, const uint32_t *triangles,
                                   const pleat_host *host, pleat_topology **out, pleat_error *error)
{
    *out = NULL;
    PL_TRY(check_triangles(vertex_count, triangle_count, triangles, error));
    topology_object *object = PL_CREATE(topology_object, host);
    if (!object)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the topology");
    }
    pleat_result result = PLEAT_OK;
    pleat_topology *shown = &object->shown;
    pl_memory *memory = &object->memory;
    uint32_t corner_count = 3 * triangle_count;
    uint32_t *copy, *twin, *corner_edge, *edge_corner, *ring_start, *ring_corner;
    uint32_t *sorted = NULL, *scratch = NULL, *counts = NULL;
    uint8_t *flags, *listed = NULL;
    PL_NEW_OR_FAIL(copy, memory, uint32_t, corner_count, error);
    shown->triangles = copy;
    PL_NEW_OR_FAIL(twin, memory, uint32_t, corner_count, error);
    shown->twin = twin;
    PL_NEW_OR_FAIL(corner_edge, memory, uint32_t, corner_count, error);
    shown->corner_edge = corner_edge;
    PL_NEW_OR_FAIL(edge_corner, memory, uint32_t, corner_count, error);
    shown->edge_corner = edge_corner;
    PL_NEW_OR_FAIL(ring_start, memory, uint32_t, (size_t)vertex_count + 1, error);
    shown->ring_start = ring_start;
    PL_NEW_OR_FAIL(ring_corner, memory, uint32_t, corner_count, error);
    shown->ring_corner = ring_corner;
    PL_NEW_OR_FAIL(flags, memory, uint8_t, vertex_count, error);
    shown->vertex_flags = flags;
    PL_NEW_OR_FAIL(sorted, memory, uint32_t, corner_count, error);
    PL_NEW_OR_FAIL(scratch, memory, uint32_t, corner_count, error);
    PL_NEW_OR_FAIL(counts, memory, uint32_t, (size_t)vertex_count + 1, error);
    PL_NEW_OR_FAIL(listed, memory, uint8_t, corner_count, error);

    if (corner_count > 0) /* triangles may be NULL without any */
    {
        memcpy(copy, triangles, corner_count * sizeof *copy);
    }
    uint32_t whole_count = 0; /* corners of triangles that are no point and no line */
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        twin[c] = PLEAT_BOUNDARY;
        corner_edge[c] = PLEAT_NONE;
        if (!is_degenerate(copy + c / 3 * 3))
        {
            sorted[whole_count++] = c;
        }
    }
    sort_corners(copy, sorted, scratch, whole_count, counts, vertex_count, edge_high);
    sort_corners(copy, scratch, sorted, whole_count, counts, vertex_count, edge_low);
    shown->vertex_count = vertex_count;
    shown->triangle_count = triangle_count;
    shown->edge_count = pair_edges(copy, sorted, whole_count, twin, corner_edge, edge_corner);
    fill_rings(shown, ring_start, ring_corner);
    order_rings(shown, ring_corner, flags, scratch, listed);
    *out = shown;
fail:
    pl_free(memory, listed);
    pl_free(memory, counts);
    pl_free(memory, scratch);
    pl_free(memory, sorted);
    if (result != PLEAT_OK)
    {
        pleat_topology_destroy(shown);
    }
    return result;
}

void pleat_topology_destroy(pleat_topology *topology)
{
    if (!topology)
    {
        return;
    }
    topology_object *object = (topology_object *)topology;
    pl_memory *memory = &object->memory;
    pl_free(memory, topology->triangles);
    pl_free(memory, topology->twin);
    pl_free(memory, topology->corner_edge);
    pl_free(memory, topology->edge_corner);
    pl_free(memory, topology->ring_start);
    pl_free(memory, topology->ring_corner);
    pl_free(memory, topology->vertex_flags);
    PL_DESTROY(object);
}

static uint32_t find_root(uint32_t *parent, uint32_t t)
{
    while (parent[t] != t)
    {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

uint32_t pleat_topology_shells(const pleat_topology *topology, uint32_t *shell)
{
    /* Union-find inside the result: each triangle points to a lower one, and the roots are numbered in order. */
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        shell[t] = t;
    }
    for (uint32_t c = 0; c < 3 * topology->triangle_count; ++c)
    {
        if (topology->corner_edge[c] != PLEAT_NONE)
        {
            /* All triangles of an edge, of a non-manifold one too, hang on its first corner. */
            uint32_t a = find_root(shell, c / 3);
            uint32_t b = find_root(shell, topology->edge_corner[topology->corner_edge[c]] / 3);
            shell[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        shell[t] = find_root(shell, t);
    }
    uint32_t shell_count = 0;
    for (uint32_t t = 0; t < topology->triangle_count; ++t)
    {
        if (topology->corner_edge[3 * t] == PLEAT_NONE)
        {
            shell[t] = PLEAT_NONE;
        }
        else
        {
            /* A root comes before all that hang on it, so its place already holds its number. */
            shell[t] = shell[t] == t ? shell_count++ : shell[shell[t]];
        }
    }
    return shell_count;
}

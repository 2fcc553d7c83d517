/* The zero surface of a field, by marching tetrahedra: six to a cube, all around its main diagonal, so that
 * neighbouring cubes agree on their faces and the surface is a manifold whatever the field does. Blocks of cubes far
 * from the surface are skipped by the field's value at their middle. */
#include "make/patch.h"

enum
{
    BLOCK = 5,         /* cubes along a block */
    NODES = BLOCK + 1, /* grid nodes along a block */
    STEP_Y = NODES,    /* from node to node in a block's values */
    STEP_Z = NODES * NODES
};

/* Vertices by the grid edge they lie on: node number times 8 plus the kind of edge (1..7: which of x, y, z it spans).
 */
typedef struct edge_table
{
    uint64_t *keys; /* 0 is free: no edge is of kind 0 */
    uint32_t *vertices;
    uint32_t capacity; /* a power of two */
    uint32_t count;
} edge_table;

typedef struct polygoniser
{
    pl_maker *maker;
    const pl_field *field;
    pl_patch *patch;
    edge_table edges;
    pl_v3 low;
    double cell;
    uint64_t nodes_x, nodes_y;
    double values[NODES * NODES * NODES];
} polygoniser;

static uint32_t edge_slot(const edge_table *table, uint64_t key)
{
    uint32_t slot = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (table->capacity - 1);
    while (table->keys[slot] && table->keys[slot] != key)
    {
        slot = (slot + 1) & (table->capacity - 1);
    }
    return slot;
}

static pleat_result grow_edges(pl_maker *maker, edge_table *table)
{
    edge_table larger = {.capacity = table->capacity ? table->capacity * 2 : 1u << 14, .count = table->count};
    PL_MAKE_NEW(larger.keys, maker, scratch, uint64_t, larger.capacity);
    PL_MAKE_NEW(larger.vertices, maker, scratch, uint32_t, larger.capacity);
    for (uint32_t i = 0; i < table->capacity; ++i)
    {
        if (table->keys[i])
        {
            uint32_t slot = edge_slot(&larger, table->keys[i]);
            larger.keys[slot] = table->keys[i];
            larger.vertices[slot] = table->vertices[i];
        }
    }
    *table = larger;
    return PLEAT_OK;
}

static pleat_result add_vertex(pl_maker *maker, pl_patch *patch, pl_v3 p, uint8_t bits)
{
    uint32_t capacity = patch->vertex_capacity;
    PL_MAKE_GROW(patch->bits, maker, uint8_t, patch->vertex_count, capacity);
    PL_MAKE_GROW(patch->positions, maker, pl_v3, patch->vertex_count, patch->vertex_capacity);
    patch->positions[patch->vertex_count] = p;
    patch->bits[patch->vertex_count++] = bits;
    return PLEAT_OK;
}

static pleat_result add_triangle(pl_maker *maker, pl_patch *patch, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t capacity = patch->triangle_capacity;
    PL_MAKE_GROW(patch->regions, maker, uint8_t, patch->triangle_count, capacity);
    uint32_t corner_count = patch->triangle_count * 3;
    uint32_t corner_capacity = patch->triangle_capacity * 3;
    PL_MAKE_GROW(patch->triangles, maker, uint32_t, corner_count, corner_capacity);
    patch->triangle_capacity = corner_capacity / 3 < capacity ? corner_capacity / 3 : capacity;
    uint32_t *v = &patch->triangles[corner_count];
    v[0] = a;
    v[1] = b;
    v[2] = c;
    patch->regions[patch->triangle_count++] = 0;
    return PLEAT_OK;
}

/* A corner of a tetrahedron: its place in the grid and in the block's values. */
typedef struct grid_node
{
    uint32_t x, y, z; /* in the whole grid */
    double value;
} grid_node;

static pleat_result edge_vertex(polygoniser *work, const grid_node *a, const grid_node *b, uint32_t *vertex)
{
    /* From the lower node to the higher, so that both sides of an edge compute the same bits. */
    if (a->x > b->x || a->y > b->y || a->z > b->z)
    {
        const grid_node *swap = a;
        a = b;
        b = swap;
    }
    uint64_t kind = (b->x - a->x) + 2 * (b->y - a->y) + 4 * (b->z - a->z);
    uint64_t key = ((a->x + work->nodes_x * (a->y + work->nodes_y * (uint64_t)a->z)) << 3) | kind;
    if (work->edges.count * 2 >= work->edges.capacity)
    {
        PL_TRY(grow_edges(work->maker, &work->edges));
    }
    uint32_t slot = edge_slot(&work->edges, key);
    if (!work->edges.keys[slot])
    {
        double t = a->value / (a->value - b->value);
        pl_v3 p = v3(pl_mix(a->x, b->x, t) * work->cell, work->low.y + pl_mix(a->y, b->y, t) * work->cell,
                     work->low.z + pl_mix(a->z, b->z, t) * work->cell);
        PL_TRY(add_vertex(work->maker, work->patch, p, a->x == 0 && b->x == 0 ? PL_PATCH_PLANE : 0));
        work->edges.keys[slot] = key;
        work->edges.vertices[slot] = work->patch->vertex_count - 1;
        ++work->edges.count;
    }
    *vertex = work->edges.vertices[slot];
    return PLEAT_OK;
}

/* One tetrahedron, corners in positive orientation. */
static pleat_result march(polygoniser *work, const grid_node *n[4])
{
    uint32_t inside[4], outside[4];
    uint32_t in = 0, out = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (n[i]->value < 0)
        {
            inside[in++] = i;
        }
        else
        {
            outside[out++] = i;
        }
    }
    if (in == 0 || out == 0)
    {
        return PLEAT_OK;
    }
    uint32_t v[4];
    bool even;
    if (in != 2)
    {
        /* One corner apart from the other three: a triangle. */
        uint32_t apex = in == 1 ? inside[0] : outside[0];
        const uint32_t *others = in == 1 ? outside : inside;
        for (uint32_t i = 0; i < 3; ++i)
        {
            PL_TRY(edge_vertex(work, n[apex], n[others[i]], &v[i]));
        }
        even = (apex % 2 == 0) == (in == 1);
        return even ? add_triangle(work->maker, work->patch, v[0], v[1], v[2])
                    : add_triangle(work->maker, work->patch, v[0], v[2], v[1]);
    }
    uint32_t a = inside[0], b = inside[1], c = outside[0], d = outside[1];
    PL_TRY(edge_vertex(work, n[a], n[c], &v[0]));
    PL_TRY(edge_vertex(work, n[a], n[d], &v[1]));
    PL_TRY(edge_vertex(work, n[b], n[d], &v[2]));
    PL_TRY(edge_vertex(work, n[b], n[c], &v[3]));
    /* The sign of the permutation (a, b, c, d): 02|13 and its opposite are odd. */
    even = !((a == 0 && b == 2) || (a == 1 && b == 3));
    if (!even)
    {
        uint32_t swap = v[1];
        v[1] = v[3];
        v[3] = swap;
    }
    PL_TRY(add_triangle(work->maker, work->patch, v[0], v[1], v[2]));
    return add_triangle(work->maker, work->patch, v[0], v[2], v[3]);
}

static pleat_result march_cube(polygoniser *work, const uint32_t origin[3], const uint32_t local[3])
{
    /* Paths from corner 0 to corner 7 along the axes in every order; the sign says which are left-handed. */
    static const uint8_t tets[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                       {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    grid_node nodes[8];
    uint32_t negative = 0;
    for (uint32_t i = 0; i < 8; ++i)
    {
        uint32_t x = local[0] + (i & 1), y = local[1] + (i >> 1 & 1), z = local[2] + (i >> 2);
        double value = work->values[x + STEP_Y * y + STEP_Z * z];
        nodes[i] = (grid_node){origin[0] + x, origin[1] + y, origin[2] + z, value};
        negative += value < 0;
    }
    if (negative == 0 || negative == 8)
    {
        return PLEAT_OK;
    }
    for (uint32_t t = 0; t < 6; ++t)
    {
        const grid_node *n[4];
        for (uint32_t i = 0; i < 4; ++i)
        {
            n[i] = &nodes[tets[t][i]];
        }
        PL_TRY(march(work, n));
    }
    return PLEAT_OK;
}

static pleat_result march_block(polygoniser *work, const uint32_t origin[3])
{
    double half = work->cell * BLOCK / 2;
    pl_v3 first =
        v3(origin[0] * work->cell, work->low.y + origin[1] * work->cell, work->low.z + origin[2] * work->cell);
    double middle = work->field->value(work->field->user, v3_add(first, v3(half, half, half)));
    if (fabs(middle) > 1.5 * 1.7320508 * half)
    {
        return PLEAT_OK;
    }
    for (uint32_t i = 0; i < NODES * NODES * NODES; ++i)
    {
        pl_v3 p = v3(first.x + (i % NODES) * work->cell, first.y + (i / STEP_Y % NODES) * work->cell,
                     first.z + (i / STEP_Z) * work->cell);
        double value = work->field->value(work->field->user, p);
        /* Never zero: an edge has its vertex strictly inside. */
        work->values[i] = fabs(value) < 1e-9 ? 1e-9 : value;
    }
    for (uint32_t i = 0; i < BLOCK * BLOCK * BLOCK; ++i)
    {
        uint32_t local[3] = {i % BLOCK, i / BLOCK % BLOCK, i / (BLOCK * BLOCK)};
        PL_TRY(march_cube(work, origin, local));
    }
    return PLEAT_OK;
}

pleat_result pl_patch_polygonise(pl_maker *maker, const pl_field *field, pl_v3 low, pl_v3 high, double cell,
                                 pl_patch *patch)
{
    *patch = (pl_patch){0};
    polygoniser *work;
    PL_MAKE_NEW(work, maker, scratch, polygoniser, 1);
    work->maker = maker;
    work->field = field;
    work->patch = patch;
    work->low = low;
    work->cell = cell;
    uint32_t count[3] = {(uint32_t)ceil(high.x / (cell * BLOCK)), (uint32_t)ceil((high.y - low.y) / (cell * BLOCK)),
                         (uint32_t)ceil((high.z - low.z) / (cell * BLOCK))};
    work->nodes_x = (uint64_t)count[0] * BLOCK + 1;
    work->nodes_y = (uint64_t)count[1] * BLOCK + 1;
    for (uint32_t b = 0; b < count[0] * count[1] * count[2]; ++b)
    {
        uint32_t origin[3] = {b % count[0] * BLOCK, b / count[0] % count[1] * BLOCK, b / (count[0] * count[1]) * BLOCK};
        PL_TRY(march_block(work, origin));
    }
    return PLEAT_OK;
}

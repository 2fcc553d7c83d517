/* Patches: connectivity, cutting along curves, mirroring. */
#include "make/patch.h"

#include "pleat/mesh.h"

pl_v3 pl_field_gradient(const pl_field *field, pl_v3 p)
{
    /* The corners of a tetrahedron: four values instead of six. */
    static const double sign[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    const double h = 2e-4;
    pl_v3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < 4; ++i)
    {
        pl_v3 way = v3(sign[i][0], sign[i][1], sign[i][2]);
        sum = v3_mad(sum, field->value(field->user, v3_mad(p, h, way)), way);
    }
    return v3_scale(sum, 1 / (4 * h));
}

pleat_result pl_patch_copy(pl_maker *maker, const pl_patch *from, pl_patch *patch)
{
    *patch = *from;
    PL_MAKE_NEW(patch->positions, maker, scratch, pl_v3, from->vertex_capacity);
    PL_MAKE_NEW(patch->bits, maker, scratch, uint8_t, from->vertex_capacity);
    PL_MAKE_NEW(patch->triangles, maker, scratch, uint32_t, 3 * (size_t)from->triangle_capacity);
    PL_MAKE_NEW(patch->regions, maker, scratch, uint8_t, from->triangle_capacity);
    memcpy(patch->positions, from->positions, from->vertex_count * sizeof *from->positions);
    memcpy(patch->bits, from->bits, from->vertex_count);
    memcpy(patch->triangles, from->triangles, 3 * sizeof(uint32_t) * from->triangle_count);
    memcpy(patch->regions, from->regions, from->triangle_count);
    patch->twins = NULL;
    patch->corners = NULL;
    return PLEAT_OK;
}

pleat_result pl_patch_connect(pl_maker *maker, pl_patch *patch)
{
    uint32_t corner_count = 3 * patch->triangle_count;
    uint32_t *first; /* per vertex: the last corner seen that leaves it, chained by next */
    uint32_t *next;
    PL_MAKE_NEW(patch->twins, maker, scratch, uint32_t, 3 * (size_t)patch->triangle_capacity);
    PL_MAKE_NEW(patch->corners, maker, scratch, uint32_t, patch->vertex_capacity);
    PL_MAKE_NEW(first, maker, scratch, uint32_t, patch->vertex_count);
    PL_MAKE_NEW(next, maker, scratch, uint32_t, corner_count);
    memset(first, 0xff, patch->vertex_count * sizeof *first);
    memset(patch->corners, 0xff, patch->vertex_capacity * sizeof *patch->corners);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        uint32_t v = patch->triangles[c];
        next[c] = first[v];
        first[v] = c;
        patch->corners[v] = c;
    }
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        uint32_t from = patch->triangles[c];
        uint32_t to = patch->triangles[pl_next(c)];
        uint32_t other = first[to];
        while (other != PLEAT_NONE && patch->triangles[pl_next(other)] != from)
        {
            other = next[other];
        }
        patch->twins[c] = other == PLEAT_NONE ? PLEAT_BOUNDARY : other;
    }
    return PLEAT_OK;
}

/* ---- Cutting ---- */

typedef struct cutter
{
    pl_maker *maker;
    pl_patch *patch;
    const pl_field *field;
    uint8_t bit; /* of vertices on the curve */
    double *values;
    uint32_t *cuts; /* per corner: the vertex on its edge, or PLEAT_NONE */
} cutter;

/* The point of an edge where the curve's field is zero: a few steps of bisection with interpolation. */
static pl_v3 cut_point(const cutter *work, uint32_t a, uint32_t b)
{
    pl_v3 pa = work->patch->positions[a], pb = work->patch->positions[b];
    double fa = work->values[a], fb = work->values[b];
    pl_v3 p = pa;
    for (uint32_t i = 0; i < 6; ++i)
    {
        double t = pl_clamp(fa / (fa - fb), 0.05, 0.95);
        p = v3_lerp(pa, pb, t);
        double f = work->field->value(work->field->user, p);
        if ((f < 0) == (fa < 0))
        {
            pa = p;
            fa = f;
        }
        else
        {
            pb = p;
            fb = f;
        }
        if (fabs(f) < 1e-7)
        {
            break;
        }
    }
    return p;
}

static bool crosses(const cutter *work, uint32_t corner)
{
    const uint32_t *triangles = work->patch->triangles;
    return (work->values[triangles[corner]] < 0) != (work->values[triangles[pl_next(corner)]] < 0);
}

static void add_cut_vertex(cutter *work, uint32_t corner)
{
    pl_patch *patch = work->patch;
    uint32_t a = patch->triangles[corner], b = patch->triangles[pl_next(corner)];
    uint32_t twin = patch->twins[corner];
    uint32_t v = patch->vertex_count++;
    patch->positions[v] = a < b ? cut_point(work, a, b) : cut_point(work, b, a);
    bool feature = twin >= PLEAT_NON_MANIFOLD || patch->regions[corner / 3] != patch->regions[twin / 3];
    uint8_t shared = feature ? (uint8_t)(patch->bits[a] & patch->bits[b]) : 0;
    patch->bits[v] = shared | work->bit;
    work->cuts[corner] = v;
    if (twin < PLEAT_NON_MANIFOLD)
    {
        work->cuts[twin] = v;
    }
}

/* Splits a triangle whose corner c is alone on its side: one triangle with c, two without. */
static void split_triangle(cutter *work, uint32_t c)
{
    pl_patch *patch = work->patch;
    uint32_t t = c / 3;
    uint32_t a = patch->triangles[c], b = patch->triangles[pl_next(c)], d = patch->triangles[pl_prev(c)];
    uint32_t ab = work->cuts[c], da = work->cuts[pl_prev(c)];
    uint32_t fresh[9] = {a, ab, da, ab, b, d, ab, d, da};
    memcpy(&patch->triangles[3 * t], &fresh[0], 3 * sizeof *fresh);
    memcpy(&patch->triangles[3 * patch->triangle_count], &fresh[3], 6 * sizeof *fresh);
    bool alone_negative = work->values[a] < 0;
    uint8_t region = patch->regions[t];
    uint8_t other = alone_negative ? region : (uint8_t)(region | (work->bit >> 1));
    patch->regions[t] = alone_negative ? (uint8_t)(region | (work->bit >> 1)) : region;
    patch->regions[patch->triangle_count++] = other;
    patch->regions[patch->triangle_count++] = other;
}

static pleat_result make_room(pl_maker *maker, pl_patch *patch, uint32_t vertices, uint32_t triangles)
{
    patch->vertex_capacity = patch->vertex_count + vertices;
    patch->triangle_capacity = patch->triangle_count + triangles;
    pl_patch old = *patch;
    return pl_patch_copy(maker, &old, patch);
}

pleat_result pl_patch_cut(pl_maker *maker, pl_patch *patch, uint32_t curve, const pl_field *field)
{
    cutter work = {.maker = maker, .patch = patch, .field = field, .bit = (uint8_t)(2u << curve)};
    uint32_t vertex_count = patch->vertex_count, triangle_count = patch->triangle_count;
    PL_MAKE_NEW(work.values, maker, scratch, double, vertex_count);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        double value = field->value(field->user, patch->positions[v]);
        work.values[v] = fabs(value) < 1e-9 ? 1e-9 : value;
    }
    uint32_t crossed = 0;
    for (uint32_t c = 0; c < 3 * triangle_count; ++c)
    {
        crossed += crosses(&work, c);
    }
    PL_TRY(make_room(maker, patch, crossed, crossed));
    PL_TRY(pl_patch_connect(maker, patch));
    PL_MAKE_NEW(work.cuts, maker, scratch, uint32_t, 3 * (size_t)triangle_count);
    memset(work.cuts, 0xff, 3 * sizeof(uint32_t) * triangle_count);
    for (uint32_t c = 0; c < 3 * triangle_count; ++c)
    {
        if (work.cuts[c] == PLEAT_NONE && crosses(&work, c))
        {
            add_cut_vertex(&work, c);
        }
    }
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        uint32_t alone = PLEAT_NONE;
        for (uint32_t k = 0; k < 3; ++k)
        {
            uint32_t c = 3 * t + k;
            alone = crosses(&work, c) && crosses(&work, pl_prev(c)) ? c : alone;
        }
        if (alone != PLEAT_NONE)
        {
            split_triangle(&work, alone);
        }
        else if (work.values[patch->triangles[3 * t]] < 0)
        {
            patch->regions[t] |= (uint8_t)(work.bit >> 1);
        }
    }
    return PLEAT_OK;
}

pleat_result pl_patch_keep(pl_maker *maker, pl_patch *patch, uint8_t mask, uint8_t want)
{
    uint32_t *renamed;
    PL_MAKE_NEW(renamed, maker, scratch, uint32_t, patch->vertex_count);
    memset(renamed, 0xff, patch->vertex_count * sizeof *renamed);
    uint32_t kept = 0;
    for (uint32_t t = 0; t < patch->triangle_count; ++t)
    {
        const uint32_t *v = &patch->triangles[3 * t];
        if (v[0] == PLEAT_NONE || (patch->regions[t] & mask) != want)
        {
            continue;
        }
        patch->regions[kept] = patch->regions[t];
        memmove(&patch->triangles[3 * kept], v, 3 * sizeof *v);
        for (uint32_t k = 0; k < 3; ++k)
        {
            renamed[patch->triangles[3 * kept + k]] = 0;
        }
        ++kept;
    }
    patch->triangle_count = kept;
    uint32_t vertex_count = 0;
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
    {
        if (renamed[v] == PLEAT_NONE)
        {
            continue;
        }
        renamed[v] = vertex_count;
        patch->positions[vertex_count] = patch->positions[v];
        patch->bits[vertex_count++] = patch->bits[v];
    }
    patch->vertex_count = vertex_count;
    for (uint32_t c = 0; c < 3 * kept; ++c)
    {
        patch->triangles[c] = renamed[patch->triangles[c]];
    }
    return PLEAT_OK;
}

/* ---- Both halves ---- */

pleat_result pl_patch_mirror(pl_maker *maker, const pl_patch *patch, pl_whole *whole)
{
    uint32_t *mirrored;
    *whole = (pl_whole){0};
    PL_MAKE_NEW(mirrored, maker, scratch, uint32_t, patch->vertex_count);
    PL_MAKE_NEW(whole->positions, maker, scratch, pl_v3, 2 * (size_t)patch->vertex_count);
    PL_MAKE_NEW(whole->source, maker, scratch, uint32_t, 2 * (size_t)patch->vertex_count);
    PL_MAKE_NEW(whole->triangles, maker, scratch, uint32_t, 6 * (size_t)patch->triangle_count);
    PL_MAKE_NEW(whole->regions, maker, scratch, uint8_t, 2 * (size_t)patch->triangle_count);
    uint32_t count = patch->vertex_count;
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
    {
        whole->positions[v] = patch->positions[v];
        whole->source[v] = v;
        mirrored[v] = patch->bits[v] & PL_PATCH_PLANE ? v : count;
        if (mirrored[v] == count)
        {
            whole->positions[count] = v3_mirror(patch->positions[v]);
            whole->source[count++] = v;
        }
    }
    whole->vertex_count = count;
    whole->triangle_count = 2 * patch->triangle_count;
    for (uint32_t t = 0; t < patch->triangle_count; ++t)
    {
        const uint32_t *v = &patch->triangles[3 * t];
        uint32_t *left = &whole->triangles[3 * t];
        uint32_t *right = &whole->triangles[3 * (patch->triangle_count + t)];
        memcpy(left, v, 3 * sizeof *v);
        right[0] = mirrored[v[0]];
        right[1] = mirrored[v[2]];
        right[2] = mirrored[v[1]];
        whole->regions[t] = whole->regions[patch->triangle_count + t] = patch->regions[t];
    }
    return PLEAT_OK;
}

pleat_result pl_patch_alone(pl_maker *maker, const pl_patch *patch, pl_v3 shift, pl_whole *whole)
{
    *whole = (pl_whole){.vertex_count = patch->vertex_count, .triangle_count = patch->triangle_count};
    PL_MAKE_NEW(whole->positions, maker, scratch, pl_v3, patch->vertex_count);
    PL_MAKE_NEW(whole->source, maker, scratch, uint32_t, patch->vertex_count);
    whole->triangles = patch->triangles;
    whole->regions = patch->regions;
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
    {
        whole->positions[v] = v3_add(patch->positions[v], shift);
        whole->source[v] = v;
    }
    return PLEAT_OK;
}

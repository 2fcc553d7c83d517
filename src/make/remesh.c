/* Isotropic remeshing of a patch; see patch.h. Every pass visits corners or vertices in the order of their index, so
 * the result is the same on every run. */
#include "make/patch.h"

#include "pleat/mesh.h"

enum
{
    RING = 64 /* corners around a vertex; an operation that meets more leaves the place alone */
};

typedef struct remesher
{
    pl_patch *patch;
    const pl_remesh *desc;
    bool rough; /* vertices stay where they are: the raw surface is fine enough, and projecting it costs most */
} remesher;

static bool is_inner(const pl_patch *patch, uint32_t corner)
{
    return patch->twins[corner] < PLEAT_NON_MANIFOLD;
}

/* A border, or the line between two regions. */
static bool is_feature(const pl_patch *patch, uint32_t corner)
{
    return !is_inner(patch, corner) || patch->regions[corner / 3] != patch->regions[patch->twins[corner] / 3];
}

static uint32_t from_of(const pl_patch *patch, uint32_t corner)
{
    return patch->triangles[corner];
}

static uint32_t to_of(const pl_patch *patch, uint32_t corner)
{
    return patch->triangles[pl_next(corner)];
}

/* All corners at a vertex, in turning order where the border allows; 0 if there are too many. */
static uint32_t ring_of(const pl_patch *patch, uint32_t vertex, uint32_t ring[RING])
{
    uint32_t first = patch->corners[vertex];
    uint32_t count = 0;
    uint32_t corner = first;
    /* To the first corner of the fan, or once around. */
    while (is_inner(patch, corner))
    {
        corner = pl_next(patch->twins[corner]);
        if (corner == first)
        {
            break;
        }
    }
    first = corner;
    do
    {
        if (count == RING)
        {
            return 0;
        }
        ring[count++] = corner;
        corner = patch->twins[pl_prev(corner)];
    } while (corner < PLEAT_NON_MANIFOLD && corner != first);
    return count;
}

static pl_v3 triangle_normal(const pl_patch *patch, uint32_t triangle)
{
    const uint32_t *v = &patch->triangles[3 * triangle];
    pl_v3 a = patch->positions[v[0]];
    return v3_cross(v3_sub(patch->positions[v[1]], a), v3_sub(patch->positions[v[2]], a));
}

/* ---- Projection ---- */

/* Newton steps onto the surface and, for vertices with one, onto their curve, in turn. */
static pl_v3 project(const remesher *work, pl_v3 p, uint8_t bits)
{
    const pl_remesh *desc = work->desc;
    for (uint32_t step = 0; step < 4; ++step)
    {
        double largest = 0;
        for (uint32_t k = 0; k <= desc->curve_count; ++k)
        {
            if (k > 0 && !(bits & (1u << k)))
            {
                continue;
            }
            const pl_field *field = k ? &desc->curves[k - 1] : &desc->surface;
            double value = field->value(field->user, p) - (k ? 0 : desc->offset);
            if (fabs(value) < 1e-6)
            {
                continue;
            }
            pl_v3 gradient = pl_field_gradient(field, p);
            gradient.x = bits & PL_PATCH_PLANE ? 0 : gradient.x;
            double squared = v3_dot(gradient, gradient);
            double move = squared > 1e-6 ? pl_clamp(value / squared, -0.01, 0.01) : 0;
            p = v3_mad(p, -move, gradient);
            largest = fmax(largest, fabs(value));
        }
        if (largest == 0)
        {
            break;
        }
    }
    /* Off the plane, a vertex keeps clear of it: two mirror images must not meet. */
    p.x = bits & PL_PATCH_PLANE ? 0 : fmax(p.x, 0.0012);
    return p;
}

/* ---- Split ---- */

static void link(pl_patch *patch, uint32_t a, uint32_t b)
{
    if (a < PLEAT_NON_MANIFOLD)
    {
        patch->twins[a] = b;
    }
    if (b < PLEAT_NON_MANIFOLD)
    {
        patch->twins[b] = a;
    }
}

/* Puts vertex m on the edge of corner c, in its triangle alone: (a, b, x) becomes (a, m, x) and (m, b, x). Returns the
 * corner at m of the new triangle, whose edge m-b is left unlinked. */
static uint32_t split_side(pl_patch *patch, uint32_t c, uint32_t m)
{
    uint32_t n = pl_next(c), p = pl_prev(c);
    uint32_t b = patch->triangles[n], x = patch->triangles[p];
    uint32_t t = patch->triangle_count++;
    uint32_t *v = &patch->triangles[3 * t];
    v[0] = m;
    v[1] = b;
    v[2] = x;
    patch->regions[t] = patch->regions[c / 3];
    link(patch, 3 * t + 1, patch->twins[n]);
    if (patch->twins[n] >= PLEAT_NON_MANIFOLD)
    {
        patch->twins[3 * t + 1] = PLEAT_BOUNDARY;
    }
    patch->triangles[n] = m;
    link(patch, n, 3 * t + 2);
    patch->twins[3 * t] = PLEAT_BOUNDARY;
    patch->corners[b] = 3 * t + 1;
    patch->corners[x] = 3 * t + 2;
    return 3 * t;
}

static void split_edge(remesher *work, uint32_t c)
{
    pl_patch *patch = work->patch;
    uint32_t a = from_of(patch, c), b = to_of(patch, c);
    uint32_t twin = patch->twins[c];
    uint32_t m = patch->vertex_count++;
    patch->bits[m] = is_feature(patch, c) ? (uint8_t)(patch->bits[a] & patch->bits[b]) : 0;
    pl_v3 middle = v3_lerp(patch->positions[a], patch->positions[b], 0.5);
    patch->positions[m] = project(work, middle, patch->bits[m]);
    uint32_t far_half = split_side(patch, c, m);
    patch->corners[m] = far_half;
    if (twin < PLEAT_NON_MANIFOLD)
    {
        /* The twin runs b to a: its near half goes with our far half. */
        uint32_t near_half = split_side(patch, twin, m);
        link(patch, far_half, twin);
        link(patch, c, near_half);
    }
    else
    {
        patch->twins[c] = PLEAT_BOUNDARY;
    }
    patch->corners[a] = c;
}

static double wished(const remesher *work, pl_v3 p)
{
    return work->desc->edge_length(work->desc->edge_user, p);
}

static double edge_ratio(const remesher *work, uint32_t c)
{
    pl_v3 a = work->patch->positions[from_of(work->patch, c)], b = work->patch->positions[to_of(work->patch, c)];
    return v3_distance(a, b) / wished(work, v3_lerp(a, b, 0.5));
}

static void split_pass(remesher *work)
{
    pl_patch *patch = work->patch;
    uint32_t corner_count = 3 * patch->triangle_count;
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        bool first = !is_inner(patch, c) || c < patch->twins[c];
        bool room =
            patch->triangle_count + 2 <= patch->triangle_capacity && patch->vertex_count < patch->vertex_capacity;
        if (patch->triangles[c / 3 * 3] != PLEAT_NONE && first && room && edge_ratio(work, c) > 4.0 / 3)
        {
            split_edge(work, c);
        }
    }
}

/* ---- Collapse ---- */

/* A vertex where its curve turns sharply, or where curves meet: it stays. */
static bool is_sharp(const pl_patch *patch, uint32_t vertex)
{
    uint8_t bits = patch->bits[vertex];
    uint32_t ring[RING];
    pl_v3 ways[2];
    uint32_t found = 0, count = bits & (bits - 1) ? 0 : ring_of(patch, vertex, ring);
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t in = pl_prev(ring[i]);
        uint32_t ends[2] = {is_feature(patch, ring[i]) ? to_of(patch, ring[i]) : PLEAT_NONE,
                            is_inner(patch, in) ? PLEAT_NONE : from_of(patch, in)};
        for (uint32_t k = 0; k < 2; ++k)
        {
            if (ends[k] != PLEAT_NONE && found++ < 2)
            {
                ways[found - 1] = v3_unit(v3_sub(patch->positions[ends[k]], patch->positions[vertex]));
            }
        }
    }
    return found != 2 || v3_dot(ways[0], ways[1]) > -0.5;
}

/* Where the merged vertex goes, and on which curves it lies, if a may vanish into b; false if the curves forbid it. */
static bool merged_place(const remesher *work, uint32_t c, pl_v3 *place, uint8_t *bits)
{
    const pl_patch *patch = work->patch;
    uint32_t a = from_of(patch, c), b = to_of(patch, c);
    uint8_t abits = patch->bits[a], bbits = patch->bits[b];
    *bits = abits | bbits;
    if (abits && (!is_feature(patch, c) || (*bits != abits && *bits != bbits)))
    {
        return false;
    }
    bool asharp = abits && is_sharp(patch, a), bsharp = bbits && is_sharp(patch, b);
    if (asharp && bsharp)
    {
        return false;
    }
    *place = patch->positions[asharp || *bits != bbits ? a : b];
    if (!work->rough && abits == bbits && !asharp && !bsharp)
    {
        *place = project(work, v3_lerp(patch->positions[a], patch->positions[b], 0.5), abits);
    }
    return true;
}

/* The link condition, and the number of triangles that the two ends share. */
static bool link_condition(const pl_patch *patch, uint32_t c, const uint32_t *ring, uint32_t ring_count)
{
    uint32_t a = from_of(patch, c), b = to_of(patch, c);
    uint32_t other[RING];
    uint32_t other_count = ring_of(patch, b, other);
    if (!other_count)
    {
        return false;
    }
    uint32_t shared = 0;
    for (uint32_t i = 0; i < ring_count; ++i)
    {
        /* Neighbours of a: each corner's next vertex, and at the end of a fan its previous one. */
        uint32_t n[2] = {to_of(patch, ring[i]), PLEAT_NONE};
        n[1] = is_inner(patch, pl_prev(ring[i])) ? PLEAT_NONE : from_of(patch, pl_prev(ring[i]));
        for (uint32_t k = 0; k < 2; ++k)
        {
            bool found = false;
            for (uint32_t j = 0; j < other_count && n[k] != PLEAT_NONE && n[k] != b; ++j)
            {
                found =
                    found || (to_of(patch, other[j]) == n[k] && n[k] != a) || from_of(patch, pl_prev(other[j])) == n[k];
            }
            shared += found;
        }
    }
    return shared == (is_inner(patch, c) ? 2u : 1u);
}

/* No triangle around a vertex turns over, shrinks to nothing, or gets too long an edge when it moves to a place. */
static bool stays_fair(const remesher *work, const uint32_t *ring, uint32_t ring_count, uint32_t skip, pl_v3 place)
{
    const pl_patch *patch = work->patch;
    double longest = 4.0 / 3 * wished(work, place);
    for (uint32_t i = 0; i < ring_count; ++i)
    {
        uint32_t c = ring[i];
        uint32_t b = to_of(patch, c), d = from_of(patch, pl_prev(c));
        if (b == skip || d == skip)
        {
            continue;
        }
        pl_v3 pb = patch->positions[b], pd = patch->positions[d];
        pl_v3 before = triangle_normal(patch, c / 3);
        pl_v3 after = v3_cross(v3_sub(pb, place), v3_sub(pd, place));
        double length = v3_length(after);
        double longest_edge = fmax(v3_distance(pb, place), fmax(v3_distance(pd, place), v3_distance(pb, pd)));
        bool sliver = length < 0.15 * longest_edge * longest_edge;
        bool was_sliver = v3_length(before) < 0.15 * longest_edge * longest_edge;
        bool turned = v3_dot(before, after) < 0.5 * v3_length(before) * length;
        if (turned || (sliver && !was_sliver) || v3_distance(pb, place) > longest || v3_distance(pd, place) > longest)
        {
            return false;
        }
    }
    return true;
}

/* Takes the triangle of corner c (a, b, x) out: the twins of b-x and x-a become each other's. */
static void remove_triangle(pl_patch *patch, uint32_t c)
{
    uint32_t bx = patch->twins[pl_next(c)], xa = patch->twins[pl_prev(c)];
    uint32_t b = to_of(patch, c), x = from_of(patch, pl_prev(c));
    link(patch, bx, xa);
    if (bx < PLEAT_NON_MANIFOLD)
    {
        patch->corners[x] = bx; /* runs x to b */
        patch->corners[b] = pl_next(bx);
    }
    if (xa < PLEAT_NON_MANIFOLD)
    {
        patch->corners[x] = pl_next(xa); /* runs a to x */
        patch->corners[b] = xa;          /* a is b by now */
    }
    patch->triangles[c / 3 * 3] = PLEAT_NONE;
}

static bool collapse_edge(remesher *work, uint32_t c)
{
    pl_patch *patch = work->patch;
    uint32_t a = from_of(patch, c), b = to_of(patch, c);
    uint32_t twin = patch->twins[c];
    uint32_t ring[RING], other[RING];
    pl_v3 place;
    uint8_t bits;
    if (!merged_place(work, c, &place, &bits))
    {
        return false;
    }
    /* A triangle that hangs by this edge alone would leave b without one. */
    if (!is_inner(patch, pl_next(c)) && !is_inner(patch, pl_prev(c)))
    {
        return false;
    }
    if (is_inner(patch, c) && !is_inner(patch, pl_next(twin)) && !is_inner(patch, pl_prev(twin)))
    {
        return false;
    }
    uint32_t ring_count = ring_of(patch, a, ring);
    uint32_t other_count = ring_of(patch, b, other);
    if (!ring_count || !other_count || !link_condition(patch, c, ring, ring_count) ||
        !stays_fair(work, ring, ring_count, b, place) || !stays_fair(work, other, other_count, a, place))
    {
        return false;
    }
    for (uint32_t i = 0; i < ring_count; ++i)
    {
        patch->triangles[ring[i]] = b;
    }
    patch->positions[b] = place;
    patch->bits[b] = bits;
    patch->corners[a] = PLEAT_NONE;
    remove_triangle(patch, c);
    if (twin < PLEAT_NON_MANIFOLD)
    {
        remove_triangle(patch, twin);
    }
    return true;
}

static uint32_t collapse_pass(remesher *work, double below)
{
    pl_patch *patch = work->patch;
    uint32_t collapsed = 0;
    for (uint32_t c = 0; c < 3 * patch->triangle_count; ++c)
    {
        if (patch->triangles[c / 3 * 3] != PLEAT_NONE && edge_ratio(work, c) < below)
        {
            collapsed += collapse_edge(work, c);
        }
    }
    return collapsed;
}

/* ---- Flip ---- */

static int valence_error(const pl_patch *patch, uint32_t vertex, int change)
{
    uint32_t ring[RING];
    uint32_t count = ring_of(patch, vertex, ring);
    if (!count)
    {
        return 1000;
    }
    bool border = !is_inner(patch, ring[0]) || !is_inner(patch, pl_prev(ring[count - 1]));
    int valence = (int)count + (border ? 1 : 0) + change;
    int error = valence - (border ? 4 : 6);
    return error * error;
}

static bool are_neighbours(const pl_patch *patch, uint32_t a, uint32_t b)
{
    uint32_t ring[RING];
    uint32_t count = ring_of(patch, a, ring);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (to_of(patch, ring[i]) == b || from_of(patch, pl_prev(ring[i])) == b)
        {
            return true;
        }
    }
    return count == 0;
}

/* The turned edge must not fold the surface: both new triangles look the way both old ones did. */
static bool flip_is_fair(const pl_patch *patch, uint32_t a, uint32_t b, uint32_t x, uint32_t y)
{
    pl_v3 pa = patch->positions[a], pb = patch->positions[b], px = patch->positions[x], py = patch->positions[y];
    pl_v3 old = v3_add(v3_cross(v3_sub(pb, pa), v3_sub(px, pa)), v3_cross(v3_sub(py, pa), v3_sub(pb, pa)));
    pl_v3 one = v3_cross(v3_sub(py, pa), v3_sub(px, pa)), two = v3_cross(v3_sub(px, pb), v3_sub(py, pb));
    double length = v3_length(old), longest = v3_distance(px, py);
    double least = 0.15 * longest * longest;
    return v3_dot(old, one) > 0.7 * length * v3_length(one) && v3_dot(old, two) > 0.7 * length * v3_length(two) &&
           v3_length(one) > least && v3_length(two) > least;
}

static void flip_edge(remesher *work, uint32_t c)
{
    pl_patch *patch = work->patch;
    uint32_t d = patch->twins[c];
    uint32_t a = from_of(patch, c), b = to_of(patch, c);
    uint32_t x = from_of(patch, pl_prev(c)), y = from_of(patch, pl_prev(d));
    int before = valence_error(patch, a, 0) + valence_error(patch, b, 0) + valence_error(patch, x, 0) +
                 valence_error(patch, y, 0);
    int after = valence_error(patch, a, -1) + valence_error(patch, b, -1) + valence_error(patch, x, 1) +
                valence_error(patch, y, 1);
    if (after >= before || are_neighbours(patch, x, y) || !flip_is_fair(patch, a, b, x, y))
    {
        return;
    }
    /* (a, b, x) and (b, a, y) become (a, y, x) and (b, x, y). */
    uint32_t bx = patch->twins[pl_next(c)], xa = patch->twins[pl_prev(c)];
    uint32_t ay = patch->twins[pl_next(d)], yb = patch->twins[pl_prev(d)];
    uint32_t s = 3 * (c / 3), t = 3 * (d / 3);
    uint32_t one[3] = {a, y, x}, two[3] = {b, x, y};
    memcpy(&patch->triangles[s], one, sizeof one);
    memcpy(&patch->triangles[t], two, sizeof two);
    uint32_t outer[4][2] = {{s, ay}, {s + 2, xa}, {t, bx}, {t + 2, yb}};
    for (uint32_t i = 0; i < 4; ++i)
    {
        patch->twins[outer[i][0]] = PLEAT_BOUNDARY;
        link(patch, outer[i][0], outer[i][1]);
    }
    link(patch, s + 1, t + 1);
    patch->corners[a] = s;
    patch->corners[y] = s + 1;
    patch->corners[b] = t;
    patch->corners[x] = t + 1;
}

static void flip_pass(remesher *work)
{
    pl_patch *patch = work->patch;
    for (uint32_t c = 0; c < 3 * patch->triangle_count; ++c)
    {
        if (patch->triangles[c / 3 * 3] != PLEAT_NONE && !is_feature(patch, c) && c < patch->twins[c])
        {
            flip_edge(work, c);
        }
    }
}

/* ---- Relax ---- */

/* Where the neighbours want a vertex: their mean, weighted by the area that is too large for its place; along a curve
 * the mean of the two neighbours on it. False for corners. */
static bool wanted_place(const remesher *work, uint32_t vertex, pl_v3 *place, pl_v3 *normal)
{
    const pl_patch *patch = work->patch;
    uint8_t bits = patch->bits[vertex];
    uint32_t ring[RING];
    uint32_t count = ring_of(patch, vertex, ring);
    if (!count || (bits && is_sharp(patch, vertex)))
    {
        return false;
    }
    pl_v3 sum = v3(0, 0, 0);
    double total = 0;
    *normal = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t c = ring[i];
        pl_v3 b = patch->positions[to_of(patch, c)], d = patch->positions[from_of(patch, pl_prev(c))];
        if (bits)
        {
            double use_b = is_feature(patch, c) ? 1 : 0,
                   use_d = is_feature(patch, pl_prev(c)) && !is_inner(patch, pl_prev(c));
            sum = v3_mad(v3_mad(sum, use_b, b), use_d, d);
            total += use_b + use_d;
            continue;
        }
        pl_v3 cross = triangle_normal(patch, c / 3);
        pl_v3 middle = v3_scale(v3_add(v3_add(b, d), patch->positions[vertex]), 1.0 / 3);
        double wish = wished(work, middle);
        double weight = v3_length(cross) / (wish * wish);
        sum = v3_mad(sum, weight, middle);
        total += weight;
        *normal = v3_add(*normal, cross);
    }
    *place = v3_scale(sum, total > 0 ? 1 / total : 0);
    return total > 0 && (!bits || total == 2);
}

static void relax_pass(remesher *work)
{
    pl_patch *patch = work->patch;
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
    {
        pl_v3 place, normal;
        if (patch->corners[v] == PLEAT_NONE || !wanted_place(work, v, &place, &normal))
        {
            continue;
        }
        pl_v3 move = v3_sub(place, patch->positions[v]);
        if (!patch->bits[v])
        {
            normal = v3_unit(normal);
            move = v3_mad(move, -v3_dot(move, normal), normal);
        }
        pl_v3 p = project(work, v3_mad(patch->positions[v], 0.8, move), patch->bits[v]);
        uint32_t ring[RING];
        uint32_t count = ring_of(patch, v, ring);
        bool fair = true;
        for (uint32_t i = 0; i < count && fair; ++i)
        {
            pl_v3 before = triangle_normal(patch, ring[i] / 3);
            pl_v3 after = v3_cross(v3_sub(patch->positions[to_of(patch, ring[i])], p),
                                   v3_sub(patch->positions[from_of(patch, pl_prev(ring[i]))], p));
            fair = v3_dot(before, after) > 0 || v3_length(before) < 1e-12;
        }
        if (fair)
        {
            patch->positions[v] = p;
        }
    }
}

static void project_all(remesher *work)
{
    pl_patch *patch = work->patch;
    for (uint32_t v = 0; v < patch->vertex_count; ++v)
    {
        if (patch->corners[v] != PLEAT_NONE)
        {
            patch->positions[v] = project(work, patch->positions[v], patch->bits[v]);
        }
    }
}

pleat_result pl_patch_refine(pl_maker *maker, pl_patch *patch, const pl_remesh *desc)
{
    remesher work = {patch, desc, false};
    for (uint32_t round = 0; round < desc->rounds; ++round)
    {
        pl_patch old = *patch;
        old.triangle_capacity = patch->triangle_count * 5 / 4 + 4096;
        old.vertex_capacity = patch->vertex_count * 5 / 4 + 4096;
        PL_TRY(pl_patch_copy(maker, &old, patch));
        PL_TRY(pl_patch_connect(maker, patch));
        split_pass(&work);
    }
    return PLEAT_OK;
}

pleat_result pl_patch_remesh(pl_maker *maker, pl_patch *patch, const pl_remesh *desc)
{
    remesher work = {patch, desc, true};
    PL_TRY(pl_patch_connect(maker, patch));
    /* The raw surface is far too fine: most of it goes before anything else is worth its time. Growing thresholds keep
     * the triangles even while it shrinks. */
    for (double below = 0.3; below < 0.79; below += 0.1)
    {
        while (collapse_pass(&work, below) > patch->triangle_count / 50)
        {
        }
    }
    PL_TRY(pl_patch_keep(maker, patch, 0, 0));
    patch->triangle_capacity = 3 * patch->triangle_count + 4096;
    patch->vertex_capacity = 3 * patch->vertex_count + 4096;
    pl_patch old = *patch;
    PL_TRY(pl_patch_copy(maker, &old, patch));
    PL_TRY(pl_patch_connect(maker, patch));
    work.rough = false;
    project_all(&work);
    for (uint32_t round = 0; round < desc->rounds; ++round)
    {
        split_pass(&work);
        collapse_pass(&work, 0.8);
        flip_pass(&work);
        relax_pass(&work);
        relax_pass(&work);
    }
    flip_pass(&work);
    relax_pass(&work);
    project_all(&work);
    return pl_patch_keep(maker, patch, 0, 0);
}

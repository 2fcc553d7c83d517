/* Wrinkles as geometry: what is bound once, and the frame around the clusters of vertices.
 *
 * Deviations from sec. 4.2, and why. The kernel ends at the wrinkle's width (field/convolution.h), so that a wrinkle
 * touches nothing beyond and the sum over its segments is smooth; its sharpness is 1 / width, so that blending looks
 * the same for silk and leather. The skeleton lies in the cloth, not below: the depth comes from the weight, solved
 * such that a lone crest stands as high as it should after blending. Heights count half in the skeleton's field
 * (shape/profile.h). */
#include "layers/wrinkles/deform/deform.h"

#include "base/parallel.h"
#include "base/wide.h"
#include "layers/wrinkles/deform/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Depths over width of both ends together that are as good as none. */
static const float FLAT = 1e-4f;

struct pl_wrinkle_deform
{
    pl_memory memory;
    pl_wrinkle_deform_desc desc;
    pl_wrinkle_profile profile;
    pl_wrinkle_near near;
    uint32_t *vertex_triangle; /* #V, where vertices lie at rest */
    float *vertex_barycentric;
    uint32_t cluster_count;
    pl_wrinkle_cluster *clusters;         /* by triangle */
    uint32_t *first_cluster;              /* #T + 1 */
    pl_wrinkle_lanes *lanes;              /* vertices by cluster, eight by eight */
    pleat_vec4 *coarse;                   /* of the frame, as it came */
    pl_wrinkle_segment *segments;         /* by crest: from it to the next */
    float *capsules[2][PL_CAPSULE_PARTS]; /* by crest; one block */
    uint32_t active_count;
    uint32_t *active;          /* clusters with a wrinkle near */
    pl_wrinkle_tally *tallies; /* by active cluster */
    pl_wrinkle_deform_figures figures;
};

pl_wrinkle_deform_desc pl_wrinkle_deform_desc_default(void)
{
    return (pl_wrinkle_deform_desc){.slide = true, .lean = true};
}

/* ---- Clusters ---- */

/* A vertex and where it is: its triangle, and a place in its plane. */
typedef struct ordered
{
    uint32_t triangle, vertex;
    float at[2];
} ordered;

static int by_vertex(const ordered *x, const ordered *y)
{
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static int by_triangle(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    return x->triangle != y->triangle ? (x->triangle < y->triangle ? -1 : 1) : by_vertex(x, y);
}

static int by_first(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    return x->at[0] != y->at[0] ? (x->at[0] < y->at[0] ? -1 : 1) : by_vertex(x, y);
}

static int by_second(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    return x->at[1] != y->at[1] ? (x->at[1] < y->at[1] ? -1 : 1) : by_vertex(x, y);
}

/* In the plane of its triangle at rest, or without a rest shape by barycentric coordinates. */
static void place_in_plane(const pl_wrinkle_deform *deform, ordered *place)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    const float *barycentric = &deform->vertex_barycentric[3 * (size_t)place->vertex];
    place->at[0] = isfinite(barycentric[1]) ? barycentric[1] : 0;
    place->at[1] = isfinite(barycentric[2]) ? barycentric[2] : 0;
    if (desc->coarse_rest)
    {
        const uint32_t *corner = &desc->coarse->triangles[3 * (size_t)place->triangle];
        pl_f4 from = pl_load(&desc->coarse_rest[corner[0]]);
        pl_f4 u = pl_load(&desc->coarse_rest[corner[1]]) - from, v = pl_load(&desc->coarse_rest[corner[2]]) - from;
        pl_f4 along = pl_normalize3(u), aside = v - along * pl_splat(pl_dot3(along, v));
        place->at[0] = place->at[0] * pl_length3(u) + place->at[1] * pl_dot3(along, v);
        place->at[1] *= pl_length3(aside);
    }
}

/* Halves the vertices of a triangle across the longer way, again and again, in whole clusters and then in whole eights:
 * neighbours in the order are neighbours on the cloth. */
static void halve(ordered *places, uint32_t count)
{
    while (count > 8)
    {
        float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        for (uint32_t i = 0; i < count; ++i)
        {
            for (int k = 0; k < 2; ++k)
            {
                low[k] = fminf(low[k], places[i].at[k]);
                high[k] = fmaxf(high[k], places[i].at[k]);
            }
        }
        qsort(places, count, sizeof *places, high[0] - low[0] > high[1] - low[1] ? by_first : by_second);
        uint32_t unit = count > PL_CLUSTER_SIZE ? PL_CLUSTER_SIZE : 8, half = (count / 2 + unit / 2) / unit * unit;
        half = half < unit ? unit : half;
        halve(places, half);
        places += half;
        count -= half;
    }
}

static bool is_free(const pl_wrinkle_deform *deform, uint32_t v)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    return deform->vertex_triangle[v] < desc->coarse->triangle_count && (!desc->mask || desc->mask[v] > 0);
}

/* Cuts the order where the triangle changes and every so many vertices. clusters may be NULL: only counts. Returns how
 * many clusters; *eights: how many lanes they take. */
static uint32_t cut(const ordered *places, uint32_t count, pl_wrinkle_cluster *clusters, uint32_t *eights)
{
    uint32_t made = 0, first = 0;
    *eights = 0;
    for (uint32_t i = 1; i <= count; ++i)
    {
        if (i == count || places[i].triangle != places[first].triangle || i - first == PL_CLUSTER_SIZE)
        {
            if (clusters)
            {
                clusters[made] =
                    (pl_wrinkle_cluster){.first = *eights, .count = i - first, .triangle = places[first].triangle};
            }
            ++made;
            *eights += (i - first + 7) / 8;
            first = i;
        }
    }
    return count > 0 ? made : 0;
}

/* The vertices of a cluster, eight by eight. */
static void fill_lanes(pl_wrinkle_deform *deform, const pl_wrinkle_cluster *cluster, const ordered *places)
{
    for (uint32_t i = 0; i < (cluster->count + 7) / 8 * 8; ++i)
    {
        uint32_t v = places[i < cluster->count ? i : i / 8 * 8].vertex;
        pl_wrinkle_lanes *lanes = &deform->lanes[cluster->first + i / 8];
        lanes->vertex[i % 8] = v;
        lanes->mask[i % 8] = deform->desc.mask ? fminf(deform->desc.mask[v], 1) : 1;
        for (int k = 0; k < 3; ++k)
        {
            lanes->barycentric[k][i % 8] = deform->vertex_barycentric[3 * (size_t)v + (size_t)k];
        }
    }
}

/* The ball around a cluster at rest. */
static void find_rest_ball(const pl_wrinkle_deform *deform, const ordered *places, pl_wrinkle_cluster *cluster)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY), point;
    for (int round = 0; round < 2; ++round)
    {
        for (uint32_t i = 0; i < cluster->count; ++i)
        {
            point = pl_place_position(desc->coarse->triangles, desc->coarse_rest, cluster->triangle,
                                      &deform->vertex_barycentric[3 * (size_t)places[i].vertex]);
            low = pl_min(low, point);
            high = pl_max(high, point);
            cluster->rest_radius =
                fmaxf(cluster->rest_radius, round ? 1.0001f * pl_length3(point - cluster->rest_center) : 0);
        }
        cluster->rest_center = (low + high) * pl_splat(0.5f);
    }
}

static pleat_result make_clusters(pl_wrinkle_deform *deform, pleat_error *error)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    pleat_result result = PLEAT_OK;
    ordered *places = PL_NEW(&deform->memory, ordered, desc->vertex_count);
    uint32_t count = 0, eights;
    if (!places)
    {
        return pl_fail_memory(&deform->memory, error, "the order of vertices");
    }
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        if (is_free(deform, v))
        {
            places[count] = (ordered){.triangle = deform->vertex_triangle[v], .vertex = v};
            place_in_plane(deform, &places[count++]);
        }
    }
    qsort(places, count, sizeof *places, by_triangle);
    for (uint32_t first = 0, end = 0; first < count; first = end)
    {
        while (end < count && places[end].triangle == places[first].triangle)
        {
            ++end;
        }
        halve(places + first, end - first);
    }
    deform->cluster_count = cut(places, count, NULL, &eights);
    PL_NEW_OR_FAIL(deform->lanes, &deform->memory, pl_wrinkle_lanes, eights, error);
    PL_NEW_OR_FAIL(deform->clusters, &deform->memory, pl_wrinkle_cluster, deform->cluster_count, error);
    PL_NEW_OR_FAIL(deform->active, &deform->memory, uint32_t, deform->cluster_count, error);
    PL_NEW_OR_FAIL(deform->tallies, &deform->memory, pl_wrinkle_tally, deform->cluster_count, error);
    PL_NEW_OR_FAIL(deform->first_cluster, &deform->memory, uint32_t, (size_t)desc->coarse->triangle_count + 1, error);
    cut(places, count, deform->clusters, &eights);
    for (uint32_t c = 0, first = 0; c < deform->cluster_count; first += deform->clusters[c++].count)
    {
        fill_lanes(deform, &deform->clusters[c], places + first);
        if (desc->coarse_rest)
        {
            find_rest_ball(deform, places + first, &deform->clusters[c]);
        }
    }
    for (uint32_t t = 0, c = 0; t <= desc->coarse->triangle_count; ++t)
    {
        while (c < deform->cluster_count && deform->clusters[c].triangle < t)
        {
            ++c;
        }
        deform->first_cluster[t] = c;
    }
fail:
    pl_free(&deform->memory, places);
    return result;
}

/* Moves the places of vertices to where they lie at rest. */
static void place_vertices(pl_wrinkle_deform *deform)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    for (uint32_t v = 0; v < desc->vertex_count; ++v)
    {
        if (deform->vertex_triangle[v] < desc->coarse->triangle_count)
        {
            pl_place_nearby(desc->coarse, desc->coarse_rest, pl_load(&desc->rest[v]), &deform->vertex_triangle[v],
                            &deform->vertex_barycentric[3 * (size_t)v]);
        }
    }
}

/* ---- Life ---- */

static pleat_result fill(pl_wrinkle_deform *deform, pleat_error *error)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    pleat_result result = PLEAT_OK;
    PL_TRY(pl_wrinkle_near_init(&deform->near, desc->coarse, desc->wrinkle_capacity, desc->point_capacity,
                                &deform->memory, error));
    PL_NEW_OR_FAIL(deform->segments, &deform->memory, pl_wrinkle_segment, deform->near.crest_capacity, error);
    size_t room = (size_t)deform->near.crest_capacity + 8;
    PL_NEW_OR_FAIL(deform->capsules[0][0], &deform->memory, float, 2 * PL_CAPSULE_PARTS * room, error);
    for (size_t part = 0; part < 2 * PL_CAPSULE_PARTS; ++part)
    {
        deform->capsules[part / PL_CAPSULE_PARTS][part % PL_CAPSULE_PARTS] = deform->capsules[0][0] + part * room;
    }
    PL_NEW_OR_FAIL(deform->coarse, &deform->memory, pleat_vec4, desc->coarse->vertex_count, error);
    PL_NEW_OR_FAIL(deform->vertex_triangle, &deform->memory, uint32_t, desc->vertex_count, error);
    PL_NEW_OR_FAIL(deform->vertex_barycentric, &deform->memory, float, 3 * (size_t)desc->vertex_count, error);
    memcpy(deform->vertex_triangle, desc->vertex_triangle, desc->vertex_count * sizeof *deform->vertex_triangle);
    memcpy(deform->vertex_barycentric, desc->vertex_barycentric,
           3 * (size_t)desc->vertex_count * sizeof *deform->vertex_barycentric);
    if (desc->coarse_rest && desc->rest)
    {
        place_vertices(deform);
    }
    pl_wrinkle_profile_make(&deform->profile);
    return make_clusters(deform, error);
fail:
    return result;
}

pleat_result pl_wrinkle_deform_create(const pl_wrinkle_deform_desc *desc, const pleat_host *host,
                                      pl_wrinkle_deform **deform, pleat_error *error)
{
    *deform = NULL;
    if (!desc->coarse || (desc->vertex_count > 0 && (!desc->vertex_triangle || !desc->vertex_barycentric)))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT,
                       "a deformer of wrinkles needs coarse, vertex_triangle and "
                       "vertex_barycentric");
    }
    pl_wrinkle_deform *made = PL_CREATE(pl_wrinkle_deform, host);
    if (!made)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "no memory for the deformer of wrinkles");
    }
    made->desc = *desc;
    pleat_result result = fill(made, error);
    if (result != PLEAT_OK)
    {
        pl_wrinkle_deform_destroy(made);
        return result;
    }
    *deform = made;
    return PLEAT_OK;
}

void pl_wrinkle_deform_destroy(pl_wrinkle_deform *deform)
{
    if (!deform)
    {
        return;
    }
    pl_wrinkle_near_free(&deform->near);
    pl_free(&deform->memory, deform->vertex_triangle);
    pl_free(&deform->memory, deform->vertex_barycentric);
    pl_free(&deform->memory, deform->clusters);
    pl_free(&deform->memory, deform->first_cluster);
    pl_free(&deform->memory, deform->lanes);
    pl_free(&deform->memory, deform->coarse);
    pl_free(&deform->memory, deform->segments);
    pl_free(&deform->memory, deform->capsules[0][0]);
    pl_free(&deform->memory, deform->active);
    pl_free(&deform->memory, deform->tallies);
    PL_DESTROY(deform);
}

uint32_t pl_wrinkle_deform_place(const pl_wrinkle_deform *deform, uint32_t vertex, const float **barycentric)
{
    *barycentric = &deform->vertex_barycentric[3 * (size_t)vertex];
    return deform->vertex_triangle[vertex];
}

/* ---- Frames ---- */

/* Which way a crest bends over: across it, to the lower side; none for one that runs the way that cloth would fall.
 * Neighbours that run alike lean alike, and nothing depends on which way a curve was traced. */
static pl_f4 lean_of(pl_f4 axis, pl_f4 normal, float depth)
{
    const pl_f4 fall = pl_set(0.25f, -0.95f, 0.18f, 0);
    pl_f4 across = pl_normalize3(pl_cross(normal, axis));
    float side = fminf(fmaxf(4 * pl_dot3(across, fall), -1), 1);
    return across * pl_splat(side * pl_wrinkle_lean(depth));
}

static void make_segment(const pl_crest *a, const pl_crest *b, bool lean, pl_wrinkle_segment *segment)
{
    pl_f4 way = b->position - a->position;
    float length = pl_length3(way), width = 0.5f * (a->width + b->width);
    float depth[2] = {fabsf(a->depth) / width, fabsf(b->depth) / width};
    if (!(length > 1e-6f * width) || !(width > 0) || !(depth[0] + depth[1] > FLAT) || !isfinite(length))
    {
        return;
    }
    float weight[2] = {pl_wrinkle_weight(depth[0]), pl_wrinkle_weight(depth[1])};
    *segment = (pl_wrinkle_segment){.from = a->position,
                                    .axis = way * pl_splat(1 / length),
                                    .normal = pl_normalize3(a->smooth + b->smooth),
                                    .rest = a->rest,
                                    .rest_axis = pl_normalize3(b->rest - a->rest),
                                    .rest_length = pl_length3(b->rest - a->rest),
                                    .rest_width = 0.5f * (a->rest_width + b->rest_width),
                                    .length = length,
                                    .width = width,
                                    .inverse = 1 / width,
                                    .weight = weight[0],
                                    .rise = (weight[1] - weight[0]) / length * width,
                                    .depth = fminf(0.5f * (depth[0] + depth[1]), PL_WRINKLE_DEEPEST),
                                    .inward = a->depth + b->depth < 0};
    segment->lean = lean ? lean_of(segment->axis, segment->normal, segment->depth) : pl_splat(0);
}

/* Skeletons between crests; one without length, width or depth stays zero and is passed over. */
static void make_segments(pl_wrinkle_deform *deform)
{
    const pl_wrinkle_near *near = &deform->near;
    for (uint32_t w = 0; w < near->wrinkle_count; ++w)
    {
        for (uint32_t i = near->first[w]; i < near->first[w + 1]; ++i)
        {
            const pl_crest *a = &near->crests[i], *b = a + 1;
            pl_wrinkle_segment *segment = &deform->segments[i];
            *segment = (pl_wrinkle_segment){0};
            if (i + 1 < near->first[w + 1])
            {
                make_segment(a, b, deform->desc.lean, segment);
            }
            pl_wrinkle_capsule_put(segment, deform->capsules, i);
        }
    }
}

static void find_active(pl_wrinkle_deform *deform)
{
    const pl_wrinkle_near *near = &deform->near;
    deform->active_count = 0;
    for (uint32_t i = 0; i < near->touched_count; ++i)
    {
        uint32_t t = near->touched[i];
        for (uint32_t c = deform->first_cluster[t]; c < deform->first_cluster[t + 1]; ++c)
        {
            deform->active[deform->active_count++] = c;
        }
    }
}

typedef struct work
{
    pl_wrinkle_deform *deform;
    pl_wrinkle_cluster_job job;
    pl_wrinkle_cluster_kernel *run;
} work;

static pl_wrinkle_cluster_kernel *choose_kernel(void)
{
#ifdef PL_HAVE_AVX2
    if (pl_has_avx2())
    {
        return pl_wrinkle_cluster_run_avx2;
    }
#endif
    return pl_wrinkle_cluster_run_base;
}

static void run_clusters(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    (void)worker;
    work *w = data;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t c = w->deform->active[i];
        w->deform->tallies[i] = w->run(&w->job, &w->deform->clusters[c]);
    }
}

static void add_up(pl_wrinkle_deform *deform)
{
    pl_wrinkle_deform_figures *figures = &deform->figures;
    uint64_t steps = 0, solved = 0;
    *figures = (pl_wrinkle_deform_figures){.left_out = deform->near.left_out};
    for (uint32_t i = 0; i < deform->active_count; ++i)
    {
        const pl_wrinkle_tally *tally = &deform->tallies[i];
        figures->moved += tally->moved;
        figures->left_out += tally->left_out;
        figures->most_steps = tally->most_steps > figures->most_steps ? tally->most_steps : figures->most_steps;
        figures->highest = fmaxf(figures->highest, tally->highest);
        steps += tally->steps;
        solved += tally->solved;
    }
    figures->mean_steps = solved > 0 ? (float)((double)steps / (double)solved) : 0;
}

void pl_wrinkle_deform_update(pl_wrinkle_deform *deform, const pl_wrinkle_deform_frame *frame)
{
    const pl_wrinkle_deform_desc *desc = &deform->desc;
    pl_wrinkle_near_frame at = {.positions = frame->coarse,
                                .rest = desc->coarse_rest,
                                .wrinkle_count = frame->wrinkle_count,
                                .wrinkles = frame->wrinkles,
                                .points = frame->points,
                                .extend = true};
    pl_wrinkle_near_build(&deform->near, &at);
    make_segments(deform);
    find_active(deform);
    if (deform->active_count > 0)
    {
        /* The first of positions may be the coarse ones, which all threads read. */
        memcpy(deform->coarse, frame->coarse, desc->coarse->vertex_count * sizeof *deform->coarse);
        work w = {.deform = deform,
                  .run = choose_kernel(),
                  .job = {.near = &deform->near,
                          .segments = deform->segments,
                          .profile = &deform->profile,
                          .lanes = deform->lanes,
                          .triangles = desc->coarse->triangles,
                          .coarse = deform->coarse,
                          .rest = desc->coarse_rest,
                          .soundness = frame->soundness,
                          .slide = desc->slide,
                          .positions = frame->positions,
                          .normals = frame->normals}};
        memcpy(w.job.capsules, deform->capsules, sizeof w.job.capsules);
        pl_parallel_for(frame->tasks, deform->active_count, 8, run_clusters, &w);
    }
    add_up(deform);
}

pl_wrinkle_deform_figures pl_wrinkle_deform_last(const pl_wrinkle_deform *deform)
{
    return deform->figures;
}

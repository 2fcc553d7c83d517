#include "support/volume_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The judge ---- */

typedef struct edge
{
    uint32_t low, high, from, to;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    return x->low != y->low ? (x->low > y->low) - (x->low < y->low) : (x->high > y->high) - (x->high < y->high);
}

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
    {
        v = parent[v] = parent[parent[v]];
    }
    return v;
}

static long double six_times(const pleat_vec4 *a, const pleat_vec4 *b, const long double c[3])
{
    long double x = (long double)a->y * (long double)b->z - (long double)a->z * (long double)b->y;
    long double y = (long double)a->z * (long double)b->x - (long double)a->x * (long double)b->z;
    long double z = (long double)a->x * (long double)b->y - (long double)a->y * (long double)b->x;
    return x * c[0] + y * c[1] + z * c[2];
}

void volume_judge(uint32_t vertex_count, const pleat_vec4 *p, uint32_t triangle_count, const uint32_t *triangles,
                  double *volume, uint32_t *piece)
{
    edge *edges = malloc(3 * (size_t)triangle_count * sizeof *edges);
    uint32_t *next = malloc(vertex_count * sizeof *next), *parent = malloc(vertex_count * sizeof *parent);
    long double *sum = calloc(vertex_count, sizeof *sum);
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        parent[v] = v;
        next[v] = UINT32_MAX;
    }
    for (uint32_t c = 0; c < 3 * triangle_count; ++c)
    {
        uint32_t a = triangles[c], b = triangles[c % 3 == 2 ? c - 2 : c + 1];
        edges[c] = (edge){a < b ? a : b, a < b ? b : a, a, b};
        parent[root_of(parent, a)] = root_of(parent, b);
    }
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        const pleat_vec4 *c = &p[triangles[3 * t + 2]];
        const long double last[3] = {(long double)c->x, (long double)c->y, (long double)c->z};
        sum[root_of(parent, triangles[3 * t])] += six_times(&p[triangles[3 * t]], &p[triangles[3 * t + 1]], last);
    }
    qsort(edges, 3 * (size_t)triangle_count, sizeof *edges, compare_edges);
    for (uint32_t e = 0; e < 3 * triangle_count;)
    {
        bool pair = e + 1 < 3 * triangle_count && compare_edges(&edges[e], &edges[e + 1]) == 0;
        if (!pair)
        {
            next[edges[e].to] = edges[e].from; /* turned round */
        }
        e += pair ? 2 : 1;
    }
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        long double mean[3] = {0, 0, 0};
        uint32_t count = 0, at = v;
        for (; next[at] != UINT32_MAX && (count == 0 || at != v); at = next[at], ++count)
        {
            mean[0] += (long double)p[at].x;
            mean[1] += (long double)p[at].y;
            mean[2] += (long double)p[at].z;
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            long double centre[3] = {mean[0] / count, mean[1] / count, mean[2] / count};
            uint32_t to = next[at];
            sum[root_of(parent, v)] += six_times(&p[at], &p[to], centre);
            next[at] = UINT32_MAX;
            at = to;
        }
    }
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        volume[v] = (double)(sum[v] / 6);
        piece[v] = root_of(parent, v);
    }
    free(sum);
    free(parent);
    free(next);
    free(edges);
}

/* ---- A stack with the layer on it ---- */

uint32_t volume_node(const pleat_model *model, const char *mesh)
{
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (model->nodes[n].mesh != PLEAT_NONE && strcmp(model->meshes[model->nodes[n].mesh].name, mesh) == 0)
        {
            return n;
        }
    }
    fail_msg("no mesh %s", mesh);
    return 0;
}

volume_rig volume_rig_of(const pleat_model *model, uint32_t node, uint32_t clip, const pleat_volume_options *options,
                         const float *mask, const pleat_host *host)
{
    volume_rig r = {.model = model, .clip = clip == PLEAT_NONE ? NULL : &model->clips[clip]};
    pleat_layer_desc layer = {&pleat_volume_layer, options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    desc.model = model;
    desc.node = node;
    desc.layer_count = options ? 1 : 0;
    desc.layers = &layer;
    desc.mask = mask;
    pleat_error error = {0};
    if (pleat_stack_create(&desc, host, &r.stack, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    assert_int_equal(pleat_pose_create(model, host, &r.pose, NULL), PLEAT_OK);
    r.shape = pleat_stack_get_shape(r.stack);
    r.rest = malloc(r.shape->surface_count * sizeof *r.rest);
    r.now = malloc(r.shape->surface_count * sizeof *r.now);
    r.piece = malloc(r.shape->surface_count * sizeof *r.piece);
    volume_judge(r.shape->surface_count, r.shape->rest, r.shape->triangle_count, r.shape->surface_triangles, r.rest,
                 r.piece);
    return r;
}

pleat_made *volume_characters[3];

int volume_make_characters(void **state)
{
    static const char *const names[3] = {"arm", "hand", "belly"};
    pleat_make_options make = pleat_make_options_default();
    (void)state;
    make.arm_around = 24;
    make.arm_along = 80;
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pleat_make(names[i], &make, NULL, &volume_characters[i], NULL), PLEAT_OK);
    }
    return 0;
}

int volume_free_characters(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        pleat_made_destroy(volume_characters[i]);
    }
    return 0;
}

volume_rig volume_rig_named(const char *name, const char *mesh, uint32_t clip, const pleat_volume_options *options)
{
    const pleat_model *model = pleat_made_model(volume_characters[name[0] == 'a' ? 0 : name[0] == 'h' ? 1 : 2]);
    return volume_rig_of(model, volume_node(model, mesh), clip, options, NULL, NULL);
}

void volume_rig_free(volume_rig *r)
{
    free(r->rest);
    free(r->now);
    free(r->piece);
    pleat_stack_destroy(r->stack);
    pleat_pose_destroy(r->pose);
    pleat_made_destroy(r->made);
}

const pleat_vec4 *volume_update(volume_rig *r, float time)
{
    pleat_pose_sample(r->pose, r->clip, time);
    pleat_stack_input input = {.pose = r->pose, .time = time, .tasks = r->tasks};
    pleat_stack_update(r->stack, &input);
    return pleat_stack_positions(r->stack);
}

double volume_worst_error(volume_rig *r, const pleat_vec4 *positions, double factor, double least)
{
    double worst = 0;
    volume_judge(r->shape->surface_count, positions, r->shape->triangle_count, r->shape->surface_triangles, r->now,
                 r->piece);
    for (uint32_t v = 0; v < r->shape->surface_count; ++v)
    {
        if (fabs(r->rest[v]) > least)
        {
            worst = fmax(worst, fabs(r->now[v] / (r->rest[v] * factor) - 1));
        }
    }
    return worst;
}

double volume_figure(const volume_rig *r, const char *wanted)
{
    const char *name;
    double value;
    for (uint32_t i = 0; pleat_stack_figure(r->stack, 0, i, &name, &value); ++i)
    {
        if (strcmp(name, wanted) == 0)
        {
            return value;
        }
    }
    fail_msg("no figure %s", wanted);
    return 0;
}

/* Garments over each other: folds of the lower one do not come through the upper one, and nothing else changes. Judged
 * by rays of Embree from every vertex of the lower garment that the upper one covers at rest. */
#include "judge_embree.h"
#include "support/folded.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979

/* A tube along x about the bone, or a strip of one. */
typedef struct tube
{
    float radius, from, to;
    uint32_t around, along;
    float spread; /* degrees around, from y on to both sides; 360: closed */
    float inner;  /* above 0: a second side that far inside, and rims: a solid */
    bool rigid;   /* follows the first bone alone */
} tube;

enum
{
    TUBES = 4,
    KEYS = 21
};

typedef struct outfit
{
    uint32_t tube_count;
    pleat_primitive primitives[TUBES];
    pleat_mesh meshes[TUBES];
    pleat_node nodes[3 + TUBES];
    pleat_skin skins[TUBES];
    uint32_t joints[2], order[3 + TUBES];
    pleat_affine binds[TUBES][2];
    pleat_channel channel;
    float times[KEYS], turns[4 * KEYS];
    pleat_clip clip;
    pleat_model model;
    pleat_vec3 *positions[TUBES];
    uint32_t *triangles[TUBES];
    uint16_t *vertex_joints[TUBES];
    float *weights[TUBES];
    uint32_t first_vertex[TUBES + 1]; /* of tubes, where all are one mesh */
} outfit;

static double step_up(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

static void add_vertex(outfit *o, uint32_t mesh, const tube *t, double x, double turn, double radius)
{
    pleat_primitive *p = &o->primitives[mesh];
    uint32_t v = p->vertex_count++;
    double r = radius * (1 - 0.25 * x), second = t->rigid ? 0 : step_up((x + 0.06) / 0.12);
    o->positions[mesh][v] = (pleat_vec3){(float)x, (float)(r * cos(turn)), (float)(r * sin(turn))};
    o->vertex_joints[mesh][4 * v + 1] = 1;
    o->weights[mesh][4 * v] = (float)(1 - second);
    o->weights[mesh][4 * v + 1] = (float)second;
}

static void add_quad(outfit *o, uint32_t mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    pleat_primitive *p = &o->primitives[mesh];
    memcpy(o->triangles[mesh] + 3 * (size_t)p->triangle_count, (uint32_t[6]){a, b, c, a, c, d}, 6 * sizeof a);
    p->triangle_count += 2;
}

static void add_side(outfit *o, uint32_t mesh, const tube *t, double radius, bool inwards)
{
    uint32_t begin = o->primitives[mesh].vertex_count, columns = t->spread < 360 ? t->around + 1 : t->around;
    for (uint32_t i = 0; i < (t->along + 1) * columns; ++i)
    {
        double part = (double)(i % columns) / t->around, x = (double)(t->to - t->from) * (i / columns) / t->along;
        double turn = (double)t->spread * (t->spread < 360 ? part - 0.5 : part) * PI / 180;
        add_vertex(o, mesh, t, (double)t->from + x, turn, radius);
    }
    for (uint32_t q = 0; q < t->along * t->around; ++q)
    {
        uint32_t row = begin + q / t->around * columns, a = row + q % t->around,
                 b = row + (q % t->around + 1) % columns;
        if (inwards)
        {
            add_quad(o, mesh, a, a + columns, b + columns, b);
        }
        else
        {
            add_quad(o, mesh, a, b, b + columns, a + columns);
        }
    }
}

static void add_tube(outfit *o, uint32_t mesh, const tube *t)
{
    size_t vertices = o->primitives[mesh].vertex_count + 2 * (size_t)(t->along + 1) * (t->around + 1);
    size_t triangles = o->primitives[mesh].triangle_count + 4 * (size_t)(t->along + 2) * t->around;
    o->positions[mesh] = realloc(o->positions[mesh], vertices * sizeof(pleat_vec3));
    o->triangles[mesh] = realloc(o->triangles[mesh], 3 * triangles * sizeof(uint32_t));
    o->vertex_joints[mesh] = realloc(o->vertex_joints[mesh], 4 * vertices * sizeof(uint16_t));
    o->weights[mesh] = realloc(o->weights[mesh], 4 * vertices * sizeof(float));
    uint32_t begin = o->primitives[mesh].vertex_count, side = (t->along + 1) * t->around;
    memset(o->vertex_joints[mesh] + 4 * (size_t)begin, 0, 4 * (vertices - begin) * sizeof(uint16_t));
    memset(o->weights[mesh] + 4 * (size_t)begin, 0, 4 * (vertices - begin) * sizeof(float));
    add_side(o, mesh, t, (double)t->radius, false);
    if (t->inner > 0)
    {
        add_side(o, mesh, t, (double)(t->radius - t->inner), true);
        for (uint32_t i = 0; i < t->around; ++i)
        {
            uint32_t a = begin + i, b = begin + (i + 1) % t->around, last = t->along * t->around;
            add_quad(o, mesh, a, a + side, b + side, b);
            add_quad(o, mesh, a + last, b + last, b + last + side, a + last + side);
        }
    }
}

static void finish_mesh(outfit *o, uint32_t mesh)
{
    static const char *const names[TUBES] = {"lower", "upper", "third", "fourth"};
    pleat_primitive *p = &o->primitives[mesh];
    p->positions = o->positions[mesh];
    p->triangles = o->triangles[mesh];
    p->influence_count = 4;
    p->joints = o->vertex_joints[mesh];
    p->weights = o->weights[mesh];
    p->material = PLEAT_NONE;
    o->meshes[mesh] = (pleat_mesh){.name = names[mesh], .primitive_count = 1, .primitives = p};
    /* Every mesh has a skin of its own, bound at another place. */
    float aside = (float)mesh;
    for (uint32_t v = 0; v < p->vertex_count; ++v)
    {
        o->positions[mesh][v].z += aside;
    }
    for (uint32_t j = 0; j < 2; ++j)
    {
        o->binds[mesh][j] = (pleat_affine){{{1, 0, 0, j ? 0 : 0.3f}, {0, 1, 0, 0}, {0, 0, 1, -aside}}};
    }
    o->skins[mesh] = (pleat_skin){"", 2, o->joints, o->binds[mesh]};
    pleat_node *node = &o->nodes[3 + mesh];
    *node = pleat_node_default();
    node->name = names[mesh];
    node->mesh = node->skin = mesh;
}

/* Bends up to 90 degrees in frames 0 .. 20. */
static outfit *outfit_make(uint32_t tube_count, const tube *tubes, bool one_mesh)
{
    outfit *o = calloc(1, sizeof *o);
    uint32_t meshes = one_mesh ? 1 : tube_count;
    o->tube_count = tube_count;
    for (uint32_t i = 0; i < tube_count; ++i)
    {
        add_tube(o, one_mesh ? 0 : i, &tubes[i]);
        o->first_vertex[i + 1] = o->primitives[0].vertex_count;
    }
    for (uint32_t i = 0; i < meshes; ++i)
    {
        finish_mesh(o, i);
    }
    static const char *const names[] = {"root", "first", "second"};
    for (uint32_t n = 0; n < 3; ++n)
    {
        o->nodes[n] = pleat_node_default();
        o->nodes[n].name = names[n];
        o->nodes[n].parent = n ? n - 1 : PLEAT_NONE;
        o->nodes[n].local.translation.x = n == 1 ? -0.3f : n == 2 ? 0.3f : 0;
    }
    o->joints[0] = 1;
    o->joints[1] = 2;
    for (uint32_t n = 0; n < 3 + meshes; ++n)
    {
        o->order[n] = n;
    }
    for (uint32_t k = 0; k < KEYS; ++k)
    {
        double half = PI / 4 * k / (KEYS - 1);
        o->times[k] = (float)k / 30;
        memcpy(&o->turns[4 * k], (float[4]){0, 0, (float)sin(half), (float)cos(half)}, 4 * sizeof o->turns[0]);
    }
    o->channel = (pleat_channel){2, PLEAT_ROTATION, PLEAT_LINEAR, KEYS, 4, o->times, o->turns};
    o->clip = pleat_clip_default();
    o->clip.name = "bend";
    o->clip.end = o->times[KEYS - 1];
    o->clip.channel_count = 1;
    o->clip.channels = &o->channel;
    o->model = (pleat_model){.node_count = 3 + meshes,
                             .mesh_count = meshes,
                             .skin_count = meshes,
                             .clip_count = 1,
                             .nodes = o->nodes,
                             .meshes = o->meshes,
                             .skins = o->skins,
                             .clips = &o->clip,
                             .node_order = o->order,
                             .scene_node_count = 3 + meshes,
                             .scene_nodes = o->order};
    pleat_error error = {0};
    if (pleat_model_validate(&o->model, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return o;
}

static void outfit_free(outfit *o)
{
    for (uint32_t i = 0; i < TUBES; ++i)
    {
        free(o->positions[i]);
        free(o->triangles[i]);
        free(o->vertex_joints[i]);
        free(o->weights[i]);
    }
    free(o);
}

/* ---- The judge ---- */

/* A garment in a frame: a node, or part of one. */
typedef struct garment
{
    pleat_bake *folded, *plain;
    uint32_t first_triangle, triangle_count;
} garment;

static garment garment_bake(const pleat_model *model, const char *node)
{
    support_actor actor = {.model = model};
    support_run run = support_run_make(0, 0, support_is_long() ? KEYS - 1 : 12);
    run.node = support_node_named(model, node);
    garment g = {support_run_bake(&actor, &run), support_run_bake_plain(&actor, &run), 0, 0};
    g.triangle_count = support_shape_of(g.folded)->triangle_count;
    assert_int_equal(g.triangle_count, support_shape_of(g.plain)->triangle_count);
    return g;
}

static void garment_drop(garment *g)
{
    pleat_bake_destroy(g->folded);
    pleat_bake_destroy(g->plain);
}

/* Unit normals of a garment's vertices; zero where it has none. */
static pl_f4 *normals_of(const garment *g, const pleat_vec4 *at)
{
    const pleat_stack_shape *shape = support_shape_of(g->folded);
    pl_f4 *normals = aligned_alloc(16, shape->surface_count * sizeof *normals);
    memset(normals, 0, shape->surface_count * sizeof *normals);
    for (uint32_t t = g->first_triangle; t < g->first_triangle + g->triangle_count; ++t)
    {
        const uint32_t *c = shape->surface_triangles + 3 * (size_t)t;
        pl_f4 a = pl_load(&at[c[0]]), area = pl_cross(pl_load(&at[c[1]]) - a, pl_load(&at[c[2]]) - a);
        for (uint32_t k = 0; k < 3; ++k)
        {
            normals[c[k]] += area;
        }
    }
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        normals[v] = pl_dot3(normals[v], normals[v]) > 0 ? pl_normalize3(normals[v]) : normals[v];
    }
    return normals;
}

static judge_embree *judge_of(const garment *g, const pleat_vec4 *at)
{
    const pleat_stack_shape *shape = support_shape_of(g->folded);
    return judge_embree_create(shape->surface_count, at, g->triangle_count,
                               shape->surface_triangles + 3 * (size_t)g->first_triangle, false);
}

/* A normal of the rest shape in a frame: the surface's own turn inwards where skinning crushes it. */
static pl_f4 turned(pl_f4 normal, float x, uint32_t frame)
{
    float angle = (float)(PI / 2 * frame / (KEYS - 1) * step_up(((double)x + 0.06) / 0.12));
    return pl_set(normal[0] * cosf(angle) - normal[1] * sinf(angle), normal[0] * sinf(angle) + normal[1] * cosf(angle),
                  normal[2], 0);
}

/* Is a place seen from outside? Asks in sixteen directions up to 20 degrees from its normal, past both garments; none
 * of them lies in the plane of a crease, which is a slit of no width. */
static bool is_seen(judge_embree *const judges[2], pleat_vec4 place, pl_f4 normal)
{
    pl_f4 one = pl_normalize3(pl_cross(normal, pl_set(0.31f, 0.53f, 0.79f, 0))), other = pl_cross(normal, one);
    for (uint32_t i = 0; i < 16; ++i)
    {
        float aside = 0.35f * sqrtf(((float)i + 0.5f) / 16), turn = (float)i * 2.39996f;
        pl_f4 way = normal + (one * pl_splat(cosf(turn)) + other * pl_splat(sinf(turn))) * pl_splat(aside);
        if (!judge_embree_occluded(judges[0], place, pl_to(way), 1e-4f, 1) &&
            !judge_embree_occluded(judges[1], place, pl_to(way), 0, 1))
        {
            return true;
        }
    }
    return false;
}

/* What of the lower garment shows though the upper one covers it at rest: vertices from which the way out, along the
 * skinned normal, does not meet the upper garment; and the highest that folds have brought a covered vertex. */
typedef struct verdict
{
    uint32_t covered, plain, folded; /* over all frames asked */
    double highest, free;            /* the same of what is not covered */
} verdict;

static verdict judge_pair(const garment *lower, const garment *upper, float reach)
{
    verdict out = {0};
    const pleat_stack_shape *shape = support_shape_of(lower->folded);
    uint32_t count = shape->surface_count;
    uint8_t *covered = calloc(count, 1);
    const pleat_vec4 *rest = shape->rest; /* before the bend */
    pl_f4 *normals = normals_of(lower, rest);
    judge_embree *judge = judge_of(upper, support_frame(upper->plain, 0));
    for (uint32_t v = 0; v < count; ++v)
    {
        covered[v] =
            pl_dot3(normals[v], normals[v]) > 0 && judge_embree_occluded(judge, rest[v], pl_to(normals[v]), 0, reach);
    }
    judge_embree_destroy(judge);
    uint32_t last = support_is_long() ? 16 : 12; /* up to 72 degrees: creases close beyond */
    for (uint32_t frame = 4; frame <= last; frame += 4)
    {
        const pleat_vec4 *skinned = support_frame(lower->plain, frame), *now = support_frame(lower->folded, frame);
        judge_embree *plain[2] = {judge_of(lower, skinned), judge_of(upper, support_frame(upper->plain, frame))};
        judge_embree *folded[2] = {judge_of(lower, now), judge_of(upper, support_frame(upper->folded, frame))};
        for (uint32_t v = 0; v < count; ++v)
        {
            pl_f4 up = turned(normals[v], rest[v].x, frame);
            double height = (double)pl_dot3(pl_load(&now[v]) - pl_load(&skinned[v]), up);
            out.highest = covered[v] ? fmax(out.highest, height) : out.highest;
            out.free = covered[v] ? out.free : fmax(out.free, height);
            out.covered += covered[v];
            out.plain += covered[v] && is_seen(plain, skinned[v], up);
            out.folded += covered[v] && is_seen(folded, now[v], up);
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            judge_embree_destroy(plain[i]);
            judge_embree_destroy(folded[i]);
        }
    }
    free(normals);
    free(covered);
    return out;
}

/* ---- Tests ---- */

/* In a long run all distances and kinds of belts; otherwise the first one is enough. */
static const tube long_sleeve = {0.05f, -0.3f, 0.3f, 32, 48, 360, 0, false};

/* Shells of one mesh: triangles come in the order of their coarse ones, and coarse vertices keep their index. */
static void split_garments(const outfit *o, garment g[2])
{
    const pleat_stack_shape *shape = support_shape_of(g[0].folded);
    uint32_t t = 0;
    while (t < shape->triangle_count)
    {
        const uint32_t *c = shape->surface_triangles + 3 * (size_t)t;
        if (c[0] >= o->first_vertex[1] && c[0] < o->first_vertex[2])
        {
            break;
        }
        ++t;
    }
    assert_true(t > 0 && t < shape->triangle_count);
    g[1] = g[0];
    g[0].triangle_count = t;
    g[1].first_triangle = t;
    g[1].triangle_count -= t;
}

static verdict judge_outfit(const tube *lower, const tube *upper, bool one_mesh)
{
    tube both[2] = {*lower, *upper};
    outfit *o = outfit_make(2, both, one_mesh);
    double gap = (double)(upper->radius - upper->inner - lower->radius);
    garment g[2];
    g[0] = garment_bake(&o->model, "lower");
    if (one_mesh)
    {
        split_garments(o, g);
    }
    else
    {
        g[1] = garment_bake(&o->model, "upper");
    }
    verdict v = judge_pair(&g[0], &g[1], (float)gap + 0.005f);
    print_message(
        "%s, %.1f mm apart: of %u covered vertices skinning shows %u, folds %u; they rise by %.2f mm, free ones "
        "by %.2f\n",
        one_mesh ? "one mesh" : "two meshes", 1e3 * gap, v.covered, v.plain, v.folded, 1e3 * v.highest, 1e3 * v.free);
    garment_drop(&g[0]);
    if (!one_mesh)
    {
        garment_drop(&g[1]);
    }
    outfit_free(o);
    assert_true(v.covered > 3000);
    assert_true(v.folded <= v.plain);
    assert_true(v.highest < 0.6 * gap);
    return v;
}

static void test_sleeve_under_sleeve(void **state)
{
    (void)state;
    const float gaps[] = {0.002f, 0.005f, 0.015f};
    for (size_t i = 0; i < (support_is_long() ? 6 : 2); ++i)
    {
        tube upper = long_sleeve;
        upper.radius += gaps[i / 2];
        verdict v = judge_outfit(&long_sleeve, &upper, i % 2);
        assert_true(v.highest > 0.3 * (double)gaps[i / 2]); /* there are folds to hold down */
    }
}

/* A belt that bends, one that does not, and one with thickness. Beside it folds stand as high as ever. */
static void test_belt_over_sleeve(void **state)
{
    (void)state;
    const float gap = 0.003f;
    for (size_t i = 0; i < (support_is_long() ? 6 : 1); ++i)
    {
        tube belt = {0.05f + gap, -0.03f, 0.01f, 32, 4, 360, 0, false};
        belt.rigid = i / 2 == 1;
        belt.inner = i / 2 == 2 ? 0.0015f : 0;
        verdict v = judge_outfit(&long_sleeve, &belt, i % 2);
        assert_true(v.free > 0.01);
    }
}

/* A sleeve that ends beside the crease, over a longer one: boots over leggings, a shirt in trousers. */
static void test_hem_lies_on_the_sleeve(void **state)
{
    (void)state;
    const float gaps[] = {0.002f, 0.005f};
    for (size_t i = 0; i < (support_is_long() ? 4 : 1); ++i)
    {
        tube half = {0.05f + gaps[i / 2], -0.3f, 0.02f, 32, 32, 360, 0, false};
        verdict v = judge_outfit(&long_sleeve, &half, i % 2);
        assert_true(v.free > 0.008);
    }
}

/* ---- Nothing else changes ---- */

/* The largest difference between the first garment with others beside it, and by itself; 0: the same bits. */
static double unlike_alone_but(outfit *worn, const tube *tubes, uint32_t last)
{
    outfit *alone = outfit_make(1, tubes, false);
    support_run run = support_run_make(0, 0, last);
    run.first = support_is_long() ? 0 : last - 8;
    support_actor actors[2] = {{.model = &worn->model}, {.model = &alone->model}};
    run.node = support_node_named(&worn->model, "lower");
    pleat_bake *a = support_run_bake(&actors[0], &run), *b = support_run_bake(&actors[1], &run);
    uint32_t vertices = alone->primitives[0].vertex_count;
    double most = 0;
    for (uint32_t frame = 0; frame <= last - run.first; frame += 2)
    {
        const pleat_vec4 *p = support_frame(a, frame), *q = support_frame(b, frame);
        for (uint32_t v = 0; v < vertices; ++v)
        {
            most = fmax(most, support_apart(p[v], q[v]));
        }
    }
    pleat_bake_destroy(a);
    pleat_bake_destroy(b);
    outfit_free(worn);
    outfit_free(alone);
    return most;
}

static double unlike_alone(const tube *tubes, uint32_t count, bool one_mesh, uint32_t last)
{
    return unlike_alone_but(outfit_make(count, tubes, one_mesh), tubes, last);
}

/* A sleeve below, one that stands apart, an arm below that comes through here and there; and a button in the same mesh,
 * which moves along. */
static void test_what_does_not_cover_holds_nothing(void **state)
{
    (void)state;
    tube below = long_sleeve, apart = long_sleeve, poking = long_sleeve;
    below.radius = 0.046f;
    apart.radius = 0.12f;
    poking.around = 11; /* its edges stand out, its faces lie below */
    poking.radius = 0.0508f;
    if (support_is_long())
    {
        assert_true(0 == unlike_alone((tube[2]){long_sleeve, below}, 2, false, 16));
        assert_true(0 == unlike_alone((tube[2]){long_sleeve, apart}, 2, false, 20));
    }
    assert_true(0 == unlike_alone((tube[2]){long_sleeve, poking}, 2, false, 16));
    tube over = long_sleeve;
    over.radius = 0.054f;
    assert_true(unlike_alone((tube[2]){long_sleeve, over}, 2, false, 16) > 0.005);
    tube button = {0.0505f, 0.01f, 0.02f, 3, 3, 12, 0, false};
    /* In the crease cloth across from it counts it among what comes near: a hundredth of a fold's height. */
    assert_true(!support_is_long() || unlike_alone((tube[2]){long_sleeve, button}, 2, true, 14) < 1e-6);
    assert_true(unlike_alone((tube[2]){long_sleeve, button}, 2, true, 16) < 1.2e-4);
}

/* A copy of the garment in its place, and a level of detail, are not worn over it. A patch is. */
static void test_copies_hold_nothing(void **state)
{
    (void)state;
    tube coarse = long_sleeve, patch = {0.05f, -0.02f, 0.02f, 8, 8, 60, 0, false};
    coarse.radius = 0.0508f; /* its faces cut corners */
    coarse.around = 20;
    coarse.along = 30;
    assert_true(0 == unlike_alone((tube[2]){long_sleeve, long_sleeve}, 2, false, 16));
    static const char *const names[] = {"lower_LOD1", "Lower.lod 2", "LOD3-lower", "clod1 lower"};
    for (size_t i = support_is_long() ? 0 : 2; i < 4; ++i)
    {
        outfit *o = outfit_make(2, (tube[2]){long_sleeve, coarse}, false);
        o->nodes[4].name = names[i];
        double unlike = unlike_alone_but(o, (tube[2]){long_sleeve, coarse}, 16);
        assert_true(i < 3 ? 0 == unlike : unlike > 0.005);
    }
    assert_true(unlike_alone((tube[2]){long_sleeve, patch}, 2, false, 16) > 0.005);
}

/* A belt without a skin that a joint carries holds down what one with a skin does. */
static void test_carried_belt_covers(void **state)
{
    (void)state;
    tube belt = {0.053f, -0.03f, 0.01f, 32, 4, 360, 0, true};
    outfit *o = outfit_make(2, (tube[2]){long_sleeve, belt}, false);
    support_actor actor = {.model = &o->model};
    support_run run = support_run_make(0, 0, KEYS - 1);
    run.last = support_is_long() ? KEYS - 1 : 12;
    run.node = support_node_named(&o->model, "lower");
    pleat_bake *skinned = support_run_bake(&actor, &run);
    pleat_node *node = &o->nodes[4];
    node->skin = PLEAT_NONE;
    node->parent = 1;
    node->local.translation = (pleat_vec4){0.3f, 0, -1, 0}; /* where the skin was bound */
    o->primitives[1].influence_count = 0;
    o->primitives[1].joints = NULL;
    o->primitives[1].weights = NULL;
    assert_int_equal(pleat_model_validate(&o->model, NULL), PLEAT_OK);
    pleat_bake *carried = support_run_bake(&actor, &run);
    for (uint32_t frame = 0; frame <= 12; frame += 4)
    {
        const pleat_vec4 *a = support_frame(skinned, frame), *b = support_frame(carried, frame);
        for (uint32_t v = 0; v < support_shape_of(skinned)->surface_count; ++v)
        {
            assert_true(support_apart(a[v], b[v]) < 1e-6);
        }
    }
    pleat_bake_destroy(skinned);
    pleat_bake_destroy(carried);
    outfit_free(o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sleeve_under_sleeve),    cmocka_unit_test(test_belt_over_sleeve),
        cmocka_unit_test(test_hem_lies_on_the_sleeve), cmocka_unit_test(test_what_does_not_cover_holds_nothing),
        cmocka_unit_test(test_copies_hold_nothing),    cmocka_unit_test(test_carried_belt_covers),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_sleeve_under_sleeve),    cmocka_unit_test(test_belt_over_sleeve),
        cmocka_unit_test(test_hem_lies_on_the_sleeve), cmocka_unit_test(test_what_does_not_cover_holds_nothing),
        cmocka_unit_test(test_copies_hold_nothing),    cmocka_unit_test(test_carried_belt_covers),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}

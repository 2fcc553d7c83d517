/* The same folds on a sleeve however it is modelled: with one side or two, behind a mirror, with seams that rounding
 * has opened, on a chain of joints, coarse, fine or irregular. Judged by lengths of cuts through the mesh, by crossing
 * triangles, and by the plain sleeve. */
#include "support/folded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979

/* A sleeve along x from -0.3 to 0.3 m, 5 cm in radius; joints around the middle share one bend about z. */
typedef struct sleeve_desc
{
    uint32_t around, along;
    uint32_t chain;  /* joints that share the bend, over 8 cm */
    float thickness; /* below 0: one side; else a second one that far inside */
    float jitter;    /* of vertices within the surface */
    float seam;      /* how far rounding opens the seams; 0: there are none */
    bool mirror;
    float body;  /* above 0: an arm that far below the sleeve, first in the same mesh, which is no garment */
    float blend; /* weights of one joint change within this, to each side; 0: 6 cm */
} sleeve_desc;

enum
{
    CHAIN = 4,
    KEYS = 21,
    JOINTS = CHAIN + 2
};

typedef struct sleeve
{
    pleat_primitive primitive;
    pleat_mesh mesh;
    pleat_node nodes[JOINTS + 2];
    pleat_skin skin;
    uint32_t joints[JOINTS], order[JOINTS + 2];
    pleat_affine binds[JOINTS];
    pleat_channel channels[CHAIN];
    float times[KEYS], turns[4 * KEYS];
    pleat_clip clip;
    pleat_model model;
    pleat_vec3 *positions;
    uint32_t *triangles;
    uint16_t *vertex_joints;
    float *weights;
    uint32_t body_count; /* of its vertices, the first ones */
} sleeve;

static const sleeve_desc plain_sleeve = {32, 48, 1, -1, 0, 0, false, 0, 0};

static double step_up(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

static double joint_place(const sleeve_desc *d, uint32_t joint)
{
    return d->chain > 1 ? -0.04 + 0.08 * joint / (d->chain - 1) : 0;
}

static void add_weights(const sleeve_desc *d, sleeve *s, uint32_t vertex)
{
    double before = 1, blend = (d->blend > 0 ? (double)d->blend : 0.06) / sqrt(d->chain);
    float largest = 0;
    float all[CHAIN + 1] = {0};
    for (uint32_t j = 0; j <= d->chain; ++j)
    {
        double x = (double)s->positions[vertex].x - joint_place(d, j);
        double here = j == d->chain ? 0 : step_up((x + blend) / (2 * blend));
        all[j] = (float)(before - here);
        before = here;
    }
    /* Four of them: with steps this steep never more are above 0. */
    for (uint32_t j = 0, at = 0; j <= d->chain && at < 4; ++j)
    {
        if (all[j] > 0)
        {
            s->vertex_joints[4 * vertex + at] = (uint16_t)j;
            s->weights[4 * vertex + at++] = all[j];
            largest += all[j];
        }
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        s->weights[4 * vertex + i] /= largest;
    }
}

/* One side: rows of vertices, and with seams four strips of them with vertices of their own. */
static void add_side(const sleeve_desc *d, sleeve *s, float radius, bool inwards)
{
    uint32_t random = 7, seams = d->seam > 0 ? 4 : 1;
    uint32_t columns = d->around / seams + (d->seam > 0), closed = d->seam > 0 ? columns : d->around;
    for (uint32_t strip = 0; strip < seams; ++strip)
    {
        uint32_t begin = s->primitive.vertex_count;
        for (uint32_t i = 0; i < (d->along + 1) * columns; ++i)
        {
            double row = i / columns, column = i % columns + strip * (d->around / seams);
            bool inside = row > 0 && row < d->along;
            double jitter_x = inside ? (double)(support_random_float(&random, -1, 1) * d->jitter) : 0;
            double turn = 2 * PI * (column + (double)(support_random_float(&random, -1, 1) * d->jitter)) / d->around;
            double x = -0.3 + 0.6 * (row + jitter_x) / d->along, r = (double)radius * (1 - 0.25 * x);
            double off = 1 + (double)d->seam * (double)support_random_float(&random, -1, 1);
            s->positions[s->primitive.vertex_count++] =
                (pleat_vec3){(float)(x * off), (float)(r * cos(turn) * off), (float)(r * sin(turn) * off)};
            add_weights(d, s, s->primitive.vertex_count - 1);
        }
        for (uint32_t q = 0; q < d->along * (d->seam > 0 ? columns - 1 : columns); ++q)
        {
            uint32_t wide = d->seam > 0 ? columns - 1 : columns, row = q / wide, column = q % wide;
            uint32_t a = begin + row * columns + column, b = begin + row * columns + (column + 1) % closed;
            uint32_t quad[6] = {a, b, b + columns, a, b + columns, a + columns};
            for (uint32_t k = 0; k < 6; ++k)
            {
                uint32_t from = inwards ? 5 - k : k;
                s->triangles[3 * s->primitive.triangle_count + k] = quad[from];
            }
            s->primitive.triangle_count += 2;
        }
    }
}

static void add_nodes(const sleeve_desc *d, sleeve *s)
{
    static const char *const names[] = {"upper", "lower0", "lower1", "lower2", "lower3"};
    uint32_t joints = d->chain + 1, count = joints + 2;
    double before = 0;
    s->nodes[0] = pleat_node_default();
    s->nodes[0].name = "root";
    s->nodes[0].local.scale.x = d->mirror ? -1 : 1;
    for (uint32_t j = 0; j < joints; ++j)
    {
        double x = j == 0 ? -0.3 : joint_place(d, j - 1);
        s->nodes[j + 1] = pleat_node_default();
        s->nodes[j + 1].name = names[j];
        s->nodes[j + 1].parent = j;
        s->nodes[j + 1].local.translation.x = (float)(x - before);
        s->joints[j] = j + 1;
        s->binds[j] = (pleat_affine){{{1, 0, 0, (float)-x}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        before = x;
    }
    s->nodes[count - 1] = pleat_node_default();
    s->nodes[count - 1].name = "sleeve";
    s->nodes[count - 1].mesh = 0;
    s->nodes[count - 1].skin = 0;
    for (uint32_t n = 0; n < count; ++n)
    {
        s->order[n] = n;
    }
    s->skin = (pleat_skin){"", joints, s->joints, s->binds};
    s->model = (pleat_model){.node_count = count,
                             .mesh_count = 1,
                             .skin_count = 1,
                             .clip_count = 1,
                             .nodes = s->nodes,
                             .meshes = &s->mesh,
                             .skins = &s->skin,
                             .clips = &s->clip,
                             .node_order = s->order,
                             .scene_node_count = count,
                             .scene_nodes = s->order};
}

/* Bends up to 90 degrees in frames 0 .. 20. */
static void add_clip(const sleeve_desc *d, sleeve *s)
{
    for (uint32_t k = 0; k < KEYS; ++k)
    {
        double half = PI / 4 * k / (KEYS - 1) / d->chain;
        s->times[k] = (float)k / 30;
        memcpy(&s->turns[4 * k], (float[4]){0, 0, (float)sin(half), (float)cos(half)}, 4 * sizeof s->turns[0]);
    }
    for (uint32_t j = 0; j < d->chain; ++j)
    {
        s->channels[j] = (pleat_channel){j + 2, PLEAT_ROTATION, PLEAT_LINEAR, KEYS, 4, s->times, s->turns};
    }
    s->clip = pleat_clip_default();
    s->clip.name = "bend";
    s->clip.end = s->times[KEYS - 1];
    s->clip.channel_count = d->chain;
    s->clip.channels = s->channels;
}

static sleeve *sleeve_make(const sleeve_desc *d)
{
    sleeve *s = calloc(1, sizeof *s);
    size_t vertices = 3 * (size_t)(d->along + 1) * (d->around + 4), triangles = 6 * (size_t)d->along * d->around;
    s->positions = calloc(vertices, sizeof *s->positions);
    s->triangles = calloc(3 * triangles, sizeof *s->triangles);
    s->vertex_joints = calloc(4 * vertices, sizeof *s->vertex_joints);
    s->weights = calloc(4 * vertices, sizeof *s->weights);
    if (d->body > 0)
    {
        add_side(d, s, 0.05f - d->body, false);
        s->body_count = s->primitive.vertex_count;
    }
    add_side(d, s, 0.05f, false);
    if (d->thickness >= 0)
    {
        add_side(d, s, 0.05f - d->thickness, true);
    }
    s->primitive.triangles = s->triangles;
    s->primitive.positions = s->positions;
    s->primitive.influence_count = 4;
    s->primitive.joints = s->vertex_joints;
    s->primitive.weights = s->weights;
    s->primitive.material = PLEAT_NONE;
    s->mesh = (pleat_mesh){.name = "sleeve", .primitive_count = 1, .primitives = &s->primitive};
    add_nodes(d, s);
    add_clip(d, s);
    pleat_error error = {0};
    if (pleat_model_validate(&s->model, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return s;
}

static void sleeve_free(sleeve *s)
{
    free(s->positions);
    free(s->triangles);
    free(s->vertex_joints);
    free(s->weights);
    free(s);
}

/* ---- The judge ---- */

/* Where the plane through the bone at an angle cuts an edge; false where it does not. */
static bool cut_edge(const pleat_vec4 *rest, const pleat_vec4 *now, uint32_t a, uint32_t b, const double normal[2],
                     double out[2][3])
{
    double from = (double)rest[a].y * normal[0] + (double)rest[a].z * normal[1];
    double to = (double)rest[b].y * normal[0] + (double)rest[b].z * normal[1];
    if (!(from * to < 0))
    {
        return false;
    }
    double w = from / (from - to);
    const pleat_vec4 *both[2] = {rest, now};
    for (int i = 0; i < 2; ++i)
    {
        const float *p = &both[i][a].x, *q = &both[i][b].x;
        for (int k = 0; k < 3; ++k)
        {
            out[i][k] = (double)p[k] * (1 - w) + (double)q[k] * w;
        }
    }
    return true;
}

/* Length over rest length of the cut at an angle about the bone, within 11 cm of the middle, on the side that faces
 * outwards or inwards. */
static double meridian(const pleat_stack_shape *shape, const pleat_vec4 *now, double degrees, bool inwards)
{
    double turn = degrees * PI / 180 + 1e-4, normal[2] = {-sin(turn), cos(turn)}, lengths[2] = {0, 0};
    for (uint32_t t = 0; t < shape->triangle_count; ++t)
    {
        const uint32_t *c = shape->surface_triangles + 3 * (size_t)t;
        const pleat_vec4 *p = shape->rest;
        double y = (double)(p[c[0]].y + p[c[1]].y + p[c[2]].y) / 3, z = (double)(p[c[0]].z + p[c[1]].z + p[c[2]].z) / 3;
        double ny = (double)((p[c[1]].z - p[c[0]].z) * (p[c[2]].x - p[c[0]].x) -
                             (p[c[1]].x - p[c[0]].x) * (p[c[2]].z - p[c[0]].z));
        double nz = (double)((p[c[1]].x - p[c[0]].x) * (p[c[2]].y - p[c[0]].y) -
                             (p[c[1]].y - p[c[0]].y) * (p[c[2]].x - p[c[0]].x));
        double x = (double)(p[c[0]].x + p[c[1]].x + p[c[2]].x) / 3, ends[3][2][3];
        uint32_t found = 0;
        if (y * cos(turn) + z * sin(turn) < 0 || fabs(x) > 0.11 || (ny * y + nz * z < 0) != inwards)
        {
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            found += cut_edge(p, now, c[k], c[(k + 1) % 3], normal, ends[found]);
        }
        for (int i = 0; i < 2 && found == 2; ++i)
        {
            double d[3] = {ends[0][i][0] - ends[1][i][0], ends[0][i][1] - ends[1][i][1], ends[0][i][2] - ends[1][i][2]};
            lengths[i] += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    }
    assert_true(lengths[0] > 0.2 && lengths[0] < 0.25);
    return lengths[1] / lengths[0];
}

static double shortest(const pleat_bake *bake, const pleat_vec4 *now, bool inwards)
{
    double least = INFINITY;
    for (double angle = 0; angle < 360; angle += 30)
    {
        least = fmin(least, meridian(support_shape_of(bake), now, angle, inwards));
    }
    return least;
}

static pleat_bake *bake_sleeve(const sleeve *s, bool folds)
{
    support_actor actor = {.model = &s->model};
    support_run run = support_run_make(0, 0, support_is_long() ? KEYS - 1 : 12);
    return folds ? support_run_bake(&actor, &run) : support_run_bake_plain(&actor, &run);
}

static uint64_t crossings(const pleat_bake *bake, const pleat_vec4 *now)
{
    const pleat_stack_shape *shape = support_shape_of(bake);
    pleat_bvh *bvh = NULL;
    assert_int_equal(
        pleat_bvh_create(shape->surface_count, now, shape->triangle_count, shape->surface_triangles, NULL, &bvh, NULL),
        PLEAT_OK);
    uint64_t count = pleat_bvh_count_crossings(bvh, bvh, NULL, NULL);
    pleat_bvh_destroy(bvh);
    return count;
}

/* ---- Tests ---- */

/* Both sides keep their length, at a bend that skinning alone shortens by a sixth, and do not cross each other. */
static void test_lining_follows(void **state)
{
    (void)state;
    const float thicknesses[] = {0, 0.001f, 0.004f, 0.01f};
    for (size_t i = 0; i < sizeof thicknesses / sizeof thicknesses[0]; i += support_is_long() ? 1 : 2)
    {
        sleeve_desc d = plain_sleeve;
        d.thickness = thicknesses[i];
        sleeve *s = sleeve_make(&d);
        pleat_bake *folded = bake_sleeve(s, true), *plain = bake_sleeve(s, false);
        uint32_t count = support_shape_of(folded)->surface_count;
        assert_int_equal(support_shape_of(plain)->surface_count, count);
        assert_memory_equal(support_frame(folded, 0), support_frame(plain, 0), count * sizeof(pleat_vec4));
        const pleat_vec4 *now = support_frame(folded, 12), *skinned = support_frame(plain, 12);
        double outer = shortest(folded, now, false), inner = shortest(folded, now, true);
        double before = shortest(plain, skinned, true);
        uint64_t crossed = thicknesses[i] > 0 ? crossings(folded, now) : 0;
        print_message("%g mm: outer %.3f, lining %.3f (skinning %.3f), %llu crossing\n", 1e3 * (double)thicknesses[i],
                      outer, inner, before, (unsigned long long)crossed);
        assert_true(before < 0.87);
        assert_true(outer > 0.99 && inner > 0.98);
        assert_true(crossed == 0);
        pleat_bake_destroy(folded);
        pleat_bake_destroy(plain);
        sleeve_free(s);
    }
}

/* A lining takes nothing from the outer side: its folds are those of the sleeve that has none. */
static void test_outer_side_is_as_without_lining(void **state)
{
    (void)state;
    sleeve_desc lined = plain_sleeve;
    lined.thickness = 0.004f;
    sleeve *a = sleeve_make(&plain_sleeve), *b = sleeve_make(&lined);
    pleat_bake *alone = bake_sleeve(a, true), *both = bake_sleeve(b, true);
    const pleat_vec4 *p = support_frame(alone, 12), *q = support_frame(both, 12);
    assert_true(support_figure(alone, "ridges") == support_figure(both, "ridges"));
    for (uint32_t v = 0; v < a->primitive.vertex_count; ++v)
    {
        assert_true(support_apart(p[v], q[v]) < 2e-5);
    }
    pleat_bake_destroy(alone);
    pleat_bake_destroy(both);
    sleeve_free(a);
    sleeve_free(b);
}

/* How far folds move the cloth that faces within 30 degrees of a direction across the bone, at most. */
static double moved(const pleat_bake *bake, const pleat_vec4 *now, const pleat_vec4 *skinned, double degrees)
{
    const pleat_stack_shape *shape = support_shape_of(bake);
    double most = 0, y = cos(degrees * PI / 180), z = sin(degrees * PI / 180);
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        double across = hypot((double)shape->rest[v].y, (double)shape->rest[v].z);
        if ((double)shape->rest[v].y * y + (double)shape->rest[v].z * z > cos(PI / 6) * across)
        {
            most = fmax(most, support_apart(now[v], skinned[v]));
        }
    }
    return most;
}

/* Where weights blend over a long way, linear blending shortens the outer side of a bend as well: no folds stand there,
 * and as many as ever at the inner side and beside it. */
static void test_outer_side_stays_smooth(void **state)
{
    (void)state;
    sleeve_desc d = plain_sleeve;
    d.blend = 0.2f;
    for (int mirrored = 0; mirrored < (support_is_long() ? 2 : 1); ++mirrored)
    {
        d.mirror = mirrored;
        sleeve *s = sleeve_make(&d);
        pleat_bake *folded = bake_sleeve(s, true), *plain = bake_sleeve(s, false);
        assert_int_equal(support_shape_of(plain)->surface_count, support_shape_of(folded)->surface_count);
        for (uint32_t frame = 4; frame <= (support_is_long() ? 20 : 12); frame += 8)
        {
            const pleat_vec4 *now = support_frame(folded, frame), *skinned = support_frame(plain, frame);
            double inner = moved(folded, now, skinned, 0), beside = moved(folded, now, skinned, 90);
            double outer = moved(folded, now, skinned, 180);
            double length = meridian(support_shape_of(plain), skinned, 180, false);
            print_message("%.0f degrees: moved by %.2f mm inside, %.2f beside, %.2f outside (%.3f of its length)\n",
                          4.5 * frame, 1e3 * inner, 1e3 * beside, 1e3 * outer, length);
            assert_true(inner > 2e-3 && beside > 1e-3);
            assert_true(outer < 1e-4);
        }
        pleat_bake_destroy(folded);
        pleat_bake_destroy(plain);
        sleeve_free(s);
    }
}

/* Behind a mirror the same folds stand, mirrored. */
static void test_mirror_mirrors_folds(void **state)
{
    (void)state;
    sleeve_desc mirrored = plain_sleeve;
    mirrored.mirror = true;
    sleeve *a = sleeve_make(&plain_sleeve), *b = sleeve_make(&mirrored);
    pleat_bake *before = bake_sleeve(a, true), *behind = bake_sleeve(b, true);
    assert_int_equal(support_shape_of(before)->surface_count, support_shape_of(behind)->surface_count);
    for (uint32_t frame = 0; frame <= (support_is_long() ? 20 : 12); frame += 10)
    {
        const pleat_vec4 *p = support_frame(before, frame), *q = support_frame(behind, frame);
        for (uint32_t v = 0; v < support_shape_of(before)->surface_count; ++v)
        {
            assert_true(support_apart(p[v], (pleat_vec4){-q[v].x, q[v].y, q[v].z, 0}) < 1e-5);
        }
    }
    pleat_bake_destroy(before);
    pleat_bake_destroy(behind);
    sleeve_free(a);
    sleeve_free(b);
}

/* An arm in the same mesh takes no folds from the sleeve around it. */
static void test_body_below_takes_nothing(void **state)
{
    (void)state;
    sleeve_desc d = plain_sleeve;
    d.body = 0.006f;
    sleeve *alone = sleeve_make(&plain_sleeve), *worn = sleeve_make(&d);
    float *mask = calloc(worn->primitive.vertex_count, sizeof *mask);
    for (uint32_t v = worn->body_count; v < worn->primitive.vertex_count; ++v)
    {
        mask[v] = 1;
    }
    pleat_folds_options options = pleat_folds_options_default();
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_bake_desc desc = pleat_bake_desc_default(&worn->model);
    desc.refine = PLEAT_REFINE_LOOP;
    desc.layer_count = 1;
    desc.layers = &layer;
    desc.mask = mask;
    desc.last_frame = support_is_long() ? KEYS - 1 : 12;
    pleat_bake *bare = bake_sleeve(alone, true), *dressed = NULL;
    assert_int_equal(pleat_bake_create(&desc, NULL, &dressed, NULL), PLEAT_OK);
    const pleat_vec4 *p = support_frame(bare, 12), *q = support_frame(dressed, 12);
    assert_true(support_figure(bare, "ridges") == support_figure(dressed, "ridges"));
    for (uint32_t v = 0; v < alone->primitive.vertex_count; ++v)
    {
        assert_true(support_apart(p[v], q[v + worn->body_count]) < 2e-5);
    }
    pleat_bake_destroy(bare);
    pleat_bake_destroy(dressed);
    free(mask);
    sleeve_free(alone);
    sleeve_free(worn);
}

/* How far folds push the sleeve in at the crease of a right angle. */
static double depth_of_crease(const pleat_model *model)
{
    support_actor actor = {.model = model};
    support_run run = support_run_make(0, 0, KEYS - 1);
    pleat_bake *folded = support_run_bake(&actor, &run), *plain = support_run_bake_plain(&actor, &run);
    const pleat_vec4 *now = support_frame(folded, KEYS - 1), *skinned = support_frame(plain, KEYS - 1);
    const pleat_stack_shape *shape = support_shape_of(folded);
    double deepest = 0;
    assert_int_equal(support_shape_of(plain)->surface_count, shape->surface_count);
    for (uint32_t v = 0; v < shape->surface_count; ++v)
    {
        /* Half way between the bones; the bend is about z, and y is inside. */
        double in = (double)(now[v].x - skinned[v].x) - (double)(now[v].y - skinned[v].y);
        deepest = fabsf(shape->rest[v].x) < 0.02f ? fmax(deepest, in * sqrt(0.5)) : deepest;
    }
    pleat_bake_destroy(folded);
    pleat_bake_destroy(plain);
    return deepest;
}

/* A crease is tucked in half of the way to the arm below it, and no deeper: its skin would show. The arm is a mesh with
 * a skin of its own, bound a metre aside. */
static void test_tuck_stays_above_the_arm(void **state)
{
    (void)state;
    const float gap = 0.006f;
    sleeve *s = sleeve_make(&plain_sleeve), *arm = sleeve_make(&plain_sleeve);
    for (uint32_t v = 0; v < arm->primitive.vertex_count; ++v)
    {
        arm->positions[v].y *= 1 - gap / 0.05f;
        arm->positions[v].z = arm->positions[v].z * (1 - gap / 0.05f) + 1;
    }
    for (uint32_t j = 0; j < arm->skin.joint_count; ++j)
    {
        arm->binds[j].row[2][3] -= 1;
    }
    double alone = depth_of_crease(&s->model);
    pleat_mesh meshes[] = {s->mesh, arm->mesh};
    pleat_skin skins[] = {s->skin, arm->skin};
    pleat_node *node = &s->nodes[s->model.node_count];
    *node = s->nodes[s->model.node_count - 1];
    node->name = "arm";
    node->mesh = node->skin = 1;
    s->order[s->model.node_count] = s->model.node_count;
    s->model.scene_node_count = ++s->model.node_count;
    s->model.mesh_count = s->model.skin_count = 2;
    s->model.meshes = meshes;
    s->model.skins = skins;
    double worn = depth_of_crease(&s->model);
    print_message("the crease is %.1f mm deep, over an arm %.1f mm\n", 1e3 * alone, 1e3 * worn);
    assert_true(alone > 0.01);
    assert_true(worn > 1e-4 && worn < 0.51 * (double)gap);
    sleeve_free(s);
    sleeve_free(arm);
}

/* Seams whose two sides differ in the last bits are no borders. */
static void test_rounding_opens_no_seam(void **state)
{
    (void)state;
    sleeve_desc d = plain_sleeve;
    d.seam = 1e-7f;
    sleeve *a = sleeve_make(&plain_sleeve), *b = sleeve_make(&d);
    pleat_bake *whole = bake_sleeve(a, true), *seams = bake_sleeve(b, true);
    const pleat_vec4 *p = support_frame(whole, 12), *q = support_frame(seams, 12);
    assert_int_equal(support_shape_of(whole)->surface_count, support_shape_of(seams)->surface_count);
    assert_true(support_figure(whole, "ridges") == support_figure(seams, "ridges"));
    assert_true(fabs(support_figure(whole, "highest") - support_figure(seams, "highest")) < 1e-5);
    assert_true(fabs(shortest(whole, p, false) - shortest(seams, q, false)) < 1e-3);
    pleat_bake_destroy(whole);
    pleat_bake_destroy(seams);
    sleeve_free(a);
    sleeve_free(b);
}

/* A bend of 90 degrees that several joints share loses no length. */
static void test_chains_keep_their_length(void **state)
{
    (void)state;
    for (uint32_t chain = support_is_long() ? 2 : CHAIN; chain <= CHAIN; ++chain)
    {
        sleeve_desc d = plain_sleeve;
        d.chain = chain;
        sleeve *s = sleeve_make(&d);
        pleat_bake *folded = bake_sleeve(s, true), *plain = bake_sleeve(s, false);
        for (uint32_t frame = 12; frame <= (support_is_long() ? 20 : 12); frame += 8)
        {
            double before = shortest(plain, support_frame(plain, frame), false);
            double after = shortest(folded, support_frame(folded, frame), false);
            print_message("%u joints, %.0f degrees: %.3f (skinning %.3f)\n", chain, 4.5 * frame, after, before);
            assert_true(before < 0.85 && after > 0.98);
        }
        pleat_bake_destroy(folded);
        pleat_bake_destroy(plain);
        sleeve_free(s);
    }
}

/* One sleeve as a coarse, a finer, a fine and an irregular mesh: as many folds, as high. */
static void test_pattern_is_that_of_the_cloth(void **state)
{
    (void)state;
    const sleeve_desc meshes[] = {{20, 45, 1, -1, 0, 0, false, 0, 0},
                                  {10, 22, 1, -1, 0, 0, false, 0, 0},
                                  {44, 80, 1, -1, 0, 0, false, 0, 0},
                                  {26, 40, 1, -1, 0.3f, 0, false, 0, 0}};
    double ridges = 0, heights[3] = {0, 0, 0};
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; ++m)
    {
        sleeve *s = sleeve_make(&meshes[m]);
        pleat_bake *bake = bake_sleeve(s, true);
        ridges = m ? ridges : support_figure(bake, "ridges");
        assert_true(support_figure(bake, "ridges") == ridges);
        for (uint32_t i = 0; i < (support_is_long() ? 3 : 2); ++i)
        {
            support_frame(bake, 8 + 4 * i);
            double high = support_figure(bake, "highest");
            heights[i] = m ? heights[i] : high;
            print_message("%u triangles, %u degrees: %.2f mm\n", s->primitive.triangle_count, 36 + 18 * i, 1e3 * high);
            assert_true(fabs(high - heights[i]) < 0.1 * heights[i]);
        }
        pleat_bake_destroy(bake);
        sleeve_free(s);
    }
}

/* Edges four folds long, all of them askew: rings wind from vertex to vertex, and lines across them must not meet. */
static void test_coarse_and_crooked_meshes_keep_their_length(void **state)
{
    (void)state;
    for (uint32_t around = support_is_long() ? 6 : 7; around <= (support_is_long() ? 8 : 7); ++around)
    {
        const sleeve_desc d = {around, 7, 1, -1, 0.49f, 0, false, 0, 0};
        sleeve *s = sleeve_make(&d);
        pleat_bake *folded = bake_sleeve(s, true), *plain = bake_sleeve(s, false);
        for (uint32_t frame = 4; frame <= (support_is_long() ? 16 : 12); frame += 4)
        {
            double before = shortest(plain, support_frame(plain, frame), false);
            double after = shortest(folded, support_frame(folded, frame), false);
            print_message("%u around, %.0f degrees: %.3f (skinning %.3f)\n", around, 4.5 * frame, after, before);
            assert_true(before < 0.95 && after > 0.98);
        }
        pleat_bake_destroy(folded);
        pleat_bake_destroy(plain);
        sleeve_free(s);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lining_follows),
        cmocka_unit_test(test_outer_side_is_as_without_lining),
        cmocka_unit_test(test_outer_side_stays_smooth),
        cmocka_unit_test(test_mirror_mirrors_folds),
        cmocka_unit_test(test_rounding_opens_no_seam),
        cmocka_unit_test(test_body_below_takes_nothing),
        cmocka_unit_test(test_tuck_stays_above_the_arm),
        cmocka_unit_test(test_chains_keep_their_length),
        cmocka_unit_test(test_pattern_is_that_of_the_cloth),
        cmocka_unit_test(test_coarse_and_crooked_meshes_keep_their_length),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_lining_follows),
        cmocka_unit_test(test_outer_side_stays_smooth),
        cmocka_unit_test(test_mirror_mirrors_folds),
        cmocka_unit_test(test_chains_keep_their_length),
        cmocka_unit_test(test_pattern_is_that_of_the_cloth),
        cmocka_unit_test(test_coarse_and_crooked_meshes_keep_their_length),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}

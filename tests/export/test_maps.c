/* Maps, judged by applying them: coarse points moved along coarse normals by what the map says must lie on the wrinkled
 * surface. */
#include "support/support.h"

#include "base/vec.h"
#include "judge_embree.h"
#include "pleat/export/atlas.h"
#include "pleat/layers/folds.h"
#include "pleat/make.h"
#include "pleat/export/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene
{
    pleat_made *made;
    pleat_atlas *atlas; /* of the mesh, or NULL */
    pleat_atlas_model *with_atlas;
    const pleat_model *model;
    pleat_pose *pose;
    pleat_stack *stack;
} scene;

/* Gives the scene's mesh texture coordinates of an atlas. */
static void use_atlas(scene *s, const char *mesh)
{
    const pleat_atlas *atlases[8] = {NULL};
    pleat_atlas_options options = pleat_atlas_options_default();
    assert_true(s->model->mesh_count <= 8);
    for (uint32_t m = 0; m < s->model->mesh_count; ++m)
    {
        if (strcmp(s->model->meshes[m].name, mesh) == 0)
        {
            assert_int_equal(pleat_atlas_create(&s->model->meshes[m], &options, NULL, &s->atlas, NULL), PLEAT_OK);
            atlases[m] = s->atlas;
        }
    }
    assert_int_equal(pleat_atlas_model_create(s->model, atlases, NULL, &s->with_atlas, NULL), PLEAT_OK);
    s->model = pleat_atlas_model_get(s->with_atlas);
}

static scene make_scene_on(const char *character, const char *mesh, bool atlas, uint32_t clip_index, float part,
                           bool folds, uint32_t level)
{
    scene s = {0};
    pleat_make_options make = pleat_make_options_default();
    make.arm_around = 36;
    make.arm_along = 100;
    assert_int_equal(pleat_make(character, &make, NULL, &s.made, NULL), PLEAT_OK);
    s.model = pleat_made_model(s.made);
    if (atlas)
    {
        use_atlas(&s, mesh);
    }
    const pleat_clip *clip = &s.model->clips[clip_index];
    pleat_folds_options options = pleat_folds_options_default();
    pleat_layer_desc layer = {&pleat_folds_layer, &options};
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    for (uint32_t n = 0; n < s.model->node_count; ++n)
    {
        uint32_t m = s.model->nodes[n].mesh;
        desc.node = m != PLEAT_NONE && strcmp(s.model->meshes[m].name, mesh) == 0 ? n : desc.node;
    }
    desc.model = s.model;
    desc.layer_count = folds ? 1 : 0;
    desc.layers = &layer;
    desc.level = level;
    desc.clip = clip;
    desc.frame_count = 60;
    assert_int_equal(pleat_stack_create(&desc, NULL, &s.stack, NULL), PLEAT_OK);
    assert_int_equal(pleat_pose_create(s.model, NULL, &s.pose, NULL), PLEAT_OK);
    pleat_pose_sample(s.pose, clip, clip->start + part * (clip->end - clip->start));
    pleat_stack_input input = {.pose = s.pose};
    pleat_stack_update(s.stack, &input);
    return s;
}

static scene make_scene(const char *character, const char *mesh, uint32_t clip_index, float part, bool folds,
                        uint32_t level)
{
    return make_scene_on(character, mesh, false, clip_index, part, folds, level);
}

static void free_scene(scene *s)
{
    pleat_stack_destroy(s->stack);
    pleat_pose_destroy(s->pose);
    pleat_atlas_model_destroy(s->with_atlas);
    pleat_atlas_destroy(s->atlas);
    pleat_made_destroy(s->made);
}

static pleat_maps *make_maps(const scene *s, uint32_t size, const pleat_host *host)
{
    pleat_maps_desc desc = pleat_maps_desc_default();
    pleat_maps *maps = NULL;
    pleat_error error = {0};
    desc.stack = s->stack;
    desc.size = size;
    if (pleat_maps_create(&desc, host, &maps, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return maps;
}

/* As a GPU reads a texture: bilinear, texel centres at halves, clamped at the border. */
static float fetch(const uint16_t *map, uint32_t size, uint32_t width, uint32_t channel, float u, float v)
{
    float x = u * (float)size - 0.5f, y = v * (float)size - 0.5f, sum = 0;
    for (int i = 0; i < 4; ++i)
    {
        float column = floorf(x) + (float)(i % 2), row = floorf(y) + (float)(i / 2);
        float weight = (1 - fabsf(x - column)) * (1 - fabsf(y - row));
        uint32_t c = (uint32_t)fminf(fmaxf(column, 0), (float)size - 1);
        uint32_t r = (uint32_t)fminf(fmaxf(row, 0), (float)size - 1);
        sum += weight * (float)map[((size_t)r * size + c) * width + channel];
    }
    return sum / 65535;
}

/* A random point of the coarse mesh. */
typedef struct sample
{
    uint32_t triangle;
    float weight[3];
    float u, v;
    pl_f4 position, normal, tangent;
} sample;

static sample random_sample(const pleat_maps_coarse *coarse, uint32_t *seed)
{
    float a = support_random_float(seed, 0, 1), b = support_random_float(seed, 0, 1);
    bool over = a + b > 1;
    a = over ? 1 - a : a;
    b = over ? 1 - b : b;
    sample s = {.triangle = support_random(seed) % coarse->triangle_count, .weight = {1 - a - b, a, b}};
    s.position = s.normal = s.tangent = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t render = coarse->render_triangles[3 * s.triangle + k], vertex = coarse->triangles[3 * s.triangle + k];
        s.u += s.weight[k] * coarse->uvs[2 * render];
        s.v += s.weight[k] * coarse->uvs[2 * render + 1];
        s.position += pl_load(&coarse->positions[vertex]) * pl_splat(s.weight[k]);
        s.normal += pl_load(&coarse->normals[vertex]) * pl_splat(s.weight[k]);
        s.tangent += pl_load(&coarse->tangents[render]) * pl_splat(s.weight[k]);
    }
    s.normal = pl_normalize3(s.normal);
    s.tangent = pl_normalize3(s.tangent - s.normal * pl_splat(pl_dot3(s.tangent, s.normal)));
    return s;
}

typedef struct verdict
{
    float worst;   /* distance to the wrinkled surface, of the largest height */
    float within;  /* share of samples within 2 % */
    float turned;  /* mean angle between mapped and true normals, radians */
    float highest; /* metres */
} verdict;

static verdict apply(const scene *s, pleat_maps *maps, uint32_t size, uint32_t count)
{
    uint16_t *heights = malloc((size_t)size * size * sizeof *heights);
    uint16_t *normals = malloc(3 * (size_t)size * size * sizeof *normals);
    pleat_height_range range = {0, 0};
    pleat_maps_update(maps, heights, normals, &range, NULL);
    pleat_maps_coarse coarse = pleat_maps_get_coarse(maps);
    const pleat_stack_shape *shape = pleat_stack_get_shape(s->stack);
    const pleat_vec4 *surface = pleat_stack_positions(s->stack);
    pleat_bvh *bvh = NULL;
    assert_int_equal(pleat_bvh_create(shape->surface_count, surface, shape->triangle_count, shape->surface_triangles,
                                      NULL, &bvh, NULL),
                     PLEAT_OK);
    verdict out = {.highest = fmaxf(fabsf(range.low), fabsf(range.high))};
    uint32_t seed = 3, good = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sample at = random_sample(&coarse, &seed);
        float h = range.low + (range.high - range.low) * fetch(heights, size, 1, 0, at.u, at.v);
        pleat_hit hit = pleat_bvh_nearest(bvh, pl_to(at.position + at.normal * pl_splat(h)), 1);
        float error = hit.distance / out.highest;
        good += error <= 0.02f;
        out.worst = fmaxf(out.worst, error);
        const uint32_t *corner = shape->surface_triangles + 3 * hit.triangle;
        pl_f4 p = pl_load(&surface[corner[0]]);
        pl_f4 real = pl_normalize3(pl_cross(pl_load(&surface[corner[1]]) - p, pl_load(&surface[corner[2]]) - p));
        pl_f4 up =
            pl_cross(at.normal, at.tangent) * pl_splat(coarse.tangents[coarse.render_triangles[3 * at.triangle]].w);
        pl_f4 shown = at.tangent * pl_splat(2 * fetch(normals, size, 3, 0, at.u, at.v) - 1) +
                      up * pl_splat(2 * fetch(normals, size, 3, 1, at.u, at.v) - 1) +
                      at.normal * pl_splat(2 * fetch(normals, size, 3, 2, at.u, at.v) - 1);
        out.turned += acosf(fminf(pl_dot3(pl_normalize3(shown), real), 1)) / (float)count;
    }
    out.within = (float)good / (float)count;
    /* What the library says of itself, at places of its own. */
    pleat_maps_error said = pleat_maps_check(maps, heights, range, count);
    assert_true(said.samples + 1 >= count && said.largest == out.highest);
    float apart = fabsf(said.good - out.within); /* by area, not by triangle */
    assert_true(apart < 0.0015f + 0.5f * (1 - out.within) && said.worst < 4 * out.worst + 0.02f);
    for (size_t i = 0; i < (size_t)size * size; ++i)
    {
        heights[i] = (uint16_t)(heights[i] + 4096); /* a sixteenth of the range off */
    }
    assert_true(pleat_maps_check(maps, heights, range, count / 10).good < 0.5f);
    pleat_bvh_destroy(bvh);
    free(normals);
    free(heights);
    return out;
}

static void test_maps_defaults_are_valid_and_the_rest_is_refused(void **state)
{
    (void)state;
    scene s = make_scene("arm", "sleeve", 0, 0.3f, false, 0);
    pleat_maps_destroy(make_maps(&s, 64, NULL));
    pleat_maps *maps = NULL;
#define REFUSE(change, said)                                                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        pleat_maps_desc desc = pleat_maps_desc_default();                                                              \
        pleat_error error = {0};                                                                                       \
        desc.stack = s.stack;                                                                                          \
        change;                                                                                                        \
        assert_int_equal(pleat_maps_create(&desc, NULL, &maps, &error), PLEAT_BAD_ARGUMENT);                           \
        assert_null(maps);                                                                                             \
        assert_non_null(strstr(error.message, said));                                                                  \
    } while (0)
    REFUSE(desc.stack = NULL, "stack is NULL");
    REFUSE(desc.size = 8, "size is 8; it can be 16");
    REFUSE(desc.samples = 5, "samples is 5");
    REFUSE(desc.margin = 100, "margin is 100");
    pleat_model model = *s.model;
    pleat_mesh mesh = model.meshes[0];
    pleat_primitive primitive = mesh.primitives[0];
    primitive.uvs = NULL;
    mesh.primitives = &primitive;
    model.meshes = &mesh;
    pleat_stack_desc bare_desc = pleat_stack_desc_default();
    bare_desc.refine = PLEAT_REFINE_LOOP;
    pleat_stack *bare = NULL;
    bare_desc.model = &model;
    bare_desc.node = model.scene_nodes[0];
    while (model.nodes[bare_desc.node].mesh == PLEAT_NONE)
    {
        ++bare_desc.node;
    }
    assert_int_equal(pleat_stack_create(&bare_desc, NULL, &bare, NULL), PLEAT_OK);
    REFUSE(desc.stack = bare, "'sleeve' has no texture coordinates");
    pleat_stack_destroy(bare);
    free_scene(&s);
}

static void test_maps_reproduce_the_wrinkled_surface(void **state)
{
    (void)state;
    /* A bend, and one so strong that folds touch and hang over: there some lines along normals pass them by. */
    static const float parts[] = {0.15f, 0.25f};
    for (uint32_t i = 0; i < 2; ++i)
    {
        scene s = make_scene("arm", "sleeve", 0, parts[i], true, 0);
        pleat_maps *maps = make_maps(&s, 1024, NULL);
        verdict v = apply(&s, maps, 1024, 20000);
        print_message("arm, 1024: %.2f %% of samples within 2 %% of %.1f mm, worst %.1f %%\n", (double)(100 * v.within),
                      (double)(1000 * v.highest), (double)(100 * v.worst));
        assert_true(v.highest > 0.003f); /* there are folds */
        assert_true(v.within > (i == 0 ? 0.9999f : 0.9995f));
        assert_true(v.turned < 0.06f); /* the true ones are those of flat triangles, 10 degrees apart */
        pleat_maps_destroy(maps);
        free_scene(&s);
    }
}

/* ---- Where no height exists ---- */

/* How often the line from a point along a normal meets the surface between two heights: by Embree, from hit to hit.
 * height: receives that of the last. */
static uint32_t count_hits(const judge_embree *embree, pl_f4 position, pl_f4 normal, pleat_height_range band,
                           float *height)
{
    float t = 0, reach = band.high - band.low;
    uint32_t count = 0;
    pleat_vec4 origin = pl_to(position + normal * pl_splat(band.low));
    while (count < 64)
    {
        judge_hit hit = judge_embree_ray(embree, origin, pl_to(normal), t, reach);
        if (hit.triangle == UINT32_MAX)
        {
            break;
        }
        ++count;
        *height = band.low + hit.distance;
        t = hit.distance + 1e-6f;
    }
    return count;
}

/* The point of a coarse triangle, continued past its edges, that lies at a place of the texture; false on slivers. */
static bool point_at(const pleat_maps_coarse *coarse, uint32_t triangle, float u, float v, pl_f4 *position,
                     pl_f4 *normal)
{
    const uint32_t *render = coarse->render_triangles + 3 * triangle, *corner = coarse->triangles + 3 * triangle;
    const float *a = coarse->uvs + 2 * render[0], *b = coarse->uvs + 2 * render[1], *c = coarse->uvs + 2 * render[2];
    float area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    float w[3] = {0, ((u - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (v - a[1])) / area,
                  ((b[0] - a[0]) * (v - a[1]) - (u - a[0]) * (b[1] - a[1])) / area};
    w[0] = 1 - w[1] - w[2];
    *position = *normal = pl_splat(0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        *position += pl_load(&coarse->positions[corner[k]]) * pl_splat(w[k]);
        *normal += pl_load(&coarse->normals[corner[k]]) * pl_splat(w[k]);
    }
    *normal = pl_normalize3(*normal);
    return fabsf(area) > 0;
}

/* Whether the surface is one height over the coarse mesh at a sample and at the texels around it, two in each
 * direction: every line meets it once; and the true heights at the four texels that a read takes lead to the surface:
 * it is no wall that stands between two texels. */
static bool is_height_field(const judge_embree *embree, const pleat_maps_coarse *coarse, const sample *at,
                            uint32_t size, pleat_height_range band)
{
    float x = at->u * (float)size - 0.5f, y = at->v * (float)size - 0.5f, read = 0, height = 0;
    for (int i = 0; i < 36; ++i)
    {
        float column = floorf(x) + (float)(i % 6 - 2), row = floorf(y) + (float)(i / 6 - 2);
        pl_f4 position, normal;
        if (!point_at(coarse, at->triangle, (column + 0.5f) / (float)size, (row + 0.5f) / (float)size, &position,
                      &normal) ||
            count_hits(embree, position, normal, band, &height) != 1)
        {
            return false;
        }
        read += fmaxf(1 - fabsf(x - column), 0) * fmaxf(1 - fabsf(y - row), 0) * height;
    }
    float largest = fmaxf(fabsf(band.low), fabsf(band.high));
    pleat_vec4 shown = pl_to(at->position + at->normal * pl_splat(read));
    return count_hits(embree, at->position, at->normal, band, &height) == 1 &&
           judge_embree_nearest(embree, shown, 1).distance <= 0.02f * largest;
}

/* Wherever the map is off by more than 2 %, the surface is no height over the coarse mesh. Returns how many places that
 * is; fails at a place where a height exists. */
static uint32_t prove_misses(const scene *s, pleat_maps *maps, uint32_t size, uint32_t count)
{
    uint16_t *heights = malloc((size_t)size * size * sizeof *heights);
    pleat_height_range range = {0, 0};
    pleat_maps_update(maps, heights, NULL, &range, NULL);
    pleat_maps_coarse coarse = pleat_maps_get_coarse(maps);
    const pleat_stack_shape *shape = pleat_stack_get_shape(s->stack);
    judge_embree *embree = judge_embree_create(shape->surface_count, pleat_stack_positions(s->stack),
                                               shape->triangle_count, shape->surface_triangles, false);
    float largest = fmaxf(fabsf(range.low), fabsf(range.high));
    uint32_t seed = 5, missed = 0, fields = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sample at = random_sample(&coarse, &seed);
        float h = range.low + (range.high - range.low) * fetch(heights, size, 1, 0, at.u, at.v);
        pl_f4 shown = at.position + at.normal * pl_splat(h);
        if (judge_embree_nearest(embree, pl_to(shown), 1).distance > 0.02f * largest)
        {
            bool field = is_height_field(embree, &coarse, &at, size, range);
            if (field)
            {
                print_message("triangle %u at %g %g: %.1f %% off, and a height exists\n", at.triangle, (double)at.u,
                              (double)at.v,
                              (double)(100 * judge_embree_nearest(embree, pl_to(shown), 1).distance / largest));
            }
            fields += field;
            ++missed;
        }
    }
    assert_int_equal(fields, 0);
    judge_embree_destroy(embree);
    free(heights);
    return missed;
}

/* A test of the test above: most of the surface is a height field by its measure. */
static float share_of_height_field(const scene *s, pleat_maps *maps, uint32_t size, uint32_t count)
{
    pleat_height_range range = {0, 0};
    pleat_maps_update(maps, NULL, NULL, &range, NULL);
    pleat_maps_coarse coarse = pleat_maps_get_coarse(maps);
    const pleat_stack_shape *shape = pleat_stack_get_shape(s->stack);
    judge_embree *embree = judge_embree_create(shape->surface_count, pleat_stack_positions(s->stack),
                                               shape->triangle_count, shape->surface_triangles, false);
    uint32_t seed = 8, fields = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sample at = random_sample(&coarse, &seed);
        fields += is_height_field(embree, &coarse, &at, size, range);
    }
    judge_embree_destroy(embree);
    return (float)fields / (float)count;
}

static void test_maps_of_heights_miss_only_where_there_is_none(void **state)
{
    (void)state;
    static const struct
    {
        const char *character, *mesh;
        bool atlas;
        float part;
        uint32_t size;
    } cases[] = {{"arm", "sleeve", false, 0.25f, 1024},
                 {"dancer", "leotard", true, 0.3f, 2048},
                 {"dancer", "leotard", true, 0.5f, 2048},
                 {"dancer", "leotard", false, 0.5f, 2048}};
    for (uint32_t i = 0; i < (support_is_long() ? 4 : 1); ++i)
    {
        scene s = make_scene_on(cases[i].character, cases[i].mesh, cases[i].atlas, i > 0, cases[i].part, true, 0);
        pleat_maps *maps = make_maps(&s, cases[i].size, NULL);
        uint32_t missed = prove_misses(&s, maps, cases[i].size, 100000);
        float share = share_of_height_field(&s, maps, cases[i].size, 2000);
        print_message(
            "%s: %u of 100000 places beyond 2 %%, none of them over a height; %.1f %% of the surface is one\n",
            cases[i].mesh, missed, (double)(100 * share));
        assert_true(missed < 200 && share > 0.8f);
        pleat_maps_destroy(maps);
        free_scene(&s);
    }
}

/* On an atlas and on its own charts every place of the leotard has texels of its own. */
static void test_maps_of_a_garment(void **state)
{
    (void)state;
    /* In the first of each cloth lies in deep creases, where some lines along normals pass it by. */
    static const struct
    {
        bool atlas;
        float part;
    } cases[] = {{true, 0.5f}, {true, 0.8f}, {false, 0.5f}, {false, 0.8f}};
    for (uint32_t i = 0; i < (support_is_long() ? 4 : 1); ++i)
    {
        scene s = make_scene_on("dancer", "leotard", cases[i].atlas, 1, cases[i].part, true, 0);
        pleat_maps *maps = make_maps(&s, 2048, NULL);
        assert_true(pleat_maps_get_cover(maps).shared == 0); /* nothing is drawn yet */
        verdict v = apply(&s, maps, 2048, 20000);
        pleat_maps_cover cover = pleat_maps_get_cover(maps);
        print_message("leotard, 2048: %.2f %% of samples within 2 %% of %.1f mm, worst %.1f %%; %.1f %% searched\n",
                      (double)(100 * v.within), (double)(1000 * v.highest), (double)(100 * v.worst),
                      (double)(100 * cover.repaired));
        assert_true(cover.shared == 0 && cover.drawn > 0.35f);
        assert_true(v.within > (i % 2 == 0 ? 0.9985f : 0.9999f));
        pleat_maps_destroy(maps);
        free_scene(&s);
    }
}

/* A vector leads from a place on the coarse mesh to the very point that subdivision made of it: in the coarse mesh's
 * tangent space and in the world's axes the same. */
static void check_vectors(const scene *s, uint32_t size)
{
    pleat_maps *maps = make_maps(s, size, NULL);
    size_t texels = (size_t)size * size;
    uint16_t *tangent = malloc(3 * texels * sizeof *tangent), *world = malloc(3 * texels * sizeof *world);
    pleat_height_range range = {0, 0}, world_range = {0, 0};
    pleat_maps_vectors(maps, PLEAT_MAPS_FRAME, PLEAT_MAPS_WORLD, world, NULL, &world_range, NULL);
    pleat_maps_vectors(maps, PLEAT_MAPS_FRAME, PLEAT_MAPS_TANGENT, tangent, NULL, &range, NULL);
    assert_true(range.high > 0.005f && range.low == -range.high && world_range.low == -world_range.high);
    pleat_maps_coarse coarse = pleat_maps_get_coarse(maps);
    const pleat_stack_shape *shape = pleat_stack_get_shape(s->stack);
    pleat_bvh *bvh = NULL;
    assert_int_equal(pleat_bvh_create(shape->surface_count, pleat_stack_positions(s->stack), shape->triangle_count,
                                      shape->surface_triangles, NULL, &bvh, NULL),
                     PLEAT_OK);
    uint32_t seed = 11, far = 0;
    float worst = 0, apart = 0;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        sample at = random_sample(&coarse, &seed);
        pl_f4 up =
            pl_cross(at.normal, at.tangent) * pl_splat(coarse.tangents[coarse.render_triangles[3 * at.triangle]].w);
        float t[3], w[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            t[k] = range.low + (range.high - range.low) * fetch(tangent, size, 3, k, at.u, at.v);
            w[k] = world_range.low + (world_range.high - world_range.low) * fetch(world, size, 3, k, at.u, at.v);
        }
        pl_f4 there = at.position + at.tangent * pl_splat(t[0]) + up * pl_splat(t[1]) + at.normal * pl_splat(t[2]);
        pl_f4 also = at.position + pl_set(w[0], w[1], w[2], 0);
        worst = fmaxf(worst, pleat_bvh_nearest(bvh, pl_to(also), 1).distance / range.high);
        apart = fmaxf(apart, pl_length3(there - also) / range.high);
        far += pleat_bvh_nearest(bvh, pl_to(there), 1).distance > 0.02f * range.high;
    }
    print_message("vectors, %u: worst %.2f %% of %.1f mm; in tangent space %u of 20000 beyond 2 %%\n", size,
                  (double)(100 * worst), (double)(1000 * range.high), far);
    assert_true(worst <= 0.02f);
    assert_int_equal(far, 0);
    assert_true(apart < 0.02f);
    /* What the library says of itself, at places of its own; and of a map that is wrong. */
    pleat_maps_error said = pleat_maps_check_vectors(maps, tangent, PLEAT_MAPS_TANGENT, range, 0, 5000);
    assert_true(said.worst <= 0.02f && said.good == 1 && said.largest == range.high);
    assert_true(pleat_maps_check_vectors(maps, tangent, PLEAT_MAPS_WORLD, range, 0, 5000).good < 0.99f);
    pleat_bvh_destroy(bvh);
    free(world);
    free(tangent);
    pleat_maps_destroy(maps);
}

static void test_maps_of_vectors_lead_to_the_surface(void **state)
{
    (void)state;
    scene arm = make_scene("arm", "sleeve", 0, 0.25f, true, 0);
    check_vectors(&arm, 1024);
    free_scene(&arm);
    if (!support_is_long())
    {
        return;
    }
    /* In this frame some lines along normals meet no surface at all. */
    scene leotard = make_scene_on("dancer", "leotard", true, 1, 0.3f, true, 0);
    check_vectors(&leotard, 2048);
    free_scene(&leotard);
}

/* Loop subdivision alone moves points along the surface as well as off it. */
static void test_maps_hold_what_subdivision_does(void **state)
{
    (void)state;
    scene s = make_scene("arm", "sleeve", 0, 0.2f, false, 2);
    pleat_maps *maps = make_maps(&s, 512, NULL);
    uint16_t *heights = malloc(512 * 512 * sizeof *heights);
    pleat_height_range range = {0, 0};
    pleat_maps_update(maps, heights, NULL, &range, NULL);
    verdict v = apply(&s, maps, 512, 5000);
    print_message("subdivision: %.4f mm of %.2f mm\n", 1e3 * (double)v.worst * (double)v.highest,
                  1e3 * (double)v.highest);
    assert_true((double)v.worst * (double)v.highest < 4e-5);
    /* A range that is given is kept, and heights are cut to it. */
    pleat_height_range given = {0, 1e-3f};
    pleat_maps_update(maps, heights, NULL, &given, NULL);
    assert_true(given.low == 0 && given.high == 1e-3f);
    free(heights);
    pleat_maps_destroy(maps);
    free_scene(&s);
}

/* How much a map changes within half a texel of a place: no two charts lie alike on its texels. */
static float change_around(const uint16_t *map, uint32_t size, float u, float v)
{
    float here = fetch(map, size, 1, 0, u, v), half = 0.5f / (float)size, most = 0;
    for (int i = 0; i < 4; ++i)
    {
        float du = i % 2 ? half : -half, dv = i / 2 ? half : -half;
        most = fmaxf(most, fabsf(fetch(map, size, 1, 0, u + du, v + dv) - here));
    }
    return most;
}

/* The largest and the mean difference between what is read on both sides of seams, of the range; of the largest, what
 * texels do not explain. */
static void read_seams(const pleat_maps *maps, const uint16_t *heights, uint32_t size, float *worst, float *mean)
{
    pleat_maps_coarse coarse = pleat_maps_get_coarse(maps);
    pleat_topology *topology = NULL;
    assert_int_equal(
        pleat_topology_create(coarse.vertex_count, coarse.triangle_count, coarse.triangles, NULL, &topology, NULL),
        PLEAT_OK);
    uint32_t count = 0;
    double sum = 0;
    *worst = 0;
    for (uint32_t c = 0; c < 3 * coarse.triangle_count; ++c)
    {
        uint32_t twin = topology->twin[c];
        if (twin >= PLEAT_NON_MANIFOLD || twin < c)
        {
            continue;
        }
        const uint32_t *render = coarse.render_triangles;
        const float *a = coarse.uvs + 2 * render[c], *b = coarse.uvs + 2 * render[c - c % 3 + (c + 1) % 3];
        const float *d = coarse.uvs + 2 * render[twin], *e = coarse.uvs + 2 * render[twin - twin % 3 + (twin + 1) % 3];
        for (uint32_t i = 0; i <= 8 && (a[0] != e[0] || a[1] != e[1]); ++i)
        {
            float w = (float)i / 8;
            float uv[2][2] = {{a[0] + w * (b[0] - a[0]), a[1] + w * (b[1] - a[1])},
                              {e[0] + w * (d[0] - e[0]), e[1] + w * (d[1] - e[1])}};
            float here = fetch(heights, size, 1, 0, uv[0][0], uv[0][1]);
            float there = fetch(heights, size, 1, 0, uv[1][0], uv[1][1]), apart = fabsf(here - there);
            if (apart > *worst)
            {
                apart -= fminf(change_around(heights, size, uv[0][0], uv[0][1]),
                               change_around(heights, size, uv[1][0], uv[1][1]));
                *worst = fmaxf(*worst, apart);
            }
            sum += (double)fabsf(here - there);
            ++count;
        }
    }
    assert_true(count > 100);
    *mean = (float)(sum / count);
    pleat_topology_destroy(topology);
}

static void test_maps_match_on_both_sides_of_a_seam(void **state)
{
    (void)state;
    static const struct
    {
        const char *character, *mesh;
        bool atlas;
        float part;
    } cases[] = {{"arm", "sleeve", false, 0.25f},    {"arm", "sleeve", true, 0.25f},
                 {"dancer", "leotard", true, 0.8f},  {"dancer", "leotard", true, 0.5f},
                 {"dancer", "leotard", false, 0.8f}, {"dancer", "leotard", false, 0.5f}};
    for (uint32_t i = 0; i < (support_is_long() ? 6 : 2); ++i)
    {
        scene s = make_scene_on(cases[i].character, cases[i].mesh, cases[i].atlas, i >= 2, cases[i].part, true, 0);
        pleat_maps *maps = make_maps(&s, 2048, NULL);
        uint16_t *heights = malloc(2048 * 2048 * sizeof *heights);
        pleat_height_range range = {0, 0};
        float worst, mean;
        pleat_maps_update(maps, heights, NULL, &range, NULL);
        read_seams(maps, heights, 2048, &worst, &mean);
        print_message("seams of the %s: %.3f %% of the range apart, the worst %.2f %%\n", cases[i].mesh,
                      (double)(100 * mean), (double)(100 * worst));
        assert_true(mean < 0.0005f && worst < 0.02f);
        free(heights);
        pleat_maps_destroy(maps);
        free_scene(&s);
    }
}

static void test_maps_of_values_continue_past_the_charts(void **state)
{
    (void)state;
    enum
    {
        SIZE = 256
    };
    scene s = make_scene("dancer", "leotard", 0, 0, false, 0);
    pleat_maps *maps = make_maps(&s, SIZE, NULL);
    uint32_t count = pleat_stack_get_shape(s.stack)->surface_count;
    float *mask = malloc(count * sizeof *mask), *ones = malloc(2 * count * sizeof *ones);
    uint16_t *out = malloc(2 * SIZE * SIZE * sizeof *out), *drawn = malloc(SIZE * SIZE * sizeof *drawn);
    for (uint32_t v = 0; v < count; ++v)
    {
        ones[2 * v] = 1;
        ones[2 * v + 1] = 0.25f;
    }
    pleat_maps_values(maps, ones, 2, out, NULL);
    pleat_maps_coarse coarse = pleat_maps_get_coarse(maps);
    uint32_t seed = 5, filled = 0;
    for (uint32_t i = 0; i < 5000; ++i)
    {
        sample at = random_sample(&coarse, &seed);
        assert_true(fetch(out, SIZE, 2, 0, at.u, at.v) > 0.9999f); /* with its neighbours: borders are continued */
        assert_true(fabsf(fetch(out, SIZE, 2, 1, at.u, at.v) - 0.25f) < 1e-4f);
    }
    for (uint32_t i = 0; i < SIZE * SIZE; ++i)
    {
        filled += out[2 * i] > 0;
    }
    assert_true(filled > SIZE * SIZE / 8 && filled < SIZE * SIZE); /* and not everywhere */

    /* Masks by joint: of all joints together 1, of none 0. */
    pleat_maps_joint_mask(maps, "*", mask);
    for (uint32_t v = 0; v < count; ++v)
    {
        assert_true(fabsf(mask[v] - 1) < 1e-4f);
    }
    pleat_maps_joint_mask(maps, "no such joint", mask);
    pleat_maps_values(maps, mask, 1, drawn, NULL);
    for (uint32_t i = 0; i < SIZE * SIZE; ++i)
    {
        assert_int_equal(drawn[i], 0);
    }
    free(drawn);
    free(out);
    free(ones);
    free(mask);
    pleat_maps_destroy(maps);
    free_scene(&s);
}

static uint64_t hash_with(const scene *s, uint32_t threads)
{
    pleat_pool *pool = NULL;
    assert_int_equal(pleat_pool_create(threads, &pool, NULL), PLEAT_OK);
    pleat_host host = pleat_host_default();
    host.tasks = pleat_pool_tasks(pool);
    pleat_maps *maps = make_maps(s, 256, &host);
    uint16_t *heights = malloc(256 * 256 * sizeof *heights), *normals = malloc(3 * 256 * 256 * sizeof *normals);
    pleat_maps_update(maps, heights, normals, NULL, &host.tasks);
    uint64_t hash = support_hash(SUPPORT_HASH, heights, 256 * 256 * sizeof *heights);
    hash = support_hash(hash, normals, 3 * 256 * 256 * sizeof *normals);
    free(normals);
    free(heights);
    pleat_maps_destroy(maps);
    pleat_pool_destroy(pool);
    return hash;
}

static void test_maps_are_the_same_for_any_threads(void **state)
{
    (void)state;
    scene s = make_scene("arm", "sleeve", 0, 0.25f, true, 0);
    uint64_t one = hash_with(&s, 1);
    assert_true(hash_with(&s, 2) == one);
    assert_true(hash_with(&s, 4) == one);
    free_scene(&s);
}

static pleat_result create_maps(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_maps_desc desc = pleat_maps_desc_default();
    pleat_maps *maps = NULL;
    desc.stack = user;
    desc.size = 32;
    pleat_result result = pleat_maps_create(&desc, host, &maps, error);
    assert_true((result == PLEAT_OK) == (maps != NULL));
    pleat_maps_destroy(maps);
    return result;
}

static void test_maps_survive_failing_allocations(void **state)
{
    (void)state;
    scene s = make_scene("arm", "sleeve", 0, 0.1f, false, 0);
    support_sweep_allocations(create_maps, s.stack);
    free_scene(&s);
}

static void test_maps_of_vertices_hold_a_clip(void **state)
{
    (void)state;
    enum
    {
        VERTICES = 9001, /* two blocks of rows */
        FRAMES = 3
    };
    pleat_vat_layout layout = pleat_vat_layout_of(VERTICES, FRAMES);
    assert_true(layout.frame_count == 3 && layout.width == 4501 && layout.height == 6);
    pleat_vec3 *positions = malloc(VERTICES * sizeof *positions), low = {-2, 0, 1}, high = {2, 1, 3};
    uint16_t *words = calloc(3 * (size_t)layout.width * layout.height, sizeof *words);
    uint16_t *turned = calloc(3 * (size_t)layout.width * layout.height, sizeof *turned);
    uint32_t seed = 9;
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            positions[v] = (pleat_vec3){support_random_float(&seed, -2, 2), support_random_float(&seed, 0, 1),
                                        support_random_float(&seed, 1, 3)};
        }
        pleat_vat_frame(&layout, f, VERTICES, positions, positions, low, high, words, turned);
        for (uint32_t v = 0; v < VERTICES; v += 17)
        {
            /* One row further down for each frame, whichever block a vertex is in. */
            size_t row = (size_t)(v / layout.width) * FRAMES + f;
            const uint16_t *at = words + 3 * (row * layout.width + v % layout.width);
            assert_true(fabsf(-2 + 4 * (float)at[0] / 65535 - positions[v].x) < 4e-5f);
            assert_true(fabsf(1 + 2 * (float)at[2] / 65535 - positions[v].z) < 2e-5f);
        }
    }
    free(turned);
    free(words);
    free(positions);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps_defaults_are_valid_and_the_rest_is_refused),
        cmocka_unit_test(test_maps_reproduce_the_wrinkled_surface),
        cmocka_unit_test(test_maps_of_a_garment),
        cmocka_unit_test(test_maps_of_heights_miss_only_where_there_is_none),
        cmocka_unit_test(test_maps_of_vectors_lead_to_the_surface),
        cmocka_unit_test(test_maps_hold_what_subdivision_does),
        cmocka_unit_test(test_maps_match_on_both_sides_of_a_seam),
        cmocka_unit_test(test_maps_of_values_continue_past_the_charts),
        cmocka_unit_test(test_maps_are_the_same_for_any_threads),
        cmocka_unit_test(test_maps_survive_failing_allocations),
        cmocka_unit_test(test_maps_of_vertices_hold_a_clip),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_maps_of_heights_miss_only_where_there_is_none),
        cmocka_unit_test(test_maps_of_a_garment),
        cmocka_unit_test(test_maps_of_vectors_lead_to_the_surface),
        cmocka_unit_test(test_maps_match_on_both_sides_of_a_seam),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}

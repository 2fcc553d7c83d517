/* The built-in characters: valid, of the promised measures, smooth, and the same on every run. */
#include "support/support.h"

#include "pleat/make.h"
#include "pleat/mesh.h"
#include "pleat/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pleat_made *make(const char *name, const pleat_make_options *options)
{
    pleat_made *made = NULL;
    pleat_error error = {0};
    if (pleat_make(name, options, NULL, &made, &error) != PLEAT_OK)
    {
        fail_msg("%s: %s", name, error.message);
    }
    return made;
}

/* Every character is made once, for all tests, when the first asks for it. */
enum
{
    MOST = 16
};
static pleat_made *all[MOST];

static const pleat_model *model_at(uint32_t index)
{
    assert_true(index < MOST);
    all[index] = all[index] ? all[index] : make(pleat_make_name(index), NULL);
    return pleat_made_model(all[index]);
}

static int destroy_all(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MOST; ++i)
    {
        pleat_made_destroy(all[i]);
    }
    return 0;
}

static const pleat_model *model_of(const char *name)
{
    for (uint32_t i = 0; i < pleat_make_count(); ++i)
    {
        if (strcmp(name, pleat_make_name(i)) == 0)
        {
            return model_at(i);
        }
    }
    fail_msg("no character %s", name);
    return NULL;
}

static const pleat_clip *find_clip(const pleat_model *model, const char *name)
{
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        if (strcmp(model->clips[c].name, name) == 0)
        {
            return &model->clips[c];
        }
    }
    fail_msg("no clip %s", name);
    return NULL;
}

/* All primitives of a mesh as one welded surface with its topology. */
typedef struct welded
{
    pleat_vec3 *positions; /* render vertices */
    uint32_t *triangles;
    pleat_surface *surface;
    pleat_topology *topology;
    uint32_t boundary_edges, bad_edges;
    int euler;
} welded;

static welded weld(const pleat_mesh *mesh)
{
    welded w = {0};
    uint32_t vertex_count = 0, corner_count = 0;
    pleat_surface_desc desc = pleat_surface_desc_default();
    desc.render_count = pleat_mesh_vertex_count(mesh);
    desc.triangle_count = pleat_mesh_triangle_count(mesh);
    w.positions = malloc(desc.render_count * sizeof *w.positions);
    w.triangles = malloc(3 * sizeof *w.triangles * desc.triangle_count);
    assert_true(w.positions && w.triangles);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        memcpy(&w.positions[vertex_count], primitive->positions, primitive->vertex_count * sizeof *w.positions);
        for (uint32_t c = 0; c < 3 * primitive->triangle_count; ++c)
        {
            w.triangles[corner_count++] = primitive->triangles[c] + vertex_count;
        }
        vertex_count += primitive->vertex_count;
    }
    desc.positions = w.positions;
    desc.triangles = w.triangles;
    assert_int_equal(pleat_surface_create(&desc, NULL, &w.surface, NULL), PLEAT_OK);
    assert_int_equal(pleat_topology_create(w.surface->vertex_count, w.surface->triangle_count, w.surface->triangles,
                                           NULL, &w.topology, NULL),
                     PLEAT_OK);
    for (uint32_t c = 0; c < corner_count; ++c)
    {
        w.boundary_edges += w.topology->twin[c] == PLEAT_BOUNDARY;
        w.bad_edges += w.topology->twin[c] == PLEAT_NON_MANIFOLD;
    }
    w.euler = (int)w.surface->vertex_count - (int)w.topology->edge_count + (int)w.surface->triangle_count;
    return w;
}

static void unweld(welded *w)
{
    pleat_topology_destroy(w->topology);
    pleat_surface_destroy(w->surface);
    free(w->positions);
    free(w->triangles);
}

static const pleat_mesh *find_mesh(const pleat_model *model, const char *name)
{
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        if (strcmp(model->meshes[m].name, name) == 0)
        {
            return &model->meshes[m];
        }
    }
    fail_msg("no mesh %s", name);
    return NULL;
}

/* ---- All of them ---- */

static void test_make_every_character_is_valid(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < pleat_make_count(); ++i)
    {
        pleat_error error = {0};
        bool twin = strcmp(pleat_make_name(i), "shirt") == 0; /* made as the skirt is */
        if ((!twin || support_is_long()) && pleat_model_validate(model_at(i), &error) != PLEAT_OK)
        {
            fail_msg("%s: %s", pleat_make_name(i), error.message);
        }
        assert_non_null(pleat_make_about(i));
    }
    assert_null(pleat_make_name(pleat_make_count()));
    assert_null(pleat_make_about(pleat_make_count()));
}

static void expect_rejected(const char *name, const pleat_make_options *options, const char *word)
{
    pleat_made *made = (pleat_made *)&name;
    pleat_error error = {0};
    assert_int_equal(pleat_make(name, options, NULL, &made, &error), PLEAT_BAD_ARGUMENT);
    assert_null(made);
    assert_non_null(strstr(error.message, word));
}

static void test_make_rejects_unknown_names_and_bad_options(void **state)
{
    (void)state;
    expect_rejected("leg", NULL, "rectangle");
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 2;
    expect_rejected("arm", &options, "arm_around");
    options = pleat_make_options_default();
    options.arm_along = 1;
    expect_rejected("arm", &options, "arm_along");
    options = pleat_make_options_default();
    options.arm_blend = NAN;
    expect_rejected("arm", &options, "arm_blend");
    options = pleat_make_options_default();
    options.cloth_quads = 1;
    expect_rejected("rectangle", &options, "cloth_quads");
}

static uint64_t hash_primitive(uint64_t hash, const pleat_mesh *mesh, const pleat_primitive *primitive)
{
    size_t count = primitive->vertex_count;
    hash = support_hash(hash, primitive->positions, count * sizeof *primitive->positions);
    hash = support_hash(hash, primitive->normals, count * sizeof *primitive->normals);
    hash = support_hash(hash, primitive->triangles, 12 * (size_t)primitive->triangle_count);
    if (primitive->influence_count)
    {
        hash = support_hash(hash, primitive->joints, count * primitive->influence_count * sizeof(uint16_t));
        hash = support_hash(hash, primitive->weights, count * primitive->influence_count * sizeof(float));
    }
    for (uint32_t t = 0; t < mesh->target_count && primitive->targets; ++t)
    {
        hash = support_hash(hash, primitive->targets[t].positions, count * sizeof(pleat_vec3));
    }
    return hash;
}

static uint64_t hash_model(const pleat_model *model)
{
    uint64_t hash = SUPPORT_HASH;
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        for (uint32_t p = 0; p < model->meshes[m].primitive_count; ++p)
        {
            hash = hash_primitive(hash, &model->meshes[m], &model->meshes[m].primitives[p]);
        }
    }
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        for (uint32_t h = 0; h < model->clips[c].channel_count; ++h)
        {
            const pleat_channel *channel = &model->clips[c].channels[h];
            hash = support_hash(hash, channel->values, (size_t)channel->key_count * channel->width * sizeof(float));
        }
    }
    return hash;
}

/* All but the dancer in her skirt and her shirt: pleat demo writes them twice (demo.sh). */
static void test_make_gives_the_same_bits_twice(void **state)
{
    (void)state;
    static const char *const names[] = {"arm", "hand", "belly", "rectangle", "towel"};
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        pleat_made *second = make(names[i], NULL);
        assert_true(hash_model(model_of(names[i])) == hash_model(pleat_made_model(second)));
        pleat_made_destroy(second);
    }
}

/* ---- The arm ---- */

static void test_make_arm_has_exact_rings(void **state)
{
    (void)state;
    const pleat_model *model = model_of("arm");
    const pleat_primitive *sleeve = &model->meshes[0].primitives[0];
    const uint32_t around = 72;
    const uint32_t along = 300;
    assert_int_equal(sleeve->vertex_count, (around + 1) * along);
    assert_int_equal(sleeve->triangle_count, 2 * around * (along - 1));
    for (uint32_t v = 0; v < sleeve->vertex_count; ++v)
    {
        uint32_t i = v % (around + 1);
        pleat_vec3 p = sleeve->positions[v];
        /* The meridian's x and z, the ring's y, bit for bit; the seam's second vertex lies on the first. */
        assert_true(p.x == sleeve->positions[i % around].x && p.z == sleeve->positions[i % around].z);
        assert_true(p.y == sleeve->positions[v - i].y);
        assert_true(fabsf(hypotf(p.x, p.z) - 0.05f) < 1e-7f);
    }
    assert_true(sleeve->positions[0].y == -0.3f && sleeve->positions[sleeve->vertex_count - 1].y == 0.3f);
    for (uint32_t t = 0; t < sleeve->triangle_count; ++t)
    {
        const uint32_t *v = &sleeve->triangles[3 * t];
        pleat_vec3 a = sleeve->positions[v[0]], b = sleeve->positions[v[1]], c = sleeve->positions[v[2]];
        float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, wx = c.x - a.x, wy = c.y - a.y, wz = c.z - a.z;
        float out = (uy * wz - uz * wy) * a.x + (ux * wy - uy * wx) * a.z;
        assert_true(out > 0);
    }
}

static void test_make_arm_bends_to_150_degrees_and_back(void **state)
{
    (void)state;
    const pleat_model *model = model_of("arm");
    const pleat_clip *bend = find_clip(model, "bend");
    const pleat_channel *turn = &bend->channels[0];
    float largest = 0;
    for (uint32_t k = 0; k < turn->key_count; ++k)
    {
        largest = fmaxf(largest, 2 * acosf(turn->values[4 * k + 3]));
    }
    assert_true(fabsf(largest - 150 * 3.14159265f / 180) < 1e-3f);
    assert_true(turn->values[3] == 1 && turn->values[4 * turn->key_count - 1] > 1 - 1e-6f);
    assert_true(bend->end == 4);
    find_clip(model, "twist");
}

static void test_make_arm_takes_other_resolutions(void **state)
{
    (void)state;
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 12;
    options.arm_along = 40;
    pleat_made *made = make("arm", &options);
    assert_int_equal(pleat_made_model(made)->meshes[0].primitives[0].vertex_count, 13 * 40);
    pleat_made_destroy(made);
}

static pleat_result make_small_arm(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_make_options options = pleat_make_options_default();
    options.arm_around = 12;
    options.arm_along = 10;
    pleat_made *made = NULL;
    pleat_result result = pleat_make("arm", &options, host, &made, error);
    assert_true((result == PLEAT_OK) == (made != NULL));
    pleat_made_destroy(made);
    return result;
}

static pleat_result make_small_rectangle(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_make_options options = pleat_make_options_default();
    options.cloth_quads = 2;
    pleat_made *made = NULL;
    pleat_result result = pleat_make("rectangle", &options, host, &made, error);
    pleat_made_destroy(made);
    return result;
}

static void test_make_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(make_small_arm, NULL);
    support_sweep_allocations(make_small_rectangle, NULL);
}

/* ---- The rectangle ---- */

static float row_length(const pleat_vec3 *points, uint32_t first, uint32_t count)
{
    float length = 0;
    for (uint32_t i = first + 1; i < first + count; ++i)
    {
        length += hypotf(points[i].x - points[i - 1].x, points[i].z - points[i - 1].z);
    }
    return length;
}

static void test_make_rectangle_is_compressed_at_the_front_alone(void **state)
{
    (void)state;
    const pleat_model *model = model_of("rectangle");
    const pleat_points *points = &find_clip(model, "compress")->points;
    const uint32_t row = 21;
    assert_int_equal(points->vertex_count, row * row);
    pleat_vec3 frame[21 * 21];
    assert_int_equal(points->read(points->user, 0, frame, NULL), PLEAT_OK);
    assert_memory_equal(frame, model->meshes[0].primitives[0].positions, sizeof frame);
    assert_int_equal(points->read(points->user, 60, frame, NULL), PLEAT_OK);
    assert_true(fabsf(row_length(frame, 0, row) - 1) < 1e-6f);
    assert_true(fabsf(row_length(frame, row * (row - 1), row) - 0.64f) < 1e-6f);
    for (uint32_t j = 1; j < row; ++j)
    {
        assert_true(row_length(frame, row * j, row) < row_length(frame, row * (j - 1), row));
    }
}

/* ---- Cloth that moves by itself ---- */

static const struct
{
    const char *character, *mesh, *clip;
} cloths[] = {{"rectangle", "cloth", "compress"},
              {"towel", "towel", "push"},
              {"skirt", "skirt", "arabesque"},
              {"shirt", "shirt", "twist"}};

/* The last of them is made as the one before it, and takes two seconds. */
static uint32_t cloth_count(void)
{
    return sizeof cloths / sizeof cloths[0] - !support_is_long();
}

/* The morph targets and the points say the same: one target a frame, alone at its key. */
static void test_make_cloth_targets_agree_with_points(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < cloth_count(); ++i)
    {
        const pleat_model *model = model_of(cloths[i].character);
        const pleat_clip *clip = find_clip(model, cloths[i].clip);
        const pleat_mesh *mesh = find_mesh(model, cloths[i].mesh);
        const pleat_points *points = &clip->points;
        const pleat_channel *weights = NULL;
        assert_string_equal(model->meshes[model->nodes[points->node].mesh].name, cloths[i].mesh);
        assert_in_range(points->vertex_count, 300, 1300);
        assert_int_equal(mesh->target_count, points->frame_count);
        for (uint32_t h = 0; h < clip->channel_count; ++h)
        {
            weights = clip->channels[h].path == PLEAT_WEIGHTS ? &clip->channels[h] : weights;
        }
        assert_non_null(weights);
        pleat_vec3 *frame = malloc(points->vertex_count * sizeof *frame);
        assert_non_null(frame);
        for (uint32_t f = 0; f < points->frame_count; f += 20)
        {
            assert_int_equal(points->read(points->user, f, frame, NULL), PLEAT_OK);
            for (uint32_t t = 0; t < mesh->target_count; ++t)
            {
                assert_true(weights->values[f * mesh->target_count + t] == (t == f ? 1.0f : 0.0f));
            }
            for (uint32_t v = 0; v < points->vertex_count; ++v)
            {
                pleat_vec3 base = mesh->primitives[0].positions[v];
                pleat_vec3 move = mesh->primitives[0].targets[f].positions[v];
                assert_true(fabsf(base.x + move.x - frame[v].x) < 1e-6f &&
                            fabsf(base.y + move.y - frame[v].y) < 1e-6f && fabsf(base.z + move.z - frame[v].z) < 1e-6f);
            }
        }
        free(frame);
    }
}

static float point_distance(pleat_vec3 a, pleat_vec3 b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

/* Simulated cloth keeps its length within a few per cent where it is pulled, is compressed somewhere, and never jumps.
 */
static void test_make_cloth_moves_as_cloth_does(void **state)
{
    (void)state;
    for (uint32_t i = 1; i < cloth_count(); ++i)
    {
        const pleat_model *model = model_of(cloths[i].character);
        const pleat_points *points = &find_clip(model, cloths[i].clip)->points;
        const pleat_primitive *cloth = &find_mesh(model, cloths[i].mesh)->primitives[0];
        pleat_vec3 *frame = malloc(2 * points->vertex_count * sizeof *frame);
        assert_non_null(frame);
        pleat_vec3 *before = frame + points->vertex_count;
        uint32_t edges = 0, stretched = 0, squeezed = 0;
        for (uint32_t f = 0; f < points->frame_count; ++f)
        {
            memcpy(before, frame, points->vertex_count * sizeof *frame);
            assert_int_equal(points->read(points->user, f, frame, NULL), PLEAT_OK);
            for (uint32_t v = 0; v < points->vertex_count && f > 0; ++v)
            {
                assert_true(point_distance(frame[v], before[v]) < 6.5f / 30);
            }
            for (uint32_t c = 0; c < 3 * cloth->triangle_count; ++c)
            {
                uint32_t a = cloth->triangles[c], b = cloth->triangles[c % 3 == 2 ? c - 2 : c + 1];
                float ratio =
                    point_distance(frame[a], frame[b]) / point_distance(cloth->positions[a], cloth->positions[b]);
                assert_true(ratio < 1.5f);
                stretched += ratio > 1.08f;
                squeezed += ratio < 0.9f;
                ++edges;
            }
        }
        free(frame);
        print_message("%s: %.2f %% of edges stretched by more than 8 %%, %.2f %% squeezed by more than 10 %%\n",
                      cloths[i].character, 100.0 * stretched / edges, 100.0 * squeezed / edges);
        assert_true(stretched < edges / 25);
        assert_true(squeezed > edges / 100);
    }
}

static void test_make_hand_and_belly_are_closed(void **state)
{
    (void)state;
    static const char *const names[] = {"hand", "belly"};
    for (uint32_t i = 0; i < 2; ++i)
    {
        welded w = weld(find_mesh(model_of(names[i]), names[i]));
        assert_int_equal(w.boundary_edges, 0);
        assert_int_equal(w.bad_edges, 0);
        assert_int_equal(w.euler, 2);
        unweld(&w);
    }
}

/* ---- The dancer ---- */

static void test_make_dancer_is_one_closed_surface(void **state)
{
    (void)state;
    const pleat_model *model = model_of("dancer");
    welded skin = weld(find_mesh(model, "skin"));
    assert_int_equal(skin.boundary_edges, 0);
    assert_int_equal(skin.bad_edges, 0);
    assert_int_equal(skin.euler, 2); /* a sphere: no handles */
    assert_in_range(skin.surface->triangle_count, 6000, 10000);
    unweld(&skin);
}

/* A leotard is a sphere with five openings (neck, two cuffs, two legs), tights one with three. */
static void test_make_dancer_garments_have_clean_borders(void **state)
{
    (void)state;
    static const char *const names[] = {"leotard", "tights"};
    static const int euler[] = {2 - 5, 2 - 3};
    for (uint32_t i = 0; i < 2; ++i)
    {
        welded garment = weld(find_mesh(model_of("dancer"), names[i]));
        assert_int_equal(garment.bad_edges, 0);
        assert_int_equal(garment.euler, euler[i]);
        assert_true(garment.boundary_edges > 0);
        unweld(&garment);
    }
}

static void test_make_dancer_is_170_cm_tall(void **state)
{
    (void)state;
    const pleat_mesh *skin = find_mesh(model_of("dancer"), "skin");
    float low = 10, high = -10, left = -10, right = 10;
    for (uint32_t p = 0; p < skin->primitive_count; ++p)
    {
        for (uint32_t v = 0; v < skin->primitives[p].vertex_count; ++v)
        {
            pleat_vec3 at = skin->primitives[p].positions[v];
            low = fminf(low, at.y);
            high = fmaxf(high, at.y);
            left = fmaxf(left, at.x);
            right = fminf(right, at.x);
        }
    }
    assert_true(fabsf(high - low - 1.70f) < 0.01f);
    assert_true(fabsf(low) < 0.01f);
    assert_true(left == -right);
}

/* The length of the line in which a mesh meets the plane y = height, between two x. */
static float girth(const pleat_mesh *mesh, float height, float from, float to)
{
    float sum = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        for (uint32_t t = 0; t < primitive->triangle_count; ++t)
        {
            pleat_vec3 ends[3];
            uint32_t found = 0;
            for (uint32_t k = 0; k < 3; ++k)
            {
                pleat_vec3 a = primitive->positions[primitive->triangles[3 * t + k]];
                pleat_vec3 b = primitive->positions[primitive->triangles[3 * t + (k + 1) % 3]];
                if ((a.y < height) != (b.y < height))
                {
                    float u = (height - a.y) / (b.y - a.y);
                    ends[found++] = (pleat_vec3){a.x + u * (b.x - a.x), height, a.z + u * (b.z - a.z)};
                }
            }
            float middle = found == 2 ? (ends[0].x + ends[1].x) / 2 : to + 1;
            sum += middle > from && middle < to ? hypotf(ends[0].x - ends[1].x, ends[0].z - ends[1].z) : 0;
        }
    }
    return sum;
}

/* Girths of a slim woman of that height, in metres; what a tailor would measure over leotard and tights. (The skin lies
 * 6 mm deeper at the hips.) */
static void test_make_dancer_has_a_dancers_measures(void **state)
{
    (void)state;
    static const struct
    {
        const char *what, *mesh;
        float height, from, to, low, high;
    } measures[] = {
        {"bust", "leotard", 1.220f, -0.17f, 0.17f, 0.80f, 0.90f},
        {"waist", "leotard", 1.065f, -0.2f, 0.2f, 0.60f, 0.70f},
        {"hips", "skin", 0.870f, -0.2f, 0.2f, 0.82f, 0.93f},
        {"thigh", "tights", 0.740f, 0, 0.2f, 0.46f, 0.55f},
        {"knee", "tights", 0.485f, 0, 0.2f, 0.31f, 0.38f},
        {"calf", "tights", 0.345f, 0, 0.2f, 0.31f, 0.37f},
        {"ankle", "tights", 0.110f, 0, 0.2f, 0.19f, 0.24f},
        {"neck", "skin", 1.470f, -0.1f, 0.1f, 0.28f, 0.37f},
        {"head", "skin", 1.625f, -0.1f, 0.1f, 0.52f, 0.60f},
    };
    for (uint32_t i = 0; i < sizeof measures / sizeof measures[0]; ++i)
    {
        float length = girth(find_mesh(model_of("dancer"), measures[i].mesh), measures[i].height, measures[i].from,
                             measures[i].to);
        print_message("%s: %.1f cm\n", measures[i].what, 100 * (double)length);
        assert_true(length > measures[i].low && length < measures[i].high);
    }
}

static int compare_points(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(pleat_vec3));
}

/* The mirror image of every vertex is a vertex, to the last bit. */
static void test_make_dancer_is_symmetric(void **state)
{
    (void)state;
    const pleat_model *model = model_of("dancer");
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        welded w = weld(&model->meshes[m]);
        uint32_t count = w.surface->render_count;
        qsort(w.positions, count, sizeof *w.positions, compare_points);
        for (uint32_t v = 0; v < count; ++v)
        {
            pleat_vec3 mirrored = w.positions[v];
            mirrored.x = mirrored.x == 0 ? mirrored.x : -mirrored.x;
            assert_non_null(bsearch(&mirrored, w.positions, count, sizeof mirrored, compare_points));
        }
        unweld(&w);
    }
}

static float weight_of(const pleat_primitive *primitive, uint32_t vertex, uint32_t joint)
{
    float weight = 0;
    for (uint32_t k = 0; k < 4; ++k)
    {
        weight += primitive->joints[4 * vertex + k] == joint ? primitive->weights[4 * vertex + k] : 0;
    }
    return weight;
}

/* No weight jumps: across an edge of any mesh it changes by less than a step of a few centimetres may bring. */
static void test_make_dancer_weights_are_smooth(void **state)
{
    (void)state;
    const pleat_model *model = model_of("dancer");
    for (uint32_t m = 0; m < model->mesh_count; ++m)
    {
        for (uint32_t p = 0; p < model->meshes[m].primitive_count; ++p)
        {
            const pleat_primitive *primitive = &model->meshes[m].primitives[p];
            for (uint32_t c = 0; c < 3 * primitive->triangle_count; ++c)
            {
                uint32_t a = primitive->triangles[c], b = primitive->triangles[c % 3 == 2 ? c - 2 : c + 1];
                pleat_vec3 pa = primitive->positions[a], pb = primitive->positions[b];
                float length = sqrtf((pa.x - pb.x) * (pa.x - pb.x) + (pa.y - pb.y) * (pa.y - pb.y) +
                                     (pa.z - pb.z) * (pa.z - pb.z));
                for (uint32_t k = 0; k < 4; ++k)
                {
                    uint32_t joint = primitive->joints[4 * a + k];
                    float jump = fabsf(weight_of(primitive, a, joint) - weight_of(primitive, b, joint));
                    if (!(jump < 0.05f + 60 * length))
                    {
                        fail_msg("%s: joint %u jumps by %g over %g m at (%g, %g, %g)", model->meshes[m].name, joint,
                                 (double)jump, (double)length, (double)pa.x, (double)pa.y, (double)pa.z);
                    }
                }
            }
        }
    }
}

static void test_make_dancer_has_joints_and_clips(void **state)
{
    (void)state;
    const pleat_model *model = model_of("dancer");
    assert_true(model->skins[0].joint_count >= 22);
    assert_true(find_clip(model, "arabesque")->end >= 4);
    assert_true(find_clip(model, "squat")->end >= 2);
    assert_true(find_clip(model, "twist")->end >= 2);
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        for (uint32_t h = 0; h < model->clips[c].channel_count; ++h)
        {
            const pleat_channel *channel = &model->clips[c].channels[h];
            for (uint32_t k = 1; k < channel->key_count && channel->path == PLEAT_ROTATION; ++k)
            {
                const float *q = &channel->values[4 * k];
                float dot = q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1];
                /* No joint turns by more than 12 degrees from frame to frame. */
                assert_true(dot > 0.9945f);
            }
        }
    }
}

/* The lowest point of the slippers in a pose, by linear blending. */
static float lowest_sole(const pleat_primitive *slippers, const pleat_affine *joints)
{
    float lowest = 10;
    for (uint32_t v = 0; v < slippers->vertex_count; ++v)
    {
        pleat_vec3 p = slippers->positions[v];
        float y = 0;
        for (uint32_t k = 0; k < 4; ++k)
        {
            const float *row = joints[slippers->joints[4 * v + k]].row[1];
            y += slippers->weights[4 * v + k] * (row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3]);
        }
        lowest = fminf(lowest, y);
    }
    return lowest;
}

/* The standing foot stays where it is in every frame, and no foot goes through the floor. */
static void test_make_dancer_stands_on_the_floor(void **state)
{
    (void)state;
    const pleat_model *model = model_of("dancer");
    const pleat_mesh *skin = find_mesh(model, "skin");
    const pleat_primitive *slippers = NULL;
    uint32_t foot = PLEAT_NONE;
    for (uint32_t p = 0; p < skin->primitive_count; ++p)
    {
        bool found = strcmp(model->materials[skin->primitives[p].material].name, "slippers") == 0;
        slippers = found ? &skin->primitives[p] : slippers;
    }
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        foot = strcmp(model->nodes[n].name, "left_foot") == 0 ? n : foot;
    }
    assert_true(slippers && foot != PLEAT_NONE);
    pleat_pose *pose = NULL;
    pleat_affine joints[64];
    assert_int_equal(pleat_pose_create(model, NULL, &pose, NULL), PLEAT_OK);
    pleat_pose_sample(pose, NULL, 0);
    pleat_affine rest = pleat_pose_worlds(pose)[foot];
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        uint32_t frame_count = model->clips[c].channels[0].key_count;
        for (uint32_t f = 0; f < frame_count; ++f)
        {
            pleat_pose_sample(pose, &model->clips[c], (float)f / 30);
            pleat_affine now = pleat_pose_worlds(pose)[foot];
            for (uint32_t k = 0; k < 3; ++k)
            {
                assert_true(fabsf(now.row[k][3] - rest.row[k][3]) < 0.008f);
            }
            pleat_pose_joints(pose, 0, joints);
            assert_true(lowest_sole(slippers, joints) > -0.005f);
        }
    }
    pleat_pose_destroy(pose);
}

/* In the arabesque the working foot is lifted behind to the height of the hips or more, on a straight leg. */
static void test_make_dancer_lifts_her_leg(void **state)
{
    (void)state;
    const pleat_model *model = model_of("dancer");
    uint32_t joints[4] = {0};
    static const char *const names[4] = {"hips", "right_thigh", "right_shin", "right_foot"};
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            joints[i] = strcmp(model->nodes[n].name, names[i]) == 0 ? n : joints[i];
        }
    }
    pleat_pose *pose = NULL;
    assert_int_equal(pleat_pose_create(model, NULL, &pose, NULL), PLEAT_OK);
    pleat_pose_sample(pose, find_clip(model, "arabesque"), 3.4f);
    pleat_vec3 at[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        pleat_affine world = pleat_pose_worlds(pose)[joints[i]];
        at[i] = (pleat_vec3){world.row[0][3], world.row[1][3], world.row[2][3]};
    }
    assert_true(at[3].y > at[0].y && at[3].z < at[0].z - 0.6f);
    float bones = point_distance(at[1], at[2]) + point_distance(at[2], at[3]);
    assert_true(point_distance(at[1], at[3]) > 0.995f * bones);
    pleat_pose_destroy(pose);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make_every_character_is_valid),
        cmocka_unit_test(test_make_rejects_unknown_names_and_bad_options),
        cmocka_unit_test(test_make_gives_the_same_bits_twice),
        cmocka_unit_test(test_make_arm_has_exact_rings),
        cmocka_unit_test(test_make_arm_bends_to_150_degrees_and_back),
        cmocka_unit_test(test_make_arm_takes_other_resolutions),
        cmocka_unit_test(test_make_survives_every_failed_allocation),
        cmocka_unit_test(test_make_rectangle_is_compressed_at_the_front_alone),
        cmocka_unit_test(test_make_cloth_targets_agree_with_points),
        cmocka_unit_test(test_make_cloth_moves_as_cloth_does),
        cmocka_unit_test(test_make_hand_and_belly_are_closed),
        cmocka_unit_test(test_make_dancer_is_one_closed_surface),
        cmocka_unit_test(test_make_dancer_garments_have_clean_borders),
        cmocka_unit_test(test_make_dancer_is_170_cm_tall),
        cmocka_unit_test(test_make_dancer_has_a_dancers_measures),
        cmocka_unit_test(test_make_dancer_is_symmetric),
        cmocka_unit_test(test_make_dancer_weights_are_smooth),
        cmocka_unit_test(test_make_dancer_has_joints_and_clips),
        cmocka_unit_test(test_make_dancer_stands_on_the_floor),
        cmocka_unit_test(test_make_dancer_lifts_her_leg),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_make_every_character_is_valid),
        cmocka_unit_test(test_make_cloth_targets_agree_with_points),
        cmocka_unit_test(test_make_cloth_moves_as_cloth_does),
    };
    return support_set_long(argc, argv) ? cmocka_run_group_tests(long_tests, NULL, destroy_all)
                                        : cmocka_run_group_tests(tests, NULL, destroy_all);
}

/* Choosing garments by name, and the guess: names as real exporters write them, tubes that lie around one another, and
 * the shared characters. */
#include "support/support.h"

#include "garment/words.h"
#include "pleat/garment.h"
#include "pleat/io.h"
#include "pleat/stack.h"

#include <math.h>
#include <string.h>

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static void test_garment_patterns_match_whole_names(void **state)
{
    (void)state;
    static const struct
    {
        const char *pattern, *name;
        bool fits;
    } cases[] = {
        {"shirt", "shirt", true},
        {"shirt", "Shirt", true},
        {"shirt", "shirts", false},
        {"shirt", "a shirt", false},
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "anything at all", true},
        {"?", "", false},
        {"?", "\xc3\xa9", true}, /* one character of two bytes */
        {"??", "\xc3\xa9", false},
        {"?rmel", "\xc3\x84rmel", true},
        {"*suit*", "female_sportsuit01", true},
        {"*SUIT", "female_sportsuit01", false},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-b-b-c-d", false},
        {"*ab", "aab", true},
        {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"**", "x", true},
        {"[ab]", "a", false}, /* no classes: brackets are letters like others */
        {"[ab]", "[ab]", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        if (pleat_name_matches(cases[i].pattern, cases[i].name) != cases[i].fits)
        {
            fail_msg("'%s' against '%s'", cases[i].pattern, cases[i].name);
        }
    }
}

static void test_garment_words_are_found_in_names_of_exporters(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        pl_word_verdict verdict;
    } cases[] = {
        {"N00_007_01_Tops_01_CLOTH (Instance)", PL_WORD_CLOTH}, /* VRoid */
        {"N00_000_00_Body_00_SKIN (Instance)", PL_WORD_OTHER},
        {"N00_000_Hair_00_HAIR_01", PL_WORD_OTHER},
        {"Wolf3D_Outfit_Top", PL_WORD_CLOTH}, /* Ready Player Me */
        {"Wolf3D_Outfit_Bottom", PL_WORD_CLOTH},
        {"Wolf3D_Outfit_Footwear", PL_WORD_OTHER},
        {"Wolf3D_Head", PL_WORD_OTHER},
        {"EyeLeft", PL_WORD_OTHER},
        {"Ch36_Shirt", PL_WORD_CLOTH}, /* Mixamo */
        {"Ch36_Eyelashes", PL_WORD_OTHER},
        {"CC_Base_Body", PL_WORD_OTHER}, /* Reallusion */
        {"CC_Base_TearLine", PL_WORD_NONE},
        {"Knee_length_skirt", PL_WORD_CLOTH},
        {"onesie_v2", PL_WORD_CLOTH},
        {"StripedPyjamas", PL_WORD_CLOTH},
        {"tanktop", PL_WORD_CLOTH},
        {"female_sportsuit01", PL_WORD_CLOTH}, /* MakeHuman */
        {"male_worksuit01Mesh", PL_WORD_CLOTH},
        {"shoes04", PL_WORD_OTHER},
        {"bodysuit", PL_WORD_CLOTH},
        {"Body_Suit", PL_WORD_CLOTH},
        {"skinny jeans", PL_WORD_CLOTH},
        {"Desktop", PL_WORD_NONE},  /* no top */
        {"Armature", PL_WORD_NONE}, /* no arm */
        {"RidingBoots", PL_WORD_OTHER},
        {"Handschuhe", PL_WORD_CLOTH}, /* gloves, though shoes are in the word */
        {"\xc3\x84rmel.L", PL_WORD_CLOTH},
        {"\xd0\xa0\xd1\x83\xd0\xb1\xd0\xb0\xd1\x88\xd0\xba\xd0\xb0", PL_WORD_CLOTH}, /* a Russian shirt, capital R */
        {"\xe9\x9d\xb4\xe4\xb8\x8b", PL_WORD_CLOTH},                                 /* Japanese socks: shoe + under */
        {"\xe9\x9d\xb4", PL_WORD_OTHER},                                             /* shoe */
        {"mesh_0", PL_WORD_NONE},
        {"", PL_WORD_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char word[PL_WORD_SIZE];
        if (pl_garment_word(cases[i].name, word) != cases[i].verdict)
        {
            fail_msg("'%s': its word is '%s'", cases[i].name, word);
        }
    }
}

static void test_garment_words_survive_long_and_broken_names(void **state)
{
    (void)state;
    char name[4096];
    memset(name, 's', sizeof name - 1);
    name[sizeof name - 1] = 0;
    char word[PL_WORD_SIZE];
    assert_int_equal(pl_garment_word(name, word), PL_WORD_NONE);
    memset(name, 0xd0, sizeof name - 1);
    assert_int_equal(pl_garment_word(name, word), PL_WORD_NONE);
}

/* ---- Tubes ----------------------------------------------------------------------------------------------------- */

enum
{
    AROUND = 16,
    ALONG = 24,
    TUBE_VERTICES = AROUND * ALONG,
    TUBE_TRIANGLES = AROUND * (ALONG - 1) * 2
};

/* An open tube around the y axis, one metre long, that two joints bend. */
typedef struct tube
{
    pleat_vec3 positions[TUBE_VERTICES];
    uint32_t triangles[3 * TUBE_TRIANGLES];
    uint16_t joints[4 * TUBE_VERTICES];
    float weights[4 * TUBE_VERTICES];
    pleat_primitive primitive;
    pleat_mesh mesh;
} tube;

static void make_tube(tube *out, const char *name, float radius, bool one_joint)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < ALONG; ++i)
    {
        for (uint32_t k = 0; k < AROUND; ++k)
        {
            uint32_t v = i * AROUND + k;
            float angle = 6.2831853f * (float)k / AROUND;
            float y = (float)i / (ALONG - 1);
            out->positions[v] = (pleat_vec3){radius * sinf(angle), y, radius * cosf(angle)};
            out->joints[4 * v + 1] = 1;
            out->weights[4 * v] = one_joint ? 1 : 1 - y;
            out->weights[4 * v + 1] = one_joint ? 0 : y;
        }
    }
    uint32_t *corner = out->triangles;
    for (uint32_t i = 0; i + 1 < ALONG; ++i)
    {
        for (uint32_t k = 0; k < AROUND; ++k)
        {
            uint32_t a = i * AROUND + k, b = i * AROUND + (k + 1) % AROUND;
            uint32_t quad[6] = {a, b, b + AROUND, a, b + AROUND, a + AROUND};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
    }
    out->primitive = (pleat_primitive){.vertex_count = TUBE_VERTICES,
                                       .triangle_count = TUBE_TRIANGLES,
                                       .triangles = out->triangles,
                                       .positions = out->positions,
                                       .influence_count = 4,
                                       .joints = out->joints,
                                       .weights = out->weights,
                                       .material = PLEAT_NONE};
    out->mesh = (pleat_mesh){.name = name, .primitive_count = 1, .primitives = &out->primitive};
}

/* Two joints (nodes 0 and 1) and tubes on nodes from 2 on. */
typedef struct tube_scene
{
    tube tubes[3];
    pleat_mesh meshes[3];
    pleat_node nodes[5];
    pleat_affine binds[2];
    pleat_skin skin;
    pleat_model model;
} tube_scene;

static const uint32_t scene_order[] = {0, 1, 2, 3, 4};

static tube_scene *make_scene(const char *const *names, const float *radii, uint32_t count)
{
    static tube_scene scene;
    memset(&scene, 0, sizeof scene);
    for (uint32_t i = 0; i < 5; ++i)
    {
        scene.nodes[i] = pleat_node_default();
    }
    scene.nodes[0].name = "Hips";
    scene.nodes[1].name = "Chest";
    scene.nodes[1].parent = 0;
    scene.binds[0] = scene.binds[1] = scene.nodes[0].local_matrix;
    scene.skin = (pleat_skin){"skin", 2, scene_order, scene.binds};
    for (uint32_t i = 0; i < count; ++i)
    {
        make_tube(&scene.tubes[i], names[i], radii[i], false);
        scene.meshes[i] = scene.tubes[i].mesh;
        scene.nodes[2 + i].mesh = i;
        scene.nodes[2 + i].skin = 0;
    }
    scene.model = (pleat_model){.node_count = 2 + count,
                                .mesh_count = count,
                                .skin_count = 1,
                                .nodes = scene.nodes,
                                .meshes = scene.meshes,
                                .skins = &scene.skin,
                                .node_order = scene_order,
                                .scene_node_count = 2 + count,
                                .scene_nodes = scene_order};
    pleat_error error = {0};
    if (pleat_model_validate(&scene.model, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return &scene;
}

static pleat_garment_guess *guess_scene(const tube_scene *scene)
{
    pleat_garment_guess *guess = NULL;
    pleat_error error = {0};
    if (pleat_garment_guess_create(&scene->model, NULL, &guess, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return guess;
}

static void test_garment_guess_takes_the_outer_of_two_unnamed_tubes(void **state)
{
    (void)state;
    static const char *const names[] = {"Mesh_01", "Mesh_02"};
    static const float radii[] = {0.1f, 0.105f};
    pleat_garment_guess *guess = guess_scene(make_scene(names, radii, 2));
    assert_int_equal(guess->part_count, 2);
    assert_false(guess->parts[0].garment);
    assert_true(guess->parts[1].garment);
    assert_non_null(strstr(guess->parts[1].reason, "outside"));
    /* What it measured is known: two open ends, no welds, a metre high. */
    for (uint32_t p = 0; p < 2; ++p)
    {
        assert_int_equal(guess->parts[p].border_count, 2);
        assert_int_equal(guess->parts[p].surface_count, TUBE_VERTICES);
        assert_true(fabsf(guess->parts[p].high.z - radii[p]) < 1e-6f);
    }
    assert_true(guess->low.y == 0 && guess->high.y == 1);
    pleat_garment_guess_destroy(guess);
}

static void test_garment_guess_believes_names_before_places(void **state)
{
    (void)state;
    static const char *const names[] = {"Shirt", "Long Hair"};
    static const float radii[] = {0.1f, 0.105f};
    pleat_garment_guess *guess = guess_scene(make_scene(names, radii, 2));
    assert_true(guess->parts[0].garment);
    assert_false(guess->parts[1].garment);
    pleat_garment_guess_destroy(guess);
}

static void test_garment_guess_takes_the_whole_of_a_single_mesh(void **state)
{
    (void)state;
    static const char *const names[] = {"Body"};
    static const float radii[] = {0.1f};
    pleat_garment_guess *guess = guess_scene(make_scene(names, radii, 1));
    assert_true(guess->parts[0].garment);
    assert_non_null(strstr(guess->parts[0].reason, "only mesh"));
    pleat_garment_guess_destroy(guess);
}

static void test_garment_guess_leaves_out_what_nothing_bends(void **state)
{
    (void)state;
    static const char *const names[] = {"Mesh_01", "Mesh_02", "Mesh_03"};
    static const float radii[] = {0.1f, 0.105f, 0.11f};
    tube_scene *scene = make_scene(names, radii, 3);
    make_tube(&scene->tubes[2], names[2], radii[2], true);
    pleat_garment_guess *guess = guess_scene(scene);
    assert_true(guess->parts[1].garment);
    assert_false(guess->parts[2].garment);
    assert_non_null(strstr(guess->parts[2].reason, "Hips"));
    pleat_garment_guess_destroy(guess);
}

/* A sleeve of two materials: nothing bends its lower part by itself, but it is one piece of cloth with the upper one. A
 * button beside it, which touches nothing, is none. */
static void test_garment_guess_takes_what_is_sewn_to_a_garment(void **state)
{
    (void)state;
    static const char *const names[] = {"Shirt"};
    static const float radii[] = {0.1f};
    tube_scene *scene = make_scene(names, radii, 1);
    make_tube(&scene->tubes[1], "Shirt", 0.1f, true);
    make_tube(&scene->tubes[2], "Shirt", 0.02f, true);
    for (uint32_t v = 0; v < TUBE_VERTICES; ++v)
    {
        scene->tubes[1].positions[v].y -= 1;
        scene->tubes[2].positions[v].x += 0.5f;
    }
    pleat_primitive parts[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        parts[i] = scene->tubes[i].primitive;
    }
    scene->meshes[0].primitive_count = 3;
    scene->meshes[0].primitives = parts;
    pleat_garment_guess *guess = guess_scene(scene);
    assert_int_equal(guess->part_count, 3);
    assert_true(guess->parts[0].garment);
    assert_true(guess->parts[1].garment);
    assert_non_null(strstr(guess->parts[1].reason, "goes on from"));
    assert_false(guess->parts[2].garment);
    pleat_garment_guess_destroy(guess);
}

/* A building stands beside the character, and the outer tube has vertices far above that no triangle uses. */
static void test_garment_guess_sees_no_scenery(void **state)
{
    (void)state;
    static const char *const names[] = {"Mesh_01", "Mesh_02", "Mesh_03"};
    static const float radii[] = {0.1f, 0.16f, 10};
    tube_scene *scene = make_scene(names, radii, 3);
    scene->nodes[4].skin = PLEAT_NONE;
    for (uint32_t v = 0; v < TUBE_VERTICES; ++v)
    {
        scene->tubes[2].positions[v].y *= 60;
    }
    scene->tubes[1].primitive.triangle_count -= 2 * AROUND;
    for (uint32_t v = TUBE_VERTICES - AROUND; v < TUBE_VERTICES; ++v)
    {
        scene->tubes[1].positions[v].y = 90;
    }
    pleat_garment_guess *guess = guess_scene(scene);
    assert_null(strstr(guess->parts[1].reason, "outside")); /* 6 cm apart, on a body of 1 m */
    assert_float_equal(guess->high.y, 60, 0);
    pleat_garment_guess_destroy(guess);
    pleat_pose *rest;
    assert_int_equal(pleat_pose_create(&scene->model, NULL, &rest, NULL), PLEAT_OK);
    assert_float_equal(pleat_model_height(&scene->model, rest), 1, 0);
    /* Alone, the building is what there is. */
    scene->nodes[2].mesh = scene->nodes[3].mesh = scene->nodes[2].skin = scene->nodes[3].skin = PLEAT_NONE;
    assert_float_equal(pleat_model_height(&scene->model, rest), 60, 0);
    pleat_pose_destroy(rest);
}

static void test_garment_guess_of_nothing_is_empty(void **state)
{
    (void)state;
    pleat_model model = {0};
    pleat_garment_guess *guess = NULL;
    assert_int_equal(pleat_garment_guess_create(&model, NULL, &guess, NULL), PLEAT_OK);
    assert_int_equal(guess->part_count, 0);
    pleat_garment_guess_destroy(guess);
    pleat_garment_guess_destroy(NULL);
}

static pleat_result create_and_destroy(void *user, const pleat_host *host, pleat_error *error)
{
    tube_scene *scene = user;
    pleat_garment_guess *guess;
    pleat_result result = pleat_garment_guess_create(&scene->model, host, &guess, error);
    if (result != PLEAT_OK)
    {
        assert_null(guess);
    }
    pleat_garment_guess_destroy(guess);
    return result;
}

static void test_garment_guess_survives_each_failed_allocation(void **state)
{
    (void)state;
    static const char *const names[] = {"Mesh_01", "Mesh_02"};
    static const float radii[] = {0.1f, 0.105f};
    support_sweep_allocations(create_and_destroy, make_scene(names, radii, 2));
}

/* ---- Shared characters ----------------------------------------------------------------------------------------- */

/* The verdict on the shared characters: parts whose mesh, node or material name holds a word are garments, the others
 * are not. */
static void check_character(const char *file, const char *const *garments)
{
    SUPPORT_NEED(path, file);
    pleat_asset *asset = NULL;
    pleat_error error = {0};
    if (pleat_asset_load(path, NULL, NULL, &asset, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    const pleat_model *model = pleat_asset_model(asset);
    pleat_garment_guess *guess = NULL;
    assert_int_equal(pleat_garment_guess_create(model, NULL, &guess, &error), PLEAT_OK);
    for (uint32_t p = 0; p < guess->part_count; ++p)
    {
        const pleat_part_guess *part = &guess->parts[p];
        bool expected = false;
        for (uint32_t g = 0; garments[g]; ++g)
        {
            expected |= pleat_part_matches(model, part->node, part->primitive, garments[g]);
        }
        if (part->garment != expected)
        {
            fail_msg("%s, node %s: %s (%.2f), because %s", file, model->nodes[part->node].name,
                     part->garment ? "a garment" : "no garment", (double)part->score, part->reason);
        }
    }
    pleat_garment_guess_destroy(guess);
    pleat_asset_destroy(asset);
}

static void test_garment_guess_on_shared_characters(void **state)
{
    (void)state;
    static const struct
    {
        const char *file;
        const char *garments[3];
    } cases[] = {
        {"mh_salsa_sportsuit/mh_salsa_sportsuit.glb", {"*sportsuit*"}},
        {"mh_fat_male_worksuit/mh_fat_male_worksuit.glb", {"*worksuit*"}},
        {"mh_modern_leotard/mh_modern_leotard.glb", {"*tights*"}},
        {"mh_arm/mh_sleeve.glb", {"*tights*"}},
        {"khr_cesium_man/CesiumMan.glb", {"Cesium_Man"}}, /* from here on: one mesh is all there is */
        {"khr_rigged_simple/RiggedSimple.glb", {"Cylinder"}},
        {"mh_arm/mh_arm_body.glb", {"body"}},
        {"webxr_hand/webxr_hand_left_curl.glb", {"*hand*"}},
        {"quat_knight/KnightCharacter.glb", {"Knight"}},
        {"gen_coarse_skirt_sim/coarse_skirt_sim.glb", {"skirt"}},
        {"cwf_twist_cylinder/twist_cylinder_morph.glb", {"*cylinder*"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        check_character(cases[i].file, cases[i].garments);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_garment_patterns_match_whole_names),
        cmocka_unit_test(test_garment_words_are_found_in_names_of_exporters),
        cmocka_unit_test(test_garment_words_survive_long_and_broken_names),
        cmocka_unit_test(test_garment_guess_takes_the_outer_of_two_unnamed_tubes),
        cmocka_unit_test(test_garment_guess_believes_names_before_places),
        cmocka_unit_test(test_garment_guess_takes_the_whole_of_a_single_mesh),
        cmocka_unit_test(test_garment_guess_leaves_out_what_nothing_bends),
        cmocka_unit_test(test_garment_guess_takes_what_is_sewn_to_a_garment),
        cmocka_unit_test(test_garment_guess_sees_no_scenery),
        cmocka_unit_test(test_garment_guess_of_nothing_is_empty),
        cmocka_unit_test(test_garment_guess_survives_each_failed_allocation),
        cmocka_unit_test(test_garment_guess_on_shared_characters),
    };
    return cmocka_run_group_tests_name("garment", tests, NULL, NULL);
}

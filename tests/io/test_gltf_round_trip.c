/* glTF in and out again: what nobody changes comes out as it went in. */
#include "support/gltf_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const characters[] = {"khr_cesium_man/CesiumMan.glb", "khr_rigged_simple/RiggedSimple.glb",
                                         "quat_knight/KnightCharacter.glb", "mh_modern_leotard/mh_modern_leotard.glb",
                                         "cwf_twist_cylinder/twist_cylinder_morph.glb"};

/* A GLB that nothing is changed in has the same JSON and the same bytes afterwards. */
static void test_gltf_round_trip_unchanged_is_the_same(void **state)
{
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; ++i)
    {
        const char *found = support_data(characters[i]);
        if (!found)
        {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s", found);
        pleat_asset *asset = support_load_file(path);
        const char *out = support_out_path("same%zu.glb", i);
        support_write_asset(asset, NULL, out);
        support_opened a = support_open_glb(path);
        support_opened b = support_open_glb(out);
        size_t length =
            (size_t)json_integer_value(json_object_get(support_json_at(a.root, "buffers", 0), "byteLength"));
        assert_true(json_equal(a.root, b.root));
        assert_memory_equal(a.binary, b.binary, length);
        support_close_glb(&a);
        support_close_glb(&b);
        pleat_asset_destroy(asset);
        support_judge(out, path);
        ++tried;
    }
    if (tried == 0)
    {
        skip();
    }
}

/* A model taken out of its file and written as a new document gives the same model. */
static void test_gltf_round_trip_model_made_by_hand(void **state)
{
    (void)state;
    uint32_t tried = 0;
    for (size_t i = 0; i < sizeof characters / sizeof characters[0]; ++i)
    {
        const char *found = support_data(characters[i]);
        if (!found)
        {
            continue;
        }
        char path[1024];
        snprintf(path, sizeof path, "%s", found);
        pleat_asset *asset = support_load_file(path);
        pleat_asset *made;
        pleat_error error = {0};
        assert_int_equal(pleat_asset_from_model(pleat_asset_model(asset), "a test", NULL, &made, &error), PLEAT_OK);
        const char *out = support_out_path("model%zu.%s", i, i % 2 ? "gltf" : "glb");
        support_write_asset(made, NULL, out);
        pleat_asset *again = support_load_file(out);
        support_same_model(pleat_asset_model(asset), pleat_asset_model(again));
        pleat_asset_destroy(again);
        pleat_asset_destroy(made);
        pleat_asset_destroy(asset);
        support_judge(out, path);
        ++tried;
    }
    if (tried == 0)
    {
        skip();
    }
}

static void write_folder(const char *folder, const char *ending, uint32_t *count)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));)
    {
        char path[2048];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        {
            write_folder(path, ending, count);
        }
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || (strcmp(dot, ".gltf") != 0 && strcmp(dot, ".glb") != 0))
        {
            continue;
        }
        pleat_asset *asset;
        if (pleat_asset_load(path, NULL, NULL, &asset, NULL) != PLEAT_OK)
        {
            continue; /* two that may not be loaded; test_gltf.c looks at them */
        }
        const char *out = support_out_path("%.*s%s", (int)(dot - entry->d_name), entry->d_name, ending);
        support_write_asset(asset, NULL, out);
        pleat_asset *again = support_load_file(out);
        support_same_model(pleat_asset_model(asset), pleat_asset_model(again));
        pleat_asset_destroy(again);
        pleat_asset_destroy(asset);
        support_judge(out, path);
        ++*count;
    }
    closedir(listing);
}

/* Several buffers in data URIs, and compressed views, become one plain buffer. */
static void test_gltf_round_trip_small_files(void **state)
{
    (void)state;
    uint32_t count = 0;
    write_folder(PLEAT_SOURCE_DIR "/tests/data/fuzz_gltf", ".small.glb", &count);
    assert_true(count >= 3);
}

static void test_gltf_round_trip_asset_generator(void **state)
{
    (void)state;
    SUPPORT_NEED(found, "edge_gltf_asset_generator/Output/Positive");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", found);
    uint32_t count = 0;
    write_folder(folder, ".glb", &count);
    assert_int_equal(count, 94);
    write_folder(folder, ".gltf", &count);
    assert_int_equal(count, 188);
}

/* ---- The judge ---- */

static void test_gltf_round_trip_khronos_validator(void **state)
{
    (void)state;
    support_validate();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_round_trip_unchanged_is_the_same),
        cmocka_unit_test(test_gltf_round_trip_model_made_by_hand),
        cmocka_unit_test(test_gltf_round_trip_small_files),
        cmocka_unit_test(test_gltf_round_trip_asset_generator),
        cmocka_unit_test(test_gltf_round_trip_khronos_validator),
    };
    return cmocka_run_group_tests_name("gltf_round_trip", tests, NULL, NULL);
}

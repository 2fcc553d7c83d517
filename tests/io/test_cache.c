/* Point caches and mesh sequences, in and out. */
#include "support/support.h"

#include "pleat/io.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    VERTICES = 5,
    FRAMES = 3
};

static char folder[1100];

static void clear_folder(void)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
    {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        remove(path); /* fails for . and .. */
    }
    closedir(directory);
}

static int count_files(void)
{
    DIR *directory = opendir(folder);
    int count = -2;
    while (readdir(directory))
    {
        ++count;
    }
    closedir(directory);
    return count;
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/work", support_folder());
    mkdir(folder, 0777);
    clear_folder();
    return 0;
}

static const char *in_folder(const char *name)
{
    static char paths[4][2048];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
    return paths[next];
}

static pleat_vec3 point(uint32_t frame, uint32_t vertex)
{
    return (pleat_vec3){(float)frame + 0.1f * (float)vertex, -(float)vertex, 1.0f / (1 + (float)frame)};
}

static const uint32_t triangles[] = {0, 1, 2, 2, 1, 3, 3, 4, 0};
static const float times[] = {0.5f, 0.6f, 0.7f};

static pleat_cache_desc make_desc(void)
{
    return (pleat_cache_desc){.vertex_count = VERTICES,
                              .frame_count = FRAMES,
                              .start = 0.5f,
                              .fps = 10,
                              .triangle_count = 3,
                              .triangles = triangles};
}

static void write_frames(pleat_cache_writer *writer, uint32_t count)
{
    for (uint32_t f = 0; f < count; ++f)
    {
        pleat_vec3 frame[VERTICES];
        pleat_error error = {0};
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            frame[v] = point(f, v);
        }
        assert_int_equal(pleat_cache_writer_frame(writer, frame, NULL, &error), PLEAT_OK);
    }
}

static void write_cache(const char *path, const pleat_cache_desc *desc)
{
    pleat_error error = {0};
    pleat_cache_writer *writer;
    assert_int_equal(pleat_cache_writer_create(path, desc, NULL, &writer, &error), PLEAT_OK);
    write_frames(writer, desc->frame_count);
    assert_int_equal(pleat_cache_writer_commit(writer, &error), PLEAT_OK);
    pleat_cache_writer_destroy(writer);
}

static void assert_frames(pleat_cache *cache)
{
    static const uint32_t order[] = {2, 0, 1, 1};
    for (size_t i = 0; i < 4; ++i)
    {
        pleat_vec3 out[VERTICES];
        pleat_error error = {0};
        assert_int_equal(pleat_cache_read(cache, order[i], out, &error), PLEAT_OK);
        for (uint32_t v = 0; v < VERTICES; ++v)
        {
            pleat_vec3 expected = point(order[i], v);
            assert_memory_equal(&out[v], &expected, sizeof expected);
        }
    }
}

static void test_cache_pc2_round_trip(void **state)
{
    (void)state;
    pleat_cache_desc desc = make_desc();
    write_cache(in_folder("a.pc2"), &desc);
    void *bytes;
    size_t size;
    pleat_error error = {0};
    assert_int_equal(pleat_file_read(in_folder("a.pc2"), NULL, &bytes, &size, &error), PLEAT_OK);
    /* By hand: version 1, 5 points, start frame 5, 1 frame a sample, 3 samples. */
    static const unsigned char head[] = "POINTCACHE2\0\1\0\0\0\5\0\0\0\0\0\xa0\x40\0\0\x80\x3f\3\0\0";
    assert_int_equal(size, 32 + 12 * VERTICES * FRAMES);
    assert_memory_equal(bytes, head, 32);
    pleat_file_free(NULL, bytes, size);
    pleat_cache *cache;
    assert_int_equal(pleat_cache_open(in_folder("a.pc2"), NULL, &cache, &error), PLEAT_OK);
    pleat_cache_info info = pleat_cache_get_info(cache);
    assert_int_equal(info.format, PLEAT_FORMAT_PC2);
    assert_int_equal(info.vertex_count, VERTICES);
    assert_int_equal(info.frame_count, FRAMES);
    assert_true(info.start_frame == 5 && info.frame_step == 1);
    assert_null(info.times);
    assert_frames(cache);
    pleat_vec3 out[VERTICES];
    assert_int_equal(pleat_cache_read(cache, FRAMES, out, &error), PLEAT_BAD_ARGUMENT);
    pleat_cache_close(cache);
}

static void test_cache_mdd_round_trip(void **state)
{
    (void)state;
    pleat_cache_desc desc = make_desc();
    desc.times = times;
    write_cache(in_folder("a.mdd"), &desc);
    void *bytes;
    size_t size;
    pleat_error error = {0};
    assert_int_equal(pleat_file_read(in_folder("a.mdd"), NULL, &bytes, &size, &error), PLEAT_OK);
    static const unsigned char head[] = "\0\0\0\3\0\0\0\5\x3f\0\0";
    assert_int_equal(size, 8 + 4 * FRAMES + 12 * VERTICES * FRAMES);
    assert_memory_equal(bytes, head, 12);
    pleat_file_free(NULL, bytes, size);
    pleat_cache *cache;
    assert_int_equal(pleat_cache_open(in_folder("a.mdd"), NULL, &cache, &error), PLEAT_OK);
    pleat_cache_info info = pleat_cache_get_info(cache);
    assert_memory_equal(info.times, times, sizeof times);
    assert_frames(cache);
    pleat_cache_close(cache);
}

static void test_cache_writer_makes_sequences_that_load(void **state)
{
    (void)state;
    static const char *const endings[] = {"obj", "ply"};
    for (int i = 0; i < 2; ++i)
    {
        clear_folder();
        char name[40];
        snprintf(name, sizeof name, "cloth.%s", endings[i]);
        pleat_cache_desc desc = make_desc();
        write_cache(in_folder(name), &desc);
        assert_int_equal(count_files(), FRAMES);
        snprintf(name, sizeof name, "cloth_%%04d.%s", endings[i]);
        for (int by_folder = 0; by_folder < 2; ++by_folder)
        {
            pleat_error error = {0};
            pleat_asset *asset;
            pleat_load_options options = pleat_load_options_default();
            options.sequence_fps = 10;
            assert_int_equal(pleat_asset_load(by_folder ? folder : in_folder(name), &options, NULL, &asset, &error),
                             PLEAT_OK);
            const pleat_model *model = pleat_asset_model(asset);
            assert_string_equal(model->meshes[0].name, "cloth");
            assert_int_equal(model->clip_count, 1);
            const pleat_points *points = &model->clips[0].points;
            assert_int_equal(points->frame_count, FRAMES);
            assert_int_equal(points->vertex_count, VERTICES);
            assert_true(points->fps == 10 && points->start == 0);
            assert_true(fabsf(model->clips[0].end - 0.2f) < 1e-6f);
            assert_memory_equal(model->meshes[0].primitives[0].triangles, triangles, sizeof triangles);
            pleat_vec3 out[VERTICES];
            static const uint32_t order[] = {0, 1, 1, 2, 0, 2, 1};
            for (size_t k = 0; k < 7; ++k)
            {
                assert_int_equal(points->read(points->user, order[k], out, &error), PLEAT_OK);
                pleat_vec3 expected = point(order[k], 4);
                assert_memory_equal(&out[4], &expected, sizeof expected);
            }
            assert_int_equal(points->read(points->user, FRAMES, out, &error), PLEAT_BAD_ARGUMENT);
            pleat_asset_destroy(asset);
        }
    }
}

static void test_cache_single_frame_keeps_its_name(void **state)
{
    (void)state;
    pleat_cache_desc desc = make_desc();
    desc.frame_count = 1;
    write_cache(in_folder("one.obj"), &desc);
    assert_int_equal(access(in_folder("one.obj"), R_OK), 0);
    assert_int_equal(count_files(), 1);
}

static void test_cache_writer_rejects_bad_descriptions(void **state)
{
    (void)state;
    static const float back[] = {1, 0, 2};
    static const uint32_t outside[] = {0, 1, 5};
    static const pleat_cache_group group = {"g", 2, 2};
    for (int i = 0; i < 8; ++i)
    {
        pleat_cache_desc desc = make_desc();
        pleat_error error = {0};
        pleat_cache_writer *writer = (pleat_cache_writer *)&error;
        desc.vertex_count = i == 0 ? 0 : desc.vertex_count;
        desc.frame_count = i == 1 ? 0 : desc.frame_count;
        desc.fps = i == 2 ? 0 : i == 3 ? NAN : desc.fps;
        desc.times = i == 4 ? back : NULL;
        desc.triangles = i == 5 ? outside : desc.triangles;
        desc.triangle_count = i == 5 ? 1 : desc.triangle_count;
        desc.groups = i == 6 ? &group : NULL;
        desc.group_count = i == 6;
        pleat_result result =
            pleat_cache_writer_create(in_folder(i == 7 ? "a.glb" : "a.obj"), &desc, NULL, &writer, &error);
        assert_int_equal(result, i == 7 ? PLEAT_UNSUPPORTED : PLEAT_BAD_ARGUMENT);
        assert_null(writer);
        assert_non_null(strstr(error.message, "a."));
    }
    assert_int_equal(count_files(), 0);
}

static void test_cache_writer_leaves_nothing_without_commit(void **state)
{
    (void)state;
    static const char *const names[] = {"a.pc2", "a.mdd", "a.obj", "a.ply"};
    for (int i = 0; i < 4; ++i)
    {
        pleat_cache_desc desc = make_desc();
        pleat_error error = {0};
        pleat_cache_writer *writer;
        assert_int_equal(pleat_cache_writer_create(in_folder(names[i]), &desc, NULL, &writer, &error), PLEAT_OK);
        write_frames(writer, FRAMES - 1);
        assert_int_equal(pleat_cache_writer_commit(writer, &error), PLEAT_BAD_ARGUMENT); /* a frame is missing */
        pleat_vec3 bad[VERTICES] = {[3] = {0, NAN, 0}};
        assert_int_equal(pleat_cache_writer_frame(writer, bad, NULL, &error), PLEAT_BAD_DATA);
        assert_non_null(strstr(error.message, "frame 2, vertex 3"));
        pleat_cache_writer_destroy(writer);
        assert_int_equal(count_files(), 0);
    }
}

static void test_cache_writers_in_a_group_appear_together(void **state)
{
    (void)state;
    pleat_error error = {0};
    pleat_outputs *outputs;
    assert_int_equal(pleat_outputs_create(NULL, &outputs, &error), PLEAT_OK);
    pleat_cache_desc desc = make_desc();
    desc.outputs = outputs;
    write_cache(in_folder("a.pc2"), &desc);
    write_cache(in_folder("b.obj"), &desc);
    pleat_vec3 rest[VERTICES] = {{0, 0, 0}};
    pleat_cache_sidecars sidecars = {.rest = rest};
    assert_int_equal(pleat_cache_sidecars_write(in_folder("a.pc2"), &desc, &sidecars, NULL, &error), PLEAT_OK);
    assert_int_equal(access(in_folder("a.pc2"), F_OK), -1);
    assert_int_equal(access(in_folder("b_0000.obj"), F_OK), -1);
    assert_int_equal(pleat_outputs_commit(outputs, &error), PLEAT_OK);
    pleat_outputs_destroy(outputs);
    assert_int_equal(count_files(), 1 + FRAMES + 2);
    assert_int_equal(access(in_folder("a.json"), F_OK), 0);
    assert_int_equal(access(in_folder("a.rest.obj"), F_OK), 0);
}

static void test_cache_sidecars_say_what_the_vertices_are(void **state)
{
    (void)state;
    pleat_error error = {0};
    pleat_cache_desc desc = make_desc();
    pleat_vec3 rest[VERTICES];
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        rest[v] = point(9, v);
    }
    pleat_cache_range ranges[] = {{"Body", "body", "Skin", 0, 0, 2, 0, 1},
                                  {"Body", "body", NULL, 1, 2, 1, 1, 1},
                                  {"Hat \"x\"\\\n\xff\xc3\xa4", "hat", "Felt", 0, 3, 2, 2, 1}};
    pleat_cache_sidecars sidecars = {.rest = rest, .range_count = 3, .ranges = ranges};
    assert_int_equal(pleat_cache_sidecars_write(in_folder("a.b.pc2"), &desc, &sidecars, NULL, &error), PLEAT_OK);
    assert_int_equal(count_files(), 2);

    json_error_t json_error;
    json_t *root = json_load_file(in_folder("a.b.json"), JSON_REJECT_DUPLICATES, &json_error);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "cache")), "a.b.pc2");
    assert_string_equal(json_string_value(json_object_get(root, "rest")), "a.b.rest.obj");
    assert_string_equal(json_string_value(json_object_get(root, "units")), "metres");
    assert_int_equal(json_integer_value(json_object_get(root, "vertex_count")), VERTICES);
    assert_int_equal(json_array_size(json_object_get(root, "times")), FRAMES);
    double last = json_number_value(json_array_get(json_object_get(root, "times"), 2));
    assert_true((float)last == 0.7f);
    assert_true(json_number_value(json_object_get(root, "fps")) == 10);
    json_t *meshes = json_object_get(root, "meshes");
    assert_int_equal(json_array_size(meshes), 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(meshes, 2), "node")),
                        "Hat \"x\"\\\n?\xc3\xa4");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(meshes, 2), "first_vertex")), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(meshes, 1), "primitive")), 1);
    json_decref(root);

    void *bytes;
    size_t size;
    assert_int_equal(pleat_file_read(in_folder("a.b.rest.obj"), NULL, &bytes, &size, &error), PLEAT_OK);
    const char *body = strstr(bytes, "g Body\n");
    assert_non_null(body);
    assert_null(strstr(body + 1, "g Body\n"));
    assert_non_null(strstr(body, "g Hat"));
    pleat_file_free(NULL, bytes, size);
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(in_folder("a.b.rest.obj"), NULL, NULL, &asset, &error), PLEAT_OK);
    const pleat_primitive *p = &pleat_asset_model(asset)->meshes[0].primitives[0];
    assert_int_equal(p->vertex_count, VERTICES);
    assert_memory_equal(p->positions, rest, sizeof rest);
    assert_memory_equal(p->triangles, triangles, sizeof triangles);
    pleat_asset_destroy(asset);

    ranges[2].vertex_count = 3;
    assert_int_equal(pleat_cache_sidecars_write(in_folder("c.pc2"), &desc, &sidecars, NULL, &error),
                     PLEAT_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "range 2"));
    assert_int_equal(count_files(), 2);
}

static void put(const char *name, const void *bytes, size_t size)
{
    pleat_error error = {0};
    assert_int_equal(pleat_file_write(in_folder(name), bytes, size, &error), PLEAT_OK);
}

static void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

static void test_cache_open_rejects_bad_heads(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        const char *bytes;
        size_t size;
        const char *words;
    } cases[] = {
        {"a.pc2", "", 0, "0 bytes"},
        {"a.pc2", "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f", 28, "28 bytes"},
        {"a.pc2", "POINTCACHE3\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f\1\0\0\0", 32, "POINTCACHE3"},
        {"a.pc2", "POINTCACHE2\0\2\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f\1\0\0\0", 32, "version is 2"},
        {"a.pc2", "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f\1\0\0\0", 32, "1 frames of 1 points"},
        {"a.pc2", "POINTCACHE2\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\1\0\0\0", 32, "1 frames of 0 points"},
        {"a.pc2", "POINTCACHE2\0\1\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\x80\x3f\xff\xff\xff\x7f", 32, "4294967295 points"},
        {"a.pc2", "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0", 32, "frames a sample"},
        {"a.pc2", "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\xc0\x7f\0\0\x80\x3f\1\0\0\0", 32, "start frame"},
        {"a.mdd", "\0\0\0\1\0\0", 6, "6 bytes"},
        {"a.mdd", "\x7f\xff\xff\xff\x3f\xff\xff\xff", 8, "2147483647 frames"},
        {"a.mdd", "\0\0\0\1\0\0\0\1\x7f\xc0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, "frame 0 is at nan"},
        {"a.mdd", "\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 23, "the file has 23"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pleat_error error = {0};
        pleat_cache *cache = (pleat_cache *)&error;
        put(cases[i].name, cases[i].bytes, cases[i].size);
        pleat_result result = pleat_cache_open(in_folder(cases[i].name), NULL, &cache, &error);
        assert_true(result == PLEAT_BAD_DATA || result == PLEAT_UNSUPPORTED);
        assert_null(cache);
        if (!strstr(error.message, cases[i].words) || !strstr(error.message, cases[i].name))
        {
            fail_msg("case %zu: '%s' does not say '%s'", i, error.message, cases[i].words);
        }
    }
}

static void test_cache_read_rejects_numbers_that_are_not_finite(void **state)
{
    (void)state;
    put("a.mdd", "\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\x7f\x80\0\0\0\0\0\0", 24);
    pleat_error error = {0};
    pleat_cache *cache;
    pleat_vec3 out;
    assert_int_equal(pleat_cache_open(in_folder("a.mdd"), NULL, &cache, &error), PLEAT_OK);
    assert_int_equal(pleat_cache_read(cache, 0, &out, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "frame 0, point 0"));
    assert_int_equal(truncate(in_folder("a.mdd"), 20), 0); /* cut while open */
    assert_int_equal(pleat_cache_read(cache, 0, &out, &error), PLEAT_FILE_ERROR);
    pleat_cache_close(cache);
}

static void test_cache_points_attach_to_a_mesh(void **state)
{
    (void)state;
    pleat_error error = {0};
    pleat_cache_desc desc = make_desc();
    write_cache(in_folder("a.pc2"), &desc);
    desc.times = times;
    write_cache(in_folder("a.mdd"), &desc);
    /* The mesh has a seam at vertex 2: six render vertices over the file's five. */
    static const char obj[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 2 0\nvt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 3/2 4/1 5/1\n";
    put("mesh.obj", obj, sizeof obj - 1);
    for (int mdd = 0; mdd < 2; ++mdd)
    {
        char points_path[2048];
        snprintf(points_path, sizeof points_path, "%s/%s", folder, mdd ? "a.mdd" : "a.pc2");
        pleat_load_options options = pleat_load_options_default();
        options.points_path = points_path;
        options.points_fps = 10;
        pleat_asset *asset;
        assert_int_equal(pleat_asset_load(in_folder("mesh.obj"), &options, NULL, &asset, &error), PLEAT_OK);
        const pleat_clip *clip = &pleat_asset_model(asset)->clips[0];
        assert_string_equal(clip->name, "a");
        assert_true(fabsf(clip->start - 0.5f) < 1e-6f && fabsf(clip->end - 0.7f) < 1e-6f);
        assert_true(fabsf(clip->points.fps - 10) < 1e-4f);
        assert_int_equal(clip->points.vertex_count, 6);
        static const uint32_t source[] = {0, 1, 2, 2, 3, 4};
        pleat_vec3 out[6];
        for (uint32_t f = 0; f < FRAMES; ++f)
        {
            assert_int_equal(clip->points.read(clip->points.user, f, out, &error), PLEAT_OK);
            for (uint32_t v = 0; v < 6; ++v)
            {
                pleat_vec3 expected = point(f, source[v]);
                assert_memory_equal(&out[v], &expected, sizeof expected);
            }
        }
        pleat_asset_destroy(asset);
    }
    put_text("other.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    char points_path[2048];
    snprintf(points_path, sizeof points_path, "%s/a.pc2", folder);
    pleat_load_options options = pleat_load_options_default();
    options.points_path = points_path;
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(in_folder("other.obj"), &options, NULL, &asset, &error), PLEAT_BAD_DATA);
    assert_null(asset);
    assert_non_null(strstr(error.message, "5 points"));
    assert_non_null(strstr(error.message, "a.pc2"));
}

static void test_cache_sequence_rejects_frames_that_differ(void **state)
{
    (void)state;
    put_text("f_1.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    put_text("f_2.obj", "v 0 0 0\nv 1 0 0\nf 1 2 1\n");
    put_text("f_10.obj", "v 0 0 0\nv 1 0 0\nv 1 7 0\nf 1 2 3\n");
    put_text("rest.obj", "v 0 0 0\n");
    put_text("notes.txt", "x");
    pleat_error error = {0};
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(folder, NULL, NULL, &asset, &error), PLEAT_OK);
    const pleat_points *points = &pleat_asset_model(asset)->clips[0].points;
    assert_int_equal(points->frame_count, 3);
    pleat_vec3 out[3];
    assert_int_equal(points->read(points->user, 1, out, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "f_2.obj"));
    assert_non_null(strstr(error.message, "2 vertices"));
    assert_int_equal(points->read(points->user, 2, out, &error), PLEAT_OK); /* 10 comes behind 2 */
    assert_true(out[2].y == 7);
    pleat_asset_destroy(asset);

    clear_folder();
    assert_int_equal(pleat_asset_load(folder, NULL, NULL, &asset, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, folder));
    assert_int_equal(pleat_asset_load(in_folder("none_%d.obj"), NULL, NULL, &asset, &error), PLEAT_BAD_DATA);
    assert_int_equal(pleat_asset_load(in_folder("no/none_%d.obj"), NULL, NULL, &asset, &error), PLEAT_FILE_ERROR);
    put_text("x1.obj", "v 0 0 bad\n");
    assert_int_equal(pleat_asset_load(folder, NULL, NULL, &asset, &error), PLEAT_BAD_DATA);
    assert_non_null(strstr(error.message, "x1.obj:1"));
}

static pleat_result open_body(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_cache *cache;
    pleat_result result = pleat_cache_open(user, host, &cache, error);
    pleat_cache_close(cache);
    return result;
}

static pleat_result load_body(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_load_options options = pleat_load_options_default();
    options.points_path = user;
    pleat_asset *asset;
    pleat_result result = pleat_asset_load(folder, &options, host, &asset, error);
    if (result == PLEAT_OK)
    {
        pleat_vec3 out[VERTICES];
        const pleat_points *points = &pleat_asset_model(asset)->clips[0].points;
        result = points->read(points->user, 1, out, error);
    }
    pleat_asset_destroy(asset);
    return result;
}

static pleat_result write_body(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_cache_desc desc = make_desc();
    pleat_cache_writer *writer;
    pleat_result result = pleat_cache_writer_create(in_folder(user), &desc, host, &writer, error);
    pleat_vec3 frame[VERTICES] = {{0, 0, 0}};
    for (uint32_t f = 0; f < FRAMES && result == PLEAT_OK; ++f)
    {
        result = pleat_cache_writer_frame(writer, frame, NULL, error);
    }
    if (result == PLEAT_OK)
    {
        result = pleat_cache_writer_commit(writer, error);
    }
    pleat_cache_writer_destroy(writer);
    return result;
}

static pleat_result sidecar_body(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_cache_desc desc = make_desc();
    pleat_vec3 rest[VERTICES] = {{0, 0, 0}};
    pleat_cache_range range = {"a", "b", "c", 0, 0, VERTICES, 0, 3};
    pleat_cache_sidecars sidecars = {.rest = rest, .range_count = 1, .ranges = &range};
    return pleat_cache_sidecars_write(in_folder("s.pc2"), &desc, &sidecars, host, error);
}

static void test_cache_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(write_body, "a.pc2");
    assert_int_equal(count_files(), 1);
    support_sweep_allocations(write_body, "a.mdd");
    support_sweep_allocations(write_body, "b.ply");
    assert_int_equal(count_files(), 2 + FRAMES);
    char path[2048];
    snprintf(path, sizeof path, "%s/a.mdd", folder);
    support_sweep_allocations(open_body, path);
    support_sweep_allocations(load_body, path);
    support_sweep_allocations(sidecar_body, NULL);
    assert_int_equal(count_files(), 2 + FRAMES + 2);
}

static void test_cache_shared_sequence_and_cache(void **state)
{
    (void)state;
    SUPPORT_NEED(cylinder, "cwf_twist_cylinder");
    pleat_error error = {0};
    pleat_asset *asset;
    assert_int_equal(pleat_asset_load(cylinder, NULL, NULL, &asset, &error), PLEAT_OK);
    const pleat_points *points = &pleat_asset_model(asset)->clips[0].points;
    assert_int_equal(points->frame_count, 98);
    assert_int_equal(points->vertex_count, 639);
    assert_int_equal(pleat_mesh_triangle_count(&pleat_asset_model(asset)->meshes[0]), 1222);
    pleat_vec3 out[720];
    for (uint32_t f = 0; f < 98; ++f)
    {
        assert_int_equal(points->read(points->user, f, out, &error), PLEAT_OK);
    }
    pleat_asset_destroy(asset);

    SUPPORT_NEED(found, "gen_coarse_skirt_sim/coarse_skirt_sim.pc2");
    char cache_path[1024];
    snprintf(cache_path, sizeof cache_path, "%s", found);
    SUPPORT_NEED(rest, "gen_coarse_skirt_sim/rest.obj");
    pleat_load_options options = pleat_load_options_default();
    options.points_path = cache_path;
    assert_int_equal(pleat_asset_load(rest, &options, NULL, &asset, &error), PLEAT_OK);
    points = &pleat_asset_model(asset)->clips[0].points;
    assert_int_equal(points->frame_count, 467);
    assert_int_equal(points->vertex_count, 720);
    assert_int_equal(points->read(points->user, 466, out, &error), PLEAT_OK);
    pleat_asset_destroy(asset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_cache_pc2_round_trip, setup),
        cmocka_unit_test_setup(test_cache_mdd_round_trip, setup),
        cmocka_unit_test_setup(test_cache_writer_makes_sequences_that_load, setup),
        cmocka_unit_test_setup(test_cache_single_frame_keeps_its_name, setup),
        cmocka_unit_test_setup(test_cache_writer_rejects_bad_descriptions, setup),
        cmocka_unit_test_setup(test_cache_writer_leaves_nothing_without_commit, setup),
        cmocka_unit_test_setup(test_cache_writers_in_a_group_appear_together, setup),
        cmocka_unit_test_setup(test_cache_sidecars_say_what_the_vertices_are, setup),
        cmocka_unit_test_setup(test_cache_open_rejects_bad_heads, setup),
        cmocka_unit_test_setup(test_cache_read_rejects_numbers_that_are_not_finite, setup),
        cmocka_unit_test_setup(test_cache_points_attach_to_a_mesh, setup),
        cmocka_unit_test_setup(test_cache_sequence_rejects_frames_that_differ, setup),
        cmocka_unit_test_setup(test_cache_survives_every_failed_allocation, setup),
        cmocka_unit_test_setup(test_cache_shared_sequence_and_cache, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Films, judged by ffprobe and by decoding them again. */
#include "support/support.h"

#include "pleat/io/film.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
    WIDTH = 64,
    HEIGHT = 48,
    FRAMES = 10
};

static uint8_t picture[HEIGHT][WIDTH + 3][4]; /* rows with a gap behind */

/* Left half dark, right half light, both a little brighter each frame. */
static void paint(int frame)
{
    for (int y = 0; y < HEIGHT; ++y)
    {
        for (int x = 0; x < WIDTH + 3; ++x)
        {
            uint8_t value = (uint8_t)((x < WIDTH / 2 ? 40 : 180) + 5 * frame);
            memcpy(picture[y][x], (uint8_t[]){value, value, value, 255}, 4);
        }
    }
}

static const char *path_of(const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    return path;
}

static bool have_ffmpeg(void)
{
    return system("command -v ffmpeg > /dev/null && command -v ffprobe > /dev/null") == 0;
}

#define NEED_FFMPEG()                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!have_ffmpeg())                                                                                            \
        {                                                                                                              \
            print_message("skipped: no ffmpeg\n");                                                                     \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

static pleat_film_desc small(void)
{
    pleat_film_desc desc = pleat_film_desc_default();
    desc.width = WIDTH;
    desc.height = HEIGHT;
    desc.fps = 25;
    return desc;
}

static pleat_result write_film(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_film_desc desc = small();
    pleat_film *film;
    pleat_result result = pleat_film_create(user, &desc, host, &film, error);
    for (int i = 0; result == PLEAT_OK && i < FRAMES; ++i)
    {
        paint(i);
        result = pleat_film_frame(film, picture, sizeof picture[0], error);
    }
    if (result == PLEAT_OK)
    {
        result = pleat_film_commit(film, NULL, error);
    }
    pleat_film_destroy(film);
    return result;
}

/* Hidden files that a film left behind. */
static int leftovers(void)
{
    int count = 0;
    DIR *folder = opendir(support_folder());
    for (struct dirent *entry; (entry = readdir(folder));)
    {
        count += strncmp(entry->d_name, ".pleat", 6) == 0;
    }
    closedir(folder);
    return count;
}

static void test_film_rejects_bad_descriptions(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        uint32_t width, height;
        float fps;
        uint32_t loss;
        const char *words;
    } cases[] = {
        {"a.avi", WIDTH, HEIGHT, 25, 18, ".mp4, .webm or .gif"},
        {"a.mp4", 0, HEIGHT, 25, 18, "0 x 48"},
        {"a.mp4", 9000, HEIGHT, 25, 18, "9000 x 48"},
        {"a.mp4", 63, HEIGHT, 25, 18, "even"},
        {"a.webm", WIDTH, 47, 25, 18, "even"},
        {"a.mp4", WIDTH, HEIGHT, 0, 18, "fps is 0"},
        {"a.mp4", WIDTH, HEIGHT, 25, 52, "loss is 52"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        pleat_film_desc desc = {cases[i].width, cases[i].height, cases[i].fps, cases[i].loss};
        pleat_film *film = (pleat_film *)&desc;
        pleat_error error = {0};
        assert_int_equal(pleat_film_create(path_of(cases[i].name), &desc, NULL, &film, &error), PLEAT_BAD_ARGUMENT);
        assert_null(film);
        assert_non_null(strstr(error.message, cases[i].words));
    }
    assert_true(pleat_film_is("x.MP4") && !pleat_film_is(".mp4") && !pleat_film_is("mp4"));
}

/* What ffprobe prints for the first stream's entries. */
static void probe(const char *path, const char *entries, char *out, int size)
{
    char command[2000];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=%s -of csv=p=0 '%s'", entries,
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[0] = 0;
    assert_non_null(fgets(out, size, pipe));
    assert_int_equal(pclose(pipe), 0);
}

static void check_film(const char *name, const char *expected)
{
    pleat_error error = {0};
    const char *path = path_of(name);
    unlink(path);
    char copy[1200];
    snprintf(copy, sizeof copy, "%s", path);
    if (write_film(copy, NULL, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    char told[200];
    probe(copy, "codec_name,width,height,r_frame_rate,nb_read_frames", told, sizeof told);
    assert_true(strncmp(told, expected, strlen(expected)) == 0);

    if (!strstr(name, ".gif"))
    {
        probe(copy, "color_space", told, sizeof told);
        assert_true(strncmp(told, "bt709", 5) == 0);
    }

    /* The last frame again, as grey bytes: 40 + 45 and 180 + 45. */
    char command[1600];
    snprintf(command, sizeof command, "ffmpeg -v error -i '%s' -vf 'select=eq(n\\,%d)' -f rawvideo -pix_fmt rgb24 -",
             copy, FRAMES - 1);
    FILE *pipe = popen(command, "r");
    static uint8_t decoded[HEIGHT * WIDTH * 3];
    assert_int_equal(fread(decoded, 1, sizeof decoded, pipe), sizeof decoded);
    pclose(pipe);
    const uint8_t *row = decoded + 3 * WIDTH * (HEIGHT / 2);
    assert_in_range(row[3 * 10], 85 - 8, 85 + 8);
    assert_in_range(row[3 * (WIDTH - 10)], 225 - 8, 225 + 8);
    assert_int_equal(leftovers(), 0);
}

static void test_film_mp4_holds_the_frames(void **state)
{
    (void)state;
    NEED_FFMPEG();
    check_film("film.mp4", "h264,64,48,25/1,10");
}

static void test_film_webm_holds_the_frames(void **state)
{
    (void)state;
    NEED_FFMPEG();
    check_film("film.webm", "vp9,64,48,25/1,10");
}

static void test_film_gif_holds_the_frames(void **state)
{
    (void)state;
    NEED_FFMPEG();
    check_film("film.gif", "gif,64,48,25/1,10");
}

static uint64_t hash_of_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static uint8_t bytes[1 << 16];
    uint64_t hash = SUPPORT_HASH;
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
    {
        hash = support_hash(hash, bytes, size);
    }
    fclose(file);
    return hash;
}

static void test_film_is_the_same_again(void **state)
{
    (void)state;
    NEED_FFMPEG();
    char path[1200];
    snprintf(path, sizeof path, "%s", path_of("again.mp4"));
    pleat_error error = {0};
    assert_int_equal(write_film(path, NULL, &error), PLEAT_OK);
    uint64_t first = hash_of_file(path);
    assert_int_equal(write_film(path, NULL, &error), PLEAT_OK);
    assert_int_equal(hash_of_file(path), first);
}

static void test_film_without_commit_leaves_nothing(void **state)
{
    (void)state;
    NEED_FFMPEG();
    char path[1200];
    snprintf(path, sizeof path, "%s", path_of("dropped.mp4"));
    unlink(path);
    pleat_film_desc desc = small();
    pleat_film *film;
    pleat_error error = {0};
    assert_int_equal(pleat_film_create(path, &desc, NULL, &film, &error), PLEAT_OK);
    assert_int_equal(pleat_film_commit(film, NULL, &error), PLEAT_BAD_ARGUMENT);
    paint(0);
    assert_int_equal(pleat_film_frame(film, picture, sizeof picture[0], &error), PLEAT_OK);
    pleat_film_destroy(film);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(leftovers(), 0);
}

/* Writes a film with PATH set to folder. */
static pleat_result write_with_path(const char *folder, const char *name, pleat_error *error)
{
    char kept[4096], path[1200];
    snprintf(kept, sizeof kept, "%s", getenv("PATH") ? getenv("PATH") : "");
    snprintf(path, sizeof path, "%s", path_of(name));
    setenv("PATH", folder, 1);
    pleat_result result = write_film(path, NULL, error);
    setenv("PATH", kept, 1);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(leftovers(), 0);
    return result;
}

static void test_film_tells_why_ffmpeg_stopped(void **state)
{
    (void)state;
    char folder[1200], program[1300];
    snprintf(folder, sizeof folder, "%s", path_of("broken"));
    mkdir(folder, 0777);
    snprintf(program, sizeof program, "%s/ffmpeg", folder);
    FILE *script = fopen(program, "w");
    assert_non_null(script);
    fputs("#!/bin/sh\necho 'the codec is broken' >&2\nexit 3\n", script);
    fclose(script);
    chmod(program, 0755);
    pleat_error error = {0};
    assert_int_equal(write_with_path(folder, "stopped.mp4", &error), PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, "the codec is broken"));
}

static void test_film_names_the_missing_program(void **state)
{
    (void)state;
    pleat_error error = {0};
    assert_int_equal(write_with_path("/nowhere", "never.mp4", &error), PLEAT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "install ffmpeg"));
}

static void test_film_needs_a_place_to_go(void **state)
{
    (void)state;
    char path[1200];
    snprintf(path, sizeof path, "%s", path_of("no/such/folder/film.mp4"));
    pleat_error error = {0};
    assert_int_equal(write_film(path, NULL, &error), PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, "No such file or directory"));
}

static void test_film_survives_failing_allocations(void **state)
{
    (void)state;
    NEED_FFMPEG();
    char path[1200];
    snprintf(path, sizeof path, "%s", path_of("swept.mp4"));
    support_sweep_allocations(write_film, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_film_rejects_bad_descriptions), cmocka_unit_test(test_film_mp4_holds_the_frames),
        cmocka_unit_test(test_film_webm_holds_the_frames),    cmocka_unit_test(test_film_gif_holds_the_frames),
        cmocka_unit_test(test_film_is_the_same_again),        cmocka_unit_test(test_film_without_commit_leaves_nothing),
        cmocka_unit_test(test_film_tells_why_ffmpeg_stopped), cmocka_unit_test(test_film_names_the_missing_program),
        cmocka_unit_test(test_film_needs_a_place_to_go),      cmocka_unit_test(test_film_survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("film", tests, NULL, NULL);
}

/* Wrinkle files: the way there and back to the bit, editing by hand, and everything that is refused. */
#include "support/support.h"

#include "pleat/io.h"
#include "pleat/layers/wrinkles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "pleat-wrinkles 1\nsurface 0 vertices 4 triangles 2 name cloth\nclip 0 step 0.1 frames 3\n"
#define POINT "0 0.25 0.25 0.5 0.01 0.005 0.2\n"

static pleat_wrinkle_file *parse(const char *text)
{
    pleat_wrinkle_file *file;
    pleat_error error = {0};
    if (pleat_wrinkle_file_parse(text, strlen(text), "t.wrinkles", NULL, &file, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return file;
}

static void refuse(const char *text, const char *said)
{
    pleat_wrinkle_file *file;
    pleat_error error = {0};
    assert_int_equal(pleat_wrinkle_file_parse(text, strlen(text), "t.wrinkles", NULL, &file, &error), PLEAT_BAD_DATA);
    assert_null(file);
    if (!strstr(error.message, said) || !strstr(error.message, "t.wrinkles"))
    {
        fail_msg("'%s' does not say '%s'", error.message, said);
    }
}

/* A set with every kind of float that a point may hold. */
enum
{
    FRAMES = 12,
    TRIANGLES = 77
};

typedef struct random_set
{
    uint32_t first[FRAMES + 1];
    pleat_wrinkle wrinkles[FRAMES * 4];
    pleat_wrinkle_point points[FRAMES * 4 * 9];
    pleat_wrinkle_surface surface;
    pleat_wrinkle_list list;
} random_set;

static random_set *make_random_set(uint32_t seed)
{
    random_set *set = calloc(1, sizeof *set);
    uint32_t wrinkle = 0, point = 0;
    for (uint32_t f = 0; f < FRAMES; ++f)
    {
        set->first[f] = wrinkle;
        for (uint32_t w = 0; w < support_random(&seed) % 4; ++w)
        {
            uint32_t count = 2 + support_random(&seed) % 7;
            set->wrinkles[wrinkle++] = (pleat_wrinkle){3 * w + f / 5, point, count, support_random(&seed) % count};
            for (uint32_t i = 0; i < count; ++i)
            {
                float a = support_random_float(&seed, 0, 1), b = (1 - a) * support_random_float(&seed, 0, 1);
                set->points[point++] = (pleat_wrinkle_point){{support_random(&seed) % TRIANGLES, {a, b, 1 - a - b}},
                                                             expf(support_random_float(&seed, -20, 5)),
                                                             support_random_float(&seed, -1, 1) * 1e-3f,
                                                             support_random_float(&seed, 0, 1)};
            }
        }
    }
    set->first[FRAMES] = wrinkle;
    set->surface = (pleat_wrinkle_surface){
        "left sleeve", 4, 40, TRIANGLES, {1 / 3.0f, 1 / 30.0f, FRAMES, set->first, set->wrinkles, set->points}};
    set->list = (pleat_wrinkle_list){1, &set->surface};
    return set;
}

static void test_wrinkle_file_keeps_every_bit(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed < 20; ++seed)
    {
        random_set *set = make_random_set(seed);
        char path[500];
        pleat_error error = {0};
        pleat_wrinkle_file *file;
        snprintf(path, sizeof path, "%s/random.wrinkles", support_folder());
        assert_int_equal(pleat_wrinkle_file_write(path, &set->list, NULL, NULL, &error), PLEAT_OK);
        assert_int_equal(pleat_wrinkle_file_read(path, NULL, &file, &error), PLEAT_OK);
        const pleat_wrinkle_list *list = pleat_wrinkle_file_list(file);
        assert_int_equal(list->surface_count, 1);
        const pleat_wrinkle_surface *read = &list->surfaces[0];
        assert_string_equal(read->name, "left sleeve");
        assert_int_equal(read->node, 4);
        assert_int_equal(read->vertex_count, 40);
        assert_int_equal(read->triangle_count, TRIANGLES);
        assert_int_equal(read->set.frame_count, FRAMES);
        assert_memory_equal(&read->set.start, &set->surface.set.start, 2 * sizeof(float));
        assert_memory_equal(read->set.first_wrinkle, set->first, sizeof set->first);
        uint32_t wrinkles = set->first[FRAMES];
        assert_memory_equal(read->set.wrinkles, set->wrinkles, wrinkles * sizeof *set->wrinkles);
        uint32_t points = set->wrinkles[wrinkles - 1].first_point + set->wrinkles[wrinkles - 1].point_count;
        assert_memory_equal(read->set.points, set->points, points * sizeof *set->points);
        pleat_wrinkle_file_destroy(file);
        free(set);
    }
}

static void test_wrinkle_file_says_how_long_a_wrinkle_lives(void **state)
{
    (void)state;
    pleat_wrinkle_file *file =
        parse(HEAD "frame 0\nwrinkle 4 seed 0\n" POINT POINT "frame 1\nwrinkle 2 seed 1\n" POINT POINT
                   "wrinkle 4 seed 1\n" POINT POINT POINT "frame 2\nwrinkle 2 seed 0\n" POINT POINT);
    const pleat_wrinkle_list *list = pleat_wrinkle_file_list(file);
    uint32_t born, dead;
    assert_true(pleat_wrinkle_set_life(&list->surfaces[0].set, 4, &born, &dead) && born == 0 && dead == 1);
    assert_true(pleat_wrinkle_set_life(&list->surfaces[0].set, 2, &born, &dead) && born == 1 && dead == 2);
    assert_false(pleat_wrinkle_set_life(&list->surfaces[0].set, 3, &born, &dead));
    char path[500];
    pleat_error error = {0};
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/lives.wrinkles", support_folder());
    assert_int_equal(pleat_wrinkle_file_write(path, list, NULL, NULL, &error), PLEAT_OK);
    assert_int_equal(pleat_file_read(path, NULL, &bytes, &size, &error), PLEAT_OK);
    char *text = calloc(1, size + 1);
    memcpy(text, bytes, size);
    assert_non_null(strstr(text, "wrinkle 4 seed 0   # lives in frames 0-1\n"));
    assert_non_null(strstr(text, "wrinkle 2 seed 1   # lives in frames 1-2\n"));
    free(text);
    pleat_file_free(NULL, bytes, size);
    pleat_wrinkle_file_destroy(file);
}

/* Comments, empty lines, spaces, CRLF, frames left out, points without a name. */
static void test_wrinkle_file_takes_what_hands_write(void **state)
{
    (void)state;
    pleat_wrinkle_file *file = parse("pleat-wrinkles 1 \r\n# mine\r\n\r\n  surface 2 vertices 3 triangles 1 # cloth\r\n"
                                     "clip -1 step 0.5 frames 9\r\nframe 7\r\nwrinkle 11 seed 1 # the deep one\r\n"
                                     "\t0 1 0 0 .5 -.25 0\r\n\r\n 0 0 1 0 1e-3 0 1 # end\r\n");
    const pleat_wrinkle_set *set = &pleat_wrinkle_file_list(file)->surfaces[0].set;
    assert_int_equal(set->first_wrinkle[7], 0);
    assert_int_equal(set->first_wrinkle[8], 1);
    assert_int_equal(set->first_wrinkle[9], 1);
    assert_int_equal(set->wrinkles[0].point_count, 2);
    assert_true(set->points[0].depth == -0.25f && set->points[1].width == 1e-3f);
    pleat_wrinkle_file_destroy(file);
}

static void test_wrinkle_file_refuses(void **state)
{
    (void)state;
    refuse("", "'pleat-wrinkles'");
    refuse("pleat-wrinkles 2\n", "version 2");
    refuse("pleat-wrinkles 1\nclip 0 step 1 frames 1\n", "before any 'surface'");
    refuse("pleat-wrinkles 1\nsurface 0 vertices 3 triangles 1\n", "no 'clip'");
    refuse("pleat-wrinkles 1\nsurface 0 vertices 3 triangles 1\nframe 0\n", "before any 'clip'");
    refuse("pleat-wrinkles 1\nsurface 0 vertices 3 triangles 1\nclip 0 step 1 frames 4000000000\n",
           "4000000000 frames");
    refuse("pleat-wrinkles 1\nsurface 0 vertices 3 triangles 1\nclip 0 step 0 frames 1\n", "above 0");
    refuse("pleat-wrinkles 1\nsurface 0 vertices 3 triangles 1\nclip 0 step nan frames 1\n", "a finite number");
    refuse(HEAD "surface 0 vertices 3 triangles 1\n", "second surface");
    refuse(HEAD "clip 0 step 1 frames 1\n", "second 'clip'");
    refuse(HEAD "wrinkle 0 seed 0\n", "before any 'frame'");
    refuse(HEAD POINT, "before any 'wrinkle'");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT POINT "frame 1\n" POINT, "before any 'wrinkle'");
    refuse(HEAD "frame 3\n", "frame 3; one of 0-2");
    refuse(HEAD "frame 1\nframe 1\n", "frame 1; one of 2-2");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT, "at least 2");
    refuse(HEAD "frame 0\nwrinkle 0 seed 2\n" POINT POINT, "seed is point 2");
    refuse(HEAD "frame 0\nwrinkle 5 seed 0\n" POINT POINT "wrinkle 5 seed 0\n" POINT POINT, "ids must grow");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "2 1 0 0 1 1 0\n", "past the surface's last");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1 0.1 0 1 1 0\n", "barycentric");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1.5 -0.5 0 1 1 0\n", "barycentric");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1 0 0 0 1 0\n", "width");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1 0 0 1 1 1.5\n", "strength");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1 0 0 1 inf 1\n", "finite");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1 0 0 1\n", "depth is missing");
    refuse(HEAD "frame 0\nwrinkle 0 seed 0\n" POINT "1 1 0 0 1 1 0 7\n", "end of the line");
    refuse(HEAD "frame 0\nwrinkle 0.5 seed 0\n", "whole number");
    refuse(HEAD "fold 0\n", "first word");
}

/* Every cut of a good file is read or refused, never more. */
static void test_wrinkle_file_cut_anywhere(void **state)
{
    (void)state;
    const char *text = HEAD "frame 0\nwrinkle 4 seed 0\n" POINT POINT "frame 1\nwrinkle 2 seed 1\n" POINT POINT;
    for (size_t size = 0; size <= strlen(text); ++size)
    {
        char *cut = malloc(size + 1);
        memcpy(cut, text, size);
        pleat_wrinkle_file *file;
        pleat_error error = {0};
        pleat_result result = pleat_wrinkle_file_parse(cut, size, "cut", NULL, &file, &error);
        assert_true((result == PLEAT_OK) == (file != NULL));
        pleat_wrinkle_file_destroy(file);
        free(cut);
    }
}

static pleat_result parse_once(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_wrinkle_file *file;
    pleat_result result = pleat_wrinkle_file_parse(user, strlen(user), "t", host, &file, error);
    pleat_wrinkle_file_destroy(file);
    return result;
}

static void test_wrinkle_file_without_memory(void **state)
{
    (void)state;
    static char text[] = HEAD "frame 0\nwrinkle 4 seed 0\n" POINT POINT
                              "surface 3 vertices 4 triangles 2 name two\nclip 0 step 1 frames 1\n";
    support_sweep_allocations(parse_once, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrinkle_file_keeps_every_bit),
        cmocka_unit_test(test_wrinkle_file_says_how_long_a_wrinkle_lives),
        cmocka_unit_test(test_wrinkle_file_takes_what_hands_write),
        cmocka_unit_test(test_wrinkle_file_refuses),
        cmocka_unit_test(test_wrinkle_file_cut_anywhere),
        cmocka_unit_test(test_wrinkle_file_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

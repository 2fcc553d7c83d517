#include "support/support.h"

#include "io/file/file.h"
#include "io/file/output.h"
#include "pleat/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An empty folder for one test, and a path in it. */
static const char *folder;
static char folder_path[1200];

static void empty_folder(void)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    struct dirent *entry;
    while ((entry = readdir(directory)))
    {
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
        {
            remove(path);
        }
    }
    closedir(directory);
}

static int count_files(void)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = -2; /* . and .. */
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
    if (!folder)
    {
        snprintf(folder_path, sizeof folder_path, "%s/work", support_folder());
        mkdir(folder_path, 0777);
        folder = folder_path;
    }
    empty_folder();
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

static void assert_content(const char *path, const char *expected)
{
    void *bytes;
    size_t size;
    pleat_error error = {0};
    assert_int_equal(pleat_file_read(path, NULL, &bytes, &size, &error), PLEAT_OK);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
    pleat_file_free(NULL, bytes, size);
}

static void test_output_write_and_read_give_the_same_bytes(void **state)
{
    (void)state;
    pleat_error error = {0};
    const char *path = in_folder("a.bin");
    size_t size = 1000003; /* several buffers and a rest */
    unsigned char *bytes = malloc(size);
    uint32_t random = 1;
    for (size_t i = 0; i < size; ++i)
    {
        bytes[i] = (unsigned char)support_random(&random);
    }
    pl_output *output;
    assert_int_equal(pl_output_begin(path, NULL, &output, &error), PLEAT_OK);
    for (size_t i = 0; i < size;)
    {
        size_t piece = support_random(&random) % 4096;
        piece = i < 300000 ? size / 3 : piece;
        piece = piece < size - i ? piece : size - i;
        assert_int_equal(pl_output_write(output, bytes + i, piece, &error), PLEAT_OK);
        i += piece;
        assert_int_equal(pl_output_size(output), i);
    }
    bytes[17] = 'x';
    bytes[18] = 'y';
    assert_int_equal(pl_output_patch(output, 17, "xy", 2, &error), PLEAT_OK);
    assert_int_equal(access(path, F_OK), -1); /* not before its end */
    assert_int_equal(count_files(), 1);
    assert_int_equal(pl_output_end(output, NULL, &error), PLEAT_OK);
    assert_int_equal(count_files(), 1);
    void *back;
    size_t back_size;
    assert_int_equal(pleat_file_read(path, NULL, &back, &back_size, &error), PLEAT_OK);
    assert_int_equal(back_size, size);
    assert_memory_equal(back, bytes, size);
    assert_int_equal(((char *)back)[size], 0);
    pleat_file_free(NULL, back, back_size);
    free(bytes);
}

static void test_output_abort_leaves_the_old_file(void **state)
{
    (void)state;
    pleat_error error = {0};
    const char *path = in_folder("a.txt");
    assert_int_equal(pleat_file_write(path, "old", 3, &error), PLEAT_OK);
    pl_output *output;
    assert_int_equal(pl_output_begin(path, NULL, &output, &error), PLEAT_OK);
    assert_int_equal(pl_output_print(output, &error, "%s %d", "new", 5), PLEAT_OK);
    pl_output_abort(output);
    pl_output_abort(NULL);
    assert_content(path, "old");
    assert_int_equal(count_files(), 1);
    assert_int_equal(pleat_file_write(path, "", 0, &error), PLEAT_OK);
    assert_content(path, "");
}

static void test_output_keeps_mode_and_link(void **state)
{
    (void)state;
    pleat_error error = {0};
    const char *path = in_folder("real.txt");
    const char *link_path = in_folder("link.txt");
    assert_int_equal(pleat_file_write(path, "old", 3, &error), PLEAT_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("real.txt", link_path), 0);
    assert_int_equal(pleat_file_write(link_path, "new", 3, &error), PLEAT_OK);
    struct stat status;
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(lstat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_content(path, "new");
}

static void test_output_rejects_places_that_cannot_be(void **state)
{
    (void)state;
    static const char *const names[] = {"", "no/such/folder/a.txt"};
    for (size_t i = 0; i < 2; ++i)
    {
        pleat_error error = {0};
        pl_output *output = (pl_output *)&error;
        const char *path = i == 0 ? "" : in_folder(names[i]);
        assert_int_equal(pl_output_begin(path, NULL, &output, &error), PLEAT_FILE_ERROR);
        assert_null(output);
        assert_non_null(strstr(error.message, path));
    }
    pleat_error error = {0};
    assert_int_equal(pleat_file_write(folder, "a", 1, &error), PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, "folder"));
    assert_non_null(strstr(error.message, folder));
    assert_int_equal(count_files(), 0);
}

static void test_output_devices_are_written_directly(void **state)
{
    (void)state;
    pleat_error error = {0};
    assert_int_equal(pleat_file_write("/dev/null", "a", 1, &error), PLEAT_OK);
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_int_equal(pleat_file_write("/dev/full", "a", 1, &error), PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, "/dev/full"));
    assert_non_null(strstr(error.message, strerror(ENOSPC)));
}

static void test_output_read_rejects_what_is_no_file(void **state)
{
    (void)state;
    pleat_error error = {0};
    void *bytes = &error;
    size_t size;
    assert_int_equal(pleat_file_read(in_folder("none"), NULL, &bytes, &size, &error), PLEAT_FILE_ERROR);
    assert_null(bytes);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    assert_int_equal(pleat_file_read(folder, NULL, &bytes, &size, &error), PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, "a folder"));
    assert_int_equal(pleat_file_read("/dev/zero", NULL, &bytes, &size, &error), PLEAT_FILE_ERROR);
    assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
    assert_int_equal(pleat_file_read(in_folder("pipe"), NULL, &bytes, &size, &error), PLEAT_FILE_ERROR);
    /* A sparse file of 1 TiB is checked against the limit before memory is asked for. */
    assert_int_equal(pleat_file_write(in_folder("big"), "a", 1, &error), PLEAT_OK);
    assert_int_equal(truncate(in_folder("big"), (off_t)1 << 40), 0);
    pleat_host host = pleat_host_default();
    host.memory_limit = (size_t)1 << 32;
    assert_int_equal(pleat_file_read(in_folder("big"), &host, &bytes, &size, &error), PLEAT_OVER_LIMIT);
}

/* Runs body in a child whose files may not pass 100 kB; 0 when it returns true. */
static void run_with_small_disk(bool (*body)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(body() ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static char big_bytes[600000];

static bool write_too_much(void)
{
    pleat_error error = {0};
    return pleat_file_write(in_folder("a.bin"), big_bytes, sizeof big_bytes, &error) == PLEAT_FILE_ERROR &&
           strstr(error.message, "a.bin") && strstr(error.message, strerror(EFBIG));
}

static bool write_too_much_at_end(void)
{
    /* Fits the buffer, so that only the flush at the end meets the full disk; and a group drops its other member. */
    pleat_error error = {0};
    pleat_outputs *group;
    pl_output *output;
    bool good = pleat_outputs_create(NULL, &group, &error) == PLEAT_OK &&
                pl_output_begin(in_folder("b.bin"), NULL, &output, &error) == PLEAT_OK &&
                pl_output_write(output, "b", 1, &error) == PLEAT_OK &&
                pl_output_end(output, group, &error) == PLEAT_OK &&
                pl_output_begin(in_folder("a.bin"), NULL, &output, &error) == PLEAT_OK &&
                pl_output_write(output, big_bytes, 150000, &error) == PLEAT_OK &&
                pl_output_end(output, group, &error) == PLEAT_FILE_ERROR && strstr(error.message, "a.bin");
    pleat_outputs_destroy(group);
    return good;
}

static void test_output_full_disk_leaves_nothing(void **state)
{
    (void)state;
    pleat_error error = {0};
    run_with_small_disk(write_too_much);
    assert_int_equal(count_files(), 0);
    assert_int_equal(pleat_file_write(in_folder("a.bin"), "old", 3, &error), PLEAT_OK);
    run_with_small_disk(write_too_much);
    run_with_small_disk(write_too_much_at_end);
    assert_int_equal(count_files(), 1);
    assert_content(in_folder("a.bin"), "old");
}

static pl_output *begin_with(const char *name, const char *text)
{
    pleat_error error = {0};
    pl_output *output;
    assert_int_equal(pl_output_begin(in_folder(name), NULL, &output, &error), PLEAT_OK);
    assert_int_equal(pl_output_write(output, text, strlen(text), &error), PLEAT_OK);
    return output;
}

static void test_output_group_appears_together(void **state)
{
    (void)state;
    pleat_error error = {0};
    assert_int_equal(pleat_file_write(in_folder("a"), "old a", 5, &error), PLEAT_OK);
    pleat_outputs *group;
    assert_int_equal(pleat_outputs_create(NULL, &group, &error), PLEAT_OK);
    assert_int_equal(pl_output_end(begin_with("a", "new a"), group, &error), PLEAT_OK);
    for (int i = 0; i < 40; ++i)
    {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        assert_int_equal(pl_output_end(begin_with(name, name), group, &error), PLEAT_OK);
    }
    assert_content(in_folder("a"), "old a");
    assert_int_equal(access(in_folder("b0"), F_OK), -1);
    assert_int_equal(pleat_outputs_commit(group, &error), PLEAT_OK);
    pleat_outputs_destroy(group);
    assert_content(in_folder("a"), "new a");
    assert_content(in_folder("b39"), "b39");
    assert_int_equal(count_files(), 41);
}

static void test_output_group_undoes_a_commit_that_fails(void **state)
{
    (void)state;
    pleat_error error = {0};
    assert_int_equal(pleat_file_write(in_folder("a"), "old a", 5, &error), PLEAT_OK);
    pleat_outputs *group;
    assert_int_equal(pleat_outputs_create(NULL, &group, &error), PLEAT_OK);
    assert_int_equal(pl_output_end(begin_with("a", "new a"), group, &error), PLEAT_OK);
    assert_int_equal(pl_output_end(begin_with("b", "new b"), group, &error), PLEAT_OK);
    assert_int_equal(pl_output_end(begin_with("c", "new c"), group, &error), PLEAT_OK);
    /* A folder that is not empty turns up under the last name: the renames of a and b must be taken back. */
    assert_int_equal(mkdir(in_folder("c"), 0777), 0);
    assert_int_equal(mkdir(in_folder("c/d"), 0777), 0);
    pleat_result result = pleat_outputs_commit(group, &error);
    assert_int_equal(rmdir(in_folder("c/d")), 0);
    assert_int_equal(rmdir(in_folder("c")), 0);
    assert_int_equal(result, PLEAT_FILE_ERROR);
    assert_non_null(strstr(error.message, in_folder("c")));
    assert_content(in_folder("a"), "old a");
    assert_int_equal(access(in_folder("b"), F_OK), -1);
    pleat_outputs_destroy(group);
    assert_int_equal(count_files(), 1);
}

static void test_output_kill_leaves_the_final_name_untouched(void **state)
{
    (void)state;
    pleat_error error = {0};
    const char *path = in_folder("a.bin");
    assert_int_equal(pleat_file_write(path, "old", 3, &error), PLEAT_OK);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        alarm(5);
        pl_output *output = begin_with("a.bin", "new");
        pl_output_write(output, big_bytes, sizeof big_bytes, &error);
        if (write(ready[1], "1", 1) == 1)
        {
            pause();
        }
        _exit(1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    assert_content(path, "old");
    assert_int_equal(count_files(), 2); /* nobody could remove the temporary */
}

static void end_by_signal(int number)
{
    (void)number;
    pleat_outputs_remove_all();
    _exit(3);
}

static void test_output_signal_handler_removes_temporaries(void **state)
{
    (void)state;
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        alarm(5); /* in case the parent fails */
        pleat_error error = {0};
        pleat_outputs *group;
        signal(SIGTERM, end_by_signal);
        pleat_outputs_create(NULL, &group, &error);
        begin_with("a", "a");
        pl_output_abort(begin_with("b", "b"));
        pl_output_end(begin_with("c", "c"), group, &error);
        pl_output_end(begin_with("d", "d"), NULL, &error);
        if (write(ready[1], "1", 1) == 1)
        {
            pause();
        }
        _exit(1);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(count_files(), 3);
    kill(child, SIGTERM);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_content(in_folder("d"), "d");
    assert_int_equal(count_files(), 1);
}

static pleat_result write_in_group(void *user, const pleat_host *host, pleat_error *error)
{
    (void)user;
    pleat_outputs *group;
    pleat_result result = pleat_outputs_create(host, &group, error);
    for (int i = 0; i < 2 && result == PLEAT_OK; ++i)
    {
        pl_output *output;
        result = pl_output_begin(in_folder(i ? "a" : "b"), host, &output, error);
        if (result == PLEAT_OK)
        {
            pl_output_write(output, "x", 1, error);
            result = pl_output_end(output, group, error);
        }
    }
    pleat_outputs_destroy(group);
    return result;
}

static void test_output_survives_every_failed_allocation(void **state)
{
    (void)state;
    support_sweep_allocations(write_in_group, NULL);
    assert_int_equal(count_files(), 0);
}

static void test_output_png_round_trip(void **state)
{
    (void)state;
    enum
    {
        WIDTH = 13,
        HEIGHT = 7
    };
    for (uint32_t bits = 8; bits <= 16; bits += 8)
    {
        for (uint32_t channels = 1; channels <= 4; ++channels)
        {
            pleat_error error = {0};
            uint16_t pixels16[WIDTH * HEIGHT * 4];
            uint8_t pixels8[WIDTH * HEIGHT * 4];
            uint32_t random = 7;
            for (size_t i = 0; i < WIDTH * HEIGHT * 4; ++i)
            {
                pixels16[i] = (uint16_t)support_random(&random);
                pixels8[i] = (uint8_t)pixels16[i];
            }
            const void *pixels = bits == 8 ? (const void *)pixels8 : pixels16;
            size_t size = (size_t)WIDTH * HEIGHT * channels * bits / 8;
            assert_int_equal(pleat_png_write(in_folder("a.png"), WIDTH, HEIGHT, channels, bits, pixels, &error),
                             PLEAT_OK);

            /* Read back by libpng's plain reader, as stored: big-endian for 16 bits. */
            FILE *file = fopen(in_folder("a.png"), "rb");
            png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
            png_infop info = png_create_info_struct(png);
            png_init_io(png, file);
            png_read_png(png, info, PNG_TRANSFORM_SWAP_ENDIAN, NULL);
            assert_int_equal(png_get_image_width(png, info), WIDTH);
            assert_int_equal(png_get_bit_depth(png, info), bits);
            assert_int_equal(png_get_channels(png, info), channels);
            png_bytepp rows = png_get_rows(png, info);
            for (size_t y = 0; y < HEIGHT; ++y)
            {
                assert_memory_equal(rows[y], (const char *)pixels + y * size / HEIGHT, size / HEIGHT);
            }
            png_destroy_read_struct(&png, &info, NULL);
            fclose(file);
        }
    }
    assert_int_equal(count_files(), 1);
}

static void test_output_png_rejects_bad_shapes(void **state)
{
    (void)state;
    static const uint32_t shapes[][4] = {{0, 1, 1, 8}, {1, 0, 1, 8}, {1, 1, 0, 8},
                                         {1, 1, 5, 8}, {1, 1, 1, 7}, {0x7fffffff, 1, 1, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
    {
        pleat_error error = {0};
        const uint32_t *shape = shapes[i];
        assert_int_equal(pleat_png_write(in_folder("a.png"), shape[0], shape[1], shape[2], shape[3], "", &error),
                         PLEAT_BAD_ARGUMENT);
        assert_true(error.message[0] != 0);
    }
    assert_int_equal(count_files(), 0);
    pleat_error error = {0};
    assert_int_equal(pleat_png_write("/dev/full", 1, 1, 1, 8, "a", &error), PLEAT_FILE_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_output_write_and_read_give_the_same_bytes, setup),
        cmocka_unit_test_setup(test_output_abort_leaves_the_old_file, setup),
        cmocka_unit_test_setup(test_output_keeps_mode_and_link, setup),
        cmocka_unit_test_setup(test_output_rejects_places_that_cannot_be, setup),
        cmocka_unit_test_setup(test_output_devices_are_written_directly, setup),
        cmocka_unit_test_setup(test_output_read_rejects_what_is_no_file, setup),
        cmocka_unit_test_setup(test_output_full_disk_leaves_nothing, setup),
        cmocka_unit_test_setup(test_output_group_appears_together, setup),
        cmocka_unit_test_setup(test_output_group_undoes_a_commit_that_fails, setup),
        cmocka_unit_test_setup(test_output_kill_leaves_the_final_name_untouched, setup),
        cmocka_unit_test_setup(test_output_signal_handler_removes_temporaries, setup),
        cmocka_unit_test_setup(test_output_survives_every_failed_allocation, setup),
        cmocka_unit_test_setup(test_output_png_round_trip, setup),
        cmocka_unit_test_setup(test_output_png_rejects_bad_shapes, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

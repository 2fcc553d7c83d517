/* Jobs as a host runs them: the rules and bytes of the command line, progress that counts, a stop that leaves nothing.
 */
#include "support/support.h"

#include "pleat/io.h"
#include "pleat/job.h"
#include "pleat/job/maps.h"
#include "pleat/job/measure.h"
#include "pleat/make.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A built-in character as a file of this test; "" without a folder. */
static const char *character(const char *name)
{
    static char path[1024];
    pleat_made *made;
    pleat_asset *asset;
    snprintf(path, sizeof path, "%s/%s.glb", support_folder(), name);
    if (access(path, R_OK) != 0)
    {
        assert_int_equal(pleat_make(name, NULL, NULL, &made, NULL), PLEAT_OK);
        assert_int_equal(pleat_asset_from_model(pleat_made_model(made), "test", NULL, &asset, NULL), PLEAT_OK);
        assert_int_equal(pleat_gltf_write(asset, NULL, path, NULL, NULL), PLEAT_OK);
        pleat_asset_destroy(asset);
        pleat_made_destroy(made);
    }
    return path;
}

/* An empty folder of that name. */
static const char *fresh_folder(const char *name)
{
    static char path[1024];
    char command[2200];
    snprintf(path, sizeof path, "%s/%s", support_folder(), name);
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir -p '%s'", path, path);
    assert_int_equal(system(command), 0);
    return path;
}

static uint32_t count_files(const char *folder)
{
    uint32_t count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    for (struct dirent *entry; (entry = readdir(open));)
    {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(open);
    return count;
}

/* Few triangles, where what comes out does not matter. */
static const char *const coarse[] = {"folds.detail=2"};

static pleat_bake_job small_bake(const pleat_texts *outputs)
{
    pleat_bake_job job = pleat_bake_job_default();
    job.input.file = character("arm");
    job.input.clip = "bend";
    job.input.first_frame = 20;
    job.input.last_frame = 25;
    job.target_limit = 8;
    job.outputs = *outputs;
    return job;
}

/* ---- Checks ----------------------------------------------------------------------------------------------------- */

static void refuses(const pleat_bake_job *job, const char *words)
{
    pleat_error error = {0};
    assert_int_equal(pleat_bake_job_validate(job, NULL, &error), PLEAT_BAD_REQUEST);
    if (!strstr(error.message, words))
    {
        fail_msg("'%s' says nothing of '%s'", error.message, words);
    }
    /* Run begins with the same checks. */
    const pleat_bake_report *report = (const void *)1;
    assert_int_equal(pleat_bake_job_run(job, NULL, NULL, &report, NULL), PLEAT_BAD_REQUEST);
    assert_null(report);
}

static void test_job_validates(void **state)
{
    (void)state;
    char path[1100];
    snprintf(path, sizeof path, "%s/checked.glb", fresh_folder("checks"));
    const char *const out[] = {path, path}, *const odd[] = {"a.xyz"}, *const layers[] = {"frills"},
                      *const settings[] = {"folds.width=wide"};
    pleat_bake_job good = small_bake(&(pleat_texts){1, out}), job = good;
    assert_int_equal(pleat_bake_job_validate(&good, NULL, NULL), PLEAT_OK);
    job.input.file = NULL;
    refuses(&job, "argument is missing");
    job = good, job.outputs.count = 0;
    refuses(&job, "somewhere to write to");
    job = good, job.outputs.count = 2;
    refuses(&job, "the same file");
    job = good, job.outputs.list = odd;
    refuses(&job, "says no format");
    job = good, job.outputs = (pleat_texts){1, &job.input.file};
    refuses(&job, "replace its own input");
    job = good, job.input.fps = (double)NAN;
    refuses(&job, "--fps");
    job = good, job.input.last_frame = 3;
    refuses(&job, "--frames is 20-3");
    job = good, job.target_limit = 0;
    refuses(&job, "--targets is 0");
    job = good, job.largest_error = NAN;
    refuses(&job, "--error");
    job = good, job.stretch.strength = 0;
    refuses(&job, "--stretch-strength");
    job = good, job.stack.layers = (pleat_texts){1, layers};
    refuses(&job, "frills");
    job = good, job.stack.settings = (pleat_texts){1, settings};
    refuses(&job, "--set");
    job = good, job.frame_topology = true;
    refuses(&job, "--topology frame");
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------ */

static void run_program(const char *line)
{
    char command[4200];
    snprintf(command, sizeof command, "'%s/pleat' %s > /dev/null 2>&1", PLEAT_BINARY_DIR, line);
    assert_int_equal(system(command), 0);
}

static void same_bytes(const char *folder, const char *a, const char *b)
{
    char command[4200];
    snprintf(command, sizeof command, "cmp '%s/%s' '%s/%s'", folder, a, folder, b);
    assert_int_equal(system(command), 0);
}

/* Folds where joints bend cloth, chosen by nobody: the job has the command line's rules. */
static void test_job_writes_what_the_program_writes(void **state)
{
    (void)state;
    if (access(PLEAT_BINARY_DIR "/pleat", X_OK) != 0)
    {
        print_message("skipped: no program beside the tests\n");
        skip();
    }
    char glb[1100], cache[1100], line[3400];
    const char *folder = fresh_folder("bytes"), *const outputs[] = {glb, cache};
    snprintf(glb, sizeof glb, "%s/job.glb", folder);
    snprintf(cache, sizeof cache, "%s/job.pc2", folder);
    pleat_bake_job job = small_bake(&(pleat_texts){2, outputs});
    const pleat_bake_report *report;
    pleat_error error = {0};
    pleat_result result = pleat_bake_job_run(&job, NULL, NULL, &report, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(result, PLEAT_OK);
    assert_int_equal(report->frame_count, 6);
    assert_int_equal(report->clip_count, 1);
    assert_string_equal(report->clips[0].name, "bend");
    assert_true(report->layer_count >= 1);
    assert_string_equal(report->layers[0].type->name, "folds");
    assert_true(report->node_count == 1 && report->nodes[0].target_count > 0);
    pleat_bake_report_destroy(report);
    snprintf(line, sizeof line, "bake '%s' --clip bend --frames 20-25 --targets 8 -o '%s/cli.glb' -o '%s/cli.pc2'",
             job.input.file, folder, folder);
    run_program(line);
    same_bytes(folder, "job.glb", "cli.glb");
    same_bytes(folder, "job.pc2", "cli.pc2");
    same_bytes(folder, "job.rest.obj", "cli.rest.obj");
}

/* ---- Watching --------------------------------------------------------------------------------------------------- */

typedef struct watched
{
    uint32_t asked, cancel_at; /* calls of cancel; the number that says stop, and all behind it */
    uint32_t cancel_frame;     /* as many frames told say stop, too; 0: none */
    uint32_t after;            /* calls behind that */
    pleat_job_phase phase;
    uint32_t frames; /* told in the phase of frames */
    bool looked_ahead, done;
} watched;

static void take_progress(void *user, const pleat_job_progress *progress)
{
    watched *w = user;
    assert_true(progress->phase >= w->phase); /* in order */
    assert_true(progress->total == 0 || progress->done <= progress->total);
    assert_true(progress->work && progress->work[0]);
    w->phase = progress->phase;
    w->looked_ahead |= progress->phase == PLEAT_JOB_BIND && progress->total > 0;
    w->done |= progress->phase == PLEAT_JOB_DONE;
    if (progress->phase == PLEAT_JOB_FRAMES && progress->total)
    {
        assert_int_equal(progress->done, w->frames);
        ++w->frames;
    }
}

static bool want_stop(void *user)
{
    watched *w = user;
    bool stop = w->asked++ >= w->cancel_at || (w->cancel_frame && w->frames >= w->cancel_frame);
    w->after += stop;
    return stop;
}

static pleat_result run_watched(const pleat_bake_job *job, uint32_t cancel_at, uint32_t cancel_frame, watched *w)
{
    *w = (watched){.cancel_at = cancel_at, .cancel_frame = cancel_frame};
    pleat_job_watch watch = {take_progress, want_stop, w};
    const pleat_bake_report *report;
    pleat_result result = pleat_bake_job_run(job, &watch, NULL, &report, NULL);
    pleat_bake_report_destroy(report);
    return result;
}

static void test_job_tells_how_far_it_is(void **state)
{
    (void)state;
    char glb[1100];
    const char *const outputs[] = {glb};
    snprintf(glb, sizeof glb, "%s/told.glb", fresh_folder("told"));
    pleat_bake_job job = small_bake(&(pleat_texts){1, outputs});
    job.stack.settings = (pleat_texts){1, coarse};
    watched w;
    assert_int_equal(run_watched(&job, UINT32_MAX, 0, &w), PLEAT_OK);
    assert_true(w.looked_ahead && w.done);
    assert_int_equal(w.frames, 6);
    assert_true(w.asked > 20);
}

enum
{
    ASKED_AFTER = 4, /* a loop without a result ends, then whoever called it asks once more */
    STOPS = 6
};

/* Stopped anywhere: nothing new, nothing changed, nothing left; and soon. */
static void test_job_stops_and_leaves_nothing(void **state)
{
    (void)state;
    char glb[1100], cache[1100];
    const char *folder = fresh_folder("stopped"), *const outputs[] = {glb, cache};
    snprintf(glb, sizeof glb, "%s/out.glb", folder);
    snprintf(cache, sizeof cache, "%s/made/", folder);
    pleat_bake_job job = small_bake(&(pleat_texts){2, outputs});
    job.stack.settings = (pleat_texts){1, coarse};
    watched w;
    assert_int_equal(pleat_file_write(glb, "old", 3, NULL), PLEAT_OK);
    assert_int_equal(run_watched(&job, UINT32_MAX, 0, &w), PLEAT_OK);
    uint32_t all = w.asked;
    folder = fresh_folder("stopped");
    assert_int_equal(pleat_file_write(glb, "old", 3, NULL), PLEAT_OK);
    for (uint32_t i = 0; i < STOPS; ++i)
    {
        assert_int_equal(run_watched(&job, all * i / STOPS, 0, &w), PLEAT_CANCELLED);
        assert_true(w.after <= ASKED_AFTER);
        assert_false(w.done);
        assert_int_equal(count_files(folder), 1);
        void *bytes;
        size_t size;
        assert_int_equal(pleat_file_read(glb, NULL, &bytes, &size, NULL), PLEAT_OK);
        assert_true(size == 3 && memcmp(bytes, "old", 3) == 0);
        pleat_file_free(NULL, bytes, size);
    }
}

/* What was computed before a stop is there for the next run, which gives the same file. */
static void test_job_goes_on_where_it_was_stopped(void **state)
{
    (void)state;
    char once[1100], again[1100];
    const char *folder = fresh_folder("resumed"), *const outputs[] = {once, again};
    snprintf(once, sizeof once, "%s/once.glb", folder);
    snprintf(again, sizeof again, "%s/again.glb", folder);
    pleat_bake_job job = small_bake(&(pleat_texts){1, outputs});
    job.stack.settings = (pleat_texts){1, coarse};
    watched w;
    assert_int_equal(run_watched(&job, UINT32_MAX, 0, &w), PLEAT_OK);
    job.outputs = (pleat_texts){1, outputs + 1};
    job.resume = true;
    assert_int_equal(run_watched(&job, UINT32_MAX, 4, &w), PLEAT_CANCELLED); /* before the fourth */
    assert_int_equal(count_files(folder), 2);                                /* once.glb and the spool */
    const pleat_bake_report *report;
    assert_int_equal(pleat_bake_job_run(&job, NULL, NULL, &report, NULL), PLEAT_OK);
    assert_int_equal(report->resumed, 3);
    pleat_bake_report_destroy(report);
    assert_int_equal(count_files(folder), 2);
    same_bytes(folder, "once.glb", "again.glb");
}

static void test_job_stops_maps_and_measurements(void **state)
{
    (void)state;
    char folder[1100];
    snprintf(folder, sizeof folder, "%s/maps", fresh_folder("maps"));
    pleat_maps_job maps = pleat_maps_job_default();
    pleat_measure_job measure = pleat_measure_job_default();
    maps.input = small_bake(&(pleat_texts){0}).input;
    maps.stack.settings = (pleat_texts){1, coarse};
    maps.folder = folder;
    maps.size = 64;
    measure.before.path = maps.input.file;
    measure.last_frame = 3;
    for (uint32_t at = 0; at < 6; at += 2)
    {
        watched w = {.cancel_at = at};
        pleat_job_watch watch = {take_progress, want_stop, &w};
        const pleat_maps_report *report;
        const pleat_measurement *measured;
        assert_int_equal(pleat_maps_job_run(&maps, &watch, NULL, &report, NULL), PLEAT_CANCELLED);
        assert_null(report);
        assert_int_not_equal(access(folder, F_OK), 0);
        w = (watched){.cancel_at = at};
        assert_int_equal(pleat_measure_job_run(&measure, &watch, NULL, &measured, NULL), PLEAT_CANCELLED);
        assert_null(measured);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_validates),
        cmocka_unit_test(test_job_writes_what_the_program_writes),
        cmocka_unit_test(test_job_tells_how_far_it_is),
        cmocka_unit_test(test_job_stops_and_leaves_nothing),
        cmocka_unit_test(test_job_goes_on_where_it_was_stopped),
        cmocka_unit_test(test_job_stops_maps_and_measurements),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}

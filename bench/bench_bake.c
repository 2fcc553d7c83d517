/* The bake of the built-in dancer: frames a second of skinning alone, and the memory of the program. */
#include "bench.h"

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/make.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(pleat_result result, const pleat_error *error)
{
    if (result != PLEAT_OK)
    {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

/* ---- Frames ---------------------------------------------------------------------------------------------------- */

static void all_frames(void *user)
{
    pleat_bake *bake = user;
    pleat_error error = {0};
    for (uint32_t frame = 0; frame < pleat_bake_get_shape(bake)->frame_count; ++frame)
    {
        must(pleat_bake_frame(bake, frame, &error), &error);
    }
}

static void time_frames(const pleat_model *model)
{
    pleat_bake_desc desc = pleat_bake_desc_default(model);
    pleat_bake *bake;
    pleat_error error = {0};
    must(pleat_bake_create(&desc, NULL, &bake, &error), &error);
    double rate = pleat_bake_get_shape(bake)->frame_count / bench_best(all_frames, bake, 5);
    bench_row("bake, dancer, lbs, one thread", rate, "frames/s", "1000 frames/s", rate / 1000, BENCH_AT_LEAST, 1);
    pleat_bake_destroy(bake);
}

/* ---- Memory ---------------------------------------------------------------------------------------------------- */

static double file_size(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? (double)there.st_size : 0;
}

/* Runs the program and returns the most memory that was resident, in bytes. */
static double run_program(char *const arguments[])
{
    pid_t child = fork();
    if (child == 0)
    {
        int silence = open("/dev/null", O_WRONLY);
        dup2(silence, STDOUT_FILENO);
        execv(PLEAT_PROGRAM, arguments);
        _exit(127);
    }
    struct rusage usage;
    int status;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        fprintf(stderr, "bench: %s did not do its work\n", PLEAT_PROGRAM);
        exit(1);
    }
    return (double)usage.ru_maxrss * 1024;
}

static void measure_memory(const char *name, const char *input, const char *skin)
{
    char folder[] = "/tmp/pleat-bench-XXXXXX";
    char glb[64], pc2[64], json[64], rest[64];
    if (!mkdtemp(folder))
    {
        return;
    }
    snprintf(glb, sizeof glb, "%s/a.glb", folder);
    snprintf(pc2, sizeof pc2, "%s/a.pc2", folder);
    snprintf(json, sizeof json, "%s/a.json", folder);
    snprintf(rest, sizeof rest, "%s/a.rest.obj", folder);
    char *arguments[] = {PLEAT_PROGRAM,
                         "bake",
                         (char *)(uintptr_t)input,
                         "--skin",
                         (char *)(uintptr_t)skin,
                         "-o",
                         glb,
                         "-o",
                         pc2,
                         "--threads",
                         "1",
                         "--quiet",
                         NULL};
    double peak = run_program(arguments);
    double files = file_size(input) + file_size(glb) + file_size(pc2) + file_size(json) + file_size(rest);
    bench_row(name, peak / (1 << 20), "MiB", "input + output", peak / files, BENCH_AT_MOST, 6);
    unlink(glb);
    unlink(pc2);
    unlink(json);
    unlink(rest);
    rmdir(folder);
}

void bench_bake(void)
{
    pleat_made *made;
    pleat_asset *asset;
    pleat_error error = {0};
    char input[] = "/tmp/pleat-bench-XXXXXX.glb";
    int file = mkstemps(input, 4);
    if (file < 0)
    {
        fprintf(stderr, "bench: no temporary file\n");
        exit(1);
    }
    close(file);
    must(pleat_make("dancer", NULL, NULL, &made, &error), &error);
    must(pleat_asset_from_model(pleat_made_model(made), "bench", NULL, &asset, &error), &error);
    must(pleat_gltf_write(asset, NULL, input, NULL, &error), &error);
    time_frames(pleat_made_model(made));
    measure_memory("memory of pleat bake, dancer, lbs", input, "lbs");
    measure_memory("memory of pleat bake, dancer, dqs", input, "dqs");
    pleat_asset_destroy(asset);
    pleat_made_destroy(made);
    unlink(input);
}

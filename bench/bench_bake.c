/* The bake of the built-in dancer: frames a second of skinning alone, and the memory of the program. */
#include "bench.h"

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/make.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_bake *bake;
    pleat_error error = {0};
    must(pleat_bake_create(&desc, NULL, &bake, &error), &error);
    double rate = pleat_bake_get_shape(bake)->frame_count / bench_best(all_frames, bake, 5);
    bench_row("bake, dancer, lbs, one thread", rate, "frames/s", "1000 frames/s", rate / 1000, BENCH_AT_LEAST, 1);
    pleat_bake_destroy(bake);
}

/* ---- The program ----------------------------------------------------------------------------------------------- */

typedef struct program_run
{
    double bytes; /* the most memory that was resident */
    double seconds;
} program_run;

/* Runs the program: arguments after its name, NULL at the end. */
static program_run run_program(const char *const arguments[])
{
    const char *all[32] = {PLEAT_PROGRAM};
    for (size_t i = 0; arguments[i] && i + 2 < sizeof all / sizeof all[0]; ++i)
    {
        all[i + 1] = arguments[i];
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child == 0)
    {
        int silence = open("/dev/null", O_WRONLY);
        dup2(silence, STDOUT_FILENO);
        execv(PLEAT_PROGRAM, (char *const *)(uintptr_t)all);
        _exit(127);
    }
    struct rusage usage;
    int status;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        fprintf(stderr, "bench: %s did not do its work\n", PLEAT_PROGRAM);
        exit(1);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (program_run){(double)usage.ru_maxrss * 1024,
                         (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec)};
}

/* A folder for files of the program, which is emptied at the end. */
typedef struct workshop
{
    char folder[64];
    char files[8][128];
    uint32_t file_count;
} workshop;

static const char *file_in(workshop *w, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return memcpy(w->files[w->file_count++], path, sizeof path);
}

static double file_size(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 ? (double)there.st_size : 0;
}

static void close_workshop(workshop *w)
{
    for (uint32_t i = 0; i < w->file_count; ++i)
    {
        unlink(w->files[i]);
    }
    rmdir(w->folder);
}

static workshop open_workshop(void)
{
    workshop w = {.folder = "/tmp/pleat-bench-XXXXXX"};
    if (!mkdtemp(w.folder))
    {
        fprintf(stderr, "bench: no temporary folder\n");
        exit(1);
    }
    return w;
}

/* What a bake holds beyond a run of the program that does nothing, against the files it reads and writes. */
static void measure_memory(const char *character, const char *input, const char *kind, const char *skin)
{
    workshop w = open_workshop();
    char name[80], output_name[16];
    snprintf(name, sizeof name, "memory of pleat bake, %s, %s, %s", character, skin, kind);
    snprintf(output_name, sizeof output_name, "a.%s", kind);
    const char *output = file_in(&w, output_name), *json = file_in(&w, "a.json"), *rest = file_in(&w, "a.rest.obj");
    double nothing = run_program((const char *const[]){"--version", NULL}).bytes;
    const char *const arguments[] = {"bake", input,  "--layer",   "none", "--skin",  skin,
                                     "-o",   output, "--threads", "1",    "--quiet", NULL};
    double peak = run_program(arguments).bytes - nothing;
    double files = file_size(input) + file_size(output) + file_size(json) + file_size(rest);
    bench_row(name, peak / (1 << 20), "MiB", "input + output", peak / files, BENCH_AT_MOST, 6);
    close_workshop(&w);
}

/* The dancer, refined to more than 200,000 triangles, from the start of the program to the file. */
static void time_picture(const char *dancer)
{
    workshop w = open_workshop();
    const char *refined = file_in(&w, "refined.glb"), *picture = file_in(&w, "picture.png");
    run_program((const char *const[]){"bake", dancer, "--layer", "none", "--level", "2", "--garment", "skin",
                                      "--garment", "tights", "--frames", "60-60", "-o", refined, "--quiet", NULL});
    double best = 1e30;
    for (int i = 0; i < 3; ++i)
    {
        double seconds =
            run_program((const char *const[]){"render", refined, "-o", picture, "--size", "1280x720", "--quiet", NULL})
                .seconds;
        best = seconds < best ? seconds : best;
    }
    bench_row("picture 1280x720, 228k triangles, to file", best, "s", "2 s", best / 2, BENCH_AT_MOST, 1);
    close_workshop(&w);
}

/* A dancer of 871 frames, where the shared data is there. */
static const char *shared_dancer(void)
{
    static char path[4096];
    const char *data = getenv("PLEAT_DATA");
    snprintf(path, sizeof path, "%s/mh_salsa_sportsuit/mh_salsa_sportsuit.glb",
             data ? data : PLEAT_SOURCE_DIR "/../shared/data");
    return access(path, R_OK) == 0 ? path : NULL;
}

void bench_bake(void)
{
    pleat_made *made;
    pleat_asset *asset;
    pleat_error error = {0};
    workshop w = open_workshop();
    const char *dancer = file_in(&w, "dancer.glb"), *salsa = shared_dancer();
    must(pleat_make("dancer", NULL, NULL, &made, &error), &error);
    must(pleat_asset_from_model(pleat_made_model(made), "bench", NULL, &asset, &error), &error);
    must(pleat_gltf_write(asset, NULL, dancer, NULL, &error), &error);
    time_frames(pleat_made_model(made));
    measure_memory("dancer", dancer, "pc2", "lbs");
    measure_memory("dancer", dancer, "glb", "lbs");
    measure_memory("dancer", dancer, "glb", "dqs");
    if (salsa)
    {
        measure_memory("salsa", salsa, "pc2", "lbs");
        measure_memory("salsa", salsa, "glb", "lbs");
        measure_memory("salsa", salsa, "glb", "dqs");
    }
    time_picture(dancer);
    pleat_asset_destroy(asset);
    pleat_made_destroy(made);
    close_workshop(&w);
}

#include "job/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies the folder part of a path ("." if it has none) and returns the name behind it. */
static const char *split_path(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
    {
        snprintf(folder, size, ".");
        return path;
    }
    snprintf(folder, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash + 1;
}

/* True if both paths name one file, which need not be there yet. */
static bool same_file(const char *a, const char *b)
{
    struct stat a_stat, b_stat;
    if (stat(a, &a_stat) == 0 && stat(b, &b_stat) == 0)
    {
        return a_stat.st_dev == b_stat.st_dev && a_stat.st_ino == b_stat.st_ino;
    }
    char a_folder[4096], b_folder[4096];
    const char *a_name = split_path(a, a_folder, sizeof a_folder);
    const char *b_name = split_path(b, b_folder, sizeof b_folder);
    return strcmp(a_name, b_name) == 0 && stat(a_folder, &a_stat) == 0 && stat(b_folder, &b_stat) == 0 &&
           a_stat.st_dev == b_stat.st_dev && a_stat.st_ino == b_stat.st_ino;
}

/* The path with another ending, in the job's arena; NULL without memory. */
static char *with_ending(pl_job *job, const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    size_t stem = dot && !strchr(dot, '/') ? (size_t)(dot - path) : strlen(path), size = stem + strlen(ending) + 1;
    char *out = PL_ARENA_NEW(&job->arena, char, size);
    if (out)
    {
        snprintf(out, size, "%.*s%s", (int)stem, path, ending);
    }
    return out;
}

/* A folder gets meshes named after the input: FOLDER/hero_0000.obj and so on. */
static pleat_result open_folder(pl_job *job, pl_output_target *target, pleat_error *error)
{
    char folder[4096];
    const char *name = split_path(job->input->file, folder, sizeof folder);
    const char *mesh = with_ending(job, name[0] && !strchr(name, '%') ? name : "frame", ".obj");
    size_t length = strlen(target->given), size;
    while (length > 1 && target->given[length - 1] == '/')
    {
        --length;
    }
    size = length + (mesh ? strlen(mesh) : 0) + 2;
    target->path = mesh ? PL_ARENA_NEW(&job->arena, char, size) : NULL;
    if (!target->path)
    {
        return pl_fail_memory(&job->memory, error, "the list of outputs");
    }
    snprintf(target->path, size, "%.*s/%s", (int)length, target->given, mesh);
    target->folder = true;
    target->format = PLEAT_FORMAT_OBJ;
    return PLEAT_OK;
}

static pleat_result open_target(pl_job *job, const char *given, bool make, pl_output_target *target, pleat_error *error)
{
    struct stat there;
    *target = (pl_output_target){.given = given};
    bool is_there = stat(given, &there) == 0;
    if (given[0] && (given[strlen(given) - 1] == '/' || (is_there && S_ISDIR(there.st_mode))))
    {
        if (make && !is_there && mkdir(given, 0777) != 0)
        {
            return pl_fail(error, PLEAT_FILE_ERROR, "-o %.200s: the folder could not be made: %s", given,
                           strerror(errno));
        }
        target->made_folder = make && !is_there;
        return open_folder(job, target, error);
    }
    target->format = pleat_format_of(given);
    if (target->format == PLEAT_FORMAT_UNKNOWN)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "-o %.200s: its ending says no format; it can be .glb, .gltf, .pc2, .mdd, .obj, .ply, or "
                       "a folder (with a / at the end)",
                       given);
    }
    char folder[4096];
    split_path(given, folder, sizeof folder);
    if (stat(folder, &there) != 0 || !S_ISDIR(there.st_mode))
    {
        return pl_fail(error, PLEAT_FILE_ERROR,
                       "-o %.140s: the folder %.120s is not there; make it first: mkdir -p %.120s", given, folder,
                       folder);
    }
    target->path = pl_arena_string(&job->arena, given, strlen(given));
    return target->path ? PLEAT_OK : pl_fail_memory(&job->memory, error, "the list of outputs");
}

/* Does writing the target replace this file? Also by what is written beside it. */
static bool replaces(pl_job *job, const pl_output_target *target, const char *file)
{
    static const char *const beside_cache[] = {".rest.obj", ".json", NULL};
    static const char *const beside_gltf[] = {".bin", NULL};
    static const char *const alone[] = {NULL};
    const char *const *endings = pl_target_is_cache(target)            ? beside_cache
                                 : target->format == PLEAT_FORMAT_GLTF ? beside_gltf
                                                                       : alone;
    bool found = same_file(target->path, file);
    for (uint32_t i = 0; endings[i] && !found; ++i)
    {
        char *path = with_ending(job, target->path, endings[i]);
        found = path && same_file(path, file);
    }
    return found;
}

bool pl_target_shares_sidecars(pl_job *job, const pl_output_target *a, const pl_output_target *b)
{
    if (!pl_target_is_cache(a) || !pl_target_is_cache(b))
    {
        return false;
    }
    char *a_json = with_ending(job, a->path, ".json"), *b_json = with_ending(job, b->path, ".json");
    return a_json && b_json && same_file(a_json, b_json);
}

/* A sequence of meshes must not be written over the sequence it is made from. */
static bool replaces_sequence(const pl_output_target *target, const char *input)
{
    struct stat there;
    char in_folder[4096], out_folder[4096];
    const char *name = split_path(input, in_folder, sizeof in_folder);
    bool meshes = target->format == PLEAT_FORMAT_OBJ || target->format == PLEAT_FORMAT_PLY;
    split_path(target->path, out_folder, sizeof out_folder);
    if (!meshes)
    {
        return false;
    }
    if (stat(input, &there) == 0 && S_ISDIR(there.st_mode))
    {
        return same_file(input, out_folder);
    }
    return strchr(name, '%') && same_file(in_folder, out_folder);
}

/* Is a file that the bake reads replaced? A look beside a cache may well have the name of what lies there. */
static bool replaces_input(pl_job *job, const pl_output_target *target)
{
    const char *const others[] = {job->input->points, job->stack->look, job->stack->mask};
    const char *file = job->input->file, *points = job->input->points;
    bool found =
        replaces(job, target, file) || replaces_sequence(target, file) || (points && replaces_sequence(target, points));
    for (size_t i = 0; i < sizeof others / sizeof others[0] && !found; ++i)
    {
        found = others[i] && replaces(job, target, others[i]);
    }
    for (uint32_t i = 0; i < job->stack->input_count; ++i)
    {
        const pleat_texts *values = &job->stack->inputs[i].values;
        for (uint32_t k = 0; k < values->count && !found; ++k)
        {
            found = replaces(job, target, values->list[k]); /* names of meshes are no files */
        }
    }
    return found;
}

static pleat_result check_targets(pl_job *job, const pl_output_targets *targets, pleat_error *error)
{
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        const pl_output_target *target = &targets->list[i];
        if (replaces_input(job, target))
        {
            return pl_fail(error, PLEAT_BAD_REQUEST, "-o %.300s would replace its own input; give it another name",
                           target->given);
        }
        for (uint32_t k = 0; k < targets->count; ++k)
        {
            if (k != i && replaces(job, target, targets->list[k].path))
            {
                return pl_fail(error, PLEAT_BAD_REQUEST,
                               "-o %.180s and -o %.180s would write the same file; give them different names",
                               target->given, targets->list[k].given);
            }
        }
    }
    return PLEAT_OK;
}

pleat_result pl_outputs_announce(const pl_job *job, const char *path, pleat_error *error)
{
    pleat_error found = {0};
    pleat_result result = path ? pleat_files_will_write(job->host.files, path, &found)
                               : pl_fail_memory(&job->memory, error, "the list of outputs");
    return path && result != PLEAT_OK ? pl_fail(error, PLEAT_BAD_REQUEST, "%s", found.message) : result;
}

/* Tells what will be written to whoever reads: files whose names are known now. Meshes of frames find out when they are
 * begun, before anything has its final name. */
static pleat_result announce(pl_job *job, const pl_output_targets *targets, pleat_error *error)
{
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        const pl_output_target *target = &targets->list[i];
        bool shared = false;
        for (uint32_t k = 0; k < i && !shared; ++k)
        {
            shared = pl_target_shares_sidecars(job, target, &targets->list[k]);
        }
        PL_TRY(pl_outputs_announce(job, target->path, error));
        if (target->format == PLEAT_FORMAT_GLTF)
        {
            PL_TRY(pl_outputs_announce(job, with_ending(job, target->path, ".bin"), error));
        }
        if (pl_target_is_cache(target) && !shared)
        {
            PL_TRY(pl_outputs_announce(job, with_ending(job, target->path, ".json"), error));
            PL_TRY(pl_outputs_announce(job, with_ending(job, target->path, ".rest.obj"), error));
        }
    }
    return PLEAT_OK;
}

pleat_result pl_outputs_choose(pl_job *job, const pleat_texts *outputs, bool make, pl_output_targets *targets,
                               pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    *targets = (pl_output_targets){0};
    PL_ARENA_NEW_OR_FAIL(targets->list, &job->arena, pl_output_target, outputs->count, error);
    for (uint32_t i = 0; i < outputs->count && result == PLEAT_OK; ++i)
    {
        ++targets->count;
        result = open_target(job, outputs->list[i], make, &targets->list[i], error);
    }
    result = result == PLEAT_OK ? check_targets(job, targets, error) : result;
    result = result == PLEAT_OK && make ? announce(job, targets, error) : result;
fail:
    return result;
}

bool pl_outputs_want_gltf(const pl_output_targets *targets)
{
    bool any = false;
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        any |= pl_target_is_gltf(&targets->list[i]);
    }
    return any;
}

void pl_outputs_give_up(const pl_output_targets *targets)
{
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        if (targets->list[i].made_folder)
        {
            rmdir(targets->list[i].given);
        }
    }
}

#include "job/outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The path without its ending. */
static char *stem_of(const char *path)
{
    char *stem = strdup(path);
    char *dot = stem ? strrchr(stem, '.') : NULL;
    if (dot && !strchr(dot, '/'))
    {
        *dot = 0;
    }
    return stem;
}

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *joined = malloc(size);
    if (joined)
    {
        snprintf(joined, size, "%s%s", a, b);
    }
    return joined;
}

/* A folder gets meshes named after the input: FOLDER/hero_0000.obj and so on. */
static int open_folder(const app_session *session, bake_target *target)
{
    char folder[4096];
    const char *name = split_path(session->arguments->files[0], folder, sizeof folder);
    char *stem = stem_of(name[0] && !strchr(name, '%') ? name : "frame");
    size_t length = strlen(target->given);
    while (length > 1 && target->given[length - 1] == '/')
    {
        --length;
    }
    int size = stem ? snprintf(NULL, 0, "%.*s/%s.obj", (int)length, target->given, stem) + 1 : 0;
    target->path = stem ? malloc((size_t)size) : NULL;
    if (!target->path)
    {
        free(stem);
        return fail_input(session, "out of memory for the list of outputs");
    }
    snprintf(target->path, (size_t)size, "%.*s/%s.obj", (int)length, target->given, stem);
    free(stem);
    target->folder = true;
    target->format = PLEAT_FORMAT_OBJ;
    return EXIT_DONE;
}

static int open_target(const app_session *session, const char *given, bake_target *target)
{
    struct stat there;
    *target = (bake_target){.given = given};
    bool is_there = stat(given, &there) == 0;
    if (given[strlen(given) - 1] == '/' || (is_there && S_ISDIR(there.st_mode)))
    {
        if (!is_there && mkdir(given, 0777) != 0)
        {
            return fail_input(session, "-o %s: the folder could not be made: %s", given, strerror(errno));
        }
        target->made_folder = !is_there;
        return open_folder(session, target);
    }
    target->format = pleat_format_of(given);
    if (target->format == PLEAT_FORMAT_UNKNOWN)
    {
        return fail_usage(session,
                          "-o %s: its ending says no format; it can be .glb, .gltf, .pc2, .mdd, .obj, .ply, or "
                          "a folder (with a / at the end)",
                          given);
    }
    char folder[4096];
    split_path(given, folder, sizeof folder);
    if (stat(folder, &there) != 0 || !S_ISDIR(there.st_mode))
    {
        return fail_input(session, "-o %s: the folder %s is not there; make it first: mkdir -p %s", given, folder,
                          folder);
    }
    target->path = strdup(given);
    return target->path ? EXIT_DONE : fail_input(session, "out of memory for the list of outputs");
}

static bool is_cache(const bake_target *target)
{
    return target->format == PLEAT_FORMAT_PC2 || target->format == PLEAT_FORMAT_MDD;
}

/* Does writing the target replace this file? Also by what is written beside it. */
static bool replaces(const bake_target *target, const char *file)
{
    static const char *const beside_cache[] = {"", ".rest.obj", ".json", NULL};
    static const char *const beside_gltf[] = {"", ".bin", NULL};
    static const char *const alone[] = {"", NULL};
    const char *const *endings = is_cache(target)                      ? beside_cache
                                 : target->format == PLEAT_FORMAT_GLTF ? beside_gltf
                                                                       : alone;
    bool found = same_file(target->path, file);
    char *stem = stem_of(target->path);
    for (uint32_t i = 1; stem && endings[i] && !found; ++i)
    {
        char *path = join(stem, endings[i]);
        found = path && same_file(path, file);
        free(path);
    }
    free(stem);
    return found;
}

bool target_shares_sidecars(const bake_target *a, const bake_target *b)
{
    if (!is_cache(a) || !is_cache(b))
    {
        return false;
    }
    char *a_stem = stem_of(a->path), *b_stem = stem_of(b->path);
    char *a_json = a_stem ? join(a_stem, ".json") : NULL, *b_json = b_stem ? join(b_stem, ".json") : NULL;
    bool same = a_json && b_json && same_file(a_json, b_json);
    free(a_stem);
    free(b_stem);
    free(a_json);
    free(b_json);
    return same;
}

/* A sequence of meshes must not be written over the sequence it is made from. */
static bool replaces_sequence(const bake_target *target, const char *input)
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
static bool replaces_input(const app_session *session, const bake_target *target)
{
    static const char *const options[] = {"points", "look", "mask", "wrinkles"};
    bool found =
        replaces(target, session->arguments->files[0]) || replaces_sequence(target, session->arguments->files[0]);
    for (size_t i = 0; i < sizeof options / sizeof options[0] && !found; ++i)
    {
        const char *file = arguments_text(session->arguments, options[i]);
        found = file && (replaces(target, file) || (i == 0 && replaces_sequence(target, file)));
    }
    return found;
}

static int check_targets(const app_session *session, const bake_targets *targets)
{
    for (uint32_t i = 0; i < targets->count; ++i)
    {
        const bake_target *target = &targets->list[i];
        if (replaces_input(session, target))
        {
            return fail_usage(session, "-o %s would replace its own input; give it another name", target->given);
        }
        for (uint32_t k = 0; k < targets->count; ++k)
        {
            if (k != i && replaces(target, targets->list[k].path))
            {
                return fail_usage(session, "-o %s and -o %s would write the same file; give them different names",
                                  target->given, targets->list[k].given);
            }
        }
    }
    return EXIT_DONE;
}

static int announce_file(const app_session *session, const char *path)
{
    pleat_error error = {0};
    return pleat_files_will_write(session->host.files, path, &error) == PLEAT_OK
               ? EXIT_DONE
               : fail_usage(session, "%s", error.message);
}

static int announce_beside(const app_session *session, const bake_target *target, const char *ending)
{
    char *stem = stem_of(target->path), *path = stem ? join(stem, ending) : NULL;
    int status = path ? announce_file(session, path) : fail_input(session, "out of memory for the list of outputs");
    free(path);
    free(stem);
    return status;
}

/* Tells what will be written to whoever reads: files whose names are known now. Meshes of frames find out when they are
 * begun, before anything has its final name. */
static int announce(const app_session *session, const bake_targets *targets)
{
    const char *wrinkles = arguments_text(session->arguments, "wrinkles-out");
    int status = EXIT_DONE;
    for (uint32_t i = 0; i < targets->count && status == EXIT_DONE; ++i)
    {
        const bake_target *target = &targets->list[i];
        bool shared = false;
        for (uint32_t k = 0; k < i && !shared; ++k)
        {
            shared = target_shares_sidecars(target, &targets->list[k]);
        }
        status = announce_file(session, target->path);
        if (status == EXIT_DONE && target->format == PLEAT_FORMAT_GLTF)
        {
            status = announce_beside(session, target, ".bin");
        }
        if (status == EXIT_DONE && is_cache(target) && !shared)
        {
            status = announce_beside(session, target, ".json");
            status = status == EXIT_DONE ? announce_beside(session, target, ".rest.obj") : status;
        }
    }
    return status == EXIT_DONE && wrinkles ? announce_file(session, wrinkles) : status;
}

int targets_open(const app_session *session, bake_targets *targets)
{
    *targets = (bake_targets){0};
    const char *given;
    while (arguments_each(session->arguments, "output", targets->count))
    {
        ++targets->count;
    }
    targets->list = calloc(targets->count ? targets->count : 1, sizeof targets->list[0]);
    if (!targets->list)
    {
        return fail_input(session, "out of memory for the list of outputs");
    }
    for (uint32_t i = 0; (given = arguments_each(session->arguments, "output", i)); ++i)
    {
        int status = open_target(session, given, &targets->list[i]);
        if (status != EXIT_DONE)
        {
            return status;
        }
    }
    int status = check_targets(session, targets);
    return status == EXIT_DONE ? announce(session, targets) : status;
}

void targets_free(bake_targets *targets, bool done)
{
    for (uint32_t i = 0; targets->list && i < targets->count; ++i)
    {
        if (!done && targets->list[i].made_folder)
        {
            rmdir(targets->list[i].given);
        }
        free(targets->list[i].path);
    }
    free(targets->list);
    targets->list = NULL;
}

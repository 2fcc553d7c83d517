/* ffmpeg as a child process: raw pictures go to its standard input over a socket (a pipe would raise SIGPIPE when it
 * dies), its messages to an unlinked file, its film to the hidden file of an output. */
#include "pleat/io/film.h"

#include "base/memory.h"
#include "io/file/output.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Keeps ffmpeg from reading a name as an option or a protocol. */
#define FILE_PREFIX "file:"

enum
{
    ARGUMENTS_MAX = 64,
    OPTIONS_MAX = 28,
    SIDE_MAX = 8192,
    LOSS_MAX = 51
};

struct pleat_film
{
    pl_memory memory;
    pleat_film_desc desc;
    pl_output *output; /* NULL once committed */
    char *path;
    char *target;    /* "file:" and the hidden name, as ffmpeg takes it */
    pid_t child;     /* 0: not running */
    int to_child;    /* -1: closed */
    FILE *message;   /* what ffmpeg says */
    uint8_t *packed; /* one picture without gaps between rows */
    uint64_t frame_count;
    bool failed;
};

/* Without them players guess the matrix by the size. */
#define COLOR_TAGS "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"

/* One line a kind of film: how ffmpeg is to write it. */
static const struct kind
{
    const char *ending;
    bool even_sides;
    uint32_t loss_more;
    const char *options[OPTIONS_MAX]; /* "LOSS" stands for the number */
} kinds[] = {
    {".mp4",
     true,
     0,
     {"-vf", "scale=out_color_matrix=bt709:out_range=tv", COLOR_TAGS, "-c:v", "libx264", "-preset", "medium", "-crf",
      "LOSS", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"}},
    {".webm",
     true,
     12,
     {"-vf", "scale=out_color_matrix=bt709:out_range=tv", COLOR_TAGS, "-c:v", "libvpx-vp9", "-crf", "LOSS", "-b:v", "0",
      "-deadline", "good", "-cpu-used", "4", "-pix_fmt", "yuv420p", "-f", "webm"}},
    {".gif",
     false,
     0,
     {"-filter_complex",
      "[0:v]split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=4", "-f", "gif"}},
};

static const struct kind *kind_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    {
        size_t ending = strlen(kinds[i].ending);
        if (length > ending && strcasecmp(path + length - ending, kinds[i].ending) == 0)
        {
            return &kinds[i];
        }
    }
    return NULL;
}

bool pleat_film_is(const char *path)
{
    return kind_of(path) != NULL;
}

pleat_film_desc pleat_film_desc_default(void)
{
    return (pleat_film_desc){.fps = 30, .loss = 18};
}

static pleat_result check(const char *path, const struct kind *kind, const pleat_film_desc *desc, pleat_error *error)
{
    if (!kind)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: a film's name ends in .mp4, .webm or .gif", path);
    }
    if (desc->width < 1 || desc->height < 1 || desc->width > SIDE_MAX || desc->height > SIDE_MAX)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: the film is %u x %u pixels; each side can be 1 to %d", path,
                       desc->width, desc->height, SIDE_MAX);
    }
    if (kind->even_sides && (desc->width % 2 || desc->height % 2))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: the film is %u x %u pixels; both sides of %s must be even", path,
                       desc->width, desc->height, kind->ending);
    }
    if (!(desc->fps > 0 && desc->fps <= 240))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: fps is %g; it can be above 0 to 240", path, (double)desc->fps);
    }
    if (desc->loss > LOSS_MAX)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: loss is %u; it can be 0 to %d", path, desc->loss, LOSS_MAX);
    }
    return PLEAT_OK;
}

/* Two texts as one; NULL when out of memory. */
static char *join(pl_memory *memory, const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = pl_alloc(memory, size, 1);
    if (text)
    {
        snprintf(text, size, "%s%s", a, b);
    }
    return text;
}

/* Spawns ffmpeg with its end of the socket as standard input. */
static int spawn(pleat_film *film, const struct kind *kind, int child_end)
{
    char size[32], rate[32], loss[16];
    snprintf(size, sizeof size, "%ux%u", film->desc.width, film->desc.height);
    snprintf(rate, sizeof rate, "%.9g", (double)film->desc.fps);
    snprintf(loss, sizeof loss, "%u", film->desc.loss + kind->loss_more);
    const char *arguments[ARGUMENTS_MAX] = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error",
                                            "-y",     "-f",       "rawvideo",     "-pix_fmt",  "rgba",
                                            "-s",     size,       "-framerate",   rate,        "-i",
                                            "pipe:0", "-an",      "-threads",     "2",         "-map_metadata",
                                            "-1",     "-fflags",  "+bitexact",    "-flags:v",  "+bitexact"};
    int count = 25;
    for (int i = 0; i < OPTIONS_MAX && kind->options[i]; ++i)
    {
        arguments[count++] = strcmp(kind->options[i], "LOSS") == 0 ? loss : kind->options[i];
    }
    arguments[count] = film->target;

    posix_spawn_file_actions_t actions;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem)
    {
        return problem;
    }
    int message = fileno(film->message);
    problem = posix_spawn_file_actions_adddup2(&actions, child_end, 0);
    problem = problem ? problem : posix_spawn_file_actions_adddup2(&actions, message, 1);
    problem = problem ? problem : posix_spawn_file_actions_adddup2(&actions, message, 2);
    pid_t child = 0;
    problem = problem ? problem
                      : posix_spawnp(&child, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    film->child = problem ? 0 : child;
    return problem;
}

static pleat_result start(pleat_film *film, const struct kind *kind, pleat_error *error)
{
    int ends[2];
    film->message = tmpfile();
    if (!film->message || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    {
        return pl_fail(error, PLEAT_FILE_ERROR, "%s: cannot prepare a channel to ffmpeg: %s", film->path,
                       strerror(errno));
    }
    int problem = spawn(film, kind, ends[1]);
    close(ends[1]);
    film->to_child = ends[0];
    if (problem)
    {
        return pl_fail(error, PLEAT_UNSUPPORTED,
                       "%s: the program ffmpeg, which makes films, cannot be started (%s): install ffmpeg", film->path,
                       strerror(problem));
    }
    return PLEAT_OK;
}

pleat_result pleat_film_create(const char *path, const pleat_film_desc *desc, const pleat_host *host, pleat_film **film,
                               pleat_error *error)
{
    *film = NULL;
    const struct kind *kind = kind_of(path);
    PL_TRY(check(path, kind, desc, error));
    pleat_result result;
    pleat_film *made = PL_CREATE(pleat_film, host);
    if (!made)
    {
        pl_memory memory = pl_memory_from(host);
        return pl_fail_memory(&memory, error, "the film");
    }
    made->desc = *desc;
    made->to_child = -1;
    result = pl_output_begin(path, host, &made->output, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    if (!pl_output_temporary(made->output))
    {
        result = pl_fail(error, PLEAT_FILE_ERROR, "%s: a film can only be written to a plain file", path);
        goto fail;
    }
    made->path = join(&made->memory, path, "");
    made->target = join(&made->memory, FILE_PREFIX, pl_output_temporary(made->output));
    if (!made->path || !made->target)
    {
        result = pl_fail_memory(&made->memory, error, "the film's path");
        goto fail;
    }
    PL_NEW_OR_FAIL(made->packed, &made->memory, uint8_t, 4 * (size_t)desc->width * desc->height, error);
    result = start(made, kind, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    *film = made;
    return PLEAT_OK;
fail:
    pleat_film_destroy(made);
    return result;
}

/* Waits for the child; true if it ended well. */
static bool reap(pleat_film *film)
{
    int status = 0;
    pid_t got;
    do
    {
        got = waitpid(film->child, &status, 0);
    } while (got < 0 && errno == EINTR);
    bool well = got == film->child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    film->child = 0;
    return well;
}

/* The failure, with ffmpeg's own first words. */
static pleat_result fail_with_message(pleat_film *film, pleat_error *error)
{
    char text[300] = "";
    rewind(film->message);
    size_t length = fread(text, 1, sizeof text - 1, film->message);
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
    {
        --length;
    }
    text[length] = 0;
    film->failed = true;
    return pl_fail(error, PLEAT_FILE_ERROR, "%s: ffmpeg stopped: %s", film->path, length ? text : "it gave no reason");
}

static void close_channel(pleat_film *film)
{
    if (film->to_child >= 0)
    {
        close(film->to_child);
        film->to_child = -1;
    }
}

pleat_result pleat_film_frame(pleat_film *film, const void *pixels, size_t stride, pleat_error *error)
{
    if (film->failed || film->to_child < 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: the film takes no frames any more", film->path);
    }
    size_t row = 4 * (size_t)film->desc.width;
    for (uint32_t y = 0; y < film->desc.height; ++y)
    {
        memcpy(film->packed + y * row, (const char *)pixels + y * stride, row);
    }
    size_t size = row * film->desc.height;
    for (size_t done = 0; done < size;)
    {
        ssize_t sent = send(film->to_child, film->packed + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
        {
            continue;
        }
        if (sent <= 0)
        {
            close_channel(film);
            reap(film);
            return fail_with_message(film, error);
        }
        done += (size_t)sent;
    }
    ++film->frame_count;
    return PLEAT_OK;
}

pleat_result pleat_film_commit(pleat_film *film, pleat_outputs *group, pleat_error *error)
{
    if (film->failed || film->to_child < 0 || film->frame_count == 0)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%s: a film without frames cannot be completed", film->path);
    }
    close_channel(film);
    if (!reap(film))
    {
        return fail_with_message(film, error);
    }
    pl_output *output = film->output;
    film->output = NULL;
    return pl_output_end(output, group, error);
}

void pleat_film_destroy(pleat_film *film)
{
    if (!film)
    {
        return;
    }
    if (film->child)
    {
        kill(film->child, SIGKILL);
        reap(film);
    }
    close_channel(film);
    if (film->message)
    {
        fclose(film->message);
    }
    pl_output_abort(film->output);
    pl_free(&film->memory, film->packed);
    pl_free(&film->memory, film->target);
    pl_free(&film->memory, film->path);
    PL_DESTROY(film);
}

/* The command line over libpleat. */
#include "pleat/program.h"

#include "commands.h"
#include "help.h"
#include "session.h"

#include "pleat/io.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

const app_command *const commands[] = {
    &command_demo, &command_info, &command_bake, &command_maps, &command_render, &command_measure, &command_help, NULL,
};

/* No half-written file stays behind; then the signal does what it always does. */
static void end_by_signal(int number)
{
    pleat_outputs_remove_all();
    session_tell_kept();
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        {
            struct sigaction action = {.sa_handler = end_by_signal};
            sigemptyset(&action.sa_mask);
            sigaction(numbers[i], &action, NULL);
        }
    }
    /* A closed pipe and a file that may not grow are errors of the write that met them, which then cleans up. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static int unknown_command(const char *name)
{
    const char *names[32];
    uint32_t count = 0;
    for (; commands[count] && count < 32; ++count)
    {
        names[count] = commands[count]->name;
    }
    const char *near = nearest_name(name, names, count);
    if (near)
    {
        fprintf(stderr, "pleat: there is no command '%s'; did you mean '%s'?\n", name, near);
    }
    else
    {
        fprintf(stderr, "pleat: there is no command '%s'; 'pleat help' lists them\n", name);
    }
    return EXIT_BAD_USAGE;
}

static int run_command(const app_command *command, int argc, char **argv)
{
    char message[700];
    app_arguments arguments;
    if (!arguments_parse(command, argc, argv, &arguments, message, sizeof message))
    {
        fprintf(stderr, "pleat %s: %s\n", command->name, message);
        return EXIT_BAD_USAGE;
    }
    int status = EXIT_BAD_INPUT;
    app_session session;
    if (arguments_given(&arguments, "help"))
    {
        help_command(stdout, command, false);
        status = EXIT_DONE;
    }
    else if (session_open(&session, &arguments))
    {
        status = command->run(&session);
        session_close(&session);
    }
    arguments_free(&arguments);
    return status;
}

int pleat_program(int argc, char **argv)
{
    catch_signals();
    int status = EXIT_DONE;
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
    {
        help_overview(stderr);
        return EXIT_BAD_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    {
        help_overview(stdout);
    }
    else if (strcmp(name, "--version") == 0)
    {
        printf("pleat %s\n", PLEAT_VERSION);
    }
    else
    {
        const app_command *command = find_command(name);
        status = command ? run_command(command, argc - 2, argv + 2) : unknown_command(name);
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_DONE)
    {
        fprintf(stderr, "pleat: the result could not be written to the standard output\n");
        status = EXIT_BAD_INPUT;
    }
    return status;
}

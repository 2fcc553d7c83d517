/* pleat help: pages about pleat itself, all of them made from the option tables. */
#include "commands.h"
#include "help.h"
#include "layers_page.h"
#include "look_print.h"
#include "session.h"

#include <string.h>

static int run_help(app_session *session)
{
    const app_arguments *arguments = session->arguments;
    const char *shell = arguments_text(arguments, "completion");
    if (arguments_given(arguments, "man"))
    {
        help_man(stdout);
    }
    else if (arguments_given(arguments, "look"))
    {
        return look_print_parameters(session);
    }
    else if (session->json)
    {
        return layers_page_json(session);
    }
    else if (arguments_given(arguments, "layers"))
    {
        layers_page(stdout);
    }
    else if (shell)
    {
        help_completion(stdout, shell);
    }
    else if (arguments->file_count == 0)
    {
        help_overview(stdout);
    }
    else
    {
        const app_command *command = find_command(arguments->files[0]);
        if (!command)
        {
            return fail_usage(session, "there is no command '%s'; 'pleat help' lists them", arguments->files[0]);
        }
        help_command(stdout, command, arguments_given(arguments, "all"));
    }
    return EXIT_DONE;
}

static const app_option help_options[] = {
    {"all", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "of a command also the options that are seldom needed"},
    {"man", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "print the man page"},
    {"look", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "print all parameters of a look with defaults and ranges"},
    {"layers", 0, OPTION_FLAG, false, NULL, NULL, 0, 0,
     "print what layers and skinning methods there are; with --json, for machines"},
    {"completion", 0, OPTION_CHOICE, false, "bash|zsh|fish", NULL, 0, 0, "print the completion script of a shell"},
};

static const char *const help_examples[] = {
    "pleat help bake",
    "the options of bake",
    "pleat help --layers",
    "what can act on a character, what it needs, what it reports",
    "pleat help --man > pleat.1 && man ./pleat.1",
    "the manual",
    "source <(pleat help --completion bash)",
    "completion in the running shell",
    NULL,
};

const app_command command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .argument_max = 1,
    .summary = "pages about pleat: a command's options, the man page, shell completion",
    .description = "Prints the page of a command, or the overview of all.",
    .options = help_options,
    .option_count = sizeof help_options / sizeof help_options[0],
    .examples = help_examples,
    .run = run_help,
};

#include "help.h"

#include "pleat/base.h"

#include <string.h>

enum
{
    PAGE_WIDTH = 98,
    HELP_COLUMN = 28
};

const app_command *find_command(const char *name)
{
    for (uint32_t i = 0; commands[i]; ++i)
    {
        if (strcmp(commands[i]->name, name) == 0)
        {
            return commands[i];
        }
    }
    return NULL;
}

/* Prints words from a column on, broken before PAGE_WIDTH; the cursor stands at that column. */
static void print_wrapped(FILE *out, const char *text, size_t column)
{
    size_t at = column;
    while (*text)
    {
        size_t word = strcspn(text, " ");
        if (at > column && at + 1 + word > PAGE_WIDTH)
        {
            fprintf(out, "\n%*s", (int)column, "");
            at = column;
        }
        at += (size_t)fprintf(out, "%s%.*s", at > column ? " " : "", (int)word, text);
        text += word;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* The words of a choice that stands as NAME; or NULL. */
static const char *named_words(const app_option *option)
{
    return option->kind == OPTION_LAYER || option->kind == OPTION_SKIN ? option_choices(option) : NULL;
}

static void print_option(FILE *out, const app_option *option)
{
    char head[200];
    char letter[8] = "   ";
    if (option->letter)
    {
        snprintf(letter, sizeof letter, "-%c,", option->letter);
    }
    const char *value = option_value_name(option);
    int length =
        snprintf(head, sizeof head, "  %s --%s%s%s", letter, option->name, value ? " " : "", value ? value : "");
    fputs(head, out);
    if (length >= HELP_COLUMN)
    {
        fputc('\n', out);
        length = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - length, "");
    char text[1200];
    const char *words = named_words(option);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", option->help, words ? ": " : "", words ? words : "",
             option->fallback ? "; default " : "", option->fallback ? option->fallback : "", option->repeats ? " " : "",
             option->repeats ? "(repeatable)" : "");
    print_wrapped(out, text, HELP_COLUMN);
}

void help_overview(FILE *out)
{
    fprintf(out, "pleat %s: folds and wrinkles for animated characters\n\nusage: pleat COMMAND ...\n\n", PLEAT_VERSION);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n'pleat COMMAND --help' explains a command, 'pleat --version' prints the version.\n"
          "Exit status: 0 done, 1 bad input or a failure while working, 2 bad usage.\n",
          out);
}

/* Is an option among those of a command that are seldom needed? */
/* Files that layers read and write besides everybody's. */
static bool is_layer_file(const app_option *option)
{
    const app_option *row;
    bool found = false;
    for (uint32_t i = 0; (row = layer_option(OPTIONS_OF_INPUTS, i)); ++i)
    {
        found |= row == option && row->kind == OPTION_PATH;
    }
    for (uint32_t i = 0; (row = layer_option(OPTIONS_OF_CHANNELS, i)); ++i)
    {
        found |= row == option;
    }
    return found;
}

static bool is_rare(const app_command *command, const app_option *option)
{
    size_t length = strlen(option->name);
    for (const char *at = command->rare; at && *at; at += strcspn(at, "|"), at += *at == '|')
    {
        if (strcspn(at, "|") == length && strncmp(at, option->name, length) == 0)
        {
            return true;
        }
    }
    return is_layer_file(option);
}

void help_command(FILE *out, const app_command *command, bool all)
{
    fprintf(out, "usage: pleat %s%s%s [options]\n\n", command->name, command->arguments[0] ? " " : "",
            command->arguments);
    print_wrapped(out, command->description, 0);
    fputc('\n', out);
    const app_option *option;
    for (uint32_t i = 0; (option = command_option(command, i)); ++i)
    {
        if (i == command_own_count(command) && i > 0)
        {
            fputc('\n', out);
        }
        if (all || !is_rare(command, option))
        {
            print_option(out, option);
        }
    }
    if (command->rare && !all)
    {
        fprintf(out, "\nmore options, for special tasks: pleat help %s --all\n", command->name);
    }
    fputs("\nexamples:\n", out);
    for (uint32_t i = 0; command->examples[i]; i += 2)
    {
        fprintf(out, "  %s\n      %s\n", command->examples[i], command->examples[i + 1]);
    }
}

/* ---- Man page -----------------------------------------------------------------------------------------------------
 */

/* Text as roff: dashes and backslashes escaped, no line that begins as a request. */
static void roff_text(FILE *out, const char *text)
{
    if (text[0] == '.' || text[0] == '\'')
    {
        fputs("\\&", out);
    }
    for (; *text; ++text)
    {
        if (*text == '-')
        {
            fputs("\\-", out);
        }
        else if (*text == '\\')
        {
            fputs("\\e", out);
        }
        else
        {
            fputc(*text, out);
        }
    }
}

static void roff_option(FILE *out, const app_option *option)
{
    fputs(".TP\n", out);
    if (option->letter)
    {
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    }
    fputs("\\fB\\-\\-", out);
    roff_text(out, option->name);
    fputs("\\fR", out);
    if (option_value_name(option))
    {
        fputs(" \\fI", out);
        roff_text(out, option_value_name(option));
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff_text(out, option->help);
    if (named_words(option))
    {
        fputs(": ", out);
        roff_text(out, named_words(option));
    }
    if (option->fallback)
    {
        fputs("; default ", out);
        roff_text(out, option->fallback);
    }
    fputs(option->repeats ? " (repeatable).\n" : ".\n", out);
}

static void roff_command(FILE *out, const app_command *command)
{
    fprintf(out, ".SS pleat %s ", command->name);
    roff_text(out, command->arguments);
    fputs("\n", out);
    roff_text(out, command->description);
    fputc('\n', out);
    for (uint32_t i = 0; i < command_own_count(command); ++i)
    {
        roff_option(out, command_option(command, i));
    }
    for (uint32_t i = 0; command->examples[i]; i += 2)
    {
        fputs(".PP\n", out);
        roff_text(out, command->examples[i + 1]);
        fputs(":\n.PP\n.RS\n.nf\n", out);
        roff_text(out, command->examples[i]);
        fputs("\n.fi\n.RE\n", out);
    }
}

void help_man(FILE *out)
{
    fprintf(out, ".TH PLEAT 1 \"\" \"pleat %s\" \"User Commands\"\n", PLEAT_VERSION);
    fputs(".SH NAME\npleat \\- folds and wrinkles for animated characters\n", out);
    fputs(".SH SYNOPSIS\n", out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        fprintf(out, "%s.B pleat %s\n", i ? ".br\n" : "", commands[i]->name);
        roff_text(out, commands[i]->arguments);
        fprintf(out, "%s[\\fIoptions\\fR]\n", commands[i]->arguments[0] ? " " : "");
    }
    fputs(".SH COMMANDS\n", out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        roff_command(out, commands[i]);
    }
    fputs(".SH OPTIONS OF EVERY COMMAND\n", out);
    for (uint32_t i = 0; i < common_option_count; ++i)
    {
        roff_option(out, &common_options[i]);
    }
    fputs(
        ".SH OUTPUT\nResults go to standard output, messages to standard error. A progress line appears on a terminal, "
        "for work that takes more than a second. An output file appears whole under its name or not at all; where "
        "several are written, all of them appear or none.\n",
        out);
    fputs(".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nBad input, or a failure while working.\n.TP\n2\nBad usage.\n", out);
}

/* ---- Completion ---------------------------------------------------------------------------------------------------
 */

static void print_choices(FILE *out, const char *choices)
{
    for (; *choices; ++choices)
    {
        fputc(*choices == '|' ? ' ' : *choices, out);
    }
}

/* "-x|--name" as a shell pattern. */
static void print_pattern(FILE *out, const app_option *option)
{
    if (option->letter)
    {
        fprintf(out, "-%c|", option->letter);
    }
    fprintf(out, "--%s", option->name);
}

static void bash_command(FILE *out, const app_command *command)
{
    const app_option *option;
    fprintf(out, "    %s)\n        case $previous in\n", command->name);
    for (uint32_t i = 0; (option = command_option(command, i)); ++i)
    {
        if (option->kind == OPTION_FLAG)
        {
            continue;
        }
        fputs("        ", out);
        print_pattern(out, option);
        if (option_choices(option))
        {
            fputs(") COMPREPLY=($(compgen -W \"", out);
            print_choices(out, option_choices(option));
            fputs("\" -- \"$word\")); return ;;\n", out);
        }
        else
        {
            fputs(option->kind == OPTION_PATH ? ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
                                              : ") return ;;\n",
                  out);
        }
    }
    fputs("        esac\n        options=\"", out);
    for (uint32_t i = 0; (option = command_option(command, i)); ++i)
    {
        fprintf(out, "%s--%s", i ? " " : "", option->name);
    }
    fputs("\"\n        ;;\n", out);
}

static void bash_completion(FILE *out)
{
    fputs("# pleat completion for bash: source it, or put it into the completions folder as 'pleat'\n"
          "_pleat()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options=\"\"\n"
          "    if ((COMP_CWORD == 1)); then\n        COMPREPLY=($(compgen -W \"",
          out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        fprintf(out, "%s ", commands[i]->name);
    }
    fputs("--help --version\" -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        bash_command(out, commands[i]);
    }
    fputs("    esac\n    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
          "complete -o filenames -F _pleat pleat\n",
          out);
}

/* Text inside single quotes of a shell: quotes, and for zsh the brackets and colons of its own syntax, are dropped or
 * escaped. */
static void print_quoted(FILE *out, const char *text, const char *escape)
{
    for (; *text; ++text)
    {
        if (*text == '\'')
        {
            continue;
        }
        if (strchr(escape, *text))
        {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
}

static void zsh_command(FILE *out, const app_command *command)
{
    const app_option *option;
    fprintf(out, "    %s)\n        _arguments \\\n", command->name);
    for (uint32_t i = 0; (option = command_option(command, i)); ++i)
    {
        for (int form = option->letter ? 0 : 1; form < 2; ++form)
        {
            fputs("            '", out);
            fputs(option->repeats ? "*" : "", out);
            if (form == 0)
            {
                fprintf(out, "-%c", option->letter);
            }
            else
            {
                fprintf(out, "--%s", option->name);
            }
            fputs("[", out);
            print_quoted(out, option->help, "[]");
            fputs("]", out);
            if (option->kind != OPTION_FLAG)
            {
                fputs(":", out);
                print_quoted(out, option->name, ":");
                fputs(option->kind == OPTION_PATH ? ":_files" : ":", out);
            }
            if (option_choices(option))
            {
                fputs("(", out);
                print_choices(out, option_choices(option));
                fputs(")", out);
            }
            fputs("' \\\n", out);
        }
    }
    fputs("            '*:file:_files'\n        ;;\n", out);
}

static void zsh_completion(FILE *out)
{
    fputs("#compdef pleat\n# pleat completion for zsh: put it into a folder of $fpath as '_pleat'\n_pleat()\n{\n"
          "    if ((CURRENT == 2)); then\n        local -a names=(\n",
          out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        fprintf(out, "            '%s:", commands[i]->name);
        print_quoted(out, commands[i]->summary, ":");
        fputs("'\n", out);
    }
    fputs("        )\n        _describe command names\n        return\n    fi\n    local name=$words[2]\n"
          "    shift words\n    ((CURRENT--))\n    case $name in\n",
          out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        zsh_command(out, commands[i]);
    }
    fputs(
        "    esac\n}\nif [[ $funcstack[1] == _pleat ]]; then\n    _pleat \"$@\"\nelse\n    compdef _pleat pleat\nfi\n",
        out);
}

static void fish_completion(FILE *out)
{
    fputs("# pleat completion for fish: put it into the completions folder as 'pleat.fish'\n", out);
    for (uint32_t i = 0; commands[i]; ++i)
    {
        fprintf(out, "complete -c pleat -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        print_quoted(out, commands[i]->summary, "\\");
        fputs("'\n", out);
        const app_option *option;
        for (uint32_t k = 0; (option = command_option(commands[i], k)); ++k)
        {
            fprintf(out, "complete -c pleat -n '__fish_seen_subcommand_from %s' -l %s", commands[i]->name,
                    option->name);
            if (option->letter)
            {
                fprintf(out, " -s %c", option->letter);
            }
            fputs(option->kind == OPTION_FLAG ? "" : option->kind == OPTION_PATH ? " -rF" : " -x", out);
            if (option_choices(option))
            {
                fputs(" -a '", out);
                print_choices(out, option_choices(option));
                fputs("'", out);
            }
            fputs(" -d '", out);
            print_quoted(out, option->help, "\\");
            fputs("'\n", out);
        }
    }
}

bool help_completion(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
    {
        bash_completion(out);
    }
    else if (strcmp(shell, "zsh") == 0)
    {
        zsh_completion(out);
    }
    else if (strcmp(shell, "fish") == 0)
    {
        fish_completion(out);
    }
    else
    {
        return false;
    }
    return true;
}

/* The command line as tables: each command lists its options once, and parsing, --help, the man page and the shell
 * completions all read that list. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind
{
    OPTION_FLAG,   /* no value */
    OPTION_TEXT,   /* anything */
    OPTION_PATH,   /* a file; completion offers files */
    OPTION_CHOICE, /* one of `value`: "bash|zsh|fish" */
    OPTION_LAYER,  /* one of the table of layers, or none */
    OPTION_SKIN,   /* one of the table of skinning methods */
    OPTION_WHOLE,  /* a whole number in low..high */
    OPTION_NUMBER, /* a number in low..high */
    OPTION_LENGTH, /* metres in low..high, typed as 0.2mm, 3cm or 1m */
    OPTION_SIZE,   /* bytes, typed as 512M or 4G; low..high in bytes */
    OPTION_RANGE   /* A-B or A: whole numbers in low..high, A <= B */
} option_kind;

typedef struct app_option
{
    const char *name; /* without the dashes */
    char letter;      /* of the short form, or 0 */
    option_kind kind;
    bool repeats;         /* every occurrence counts; otherwise the last one does */
    const char *value;    /* how help names the value; the list itself for a choice; NULL for a flag or from a table */
    const char *fallback; /* the value when it is not given, as typed; NULL: none */
    double low, high;     /* numbers; both 0: any */
    const char *help;     /* what it does; help wraps it */
} app_option;

struct app_session;

typedef struct app_command
{
    const char *name;
    const char *arguments; /* how help names them: "FILE" */
    uint32_t argument_min, argument_max;
    const char *summary;     /* one line, for the overview */
    const char *description; /* a paragraph, for help and the man page */
    const app_option *options;
    uint32_t option_count;
    const char *rare;  /* names of options that --help leaves to 'pleat help COMMAND --all', with | between; or NULL */
    bool takes_inputs; /* it also has the options that name inputs of layers, */
    bool takes_channels;                     /* and those that write what layers give besides positions */
    const char *const *examples;             /* pairs: command line, what it does; NULL at the end */
    int (*run)(struct app_session *session); /* returns the exit status */
} app_command;

/* The options that every command has, after its own. */
extern const app_option common_options[];
extern const uint32_t common_option_count;

/* The option of a command by index: its own, those of layers, then the common ones; NULL past the end. */
const app_option *command_option(const app_command *command, uint32_t index);
/* The options that the tables of layers make: by index, NULL past the last. */
typedef enum app_option_source
{
    OPTIONS_OF_INPUTS,
    OPTIONS_OF_CHANNELS
} app_option_source;
const app_option *layer_option(app_option_source source, uint32_t index);
/* How many come before the common ones. */
uint32_t command_own_count(const app_command *command);
/* The words that it can be, "a|b|c", whatever they come from; NULL for an option that is no choice. */
const char *option_choices(const app_option *option);
/* How help names its value; NULL for a flag. Words from tables, of which there may be many, are NAME. */
const char *option_value_name(const app_option *option);

typedef struct option_value
{
    const app_option *option;
    const char *text;
    double number;     /* metres for a length, bytes for a size, the first number of a range */
    double range_last; /* of a range */
} option_value;

/* A parsed command line. */
typedef struct app_arguments
{
    const app_command *command;
    option_value *values; /* in the order given */
    uint32_t value_count;
    const char **files; /* what is not an option */
    uint32_t file_count;
} app_arguments;

/* Reads argv[0..argc) of a command. On failure: false, and in message one sentence that says what would be right. */
bool arguments_parse(const app_command *command, int argc, char **argv, app_arguments *out, char *message,
                     size_t message_size);
void arguments_free(app_arguments *arguments);

/* What was given for an option of the command's table (an unknown name is a bug and stops the program), else its
 * fallback; NULL, 0 or false where there is neither. */
bool arguments_given(const app_arguments *arguments, const char *name);
const char *arguments_text(const app_arguments *arguments, const char *name);
double arguments_number(const app_arguments *arguments, const char *name);
uint32_t arguments_whole(const app_arguments *arguments, const char *name);
size_t arguments_size(const app_arguments *arguments, const char *name);
/* False if the range was not given. */
bool arguments_range(const app_arguments *arguments, const char *name, uint32_t *first, uint32_t *last);
/* The index-th text given for an option that repeats; NULL past the last. */
const char *arguments_each(const app_arguments *arguments, const char *name, uint32_t index);

/* The name of a list nearest to a mistyped word, or NULL if none is near. names: count strings. */
const char *nearest_name(const char *word, const char *const *names, uint32_t count);

#endif

#include "options.h"

#include "base/name.h"
#include "pleat/layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const app_option common_options[] = {
    {"threads", 'j', OPTION_WHOLE, false, "N", NULL, 1, 256, "threads to work with; default: one per core"},
    {"max-memory", 0, OPTION_SIZE, false, "SIZE", "4G", 1 << 20, 1e15, "stop with an error instead of holding more"},
    {"allow-outside", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "let a .gltf read files outside its own folder"},
    {"json", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "print the result as JSON, for machines"},
    {"verbose", 'v', OPTION_FLAG, false, NULL, NULL, 0, 0, "progress even where there is no terminal"},
    {"quiet", 'q', OPTION_FLAG, false, NULL, NULL, 0, 0, "no progress, no warnings; errors only"},
    {"help", 'h', OPTION_FLAG, false, NULL, NULL, 0, 0, "print this page"},
};
const uint32_t common_option_count = sizeof common_options / sizeof common_options[0];

/* ---- Rows from the tables of layers -------------------------------------------------------------------------------
 */

enum
{
    LAYER_ROWS = 64,    /* inputs and channels of all layers */
    CHOICES_SIZE = 1024 /* bytes of a list of names */
};

typedef struct layer_rows
{
    app_option inputs[LAYER_ROWS], channels[LAYER_ROWS];
    uint32_t input_count, channel_count;
} layer_rows;

/* Several layers may have the same input: it is one option. */
static void add_row(app_option *rows, uint32_t *count, app_option row)
{
    for (uint32_t i = 0; i < *count; ++i)
    {
        if (strcmp(rows[i].name, row.name) == 0)
        {
            return;
        }
    }
    if (*count < LAYER_ROWS)
    {
        rows[(*count)++] = row;
    }
}

static void list_rows(layer_rows *rows)
{
    const pleat_layer_type *type;
    for (uint32_t i = 0; (type = pleat_layer_at(i)); ++i)
    {
        for (uint32_t k = 0; k < type->input_count; ++k)
        {
            const pleat_layer_input *input = &type->inputs[k];
            bool body = input->kind == PLEAT_INPUT_BODY;
            if (input->name)
            {
                add_row(rows->inputs, &rows->input_count,
                        (app_option){input->name, 0, body ? OPTION_TEXT : OPTION_PATH, body, input->value, NULL, 0, 0,
                                     input->help});
            }
        }
        for (uint32_t k = 0; k < type->channel_count; ++k)
        {
            const pleat_layer_channel *channel = &type->channels[k];
            add_row(rows->channels, &rows->channel_count,
                    (app_option){channel->name, 0, OPTION_PATH, false, channel->value, NULL, 0, 0, channel->help});
        }
    }
}

/* Made once: options are known by their address. */
static const layer_rows *rows_of_layers(void)
{
    static layer_rows rows;
    static bool listed;
    if (!listed)
    {
        list_rows(&rows);
        listed = true;
    }
    return &rows;
}

const app_option *layer_option(app_option_source source, uint32_t index)
{
    const layer_rows *rows = rows_of_layers();
    bool inputs = source == OPTIONS_OF_INPUTS;
    return index >= (inputs ? rows->input_count : rows->channel_count) ? NULL
           : inputs                                                    ? &rows->inputs[index]
                                                                       : &rows->channels[index];
}

uint32_t command_own_count(const app_command *command)
{
    const layer_rows *rows = rows_of_layers();
    return command->option_count + (command->takes_inputs ? rows->input_count : 0) +
           (command->takes_channels ? rows->channel_count : 0);
}

const app_option *command_option(const app_command *command, uint32_t index)
{
    const layer_rows *rows = rows_of_layers();
    const struct
    {
        const app_option *list;
        uint32_t count;
    } parts[] = {{command->options, command->option_count},
                 {rows->inputs, command->takes_inputs ? rows->input_count : 0},
                 {rows->channels, command->takes_channels ? rows->channel_count : 0},
                 {common_options, common_option_count}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i)
    {
        if (index < parts[i].count)
        {
            return &parts[i].list[index];
        }
        index -= parts[i].count;
    }
    return NULL;
}

static void add_word(char *list, const char *word)
{
    size_t length = strlen(list);
    snprintf(list + length, CHOICES_SIZE - length, "%s%s", length ? "|" : "", word);
}

const char *option_choices(const app_option *option)
{
    static char layers[CHOICES_SIZE], skins[CHOICES_SIZE];
    if (option->kind == OPTION_LAYER)
    {
        layers[0] = 0;
        for (uint32_t i = 0; i < pleat_layer_count(); ++i)
        {
            add_word(layers, pleat_layer_at(i)->name);
        }
        add_word(layers, "none");
        return layers;
    }
    if (option->kind == OPTION_SKIN)
    {
        skins[0] = 0;
        for (uint32_t i = 0; i < pleat_skin_method_count(); ++i)
        {
            add_word(skins, pleat_skin_method_at(i)->name);
        }
        return skins;
    }
    return option->kind == OPTION_CHOICE ? option->value : NULL;
}

const char *option_value_name(const app_option *option)
{
    return option->kind == OPTION_LAYER || option->kind == OPTION_SKIN ? "NAME" : option->value;
}

/* ---- Looking up and suggesting --------------------------------------------------------------------------------- */

const char *nearest_name(const char *word, const char *const *names, uint32_t count)
{
    const char *nearest = NULL;
    uint32_t nearest_distance = strlen(word) < 4 ? 2 : 3; /* one mistake in a short word, two in a long one */
    for (uint32_t i = 0; i < count; ++i)
    {
        bool begins = strlen(word) >= 2 && strncmp(word, names[i], strlen(word)) == 0;
        uint32_t distance = begins ? 1 : pl_word_distance(word, names[i]);
        if (distance < nearest_distance)
        {
            nearest = names[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}

static const app_option *find_long(const app_command *command, const char *name, size_t length)
{
    const app_option *found;
    for (uint32_t i = 0; (found = command_option(command, i)); ++i)
    {
        if (strlen(found->name) == length && strncmp(found->name, name, length) == 0)
        {
            return found;
        }
    }
    return NULL;
}

static const app_option *find_short(const app_command *command, char letter)
{
    const app_option *found;
    for (uint32_t i = 0; (found = command_option(command, i)); ++i)
    {
        if (found->letter == letter && letter)
        {
            return found;
        }
    }
    return NULL;
}

static void say_unknown(const app_command *command, const char *given, char *message, size_t message_size)
{
    const char *names[64];
    uint32_t count = 0;
    const app_option *known;
    while (count < 64 && (known = command_option(command, count)))
    {
        names[count++] = known->name;
    }
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given + strspn(given, "-"));
    word[strcspn(word, "=")] = 0;
    const char *near = nearest_name(word, names, count);
    if (near)
    {
        snprintf(message, message_size, "there is no option %s; did you mean --%s?", given, near);
    }
    else
    {
        snprintf(message, message_size, "there is no option %s; 'pleat %s --help' lists them", given, command->name);
    }
}

/* ---- Values -------------------------------------------------------------------------------------------------------
 */

typedef struct unit
{
    const char *name;
    double factor;
} unit;

static const unit no_units[] = {{"", 1}, {NULL, 0}};
static const unit length_units[] = {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {NULL, 0}};
static const unit size_units[] = {
    {"", 1},
    {"K", 1024.0},
    {"M", 1024.0 * 1024},
    {"G", 1024.0 * 1024 * 1024},
    {"T", 1024.0 * 1024 * 1024 * 1024},
    {"KiB", 1024.0},
    {"MiB", 1024.0 * 1024},
    {"GiB", 1024.0 * 1024 * 1024},
    {"TiB", 1024.0 * 1024 * 1024 * 1024},
    {NULL, 0},
};

/* A decimal number with one of the units and nothing else; not hexadecimal, not infinite. */
static bool read_number(const char *text, const unit *units, double *out)
{
    if (!(text[0] >= '0' && text[0] <= '9') && text[0] != '-' && text[0] != '.' && text[0] != '+')
    {
        return false;
    }
    if (strpbrk(text, "xXnN"))
    {
        return false;
    }
    char *end;
    double number = strtod(text, &end);
    if (end == text || !isfinite(number))
    {
        return false;
    }
    for (; units->name; ++units)
    {
        if (strcmp(end, units->name) == 0)
        {
            *out = number * units->factor;
            return true;
        }
    }
    return false;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = choices; at && length; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    {
        if (strcspn(at, "|") == length && strncmp(at, text, length) == 0)
        {
            return true;
        }
    }
    return false;
}

/* A-B or A, digits only. */
static bool read_range(const char *text, double *first, double *last)
{
    size_t a = strspn(text, "0123456789");
    size_t b = text[a] == '-' ? strspn(text + a + 1, "0123456789") : 0;
    if (a == 0 || a > 9 || b > 9 || text[a + (text[a] == '-' ? 1 + b : 0)] != 0 || (text[a] == '-' && b == 0))
    {
        return false;
    }
    *first = strtod(text, NULL);
    *last = b ? strtod(text + a + 1, NULL) : *first;
    return *first <= *last;
}

/* What a value of this kind looks like, for messages. */
static void describe_value(const app_option *option, char *out, size_t out_size)
{
    bool bounded = option->low != 0 || option->high != 0;
    switch (option->kind)
    {
    case OPTION_WHOLE:
        snprintf(out, out_size, "a whole number from %g to %g", option->low, option->high);
        break;
    case OPTION_NUMBER:
        snprintf(out, out_size, bounded ? "a number from %g to %g" : "a number", option->low, option->high);
        break;
    case OPTION_LENGTH:
        snprintf(out, out_size, "a length from %gm to %gm, such as 0.2mm", option->low, option->high);
        break;
    case OPTION_SIZE:
        snprintf(out, out_size, "a size such as 512M or 4G, at least %gM", option->low / (1 << 20));
        break;
    case OPTION_RANGE:
        snprintf(out, out_size, "two whole numbers such as 0-120, the first not above the second");
        break;
    case OPTION_CHOICE:
    case OPTION_LAYER:
    case OPTION_SKIN:
        snprintf(out, out_size, "one of %s", option_choices(option));
        break;
    case OPTION_FLAG:
    case OPTION_TEXT:
    case OPTION_PATH:
        snprintf(out, out_size, "a value, %s", option->value ? option->value : "");
        break;
    }
}

static bool read_value(const app_option *option, const char *text, option_value *out)
{
    *out = (option_value){option, text, 0, 0};
    switch (option->kind)
    {
    case OPTION_FLAG:
        return true;
    case OPTION_TEXT:
    case OPTION_PATH:
        return text[0] != 0;
    case OPTION_CHOICE:
    case OPTION_LAYER:
    case OPTION_SKIN:
        return is_choice(option_choices(option), text);
    case OPTION_RANGE:
        return read_range(text, &out->number, &out->range_last);
    case OPTION_LENGTH:
        if (!read_number(text, length_units, &out->number))
        {
            return false;
        }
        break;
    case OPTION_SIZE:
        if (!read_number(text, size_units, &out->number))
        {
            return false;
        }
        break;
    case OPTION_WHOLE:
    case OPTION_NUMBER:
        if (!read_number(text, no_units, &out->number) ||
            (option->kind == OPTION_WHOLE && out->number != floor(out->number)))
        {
            return false;
        }
        break;
    }
    return (option->low == 0 && option->high == 0) || (out->number >= option->low && out->number <= option->high);
}

/* ---- Parsing ------------------------------------------------------------------------------------------------------
 */

typedef struct line_parser
{
    const app_command *command;
    int argc;
    char **argv;
    int next;
    app_arguments *out;
    char *message;
    size_t message_size;
} line_parser;

/* Adds an option whose value is text, or (NULL) the next word of the line. */
static bool add_option(line_parser *parser, const app_option *option, const char *given, const char *text)
{
    char right[200];
    describe_value(option, right, sizeof right);
    if (option->kind == OPTION_FLAG && text)
    {
        snprintf(parser->message, parser->message_size, "--%s takes no value, but was given '%s'", option->name, text);
        return false;
    }
    if (option->kind != OPTION_FLAG && !text)
    {
        const char *word = parser->next < parser->argc ? parser->argv[parser->next] : NULL;
        if (!word || (strncmp(word, "--", 2) == 0 && find_long(parser->command, word + 2, strcspn(word + 2, "="))))
        {
            snprintf(parser->message, parser->message_size, "%s needs a value after it: %s", given, right);
            return false;
        }
        text = word;
        ++parser->next;
    }
    option_value *value = &parser->out->values[parser->out->value_count];
    if (!read_value(option, text, value))
    {
        snprintf(parser->message, parser->message_size, "--%s is '%s'; it takes %s", option->name, text, right);
        return false;
    }
    ++parser->out->value_count;
    return true;
}

static bool parse_word(line_parser *parser, const char *word)
{
    if (word[0] != '-' || word[1] == 0)
    {
        parser->out->files[parser->out->file_count++] = word;
        return true;
    }
    const app_option *option;
    const char *text;
    if (word[1] == '-')
    {
        size_t length = strcspn(word + 2, "=");
        option = find_long(parser->command, word + 2, length);
        text = word[2 + length] == '=' ? word + 3 + length : NULL;
    }
    else
    {
        option = find_short(parser->command, word[1]);
        text = word[2] ? word + 2 : NULL;
    }
    if (!option)
    {
        say_unknown(parser->command, word, parser->message, parser->message_size);
        return false;
    }
    return add_option(parser, option, word, text);
}

bool arguments_parse(const app_command *command, int argc, char **argv, app_arguments *out, char *message,
                     size_t message_size)
{
    *out = (app_arguments){.command = command};
    out->values = calloc((size_t)argc + 1, sizeof out->values[0]);
    out->files = calloc((size_t)argc + 1, sizeof out->files[0]);
    if (!out->values || !out->files)
    {
        snprintf(message, message_size, "out of memory for the command line");
        arguments_free(out);
        return false;
    }
    line_parser parser = {command, argc, argv, 0, out, message, message_size};
    bool options_end = false;
    while (parser.next < argc)
    {
        const char *word = argv[parser.next++];
        if (options_end)
        {
            out->files[out->file_count++] = word;
        }
        else if (strcmp(word, "--") == 0)
        {
            options_end = true;
        }
        else if (!parse_word(&parser, word))
        {
            arguments_free(out);
            return false;
        }
    }
    if (arguments_given(out, "help"))
    {
        return true;
    }
    if (out->file_count < command->argument_min)
    {
        snprintf(message, message_size, "an argument is missing; the form is: pleat %s %s", command->name,
                 command->arguments);
    }
    else if (out->file_count > command->argument_max)
    {
        snprintf(message, message_size, "'%s' is one argument too many; the form is: pleat %s %s",
                 out->files[command->argument_max], command->name, command->arguments);
    }
    else
    {
        return true;
    }
    arguments_free(out);
    return false;
}

void arguments_free(app_arguments *arguments)
{
    free(arguments->values);
    free(arguments->files);
    arguments->values = NULL;
    arguments->files = NULL;
    arguments->value_count = 0;
    arguments->file_count = 0;
}

/* ---- Asking ---------------------------------------------------------------------------------------------------------
 */

static const app_option *must_find(const app_arguments *arguments, const char *name)
{
    const app_option *option = find_long(arguments->command, name, strlen(name));
    if (!option)
    {
        fprintf(stderr, "pleat %s: its table has no option %s\n", arguments->command->name, name);
        abort();
    }
    return option;
}

/* The last value given, or the fallback; false if there is neither. */
static bool last_value(const app_arguments *arguments, const char *name, option_value *out)
{
    const app_option *option = must_find(arguments, name);
    for (uint32_t i = arguments->value_count; i-- > 0;)
    {
        if (arguments->values[i].option == option)
        {
            *out = arguments->values[i];
            return true;
        }
    }
    return option->fallback && read_value(option, option->fallback, out);
}

bool arguments_given(const app_arguments *arguments, const char *name)
{
    return arguments_each(arguments, name, 0) != NULL;
}

const char *arguments_text(const app_arguments *arguments, const char *name)
{
    option_value value;
    return last_value(arguments, name, &value) ? value.text : NULL;
}

double arguments_number(const app_arguments *arguments, const char *name)
{
    option_value value;
    return last_value(arguments, name, &value) ? value.number : 0;
}

uint32_t arguments_whole(const app_arguments *arguments, const char *name)
{
    return (uint32_t)arguments_number(arguments, name);
}

size_t arguments_size(const app_arguments *arguments, const char *name)
{
    return (size_t)arguments_number(arguments, name);
}

bool arguments_range(const app_arguments *arguments, const char *name, uint32_t *first, uint32_t *last)
{
    option_value value;
    if (!last_value(arguments, name, &value))
    {
        return false;
    }
    *first = (uint32_t)value.number;
    *last = (uint32_t)value.range_last;
    return true;
}

const char *arguments_each(const app_arguments *arguments, const char *name, uint32_t index)
{
    const app_option *option = must_find(arguments, name);
    for (uint32_t i = 0; i < arguments->value_count; ++i)
    {
        if (arguments->values[i].option == option && index-- == 0)
        {
            return arguments->values[i].text ? arguments->values[i].text : "";
        }
    }
    return NULL;
}

/* Look files from hostile bytes: what was read is in its range, and prints to a file that reads back the same. */
#include "fuzz.h"

#include "pleat/look.h"

#include <math.h>

typedef struct options
{
    float number, length, share, angle;
    uint32_t count, choice;
    bool on;
} options;

static const pleat_parameter parameters[] = {
    {"number", PLEAT_VALUE_NUMBER, offsetof(options, number), -10, 10, NULL, "any number"},
    {"length", PLEAT_VALUE_LENGTH, offsetof(options, length), 0.001, 1, NULL, "a length"},
    {"share", PLEAT_VALUE_SHARE, offsetof(options, share), 0, 1, NULL, "a share"},
    {"angle", PLEAT_VALUE_ANGLE, offsetof(options, angle), 0, 3.2, NULL, "an angle"},
    {"count", PLEAT_VALUE_COUNT, offsetof(options, count), 1, 1000, NULL, "a count"},
    {"on", PLEAT_VALUE_SWITCH, offsetof(options, on), 0, 0, NULL, "a switch"},
    {"choice", PLEAT_VALUE_CHOICE, offsetof(options, choice), 0, 0, "lbs|dqs|other", "a choice"},
};

static void check_ranges(const options *o, const pleat_error *error)
{
    fuzz_must(o->number >= -10.001f && o->number <= 10.001f && o->length >= 0.00099f && o->length <= 1.001f &&
                  o->share >= 0 && o->share <= 1.001f && o->angle >= 0 && o->angle <= 3.21f && o->count >= 1 &&
                  o->count <= 1000 && o->choice < 3,
              "out of range", error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    options first = {.number = 1, .length = 0.1f, .share = 0.5f, .angle = 1, .count = 5};
    options second = first;
    static pleat_joint_values values;
    values = (pleat_joint_values){.from = 0, .to = sizeof(options)};
    pleat_look_section section = {"folds", parameters, sizeof parameters / sizeof parameters[0], &first, &values};
    pleat_look look = {1, &section};
    pleat_error error = {0};
    pleat_result result = pleat_look_parse(&look, data, size, "fuzz", &error);
    check_ranges(&first, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    static char text[100000];
    size_t length = pleat_look_format(&look, text, sizeof text);
    fuzz_must(length < sizeof text, "too long", &error);
    section.options = &second;
    fuzz_must(pleat_look_parse(&look, text, length, "printed", &error) == PLEAT_OK, "read again", &error);
    fuzz_must(second.count == first.count && second.choice == first.choice && second.on == first.on &&
                  fabsf(second.length - first.length) <= 1e-6f && fabsf(second.number - first.number) <= 1e-5f,
              "not the same", &error);
    return 0;
}

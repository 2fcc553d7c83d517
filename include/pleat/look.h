/* pleat/look.h: the parameters of a stack, by name.
 *
 * Every options struct that an artist can change has a table of its members: name, unit, range. A look is a list of
 * such tables with the structs they describe, filled with defaults; setting a value by its path ("folds.width=2.2cm")
 * or reading a look file (pleat/io.h) changes the structs. Unknown keys and values out of range are errors that name
 * the key and the range. */
#ifndef PLEAT_LOOK_H
#define PLEAT_LOOK_H

#include "pleat/parameter.h"

PLEAT_BEGIN

enum
{
    PLEAT_JOINT_VALUES = 64 /* the most values for single joints that a section holds */
};

/* Values that some joints have in the place of the section's: "volume[spine*].front=50%". Set `from` and `to`, and the
 * count to 0. */
typedef struct pleat_joint_values
{
    size_t from, to; /* members whose offset lies here can be set by joint; to is not included */
    uint32_t count;
    struct
    {
        char joints[PLEAT_TEXT_LIMIT]; /* names with * and ?, separated by commas */
        uint32_t parameter;
        char value[PLEAT_TEXT_LIMIT];
    } list[PLEAT_JOINT_VALUES]; /* in the order in which they were set */
} pleat_joint_values;

/* An options struct and its table. */
typedef struct pleat_look_section
{
    const char *name; /* "folds" */
    const pleat_parameter *parameters;
    uint32_t parameter_count;
    void *options;                /* the caller's */
    pleat_joint_values *by_joint; /* the caller's; NULL: all joints have the same values */
} pleat_look_section;

typedef struct pleat_look
{
    uint32_t section_count;
    const pleat_look_section *sections;
} pleat_look;

/* Sets one value: "section.name=value", or "section[joints].name=value" for some joints. */
pleat_result pleat_look_set(const pleat_look *look, const char *assignment, pleat_error *error);
/* The same in parts, section with its joints if any; where stands in front of messages and may be "". */
pleat_result pleat_look_set_text(const pleat_look *look, const char *section, const char *name, const char *value,
                                 const char *where, pleat_error *error);
/* A value as set_text takes it, with its unit; out gets at most size bytes with the 0. */
void pleat_look_get_text(const pleat_look_section *section, uint32_t parameter, char *out, size_t size);
/* The joints with values of their own: the index-th of the different lists of names, in the order in which they were
 * first set; NULL past the last. options: a copy of the section's, which gets their values; or NULL. */
const char *pleat_look_joints(const pleat_look_section *section, uint32_t index, void *options);

/* ---- Look files: part of libpleat_io --------------------------------------------------------------------------- */

enum
{
    PLEAT_LOOK_VERSION = 1 /* of the files that pleat_look_format gives; grows where a key changes its meaning */
};

/* A look file is JSON: {"version": 1, "section": {"key": value}, "section[joints]": {"key": value}}. Files of older
 * versions are read, and those that do not say theirs; newer ones are refused. A value is a text with its unit
 * ("2.2cm"), or a plain number (metres, degrees, 1 for the whole), true or false. A curve or file may be "@FILE",
 * beside the look. What the file does not name stays as it is. After a failure some of the values may have been set. */
pleat_result pleat_look_read(const pleat_look *look, const char *path, const pleat_host *host, pleat_error *error);
/* Sets one value like pleat_look_set; a curve may be @FILE, a drawing that pleat_curve_read takes. */
pleat_result pleat_look_assign(const pleat_look *look, const char *assignment, const pleat_host *host,
                               pleat_error *error);
/* The same for bytes in memory; name stands for the path in messages. No other file is read. */
pleat_result pleat_look_parse(const pleat_look *look, const void *bytes, size_t size, const char *name,
                              pleat_error *error);
/* The look as such a file. Returns the length without the 0, and writes at most size bytes. */
size_t pleat_look_format(const pleat_look *look, char *out, size_t size);

PLEAT_END

#endif

/* The lines that --line and --meridians ask for. A place is x,y,z in metres at rest, #N for render vertex N of the
 * first garment of the first file, or the name of a joint. */
#include "job/measure/run.h"

#include "pleat/garment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    PLACES_MOST = 256,
    MERIDIANS_UNASKED = 24
};

static bool read_point(const char *text, pleat_vec4 *out)
{
    double value[3];
    for (int i = 0; i < 3; ++i)
    {
        char *end;
        value[i] = strtod(text, &end);
        if (end == text || *end != (i < 2 ? ',' : 0) || !(value[i] > -1e9 && value[i] < 1e9))
        {
            return false;
        }
        text = end + 1;
    }
    *out = (pleat_vec4){(float)value[0], (float)value[1], (float)value[2], 0};
    return true;
}

static int read_vertex(app_session *session, const measured_side *side, const char *text, pleat_vec4 *out)
{
    const side_part *part = &side->file.parts[side->garments[0]];
    const pleat_stack_shape *shape = pleat_stack_get_shape(pleat_bake_stack(side->file.bake, part->stack));
    char *end;
    unsigned long vertex = strtoul(text, &end, 10);
    if (end == text || *end || text[0] == '-' || vertex >= shape->vertex_count)
    {
        return fail_usage(session, "--line: #%s is no vertex; '%s' has #0 to #%u", text, shown(part->node),
                          shape->vertex_count - 1);
    }
    *out = shape->rest[shape->render_vertex[vertex]];
    return EXIT_DONE;
}

static int read_joint(app_session *session, const measured_side *side, const char *name, pleat_vec4 *out)
{
    const pleat_model *model = pleat_asset_model(side->file.asset);
    for (uint32_t n = 0; n < model->node_count; ++n)
    {
        if (!pleat_name_matches(name, model->nodes[n].name))
        {
            continue;
        }
        for (uint32_t i = 0; i < side->garment_count; ++i)
        {
            uint32_t stack = side->file.parts[side->garments[i]].stack;
            if (pleat_stack_joint_rest(pleat_bake_stack(side->file.bake, stack), n, out))
            {
                return EXIT_DONE;
            }
        }
    }
    return fail_usage(session,
                      "--line: '%s' is no joint of the garment in %s; a place is x,y,z, #VERTEX or a joint's name",
                      shown(name), shown(side->file.path));
}

/* NAME=PLACE/PLACE/... */
static int read_line(app_session *session, const measured_side *side, const char *text, measured_line *line,
                     pleat_vec4 *points, uint32_t *count)
{
    char copy[4096];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || strlen(text) >= sizeof copy)
    {
        return fail_usage(session, "--line is '%s'; it must be like inner=0.05,-0.3,0/0.05,0.3,0 or back=neck/hips",
                          shown(text));
    }
    snprintf(line->name, sizeof line->name, "%.*s", (int)(equals - text), text);
    strcpy(copy, equals + 1);
    *count = 0;
    for (char *at = copy, *next; at; at = next)
    {
        next = strchr(at, '/');
        if (next)
        {
            *next++ = 0;
        }
        if (*count == PLACES_MOST)
        {
            return fail_usage(session, "--line %s has more than %d places", line->name, PLACES_MOST);
        }
        int status = at[0] == '#'                      ? read_vertex(session, side, at + 1, &points[*count])
                     : read_point(at, &points[*count]) ? EXIT_DONE
                                                       : read_joint(session, side, at, &points[*count]);
        if (status != EXIT_DONE)
        {
            return status;
        }
        ++*count;
    }
    return EXIT_DONE;
}

static int add_line(app_session *session, measurement *result, const char *text)
{
    pleat_vec4 points[PLACES_MOST];
    uint32_t count = 0;
    measured_line *line = &result->lines[result->line_count];
    int status = read_line(session, &result->sides[0], text, line, points, &count);
    line->count = 1;
    for (uint32_t s = 0; s < result->side_count && status == EXIT_DONE; ++s)
    {
        pleat_error error = {0};
        if (pleat_measure_add_line(result->sides[s].measure, count, points, &line->first, &error) != PLEAT_OK)
        {
            status = fail_input(session, "--line %s on %s: %s", shown(line->name), shown(result->sides[s].file.path),
                                error.message);
        }
    }
    result->line_count += status == EXIT_DONE;
    return status;
}

/* Nobody asked: they are drawn where the garment is one tube, such as a sleeve. */
static bool is_tube(const measured_side *side)
{
    uint32_t count;
    const pleat_measure_shell *shells = pleat_measure_shells(side->measure, &count);
    return count == 1 && shells[0].border_count == 2;
}

static int add_meridians(app_session *session, measurement *result, uint32_t count, bool asked)
{
    measured_line *line = &result->lines[result->line_count];
    *line = (measured_line){.name = "meridians", .count = count};
    for (uint32_t s = 0; s < result->side_count; ++s)
    {
        pleat_error error = {0};
        if (!asked && !is_tube(&result->sides[s]))
        {
            return EXIT_DONE;
        }
        if (pleat_measure_add_meridians(result->sides[s].measure, count, &line->first, &error) != PLEAT_OK)
        {
            return asked
                       ? fail_input(session, "--meridians on %s: %s", shown(result->sides[s].file.path), error.message)
                       : EXIT_DONE;
        }
    }
    ++result->line_count;
    return EXIT_DONE;
}

int measure_add_lines(app_session *session, const measure_options *options, measurement *result)
{
    uint32_t asked = 0;
    while (options->lines && options->lines[asked])
    {
        ++asked;
    }
    result->lines = calloc((size_t)asked + 1, sizeof *result->lines);
    if (!result->lines)
    {
        return fail_input(session, "out of memory for the lines");
    }
    for (uint32_t i = 0; i < asked; ++i)
    {
        int status = add_line(session, result, options->lines[i]);
        if (status != EXIT_DONE)
        {
            return status;
        }
    }
    if (options->meridian_count > 0)
    {
        return add_meridians(session, result, options->meridian_count, true);
    }
    return asked ? EXIT_DONE : add_meridians(session, result, MERIDIANS_UNASKED, false);
}

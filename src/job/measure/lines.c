/* The lines that are asked for. A place is x,y,z in metres at rest, #N for render vertex N of the
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

static pleat_result read_vertex(const pl_measured_side *side, const char *text, pleat_vec4 *out, pleat_error *error)
{
    const pl_side_part *part = &side->file.parts[side->garments[0]];
    const pleat_stack_shape *shape = pleat_stack_get_shape(pleat_bake_stack(side->file.bake, part->stack));
    char *end;
    unsigned long vertex = strtoul(text, &end, 10);
    if (end == text || *end || text[0] == '-' || vertex >= shape->vertex_count)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST, "--line: #%.40s is no vertex; '%.100s' has #0 to #%u", text,
                       part->node, shape->vertex_count - 1);
    }
    *out = shape->rest[shape->render_vertex[vertex]];
    return PLEAT_OK;
}

static pleat_result read_joint(const pl_measured_side *side, const char *name, pleat_vec4 *out, pleat_error *error)
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
                return PLEAT_OK;
            }
        }
    }
    return pl_fail(error, PLEAT_BAD_REQUEST,
                   "--line: '%.100s' is no joint of the garment in %.200s; a place is x,y,z, #VERTEX or a joint's name",
                   name, side->file.path);
}

/* NAME=PLACE/PLACE/... */
static pleat_result read_line(const pl_measured_side *side, const char *text, pleat_measured_line *line,
                              pleat_vec4 *points, uint32_t *count, pleat_error *error)
{
    char copy[4096];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || strlen(text) >= sizeof copy)
    {
        return pl_fail(error, PLEAT_BAD_REQUEST,
                       "--line is '%.200s'; it must be like inner=0.05,-0.3,0/0.05,0.3,0 or back=neck/hips", text);
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
            return pl_fail(error, PLEAT_BAD_REQUEST, "--line %s has more than %d places", line->name, PLACES_MOST);
        }
        pleat_vec4 *point = &points[(*count)++];
        if (at[0] == '#')
        {
            PL_TRY(read_vertex(side, at + 1, point, error));
        }
        else if (!read_point(at, point))
        {
            PL_TRY(read_joint(side, at, point, error));
        }
    }
    return PLEAT_OK;
}

static pleat_result add_line(pl_measurement *result, const char *text, pleat_error *error)
{
    pleat_vec4 points[PLACES_MOST];
    uint32_t count = 0, at = result->shown.line_count;
    pleat_measured_line *line = &result->lines[at];
    PL_TRY(read_line(&result->sides[0], text, line, points, &count, error));
    line->count = 1;
    for (uint32_t s = 0; s < result->shown.side_count; ++s)
    {
        pleat_error found = {0};
        pleat_measure *measure = result->sides[s].measure;
        if (pleat_measure_add_line(measure, count, points, &result->first_line[at], &found) != PLEAT_OK)
        {
            return pl_fail(error, PLEAT_BAD_DATA, "--line %s on %.150s: %.200s", line->name, result->sides[s].file.path,
                           found.message);
        }
    }
    ++result->shown.line_count;
    return PLEAT_OK;
}

/* Nobody asked: they are drawn where the garment is one tube, such as a sleeve. */
static bool is_tube(const pl_measured_side *side)
{
    uint32_t count;
    const pleat_measure_shell *shells = pleat_measure_shells(side->measure, &count);
    return count == 1 && shells[0].border_count == 2;
}

static pleat_result add_meridians(pl_measurement *result, uint32_t count, bool asked, pleat_error *error)
{
    uint32_t at = result->shown.line_count;
    result->lines[at] = (pleat_measured_line){.name = "meridians", .count = count};
    for (uint32_t s = 0; s < result->shown.side_count; ++s)
    {
        pleat_error found = {0};
        if (!asked && !is_tube(&result->sides[s]))
        {
            return PLEAT_OK;
        }
        pleat_measure *measure = result->sides[s].measure;
        if (pleat_measure_add_meridians(measure, count, &result->first_line[at], &found) != PLEAT_OK)
        {
            return asked ? pl_fail(error, PLEAT_BAD_DATA, "--meridians on %.150s: %.250s", result->sides[s].file.path,
                                   found.message)
                         : PLEAT_OK;
        }
    }
    ++result->shown.line_count;
    return PLEAT_OK;
}

pleat_result pl_measure_add_lines(pl_measurement *measured, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pleat_measure_job *asked = measured->asked;
    uint32_t count = asked->lines.count;
    PL_ARENA_NEW_OR_FAIL(measured->lines, &measured->job.arena, pleat_measured_line, (size_t)count + 1, error);
    PL_ARENA_NEW_OR_FAIL(measured->first_line, &measured->job.arena, uint32_t, (size_t)count + 1, error);
    measured->shown.lines = measured->lines;
    for (uint32_t i = 0; i < count; ++i)
    {
        PL_TRY(add_line(measured, asked->lines.list[i], error));
    }
    if (asked->meridian_count > 0)
    {
        return add_meridians(measured, asked->meridian_count, true, error);
    }
    return count ? PLEAT_OK : add_meridians(measured, MERIDIANS_UNASKED, false, error);
fail:
    return result;
}

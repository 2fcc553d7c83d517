/* What lies beside a point cache: the rest shape as OBJ, and a JSON file that says what the vertices are. */
#include "io/mesh/mesh_file.h"

#include "io/file/number.h"

#include <math.h>
#include <string.h>

static pleat_result put(pl_output *output, const char *text, pleat_error *error)
{
    return pl_output_write(output, text, strlen(text), error);
}

/* Length of the UTF-8 sequence at text (0-terminated), or 0 where it is none. */
static size_t utf8_length(const unsigned char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : text[0] >= 0xc0 ? 2 : 0;
    if (length < 2)
    {
        return length;
    }
    uint32_t code = text[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i)
    {
        if ((text[i] & 0xc0) != 0x80)
        {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3f);
    }
    bool good = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && text[0] < 0xf8;
    return good ? length : 0;
}

/* A JSON string; bytes that are no UTF-8 become question marks. */
static pleat_result put_string(pl_output *output, const char *text, pleat_error *error)
{
    PL_TRY(put(output, "\"", error));
    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c;)
    {
        size_t length = utf8_length(c);
        if (*c == '"' || *c == '\\')
        {
            PL_TRY(pl_output_print(output, error, "\\%c", *c));
        }
        else if (*c < 0x20)
        {
            PL_TRY(pl_output_print(output, error, "\\u%04x", *c));
        }
        else
        {
            PL_TRY(pl_output_write(output, length ? (const char *)c : "?", length ? length : 1, error));
        }
        c += length ? length : 1;
    }
    return put(output, "\"", error);
}

static pleat_result put_field(pl_output *output, const char *name, const char *text, pleat_error *error)
{
    PL_TRY(pl_output_print(output, error, "\"%s\": ", name));
    return put_string(output, text, error);
}

static pleat_result put_number(pl_output *output, float value, pleat_error *error)
{
    char text[PL_NUMBER_SIZE];
    return pl_output_write(output, text, pl_number_format(text, value), error);
}

static pleat_result put_times(pl_output *output, const pleat_cache_desc *desc, pleat_error *error)
{
    PL_TRY(put(output, "  \"fps\": ", error));
    PL_TRY(put_number(output, desc->fps, error));
    PL_TRY(put(output, ",\n  \"start\": ", error));
    PL_TRY(put_number(output, pl_cache_time(desc, 0), error));
    PL_TRY(put(output, ",\n  \"times\": [", error));
    for (uint32_t i = 0; i < desc->frame_count; ++i)
    {
        PL_TRY(put(output, i == 0 ? "" : i % 12 ? ", " : ",\n    ", error));
        PL_TRY(put_number(output, pl_cache_time(desc, i), error));
    }
    return put(output, "],\n", error);
}

static pleat_result put_range(pl_output *output, const pleat_cache_range *range, pleat_error *error)
{
    PL_TRY(put(output, "    {", error));
    PL_TRY(put_field(output, "node", range->node, error));
    PL_TRY(put(output, ", ", error));
    PL_TRY(put_field(output, "mesh", range->mesh, error));
    PL_TRY(put(output, ", ", error));
    PL_TRY(put_field(output, "material", range->material, error));
    return pl_output_print(output, error,
                           ", \"primitive\": %u,\n     \"first_vertex\": %u, \"vertex_count\": %u, "
                           "\"first_triangle\": %u, \"triangle_count\": %u}",
                           range->primitive, range->first_vertex, range->vertex_count, range->first_triangle,
                           range->triangle_count);
}

static const char *file_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static pleat_result write_json(pl_output *output, const char *path, const char *rest_path, const pleat_cache_desc *desc,
                               const pleat_cache_sidecars *sidecars, pleat_error *error)
{
    PL_TRY(put(output, "{\n  \"generator\": \"pleat " PLEAT_VERSION "\",\n  \"version\": 1,\n  ", error));
    PL_TRY(put_field(output, "cache", file_part(path), error));
    PL_TRY(put(output, ",\n  ", error));
    PL_TRY(put_field(output, "rest", file_part(rest_path), error));
    PL_TRY(put(output, ",\n  ", error));
    PL_TRY(put_field(output, "units", sidecars->units ? sidecars->units : "metres", error));
    PL_TRY(pl_output_print(output, error,
                           ",\n  \"space\": \"world\",\n  \"frame_count\": %u,\n  \"vertex_count\": %u,\n"
                           "  \"triangle_count\": %u,\n",
                           desc->frame_count, desc->vertex_count, desc->triangle_count));
    PL_TRY(put_times(output, desc, error));
    PL_TRY(put(output, "  \"meshes\": [\n", error));
    for (uint32_t i = 0; i < sidecars->range_count; ++i)
    {
        PL_TRY(put_range(output, &sidecars->ranges[i], error));
        PL_TRY(put(output, i + 1 < sidecars->range_count ? ",\n" : "\n", error));
    }
    return put(output, "  ]\n}\n", error);
}

static pleat_result check(const char *path, const pleat_cache_desc *desc, const pleat_cache_sidecars *sidecars,
                          pleat_error *error)
{
    PL_TRY(pl_cache_check(path, desc, error));
    if (!sidecars->rest)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "%.300s: the rest shape is missing", path);
    }
    PL_TRY(pl_cache_check_positions(path, 0, sidecars->rest, desc->vertex_count, error));
    for (uint32_t i = 0; i < sidecars->range_count; ++i)
    {
        const pleat_cache_range *range = &sidecars->ranges[i];
        if ((uint64_t)range->first_vertex + range->vertex_count > desc->vertex_count ||
            (uint64_t)range->first_triangle + range->triangle_count > desc->triangle_count)
        {
            return pl_fail(error, PLEAT_BAD_ARGUMENT,
                           "%.200s: range %u is vertices %u + %u and triangles %u + %u; there are %u and %u", path, i,
                           range->first_vertex, range->vertex_count, range->first_triangle, range->triangle_count,
                           desc->vertex_count, desc->triangle_count);
        }
    }
    return PLEAT_OK;
}

/* The rest shape, a group for each range, or those of desc if there are no ranges. */
static pleat_result write_rest(pl_output *output, const pleat_cache_desc *desc, const pleat_cache_sidecars *sidecars,
                               pl_memory *memory, pleat_error *error)
{
    pleat_cache_desc described = *desc;
    pleat_cache_group *groups = NULL;
    if (sidecars->range_count > 0)
    {
        groups = PL_NEW(memory, pleat_cache_group, sidecars->range_count);
        if (!groups)
        {
            return pl_fail_memory(memory, error, "the groups of a rest shape");
        }
        uint32_t count = 0;
        for (uint32_t i = 0; i < sidecars->range_count; ++i)
        {
            const pleat_cache_range *range = &sidecars->ranges[i];
            const char *name = range->node && range->node[0] ? range->node : range->mesh ? range->mesh : "";
            /* Primitives of one mesh stand one behind the other: they are one group. */
            pleat_cache_group *last = count ? &groups[count - 1] : NULL;
            if (last && range->primitive > 0 && strcmp(last->name, name) == 0 &&
                last->first_triangle + last->triangle_count == range->first_triangle)
            {
                last->triangle_count += range->triangle_count;
                continue;
            }
            groups[count++] = (pleat_cache_group){name, range->first_triangle, range->triangle_count};
        }
        described.groups = groups;
        described.group_count = count;
    }
    pleat_result result = pl_obj_write(output, &described, sidecars->rest, sidecars->rest_normals, error);
    pl_free(memory, groups);
    return result;
}

/* path with its ending replaced. */
static char *with_ending(pl_memory *memory, const char *path, const char *ending)
{
    const char *dot = strrchr(file_part(path), '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);
    char *made = PL_NEW(memory, char, length + strlen(ending) + 1);
    if (made)
    {
        memcpy(made, path, length);
        strcpy(made + length, ending);
    }
    return made;
}

pleat_result pleat_cache_sidecars_write(const char *path, const pleat_cache_desc *desc,
                                        const pleat_cache_sidecars *sidecars, const pleat_host *host,
                                        pleat_error *error)
{
    PL_TRY(check(path, desc, sidecars, error));
    pl_memory memory = pl_memory_from(host);
    pleat_result result = PLEAT_OK;
    pl_output *rest = NULL;
    pl_output *json = NULL;
    pleat_outputs *both = NULL;
    char *rest_path = NULL;
    char *json_path = NULL;
    rest_path = with_ending(&memory, path, ".rest.obj");
    json_path = with_ending(&memory, path, ".json");
    if (!rest_path || !json_path)
    {
        result = pl_fail_memory(&memory, error, "the names beside a cache");
        goto fail;
    }
    if ((result = pleat_outputs_create(host, &both, error)) != PLEAT_OK ||
        (result = pl_output_begin(rest_path, host, &rest, error)) != PLEAT_OK ||
        (result = write_rest(rest, desc, sidecars, &memory, error)) != PLEAT_OK ||
        (result = pl_output_begin(json_path, host, &json, error)) != PLEAT_OK ||
        (result = write_json(json, path, rest_path, desc, sidecars, error)) != PLEAT_OK)
    {
        goto fail;
    }
    result = pl_output_end(rest, both, error);
    rest = NULL;
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    result = pl_output_end(json, both, error);
    json = NULL;
    if (result == PLEAT_OK)
    {
        result = desc->outputs ? pl_outputs_move(both, desc->outputs, error) : pleat_outputs_commit(both, error);
    }
fail:
    pl_output_abort(rest);
    pl_output_abort(json);
    pleat_outputs_destroy(both);
    pl_free(&memory, rest_path);
    pl_free(&memory, json_path);
    return result;
}

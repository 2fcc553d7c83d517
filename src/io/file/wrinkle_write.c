/* Wrinkle files, written. The format is described in docs/wrinkles.md. */
#include "pleat/curves.h"

#include "io/file/number.h"
#include "io/file/output.h"

#include <string.h>

static pleat_result write_point(pl_output *output, const pleat_wrinkle_point *point, pleat_error *error)
{
    const float values[6] = {point->place.barycentric[0],
                             point->place.barycentric[1],
                             point->place.barycentric[2],
                             point->width,
                             point->depth,
                             point->strength};
    char line[12 + 6 * (PL_NUMBER_SIZE + 1)];
    size_t length = pl_number_format_unsigned(line, point->place.triangle);
    for (uint32_t i = 0; i < 6; ++i)
    {
        line[length++] = ' ';
        length += pl_number_format(line + length, values[i]);
    }
    line[length++] = '\n';
    return pl_output_write(output, line, length, error);
}

/* Whether a frame holds an id; in a frame they grow. */
static bool frame_holds(const pleat_wrinkle_set *set, uint32_t frame, uint32_t id)
{
    uint32_t low = set->first_wrinkle[frame], high = set->first_wrinkle[frame + 1], end = high;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        low = set->wrinkles[middle].id < id ? middle + 1 : low;
        high = set->wrinkles[middle].id < id ? high : middle;
    }
    return low < end && set->wrinkles[low].id == id;
}

static pleat_result write_wrinkle(pl_output *output, const pleat_wrinkle_set *set, uint32_t frame,
                                  const pleat_wrinkle *wrinkle, pleat_error *error)
{
    uint32_t born = frame, dead = frame;
    bool first = (frame == 0 || !frame_holds(set, frame - 1, wrinkle->id)) &&
                 pleat_wrinkle_set_life(set, wrinkle->id, &born, &dead) && born == frame;
    PL_TRY(pl_output_print(output, error, "wrinkle %u seed %u", wrinkle->id, wrinkle->seed));
    PL_TRY(first ? pl_output_print(output, error, "   # lives in frames %u-%u\n", born, dead)
                 : pl_output_write(output, "\n", 1, error));
    for (uint32_t i = 0; i < wrinkle->point_count; ++i)
    {
        PL_TRY(write_point(output, &set->points[wrinkle->first_point + i], error));
    }
    return PLEAT_OK;
}

static pleat_result write_surface(pl_output *output, const pleat_wrinkle_surface *surface, pleat_error *error)
{
    const pleat_wrinkle_set *set = &surface->set;
    char start[PL_NUMBER_SIZE], step[PL_NUMBER_SIZE], name[200];
    size_t length = 0;
    for (const char *c = surface->name ? surface->name : ""; *c && length + 1 < sizeof name; ++c)
    {
        name[length++] = (unsigned char)*c < ' ' || *c == '#' || *c == '\\' ? '_' : *c;
    }
    name[length] = 0;
    pl_number_format(start, set->start);
    pl_number_format(step, set->step);
    PL_TRY(pl_output_print(output, error, "\nsurface %u vertices %u triangles %u name %s\nclip %s step %s frames %u\n",
                           surface->node, surface->vertex_count, surface->triangle_count, name, start, step,
                           set->frame_count));
    for (uint32_t f = 0; f < set->frame_count; ++f)
    {
        if (set->first_wrinkle[f] < set->first_wrinkle[f + 1])
        {
            PL_TRY(pl_output_print(output, error, "\nframe %u\n", f));
        }
        for (uint32_t w = set->first_wrinkle[f]; w < set->first_wrinkle[f + 1]; ++w)
        {
            PL_TRY(write_wrinkle(output, set, f, &set->wrinkles[w], error));
        }
    }
    return PLEAT_OK;
}

pleat_result pleat_wrinkle_file_write(const char *path, const pleat_wrinkle_list *list, pleat_outputs *outputs,
                                      const pleat_host *host, pleat_error *error)
{
    static const char head[] = "pleat-wrinkles 1\n"
                               "# A point: triangle, its three barycentric coordinates, width (crest to foot), depth "
                               "(of the crest; below 0 inward), strength.\n";
    for (uint32_t s = 0; s < list->surface_count; ++s)
    {
        PL_TRY(pleat_wrinkle_set_check(&list->surfaces[s].set, list->surfaces[s].triangle_count, error));
    }
    pl_output *output;
    PL_TRY(pl_output_begin(path, host, &output, error));
    pleat_result result = pl_output_write(output, head, sizeof head - 1, error);
    for (uint32_t s = 0; s < list->surface_count && result == PLEAT_OK; ++s)
    {
        result = write_surface(output, &list->surfaces[s], error);
    }
    if (result != PLEAT_OK)
    {
        pl_output_abort(output);
        return result;
    }
    return pl_output_end(output, outputs, error);
}

/* pleat info: what a file holds, and which of it looks like cloth. */
#include "commands.h"
#include "request.h"

#include "job/input.h"
#include "pleat/garment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    NAME_WIDTH = 30,
    PAGE_WIDTH = 98, /* columns */
    TALL = 20        /* metres; from here on a skinned model is asked about its unit */
};

static const char *format_name(pleat_format format)
{
    switch (format)
    {
    case PLEAT_FORMAT_GLTF:
        return "glTF";
    case PLEAT_FORMAT_GLB:
        return "GLB";
    case PLEAT_FORMAT_OBJ:
        return "OBJ";
    case PLEAT_FORMAT_PLY:
        return "PLY";
    case PLEAT_FORMAT_PC2:
        return "PC2";
    case PLEAT_FORMAT_MDD:
        return "MDD";
    case PLEAT_FORMAT_UNKNOWN:
        break;
    }
    return "mesh sequence";
}

/* Sums over the file. */
typedef struct info_totals
{
    uint64_t vertices, surface, triangles;
    uint32_t joints;
} info_totals;

static const pleat_primitive *primitive_of(const pleat_model *model, const pleat_part_guess *part)
{
    return &model->meshes[model->nodes[part->node].mesh].primitives[part->primitive];
}

/* Joints that several skins share count once. */
static uint32_t count_joints(const pleat_model *model)
{
    bool *counted = calloc((size_t)model->node_count + 1, sizeof counted[0]);
    uint32_t count = 0;
    for (uint32_t s = 0; s < model->skin_count && counted; ++s)
    {
        for (uint32_t j = 0; j < model->skins[s].joint_count; ++j)
        {
            uint32_t node = model->skins[s].joints[j];
            count += !counted[node];
            counted[node] = true;
        }
    }
    free(counted);
    return count;
}

static info_totals count_totals(const pleat_model *model, const pleat_garment_guess *guess)
{
    info_totals totals = {.joints = count_joints(model)};
    for (uint32_t p = 0; p < guess->part_count; ++p)
    {
        const pleat_primitive *primitive = primitive_of(model, &guess->parts[p]);
        totals.vertices += primitive->vertex_count;
        totals.triangles += primitive->triangle_count;
        totals.surface += guess->parts[p].surface_count;
    }
    return totals;
}

static uint64_t count_keys(const pleat_clip *clip)
{
    uint64_t keys = 0;
    for (uint32_t h = 0; h < clip->channel_count; ++h)
    {
        keys += clip->channels[h].key_count;
    }
    return keys;
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static json_t *vector_json(pleat_vec3 v)
{
    return json_pack("[o,o,o]", number_json((double)v.x), number_json((double)v.y), number_json((double)v.z));
}

static json_t *part_json(const pleat_model *model, const pleat_part_guess *part)
{
    const pleat_node *node = &model->nodes[part->node];
    const pleat_mesh *mesh = &model->meshes[node->mesh];
    const pleat_primitive *primitive = primitive_of(model, part);
    json_t *object =
        json_pack("{s:i, s:s, s:s, s:i, s:I, s:I, s:I, s:i, s:i, s:i, s:b, s:f, s:s, s:o, s:o}", "node_index",
                  (int)part->node, "node", shown(node->name), "mesh", shown(mesh->name), "primitive",
                  (int)part->primitive, "vertices", (json_int_t)primitive->vertex_count, "surface_vertices",
                  (json_int_t)part->surface_count, "triangles", (json_int_t)primitive->triangle_count, "influences",
                  (int)primitive->influence_count, "morph_targets", (int)mesh->target_count, "open_borders",
                  (int)part->border_count, "garment", (int)part->garment, "score", (double)part->score, "reason",
                  shown(part->reason), "low", vector_json(part->low), "high", vector_json(part->high));
    if (object && primitive->material != PLEAT_NONE)
    {
        json_object_set_new(object, "material", json_string(shown(model->materials[primitive->material].name)));
    }
    return object;
}

static json_t *clips_json(const pleat_model *model)
{
    json_t *list = json_array();
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        uint32_t point_frames = clip->points.node == PLEAT_NONE ? 0 : clip->points.frame_count;
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:i, s:I, s:i}", "name", shown(clip->name), "start",
                                              (double)clip->start, "end", (double)clip->end, "duration",
                                              (double)(clip->end - clip->start), "channels", (int)clip->channel_count,
                                              "keys", (json_int_t)count_keys(clip), "point_frames", (int)point_frames));
    }
    return list;
}

static int print_info_json(app_session *session, const pleat_asset *asset, const pleat_garment_guess *guess)
{
    const pleat_model *model = pleat_asset_model(asset);
    info_totals totals = count_totals(model, guess);
    json_t *meshes = json_array();
    for (uint32_t p = 0; p < guess->part_count; ++p)
    {
        json_array_append_new(meshes, part_json(model, &guess->parts[p]));
    }
    json_t *skins = json_array();
    for (uint32_t s = 0; s < model->skin_count; ++s)
    {
        const pleat_skin *skin = &model->skins[s];
        json_t *names = json_array();
        for (uint32_t j = 0; j < skin->joint_count; ++j)
        {
            json_array_append_new(names, json_string(shown(model->nodes[skin->joints[j]].name)));
        }
        json_array_append_new(skins, json_pack("{s:s, s:i, s:o}", "name", shown(skin->name), "joints",
                                               (int)skin->joint_count, "joint_names", names));
    }
    json_t *materials = json_array();
    for (uint32_t m = 0; m < model->material_count; ++m)
    {
        json_array_append_new(materials, json_string(shown(model->materials[m].name)));
    }
    return print_json(
        session, json_pack("{s:s, s:s, s:I, s:I, s:I, s:i, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o}", "file",
                           shown(session->arguments->files[0]), "format", format_name(pleat_asset_format(asset)),
                           "vertices", (json_int_t)totals.vertices, "surface_vertices", (json_int_t)totals.surface,
                           "triangles", (json_int_t)totals.triangles, "joints", (int)totals.joints, "extents", "low",
                           vector_json(guess->low), "high", vector_json(guess->high), "height",
                           number_json((double)(guess->high.y - guess->low.y)), "meshes", meshes, "skins", skins,
                           "materials", materials, "clips", clips_json(model), "warnings", warnings_json(session)));
}

/* ---- Text ------------------------------------------------------------------------------------------------------ */

/* Prints a name in NAME_WIDTH columns, cut where it is longer: characters, not bytes. */
static void print_name(const char *name)
{
    const char *text = shown(name[0] ? name : "-");
    uint32_t columns = 0;
    for (; *text && columns < NAME_WIDTH; ++columns)
    {
        do
        {
            putchar(*text++);
        } while (((unsigned char)*text & 0xc0) == 0x80);
    }
    printf("%*s", (int)(NAME_WIDTH - columns), "");
}

static void print_meshes(const pleat_model *model, const pleat_garment_guess *guess)
{
    printf("\n%-*s %9s %9s %9s  %-8s %s\n", NAME_WIDTH + 2, "meshes", "vertices", "surface", "triangles", "moved by",
           "material");
    for (uint32_t p = 0; p < guess->part_count; ++p)
    {
        const pleat_part_guess *part = &guess->parts[p];
        const pleat_node *node = &model->nodes[part->node];
        const pleat_mesh *mesh = &model->meshes[node->mesh];
        const pleat_primitive *primitive = primitive_of(model, part);
        printf("  ");
        print_name(mesh->name[0] ? mesh->name : node->name);
        bool skinned = node->skin != PLEAT_NONE && primitive->influence_count;
        printf(" %9u %9u %9u  %-8s %s\n", primitive->vertex_count, part->surface_count, primitive->triangle_count,
               skinned              ? "skin"
               : mesh->target_count ? "morphs"
                                    : "node",
               primitive->material == PLEAT_NONE ? "-" : shown(model->materials[primitive->material].name));
    }
}

static void print_clips(const pleat_model *model)
{
    if (model->clip_count == 0)
    {
        printf("\nno clips\n");
        return;
    }
    printf("\n%-*s %9s %9s %9s  %s\n", NAME_WIDTH + 2, "clips", "seconds", "channels", "keys", "frames at 30 a second");
    for (uint32_t c = 0; c < model->clip_count; ++c)
    {
        const pleat_clip *clip = &model->clips[c];
        double seconds = (double)(clip->end - clip->start);
        printf("  ");
        print_name(clip->name);
        printf(" %9.3f %9u %9llu  %.0f%s\n", seconds, clip->channel_count, (unsigned long long)count_keys(clip),
               floor(seconds * 30 + 1e-3) + 1, clip->points.node == PLEAT_NONE ? "" : ", a point cache");
    }
}

/* The mesh, and where it has several materials, which of them. */
static void print_part_name(const pleat_model *model, const pleat_part_guess *part)
{
    const pleat_node *node = &model->nodes[part->node];
    const pleat_mesh *mesh = &model->meshes[node->mesh];
    const pleat_primitive *primitive = primitive_of(model, part);
    char name[256];
    bool several = mesh->primitive_count > 1 && primitive->material != PLEAT_NONE;
    snprintf(name, sizeof name, "%.100s%s%.100s", mesh->name[0] ? mesh->name : node->name, several ? ": " : "",
             several ? model->materials[primitive->material].name : "");
    print_name(name);
}

static void print_garments(const pleat_model *model, const pleat_garment_guess *guess)
{
    printf("\n%-*s  score\n", NAME_WIDTH + 2, "garments (a guess)");
    for (uint32_t p = 0; p < guess->part_count; ++p)
    {
        const pleat_part_guess *part = &guess->parts[p];
        printf("%s ", part->garment ? "+" : "-");
        print_part_name(model, part);
        printf("  %4.2f   %s\n", (double)part->score, shown(part->reason));
    }
}

/* Names as options and looks take them, in lines of a page. */
static void print_joints(const pleat_model *model)
{
    bool *seen = calloc((size_t)model->node_count + 1, sizeof seen[0]);
    size_t column = 0;
    for (uint32_t s = 0; s < model->skin_count && seen; ++s)
    {
        for (uint32_t j = 0; j < model->skins[s].joint_count; ++j)
        {
            uint32_t node = model->skins[s].joints[j];
            const char *name = shown(model->nodes[node].name);
            size_t length = strlen(name) + 2;
            if (seen[node])
            {
                continue;
            }
            seen[node] = true;
            if (column == 0)
            {
                printf("\njoints\n");
            }
            bool breaks = column == 0 || column + length > PAGE_WIDTH;
            printf("%s%s%s", column == 0 ? "" : breaks ? ",\n" : ", ", breaks ? "  " : "", name);
            column = breaks ? 2 + length : column + length;
        }
    }
    printf("%s", column ? "\n" : "");
    free(seen);
}

/* "1 mesh", "2 meshes". */
static const char *plural(uint32_t count, const char *one, const char *many)
{
    static char slots[8][48];
    static uint32_t next;
    char *out = slots[next++ % 8];
    snprintf(out, sizeof slots[0], "%u %s", count, count == 1 ? one : many);
    return out;
}

static void print_info(const app_session *session, const pleat_asset *asset, const pleat_garment_guess *guess)
{
    const pleat_model *model = pleat_asset_model(asset);
    info_totals totals = count_totals(model, guess);
    printf("%s: %s, %s, %s, %s in %s, %s\n", shown(session->arguments->files[0]),
           format_name(pleat_asset_format(asset)), plural(model->mesh_count, "mesh", "meshes"),
           plural(model->material_count, "material", "materials"), plural(totals.joints, "joint", "joints"),
           plural(model->skin_count, "skin", "skins"), plural(model->clip_count, "clip", "clips"));
    printf("  %llu vertices (%llu on the surface, where splits are welded), %llu triangles\n",
           (unsigned long long)totals.vertices, (unsigned long long)totals.surface,
           (unsigned long long)totals.triangles);
    printf("  %.3f x %.3f x %.3f m at rest, height %.3f m\n", (double)(guess->high.x - guess->low.x),
           (double)(guess->high.y - guess->low.y), (double)(guess->high.z - guess->low.z),
           (double)(guess->high.y - guess->low.y));
    if (totals.joints && guess->high.y - guess->low.y > TALL)
    {
        printf("  that is much for a character: lengths in glTF are metres, and this may be in centimetres\n");
    }
    if (guess->part_count)
    {
        print_meshes(model, guess);
        print_garments(model, guess);
    }
    print_joints(model);
    print_clips(model);
}

static int run_info(app_session *session)
{
    pl_job job;
    pleat_job_input input = request_input(session, 0);
    pleat_asset *asset = NULL;
    pleat_garment_guess *guess = NULL;
    pleat_error error = {0};
    int status = EXIT_DONE;
    if (pl_job_open(&job, &input, NULL, NULL, &session->host, &error) != PLEAT_OK ||
        pl_job_load(&job, &asset, &error) != PLEAT_OK)
    {
        status = fail_error(session, &error);
    }
    else if (pleat_garment_guess_create(pleat_asset_model(asset), &session->host, &guess, &error) != PLEAT_OK)
    {
        pl_job_fail_in(&job, &error);
        status = fail_error(session, &error);
    }
    else if (session->json)
    {
        status = print_info_json(session, asset, guess);
    }
    else
    {
        print_info(session, asset, guess);
    }
    pleat_garment_guess_destroy(guess);
    pleat_asset_destroy(asset);
    pl_job_close(&job);
    return status;
}

static const app_option info_options[] = {
    INPUT_POINTS_OPTION,
};

static const char *const info_examples[] = {
    "pleat info hero.glb",
    "meshes, joints, clips, and which meshes look like garments",
    "pleat info hero.glb --json | jq '.meshes[] | select(.garment) | .mesh'",
    "the names of the garments, for a script",
    NULL,
};

const app_command command_info = {
    .name = "info",
    .arguments = "FILE",
    .argument_min = 1,
    .argument_max = 1,
    .summary = "what a file holds: meshes, joints, clips, which meshes look like garments",
    .description =
        "Lists what FILE holds (.gltf, .glb, .obj, .ply, a folder of meshes or a path with %04d in it): meshes "
        "with their render and surface vertices, joints by name, clips, size; and guesses which meshes are garments, "
        "with the reason.",
    .options = info_options,
    .option_count = sizeof info_options / sizeof info_options[0],
    .examples = info_examples,
    .run = run_info,
};

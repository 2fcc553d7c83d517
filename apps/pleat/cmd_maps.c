/* pleat maps: what a stack adds to the coarse mesh, as textures. */
#include "commands.h"
#include "layer_words.h"
#include "request.h"

#include "pleat/job/maps.h"

#include <stdio.h>
#include <string.h>

static void read_kinds(const app_arguments *arguments, pleat_maps_job *job)
{
    const char *kind;
    for (uint32_t i = 0; (kind = arguments_each(arguments, "map", i)); ++i)
    {
        job->kinds.height |= strcmp(kind, "height") == 0;
        job->kinds.vector |= strcmp(kind, "vector") == 0;
        job->kinds.normal |= strcmp(kind, "normal") == 0;
        job->kinds.stretch |= strcmp(kind, "stretch") == 0;
        job->kinds.vat |= strncmp(kind, "vat", 3) == 0;
        job->vat = strcmp(kind, "vat-exr") == 0      ? PLEAT_VAT_EXR
                   : strcmp(kind, "vat-packed") == 0 ? PLEAT_VAT_PACKED
                                                     : job->vat;
    }
}

static pleat_maps_job read_job(app_session *session)
{
    const app_arguments *arguments = session->arguments;
    pleat_maps_job job = pleat_maps_job_default();
    job.input = request_input(session, 0);
    job.stack = request_stack(session);
    job.folder = arguments_text(arguments, "output");
    job.size = arguments_given(arguments, "size") ? arguments_whole(arguments, "size") : 0;
    job.samples = arguments_whole(arguments, "samples");
    job.margin = arguments_whole(arguments, "margin");
    job.normal_bits = strcmp(arguments_text(arguments, "normal-bits"), "8") == 0 ? 8 : 16;
    job.green_down = strcmp(arguments_text(arguments, "green"), "down") == 0;
    job.world = strcmp(arguments_text(arguments, "space"), "world") == 0;
    job.posed = arguments_given(arguments, "coarse");
    job.atlas = arguments_given(arguments, "atlas");
    job.most = arguments_given(arguments, "most");
    job.colors = stretch_colors_named(arguments_text(arguments, "stretch-color"));
    job.strength = (float)arguments_number(arguments, "stretch-strength");
    job.basis = arguments_given(arguments, "basis") ? arguments_whole(arguments, "basis") : 0;
    job.joint_masks = request_texts(session, "mask-joints");
    read_kinds(arguments, &job);
    return job;
}

static int print_report(app_session *session, const char *folder, const pleat_maps_report *report)
{
    if (session->json)
    {
        return print_json(session, json_pack("{s:s, s:i, s:i, s:i, s:f, s:f, s:f, s:o}", "output", shown(folder),
                                             "files", (int)report->file_count, "frames", (int)report->frame_count,
                                             "textures", (int)report->texture_count, "map_seconds", report->map_seconds,
                                             "write_seconds", report->write_seconds, "seconds", report->seconds,
                                             "warnings", warnings_json(session)));
    }
    if (session->quiet)
    {
        return EXIT_DONE;
    }
    printf("%s: %u files, %u frame%s, %.2f s", shown(folder), report->file_count, report->frame_count,
           report->frame_count == 1 ? "" : "s", report->seconds);
    if (report->map_seconds > 0)
    {
        printf(" (maps %.2f s, writing %.2f s)", report->map_seconds, report->write_seconds);
    }
    printf("\n");
    for (uint32_t i = 0; i < report->basis_count; ++i)
    {
        const pleat_maps_basis *basis = &report->basis[i];
        printf("  %s: %u basis maps, off by at most %s of %s\n", basis->name, basis->map_count,
               length_text((double)basis->largest_error), length_text((double)basis->largest_displacement));
    }
    return EXIT_DONE;
}

static int run_maps_command(app_session *session)
{
    pleat_maps_job job = read_job(session);
    pleat_error error = {0};
    const pleat_maps_report *report;
    pleat_job_watch watch = session_watch(session, NULL);
    pleat_result result = pleat_maps_job_run(&job, &watch, &session->host, &report, &error);
    progress_end(session);
    int status = result == PLEAT_OK ? print_report(session, job.folder, report) : fail_error(session, &error);
    pleat_maps_report_destroy(report);
    return status;
}

static const app_option maps_table[] = {
    {"output", 'o', OPTION_PATH, false, "DIR", NULL, 0, 0, "the folder to write to; it is made if it is not there"},
    {"map", 0, OPTION_CHOICE, true, "height|vector|normal|stretch|vat|vat-exr|vat-packed", NULL, 0, 0,
     "default: height, normal; vector where heights fail"},
    {"size", 0, OPTION_WHOLE, false, "N", "2048", 16, 16384, "texels a side"},
    {"frames", 0, OPTION_RANGE, false, "A-B", NULL, 0, 0,
     "frames of the clip; default: the middle; all for --basis, --most, vat"},
    {"basis", 0, OPTION_WHOLE, false, "N", NULL, 1, 256,
     "at most N basis maps with weights, instead of maps of frames"},
    {"space", 0, OPTION_CHOICE, false, "tangent|world", "tangent", 0, 0, "axes of vector maps"},
    {"green", 0, OPTION_CHOICE, false, "up|down", "up", 0, 0, "of normal maps: up for OpenGL, down for DirectX"},
    {"normal-bits", 0, OPTION_CHOICE, false, "8|16", "8", 0, 0, "bits a channel of normal maps"},
    {"most", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "stretch: one map, of the most over all frames"},
    {"stretch-color", 0, OPTION_CHOICE, false, STRETCH_COLORS, NULL, 0, 0, "what stretch maps show; default tension"},
    STRETCH_STRENGTH_OPTION,
    {"mask-joints", 0, OPTION_TEXT, true, "PATTERN", NULL, 0, 0, "also a mask of what these joints move (* and ?)"},
    {"atlas", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "new texture coordinates even where the mesh has some"},
    {"coarse", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "also the coarse mesh of each frame, as the maps see it"},
    {"samples", 0, OPTION_WHOLE, false, "N", "2", 1, 4, "N x N samples a texel"},
    {"margin", 0, OPTION_WHOLE, false, "N", "8", 0, 64, "texels by which charts are continued past their borders"},
    LOOK_OPTIONS,
    INPUT_CLIP_OPTION,
    {"fps", 0, OPTION_NUMBER, false, "N", "30", 0.001, 10000, "frames a second"},
    INPUT_GARMENT_OPTION,
    INPUT_POINTS_OPTION,
};

static const char *const maps_examples[] = {
    "pleat maps hero.glb -o maps --frames 40",
    "maps of each garment in frame 40",
    "pleat maps hero.glb -o maps --basis 16 --map normal --green down",
    "the clip as 16 normal maps and weights, for Unreal",
    NULL,
};

const app_command command_maps = {
    .name = "maps",
    .arguments = "FILE -o DIR",
    .argument_min = 1,
    .argument_max = 1,
    .summary = "displacement, normal and stretch maps of garments, vertex-animation textures",
    .description =
        "Writes what the stack adds to each garment's coarse mesh as textures; maps.json says what they mean. "
        "Meshes without texture coordinates get an atlas. All files appear, or none.",
    .options = maps_table,
    .option_count = sizeof maps_table / sizeof maps_table[0],
    .rare = "level|points|fps|margin|samples",
    .takes_inputs = true,
    .examples = maps_examples,
    .run = run_maps_command,
};

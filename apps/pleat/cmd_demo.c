/* pleat demo: the built-in characters, baked, measured and shown as a page. */
#include "commands.h"
#include "demo.h"
#include "demo_assets.h"

#include <stdio.h>

enum
{
    DEMO_LIMIT = 8
};

static int report(const demo_job *job, double seconds)
{
    if (job->session->json)
    {
        char page[4096];
        snprintf(page, sizeof page, "%s/index.html", job->folder);
        return print_json(job->session, json_pack("{s:s, s:s, s:f}", "folder", shown(job->folder), "page", shown(page),
                                                  "seconds", seconds));
    }
    if (!job->session->quiet)
    {
        printf("%s: pictures, films, glTF and plots, made in %.1f s; open %s/index.html\n", job->folder, seconds,
               job->folder);
    }
    return EXIT_DONE;
}

static int run_demo(app_session *session)
{
    const char *assets = arguments_text(session->arguments, "assets");
    if (assets)
    {
        return write_characters(session, assets);
    }
    demo_job job = {session, arguments_text(session->arguments, "output"),
                    arguments_given(session->arguments, "quick")};
    demo_result results[DEMO_LIMIT];
    double start = seconds_now();
    int status = make_folder(session, job.folder);
    for (uint32_t i = 0; i < demo_character_count && status == EXIT_DONE; ++i)
    {
        status = demo_run(&job, &demo_characters[i], &results[i]);
    }
    status = status == EXIT_DONE ? demo_page(&job, results, demo_character_count) : status;
    return status == EXIT_DONE ? report(&job, seconds_now() - start) : status;
}

static const app_option demo_options[] = {
    {"output", 'o', OPTION_PATH, false, "DIR", "build/demo", 0, 0, "where the page and its files go; made if need be"},
    {"quick", 0, OPTION_FLAG, false, NULL, NULL, 0, 0, "a few frames and small pictures, to see that it works"},
    {"assets", 0, OPTION_PATH, false, "DIR", NULL, 0, 0, "write the built-in characters into DIR instead, and stop"},
};

static const char *const demo_examples[] = {
    "pleat demo",
    "everything; open build/demo/index.html afterwards",
    "pleat demo --assets characters",
    "characters/dancer.glb and so on, to try things on",
    NULL,
};

const app_command command_demo = {
    .name = "demo",
    .arguments = "",
    .argument_max = 0,
    .summary = "bakes the built-in characters and shows them: pictures, film, measures, a page",
    .description = "Makes the dancer and the arm, bakes them with folds, draws them before and after, and measures "
                   "both. Everything lies in one folder, with an index.html that shows it side by side.",
    .options = demo_options,
    .option_count = sizeof demo_options / sizeof demo_options[0],
    .examples = demo_examples,
    .run = run_demo,
};

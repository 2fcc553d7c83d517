/* The page of the demo: one file that links what lies beside it. */
#include "demo.h"

#include "io/file/output.h"

#include <stdio.h>
#include <sys/stat.h>

static const char page_style[] =
    ":root{--ink:#1d2127;--soft:#5c6570;--line:#dfe3e8;--paper:#fbfbfa;--card:#fff;--blue:#2f4f8f}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#9aa4b1;--line:#2c323b;--paper:#14171b;--card:#"
    "1b1f25;"
    "--blue:#8fb0f0}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.55 system-ui,"
    "-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main,header{max-width:1320px;margin:0 auto;padding:0 28px}header{padding-top:56px;padding-bottom:8px}\n"
    "h1{font-size:46px;letter-spacing:-.02em;margin:0}h2{font-size:30px;letter-spacing:-.01em;margin:0 0 4px}\n"
    "h3{font-size:17px;margin:36px 0 10px}p{margin:6px 0 18px;max-width:70ch}.soft{color:var(--soft)}\n"
    "section{border-top:1px solid var(--line);padding:40px 0 32px}header+main section:first-child{border-top:0;"
    "padding-top:20px}\n"
    ".lead{display:grid;grid-template-columns:minmax(0,2fr) minmax(330px,1fr);gap:28px;align-items:start}\n"
    ".shots{display:grid;grid-template-columns:1fr 1fr;gap:22px;margin-top:26px}.shots .wide{grid-column:1/-1}\n"
    "@media(max-width:1000px){.lead,.shots{grid-template-columns:1fr}}\n"
    "figure{margin:0}figcaption{color:var(--soft);font-size:15px;padding:8px 2px 0}\n"
    "img,video{display:block;width:100%;height:auto;border-radius:10px;background:#c9ccd1}\n"
    ".plot{background:#fff;padding:10px;border:1px solid var(--line)}\n"
    "table{border-collapse:collapse;width:100%;font-size:15px}th,td{text-align:right;padding:8px 0 8px 14px;"
    "border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums;white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal}th{color:var(--soft);"
    "font-weight:500}td:last-child{font-weight:600}\n"
    "code{font:14px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;overflow:auto;margin:"
    "0 0 18px}\na{color:var(--blue);text-decoration:none}a:hover{text-decoration:underline}\n"
    ".files a{margin-right:20px;white-space:nowrap}footer{color:var(--soft);padding:8px 0 48px;font-size:15px}\n";

/* Text as HTML takes it. */
static pleat_result put_text(pl_output *page, const char *text, pleat_error *error)
{
    for (; *text; ++text)
    {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        PL_TRY(entity ? pl_output_print(page, error, "%s", entity) : pl_output_write(page, text, 1, error));
    }
    return PLEAT_OK;
}

/* A link to a file of the folder with its size; nothing if it is not there. */
static pleat_result put_file(const demo_job *job, pl_output *page, const char *name, const char *ending,
                             pleat_error *error)
{
    char path[4096];
    struct stat there;
    snprintf(path, sizeof path, "%s/%s%s", job->folder, name, ending);
    if (stat(path, &there) != 0)
    {
        return PLEAT_OK;
    }
    double size = (double)there.st_size / 1e6;
    return pl_output_print(page, error, "<a href=\"%s%s\">%s%s</a><span class=\"soft\">%.*f MB</span>&emsp;", name,
                           ending, name, ending, size < 10 ? 1 : 0, size);
}

static pleat_result put_film(pl_output *page, const demo_result *result, pleat_error *error)
{
    const demo_character *character = result->character;
    const char *poster = character->shots[0].name;
    if (result->filmed)
    {
        return pl_output_print(page, error,
                               "<figure><video src=\"%s.mp4\" poster=\"%s-%s.png\" autoplay loop muted playsinline "
                               "controls></video><figcaption>The clip <i>%s</i>: plain skinning on the left, "
                               "with folds on the right.</figcaption></figure>\n",
                               character->name, character->name, poster, character->clip);
    }
    return result->drawn ? pl_output_print(page, error, "<figure><img src=\"%s-%s.png\" alt=\"\"></figure>\n",
                                           character->name, poster)
                         : pl_output_print(page, error,
                                           "<p class=\"soft\">No pictures: this machine has no graphics "
                                           "driver that draws without a window.</p>\n");
}

static pleat_result put_numbers(pl_output *page, const demo_result *result, pleat_error *error)
{
    PL_TRY(pl_output_print(page, error,
                           "<div><table><tr><th>over the whole clip</th><th>before</th><th>after</th></tr>\n"));
    for (uint32_t i = 0; i < result->row_count; ++i)
    {
        const demo_row *row = &result->rows[i];
        PL_TRY(pl_output_print(page, error, "<tr><td>%s</td><td>%s</td><td>%s</td></tr>\n", row->label, row->before,
                               row->after));
    }
    return pl_output_print(
        page, error,
        "</table>\n<p class=\"soft\">%u vertices after refinement, %.1f ms a frame. Folds rise up to "
        "%.1f mm. The glTF has %u morph targets and is off by at most %.1f mm.</p></div>\n",
        result->vertices, result->frame_ms, 1e3 * result->highest, result->targets, 1e3 * result->largest_error);
}

static pleat_result put_shots(pl_output *page, const demo_result *result, pleat_error *error)
{
    const demo_character *character = result->character;
    PL_TRY(pl_output_print(page, error, "<div class=\"shots\">\n"));
    for (uint32_t i = 0; result->drawn && i < character->shot_count; ++i)
    {
        const demo_shot *shot = &character->shots[i];
        PL_TRY(pl_output_print(page, error,
                               "<figure%s><a href=\"%s-%s.png\"><img src=\"%s-%s.png\" alt=\"%s, before and after\" "
                               "loading=\"lazy\"></a><figcaption>%s</figcaption></figure>\n",
                               shot->wide ? " class=\"wide\"" : "", character->name, shot->name, character->name,
                               shot->name, shot->name, shot->caption));
    }
    return pl_output_print(
        page, error,
        "<figure class=\"wide\"><a href=\"%s-plot.svg\"><img class=\"plot\" src=\"%s-plot.svg\" "
        "alt=\"measures over the frames\"></a><figcaption>What <code>pleat measure</code> says, frame "
        "by frame.</figcaption></figure>\n</div>\n",
        character->name, character->name);
}

static pleat_result put_character(const demo_job *job, pl_output *page, const demo_result *result, pleat_error *error)
{
    const demo_character *character = result->character;
    char after[128];
    snprintf(after, sizeof after, "%s-folds", character->name);
    PL_TRY(pl_output_print(page, error,
                           "<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"soft\">%s</p>\n<div class=\"lead\">\n",
                           character->name, character->title, character->text));
    PL_TRY(put_film(page, result, error));
    PL_TRY(put_numbers(page, result, error));
    PL_TRY(pl_output_print(page, error, "</div>\n"));
    PL_TRY(put_shots(page, result, error));
    PL_TRY(pl_output_print(page, error, "<h3>Make it yourself</h3>\n<pre><code>"));
    PL_TRY(put_text(page, result->bake_line, error));
    PL_TRY(pl_output_print(page, error, "</code></pre>\n<div class=\"files\">"));
    PL_TRY(put_file(job, page, character->name, ".glb", error));
    PL_TRY(put_file(job, page, after, ".glb", error));
    PL_TRY(put_file(job, page, character->name, ".mp4", error));
    return pl_output_print(page, error, "</div>\n</section>\n");
}

static pleat_result put_page(const demo_job *job, pl_output *page, const demo_result *results, uint32_t count,
                             pleat_error *error)
{
    PL_TRY(pl_output_print(
        page, error,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n<title>pleat: before and after</title>\n"
        "<style>\n"));
    PL_TRY(pl_output_write(page, page_style, sizeof page_style - 1, error));
    PL_TRY(pl_output_print(
        page, error,
        "</style>\n</head>\n<body>\n<header>\n<h1>pleat</h1>\n<p>Folds for animated characters. Skinning "
        "squeezes cloth where a joint bends; real cloth keeps its length and folds. pleat finds where "
        "length is lost and turns it into folds, as plain glTF that every viewer plays.</p>\n</header>\n"
        "<main>\n"));
    for (uint32_t i = 0; i < count; ++i)
    {
        PL_TRY(put_character(job, page, &results[i], error));
    }
    return pl_output_print(page, error, "<footer>Made by pleat %s.</footer>\n</main>\n</body>\n</html>\n",
                           PLEAT_VERSION);
}

int demo_page(const demo_job *job, const demo_result *results, uint32_t count)
{
    char path[4096];
    pleat_error error = {0};
    pl_output *page;
    snprintf(path, sizeof path, "%s/index.html", job->folder);
    pleat_result result = pl_output_begin(path, &job->session->host, &page, &error);
    if (result == PLEAT_OK)
    {
        result = put_page(job, page, results, count, &error);
        if (result == PLEAT_OK)
        {
            result = pl_output_end(page, NULL, &error);
        }
        else
        {
            pl_output_abort(page);
        }
    }
    return result == PLEAT_OK ? EXIT_DONE : fail_error(job->session, &error);
}

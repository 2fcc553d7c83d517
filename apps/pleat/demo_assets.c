#include "demo_assets.h"

#include "steps.h"

#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/make.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int make_folder(const app_session *session, const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
    {
        return fail_input(session, "'%.100s' is no folder's name", path);
    }
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; ++i)
    {
        if (part[i] != '/' && part[i] != 0)
        {
            continue;
        }
        part[i] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
        {
            return fail_input(session, "the folder %s could not be made: %s", part, strerror(errno));
        }
        part[i] = path[i];
    }
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISDIR(there.st_mode))
    {
        return fail_input(session, "%s is not a folder", path);
    }
    return EXIT_DONE;
}

static pleat_result write_model(app_session *session, const pleat_model *model, const char *path, pleat_error *error)
{
    pleat_asset *asset;
    pleat_result result = pleat_asset_from_model(model, "pleat " PLEAT_VERSION, &session->host, &asset, error);
    if (result == PLEAT_OK)
    {
        result = pleat_gltf_write(asset, NULL, path, NULL, error);
        pleat_asset_destroy(asset);
    }
    return result;
}

/* What of a character is asked for besides its file. */
typedef struct character_facts
{
    const char *clip;     /* in: a clip's name, or NULL */
    uint32_t clip_frames; /* its frames */
    char cloth[128];      /* the mesh whose points a simulation moves; "" if there is none */
} character_facts;

static void look_up(const pleat_model *model, character_facts *facts)
{
    uint32_t node = model->clip_count ? model->clips[0].points.node : PLEAT_NONE;
    const char *cloth = node == PLEAT_NONE ? "" : model->meshes[model->nodes[node].mesh].name;
    snprintf(facts->cloth, sizeof facts->cloth, "%s", cloth);
    for (uint32_t c = 0; facts->clip && c < model->clip_count; ++c)
    {
        if (strcmp(model->clips[c].name, facts->clip) == 0)
        {
            facts->clip_frames = pleat_clip_frame_count(&model->clips[c], 30);
        }
    }
}

static int write_one(app_session *session, const char *folder, const char *name, character_facts *facts)
{
    char path[4096];
    pleat_error error = {0};
    pleat_made *made = NULL;
    snprintf(path, sizeof path, "%s/%s.glb", folder, name);
    pleat_result result = pleat_make(name, NULL, &session->host, &made, &error);
    if (result == PLEAT_OK)
    {
        look_up(pleat_made_model(made), facts);
        result = write_model(session, pleat_made_model(made), path, &error);
    }
    pleat_made_destroy(made);
    return result == PLEAT_OK ? EXIT_DONE : fail_error(session, &error);
}

int write_character(app_session *session, const char *folder, const char *name, const char *clip, uint32_t *frames)
{
    character_facts facts = {.clip = clip};
    int status = write_one(session, folder, name, &facts);
    *frames = facts.clip_frames;
    return status;
}

static int write_cache(app_session *session, const char *folder, const char *name, const char *cloth)
{
    step_line line = {0};
    step_words(&line, "bake", "--layer", "none", "--garment", cloth, "-o", NULL);
    step_word(&line, "%s/%s.pc2", folder, name);
    step_word(&line, "%s/%s.glb", folder, name);
    return step_run(session, &line, NULL);
}

int write_characters(app_session *session, const char *folder)
{
    int status = make_folder(session, folder);
    for (uint32_t i = 0; i < pleat_make_count() && status == EXIT_DONE; ++i)
    {
        const char *name = pleat_make_name(i);
        character_facts facts = {0};
        status = write_one(session, folder, name, &facts);
        if (status == EXIT_DONE && facts.cloth[0])
        {
            status = write_cache(session, folder, name, facts.cloth);
        }
        if (status == EXIT_DONE && !session->json && !session->quiet)
        {
            printf("%s/%s.glb: %s\n", folder, name, pleat_make_about(i));
        }
    }
    return status;
}

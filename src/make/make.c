/* The list of built-in characters, and the life of a made one. */
#include "make/maker.h"

#include <stdio.h>

struct pleat_made
{
    pl_memory memory;
    pl_arena keep;
    pleat_model model;
};

typedef struct character
{
    const char *name;
    const char *about;
    pleat_result (*make)(pl_maker *maker);
} character;

static const character characters[] = {
    {"arm", "a sleeve on two bones; bends and twists", pl_make_arm},
    {"dancer", "a person of 1.70 m in leotard and tights; dances", pl_make_dancer},
    {"hand", "palm, thumb and four fingers; makes a fist and pinches", pl_make_hand},
    {"belly", "a round body that sits down", pl_make_belly},
    {"rectangle", "flat cloth, compressed up to 36 % at its front edge", pl_make_rectangle},
    {"towel", "hanging cloth, pushed by a ball", pl_make_towel},
    {"skirt", "the dancer in a skirt, simulated", pl_make_skirt},
    {"shirt", "the dancer in a loose shirt, simulated", pl_make_shirt},
};

enum
{
    CHARACTER_COUNT = sizeof characters / sizeof characters[0]
};

uint32_t pleat_make_count(void)
{
    return CHARACTER_COUNT;
}

const char *pleat_make_name(uint32_t index)
{
    return index < CHARACTER_COUNT ? characters[index].name : NULL;
}

const char *pleat_make_about(uint32_t index)
{
    return index < CHARACTER_COUNT ? characters[index].about : NULL;
}

pleat_make_options pleat_make_options_default(void)
{
    return (pleat_make_options){.arm_around = 72, .arm_along = 300, .arm_blend = 0.08f, .cloth_quads = 20};
}

static pleat_result check_options(const pleat_make_options *options, pleat_error *error)
{
    if (options->arm_around < 3 || options->arm_around > 4096)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "arm_around is %u; it can be 3 to 4096", options->arm_around);
    }
    if (options->arm_along < 2 || options->arm_along > 65536)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "arm_along is %u; it can be 2 to 65536", options->arm_along);
    }
    if (!(options->arm_blend > 0) || !(options->arm_blend <= 0.3f))
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "arm_blend is %g m; it can be above 0 and at most 0.3",
                       (double)options->arm_blend);
    }
    if (options->cloth_quads < 2 || options->cloth_quads > 512)
    {
        return pl_fail(error, PLEAT_BAD_ARGUMENT, "cloth_quads is %u; it can be 2 to 512", options->cloth_quads);
    }
    return PLEAT_OK;
}

static const character *find_character(const char *name, pleat_error *error)
{
    char known[200] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < CHARACTER_COUNT; ++i)
    {
        if (strcmp(name, characters[i].name) == 0)
        {
            return &characters[i];
        }
        int added = snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", characters[i].name);
        length += (size_t)added;
    }
    pl_fail(error, PLEAT_BAD_ARGUMENT, "there is no built-in character '%.60s'; there are %s", name, known);
    return NULL;
}

static pleat_result make_tables(pl_maker *maker)
{
    PL_MAKE_NEW(maker->nodes, maker, keep, pleat_node, PL_MAKE_NODES);
    PL_MAKE_NEW(maker->meshes, maker, keep, pleat_mesh, PL_MAKE_MESHES);
    PL_MAKE_NEW(maker->clips, maker, keep, pleat_clip, PL_MAKE_CLIPS);
    PL_MAKE_NEW(maker->materials, maker, keep, pleat_material, PL_MAKE_MATERIALS);
    PL_MAKE_NEW(maker->skins, maker, keep, pleat_skin, 1);
    maker->model.nodes = maker->nodes;
    maker->model.meshes = maker->meshes;
    maker->model.clips = maker->clips;
    maker->model.materials = maker->materials;
    maker->model.skins = maker->skins;
    return PLEAT_OK;
}

static pleat_result run(pl_maker *maker, const character *which)
{
    PL_TRY(make_tables(maker));
    PL_TRY(which->make(maker));
    return pl_maker_finish(maker);
}

pleat_result pleat_make(const char *name, const pleat_make_options *options, const pleat_host *host, pleat_made **made,
                        pleat_error *error)
{
    *made = NULL;
    pleat_make_options defaults = pleat_make_options_default();
    options = options ? options : &defaults;
    PL_TRY(check_options(options, error));
    const character *which = find_character(name, error);
    if (!which)
    {
        return PLEAT_BAD_ARGUMENT;
    }
    pleat_made *out = PL_CREATE(pleat_made, host);
    if (!out)
    {
        pl_memory memory = pl_memory_from(host);
        return pl_fail_memory(&memory, error, "a character");
    }
    pl_maker maker = {.options = options, .error = error, .memory = &out->memory};
    pl_arena_init(&maker.keep, &out->memory);
    pl_arena_init(&maker.scratch, &out->memory);
    pleat_result result = run(&maker, which);
    pl_arena_free(&maker.scratch);
    out->keep = maker.keep;
    out->model = maker.model;
    if (result != PLEAT_OK)
    {
        pleat_made_destroy(out);
        return result;
    }
    *made = out;
    return PLEAT_OK;
}

void pleat_made_destroy(pleat_made *made)
{
    if (!made)
    {
        return;
    }
    pl_arena_free(&made->keep);
    PL_DESTROY(made);
}

const pleat_model *pleat_made_model(const pleat_made *made)
{
    return &made->model;
}

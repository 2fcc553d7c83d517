/* What pleat maps works with: textures (each of the parts of one node that share a material), the frames that go into
 * them, and the files that come out. */
#ifndef APP_MAPS_RUN_H
#define APP_MAPS_RUN_H

#include "job/bake/stretch.h"
#include "apps/pleat/session.h"

#include "base/memory.h"
#include "pleat/export/atlas.h"
#include "pleat/bake.h"
#include "pleat/io.h"
#include "pleat/export/maps.h"

/* What --map can ask for. */
typedef struct maps_kinds
{
    bool height, vector, normal, stretch, vat;
} maps_kinds;

/* What vertex-animation textures are written as. */
typedef enum maps_vat
{
    VAT_PNG,   /* two PNGs of 16 bits */
    VAT_EXR,   /* two EXRs of floats */
    VAT_PACKED /* one EXR, normals in its lower half */
} maps_vat;

typedef struct maps_options
{
    maps_kinds kinds;
    uint32_t size, samples, margin;
    uint32_t normal_bits;
    bool green_down; /* DirectX: y of normals downwards in the picture */
    bool world;      /* vectors in the world's axes */
    bool settle;     /* nothing was asked for: vectors, too, where heights do not do */
    bool posed;      /* the coarse mesh of each frame as a file, too */
    bool atlas;      /* new coordinates even where there are some */
    uint32_t basis;  /* targets, or 0: maps of frames */
    maps_vat vat;
    bool most; /* one stretch map for all frames */
    pleat_stretch_colors colors;
    float strength; /* of the stretch that gives full colour */
} maps_options;

/* One texture. */
typedef struct maps_set
{
    char *name; /* of its files, without the kind and the ending; unique */
    uint32_t stack, node, material;
    bool *primitives; /* of the node's mesh */
    uint32_t uv_set;  /* of the coarse mesh that is written */
    pleat_maps *maps;
    pleat_height_range heights, vectors; /* over all frames */
    pleat_maps_error error;              /* of the frame whose heights do worst */
    pleat_maps_error vector_error;       /* likewise of vectors */
    bool needs_vectors;                  /* heights do not do, and vectors were not asked for */
    bool world;                          /* vectors in the world's axes */
    json_t *json;                        /* its entry in maps.json */
    /* With --basis: how many maps, and what they leave of the clip, metres. */
    uint32_t basis_count;
    float basis_error, basis_displacement;
} maps_set;

typedef struct maps_run
{
    app_session *session;
    pl_memory memory;
    pl_arena arena;
    maps_options options;
    const char *folder;
    const pleat_asset *asset;
    const pleat_atlas **atlases; /* per mesh of the input, NULL where it keeps its coordinates */
    const pleat_model *model;    /* with the atlases' meshes */
    pleat_bake *bake;
    uint32_t clip;
    pleat_outputs *outputs;
    maps_set *sets;
    uint32_t set_count;
    uint16_t *heights, *vectors, *normals; /* scratch, size x size; NULL if not wanted */
    uint8_t *bytes;                        /* size x size x 3 */
    pleat_stretches *stretches;            /* NULL without stretch maps */
    float *stretch_values;                 /* 3 a vertex */
    uint16_t *stretch_texels;              /* size x size x 3 */
    uint32_t file_count;
    bool again; /* the maps that were made hold too little: once more, larger */
    double map_seconds, write_seconds;
} maps_run;

/* Of the texels: so many that belong to several places make a map useless. */
#define MAPS_MANY_SHARED 0.0005f

/* ---- maps_sets.c ---- */

/* The textures that the bake's garments need. */
pleat_result maps_open_sets(maps_run *run, pleat_error *error);
void maps_close_sets(maps_run *run);

/* ---- maps_frames.c ---- */

/* Maps of every frame, into the run's outputs and the sets' JSON. */
pleat_result maps_write_frames(maps_run *run, pleat_error *error);
/* Masks of the joints that --mask-joints names. */
pleat_result maps_write_masks(maps_run *run, pleat_error *error);

/* Of height maps and vector maps that were drawn last: how well they do. The worst of all frames is kept. */
json_t *maps_check_vectors(maps_run *run, maps_set *set);
pleat_result maps_write_plain(maps_run *run, json_t *entry, const char *key, const char *file, uint32_t channels,
                              const uint16_t *pixels, pleat_error *error);

/* ---- maps_vectors.c ---- */

/* Vector maps of sets whose heights do not do, for all frames. */
pleat_result maps_write_vectors(maps_run *run, uint32_t first_frame, pleat_error *error);
/* That they are there, and why. */
void maps_tell_of_vectors(maps_run *run);

/* ---- maps_basis.c ---- */

/* Basis maps and their weights. */
pleat_result maps_write_basis(maps_run *run, pleat_error *error);

/* ---- maps_stretch.c ---- */

/* Needs the sets. */
pleat_result maps_open_stretch(maps_run *run, pleat_error *error);
void maps_close_stretch(maps_run *run);
/* Takes in the frame last computed. */
void maps_take_stretch(maps_run *run);
/* The map of that frame, if there is to be one for each; and the one of them all. */
pleat_result maps_write_stretch(maps_run *run, maps_set *set, json_t *entry, uint32_t number, pleat_error *error);
pleat_result maps_write_most(maps_run *run, pleat_error *error);

/* ---- maps_vat.c ---- */

pleat_result maps_write_vat(maps_run *run, pleat_error *error);

/* ---- maps_files.c ---- */

/* FOLDER/NAME_KIND.png, or with a number: FOLDER/NAME_KIND_0042.png; the name within the folder, in the arena. */
const char *maps_file_name(maps_run *run, const char *name, const char *kind, uint32_t number, const char *ending);
/* Adds the file under that name to the outputs. */
pleat_result maps_write_png(maps_run *run, const char *file, const pleat_png *png, pleat_error *error);
/* The same as an OpenEXR file. */
pleat_result maps_write_exr(maps_run *run, const char *file, const pleat_png *picture, pleat_error *error);
/* A normal map: 8 or 16 bits, green as asked for. Changes the normals. */
pleat_result maps_write_normals(maps_run *run, const char *file, uint16_t *normals, pleat_error *error);
pleat_result maps_write_json(maps_run *run, const char *file, json_t *object, pleat_error *error);
/* mesh.glb: the input with the coordinates of the atlases. */
pleat_result maps_write_mesh(maps_run *run, pleat_error *error);
/* The coarse mesh of the frame last drawn, with the normals and tangents that the maps belong to. */
pleat_result maps_write_posed(maps_run *run, const maps_set *set, const char *file, pleat_error *error);
/* A mesh alone in a file, with a second set of coordinates if given. */
pleat_result maps_write_model(maps_run *run, const char *file, const pleat_mesh *mesh, const float *second_uvs,
                              pleat_error *error);

#endif

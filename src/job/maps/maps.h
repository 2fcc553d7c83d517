/* What a maps job works with: textures (each of the parts of one node that share a material), the frames that go into
 * them, and the files that come out. */
#ifndef PL_JOB_MAPS_MAPS_H
#define PL_JOB_MAPS_MAPS_H

#include "job/choice.h"

#include "pleat/export/atlas.h"
#include "pleat/export/maps.h"
#include "pleat/job/maps.h"

#include <jansson.h>

/* One texture. */
typedef struct pl_maps_set
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
    /* Basis maps: how many maps, and what they leave of the clip, metres. */
    uint32_t basis_count;
    float basis_error, basis_displacement;
} pl_maps_set;

typedef struct pl_maps_run
{
    pl_job job;
    const pleat_maps_job *asked;
    pleat_maps_job options; /* what was asked for, or chosen where nothing was */
    bool settle;            /* no kind was asked for: vectors, too, where heights do not do */
    const char *folder;
    const pleat_asset *asset;
    const pleat_atlas **atlases; /* per mesh of the input, NULL where it keeps its coordinates */
    const pleat_model *model;    /* with the atlases' meshes */
    pleat_bake *bake;
    uint32_t clip;
    pleat_outputs *outputs;
    pl_maps_set *sets;
    uint32_t set_count;
    uint16_t *heights, *vectors, *normals; /* scratch, size x size; NULL if not wanted */
    uint8_t *bytes;                        /* size x size x 3 */
    pleat_stretches *stretches;            /* NULL without stretch maps */
    float *stretch_values;                 /* 3 a vertex */
    uint16_t *stretch_texels;              /* size x size x 3 */
    uint32_t file_count;
    bool again; /* the maps that were made hold too little: once more, larger */
    double map_seconds, write_seconds;
} pl_maps_run;

/* Of the texels: so many that belong to several places make a map useless. */
#define PL_MAPS_MANY_SHARED 0.0005f

/* A number; null where it is not finite, which JSON cannot say. */
json_t *pl_number_json(double value);
/* Any kind of picture of a surface, as opposed to vertex-animation textures. */
static inline bool pl_job_maps_want_textures(const pl_maps_run *run)
{
    const pleat_maps_kinds *kinds = &run->options.kinds;
    return kinds->height || kinds->vector || kinds->normal || kinds->stretch;
}

/* ---- atlas.c ---- */

/* Coordinates for each mesh of the input that needs new ones, NULL for the others; atlases is zero before. */
pleat_result pl_job_maps_make_atlases(pl_maps_run *run, const pleat_model *model, const pl_choice *choice,
                                      pleat_atlas **atlases, pleat_error *error);

/* ---- describe.c ---- */

/* All of maps.json; NULL without memory. */
json_t *pl_job_maps_describe(const pl_maps_run *run);

/* ---- sets.c ---- */

/* The textures that the bake's garments need. */
pleat_result pl_job_maps_open_sets(pl_maps_run *run, pleat_error *error);
void pl_job_maps_close_sets(pl_maps_run *run);

/* ---- frames.c ---- */

/* Maps of every frame, into the run's outputs and the sets' JSON. */
pleat_result pl_job_maps_write_frames(pl_maps_run *run, pleat_error *error);
/* Masks of the joints that the job names. */
pleat_result pl_job_maps_write_masks(pl_maps_run *run, pleat_error *error);

/* Of height maps and vector maps that were drawn last: how well they do. The worst of all frames is kept. */
json_t *pl_job_maps_check_vectors(pl_maps_run *run, pl_maps_set *set);
pleat_result pl_job_maps_write_plain(pl_maps_run *run, json_t *entry, const char *key, const char *file,
                                     uint32_t channels, const uint16_t *pixels, pleat_error *error);

/* ---- vectors.c ---- */

/* Vector maps of sets whose heights do not do, for all frames. */
pleat_result pl_job_maps_write_vectors(pl_maps_run *run, uint32_t first_frame, pleat_error *error);
/* That they are there, and why. */
void pl_job_maps_tell_of_vectors(pl_maps_run *run);

/* ---- basis.c ---- */

/* Basis maps and their weights. */
pleat_result pl_job_maps_write_basis(pl_maps_run *run, pleat_error *error);

/* ---- stretch.c ---- */

/* Needs the sets. */
pleat_result pl_job_maps_open_stretch(pl_maps_run *run, pleat_error *error);
void pl_job_maps_close_stretch(pl_maps_run *run);
/* Takes in the frame last computed. */
void pl_job_maps_take_stretch(pl_maps_run *run);
/* The map of that frame, if there is to be one for each; and the one of them all. */
pleat_result pl_job_maps_write_stretch(pl_maps_run *run, pl_maps_set *set, json_t *entry, uint32_t number,
                                       pleat_error *error);
pleat_result pl_job_maps_write_most(pl_maps_run *run, pleat_error *error);

/* ---- vat.c ---- */

pleat_result pl_job_maps_write_vat(pl_maps_run *run, pleat_error *error);

/* ---- files.c ---- */

/* FOLDER/NAME_KIND.png, or with a number: FOLDER/NAME_KIND_0042.png; the name within the folder, in the arena. */
const char *pl_job_maps_file_name(pl_maps_run *run, const char *name, const char *kind, uint32_t number,
                                  const char *ending);
/* Adds the file under that name to the outputs. */
pleat_result pl_job_maps_write_png(pl_maps_run *run, const char *file, const pleat_png *png, pleat_error *error);
/* The same as an OpenEXR file. */
pleat_result pl_job_maps_write_exr(pl_maps_run *run, const char *file, const pleat_png *picture, pleat_error *error);
/* A normal map: 8 or 16 bits, green as asked for. Changes the normals. */
pleat_result pl_job_maps_write_normals(pl_maps_run *run, const char *file, uint16_t *normals, pleat_error *error);
pleat_result pl_job_maps_write_json(pl_maps_run *run, const char *file, json_t *object, pleat_error *error);
/* mesh.glb: the input with the coordinates of the atlases. */
pleat_result pl_job_maps_write_mesh(pl_maps_run *run, pleat_error *error);
/* The coarse mesh of the frame last drawn, with the normals and tangents that the maps belong to. */
pleat_result pl_job_maps_write_posed(pl_maps_run *run, const pl_maps_set *set, const char *file, pleat_error *error);
/* A mesh alone in a file, with a second set of coordinates if given. */
pleat_result pl_job_maps_write_model(pl_maps_run *run, const char *file, const pleat_mesh *mesh,
                                     const float *second_uvs, pleat_error *error);

#endif

/* pleat/job.h: a bake from files to files, as the program does it, for any host. Part of libpleat_job.
 *
 * A job is a plain struct made by its _default(), filled, and run. What is left alone is chosen by the same rules as on
 * the command line: which clip, which meshes are garments, folds on what looks like cloth, which endings mean which
 * format. Running checks the description first; validate does that alone. Messages name a member by the option of the
 * program that sets it (input.last_frame: --frames).
 *
 * Results: PLEAT_BAD_REQUEST is what the description alone makes wrong, or with the names in the file; PLEAT_CANCELLED
 * is the watch's wish. In both cases, as with every failure, no output has appeared or changed. Warnings go to the
 * host's log. All texts and lists of a job must live until the call is over. pleat/job/maps.h and pleat/job/measure.h
 * have the other jobs. */
#ifndef PLEAT_JOB_H
#define PLEAT_JOB_H

#include "pleat/export/stretches.h"
#include "pleat/io/gltf.h"
#include "pleat/stack.h"

PLEAT_BEGIN

/* A list of texts. */
typedef struct pleat_texts
{
    uint32_t count;
    const char *const *list;
} pleat_texts;

/* ---- Watching --------------------------------------------------------------------------------------------------- */

/* The parts of a job, in the order in which they come; not every job has all of them. */
typedef enum pleat_job_phase
{
    PLEAT_JOB_LOAD,   /* reads the input */
    PLEAT_JOB_BIND,   /* chooses, plans, binds; layers look ahead at the clip */
    PLEAT_JOB_FRAMES, /* computes each frame, and hands it to what is written frame by frame */
    PLEAT_JOB_FIT,    /* runs over the frames once more, for morph targets */
    PLEAT_JOB_WRITE,  /* writes what needs all frames; then everything appears */
    PLEAT_JOB_DONE,   /* told once: all files are there, and it is too late to cancel */
    PLEAT_JOB_PHASES
} pleat_job_phase;

typedef struct pleat_job_progress
{
    pleat_job_phase phase;
    const char
        *work; /* what is being done, in a few words, to be followed by "done/total": "frame"; valid in the call */
    uint64_t done;
    uint64_t total; /* 0: nobody knows */
    uint32_t kept;  /* frames that pleat_bake_job.resume has on disk so far */
} pleat_job_progress;

/* Both may be NULL. They come on the thread that runs the job, often (for each frame at least), so they should be
 * quick.
 */
typedef struct pleat_job_watch
{
    void (*progress)(void *user, const pleat_job_progress *progress);
    bool (*cancel)(void *user); /* true: the job stops within a frame */
    void *user;
} pleat_job_watch;

/* ---- What goes in ----------------------------------------------------------------------------------------------- */

/* A character, and which part of it is meant. */
typedef struct pleat_job_input
{
    const char *file;     /* glTF, GLB, OBJ or PLY, a folder of meshes or a pattern with %; needed */
    const char *points;   /* a .pc2, .mdd or mesh sequence that moves the single mesh of the file; default NULL */
    const char *clip;     /* by name, with * and ?; default NULL: all for glTF outputs, else the first */
    uint32_t first_frame; /* of the clip; default 0 */
    uint32_t last_frame;  /* included; default PLEAT_NONE: no frames are chosen, which means all of them */
    double fps;           /* frames a second, above 0; default 30 */
    pleat_texts garments; /* meshes, nodes or materials by name, with * and ?; default: what looks like cloth */
    bool allow_outside;   /* default false: a .gltf reads files from its own folder alone */
} pleat_job_input;

pleat_job_input pleat_job_input_default(void);

/* Something that a layer takes or gives besides parameters and positions, by the name that its type has for it; values:
 * names of meshes or files. */
typedef struct pleat_job_given
{
    const char *name;
    pleat_texts values;
} pleat_job_given;

/* What acts on the garments: docs/look.md. */
typedef struct pleat_job_stack
{
    const char *skinning; /* a skinning method; default NULL: as the look has it, else the first there is */
    pleat_texts layers;   /* by name, in order; "none" alone: none; default: the first there is, where it can act */
    const char *look;     /* a look file; default NULL */
    pleat_texts settings; /* such as "folds.width=2cm", over what the look has */
    const char *mask;     /* a PNG, or "color" for the colours of vertices; default NULL: as the look has it */
    pleat_refine refine;  /* default by layer; loop with a level, keep with max_triangles */
    uint32_t level;       /* loop: subdivisions of the garments besides what layers do, 0..6; default 0 */
    const char *max_triangles; /* keep: the most triangles, "40000", or "4x" times the input's; default NULL: "6x" */
    uint32_t input_count;      /* default 0 */
    const pleat_job_given *inputs; /* of layers, as their types name them: "body" with meshes by name or one file,
                                    * curves with a file */
} pleat_job_stack;

pleat_job_stack pleat_job_stack_default(void);

/* Stretch of the cloth as attributes of vertices in glTF: docs/compression.md. */
typedef struct pleat_job_stretch
{
    bool wanted;                 /* default false */
    bool most;                   /* the most over all frames, not those of one; default false */
    uint32_t frame;              /* of the clip, without most */
    bool colored;                /* as COLOR_0, too; default false */
    pleat_stretch_colors colors; /* default PLEAT_STRETCH_SIGNED */
    float strength;              /* the stretch that gives full colour, above 0; default 0.5 */
} pleat_job_stretch;

/* ---- Bake ------------------------------------------------------------------------------------------------------- */

typedef struct pleat_bake_job
{
    pleat_job_input input;
    pleat_job_stack stack;
    pleat_texts outputs;    /* .glb .gltf .pc2 .mdd .obj .ply, a folder, with {clip} for a clip's name; at least one */
    uint32_t channel_count; /* default 0 */
    const pleat_job_given *channels; /* what layers give besides positions, each with the file to write */
    uint32_t target_limit;           /* glTF: most morph targets of a mesh, 1..1024; default 64 */
    float largest_error;             /* glTF: fewer targets as long as no vertex is off by more, metres, or the job
                                      * fails; 0: as many as the limit allows; default -1: 1.5 mm, or 0.1 % of the height where
                                      * that is less, as far as the limit allows */
    bool normals;                    /* glTF: targets have normals; default true */
    pleat_encoding encoding;         /* glTF: default small */
    bool frame_topology;             /* a mesh for each frame (.obj, .ply), wrinkles as edges; default false */
    bool resume; /* keeps frames beside the first output as OUT.resume, and goes on from there; default
                  * false */
    pleat_job_stretch stretch;
} pleat_bake_job;

pleat_bake_job pleat_bake_job_default(void);

/* Names in reports are those of the files, shortened to fit. */
enum
{
    PLEAT_REPORT_NAME = 128 /* bytes, with the 0 */
};

/* One clip that was baked. */
typedef struct pleat_report_clip
{
    char name[PLEAT_REPORT_NAME];
    uint32_t frame_count;
    double start; /* seconds of its first frame */
} pleat_report_clip;

/* What a layer on one node says of itself, over the frames that were computed: the figures of its type. */
typedef struct pleat_report_layer
{
    char node[PLEAT_REPORT_NAME];
    const pleat_layer_type *type;
    uint32_t frame_count; /* 0: nothing is known of them */
    double largest[PLEAT_FIGURE_LIMIT], mean[PLEAT_FIGURE_LIMIT];
} pleat_report_layer;

/* One node that got morph targets. Lengths in metres, in the world. */
typedef struct pleat_report_node
{
    char name[PLEAT_REPORT_NAME];
    uint32_t target_count;
    float largest_error, rms_error, largest_displacement;
} pleat_report_node;

/* Seconds of the parts of a job. */
typedef struct pleat_report_seconds
{
    double load, bind, frames, fit, write;
} pleat_report_seconds;

typedef struct pleat_bake_report
{
    uint32_t frame_count;
    uint32_t resumed; /* frames that an earlier run had left; layers say nothing of them */
    uint32_t vertex_count, triangle_count, part_count;
    double fps, start;    /* of the first clip, seconds */
    const char *skinning; /* the method's name */
    uint32_t clip_count;  /* 0: the rest pose */
    const pleat_report_clip *clips;
    uint32_t layer_count; /* by node, then as in the stack */
    const pleat_report_layer *layers;
    uint32_t node_count;
    const pleat_report_node *nodes;
    pleat_report_seconds seconds;
    const double *frame_seconds;  /* frame_count: computing each */
    const double *output_seconds; /* frame_count: handing it to what is written */
} pleat_bake_report;

/* Checks all that needs no more than the description: options that do not go together, names of outputs, the look.
 * Reads the look and writes nothing. host may be NULL. */
pleat_result pleat_bake_job_validate(const pleat_bake_job *job, const pleat_host *host, pleat_error *error);
/* Runs the job; all outputs appear, or none. watch and host may be NULL; with a host's tasks the files have the same
 * bytes. *report, which may be NULL, is to be freed. */
pleat_result pleat_bake_job_run(const pleat_bake_job *job, const pleat_job_watch *watch, const pleat_host *host,
                                const pleat_bake_report **report, pleat_error *error);
void pleat_bake_report_destroy(const pleat_bake_report *report); /* NULL is fine */

PLEAT_END

#endif

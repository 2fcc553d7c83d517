/* pleat/rig.h: from a clip and a time to a pose, and from a pose to skinned positions. */
#ifndef PLEAT_RIG_H
#define PLEAT_RIG_H

#include "pleat/model.h"

PLEAT_BEGIN

/* ---- Pose ------------------------------------------------------------------------------------------------ */

/* World matrices of all nodes and morph weights of all nodes at one time. */
typedef struct pleat_pose pleat_pose;

/* A pose of the model, at the rest state of its nodes. The model must outlive it. */
pleat_result pleat_pose_create(const pleat_model *model, const pleat_host *host, pleat_pose **pose, pleat_error *error);
void pleat_pose_destroy(pleat_pose *pose);

/* Samples every channel of the clip at a time in seconds (held before the first and after the last key) over the
 * nodes' rest state, and computes all world matrices. clip NULL: the rest state. Never allocates; a pose is
 * used by one thread at a time. */
void pleat_pose_sample(pleat_pose *pose, const pleat_clip *clip, float time);

/* From the next sample on the world's origin lies at this point of it: floats are fine only near their origin. Default
 * 0. Never allocates. */
void pleat_pose_set_origin(pleat_pose *pose, pleat_vec3 origin);
pleat_vec3 pleat_pose_origin(const pleat_pose *pose);

/* node_count matrices, node to world. */
const pleat_affine *pleat_pose_worlds(const pleat_pose *pose);
/* Morph weights of a node's mesh (its target_count), or NULL if the node's mesh has no targets. */
const float *pleat_pose_weights(const pleat_pose *pose, uint32_t node);
/* The local transform of a node after sampling. Of a node with a matrix: the matrix taken apart, where shear is
 * lost (its world matrix comes from the matrix itself unless a channel moves the node). */
pleat_trs pleat_pose_local(const pleat_pose *pose, uint32_t node);
/* Skinning matrices of a skin: world(joint) * inverse bind. out: the skin's joint_count. Never allocates. */
void pleat_pose_joints(const pleat_pose *pose, uint32_t skin, pleat_affine *out);

/* One channel at one time; out gets channel->width floats. Rotations come out normalised. Never allocates. */
void pleat_channel_sample(const pleat_channel *channel, float time, float *out);

/* ---- Morph targets --------------------------------------------------------------------------------------- */

/* Adds the weighted differences of a primitive's morph targets: what comes before skinning. Fill (from
 * pleat_morph_job_default), then run. Buffers are the caller's; out may be the same buffer as the input; no other
 * overlap. */
typedef struct pleat_morph_job
{
    uint32_t vertex_count; /* #V */
    uint32_t target_count;
    const pleat_target *targets; /* target_count; NULL: no targets, the input is copied */
    const float *weights;        /* target_count; a target with weight 0 is not read */
    const pleat_vec4 *positions; /* #V */
    const pleat_vec4 *normals;   /* #V or NULL */
    pleat_vec4 *out_positions;   /* #V */
    pleat_vec4 *out_normals;     /* #V, or NULL with normals; unit length if a target moves normals, else as given */
    const uint32_t *source;      /* #V: the row of the targets that each vertex takes, or NULL: its own number */
    const pleat_tasks *tasks;    /* NULL: the calling thread */
} pleat_morph_job;

pleat_morph_job pleat_morph_job_default(void);
/* Returns BAD_ARGUMENT for a job that is not filled. Never allocates; the same bits for any number of threads. */
pleat_result pleat_morph_run(const pleat_morph_job *job, pleat_error *error);

/* ---- Points ---------------------------------------------------------------------------------------------- */

/* Frames of one clip in a row of several, which is looked at and baked as one. Frame f of the row, if it is of this
 * shot, lies at start + (f - first_frame) / fps of the clip. */
typedef struct pleat_shot
{
    const pleat_clip *clip;
    float start;          /* seconds of its first frame */
    uint32_t first_frame; /* frames of the shots before it */
    uint32_t frame_count; /* 1 or more */
} pleat_shot;

/* The shot that a frame of the row is of; the last one for frames past the end. count: 1 or more. */
const pleat_shot *pleat_shot_of(const pleat_shot *shots, uint32_t count, uint32_t frame);

/* Reads a clip's points at any time: the two frames around it, mixed linearly, held before the first and after the
 * last. Keeps two frames in memory. */
typedef struct pleat_points_reader pleat_points_reader;
pleat_result pleat_points_reader_create(const pleat_points *points, const pleat_host *host,
                                        pleat_points_reader **reader, pleat_error *error);
void pleat_points_reader_destroy(pleat_points_reader *reader);
/* The points' vertex_count positions at a time in seconds, valid until the next call; NULL and error on failure. */
const pleat_vec3 *pleat_points_reader_at(pleat_points_reader *reader, float time, pleat_error *error);

/* ---- Skinning -------------------------------------------------------------------------------------------- */

typedef enum pleat_skinning
{
    PLEAT_LBS, /* linear blend */
    PLEAT_DQS  /* dual quaternion; scale and shear are blended linearly apart from the rotation */
} pleat_skinning;

/* A skinning job: fill (from pleat_skin_job_default), then run. Buffers are the caller's. out may be the same
 * buffer as the input; no other overlap. */
typedef struct pleat_skin_job
{
    pleat_skinning method;
    uint32_t vertex_count;    /* #V */
    uint32_t influence_count; /* 4 or 8 */
    const uint16_t *joints;   /* #V by influence_count, each below joint_count, also where the weight is 0 */
    const float *weights;     /* #V by influence_count, at least 0, sum 1 for each vertex */
    uint32_t joint_count;
    const pleat_affine *matrices; /* joint_count, see pleat_pose_joints */
    const pleat_vec4 *positions;  /* #V, bind pose */
    const pleat_vec4 *normals;    /* #V or NULL */
    pleat_vec4 *out_positions;    /* #V; w is 0 */
    pleat_vec4 *out_normals;      /* #V, or NULL with normals; unit length, w is 0 */
    void *scratch;                /* pleat_skin_scratch_size(joint_count) bytes, overwritten; any alignment */
    const pleat_tasks *tasks;     /* NULL: the calling thread */
} pleat_skin_job;

pleat_skin_job pleat_skin_job_default(void);
size_t pleat_skin_scratch_size(uint32_t joint_count);
/* Returns BAD_ARGUMENT for a job that is not filled. Never allocates; the same bits for any number of threads and
 * any width of vectors. Normals go with the inverse transpose of the blended matrix, so that non-uniform and
 * mirrored scale come out right. A matrix that flattens its surroundings to a line or a point says nothing about
 * normals: they stay as given, as does a normal of length 0. Zero scale never gives a NaN. */
pleat_result pleat_skin_run(const pleat_skin_job *job, pleat_error *error);

PLEAT_END

#endif

/* Joints and weights: 4 or 8 influences a vertex, weights that add up to 1.
 *
 * A skin of more than 8 keeps the 8 largest. A joint that the skin does not have is an error, unless its weight is 0:
 * then nothing hangs on it, and joint 0 stands in. Weights that do not add up to 1 are scaled; a vertex without any
 * hangs on the first of its joints, as three.js has it. All of these warn, once a primitive. */
#include "io/gltf/mesh.h"

#include <math.h>
#include <string.h>

enum
{
    SETS_READ = 16, /* of 4 influences; more are ignored with the warning that they are */
    MOST = 8
};

typedef struct influence_sets
{
    uint32_t count;
    uint32_t joints[SETS_READ];  /* accessors */
    uint32_t weights[SETS_READ]; /* accessors */
} influence_sets;

/* What was read, kept for the next primitive with the same accessors. */
struct pl_gltf_influences
{
    influence_sets sets;
    uint32_t joint_count;
    uint32_t width;
    const uint16_t *joints;
    const float *weights;
};

static bool same_sets(const influence_sets *a, const influence_sets *b)
{
    return a->count == b->count && memcmp(a->joints, b->joints, a->count * sizeof a->joints[0]) == 0 &&
           memcmp(a->weights, b->weights, a->count * sizeof a->weights[0]) == 0;
}

static pleat_result find_sets(pl_gltf *g, json_t *attributes, const char *place, uint32_t vertex_count,
                              influence_sets *sets)
{
    sets->count = 0;
    for (uint32_t s = 0; s < SETS_READ; ++s)
    {
        pl_gltf_accessor *joints;
        pl_gltf_accessor *weights;
        PL_TRY(pl_gltf_attribute(g, attributes, pl_at("JOINTS_%u", s).text, place, 1u << 4, vertex_count,
                                 &sets->joints[s], &joints));
        PL_TRY(pl_gltf_attribute(g, attributes, pl_at("WEIGHTS_%u", s).text, place, 1u << 4, vertex_count,
                                 &sets->weights[s], &weights));
        if (!joints != !weights)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA, "%s has %s_%u without %s_%u", place, joints ? "JOINTS" : "WEIGHTS",
                                s, joints ? "WEIGHTS" : "JOINTS", s);
        }
        if (!joints)
        {
            break;
        }
        if (joints->component != PL_U8 && joints->component != PL_U16)
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA,
                                "%s.JOINTS_%u: accessors[%u].componentType is %d; it can be 5121 or 5123", place, s,
                                sets->joints[s], (int)joints->component);
        }
        sets->count = s + 1;
    }
    return PLEAT_OK;
}

/* What was odd about a primitive, to be said once. */
typedef struct oddities
{
    uint32_t scaled_count;
    uint32_t unweighted_count; /* vertices whose weights are all 0 */
    float worst_sum;
    uint32_t joint_count; /* joints out of range with weight 0 */
} oddities;

/* Checks and repairs one vertex in place. */
static pleat_result check_vertex(const pl_gltf *g, const char *place, uint32_t v, uint32_t width, uint32_t joint_count,
                                 uint16_t *joints, float *weights, oddities *odd)
{
    float sum = 0;
    for (uint32_t i = 0; i < width; ++i)
    {
        if (!(weights[i] >= 0) || !isfinite(weights[i]))
        {
            return pl_gltf_fail(g, PLEAT_BAD_DATA,
                                "%s.WEIGHTS_%u: weight %u of vertex %u is %g; it must be finite and at "
                                "least 0",
                                place, i / 4, i % 4, v, (double)weights[i]);
        }
        if (joints[i] >= joint_count)
        {
            if (weights[i] > 0)
            {
                return pl_gltf_fail(g, PLEAT_BAD_DATA,
                                    "%s.JOINTS_%u: joint %u of vertex %u is %u; the skin has %u joints", place, i / 4,
                                    i % 4, v, joints[i], joint_count);
            }
            joints[i] = 0;
            ++odd->joint_count;
        }
        sum += weights[i];
    }
    if (!isfinite(sum))
    {
        return pl_gltf_fail(g, PLEAT_BAD_DATA,
                            "%s.WEIGHTS_0: the weights of vertex %u add up to %g; they must add up to 1", place, v,
                            (double)sum);
    }
    if (!(sum > 0))
    {
        weights[0] = 1;
        ++odd->unweighted_count;
        return PLEAT_OK;
    }
    float off = fabsf(sum - 1);
    if (off > 1e-6f)
    {
        for (uint32_t i = 0; i < width; ++i)
        {
            weights[i] /= sum;
        }
    }
    /* Eight bits round a sum by up to 2/255 without anybody's fault. */
    if (off > 0.01f)
    {
        ++odd->scaled_count;
        odd->worst_sum = fabsf(odd->worst_sum - 1) > off ? odd->worst_sum : sum;
    }
    return PLEAT_OK;
}

/* Keeps the 8 largest of width influences, in their order in the file. Returns true if one with weight was dropped. */
static bool keep_largest(uint32_t width, uint16_t *joints, float *weights)
{
    bool dropped = false;
    for (uint32_t left = width; left > MOST; --left)
    {
        uint32_t least = 0;
        for (uint32_t i = 1; i < left; ++i)
        {
            least = weights[i] <= weights[least] ? i : least;
        }
        dropped |= weights[least] > 0;
        memmove(weights + least, weights + least + 1, (left - least - 1) * sizeof *weights);
        memmove(joints + least, joints + least + 1, (left - least - 1) * sizeof *joints);
    }
    return dropped;
}

static void warn(pl_gltf *g, const char *place, const oddities *odd, uint32_t dropped_count)
{
    if (odd->scaled_count)
    {
        pl_gltf_warn(g, "%s.WEIGHTS_0: the weights of %u vertices do not add up to 1 (one has %g); they are scaled",
                     place, odd->scaled_count, (double)odd->worst_sum);
    }
    if (odd->unweighted_count)
    {
        pl_gltf_warn(g, "%s.WEIGHTS_0: %u vertices have no weight at all; each hangs on the first of its joints", place,
                     odd->unweighted_count);
    }
    if (odd->joint_count)
    {
        pl_gltf_warn(g, "%s.JOINTS_0: %u joints that the skin does not have; their weight is 0, joint 0 stands in",
                     place, odd->joint_count);
    }
    if (dropped_count)
    {
        pl_gltf_warn(g, "%s: %u vertices have more than %d influences; the largest %d are kept", place, dropped_count,
                     MOST, MOST);
    }
}

static pleat_result unpack_sets(pl_gltf *g, const char *place, const influence_sets *sets, uint32_t joint_count,
                                uint32_t vertex_count, struct pl_gltf_influences *out)
{
    uint32_t width_in = sets->count * 4;
    uint32_t width = width_in < MOST ? width_in : MOST;
    uint16_t *joints;
    float *weights;
    PL_TRY(pl_gltf_alloc(g, (uint64_t)vertex_count * width_in, sizeof *joints, place, &joints));
    PL_TRY(pl_gltf_alloc(g, (uint64_t)vertex_count * width_in, sizeof *weights, place, &weights));
    for (uint32_t s = 0; s < sets->count; ++s)
    {
        PL_TRY(pl_gltf_copy_shorts(g, sets->joints[s], joints + s * 4, width_in));
        PL_TRY(pl_gltf_copy_floats(g, sets->weights[s], weights + s * 4, width_in));
    }
    oddities odd = {.worst_sum = 1};
    uint32_t dropped_count = 0;
    for (uint32_t v = 0; v < vertex_count; ++v)
    {
        uint16_t *j = joints + (size_t)v * width_in;
        float *w = weights + (size_t)v * width_in;
        PL_TRY(check_vertex(g, place, v, width_in, joint_count, j, w, &odd));
        if (keep_largest(width_in, j, w))
        {
            ++dropped_count;
            PL_TRY(check_vertex(g, place, v, MOST, joint_count, j, w, &(oddities){.worst_sum = 1}));
        }
        memmove(joints + (size_t)v * width, j, width * sizeof *j);
        memmove(weights + (size_t)v * width, w, width * sizeof *w);
    }
    warn(g, place, &odd, dropped_count);
    *out = (struct pl_gltf_influences){*sets, joint_count, width, joints, weights};
    return PLEAT_OK;
}

pleat_result pl_gltf_read_influences(pl_gltf *g, json_t *attributes, const char *place, uint32_t joint_count,
                                     pleat_primitive *primitive)
{
    influence_sets sets;
    PL_TRY(find_sets(g, attributes, place, primitive->vertex_count, &sets));
    if (sets.count == 0)
    {
        pl_gltf_warn(g, "%s: the mesh is used with a skin and has no JOINTS_0 and WEIGHTS_0; it follows its node",
                     place);
        return PLEAT_OK;
    }
    struct pl_gltf_influences *last = g->influences;
    if (!last || last->joint_count != joint_count || !same_sets(&last->sets, &sets))
    {
        PL_TRY(pl_gltf_alloc(g, 1, sizeof *last, place, &last));
        PL_TRY(unpack_sets(g, place, &sets, joint_count, primitive->vertex_count, last));
        g->influences = last;
    }
    primitive->influence_count = last->width;
    primitive->joints = last->joints;
    primitive->weights = last->weights;
    return PLEAT_OK;
}

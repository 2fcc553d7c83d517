/* Creases on refined skin: what is bound once, and the frame (sec. 3.3 and 3.4).
 *
 * A crease is a convolution surface whose line lies under the skin, a radius deep at rest, and comes up as its joint
 * turns. Skin inside of it goes out along its normal to where the field is at its iso-value, which is the paper's
 * maximum of both fields: nothing else moves. */
#include "layers/creases/frame.h"

#include "base/parallel.h"
#include "mesh/loop/place.h"

/* Skin this many radii from a line at rest may come to lie inside of a crease. */
#define BOUND_REACH 2.0f
/* A crease at a contact fades: wholly in it .. this many radii away not at all. */
#define CONTACT_FADE 4.0f
/* A crease acts wholly on skin whose normal makes less than 60 degrees with its own; on skin turned away, not at all.
 */
#define SAME_SIDE 0.5f
/* Shares of a radius below this are nothing: the crease is as at rest. */
#define NOTHING 1e-4f

enum
{
    NEWTON_STEPS = 4
};

pl_crease_segment pl_crease_segment_of(pl_f4 from, pl_f4 to, float from_radius, float to_radius)
{
    float mean = 0.5f * (from_radius + to_radius), reach = PL_CREASE_REACH * fmaxf(from_radius, to_radius);
    float s = PL_CREASE_SHARPNESS * PL_CREASE_UNIT / mean, s2 = s * s;
    float inverse = 1 / (1 + s2 * reach * reach), half = 0.5f * pl_length3(to - from);
    pl_crease_segment out = {.sharpness2 = s2,
                             .reach2 = reach * reach,
                             .end = inverse * inverse,
                             .slope = -2 * s2 * inverse * inverse * inverse};
    for (int k = 0; k < 2; ++k)
    {
        float t = k == 0 ? 0.21132487f : 0.78867513f, radius = from_radius + (to_radius - from_radius) * t;
        double line = pl_convolution_line((double)s, (double)reach, (double)radius);
        out.at[k] = pl_lerp(from, to, t);
        out.weight[k] = half * (float)((double)PL_CREASE_ISO / line);
    }
    return out;
}

float pl_crease_segment_field(const pl_crease_segment *g, pl_f4 point, pl_f4 direction, float *slope)
{
    float value = 0;
    *slope = 0;
    for (int k = 0; k < 2; ++k)
    {
        pl_f4 from = point - g->at[k];
        float squared = pl_dot3(from, from), inverse = 1 / (1 + g->sharpness2 * squared);
        if (squared < g->reach2)
        {
            float falls = -2 * g->sharpness2 * inverse * inverse * inverse - g->slope;
            value += g->weight[k] * (inverse * inverse - g->end - g->slope * (squared - g->reach2));
            *slope += g->weight[k] * falls * 2 * pl_dot3(from, direction);
        }
    }
    return value;
}

/* ---- Binding ---- */

static float distance_to(pl_f4 at, pl_f4 from, pl_f4 to)
{
    pl_f4 way = to - from;
    float squared = pl_dot3(way, way);
    float t = squared > 0 ? fminf(fmaxf(pl_dot3(at - from, way) / squared, 0), 1) : 0;
    return pl_length3(at - from - way * pl_splat(t));
}

/* Calls take for each segment near a vertex at rest, in order: out may be NULL to count. */
static uint32_t near_segments(const pl_crease_plan *plan, pl_f4 at, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < plan->crease_count; ++c)
    {
        const pl_crease *crease = &plan->creases[c];
        float reach = BOUND_REACH * crease->radius;
        if (pl_length3(at - crease->middle) > crease->reach + reach)
        {
            continue;
        }
        for (uint32_t i = crease->first; i + 1 < crease->first + crease->count; ++i)
        {
            if (distance_to(at, plan->points[i].rest, plan->points[i + 1].rest) < reach)
            {
                if (out)
                {
                    out[count] = i;
                }
                ++count;
            }
        }
    }
    return count;
}

static pleat_result bind_vertices(pl_crease_frame *f, const pleat_cloth *cloth, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = cloth->topology->vertex_count, total = 0;
    PL_ARENA_NEW_OR_FAIL(f->vertices, f->arena, uint32_t, count, error);
    PL_ARENA_NEW_OR_FAIL(f->first, f->arena, uint32_t, (size_t)count + 1, error);
    for (uint32_t v = 0; v < count; ++v)
    {
        uint32_t near = cloth->mask[v] > 0 ? near_segments(f->plan, pl_load(&cloth->rest[v]), NULL) : 0;
        if (near)
        {
            f->first[f->vertex_count] = total;
            f->vertices[f->vertex_count++] = v;
            total += near;
        }
    }
    f->first[f->vertex_count] = total;
    PL_ARENA_NEW_OR_FAIL(f->near, f->arena, uint32_t, total, error);
    PL_ARENA_NEW_OR_FAIL(f->ways, f->arena, float, f->vertex_count, error);
    for (uint32_t i = 0; i < f->vertex_count; ++i)
    {
        near_segments(f->plan, pl_load(&cloth->rest[f->vertices[i]]), &f->near[f->first[i]]);
    }
fail:
    return result;
}

/* Points of curves on the surface that moves. */
static pleat_result bind_points(pl_crease_frame *f, const pleat_cloth *cloth, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_crease_plan *plan = f->plan;
    PL_ARENA_NEW_OR_FAIL(f->places, f->arena, pleat_place, plan->point_count, error);
    PL_ARENA_NEW_OR_FAIL(f->crests, f->arena, pl_crease_crest, plan->point_count, error);
    PL_ARENA_NEW_OR_FAIL(f->segments, f->arena, pl_crease_segment, plan->point_count, error);
    PL_ARENA_NEW_OR_FAIL(f->active, f->arena, uint8_t, plan->point_count, error);
    for (uint32_t i = 0; i < plan->point_count; ++i)
    {
        f->places[i] = plan->points[i].place;
        if (cloth->coarse_triangle)
        {
            pl_refined_surface surface = {plan->topology->triangles,  cloth->topology->triangle_count,
                                          cloth->topology->triangles, cloth->coarse_triangle,
                                          cloth->vertex_triangle,     cloth->vertex_barycentric};
            f->places[i] = pl_refined_find(&surface, &plan->points[i].place);
        }
    }
fail:
    return result;
}

pleat_result pl_crease_frame_bind(pl_crease_frame *f, const pleat_cloth *cloth, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    const pl_implicit_skeleton *s = &f->plan->bound.skeleton;
    f->triangles = cloth->topology->triangles;
    f->mask = cloth->mask;
    PL_ARENA_NEW_OR_FAIL(f->pose.bones, f->arena, pl_implicit_posed_bone, s->joint_count, error);
    PL_ARENA_NEW_OR_FAIL(f->pose.bends, f->arena, pl_implicit_posed_bend, s->bend_count, error);
    PL_TRY(bind_points(f, cloth, error));
    PL_TRY(bind_vertices(f, cloth, error));
fail:
    return result;
}

/* ---- Curves in a frame ---- */

static void place_crest(const pl_crease_frame *f, const pleat_layer_frame *frame, uint32_t i)
{
    const uint32_t *corner = &f->triangles[3 * (size_t)f->places[i].triangle];
    pl_f4 at = pl_splat(0), normal = pl_splat(0);
    for (int k = 0; k < 3; ++k)
    {
        pl_f4 share = pl_splat(f->places[i].barycentric[k]);
        at += pl_load(&frame->positions[corner[k]]) * share;
        normal += pl_load(&frame->normals[corner[k]]) * share;
    }
    at[3] = 0;
    f->crests[i].at = at;
    f->crests[i].normal = pl_normalize3(normal);
}

/* 1 far from the plane where both limbs touch, 0 in it. */
static float clear_of(const pl_implicit_posed_bend *bend, pl_f4 at, float radius)
{
    float gap = fabsf(pl_dot3(at - bend->origin, bend->normal[0]));
    return 1 - bend->clamp * (1 - pl_smooth_step(gap / (CONTACT_FADE * radius)));
}

/* The crest's line is under the skin; how far, says the turn of the joint. Returns whether anything is up. */
static bool raise_crease(pl_crease_frame *f, const pleat_layer_frame *frame, const pl_crease *crease)
{
    const pl_crease_plan *plan = f->plan;
    const pl_implicit_posed_bend *bend = &f->pose.bends[crease->bend];
    uint32_t end = crease->first + crease->count;
    float up = pl_crease_ramp(plan, bend->turn - crease->start) * plan->options.displace;
    bool any = false;
    if (!(up > NOTHING))
    {
        memset(&f->active[crease->first], 0, crease->count);
        return false;
    }
    for (uint32_t i = crease->first; i < end; ++i)
    {
        place_crest(f, frame, i);
    }
    for (uint32_t i = crease->first; i < end; ++i)
    {
        pl_crease_crest *crest = &f->crests[i];
        float weight = plan->points[i].weight;
        crest->radius = crease->radius * (ENDS_RADIUS + (1 - ENDS_RADIUS) * weight);
        crest->up = up * weight * clear_of(bend, crest->at, crease->radius);
        crest->at -= crest->normal * pl_splat(crest->radius * (1 - crest->up));
    }
    for (uint32_t i = crease->first; i < end; ++i)
    {
        bool last = i + 1 == end;
        f->active[i] = !last && (f->crests[i].up > NOTHING || f->crests[i + 1].up > NOTHING);
        any |= f->active[i];
        if (f->active[i])
        {
            const pl_crease_crest *from = &f->crests[i], *to = from + 1;
            f->segments[i] = pl_crease_segment_of(from->at, to->at, from->radius, to->radius);
        }
    }
    return any;
}

/* ---- Skin in a frame ---- */

/* Of the creases that lie on this side: where skin is folded, those of the other side are close as well. */
static float field_at(const pl_crease_frame *f, uint32_t index, pl_f4 at, pl_f4 normal, float *slope)
{
    float sum = 0;
    *slope = 0;
    for (uint32_t k = f->first[index]; k < f->first[index + 1]; ++k)
    {
        uint32_t segment = f->near[k];
        float side = f->active[segment] ? pl_dot3(f->crests[segment].normal, normal) : 0;
        if (side > 0)
        {
            float part, share = pl_smooth_step(side / SAME_SIDE);
            sum += share * pl_crease_segment_field(&f->segments[segment], at, normal, &part);
            *slope += share * part;
        }
    }
    return sum;
}

/* Newton's steps along the normal, out of the crease. The field falls on the way, faster at first. */
static float way_out(const pl_crease_frame *f, uint32_t index, pl_f4 at, pl_f4 normal, float most)
{
    float slope, value = field_at(f, index, at, normal, &slope);
    float t = 0;
    for (int i = 0; i < NEWTON_STEPS && value > PL_CREASE_ISO + 1e-4f && slope < 0 && t < most; ++i)
    {
        t = fminf(t + fminf((PL_CREASE_ISO - value) / slope, 0.5f * most), most);
        value = field_at(f, index, at + normal * pl_splat(t), normal, &slope);
    }
    return t;
}

typedef struct skin_job
{
    const pl_crease_frame *f;
    const pleat_layer_frame *frame;
} skin_job;

static void move_range(void *data, uint32_t begin, uint32_t end, uint32_t worker)
{
    const skin_job *job = data;
    const pl_crease_frame *f = job->f;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
    {
        uint32_t v = f->vertices[i];
        float most = 0;
        for (uint32_t k = f->first[i]; k < f->first[i + 1]; ++k)
        {
            uint32_t segment = f->near[k];
            float up = f->active[segment] ? fmaxf(f->crests[segment].up * f->crests[segment].radius,
                                                  f->crests[segment + 1].up * f->crests[segment + 1].radius)
                                          : 0;
            most = fmaxf(most, up);
        }
        f->ways[i] = 0;
        if (most > 0)
        {
            pl_f4 at = pl_load(&job->frame->positions[v]), normal = pl_load(&job->frame->normals[v]);
            float way = f->plan->options.preview ? most : way_out(f, i, at, normal, HIGHEST * most);
            way *= f->mask[v];
            f->ways[i] = way > 0 && isfinite(way) ? way : 0;
        }
    }
}

uint32_t pl_crease_frame_update(pl_crease_frame *f, const pleat_layer_frame *frame)
{
    const pl_crease_plan *plan = f->plan;
    pleat_implicit_options options = pleat_implicit_options_default();
    f->moved = 0;
    f->highest = 0;
    uint32_t up = 0;
    if (plan->crease_count == 0 || !frame->joints ||
        !pl_implicit_pose_frame(&options, &plan->bound, frame->joints, &f->pose))
    {
        return 0;
    }
    for (uint32_t c = 0; c < plan->crease_count; ++c)
    {
        up += raise_crease(f, frame, &plan->creases[c]);
    }
    if (up == 0)
    {
        return 0;
    }
    skin_job job = {f, frame};
    pl_parallel_for(frame->tasks, f->vertex_count, 256, move_range, &job);
    for (uint32_t i = 0; i < f->vertex_count; ++i)
    {
        if (f->ways[i] > 0)
        {
            pleat_vec4 *at = &frame->positions[f->vertices[i]];
            pl_f4 to = pl_load(at) + pl_load(&frame->normals[f->vertices[i]]) * pl_splat(f->ways[i]);
            to[3] = 0;
            pl_store(at, to);
            ++f->moved;
            f->highest = fmaxf(f->highest, f->ways[i]);
        }
    }
    return up;
}

/* The angle field of a bend: how much the gradients of its two bones' fields turn against each other where a vertex of
 * one is within reach of the other, with the joint turned as far as it ever is (sec. 3.1). The paper evaluates it in
 * every frame; here it is wanted once, where curves are laid. */
#include "layers/creases/creases.h"

enum
{
    TURNS = 24 /* at which a seed is looked for in the other field, up to the largest */
};

pleat_result pl_crease_make_angles(const pleat_cloth *cloth, pl_arena *arena, pl_crease_angles *a, pleat_error *error)
{
    pleat_result result = PLEAT_OK;
    uint32_t count = cloth->topology->vertex_count;
    PL_ARENA_NEW_OR_FAIL(a->angle, arena, float, count, error);
    PL_ARENA_NEW_OR_FAIL(a->value, arena, float, count, error);
    PL_ARENA_NEW_OR_FAIL(a->inner, arena, float, count, error);
    PL_ARENA_NEW_OR_FAIL(a->other, arena, float, count, error);
    PL_ARENA_NEW_OR_FAIL(a->points, arena, pleat_vec4, count, error);
    PL_ARENA_NEW_OR_FAIL(a->own, arena, pleat_vec4, count, error);
    PL_ARENA_NEW_OR_FAIL(a->there, arena, pleat_vec4, count, error);
    PL_ARENA_NEW_OR_FAIL(a->vertices, arena, uint32_t, count, error);
fail:
    return result;
}

/* The compact field of a distance: 1 deep inside, 1/2 on the skin, 0 beyond the support. */
static float compact(float distance, float support)
{
    float t = distance / support;
    if (!(t < 1))
    {
        return 0;
    }
    return t < -1 ? 1 : -3.0f / 16 * t * t * t * t * t + 5.0f / 8 * t * t * t - 15.0f / 16 * t + 0.5f;
}

/* One bone's vertices against the other's field. turn: what brings the other's frame to this one's at rest. */
static void fill_side(const pleat_cloth *cloth, const pl_implicit_bone *bone, const pl_implicit_bone *other, pl_f4 turn,
                      pl_f4 origin, pl_f4 inner, pl_crease_angles *a)
{
    pl_f4 back = pl_quat_conjugate(turn);
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        a->points[i] = cloth->rest[bone->vertices[i]];
    }
    pl_hrbf_evaluate(&bone->field, bone->vertex_count, a->points, a->own);
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        pl_store(&a->points[i], origin + pl_quat_rotate(back, pl_load(&a->points[i]) - origin));
    }
    pl_hrbf_evaluate(&other->field, bone->vertex_count, a->points, a->there);
    for (uint32_t i = 0; i < bone->vertex_count; ++i)
    {
        uint32_t v = bone->vertices[i];
        pl_f4 own = pl_normalize3(pl_load(&a->own[i]));
        pl_f4 there = pl_normalize3(pl_quat_rotate(turn, pl_load(&a->there[i])));
        float value = compact(a->there[i].w, other->thickness);
        a->value[v] = value;
        a->angle[v] = value > 0 ? 2 * atan2f(pl_length3(own - there), pl_length3(own + there)) : 0;
        a->inner[v] = pl_dot3(pl_load(&cloth->rest_normals[v]), inner);
        a->vertices[a->count++] = v;
    }
}

/* Means over rings: less noise, the same field (the paper looks for the least angle in wider rings). */
static void smooth_angles(const pleat_cloth *cloth, uint32_t rings, pl_crease_angles *a)
{
    const pleat_topology *t = cloth->topology;
    for (uint32_t sweep = 0; sweep < rings; ++sweep)
    {
        for (uint32_t i = 0; i < a->count; ++i)
        {
            uint32_t v = a->vertices[i];
            float sum = a->angle[v], weight = 1;
            for (uint32_t k = t->ring_start[v]; k < t->ring_start[v + 1]; ++k)
            {
                uint32_t c = t->ring_corner[k];
                sum += a->angle[t->triangles[c % 3 == 2 ? c - 2 : c + 1]];
                weight += 1;
            }
            a->other[v] = sum / weight;
        }
        for (uint32_t i = 0; i < a->count; ++i)
        {
            a->angle[a->vertices[i]] = a->other[a->vertices[i]];
        }
    }
}

void pl_crease_fill_angles(const pleat_cloth *cloth, const pl_crease_plan *plan, uint32_t index, pl_crease_angles *a)
{
    const pl_implicit_skeleton *s = &plan->bound.skeleton;
    const pl_implicit_bend *bend = &s->bends[index];
    const pl_crease_hinge *hinge = &plan->hinges[index];
    for (uint32_t i = 0; i < a->count; ++i)
    {
        a->angle[a->vertices[i]] = a->value[a->vertices[i]] = 0;
        a->inner[a->vertices[i]] = -1;
    }
    a->count = 0;
    pl_f4 turn = pl_quat_axis_angle(hinge->axis, hinge->angle), back = pl_quat_conjugate(turn);
    /* To the inner side: where the turn takes b. */
    pl_f4 inner_a = pl_normalize3(pl_cross(hinge->axis, bend->out_of_a));
    pl_f4 inner_b = pl_normalize3(pl_cross(hinge->axis, bend->into_b));
    fill_side(cloth, &s->bones[bend->a], &s->bones[bend->b], turn, bend->origin, inner_a, a);
    fill_side(cloth, &s->bones[bend->b], &s->bones[bend->a], back, bend->origin, inner_b, a);
    smooth_angles(cloth, plan->options.rings, a);
}

float pl_crease_start(const pleat_cloth *cloth, const pl_crease_plan *plan, uint32_t index, uint32_t vertex,
                      float value)
{
    const pl_implicit_skeleton *s = &plan->bound.skeleton;
    const pl_implicit_bend *bend = &s->bends[index];
    const pl_crease_hinge *hinge = &plan->hinges[index];
    bool of_a = s->home[vertex] == bend->a;
    const pl_implicit_bone *other = &s->bones[of_a ? bend->b : bend->a];
    pl_f4 from = pl_load(&cloth->rest[vertex]) - bend->origin;
    for (int i = 0; i < TURNS; ++i)
    {
        float turn = hinge->angle * (float)i / TURNS;
        pl_f4 back = pl_quat_axis_angle(hinge->axis, of_a ? -turn : turn);
        pleat_vec4 at = pl_to(bend->origin + pl_quat_rotate(back, from)), there;
        pl_hrbf_evaluate(&other->field, 1, &at, &there);
        if (compact(there.w, other->thickness) >= value)
        {
            return turn;
        }
    }
    return hinge->angle;
}

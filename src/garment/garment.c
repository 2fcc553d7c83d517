/* The guess which parts of a model are cloth. Three kinds of evidence: words in the names, what moves a part, and
 * whether it lies just outside another part. Words weigh most, since people name things; the rest decides for
 * "Mesh_07". */
#include "pleat/garment.h"

#include "garment/shape.h"
#include "garment/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum
{
    REASON_SIZE = 240,
    SHELL_SAMPLES = 256
};

typedef char reason_text[REASON_SIZE];

typedef struct guess_object
{
    pleat_garment_guess shown;
    pl_memory memory;
    pleat_part_guess *parts;
    reason_text *reasons;
} guess_object;

/* What the parts say, one entry each. */
typedef struct part_evidence
{
    pl_word_verdict verdict;
    uint32_t shell_of; /* node shape that it lies just outside of, or PLEAT_NONE */
    float shell_gap;   /* mean distance to it */
    float shell_share; /* of its vertices that do */
    bool covered;      /* another part lies just outside of its node */
} part_evidence;

static void add_reason(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_reason(char *reason, const char *format, ...)
{
    size_t length = strlen(reason);
    int joint = snprintf(reason + length, REASON_SIZE - length, "%s", length ? "; " : "");
    length += (size_t)joint < REASON_SIZE - length ? (size_t)joint : 0;
    va_list list;
    va_start(list, format);
    vsnprintf(reason + length, REASON_SIZE - length, format, list);
    va_end(list);
}

/* ---- Words ----------------------------------------------------------------------------------------------------- */

/* Several primitives in a mesh: the material tells them apart. A single one: materials are often shared by the whole
 * character, so the mesh's and the node's own names come first. */
static pl_word_verdict read_names(const pleat_model *model, const pl_part_shape *part, char *reason)
{
    const pleat_node *node = &model->nodes[part->node];
    const pleat_mesh *mesh = &model->meshes[node->mesh];
    uint32_t material = mesh->primitives[part->primitive].material;
    struct
    {
        const char *kind, *name;
    } names[3] = {{"mesh", mesh->name}, {"node", node->name}, {"material", ""}};
    if (material != PLEAT_NONE)
    {
        names[2].name = model->materials[material].name;
    }
    uint32_t first = mesh->primitive_count > 1 ? 2 : 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        uint32_t at = (first + i) % 3;
        char word[PL_WORD_SIZE];
        pl_word_verdict verdict = pl_garment_word(names[at].name, word);
        if (verdict != PL_WORD_NONE)
        {
            add_reason(reason, "the %s name %.60s says '%s'", names[at].kind, names[at].name, word);
            return verdict;
        }
    }
    return PL_WORD_NONE;
}

/* ---- Shells ---------------------------------------------------------------------------------------------------- */

/* How much of a part lies just outside a node: near it, on the side its triangles face. */
static void compare_shell(const pl_shapes *shapes, const pl_part_shape *part, uint32_t other, float reach,
                          part_evidence *evidence)
{
    const pleat_stack *stack = shapes->nodes[part->node_shape].stack;
    const pleat_stack_shape *shape = pleat_stack_get_shape(stack);
    const pleat_stack_shape *under_shape = pleat_stack_get_shape(shapes->nodes[other].stack);
    const pleat_vec4 *under = pleat_stack_positions(shapes->nodes[other].stack);
    uint32_t first = shape->first_vertex[part->primitive];
    uint32_t vertex_count = shape->first_vertex[part->primitive + 1] - first;
    uint32_t samples = vertex_count < SHELL_SAMPLES ? vertex_count : SHELL_SAMPLES;
    uint32_t outside = 0;
    double gap = 0;
    for (uint32_t i = 0; i < samples; ++i)
    {
        uint32_t v = first + (uint32_t)((uint64_t)i * vertex_count / samples);
        pleat_vec4 point = pleat_stack_positions(stack)[shape->render_vertex[v]];
        pleat_hit hit = pleat_bvh_nearest(shapes->nodes[other].bvh, point, reach);
        if (hit.triangle == PLEAT_NONE)
        {
            continue;
        }
        const uint32_t *corner = &under_shape->surface_triangles[3 * (size_t)hit.triangle];
        pl_f4 a = pl_load(&under[corner[0]]);
        pl_f4 normal = pl_cross(pl_load(&under[corner[1]]) - a, pl_load(&under[corner[2]]) - a);
        if (pl_dot3(normal, pl_from(point) - pl_from(hit.position)) > 0)
        {
            ++outside;
            gap += (double)hit.distance;
        }
    }
    float share = samples ? (float)outside / (float)samples : 0;
    if (share > evidence->shell_share)
    {
        evidence->shell_share = share;
        evidence->shell_of = other;
        evidence->shell_gap = (float)(gap / outside);
    }
}

static void find_shells(const pl_shapes *shapes, float height, part_evidence *all)
{
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        const pl_part_shape *part = &shapes->parts[p];
        if (!shapes->nodes[part->node_shape].bvh || !pl_part_bends(part))
        {
            continue;
        }
        for (uint32_t n = 0; n < shapes->node_count; ++n)
        {
            if (n != part->node_shape && shapes->nodes[n].bvh)
            {
                compare_shell(shapes, part, n, 0.03f * height, &all[p]);
            }
        }
        if (all[p].shell_share < 0.7f)
        {
            all[p].shell_of = PLEAT_NONE;
        }
    }
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        for (uint32_t q = 0; q < shapes->part_count && all[p].shell_of != PLEAT_NONE; ++q)
        {
            all[q].covered |= shapes->parts[q].node_shape == all[p].shell_of;
        }
    }
}

/* ---- Verdict --------------------------------------------------------------------------------------------------- */

/* The score of one part from all that is known. */
static float judge(const pleat_model *model, const pl_shapes *shapes, const pl_part_shape *part,
                   const part_evidence *evidence, char *reason)
{
    if (!pl_part_bends(part))
    {
        if (part->motion == PL_MOTION_ONE_JOINT)
        {
            add_reason(reason, "it follows the joint %.60s alone, so nothing bends it",
                       model->nodes[part->main_joint].name);
        }
        else
        {
            add_reason(reason, "it moves as one piece, so nothing bends it");
        }
        return evidence->verdict == PL_WORD_CLOTH ? 0.3f : 0.05f;
    }
    float score = evidence->verdict == PL_WORD_CLOTH ? 0.85f : evidence->verdict == PL_WORD_OTHER ? 0.1f : 0.35f;
    if (part->motion == PL_MOTION_POINTS)
    {
        add_reason(reason, "its points are animated, as simulated cloth is");
        score += 0.25f;
    }
    if (evidence->shell_of != PLEAT_NONE)
    {
        add_reason(reason, "%.0f %% of it lies just outside %.60s, %.1f mm away", 100 * (double)evidence->shell_share,
                   model->nodes[shapes->nodes[evidence->shell_of].node].name, 1e3 * (double)evidence->shell_gap);
        score += 0.3f;
    }
    else if (evidence->covered)
    {
        add_reason(reason, "another mesh lies just outside of it");
        score -= 0.15f;
    }
    if (part->measured && part->border_count >= 2)
    {
        add_reason(reason, "%u open borders", part->border_count);
        score += 0.05f;
    }
    else if (part->measured && part->border_count == 0)
    {
        add_reason(reason, "it has no open border");
        score -= 0.05f;
    }
    /* A word against cloth is not outvoted by geometry: hair and shoes lie just outside a body, too. */
    float high = evidence->verdict == PL_WORD_OTHER ? 0.4f : 1;
    return score < 0 ? 0 : score > high ? high : score;
}

/* Where nothing looks like cloth: the largest thing that bends, all of its node's parts that bend and are not named
 * otherwise, or the whole node if all are. */
static void choose_stand_in(const pl_shapes *shapes, const part_evidence *evidence, guess_object *guess)
{
    uint32_t largest = PLEAT_NONE;
    uint32_t bending_nodes = 0;
    double largest_area = -1;
    for (uint32_t n = 0; n < shapes->node_count; ++n)
    {
        double area = 0;
        bool bends = false;
        for (uint32_t p = 0; p < shapes->nodes[n].part_count; ++p)
        {
            const pl_part_shape *part = &shapes->parts[shapes->nodes[n].first_part + p];
            area += pl_part_bends(part) ? part->area : 0;
            bends |= pl_part_bends(part);
        }
        bending_nodes += bends;
        if (bends && area > largest_area)
        {
            largest = n;
            largest_area = area;
        }
    }
    if (largest == PLEAT_NONE)
    {
        return;
    }
    const pl_node_shape *node = &shapes->nodes[largest];
    bool some_unnamed = false;
    for (uint32_t p = node->first_part; p < node->first_part + node->part_count; ++p)
    {
        some_unnamed |= pl_part_bends(&shapes->parts[p]) && evidence[p].verdict != PL_WORD_OTHER;
    }
    for (uint32_t p = node->first_part; p < node->first_part + node->part_count; ++p)
    {
        if (pl_part_bends(&shapes->parts[p]) && (!some_unnamed || evidence[p].verdict != PL_WORD_OTHER))
        {
            guess->parts[p].garment = true;
            guess->parts[p].score = 0.5f;
            add_reason(guess->reasons[p], bending_nodes == 1
                                              ? "the only mesh that bends: cloth and skin may be one here"
                                              : "nothing looks like cloth, and this is the largest mesh that bends");
        }
    }
}

static void fill_boxes(const pl_shapes *shapes, guess_object *guess)
{
    pl_f4 low = pl_splat(0);
    pl_f4 high = pl_splat(0);
    bool any = false;
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        const pl_part_shape *part = &shapes->parts[p];
        if (!part->measured)
        {
            continue;
        }
        pl_store3(&guess->parts[p].low, part->low);
        pl_store3(&guess->parts[p].high, part->high);
        low = any ? pl_min(part->low, low) : part->low;
        high = any ? pl_max(part->high, high) : part->high;
        any = true;
    }
    pl_store3(&guess->shown.low, low);
    pl_store3(&guess->shown.high, high);
}

/* The longest side of the box around all that bends: scenery has no part in it. */
static float size_of_bending(const pl_shapes *shapes)
{
    pl_f4 low = pl_splat(INFINITY);
    pl_f4 high = pl_splat(-INFINITY);
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        const pl_part_shape *part = &shapes->parts[p];
        if (part->measured && pl_part_bends(part))
        {
            low = pl_min(low, part->low);
            high = pl_max(high, part->high);
        }
    }
    pl_f4 size = high - low;
    return fmaxf(fmaxf(size[0], size[1]), fmaxf(size[2], 0));
}

static void judge_all(const pleat_model *model, const pl_shapes *shapes, part_evidence *evidence, guess_object *guess)
{
    fill_boxes(shapes, guess);
    bool any = false;
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        evidence[p] = (part_evidence){.shell_of = PLEAT_NONE};
        evidence[p].verdict = read_names(model, &shapes->parts[p], guess->reasons[p]);
    }
    find_shells(shapes, size_of_bending(shapes), evidence);
    for (uint32_t p = 0; p < shapes->part_count; ++p)
    {
        const pl_part_shape *part = &shapes->parts[p];
        pleat_part_guess *out = &guess->parts[p];
        out->node = part->node;
        out->primitive = part->primitive;
        out->surface_count = part->surface_count;
        out->border_count = part->border_count;
        out->score = judge(model, shapes, part, &evidence[p], guess->reasons[p]);
        out->garment = out->score >= 0.5f;
        out->reason = guess->reasons[p];
        any |= out->garment;
    }
    if (!any)
    {
        choose_stand_in(shapes, evidence, guess);
    }
}

/* Marks the surface vertices of a part, or counts how many of them are marked. */
static uint32_t meet_surface(const pleat_stack_shape *shape, uint32_t primitive, uint8_t *marks, bool mark)
{
    uint32_t met = 0;
    for (uint32_t r = shape->first_vertex[primitive]; r < shape->first_vertex[primitive + 1]; ++r)
    {
        uint8_t *at = &marks[shape->render_vertex[r]];
        met += *at;
        *at |= mark;
    }
    return met;
}

/* A garment of several materials is one piece of cloth. A part of it that one joint moves nearly alone, such as the
 * upper half of a sleeve, has no folds of its own, but those of the next part go on over it. */
static pleat_result join_sewn(pl_memory *memory, const pl_shapes *shapes, const part_evidence *evidence,
                              guess_object *guess, pleat_error *error)
{
    for (uint32_t n = 0; n < shapes->node_count; ++n)
    {
        const pl_node_shape *node = &shapes->nodes[n];
        const pleat_stack_shape *shape = node->stack ? pleat_stack_get_shape(node->stack) : NULL;
        if (!shape || node->part_count < 2)
        {
            continue;
        }
        uint8_t *marks = PL_NEW(memory, uint8_t, shape->surface_count);
        if (!marks)
        {
            return pl_fail_memory(memory, error, "the garment guess");
        }
        memset(marks, 0, shape->surface_count);
        for (uint32_t p = node->first_part; p < node->first_part + node->part_count; ++p)
        {
            if (guess->parts[p].garment)
            {
                meet_surface(shape, shapes->parts[p].primitive, marks, true);
            }
        }
        for (uint32_t p = node->first_part; p < node->first_part + node->part_count; ++p)
        {
            bool may = !guess->parts[p].garment && shapes->parts[p].motion == PL_MOTION_ONE_JOINT &&
                       evidence[p].verdict != PL_WORD_OTHER;
            if (may && meet_surface(shape, shapes->parts[p].primitive, marks, false) >= 2)
            {
                guess->parts[p].garment = true;
                guess->parts[p].score = 0.5f;
                add_reason(guess->reasons[p], "but it goes on from a garment of the same mesh");
            }
        }
        pl_free(memory, marks);
    }
    return PLEAT_OK;
}

pleat_result pleat_garment_guess_create(const pleat_model *model, const pleat_host *host, pleat_garment_guess **guess,
                                        pleat_error *error)
{
    *guess = NULL;
    pleat_result result = PLEAT_OK;
    pl_shapes shapes = {0};
    part_evidence *evidence = NULL;
    guess_object *object = PL_CREATE(guess_object, host);
    if (!object)
    {
        return pl_fail(error, PLEAT_NO_MEMORY, "out of memory for the garment guess");
    }
    result = pl_shapes_create(model, host, &object->memory, &shapes, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    PL_NEW_OR_FAIL(object->parts, &object->memory, pleat_part_guess, shapes.part_count, error);
    PL_NEW_OR_FAIL(object->reasons, &object->memory, reason_text, shapes.part_count, error);
    PL_NEW_OR_FAIL(evidence, &object->memory, part_evidence, shapes.part_count, error);
    judge_all(model, &shapes, evidence, object);
    result = join_sewn(&object->memory, &shapes, evidence, object, error);
    if (result != PLEAT_OK)
    {
        goto fail;
    }
    if (!shapes.all_measured)
    {
        pl_log(host, PLEAT_WARNING,
               "the scene shows so many vertices that not all meshes were measured for the guess "
               "which are garments; names decide for the others");
    }
    object->shown.part_count = shapes.part_count;
    object->shown.parts = object->parts;
    *guess = &object->shown;
fail:
    pl_free(&object->memory, evidence);
    pl_shapes_free(&shapes);
    if (result != PLEAT_OK)
    {
        pleat_garment_guess_destroy(&object->shown);
    }
    return result;
}

void pleat_garment_guess_destroy(pleat_garment_guess *guess)
{
    if (!guess)
    {
        return;
    }
    guess_object *object = (guess_object *)guess;
    pl_free(&object->memory, object->parts);
    pl_free(&object->memory, object->reasons);
    PL_DESTROY(object);
}

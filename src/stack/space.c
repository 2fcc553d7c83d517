/* Between spaces: where the bind pose stands in the world, and the way from world positions back to bind space. */
#include "stack/stack.h"

#include "base/eigen.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* How far two matrices are apart, relative to the size of the first. */
static float difference(const pleat_affine *a, const pleat_affine *b)
{
    float most = 0, size = 0;
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            most = fmaxf(most, fabsf(a->row[r][c] - b->row[r][c]));
            size = fmaxf(size, fabsf(a->row[r][c]));
        }
    }
    return most / fmaxf(size, 1e-20f);
}

/* Matrix of joint j of a skin at a pose. */
static pleat_affine joint_matrix(const pleat_skin *skin, uint32_t joint, const pleat_affine *worlds)
{
    return pl_affine_mul(&worlds[skin->joints[joint]], &skin->inverse_binds[joint]);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

enum
{
    MAX_SAMPLES = 255 /* joints looked at for the median size */
};

/* Where the bind pose stands in the world, mirrored or not. */
static pleat_affine bind_place(const pleat_model *model, uint32_t node, const pleat_pose *rest)
{
    const pleat_affine *worlds = pleat_pose_worlds(rest);
    if (model->nodes[node].skin == PLEAT_NONE)
    {
        return worlds[node];
    }
    const pleat_skin *skin = &model->skins[model->nodes[node].skin];
    pleat_affine first = joint_matrix(skin, 0, worlds);
    float sizes[MAX_SAMPLES];
    uint32_t size_count = 0;
    bool same = true;
    for (uint32_t j = 0; j < skin->joint_count; ++j)
    {
        pleat_affine matrix = joint_matrix(skin, j, worlds);
        same = same && difference(&first, &matrix) < 1e-3f;
        float size = cbrtf(fabsf(pl_affine_determinant(&matrix)));
        if (size_count < MAX_SAMPLES && size > 0 && isfinite(size))
        {
            sizes[size_count++] = size;
        }
    }
    /* The nodes stand as they were bound: the bind pose has a place in the world. */
    if (same)
    {
        return first;
    }
    /* They stand in some other pose: only the size is known. */
    pleat_affine scale = pl_affine_identity();
    if (size_count)
    {
        qsort(sizes, size_count, sizeof *sizes, compare_floats);
        float size = sizes[size_count / 2];
        size = fabsf(size - 1) < 1e-3f ? 1 : size;
        scale.row[0][0] = scale.row[1][1] = scale.row[2][2] = size;
    }
    return scale;
}

/* Behind a mirror triangles turn the other way and their normals point inwards, so the rest shape stands before it. */
pleat_affine pl_stack_rest_transform(const pleat_model *model, uint32_t node, const pleat_pose *rest)
{
    pleat_affine place = bind_place(model, node, rest);
    for (int k = 0; k < 4 && pl_affine_determinant(&place) < 0; ++k)
    {
        place.row[0][k] = -place.row[0][k];
    }
    return place;
}

bool pleat_stack_joint_rest(const pleat_stack *stack, uint32_t node, pleat_vec4 *out)
{
    pleat_affine place = pl_affine_identity();
    if (stack->skin)
    {
        uint32_t joint = 0;
        while (joint < stack->skin->joint_count && stack->skin->joints[joint] != node)
        {
            ++joint;
        }
        if (joint == stack->skin->joint_count || !pl_affine_inverse(&stack->skin->inverse_binds[joint], &place))
        {
            return false;
        }
    }
    else if (node != stack->node)
    {
        return false;
    }
    *out = pl_to(pl_affine_point(&stack->to_rest, pl_set(place.row[0][3], place.row[1][3], place.row[2][3], 0)));
    return true;
}

/* Grows a box by the corners of a node's triangles: exporters leave vertices behind that no triangle uses. */
static void add_corners(const pleat_model *model, uint32_t node, const pleat_pose *rest, pl_f4 *low, pl_f4 *high)
{
    pleat_affine to_rest = bind_place(model, node, rest);
    const pleat_mesh *mesh = &model->meshes[model->nodes[node].mesh];
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *primitive = &mesh->primitives[p];
        for (size_t c = 0; c < 3 * (size_t)primitive->triangle_count; ++c)
        {
            pl_f4 at = pl_affine_point(&to_rest, pl_load3(&primitive->positions[primitive->triangles[c]]));
            *low = pl_min(*low, at);
            *high = pl_max(*high, at);
        }
    }
}

float pleat_model_height(const pleat_model *model, const pleat_pose *rest)
{
    for (int all = 0; all < 2; ++all)
    {
        pl_f4 low = pl_splat(INFINITY), high = pl_splat(-INFINITY);
        for (uint32_t i = 0; i < model->scene_node_count; ++i)
        {
            const pleat_node *node = &model->nodes[model->scene_nodes[i]];
            if (node->mesh != PLEAT_NONE && (all || node->skin != PLEAT_NONE))
            {
                add_corners(model, model->scene_nodes[i], rest, &low, &high);
            }
        }
        pl_f4 size = high - low;
        float largest = fmaxf(size[0], fmaxf(size[1], size[2]));
        if (largest > 0)
        {
            return size[1] > 1e-6f * largest ? size[1] : largest; /* cloth that lies flat has no height */
        }
    }
    return 1;
}

/* The linear blend of a surface vertex. */
static pleat_affine blend(const pleat_stack *stack, uint32_t vertex)
{
    const pleat_affine *matrices = stack->joint_matrices;
    if (!stack->skin)
    {
        return matrices[stack->joint_count - 1];
    }
    pl_f4 rows[3] = {pl_splat(0), pl_splat(0), pl_splat(0)};
    for (uint32_t i = 0; i < stack->influence_count; ++i)
    {
        size_t at = (size_t)vertex * stack->influence_count + i;
        pl_f4 weight = pl_splat(stack->shape.weights[at]);
        for (int r = 0; r < 3; ++r)
        {
            rows[r] += weight * pl_affine_row(&matrices[stack->shape.joints[at]], r);
        }
    }
    pleat_affine out;
    memcpy(out.row, rows, sizeof out.row);
    return out;
}

/* The 3x3 part undone. A blend that flattens (lbs at a half turn) has no inverse; damping keeps the answer within a
 * hundred times the target there, and elsewhere costs about 1e-5 of it. Solves (A^T A + d I) x = A^T b in double;
 * returns |A x - b|. */
static float solve(const pleat_affine *matrix, pl_f4 target, float out[3])
{
    double a[3][3], n[3][3], b[3], size = 0;
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            a[r][c] = (double)matrix->row[r][c];
            size += a[r][c] * a[r][c];
        }
    }
    double damping = size * 3e-6;
    double inverse[3][3], determinant;
    for (int r = 0; r < 3; ++r)
    {
        b[r] = a[0][r] * (double)target[0] + a[1][r] * (double)target[1] + a[2][r] * (double)target[2];
        for (int c = 0; c < 3; ++c)
        {
            n[r][c] = a[0][r] * a[0][c] + a[1][r] * a[1][c] + a[2][r] * a[2][c] + (r == c ? damping : 0);
        }
    }
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
            inverse[r][c] = n[r1][c1] * n[r2][c2] - n[r1][c2] * n[r2][c1];
        }
    }
    determinant = n[0][0] * inverse[0][0] + n[0][1] * inverse[1][0] + n[0][2] * inverse[2][0];
    for (int r = 0; r < 3; ++r)
    {
        double x = (inverse[r][0] * b[0] + inverse[r][1] * b[1] + inverse[r][2] * b[2]) / determinant;
        out[r] = isfinite(x) ? (float)x : 0;
    }
    pl_f4 reached = pl_affine_vector(matrix, pl_set(out[0], out[1], out[2], 0));
    return pl_length3(reached - target);
}

float pleat_stack_bind_displacements(const pleat_stack *stack, pleat_vec3 *out)
{
    float left = 0;
    /* The difference is undone, not the position: where the stack is plain linear skinning it is exactly zero up to the
     * rounding of the blend, and the damping acts on the small part alone. */
    for (uint32_t v = 0; v < stack->shape.surface_count; ++v)
    {
        pleat_affine matrix = blend(stack, v);
        pl_f4 linear = pl_affine_point(&matrix, pl_load(&stack->morphed[v]));
        float x[3];
        left = fmaxf(left, solve(&matrix, pl_load(&stack->positions[v]) - linear, x));
        out[v] = (pleat_vec3){x[0], x[1], x[2]};
    }
    return left;
}

/* The largest singular value of the 3x3 part. */
static float matrix_stretch(const pleat_affine *matrix)
{
    double products[9], values[3], vectors[9], scratch[9];
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
        {
            products[3 * r + c] = (double)matrix->row[0][r] * (double)matrix->row[0][c] +
                                  (double)matrix->row[1][r] * (double)matrix->row[1][c] +
                                  (double)matrix->row[2][r] * (double)matrix->row[2][c];
        }
    }
    pl_eigen_symmetric(3, products, values, vectors, scratch);
    return (float)sqrt(fmax(values[0], 0));
}

float pleat_stack_stretch(const pleat_stack *stack)
{
    uint32_t node = stack->joint_count - 1;
    if (!stack->skin)
    {
        return matrix_stretch(&stack->joint_matrices[node]);
    }
    /* A blend stretches no more than the blend of its joints' stretches. */
    float *stretches = stack->skin_scratch;
    for (uint32_t j = 0; j < node; ++j)
    {
        stretches[j] = matrix_stretch(&stack->joint_matrices[j]);
    }
    float most = 0;
    for (uint32_t v = 0; v < stack->shape.surface_count; ++v)
    {
        float sum = 0;
        for (uint32_t i = 0; i < stack->influence_count; ++i)
        {
            size_t at = (size_t)v * stack->influence_count + i;
            sum += stack->shape.weights[at] * stretches[stack->shape.joints[at]];
        }
        most = fmaxf(most, sum);
    }
    return most;
}

void pleat_stack_bind_normals(const pleat_stack *stack, pleat_vec3 *out)
{
    /* A viewer takes a bind normal n to the inverse transpose of the blend times n: so n is the transpose times the
     * world normal. */
    for (uint32_t r = 0; r < stack->shape.vertex_count; ++r)
    {
        pleat_affine m = blend(stack, stack->shape.render_vertex[r]);
        pl_f4 world = pl_load(&stack->group_normals[stack->render_normal[r]]);
        pl_f4 sum = pl_affine_row(&m, 0) * pl_splat(world[0]) + pl_affine_row(&m, 1) * pl_splat(world[1]) +
                    pl_affine_row(&m, 2) * pl_splat(world[2]);
        pl_store3(&out[r], pl_normalize3(sum));
    }
}

void pleat_stack_base_normals(pleat_stack *stack, pleat_vec3 *out)
{
    pleat_normals_update(stack->normals, stack->shape.bind, stack->group_normals, NULL);
    for (uint32_t r = 0; r < stack->shape.vertex_count; ++r)
    {
        pl_store3(&out[r], pl_load(&stack->group_normals[stack->render_normal[r]]));
    }
}

void pleat_stack_input_target(pleat_stack *stack, uint32_t target, pleat_vec3 *out)
{
    /* The coarse and working frame buffers serve as scratch: the next update fills them anew. */
    pleat_vec4 *coarse = stack->coarse_positions;
    for (uint32_t p = 0; p < stack->mesh->primitive_count; ++p)
    {
        const pleat_target *targets = stack->mesh->primitives[p].targets;
        const pleat_vec3 *positions = targets ? targets[target].positions : NULL;
        for (uint32_t v = stack->vertex_start[p]; v < stack->vertex_start[p + 1]; ++v)
        {
            pl_store(&coarse[v], positions ? pl_load3(&positions[stack->vertex_row[v]]) : pl_splat(0));
        }
    }
    const pleat_vec4 *from = coarse;
    if (stack->refinement)
    {
        pl_stack_refine(stack, coarse, stack->positions, NULL);
        from = stack->positions;
    }
    for (uint32_t v = 0; v < stack->shape.surface_count; ++v)
    {
        pl_store3(&out[v], pl_load(&from[v]));
    }
}

const pleat_model *pleat_stack_get_model(const pleat_stack *stack)
{
    return stack->model;
}

const pleat_mesh *pleat_stack_get_mesh(const pleat_stack *stack)
{
    return stack->mesh;
}

float pleat_stack_height(const pleat_stack *stack)
{
    return stack->cloth.height;
}

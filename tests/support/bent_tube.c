#include "support/bent_tube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.141592653589793

bent_tube_desc bent_tube_default(void)
{
    return (bent_tube_desc){.around = 120, .along = 180, .radius = 0.05, .length = 0.55, .blend = 0.072, .height = 1};
}

static void fill_points(const bent_tube_desc *d, pleat_vec3 *points, uint16_t *joints, float *weights)
{
    uint32_t v = 0;
    for (uint32_t row = 0; row <= d->along; ++row)
    {
        double z = d->length * ((double)row / d->along - 0.5), t = (z / d->blend + 1) / 2;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double weight = t * t * (3 - 2 * t), turn = d->rest * (weight - 0.5);
        for (uint32_t i = 0; i < d->around; ++i, ++v)
        {
            double a = 2 * PI * i / d->around, y = d->radius * d->height * cos(a);
            points[v] = (pleat_vec3){(float)(d->radius * sin(a)), (float)(y * cos(turn) + z * sin(turn)),
                                     (float)(z * cos(turn) - y * sin(turn))};
            joints[4 * v + 1] = 1;
            weights[4 * v] = (float)(1 - weight);
            weights[4 * v + 1] = 1 - weights[4 * v];
        }
    }
    for (uint32_t end = 0; end < 2; ++end, ++v)
    {
        double z = d->length * (end - 0.5), turn = d->rest * (end - 0.5);
        points[v] = (pleat_vec3){0, (float)(z * sin(turn)), (float)(z * cos(turn))};
        joints[4 * v + 1] = 1;
        weights[4 * v + end] = 1;
    }
}

static uint32_t fill_triangles(const bent_tube_desc *d, uint32_t *triangles)
{
    uint32_t count = 0, n = d->around, last = d->along * n;
    for (uint32_t row = 0; row < d->along; ++row)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            uint32_t a = row * n + i, b = row * n + (i + 1) % n;
            const uint32_t quad[6] = {a, a + n, b, b, a + n, b + n};
            memcpy(&triangles[3 * count], quad, sizeof quad);
            count += 2;
        }
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        const uint32_t caps[6] = {last + n, i, (i + 1) % n, last + n + 1, last + (i + 1) % n, last + i};
        memcpy(&triangles[3 * count], caps, sizeof caps);
        count += 2;
    }
    return count;
}

void bent_tube_make(const bent_tube_desc *d, bent_tube *tube)
{
    memset(tube, 0, sizeof *tube);
    uint32_t vertices = (d->along + 1) * d->around + 2, triangles = 2 * d->along * d->around + 2 * d->around;
    tube->around = d->around;
    tube->along = d->along;
    pleat_vec3 *points = tube->memory[0] = calloc(vertices, sizeof *points);
    uint16_t *joints = tube->memory[1] = calloc(vertices, 4 * sizeof *joints);
    float *weights = tube->memory[2] = calloc(vertices, 4 * sizeof *weights);
    uint32_t *corners = tube->memory[3] = calloc(triangles, 3 * sizeof *corners);
    fill_points(d, points, joints, weights);
    assert_int_equal(fill_triangles(d, corners), triangles);
    tube->primitive = (pleat_primitive){.vertex_count = vertices,
                                        .triangle_count = triangles,
                                        .triangles = corners,
                                        .positions = points,
                                        .influence_count = 4,
                                        .joints = joints,
                                        .weights = weights,
                                        .material = PLEAT_NONE};
    tube->mesh = (pleat_mesh){.name = "tube", .primitive_count = 1, .primitives = &tube->primitive};
    for (uint32_t n = 0; n < 3; ++n)
    {
        static const char *const names[] = {"body", "upper", "lower"};
        tube->nodes[n] = pleat_node_default();
        tube->nodes[n].name = names[n];
        tube->nodes[n].parent = n == 2 ? 1 : PLEAT_NONE;
        tube->node_order[n] = n;
    }
    tube->nodes[0].mesh = tube->nodes[0].skin = 0;
    for (uint32_t j = 0; j < 2; ++j)
    {
        tube->joints[j] = j + 1;
        tube->binds[j] = (pleat_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    }
    tube->skin = (pleat_skin){.name = "skin", .joint_count = 2, .joints = tube->joints, .inverse_binds = tube->binds};
    tube->times[1] = 180;
    /* About -x: +z turns to +y. Three keys would be needed for a half turn both ways; the shorter arc is this one. */
    tube->keys[3] = 1;
    tube->keys[4] = -sinf((float)(PI / 2 * 0.99999));
    tube->keys[7] = cosf((float)(PI / 2 * 0.99999));
    tube->channel = (pleat_channel){.node = 2,
                                    .path = PLEAT_ROTATION,
                                    .interpolation = PLEAT_LINEAR,
                                    .key_count = 2,
                                    .width = 4,
                                    .times = tube->times,
                                    .values = tube->keys};
    tube->clip = pleat_clip_default();
    tube->clip.name = "bend";
    tube->clip.end = 180;
    tube->clip.channel_count = 1;
    tube->clip.channels = &tube->channel;
    tube->model = (pleat_model){.node_count = 3,
                                .mesh_count = 1,
                                .skin_count = 1,
                                .clip_count = 1,
                                .nodes = tube->nodes,
                                .meshes = &tube->mesh,
                                .skins = &tube->skin,
                                .clips = &tube->clip,
                                .node_order = tube->node_order,
                                .scene_node_count = 3,
                                .scene_nodes = tube->node_order};
    pleat_error error = {0};
    if (pleat_model_validate(&tube->model, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
}

void bent_tube_free(bent_tube *tube)
{
    for (int i = 0; i < 4; ++i)
    {
        free(tube->memory[i]);
    }
}

pleat_stack *bent_tube_stack(const bent_tube *tube, pleat_skinning skinning, const pleat_layer_type *type,
                             const void *options)
{
    pleat_stack_desc desc = pleat_stack_desc_default();
    desc.refine = PLEAT_REFINE_LOOP;
    pleat_layer_desc layer = {type, options};
    pleat_stack *stack;
    pleat_error error = {0};
    desc.model = &tube->model;
    desc.node = 0;
    desc.skinning = skinning;
    desc.layer_count = type ? 1 : 0;
    desc.layers = &layer;
    if (pleat_stack_create(&desc, NULL, &stack, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return stack;
}

const pleat_vec4 *bent_tube_at(const bent_tube *tube, pleat_stack *stack, pleat_pose *pose, double degrees,
                               const pleat_tasks *tasks)
{
    pleat_pose_sample(pose, &tube->clip, (float)degrees);
    pleat_stack_input input = {.pose = pose, .time = (float)degrees, .tasks = tasks};
    pleat_stack_update(stack, &input);
    return pleat_stack_positions(stack);
}

double bent_tube_volume(uint32_t triangle_count, const uint32_t *triangles, const pleat_vec4 *positions)
{
    double sum = 0;
    for (uint32_t t = 0; t < triangle_count; ++t)
    {
        const pleat_vec4 *a = &positions[triangles[3 * t]], *b = &positions[triangles[3 * t + 1]],
                         *c = &positions[triangles[3 * t + 2]];
        double x = (double)a->y * (double)b->z - (double)a->z * (double)b->y;
        double y = (double)a->z * (double)b->x - (double)a->x * (double)b->z;
        double z = (double)a->x * (double)b->y - (double)a->y * (double)b->x;
        sum += x * (double)c->x + y * (double)c->y + z * (double)c->z;
    }
    return sum / 6;
}

double bent_tube_meridian(const bent_tube *tube, const pleat_vec4 *positions)
{
    double shortest = INFINITY;
    for (uint32_t i = 0; i < tube->around; ++i)
    {
        double length = 0;
        if (cos(2 * PI * i / tube->around) < cos(PI / 6))
        {
            continue;
        }
        for (uint32_t row = 0; row < tube->along; ++row)
        {
            const pleat_vec4 *p = &positions[row * tube->around + i], *q = &positions[(row + 1) * tube->around + i];
            double x = (double)(q->x - p->x), y = (double)(q->y - p->y), z = (double)(q->z - p->z);
            length += sqrt(x * x + y * y + z * z);
        }
        shortest = fmin(shortest, length);
    }
    return shortest;
}

/* The arm: a sleeve around two bones, the simplest thing that folds.
 *
 * The rings are exact: the vertices of a meridian share x and z bit for bit, and those of a ring share y. The ends are
 * open, as a sleeve's are. The texture seam lies along the outer meridian (render vertices doubled, one
 * surface once welded).
 *
 * The weight of the far bone is a smoothstep of y over twice arm_blend, centred on the joint. With the default of 8 cm
 * at a radius of 5 cm the bend is spread as over a real elbow; the inner side then shortens under lbs. */
#include "make/maker.h"

#define RADIUS 0.05
#define HALF_LENGTH 0.3

static pleat_result make_sleeve(pl_maker *maker, pleat_primitive *sleeve)
{
    uint32_t around = maker->options->arm_around;
    uint32_t along = maker->options->arm_along;
    double blend = (double)maker->options->arm_blend;
    uint32_t row = around + 1;
    uint32_t vertex_count = row * along;
    pleat_vec3 *positions;
    pleat_vec3 *normals;
    float *uvs;
    uint16_t *joints;
    float *weights;
    uint32_t *triangles;
    PL_MAKE_NEW(positions, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(normals, maker, keep, pleat_vec3, vertex_count);
    PL_MAKE_NEW(uvs, maker, keep, float, 2 * (size_t)vertex_count);
    PL_MAKE_NEW(joints, maker, keep, uint16_t, 4 * (size_t)vertex_count);
    PL_MAKE_NEW(weights, maker, keep, float, 4 * (size_t)vertex_count);
    PL_MAKE_NEW(triangles, maker, keep, uint32_t, 6 * (size_t)around * (along - 1));
    for (uint32_t j = 0; j < along; ++j)
    {
        double y = HALF_LENGTH * (2.0 * j / (along - 1) - 1);
        double far_weight = pl_smoothstep(-blend, blend, y);
        for (uint32_t i = 0; i < row; ++i)
        {
            /* Meridian 0 is the outer side of the bend: away from +X. */
            double angle = PL_PI + 2 * PL_PI * (i % around) / around;
            pl_v3 normal = v3(cos(angle), 0, -sin(angle));
            uint32_t v = j * row + i;
            positions[v] = v3_float(v3(RADIUS * normal.x, y, RADIUS * normal.z));
            normals[v] = v3_float(normal);
            uvs[2 * v] = (float)((double)i / around);
            uvs[2 * v + 1] = (float)(1 - (double)j / (along - 1));
            joints[4 * v + 1] = 1;
            weights[4 * v] = (float)(1 - far_weight);
            weights[4 * v + 1] = (float)far_weight;
        }
    }
    uint32_t *corner = triangles;
    for (uint32_t j = 0; j + 1 < along; ++j)
    {
        for (uint32_t i = 0; i < around; ++i)
        {
            uint32_t a = j * row + i;
            uint32_t quad[6] = {a, a + 1, a + row + 1, a, a + row + 1, a + row};
            memcpy(corner, quad, sizeof quad);
            corner += 6;
        }
    }
    *sleeve = (pleat_primitive){.vertex_count = vertex_count,
                                .triangle_count = 2 * around * (along - 1),
                                .triangles = triangles,
                                .positions = positions,
                                .normals = normals,
                                .uvs = uvs,
                                .influence_count = 4,
                                .joints = joints,
                                .weights = weights,
                                .material = 0};
    return PLEAT_OK;
}

/* The far bone turns by degrees and back, slow at both ends. */
static pleat_result make_clip(pl_maker *maker, const char *name, pl_v3 axis, double degrees, uint32_t frame_count)
{
    pleat_clip *clip;
    pleat_channel *channel;
    float *times;
    float *values;
    PL_TRY(pl_maker_clip(maker, name, frame_count, 1, &clip, &channel, &times));
    PL_TRY(pl_maker_channel(maker, channel, 1, PLEAT_ROTATION, 4, frame_count, times, &values));
    for (uint32_t f = 0; f < frame_count; ++f)
    {
        double part = 0.5 - 0.5 * cos(2 * PL_PI * f / (frame_count - 1));
        pl_q q = pl_q_axis(axis, pl_radians(degrees * part));
        float key[4] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
        memcpy(&values[4 * f], key, sizeof key);
    }
    return PLEAT_OK;
}

pleat_result pl_make_arm(pl_maker *maker)
{
    uint32_t near_bone = pl_maker_node(maker, "upper_arm", PLEAT_NONE, v3(0, -HALF_LENGTH, 0));
    pl_maker_node(maker, "forearm", near_bone, v3(0, HALF_LENGTH, 0));
    PL_TRY(pl_maker_skin(maker, "arm", near_bone, 2));
    uint32_t cloth = pl_maker_material(maker, "cloth", 0.16, 0.30, 0.52, 0.85);
    maker->materials[cloth].double_sided = true;
    pleat_primitive *sleeve;
    uint32_t node;
    PL_TRY(pl_maker_mesh(maker, "sleeve", PLEAT_NONE, 1, &sleeve, &node));
    maker->nodes[node].skin = 0;
    PL_TRY(make_sleeve(maker, sleeve));
    /* About -Z: +Y turns towards +X, and a viewer in front sees the bend from its side. */
    PL_TRY(make_clip(maker, "bend", v3(0, 0, -1), 150, 121));
    return make_clip(maker, "twist", v3(0, 1, 0), 120, 121);
}

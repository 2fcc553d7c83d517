/* Prints a hash of each kernel's results on data made from integers. Compiled for this machine and for WebAssembly with
 * SIMD, the output must be the same: a bake is the same bits everywhere. */
#include "base/vec.h"
#include "pleat/mesh.h"
#include "pleat/rig.h"
#include "pleat/strain.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    SIDE = 41,
    VERTICES = SIDE * SIDE,
    TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1),
    JOINTS = 13
};

static uint32_t seed = 1;

static float number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (float)(seed >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

/* Four numbers in a fixed order, which arguments of a call are not evaluated in. */
static pl_f4 numbers(void)
{
    pl_f4 out = pl_splat(0);
    for (int i = 0; i < 4; ++i)
    {
        out[i] = number();
    }
    return out;
}

static void print_hash(const char *name, const void *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    }
    printf("%s %016llx\n", name, (unsigned long long)hash);
}

static pleat_vec4 positions[VERTICES], normals[VERTICES], out[VERTICES], out_normals[VERTICES];
static uint32_t triangles[3 * TRIANGLES];
static uint16_t joints[8 * VERTICES];
static float weights[8 * VERTICES] PLEAT_ALIGNED(16);
static pleat_affine matrices[JOINTS];
static pleat_stretch stretches[TRIANGLES];

static void make_data(void)
{
    for (uint32_t v = 0; v < VERTICES; ++v)
    {
        float x = (float)(v % SIDE) / SIDE, y = (float)(v / SIDE) / SIDE;
        pl_store(&positions[v], pl_set(x, y, 0, 0) + numbers() * pl_set(0.003f, 0.003f, 0.05f, 0));
        pl_store(&normals[v], pl_normalize3(numbers() * pl_set(1, 1, 0, 0) + pl_set(0, 0, 1, 0)));
        float sum = 0;
        for (uint32_t i = 0; i < 8; ++i)
        {
            joints[8 * v + i] = (uint16_t)((v + i * i) % JOINTS);
            weights[8 * v + i] = 1.01f + number();
            sum += weights[8 * v + i];
        }
        for (uint32_t i = 0; i < 8; ++i)
        {
            weights[8 * v + i] /= sum;
        }
    }
    uint32_t c = 0;
    for (uint32_t q = 0; q < (SIDE - 1) * (SIDE - 1); ++q)
    {
        uint32_t a = q / (SIDE - 1) * SIDE + q % (SIDE - 1), b = a + 1, d = a + SIDE, e = d + 1;
        uint32_t quad[6] = {a, b, d, b, e, d};
        for (uint32_t k = 0; k < 6; ++k)
        {
            triangles[c++] = quad[k];
        }
    }
    for (uint32_t j = 0; j < JOINTS; ++j)
    {
        pleat_trs trs = pl_trs_identity();
        trs.rotation = pl_quat_to(pl_quat_normalize(numbers()));
        trs.translation = pl_to(numbers() * pl_set(1, 1, 1, 0));
        trs.scale = (pleat_vec4){1 + 0.2f * number(), 1, j % 5 ? 1 : -1, 0};
        matrices[j] = pl_affine_from_trs(&trs);
    }
}

static void hash_skinning(pleat_skinning method, const char *name)
{
    pleat_skin_job job = pleat_skin_job_default();
    void *scratch = aligned_alloc(32, (pleat_skin_scratch_size(JOINTS) + 31) / 32 * 32);
    job.method = method;
    job.vertex_count = VERTICES;
    job.influence_count = 8;
    job.joints = joints;
    job.weights = weights;
    job.joint_count = JOINTS;
    job.matrices = matrices;
    job.positions = positions;
    job.normals = normals;
    job.out_positions = out;
    job.out_normals = out_normals;
    job.scratch = scratch;
    if (pleat_skin_run(&job, NULL) != PLEAT_OK)
    {
        exit(1);
    }
    print_hash(name, out, sizeof out);
    print_hash("  normals", out_normals, sizeof out_normals);
    free(scratch);
}

static void hash_mesh(void)
{
    pleat_normals *computed = NULL;
    pleat_strain *strain = NULL;
    pleat_loop *loop = NULL;
    pleat_loop_desc desc = pleat_loop_desc_default();
    desc.vertex_count = VERTICES;
    desc.triangle_count = TRIANGLES;
    desc.triangles = triangles;
    desc.level = 2;
    if (pleat_normals_create(VERTICES, TRIANGLES, triangles, triangles, NULL, &computed, NULL) != PLEAT_OK ||
        pleat_strain_create(VERTICES, positions, TRIANGLES, triangles, NULL, &strain, NULL) != PLEAT_OK ||
        pleat_loop_create(&desc, NULL, &loop, NULL) != PLEAT_OK)
    {
        exit(1);
    }
    pleat_normals_update(computed, out, out_normals, NULL);
    print_hash("normals", out_normals, sizeof out_normals);
    pleat_strain_update(strain, out, stretches, NULL);
    print_hash("stretches", stretches, sizeof stretches);
    uint32_t count = pleat_loop_refined(loop)->vertex_count;
    pleat_vec4 *refined = aligned_alloc(16, count * sizeof *refined);
    pleat_loop_points(loop, PLEAT_LOOP_SURFACE, out, refined, NULL);
    print_hash("loop", refined, count * sizeof *refined);
    free(refined);
    pleat_loop_destroy(loop);
    pleat_strain_destroy(strain);
    pleat_normals_destroy(computed);
}

int main(void)
{
    make_data();
    hash_skinning(PLEAT_LBS, "lbs");
    hash_skinning(PLEAT_DQS, "dqs");
    hash_mesh();
    return 0;
}

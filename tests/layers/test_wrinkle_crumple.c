/* Where coarse cloth is crumpled: sheets are sound however they are bent and pushed together, cloth that goes through
 * itself is not, and between the two nothing jumps. */
#include "support/shapes.h"
#include "support/support.h"

#include "layers/wrinkles/shape/crumple.h"

#include <string.h>

enum
{
    SIDE = 12,                   /* squares */
    MIDDLE = 6 * (SIDE + 1) + 6, /* a vertex inside */
    COUNT = (SIDE + 1) * (SIDE + 1)
};

typedef struct sheet
{
    support_mesh mesh;
    pl_memory memory;
    pl_arena arena;
    pl_wrinkle_crumple crumple;
    pleat_vec4 now[COUNT];
} sheet;

/* rest: of the vertices, or NULL: the plane itself. */
static void open_sheet(sheet *s, const pleat_vec4 *rest)
{
    pleat_error error = {0};
    memset(s, 0, sizeof *s);
    s->mesh = support_plane(SIDE, 0);
    assert_int_equal(s->mesh.vertex_count, COUNT);
    s->memory = pl_memory_from(NULL);
    pl_arena_init(&s->arena, &s->memory);
    assert_int_equal(
        pl_wrinkle_crumple_make(&s->crumple, s->mesh.topology, rest ? rest : s->mesh.positions, &s->arena, &error),
        PLEAT_OK);
    memcpy(s->now, s->mesh.positions, sizeof s->now);
}

static void close_sheet(sheet *s)
{
    pl_arena_free(&s->arena);
    support_mesh_free(&s->mesh);
}

static void test_sheets_are_sound(void **state)
{
    (void)state;
    sheet s;
    open_sheet(&s, NULL);
    assert_false(pl_wrinkle_crumple_update(&s.crumple, s.now));
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        /* Rolled up, a turn every twelve squares, and pushed together to a third along the roll. */
        float x = s.mesh.positions[v].x, y = s.mesh.positions[v].y, turn = 6.2831853f * x / SIDE;
        s.now[v] = (pleat_vec4){sinf(turn) * SIDE / 6.2831853f, 0.34f * y, cosf(turn) * SIDE / 6.2831853f, 0};
    }
    assert_false(pl_wrinkle_crumple_update(&s.crumple, s.now));
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        assert_true(s.crumple.soundness[v] == 1);
    }
    close_sheet(&s);
}

/* The middle vertex goes over the next one and beyond. */
static void test_cloth_through_itself_is_crumpled(void **state)
{
    (void)state;
    sheet s;
    open_sheet(&s, NULL);
    s.now[MIDDLE].x += 1.5f;
    assert_true(pl_wrinkle_crumple_update(&s.crumple, s.now));
    assert_true(s.crumple.soundness[MIDDLE] == 0);
    assert_true(s.crumple.soundness[0] == 1);
    const float corner[3] = {0.5f, 0.5f, 0};
    for (uint32_t t = 0; t < s.mesh.triangle_count; ++t)
    {
        const uint32_t *v = &s.mesh.triangles[3 * (size_t)t];
        float mean = 0.5f * (s.crumple.soundness[v[0]] + s.crumple.soundness[v[1]]);
        assert_float_equal(pl_wrinkle_soundness(&s.crumple, t, corner), mean, 1e-6f);
    }
    close_sheet(&s);
}

/* A strip of the sheet is turned over and back. Its normals flip, and the faster the finer the steps: what stands along
 * them, as high as the cloth is sound, must not. */
static float largest_step(sheet *s, uint32_t steps)
{
    float most = 0;
    pl_f4 before = pl_splat(0);
    for (uint32_t i = 0; i <= steps; ++i)
    {
        float t = (float)i / (float)steps;
        memcpy(s->now, s->mesh.positions, sizeof s->now);
        for (uint32_t v = MIDDLE - 1; v <= MIDDLE + 1; ++v)
        {
            s->now[v].x += t * (2 * ((float)MIDDLE - (float)v) + 0.02f);
            s->now[v].y += 0.3f * t;
        }
        pl_wrinkle_crumple_update(&s->crumple, s->now);
        pl_f4 offset = s->crumple.normals[MIDDLE] * pl_splat(s->crumple.soundness[MIDDLE]);
        most = i > 0 ? fmaxf(most, pl_length3(offset - before)) : 0;
        before = offset;
    }
    return most;
}

static void test_soundness_is_continuous(void **state)
{
    (void)state;
    sheet s;
    open_sheet(&s, NULL);
    float coarse = largest_step(&s, 10), fine = largest_step(&s, 100);
    print_message("largest step %.3f, with ten times as many %.3f\n", (double)coarse, (double)fine);
    assert_true(coarse > 0.1f);
    assert_true(fine < 0.4f * coarse);
    close_sheet(&s);
}

/* A hem is folded at rest. It is no more crumpled where the cloth has not changed. */
static void test_a_hem_is_sound_as_at_rest(void **state)
{
    (void)state;
    sheet s;
    pleat_vec4 rest[COUNT];
    support_mesh plane = support_plane(SIDE, 0);
    memcpy(rest, plane.positions, sizeof rest);
    for (uint32_t v = 0; v < COUNT; ++v)
    {
        float over = rest[v].x - 9;
        rest[v].x = over > 0 ? 9 - over : rest[v].x;
        rest[v].z = over > 0 ? 0.05f : 0;
    }
    open_sheet(&s, rest);
    assert_false(pl_wrinkle_crumple_update(&s.crumple, rest));
    support_mesh_free(&plane);
    close_sheet(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheets_are_sound),
        cmocka_unit_test(test_cloth_through_itself_is_crumpled),
        cmocka_unit_test(test_soundness_is_continuous),
        cmocka_unit_test(test_a_hem_is_sound_as_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

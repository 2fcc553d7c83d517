/* The atlas, judged by drawing it: no texel may belong to two triangles, charts must keep their distance, and lengths
 * on the surface must come out within what the header promises. */
#include "support/support.h"

#include "base/vec.h"
#include "pleat/export/atlas.h"
#include "pleat/io.h"
#include "pleat/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pleat_atlas *make_atlas(const pleat_mesh *mesh, const pleat_atlas_options *options)
{
    pleat_atlas *atlas = NULL;
    pleat_error error = {0};
    if (pleat_atlas_create(mesh, options, NULL, &atlas, &error) != PLEAT_OK)
    {
        fail_msg("%s", error.message);
    }
    return atlas;
}

/* The chart of each vertex: the lowest vertex that triangles connect it with. */
static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v)
    {
        v = parent[v] = parent[parent[v]];
    }
    return v;
}

/* A vertex of all primitives, by where it is in the square and in space. */
typedef struct spot
{
    float at[5];
    uint32_t vertex;
} spot;

static int compare_spots(const void *a, const void *b)
{
    return memcmp(((const spot *)a)->at, ((const spot *)b)->at, sizeof((const spot *)a)->at);
}

/* Charts of all vertices of a mesh, primitives behind one another: connected by triangles, or the same spot. */
static uint32_t *find_charts(const pleat_mesh *mesh)
{
    uint32_t count = pleat_mesh_vertex_count(mesh), first = 0;
    uint32_t *parent = malloc((count + 1) * sizeof *parent);
    spot *spots = calloc(count + 1, sizeof *spots);
    for (uint32_t v = 0; v < count; ++v)
    {
        parent[v] = v;
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p)
    {
        const pleat_primitive *now = &mesh->primitives[p];
        for (uint32_t v = 0; v < now->vertex_count; ++v)
        {
            spots[first + v] = (spot){{now->uvs[2 * v] + 0.0f, now->uvs[2 * v + 1] + 0.0f, now->positions[v].x + 0.0f,
                                       now->positions[v].y + 0.0f, now->positions[v].z + 0.0f},
                                      first + v};
        }
        for (uint32_t c = 0; c < 3 * now->triangle_count; ++c)
        {
            uint32_t a = root_of(parent, first + now->triangles[c]);
            uint32_t b = root_of(parent, first + now->triangles[c - c % 3]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
        first += now->vertex_count;
    }
    qsort(spots, count, sizeof *spots, compare_spots);
    for (uint32_t i = 1; i < count; ++i)
    {
        if (compare_spots(&spots[i - 1], &spots[i]) == 0)
        {
            uint32_t a = root_of(parent, spots[i - 1].vertex), b = root_of(parent, spots[i].vertex);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    }
    free(spots);
    return parent;
}

typedef struct drawing
{
    uint32_t size;
    uint32_t *owner;   /* chart + 1, or 0 */
    uint32_t overlaps; /* texel centres well inside of two triangles */
    uint32_t covered;
} drawing;

static void draw(drawing *d, const float *a, const float *b, const float *c, uint32_t chart)
{
    float size = (float)d->size;
    float area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    uint32_t left = (uint32_t)(fminf(fminf(a[0], b[0]), c[0]) * size);
    uint32_t right = (uint32_t)(fmaxf(fmaxf(a[0], b[0]), c[0]) * size);
    uint32_t top = (uint32_t)(fminf(fminf(a[1], b[1]), c[1]) * size);
    uint32_t bottom = (uint32_t)(fmaxf(fmaxf(a[1], b[1]), c[1]) * size);
    for (uint32_t y = top; y <= bottom && y < d->size && area != 0; ++y)
    {
        for (uint32_t x = left; x <= right && x < d->size; ++x)
        {
            float u = ((float)x + 0.5f) / size, v = ((float)y + 0.5f) / size;
            float w1 = ((u - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (v - a[1])) / area;
            float w2 = ((b[0] - a[0]) * (v - a[1]) - (u - a[0]) * (b[1] - a[1])) / area;
            if (w1 > 1e-3f && w2 > 1e-3f && w1 + w2 < 1 - 1e-3f)
            {
                d->overlaps += d->owner[(size_t)y * d->size + x] != 0;
                d->covered += d->owner[(size_t)y * d->size + x] == 0;
                d->owner[(size_t)y * d->size + x] = chart + 1;
            }
        }
    }
}

/* The smallest distance of two charts, in texels, along rows and columns. */
static uint32_t smallest_gap(const drawing *d)
{
    uint32_t smallest = d->size;
    for (int way = 0; way < 2; ++way)
    {
        for (uint32_t row = 0; row < d->size; ++row)
        {
            uint32_t last = 0, at = 0;
            for (uint32_t x = 0; x < d->size; ++x)
            {
                uint32_t owner = d->owner[way ? (size_t)x * d->size + row : (size_t)row * d->size + x];
                if (owner && last && owner != last && x - at - 1 < smallest)
                {
                    smallest = x - at - 1;
                }
                last = owner ? owner : last;
                at = owner ? x : at;
            }
        }
    }
    return smallest;
}

/* The singular values of the map from a triangle to the square, in units of the scale. */
static void stretches(pl_f4 p0, pl_f4 p1, pl_f4 p2, const float *a, const float *b, const float *c, float out[2])
{
    pl_f4 x = pl_normalize3(p1 - p0), n = pl_normalize3(pl_cross(p1 - p0, p2 - p0)), y = pl_cross(n, x);
    double ex = (double)pl_dot3(p1 - p0, x), fx = (double)pl_dot3(p2 - p0, x), fy = (double)pl_dot3(p2 - p0, y);
    /* Columns of the Jacobian. */
    double j00 = (double)(b[0] - a[0]) / ex, j10 = (double)(b[1] - a[1]) / ex;
    double j01 = ((double)(c[0] - a[0]) - j00 * fx) / fy, j11 = ((double)(c[1] - a[1]) - j10 * fx) / fy;
    double trace = j00 * j00 + j10 * j10 + j01 * j01 + j11 * j11, determinant = j00 * j11 - j01 * j10;
    double root = sqrt(fmax(trace * trace - 4 * determinant * determinant, 0));
    out[0] = (float)sqrt(fmax((trace - root) / 2, 0));
    out[1] = (float)sqrt((trace + root) / 2);
}

/* Checks everything that the header promises; answers the report. */
static pleat_atlas_report check_atlas(const char *name, const pleat_mesh *mesh)
{
    pleat_atlas_options options = pleat_atlas_options_default();
    pleat_atlas *atlas = make_atlas(mesh, &options);
    const pleat_mesh *cut = pleat_atlas_mesh(atlas);
    pleat_atlas_report report = pleat_atlas_get_report(atlas);
    drawing d = {.size = options.size};
    d.owner = calloc((size_t)d.size * d.size, sizeof *d.owner);
    float least = INFINITY, most = 0, scale = report.scale / (float)options.size;
    uint32_t first = 0, *parent = find_charts(cut);
    for (uint32_t p = 0; p < cut->primitive_count; ++p)
    {
        const pleat_primitive *now = &cut->primitives[p], *old = &mesh->primitives[p];
        const uint32_t *source = pleat_atlas_source(atlas)[p];
        assert_true(now->vertex_count >= old->vertex_count);
        for (uint32_t v = 0; v < now->vertex_count; ++v)
        {
            assert_true(source[v] < old->vertex_count && (v >= old->vertex_count || source[v] == v));
            assert_memory_equal(&now->positions[v], &old->positions[source[v]], sizeof now->positions[v]);
            assert_true(now->uvs[2 * v] >= 0 && now->uvs[2 * v] <= 1);
            assert_true(now->uvs[2 * v + 1] >= 0 && now->uvs[2 * v + 1] <= 1);
        }
        for (uint32_t c = 0; c < 3 * now->triangle_count; ++c)
        {
            assert_int_equal(source[now->triangles[c]], old->triangles[c]);
        }
        for (uint32_t t = 0; t < now->triangle_count; ++t)
        {
            const uint32_t *corner = now->triangles + 3 * t;
            const float *a = now->uvs + 2 * corner[0], *b = now->uvs + 2 * corner[1], *c = now->uvs + 2 * corner[2];
            pl_f4 p0 = pl_load3(&now->positions[corner[0]]), p1 = pl_load3(&now->positions[corner[1]]);
            pl_f4 p2 = pl_load3(&now->positions[corner[2]]);
            float values[2];
            draw(&d, a, b, c, root_of(parent, first + corner[0]));
            if (pl_length3(pl_cross(p1 - p0, p2 - p0)) > 1e-4f * pl_dot3(p1 - p0, p1 - p0) + 1e-12f)
            {
                stretches(p0, p1, p2, a, b, c, values);
                /* What rounding of coordinates to floats may do to a triangle of this size. */
                float longest = hypotf(b[0] - a[0], b[1] - a[1]) + hypotf(c[0] - a[0], c[1] - a[1]);
                float slack = 3e-7f * longest / fabsf((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
                assert_true(values[0] / scale >= 0.499f - slack && values[1] / scale <= 1.001f + slack);
                least = fminf(least, values[0] / scale);
                most = fmaxf(most, values[1] / scale);
                /* As seen from outside, v downwards: not mirrored. */
                assert_true((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]) < 0);
            }
        }
        first += now->vertex_count;
    }
    free(parent);
    uint32_t gap = smallest_gap(&d);
    print_message(
        "%-10s %5u triangles, %3u charts, %2.0f %% covered, gap %u, lengths %.3f to %.3f, %.0f texels a unit\n", name,
        pleat_mesh_triangle_count(mesh), report.chart_count, (double)(100 * d.covered) / ((double)d.size * d.size), gap,
        (double)least, (double)most, (double)report.scale);
    assert_int_equal(d.overlaps, 0);
    assert_true(gap + 1 >= options.padding && report.padding >= options.padding);
    assert_true(fabsf(report.squeezed - least) < 0.01f);
    free(d.owner);
    pleat_atlas_destroy(atlas);
    return report;
}

static void test_atlas_defaults_are_valid_and_the_rest_is_refused(void **state)
{
    (void)state;
    pleat_made *made = NULL;
    pleat_make_options make = pleat_make_options_default();
    assert_int_equal(pleat_make("rectangle", &make, NULL, &made, NULL), PLEAT_OK);
    const pleat_mesh *mesh = &pleat_made_model(made)->meshes[0];
    pleat_atlas_options options = pleat_atlas_options_default();
    pleat_atlas_destroy(make_atlas(mesh, &options));
    pleat_atlas *atlas = NULL;
#define REFUSE(change, said)                                                                                           \
    do                                                                                                                 \
    {                                                                                                                  \
        pleat_error error = {0};                                                                                       \
        options = pleat_atlas_options_default();                                                                       \
        change;                                                                                                        \
        assert_int_equal(pleat_atlas_create(mesh, &options, NULL, &atlas, &error), PLEAT_BAD_ARGUMENT);                \
        assert_null(atlas);                                                                                            \
        assert_non_null(strstr(error.message, said));                                                                  \
    } while (0)
    REFUSE(options.size = 8, "size is 8");
    REFUSE(options.padding = 65, "padding is 65");
    REFUSE(options.angle = 70, "angle is 70");
    REFUSE(options.angle = NAN, "angle is");
    pleat_made_destroy(made);
}

static void test_atlas_of_built_in_characters(void **state)
{
    (void)state;
    static const char *const names[] = {"hand", "belly", "dancer", "rectangle", "arm", "skirt"};
    for (uint32_t i = 0; i < (support_is_long() ? 6 : 4); ++i)
    {
        pleat_made *made = NULL;
        pleat_make_options make = pleat_make_options_default();
        assert_int_equal(pleat_make(names[i], &make, NULL, &made, NULL), PLEAT_OK);
        const pleat_model *model = pleat_made_model(made);
        for (uint32_t m = 0; m < model->mesh_count; ++m)
        {
            pleat_atlas_report report = check_atlas(names[i], &model->meshes[m]);
            assert_true(report.covered > 0.4f);
            assert_true(strcmp(names[i], "rectangle") != 0 || report.chart_count == 1);
        }
        pleat_made_destroy(made);
    }
}

static void test_atlas_of_real_characters(void **state)
{
    (void)state;
    static const char *const names[] = {"mh_salsa_sportsuit/mh_salsa_sportsuit.glb", "quat_knight/KnightCharacter.glb",
                                        "khr_cesium_man/CesiumMan.glb"};
    SUPPORT_NEED(first, names[0]);
    (void)first;
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        pleat_asset *asset = NULL;
        pleat_load_options options = pleat_load_options_default();
        assert_int_equal(pleat_asset_load(support_data(names[i]), &options, NULL, &asset, NULL), PLEAT_OK);
        const pleat_model *model = pleat_asset_model(asset);
        for (uint32_t m = 0; m < model->mesh_count; ++m)
        {
            check_atlas(model->meshes[m].name, &model->meshes[m]);
        }
        pleat_asset_destroy(asset);
    }
}

/* A ramp that winds around its axis three times faces up everywhere, and lies on itself from above. */
static void test_atlas_cuts_what_would_lie_on_itself(void **state)
{
    (void)state;
    enum
    {
        STEPS = 90
    };
    pleat_vec3 positions[2 * (STEPS + 1)];
    uint32_t triangles[6 * STEPS];
    for (uint32_t i = 0; i <= STEPS; ++i)
    {
        float turn = (float)i / STEPS * 3 * 6.2831853f;
        positions[2 * i] = (pleat_vec3){cosf(turn), 0.05f * turn, sinf(turn)};
        positions[2 * i + 1] = (pleat_vec3){2 * cosf(turn), 0.05f * turn, 2 * sinf(turn)};
    }
    for (uint32_t i = 0; i < STEPS; ++i)
    {
        uint32_t quad[] = {2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 1, 2 * i + 2, 2 * i + 3};
        memcpy(triangles + 6 * i, quad, sizeof quad);
    }
    pleat_primitive primitive = {.vertex_count = 2 * (STEPS + 1),
                                 .triangle_count = 2 * STEPS,
                                 .triangles = triangles,
                                 .positions = positions,
                                 .material = PLEAT_NONE};
    pleat_mesh mesh = {.name = "ramp", .primitive_count = 1, .primitives = &primitive};
    pleat_atlas_report report = check_atlas("ramp", &mesh);
    assert_in_range(report.chart_count, 3, 6);
}

static pleat_result create_atlas(void *user, const pleat_host *host, pleat_error *error)
{
    pleat_atlas_options options = pleat_atlas_options_default();
    pleat_atlas *atlas = NULL;
    pleat_result result = pleat_atlas_create(user, &options, host, &atlas, error);
    assert_true((result == PLEAT_OK) == (atlas != NULL));
    pleat_atlas_destroy(atlas);
    return result;
}

static void test_atlas_survives_failing_allocations(void **state)
{
    (void)state;
    pleat_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    pleat_primitive primitive = {
        .vertex_count = 4, .triangle_count = 4, .triangles = triangles, .positions = positions, .material = PLEAT_NONE};
    pleat_mesh mesh = {.name = "corner", .primitive_count = 1, .primitives = &primitive};
    check_atlas("corner", &mesh);
    support_sweep_allocations(create_atlas, &mesh);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atlas_defaults_are_valid_and_the_rest_is_refused),
        cmocka_unit_test(test_atlas_of_built_in_characters),
        cmocka_unit_test(test_atlas_of_real_characters),
        cmocka_unit_test(test_atlas_cuts_what_would_lie_on_itself),
        cmocka_unit_test(test_atlas_survives_failing_allocations),
    };
    static const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(test_atlas_of_built_in_characters),
    };
    return SUPPORT_RUN(argc, argv, tests, long_tests);
}

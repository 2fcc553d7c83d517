/* Textures of base colours: what a document says of them, and pictures of one colour as another program wrote them. */
#include "support/glb.h"
#include "support/support.h"

#include "pleat/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 8 x 8 pixels of (200, 40, 20), by ImageMagick. */
static const char jpeg[] =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQ"
    "ERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU"
    "FBQUFBQUFBQUFBQUFBT/wAARCAAIAAgDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAA"
    "AAAAAAD/xAAVAQEBAAAAAAAAAAAAAAAAAAAHCP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AA8OLbf/2Q==";

static const char document[] =
    "{\"asset\":{\"version\":\"2.0\"},"
    "\"materials\":[{\"alphaMode\":\"MASK\",\"alphaCutoff\":0.25,\"pbrMetallicRoughness\":"
    "{\"baseColorTexture\":{\"index\":0%s}}}],"
    "\"textures\":[{\"source\":%s,\"sampler\":0}],\"samplers\":[{\"wrapS\":33071,\"magFilter\":9728}],"
    "\"images\":[{\"uri\":\"%s%.*s\"}]}";

static pleat_asset *parse(const char *more, const char *source, const char *uri, int digits)
{
    static char text[4096];
    snprintf(text, sizeof text, document, more, source, uri, digits, jpeg);
    return support_parse(text, NULL);
}

static const char data_uri[] = "data:image/jpeg;base64,";

static void test_texture_is_read_with_its_sampler(void **state)
{
    (void)state;
    pleat_asset *asset = parse("", "0", data_uri, (int)strlen(jpeg));
    pleat_texture texture;
    pleat_error error = {0};
    assert_int_equal(pleat_asset_base_texture(asset, 0, &texture, &error), PLEAT_OK);
    assert_int_equal(texture.image.width, 8);
    assert_int_equal(texture.image.height, 8);
    static const int color[4] = {200, 40, 20, 255};
    for (int i = 0; i < 8 * 8 * 4; ++i)
    {
        assert_in_range(texture.image.pixels[i] + 4 - color[i % 4], 0, 8);
    }
    assert_int_equal(texture.wrap_u, PLEAT_WRAP_CLAMP);
    assert_int_equal(texture.wrap_v, PLEAT_WRAP_REPEAT);
    assert_true(texture.nearest);
    assert_int_equal(pleat_asset_model(asset)->materials[0].alpha, PLEAT_ALPHA_MASK);
    assert_true(pleat_asset_model(asset)->materials[0].alpha_cutoff == 0.25f);
    pleat_image_free(NULL, &texture.image);
    pleat_asset_destroy(asset);
}

/* A quarter turn takes the corner (1, 0) to (0, -1), where v grows downwards: counterclockwise for the eye. */
static void test_texture_transform_scales_turns_and_moves(void **state)
{
    (void)state;
    pleat_asset *asset = parse(",\"extensions\":{\"KHR_texture_transform\":{\"offset\":[0.25,0.5],\"scale\":[2,3],"
                               "\"rotation\":1.57079632679}}",
                               "0", data_uri, (int)strlen(jpeg));
    pleat_texture texture;
    pleat_error error = {0};
    assert_int_equal(pleat_asset_base_texture(asset, 0, &texture, &error), PLEAT_OK);
    static const float expected[6] = {0, 3, 0.25f, -2, 0, 0.5f};
    for (int i = 0; i < 6; ++i)
    {
        assert_true(fabsf(texture.transform[i] - expected[i]) < 1e-5f);
    }
    pleat_image_free(NULL, &texture.image);
    pleat_asset_destroy(asset);
}

/* What cannot be shown leaves the material without a picture, and the asset whole. */
static void test_texture_that_cannot_be_shown_is_none(void **state)
{
    (void)state;
    const struct
    {
        const char *more, *source, *uri;
        int digits;
    } cases[] = {
        {"", "0", data_uri, 40},                                 /* cut within the header */
        {"", "0", "data:image/webp;base64,UklGRgAAAABXRUJQ", 0}, /* a kind that is not read */
        {"", "0", "nowhere.png", 0},                             /* in memory there are no other files */
        {"", "7", data_uri, (int)strlen(jpeg)},                  /* no such image */
        {",\"texCoord\":1", "0", data_uri, (int)strlen(jpeg)},   /* a second set of coordinates */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        pleat_asset *asset = parse(cases[i].more, cases[i].source, cases[i].uri, cases[i].digits);
        pleat_texture texture;
        pleat_error error = {0};
        assert_int_equal(pleat_asset_base_texture(asset, 0, &texture, &error), PLEAT_OK);
        assert_null(texture.image.pixels);
        assert_int_equal(pleat_asset_base_texture(asset, 9, &texture, &error), PLEAT_OK);
        assert_null(texture.image.pixels);
        pleat_asset_destroy(asset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texture_is_read_with_its_sampler),
        cmocka_unit_test(test_texture_transform_scales_turns_and_moves),
        cmocka_unit_test(test_texture_that_cannot_be_shown_is_none),
    };
    return cmocka_run_group_tests_name("texture", tests, NULL, NULL);
}

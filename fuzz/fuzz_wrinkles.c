/* Wrinkle files from hostile bytes: what was read fits its surface, and comes out the same when written and read again.
 */
#include "fuzz.h"

#include "pleat/layers/wrinkles.h"

static void same(const pleat_wrinkle_set *a, const pleat_wrinkle_set *b, const pleat_error *error)
{
    uint32_t wrinkles = a->first_wrinkle[a->frame_count];
    fuzz_must(a->frame_count == b->frame_count && a->start == b->start && a->step == b->step &&
                  memcmp(a->first_wrinkle, b->first_wrinkle, (a->frame_count + 1) * sizeof(uint32_t)) == 0,
              "frames differ", error);
    for (uint32_t w = 0; w < wrinkles; ++w)
    {
        const pleat_wrinkle *x = &a->wrinkles[w], *y = &b->wrinkles[w];
        fuzz_must(memcmp(x, y, sizeof *x) == 0, "wrinkles differ", error);
        for (uint32_t i = 0; i < x->point_count; ++i)
        {
            const pleat_wrinkle_point *p = &a->points[x->first_point + i], *q = &b->points[y->first_point + i];
            fuzz_must(p->place.triangle == q->place.triangle && p->width == q->width && p->depth == q->depth &&
                          p->strength == q->strength &&
                          memcmp(p->place.barycentric, q->place.barycentric, 3 * sizeof(float)) == 0,
                      "points differ", error);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pleat_host host = fuzz_host();
    pleat_wrinkle_file *file, *again;
    pleat_error error = {0};
    pleat_result result = pleat_wrinkle_file_parse(data, size, "fuzz", &host, &file, &error);
    if (result != PLEAT_OK)
    {
        fuzz_failed(result, &error);
        return 0;
    }
    const pleat_wrinkle_list *list = pleat_wrinkle_file_list(file);
    const char *path = fuzz_path(".wrinkles");
    fuzz_must(pleat_wrinkle_file_write(path, list, NULL, NULL, &error) == PLEAT_OK, "write", &error);
    fuzz_must(pleat_wrinkle_file_read(path, &host, &again, &error) == PLEAT_OK, "read again", &error);
    fuzz_must(pleat_wrinkle_file_list(again)->surface_count == list->surface_count, "surfaces", &error);
    for (uint32_t s = 0; s < list->surface_count; ++s)
    {
        same(&list->surfaces[s].set, &pleat_wrinkle_file_list(again)->surfaces[s].set, &error);
    }
    pleat_wrinkle_file_destroy(again);
    pleat_wrinkle_file_destroy(file);
    unlink(path);
    return 0;
}

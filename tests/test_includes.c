/* The include directions of docs/architecture.md, read off the source files themselves: what a folder may know, and
 * that the core stays free of files, threads and libraries. */
#define _GNU_SOURCE /* nftw */
#include "support/support.h"

#include "pleat/layer.h"

#include <ftw.h>
#include <string.h>

#define CORE "base mesh rig look layers stack garment export measure"

/* What the files of a folder of src/, and of those below it, may include of other folders' headers. */
static const struct
{
    const char *folder, *knows;
} directions[] = {
    {"base", "base"},
    {"mesh", "base mesh"},
    {"rig", "base mesh rig"},
    {"look", "base look"},
    {"layers", "base mesh rig look layers"},
    {"stack", "base mesh rig look layers stack"},
    {"garment", "base mesh rig layers stack garment"},
    {"measure", "base mesh rig layers stack measure"},
    {"export", "base mesh rig layers stack garment export"},
    {"io", CORE " io"},
    {"job", CORE " io job"},
    {"make", CORE " make"},
    {"draw", "base draw"},
    {"gpu", CORE " draw gpu"},
};

/* The folder of src/ behind each public header in include/pleat itself. What lies in a folder there (layers, export,
 * io) has its name. */
static const struct
{
    const char *header, *folder;
} owners[] = {
    {"base.h", "base"},        {"parameter.h", "base"},  {"body.h", "layers"},        {"curves.h", "layers"},
    {"stack_look.h", "stack"}, {"mesh.h", "mesh"},       {"strain.h", "mesh"},        {"model.h", "rig"},
    {"rig.h", "rig"},          {"look.h", "look"},       {"layer.h", "layers"},       {"stack.h", "stack"},
    {"bake.h", "stack"},       {"garment.h", "garment"}, {"model_body.h", "garment"}, {"measure.h", "measure"},
    {"job.h", "job"},          {"io.h", "io"},           {"make.h", "make"},          {"draw.h", "draw"},
    {"plot.h", "draw"},        {"render.h", "gpu"},
};

/* System headers that the core may use: libc, libm, the compiler's intrinsics. The pool of threads is the one
 * exception. */
static const char *const core_headers[] = {
    "assert.h", "float.h", "limits.h", "math.h",   "stdarg.h",   "stdatomic.h", "stdbool.h",   "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h", "inttypes.h", "emmintrin.h", "immintrin.h",
};
static const char *const pool_headers[] = {"pthread.h", "unistd.h", "sched.h"};
static const char *const file_words[] = {"fopen(", "open(", "popen(", "system(", "remove(", "FILE *"};

static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list; (at = strstr(at, word)); ++at)
    {
        bool begins = at == list || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == 0))
        {
            return true;
        }
    }
    return false;
}

/* The folder behind the public header pleat/NAME. */
static const char *owner_of(const char *header, size_t length)
{
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; ++i)
    {
        if (strlen(owners[i].header) == length && strncmp(owners[i].header, header, length) == 0)
        {
            return owners[i].folder;
        }
    }
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; ++i)
    {
        size_t folder = strlen(directions[i].folder);
        if (folder < length && header[folder] == '/' && strncmp(directions[i].folder, header, folder) == 0)
        {
            return directions[i].folder;
        }
    }
    fail_msg("no folder of src/ stands behind pleat/%.*s: name it in the list of owners", (int)length, header);
    return NULL;
}

/* One "..." include of a file in a folder. */
static void check_own(const char *file, const char *knows, const char *name, size_t length)
{
    char folder[64];
    size_t slash = (size_t)((const char *)memchr(name, '/', length) - name);
    if (!memchr(name, '/', length))
    {
        fail_msg("%s includes \"%.*s\": write the folder, too", file, (int)length, name);
    }
    if (slash == 5 && strncmp(name, "pleat", 5) == 0)
    {
        snprintf(folder, sizeof folder, "%s", owner_of(name + 6, length - 6));
    }
    else
    {
        snprintf(folder, sizeof folder, "%.*s", (int)slash, name);
    }
    if (!has_word(knows, folder, strlen(folder)))
    {
        fail_msg("%s includes \"%.*s\", but may only know: %s", file, (int)length, name, knows);
    }
}

/* One <...> include of a core file. */
static void check_system(const char *file, const char *name, size_t length)
{
    bool is_pool = strcmp(file, "src/base/pool.c") == 0;
    bool known = false;
    for (size_t i = 0; i < sizeof core_headers / sizeof core_headers[0]; ++i)
    {
        known |= strlen(core_headers[i]) == length && strncmp(core_headers[i], name, length) == 0;
    }
    for (size_t i = 0; is_pool && i < sizeof pool_headers / sizeof pool_headers[0]; ++i)
    {
        known |= strlen(pool_headers[i]) == length && strncmp(pool_headers[i], name, length) == 0;
    }
    if (!known)
    {
        fail_msg("%s includes <%.*s>: the core uses libc and libm only, no files and no threads", file, (int)length,
                 name);
    }
}

static void check_line(const char *file, const char *folder, const char *knows, const char *line)
{
    bool core = has_word(CORE, folder, strlen(folder));
    const char *include = strstr(line, "#include");
    if (include)
    {
        const char *open = strpbrk(include, "\"<");
        size_t length = open ? strcspn(open + 1, "\">") : 0;
        if (open && *open == '"')
        {
            check_own(file, knows, open + 1, length);
        }
        else if (open && core)
        {
            check_system(file, open + 1, length);
        }
    }
    for (size_t i = 0; core && i < sizeof file_words / sizeof file_words[0]; ++i)
    {
        const char *at = strstr(line, file_words[i]);
        if (at && (at == line || strchr(" (!=\t", at[-1])) && !strstr(line, "/*") && !strstr(line, " * "))
        {
            fail_msg("%s: the core does no file access, but says: %s", file, line);
        }
    }
}

static const char *knows_of(const char *folder)
{
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; ++i)
    {
        if (strcmp(directions[i].folder, folder) == 0)
        {
            return directions[i].knows;
        }
    }
    fail_msg("test_includes does not know what src/%s may include: add it to its list", folder);
    return NULL;
}

static uint32_t checked;

/* A file below src/, which is not a link. */
static int check_file(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    const char *ending = strrchr(path, '.');
    if (kind != FTW_F || at->level < 2 || !ending || (strcmp(ending, ".c") != 0 && strcmp(ending, ".h") != 0))
    {
        return 0;
    }
    char folder[64], line[4096];
    const char *file = path + strlen(PLEAT_SOURCE_DIR) + 1;
    snprintf(folder, sizeof folder, "%.*s", (int)strcspn(file + 4, "/"), file + 4);
    const char *knows = knows_of(folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
    {
        line[strcspn(line, "\n")] = 0;
        check_line(file, folder, knows, line);
    }
    fclose(in);
    ++checked;
    return 0;
}

static void test_includes_go_one_way(void **state)
{
    (void)state;
    assert_int_equal(nftw(PLEAT_SOURCE_DIR "/src", check_file, 16, FTW_PHYS), 0);
    assert_true(checked > 20); /* it did read the sources */
}

/* ---- Layers by name ---- */

/* A layer's own folder, the table with a row for each, and a layer's version for the GPU, which has its name. */
static bool may_name(const char *file, const pleat_layer_type *type)
{
    char own[64];
    snprintf(own, sizeof own, "src/gpu/%s.", type->name);
    return strncmp(file, "src/layers/", strlen("src/layers/")) == 0 || strncmp(file, own, strlen(own)) == 0;
}

/* Other things that have the same name. */
static bool is_another(const char *file, const char *line)
{
    /* A measured volume, as a key of JSON. */
    return strcmp(file, "apps/pleat/measure_report.c") == 0 && strstr(line, "set_number(object, ");
}

static void check_names(const char *file, const char *line, const pleat_layer_type *type)
{
    char texts[4][64];
    snprintf(texts[0], sizeof texts[0], "pleat_%s_", type->name);
    snprintf(texts[1], sizeof texts[1], "\"%s\"", type->name);
    snprintf(texts[2], sizeof texts[2], "layers/%s.h", type->name);
    snprintf(texts[3], sizeof texts[3], "layers/%s/", type->name);
    for (int i = 0; i < 4; ++i)
    {
        bool include = i < 2 || strstr(line, "#include");
        if (include && strstr(line, texts[i]) && !may_name(file, type) && !is_another(file, line))
        {
            fail_msg("%s names the layer %s, which only its row in src/layers/registry.c may: %s", file, type->name,
                     line);
        }
    }
}

static int check_names_of_file(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    (void)at;
    const char *ending = strrchr(path, '.'), *file = path + strlen(PLEAT_SOURCE_DIR) + 1;
    if (kind != FTW_F || !ending || (strcmp(ending, ".c") != 0 && strcmp(ending, ".h") != 0))
    {
        return 0;
    }
    char line[4096];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
    {
        line[strcspn(line, "\n")] = 0;
        for (uint32_t i = 0; i < pleat_layer_count(); ++i)
        {
            check_names(file, line, pleat_layer_at(i));
        }
        for (uint32_t i = 0; i < pleat_skin_method_count(); ++i)
        {
            const pleat_layer_type *own = pleat_skin_method_at(i)->layer;
            if (own)
            {
                check_names(file, line, own);
            }
        }
    }
    fclose(in);
    ++checked;
    return 0;
}

static void test_includes_only_the_table_names_layers(void **state)
{
    (void)state;
    checked = 0;
    assert_int_equal(nftw(PLEAT_SOURCE_DIR "/src", check_names_of_file, 16, FTW_PHYS), 0);
    assert_int_equal(nftw(PLEAT_SOURCE_DIR "/apps", check_names_of_file, 16, FTW_PHYS), 0);
    assert_true(checked > 100);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_includes_go_one_way),
        cmocka_unit_test(test_includes_only_the_table_names_layers),
    };
    return cmocka_run_group_tests_name("includes", tests, NULL, NULL);
}

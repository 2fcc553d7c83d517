/* The include directions of docs/architecture.md, read off the source files themselves: what a folder may know, and
 * that the core stays free of files, threads and libraries. */
#include "support/support.h"

#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORE "base mesh rig strain field curve layer bake"

/* What the files of a folder may include, of other folders' headers. */
static const struct
{
    const char *folder, *knows;
} directions[] = {
    {"base", "base"},
    {"mesh", "base mesh"},
    {"rig", "base mesh rig"},
    {"strain", "base mesh strain"},
    {"field", "base mesh field"},
    {"curve", "base mesh curve"},
    {"layer", "base mesh rig strain field curve layer"},
    {"bake", CORE},
    {"io", "base mesh rig layer bake io"},
    {"make", CORE " make"},
    {"draw", "base draw"},
    {"gpu", CORE " draw gpu"},
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

static bool is_there(const char *pattern)
{
    glob_t found;
    bool there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
    globfree(&found);
    return there;
}

/* The folder behind the public header pleat/NAME.h: src/NAME, or the folder that holds NAME.c; behind NAMEs.h also one
 * that holds NAME_something.c. */
static const char *owner_of(const char *header, size_t length)
{
    char path[1024];
    int stem = (int)length - 2;
    for (int pass = 0; pass < 3; ++pass)
    {
        for (size_t i = 0; i < sizeof directions / sizeof directions[0]; ++i)
        {
            const char *folder = directions[i].folder;
            if (pass == 0 && (int)strlen(folder) == stem && strncmp(folder, header, (size_t)stem) == 0)
            {
                return folder;
            }
            snprintf(path, sizeof path, "%s/src/%s/%.*s.c", PLEAT_SOURCE_DIR, folder, stem, header);
            if (pass == 1 && access(path, R_OK) == 0)
            {
                return folder;
            }
            snprintf(path, sizeof path, "%s/src/%s/%.*s_*.c", PLEAT_SOURCE_DIR, folder, stem - 1, header);
            if (pass == 2 && header[stem - 1] == 's' && is_there(path))
            {
                return folder;
            }
        }
    }
    fail_msg("no folder of src/ stands behind pleat/%.*s: name it like a folder, or like a .c file in one", (int)length,
             header);
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

static void check_file(const char *folder, const char *knows, const char *name)
{
    char path[1024], file[600], line[4096];
    snprintf(file, sizeof file, "src/%s/%s", folder, name);
    snprintf(path, sizeof path, "%s/%s", PLEAT_SOURCE_DIR, file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
    {
        line[strcspn(line, "\n")] = 0;
        check_line(file, folder, knows, line);
    }
    fclose(in);
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

static uint32_t check_folder(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/src/%s", PLEAT_SOURCE_DIR, folder);
    DIR *listing = opendir(path);
    uint32_t count = 0;
    const char *knows = listing ? knows_of(folder) : NULL;
    for (struct dirent *entry; listing && (entry = readdir(listing));)
    {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && entry->d_name[0] != '.' && (strcmp(ending, ".c") == 0 || strcmp(ending, ".h") == 0))
        {
            check_file(folder, knows, entry->d_name);
            ++count;
        }
    }
    if (listing)
    {
        closedir(listing);
    }
    return count;
}

static void test_includes_go_one_way(void **state)
{
    (void)state;
    DIR *listing = opendir(PLEAT_SOURCE_DIR "/src");
    assert_non_null(listing);
    uint32_t count = 0;
    for (struct dirent *entry; (entry = readdir(listing));)
    {
        if (entry->d_name[0] != '.' && !strchr(entry->d_name, '.'))
        {
            count += check_folder(entry->d_name);
        }
    }
    closedir(listing);
    assert_true(count > 20); /* it did read the sources */
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_includes_go_one_way),
    };
    return cmocka_run_group_tests_name("includes", tests, NULL, NULL);
}

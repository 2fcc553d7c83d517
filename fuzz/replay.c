/* Runs a fuzz target over files, without libFuzzer: replay_NAME FILE... What fuzzing found stays a test this way, under
 * any compiler and sanitizer. "-" in the place of the files takes their names from the input, one a line. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* For targets with a mutator of their own. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    return size < max_size ? size : max_size;
}

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
    {
        perror(path);
        return 1;
    }
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1); /* no longer than the file: reading past its end shows */
    bool whole = size >= 0 && bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (!whole)
    {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(bytes);
        return 1;
    }
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
    return 0;
}

int main(int count, char **arguments)
{
    int failed = 0;
    if (count == 2 && strcmp(arguments[1], "-") == 0)
    {
        char line[4096];
        while (fgets(line, sizeof line, stdin))
        {
            line[strcspn(line, "\n")] = 0;
            failed |= replay(line);
        }
        return failed;
    }
    for (int i = 1; i < count; ++i)
    {
        failed |= replay(arguments[i]);
    }
    return failed || count < 2;
}

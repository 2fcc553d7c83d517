/* The checksum of the spool: 64 bits, not against people, against broken files and wrong guesses. */
#ifndef PL_JOB_BAKE_HASH_H
#define PL_JOB_BAKE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PL_SPOOL_HASH_START UINT64_C(0x9e3779b97f4a7c15)

/* FNV-1a over words of 8 bytes, with the upper half stirred back in; the size counts, too. */
static inline uint64_t pl_spool_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t length = size;
    for (; size > 0; size -= size < 8 ? size : 8, at += 8)
    {
        uint64_t word = 0;
        memcpy(&word, at, size < 8 ? size : 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
    }
    hash = (hash ^ length) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

#endif

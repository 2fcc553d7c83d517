/* Kernels in *_wide.c are compiled once per instruction set; PL_WIDE(name) gives each build its own symbol. A table of
 * function pointers picks one at first use by pl_has_avx2. No kernel may round differently by its width: one lane is
 * the definition (base/width.h), and tests compare all of them bit for bit. */
#ifndef PL_WIDE_H
#define PL_WIDE_H

#include <stdbool.h>

#define PL_WIDE_JOIN2(name, suffix) name##_##suffix
#define PL_WIDE_JOIN(name, suffix) PL_WIDE_JOIN2(name, suffix)
#define PL_WIDE(name) PL_WIDE_JOIN(name, PL_WIDE_SUFFIX)

/* True if this machine runs AVX2 code and this build holds some. */
bool pl_has_avx2(void);

#endif

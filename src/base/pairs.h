/* Lists of points as texts: "0,0 0.65,1 1,0". */
#ifndef PL_PAIRS_H
#define PL_PAIRS_H

#include "pleat/base.h"

/* Reads at most capacity pairs, whatever the program's locale. what and form stand in messages: "profile point" and
 * "x,height". */
pleat_result pl_pairs_parse(const char *text, const char *what, const char *form, uint32_t capacity, float *pairs,
                            uint32_t *count, pleat_error *error);

#endif

/* Every failure of the library passes through pl_fail. */
#ifndef PL_FAIL_H
#define PL_FAIL_H

#include "pleat/base.h"

/* Fills error (if not NULL) with the result and the formatted sentence, and returns the result. */
pleat_result pl_fail(pleat_error *error, pleat_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A warning or note to the host's log, if there is one. */
void pl_log(const pleat_host *host, pleat_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says how far long work is, and fails with PLEAT_CANCELLED where the host wants no more of it. host may be NULL. */
pleat_result pl_go_on(const pleat_host *host, const char *work, uint64_t done, uint64_t total, pleat_error *error);

/* Returns from the calling function when an expression fails. */
#define PL_TRY(expression)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        pleat_result pl_try_result = (expression);                                                                     \
        if (pl_try_result != PLEAT_OK)                                                                                 \
        {                                                                                                              \
            return pl_try_result;                                                                                      \
        }                                                                                                              \
    } while (0)

#endif

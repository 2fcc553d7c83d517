#include "base/length.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void pl_length_text(double metres, char out[PL_LENGTH_TEXT])
{
    bool large = fabs(metres) >= 1;
    snprintf(out, PL_LENGTH_TEXT, "%.3g %s", large ? metres : 1e3 * metres, large ? "m" : "mm");
}

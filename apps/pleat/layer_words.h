/* What a layer did in a bake, for people: the few figures that mean something without its page, with their units. All
 * of them are in --json. */
#ifndef APP_LAYER_WORDS_H
#define APP_LAYER_WORDS_H

#include "pleat/job.h"

/* A length for reading: in millimetres, from a metre on in metres. The text lasts for seven more calls. */
const char *length_text(double metres);
/* One line, indented; nothing where the layer has no figures. */
void print_layer(const pleat_report_layer *layer);

#endif

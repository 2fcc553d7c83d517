#include "pleat/layer.h"

extern const pleat_layer_type wave_layer;

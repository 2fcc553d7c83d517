/* Width and depth of wrinkles, from the length that the cloth lost around them. */
#include "layer/wrinkle_shape.h"

const char *pl_fabric_name(pl_fabric fabric)
{
    static const char *const names[PL_FABRIC_COUNT] = {"silk", "cotton", "leather"};
    return (uint32_t)fabric < PL_FABRIC_COUNT ? names[fabric] : "";
}

float pl_fabric_radius(pl_fabric fabric, float height)
{
    static const float parts[PL_FABRIC_COUNT] = {0.0024f, 0.005f, 0.01f};
    return (uint32_t)fabric < PL_FABRIC_COUNT ? parts[fabric] * height : 0;
}

pl_wrinkle_shape_desc pl_wrinkle_shape_desc_default(void)
{
    return (pl_wrinkle_shape_desc){.strength = 1};
}

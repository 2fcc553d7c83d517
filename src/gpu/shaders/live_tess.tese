/* Each new vertex goes along the smooth normal by the highest wrinkle; live_patch.frag does the rest. */
layout(triangles, equal_spacing, ccw) in;

uniform mat4 view;

in vec3 corner_place[], corner_normal[];
patch in uvec2 wrinkle_list;
flat out uvec2 patch_list;
out vec3 place, normal;

void main()
{
    vec3 at = gl_TessCoord;
    place = corner_place[0] * at.x + corner_place[1] * at.y + corner_place[2] * at.z;
    normal = corner_normal[0] * at.x + corner_normal[1] * at.y + corner_normal[2] * at.z;
    float highest = 0.0;
    for (uint i = wrinkle_list.x; i < wrinkle_list.x + wrinkle_list.y; ++i)
    {
        vec3 slope;
        float height = wrinkle(i, place, slope);
        highest = abs(height) > abs(highest) ? height : highest;
    }
    patch_list = wrinkle_list;
    gl_Position = view * vec4(place + normalize(normal) * highest, 1.0);
}

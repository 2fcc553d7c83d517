#version 410 core
// Put in front of every shader. Shading happens in the view basis: x right, y up, z away from the eye, metres.

layout(std140) uniform frame_block
{
    mat4 clip_from_world;
    mat4 shadow_from_world; // to 0..1 in x, y and depth
    mat4 floor_from_world;  // the same for the map from below
    mat4 shadow_from_view;
    mat4 floor_from_view;
    vec4 view_right;   // world; w: right.eye
    vec4 view_up;      // world; w: up.eye
    vec4 view_forward; // world; w: forward.eye
    vec4 lens;         // tangents of half the field in x and y, near, far
    vec4 size;         // pixels, and 1 / pixels
    vec4 light_toward[3]; // view basis: key, fill, rim
    vec4 light_color[3];  // w: how far the light bleeds past the terminator
    vec4 up;           // view basis; w: the eye's height above the ground
    vec4 sky_light;    // w: exposure
    vec4 floor_light;  // w: depth of the shadow on the ground, below 0 without a ground
    vec4 hollow;       // occlusion strength, reach as a share of the height, cavity strength, reach
    vec4 shadow;       // depth range in metres, width in metres, tangent of half the light's size, 1 / texels
    vec4 shadow_axis_x; // view basis: a metre along these moves 1 / width in the map
    vec4 shadow_axis_y;
    vec4 floor_map;    // height range in metres, width in metres, 1 / texels, scene radius
    vec4 background_top; // sRGB
    vec4 background_bottom;
    vec4 taps; // blocker, shadow, horizon steps, curvature
    vec4 counts; // lights, rows of the blur
};

// From the eye through a pixel; z is 1, so that times depth gives the place in the view basis.
vec3 ray_through(vec2 pixel)
{
    return vec3((pixel * size.zw * 2.0 - 1.0) * lens.xy, 1.0);
}

float linear_depth(float depth)
{
    return lens.z * lens.w / (lens.w - depth * (lens.w - lens.z));
}

// Octahedral unit vectors (Cigolle et al. 2014).
vec2 pack_direction(vec3 n)
{
    vec2 p = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
    if (n.z < 0.0)
    {
        p = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    }
    return p * 0.5 + 0.5;
}

vec3 unpack_direction(vec2 code)
{
    vec2 p = code * 2.0 - 1.0;
    vec3 n = vec3(p, 1.0 - abs(p.x) - abs(p.y));
    if (n.z < 0.0)
    {
        n.xy = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
    }
    return normalize(n);
}

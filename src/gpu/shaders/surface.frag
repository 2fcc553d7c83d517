in vec3 surface_normal;
in vec3 surface_place;
in vec4 surface_color;
in float surface_stretch;
in vec2 surface_uv;

uniform vec4 base;     // colour, roughness
uniform ivec4 traits;  // kind 1..3, double sided, flat, coloured by stretch
uniform vec2 stretch_to_map; // factor and offset into the colour map
uniform sampler2D stretch_map;

layout(location = 0) out vec4 out_base;
layout(location = 1) out vec2 out_normal;

void main()
{
    vec4 paint_here = painted(surface_uv) * surface_color;
    if (!is_there(paint_here.a * alpha.x))
    {
        discard;
    }
    vec3 n = surface_normal;
    if (traits.z != 0)
    {
        n = cross(dFdy(surface_place), dFdx(surface_place)); // towards the eye in this left-handed basis
    }
    else if (traits.y != 0 && !gl_FrontFacing)
    {
        n = -n;
    }
    float squared = dot(n, n);
    n = squared > 0.0 ? n * inversesqrt(squared) : vec3(0.0, 0.0, -1.0);
    vec3 color = base.rgb * paint_here.rgb;
    if (traits.w != 0)
    {
        color = texture(stretch_map, vec2(surface_stretch * stretch_to_map.x + stretch_to_map.y, 0.5)).rgb;
    }
    // Square roots spend the 8 bits where the eye sees steps; kind and roughness share one byte.
    out_base = vec4(sqrt(clamp(color, 0.0, 1.0)), (float(traits.x * 64) + floor(base.a * 63.0 + 0.5)) / 255.0);
    out_normal = pack_direction(n);
}

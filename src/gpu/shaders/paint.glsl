// Pictures on meshes, and what alpha means: put in front of every fragment shader.

// How much of a place is there by its alpha: a mask has it or not, what blends covers a share of the samples, in an order
// that differs from pixel to pixel.
uniform sampler2D paint;
uniform vec4 alpha; // of the base colour; cutoff; blends; painted
uniform vec3 paint_u, paint_v;

vec4 painted(vec2 uv)
{
    vec3 at = vec3(uv, 1.0);
    return alpha.w > 0.0 ? texture(paint, vec2(dot(paint_u, at), dot(paint_v, at))) : vec4(1.0);
}

bool is_there(float a)
{
    if (alpha.y > 0.0)
    {
        return a >= alpha.y;
    }
    ivec2 at = ivec2(gl_FragCoord.xy);
    int odd = at.x ^ at.y;
    int order = (odd & 1) << 3 | (at.y & 1) << 2 | (odd >> 1 & 1) << 1 | (at.y >> 1 & 1); // each of 0..15 once in 4 x 4
    return alpha.z == 0.0 || a > (float(order) + 0.5) / 16.0;
}

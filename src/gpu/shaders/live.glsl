/* Wrinkles from the three buffers of pleat/layers/live.h: the surface that pleat_live_height describes. GLSL ES 3.00, as
 * WebGL2 has it, and GLSL 4.20; stands behind "#version 300 es" (or 420) and in front of the other live_* files. See
 * docs/live.md for other engines. */
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;

uniform usampler2D points; /* RGBA32UI, 16 bytes a point */
uniform usampler2D spans;  /* RG16UI, 4 bytes a span */

struct crest
{
    vec3 place;
    float height, width;
};

/* Everything lies in textures of 1024 columns. */
ivec2 texel(uint index)
{
    return ivec2(int(index & 1023u), int(index >> 10));
}

crest crest_at(uint index)
{
    uvec4 bits = texelFetch(points, texel(index), 0);
    vec2 size = unpackHalf2x16(bits.w);
    return crest(uintBitsToFloat(bits.xyz), size.x, size.y);
}

/* The quadratic B-spline: 1 at the crest, 0 at the foot (distance 1). */
float contour(float distance, out float steep)
{
    float rest = 1.0 - distance;
    steep = rest <= 0.0 ? 0.0 : distance < 0.5 ? -4.0 * distance : -4.0 * rest;
    return rest <= 0.0 ? 0.0 : distance < 0.5 ? 1.0 - 2.0 * distance * distance : 2.0 * rest * rest;
}

/* Where along a piece a place projects to; below 0 where it does not. */
float project(vec3 place, vec3 v0, vec3 v1, vec3 s0, vec3 s1)
{
    vec3 z0 = v1 - v0, z1 = v0 - place, turn = s1 - s0;
    float c = dot(z1, s0);
    if (!(c <= 0.0 && dot(v1 - place, s1) > 0.0))
    {
        return -1.0;
    }
    float a = dot(z0, turn), b = dot(z0, s0) + dot(z1, turn);
    float below = -b - sqrt(max(b * b - 4.0 * a * c, 0.0));
    return below < 0.0 ? clamp(2.0 * c / below, 0.0, 1.0) : 0.0;
}

/* The height that one wrinkle gives to a place: the highest of its pieces from the span's first point to its last. */
float wrinkle(uint span, vec3 place, out vec3 slope)
{
    uvec2 range = texelFetch(spans, texel(span), 0).xy;
    crest here = crest_at(range.x);
    /* A height of 0 is an end: there the direction is that of its only piece. */
    vec3 before = here.height != 0.0 ? normalize(here.place - crest_at(range.x - 1u).place) : vec3(0.0);
    float highest = 0.0;
    slope = vec3(0.0);
    for (uint i = range.x; i < range.y; ++i)
    {
        crest next = crest_at(i + 1u);
        vec3 way = next.place - here.place, along = normalize(way);
        vec3 after = next.height != 0.0 ? normalize(crest_at(i + 2u).place - next.place) : vec3(0.0);
        float at = project(place, here.place, next.place, normalize(before + along), normalize(along + after));
        if (at >= 0.0)
        {
            vec3 away = place - here.place - at * way;
            float height = mix(here.height, next.height, at), foot = 0.5 * mix(here.width, next.width, at);
            float distance = length(away), steep, shape = contour(distance / foot, steep);
            if (abs(height * shape) > abs(highest))
            {
                float widening = 0.5 * (next.width - here.width) * distance / foot;
                float rise = shape * (next.height - here.height) - height * steep * widening / foot;
                highest = height * shape;
                slope = away * (height * steep / (foot * max(distance, 1e-20))) + way * (rise / dot(way, way));
            }
        }
        here = next;
        before = along;
    }
    return highest;
}

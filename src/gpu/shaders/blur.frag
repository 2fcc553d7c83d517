// Averages the 4 by 4 pattern over pixels that lie on the same surface.
uniform sampler2D depth_map;
uniform sampler2D normal_map;
uniform sampler2D around_map;

layout(location = 0) out vec4 out_around;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    ivec2 last = ivec2(size.xy) - 1;
    float z = texelFetch(depth_map, pixel, 0).r;
    vec4 center = texelFetch(around_map, pixel, 0);
    // Most of a picture is ground in full light: four corners tell.
    bool plain = center.a < 0.75;
    for (int i = 0; plain && i < int(counts.y); ++i)
    {
        ivec2 at = clamp(pixel + ivec2((i & 1) * 3, (i >> 1) * 3) - 2, ivec2(0), last);
        vec4 there = texelFetch(around_map, at, 0);
        plain = there.x * there.y * center.x * center.y == 1.0;
    }
    vec3 n = texelFetch(normal_map, pixel, 0).xyz * 2.0 - 1.0;
    vec3 place = ray_through(gl_FragCoord.xy) * z;
    float tolerance = 5.0 * 2.0 * lens.y * z * size.w; // five pixels
    vec4 sum = vec4(0.0);
    float weight_sum = 0.0;
    int side = int(counts.y); // 4
    int count = plain || center.a == 0.0 ? 0 : side * side;
    for (int i = 0; i < count; ++i)
    {
        ivec2 at = clamp(pixel + ivec2(i % 4, i / 4) - 2, ivec2(0), last);
        vec3 other = ray_through(vec2(at) + 0.5) * texelFetch(depth_map, at, 0).r;
        float off = abs(dot(other - place, n));
        vec4 there = texelFetch(around_map, at, 0);
        float weight = abs(there.a - center.a) < 0.2 ? clamp(2.0 - off / tolerance, 0.0, 1.0) : 0.0;
        sum += weight * there;
        weight_sum += weight;
    }
    out_around = weight_sum > 0.0 ? sum / weight_sum : center;
}

// From many samples a pixel to one: depth along the view (metres) and normal, for the passes that look around. Where
// nothing was drawn, the ground; where the ray misses that too, depth 0.
uniform sampler2DMS sample_depth;
uniform sampler2DMS sample_normal;
uniform int sample_count;

layout(location = 0) out float out_depth;
layout(location = 1) out vec4 out_normal; // w: 1 surface, 0.5 ground, 0 nothing

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    float depth = texelFetch(sample_depth, pixel, 0).r;
    if (depth < 1.0)
    {
        float z = linear_depth(depth);
        vec3 n = unpack_direction(texelFetch(sample_normal, pixel, 0).xy);
        for (int i = 1; i < sample_count; ++i)
        {
            float other = linear_depth(texelFetch(sample_depth, pixel, i).r);
            if (abs(other - z) < 0.01 * z)
            {
                n += unpack_direction(texelFetch(sample_normal, pixel, i).xy);
            }
        }
        out_depth = z;
        out_normal = vec4(normalize(n) * 0.5 + 0.5, 1.0);
        return;
    }
    float falling = -dot(ray_through(gl_FragCoord.xy), up.xyz);
    bool hit = floor_light.w >= 0.0 && up.w > 0.0 && falling > 1e-4;
    float ground_depth = hit ? up.w / falling : 0.0;
    out_depth = ground_depth;
    out_normal = vec4(up.xyz * 0.5 + 0.5, hit ? 0.5 : 0.0);
}

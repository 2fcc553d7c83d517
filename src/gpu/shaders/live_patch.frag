/* Normals for each pixel: those of the wrinkles that reach it, by their heights, so that they run into each other without
 * an edge. Then any lighting. */
uniform vec3 light; /* towards it */

flat in uvec2 patch_list;
in vec3 place, normal;

layout(location = 0) out vec4 color;

void main()
{
    vec3 smooth_normal = normalize(normal), mean = vec3(0.0);
    float whole = 0.0;
    for (uint i = patch_list.x; i < patch_list.x + patch_list.y; ++i)
    {
        vec3 slope;
        float height = abs(wrinkle(i, place, slope));
        mean += height * normalize(smooth_normal - slope);
        whole += height;
    }
    vec3 bent = whole > 0.0 ? normalize(mean) : smooth_normal;
    float lit = 0.25 + 0.75 * max(dot(bent, light), 0.0);
    color = vec4(lit, lit, lit, 1.0);
}

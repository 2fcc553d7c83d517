/* How fine a triangle becomes: by the length of each edge, so that both of its triangles cut it alike; not at all where
 * no wrinkle is. An edge beside a triangle without wrinkles stays whole: none reaches it. */
layout(vertices = 3) out;

uniform usampler2D lists;  /* RG16UI, a texel a triangle: its first span, and how many */
uniform usampler2D beside; /* RGBA32UI, a texel a triangle: those over its edges 01, 12, 20; itself at a border */
uniform float piece;       /* the length that an edge is cut into: 3/8 of the smallest width */
uniform float finest;      /* pieces, at most */

in vec3 vertex_place[], vertex_normal[];
out vec3 corner_place[], corner_normal[];
patch out uvec2 wrinkle_list;

float pieces_of(uint other, vec3 a, vec3 b)
{
    return texelFetch(lists, texel(other), 0).y == 0u ? 1.0 : clamp(ceil(distance(a, b) / piece), 1.0, finest);
}

void main()
{
    corner_place[gl_InvocationID] = vertex_place[gl_InvocationID];
    corner_normal[gl_InvocationID] = vertex_normal[gl_InvocationID];
    if (gl_InvocationID == 0)
    {
        uint triangle = uint(gl_PrimitiveID);
        uvec3 others = texelFetch(beside, texel(triangle), 0).xyz;
        vec3 a = vertex_place[0], b = vertex_place[1], c = vertex_place[2];
        wrinkle_list = texelFetch(lists, texel(triangle), 0).xy;
        bool smooth_cloth = wrinkle_list.y == 0u;
        /* Outer levels belong to the edges opposite to corners 0, 1, 2. */
        gl_TessLevelOuter[0] = smooth_cloth ? 1.0 : pieces_of(others.y, b, c);
        gl_TessLevelOuter[1] = smooth_cloth ? 1.0 : pieces_of(others.z, c, a);
        gl_TessLevelOuter[2] = smooth_cloth ? 1.0 : pieces_of(others.x, a, b);
        float longest = max(distance(a, b), max(distance(b, c), distance(c, a)));
        gl_TessLevelInner[0] = smooth_cloth ? 1.0 : clamp(ceil(longest / piece), 1.0, finest);
    }
}

/* A patch: a grid over one triangle of the mesh, one instance each. Vertices move along the smooth normal by the highest
 * wrinkle. */
uniform sampler2D positions, normals; /* RGBA32F, a texel a vertex */
uniform usampler2D triangles;         /* RGBA32UI, a texel a triangle */
uniform usampler2D beside;            /* RGBA32UI, a texel a triangle: those over its edges 01, 12, 20; itself at a border */
uniform usampler2D marks;             /* R8UI, a texel a triangle: not 0 where there is a patch */
uniform mat4 view;

layout(location = 0) in vec3 share;    /* of the three corners: a vertex of the grid */
layout(location = 1) in uint triangle; /* of the patch */
layout(location = 2) in uvec2 list;    /* its first span, and how many; none: the triangle as it is */

flat out uvec2 patch_list;
out vec3 place, normal;

bool has_patch(uint index)
{
    return texelFetch(marks, texel(index), 0).r != 0u;
}

/* Beside a triangle without a patch the edge is one straight line there, and must be here: its vertices go to its ends.
 * No wrinkle reaches such an edge, or the triangle would have a patch. */
vec3 close_edges(vec3 s)
{
    uvec3 others = texelFetch(beside, texel(triangle), 0).xyz;
    s = s.z == 0.0 && !has_patch(others.x) ? (s.x >= s.y ? vec3(1, 0, 0) : vec3(0, 1, 0)) : s;
    s = s.x == 0.0 && !has_patch(others.y) ? (s.y >= s.z ? vec3(0, 1, 0) : vec3(0, 0, 1)) : s;
    return s.y == 0.0 && !has_patch(others.z) ? (s.z >= s.x ? vec3(0, 0, 1) : vec3(1, 0, 0)) : s;
}

void main()
{
    if (list.y == 0u && has_patch(triangle))
    {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0); /* the patch is drawn in its place */
        return;
    }
    vec3 at = list.y == 0u ? share : close_edges(share);
    uvec3 corner = texelFetch(triangles, texel(triangle), 0).xyz;
    place = texelFetch(positions, texel(corner.x), 0).xyz * at.x +
            texelFetch(positions, texel(corner.y), 0).xyz * at.y +
            texelFetch(positions, texel(corner.z), 0).xyz * at.z;
    normal = texelFetch(normals, texel(corner.x), 0).xyz * at.x +
             texelFetch(normals, texel(corner.y), 0).xyz * at.y +
             texelFetch(normals, texel(corner.z), 0).xyz * at.z;
    float highest = 0.0;
    for (uint i = list.x; i < list.x + list.y; ++i)
    {
        vec3 slope;
        float height = wrinkle(i, place, slope);
        highest = abs(height) > abs(highest) ? height : highest;
    }
    patch_list = list;
    gl_Position = view * vec4(place + normalize(normal) * highest, 1.0);
}

/* Live wrinkles by tessellation, OpenGL 4.2: the mesh's own vertices, as patches of three. */
uniform sampler2D positions, normals; /* RGBA32F, a texel a vertex */

out vec3 vertex_place, vertex_normal;

void main()
{
    vertex_place = texelFetch(positions, texel(uint(gl_VertexID)), 0).xyz;
    vertex_normal = texelFetch(normals, texel(uint(gl_VertexID)), 0).xyz;
}

// Meshes into the targets that shading reads.
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec4 color;
layout(location = 3) in float stretch;
layout(location = 4) in vec2 uv;

out vec3 surface_normal; // view basis
out vec3 surface_place;
out vec4 surface_color;
out float surface_stretch;
out vec2 surface_uv;

void main()
{
    gl_Position = clip_from_world * vec4(position.xyz, 1.0);
    mat3 view = transpose(mat3(view_right.xyz, view_up.xyz, view_forward.xyz));
    surface_normal = view * normal.xyz;
    surface_place = view * position.xyz - vec3(view_right.w, view_up.w, view_forward.w);
    surface_color = color;
    surface_stretch = stretch;
    surface_uv = uv;
}

// Per-triangle data of debug views.

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in vec3 vertex_in_world[];
in vec3 vertex_normal[];
in vec4 vertex_value[];

out vec3 point_in_world;
out vec3 point_normal;
out vec4 point_value;
out vec3 barycentric;
// Distances to the edges, in units of line width.
noperspective out vec3 edge_distance;
// Values of the corners.
flat out vec4 value_0;
flat out vec4 value_1;
flat out vec4 value_2;
#ifdef VIEW_STRETCH
in vec3 vertex_rest[];
// log2 of the length ratio of the most deformed edge to its rest length.
flat out float stretch;

float edge_stretch(int a, int b) {
    float rest = distance(vertex_rest[a], vertex_rest[b]);
    float deformed = distance(vertex_in_world[a], vertex_in_world[b]);
    return rest > 0.0 && deformed > 0.0 ? log2(deformed / rest) : 0.0;
}
#endif

#ifdef VIEW_TEXEL_DENSITY
// log2 of the texels per meter, relative to the target. Texture coordinates are linear in a triangle, so it has one density.
flat out float texel_density;

float density_of_triangle() {
    vec2 u = vertex_value[1].xy - vertex_value[0].xy, v = vertex_value[2].xy - vertex_value[0].xy;
    float uv_area = abs(u.x * v.y - u.y * v.x);
    float area = length(cross(vertex_in_world[1] - vertex_in_world[0], vertex_in_world[2] - vertex_in_world[0]));
    float ratio = area > 0.0 ? draw.texels_per_uv * sqrt(uv_area / area) / debug_view.size.z : 1.0;
    // At least an eighth, which has the color of a half.
    return log2(max(ratio, 0.125));
}
#endif

void main() {
#ifdef VIEW_STRETCH
    float max_stretch = 0.0;
    for (int i = 0; i < 3; i++) {
        float edge = edge_stretch(i, (i + 1) % 3);
        max_stretch = abs(edge) > abs(max_stretch) ? edge : max_stretch;
    }
#endif
    // Triangles that cross the camera plane have no screen-space edges.
    vec3 heights = vec3(1e6);
    vec3 w = vec3(gl_in[0].gl_Position.w, gl_in[1].gl_Position.w, gl_in[2].gl_Position.w);
    if (min(w.x, min(w.y, w.z)) > 0.0) {
        vec2 a = gl_in[0].gl_Position.xy / w.x * debug_view.size.xy * 0.5;
        vec2 b = gl_in[1].gl_Position.xy / w.y * debug_view.size.xy * 0.5;
        vec2 c = gl_in[2].gl_Position.xy / w.z * debug_view.size.xy * 0.5;
        vec2 ab = b - a, ac = c - a;
        float area = abs(ab.x * ac.y - ab.y * ac.x);
        heights = area / max(vec3(distance(b, c), distance(c, a), distance(a, b)), vec3(1e-6)) / debug_view.size.w;
    }
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        point_in_world = vertex_in_world[i];
        point_normal = vertex_normal[i];
        point_value = vertex_value[i];
        barycentric = vec3(i == 0, i == 1, i == 2);
        edge_distance = heights * vec3(i == 0, i == 1, i == 2);
        value_0 = vertex_value[0];
        value_1 = vertex_value[1];
        value_2 = vertex_value[2];
#ifdef VIEW_STRETCH
        stretch = max_stretch;
#endif
#ifdef VIEW_TEXEL_DENSITY
        texel_density = density_of_triangle();
#endif
        EmitVertex();
    }
    EndPrimitive();
}

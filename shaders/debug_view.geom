// Per-triangle data of debug views.

layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in DebugVertex {
    vec3 world;
    vec3 normal;
    vec4 value;
    vec3 rest;
} corner[];

out DebugFragment {
    vec3 world;
    vec3 normal;
    vec4 value;
    vec3 rest;
    // Barycentric coordinates.
    vec3 barycentric;
    // Distances to the edges in pixels.
    noperspective vec3 edge_distance;
    // Values of the corners.
    flat vec4 value_0;
    flat vec4 value_1;
    flat vec4 value_2;
    // log2 of the length ratio of the most deformed edge to its rest length.
    flat float stretch;
} point;

float edge_stretch(int a, int b) {
    float rest = distance(corner[a].rest, corner[b].rest);
    float deformed = distance(corner[a].world, corner[b].world);
    return rest > 0.0 && deformed > 0.0 ? log2(deformed / rest) : 0.0;
}

void main() {
    float stretch = 0.0;
#ifdef VIEW_STRETCH
    for (int i = 0; i < 3; i++) {
        float edge = edge_stretch(i, (i + 1) % 3);
        stretch = abs(edge) > abs(stretch) ? edge : stretch;
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
        heights = area / max(vec3(distance(b, c), distance(c, a), distance(a, b)), vec3(1e-6));
    }
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        point.world = corner[i].world;
        point.normal = corner[i].normal;
        point.value = corner[i].value;
        point.rest = corner[i].rest;
        point.barycentric = vec3(i == 0, i == 1, i == 2);
        point.edge_distance = heights * vec3(i == 0, i == 1, i == 2);
        point.value_0 = corner[0].value;
        point.value_1 = corner[1].value;
        point.value_2 = corner[2].value;
        point.stretch = stretch;
        EmitVertex();
    }
    EndPrimitive();
}

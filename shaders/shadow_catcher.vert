// A square of level ground.

layout(std140) uniform ShadowCatcherUniforms {
    // From the world to OpenGL's cube, seen by the viewer.
    mat4 projection_from_world;
    // From the world to the sun's picture: 0 to 1 each way, and 0 to 1 away from the sun.
    mat4 shadow_from_world;
    // The ground's middle, and how far from there it fades to nothing.
    vec4 center;
    // Of the sun's picture: meters along its side; meters that its depth holds; how much wider a shadow's edge is for each
    // meter from what casts it; and the share of light that the darkest shadow takes.
    vec4 sun;
} catcher;

out vec3 position_in_world;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    position_in_world = catcher.center.xyz + catcher.center.w * vec3(corner.x, 0.0, -corner.y);
    gl_Position = catcher.projection_from_world * vec4(position_in_world, 1.0);
}

// A triangle that covers the picture, with the way that the eye looks through each of its points.

layout(std140) uniform BackgroundUniforms {
    // What lies to the right, above and ahead: a point of OpenGL's square is so much of the first two, and the third.
    vec4 right_in_world;
    vec4 up_in_world;
    // In the last number how rough a mirror would blur as much, 0 to 1.
    vec4 forward_in_world;
} background;

out vec3 ray_in_world;

void main() {
    vec2 corner = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);
    gl_Position = vec4(corner, 0.0, 1.0);
    ray_in_world = corner.x * background.right_in_world.xyz + corner.y * background.up_in_world.xyz
        + background.forward_in_world.xyz;
}

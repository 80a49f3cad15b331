// Full-screen triangle with view rays.

layout(std140) uniform BackgroundUniforms {
    // The ray of a point in normalized device coordinates is x * right + y * up + forward.
    vec4 right_in_world;
    vec4 up_in_world;
    // w: blur as a roughness from 0 to 1.
    vec4 forward_in_world;
} background;

out vec3 ray_in_world;

void main() {
    vec2 corner = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID & 2) * 2 - 1);
    gl_Position = vec4(corner, 0.0, 1.0);
    ray_in_world = corner.x * background.right_in_world.xyz + corner.y * background.up_in_world.xyz
        + background.forward_in_world.xyz;
}

// Shadow catcher plane.

layout(std140) uniform ShadowCatcherUniforms {
    // View-projection matrix of the camera.
    mat4 projection_from_world;
    // From the world to shadow map coordinates and depth, each from 0 to 1.
    mat4 shadow_from_world;
    // Center, and the radius at which it has faded.
    vec4 place;
    // Part of the plane that the shadow reaches: least x and z, largest x and z.
    vec4 rect;
    // Width of the shadow map in meters; its depth range in meters; penumbra width per meter of distance to the caster;
    // strength of the shadow.
    vec4 sun;
} catcher;

out vec3 position_in_world;

void main() {
    vec2 corner = mix(catcher.rect.xw, catcher.rect.zy, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    position_in_world = vec3(corner.x, catcher.place.y, corner.y);
    gl_Position = catcher.projection_from_world * vec4(position_in_world, 1.0);
}

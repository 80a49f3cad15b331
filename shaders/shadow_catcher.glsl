// The plane that shows the shadow of the models above it.

layout(std140) uniform ShadowCatcherUniforms {
    // View-projection matrix of the camera.
    mat4 projection_from_world;
    // From the world to shadow map coordinates and depth, each from 0 to 1.
    mat4 shadow_from_world;
    // Center, and the radius at which it has faded.
    vec4 place;
    // Part of the plane that the shadow reaches: least x and z, largest x and z.
    vec4 rect;
    // Depth of the plane in the shadow map: its factors of the coordinates, and its value at the origin; depth range in meters.
    vec4 plane_depth;
    // Distance along the light of the farthest caster in meters, and the same as a fraction of the map's width; sine of the
    // angular radius of the light; strength of the shadow.
    vec4 sun;
} catcher;

// Shadow on the shadow catcher: black with the shadow's opacity.

in vec3 position_in_world;
out vec4 light;

const int SHADE_TAPS = 24;

void main() {
    vec3 shadow_coords = (sun_shadow.shadow_from_world * vec4(position_in_world, 1.0)).xyz;
    float map_per_meter = 1.0 / sun_shadow.sun.x;
    // Penumbra width of the farthest occluder.
    float max_width =
        clamp(sun_shadow.sun.z * shadow_coords.z * sun_shadow.sun.y * 0.5, 0.0, 0.25 * sun_shadow.sun.x) * map_per_meter;
    vec2 blocker = vec2(0.0);
    for (int i = 0; i < 12; i++) {
        vec2 coords = shadow_coords.xy + max_width * vogel_disk(i, 12);
        vec4 texel = textureLod(shadow_map, coords, shadow_map_level(max_width * 0.4));
        blocker += vec2(texel.r, texel.a);
    }
    float occluder_distance = max(shadow_coords.z - blocker.x / max(blocker.y, 1e-3), 0.0) * sun_shadow.sun.y;
    // At least the resolution of the map.
    float width = max(sun_shadow.sun.z * occluder_distance * map_per_meter, 1.5 / float(textureSize(shadow_map, 0).x));
    float shadow = 0.0;
    for (int i = 0; i < SHADE_TAPS; i++) {
        vec2 coords = shadow_coords.xy + width * vogel_disk(i, SHADE_TAPS);
        shadow += textureLod(shadow_map, coords, shadow_map_level(width * 0.35)).a;
    }
    shadow /= float(SHADE_TAPS);
    float radius_ratio = length(position_in_world.xz - sun_shadow.catcher.xz) / sun_shadow.catcher.w;
    shadow *= sun_shadow.sun.w * (1.0 - smoothstep(0.6, 1.0, radius_ratio));
    light = vec4(0.0, 0.0, 0.0, min(shadow, 1.0));
    if (blocker.y < 1e-3) {
        discard;
    }
}

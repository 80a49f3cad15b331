// Shadow on the shadow catcher: black with the shadow's opacity.

in vec3 position_in_world;
out vec4 light;

const int TAPS = 24;

void main() {
    vec3 place = (catcher.shadow_from_world * vec4(position_in_world, 1.0)).xyz;
    float per_meter = 1.0 / catcher.sun.x;
    // Penumbra width of the farthest occluder.
    float widest = clamp(catcher.sun.z * place.z * catcher.sun.y * 0.5, 0.0, 0.25 * catcher.sun.x) * per_meter;
    vec2 blocker = vec2(0.0);
    for (int i = 0; i < 12; i++) {
        vec4 seen = textureLod(shadow_map, place.xy + widest * vogel_disk(i, 12), shadow_map_level(widest * 0.4));
        blocker += vec2(seen.r, seen.a);
    }
    if (blocker.y < 1e-3) {
        discard;
    }
    float away = max(place.z - blocker.x / blocker.y, 0.0) * catcher.sun.y;
    // At least the resolution of the map.
    float width = max(catcher.sun.z * away * per_meter, 1.5 / float(textureSize(shadow_map, 0).x));
    float shadow = 0.0;
    for (int i = 0; i < TAPS; i++) {
        shadow += textureLod(shadow_map, place.xy + width * vogel_disk(i, TAPS), shadow_map_level(width * 0.35)).a;
    }
    shadow /= float(TAPS);
    float off = length(position_in_world.xz - catcher.center.xz) / catcher.center.w;
    shadow *= catcher.sun.w * (1.0 - smoothstep(0.6, 1.0, off));
    light = vec4(0.0, 0.0, 0.0, min(shadow, 1.0));
}

// Shadow on the shadow catcher: black with the shadow's opacity.

layout(std140) uniform ShadowCatcherUniforms {
    mat4 projection_from_world;
    mat4 shadow_from_world;
    vec4 place;
    vec4 rect;
    vec4 sun;
} catcher;

// Depth times coverage, and coverage, with mip levels.
uniform sampler2D shadow_map;

in vec3 position_in_world;
out vec4 light;

const int SEARCH_TAPS = 8;
const int SHADE_TAPS = 16;

// Vogel disk samples (1979).
vec2 vogel_disk(int i, int count) {
    float angle = float(i) * 2.39996323;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Mip level whose texels have about this width, as a fraction of the map.
float shadow_map_level(float width) {
    return max(log2(width * float(textureSize(shadow_map, 0).x)), 0.0);
}

void main() {
    vec3 shadow_coords = (catcher.shadow_from_world * vec4(position_in_world, 1.0)).xyz;
    float map_per_meter = 1.0 / catcher.sun.x;
    // Penumbra width of the farthest occluder.
    float max_width =
        clamp(catcher.sun.z * shadow_coords.z * catcher.sun.y * 0.5, 0.0, 0.25 * catcher.sun.x) * map_per_meter;
    vec2 blocker = vec2(0.0);
    for (int i = 0; i < SEARCH_TAPS; i++) {
        vec2 coords = shadow_coords.xy + max_width * vogel_disk(i, SEARCH_TAPS);
        vec4 texel = textureLod(shadow_map, coords, shadow_map_level(max_width * 0.4));
        blocker += vec2(texel.r, texel.a);
    }
    float occluder_distance = max(shadow_coords.z - blocker.x / max(blocker.y, 1e-3), 0.0) * catcher.sun.y;
    // At least the resolution of the map.
    float width = max(catcher.sun.z * occluder_distance * map_per_meter, 1.5 / float(textureSize(shadow_map, 0).x));
    float shadow = 0.0;
    // llvmpipe leaves a loop early, but runs both sides of a condition.
    int taps = blocker.y < 1e-3 ? 0 : SHADE_TAPS;
    for (int i = 0; i < taps; i++) {
        vec2 coords = shadow_coords.xy + width * vogel_disk(i, SHADE_TAPS);
        shadow += textureLod(shadow_map, coords, shadow_map_level(width * 0.35)).a;
    }
    shadow /= float(SHADE_TAPS);
    float radius_ratio = length(position_in_world.xz - catcher.place.xz) / catcher.place.w;
    shadow *= catcher.sun.w * (1.0 - smoothstep(0.6, 1.0, radius_ratio));
    light = vec4(0.0, 0.0, 0.0, min(shadow, 1.0));
    if (blocker.y < 1e-3) {
        discard;
    }
}

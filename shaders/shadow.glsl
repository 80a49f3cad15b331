// Soft shadows from the shadow map.

layout(std140) uniform ShadowCatcherUniforms {
    mat4 projection_from_world;
    mat4 shadow_from_world;
    vec4 center;
    vec4 sun;
} catcher;

// Depth times coverage, and coverage, with mip levels.
uniform sampler2D shadow_map;

// Vogel disk samples (1979).
vec2 vogel_disk(int i, int count) {
    float turn = float(i) * 2.39996323;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(turn), sin(turn));
}

// Mip level whose texels have about this width, as a fraction of the map.
float shadow_map_level(float width) {
    return max(log2(width * float(textureSize(shadow_map, 0).x)), 0.0);
}

#ifdef SUN_SHADOW
const int SEARCH_TAPS = 32;
const int SHADE_TAPS = 32;
// Maximum penumbra width, as a fraction of the map.
const float WIDEST = 0.05;
// Depth bias, as a fraction of the depth range: the resolution of half floats.
const float NEARER = 1e-3;
// Maximum slope of the receiver plane.
const float STEEPEST = 4.0;

// Surfaces are concave: occluders below this slope above the receiver plane are ignored.
const float HOLLOW = 0.12;

// Depth of the receiver plane relative to the point.
float rise(vec2 lean, vec2 off) {
    return dot(lean, off) - HOLLOW * length(off);
}

// Fraction of the sun's light that reaches a surface point.
float sun_visibility(vec3 position) {
    vec3 place = (catcher.shadow_from_world * vec4(position, 1.0)).xyz;
    // Receiver plane depth bias (Isidoro 2006).
    vec3 dx = dFdx(place), dy = dFdy(place);
    float area = dx.x * dy.y - dx.y * dy.x;
    vec2 lean = vec2(dy.y * dx.z - dx.y * dy.z, dx.x * dy.z - dy.x * dx.z);
    lean = abs(area) > 1e-20 ? lean / area : vec2(0.0);
    lean *= min(1.0, STEEPEST / max(length(lean), 1e-6));

    float texel = 1.0 / float(textureSize(shadow_map, 0).x);
    float nearer = place.z - NEARER - 0.5 * texel * length(lean);
    float per_meter = 1.0 / catcher.sun.x;
    // Penumbra width of the farthest occluder. The first quarter of the depth range is empty.
    float widest = clamp(catcher.sun.z * (place.z - 0.25) * catcher.sun.y * per_meter, 2.0 * texel, WIDEST);
    // Occluders: coverage, and the sums of distance and squared distance.
    vec3 blocker = vec3(0.0);
    float search_level = shadow_map_level(widest * 0.07);
    for (int i = 0; i < SEARCH_TAPS; i++) {
        vec2 off = widest * vogel_disk(i, SEARCH_TAPS);
        vec4 seen = textureLod(shadow_map, place.xy + off, search_level);
        float above = nearer + rise(lean, off) - seen.r / max(seen.a, 1e-3);
        // Smooth transition, so that adjacent points do not differ by a whole sample.
        blocker += seen.a * clamp(above / (4.0 * NEARER), 0.0, 1.0) * vec3(1.0, above, above * above);
    }
    if (blocker.x < 1e-3) {
        return 1.0;
    }
    // With few occluder samples the distance is uncertain: starts soft and faint.
    float met = min(0.6 * blocker.x, 1.0);
    float farthest = widest / (catcher.sun.z * catcher.sun.y * per_meter);
    // Weights distant occluders more: texels with partial coverage seem near.
    float away = mix(farthest, clamp(sqrt(blocker.z / blocker.x), NEARER, farthest), met);
    // At least the resolution of the map.
    float width = clamp(catcher.sun.z * away * catcher.sun.y * per_meter, 1.5 * texel, widest);
    float shade = 0.0, shade_level = shadow_map_level(width * 0.15);
    for (int i = 0; i < SHADE_TAPS; i++) {
        vec2 off = width * vogel_disk(i, SHADE_TAPS);
        vec4 seen = textureLod(shadow_map, place.xy + off, shade_level);
        // A mip level texel averages occluder and receiver.
        shade += min(clamp(((nearer + rise(lean, off)) * seen.a - seen.r) / (0.35 * away), 0.0, 1.0), seen.a);
    }
    return clamp(1.0 - met * shade / float(SHADE_TAPS), 0.0, 1.0);
}
#endif

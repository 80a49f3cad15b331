// What the sun sees of a scene that stands on ground, and how much of its light comes through.

layout(std140) uniform ShadowCatcherUniforms {
    mat4 projection_from_world;
    mat4 shadow_from_world;
    vec4 center;
    vec4 sun;
} catcher;

// What the sun sees: how far away it is, premultiplied with whether there is anything; with smaller copies.
uniform sampler2D shadow_map;

// Points spread evenly over a disc (Vogel 1979).
vec2 vogel_disk(int i, int count) {
    float turn = float(i) * 2.39996323;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(turn), sin(turn));
}

// The level of copies whose texels are about as wide as this share of the picture.
float shadow_map_level(float width) {
    return max(log2(width * float(textureSize(shadow_map, 0).x)), 0.0);
}

#ifdef SUN_SHADOW
const int SEARCH_TAPS = 32;
const int SHADE_TAPS = 32;
// How wide a shadow's edge is at most, as a share of the sun's picture.
const float WIDEST = 0.05;
// What is this much nearer to the sun than a point shades it, as a share of the depth that the picture holds: its half
// floats tell no less apart.
const float NEARER = 1e-3;
// The steepest that a surface leans away from the sun before it counts as less steep; it gets hardly any light then.
const float STEEPEST = 4.0;

// Surfaces are hollow: what rises by less than this above the plane beside a point does not shade it.
const float HOLLOW = 0.12;

// How much farther from the sun than a point the surface is that goes on beside it as a plane.
float rise(vec2 lean, vec2 off) {
    return dot(lean, off) - HOLLOW * length(off);
}

// The share of the sun's light that reaches a point of a surface.
float sun_visibility(vec3 position) {
    vec3 place = (catcher.shadow_from_world * vec4(position, 1.0)).xyz;
    // The surface goes on as a plane beside the point, and is not to shade it (Isidoro 2006).
    vec3 dx = dFdx(place), dy = dFdy(place);
    float area = dx.x * dy.y - dx.y * dy.x;
    vec2 lean = vec2(dy.y * dx.z - dx.y * dy.z, dx.x * dy.z - dy.x * dx.z);
    lean = abs(area) > 1e-20 ? lean / area : vec2(0.0);
    lean *= min(1.0, STEEPEST / max(length(lean), 1e-6));

    float texel = 1.0 / float(textureSize(shadow_map, 0).x);
    float nearer = place.z - NEARER - 0.5 * texel * length(lean);
    float per_meter = 1.0 / catcher.sun.x;
    // As wide as the edge of the farthest shadow could be: nothing stands in the first quarter of the depth.
    float widest = clamp(catcher.sun.z * (place.z - 0.25) * catcher.sun.y * per_meter, 2.0 * texel, WIDEST);
    // Of what shades: how much of it was met, and how far away it is, once and twice multiplied.
    vec3 blocker = vec3(0.0);
    float search_level = shadow_map_level(widest * 0.07);
    for (int i = 0; i < SEARCH_TAPS; i++) {
        vec2 off = widest * vogel_disk(i, SEARCH_TAPS);
        vec4 seen = textureLod(shadow_map, place.xy + off, search_level);
        float above = nearer + rise(lean, off) - seen.r / max(seen.a, 1e-3);
        // From nothing to all, so that no point differs from the next one by a whole tap.
        blocker += seen.a * clamp(above / (4.0 * NEARER), 0.0, 1.0) * vec3(1.0, above, above * above);
    }
    if (blocker.x < 1e-3) {
        return 1.0;
    }
    // Where hardly a tap has met what shades, its distance is anybody's guess: soft and faint it must begin.
    float met = min(0.6 * blocker.x, 1.0);
    float farthest = widest / (catcher.sun.z * catcher.sun.y * per_meter);
    // The farther ones count for a little more: a texel that holds a little of what shades and more of the surface seems near.
    float away = mix(farthest, clamp(sqrt(blocker.z / blocker.x), NEARER, farthest), met);
    // Never sharper than the picture is.
    float width = clamp(catcher.sun.z * away * catcher.sun.y * per_meter, 1.5 * texel, widest);
    float shade = 0.0, shade_level = shadow_map_level(width * 0.15);
    for (int i = 0; i < SHADE_TAPS; i++) {
        vec2 off = width * vogel_disk(i, SHADE_TAPS);
        vec4 seen = textureLod(shadow_map, place.xy + off, shade_level);
        // A texel of a smaller copy holds the mean of what shades and of the surface itself.
        shade += min(clamp(((nearer + rise(lean, off)) * seen.a - seen.r) / (0.35 * away), 0.0, 1.0), seen.a);
    }
    return clamp(1.0 - met * shade / float(SHADE_TAPS), 0.0, 1.0);
}
#endif

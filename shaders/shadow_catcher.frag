// The shadow on the ground: black, as opaque as it is dark.

in vec3 position_in_world;
out vec4 light;

const int TAPS = 24;

void main() {
    vec3 place = (ground.shadow_from_world * vec4(position_in_world, 1.0)).xyz;
    float per_meter = 1.0 / ground.sun.x;
    // As wide as the edge of the farthest shadow could be.
    float widest = clamp(ground.sun.z * place.z * ground.sun.y * 0.5, 0.0, 0.25 * ground.sun.x) * per_meter;
    vec2 blocker = vec2(0.0);
    for (int i = 0; i < 12; i++) {
        vec4 seen = textureLod(seen_by_sun, place.xy + widest * on_disc(i, 12), level_of(widest * 0.4));
        blocker += vec2(seen.r, seen.a);
    }
    if (blocker.y < 1e-3) {
        discard;
    }
    float away = max(place.z - blocker.x / blocker.y, 0.0) * ground.sun.y;
    // Never sharper than the picture is.
    float width = max(ground.sun.z * away * per_meter, 1.5 / float(textureSize(seen_by_sun, 0).x));
    float shadow = 0.0;
    for (int i = 0; i < TAPS; i++) {
        shadow += textureLod(seen_by_sun, place.xy + width * on_disc(i, TAPS), level_of(width * 0.35)).a;
    }
    shadow /= float(TAPS);
    float off = length(position_in_world.xz - ground.center.xz) / ground.center.w;
    shadow *= ground.sun.w * (1.0 - smoothstep(0.6, 1.0, off));
    light = vec4(0.0, 0.0, 0.0, min(shadow, 1.0));
}

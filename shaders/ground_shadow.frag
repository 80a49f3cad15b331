// Shadow on the plane: the fraction of the light that the casters block.

// Coverage by casters at four distances, with mip levels.
uniform sampler2D caster_layers;

out vec4 light;

const int TAPS = 8;

void main() {
    vec2 at = gl_FragCoord.xy / GROUND_SIDE;
    vec2 place = mix(catcher.rect.xy, catcher.rect.zw, at);
    vec4 position = vec4(place.x, catcher.place.y, place.y, 1.0);
    vec2 coords = (catcher.shadow_from_world * position).xy;
    float map_side = float(textureSize(caster_layers, 0).x);
    float sine = catcher.sun.z;
    float shadow = 0.0;
    for (int layer = 0; layer < 4; layer++) {
        float radius = sine * catcher.sun.y * exp2(float(2 * layer - 6));
        for (int i = 0; i < TAPS; i++) {
            // Directions to a disk in the sky, distributed by the cosine law, in a spiral of the golden angle (Vogel 1979).
            float fraction = (float(i) + 0.5) / float(TAPS);
            float spread = 1.0 / (1.0 - sine * sine * fraction);
            float angle = 2.39996323 * float(i) + 1.6 * float(layer);
            vec2 tap = coords + radius * sqrt(fraction * spread) * vec2(cos(angle), sin(angle));
            // Half the width of a tap, since the filter between texels widens it.
            float width = 0.5 * radius * spread * sqrt(3.14159265 / float(TAPS));
            vec4 coverage = textureLod(caster_layers, tap, max(log2(width * map_side), 0.0));
            // Nothing is outside of the map.
            vec2 from_middle = abs(tap - 0.5);
            shadow += max(from_middle.x, from_middle.y) < 0.5 ? coverage[layer] : 0.0;
        }
    }
    shadow = catcher.sun.w * min(shadow / float(TAPS), 1.0);
    float radius_ratio = length(place - catcher.place.xz) / catcher.place.w;
    vec2 to_edge = min(at, 1.0 - at);
    shadow *= (1.0 - smoothstep(0.6, 1.0, radius_ratio)) * smoothstep(0.0, 0.15, min(to_edge.x, to_edge.y));
    light = vec4(0.0, 0.0, 0.0, shadow);
}

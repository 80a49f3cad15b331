// From linear light, premultiplied, to the picture: samples averaged, the background put behind, colours encoded.

layout(std140) uniform EncodeBlock {
    // The background as it appears, encoded; w is not used.
    vec4 background;
    // Width and height of the picture in pixels, and their inverses.
    vec4 size;
} encode;

#if SAMPLES > 1
uniform sampler2DMS scene;
#else
uniform sampler2D scene;
#endif

out vec4 picture;

vec3 encoded(vec3 linear) {
    linear = clamp(linear, 0.0, 1.0);
    vec3 curve = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
    return mix(curve, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}

vec3 decoded(vec3 colour) {
    return mix(pow((colour + 0.055) / 1.055, vec3(2.4)), colour / 12.92, lessThanEqual(colour, vec3(0.04045)));
}

#ifdef STUDIO_BACKGROUND
// A wall lit from above its middle.
vec3 backdrop() {
    vec2 place = gl_FragCoord.xy * encode.size.zw - vec2(0.5, 0.56);
    place.x *= min(encode.size.x * encode.size.w, 1.6);
    float away = clamp(dot(place, place) * 1.25, 0.0, 1.0);
    float shade = away * (2.0 - away);
    return mix(vec3(0.672, 0.690, 0.716), vec3(0.292, 0.312, 0.342), shade);
}
#endif

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 sum = texelFetch(scene, pixel, 0);
#if SAMPLES > 1
    for (int i = 1; i < SAMPLES; i++) {
        sum += texelFetch(scene, pixel, i);
    }
    sum /= float(SAMPLES);
#endif
#ifdef TRANSPARENT_BACKGROUND
    picture = sum.a > 0.0 ? vec4(encoded(sum.rgb / sum.a), min(sum.a, 1.0)) : vec4(0.0);
#else
#ifdef STUDIO_BACKGROUND
    vec3 background = backdrop();
#else
    vec3 background = encode.background.rgb;
#endif
    if (sum.a <= 0.0) {
        // Bare background appears exactly as asked for.
        picture = vec4(background, 1.0);
    } else {
        vec3 behind = sum.a < 1.0 ? (1.0 - sum.a) * decoded(background) : vec3(0.0);
        picture = vec4(encoded(sum.rgb + behind), 1.0);
    }
#endif
}

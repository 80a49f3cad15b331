// From linear light, premultiplied, to the picture: samples averaged, the background put behind, colors encoded.

layout(std140) uniform EncodeBlock {
    // The background as it appears, encoded.
    vec4 background;
    // The same, linear.
    vec4 background_linear;
    // Width and height of the picture in pixels, and their inverses.
    vec4 size;
    // The row of the picture that is the scene's first.
    int first_row;
    // Pixels of the scene, each way, for one that is written.
    int step;
} encode;

#if SAMPLES > 1
uniform sampler2DMS scene;
#else
uniform sampler2D scene;
#endif

out vec4 picture;

// The sRGB curve. Its power is a polynomial in the fourth root, within a five-hundredth of a byte's step: `pow` is as
// exact as a driver likes, roots are the same everywhere, and software drivers compile them faster.
vec3 encoded(vec3 linear) {
    linear = clamp(linear, 0.0, 1.0);
    vec3 root = sqrt(sqrt(linear));
    vec3 curve = -0.061340216 + root * (0.162026260 + root * (1.255404457 + root * (-0.577482843
        + root * (0.289533122 + root * -0.068147350))));
    return mix(curve, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}

#ifdef STUDIO_BACKGROUND
// A wall lit around its middle, linear.
vec3 backdrop() {
    vec2 place = gl_FragCoord.xy * float(encode.step) * encode.size.zw - vec2(0.5, 0.53);
    place.x *= min(encode.size.x * encode.size.w, 1.5);
    float shade = 1.0 / (1.0 + 2.0 * dot(place, place));
    return shade * vec3(0.272, 0.286, 0.312) - vec3(0.006, 0.005, 0.003);
}
#endif

void main() {
#ifdef LINEAR_OUT
    ivec2 pixel = ivec2(gl_FragCoord.xy) * encode.step + encode.step / 2 - ivec2(0, encode.first_row);
#else
    ivec2 pixel = ivec2(gl_FragCoord.xy) - ivec2(0, encode.first_row);
#endif
    vec4 light = texelFetch(scene, pixel, 0);
#if SAMPLES > 1
    for (int i = 1; i < SAMPLES; i++) {
        light += texelFetch(scene, pixel, i);
    }
    light /= float(SAMPLES);
#endif
#if defined(LINEAR_OUT)
#if defined(STUDIO_BACKGROUND)
    light.rgb += (1.0 - light.a) * backdrop();
#elif !defined(TRANSPARENT_BACKGROUND)
    light.rgb += (1.0 - light.a) * encode.background_linear.rgb;
#endif
#ifndef TRANSPARENT_BACKGROUND
    light.a = 1.0;
#endif
    picture = light;
#elif defined(TRANSPARENT_BACKGROUND)
    picture = vec4(encoded(light.a > 0.0 ? light.rgb / light.a : vec3(0.0)), min(light.a, 1.0));
#elif defined(STUDIO_BACKGROUND)
    picture = vec4(encoded(light.rgb + (1.0 - light.a) * backdrop()), 1.0);
#else
    vec3 color = encoded(light.rgb + (1.0 - light.a) * encode.background_linear.rgb);
    // Bare background appears exactly as asked for.
    picture = vec4(light.a > 0.0 ? color : encode.background.rgb, 1.0);
#endif
}

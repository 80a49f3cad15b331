// Averages samples, composites over the background and encodes to sRGB.

layout(std140) uniform ResolveUniforms {
    // sRGB-encoded background color.
    vec4 background;
    // Linear background color.
    vec4 background_linear;
    // Width and height of the image in pixels, and their inverses.
    vec4 size;
    // Row of the image that is the first of the HDR image.
    int first_row;
    // HDR pixels per output pixel along each axis.
    int step;
    // Factor of accumulated light.
    float weight;
} resolve;

#if SAMPLES > 1
uniform sampler2DMS hdr;
#else
uniform sampler2D hdr;
#endif

out vec4 image_color;

// sRGB encoding with a polynomial in the fourth root, accurate to 1/500 of an 8-bit step. Unlike `pow`, roots are equal
// on all drivers, and software drivers compile them faster.
vec3 linear_to_srgb(vec3 linear) {
    linear = clamp(linear, 0.0, 1.0);
    vec3 root = sqrt(sqrt(linear));
    vec3 curve = -0.061340216 + root * (0.162026260 + root * (1.255404457 + root * (-0.577482843
        + root * (0.289533122 + root * -0.068147350))));
    return mix(curve, 12.92 * linear, lessThanEqual(linear, vec3(0.0031308)));
}

#ifdef STUDIO_BACKGROUND
// Radial gradient, linear.
vec3 studio_background() {
    vec2 p = gl_FragCoord.xy * float(resolve.step) * resolve.size.zw - vec2(0.5, 0.53);
    p.x *= min(resolve.size.x * resolve.size.w, 1.5);
    float shade = 1.0 / (1.0 + 2.0 * dot(p, p));
    return shade * vec3(0.272, 0.286, 0.312) - vec3(0.006, 0.005, 0.003);
}

// Ordered dithering by half a step of 8 bits, so that the gradient has no bands (Bayer 1973). Two by two pixels, because
// larger patterns double the size of PNG files.
float dither() {
    int x = int(gl_FragCoord.x);
    int rank = ((x ^ int(gl_FragCoord.y)) & 1) * 2 + (x & 1);
    return ((float(rank) + 0.5) / 4.0 - 0.5) / 255.0;
}
#endif

void main() {
#ifdef LINEAR_OUT
    ivec2 pixel = ivec2(gl_FragCoord.xy) * resolve.step + resolve.step / 2 - ivec2(0, resolve.first_row);
#else
    ivec2 pixel = ivec2(gl_FragCoord.xy) - ivec2(0, resolve.first_row);
#endif
    vec4 light = texelFetch(hdr, pixel, 0);
#if SAMPLES > 1
    for (int i = 1; i < SAMPLES; i++) {
        light += texelFetch(hdr, pixel, i);
    }
    light /= float(SAMPLES);
#endif
#ifdef ACCUMULATED
    light = max(light * resolve.weight, 0.0);
#ifdef TONE_MAPPING
    light.rgb = light.a > 0.0 ? light.a * tone_map(light.rgb / light.a) : vec3(0.0);
#endif
#endif
#if defined(LINEAR_OUT)
#if defined(STUDIO_BACKGROUND)
    light.rgb += (1.0 - light.a) * studio_background();
#elif !defined(TRANSPARENT_BACKGROUND)
    light.rgb += (1.0 - light.a) * resolve.background_linear.rgb;
#endif
#ifndef TRANSPARENT_BACKGROUND
    light.a = 1.0;
#endif
    image_color = light;
#elif defined(TRANSPARENT_BACKGROUND)
    image_color = vec4(linear_to_srgb(light.a > 0.0 ? light.rgb / light.a : vec3(0.0)), min(light.a, 1.0));
#elif defined(STUDIO_BACKGROUND)
    vec3 color = linear_to_srgb(light.rgb + (1.0 - light.a) * studio_background());
    image_color = vec4(color + (1.0 - light.a) * dither(), 1.0);
#else
    vec3 color = linear_to_srgb(light.rgb + (1.0 - light.a) * resolve.background_linear.rgb);
    // The bare background keeps its exact color.
    image_color = vec4(light.a > 0.0 ? color : resolve.background.rgb, 1.0);
#endif
    // No pixel is outside. llvmpipe compiles shaders without `discard` twice, for whole and for partly covered blocks.
    if (pixel.x < 0) {
        discard;
    }
}

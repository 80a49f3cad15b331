// Tone mapping of nonnegative linear light to the linear range of the screen.

#if defined(TONE_NEUTRAL)
// Khronos PBR Neutral Tone Mapper, version 1.0.
vec3 tone_map(vec3 color) {
    const float START = 0.8 - 0.04;
    const float DESATURATION = 0.15;
    float min_component = min(color.r, min(color.g, color.b));
    color -= min_component < 0.08 ? min_component - 6.25 * min_component * min_component : 0.04;
    float peak = max(color.r, max(color.g, color.b));
    if (peak < START) {
        return color;
    }
    float headroom = 1.0 - START;
    float new_peak = 1.0 - headroom * headroom / (peak + headroom - START);
    float desaturation = 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    return mix(color * (new_peak / peak), vec3(new_peak), desaturation);
}

// Inverse of `tone_map`, for colors up to nearly white.
vec3 inverse_tone_map(vec3 color) {
    const float START = 0.8 - 0.04;
    const float DESATURATION = 0.15;
    const float MAX_PEAK = 0.995;
    color = clamp(color, 0.0, MAX_PEAK);
    float peak = max(color.r, max(color.g, color.b));
    if (peak > START) {
        float headroom = 1.0 - START;
        float old_peak = headroom * headroom / (1.0 - peak) - headroom + START;
        float inverse_saturation = DESATURATION * (old_peak - peak) + 1.0;
        color = (color + (1.0 / inverse_saturation - 1.0) * peak) * inverse_saturation;
        color *= old_peak / peak;
    }
    float min_component = min(color.r, min(color.g, color.b));
    return color + (min_component < 0.04 ? 0.4 * sqrt(max(min_component, 0.0)) - min_component : 0.04);
}
#elif defined(TONE_ACES)
// Stephen Hill's fit of the ACES reference and output transforms, at the exposure that three.js gives it.
vec3 tone_map(vec3 color) {
    const mat3 IN = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777);
    const mat3 OUT = mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602);
    vec3 v = IN * (min(color, 1e4) / 0.6);
    v = (v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081);
    return clamp(OUT * v, 0.0, 1.0);
}
#elif defined(TONE_AGX) || defined(TONE_FILMIC)
// Views of Blender, which interpolate a table between grid points that are `GRID_STEP` stops apart. Between them the table
// differs from the formula that it was made from by up to 24 steps of 8 bits. The table is too large for a shader, therefore
// `grid_value` has the formula, and is evaluated at the grid points around a color.
const float MIN_EV = -12.4739312; // 10 stops below middle gray.
const float EV_RANGE = 25.0;

float min3(vec3 v) {
    return min(v.r, min(v.g, v.b));
}

float max3(vec3 v) {
    return max(v.r, max(v.g, v.b));
}

#ifdef TONE_AGX
const float GRID_STEP = EV_RANGE / 56.0;

// AgX by Troy Sobotka and Eary Chow, as in Blender: linear E-Gamut to sRGB with exponent 2.4.
vec3 grid_value(vec3 color) {
    const mat3 REC2020_FROM_EGAMUT = mat3(1.1375889, -0.0190872, -0.0973256, 0.0083505, 1.2153160, -0.1008882,
                                          -0.1459322, -0.1962447, 1.1983626);
    const vec3 REC2020_LUMINANCE = vec3(0.2658180, 0.5984699, 0.1357121);
    const mat3 INSET = mat3(0.8566272, 0.1373190, 0.1118982, 0.0951212, 0.7612420, 0.0767994,
                            0.0482516, 0.1014390, 0.8113024);
    const mat3 SRGB_FROM_OUTSET = mat3(1.9648940, -0.2993091, -0.1643564, -0.8560079, 1.3263919, -0.2382074,
                                       -0.1088861, -0.0270828, 1.4025638);
    const vec3 SRGB_LUMINANCE = vec3(0.2103511, 0.6497978, 0.1398511);
    const float HUE_OF_LIGHT = 0.6;

    // Colors outside the gamut of Rec. 2020 are moved into it.
    color = REC2020_FROM_EGAMUT * color;
    float offset = max(-min3(color), 0.0);
    float luminance = dot(color, REC2020_LUMINANCE);
    color = (color + offset) * ((2.0 * luminance + offset) / (2.0 * luminance + 2.0 * offset));
    color = max(INSET * color, 1e-10);

    // Sigmoid of the logarithm, of which the slope is greatest at middle gray.
    vec3 x = 2.4 * ((log2(color) - MIN_EV) / 16.5 - 10.0 / 16.5);
    vec3 scale = mix(vec3(0.5656756), vec3(0.7151983), greaterThan(x, vec3(0.0)));
    vec3 curve = 0.4894371 + x * pow(1.0 + pow(abs(x) / scale, vec3(1.5)), vec3(-1.0 / 1.5));
    curve = pow(max(curve, 0.0), vec3(2.4));

    // Restores a part of the hue of the light, which is where the middle component is between the other two.
    float low = min3(color);
    vec3 hue = (color - low) / max(max3(color) - low, 1e-20);
    low = min3(curve);
    curve = mix(curve, low + (max3(curve) - low) * hue, HUE_OF_LIGHT);

    // Colors outside the gamut of sRGB are moved into it.
    curve = SRGB_FROM_OUTSET * curve;
    low = min3(curve);
    if (low < 0.0) {
        luminance = dot(curve, SRGB_LUMINANCE);
        vec2 y = vec2(luminance, luminance - low);
        y += (luminance - low) * (1.0 - min(pow(max(y, 0.0), vec2(0.08)), 1.0));
        curve = (curve - low) * (y.x < y.y ? y.x / y.y : 1.0);
    }
    return pow(clamp(curve, 0.0, 1.0), vec3(1.0 / 2.4));
}
#else
const float GRID_STEP = EV_RANGE / 32.0;

// Filmic by Troy Sobotka: linear sRGB to stops. Colors brighter than 6 stops above middle gray fade to white.
vec3 grid_value(vec3 color) {
    const float FADE_START = 0.18 * 64.0;
    const float FADE_END = 0.18 * 32768.0;
    float peak = max3(color);
    float fade = pow(max((peak - FADE_START) / (FADE_END - FADE_START), 0.0), 1.1);
    return log2(mix(color, vec3(peak), fade)) - MIN_EV;
}
#endif

// Tetrahedral interpolation of `grid_value`.
vec3 interpolate_grid(vec3 color) {
    vec3 position = clamp(log2(max(color, 1e-10)) - MIN_EV, 0.0, EV_RANGE) / GRID_STEP;
    vec3 corner = min(floor(position), EV_RANGE / GRID_STEP - 1.0);
    vec3 inside = position - corner;
    float high = max3(inside);
    float low = min3(inside);
    float middle = max(min(inside.r, inside.g), min(max(inside.r, inside.g), inside.b));
    vec4 thresholds = vec4(2.0, high, middle, low);
    vec4 weights = vec4(1.0 - high, high - middle, middle - low, low);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 4; i++) {
        vec3 point = corner + vec3(greaterThanEqual(inside, vec3(thresholds[i])));
        sum += weights[i] * grid_value(exp2(point * GRID_STEP + MIN_EV));
    }
    return sum;
}

#ifdef TONE_AGX
vec3 tone_map(vec3 color) {
    const mat3 EGAMUT_FROM_SRGB = mat3(0.5593711, 0.0762207, 0.0655267, 0.3047833, 0.7879718, 0.1645468,
                                       0.1358456, 0.1358075, 0.7699265);
    return pow(interpolate_grid(EGAMUT_FROM_SRGB * color), vec3(2.4));
}
#else
vec3 tone_map(vec3 color) {
    vec3 x = clamp(interpolate_grid(color) / 16.5, 0.0, 1.0);
    // The curve of Medium Contrast, encoded for sRGB, with an error of at most a quarter of a step of 8 bits.
    vec3 curve = -0.8453899 + x * (-3.7287322 + x * (29.3690978 + x * (-128.3834072 + x * (276.0331485
        + x * (-257.2132032 + x * 85.6004537)))));
    curve = x + x * (1.0 - x) * curve;
    return mix(pow((curve + 0.055) / 1.055, vec3(2.4)), curve / 12.92, lessThanEqual(curve, vec3(0.04045)));
}
#endif
#endif

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
#elif defined(TONE_AGX)
// AgX by Troy Sobotka, with Benjamin Wrensch's polynomial, in Rec. 2020 as in Filament and three.js.
vec3 tone_map(vec3 color) {
    const mat3 REC2020_FROM_SRGB =
        mat3(0.6274, 0.0691, 0.0164, 0.3293, 0.9195, 0.0880, 0.0433, 0.0113, 0.8956);
    const mat3 SRGB_FROM_REC2020 =
        mat3(1.6605, -0.1246, -0.0182, -0.5876, 1.1329, -0.1006, -0.0728, -0.0083, 1.1187);
    const mat3 INSET = mat3(0.856627153315983, 0.137318972929847, 0.11189821299995,
                            0.0951212405381588, 0.761241990602591, 0.0767994186031903,
                            0.0482516061458583, 0.101439036467562, 0.811302368396859);
    const mat3 OUTSET = mat3(1.1271005818144368, -0.1413297634984383, -0.14132976349843826,
                             -0.11060664309660323, 1.157823702216272, -0.11060664309660294,
                             -0.016493938717834573, -0.016493938717834257, 1.2519364065950405);
    const float MIN_EV = -12.47393;
    const float MAX_EV = 4.026069;
    vec3 x = log2(max(INSET * (REC2020_FROM_SRGB * color), 1e-10));
    x = clamp((x - MIN_EV) / (MAX_EV - MIN_EV), 0.0, 1.0);
    vec3 x2 = x * x;
    vec3 x4 = x2 * x2;
    x = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2 + 0.1191 * x - 0.00232;
    x = pow(max(OUTSET * x, 0.0), vec3(2.2));
    return clamp(SRGB_FROM_REC2020 * x, 0.0, 1.0);
}
#endif

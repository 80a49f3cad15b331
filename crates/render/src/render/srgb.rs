//! The sRGB transfer function on the CPU.

/// Decodes an sRGB value from 0 to 1 to linear light.
pub(crate) fn decode_srgb(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) }
}

/// Decodes an sRGB color and appends a linear `alpha`.
pub(crate) fn linear_rgba(color: [f32; 3], alpha: f32) -> [f32; 4] {
    let [r, g, b] = color.map(|x| decode_srgb(f64::from(x)) as f32);
    [r, g, b, alpha]
}

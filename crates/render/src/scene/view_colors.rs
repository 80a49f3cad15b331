//! Colors of view modes.

/// Returns the colors as defines of `shaders/debug_view.frag`.
pub(crate) fn color_defines() -> [(&'static str, String); 8] {
    let vector = |[r, g, b]: [f32; 3]| format!("vec3({r:?}, {g:?}, {b:?})");
    let [middle, low, high] = DIVERGING_COLORS.map(vector);
    let influences: Vec<String> = INFLUENCE_COLORS.iter().map(|(color, _)| vector(*color)).collect();
    [
        ("MIDDLE_COLOR", middle),
        ("LOW_COLOR", low),
        ("HIGH_COLOR", high),
        ("ZERO_WEIGHT_COLOR", vector(ZERO_WEIGHT_COLOR)),
        ("MIN_FULL_COLOR_WEIGHT", format!("{MIN_FULL_COLOR_WEIGHT:?}")),
        ("FRONT_COLOR", vector(FRONT)),
        ("BACK_COLOR", vector(BACK)),
        ("INFLUENCE_COLORS", influences.join(", ")),
    ]
}

/// Front faces, as in Blender's face orientation.
pub(super) const FRONT: [f32; 3] = [0.25, 0.42, 0.9];
/// Back faces.
pub(super) const BACK: [f32; 3] = [0.9, 0.24, 0.2];

/// Color of a weight of 0. Shading is visible on gray, and was not on Blender's dark blue.
const ZERO_WEIGHT_COLOR: [f32; 3] = [0.62; 3];

/// Least weight whose color is Blender's. Smaller ones are partly gray.
const MIN_FULL_COLOR_WEIGHT: f32 = 0.2;

/// Returns the sRGB-encoded color of a weight from 0 to 1, as `shaders/debug_view.frag` does: gray at 0, then that of Blender.
pub fn weight_color(weight: f32) -> [f32; 3] {
    // The root emphasizes small weights.
    let t = (weight.clamp(0.0, 1.0) / MIN_FULL_COLOR_WEIGHT).min(1.0).sqrt();
    let of_blender = weight_paint_color(weight);
    [0, 1, 2].map(|i| ZERO_WEIGHT_COLOR[i] + (of_blender[i] - ZERO_WEIGHT_COLOR[i]) * t)
}

/// Returns the sRGB-encoded color of a weight from 0 to 1 in Blender's Weight Paint, as `shaders/debug_view.frag` does: dark blue,
/// green, yellow and red (`BKE_defvert_weight_to_rgb`).
pub fn weight_paint_color(weight: f32) -> [f32; 3] {
    let w = weight.clamp(0.0, 1.0);
    let bright = 0.5 * w + 0.5;
    let up = |from: f32| ((w - from) * 4.0).clamp(0.0, 1.0);
    [bright * up(0.5), bright * up(0.0) * (1.0 - up(0.75)), bright * (1.0 - up(0.25))]
}

/// Colors of joint counts, with labels.
pub(super) const INFLUENCE_COLORS: [([f32; 3], &str); 9] = [
    ([0.55, 0.55, 0.55], "rigid"),
    ([0.20, 0.36, 0.80], "1"),
    ([0.13, 0.62, 0.77], "2"),
    ([0.22, 0.72, 0.42], "3"),
    ([0.66, 0.81, 0.25], "4"),
    ([0.97, 0.78, 0.20], "5"),
    ([0.96, 0.53, 0.17], "6"),
    ([0.88, 0.26, 0.20], "7"),
    ([0.70, 0.14, 0.45], "8"),
];

/// Returns the sRGB-encoded color of a joint count; 0 is a rigid mesh.
pub fn influence_color(count: usize) -> [f32; 3] {
    INFLUENCE_COLORS[count.min(INFLUENCE_COLORS.len() - 1)].0
}

/// Colors of 0, -1 and 1 of a diverging ramp.
const DIVERGING_COLORS: [[f32; 3]; 3] = [[0.86, 0.86, 0.84], [0.13, 0.35, 0.85], [0.84, 0.15, 0.12]];

/// Returns an sRGB-encoded diverging color: blue at -1, light gray at 0, red at 1.
pub fn diverging_color(x: f32) -> [f32; 3] {
    let [middle, low, high] = DIVERGING_COLORS;
    let (end, t) = if x < 0.0 { (low, -x) } else { (high, x) };
    let t = t.min(1.0);
    [0, 1, 2].map(|i| middle[i] + (end[i] - middle[i]) * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_colors_are_those_of_blender_but_for_gray_at_zero() {
        assert_eq!(weight_color(0.0), ZERO_WEIGHT_COLOR);
        let [red, green, blue] = weight_color(0.02);
        assert!(blue - red > 0.05 && blue - green > 0.05, "small weights are visible: {red} {green} {blue}");
        assert_eq!(weight_paint_color(0.0), [0.0, 0.0, 0.5]);
        assert_eq!(weight_color(0.25), [0.0, 0.625, 0.625]);
        assert_eq!(weight_color(0.5), [0.0, 0.75, 0.0]);
        assert_eq!(weight_color(0.75), [0.875, 0.875, 0.0]);
        assert_eq!(weight_color(1.0), [1.0, 0.0, 0.0]);
    }
}

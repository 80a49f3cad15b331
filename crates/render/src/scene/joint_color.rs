//! Colors that distinguish joints.

use rigview_core::model::JointIndex;

/// Returns the sRGB-encoded color of a joint. Neighbors in the hierarchy have distant hues.
pub fn joint_color(joint: JointIndex) -> [f32; 3] {
    let fract = |x: f64| x - x.floor();
    // Golden ratio steps distribute any number of hues.
    let hue = fract(0.08 + f64::from(joint.0) * 0.618_033_988_749_895) * 6.0;
    let (value, saturation) = [(0.95, 0.62), (0.78, 0.78), (0.98, 0.40)][joint.0 as usize % 3];
    let channel = |offset: f64| {
        let k = (offset + hue).rem_euclid(6.0);
        (value - value * saturation * k.min(4.0 - k).clamp(0.0, 1.0)) as f32
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

//! The studio: lights and surroundings that let a model look its best without anyone setting up lights.

use super::blocks::FrameBlock;

/// Towards each lamp (not unit length), and its colour times illuminance: a warm key from the upper left of the model's
/// front, a cool rim from behind its right.
const LAMPS: [([f32; 3], [f32; 3]); 2] =
    [([-0.55, 0.80, 0.62], [2.75, 2.58, 2.32]), ([0.62, 0.35, -0.80], [0.95, 1.08, 1.30])];

/// Light from above, and how bright the panel overhead is in mirrors.
const SKY: [f32; 4] = [0.42, 0.45, 0.50, 0.9];

/// Light from below.
const GROUND: [f32; 4] = [0.135, 0.125, 0.115, 0.0];

/// Sets the studio up in `block`.
pub(crate) fn light_studio(block: &mut FrameBlock) {
    (block.sky, block.ground) = (SKY, GROUND);
    for (i, ([x, y, z], [r, g, b])) in LAMPS.into_iter().enumerate() {
        let length = (x * x + y * y + z * z).sqrt();
        block.to_light_in_world[i] = [x / length, y / length, z / length, 0.0];
        block.light_colour[i] = [r, g, b, 0.0];
    }
    block.light_count = LAMPS.len() as i32;
}

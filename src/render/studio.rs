//! The studio: surroundings that let a model look its best without anyone setting up lights.

use super::blocks::FrameBlock;

/// Light from above, and how bright the panel overhead is in mirrors.
const SKY: [f32; 4] = [0.42, 0.45, 0.50, 0.9];

/// Light from below.
const GROUND: [f32; 4] = [0.135, 0.125, 0.115, 0.0];

/// Sets the studio up in `block`.
pub(crate) fn light_studio(block: &mut FrameBlock) {
    (block.sky, block.ground) = (SKY, GROUND);
}

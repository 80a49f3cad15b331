//! Animation curves of a joint, the time axis that they are drawn on, and transforms and channels as text.

mod euler_angles;
mod joint_curves;
mod ruler;
mod text;

pub use euler_angles::nearest_euler_angles;
pub use joint_curves::{CurveChannel, JointCurves};
pub use ruler::{Ruler, Tick, round_step};
pub use text::{aligned, channels, matrix, transform_lines, trimmed};

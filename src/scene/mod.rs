//! What to draw at one instant, as plain data.

mod bones;
mod camera;
mod environment;
mod frame;
mod framing;
mod ground;
pub mod layout;
mod legend;
mod lighting;
mod look;
mod orbit;
mod overlay;
mod tone_mapping;

pub use bones::{BoneStyle, shown_joints};
pub use camera::{Camera, Lens};
pub use environment::Environment;
pub use frame::{Background, Frame, Posed};
pub use framing::{clip_hull, fit_camera};
pub use ground::Ground;
pub use legend::{Legend, diverging_colour, influence_colour, joint_colour, weight_colour};
pub use lighting::{Cone, Light, LightSource, Lighting, MAX_LIGHTS, Surroundings};
pub use look::{Companion, Look, LookTable, Surface};
pub use orbit::Orbit;
pub use overlay::{Grid, Marks, Overlay};
pub use tone_mapping::ToneMapping;

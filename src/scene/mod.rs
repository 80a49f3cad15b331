//! What to draw at one instant, as plain data.

mod camera;
mod environment;
mod frame;
mod framing;
mod lighting;
mod orbit;
mod tone_mapping;

pub use camera::{Camera, Lens};
pub use environment::Environment;
pub use frame::{Background, Frame};
pub use framing::{clip_hull, fit_camera};
pub use lighting::{Cone, Light, LightSource, Lighting, MAX_LIGHTS, Surroundings};
pub use orbit::Orbit;
pub use tone_mapping::ToneMapping;

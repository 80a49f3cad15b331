//! The contents of one frame as plain data: cameras, lights, framing, debug geometry, instance layouts.

mod bones;
mod camera;
mod clip_hull;
mod debug_view;
mod detail;
mod emission;
mod environment;
mod frame;
mod frame_samples;
mod framing;
mod joint_color;
pub mod layout;
mod legend;
mod lighting;
mod orbit;
mod overlay;
mod sun_shadow;
mod tone_mapping;
mod vertex_clusters;

pub use bones::{BoneStyle, shown_joints};
pub use camera::{Aperture, Camera, Lens};
pub use clip_hull::{clip_hull, clip_hull_about};
pub use debug_view::{DebugView, GhostPose, JointTable, ViewMode};
pub use detail::DetailSelection;
pub use emission::{EmissionTexture, EmittingCrowd, VirtualPointLight, virtual_point_lights};
pub use environment::{CubeMap, Environment, Sky};
pub use frame::{Background, Frame, PosedCrowd};
pub use frame_samples::{FrameSample, FrameSamples, GgxSample, ShadowedLight, ShadowedLightKind};
pub use framing::{fit_camera, fit_orthographic};
pub use joint_color::joint_color;
pub use legend::{Legend, diverging_color, influence_color, weight_color};
pub use lighting::{Cone, EnvironmentLight, Light, LightKind, Lighting, MAX_LIGHTS};
pub use orbit::{DEFAULT_FOV_Y, Orbit};
pub use overlay::{DebugLines, Grid, Overlay};
pub use sun_shadow::{ShadowCatcher, SunShadow};
pub use tone_mapping::ToneMapping;

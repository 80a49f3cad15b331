//! Requests to load, pose, light and render, as plain data.
//!
//! The fields are the options of the command line, and their documentation is its help. The window builds requests from its
//! state, and suites read them from a file. A value's text form is that of its option: `FromStr` and `Display` are inverse.

/// Headings of options that only some users need.
pub(crate) const POSE_HEADING: &str = "Pose";
pub(crate) const LIGHT_DETAILS_HEADING: &str = "Lighting details";
pub(crate) const RENDERING_DETAILS_HEADING: &str = "Rendering details";
pub(crate) const FILE_ACCESS_HEADING: &str = "File access and limits";

mod conversion;
mod crowd;
mod debug_view;
mod import;
mod light;
mod ownership;
mod parse;
mod pose;
mod render;
mod scene;
mod view;

pub use conversion::{CONVERTIBLE_EXTENSIONS, ConversionRequest, ConverterCommand, is_convertible};
pub use crowd::{ClipWeight, CrowdRequest, LayoutRequest, MAX_INSTANCES, ModelSpec, is_model_file, is_motion_file};
pub use debug_view::{DebugViewRequest, GhostsRequest, OverlayRequest, PartKind, PartRequest, ViewModeRequest};
pub(crate) use debug_view::{OVERLAYS, skinning_name};
pub use import::ImportRequest;
pub(crate) use light::TONE_MAPPINGS;
pub use light::{EnvironmentRequest, ExposureRequest, LightRequest, PANORAMA_FILE_EXTENSIONS, is_panorama_file};
pub(crate) use ownership::OfView;
pub use parse::{finite, limit, numbers};
pub(crate) use parse::{from_0_to_1, non_negative, positive, shortest_f64, size, with_names};
pub use pose::{JointPose, JointPoseRequest, LayerRequest, MorphWeightRequest};
pub use render::{
    BackgroundRequest, ContactSheetRequest, DEFAULT_BACKGROUND_BLUR, MAX_SAMPLES, Quality, RenderRequest, VideoRequest,
};
pub use scene::{ALL_CLIPS, GroundRequest, LookAtRequest, MotionRequest, SceneRequest, TimeRequest, rig_map_file};
pub use view::{ViewRequest, WindowRequest};

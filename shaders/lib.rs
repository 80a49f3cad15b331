//! The GLSL 3.30 shaders of rigview.
//!
//! The files have neither `#version` nor parameters: `rigview-render` adds both before compilation, and concatenates files.

/// `ambient_occlusion.frag`
pub const AMBIENT_OCCLUSION_FRAG: &str = include_str!("ambient_occlusion.frag");
/// `ambient_occlusion.glsl`
pub const AMBIENT_OCCLUSION_GLSL: &str = include_str!("ambient_occlusion.glsl");
/// `ambient_occlusion_blur.frag`
pub const AMBIENT_OCCLUSION_BLUR_FRAG: &str = include_str!("ambient_occlusion_blur.frag");
/// `background.frag`
pub const BACKGROUND_FRAG: &str = include_str!("background.frag");
/// `background.vert`
pub const BACKGROUND_VERT: &str = include_str!("background.vert");
/// `brdf.glsl`
pub const BRDF_GLSL: &str = include_str!("brdf.glsl");
/// `compare.frag`
pub const COMPARE_FRAG: &str = include_str!("compare.frag");
/// `debug_view.frag`
pub const DEBUG_VIEW_FRAG: &str = include_str!("debug_view.frag");
/// `debug_view.geom`
pub const DEBUG_VIEW_GEOM: &str = include_str!("debug_view.geom");
/// `debug_view.glsl`
pub const DEBUG_VIEW_GLSL: &str = include_str!("debug_view.glsl");
/// `debug_view.vert`
pub const DEBUG_VIEW_VERT: &str = include_str!("debug_view.vert");
/// `environment.glsl`
pub const ENVIRONMENT_GLSL: &str = include_str!("environment.glsl");
/// `shadowed_light.glsl`
pub const SHADOWED_LIGHT_GLSL: &str = include_str!("shadowed_light.glsl");
/// `material_feature_inputs.glsl`
pub const MATERIAL_FEATURE_INPUTS_GLSL: &str = include_str!("material_feature_inputs.glsl");
/// `material_features.glsl`
pub const MATERIAL_FEATURES_GLSL: &str = include_str!("material_features.glsl");
/// `mesh.frag`
pub const MESH_FRAG: &str = include_str!("mesh.frag");
/// `mesh.vert`
pub const MESH_VERT: &str = include_str!("mesh.vert");
/// `overlay.frag`
pub const OVERLAY_FRAG: &str = include_str!("overlay.frag");
/// `overlay.vert`
pub const OVERLAY_VERT: &str = include_str!("overlay.vert");
/// `resolve.frag`
pub const RESOLVE_FRAG: &str = include_str!("resolve.frag");
/// `screen.vert`
pub const SCREEN_VERT: &str = include_str!("screen.vert");
/// `shadow.glsl`
pub const SHADOW_GLSL: &str = include_str!("shadow.glsl");
/// `shadow_catcher.frag`
pub const SHADOW_CATCHER_FRAG: &str = include_str!("shadow_catcher.frag");
/// `shadow_catcher.vert`
pub const SHADOW_CATCHER_VERT: &str = include_str!("shadow_catcher.vert");
/// `g_buffer.glsl`
pub const G_BUFFER_GLSL: &str = include_str!("g_buffer.glsl");
/// `tone.glsl`
pub const TONE_GLSL: &str = include_str!("tone.glsl");
/// `uniforms.glsl`
pub const UNIFORMS_GLSL: &str = include_str!("uniforms.glsl");

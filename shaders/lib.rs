//! The GLSL 3.30 shaders of rigview.
//!
//! The files have neither `#version` nor parameters: `rigview-render` adds both before compilation, and concatenates files.

/// A file of GLSL.
#[derive(Clone, Copy, Debug)]
pub struct GlslFile {
    /// File name, for messages.
    pub name: &'static str,
    /// Contents.
    pub text: &'static str,
}

macro_rules! glsl_files {
    ($($constant:ident = $name:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: GlslFile = GlslFile { name: $name, text: include_str!($name) };
        )*
    };
}

glsl_files! {
    AMBIENT_OCCLUSION_FRAG = "ambient_occlusion.frag";
    AMBIENT_OCCLUSION_GLSL = "ambient_occlusion.glsl";
    AMBIENT_OCCLUSION_BLUR_FRAG = "ambient_occlusion_blur.frag";
    BACKGROUND_FRAG = "background.frag";
    BACKGROUND_VERT = "background.vert";
    BRDF_GLSL = "brdf.glsl";
    COMPARE_FRAG = "compare.frag";
    DEBUG_VIEW_FRAG = "debug_view.frag";
    DEBUG_VIEW_GEOM = "debug_view.geom";
    DEBUG_VIEW_GLSL = "debug_view.glsl";
    DEBUG_VIEW_VERT = "debug_view.vert";
    ENVIRONMENT_GLSL = "environment.glsl";
    G_BUFFER_GLSL = "g_buffer.glsl";
    GROUND_SHADOW_FRAG = "ground_shadow.frag";
    MATERIAL_FEATURE_INPUTS_GLSL = "material_feature_inputs.glsl";
    MATERIAL_FEATURES_GLSL = "material_features.glsl";
    MESH_FRAG = "mesh.frag";
    MESH_VERT = "mesh.vert";
    OVERLAY_FRAG = "overlay.frag";
    OVERLAY_VERT = "overlay.vert";
    RESOLVE_FRAG = "resolve.frag";
    SCREEN_VERT = "screen.vert";
    SHADOW_GLSL = "shadow.glsl";
    SHADOW_CATCHER_GLSL = "shadow_catcher.glsl";
    SHADOW_CATCHER_FRAG = "shadow_catcher.frag";
    SHADOW_CATCHER_VERT = "shadow_catcher.vert";
    SHADOW_LAYERS_FRAG = "shadow_layers.frag";
    SAMPLED_LIGHT_GLSL = "sampled_light.glsl";
    TONE_GLSL = "tone.glsl";
    UNIFORMS_GLSL = "uniforms.glsl";
}

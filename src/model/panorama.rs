//! A picture of all directions.

/// Light from all directions as a picture twice as wide as high: its middle is towards +X, three quarters along towards
/// +Z, its top row towards +Y. So do three.js, the Khronos Sample Viewer and Blender.
#[derive(Clone, Debug, PartialEq)]
pub struct Panorama {
    /// Width in texels; not 0.
    pub width: usize,
    /// Height in texels; not 0.
    pub height: usize,
    /// Rows from the top: linear red, green, blue.
    pub texels: Vec<[f32; 3]>,
}

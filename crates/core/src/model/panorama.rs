//! Equirectangular panoramas.

/// Equirectangular panorama, twice as wide as high: the center is +X, three quarters of the width is +Z, the top is +Y.
///
/// three.js, the Khronos Sample Viewer and Blender use the same orientation.
#[derive(Clone, Debug, PartialEq)]
pub struct Panorama {
    /// Width in texels; not 0.
    pub width: usize,
    /// Height in texels; not 0.
    pub height: usize,
    /// Linear RGB, rows from the top.
    pub texels: Vec<[f32; 3]>,
}

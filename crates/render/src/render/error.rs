//! Errors of uploading and drawing.

use crate::gpu::GpuError;

/// A model or a frame cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The driver failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A skin exceeds the driver's buffer texture limit.
    #[error(
        "a skin of {joints} joints takes {texels} texels, but this driver's buffer textures hold {limit}: \
         split the mesh into parts that use fewer joints each"
    )]
    SkinTooLarge {
        /// Joints of the skin.
        joints: usize,
        /// Texels of their matrices.
        texels: usize,
        /// Limit of the driver or of the options.
        limit: usize,
    },
    /// A mesh has too many morph targets for the driver.
    #[error(
        "a mesh of {targets} morph targets takes {texels} texels for their weights, but this driver's buffer textures \
         hold {limit}: merge or remove targets"
    )]
    TooManyTargets {
        /// Morph targets, rounded up to a multiple of four.
        targets: usize,
        /// Texels of their weights.
        texels: usize,
        /// Limit of the driver or of the options.
        limit: usize,
    },
    /// All morph targets together exceed the driver's array texture limit.
    #[error("the morph targets take {texels} texels, but this driver's array textures hold {limit}: remove targets")]
    MorphsTooLarge {
        /// Texels of all nonzero deltas.
        texels: usize,
        /// Limit of the driver.
        limit: usize,
    },
    /// An image exceeds the driver's texture size.
    #[error("an image of {width} x {height} pixels is too large: this driver supports at most {limit} x {limit}")]
    ImageTooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Limit of the driver.
        limit: u32,
    },
    /// A progressive image has too many pixels.
    #[error("a progressive image of {width} x {height} pixels is too large: the limit is {limit} pixels in all")]
    ProgressiveImageTooLarge {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
        /// Maximum number of pixels.
        limit: u64,
    },
    /// An image has no pixels.
    #[error("an image of {width} x {height} pixels is empty")]
    EmptyImage {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// A frame has too many lights.
    #[error("{count} lights are too many: a frame supports at most {limit}")]
    TooManyLights {
        /// Lights of the frame.
        count: usize,
        /// Maximum number of lights.
        limit: usize,
    },
    /// A debug view's joint table exceeds the driver's buffer texture limit.
    #[error("{matrices} joints and meshes are too many for this view mode; this driver's buffer textures hold {limit}")]
    DebugViewTooLarge {
        /// Matrices of one instance.
        matrices: usize,
        /// Limit of the driver.
        limit: usize,
    },
}

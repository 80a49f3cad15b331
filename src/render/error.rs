//! Why a model or a frame cannot be drawn.

use crate::gpu::GpuError;

/// A failure to draw.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The driver failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A skin is too large for the driver, even alone.
    #[error(
        "a skin of {joints} joints takes {texels} texels, but this driver's buffer textures hold {limit}: \
         split the mesh into parts that use fewer joints each"
    )]
    SkinTooLarge {
        /// Its joints.
        joints: usize,
        /// The texels that their matrices take.
        texels: usize,
        /// The driver's limit, or the one set in the options.
        limit: usize,
    },
    /// A mesh has too many morph targets for the driver.
    #[error(
        "a mesh of {targets} morph targets takes {texels} texels for their weights, but this driver's buffer textures \
         hold {limit}: merge or remove targets"
    )]
    TooManyTargets {
        /// Its targets, rounded up to a multiple of four.
        targets: usize,
        /// The texels that their weights take.
        texels: usize,
        /// The driver's limit, or the one set in the options.
        limit: usize,
    },
    /// All morph targets together are too large for the driver.
    #[error("the morph targets take {texels} texels, but this driver's array textures hold {limit}")]
    MorphsTooLarge {
        /// The texels of all deltas that are not zero.
        texels: usize,
        /// The driver's limit.
        limit: usize,
    },
    /// A picture is too large for the driver.
    #[error("a picture of {width} x {height} pixels is asked for, but this driver draws at most {limit} each way")]
    ImageTooLarge {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
        /// The driver's limit.
        limit: u32,
    },
    /// A picture without pixels.
    #[error("a picture of {width} x {height} pixels has none")]
    EmptyImage {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// More lights than a frame takes.
    #[error("{count} lights are asked for, but a frame takes at most {limit}")]
    TooManyLights {
        /// The lights asked for.
        count: usize,
        /// The most there may be.
        limit: usize,
    },
    /// A look has more matrices to tell of than the driver holds.
    #[error(
        "{matrices} joints and meshes are too many for this way of looking; this driver's buffer textures hold {limit}"
    )]
    DebugViewTooLarge {
        /// Matrices of one instance.
        matrices: usize,
        /// The driver's limit.
        limit: usize,
    },
}

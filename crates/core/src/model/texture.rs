//! Textures, samplers and images.

use super::ImageIndex;

/// Texture: an image with a sampler.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Name in the file.
    pub name: Option<String>,
    /// Image; `None` if it cannot be decoded, and a checkerboard replaces it.
    pub image: Option<ImageIndex>,
    /// Sampler.
    pub sampler: Sampler,
}

/// Texture sampler (glTF 2.0, section 3.8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// Magnification filter.
    pub magnify: Filter,
    /// Minification filter within a mip level.
    pub minify: Filter,
    /// Filter between mip levels; `None` for no mipmaps.
    pub mipmap: Option<Filter>,
    /// Wrap mode along U.
    pub wrap_u: Wrap,
    /// Wrap mode along V.
    pub wrap_v: Wrap,
}

impl Default for Sampler {
    /// Trilinear and repeated.
    fn default() -> Self {
        Self {
            magnify: Filter::Linear,
            minify: Filter::Linear,
            mipmap: Some(Filter::Linear),
            wrap_u: Wrap::Repeat,
            wrap_v: Wrap::Repeat,
        }
    }
}

/// Texture filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest texel or level.
    Nearest,
    /// Linear interpolation of the neighbors.
    Linear,
}

/// Wrap mode of texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Repeats the image.
    Repeat,
    /// Repeats the image, every other one mirrored.
    MirroredRepeat,
    /// Repeats the texel at the edge.
    ClampToEdge,
}

/// Decoded image.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Name in the file, else the name of its own file.
    pub name: Option<String>,
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// RGBA bytes, rows from the top, straight alpha. Empty if only the size was read, as for images that no
    /// material uses.
    pub rgba: Vec<u8>,
    /// Mip levels from the file, stored like `rgba`. The first has half the size of the image, rounded down. The chain
    /// may be empty or incomplete.
    pub mipmaps: Vec<Vec<u8>>,
    /// Block-compressed texels. If present, `rgba` and `mipmaps` are empty.
    pub compressed: Option<CompressedImage>,
}

/// Block-compressed image with mip levels.
#[derive(Clone, Debug)]
pub struct CompressedImage {
    /// Format of the blocks.
    pub format: BlockFormat,
    /// Blocks per mip level, rows from the top. Complete down to 1 by 1 texel if the sampler uses mipmaps.
    pub levels: Vec<Vec<u8>>,
}

/// Block format: 16 bytes for 4 by 4 texels with alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockFormat {
    /// ASTC of 4 by 4 texels.
    Astc4x4,
    /// BC3, also known as DXT5: S3TC.
    Bc3,
    /// BC7: BPTC.
    Bc7,
    /// ETC2 with EAC.
    Etc2,
}

impl BlockFormat {
    /// Returns the bytes of a mip level of this width and height in texels, equal for all formats.
    pub fn level_bytes(width: u32, height: u32) -> usize {
        width.div_ceil(4) as usize * height.div_ceil(4) as usize * 16
    }
}

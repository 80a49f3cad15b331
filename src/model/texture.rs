//! Pictures on surfaces.

use super::ImageIndex;

/// An image and how it is sampled.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Its name in the file.
    pub name: Option<String>,
    /// Its image; `None` where the file names none that can be read, and a checker stands in.
    pub image: Option<ImageIndex>,
    /// How texels become samples.
    pub sampler: Sampler,
}

/// How texels become samples (glTF 2.0, section 3.8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// When a texel covers more than a pixel.
    pub magnify: Filter,
    /// When a pixel covers more than a texel.
    pub minify: Filter,
    /// Between mipmap levels when minifying; `None` for no mipmaps.
    pub mipmap: Option<Filter>,
    /// Outside 0..1 along U.
    pub wrap_u: Wrap,
    /// Outside 0..1 along V.
    pub wrap_v: Wrap,
}

impl Default for Sampler {
    /// Smooth and repeated: the choice where a file says nothing.
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

/// Which of several texels, or levels, make a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest one.
    Nearest,
    /// A mix of the neighbors.
    Linear,
}

/// What lies outside the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The image again.
    Repeat,
    /// The image's mirror image, in turns.
    MirroredRepeat,
    /// The color of the edge.
    ClampToEdge,
}

/// A decoded picture.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// Its name in the file.
    pub name: Option<String>,
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Rows from the top, four bytes a texel: red, green, blue, straight alpha. Empty when only the size was
    /// asked for, and for images that no material shows.
    pub rgba: Vec<u8>,
    /// The smaller copies that the file brings, stored like `rgba`: each half as large as the one before it, rounded
    /// down, the first half as large as the image. There may be none, or too few.
    pub mipmaps: Vec<Vec<u8>>,
    /// The image in a form that GPUs sample as it is; `rgba` and `mipmaps` are empty then.
    pub blocks: Option<Blocks>,
}

/// A picture and its smaller copies in blocks of 4 by 4 texels.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// What a block is.
    pub format: BlockFormat,
    /// The blocks of each level in rows from the top; as many levels as it takes to get to a single texel.
    pub levels: Vec<Vec<u8>>,
}

/// Blocks of 16 bytes for 4 by 4 texels with opacity, as GPUs sample them.
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
    /// Bytes of a level of this width and height, whatever the format.
    pub fn level_bytes((width, height): (u32, u32)) -> usize {
        width.div_ceil(4) as usize * height.div_ceil(4) as usize * 16
    }
}

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

impl Image {
    /// Halves the image until width and height are at most `max_dimension`. Takes its mip levels, else the mean of two by two
    /// encoded texels. Keeps block-compressed texels.
    pub fn shrink(&mut self, max_dimension: u32) {
        let size = shrunk_size([self.width, self.height], max_dimension);
        while [self.width, self.height] != size && !self.rgba.is_empty() {
            let half = half_size([self.width, self.height]);
            self.rgba = match self.mipmaps.is_empty() {
                false => self.mipmaps.remove(0),
                true => halved(&self.rgba, [self.width, self.height]),
            };
            [self.width, self.height] = half;
        }
    }
}

/// Returns the width and height of an image after [`Image::shrink`].
pub(crate) fn shrunk_size(mut size: [u32; 2], max_dimension: u32) -> [u32; 2] {
    while size[0].max(size[1]) > max_dimension.max(1) {
        size = half_size(size);
    }
    size
}

fn half_size(size: [u32; 2]) -> [u32; 2] {
    size.map(|size| (size / 2).max(1))
}

/// Returns the means of two by two texels. An axis of one texel is not halved.
fn halved(rgba: &[u8], size: [u32; 2]) -> Vec<u8> {
    let ([width, height], [half_width, half_height]) = (size.map(|x| x as usize), half_size(size).map(|x| x as usize));
    let texels: &[[u8; 4]] = rgba.as_chunks().0;
    let (step_x, step_y) = (usize::from(width > 1), if height > 1 { width } else { 0 });
    let mut means = Vec::with_capacity(half_width * half_height * 4);
    for y in 0..half_height {
        for x in 0..half_width {
            let first = 2 * (y * width + x);
            let corners = [0, step_x, step_y, step_x + step_y].map(|step| texels.get(first + step).copied());
            let corners = corners.map(|texel| texel.unwrap_or_default().map(u16::from));
            means.extend((0..4).map(|i| ((corners.iter().map(|texel| texel[i]).sum::<u16>() + 2) / 4) as u8));
        }
    }
    means
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

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32, reds: &[u8]) -> Image {
        let rgba = reds.iter().flat_map(|red| [*red, 0, 0, 255]).collect();
        Image { width, height, rgba, ..Image::default() }
    }

    fn shrunk(mut image: Image, max_dimension: u32) -> (u32, u32, Vec<u8>) {
        image.shrink(max_dimension);
        (image.width, image.height, image.rgba.chunks(4).map(|texel| texel[0]).collect())
    }

    #[test]
    fn shrunk_images_are_means_of_their_texels() {
        assert_eq!(shrunk(image(2, 2, &[0, 10, 20, 30]), 1), (1, 1, vec![15]));
        assert_eq!(shrunk(image(4, 1, &[0, 10, 20, 40]), 2), (2, 1, vec![5, 30]));
        assert_eq!(shrunk(image(1, 3, &[8, 16, 99]), 2), (1, 1, vec![12]));
        assert_eq!(shrunk(image(2, 1, &[1, 2]), 2), (2, 1, vec![1, 2]));
        assert_eq!(shrunk(image(3, 3, &[4, 4, 9, 4, 4, 9, 9, 9, 9]), 0), (1, 1, vec![4]));
    }

    #[test]
    fn shrunk_images_take_their_mip_levels_first() {
        let mipmaps = vec![vec![7, 0, 0, 255, 9, 0, 0, 255]];
        assert_eq!(shrunk(Image { mipmaps, ..image(4, 2, &[0; 8]) }, 1), (1, 1, vec![8]));
    }
}

//! An image in memory.

use std::fmt;

/// An sRGB image with 8 bits per channel and straight alpha, rows from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct RgbaImage {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl fmt::Debug for RgbaImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RgbaImage of {} x {}", self.width, self.height)
    }
}

impl RgbaImage {
    /// Wraps pixel data.
    ///
    /// # Panics
    /// If `rgba` is not `width * height * 4` bytes.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Self {
        assert_eq!(rgba.len(), width as usize * height as usize * 4, "four bytes per pixel");
        Self { width, height, rgba }
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// The pixel data.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Returns `true` if a viewer hardly sees a difference: at most one of 200 pixels differs by more than 8 of 255 in a channel.
    pub fn is_alike(&self, other: &Self) -> bool {
        let differs = |[a, b]: [[u8; 4]; 2]| a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 8);
        let count = self.pixels().zip(other.pixels()).filter(|(a, b)| differs([*a, *b])).count();
        self.size() == other.size() && count * 200 <= self.width as usize * self.height as usize
    }

    pub(super) fn pixels(&self) -> impl Iterator<Item = [u8; 4]> + '_ {
        self.rgba.as_chunks::<4>().0.iter().copied()
    }

    pub(super) fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        let at = (y * self.width as usize + x) * 4;
        [self.rgba[at], self.rgba[at + 1], self.rgba[at + 2], self.rgba[at + 3]]
    }

    /// Composites the image over middle gray, so that transparent pixels have a defined color.
    pub(super) fn over_gray(&self) -> Vec<[u8; 3]> {
        const GRAY: u32 = 128;
        let over = |color: u8, alpha: u8| {
            let alpha = u32::from(alpha);
            ((u32::from(color) * alpha + GRAY * (255 - alpha) + 127) / 255) as u8
        };
        self.pixels().map(|[r, g, b, a]| [over(r, a), over(g, a), over(b, a)]).collect()
    }
}

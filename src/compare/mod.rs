//! Two pictures to measures: how far apart they are, to a computer and to an eye.
//!
//! Pictures are four bytes a pixel, rows from the top, straight alpha, sRGB. Everything is computed in one order and with
//! the arithmetic of the `libm` crate, so that a verdict is the same on every machine and any number of threads.

mod antialias;
mod flip;
mod limits;
mod measures;
mod panels;

pub use limits::{Driver, Excess, Limit, Limits};
pub use measures::Measures;
pub use panels::{difference, side_by_side, thumbnail};

/// A picture of four bytes a pixel, rows from the top, straight alpha.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture of {} x {}", self.width, self.height)
    }
}

impl Picture {
    /// A picture of these bytes.
    ///
    /// # Panics
    /// If `rgba` is not `width * height * 4` bytes.
    pub fn new(width: u32, height: u32, rgba: Vec<u8>) -> Self {
        assert_eq!(rgba.len(), width as usize * height as usize * 4, "four bytes a pixel");
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

    /// The bytes.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    fn pixels(&self) -> impl Iterator<Item = [u8; 4]> + '_ {
        self.rgba.as_chunks::<4>().0.iter().copied()
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 4] {
        let at = (y * self.width as usize + x) * 4;
        [self.rgba[at], self.rgba[at + 1], self.rgba[at + 2], self.rgba[at + 3]]
    }

    /// The picture in front of a middle gray, opaque: what is transparent has no color of its own.
    fn over_gray(&self) -> Vec<[u8; 3]> {
        const GRAY: u32 = 128;
        let over = |color: u8, alpha: u8| {
            let alpha = u32::from(alpha);
            ((u32::from(color) * alpha + GRAY * (255 - alpha) + 127) / 255) as u8
        };
        self.pixels().map(|[r, g, b, a]| [over(r, a), over(g, a), over(b, a)]).collect()
    }
}

#[cfg(test)]
mod tests;

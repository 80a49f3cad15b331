//! Pixels that a comparison ignores.

use super::RgbaImage;

/// A set of ignored pixels of an image.
#[derive(Clone, Debug)]
pub struct Mask {
    width: u32,
    height: u32,
    ignored: Vec<bool>,
}

impl Mask {
    /// An empty mask for an image of `size`.
    pub fn new([width, height]: [u32; 2]) -> Self {
        Self { width, height, ignored: vec![false; width as usize * height as usize] }
    }

    /// Adds a rectangle: left, top, width and height in pixels. Parts outside the image have no effect.
    pub fn add_rect(&mut self, [left, top, width, height]: [u32; 4]) {
        let columns = left.min(self.width) as usize..left.saturating_add(width).min(self.width) as usize;
        for y in top..top.saturating_add(height).min(self.height) {
            let row = y as usize * self.width as usize;
            self.ignored[row + columns.start..row + columns.end].fill(true);
        }
    }

    /// Adds a rectangle in fractions of the image's width and height, rounded outward to pixels.
    pub fn add_fraction(&mut self, [left, top, width, height]: [f64; 4]) {
        let range = |start: f64, length: f64, size: u32| {
            let first = (start * f64::from(size)).floor() as u32;
            (first, ((start + length) * f64::from(size)).ceil() as u32 - first)
        };
        let ((left, width), (top, height)) = (range(left, width, self.width), range(top, height, self.height));
        self.add_rect([left, top, width, height]);
    }

    /// Adds the pixels of `image` that are neither black nor transparent. Returns `false` if its size differs.
    pub fn add_image(&mut self, image: &RgbaImage) -> bool {
        if image.size() != [self.width, self.height] {
            return false;
        }
        let is_set = |[r, g, b, a]: [u8; 4]| a > 0 && (r, g, b) != (0, 0, 0);
        self.ignored.iter_mut().zip(image.pixels()).for_each(|(ignored, pixel)| *ignored |= is_set(pixel));
        true
    }

    /// Number of ignored pixels.
    pub fn count(&self) -> usize {
        self.ignored.iter().filter(|ignored| **ignored).count()
    }

    /// Returns `actual` with the ignored pixels replaced by those of `expected`, so that no metric finds them different.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn apply(&self, expected: &RgbaImage, actual: &RgbaImage) -> RgbaImage {
        assert_eq!([self.size(), self.size()], [expected.size(), actual.size()], "one size");
        let pairs = expected.pixels().zip(actual.pixels()).zip(&self.ignored);
        let rgba = pairs.flat_map(|((expected, actual), ignored)| if *ignored { expected } else { actual });
        RgbaImage::new(self.width, self.height, rgba.collect())
    }

    /// Hatches the ignored pixels of `image`, which must have the mask's size.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn hatched(&self, image: &RgbaImage) -> RgbaImage {
        const STRIPE: [u8; 4] = [40, 110, 110, 255];
        assert_eq!(self.size(), image.size(), "one size");
        let pixels = image.pixels().zip(&self.ignored).enumerate();
        let rgba = pixels.flat_map(|(i, (pixel, ignored))| {
            let (x, y) = (i % self.width as usize, i / self.width as usize);
            if *ignored && (x + y) % 6 < 3 { STRIPE } else { pixel }
        });
        RgbaImage::new(self.width, self.height, rgba.collect())
    }

    fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_and_images_are_ignored() {
        let mut mask = Mask::new([4, 3]);
        mask.add_rect([3, 2, 10, 10]);
        mask.add_rect([9, 9, 1, u32::MAX]);
        assert_eq!(mask.count(), 1);
        mask.add_fraction([0.0, 0.0, 0.3, 1.0]);
        assert_eq!(mask.count(), 7);
        let mut rgba = vec![0; 4 * 3 * 4];
        rgba[4 * 3..4 * 4].fill(255);
        assert!(mask.add_image(&RgbaImage::new(4, 3, rgba)) && !mask.add_image(&RgbaImage::new(1, 1, vec![0; 4])));
        assert_eq!(mask.count(), 8);
        let [black, white] = [0, 255].map(|value| RgbaImage::new(4, 3, vec![value; 4 * 3 * 4]));
        let masked = mask.apply(&black, &white);
        assert_eq!(masked.rgba().iter().filter(|value| **value == 0).count(), 8 * 4);
        assert_eq!(mask.hatched(&masked).pixels().filter(|pixel| *pixel == [40, 110, 110, 255]).count(), 5);
    }
}

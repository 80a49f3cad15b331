//! The finished picture, read back.

use super::{RenderError, Target};

impl Target {
    /// The picture last drawn: rows from the top, four bytes a pixel, straight alpha. Waits for the GPU.
    ///
    /// # Errors
    /// When the driver noted an error on the way to it, such as memory that ran out or a context that was lost: then the
    /// picture is not what was asked for.
    pub fn read_rgba(&self) -> Result<Vec<u8>, RenderError> {
        let mut rgba = self.picture.read_rgba8()?;
        flip_rows(&mut rgba, self.width() as usize * 4);
        Ok(rgba)
    }
}

/// Turns rows from the bottom into rows from the top: the one vertical flip.
fn flip_rows(bytes: &mut [u8], row_bytes: usize) {
    let rows = bytes.len() / row_bytes;
    let (upper, lower) = bytes.split_at_mut(rows / 2 * row_bytes);
    let lower_rows = lower.chunks_exact_mut(row_bytes).rev();
    upper.chunks_exact_mut(row_bytes).zip(lower_rows).for_each(|(a, b)| a.swap_with_slice(b));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_change_places_and_a_middle_one_stays() {
        let mut even = [1, 1, 2, 2, 3, 3, 4, 4];
        flip_rows(&mut even, 2);
        assert_eq!(even, [4, 4, 3, 3, 2, 2, 1, 1]);
        let mut odd = [1, 1, 2, 2, 3, 3];
        flip_rows(&mut odd, 2);
        assert_eq!(odd, [3, 3, 2, 2, 1, 1]);
    }
}

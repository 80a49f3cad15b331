//! Difference between consecutive frames.

/// Bounding rectangle of the pixels that differ: left, top, width, height. `None` if the images are equal.
///
/// Rows are from the top, without padding, with any number of bytes per pixel.
///
/// # Panics
/// If the images differ in size.
pub fn changed_rect(before: &[u8], after: &[u8], [width, height]: [u32; 2]) -> Option<[u32; 4]> {
    let (width, height) = (width as usize, height as usize);
    let bytes = after.len() / (width * height).max(1);
    let row = |y: usize| y * width * bytes..(y + 1) * width * bytes;
    let differs = |y: &usize| before[row(*y)] != after[row(*y)];
    let top = (0..height).find(differs)?;
    let bottom = (0..height).rev().find(differs)?;
    let (mut left, mut right) = (width, 0);
    for y in top..=bottom {
        let (a, b) = (&before[row(y)], &after[row(y)]);
        let pixel = |x: usize| x * bytes..(x + 1) * bytes;
        if let Some(first) = (0..left).find(|x| a[pixel(*x)] != b[pixel(*x)]) {
            left = first;
        }
        if let Some(last) = (right..width).rev().find(|x| a[pixel(*x)] != b[pixel(*x)]) {
            right = last;
        }
    }
    Some([left as u32, top as u32, (right - left + 1) as u32, (bottom - top + 1) as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_rect_is_minimal() {
        let before = vec![0_u8; 5 * 4];
        let mut after = before.clone();
        assert_eq!(changed_rect(&before, &after, [5, 4]), None);
        (after[5 + 3], after[2 * 5 + 1]) = (1, 1);
        assert_eq!(changed_rect(&before, &after, [5, 4]), Some([1, 1, 3, 2]));
        after[19] = 1;
        assert_eq!(changed_rect(&before, &after, [5, 4]), Some([1, 1, 4, 3]));
    }
}

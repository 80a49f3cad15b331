//! Images of differences.

use super::RgbaImage;

/// Shows the expected image dimmed, with the maximum channel difference of each pixel as a heat map from blue to white.
pub fn difference(expected: &RgbaImage, actual: &RgbaImage) -> RgbaImage {
    let (width, height) = (expected.width().max(actual.width()), expected.height().max(actual.height()));
    let pixel = |image: &RgbaImage, x: u32, y: u32| {
        let is_inside = x < image.width() && y < image.height();
        is_inside.then(|| match image.pixel(x as usize, y as usize) {
            [.., 0] => [0; 4],
            pixel => pixel,
        })
    };
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let (a, b) = (pixel(expected, x, y), pixel(actual, x, y));
            let diff = match (a, b) {
                (Some(a), Some(b)) => (0..4).map(|i| a[i].abs_diff(b[i])).max().unwrap_or(0),
                // A pixel of only one of the images.
                _ => 255,
            };
            let [red, green, blue] = if diff == 0 { dimmed(a.unwrap_or_default()) } else { heat(diff) };
            rgba.extend([red, green, blue, 255]);
        }
    }
    RgbaImage::new(width, height, rgba)
}

fn dimmed([r, g, b, a]: [u8; 4]) -> [u8; 3] {
    let luma = (u32::from(r) * 54 + u32::from(g) * 183 + u32::from(b) * 19) * u32::from(a) / (256 * 255);
    [(16 + luma / 6) as u8; 3]
}

/// Heat map color of a channel difference above 0; even 1 is visible.
fn heat(diff: u8) -> [u8; 3] {
    const STOPS: [[f32; 3]; 4] = [[28.0, 60.0, 135.0], [200.0, 50.0, 150.0], [255.0, 150.0, 30.0], [255.0; 3]];
    let position = (f32::from(diff - 1) / 254.0).sqrt() * (STOPS.len() - 1) as f32;
    let stop = (position as usize).min(STOPS.len() - 2);
    let t = position - stop as f32;
    std::array::from_fn(|i| (STOPS[stop][i] + (STOPS[stop + 1][i] - STOPS[stop][i]) * t).round() as u8)
}

/// Places images in a row, with a gap of 4 transparent pixels.
pub fn side_by_side(images: &[&RgbaImage]) -> RgbaImage {
    const GAP: u32 = 4;
    let height = images.iter().map(|image| image.height()).max().unwrap_or(0);
    let gaps = GAP * (images.len() as u32).saturating_sub(1);
    let width = images.iter().map(|image| image.width()).sum::<u32>() + gaps;
    let mut rgba = vec![0; width as usize * height as usize * 4];
    let mut left = 0;
    for image in images {
        let row_bytes = image.width() as usize * 4;
        for (y, row) in image.rgba().chunks_exact(row_bytes).enumerate() {
            let at = (y * width as usize + left as usize) * 4;
            rgba[at..at + row_bytes].copy_from_slice(row);
        }
        left += image.width() + GAP;
    }
    RgbaImage::new(width, height, rgba)
}

/// Scales an image down to at most `side` pixels in each dimension, with an alpha-weighted box filter.
pub fn thumbnail(image: &RgbaImage, side: u32) -> RgbaImage {
    let factor = image.width().max(image.height()).div_ceil(side.max(1)).max(1);
    let (width, height) = (image.width().div_ceil(factor), image.height().div_ceil(factor));
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut alpha, mut count) = ([0_u64; 3], 0_u64, 0_u64);
            for j in y * factor..((y + 1) * factor).min(image.height()) {
                for i in x * factor..((x + 1) * factor).min(image.width()) {
                    let [r, g, b, a] = image.pixel(i as usize, j as usize);
                    let weight = u64::from(a);
                    [r, g, b].into_iter().zip(&mut sum).for_each(|(c, sum)| *sum += u64::from(c) * weight);
                    alpha += weight;
                    count += 1;
                }
            }
            rgba.extend(sum.map(|sum| sum.checked_div(alpha).unwrap_or(0) as u8));
            rgba.push((alpha / count.max(1)) as u8);
        }
    }
    RgbaImage::new(width, height, rgba)
}

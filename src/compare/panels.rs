//! Pictures of differences, for people.

use super::Picture;

/// Dark paper with the expected picture faintly on it, and on that what differs: from blue, just measurable, over orange to
/// white, everything.
pub fn difference(expected: &Picture, actual: &Picture) -> Picture {
    let (width, height) = (expected.width.max(actual.width), expected.height.max(actual.height));
    let look = |picture: &Picture, x: u32, y: u32| {
        let inside = x < picture.width && y < picture.height;
        inside.then(|| match picture.pixel(x as usize, y as usize) {
            [.., 0] => [0; 4],
            pixel => pixel,
        })
    };
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let (a, b) = (look(expected, x, y), look(actual, x, y));
            let far = match (a, b) {
                (Some(a), Some(b)) => (0..4).map(|i| a[i].abs_diff(b[i])).max().unwrap_or(0),
                // A pixel that only one of the two has.
                _ => 255,
            };
            let [red, green, blue] = if far == 0 { faint(a.unwrap_or_default()) } else { heat(far) };
            rgba.extend([red, green, blue, 255]);
        }
    }
    Picture::new(width, height, rgba)
}

fn faint([r, g, b, a]: [u8; 4]) -> [u8; 3] {
    let luma = (u32::from(r) * 54 + u32::from(g) * 183 + u32::from(b) * 19) * u32::from(a) / (256 * 255);
    [(16 + luma / 6) as u8; 3]
}

/// A color for a difference of a channel: never too dark to be seen.
fn heat(far: u8) -> [u8; 3] {
    const STOPS: [[f32; 3]; 4] = [[28.0, 60.0, 135.0], [200.0, 50.0, 150.0], [255.0, 150.0, 30.0], [255.0; 3]];
    let along = (f32::from(far - 1) / 254.0).sqrt() * (STOPS.len() - 1) as f32;
    let from = (along as usize).min(STOPS.len() - 2);
    let share = along - from as f32;
    std::array::from_fn(|i| (STOPS[from][i] + (STOPS[from + 1][i] - STOPS[from][i]) * share).round() as u8)
}

/// Pictures beside each other, with a little space between them.
pub fn side_by_side(pictures: &[&Picture]) -> Picture {
    const GAP: u32 = 4;
    let height = pictures.iter().map(|picture| picture.height).max().unwrap_or(0);
    let gaps = GAP * (pictures.len() as u32).saturating_sub(1);
    let width = pictures.iter().map(|picture| picture.width).sum::<u32>() + gaps;
    let mut rgba = vec![0; width as usize * height as usize * 4];
    let mut left = 0;
    for picture in pictures {
        let row_bytes = picture.width as usize * 4;
        for (y, row) in picture.rgba.chunks_exact(row_bytes).enumerate() {
            let at = (y * width as usize + left as usize) * 4;
            rgba[at..at + row_bytes].copy_from_slice(row);
        }
        left += picture.width + GAP;
    }
    Picture::new(width, height, rgba)
}

/// The picture at most `side` pixels wide and high, each pixel the mean of those that it covers.
pub fn thumbnail(picture: &Picture, side: u32) -> Picture {
    let step = picture.width.max(picture.height).div_ceil(side.max(1)).max(1);
    let (width, height) = (picture.width.div_ceil(step), picture.height.div_ceil(step));
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut alpha, mut count) = ([0_u64; 3], 0_u64, 0_u64);
            for j in y * step..((y + 1) * step).min(picture.height) {
                for i in x * step..((x + 1) * step).min(picture.width) {
                    let [r, g, b, a] = picture.pixel(i as usize, j as usize);
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
    Picture::new(width, height, rgba)
}

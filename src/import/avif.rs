//! Pictures in AVIF (EXT_texture_avif): AV1 within an ISO container, opacity as a picture of its own.
//!
//! What is read are single pictures, as textures are; grids of them, crops and turns are not.

use crate::util::panic_guard::catch_silently;
use crate::util::text::quoted;
use avif_parse::{AV1Metadata, AvifData};
use re_rav1d::dav1d::pixel::{MatrixCoefficients, YUVRange};
use re_rav1d::dav1d::{Decoder, Picture, PixelLayout, PlanarImageComponent, Settings};

/// Width and height, as its header has them.
pub(super) fn size(bytes: &[u8]) -> Result<(u32, u32), String> {
    catch_silently(|| -> Result<_, String> {
        let header = parse(bytes)?.primary_item_metadata().map_err(|error| broken(&error))?;
        Ok((header.max_frame_width.get(), header.max_frame_height.get()))
    })
    .unwrap_or_else(|| Err(broken(&"its header makes no sense")))
}

/// The texels of a picture of this size: four bytes each, rows from the top, straight alpha.
pub(super) fn texels(bytes: &[u8], size: (u32, u32)) -> Result<Vec<u8>, String> {
    catch_silently(|| -> Result<_, String> {
        let data = parse(bytes)?;
        let mut rgba = colors(&frame(&data.primary_item, size)?, size)?;
        if let Some(item) = &data.alpha_item {
            let header = AV1Metadata::parse_av1_bitstream(item).map_err(|error| broken(&error))?;
            if (header.max_frame_width.get(), header.max_frame_height.get()) != size {
                return Err("its opacity is of another size than its colors".into());
            }
            put_opacity(&mut rgba, &frame(item, size)?, size.0 as usize, data.premultiplied_alpha);
        }
        Ok(rgba)
    })
    .unwrap_or_else(|| Err(broken(&"its pictures make no sense")))
}

fn broken(why: &dyn std::fmt::Display) -> String {
    let text = quoted(&why.to_string());
    format!("it cannot be decoded: {}", text.trim_matches('"'))
}

fn parse(mut bytes: &[u8]) -> Result<AvifData, String> {
    AvifData::from_reader(&mut bytes).map_err(|error| broken(&error))
}

/// The one picture of an AV1 stream, which must be of this size.
fn frame(stream: &[u8], (width, height): (u32, u32)) -> Result<Picture, String> {
    // The decoder ends the whole program over a stream of no bytes.
    if stream.is_empty() {
        return Err(broken(&"it is empty"));
    }
    let mut settings = Settings::new();
    // Pictures are decoded side by side already.
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    // A stream may ask for another size than its first header.
    settings.set_frame_size_limit(width.saturating_mul(height));
    let mut decoder = Decoder::with_settings(&settings).map_err(|error| broken(&error))?;
    let mut sent = decoder.send_data(stream.to_vec(), None, None, None);
    loop {
        match decoder.get_picture() {
            Ok(picture) if (picture.width(), picture.height()) == (width, height) => return Ok(picture),
            Ok(_) => return Err("its picture is of another size than it says".into()),
            Err(error) if !error.is_again() => return Err(broken(&error)),
            Err(_) => match sent {
                Err(error) if error.is_again() => sent = decoder.send_pending_data(),
                Err(error) => return Err(broken(&error)),
                Ok(()) => return Err(broken(&"it ends too early")),
            },
        }
    }
}

/// One of a picture's planes.
struct Plane {
    bytes: re_rav1d::dav1d::Plane,
    /// Bytes of a row, and of a sample.
    stride: usize,
    wide: bool,
    /// Columns and rows.
    size: [usize; 2],
    /// Samples of the picture for one of these, each way.
    step: [usize; 2],
}

impl Plane {
    fn new(picture: &Picture, component: PlanarImageComponent) -> Self {
        let step = match (&component, picture.pixel_layout()) {
            (PlanarImageComponent::Y, _) | (_, PixelLayout::I444 | PixelLayout::I400) => [1, 1],
            (_, PixelLayout::I422) => [2, 1],
            (_, PixelLayout::I420) => [2, 2],
        };
        let size = [picture.width() as usize, picture.height() as usize];
        let size = [size[0].div_ceil(step[0]), size[1].div_ceil(step[1])];
        let (stride, wide) = (picture.stride(component) as usize, picture.bit_depth() > 8);
        Self { bytes: picture.plane(component), stride, wide, size, step }
    }

    fn sample(&self, x: usize, y: usize) -> f32 {
        let row = &self.bytes[y * self.stride..];
        if self.wide { f32::from(u16::from_ne_bytes([row[2 * x], row[2 * x + 1]])) } else { f32::from(row[x]) }
    }

    /// The value at a place of the whole picture; of fewer samples, mixed from the nearest.
    fn at(&self, x: usize, y: usize) -> f32 {
        if self.step == [1, 1] {
            return self.sample(x, y);
        }
        let [(left, right, u), (above, below, v)] = [(x, 0), (y, 1)].map(|(at, way)| {
            let (size, step) = (self.size[way], self.step[way]);
            // Samples lie in the middle of those that they stand for.
            let place = ((at as f32 + 0.5) / step as f32 - 0.5).clamp(0.0, (size - 1) as f32);
            let first = place as usize;
            (first, (first + 1).min(size - 1), place - first as f32)
        });
        let row = |y| self.sample(left, y) * (1.0 - u) + self.sample(right, y) * u;
        row(above) * (1.0 - v) + row(below) * v
    }
}

/// How stored numbers become fractions: what is black, and how far from there white is; and the same for differences of
/// color, around their middle.
struct Range {
    black: f32,
    white: f32,
    middle: f32,
    swing: f32,
}

impl Range {
    fn of(picture: &Picture) -> Self {
        let bits = picture.bit_depth() as i32;
        let unit = (bits - 8).max(0) as f32;
        let unit = unit.exp2();
        let middle = 128.0 * unit;
        match picture.color_range() {
            YUVRange::Full => {
                let max = (bits as f32).exp2() - 1.0;
                Self { black: 0.0, white: max, middle, swing: max }
            }
            YUVRange::Limited => Self { black: 16.0 * unit, white: 219.0 * unit, middle, swing: 224.0 * unit },
        }
    }
}

fn byte(fraction: f32) -> u8 {
    // What is no number becomes 0.
    (fraction * 255.0 + 0.5).clamp(0.0, 255.0) as u8
}

/// Opaque texels of a picture's colors (ITU-T H.273, table 4).
fn colors(picture: &Picture, (width, height): (u32, u32)) -> Result<Vec<u8>, String> {
    let range = Range::of(picture);
    let luma = Plane::new(picture, PlanarImageComponent::Y);
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    let places = (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (x, y)));
    if picture.pixel_layout() == PixelLayout::I400 {
        for (x, y) in places {
            let gray = byte((luma.sample(x, y) - range.black) / range.white);
            rgba.extend([gray, gray, gray, 255]);
        }
        return Ok(rgba);
    }
    let chroma = [PlanarImageComponent::U, PlanarImageComponent::V].map(|component| Plane::new(picture, component));
    let matrix = picture.matrix_coefficients();
    // How much red and blue count for the brightness.
    let (red, blue) = match matrix {
        MatrixCoefficients::Identity => {
            // The planes are green, blue and red.
            for (x, y) in places {
                let [g, b, r] = [&luma, &chroma[0], &chroma[1]];
                let [r, g, b] = [r, g, b].map(|plane| byte((plane.at(x, y) - range.black) / range.white));
                rgba.extend([r, g, b, 255]);
            }
            return Ok(rgba);
        }
        MatrixCoefficients::BT709 => (0.2126, 0.0722),
        MatrixCoefficients::BT2020NonConstantLuminance => (0.2627, 0.0593),
        MatrixCoefficients::Unspecified | MatrixCoefficients::BT470BG | MatrixCoefficients::ST170M => (0.299, 0.114),
        _ => return Err("its colors are stored in a way that is not read; save it as PNG or JPEG".into()),
    };
    let green = 1.0 - red - blue;
    for (x, y) in places {
        let luma = (luma.sample(x, y) - range.black) / range.white;
        let [towards_blue, towards_red] =
            [0, 1].map(|i: usize| 2.0 * (chroma[i].at(x, y) - range.middle) / range.swing);
        let (r, b) = (luma + (1.0 - red) * towards_red, luma + (1.0 - blue) * towards_blue);
        let g = (luma - red * r - blue * b) / green;
        rgba.extend([byte(r), byte(g), byte(b), 255]);
    }
    Ok(rgba)
}

/// Puts the brightness of `picture` for opacity.
fn put_opacity(rgba: &mut [u8], picture: &Picture, width: usize, premultiplied: bool) {
    let (range, plane) = (Range::of(picture), Plane::new(picture, PlanarImageComponent::Y));
    for (i, texel) in rgba.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let opacity = (plane.sample(i % width, i / width) - range.black) / range.white;
        texel[3] = byte(opacity);
        if premultiplied && opacity > 0.0 {
            for color in &mut texel[..3] {
                *color = byte(f32::from(*color) / 255.0 / opacity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &[u8]); 4] = [
        ("444.avif", include_bytes!("../../tests/fixtures/avif/444.avif")),
        ("420.avif", include_bytes!("../../tests/fixtures/avif/420.avif")),
        ("422.avif", include_bytes!("../../tests/fixtures/avif/422.avif")),
        ("gray.avif", include_bytes!("../../tests/fixtures/avif/gray.avif")),
    ];

    /// What was encoded: red grows to the right, green downwards, blue and opacity both ways.
    fn expected(x: u32, y: u32) -> [u8; 4] {
        let (u, v) = (x as f32 / 23.0, y as f32 / 15.0);
        [40.0 + 160.0 * u, 200.0 - 160.0 * v, 128.0, 64.0 + 190.0 * u * v].map(|x| (x + 0.5) as u8)
    }

    #[test]
    fn pictures_of_every_layout_come_back() {
        for (name, bytes) in FILES {
            assert_eq!(size(bytes), Ok((24, 16)), "{name}");
            let rgba = texels(bytes, (24, 16)).unwrap_or_else(|error| panic!("{name}: {error}"));
            for (i, texel) in rgba.as_chunks::<4>().0.iter().enumerate() {
                let mut wanted = expected(i as u32 % 24, i as u32 / 24);
                if name == "gray.avif" {
                    let [r, g, b] = [wanted[0], wanted[1], wanted[2]].map(f32::from);
                    let gray = (0.299 * r + 0.587 * g + 0.114 * b).round() as u8;
                    wanted = [gray, gray, gray, 255];
                }
                let far = texel.iter().zip(wanted).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(far <= 6, "{name}, texel {i}: {texel:?}, not {wanted:?}");
            }
        }
    }

    #[test]
    fn broken_pictures_are_errors() {
        let (_, bytes) = FILES[0];
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            let _ = size(cut);
            let _ = texels(cut, (24, 16));
        }
        let mut state = 1_u32;
        for _ in 0..300 {
            let mut changed = bytes.to_vec();
            for _ in 0..3 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (state >> 8) as usize % changed.len();
                changed[at] ^= 1 << (state >> 29);
            }
            let _ = size(&changed);
            if let Ok(rgba) = texels(&changed, (24, 16)) {
                assert_eq!(rgba.len(), 24 * 16 * 4);
            }
        }
        assert!(texels(bytes, (25, 16)).is_err());
    }
}

//! AVIF images (EXT_texture_avif): AV1 frames in an ISO container, with alpha as a second frame.
//!
//! Grids, crops and rotations are not supported.

use crate::util::panic_guard::catch_silently;
use crate::util::text::quoted;
use avif_parse::{AV1Metadata, AvifData};
use re_rav1d::dav1d::pixel::{MatrixCoefficients, YUVRange};
use re_rav1d::dav1d::{Decoder, Picture as Frame, PixelLayout, PlanarImageComponent, Settings};

/// Reads width and height from the header.
pub(super) fn size(bytes: &[u8]) -> Result<(u32, u32), String> {
    catch_silently(|| -> Result<_, String> {
        let header = parse(bytes)?.primary_item_metadata().map_err(|error| decode_error(&error))?;
        Ok((header.max_frame_width.get(), header.max_frame_height.get()))
    })
    .unwrap_or_else(|| Err(decode_error(&"its header is invalid")))
}

/// Decodes an image of this size to RGBA bytes: rows from the top, straight alpha.
pub(super) fn decode(bytes: &[u8], size: (u32, u32)) -> Result<Vec<u8>, String> {
    catch_silently(|| -> Result<_, String> {
        let data = parse(bytes)?;
        let mut rgba = colors(&decode_frame(&data.primary_item, size)?, size)?;
        if let Some(item) = &data.alpha_item {
            let header = AV1Metadata::parse_av1_bitstream(item).map_err(|error| decode_error(&error))?;
            if (header.max_frame_width.get(), header.max_frame_height.get()) != size {
                return Err("its alpha image differs in size from its colors".into());
            }
            apply_alpha(&mut rgba, &decode_frame(item, size)?, size.0 as usize, data.premultiplied_alpha);
        }
        Ok(rgba)
    })
    .unwrap_or_else(|| Err(decode_error(&"its data is invalid")))
}

fn decode_error(reason: &dyn std::fmt::Display) -> String {
    let text = quoted(&reason.to_string());
    format!("it cannot be decoded: {}", text.trim_matches('"'))
}

fn parse(mut bytes: &[u8]) -> Result<AvifData, String> {
    AvifData::from_reader(&mut bytes).map_err(|error| decode_error(&error))
}

/// Decodes the first frame of an AV1 stream. A frame of another size is an error.
fn decode_frame(stream: &[u8], (width, height): (u32, u32)) -> Result<Frame, String> {
    // The decoder aborts the process on an empty stream.
    if stream.is_empty() {
        return Err(decode_error(&"it is empty"));
    }
    let mut settings = Settings::new();
    // Images are already decoded in parallel.
    settings.set_n_threads(1);
    settings.set_max_frame_delay(1);
    // Later headers of a stream may give another size.
    settings.set_frame_size_limit(width.saturating_mul(height));
    let mut decoder = Decoder::with_settings(&settings).map_err(|error| decode_error(&error))?;
    let mut sent = decoder.send_data(stream.to_vec(), None, None, None);
    loop {
        match decoder.get_picture() {
            Ok(frame) if (frame.width(), frame.height()) == (width, height) => return Ok(frame),
            Ok(_) => return Err("its image differs in size from its header".into()),
            Err(error) if !error.is_again() => return Err(decode_error(&error)),
            Err(_) => match sent {
                Err(error) if error.is_again() => sent = decoder.send_pending_data(),
                Err(error) => return Err(decode_error(&error)),
                Ok(()) => return Err(decode_error(&"it is truncated")),
            },
        }
    }
}

/// One plane of a frame.
struct Plane {
    bytes: re_rav1d::dav1d::Plane,
    /// Bytes per row.
    stride: usize,
    /// `true` for samples of 16 bits, `false` for 8 bits.
    is_16_bit: bool,
    /// Number of columns and rows.
    size: [usize; 2],
    /// Luma samples per sample of this plane, along x and y.
    subsampling: [usize; 2],
}

impl Plane {
    fn new(frame: &Frame, component: PlanarImageComponent) -> Self {
        let subsampling = match (&component, frame.pixel_layout()) {
            (PlanarImageComponent::Y, _) | (_, PixelLayout::I444 | PixelLayout::I400) => [1, 1],
            (_, PixelLayout::I422) => [2, 1],
            (_, PixelLayout::I420) => [2, 2],
        };
        let size = [frame.width() as usize, frame.height() as usize];
        let size = [size[0].div_ceil(subsampling[0]), size[1].div_ceil(subsampling[1])];
        let (stride, is_16_bit) = (frame.stride(component) as usize, frame.bit_depth() > 8);
        Self { bytes: frame.plane(component), stride, is_16_bit, size, subsampling }
    }

    fn sample(&self, x: usize, y: usize) -> f32 {
        let row = &self.bytes[y * self.stride..];
        if self.is_16_bit { f32::from(u16::from_ne_bytes([row[2 * x], row[2 * x + 1]])) } else { f32::from(row[x]) }
    }

    /// Returns the value at a luma position, bilinearly interpolated if the plane is subsampled.
    fn sample_at_luma(&self, x: usize, y: usize) -> f32 {
        if self.subsampling == [1, 1] {
            return self.sample(x, y);
        }
        let [(left, right, u), (above, below, v)] = [(x, 0), (y, 1)].map(|(at, axis)| {
            let (size, subsampling) = (self.size[axis], self.subsampling[axis]);
            // A chroma sample is at the center of its luma samples.
            let position = ((at as f32 + 0.5) / subsampling as f32 - 0.5).clamp(0.0, (size - 1) as f32);
            let first = position as usize;
            (first, (first + 1).min(size - 1), position - first as f32)
        });
        let row = |y| self.sample(left, y) * (1.0 - u) + self.sample(right, y) * u;
        row(above) * (1.0 - v) + row(below) * v
    }
}

/// Quantization ranges of luma and chroma (ITU-T H.273).
struct Range {
    black: f32,
    luma_range: f32,
    chroma_zero: f32,
    chroma_range: f32,
}

impl Range {
    fn of(frame: &Frame) -> Self {
        let bits = frame.bit_depth() as i32;
        let unit = (bits - 8).max(0) as f32;
        let unit = unit.exp2();
        let chroma_zero = 128.0 * unit;
        match frame.color_range() {
            YUVRange::Full => {
                let max = (bits as f32).exp2() - 1.0;
                Self { black: 0.0, luma_range: max, chroma_zero, chroma_range: max }
            }
            YUVRange::Limited => {
                Self { black: 16.0 * unit, luma_range: 219.0 * unit, chroma_zero, chroma_range: 224.0 * unit }
            }
        }
    }
}

/// Quantizes 0 to 1 to a byte. NaN becomes 0.
fn byte(x: f32) -> u8 {
    (x * 255.0 + 0.5).clamp(0.0, 255.0) as u8
}

/// Converts YCbCr to opaque RGBA (ITU-T H.273, table 4).
fn colors(frame: &Frame, (width, height): (u32, u32)) -> Result<Vec<u8>, String> {
    let range = Range::of(frame);
    let luma = Plane::new(frame, PlanarImageComponent::Y);
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
    let positions = (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (x, y)));
    if frame.pixel_layout() == PixelLayout::I400 {
        for (x, y) in positions {
            let gray = byte((luma.sample(x, y) - range.black) / range.luma_range);
            rgba.extend([gray, gray, gray, 255]);
        }
        return Ok(rgba);
    }
    let chroma = [PlanarImageComponent::U, PlanarImageComponent::V].map(|component| Plane::new(frame, component));
    let matrix = frame.matrix_coefficients();
    // Luma weights of red and blue.
    let (red, blue) = match matrix {
        MatrixCoefficients::Identity => {
            // The planes are green, blue, red.
            for (x, y) in positions {
                let [g, b, r] = [&luma, &chroma[0], &chroma[1]];
                let [r, g, b] =
                    [r, g, b].map(|plane| byte((plane.sample_at_luma(x, y) - range.black) / range.luma_range));
                rgba.extend([r, g, b, 255]);
            }
            return Ok(rgba);
        }
        MatrixCoefficients::BT709 => (0.2126, 0.0722),
        MatrixCoefficients::BT2020NonConstantLuminance => (0.2627, 0.0593),
        MatrixCoefficients::Unspecified | MatrixCoefficients::BT470BG | MatrixCoefficients::ST170M => (0.299, 0.114),
        _ => return Err("its color matrix is not supported; save it as PNG or JPEG".into()),
    };
    let green = 1.0 - red - blue;
    for (x, y) in positions {
        let luma = (luma.sample(x, y) - range.black) / range.luma_range;
        let [cb, cr] =
            [0, 1].map(|i: usize| 2.0 * (chroma[i].sample_at_luma(x, y) - range.chroma_zero) / range.chroma_range);
        let (r, b) = (luma + (1.0 - red) * cr, luma + (1.0 - blue) * cb);
        let g = (luma - red * r - blue * b) / green;
        rgba.extend([byte(r), byte(g), byte(b), 255]);
    }
    Ok(rgba)
}

/// Writes the luma of `frame` to the alpha channel. Undoes premultiplication.
fn apply_alpha(rgba: &mut [u8], frame: &Frame, width: usize, premultiplied: bool) {
    let (range, plane) = (Range::of(frame), Plane::new(frame, PlanarImageComponent::Y));
    for (i, texel) in rgba.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let opacity = (plane.sample(i % width, i / width) - range.black) / range.luma_range;
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
        ("444.avif", include_bytes!("../../assets/444.avif")),
        ("420.avif", include_bytes!("../../assets/420.avif")),
        ("422.avif", include_bytes!("../../assets/422.avif")),
        ("gray.avif", include_bytes!("../../assets/gray.avif")),
    ];

    /// The source image: red increases to the right, green decreases downwards, blue is constant, alpha increases along both.
    fn expected(x: u32, y: u32) -> [u8; 4] {
        let (u, v) = (x as f32 / 23.0, y as f32 / 15.0);
        [40.0 + 160.0 * u, 200.0 - 160.0 * v, 128.0, 64.0 + 190.0 * u * v].map(|x| (x + 0.5) as u8)
    }

    #[test]
    fn every_pixel_layout_decodes() {
        for (name, bytes) in FILES {
            assert_eq!(size(bytes), Ok((24, 16)), "{name}");
            let rgba = decode(bytes, (24, 16)).unwrap_or_else(|error| panic!("{name}: {error}"));
            for (i, texel) in rgba.as_chunks::<4>().0.iter().enumerate() {
                let mut reference = expected(i as u32 % 24, i as u32 / 24);
                if name == "gray.avif" {
                    let [r, g, b] = [reference[0], reference[1], reference[2]].map(f32::from);
                    let gray = (0.299 * r + 0.587 * g + 0.114 * b).round() as u8;
                    reference = [gray, gray, gray, 255];
                }
                let error = texel.iter().zip(reference).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(error <= 6, "{name}, texel {i}: {texel:?}, not {reference:?}");
            }
        }
    }

    #[test]
    fn corrupt_files_do_not_panic() {
        let (_, bytes) = FILES[0];
        for end in 0..bytes.len() {
            let truncated = &bytes[..end];
            let _ = size(truncated);
            let _ = decode(truncated, (24, 16));
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
            if let Ok(rgba) = decode(&changed, (24, 16)) {
                assert_eq!(rgba.len(), 24 * 16 * 4);
            }
        }
        assert!(decode(bytes, (25, 16)).is_err());
    }
}

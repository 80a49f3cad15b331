//! Environment maps: Radiance (.hdr) and OpenEXR (.exr) files.

use super::diagnostic::Problem;
use super::error::ImportError;
use super::external_file::read_main_file;
use super::limits::{Limit, Limits, PolicyChange};
use super::raster::decode_caught;
use crate::model::Panorama;
use crate::util::git_lfs::{LFS_POINTER, is_lfs_pointer};
use image::{ImageFormat, ImageReader};
use std::io::Cursor;
use std::path::Path;

/// Reads the panorama at `path`.
///
/// # Errors
/// If the file cannot be read, is neither .hdr nor .exr, is invalid, or is too large.
pub fn open_panorama(path: &Path, limits: &Limits) -> Result<Panorama, ImportError> {
    read_panorama(&read_main_file(path, limits)?, limits)
}

/// Reads a panorama from memory.
///
/// # Errors
/// See [`open_panorama`].
pub fn read_panorama(bytes: &[u8], limits: &Limits) -> Result<Panorama, ImportError> {
    panorama(bytes, limits).map_err(|problem| ImportError::Environment { problem })
}

fn panorama(bytes: &[u8], limits: &Limits) -> Result<Panorama, Problem> {
    let max = limits.get(Limit::Environment);
    let format = match bytes {
        [b'#', b'?', ..] => ImageFormat::Hdr,
        [0x76, 0x2f, 0x31, 0x01, ..] if cfg!(feature = "exr") => ImageFormat::OpenExr,
        [0x76, 0x2f, 0x31, 0x01, ..] => {
            return Err("OpenEXR needs the cargo feature `exr`, which this build lacks; convert it to .hdr".into());
        }
        _ if is_lfs_pointer(bytes) => return Err(LFS_POINTER.into()),
        _ => return Err("it is neither Radiance (.hdr) nor OpenEXR (.exr)".into()),
    };
    let reader = || {
        let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
        let mut limits = image::Limits::no_limits();
        limits.max_alloc = Some(max.saturating_mul(16 * 2));
        reader.limits(limits);
        reader
    };
    let (width, height) = decode_caught(|| reader().into_dimensions())?;
    let texels = u64::from(width) * u64::from(height);
    if texels == 0 {
        return Err("it has no texels".into());
    }
    if texels > max {
        let message = format!("it has {width} x {height} texels, more than {max}");
        let change = PolicyChange::RaiseLimit { limit: Limit::Environment, needed: texels };
        return Err(Problem::with_change(message, change));
    }
    let image = decode_caught(|| reader().decode().map(image::DynamicImage::into_rgb32f))?;
    let texels = image.as_raw().chunks_exact(3).map(|texel| [texel[0], texel[1], texel[2]]).collect();
    Ok(Panorama { width: width as usize, height: height as usize, texels })
}

#[cfg(all(test, feature = "exr"))]
mod tests {
    use super::*;

    /// Encodes an image of 2 by 1 texels.
    fn encoded(format: ImageFormat) -> Vec<u8> {
        let image = image::Rgb32FImage::from_raw(2, 1, vec![0.5, 2.0, 0.25, 64.0, 0.0, 1.0]).unwrap();
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn both_formats_round_trip_and_corrupt_files_do_not_panic() {
        for format in [ImageFormat::Hdr, ImageFormat::OpenExr] {
            let bytes = encoded(format);
            let read = panorama(&bytes, &Limits::default()).unwrap();
            assert_eq!((read.width, read.height), (2, 1));
            for (found, expected) in read.texels.iter().flatten().zip([0.5, 2.0, 0.25, 64.0, 0.0, 1.0]) {
                assert!((found - expected).abs() <= expected * 0.01 + 0.3 * f32::from(u8::from(expected == 0.0)));
            }
            for length in 0..bytes.len() {
                let _ = panorama(&bytes[..length], &Limits::default());
            }
            for at in 0..bytes.len() {
                let mut broken = bytes.clone();
                broken[at] ^= 0xff;
                let _ = panorama(&broken, &Limits::default());
            }
        }
        assert!(panorama(b"GIF89a", &Limits::default()).unwrap_err().message.contains("neither"));
    }
}

#[cfg(all(test, not(feature = "exr")))]
#[test]
fn missing_codec_is_named() {
    let error = read_panorama(&[0x76, 0x2f, 0x31, 0x01], &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("cargo feature `exr`"), "{error}");
}

//! Images as PNG.

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::HashMap;

/// Decodes a PNG of `rigview shot`. Returns RGBA bytes of the shape (height, width, 4), and the texts by keyword.
#[pyfunction]
pub(crate) fn decode_png<'py>(
    py: Python<'py>,
    data: &[u8],
) -> PyResult<(Bound<'py, PyArray3<u8>>, HashMap<String, String>)> {
    let refused = |error: png::DecodingError| PyValueError::new_err(error.to_string());
    let mut reader = png::Decoder::new(std::io::Cursor::new(data)).read_info().map_err(refused)?;
    let size = reader.output_buffer_size().ok_or_else(|| PyValueError::new_err("the image is too large"))?;
    let mut rgba = vec![0; size];
    let frame = reader.next_frame(&mut rgba).map_err(refused)?;
    let info = reader.info();
    let latin = info.uncompressed_latin1_text.iter().map(|chunk| (chunk.keyword.clone(), chunk.text.clone()));
    let utf8 = info.utf8_text.iter().filter_map(|chunk| Some((chunk.keyword.clone(), chunk.get_text().ok()?)));
    let texts = latin.chain(utf8).collect();
    Ok((PyArray1::from_vec(py, rgba).reshape([frame.height as usize, frame.width as usize, 4])?, texts))
}

/// Encodes RGBA bytes of an image of `width` and `height` pixels as PNG.
#[pyfunction]
pub(crate) fn encode_png<'py>(py: Python<'py>, data: &[u8], width: u32, height: u32) -> PyResult<Bound<'py, PyBytes>> {
    let refused = |error: png::EncodingError| PyValueError::new_err(error.to_string());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header().map_err(refused)?;
    writer.write_image_data(data).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(PyBytes::new(py, &bytes))
}

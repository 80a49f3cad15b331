//! Images as PNG.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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

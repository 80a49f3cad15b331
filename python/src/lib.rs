//! Native part of the Python package `rigview`: models, their poses and palettes as NumPy arrays, and checks.

mod arguments;
mod bake;
mod errors;
mod model;
mod png_image;
mod reports;
mod retarget;

use pyo3::prelude::*;

#[pymodule]
fn _rigview(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Clip>()?;
    module.add_class::<retarget::Retargeted>()?;
    module.add_function(wrap_pyfunction!(reports::check, module)?)?;
    module.add_function(wrap_pyfunction!(reports::diff, module)?)?;
    module.add_function(wrap_pyfunction!(png_image::decode_png, module)?)?;
    module.add_function(wrap_pyfunction!(png_image::encode_png, module)?)
}

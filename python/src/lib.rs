//! Native part of the Python package `rigview`: models, their poses, palettes and meshes as NumPy arrays, and checks.

mod arguments;
mod bake;
mod errors;
mod geometry;
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
    module.add_class::<geometry::Draw>()?;
    module.add_class::<geometry::Material>()?;
    module.add_class::<geometry::Mesh>()?;
    module.add_class::<geometry::Primitive>()?;
    module.add_class::<retarget::Retargeted>()?;
    module.add_function(wrap_pyfunction!(reports::check, module)?)?;
    module.add_function(wrap_pyfunction!(reports::diff, module)?)?;
    module.add_function(wrap_pyfunction!(png_image::encode_png, module)?)
}

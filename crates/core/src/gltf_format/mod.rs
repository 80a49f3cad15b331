//! Low-level parts of the glTF 2.0 format that `import` and `check` share.
//!
//! Nothing here depends on a parsed document or reports a diagnostic.
//!
//! | module | contents |
//! | --- | --- |
//! | `component` | [`ComponentType`]: size, range, name, decoding of one component |
//! | `element` | [`ElementType`], and [`ElementFormat`]: component count, size, column padding, name |
//! | `accessor_layout` | byte spans, strides and indices of accessors |
//! | `glb` | GLB header, and an iterator over chunks |
//! | `json_pointer` | escaping of JSON Pointer tokens |
//! | `image_header` | [`ImageFormat`] by signature, and image sizes from headers |
//! | `weights` | the tolerance of sums of skin weights |
//! | `extensions` | the table of extensions: what `import` supports, what `check` validates |

pub mod accessor_layout;
mod component;
mod element;
pub mod extensions;
pub mod glb;
mod image_header;
pub mod json_pointer;
mod weights;

pub use component::ComponentType;
pub use element::{ElementFormat, ElementType};
pub use image_header::{ImageFormat, ImageHeaderError, mime_type};
pub use weights::WEIGHT_SUM_TOLERANCE;

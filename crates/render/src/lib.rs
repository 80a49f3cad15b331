//! Renders models and crowds of `rigview-core` by OpenGL 3.3, in a window or to images.
//!
//! ```text
//! Palette -> Frame -> GPU buffers -> pixels
//! ```
//!
//! [`scene::Frame`] holds the contents of one image as plain data, [`render::Renderer`] draws it. [`platform`] creates contexts.

pub mod scene;

pub mod image_file;
pub mod image_text;

mod background_drop;

pub mod disk_cache;
pub mod gpu;
pub mod render;

pub mod platform;

pub use background_drop::drop_elsewhere;

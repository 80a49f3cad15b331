//! rigview: skinned, animated glTF models.
//!
//! This crate is the program, and re-exports the libraries that it consists of:
//!
//! | crate | modules |
//! | --- | --- |
//! | `rigview-core` | [`import`], [`model`], [`pose`], [`palette`], [`crowd`], [`export`], [`math`]: no OpenGL, no window |
//! | `rigview-check` | [`check`] |
//! | `rigview-suite` | [`compare`], [`suite`], [`report`] |
//! | `rigview-render` | [`scene`], [`image_file`], [`gpu`], [`render`], [`platform`] |
//!
//! Data flows in one direction:
//!
//! ```text
//! bytes -> GltfFile -> Model -> Pose -> ModelPose -> Palette -> Frame -> GPU buffers -> pixels -> PNG or window
//! ```

pub use rigview_check as check;
pub use rigview_core::{crowd, export, ik, import, math, model, palette, pose, retarget};
pub use rigview_render::{gpu, image_file, platform, render, scene};
pub use rigview_suite::{compare, report, suite};

pub mod request;

pub mod app;
pub mod cli;

/// The examples of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../docs/book/src/library/load-and-sample.md")]
    struct LoadAndSample;

    #[doc = include_str!("../docs/book/src/library/crowds.md")]
    struct Crowds;

    #[doc = include_str!("../docs/book/src/library/upload.md")]
    struct Upload;
}

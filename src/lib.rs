//! rigview: skinned, animated glTF models.
//!
//! The core imports glTF files, samples and blends clips, and animates crowds. It needs no screen and no OpenGL:
//!
//! ```
//! use rigview::{crowd::*, import::*, math::Affine, model::ClipIndex, palette::Rig};
//!
//! # fn main() -> Result<(), ImportError> {
//! # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
//! let model = open(file, &ImportOptions::default())?.model;
//! let scene = model.default_scene;
//! let rig = Rig::new(model, scene);
//! let instance = |i: u32| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.01 * f64::from(i));
//! let mut crowd = Crowd::new((0..1000).map(instance));
//! let mut animator = CrowdAnimator::new(&rig);
//! animator.update(&mut crowd, 0.5);
//! let texels: &[[f32; 4]] = animator.palette().texels();
//! assert_eq!(texels.len(), 1000 * animator.palette().stride_texels());
//! # Ok(())
//! # }
//! ```
//!
//! The viewer renders on OpenGL 3.3, in a window and to images. Data flows in one direction:
//!
//! ```text
//! bytes -> Asset -> Model -> Pose -> ModelPose -> Palette -> Frame -> GPU buffers -> pixels -> PNG or window
//! ```
//!
//! Conventions: right-handed, +Y up, meters, radians, seconds; column vectors; matrices are named `target_from_source`.

// The viewer uses crate-internal functions that the core alone does not.
#![cfg_attr(not(feature = "viewer"), allow(dead_code))]

mod util;

pub mod math;
mod memory;
pub mod model;

mod gltf_format;

pub mod import;
pub mod pose;

mod animate;
pub mod crowd;
pub mod palette;
pub mod scene;

pub mod check;

pub mod export;

pub mod compare;
// The viewer needs the Rust version of egui.
#[clippy::msrv = "1.95"]
#[cfg(feature = "viewer")]
pub mod suite;

#[cfg(feature = "viewer")]
pub mod gpu;
#[cfg(feature = "viewer")]
pub mod render;

#[cfg(feature = "viewer")]
pub mod platform;

#[cfg(feature = "viewer")]
pub mod request;

#[cfg(feature = "viewer")]
pub mod app;
#[cfg(feature = "viewer")]
pub mod cli;

/// The examples of the guide.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../docs/book/src/library/load-and-sample.md")]
    struct LoadAndSample;

    #[doc = include_str!("../docs/book/src/library/crowds.md")]
    struct Crowds;

    #[cfg(feature = "viewer")]
    #[doc = include_str!("../docs/book/src/library/upload.md")]
    struct Upload;
}

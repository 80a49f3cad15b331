//! rigview: skinned, animated glTF models on OpenGL 3.3, in a window and in pictures.
//!
//! Data flows one way, and each module may only use those above it (a test reads the `use` lines):
//!
//! ```text
//! bytes -> Asset -> Model -> Pose -> ModelPose -> Palette -> Frame -> GPU buffers -> pixels -> PNG or window
//! ```
//!
//! Everything down to [`scene`] and [`export`] runs on any machine, without a screen or OpenGL; a game can use
//! [`import`], [`pose`] and [`palette`] alone.
//!
//! Conventions: right-handed, +Y up, meters, radians, seconds; column vectors; a matrix is named `target_from_source`.

mod util;

pub mod math;
mod memory;
pub mod model;

// Parts of it have only tests as users until `check` adopts them.
#[allow(dead_code)]
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

//! Imports skinned, animated glTF models, samples and blends their clips, and animates crowds.
//!
//! It needs neither a window nor OpenGL:
//!
//! ```
//! use rigview_core::{crowd::*, import::*, math::Affine, model::ClipIndex, palette::Rig};
//!
//! # fn main() -> Result<(), OpenError> {
//! # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
//! let model = open(file, &ImportOptions::default())?.model;
//! let scene = model.default_scene;
//! let rig = Rig::new(model, scene).unwrap();
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
//! Data flows in one direction, and the modules are named after its stages:
//!
//! ```text
//! bytes -> GltfFile -> Model -> Pose -> ModelPose -> Palette
//! ```
//!
//! | module | contents |
//! | --- | --- |
//! | [`import`] | bytes to [`model::Model`], with diagnostics; the only code that reads model files |
//! | [`model`] | a rig with meshes and materials; immutable after import |
//! | [`pose`] | joint transforms at one time: [`pose::sample()`], [`pose::sample_layers`], [`pose::PoseOverride`] |
//! | [`palette`] | the joint matrices of each instance in the layout of a shader; skinning on the CPU |
//! | [`ik`] | limbs that reach, joints that aim, feet on the ground: [`ik::PoseConstraints`] |
//! | [`crowd`] | many instances of one rig, each with its own clip and time: [`crowd::CrowdAnimator`] |
//! | [`retarget`] | clips of one body for another: [`retarget::RigMap`], [`retarget::retarget_clips`] |
//! | [`export`] | GLB files: a model with further clips, posed meshes |
//! | [`math`] | affine transforms, bounding volumes, frusta, SIMD |
//!
//! All types are `Send` and `Sync`. The math types of [`nalgebra`] are part of the interface, so that it is re-exported.
//!
//! | feature | effect |
//! | --- | --- |
//! | `parallel` | import and crowds use all processors (rayon) |
//! | `images` | PNG and JPEG textures, Radiance environments |
//! | `webp`, `avif`, `basisu` | EXT_texture_webp, EXT_texture_avif, KHR_texture_basisu |
//! | `exr` | OpenEXR environments |
//! | `draco`, `meshopt` | KHR_draco_mesh_compression, EXT_meshopt_compression and KHR_meshopt_compression |
//!
//! No feature is on by default. A file that requires a codec that is off is refused with a message that names the feature.
//!
//! Without optimization, the SIMD kernel takes up to 4 MiB of stack, more than a thread has by default, and a crowd update is slow. Optimize
//! this crate in development builds, too:
//!
//! ```toml
//! [profile.dev.package.rigview-core]
//! opt-level = 1
//! ```
//!
//! The other modules contain what `rigview-check` and `rigview-render` share with the importer.
//!
//! Conventions: right-handed, +Y up, meters, radians, seconds; column vectors; matrices are named `target_from_source`.

// Diagnostics and errors are values. A library does not print.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]

pub mod util;

pub mod math;
mod memory;
pub mod model;

pub mod gltf_format;
pub mod schema;

pub mod export;
pub mod import;
pub mod pose;

pub mod ik;

mod animate;
pub mod crowd;
pub mod palette;
pub mod retarget;

pub use nalgebra;

/// Asserts that models and the objects that animate them may be shared by threads.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Result<import::Imported, import::OpenError>>();
    shared::<(import::ImportOptions, import::Diagnostic)>();
    shared::<(pose::Pose, pose::ModelPose, pose::PoseOverride, pose::Cursor, pose::AnimatedProperties)>();
    shared::<(palette::Rig, palette::Palette, crowd::Crowd, crowd::CrowdAnimator)>();
};

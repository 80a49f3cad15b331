//! The data model of a loaded file. It is immutable after import and shared by every instance.
//!
//! Times, poses and palettes are separate objects in other modules.

mod camera;
mod carried_surface;
mod clip;
mod index;
mod interpolation;
mod joint_mask;
mod joint_match;
mod light;
mod material;
mod material_extensions;
mod material_table;
mod mesh;
#[allow(clippy::module_inception, reason = "it defines the type `Model`")]
mod model;
mod morph;
mod panorama;
mod property_track;
mod scene;
mod skeleton;
mod skin;
mod texture;
mod texture_ref;
mod texture_slot;
mod validate;
mod vrm;

pub use camera::{CameraNode, CameraProperty, Projection};
pub use carried_surface::{CarriedSurface, carried_surfaces};
pub use clip::{Clip, KeyValues, Timeline, Track};
pub use index::{
    CameraIndex, ClipIndex, ExpressionIndex, ImageIndex, InstanceIndex, JointIndex, JointMaskIndex, LightIndex,
    MaterialIndex, MeshIndex, SceneIndex, SkinIndex, SkinSlot, TextureIndex, TimelineIndex, VariantIndex,
};
pub(crate) use index::{index_list, index_type};
pub use interpolation::Interpolation;
pub use joint_mask::JointMask;
pub use light::{LightNode, LightProperty, LightShape};
pub use material::{AlphaMode, Material};
pub use material_extensions::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, SpecularGlossiness, Transmission, Volume,
};
pub(crate) use material_table::SPECULAR_GLOSSINESS;
pub use material_table::{
    AddExtension, MATERIAL_EXTENSIONS, MATERIAL_PROPERTIES, MaterialProperty, MaterialPropertyDescriptor,
    key_in_extension,
};
pub use mesh::{Influences, Mesh, MorphTarget, Primitive, Topology, Vertices};
pub use model::{Model, NoSuchVariant};
pub use morph::MorphWeightRef;
pub use panorama::Panorama;
pub use property_track::{PropertyTarget, PropertyTrack};
pub use scene::{MeshNode, Scene};
pub use skeleton::{Joint, Skeleton};
pub use skin::Skin;
pub(crate) use texture::shrunk_size;
pub use texture::{BlockFormat, CompressedImage, Filter, Image, Sampler, Texture, Wrap};
pub use texture_ref::{TextureRef, TextureTransform};
pub use texture_slot::{MaterialTextures, TEXTURE_SLOTS, TextureSlot};
pub use validate::InvalidModel;
pub use vrm::{
    Expression, ExpressionGroup, ExpressionOverride, FaceDriver, FaceJoint, Gaze, GazeKind, GazeRange, HumanBoneJoint,
    MaterialChange,
};

//! What a rig is: immutable once imported, shared by every instance.
//!
//! Nothing here changes while a clip plays; times, poses and palettes are other objects.

mod camera;
mod clip;
mod index;
mod light;
mod material;
mod material_extensions;
mod mesh;
mod panorama;
mod properties;
mod scene;
mod skeleton;
mod skin;
mod texture;

pub use camera::{Camera, Projection};
pub use clip::{Clip, Interpolation, Keys, Timeline, Track};
pub use index::{
    CameraIndex, ClipIndex, ImageIndex, JointIndex, LightIndex, MaterialIndex, MeshIndex, SceneIndex, SkinIndex,
    SkinSlot, TextureIndex,
};
pub use light::{Light, LightShape};
pub use material::{AlphaMode, Material, TextureRef, TextureTransform};
pub use material_extensions::{
    Anisotropy, Clearcoat, DiffuseTransmission, Iridescence, Sheen, Specular, SpecularGlossiness, Transmission, Volume,
};
pub use mesh::{Influences, Mesh, MorphTarget, Primitive, Topology, Vertices};
pub use panorama::Panorama;
pub use properties::{CameraProperty, LightProperty, MaterialProperty, PropertyTarget, PropertyTrack, TextureUse};
pub use scene::{Drawable, Scene};
pub use skeleton::{Joint, Skeleton};
pub use skin::Skin;
pub use texture::{BlockFormat, Blocks, Filter, Image, Sampler, Texture, Wrap};

/// One loaded file: a hierarchy and all that hangs on it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Every node of the file, parents before children.
    pub skeleton: Skeleton,
    /// Joints that the file hides, with all that hangs from them, unless a clip shows them (KHR_node_visibility).
    pub hidden: Vec<JointIndex>,
    /// Skins, in file order.
    pub skins: Vec<Skin>,
    /// Meshes, in file order.
    pub meshes: Vec<Mesh>,
    /// Materials, in file order.
    pub materials: Vec<Material>,
    /// Names of the variants that materials come in, in file order (KHR_materials_variants).
    pub variants: Vec<Option<String>>,
    /// Textures, in file order.
    pub textures: Vec<Texture>,
    /// Images, in file order.
    pub images: Vec<Image>,
    /// Clips, in file order.
    pub clips: Vec<Clip>,
    /// Cameras as placed: one for each node that carries one, in node order.
    pub cameras: Vec<Camera>,
    /// Lights as placed: one for each node that carries one, in node order.
    pub lights: Vec<Light>,
    /// Scenes, in file order; at least one: a file without scenes gets one of all its root nodes.
    pub scenes: Vec<Scene>,
    /// The scene that is shown unless another is asked for.
    pub default_scene: SceneIndex,
}

impl Model {
    /// Gives every primitive the material that it has in a variant; to be done before anything is made of the model.
    ///
    /// # Panics
    /// If there is no such variant.
    pub fn choose_variant(&mut self, variant: usize) {
        assert!(variant < self.variants.len(), "no variant {variant}");
        for primitive in self.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            let material = primitive.variant_materials.iter().find(|(number, _)| *number == variant);
            primitive.material = material.map(|(_, material)| *material).or(primitive.material);
        }
    }
}

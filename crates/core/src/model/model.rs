//! A loaded file.

use super::{
    CameraNode, Clip, ClipIndex, Expression, ExpressionIndex, FaceDriver, FaceJoint, Gaze, HumanBoneJoint, Image,
    JointIndex, JointMask, LightNode, Material, MaterialIndex, Mesh, PropertyTarget, Scene, SceneIndex, Skeleton, Skin,
    Texture, TextureSlot, VariantIndex,
};
use nalgebra::Vector3;
use std::collections::HashSet;
use std::sync::Arc;

/// One loaded file: the node hierarchy, and everything that its nodes refer to.
///
/// ```
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// // The clips that move a joint.
/// for clip in &model.clips {
///     let joints = clip.tracks.iter().map(|track| model.skeleton.joint(track.joint).name.as_deref());
///     println!("{:?}: {} s, {:?}", clip.name, clip.duration_secs, joints.collect::<Vec<_>>());
/// }
/// ```
///
/// Not exhaustive, since extensions add fields: end literals by `..Model::default()`, and patterns by `..`.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Every node of the file, parents before children.
    pub skeleton: Skeleton,
    /// `true` if lengths are in an unknown unit, as in motion capture; `false` for meters.
    pub has_unknown_unit: bool,
    /// Joints that are hidden with their descendants, unless a clip shows them (KHR_node_visibility).
    pub hidden_joints: Vec<JointIndex>,
    /// Masks for layers. Files have none; a program adds its own before the model is shared.
    pub joint_masks: Vec<JointMask>,
    /// Skins, in file order.
    pub skins: Vec<Skin>,
    /// Meshes, in file order.
    pub meshes: Vec<Mesh>,
    /// Materials, in file order.
    pub materials: Vec<Material>,
    /// Names of the material variants, in file order (KHR_materials_variants).
    pub variants: Vec<Option<String>>,
    /// Textures, in file order.
    pub textures: Vec<Texture>,
    /// Images, in file order. An upload shares them.
    pub images: Vec<Arc<Image>>,
    /// Clips, in file order.
    pub clips: Vec<Clip>,
    /// One camera per node that has one, in node order.
    pub cameras: Vec<CameraNode>,
    /// One light per node that has one, in node order.
    pub lights: Vec<LightNode>,
    /// Scenes, in file order; at least one. A file without scenes gets one with all root nodes.
    pub scenes: Vec<Scene>,
    /// Joints with a bone of the human body, sorted by joint (VRM).
    pub human_bones: Vec<HumanBoneJoint>,
    /// Expressions of the face (VRM).
    pub expressions: Vec<Expression>,
    /// How the avatar looks in a direction (VRM).
    pub gaze: Option<Gaze>,
    /// Joints whose tracks drive the face of another model, sorted by joint (VRMC_vrm_animation).
    pub face_joints: Vec<FaceJoint>,
    /// `true` if the model looks to -Z, as avatars of VRM 0.x do.
    pub faces_negative_z: bool,
    /// The default scene.
    pub default_scene: SceneIndex,
    #[doc(hidden)]
    pub non_exhaustive: (),
}

/// A material variant that a model does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no material variant {variant}, the model has {count}")]
#[non_exhaustive]
pub struct NoSuchVariant {
    /// The index.
    pub variant: VariantIndex,
    /// Number of variants of the model.
    pub count: usize,
}

impl Model {
    /// Returns the unit of lengths for texts: `m`, or `units` of the file.
    pub fn length_unit(&self) -> &'static str {
        if self.has_unknown_unit { "units" } else { "m" }
    }

    /// Returns what the tracks of a joint drive, if it is no part of a body.
    pub fn face_driver(&self, joint: JointIndex) -> Option<&FaceDriver> {
        let found = self.face_joints.binary_search_by_key(&joint, |face| face.joint);
        found.ok().map(|index| &self.face_joints[index].driver)
    }

    /// Returns the direction to which the model looks at rest: +Z, but -Z for avatars of VRM 0.x.
    pub fn front(&self) -> Vector3<f64> {
        if self.faces_negative_z { -Vector3::z() } else { Vector3::z() }
    }

    /// Returns the materials and slots that use each image.
    pub fn image_uses(&self) -> Vec<Vec<(MaterialIndex, TextureSlot)>> {
        let mut uses = vec![Vec::new(); self.images.len()];
        for (index, material) in self.materials.iter().enumerate() {
            for slot in TextureSlot::ALL {
                let texture = material.textures[slot].and_then(|texture| self.textures.get(texture.texture.get()));
                if let Some(image) = texture.and_then(|texture| texture.image) {
                    uses[image.get()].push((MaterialIndex(index as u32), slot));
                }
            }
        }
        uses
    }

    /// Drops the texels of all images, and keeps their names and sizes.
    pub fn drop_texels(&mut self) {
        for image in &mut self.images {
            let Image { ref name, width, height, .. } = **image;
            *image = Arc::new(Image { name: name.clone(), width, height, ..Image::default() });
        }
    }

    /// Returns the first clip with this name.
    pub fn find_clip(&self, name: &str) -> Option<ClipIndex> {
        let found = self.clips.iter().position(|clip| clip.name.as_deref() == Some(name));
        found.map(|index| ClipIndex(index as u32))
    }

    /// Returns the index of the expression with this name, else of the preset with this name in VRM 0.x or 1.0.
    ///
    /// A preset is also found if its name differs in case, such as `Surprised`, which VRM 0.x has no preset for.
    pub fn find_expression(&self, name: &str) -> Option<ExpressionIndex> {
        let find = |is_it: &dyn Fn(&Expression) -> bool| {
            self.expressions.iter().position(is_it).map(|index| ExpressionIndex(index as u32))
        };
        find(&|expression| expression.name == name)
            .or_else(|| find(&|expression| expression.preset_names.iter().any(|preset| preset == name)))
            .or_else(|| find(&|expression| expression.name.eq_ignore_ascii_case(name)))
    }

    /// Returns the first material with this name.
    pub fn find_material(&self, name: &str) -> Option<MaterialIndex> {
        let found = self.materials.iter().position(|material| material.name.as_deref() == Some(name));
        found.map(|index| MaterialIndex(index as u32))
    }

    /// Assigns the materials of one of the [`variants`](Self::variants) to all primitives; `None` for their default
    /// materials. A primitive that the variant does not name has its default material, whatever variant was set before.
    ///
    /// ```
    /// use rigview_core::model::{Material, MaterialIndex, Mesh, Model, Primitive, VariantIndex};
    ///
    /// let [red, blue] = [0, 1].map(MaterialIndex);
    /// let shirt = Primitive {
    ///     material: Some(red),
    ///     default_material: Some(red),
    ///     variant_materials: vec![(VariantIndex(0), blue)],
    ///     ..Primitive::default()
    /// };
    /// let mut model = Model {
    ///     materials: vec![Material::default(); 2],
    ///     variants: vec![Some("winter".to_owned())],
    ///     meshes: vec![Mesh { primitives: vec![shirt], ..Mesh::default() }],
    ///     ..Model::default()
    /// };
    /// model.set_variant(Some(VariantIndex(0))).unwrap();
    /// assert_eq!(model.meshes[0].primitives[0].material, Some(blue));
    /// model.set_variant(None).unwrap();
    /// assert_eq!(model.meshes[0].primitives[0].material, Some(red));
    /// assert!(model.set_variant(Some(VariantIndex(1))).is_err());
    /// ```
    ///
    /// # Errors
    /// If there is no such variant. The model is unchanged then.
    pub fn set_variant(&mut self, variant: Option<VariantIndex>) -> Result<(), NoSuchVariant> {
        let count = self.variants.len();
        if let Some(variant) = variant.filter(|variant| variant.get() >= count) {
            return Err(NoSuchVariant { variant, count });
        }
        for primitive in self.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            let materials = &primitive.variant_materials;
            if !materials.is_empty() {
                let found = materials.iter().find(|(index, _)| Some(*index) == variant);
                primitive.material = found.map(|(_, material)| *material).or(primitive.default_material);
            }
        }
        Ok(())
    }

    /// Returns for each joint its nearest ancestor, or itself, whose visibility is animated or off in the file.
    ///
    /// Empty if the whole model is always visible.
    pub(crate) fn visibility_roots(&self) -> Vec<Option<JointIndex>> {
        let targets = self.clips.iter().flat_map(|clip| &clip.property_tracks).map(|track| track.target);
        let animated =
            targets.filter_map(|target| if let PropertyTarget::Visible(joint) = target { Some(joint) } else { None });
        let switched: HashSet<JointIndex> = animated.chain(self.hidden_joints.iter().copied()).collect();
        if switched.is_empty() {
            return Vec::new();
        }
        let mut roots = Vec::with_capacity(self.skeleton.len());
        for (i, joint) in self.skeleton.joints().iter().enumerate() {
            let index = JointIndex(i as u32);
            let inherited = joint.parent.and_then(|parent| roots[parent.get()]);
            roots.push(if switched.contains(&index) { Some(index) } else { inherited });
        }
        roots
    }
}

//! The rules that other modules rely on.

use super::{BlockFormat, Influences};
use super::{
    Clip, Image, Interpolation, JointIndex, KeyValues, Material, Mesh, Model, Primitive, PropertyTarget, Scene, Skin,
};
use crate::math::Affine;

/// A rule that an element of a [`Model`] breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{element}: {rule}")]
#[non_exhaustive]
pub struct InvalidModel {
    /// The element, such as `clip 0, track 2`.
    pub element: String,
    /// The rule.
    pub rule: &'static str,
}

/// Returns the error of an element if a rule does not hold.
fn require(holds: bool, element: impl FnOnce() -> String, rule: &'static str) -> Result<(), InvalidModel> {
    if holds { Ok(()) } else { Err(InvalidModel { element: element(), rule }) }
}

impl Model {
    /// Checks that indices refer to what exists, that the lengths of arrays match, and that the numbers of joints, bind matrices, keys and
    /// vertices are finite.
    ///
    /// An import returns only valid models, and [`Rig::new`](crate::palette::Rig::new) checks those that a program builds.
    /// [`sample`](crate::pose::sample()) panics at invalid ones. The time is linear in the size of the model.
    ///
    /// ```
    /// # use rigview_core::import::{ImportOptions, open};
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
    /// # let mut model = open(file, &ImportOptions::default()).unwrap().model;
    /// assert!(model.validate().is_ok());
    /// model.clips[0].tracks[1].timeline = 99.into();
    /// assert_eq!(model.validate().unwrap_err().to_string(), "clip 0, track 1: its timeline does not exist");
    /// ```
    ///
    /// # Errors
    /// The first broken rule.
    pub fn validate(&self) -> Result<(), InvalidModel> {
        let has_joint = |joint: JointIndex| joint.get() < self.skeleton.len();
        for (i, joint) in self.skeleton.joints().iter().enumerate() {
            let matrix = joint.exact_rest_matrix.as_ref().is_none_or(Affine::is_finite);
            let is_finite = joint.rest.to_affine().is_finite() && matrix;
            require(is_finite, || format!("joint {i}"), "its transform at rest is not finite")?;
        }
        for (i, mask) in self.joint_masks.iter().enumerate() {
            let fits = mask.joint_count() <= self.skeleton.len();
            require(fits, || format!("joint mask {i}"), "a joint does not exist")?;
        }
        for (i, skin) in self.skins.iter().enumerate() {
            validate_skin(skin, has_joint, || format!("skin {i}"))?;
        }
        let mut used_slots = Vec::with_capacity(self.meshes.len());
        for (i, mesh) in self.meshes.iter().enumerate() {
            used_slots.push(self.validate_mesh(mesh, &|| format!("mesh {i}"))?);
        }
        for (i, material) in self.materials.iter().enumerate() {
            self.validate_material(material, || format!("material {i}"))?;
        }
        for (i, texture) in self.textures.iter().enumerate() {
            let exists = texture.image.is_none_or(|image| image.get() < self.images.len());
            require(exists, || format!("texture {i}"), "its image does not exist")?;
        }
        for (i, image) in self.images.iter().enumerate() {
            validate_image(image, || format!("image {i}"))?;
        }
        for (i, clip) in self.clips.iter().enumerate() {
            self.validate_clip(clip, &|| format!("clip {i}"))?;
        }
        for (i, joint) in self.cameras.iter().map(|camera| camera.joint).enumerate() {
            require(has_joint(joint), || format!("camera {i}"), "its joint does not exist")?;
        }
        for (i, joint) in self.lights.iter().map(|light| light.joint).enumerate() {
            require(has_joint(joint), || format!("light {i}"), "its joint does not exist")?;
        }
        for (i, scene) in self.scenes.iter().enumerate() {
            self.validate_scene(scene, &used_slots, &|| format!("scene {i}"))?;
        }
        let file = || "model".to_owned();
        require(self.default_scene.get() < self.scenes.len(), file, "its default scene does not exist")?;
        require(self.hidden_joints.iter().copied().all(has_joint), file, "a hidden joint does not exist")?;
        let has_bone = |bone: &super::HumanBoneJoint| has_joint(bone.joint);
        require(self.human_bones.iter().all(has_bone), file, "the joint of a human bone does not exist")?;
        let mut weights = self.expressions.iter().flat_map(|expression| &expression.morph_weights);
        let rest_weights = self.skeleton.rest_morph_weights();
        require(rest_weights.iter().all(|weight| weight.is_finite()), file, "a morph weight at rest is not finite")?;
        let weight_count = rest_weights.len();
        require(
            weights.all(|(weight, _)| *weight < weight_count),
            file,
            "a morph weight of an expression does not exist",
        )?;
        let mut changes = self.expressions.iter().flat_map(|expression| &expression.materials);
        let has_material = changes.all(|change| change.material.get() < self.materials.len());
        require(has_material, file, "a material of an expression does not exist")?;
        let has_face_joint = |face: &super::FaceJoint| has_joint(face.joint);
        require(self.face_joints.iter().all(has_face_joint), file, "a joint of the face does not exist")
    }

    /// Returns the number of skin slots that the vertices of the mesh refer to.
    fn validate_mesh(&self, mesh: &Mesh, element: &dyn Fn() -> String) -> Result<usize, InvalidModel> {
        let names = mesh.target_names.len();
        require(names == 0 || names == mesh.target_count, element, "its names are not one per morph target")?;
        let mut slots = 0;
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let element = || format!("{}, primitive {i}", element());
            require(
                primitive.targets.len() == mesh.target_count,
                element,
                "its morph targets are not those of the mesh",
            )?;
            let has_material = |material: super::MaterialIndex| material.get() < self.materials.len();
            let mut materials = [primitive.material, primitive.default_material].into_iter().flatten();
            require(materials.all(has_material), element, "its material does not exist")?;
            let variants = &primitive.variant_materials;
            let exists = variants.iter().all(|(i, material)| i.get() < self.variants.len() && has_material(*material));
            require(exists, element, "a variant or its material does not exist")?;
            slots = slots.max(validate_vertices(primitive, element)?);
        }
        Ok(slots)
    }

    fn validate_material(&self, material: &Material, element: impl FnOnce() -> String) -> Result<(), InvalidModel> {
        let exists = material.textures.iter().all(|texture| texture.texture.get() < self.textures.len());
        require(exists, element, "a texture does not exist")
    }

    fn validate_clip(&self, clip: &Clip, element: &dyn Fn() -> String) -> Result<(), InvalidModel> {
        let is_time = |secs: f32| secs.is_finite() && secs >= 0.0;
        require(is_time(clip.duration_secs), element, "its duration is negative or not finite")?;
        require(is_time(clip.first_key_secs), element, "its first key is before 0 or not finite")?;
        let value_count = |timeline: super::TimelineIndex, interpolation: Interpolation| {
            Some(clip.timelines.get(timeline.get())?.times_secs().len() * interpolation.values_per_key())
        };
        for (i, track) in clip.tracks.iter().enumerate() {
            let element = || format!("{}, track {i}", element());
            let count = value_count(track.timeline, track.interpolation);
            require(count.is_some(), element, "its timeline does not exist")?;
            let joint = self.skeleton.joints().get(track.joint.get());
            require(joint.is_some(), element, "its joint does not exist")?;
            let (found, components) = match &track.keys {
                KeyValues::Translation(values) | KeyValues::Scale(values) => (values.len(), 1),
                KeyValues::Rotation(values) => (values.len(), 1),
                KeyValues::Weights(values) => (values.len(), joint.map_or(0, |joint| joint.morph_weights.len())),
            };
            require(count.map(|count| count * components) == Some(found), element, "its values do not match its keys")?;
            let is_finite = match &track.keys {
                KeyValues::Translation(values) | KeyValues::Scale(values) => are_finite(values.iter().flatten()),
                KeyValues::Rotation(values) => are_finite(values.iter().flatten()),
                KeyValues::Weights(values) => are_finite(&**values),
            };
            require(is_finite, element, "a value is not finite")?;
        }
        for (i, track) in clip.property_tracks.iter().enumerate() {
            let element = || format!("{}, property track {i}", element());
            let count = value_count(track.timeline, track.interpolation);
            require(count.is_some(), element, "its timeline does not exist")?;
            let exists = match track.target {
                PropertyTarget::Material(material, _) => material.get() < self.materials.len(),
                PropertyTarget::Visible(joint) => joint.get() < self.skeleton.len(),
                PropertyTarget::Light(..) | PropertyTarget::Camera(..) => true,
            };
            require(exists, element, "its target does not exist")?;
            let found = track.values.len();
            let needed = count.map(|count| count * track.target.component_count());
            require(needed == Some(found), element, "its values do not match its keys")?;
            require(are_finite(&*track.values), element, "a value is not finite")?;
        }
        Ok(())
    }

    /// `used_slots` are the skin slots of each mesh.
    fn validate_scene(
        &self,
        scene: &Scene,
        used_slots: &[usize],
        element: &dyn Fn() -> String,
    ) -> Result<(), InvalidModel> {
        let exists = scene.lights.iter().all(|light| light.get() < self.lights.len());
        require(exists, element, "a light does not exist")?;
        for (i, node) in scene.mesh_nodes.iter().enumerate() {
            let element = || format!("{}, mesh node {i}", element());
            let joint = self.skeleton.joints().get(node.joint.get());
            require(joint.is_some(), element, "its joint does not exist")?;
            let mesh = self.meshes.get(node.mesh.get());
            require(mesh.is_some(), element, "its mesh does not exist")?;
            let weights = joint.map_or(0, |joint| joint.morph_weights.len());
            let targets = mesh.map_or(0, |mesh| mesh.target_count);
            require(weights == targets, element, "its morph weights are not one per target")?;
            let Some(skin) = node.skin else { continue };
            let joints = self.skins.get(skin.get()).map(|skin| skin.joints.len());
            require(joints.is_some_and(|joints| joints > 0), element, "its skin does not exist or has no joints")?;
            let has_slots = joints.zip(used_slots.get(node.mesh.get())).is_some_and(|(joints, used)| *used <= joints);
            require(has_slots, element, "a vertex refers to a joint that its skin does not have")?;
        }
        Ok(())
    }
}

fn validate_skin(
    skin: &Skin,
    has_joint: impl Fn(JointIndex) -> bool,
    element: impl Fn() -> String,
) -> Result<(), InvalidModel> {
    let matches = skin.joint_from_mesh.len() == skin.joints.len();
    require(matches, &element, "its inverse bind matrices are not one per joint")?;
    require(skin.joints.iter().copied().all(has_joint), &element, "a joint does not exist")?;
    require(skin.joint_from_mesh.iter().all(Affine::is_finite), element, "an inverse bind matrix is not finite")
}

fn are_finite<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> bool {
    numbers.into_iter().all(|number| number.is_finite())
}

/// Returns `true` if the arrays that are present have finite numbers only.
fn all_finite<'a, const N: usize>(arrays: impl IntoIterator<Item = Option<&'a Vec<[f32; N]>>>) -> bool {
    arrays.into_iter().flatten().all(|array| are_finite(array.as_flattened()))
}

/// Returns the number of skin slots that the vertices refer to.
fn validate_vertices(primitive: &Primitive, element: impl Fn() -> String) -> Result<usize, InvalidModel> {
    let vertices = &*primitive.vertices;
    let count = vertices.positions.len();
    let fits = |len: Option<usize>| len.is_none_or(|len| len == count);
    let attributes = [vertices.normals.as_ref().map(Vec::len), vertices.tangents.as_ref().map(Vec::len)];
    let colors = vertices.colors.as_ref().map(Vec::len);
    let sets = vertices.tex_coords.iter().map(|set| Some(set.len()));
    let all_fit = attributes.into_iter().chain([colors]).chain(sets).all(fits);
    require(all_fit, &element, "an attribute does not have one element per vertex")?;
    let is_finite = all_finite([Some(&vertices.positions), vertices.normals.as_ref()])
        && all_finite([vertices.tangents.as_ref(), vertices.colors.as_ref()])
        && all_finite(vertices.tex_coords.iter().map(Some));
    require(is_finite, &element, "a number of an attribute is not finite")?;
    let is_below = |index: &u32| (*index as usize) < count;
    let in_range = primitive.indices.as_ref().is_none_or(|indices| indices.iter().max().is_none_or(is_below));
    require(in_range, &element, "an index is not below the vertex count")?;
    let in_range = vertices.unnormalized_weights.iter().all(|(vertex, _)| is_below(vertex));
    require(in_range, &element, "an unnormalized weight is not that of a vertex")?;
    for (i, target) in primitive.targets.iter().enumerate() {
        let lists = [&target.positions, &target.normals, &target.tangents].map(|list| list.as_ref().map(Vec::len));
        let sets = target.tex_coords.iter().map(|(_, set)| Some(set.len()));
        let colors = target.colors.as_ref().map(Vec::len);
        let all_fit = lists.into_iter().chain([colors]).chain(sets).all(fits);
        let has_base = target.tex_coords.iter().all(|(set, _)| *set < vertices.tex_coords.len())
            && (colors.is_none() || vertices.colors.is_some());
        let element = || format!("{}, morph target {i}", element());
        require(all_fit && has_base, element, "an attribute does not match those of the vertices")?;
        let is_finite = all_finite([&target.positions, &target.normals, &target.tangents].map(Option::as_ref))
            && all_finite([target.colors.as_ref()])
            && all_finite(target.tex_coords.iter().map(|(_, set)| Some(set)));
        require(is_finite, element, "a number of an attribute is not finite")?;
    }
    let Some(Influences { per_vertex, slots, weights }) = &vertices.influences else { return Ok(0) };
    let is_count = per_vertex.is_power_of_two() && *per_vertex <= Influences::MAX_PER_VERTEX;
    let all_fit = is_count && slots.len() == count * per_vertex && weights.len() == slots.len();
    require(all_fit, &element, "its influences are not 1, 2, 4 or 8 per vertex")?;
    require(are_finite(weights), element, "a weight of an influence is not finite")?;
    Ok(slots.iter().max().map_or(0, |slot| slot.get() + 1))
}

fn validate_image(image: &Image, element: impl Fn() -> String) -> Result<(), InvalidModel> {
    let [width, height] = [image.width, image.height].map(|size| size as usize);
    let halved = |level: usize| [width, height].map(|size| (size >> level.min(31)).max(1));
    let texels = |level: usize| halved(level).into_iter().try_fold(4, usize::checked_mul);
    let fits = image.rgba.is_empty() || (width > 0 && height > 0 && Some(image.rgba.len()) == texels(0));
    let mut mipmaps = image.mipmaps.iter().enumerate();
    let all_fit = fits && mipmaps.all(|(i, mipmap)| Some(mipmap.len()) == texels(i + 1));
    require(all_fit, &element, "its texels do not match its size")?;
    let Some(compressed) = &image.compressed else { return Ok(()) };
    let mut levels = compressed.levels.iter().enumerate();
    let all_fit = levels.all(|(i, level)| {
        let [width, height] = halved(i);
        level.len() == BlockFormat::level_bytes(width as u32, height as u32)
    });
    let is_empty = compressed.levels.is_empty() || width == 0 || height == 0;
    require(all_fit && !is_empty, element, "its blocks do not match its size")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{ImportOptions, open};
    use crate::model::{
        CompressedImage, Expression, ImageIndex, JointMask, MaterialIndex, MeshIndex, MorphTarget, PropertyTrack,
        SceneIndex, Skeleton, SkinIndex, SkinSlot, Texture, Timeline, Track, Vertices,
    };
    use nalgebra::{Vector3, Vector4};
    use std::path::Path;

    fn shipped() -> Model {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/hare.glb");
        open(&file, &ImportOptions::default()).expect("a shipped model").model
    }

    fn broken(change: impl FnOnce(&mut Model)) -> String {
        let mut model = shipped();
        change(&mut model);
        model.validate().expect_err("an invalid model").to_string()
    }

    fn broken_mesh(change: impl FnOnce(&mut Primitive)) -> String {
        broken(|model| change(&mut model.meshes[0].primitives[0]))
    }

    #[test]
    fn references_to_missing_elements_are_invalid() {
        assert_eq!(shipped().validate(), Ok(()));
        let joint = JointIndex(9999);
        for (error, found) in [
            ("its default scene does not exist", broken(|m| m.default_scene = SceneIndex(9))),
            ("a hidden joint does not exist", broken(|m| m.hidden_joints.push(joint))),
            (
                "a morph weight of an expression",
                broken(|m| m.expressions.push(Expression { morph_weights: vec![(99, 1.0)], ..Expression::default() })),
            ),
            ("skin 0: a joint does not exist", broken(|m| m.skins[0].joints[0] = joint)),
            ("its material does not exist", broken_mesh(|p| p.material = Some(MaterialIndex(99)))),
            ("a variant or its material", broken_mesh(|p| p.variant_materials.push((0.into(), MaterialIndex(0))))),
            ("track 0: its joint does not exist", broken(|m| m.clips[0].tracks[0].joint = joint)),
            ("mesh node 0: its joint does", broken(|m| m.scenes[0].mesh_nodes[0].joint = joint)),
            ("mesh node 0: its mesh does", broken(|m| m.scenes[0].mesh_nodes[0].mesh = MeshIndex(99))),
            ("its skin does not exist", broken(|m| m.scenes[0].mesh_nodes[0].skin = Some(SkinIndex(99)))),
            ("a light does not exist", broken(|m| m.scenes[0].lights.push(crate::model::LightIndex(99)))),
            (
                "its image does not exist",
                broken(|m| {
                    let sampler = Default::default();
                    m.textures.push(Texture { name: None, image: Some(ImageIndex(99)), sampler });
                }),
            ),
        ] {
            assert!(found.contains(error), "{found}, not {error}");
        }
    }

    #[test]
    fn arrays_of_other_lengths_are_invalid() {
        let track = |values: &[f32]| {
            broken(|model| {
                let clip = &mut model.clips[0];
                clip.timelines = vec![Timeline::new([0.0, 1.0])];
                clip.tracks.clear();
                let target = PropertyTarget::Visible(JointIndex(0));
                let (interpolation, values) = (Interpolation::Linear, values.into());
                let track = PropertyTrack { target, timeline: 0.into(), interpolation, values };
                clip.property_tracks.push(track);
            })
        };
        let image = |change: fn(&mut Image)| {
            broken(|model| {
                let mut image = Image { width: 2, height: 2, ..Image::default() };
                change(&mut image);
                model.images.insert(0, image.into());
            })
        };
        for (error, found) in [
            ("skin 0: its inverse bind", broken(|m| m.skins[0].joint_from_mesh = [].into())),
            ("its morph targets are not", broken(|m| m.meshes[0].target_count += 1)),
            (
                "its names are not one per",
                broken(|m| m.meshes[0].target_names.extend(["a".to_owned(), "b".to_owned()])),
            ),
            ("an attribute does not have", broken_mesh(|p| p.vertices_mut().colors = Some(Vec::new()))),
            ("an index is not below", broken_mesh(|p| p.indices = Some([0, 1, 99_999].into()))),
            (
                "an unnormalized weight is not",
                broken_mesh(|p| p.vertices_mut().unnormalized_weights.push((99_999, 1.0))),
            ),
            ("its influences are not", broken_mesh(|p| p.vertices_mut().influences.as_mut().unwrap().per_vertex = 3)),
            (
                "a vertex refers to a joint",
                broken_mesh(|p| p.vertices_mut().influences.as_mut().unwrap().slots[0] = SkinSlot(999)),
            ),
            (
                "morph target 0: an attribute",
                broken(|m| {
                    m.meshes[0].target_count = 1;
                    for primitive in &mut m.meshes[0].primitives {
                        *primitive.targets_mut() =
                            vec![MorphTarget { positions: Some(Vec::new()), ..Default::default() }];
                    }
                }),
            ),
            ("its duration", broken(|m| m.clips[0].duration_secs = f32::NAN)),
            ("track 0: its timeline", broken(|m| m.clips[0].tracks[0].timeline = 99.into())),
            ("track 0: its values", broken(|m| m.clips[0].tracks[0].keys = KeyValues::Weights([0.0].into()))),
            ("property track 0: its values", track(&[1.0])),
            ("image 0: its texels", image(|image| image.rgba = vec![0; 15])),
            ("image 0: its texels", image(|image| image.mipmaps = vec![vec![0; 4], vec![0; 5]])),
            (
                "image 0: its blocks",
                image(|image| {
                    image.compressed = Some(CompressedImage { format: BlockFormat::Bc7, levels: vec![vec![0; 15]] })
                }),
            ),
        ] {
            assert!(found.contains(error), "{found}, not {error}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_and_masks_of_other_skeletons_are_invalid() {
        let clip = |keys: KeyValues| {
            broken(|model| {
                let timelines = vec![Timeline::new([0.0])];
                let (joint, timeline, interpolation) = (JointIndex(0), 0.into(), Interpolation::Linear);
                let tracks = vec![Track { joint, timeline, interpolation, keys }];
                model.clips[0] = Clip { timelines, tracks, ..Clip::default() };
            })
        };
        let vertices = |change: fn(&mut Vertices)| broken_mesh(|primitive| change(primitive.vertices_mut()));
        for (error, found) in [
            (
                "joint 0: its transform at rest",
                broken(|m| {
                    let mut joints = m.skeleton.joints().to_vec();
                    joints[0].rest.translation.y = f64::NAN;
                    m.skeleton = Skeleton::new(joints, m.skeleton.rest_morph_weights().to_vec());
                }),
            ),
            (
                "joint mask 0: a joint does not exist",
                broken(|m| {
                    let mut mask = JointMask::default();
                    mask.set(JointIndex(9999), 1.0);
                    m.joint_masks.push(mask);
                }),
            ),
            (
                "skin 0: an inverse bind matrix",
                broken(|m| {
                    let mut matrices = m.skins[0].joint_from_mesh.to_vec();
                    matrices[0].translation.x = f64::INFINITY;
                    m.skins[0].joint_from_mesh = matrices.into();
                }),
            ),
            ("clip 0: its first key", broken(|m| m.clips[0].first_key_secs = f32::NAN)),
            ("clip 0: its duration", broken(|m| m.clips[0].duration_secs = f32::INFINITY)),
            ("track 0: a value is not", clip(KeyValues::Translation([Vector3::new(0.0, f32::NAN, 0.0)].into()))),
            ("track 0: a value is not", clip(KeyValues::Rotation([Vector4::repeat(f32::INFINITY)].into()))),
            ("a number of an attribute", vertices(|v| v.positions[7][2] = f32::NAN)),
            ("a number of an attribute", vertices(|v| v.normals.as_mut().unwrap()[7][2] = f32::INFINITY)),
            ("a weight of an influence", vertices(|v| v.influences.as_mut().unwrap().weights[3] = f32::NAN)),
            ("its material does not exist", broken_mesh(|p| p.default_material = Some(MaterialIndex(99)))),
        ] {
            assert!(found.contains(error), "{found}, not {error}");
        }
    }
}

//! Materials of draws, and the textures that they sample.

use super::textures::TextureUsage;
use crate::gpu::{Channels, ColorSpace};
use crate::render::image_channels::ImageChannels;
use crate::render::material_features::{MaterialFeature, MaterialFeatures};
use crate::render::shader::Alpha;
use crate::render::texture_slot::{SlotSampler, is_neutral_if_white};
use rigview_core::model::{
    AlphaMode, ImageIndex, Interpolation, Material, MaterialChange, MaterialIndex, MaterialProperty, Model, Primitive,
    PropertyTarget, PropertyTrack, Sampler, TextureIndex, TextureRef, TextureSlot, TextureTransform,
};
use std::collections::HashMap;

/// Texture coordinate sets that the mesh shader has attributes for.
const MAX_TEX_COORD_SETS: usize = 4;

/// Material of a draw.
pub(crate) struct GpuMaterial {
    /// Factors as in the file.
    pub(crate) factors: Material,
    /// The model's material; `None` for glTF's default material.
    pub(crate) index: Option<MaterialIndex>,
    /// Slot in the [`MaterialBuffer`](super::material_buffer::MaterialBuffer), equal for equal indices.
    pub(crate) slot: usize,
    /// Index of its group in [`group_by_kind`].
    pub(crate) kind: usize,
    pub(crate) alpha: Alpha,
    pub(crate) features: MaterialFeatures,
    /// The shader tests for back faces, although culling leaves front faces only.
    pub(crate) tests_back_faces: bool,
    /// The material, or a clip, transforms texture coordinates.
    pub(crate) has_transforms: bool,
    pub(crate) textures: [Option<BoundTexture>; TextureSlot::COUNT],
    /// The root of the texels of the base color texture per unit square of texture coordinates; 0 without one.
    pub(crate) texels_per_uv: f32,
    /// The texture whose coordinates define the tangent space; `None` if the material needs no tangents.
    pub(super) tangent_texture: Option<TextureRef>,
}

/// Groups materials of a kind, which [`merge_permutations`] gives the same shader.
pub(super) fn group_by_kind(materials: &mut [(Vec<u32>, GpuMaterial)]) -> Vec<Vec<usize>> {
    let mut group_of_kind = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, (_, material)) in materials.iter_mut().enumerate() {
        let is_shared = |slot: TextureSlot| is_neutral_if_white(slot, material.features);
        let others = TextureSlot::ALL.map(|slot| !is_shared(slot) && material.textures[slot as usize].is_some());
        let features = material.features.without(MaterialFeature::Dielectric);
        let kind = (material.factors.unlit, features, material.alpha, others);
        material.kind = *group_of_kind.entry(kind).or_insert(groups.len());
        groups.resize(groups.len().max(material.kind + 1), Vec::new());
        groups[material.kind].push(index);
    }
    groups
}

/// Shares shaders among the materials of each group: each gets white textures, texture transforms, an index of refraction, and a test for
/// back faces, where others have them.
///
/// Compiling a shader takes far longer than drawing one image with textures that change nothing. A frame of an animation
/// is faster without them.
pub(super) fn merge_permutations(
    groups: Vec<Vec<usize>>,
    materials: &mut [(Vec<u32>, GpuMaterial)],
    requests: &mut TextureRequests,
) {
    for group in groups {
        let of_group = || group.iter().map(|&index| &materials[index].1);
        let has_transforms = of_group().any(|material| material.has_transforms);
        let tests_back_faces = of_group().any(|material| material.factors.double_sided);
        let features = of_group().fold(MaterialFeatures::default(), |all, material| all.union(material.features));
        let textures = TextureSlot::ALL.map(|slot| of_group().find_map(|material| material.textures[slot as usize]));
        if textures.iter().flatten().count() > Material::MAX_TEXTURES {
            continue;
        }
        for index in group {
            let (sets, material) = &mut materials[index];
            (material.has_transforms, material.tests_back_faces, material.features) =
                (has_transforms, tests_back_faces, features);
            for (slot, model) in TextureSlot::ALL.iter().zip(&textures) {
                if let (None, Some(model)) = (&material.textures[*slot as usize], model) {
                    if sets.is_empty() {
                        sets.push(0);
                    }
                    let set = if usize::from(model.set) < sets.len() { model.set } else { 0 };
                    let texture = requests.white_texture_like(model.texture);
                    material.textures[*slot as usize] = Some(BoundTexture { texture, set, ..*model });
                }
            }
        }
    }
}

/// A texture of a material. The indices refer to the lists of [`GpuModel`](super::GpuModel).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct BoundTexture {
    pub(crate) texture: usize,
    pub(crate) sampler: usize,
    /// Index among the texture coordinate sets of the primitive's vertices.
    pub(crate) set: u8,
}

impl GpuMaterial {
    /// Builds the material of `primitive`. Also returns the texture coordinate sets that its vertices need.
    pub(super) fn new(
        model: &Model,
        tracks: &MaterialTracks<'_>,
        primitive: &Primitive,
        requests: &mut TextureRequests,
    ) -> (Vec<u32>, Self) {
        let factors = primitive.material.map_or_else(Material::default, |index| model.materials[index.get()].clone());
        let extremes = primitive.material.map(|index| tracks.extremes(&factors, index)).unwrap_or_default();
        let features = animated_features(&factors, &extremes);
        let refs = texture_refs(&factors, features, primitive);
        let mut sets = tex_coord_sets(&refs);
        if sets.len() < MAX_TEX_COORD_SETS && !sets.contains(&0) && has_tex_coords(primitive, 0) {
            // For the UV debug view.
            sets.push(0);
        }
        let textures = TextureSlot::ALL.map(|slot| {
            let texture_ref = refs[slot as usize]?;
            let (texture, sampler) = requests.request(model, texture_ref, slot, &factors);
            let set = sets.iter().position(|set| *set == texture_ref.tex_coord).unwrap_or(0) as u8;
            Some(BoundTexture { texture, sampler, set })
        });
        let transforms = |material: &Material| {
            material.textures.iter().any(|texture| texture.transform != TextureTransform::default())
        };
        let has_transforms = transforms(&factors) || extremes.iter().any(transforms);
        let alpha = match factors.alpha_mode {
            AlphaMode::Opaque => Alpha::Opaque,
            AlphaMode::Mask { .. } => Alpha::Mask,
            AlphaMode::Blend => Alpha::Blend,
        };
        let index = primitive.material;
        let tangent_texture = tangent_texture(&factors, features);
        let tests_back_faces = false;
        let base_color = refs[TextureSlot::BaseColor as usize].filter(|it| has_tex_coords(primitive, it.tex_coord));
        let texels_per_uv = base_color.map_or(0.0, |texture| texels_per_uv(model, &texture));
        (
            sets,
            Self {
                factors,
                index,
                slot: 0,
                kind: 0,
                alpha,
                features,
                tests_back_faces,
                has_transforms,
                textures,
                texels_per_uv,
                tangent_texture,
            },
        )
    }
}

/// Returns the textures that affect a material, by slot.
fn texture_refs(
    material: &Material,
    features: MaterialFeatures,
    primitive: &Primitive,
) -> [Option<TextureRef>; TextureSlot::COUNT] {
    // Tangent space needs texture coordinates and surfaces.
    let has_tangent_space =
        |texture: &TextureRef| has_tex_coords(primitive, texture.tex_coord) && primitive.topology.has_triangles();
    let mut count = 0;
    TextureSlot::ALL.map(|slot| {
        let texture = material.textures[slot]
            .filter(|_| SlotSampler::of(slot).required_feature.is_none_or(|feature| features.has(feature)))
            .filter(|_| slot == TextureSlot::BaseColor || !material.unlit)
            .filter(|texture| match slot {
                TextureSlot::Normal | TextureSlot::ClearcoatNormal | TextureSlot::Anisotropy => {
                    has_tangent_space(texture)
                }
                _ => true,
            });
        count += usize::from(texture.is_some());
        texture.filter(|_| count <= Material::MAX_TEXTURES)
    })
}

/// The tracks of material properties in all clips, and the changes by expressions, by material.
pub(super) struct MaterialTracks<'a>(HashMap<MaterialIndex, MaterialMotion<'a>>);

/// The tracks of a material, and its changes by expressions.
type MaterialMotion<'a> = (Vec<(MaterialProperty, &'a PropertyTrack)>, Vec<&'a MaterialChange>);

impl<'a> MaterialTracks<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let mut of_material: HashMap<_, (Vec<_>, Vec<_>)> = HashMap::new();
        for track in model.clips.iter().flat_map(|clip| &clip.property_tracks) {
            if let PropertyTarget::Material(material, property) = track.target {
                of_material.entry(material).or_default().0.push((property, track));
            }
        }
        for change in model.expressions.iter().flat_map(|expression| &expression.materials) {
            of_material.entry(change.material).or_default().1.push(change);
        }
        Self(of_material)
    }

    /// Returns `material`, the model's material `index`, with all animated properties at their minimum and at their maximum, and with each
    /// change by an expression; empty if there are none.
    fn extremes(&self, material: &Material, index: MaterialIndex) -> Vec<Material> {
        let Some((tracks, changes)) = self.0.get(&index) else { return Vec::new() };
        let extreme = |min_or_max: fn(f64, f64) -> f64| {
            let mut material = material.clone();
            for (property, track) in tracks {
                let count = track.target.component_count();
                // A spline overshoots its keys by its tangents, to either side: their signs decide, and their sizes do not matter.
                let is_tangent = |i: usize| track.interpolation == Interpolation::CubicSpline && i % 3 != 1;
                let column = |component: usize| {
                    let values = track.values.iter().skip(component).step_by(count).map(|x| f64::from(*x)).enumerate();
                    values.flat_map(|(i, x)| [x, if is_tangent(i) { -x } else { x }]).reduce(min_or_max)
                };
                let components: Vec<f64> = (0..count).filter_map(column).collect();
                material.set_property(*property, &components);
            }
            for MaterialChange { property, difference, .. } in changes {
                let Some(value) = material.property_mut(*property) else { continue };
                let changed =
                    value.iter().zip(difference).map(|(x, by)| f64::from(*x) + min_or_max(0.0, f64::from(*by)));
                let changed: Vec<f64> = changed.collect();
                material.set_property(*property, &changed);
            }
            material
        };
        vec![extreme(f64::min), extreme(f64::max)]
    }

    /// Returns the texture whose coordinates define the tangent space of the model's material `index`; `None` if the material
    /// needs no tangents.
    pub(super) fn tangent_texture(&self, model: &Model, index: MaterialIndex) -> Option<TextureRef> {
        let material = &model.materials[index.get()];
        tangent_texture(material, animated_features(material, &self.extremes(material, index)))
    }
}

/// Returns the features that are visible at any time of any clip.
fn animated_features(material: &Material, extremes: &[Material]) -> MaterialFeatures {
    extremes
        .iter()
        .fold(MaterialFeatures::of(material), |features, extreme| features.union(MaterialFeatures::of(extreme)))
}

pub(super) fn has_tex_coords(primitive: &Primitive, set: u32) -> bool {
    (primitive.vertices.tex_coords.get(set as usize)).is_some_and(|coords| !coords.is_empty())
}

/// Returns the texture whose coordinates define the tangent space of a material with these features.
fn tangent_texture(material: &Material, features: MaterialFeatures) -> Option<TextureRef> {
    let coat = material.clearcoat.as_ref().filter(|_| features.has(MaterialFeature::Clearcoat));
    let anisotropy = material.anisotropy.as_ref().filter(|_| features.has(MaterialFeature::Anisotropy));
    let first_set = || TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
    material.textures[TextureSlot::Normal]
        .or(coat.and_then(|_| material.textures[TextureSlot::ClearcoatNormal]))
        .or(anisotropy.map(|_| material.textures[TextureSlot::Anisotropy].unwrap_or_else(first_set)))
        .filter(|_| !material.unlit)
}

/// Returns the root of the texels of a texture per unit square of texture coordinates; 0 for a texture without an image.
fn texels_per_uv(model: &Model, texture: &TextureRef) -> f32 {
    let image = model.textures[texture.texture.get()].image.map(|image| &model.images[image.get()]);
    let [x, y] = texture.transform.scale;
    image.map_or(0.0, |image| (image.width as f32 * image.height as f32 * (x * y).abs()).sqrt())
}

/// Returns the distinct texture coordinate sets of `refs`, at most [`MAX_TEX_COORD_SETS`].
fn tex_coord_sets(refs: &[Option<TextureRef>; TextureSlot::COUNT]) -> Vec<u32> {
    let mut sets = Vec::new();
    for texture_ref in refs.iter().flatten() {
        if sets.len() < MAX_TEX_COORD_SETS && !sets.contains(&texture_ref.tex_coord) {
            sets.push(texture_ref.tex_coord);
        }
    }
    sets
}

/// Content of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TextureSource {
    Image(ImageIndex),
    /// The image could not be read.
    Placeholder,
    White,
}

/// Distinct images and samplers that materials request.
pub(super) struct TextureRequests {
    pub(super) textures: Vec<(TextureSource, TextureUsage)>,
    pub(super) samplers: Vec<Sampler>,
    /// Indices of the textures, by source, color space, channels, and bits of the alpha cutoff.
    texture_indices: HashMap<(TextureSource, ColorSpace, Channels, Option<u32>), usize>,
    channels: ImageChannels,
}

impl TextureRequests {
    pub(super) fn new(model: &Model) -> Self {
        let channels = ImageChannels::new(model);
        Self { textures: Vec::new(), samplers: Vec::new(), texture_indices: HashMap::new(), channels }
    }

    /// Returns the indices of a texture and its sampler.
    fn request(
        &mut self,
        model: &Model,
        texture_ref: TextureRef,
        slot: TextureSlot,
        material: &Material,
    ) -> (usize, usize) {
        let texture = &model.textures[texture_ref.texture.get()];
        let space = SlotSampler::of(slot).color_space;
        let cutoff = match (slot, material.alpha_mode) {
            // The factor multiplies alpha before the test.
            (TextureSlot::BaseColor, AlphaMode::Mask { cutoff }) => Some(cutoff / material.base_color[3]),
            _ => None,
        };
        let source = texture.image.map_or(TextureSource::Placeholder, TextureSource::Image);
        let (channels, mipmaps) = (self.channels.of_slot(slot), texture.sampler.mipmap.is_some());
        let index = self.index_of(source, TextureUsage { space, channels, mipmaps, cutoff });
        let sampler = self.samplers.iter().position(|sampler| *sampler == texture.sampler);
        let sampler = sampler.unwrap_or_else(|| {
            self.samplers.push(texture.sampler);
            self.samplers.len() - 1
        });
        (index, sampler)
    }

    /// Returns the index of a white texture with the color space, channels and mip levels of the texture `index`.
    fn white_texture_like(&mut self, index: usize) -> usize {
        self.index_of(TextureSource::White, TextureUsage { cutoff: None, ..self.textures[index].1 })
    }

    fn index_of(&mut self, source: TextureSource, usage: TextureUsage) -> usize {
        let key = (source, usage.space, usage.channels, usage.cutoff.map(f32::to_bits));
        let index = *self.texture_indices.entry(key).or_insert_with(|| {
            self.textures.push((source, usage));
            self.textures.len() - 1
        });
        self.textures[index].1.mipmaps |= usage.mipmaps;
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::shader::ShaderKey;
    use rigview_core::import::{ImportOptions, from_bytes};
    use rigview_core::model::TEXTURE_SLOTS;
    use rigview_core::palette::MatrixFormat;
    use serde_json::{Value, json};

    #[test]
    fn overshoot_of_a_spline_between_keys_of_zero_has_its_feature() {
        // Keys of 0 at 0 and 1 second; the tangent before the second key is -1, so that the values between them are above 0.
        const BYTES: &str = "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIC/AAAAAAAAAAA=";
        const POINTER: &str = "/materials/0/extensions/KHR_materials_clearcoat/clearcoatFactor";
        let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": POINTER } } });
        let gltf = json!({
            "asset": { "version": "2.0" },
            "extensionsUsed": ["KHR_animation_pointer", "KHR_materials_clearcoat"],
            "materials": [{ "extensions": { "KHR_materials_clearcoat": { "clearcoatFactor": 0 } } }],
            "buffers": [{ "byteLength": 32, "uri": BYTES }],
            "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
                { "bufferView": 1, "componentType": 5126, "count": 6, "type": "SCALAR" }
            ],
            "animations": [{
                "channels": [{ "sampler": 0, "target": target }],
                "samplers": [{ "input": 0, "output": 1, "interpolation": "CUBICSPLINE" }]
            }]
        });
        let file = from_bytes(gltf.to_string().into_bytes(), None, &ImportOptions::default()).expect("a model");
        let (model, index) = (file.model, MaterialIndex(0));
        let material = &model.materials[index.get()];
        let extremes = MaterialTracks::new(&model).extremes(material, index);
        assert_eq!(extremes.len(), 2, "an animated material");
        assert!(!MaterialFeatures::of(material).has(MaterialFeature::Clearcoat));
        assert!(animated_features(material, &extremes).has(MaterialFeature::Clearcoat));
    }

    #[test]
    fn import_names_the_effects_without_a_texture_unit() {
        let path_of = |slot: &TextureSlot| {
            let mut paths = TEXTURE_SLOTS.iter().filter(|(other, path)| other == slot && !path.contains("Glossiness"));
            paths.next().expect("a path").1
        };
        for count in 0..=Material::MAX_TEXTURES {
            let mut material = json!({});
            for slot in &TextureSlot::ALL[..count] {
                let texture: &mut Value = path_of(slot).split('/').fold(&mut material, |value, key| &mut value[key]);
                *texture = json!({ "index": 0 });
            }
            let gltf = json!({ "asset": { "version": "2.0" }, "textures": [{}], "materials": [material] });
            let diagnostics = from_bytes(gltf.to_string().into_bytes(), None, &ImportOptions::default());
            let diagnostics = diagnostics.expect("a model").diagnostics;
            let text: String = diagnostics.iter().map(ToString::to_string).collect();
            let key = ShaderKey {
                textures: std::array::from_fn(|slot| (slot < count).then_some(0)),
                has_sun_shadow: true,
                has_ambient_occlusion: true,
                has_environment: true,
                has_environment_cube_map: true,
                ..ShaderKey::minimal(MatrixFormat::Mat3x4)
            };
            let key = key.simplified();
            for (is_on, effect) in [
                (key.has_environment_cube_map, "sharp reflections of the environment"),
                (key.has_ambient_occlusion, "ambient occlusion"),
                (key.has_sun_shadow, "shadows"),
            ] {
                assert_eq!(text.contains(effect), !is_on, "{count} textures, {effect}: {text}");
            }
        }
    }
}

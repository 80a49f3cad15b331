//! A model, or what a layout draws of it, on the GPU.

use super::RenderError;
use super::gpu_primitive::{GpuPrimitive, TriangleOrder};
use super::material_features::{Layer, Layers};
use super::morphs::MorphTexels;
use super::tangents::{self, TangentSpaces};
use super::textures::{PictureUse, upload_picture};
use super::variant::{Alpha, ROLES, TextureSlot};
use crate::gpu::{ArrayTexture, Gpu, Sampler, Texture2d};
use crate::math::Aabb;
use crate::model::{
    AlphaMode, ImageIndex, Material, MaterialIndex, MeshIndex, Model, Primitive, PropertyTarget,
    Sampler as SamplerMode, TextureIndex, TextureRef, TextureTransform,
};
use crate::palette::{Draw, PaletteLayout};
use nalgebra::Vector3;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Vertices, textures and materials of what one [`PaletteLayout`] draws.
///
/// It holds nothing that varies from instance to instance or from frame to frame.
pub struct GpuModel {
    pub(crate) primitives: Vec<GpuPrimitive>,
    pub(crate) draws: Vec<GpuDraw>,
    pub(crate) pictures: Vec<Texture2d>,
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) morphs: Option<ArrayTexture>,
}

/// One draw of the layout, with its material.
pub(crate) struct GpuDraw {
    /// The draw as the layout has it.
    pub(crate) draw: Draw,
    /// Its vertices, as an index into [`GpuModel::primitives`].
    pub(crate) primitive: usize,
    /// Its material, the same for all that draw this primitive: a small file can have very many draws.
    pub(crate) material: Rc<GpuMaterial>,
    /// The middle of its vertices, counted from the section's origin, and the slot that most of them follow most.
    pub(crate) center: (Vector3<f64>, usize),
}

/// A material as a draw needs it.
pub(crate) struct GpuMaterial {
    /// Factors, the cutoff, and so on, as the model has them.
    pub(crate) factors: Material,
    /// The model's material; `None` for glTF's default one.
    pub(crate) index: Option<MaterialIndex>,
    /// What opacity does.
    pub(crate) alpha: Alpha,
    /// What extensions add.
    pub(crate) layers: Layers,
    /// Whether coordinates of textures are ever anything but what the file has.
    pub(crate) transforms: bool,
    /// For each role, its texture.
    pub(crate) textures: [Option<BoundTexture>; ROLES],
}

/// A texture as a material uses it.
pub(crate) struct BoundTexture {
    /// Index into [`GpuModel::pictures`].
    pub(crate) picture: usize,
    /// Index into [`GpuModel::samplers`].
    pub(crate) sampler: usize,
    /// The set of texture coordinates, as numbered among those of the primitive's vertices.
    pub(crate) set: u8,
}

/// Sets of texture coordinates that the shader has attributes for.
const MOST_SETS: usize = 4;

impl GpuModel {
    /// Uploads what `layout` draws of `model`.
    pub(crate) fn new(
        gpu: &Rc<Gpu>,
        max_texture_size: u32,
        model: &Model,
        layout: &PaletteLayout,
    ) -> Result<Self, RenderError> {
        let (mut uploaded, pictures) = Self::without_pictures(gpu, model, layout)?;
        for (image, used) in pictures.pictures {
            let image = image.map(|index| &model.images[index.get()]);
            let image = image.map(|image| (image, Cow::Borrowed(&image.rgba[..])));
            uploaded.pictures.push(upload_picture(gpu, max_texture_size, image, used)?);
        }
        Ok(uploaded)
    }

    /// The same for a model that is uploaded once: its pictures lose their texels one after the other, so that few are in
    /// memory twice.
    pub(crate) fn taking(
        gpu: &Rc<Gpu>,
        max_texture_size: u32,
        model: &mut Model,
        layout: &PaletteLayout,
    ) -> Result<Self, RenderError> {
        let (mut uploaded, pictures) = Self::without_pictures(gpu, model, layout)?;
        for (number, (image, used)) in pictures.pictures.iter().enumerate() {
            let needed = pictures.pictures[number + 1..].iter().any(|(other, _)| other == image);
            let given = image.filter(|_| !needed).map(|index| std::mem::take(&mut model.images[index.get()].rgba));
            let content = image.map(|index| &model.images[index.get()]);
            let content = content.map(|image| (image, given.map_or(Cow::Borrowed(&image.rgba[..]), Cow::Owned)));
            uploaded.pictures.push(upload_picture(gpu, max_texture_size, content, *used)?);
            if let Some(index) = image.filter(|_| !needed) {
                let image = &mut model.images[index.get()];
                (image.mipmaps, image.blocks) = (Vec::new(), None);
            }
        }
        Ok(uploaded)
    }

    fn without_pictures(gpu: &Rc<Gpu>, model: &Model, layout: &PaletteLayout) -> Result<(Self, Pictures), RenderError> {
        let mut spaces = tangent_spaces(model, layout);
        // Textures first in words, so that each picture is uploaded once and with mipmaps only if someone samples them.
        let mut pictures = Pictures::default();
        let mut morph_texels = MorphTexels::default();
        let mut primitives = Vec::new();
        // The origin too: a mesh that follows two skins may be counted from two.
        let mut number_of: HashMap<(MeshIndex, usize, [u32; 3]), usize> = HashMap::new();
        let mut materials: HashMap<(MeshIndex, usize), (Vec<u32>, Rc<GpuMaterial>)> = HashMap::new();
        let mut draws = Vec::new();
        for draw in &layout.draws {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let (sets, material) = materials
                .entry((draw.mesh, draw.primitive))
                .or_insert_with(|| material(model, primitive, &mut pictures));
            let origin = layout.sections[draw.section].position_offset.map(f32::to_bits);
            let positions = || layout.positions(model, draw);
            let number = match number_of.get(&(draw.mesh, draw.primitive, origin)) {
                Some(&number) => number,
                None => {
                    let morph = morph_texels.add(primitive);
                    let spaces = spaces.remove(&(draw.mesh, draw.primitive));
                    primitives.push(GpuPrimitive::new(
                        gpu,
                        (primitive, &positions(), spaces.as_ref()),
                        sets.clone(),
                        morph.as_ref(),
                        if material.alpha == Alpha::Blend { TriangleOrder::OfFile } else { TriangleOrder::Free },
                    )?);
                    number_of.insert((draw.mesh, draw.primitive, origin), primitives.len() - 1);
                    primitives.len() - 1
                }
            };
            draws.push(GpuDraw {
                draw: *draw,
                primitive: number,
                // Only what shines through is sorted.
                center: match material.alpha {
                    Alpha::Blend => center(primitive, &positions(), draw.skinned),
                    _ => (Vector3::zeros(), 0),
                },
                material: Rc::clone(material),
            });
        }
        let samplers = pictures.samplers.iter().map(|s| Sampler::new(gpu, s)).collect::<Result<_, _>>()?;
        let morphs = morph_texels.upload(gpu)?;
        Ok((Self { primitives, draws, pictures: Vec::new(), samplers, morphs }, pictures))
    }
}

impl GpuModel {
    /// Vertices that one instance draws, counted as often as they are drawn.
    pub(crate) fn drawn_vertices(&self) -> u64 {
        let count = |draw: &GpuDraw| {
            let primitive = &self.primitives[draw.primitive];
            primitive.indices.map_or(primitive.vertex_count, |(count, _)| count) as u64
        };
        self.draws.iter().map(count).sum()
    }
}

/// A primitive's material as its draws need it, and the sets of texture coordinates that it takes.
fn material(model: &Model, primitive: &Primitive, pictures: &mut Pictures) -> (Vec<u32>, Rc<GpuMaterial>) {
    let factors = primitive.material.map_or_else(Material::default, |index| model.materials[index.get()].clone());
    let extremes = primitive.material.map(|index| extremes(model, index)).unwrap_or_default();
    let layers = layers_of(&factors, &extremes);
    let refs = texture_refs(&factors, layers, primitive);
    let mut sets = tex_coord_sets(&refs);
    if sets.len() < MOST_SETS && !sets.contains(&0) && has_coords(primitive, 0) {
        // No texture takes them, but a look may.
        sets.push(0);
    }
    let textures = TextureSlot::ALL.map(|role| {
        let texture_ref = refs[role as usize]?;
        let (picture, sampler) = pictures.request(model, texture_ref, (role, &factors));
        let set = sets.iter().position(|set| *set == texture_ref.tex_coord).unwrap_or(0) as u8;
        Some(BoundTexture { picture, sampler, set })
    });
    let moves =
        |material: &Material| material.textures.iter().any(|texture| texture.transform != TextureTransform::default());
    let transforms = moves(&factors) || extremes.iter().any(moves);
    let alpha = match factors.alpha_mode {
        AlphaMode::Opaque => Alpha::Opaque,
        AlphaMode::Mask { .. } => Alpha::Mask,
        AlphaMode::Blend => Alpha::Blend,
    };
    (sets, Rc::new(GpuMaterial { factors, index: primitive.material, alpha, layers, transforms, textures }))
}

/// The textures of a material that are looked at, by role.
fn texture_refs(material: &Material, layers: Layers, primitive: &Primitive) -> [Option<TextureRef>; ROLES] {
    let lit = |texture: Option<TextureRef>| texture.filter(|_| !material.unlit);
    // Without coordinates nothing tells where a normal's left and right are.
    let bends = |texture: Option<TextureRef>| {
        lit(texture).filter(|normal| has_coords(primitive, normal.tex_coord) && primitive.topology.has_triangles())
    };
    let mut count = 0;
    TextureSlot::ALL.map(|role| {
        let layer = match role {
            TextureSlot::BaseColor
            | TextureSlot::MetallicRoughness
            | TextureSlot::Emissive
            | TextureSlot::Occlusion
            | TextureSlot::Normal
            | TextureSlot::Specular
            | TextureSlot::SpecularColor => None,
            TextureSlot::Clearcoat | TextureSlot::ClearcoatRoughness | TextureSlot::ClearcoatNormal => {
                Some(Layer::Clearcoat)
            }
            TextureSlot::SheenColor | TextureSlot::SheenRoughness => Some(Layer::Sheen),
            TextureSlot::Anisotropy => Some(Layer::Anisotropy),
            TextureSlot::Iridescence | TextureSlot::IridescenceThickness => Some(Layer::Iridescence),
            TextureSlot::Transmission => Some(Layer::Transmission),
            TextureSlot::Thickness => Some(Layer::Volume),
            TextureSlot::DiffuseTransmission | TextureSlot::DiffuseTransmissionColor => {
                Some(Layer::DiffuseTransmission)
            }
        };
        let texture = role.of(material).filter(|_| layer.is_none_or(|layer| layers.has(layer)));
        let texture = match role {
            TextureSlot::BaseColor => texture,
            TextureSlot::Normal | TextureSlot::ClearcoatNormal | TextureSlot::Anisotropy => bends(texture),
            _ => lit(texture),
        };
        count += usize::from(texture.is_some());
        texture.filter(|_| count <= Material::MAX_TEXTURES)
    })
}

/// A material with all that clips change of it at the least, and at the most; nothing where they change nothing.
fn extremes(model: &Model, index: MaterialIndex) -> Vec<Material> {
    let tracks = model.clips.iter().flat_map(|clip| &clip.values);
    let tracks: Vec<_> = tracks
        .filter_map(|track| match track.target {
            PropertyTarget::Material(material, value) if material == index => Some((value, track)),
            _ => None,
        })
        .collect();
    if tracks.is_empty() {
        return Vec::new();
    }
    let extreme = |better: fn(f64, f64) -> f64| {
        let mut material = model.materials[index.get()].clone();
        for (value, track) in &tracks {
            let width = track.target.component_count();
            let column = |i: usize| track.values.iter().skip(i).step_by(width).map(|x| f64::from(*x)).reduce(better);
            let numbers: Vec<f64> = (0..width).filter_map(column).collect();
            material.set_property(*value, &numbers);
        }
        material
    };
    vec![extreme(f64::min), extreme(f64::max)]
}

/// The layers that show of a material at one time or another.
fn layers_of(material: &Material, extremes: &[Material]) -> Layers {
    extremes.iter().fold(Layers::of(material), |layers, extreme| layers.or(Layers::of(extreme)))
}

fn has_coords(primitive: &Primitive, set: u32) -> bool {
    (primitive.vertices.tex_coords.get(set as usize)).is_some_and(|coords| !coords.is_empty())
}

/// Tangent spaces for the primitives that are drawn with a normal texture and bring none.
fn tangent_spaces(model: &Model, layout: &PaletteLayout) -> HashMap<(MeshIndex, usize), TangentSpaces> {
    let mut needed: Vec<((MeshIndex, usize), TextureRef)> = Vec::new();
    for draw in &layout.draws {
        let (key, primitive) = ((draw.mesh, draw.primitive), &model.meshes[draw.mesh.get()].primitives[draw.primitive]);
        let Some(index) = primitive.material else { continue };
        let material = &model.materials[index.get()];
        let layers = layers_of(material, &extremes(model, index));
        let Some(normal) = tangent_texture(material, layers) else { continue };
        let vertices = &primitive.vertices;
        let makes_tangents = vertices.normals.is_some() && vertices.tangents.is_none();
        if makes_tangents && has_coords(primitive, normal.tex_coord) && needed.iter().all(|(other, _)| *other != key) {
            needed.push((key, normal));
        }
    }
    // They share nothing, and a large one takes longer than all that is uploaded.
    let generate = |(key, normal): ((MeshIndex, usize), TextureRef)| {
        let primitive = &model.meshes[key.0.get()].primitives[key.1];
        Some((key, tangents::generate(primitive, normal)?))
    };
    needed.into_par_iter().filter_map(generate).collect::<Vec<_>>().into_iter().collect()
}

/// The texture whose coordinates tangents run along, of a material that needs some.
fn tangent_texture(material: &Material, layers: Layers) -> Option<TextureRef> {
    let coat = material.clearcoat.as_ref().filter(|_| layers.has(Layer::Clearcoat));
    let anisotropy = material.anisotropy.as_ref().filter(|_| layers.has(Layer::Anisotropy));
    let first_set = || TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
    (TextureSlot::Normal.of(material))
        .or(coat.and_then(|_| TextureSlot::ClearcoatNormal.of(material)))
        .or(anisotropy.map(|_| TextureSlot::Anisotropy.of(material).unwrap_or_else(first_set)))
        .filter(|_| !material.unlit)
}

/// The sets of texture coordinates that textures take, each once; a vertex has room for four.
fn tex_coord_sets(refs: &[Option<TextureRef>; ROLES]) -> Vec<u32> {
    let mut sets = Vec::new();
    for texture_ref in refs.iter().flatten() {
        if sets.len() < MOST_SETS && !sets.contains(&texture_ref.tex_coord) {
            sets.push(texture_ref.tex_coord);
        }
    }
    sets
}

/// The middle of a primitive's vertices, and the slot that most of their weight hangs on.
fn center(primitive: &Primitive, positions: &[[f32; 3]], skinned: bool) -> (Vector3<f64>, usize) {
    let mut bounds = Aabb::EMPTY;
    for position in positions {
        bounds.add(Vector3::from(*position).cast());
    }
    let mut weight_of = vec![0.0_f64; 1];
    if let Some(influences) = primitive.vertices.influences.as_ref().filter(|_| skinned) {
        for (slot, weight) in influences.slots.iter().zip(&influences.weights) {
            let slot = usize::from(slot.0);
            weight_of.resize(weight_of.len().max(slot + 1), 0.0);
            weight_of[slot] += f64::from(*weight);
        }
    }
    let slot = (0..weight_of.len()).rev().max_by(|a, b| weight_of[*a].total_cmp(&weight_of[*b])).unwrap_or(0);
    (bounds.center(), slot)
}

/// The pictures and samplers that draws ask for, each once.
#[derive(Default)]
struct Pictures {
    pictures: Vec<(Option<ImageIndex>, PictureUse)>,
    samplers: Vec<SamplerMode>,
}

impl Pictures {
    fn request(
        &mut self,
        model: &Model,
        texture_ref: TextureRef,
        (role, material): (TextureSlot, &Material),
    ) -> (usize, usize) {
        let texture = &model.textures[texture_ref.texture.get()];
        let space = role.color_space();
        let cutoff = match (role, material.alpha_mode) {
            // The factor multiplies the opacity before it is compared.
            (TextureSlot::BaseColor, AlphaMode::Mask { cutoff }) => Some(cutoff / material.base_color[3]),
            _ => None,
        };
        let picture = self.pictures.iter().position(|(image, used)| {
            (*image, used.space, used.cutoff.map(f32::to_bits)) == (texture.image, space, cutoff.map(f32::to_bits))
        });
        let picture = picture.unwrap_or_else(|| {
            self.pictures.push((texture.image, PictureUse { space, mipmaps: false, cutoff }));
            self.pictures.len() - 1
        });
        self.pictures[picture].1.mipmaps |= texture.sampler.mipmap.is_some();
        let sampler = self.samplers.iter().position(|sampler| *sampler == texture.sampler);
        let sampler = sampler.unwrap_or_else(|| {
            self.samplers.push(texture.sampler);
            self.samplers.len() - 1
        });
        (picture, sampler)
    }
}

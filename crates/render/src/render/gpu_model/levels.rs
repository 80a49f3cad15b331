//! Levels of detail of a model's primitives, as triangles over the vertices of the full mesh.

use super::equal_meshes::first_equal_meshes;
use super::material::{MaterialTracks, has_tex_coords};
use super::simplify::{self, Attributes, Skin, simplify};
use super::tangents::{self, TangentKey};
use super::vertex_order::optimize_triangle_order;
use nalgebra::{Vector2, Vector3};
use rayon::prelude::*;
use rigview_core::math::Affine;
use rigview_core::model::{
    AlphaMode, Influences, JointIndex, MaterialIndex, MeshIndex, Model, Primitive, SkinSlot, TextureSlot,
};
use rigview_core::palette::{PaletteLayout, PrimitiveDraw, RangeJoints};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Triangle count below which a mesh has no levels.
const MIN_SIMPLIFIED_TRIANGLES: usize = 16;

/// Triangle count above which a mesh has no levels, because simplification takes too long.
const MAX_SIMPLIFIED_TRIANGLES: usize = 1 << 19;

/// Weight of a normal's change: 1 changes the whole color, and normals that differ by 60 degrees change half of it.
const NORMAL_WEIGHT: f32 = 0.5;

/// Levels of detail of the primitives of one model.
///
/// All primitives of a mesh are simplified together, so that borders between materials stay closed.
#[derive(Clone, Debug, Default)]
pub struct ModelLevels {
    /// For each primitive, from fine to coarse.
    of_primitives: HashMap<(MeshIndex, usize), Arc<Vec<Level>>>,
}

/// A level of detail of one primitive.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Triangle list of GPU vertices, in the order of the file, then copies with other tangents.
    pub(super) indices: Vec<u32>,
    /// Maximum distance from the full mesh, in mesh units.
    pub(super) error: f64,
}

impl ModelLevels {
    /// Simplifies the meshes that `layout` draws, in parallel.
    ///
    /// Points, lines, blended materials and morphed meshes have no levels.
    pub fn new(model: &Model, layout: &PaletteLayout) -> Self {
        let mut draw_of_mesh: HashMap<MeshIndex, &PrimitiveDraw> = HashMap::new();
        for draw in &layout.draws {
            let known = draw_of_mesh.entry(draw.mesh).or_insert(draw);
            if draw.skinned {
                // The error of a skinned mesh is also a bound for a rigid one.
                *known = draw;
            }
        }
        let tracks = MaterialTracks::new(model);
        // MetalRoughSpheresNoTextures has 98 equal spheres, each of which takes 0.6 s.
        let first_equal_meshes = first_equal_meshes(model);
        let mut meshes_of_key: HashMap<LevelsKey, (&PrimitiveDraw, Vec<MeshIndex>)> = HashMap::new();
        for (mesh, draw) in draw_of_mesh {
            let is_skinned = matches!(layout.matrix_ranges[draw.matrix_range].joints, RangeJoints::Skin(_));
            let key = LevelsKey {
                mesh: first_equal_meshes[mesh.get()],
                skinned: is_skinned.then_some(mesh),
                primitives: primitive_keys(model, &tracks, mesh),
            };
            meshes_of_key.entry(key).or_insert_with(|| (draw, Vec::new())).1.push(mesh);
        }
        let levels = |(draw, meshes): (&PrimitiveDraw, Vec<MeshIndex>)| {
            let levels = mesh_levels(model, layout, &tracks, draw);
            meshes.into_iter().flat_map(move |mesh| {
                levels.clone().into_iter().map(move |(primitive, levels)| ((mesh, primitive), levels))
            })
        };
        let meshes: Vec<_> = meshes_of_key.into_values().collect();
        Self { of_primitives: meshes.into_par_iter().flat_map_iter(levels).collect() }
    }

    pub(super) fn of_primitive(&self, draw: &PrimitiveDraw) -> &[Level] {
        self.of_primitives.get(&(draw.mesh, draw.primitive)).map_or(&[], |levels| levels.as_slice())
    }
}

/// What the levels of a mesh depend on. Meshes of equal keys share them.
#[derive(PartialEq, Eq, Hash)]
struct LevelsKey {
    /// The first mesh with equal vertices and indices.
    mesh: MeshIndex,
    /// That of a skinned mesh, whose levels depend on the rest pose of its skin.
    skinned: Option<MeshIndex>,
    /// `None` for primitives without levels.
    primitives: Vec<Option<PrimitiveKey>>,
}

/// Tangents, and the sets of texture coordinates that the materials use.
type PrimitiveKey = (Option<TangentKey>, Vec<u32>);

fn primitive_keys(model: &Model, tracks: &MaterialTracks<'_>, mesh: MeshIndex) -> Vec<Option<PrimitiveKey>> {
    let key = |primitive: &Primitive| {
        let tangents = primitive.material.and_then(|index| tracks.tangent_texture(model, index));
        has_levels(model, primitive).then(|| (tangents.map(TangentKey::new), tex_coord_sets(model, primitive)))
    };
    model.meshes[mesh.get()].primitives.iter().map(key).collect()
}

/// A primitive within the mesh that is simplified.
struct Part<'a> {
    index: usize,
    primitive: &'a Primitive,
    /// File index of each GPU vertex.
    vertices: Vec<usize>,
    /// Index of its first vertex in the mesh.
    first_vertex: u32,
}

/// Simplifies the mesh of a draw. Returns the levels of its primitives by index.
fn mesh_levels(
    model: &Model,
    layout: &PaletteLayout,
    tracks: &MaterialTracks<'_>,
    draw: &PrimitiveDraw,
) -> Vec<(usize, Arc<Vec<Level>>)> {
    let mesh = &model.meshes[draw.mesh.get()];
    let (mut parts, mut triangles) = (Vec::new(), Vec::new());
    let mut fixed_positions = HashSet::new();
    let mut vertex_count = 0;
    for (index, primitive) in mesh.primitives.iter().enumerate() {
        if !has_levels(model, primitive) {
            fixed_positions.extend(primitive.vertices.positions.iter().copied().map(key));
            continue;
        }
        // Copies of vertices must be those on the GPU.
        let texture = primitive.material.and_then(|index| tracks.tangent_texture(model, index));
        let texture = texture
            .filter(|texture| primitive.vertices.tangents.is_none() && has_tex_coords(primitive, texture.tex_coord));
        let spaces = texture.and_then(|texture| tangents::generate(primitive, texture));
        let copies = spaces.as_ref().map_or(&[][..], |spaces| &spaces.copies);
        let vertices: Vec<usize> =
            (0..primitive.vertices.positions.len()).chain(copies.iter().map(|&vertex| vertex as usize)).collect();
        let own_triangles = spaces.as_ref().map_or_else(|| primitive.triangles(), |spaces| spaces.indices.clone());
        triangles.extend(own_triangles.iter().map(|vertex| vertex + vertex_count));
        let first_vertex = vertex_count;
        vertex_count += vertices.len() as u32;
        parts.push(Part { index, primitive, vertices, first_vertex });
    }
    let count = triangles.len() / 3;
    if !(MIN_SIMPLIFIED_TRIANGLES..=MAX_SIMPLIFIED_TRIANGLES).contains(&count) {
        return Vec::new();
    }
    let vertices = || parts.iter().flat_map(|part| part.vertices.iter().map(move |&vertex| (part, vertex)));
    let positions: Vec<[f32; 3]> = vertices().map(|(part, vertex)| part.primitive.vertices.positions[vertex]).collect();
    let influences = all_influences(&parts);
    let source = simplify::Mesh {
        attributes: attributes(model, &parts),
        materials: vertices().map(|(part, _)| part.index as u32).collect(),
        skin: influences.as_ref().and_then(|influences| skin(model, layout, draw, influences)),
        locked: positions.iter().map(|position| fixed_positions.contains(&key(*position))).collect(),
        positions,
        triangles,
    };
    let mut levels: Vec<Vec<Level>> = vec![Vec::new(); parts.len()];
    for simplified in simplify(&source) {
        let mut indices: Vec<Vec<u32>> = vec![Vec::new(); parts.len()];
        for triangle in simplified.triangles.as_chunks::<3>().0 {
            let part = parts.partition_point(|part| part.first_vertex <= triangle[0]) - 1;
            indices[part].extend(triangle.map(|vertex| vertex - parts[part].first_vertex));
        }
        for ((levels, part), mut indices) in levels.iter_mut().zip(&parts).zip(indices) {
            if let Some(optimized) = optimize_triangle_order(&indices, part.vertices.len()) {
                indices = optimized;
            }
            levels.push(Level { indices, error: simplified.error });
        }
    }
    parts.iter().map(|part| part.index).zip(levels.into_iter().map(Arc::new)).collect()
}

fn has_levels(model: &Model, primitive: &Primitive) -> bool {
    let materials = primitive.material.into_iter().chain(primitive.variant_materials.iter().map(|(_, index)| *index));
    let is_blended = |index: MaterialIndex| matches!(model.materials[index.get()].alpha_mode, AlphaMode::Blend);
    primitive.topology.has_triangles() && primitive.targets.is_empty() && !materials.into_iter().any(is_blended)
}

/// Returns the bits of a position. Zeros of both signs are equal.
fn key(position: [f32; 3]) -> [u32; 3] {
    position.map(|x| (x + 0.0).to_bits())
}

/// Returns the sets of texture coordinates that the materials of a primitive use.
fn tex_coord_sets(model: &Model, primitive: &Primitive) -> Vec<u32> {
    let materials = primitive.material.into_iter().chain(primitive.variant_materials.iter().map(|(_, index)| *index));
    let refs = materials.flat_map(|index| TextureSlot::ALL.map(|slot| model.materials[index.get()].textures[slot]));
    let sets: BTreeSet<u32> = refs.flatten().map(|texture_ref| texture_ref.tex_coord).collect();
    sets.into_iter().filter(|set| has_tex_coords(primitive, *set)).collect()
}

/// Returns normals, colors, and the texture coordinates that the materials use. Absent ones are zeros.
fn attributes(model: &Model, parts: &[Part<'_>]) -> Attributes {
    let sets = |part: &Part<'_>| tex_coord_sets(model, part.primitive);
    let has_normals = parts.iter().any(|part| part.primitive.vertices.normals.is_some());
    let has_colors = parts.iter().any(|part| part.primitive.vertices.colors.is_some());
    let set_count = parts.iter().map(|part| sets(part).len()).max().unwrap_or(0);
    let shading = 3 * usize::from(has_normals) + 4 * usize::from(has_colors);
    let stride = shading + 2 * set_count;
    let mut values = Vec::new();
    for part in parts {
        let vertices = &part.primitive.vertices;
        let sets: Vec<(&[[f32; 2]], f32)> = sets(part)
            .into_iter()
            .map(|set| &vertices.tex_coords[set as usize][..])
            .map(|coords| (coords, mesh_units_per_tex_coord(part.primitive, coords)))
            .collect();
        for &vertex in &part.vertices {
            let end = values.len() + stride;
            if has_normals {
                let normal = vertices.normals.as_ref().map_or([0.0; 3], |normals| normals[vertex]);
                values.extend(normal.map(|x| NORMAL_WEIGHT * x));
            }
            if has_colors {
                values.extend(vertices.colors.as_ref().map_or([0.0; 4], |colors| colors[vertex]));
            }
            for (coords, scale) in &sets {
                values.extend(coords[vertex].map(|x| scale * x));
            }
            values.resize(end, 0.0);
        }
    }
    Attributes { stride, shading, values }
}

/// Returns the length on the surface of one unit of texture coordinates, on average.
fn mesh_units_per_tex_coord(primitive: &Primitive, coords: &[[f32; 2]]) -> f32 {
    let (mut area, mut mapped_area) = (0.0, 0.0);
    for triangle in primitive.triangles().as_chunks::<3>().0 {
        let [a, b, c] =
            triangle.map(|vertex| Vector3::from(primitive.vertices.positions[vertex as usize]).cast::<f64>());
        area += (b - a).cross(&(c - a)).norm();
        let [a, b, c] = triangle.map(|vertex| Vector2::from(coords[vertex as usize]).cast::<f64>());
        mapped_area += (b - a).perp(&(c - a)).abs();
    }
    if mapped_area > 0.0 { (area / mapped_area).sqrt() as f32 } else { 0.0 }
}

/// Returns the influences of all vertices; `None` if no part has any.
fn all_influences(parts: &[Part<'_>]) -> Option<Influences> {
    let of_part = |part: &Part<'_>| part.primitive.vertices.influences.as_ref().map(|influences| influences.per_vertex);
    let per_vertex = parts.iter().filter_map(of_part).max()?;
    let mut all = Influences { per_vertex, ..Influences::default() };
    for part in parts {
        for &vertex in &part.vertices {
            let end = all.slots.len() + per_vertex;
            if let Some(influences) = &part.primitive.vertices.influences {
                for (slot, weight) in influences.of_vertex(vertex) {
                    all.slots.push(slot);
                    all.weights.push(weight);
                }
            }
            all.slots.resize(end, SkinSlot(0));
            all.weights.resize(end, 0.0);
        }
    }
    Some(all)
}

fn skin<'a>(
    model: &Model,
    layout: &PaletteLayout,
    draw: &PrimitiveDraw,
    influences: &'a Influences,
) -> Option<Skin<'a>> {
    let RangeJoints::Skin(skin) = layout.matrix_ranges[draw.matrix_range].joints else { return None };
    // A matrix without an inverse has no joint position.
    let joint = |joint_from_mesh: &Affine| {
        let mesh_from_joint = joint_from_mesh.linear.try_inverse();
        mesh_from_joint.map_or_else(Vector3::zeros, |inverse| -inverse * joint_from_mesh.translation)
    };
    let skin = &model.skins[skin.get()];
    let slots: HashMap<JointIndex, usize> =
        skin.joints.iter().enumerate().map(|(slot, joint)| (*joint, slot)).collect();
    let parent = |joint: &JointIndex| {
        let ancestors = std::iter::successors(Some(*joint), |joint| model.skeleton.joint(*joint).parent).skip(1);
        ancestors.filter_map(|joint| slots.get(&joint).copied()).next()
    };
    Some(Skin {
        influences,
        joints: skin.joint_from_mesh.iter().map(joint).collect(),
        parents: skin.joints.iter().map(parent).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::simplify::distance;
    use super::*;
    use rigview_core::crowd::{Crowd, CrowdAnimator, Instance};
    use rigview_core::import::{ImageLoading, ImportOptions, open};
    use rigview_core::math::Aabb;
    use rigview_core::model::{ClipIndex, Material, MorphTarget, SceneIndex, Topology};
    use rigview_core::palette::BlockIndex;
    use rigview_core::palette::{Rig, skin_positions_on_cpu};
    use std::path::Path;

    fn windmill() -> Model {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/windmill.glb");
        open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model
    }

    fn levels(model: &Model) -> ModelLevels {
        ModelLevels::new(model, &PaletteLayout::new(model, SceneIndex(0)))
    }

    #[test]
    fn windmill_levels_have_few_triangles_within_a_twentieth_of_its_height() {
        let model = windmill();
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        let levels = levels(&model);
        let (mut full, mut coarse) = (0, 0);
        for draw in &layout.draws {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            let count = primitive.triangles().len() / 3;
            let of_primitive = levels.of_primitive(draw);
            assert!(of_primitive.is_sorted_by(|a, b| a.error <= b.error));
            let vertices = primitive.vertices.positions.len() as u32;
            assert!(of_primitive.iter().flat_map(|level| &level.indices).all(|index| *index < vertices));
            // The windmill is 16 m high.
            let chosen = of_primitive.iter().rev().find(|level| level.error <= 0.8);
            full += count;
            coarse += chosen.map_or(count, |level| level.indices.len() / 3);
        }
        assert!(10 * coarse < full, "{coarse} of {full}");
        let errors = |levels: &ModelLevels| -> Vec<Vec<u32>> {
            layout.draws.iter().flat_map(|draw| levels.of_primitive(draw)).map(|level| level.indices.clone()).collect()
        };
        assert_eq!(errors(&levels), errors(&self::levels(&model)), "equal in each run");
    }

    /// Returns for each level of the first mesh its error, and the largest distance of a vertex of the full mesh from the level in
    /// poses of all clips, in the unit of the model. Levels with an error above a tenth of the mesh are left out, because parts such as
    /// legs vanish in them, whose error is relative to their thickness.
    fn errors_in_poses(model: Model) -> Vec<[f64; 2]> {
        let clips = model.clips.len() as u32;
        let rig = Rig::new(model, SceneIndex(0)).unwrap();
        let levels = ModelLevels::new(rig.model(), rig.layout());
        let instances = (0..clips).flat_map(|clip| [0.1, 0.35, 0.6].map(|time| (ClipIndex(clip), time)));
        let instance = |(clip, time)| Instance::new(Affine::IDENTITY, Some(clip), time);
        let mut crowd = Crowd::new(instances.map(instance));
        let mut animator = CrowdAnimator::new(&rig);
        animator.update(&mut crowd, 0.0);
        let first = rig.layout().draws[0];
        let scale = animator.range_scales(&mut crowd)[first.matrix_range.get()];
        let draws = || rig.layout().draws.iter().filter(|draw| draw.mesh == first.mesh);
        let mut errors: Vec<[f64; 2]> =
            levels.of_primitive(&first).iter().map(|level| [scale * level.error, 0.0]).collect();
        let positions = &rig.model().meshes[first.mesh.get()].primitives[first.primitive].vertices.positions;
        errors.retain(|[error, _]| *error <= 0.1 * scale * Aabb::from_positions(positions).diagonal());
        for block in 0..crowd.len() {
            let posed: Vec<Vec<Vector3<f64>>> = draws()
                .map(|draw| skin_positions_on_cpu(&rig, animator.palette(), BlockIndex(block as u32), draw))
                .map(|positions| positions.into_iter().map(|position| Vector3::from(position).cast()).collect())
                .collect();
            // Of all corners, if each triangle has vertices of its own.
            let step = posed.iter().map(Vec::len).sum::<usize>().div_ceil(200).next_multiple_of(3) + 1;
            for (index, [_, farthest]) in errors.iter_mut().enumerate() {
                let triangles: Vec<[Vector3<f64>; 3]> = draws()
                    .zip(&posed)
                    .flat_map(|(draw, posed)| {
                        let indices = levels.of_primitive(draw)[index].indices.as_chunks::<3>().0;
                        indices.iter().map(|triangle| triangle.map(|vertex| posed[vertex as usize]))
                    })
                    .collect();
                let distances = posed.iter().flatten().step_by(step).map(|vertex| distance(*vertex, &triangles));
                *farthest = distances.fold(*farthest, f64::max);
            }
        }
        errors
    }

    #[test]
    fn error_holds_in_all_clips() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        let mut files = vec![assets.join("mannequin.glb")];
        match std::env::var_os("RIGVIEW_SAMPLE_MODELS") {
            Some(samples) => files.extend(
                ["Fox/glTF-Binary/Fox.glb", "CesiumMan/glTF-Binary/CesiumMan.glb"]
                    .map(|file| Path::new(&samples).join(file)),
            ),
            None => println!("RIGVIEW_SAMPLE_MODELS is not set: the sample models are skipped"),
        }
        for file in files {
            let model = open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model;
            let errors = errors_in_poses(model);
            assert!(errors.len() >= 4, "{}", file.display());
            for [error, farthest] in &errors {
                assert!(farthest <= error, "{}: {farthest} above {error} of {errors:?}", file.display());
            }
        }
    }

    #[test]
    fn equal_meshes_of_several_materials_are_simplified_once() {
        let mut model = windmill();
        let mesh = PaletteLayout::new(&model, SceneIndex(0)).draws[0].mesh;
        let copy = |model: &mut Model, material: Material| {
            let mut copy = model.meshes[mesh.get()].clone();
            let index = MaterialIndex(model.materials.len() as u32);
            model.materials.push(material);
            copy.primitives.iter_mut().for_each(|primitive| primitive.material = Some(index));
            let index = MeshIndex(model.meshes.len() as u32);
            model.meshes.push(copy);
            index
        };
        let opaque = copy(&mut model, Material::default());
        let blended = copy(&mut model, Material { alpha_mode: AlphaMode::Blend, ..Material::default() });
        let mut layout = PaletteLayout::new(&model, SceneIndex(0));
        let draw = *layout.draws.iter().find(|draw| draw.mesh == mesh).unwrap();
        layout.draws.extend([opaque, blended].map(|mesh| PrimitiveDraw { mesh, ..draw }));
        let levels = ModelLevels::new(&model, &layout);
        let of_mesh = |mesh: MeshIndex| levels.of_primitives.get(&(mesh, draw.primitive));
        assert!(!of_mesh(mesh).unwrap().is_empty() && of_mesh(blended).is_none());
        assert!(Arc::ptr_eq(of_mesh(mesh).unwrap(), of_mesh(opaque).unwrap()));
    }

    #[test]
    fn blended_morphed_and_line_primitives_have_no_levels() {
        let edits: [fn(&mut Model); 3] = [
            |model| model.materials.fill(Material { alpha_mode: AlphaMode::Blend, ..Material::default() }),
            |model| {
                for mesh in &mut model.meshes {
                    mesh.target_count = 1;
                    mesh.primitives
                        .iter_mut()
                        .for_each(|primitive| *primitive.targets_mut() = vec![MorphTarget::default()]);
                }
            },
            |model| {
                let primitives = model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
                primitives.for_each(|primitive| primitive.topology = Topology::Lines);
            },
        ];
        for edit in edits {
            let mut model = windmill();
            edit(&mut model);
            assert!(levels(&model).of_primitives.is_empty());
        }
    }
}

//! What of a scene is drawn, and where in an instance's block its matrices lie.

use crate::math::{Aabb, Affine};
use crate::model::{JointIndex, MeshIndex, Model, PropertyTarget, SceneIndex, SkinIndex};
use nalgebra::Vector3;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The draws of one scene and the sections of the palette that they read.
#[derive(Clone, Debug, Default)]
pub struct PaletteLayout {
    /// Runs of matrices, in palette order.
    pub sections: Vec<Section>,
    /// One for each primitive of each mesh in the scene, in the scene's order.
    pub draws: Vec<Draw>,
    /// Joints whose morph weights are in the palette, and the place of their first weight.
    pub weights: Vec<(JointIndex, u32)>,
    /// Matrices of one instance.
    pub matrix_count: u32,
    /// Morph weights of one instance; each joint's run begins on a texel.
    pub weight_count: u32,
}

/// A run of matrices in every instance's block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// What fills it.
    pub source: Source,
    /// Number of its first matrix within the instance.
    pub first_matrix: u32,
    /// Number of its matrices.
    pub len: u32,
    /// The point of mesh space that positions are counted from before a matrix moves them; the matrices make up for it.
    ///
    /// Zero, but for meshes that lie far from the origin of their space, as Blender's do when a rig stands away from the
    /// world's: there single precision would be spent on the distance.
    pub origin: [f32; 3],
    /// How far from that point its vertices lie, in sizes of all of them together; at least 1.
    pub reach: f64,
}

/// Farther from their origin than this, in sizes of the mesh, positions are counted from the middle of the mesh.
const FAR_FROM_ORIGIN: f64 = 2.0;

/// What fills a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// One matrix: the joint that carries a rigid mesh.
    Joint(JointIndex),
    /// One matrix for each slot of a skin.
    Skin(SkinIndex),
}

/// One primitive to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The joint that carries its mesh.
    pub joint: JointIndex,
    /// Its mesh.
    pub mesh: MeshIndex,
    /// Its number within the mesh.
    pub primitive: usize,
    /// Its section of the palette.
    pub section: usize,
    /// Whether its vertices choose matrices by their influences; else all take the section's first.
    pub skinned: bool,
    /// Place of its first morph weight among the instance's weights, a multiple of four; `None` without targets.
    pub first_weight: Option<u32>,
}

impl PaletteLayout {
    /// The layout of one scene of a model.
    ///
    /// # Panics
    /// If the scene does not exist.
    pub fn new(model: &Model, scene: SceneIndex) -> Self {
        let mut layout = Self::default();
        let mut section_of = HashMap::new();
        let gates = gates(model);
        for drawable in &model.scenes[scene.get()].drawables {
            let mesh = &model.meshes[drawable.mesh.get()];
            let first_weight = (mesh.target_count > 0).then(|| {
                let first = layout.weight_count;
                layout.weights.push((drawable.joint, first));
                layout.weight_count += (mesh.target_count as u32).next_multiple_of(4);
                first
            });
            // Meshes on one skin that are shown at different times do not share its matrices.
            let gate = gates.get(drawable.joint.get()).copied().flatten();
            for (primitive, content) in mesh.primitives.iter().enumerate() {
                let skin = drawable.skin.filter(|_| content.vertices.influences.is_some());
                let source = skin.map_or(Source::Joint(drawable.joint), Source::Skin);
                let section = *section_of.entry((source, gate)).or_insert_with(|| layout.add_section(model, source));
                layout.draws.push(Draw {
                    joint: drawable.joint,
                    mesh: drawable.mesh,
                    primitive,
                    section,
                    skinned: skin.is_some(),
                    first_weight,
                });
            }
        }
        layout.find_origins(model);
        layout
    }

    /// Sets where each section's positions are counted from, and how far they reach.
    fn find_origins(&mut self, model: &Model) {
        let mut bounds_of_primitive = HashMap::new();
        let mut bounds_of_section = vec![Aabb::EMPTY; self.sections.len()];
        for draw in &self.draws {
            // Many nodes may show one mesh.
            let bounds = bounds_of_primitive.entry((draw.mesh, draw.primitive)).or_insert_with(|| {
                let mut bounds = Aabb::EMPTY;
                for position in &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices.positions {
                    bounds.add(Vector3::from(*position).cast());
                }
                bounds
            });
            bounds_of_section[draw.section].merge(bounds);
        }
        for (section, bounds) in self.sections.iter_mut().zip(&bounds_of_section) {
            let (center, size) = (bounds.center(), bounds.diagonal());
            if center.norm() > FAR_FROM_ORIGIN * size {
                section.origin = center.cast::<f32>().into();
            }
            let origin = Vector3::from(section.origin).cast();
            let farthest = bounds.corners().map(|corner| (corner - origin).norm()).fold(0.0, f64::max);
            section.reach = if size > 0.0 { (farthest / size).max(1.0) } else { 1.0 };
        }
    }

    /// The positions of a draw's vertices, counted from its section's origin.
    pub fn positions<'a>(&self, model: &'a Model, draw: &Draw) -> Cow<'a, [[f32; 3]]> {
        let positions = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices.positions;
        let [x, y, z] = self.sections[draw.section].origin;
        if [x, y, z] == [0.0; 3] {
            return Cow::Borrowed(positions);
        }
        Cow::Owned(positions.iter().map(|p| [p[0] - x, p[1] - y, p[2] - z]).collect())
    }

    fn add_section(&mut self, model: &Model, source: Source) -> usize {
        let len = match source {
            Source::Joint(_) => 1,
            Source::Skin(skin) => model.skins[skin.get()].joints.len() as u32,
        };
        self.sections.push(Section { source, first_matrix: self.matrix_count, len, origin: [0.0; 3], reach: 1.0 });
        self.matrix_count += len;
        self.sections.len() - 1
    }

    /// Vertices that one instance draws.
    pub fn vertex_count(&self, model: &Model) -> u64 {
        let primitive = |draw: &Draw| &model.meshes[draw.mesh.get()].primitives[draw.primitive];
        self.draws.iter().map(|draw| primitive(draw).vertices.positions.len() as u64).sum()
    }

    /// Texels that the weights of an instance take.
    pub fn weight_texels(&self) -> u32 {
        self.weight_count / 4
    }

    /// The joints that the matrices of `section` follow, each with its `joint_from_mesh`.
    pub(super) fn joints_of<'a>(
        model: &'a Model,
        section: &Section,
    ) -> impl Iterator<Item = (JointIndex, Affine)> + 'a {
        let mesh_from_origin = Affine::from_translation(Vector3::from(section.origin).cast());
        let (joint, skin) = match section.source {
            Source::Joint(joint) => (Some(joint), None),
            Source::Skin(skin) => (None, Some(&model.skins[skin.get()])),
        };
        let slots = skin.into_iter().flat_map(|skin| skin.joints.iter().copied().zip(&skin.joint_from_mesh));
        let slots = slots.map(move |(joint, joint_from_mesh)| (joint, *joint_from_mesh * mesh_from_origin));
        joint.map(|joint| (joint, mesh_from_origin)).into_iter().chain(slots)
    }
}

/// For each joint the nearest one, itself or above it, whose visibility is a matter of clips or of the file; nothing where
/// all of a model is always shown.
fn gates(model: &Model) -> Vec<Option<JointIndex>> {
    let targets = model.clips.iter().flat_map(|clip| &clip.values).map(|track| track.target);
    let changed =
        targets.filter_map(|target| if let PropertyTarget::Visible(joint) = target { Some(joint) } else { None });
    let gated: HashSet<JointIndex> = changed.chain(model.hidden.iter().copied()).collect();
    if gated.is_empty() {
        return Vec::new();
    }
    let mut gates = Vec::with_capacity(model.skeleton.len());
    for (i, joint) in model.skeleton.joints().iter().enumerate() {
        let here = JointIndex(i as u32);
        let above = joint.parent.and_then(|parent| gates[parent.get()]);
        gates.push(if gated.contains(&here) { Some(here) } else { above });
    }
    gates
}

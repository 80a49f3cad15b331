//! Why a vertex is where it is: the steps of morphing and skinning of one vertex, with their numbers.

use super::buffer::{BlockIndex, Palette};
use super::layout::PrimitiveDraw;
use super::rig::Rig;
use super::skin_on_cpu::SkinningInputs;
use crate::math::{Affine, short_triple as triple};
use crate::model::{JointIndex, Model, SkinSlot};
use crate::util::text::quoted;
use nalgebra::{Matrix3, Vector3};

/// The steps from the position of a vertex in the file to its position in the world.
///
/// [`position`](Self::position) and [`normal`](Self::normal) are those of [`skin_on_cpu`](super::skin_on_cpu()) bit by bit. The
/// steps have the same matrices and weights, added in double precision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VertexExplanation {
    /// The draw of the vertex.
    pub draw: PrimitiveDraw,
    /// Index of the vertex in its primitive.
    pub vertex: usize,
    /// Position in the file, in mesh space.
    pub rest_position: Vector3<f64>,
    /// The morph targets whose weights are not 0, in file order.
    pub morphs: Vec<MorphTerm>,
    /// Position after the morph targets, in mesh space.
    pub morphed_position: Vector3<f64>,
    /// The transforms of the node with the mesh and of its ancestors, the root first; empty if the vertex has a skin.
    pub chain: Vec<ChainLink>,
    /// One term for each influence whose weight is not 0, the largest first; for a rigid mesh the one of its node.
    pub terms: Vec<SkinningTerm>,
    /// Sum of the weights in the file, if it is not 1. The weights of [`terms`](Self::terms) are divided by it.
    pub file_weight_sum: Option<f32>,
    /// Position in world space.
    pub position: [f32; 3],
    /// Unit normal in world space, if the primitive has normals.
    pub normal: Option<[f32; 3]>,
}

/// What a morph target adds to a position.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MorphTerm {
    /// Index of the target in the mesh.
    pub target: usize,
    /// Its weight in the pose.
    pub weight: f32,
    /// Displacement at weight 1, in mesh space.
    pub delta: Vector3<f64>,
}

/// The transform of a node in the pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChainLink {
    /// The node.
    pub joint: JointIndex,
    /// `parent_from_joint`, of a root `world_from_joint`; `None` if the parent has scale 0.
    pub parent_from_joint: Option<Affine>,
    /// Largest coordinate of the vertex in the space of the joint.
    extent: f64,
}

/// What a joint adds to a position.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SkinningTerm {
    /// The joint.
    pub joint: JointIndex,
    /// Its slot in the skin; `None` for a rigid mesh.
    pub slot: Option<SkinSlot>,
    /// Weight of the influence.
    pub weight: f32,
    /// The skinning matrix: `world_from_joint * joint_from_mesh`.
    pub world_from_mesh: Affine,
    /// Where the joint alone moves the vertex to: the matrix times the position after the morph targets.
    pub moved_position: Vector3<f64>,
    /// Largest coordinate of the vertex in mesh space.
    extent: f64,
}

impl ChainLink {
    /// Describes the transform.
    pub fn in_words(&self) -> String {
        let no_inverse = || "its parent has scale 0".to_owned();
        self.parent_from_joint.as_ref().map_or_else(no_inverse, |map| map.in_words(self.extent))
    }
}

impl SkinningTerm {
    /// Describes the skinning matrix.
    pub fn in_words(&self) -> String {
        self.world_from_mesh.in_words(self.extent)
    }

    /// The summand of the vertex's position: the weight times the moved position.
    pub fn summand(&self) -> Vector3<f64> {
        f64::from(self.weight) * self.moved_position
    }
}

/// Lists the steps that lead to the position of a vertex of `draw` in one block of the palette.
///
/// `world_from_joint` returns the transforms of the same pose. It is called for the nodes of a rigid mesh.
///
/// ```
/// use rigview_core::palette::{BlockIndex, explain_vertex};
/// # use rigview_core::{crowd::*, math::Affine, model::ClipIndex, palette::Rig};
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// # let scene = model.default_scene;
/// # let rig = Rig::new(model, scene).unwrap();
/// # let (mut crowd, mut animator) = (Crowd::single(Some(ClipIndex(0))), CrowdAnimator::new(&rig));
///
/// animator.update(&mut crowd, 0.5);
/// let draw = &rig.layout().draws[0];
/// // The mesh of the hare has a skin, so that no transform of a node is needed.
/// let explanation = explain_vertex(&rig, animator.palette(), BlockIndex(0), draw, 7, |_| Affine::IDENTITY);
/// for term in &explanation.terms {
///     println!("{:?} has weight {} and adds {}", term.joint, term.weight, term.summand());
/// }
/// let sum = explanation.sum();
/// assert!((sum.cast::<f32>() - nalgebra::Vector3::from(explanation.position)).norm() < 1e-6);
/// let east = nalgebra::Vector3::x();
/// assert!((explanation.moved_by(east).sum() - sum - east).norm() < 1e-6);
/// ```
///
/// # Panics
/// If `palette` or `draw` belongs to another rig, or the block or the vertex does not exist.
pub fn explain_vertex(
    rig: &Rig,
    palette: &Palette,
    block: BlockIndex,
    draw: &PrimitiveDraw,
    vertex: usize,
    world_from_joint: impl Fn(JointIndex) -> Affine,
) -> VertexExplanation {
    let (model, inputs) = (rig.model(), SkinningInputs::new(rig, draw));
    let posed = inputs.posed(palette, block);
    let targets = inputs.primitive.targets.iter().enumerate();
    let morphs: Vec<MorphTerm> = targets
        .map(|(target, content)| MorphTerm {
            target,
            weight: posed.morph_weight(target),
            delta: content.positions.as_ref().map_or_else(Vector3::zeros, |deltas| double(deltas[vertex])),
        })
        .filter(|morph| morph.weight != 0.0)
        .collect();
    // Matrices are relative to the position offset.
    let offset = double(rig.layout().matrix_ranges[draw.matrix_range].position_offset);
    let added: Vector3<f64> = morphs.iter().map(|morph| f64::from(morph.weight) * morph.delta).sum();
    let from_offset = inputs.position(vertex).cast::<f64>() + added;
    let morphed_position = from_offset + offset;
    let extent = morphed_position.amax();
    let skin = rig.layout().skin_of(draw).map(|skin| &model.skins[skin.get()]);
    let term = |joint, slot: Option<SkinSlot>, weight| {
        let matrix = affine(posed.matrix(slot.map_or(0, SkinSlot::get)));
        let world_from_mesh = matrix * Affine::from_translation(-offset);
        SkinningTerm {
            joint,
            slot,
            weight,
            world_from_mesh,
            moved_position: matrix.transform_point(from_offset),
            extent,
        }
    };
    let mut terms: Vec<SkinningTerm> = match (inputs.influences, skin) {
        (Some(influences), Some(skin)) => influences
            .of_vertex(vertex)
            .filter(|(_, weight)| *weight != 0.0)
            .map(|(slot, weight)| term(skin.joints[slot.get()], Some(slot), weight))
            .collect(),
        _ => vec![term(draw.joint, None, 1.0)],
    };
    terms.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let unnormalized = &inputs.primitive.vertices.unnormalized_weights;
    let file_weight_sum = unnormalized.iter().find(|(other, _)| *other as usize == vertex).map(|(_, sum)| *sum);
    VertexExplanation {
        draw: *draw,
        vertex,
        rest_position: double(inputs.primitive.vertices.positions[vertex]),
        morphs,
        morphed_position,
        chain: if skin.is_some() { Vec::new() } else { chain(model, draw.joint, morphed_position, world_from_joint) },
        terms,
        file_weight_sum: file_weight_sum.filter(|_| skin.is_some()),
        position: posed.posed_position(vertex),
        normal: posed.posed_normal(vertex),
    }
}

/// The transforms of a node with a vertex and of its ancestors, the root first.
fn chain(
    model: &Model,
    joint: JointIndex,
    mut position: Vector3<f64>,
    world_from_joint: impl Fn(JointIndex) -> Affine,
) -> Vec<ChainLink> {
    let parent_of = |joint: &JointIndex| model.skeleton.joint(*joint).parent;
    let mut links: Vec<ChainLink> = std::iter::successors(Some(joint), parent_of)
        .map(|joint| {
            let parent_from_world = match parent_of(&joint) {
                Some(parent) => world_from_joint(parent).inverse(),
                None => Some(Affine::IDENTITY),
            };
            let parent_from_joint = parent_from_world.map(|parent| parent * world_from_joint(joint));
            let link = ChainLink { joint, parent_from_joint, extent: position.amax() };
            position = parent_from_joint.map_or(position, |map| map.transform_point(position));
            link
        })
        .collect();
    links.reverse();
    links
}

fn double(v: [f32; 3]) -> Vector3<f64> {
    Vector3::from(v).cast()
}

fn affine(rows: [[f32; 4]; 3]) -> Affine {
    let translation = Vector3::from(rows.map(|row| f64::from(row[3])));
    Affine { linear: Matrix3::from_fn(|row, column| f64::from(rows[row][column])), translation }
}

impl VertexExplanation {
    /// Moves the vertex in the world, such as by the point that the placements of instances are relative to.
    #[must_use]
    pub fn moved_by(mut self, translation: Vector3<f64>) -> Self {
        for term in &mut self.terms {
            term.world_from_mesh.translation += translation;
            term.moved_position += translation;
        }
        if let Some(world_from_root) = self.chain.first_mut().and_then(|link| link.parent_from_joint.as_mut()) {
            world_from_root.translation += translation;
        }
        self.position = (double(self.position) + translation).cast().into();
        self
    }

    /// Sum of the summands: the position in world space, in double precision.
    pub fn sum(&self) -> Vector3<f64> {
        self.terms.iter().map(SkinningTerm::summand).sum()
    }

    /// Returns the steps as text, one step a line. Lengths are in the unit of the file, meters in glTF.
    pub fn lines(&self, model: &Model) -> Vec<String> {
        let mesh = &model.meshes[self.draw.mesh.get()];
        let mut lines = vec![format!("position in the file: {}", triple(self.rest_position))];
        let (moving, still): (Vec<&MorphTerm>, Vec<_>) =
            self.morphs.iter().partition(|morph| morph.delta != Vector3::zeros());
        for MorphTerm { target, weight, delta } in moving.iter().copied() {
            let name = mesh.target_names.get(*target).map_or_else(|| target.to_string(), |name| quoted(name));
            let added = triple(f64::from(*weight) * delta);
            lines.push(format!("morph target {name}: weight {weight} \u{d7} {} adds {added}", triple(*delta)));
        }
        if !still.is_empty() {
            lines.push(format!("morph targets with a weight that do not move it: {}", still.len()));
        }
        if !moving.is_empty() {
            lines.push(format!("position after the morph targets: {}", triple(self.morphed_position)));
        }
        for (depth, link) in self.chain.iter().enumerate() {
            let relation = if depth == 0 { "root" } else { "child" };
            lines.push(format!("{relation} {}: {}", joint_name(model, link.joint), link.in_words()));
        }
        for term in &self.terms {
            let (joint, matrix) = (joint_name(model, term.joint), term.in_words());
            let moved = triple(term.moved_position);
            match term.slot {
                None => lines.push(format!("all of them together, from mesh to world: {matrix}")),
                Some(slot) => lines.push(format!(
                    "joint {joint} (joint {} of the skin), weight {}: {matrix}; moves it to {moved}, adds {}",
                    slot.get(),
                    term.weight,
                    triple(term.summand())
                )),
            }
        }
        if let Some(sum) = self.file_weight_sum {
            lines.push(format!("its weights in the file add to {sum}, and are divided by that"));
        }
        if self.terms.len() > 1 {
            lines.push(format!("sum of what the joints add: {}", triple(self.sum())));
        }
        lines.push(format!("position in the world: {}", triple(double(self.position))));
        lines.extend(self.normal.map(|normal| format!("normal in the world: {}", triple(double(normal)))));
        lines
    }
}

fn joint_name(model: &Model, joint: JointIndex) -> String {
    let joint = model.skeleton.joint(joint);
    joint.name.as_deref().map_or_else(|| format!("node {}", joint.node), quoted)
}

//! Layout of an instance's block: ranges of matrices, morph weights, and the draws that read them.

use crate::math::{Aabb, Affine};
use crate::model::{JointIndex, MeshIndex, Model, SceneIndex, SkinIndex, index_list, index_type};
use nalgebra::Vector3;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The draws of one scene and the matrix ranges of the palette that they read.
///
/// ```
/// use rigview_core::palette::PaletteLayout;
///
/// # use rigview_core::import::{ImportOptions, OpenError, open};
/// # fn main() -> Result<(), OpenError> {
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default())?.model;
/// let layout = PaletteLayout::new(&model, model.default_scene);
/// for draw in &layout.draws {
///     let (matrix_range, primitive) = (&layout.matrix_ranges[draw.matrix_range], &model.meshes[draw.mesh.get()].primitives[draw.primitive]);
///     // The vertices of `primitive` read the matrices from `first_matrix` on of each instance's block.
///     assert!(matrix_range.first_matrix + matrix_range.len <= layout.matrix_count && !primitive.vertices.positions.is_empty());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct PaletteLayout {
    /// Runs of matrices, in palette order.
    pub matrix_ranges: Vec<MatrixRange>,
    /// One draw per primitive of each mesh in the scene, in the scene's order.
    pub draws: Vec<PrimitiveDraw>,
    /// Joints whose morph weights are in the palette, with the index of their first weight.
    pub morph_weights: Vec<(JointIndex, u32)>,
    /// Matrices per instance.
    pub matrix_count: u32,
    /// Morph weights per instance; each joint's run begins on a texel.
    pub morph_weight_count: u32,
}

index_type!(
    /// A matrix range of a [`PaletteLayout`].
    MatrixRangeIndex(u32)
);
index_list!(MatrixRangeIndex, MatrixRange);

/// A run of matrices in every instance's block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatrixRange {
    /// The joints that its matrices follow.
    pub joints: RangeJoints,
    /// Index of its first matrix within the instance.
    pub first_matrix: u32,
    /// Number of matrices.
    pub len: u32,
    /// Point in mesh space that vertex positions are relative to; the matrices compensate for it.
    ///
    /// Zero except for meshes far from the origin of their space, where single precision would be spent on the distance.
    /// Blender exports such meshes for rigs away from the world origin.
    pub position_offset: [f32; 3],
    /// Largest distance of a vertex from the offset, divided by the diagonal of the matrix range's bounds; at least 1.
    pub max_distance_over_diagonal: f64,
}

/// Distance of the mesh's center from its origin, in mesh diagonals, above which positions get an offset.
const MAX_ORIGIN_DISTANCE_RATIO: f64 = 2.0;

/// The joints that the matrices of a matrix range follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RangeJoints {
    /// One matrix: the joint of a rigid mesh.
    Joint(JointIndex),
    /// One matrix per slot of a skin.
    Skin(SkinIndex),
}

/// Draw of one primitive of a mesh node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimitiveDraw {
    /// The joint of the node that has the mesh.
    pub joint: JointIndex,
    /// Its mesh.
    pub mesh: MeshIndex,
    /// Index within the mesh.
    pub primitive: usize,
    /// Its matrix range of the palette.
    pub matrix_range: MatrixRangeIndex,
    /// `true` if vertices select matrices by their influences; else all use the matrix range's first.
    pub skinned: bool,
    /// Index of its first morph weight within the instance, a multiple of four; `None` without targets.
    pub first_morph_weight: Option<u32>,
}

impl PaletteLayout {
    /// Lays out one scene of a model.
    ///
    /// # Panics
    /// If the scene does not exist, or an instance has 2^32 matrices or weights. Import refuses such files.
    pub fn new(model: &Model, scene: SceneIndex) -> Self {
        let mut layout = Self::default();
        let mut range_of = HashMap::new();
        let visibility_roots = model.visibility_roots();
        for mesh_node in &model.scenes[scene.get()].mesh_nodes {
            let mesh = &model.meshes[mesh_node.mesh.get()];
            let first_morph_weight = (mesh.target_count > 0).then(|| {
                let first = layout.morph_weight_count;
                layout.morph_weights.push((mesh_node.joint, first));
                let end = u64::from(first) + (mesh.target_count as u64).next_multiple_of(4);
                layout.morph_weight_count = u32::try_from(end).expect("fewer than 2^32 morph weights");
                first
            });
            // Meshes of one skin with different visibility need separate matrices.
            let visibility_root = visibility_roots.get(mesh_node.joint.get()).copied().flatten();
            for (primitive, content) in mesh.primitives.iter().enumerate() {
                let skin = mesh_node.skin.filter(|_| content.vertices.influences.is_some());
                let joints = skin.map_or(RangeJoints::Joint(mesh_node.joint), RangeJoints::Skin);
                let key = (joints, visibility_root);
                let matrix_range = *range_of.entry(key).or_insert_with(|| layout.add_matrix_range(model, joints));
                layout.draws.push(PrimitiveDraw {
                    joint: mesh_node.joint,
                    mesh: mesh_node.mesh,
                    primitive,
                    matrix_range,
                    skinned: skin.is_some(),
                    first_morph_weight,
                });
            }
        }
        layout.set_position_offsets(model);
        layout
    }

    fn set_position_offsets(&mut self, model: &Model) {
        let mut bounds_of_vertices = HashMap::new();
        let mut bounds_of_range = vec![Aabb::EMPTY; self.matrix_ranges.len()];
        for draw in &self.draws {
            // Several nodes may have the same mesh, and several primitives the same vertices.
            let vertices = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
            let bounds = bounds_of_vertices
                .entry(Arc::as_ptr(vertices))
                .or_insert_with(|| Aabb::from_positions(&vertices.positions));
            bounds_of_range[draw.matrix_range.get()].merge(bounds);
        }
        for (matrix_range, bounds) in self.matrix_ranges.iter_mut().zip(&bounds_of_range) {
            let (center, size) = (bounds.center(), bounds.diagonal());
            if center.norm() > MAX_ORIGIN_DISTANCE_RATIO * size {
                matrix_range.position_offset = center.cast::<f32>().into();
            }
            let offset = Vector3::from(matrix_range.position_offset).cast();
            let extent = bounds.corners().map(|corner| (corner - offset).norm()).fold(0.0, f64::max);
            matrix_range.max_distance_over_diagonal = if size > 0.0 { (extent / size).max(1.0) } else { 1.0 };
        }
    }

    /// Returns the vertex positions of a draw, relative to its matrix range's position offset.
    pub fn positions<'a>(&self, model: &'a Model, draw: &PrimitiveDraw) -> Cow<'a, [[f32; 3]]> {
        let positions = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices.positions;
        let [x, y, z] = self.matrix_ranges[draw.matrix_range].position_offset;
        if [x, y, z] == [0.0; 3] {
            return Cow::Borrowed(positions);
        }
        Cow::Owned(positions.iter().map(|p| [p[0] - x, p[1] - y, p[2] - z]).collect())
    }

    /// Returns the skin whose joints the influences of a draw refer to; `None` for a rigid draw.
    pub fn skin_of(&self, draw: &PrimitiveDraw) -> Option<SkinIndex> {
        match self.matrix_ranges[draw.matrix_range].joints {
            RangeJoints::Skin(skin) if draw.skinned => Some(skin),
            _ => None,
        }
    }

    fn add_matrix_range(&mut self, model: &Model, joints: RangeJoints) -> MatrixRangeIndex {
        let len = match joints {
            RangeJoints::Joint(_) => 1,
            RangeJoints::Skin(skin) => model.skins[skin.get()].joints.len() as u32,
        };
        let first_matrix = self.matrix_count;
        self.matrix_ranges.push(MatrixRange {
            joints,
            first_matrix,
            len,
            position_offset: [0.0; 3],
            max_distance_over_diagonal: 1.0,
        });
        self.matrix_count = first_matrix.checked_add(len).expect("fewer than 2^32 matrices");
        MatrixRangeIndex(self.matrix_ranges.len() as u32 - 1)
    }

    /// Adds a matrix for a joint: `world_from_joint` without a mesh.
    pub(super) fn add_joint(&mut self, model: &Model, joint: JointIndex) {
        self.add_matrix_range(model, RangeJoints::Joint(joint));
    }

    /// Number of vertices drawn per instance.
    pub fn vertex_count(&self, model: &Model) -> u64 {
        let primitive = |draw: &PrimitiveDraw| &model.meshes[draw.mesh.get()].primitives[draw.primitive];
        self.draws.iter().map(|draw| primitive(draw).vertices.positions.len() as u64).sum()
    }

    /// Texels of morph weights per instance.
    pub fn morph_weight_texels(&self) -> u32 {
        self.morph_weight_count / 4
    }

    /// Returns the joint of each matrix of `matrix_range`, with its `joint_from_mesh` including the position offset.
    pub fn matrices_of<'a>(
        model: &'a Model,
        matrix_range: &MatrixRange,
    ) -> impl Iterator<Item = (JointIndex, Affine)> + 'a {
        let mesh_from_offset_mesh = Affine::from_translation(Vector3::from(matrix_range.position_offset).cast());
        let (joint, skin) = match matrix_range.joints {
            RangeJoints::Joint(joint) => (Some(joint), None),
            RangeJoints::Skin(skin) => (None, Some(&model.skins[skin.get()])),
        };
        let slots = skin.into_iter().flat_map(|skin| skin.joints.iter().copied().zip(&*skin.joint_from_mesh));
        let slots = slots.map(move |(joint, joint_from_mesh)| (joint, *joint_from_mesh * mesh_from_offset_mesh));
        joint.map(|joint| (joint, mesh_from_offset_mesh)).into_iter().chain(slots)
    }

    /// Returns for each joint whether a matrix follows it or one of its descendants.
    pub(crate) fn used_joints(&self, model: &Model) -> Vec<bool> {
        let joints = model.skeleton.joints();
        let mut used = vec![false; joints.len()];
        for matrix_range in &self.matrix_ranges {
            Self::matrices_of(model, matrix_range).for_each(|(joint, _)| used[joint.get()] = true);
        }
        for i in (0..joints.len()).rev() {
            if let (true, Some(parent)) = (used[i], joints[i].parent) {
                used[parent.get()] = true;
            }
        }
        used
    }
}

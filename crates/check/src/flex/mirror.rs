//! Differences between the weights of vertices and of their mirror images.

use super::mesh::FlexMesh;
use super::symmetry::{Symmetry, rig_size};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::model::JointIndex;
use rigview_core::palette::Rig;
use rigview_core::pose::ModelPose;
use std::collections::HashMap;

/// Largest distance between a vertex and the mirror image of another, in sizes of the rig.
const TOLERANCE: f64 = 0.01;

/// Maximum vertices of one cell that a vertex is compared with, so that the cost is linear.
const MAX_CANDIDATES: usize = 32;

/// The value of a vertex without a vertex at its mirrored position.
pub const NO_MIRRORED_VERTEX: f32 = -1.0;

/// Compares the weights of each vertex with those of the vertex at its mirrored position, in the rest pose.
///
/// Returns one list per draw of the layout, in vertex order; an empty one for a draw without influences, and no list for a rig
/// without symmetry. 0 means equal weights on mirrored joints, 1 means other joints, and [`NO_MIRRORED_VERTEX`] that there is no
/// such vertex. The value is half of the sum of the absolute differences (total variation distance).
pub fn mirror_differences(rig: &Rig) -> Vec<Vec<f32>> {
    let model = rig.model();
    let rest = ModelPose::rest(&model.skeleton);
    let symmetry = Symmetry::find(model, &rest);
    if symmetry.pairs.is_empty() {
        return Vec::new();
    }
    let mut animator = CrowdAnimator::new(rig);
    animator.update(&mut Crowd::single(None), 0.0);
    let mesh = FlexMesh::new(rig, animator.palette());
    let mut mirrored: Vec<JointIndex> = (0..model.skeleton.len() as u32).map(JointIndex).collect();
    for [left, right] in &symmetry.pairs {
        (mirrored[left.get()], mirrored[right.get()]) = (*right, *left);
    }

    let images = MirrorImages::new(&mesh, &symmetry, TOLERANCE * rig_size(model, &rest));
    let mut of_welded = vec![0.0; mesh.welded.len()];
    for vertex in mesh.welded_vertices() {
        of_welded[vertex as usize] = images.of(vertex).map_or(NO_MIRRORED_VERTEX, |other| {
            distance(mesh.influences(vertex), mesh.influences(other), &mirrored) as f32
        });
    }

    let mut differences = vec![Vec::new(); rig.layout().draws.len()];
    for (vertex, first) in mesh.welded.iter().enumerate() {
        differences[mesh.layout_draw(vertex)].push(of_welded[*first as usize]);
    }
    differences
}

/// The vertices by position, to find those at mirrored positions.
pub(super) struct MirrorImages<'a> {
    mesh: &'a FlexMesh<'a>,
    symmetry: &'a Symmetry,
    tolerance: f64,
    cells: HashMap<Vector3<i64>, Vec<u32>>,
}

impl<'a> MirrorImages<'a> {
    pub(super) fn new(mesh: &'a FlexMesh<'a>, symmetry: &'a Symmetry, tolerance: f64) -> Self {
        let mut images = Self { mesh, symmetry, tolerance, cells: HashMap::new() };
        for vertex in mesh.welded_vertices() {
            let cell = images.cells.entry(images.cell(&mesh.rest_positions[vertex as usize])).or_default();
            if cell.len() < MAX_CANDIDATES {
                cell.push(vertex);
            }
        }
        images
    }

    fn cell(&self, position: &Vector3<f64>) -> Vector3<i64> {
        position.map(|x| (x / self.tolerance).floor().clamp(-1e15, 1e15) as i64)
    }

    /// Returns the vertex nearest to the mirrored position of a vertex, within the tolerance.
    pub(super) fn of(&self, vertex: u32) -> Option<u32> {
        let (axis, plane) = (self.symmetry.axis, self.symmetry.plane);
        let mut position = self.mesh.rest_positions[vertex as usize];
        position[axis] = 2.0 * plane - position[axis];
        let cell = self.cell(&position);
        let around = (0..27).map(|i| cell + Vector3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        let candidates = around.filter_map(|cell| self.cells.get(&cell)).flatten();
        let distances = candidates.map(|other| (*other, (self.mesh.rest_positions[*other as usize] - position).norm()));
        let near = distances.filter(|(_, distance)| *distance <= self.tolerance);
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(other, _)| other)
    }
}

/// Half of the sum of the absolute differences between weights and those of the mirrored joints.
fn distance(a: &[(JointIndex, f64)], b: &[(JointIndex, f64)], mirrored: &[JointIndex]) -> f64 {
    let weight = |influences: &[(JointIndex, f64)], joint: JointIndex| -> f64 {
        influences.iter().filter(|(other, _)| *other == joint).map(|(_, weight)| weight).sum()
    };
    // Joints of `a`, and those of `b` that `a` lacks.
    let of_a = a.iter().map(|(joint, w)| (w - weight(b, mirrored[joint.get()])).abs());
    let only_b = b.iter().filter(|(joint, _)| weight(a, mirrored[joint.get()]) == 0.0).map(|(_, weight)| *weight);
    (of_a.chain(only_b).sum::<f64>() / 2.0).min(1.0)
}

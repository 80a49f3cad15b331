//! The direction from which a place of a posed mesh is visible.

use super::findings::JointFlex;
use super::mesh::{FlexMesh, Moves};
use crate::rig::subtrees;
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::palette::Rig;
use rigview_core::pose::{ModelPose, PoseOverride};

/// Maximum points that are looked at.
const MAX_POINTS: usize = 8;

/// Maximum triangles that may hide a point; a larger mesh is thinned out.
const MAX_TRIANGLES: usize = 30_000;

/// Directions around a model: degrees from the front to the left, and up. Of equal ones, the first is taken.
const DIRECTIONS: [[f64; 2]; 18] = [
    [30.0, 10.0],
    [-30.0, 10.0],
    [0.0, 10.0],
    [60.0, 10.0],
    [-60.0, 10.0],
    [90.0, 10.0],
    [-90.0, 10.0],
    [30.0, 45.0],
    [-30.0, 45.0],
    [30.0, -40.0],
    [-30.0, -40.0],
    [120.0, 10.0],
    [-120.0, 10.0],
    [150.0, 10.0],
    [-150.0, 10.0],
    [180.0, 10.0],
    [150.0, 45.0],
    [150.0, -40.0],
];

/// Returns the unit vector in model space towards a camera that sees what `found` is about, in its worst pose.
///
/// ```
/// use rigview_check::flex::{FlexLimits, clear_view, measure};
/// use rigview_core::import::{ImportOptions, open};
/// use rigview_core::palette::Rig;
///
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
/// let model = open(file, &ImportOptions::default())?.model;
/// let scene = model.default_scene;
/// let rig = Rig::new(model, scene).unwrap();
/// let flex = measure(&rig, &FlexLimits::default(), &|_, _| true);
/// assert!((clear_view(&rig, &flex.joints[0]).norm() - 1.0).abs() < 1e-9);
/// # Ok::<(), rigview_core::import::OpenError>(())
/// ```
pub fn clear_view(rig: &Rig, found: &JointFlex) -> Vector3<f64> {
    let skeleton = &rig.model().skeleton;
    let mut animator = CrowdAnimator::new(rig);
    animator.update(&mut Crowd::single(None), 0.0);
    let mut mesh = FlexMesh::new(rig, animator.palette());
    mesh.find_deformed(skeleton);
    let pose = found.worst().map_or_else(PoseOverride::new, |worst| worst.pose.joints.clone());
    let (rest, subtrees) = (ModelPose::rest(skeleton), subtrees(skeleton));
    let (moves, at_rest) = (Moves::new(skeleton, &rest, &subtrees, &pose), mesh.draws_at_rest(animator.palette()));
    let vertices = 0..mesh.welded.len() as u32;
    let posed: Vec<_> = vertices.map(|vertex| mesh.posed(&at_rest, &moves, vertex)).collect();
    let corners = mesh.deformed[found.joint.get()].iter().map(|triangle| mesh.triangles[*triangle as usize][0]);
    clear_direction(&posed, &mesh.welded, &mesh.triangles, &corners.collect::<Vec<_>>())
}

/// Returns the unit vector towards the camera that sees the most of some points of a mesh.
fn clear_direction(positions: &[Vector3<f64>], welded: &[u32], triangles: &[[u32; 3]], points: &[u32]) -> Vector3<f64> {
    let points: Vec<u32> = points.iter().copied().step_by(points.len().div_ceil(MAX_POINTS).max(1)).collect();
    let stride = triangles.len().div_ceil(MAX_TRIANGLES).max(1);
    let is_visible = |point: u32, direction: &Vector3<f64>| {
        let origin = positions[point as usize];
        let near = |vertex: &u32| welded[*vertex as usize] == welded[point as usize];
        let others = triangles.iter().step_by(stride).filter(|corners| !corners.iter().any(near));
        !others.into_iter().any(|corners| is_hit(&origin, direction, corners.map(|i| positions[i as usize])))
    };
    let mut best = (0, direction(DIRECTIONS[0]));
    for angles in DIRECTIONS {
        let towards = direction(angles);
        let visible = points.iter().filter(|point| is_visible(**point, &towards)).count();
        if visible > best.0 {
            best = (visible, towards);
        }
        if visible == points.len() {
            break;
        }
    }
    best.1
}

fn direction([yaw, pitch]: [f64; 2]) -> Vector3<f64> {
    let ((yaw_sin, yaw_cos), (pitch_sin, pitch_cos)) = (yaw.to_radians().sin_cos(), pitch.to_radians().sin_cos());
    Vector3::new(yaw_sin * pitch_cos, pitch_sin, yaw_cos * pitch_cos)
}

/// Returns `true` if a ray passes through a triangle in front of its origin.
fn is_hit(origin: &Vector3<f64>, direction: &Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> bool {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(&ac);
    let determinant = ab.dot(&across);
    let from = origin - a;
    let u = from.dot(&across) / determinant;
    let turned = from.cross(&ab);
    let v = direction.dot(&turned) / determinant;
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && ac.dot(&turned) / determinant > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camera_goes_around_what_hides_a_place() {
        let v = Vector3::new;
        // A point, and a wall in front of it or behind it.
        for z in [-1.0, 1.0] {
            let positions = [v(0.0, 0.0, 0.0), v(-90.0, -90.0, z), v(90.0, -90.0, z), v(0.0, 90.0, z)];
            let seen_from = clear_direction(&positions, &[0, 1, 2, 3], &[[1, 2, 3]], &[0]);
            assert!(seen_from.z * z < 1e-9 && (seen_from.norm() - 1.0).abs() < 1e-9, "{seen_from}");
        }
        assert!(clear_direction(&[], &[], &[], &[]).z > 0.0);
    }
}

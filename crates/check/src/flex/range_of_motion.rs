//! The range of motion test of a model: all joints in all poses.

use super::findings::{FlexMeasure, JointFlex};
use super::limits::FlexLimits;
use super::mesh::{FlexMesh, Moves, cube};
use super::mirror::MirrorImages;
use super::poses::{FlexPose, RangeOfMotion};
use super::region::{FlexMeasures, Region};
use super::symmetry::{Symmetry, rig_size};
use crate::rig::subtrees;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::math::Transform;
use rigview_core::model::{JointIndex, Model, Skeleton, SkinIndex};
use rigview_core::palette::Rig;
use rigview_core::pose::{ModelPose, PoseOverride};
use rigview_core::util::text::{counted, quoted};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Maximum joints that the text of a range of motion test lists.
const MAX_LINES: usize = 5;

/// Maximum posed vertices: about 10 s.
const MAX_POSED_VERTICES: usize = 1 << 28;

/// Smallest stretch at a boundary far from its joint that is a finding: below, weights of the two sides are similar.
const MIN_BOUNDARY_STRETCH: f64 = 2.0;

/// Smallest ratio of the length at rest to that as modeled, of an edge of a mesh that is torn at rest.
const MIN_TEAR: f64 = 1.1;

/// Largest distance between the mirrored position of a vertex and another vertex that shows that the mesh is symmetric there, in sizes
/// of the mesh.
const MIRROR_TOLERANCE: f64 = 0.02;

/// Shortest bone that offsets are relative to, in sizes of the mesh. Some joints are at the position of their parents.
const MIN_BONE: f64 = 0.02;

/// The measures of all joints of a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Flex {
    /// The joints that deform a mesh, worst first.
    pub joints: Vec<JointFlex>,
    /// `false` if the budget was spent before all joints were measured.
    #[serde(rename = "complete")]
    pub is_complete: bool,
    /// The limits that severities are relative to.
    #[serde(skip)]
    pub limits: FlexLimits,
}

/// Poses the joints of a rig, and measures the skinned mesh.
///
/// `on_joint` gets the numbers of finished and of all joints. It returns `false` to stop before the next one.
///
/// ```
/// use rigview_check::flex::{FlexLimits, measure};
/// use rigview_core::import::{ImportOptions, open};
/// use rigview_core::palette::Rig;
///
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
/// let model = open(file, &ImportOptions::default())?.model;
/// let scene = model.default_scene;
/// let flex = measure(&Rig::new(model, scene).unwrap(), &FlexLimits::default(), &|_, _| true);
/// assert!(flex.joints.is_sorted_by(|a, b| a.score() >= b.score()));
/// # Ok::<(), rigview_core::import::OpenError>(())
/// ```
pub fn measure(rig: &Rig, limits: &FlexLimits, on_joint: &dyn Fn(usize, usize) -> bool) -> Flex {
    measure_within(MAX_POSED_VERTICES, rig, limits, on_joint)
}

/// [`measure`] with a budget of posed vertices.
fn measure_within(
    max_posed_vertices: usize,
    rig: &Rig,
    limits: &FlexLimits,
    on_joint: &dyn Fn(usize, usize) -> bool,
) -> Flex {
    let model = rig.model();
    let mut animator = CrowdAnimator::new(rig);
    animator.update(&mut Crowd::single(None), 0.0);
    let rest = ModelPose::rest(&model.skeleton);
    let mut mesh = FlexMesh::new(rig, animator.palette());
    mesh.find_deformed(&model.skeleton);
    let mesh = mesh;
    let range = RangeOfMotion::new(model, &rest, &mesh);
    let subtrees = subtrees(&model.skeleton);
    let mut flex = Flex { joints: Vec::new(), is_complete: mesh.is_complete, limits: *limits };
    // Helper joints without weights move no vertex of their own. Without weights, a joint of a body lacks them.
    let is_measured = |joint: &JointIndex| {
        !mesh.deformed[joint.get()].is_empty() && (mesh.has_weights(*joint) || range.has_role(*joint))
    };
    let deforming: Vec<JointIndex> = (0..model.skeleton.len() as u32).map(JointIndex).filter(is_measured).collect();
    let at_rest = mesh.draws_at_rest(animator.palette());
    let mut known_boundaries = HashSet::new();
    let mut posed_vertices = 0;
    // Descendants first: a boundary belongs to the last joint that it separates.
    for (done, joint) in deforming.iter().rev().enumerate() {
        if !on_joint(done, deforming.len()) {
            flex.is_complete = false;
            break;
        }
        let joint = *joint;
        let above = mesh.above[joint.get()];
        let region = Region::new(
            &mesh,
            joint,
            above,
            rest.model_from_joint(joint).translation,
            limits.boundary_distance,
            &subtrees,
        );
        let poses = range.poses(joint, above.filter(|above| !mesh.deformed[above.get()].is_empty()));
        posed_vertices += poses.len() * region.vertices.len();
        if posed_vertices > max_posed_vertices {
            flex.is_complete = false;
            break;
        }
        let far = region.boundaries.iter().filter(|boundary| region.distance(boundary) > limits.boundary_distance);
        let far: Vec<_> = far.filter(|boundary| known_boundaries.insert(boundary.key)).collect();
        let mut torn = vec![false; far.len()];
        let mut found = JointFlex::new(model, joint, region.bounds());
        for pose in &poses {
            let moves = Moves::new(&model.skeleton, &rest, &subtrees, &pose.joints);
            let posed: Vec<_> = region.vertices.iter().map(|vertex| mesh.posed(&at_rest, &moves, *vertex)).collect();
            let rest_rotation = model.skeleton.joint(joint).rest.rotation;
            let angle = pose.joints.get(joint).map_or(0.0, |posed| posed.rotation.angle_to(&rest_rotation));
            found.add_measures(&region.measure(&posed, angle, limits.boundary_distance), pose, limits);
            for (boundary, is_torn) in far.iter().zip(&mut torn) {
                if region.boundary_stretch(boundary, &posed) > MIN_BOUNDARY_STRETCH {
                    *is_torn = true;
                    let strongest = |side: usize| {
                        mesh.strongest_joint(region.vertices[side])
                            .map_or_else(String::new, |joint| quoted(&model.skeleton.unambiguous_name(joint)))
                    };
                    let edge = &boundary.edges[0];
                    let detail = format!("{} and {}", strongest(edge.inside), strongest(edge.outside));
                    found.add(FlexMeasure::BoundaryStretch, region.distance(boundary), pose, detail, limits);
                }
            }
        }
        let torn: Vec<_> =
            far.iter().zip(&torn).filter(|(_, is_torn)| **is_torn).map(|(boundary, _)| boundary).collect();
        found.torn_patches = torn.len();
        found.torn_vertices = torn.iter().filter(|boundary| region.is_around_one_vertex(boundary)).count();
        if let (Some(above), Some(pose), true) = (above, poses.first(), range.has_role(joint)) {
            let detail = quoted(&model.skeleton.unambiguous_name(above));
            found.add(FlexMeasure::Smear, region.smear, pose, detail, limits);
        }
        found.poses = poses;
        flex.joints.push(found);
    }
    let mut ranks = vec![None; model.skeleton.len()];
    flex.joints.iter().enumerate().for_each(|(rank, found)| ranks[found.joint.get()] = Some(rank));
    add_asymmetries(model, &rest, &mesh, limits, &mut flex, &mut ranks);
    add_bind_offsets(model, &rest, &mesh, limits, &mut flex, &mut ranks);
    // Ties are in hierarchy order.
    flex.joints.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.joint.cmp(&b.joint)));
    flex
}

impl JointFlex {
    fn add_measures(&mut self, measures: &FlexMeasures, pose: &FlexPose, limits: &FlexLimits) {
        for (measure, value) in [
            (FlexMeasure::Volume, measures.volume),
            (FlexMeasure::CrossSection, measures.cross_section),
            (FlexMeasure::Stretch, measures.stretch),
            (FlexMeasure::Area, measures.area),
            (FlexMeasure::Intersections, measures.intersections),
        ] {
            self.add(measure, value, pose, String::new(), limits);
        }
    }
}

impl Flex {
    /// Returns one line for each of the worst joints, with its worst measure.
    pub fn lines(&self) -> Vec<String> {
        let worst = self.joints.iter().take(MAX_LINES).filter_map(|joint| Some((joint, joint.worst()?)));
        worst
            .map(|(joint, found)| format!("flex {}: {found}, {}", quoted(&joint.name), found.pose.description))
            .collect()
    }

    /// Returns how many joints are beyond the limits, in words.
    pub fn summary(&self) -> String {
        let bad = self.joints.iter().filter(|joint| joint.score() > 1.0).count();
        match (self.joints.len(), bad) {
            (0, _) => "No joint deforms a mesh".to_owned(),
            (all, 0) => format!("{} within the limits", counted(all, "joint", "joints")),
            (all, bad) => format!("{bad} of {} beyond the limits", counted(all, "joint", "joints")),
        }
    }

    /// Returns the pose in which the joint of a rank, from 0, is worst. All other joints are at rest, in clips, too.
    pub fn pose(&self, skeleton: &Skeleton, rank: usize) -> Option<PoseOverride> {
        let worst = self.joints.get(rank)?.worst()?;
        let mut pose = worst.pose.joints.clone();
        for (i, joint) in skeleton.joints().iter().enumerate() {
            let index = JointIndex(i as u32);
            if pose.get(index).is_none() && !joint.has_shear() {
                pose.set(index, joint.rest);
            }
        }
        Some(pose)
    }

    /// Returns the number of poses of all joints.
    pub fn pose_count(&self) -> usize {
        self.joints.iter().map(|joint| joint.poses.len()).sum()
    }

    /// Returns the rank of the joint and the pose at a position of the range. Positions count the poses of all joints in the order of
    /// the ranks; the middle between two whole numbers is a full pose.
    pub fn at(&self, position: f64) -> Option<(usize, &FlexPose)> {
        let all = self.joints.iter().enumerate();
        all.flat_map(|(rank, joint)| joint.poses.iter().map(move |pose| (rank, pose))).nth(position.max(0.0) as usize)
    }

    /// Returns the overrides at a position of the range of motion test: from the rest pose to the pose, and back.
    ///
    /// ```
    /// # use rigview_check::flex::{FlexLimits, measure};
    /// # use rigview_core::import::{ImportOptions, open};
    /// # use rigview_core::palette::Rig;
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
    /// # let model = open(file, &ImportOptions::default())?.model;
    /// # let scene = model.default_scene;
    /// let rig = Rig::new(model, scene).unwrap();
    /// let flex = measure(&rig, &FlexLimits::default(), &|_, _| true);
    /// let position = flex.worst_position(0).ok_or("no joint deforms a mesh")?;
    /// let (rank, pose) = flex.at(position).ok_or("no pose")?;
    /// let overrides = flex.overrides_at(&rig.model().skeleton, position);
    /// let (posed, expected) = (overrides.joints()[0], pose.joints.joints()[0]);
    /// assert!(rank == 0 && posed.0 == expected.0 && posed.1.rotation.angle_to(&expected.1.rotation) < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overrides_at(&self, skeleton: &Skeleton, position: f64) -> PoseOverride {
        let mut overrides = PoseOverride::new();
        let weight = 1.0 - (2.0 * position.rem_euclid(1.0) - 1.0).abs();
        for (joint, posed) in self.at(position).iter().flat_map(|(_, pose)| pose.joints.joints()) {
            let rest = &skeleton.joint(*joint).rest;
            let rotation = rest.rotation.try_slerp(&posed.rotation, weight, 1e-9).unwrap_or(posed.rotation);
            overrides.set(*joint, Transform { rotation, ..*rest });
        }
        overrides
    }

    /// Returns the position at which the joint of a rank is worst; it is at rest there if its worst measure is one of the rest pose.
    pub fn worst_position(&self, rank: usize) -> Option<f64> {
        let joint = self.joints.get(rank)?;
        let first = self.joints[..rank].iter().map(|joint| joint.poses.len()).sum::<usize>() as f64;
        let worst = joint.poses.iter().position(|pose| joint.worst().is_some_and(|worst| worst.pose == *pose));
        Some(worst.map_or(first, |index| first + index as f64 + 0.5))
    }

    /// Returns the measures of a joint, new ones if it has none. `size` is that of the rig.
    fn joint_mut(
        &mut self,
        ranks: &mut [Option<usize>],
        model: &Model,
        rest: &ModelPose,
        size: f64,
        joint: JointIndex,
    ) -> &mut JointFlex {
        let rank = *ranks[joint.get()].get_or_insert_with(|| {
            let position = rest.model_from_joint(joint).translation;
            self.joints.push(JointFlex::new(model, joint, cube(position, 0.1 * size)));
            self.joints.len() - 1
        });
        &mut self.joints[rank]
    }
}

/// Compares each joint with its mirror image, where the mesh itself is symmetric. `ranks` has the index of each joint in `flex`.
fn add_asymmetries(
    model: &Model,
    rest: &ModelPose,
    mesh: &FlexMesh<'_>,
    limits: &FlexLimits,
    flex: &mut Flex,
    ranks: &mut [Option<usize>],
) {
    let size = rig_size(model, rest);
    let symmetry = Symmetry::find(model, rest);
    let areas = symmetric_areas(mesh, &symmetry, model.skeleton.len());
    let ratio = |a: f64, b: f64| (a.max(b) / a.min(b).max(1e-2 * a.max(b))).min(100.0);
    for pair in &symmetry.pairs {
        if !pair.iter().any(|joint| mesh.has_weights(*joint)) {
            continue;
        }
        let area = |joint: JointIndex| areas[joint.get()].0;
        let [less, more] = if area(pair[0]) < area(pair[1]) { *pair } else { [pair[1], pair[0]] };
        // A mesh in the middle, such as both eyes on one joint, has no other side.
        let offset = |position: f64| position - symmetry.plane;
        let of_joint = offset(rest.model_from_joint(more).translation[symmetry.axis]);
        let is_on_one_side = offset(areas[more.get()].1 / area(more)) / of_joint > 0.5;
        let of_areas = if is_on_one_side { ratio(area(less), area(more)) } else { 1.0 };
        let stretch = |joint: JointIndex| Some(flex.joints[ranks[joint.get()]?].finding(FlexMeasure::Stretch)?.value);
        let value = of_areas.max(stretch(less).zip(stretch(more)).map_or(1.0, |(a, b)| ratio(a, b)));
        let bent =
            |joint: JointIndex| Some(flex.joints[ranks[joint.get()]?].finding(FlexMeasure::Stretch)?.pose.clone());
        let pose = bent(less).or_else(|| bent(more)).unwrap_or_default();
        if ranks[less.get()].is_none() && value <= limits.asymmetry {
            continue;
        }
        let detail = quoted(&model.skeleton.unambiguous_name(more));
        let joint = flex.joint_mut(ranks, model, rest, size, less);
        joint.add(FlexMeasure::Asymmetry, value, &pose, detail, limits);
        if joint.poses.is_empty() {
            joint.poses.push(pose);
        }
    }
}

/// Per joint, the area that follows it where the mesh has a vertex on the other side, too; and the position of the area along the axis of
/// the symmetry, times the area.
fn symmetric_areas(mesh: &FlexMesh<'_>, symmetry: &Symmetry, joints: usize) -> Vec<(f64, f64)> {
    let mut areas = vec![(0.0, 0.0); joints];
    if symmetry.pairs.is_empty() {
        return areas;
    }
    let images = MirrorImages::new(mesh, symmetry, MIRROR_TOLERANCE * mesh.size());
    let mut is_symmetric = vec![false; mesh.welded.len()];
    mesh.welded_vertices().for_each(|vertex| is_symmetric[vertex as usize] = images.of(vertex).is_some());
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| mesh.rest_positions[corner as usize]);
        let area = (b - a).cross(&(c - a)).norm() / 6.0;
        for vertex in corners.iter().filter(|corner| is_symmetric[mesh.welded[**corner as usize] as usize]) {
            let position = mesh.rest_positions[*vertex as usize][symmetry.axis];
            for (joint, weight) in mesh.influences(*vertex) {
                areas[joint.get()].0 += area * weight;
                areas[joint.get()].1 += area * weight * position;
            }
        }
    }
    areas
}

/// Compares the bind position of each joint under its own matrix and under that of the next joint above that has weights. The mesh is
/// torn if an edge between them is longer at rest than as modeled, too. `ranks` as in [`add_asymmetries`].
fn add_bind_offsets(
    model: &Model,
    rest: &ModelPose,
    mesh: &FlexMesh<'_>,
    limits: &FlexLimits,
    flex: &mut Flex,
    ranks: &mut [Option<usize>],
) {
    let mut slots: HashMap<(SkinIndex, JointIndex), usize> = HashMap::new();
    for (i, skin) in model.skins.iter().enumerate() {
        slots.extend(skin.joints.iter().enumerate().map(|(slot, joint)| ((SkinIndex(i as u32), *joint), slot)));
    }
    let matrix = |skin: SkinIndex, joint: JointIndex| {
        let slot = *slots.get(&(skin, joint))?;
        let joint_from_mesh = *model.skins[skin.get()].joint_from_mesh.get(slot)?;
        Some((joint_from_mesh, *rest.model_from_joint(joint) * joint_from_mesh))
    };
    let growth = |joint: JointIndex| {
        let edges = mesh.deformed[joint.get()].iter().flat_map(|triangle| {
            let [a, b, c] = mesh.triangles[*triangle as usize];
            [(a, b), (b, c), (c, a)]
        });
        let ratio = |(a, b): (u32, u32)| {
            let scale = matrix(mesh.skin(a), joint)?.1.determinant().abs().cbrt();
            let at_rest = mesh.rest_positions[a as usize] - mesh.rest_positions[b as usize];
            let modeled = mesh.modeled_position(a) - mesh.modeled_position(b);
            Some(at_rest.norm() / (scale * modeled.norm())).filter(|ratio| ratio.is_finite())
        };
        edges.filter_map(ratio).fold(1.0, f64::max)
    };
    let mut growths: Vec<Option<f64>> = vec![None; model.skeleton.len()];
    let shortest = MIN_BONE * mesh.size();
    let size = rig_size(model, rest);
    for (i, skin) in model.skins.iter().enumerate() {
        for joint in skin.joints.iter().filter(|joint| mesh.has_weights(**joint)) {
            let skin = SkinIndex(i as u32);
            let Some(above) = mesh.above[joint.get()].filter(|_| ranks[joint.get()].is_some()) else { continue };
            let (Some((joint_from_mesh, own)), Some((_, other))) = (matrix(skin, *joint), matrix(skin, above)) else {
                continue;
            };
            let Some(in_mesh) = joint_from_mesh.inverse().map(|matrix| matrix.translation) else { continue };
            let (own, under_other) = (own.transform_point(in_mesh), other.transform_point(in_mesh));
            let bone = (own - rest.model_from_joint(above).translation).norm().max(shortest);
            let offset = (own - under_other).norm() / bone;
            if !offset.is_finite() {
                continue;
            }
            let mut is_torn = || *growths[joint.get()].get_or_insert_with(|| growth(*joint)) > MIN_TEAR;
            let value = if offset > limits.bind_offset && !is_torn() { 0.0 } else { offset };
            let detail = quoted(&model.skeleton.unambiguous_name(above));
            let joint = flex.joint_mut(ranks, model, rest, size, *joint);
            joint.add(FlexMeasure::BindOffset, value, &FlexPose::default(), detail, limits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::import::{ImportOptions, open};

    #[test]
    fn measurement_ends_when_the_budget_is_spent() {
        let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
        let model = open(file, &ImportOptions::default()).unwrap().model;
        let scene = model.default_scene;
        let rig = Rig::new(model, scene).unwrap();
        let measured = |budget: usize| measure_within(budget, &rig, &FlexLimits::default(), &|_, _| true);
        let all = measured(usize::MAX);
        assert!(all.is_complete && all.joints.len() >= 3);
        let part = measured(5000);
        assert!(!part.is_complete && part.joints.len() < all.joints.len(), "{}", part.joints.len());
    }
}

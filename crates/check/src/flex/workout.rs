//! The workout of a model: all joints in all poses.

use super::findings::{FlexMeasure, JointFlex};
use super::limits::FlexLimits;
use super::mesh::{FlexMesh, cube};
use super::poses::{FlexPose, Workout};
use super::region::{FlexMeasures, Region};
use super::symmetry::{Symmetry, rig_size};
use crate::rig::subtrees;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::math::Transform;
use rigview_core::model::{JointIndex, Model, Skeleton};
use rigview_core::palette::Rig;
use rigview_core::pose::{ModelPose, PoseOverride};
use rigview_core::util::text::{counted, quoted};
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Maximum joints that the text of a workout lists.
const MAX_LINES: usize = 5;

/// Maximum posed vertices, with the joints that each pose updates: about 10 s.
const MAX_POSED_VERTICES: usize = 1 << 28;

/// Vertices that are posed in the time of an update of a joint.
const VERTICES_PER_JOINT: usize = 5;

/// Smallest stretch at a boundary far from its joint that is a finding: below, weights of the two sides are similar.
const MIN_BOUNDARY_STRETCH: f64 = 2.0;

/// Shortest bone that offsets are relative to, in sizes of the rig. Some joints are at the position of their parents.
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
/// let flex = measure(&Rig::new(model, scene), &FlexLimits::default(), &|_, _| true);
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
    let mut crowd = Crowd::single(None);
    animator.update(&mut crowd, 0.0);
    let rest = ModelPose::rest(&model.skeleton);
    let mut mesh = FlexMesh::new(rig, animator.palette());
    mesh.find_deformed(&model.skeleton);
    let mesh = mesh;
    let workout = Workout::new(model, &rest, &mesh);
    let subtrees = subtrees(&model.skeleton);
    let mut flex = Flex { joints: Vec::new(), is_complete: mesh.is_complete, limits: *limits };
    let deforming: Vec<usize> = (0..model.skeleton.len()).filter(|joint| !mesh.deformed[*joint].is_empty()).collect();
    let index = crowd.add_override(PoseOverride::new());
    crowd.set_override(0, Some(index));
    let mut known_boundaries = HashSet::new();
    let mut posed_vertices = 0;
    // Descendants first: a boundary belongs to the last joint that it separates.
    for (done, joint) in deforming.iter().rev().enumerate() {
        if !on_joint(done, deforming.len()) {
            flex.is_complete = false;
            break;
        }
        let joint = JointIndex(*joint as u32);
        let parent = model.skeleton.joint(joint).parent;
        let region = Region::new(&mesh, joint, parent, rest.model_from_joint(joint).translation, &subtrees);
        let parent = parent.filter(|parent| !mesh.deformed[parent.get()].is_empty());
        let poses = workout.poses(joint, parent);
        // Each pose updates all joints.
        posed_vertices += poses.len() * (region.vertices.len() + VERTICES_PER_JOINT * model.skeleton.len());
        if posed_vertices > max_posed_vertices {
            flex.is_complete = false;
            break;
        }
        let far = region.boundaries.iter().filter(|boundary| region.distance(boundary) > limits.boundary_distance);
        let far: Vec<_> = far.filter(|boundary| known_boundaries.insert(boundary.key)).collect();
        let mut found = JointFlex::new(model, joint, region.bounds());
        for pose in &poses {
            crowd.update_override(index, pose.joints.clone());
            animator.update(&mut crowd, 0.0);
            let posed = mesh.positions(animator.palette(), &region.vertices);
            let at_rest = model.skeleton.joint(joint).rest.rotation;
            let angle = pose.joints.get(joint).map_or(0.0, |posed| posed.rotation.angle_to(&at_rest));
            found.add_measures(&region.measure(&posed, angle, limits.boundary_distance), pose, limits);
            for boundary in &far {
                if region.boundary_stretch(boundary, &posed) > MIN_BOUNDARY_STRETCH {
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
        found.poses = poses;
        flex.joints.push(found);
    }
    let mut ranks = vec![None; model.skeleton.len()];
    flex.joints.iter().enumerate().for_each(|(rank, found)| ranks[found.joint.get()] = Some(rank));
    add_asymmetries(model, &rest, &mesh, limits, &mut flex, &mut ranks);
    add_bind_offsets(model, &rest, limits, &mut flex, &mut ranks);
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

    /// Returns the rank of the joint and the pose at a position of the workout. Positions count the poses of all joints in the order of
    /// the ranks; the middle between two whole numbers is a full pose.
    pub fn at(&self, position: f64) -> Option<(usize, &FlexPose)> {
        let all = self.joints.iter().enumerate();
        all.flat_map(|(rank, joint)| joint.poses.iter().map(move |pose| (rank, pose))).nth(position.max(0.0) as usize)
    }

    /// Returns the overrides at a position of the workout: from the rest pose to the pose, and back.
    ///
    /// ```
    /// # use rigview_check::flex::{FlexLimits, measure};
    /// # use rigview_core::import::{ImportOptions, open};
    /// # use rigview_core::palette::Rig;
    /// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
    /// # let model = open(file, &ImportOptions::default())?.model;
    /// # let scene = model.default_scene;
    /// let rig = Rig::new(model, scene);
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

/// Compares each joint with its mirror image. `ranks` has the index of each joint in `flex`.
fn add_asymmetries(
    model: &Model,
    rest: &ModelPose,
    mesh: &FlexMesh<'_>,
    limits: &FlexLimits,
    flex: &mut Flex,
    ranks: &mut [Option<usize>],
) {
    let size = rig_size(model, rest);
    let ratio = |a: f64, b: f64| (a.max(b) / a.min(b).max(1e-9)).min(100.0);
    for pair in Symmetry::find(model, rest).pairs {
        let areas = pair.map(|joint| mesh.areas[joint.get()]);
        if areas == [0.0; 2] {
            continue;
        }
        let [less, more] = if areas[0] < areas[1] { pair } else { [pair[1], pair[0]] };
        let stretch = |joint: JointIndex| Some(flex.joints[ranks[joint.get()]?].finding(FlexMeasure::Stretch)?.value);
        let value = ratio(areas[0], areas[1]).max(stretch(less).zip(stretch(more)).map_or(1.0, |(a, b)| ratio(a, b)));
        let bent =
            |joint: JointIndex| Some(flex.joints[ranks[joint.get()]?].finding(FlexMeasure::Stretch)?.pose.clone());
        let pose = bent(less).or_else(|| bent(more)).unwrap_or_default();
        let detail = quoted(&model.skeleton.unambiguous_name(more));
        let joint = flex.joint_mut(ranks, model, rest, size, less);
        joint.add(FlexMeasure::Asymmetry, value, &pose, detail, limits);
        if joint.poses.is_empty() {
            joint.poses.push(pose);
        }
    }
}

/// Compares the bind position of each joint under its own matrix and under its parent's. `ranks` as in [`add_asymmetries`].
fn add_bind_offsets(
    model: &Model,
    rest: &ModelPose,
    limits: &FlexLimits,
    flex: &mut Flex,
    ranks: &mut [Option<usize>],
) {
    let size = rig_size(model, rest);
    for skin in &model.skins {
        let slots: HashMap<JointIndex, usize> =
            skin.joints.iter().enumerate().map(|(slot, joint)| (*joint, slot)).collect();
        for (slot, joint) in skin.joints.iter().enumerate() {
            let Some(parent) = model.skeleton.joint(*joint).parent else { continue };
            let Some(parent_slot) = slots.get(&parent) else { continue };
            let inverse = |slot: usize| skin.joint_from_mesh.get(slot).and_then(|matrix| matrix.inverse());
            let Some(in_mesh) = inverse(slot).map(|matrix| matrix.translation) else { continue };
            let posed = |joint: JointIndex, slot: usize| {
                (*rest.model_from_joint(joint) * skin.joint_from_mesh[slot]).transform_point(in_mesh)
            };
            let (own, under_parent) = (posed(*joint, slot), posed(parent, *parent_slot));
            let bone = (own - rest.model_from_joint(parent).translation).norm().max(MIN_BONE * size);
            let value = (own - under_parent).norm() / bone;
            if value.is_finite() && ranks[joint.get()].is_some() {
                let detail = quoted(&model.skeleton.unambiguous_name(parent));
                flex.joint_mut(ranks, model, rest, size, *joint).add(
                    FlexMeasure::BindOffset,
                    value,
                    &FlexPose::default(),
                    detail,
                    limits,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::import::{ImportOptions, open};

    /// The cost of a pose is that of all joints, even if the joint moves few vertices.
    #[test]
    fn budget_counts_the_joints_of_each_pose() {
        let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
        let model = open(file, &ImportOptions::default()).unwrap().model;
        let (joints, scene) = (model.skeleton.len(), model.default_scene);
        let rig = Rig::new(model, scene);
        let measured = |budget: usize| {
            let count = std::cell::Cell::new(0);
            let flex = measure_within(budget, &rig, &FlexLimits::default(), &|done, _| {
                count.set(done);
                true
            });
            (flex.is_complete, count.get())
        };
        let all = measured(usize::MAX);
        assert!(all.0 && all.1 >= 3, "{all:?}");
        // At least six poses per joint.
        let (is_complete, done) = measured(2 * 6 * VERTICES_PER_JOINT * joints);
        assert!(!is_complete && done <= 2, "{done}");
    }
}

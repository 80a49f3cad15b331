//! Debug geometry of a skeleton: bones as octahedra (as in Blender), joint axes and motion paths.

use super::Overlay;
use super::overlay::DebugLines;
use nalgebra::Vector3;
use rigview_core::crowd::Crowd;
use rigview_core::math::{Aabb, Affine, SupportHull};
use rigview_core::model::{Clip, ClipIndex, InstanceIndex, JointIndex, Model};
use rigview_core::palette::{PaletteLayout, RangeJoints};
use rigview_core::pose::{LayerScratch, ModelPose, Pose};

/// Maximum number of joints whose bones are octahedra; those of more joints are lines, which need a fraction of the memory.
const MAX_OCTAHEDRA: usize = 10_000;

/// Maximum number of symbols of each kind.
const MAX_SYMBOLS: usize = 10_000;

/// Drawing style of a skeleton.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoneStyle {
    /// Draws the skeleton in front of the model.
    pub x_ray: bool,
    /// Draws the axes of each joint: X red, Y green, Z blue.
    pub axes: bool,
    /// The highlighted joint.
    pub selected: Option<JointIndex>,
}

const BONE: [f32; 3] = [0.78, 0.79, 0.82];
const SELECTED: [f32; 3] = [1.0, 0.60, 0.16];
const OUTLINE: [f32; 4] = [0.07, 0.07, 0.09, 0.9];
const SELECTED_OUTLINE: [f32; 4] = [0.45, 0.18, 0.0, 1.0];
/// Position and half width of the thickest part, as fractions of the bone's length.
const WAIST_RATIO: f64 = 0.1;

/// Shortest bone from a root that is left out, relative to the longest other bone.
const MIN_ROOT_BONE: f64 = 1.5;

/// Number of other bones that such a skeleton has at least.
const MIN_OTHER_BONES: usize = 5;

/// Returns the joints that `layout` draws, in hierarchy order.
///
/// These are the joints of its skins, and the joints of its rigid meshes with all ancestors. Without a mesh they are all
/// joints.
pub fn shown_joints(model: &Model, layout: &PaletteLayout) -> Vec<JointIndex> {
    let joints = model.skeleton.joints();
    if layout.draws.is_empty() {
        return (0..joints.len() as u32).map(JointIndex).collect();
    }
    let mut shown = vec![false; joints.len()];
    for matrix_range in &layout.matrix_ranges {
        match matrix_range.joints {
            RangeJoints::Skin(skin) => {
                model.skins[skin.get()].joints.iter().for_each(|joint| shown[joint.get()] = true)
            }
            RangeJoints::Joint(joint) => {
                let mut next = Some(joint);
                while let Some(joint) = next.filter(|joint| !shown[joint.get()]) {
                    shown[joint.get()] = true;
                    next = joints[joint.get()].parent;
                }
            }
        }
    }
    (0..joints.len()).filter(|&i| shown[i]).map(|i| JointIndex(i as u32)).collect()
}

/// Number of steps of a clip at which a skeleton beside a model is framed.
const HULL_SAMPLES: u32 = 60;

impl Overlay {
    /// Adds the bones between the joints of `shown`, which is in hierarchy order.
    pub fn add_skeleton(
        &mut self,
        model: &Model,
        shown: &[JointIndex],
        world_from_joint: impl Fn(JointIndex) -> Affine,
        style: BoneStyle,
    ) {
        let placements: Vec<Affine> = shown.iter().map(|joint| world_from_joint(*joint)).collect();
        let bones = Bones::new(model, shown, &placements);
        self.add_bones(bones, shown, &placements, style);
    }

    fn add_bones(&mut self, bones: Bones, shown: &[JointIndex], placements: &[Affine], style: BoneStyle) {
        let placement = |joint: JointIndex| &placements[shown.binary_search(&joint).expect("a shown joint")];
        let Bones { bones, median_length, .. } = bones;
        let lines = if style.x_ray { &mut self.always_on_top } else { &mut self.depth_tested };
        if shown.len() > MAX_OCTAHEDRA {
            bones.iter().for_each(|bone| lines.line(bone.head, bone.tail, OUTLINE, 1.5));
            return;
        }
        for bone in bones {
            let selected = style.selected == Some(bone.joint);
            add_bone(lines, &bone, placement(bone.joint), 2.0 * WAIST_RATIO * median_length, selected);
        }
        for (&joint, joint_placement) in shown.iter().zip(placements) {
            let selected = style.selected == Some(joint);
            let color = if selected { SELECTED } else { BONE };
            let position = joint_placement.translation;
            lines.dot(position, OUTLINE, if selected { 9.0 } else { 6.0 });
            lines.dot(position, [color[0], color[1], color[2], 1.0], if selected { 6.5 } else { 3.5 });
            if style.axes {
                add_axes(lines, joint_placement, 0.4 * median_length);
            }
        }
    }

    /// Adds the skeleton of a model without a mesh at a time of a clip.
    pub fn add_skeleton_at(&mut self, model: &Model, place: &Affine, clip: ClipIndex, time_secs: f64) {
        let (mut scratch, mut pose, mut posed) = (LayerScratch::default(), Pose::default(), ModelPose::default());
        Crowd::single(Some(clip)).pose(InstanceIndex(0), model, time_secs, &mut scratch, &mut pose);
        posed.update(&model.skeleton, &pose);
        let style = BoneStyle { x_ray: true, axes: false, selected: None };
        self.add_skeleton_model(model, |joint| *place * *posed.model_from_joint(joint), style);
    }

    /// Adds the skeleton of a model without a mesh: its bones, and the symbols of joints without bones, cameras and lights.
    pub fn add_skeleton_model(
        &mut self,
        model: &Model,
        world_from_joint: impl Fn(JointIndex) -> Affine,
        style: BoneStyle,
    ) {
        let all: Vec<JointIndex> = (0..model.skeleton.len() as u32).map(JointIndex).collect();
        let placements: Vec<Affine> = all.iter().map(|joint| world_from_joint(*joint)).collect();
        let bones = Bones::of_skeleton(model, &all, &placements);
        let size = bones.symbol_size(&placements);
        let without_bone: Vec<usize> =
            (0..all.len()).filter(|joint| !bones.has_bone[*joint]).take(MAX_SYMBOLS).collect();
        self.add_bones(bones, &all, &placements, style);
        let lines = if style.x_ray { &mut self.always_on_top } else { &mut self.depth_tested };
        for joint in without_bone {
            add_axes(lines, &placements[joint], size);
        }
        let symbols = model.cameras.iter().map(|camera| (camera.joint, &CAMERA_SYMBOL[..]));
        let symbols = symbols.chain(model.lights.iter().map(|light| (light.joint, &LIGHT_SYMBOL[..])));
        for (joint, symbol) in symbols.take(MAX_SYMBOLS) {
            let Affine { linear, translation } = placements[joint.get()];
            for [from, to] in symbol {
                let point = |point: &[f64; 3]| translation + linear * Vector3::from(*point) * size;
                lines.line(point(from), point(to), OUTLINE, 2.0);
            }
        }
    }

    /// Adds a motion path through equally spaced samples of a joint's position in world space.
    ///
    /// The path is blue at its start and orange at its end, with a dot at sample `now`.
    pub fn add_motion_path(&mut self, positions: &[Vector3<f64>], now: Option<usize>) {
        let last = positions.len().saturating_sub(1).max(1) as f32;
        let color = |i: usize| {
            let t = i as f32 / last;
            [0.20 + 0.80 * t, 0.50 + 0.05 * t, 1.0 - 0.85 * t, 1.0]
        };
        for (i, ends) in positions.windows(2).enumerate() {
            self.always_on_top.gradient_line(ends[0], ends[1], [color(i), color(i + 1)], 2.0);
        }
        for (i, position) in positions.iter().enumerate() {
            self.always_on_top.dot(*position, color(i), 3.5);
        }
        if let Some(position) = now.and_then(|now| positions.get(now)) {
            self.always_on_top.dot(*position, OUTLINE, 10.0);
            self.always_on_top.dot(*position, [1.0, 1.0, 1.0, 1.0], 7.0);
        }
    }
}

/// Returns the hull over a clip of the skeleton that [`Overlay::add_skeleton_at`] adds.
pub fn skeleton_hull(model: &Model, place: &Affine, clip: ClipIndex) -> SupportHull {
    let Clip { first_key_secs, duration_secs, .. } = &model.clips[clip.get()];
    let (start_secs, end_secs) = (f64::from(*first_key_secs), f64::from(*duration_secs));
    let (mut scratch, mut pose, mut posed) = (LayerScratch::default(), Pose::default(), ModelPose::default());
    let mut hull = SupportHull::default();
    for sample in 0..=HULL_SAMPLES {
        let time_secs = start_secs + (end_secs - start_secs) * f64::from(sample) / f64::from(HULL_SAMPLES);
        Crowd::single(Some(clip)).pose(InstanceIndex(0), model, time_secs, &mut scratch, &mut pose);
        posed.update(&model.skeleton, &pose);
        add_skeleton_to_hull(model, |joint| *place * *posed.model_from_joint(joint), &mut hull);
    }
    hull
}

/// Adds the points that the skeleton of a model without a mesh needs in view to a hull.
pub(super) fn add_skeleton_to_hull(
    model: &Model,
    world_from_joint: impl Fn(JointIndex) -> Affine,
    hull: &mut SupportHull,
) {
    let all: Vec<JointIndex> = (0..model.skeleton.len() as u32).map(JointIndex).collect();
    let placements: Vec<Affine> = all.iter().map(|joint| world_from_joint(*joint)).collect();
    let bones = Bones::of_skeleton(model, &all, &placements);
    // Where most joints have bones, these are the model: a helper beside them, such as the target of a gaze, may be far away.
    let with_bone = bones.has_bone.iter().filter(|has_bone| **has_bone).count();
    if 2 * with_bone > all.len() && bones.bones.iter().any(|bone| bone.head != bone.tail) {
        return bones.bones.iter().flat_map(|bone| [bone.head, bone.tail]).for_each(|point| hull.add(point.cast()));
    }
    let size = bones.symbol_size(&placements);
    let mut has_symbol: Vec<bool> = bones.has_bone.iter().map(|has_bone| !has_bone).collect();
    let cameras = model.cameras.iter().map(|camera| camera.joint);
    cameras.chain(model.lights.iter().map(|light| light.joint)).for_each(|joint| has_symbol[joint.get()] = true);
    for (placement, has_symbol) in placements.iter().zip(has_symbol) {
        hull.add(placement.translation.cast());
        if has_symbol {
            let half = Vector3::repeat(size);
            let bounds = Aabb { min: placement.translation - half, max: placement.translation + half };
            bounds.corners().for_each(|corner| hull.add(corner.cast()));
        }
    }
}

/// The bones of a posed skeleton.
struct Bones {
    bones: Vec<Bone>,
    /// Of the bones with a length; 1 without bones.
    median_length: f64,
    /// Per shown joint: whether a bone begins or ends there.
    has_bone: Vec<bool>,
}

impl Bones {
    /// `shown` is in hierarchy order; `placements` are those of its joints.
    fn new(model: &Model, shown: &[JointIndex], placements: &[Affine]) -> Self {
        let joints = model.skeleton.joints();
        // The shown joint at or above each joint, with its index in `shown`. Parents are before their children.
        let mut nearest: Vec<Option<(JointIndex, usize)>> = Vec::with_capacity(joints.len());
        let mut next_shown = shown.iter().enumerate().peekable();
        for (number, joint) in joints.iter().enumerate() {
            let here = next_shown.next_if(|(_, joint)| joint.get() == number).map(|(index, joint)| (*joint, index));
            nearest.push(here.or_else(|| nearest[joint.parent?.get()]));
        }
        let shown_parent = |joint: &JointIndex| nearest[joints[joint.get()].parent?.get()];
        let parents: Vec<Option<(JointIndex, usize)>> = shown.iter().map(shown_parent).collect();
        let mut bones: Vec<Bone> = Vec::new();
        let mut has_child = vec![false; shown.len()];
        for (parent, placement) in parents.iter().zip(placements) {
            if let Some((joint, parent)) = *parent {
                bones.push(Bone { joint, head: placements[parent].translation, tail: placement.translation });
                has_child[parent] = true;
            }
        }
        let mut lengths: Vec<f64> =
            bones.iter().map(|bone| (bone.tail - bone.head).norm()).filter(|length| *length > 0.0).collect();
        lengths.sort_by(f64::total_cmp);
        let median_length = lengths.get(lengths.len() / 2).copied().unwrap_or(1.0);
        // glTF has no bone lengths: a leaf joint continues the direction of its parent bone.
        for (i, &joint) in shown.iter().enumerate() {
            if let (false, Some((_, parent))) = (has_child[i], parents[i]) {
                let (head, tail) = (placements[parent].translation, placements[i].translation);
                if (tail - head).norm() > 0.0 {
                    let length = (0.5 * (tail - head).norm()).min(median_length);
                    bones.push(Bone { joint, head: tail, tail: tail + (tail - head).normalize() * length });
                }
            }
        }
        let has_bone = parents.iter().zip(has_child).map(|(parent, has_child)| has_child || parent.is_some()).collect();
        Self { bones, median_length, has_bone }
    }

    /// Returns the bones of all joints, without long ones from a root, such as the armature node, to the hips of a body that is far away.
    fn of_skeleton(model: &Model, all: &[JointIndex], placements: &[Affine]) -> Self {
        let mut bones = Self::new(model, all, placements);
        let joints = model.skeleton.joints();
        let mut child_counts = vec![0; joints.len()];
        joints.iter().filter_map(|joint| joint.parent).for_each(|parent| child_counts[parent.get()] += 1);
        let mut subtree_sizes = vec![1; joints.len()];
        for (i, joint) in joints.iter().enumerate().rev() {
            joint.parent.iter().for_each(|parent| subtree_sizes[parent.get()] += subtree_sizes[i]);
        }
        let mut is_root = vec![false; joints.len()];
        for (i, joint) in joints.iter().enumerate() {
            is_root[i] = joint.parent.is_none_or(|parent| {
                let parent = parent.get();
                // A joint of a leg may be at the hips, too.
                let is_body = 2 * subtree_sizes[i] > subtree_sizes[parent];
                let is_at_parent = is_body && placements[i].translation == placements[parent].translation;
                is_root[parent] && (child_counts[parent] == 1 || is_at_parent)
            });
        }
        let length = |bone: &Bone| (bone.tail - bone.head).norm();
        let others = bones.bones.iter().filter(|bone| !is_root[bone.joint.get()]).map(length);
        let others: Vec<f64> = others.filter(|length| *length > 0.0).collect();
        if others.len() >= MIN_OTHER_BONES {
            let max_length = MIN_ROOT_BONE * others.into_iter().fold(0.0, f64::max);
            bones.bones.retain(|bone| !is_root[bone.joint.get()] || length(bone) <= max_length);
        }
        bones
    }

    /// Size of the symbols of joints without bones, cameras and lights: a fraction of the bones or of the distances.
    fn symbol_size(&self, placements: &[Affine]) -> f64 {
        if self.bones.iter().any(|bone| bone.head != bone.tail) {
            return 0.5 * self.median_length;
        }
        let mut bounds = Aabb::EMPTY;
        placements.iter().for_each(|placement| bounds.add(placement.translation));
        let diagonal = if bounds.is_empty() { 0.0 } else { bounds.diagonal() };
        if diagonal > 0.0 { 0.1 * diagonal } else { 0.5 }
    }
}

/// A pyramid along -Z, the view direction of a camera.
const CAMERA_SYMBOL: [[[f64; 3]; 2]; 8] = {
    let [a, b, c, d] = [[-0.5, -0.3, -0.8], [0.5, -0.3, -0.8], [0.5, 0.3, -0.8], [-0.5, 0.3, -0.8]];
    let eye = [0.0; 3];
    [[eye, a], [eye, b], [eye, c], [eye, d], [a, b], [b, c], [c, d], [d, a]]
};

/// A star with a ray along -Z, the direction of a light.
const LIGHT_SYMBOL: [[[f64; 3]; 2]; 4] = [
    [[-0.3, 0.0, 0.0], [0.3, 0.0, 0.0]],
    [[0.0, -0.3, 0.0], [0.0, 0.3, 0.0]],
    [[0.0, 0.0, 0.3], [0.0, 0.0, -0.9]],
    [[0.2, 0.2, 0.0], [-0.2, -0.2, 0.0]],
];

/// A bone and the joint that moves it.
struct Bone {
    joint: JointIndex,
    head: Vector3<f64>,
    tail: Vector3<f64>,
}

/// Adds an octahedron with a half width of at most `max_waist`.
fn add_bone(
    lines: &mut DebugLines,
    &Bone { head, tail, .. }: &Bone,
    joint_placement: &Affine,
    max_waist: f64,
    selected: bool,
) {
    let along = tail - head;
    let length = along.norm();
    if !(length > 0.0 && length.is_finite()) {
        return;
    }
    let direction = along / length;
    // The joint's axis most perpendicular to the bone defines its roll.
    let side = (0..3)
        .filter_map(|axis| joint_placement.linear.column(axis).into_owned().try_normalize(1e-30))
        .min_by(|a, b| a.dot(&direction).abs().total_cmp(&b.dot(&direction).abs()))
        .and_then(|axis| (axis - direction * axis.dot(&direction)).try_normalize(1e-9))
        .unwrap_or_else(|| direction.cross(&Vector3::new(0.3, 0.5, 0.81)).normalize());
    let waist = (length * WAIST_RATIO).min(max_waist);
    let (x, z) = (side * waist, side.cross(&direction) * waist);
    let middle = head + direction * waist;
    let ring = [middle + x, middle + z, middle - x, middle - z];
    let (color, outline) = if selected { (SELECTED, SELECTED_OUTLINE) } else { (BONE, OUTLINE) };
    for i in 0..4 {
        let (a, b) = (ring[i], ring[(i + 1) % 4]);
        lines.triangle([head, a, b], color);
        lines.triangle([tail, b, a], color);
        for (from, to) in [(head, a), (a, b), (a, tail)] {
            lines.line(from, to, outline, 1.1);
        }
    }
}

/// Adds the axes of a joint.
fn add_axes(lines: &mut DebugLines, joint_placement: &Affine, length: f64) {
    const COLORS: [[f32; 4]; 3] = [[0.92, 0.23, 0.28, 1.0], [0.42, 0.78, 0.15, 1.0], [0.20, 0.46, 0.98, 1.0]];
    for (axis, color) in COLORS.into_iter().enumerate() {
        if let Some(direction) = joint_placement.linear.column(axis).into_owned().try_normalize(1e-30) {
            let origin = joint_placement.translation;
            lines.line(origin, origin + direction * length, color, 2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::math::Transform;
    use rigview_core::model::{
        Joint, Mesh, MeshIndex, MeshNode, Primitive, Scene, SceneIndex, Skeleton, Topology, Vertices,
    };
    use rigview_core::pose::ModelPose;

    /// A chain of joints along Y, one meter apart. The last one has a mesh.
    fn chain(count: u32) -> Model {
        let joint = |i: u32| Joint {
            name: None,
            node: i as usize,
            parent: i.checked_sub(1).map(JointIndex),
            rest: Transform { translation: Vector3::y() * f64::from(i.min(1)), ..Transform::identity() },
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let vertices = Vertices { positions: vec![[0.0; 3]; 3], ..Vertices::default() };
        let primitive = Primitive { topology: Topology::Triangles, vertices: vertices.into(), ..Primitive::default() };
        Model {
            skeleton: Skeleton::new((0..count).map(joint).collect(), Vec::new()),
            meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
            scenes: vec![Scene {
                mesh_nodes: vec![MeshNode { joint: JointIndex(count - 1), mesh: MeshIndex(0), skin: None }],
                ..Scene::default()
            }],
            ..Model::default()
        }
    }

    #[test]
    fn thighs_below_hip_joints_without_length_are_drawn() {
        // Root, hips, two hip joints at the hips with thighs and shins, and a spine of short bones.
        let mut joints = vec![(None, 0.0), (Some(0), 50.0)];
        for _ in 0..2 {
            let hip = joints.len() as u32;
            joints.extend([(Some(1), 0.0), (Some(hip), -4.0), (Some(hip + 1), -4.0)]);
        }
        (0..6).for_each(|i| joints.push((Some(if i == 0 { 1 } else { joints.len() as u32 - 1 }), 1.0)));
        let template = chain(1).skeleton.joints()[0].clone();
        let joint = |&(parent, y): &(Option<u32>, f64)| Joint {
            parent: parent.map(JointIndex),
            rest: Transform { translation: Vector3::y() * y, ..Transform::identity() },
            ..template.clone()
        };
        let model =
            Model { skeleton: Skeleton::new(joints.iter().map(joint).collect(), Vec::new()), ..Model::default() };
        let (pose, all) = (ModelPose::rest(&model.skeleton), (0..joints.len() as u32).map(JointIndex));
        let placements: Vec<Affine> = all.clone().map(|joint| *pose.model_from_joint(joint)).collect();
        let bones = Bones::of_skeleton(&model, &all.collect::<Vec<_>>(), &placements);
        let count = |length: f64| bones.bones.iter().filter(|bone| (bone.tail - bone.head).norm() == length).count();
        assert_eq!([count(50.0), count(4.0)], [0, 4], "the way to the hips is left out, and no bone of a leg");
    }

    #[test]
    fn helpers_are_not_framed_beside_bones() {
        let bounds_with = |bones: u32, helpers: usize| {
            let mut joints = chain(bones).skeleton.joints().to_vec();
            let rest = Transform { translation: Vector3::x() * 50.0, ..Transform::identity() };
            let helper = Joint { parent: None, rest, ..joints[0].clone() };
            joints.extend(vec![helper; helpers]);
            let model = Model { skeleton: Skeleton::new(joints, Vec::new()), ..Model::default() };
            let model_pose = ModelPose::rest(&model.skeleton);
            let mut hull = SupportHull::default();
            add_skeleton_to_hull(&model, |joint| *model_pose.model_from_joint(joint), &mut hull);
            *hull.bounds()
        };
        let bounds = bounds_with(3, 2);
        assert_eq!((bounds.min.y, bounds.max.y, bounds.max.x), (0.0, 2.5, 0.0));
        assert!(bounds_with(3, 3).max.x >= 50.0, "half of the joints are no bones");
        assert!(bounds_with(1, 1).max.x >= 50.0);
    }

    #[test]
    fn chain_has_bones_between_neighbors_and_at_its_end() {
        let model = chain(3);
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        let shown = shown_joints(&model, &layout);
        assert_eq!(shown, [JointIndex(0), JointIndex(1), JointIndex(2)]);
        let model_pose = ModelPose::rest(&model.skeleton);
        let mut overlay = Overlay::default();
        let style = BoneStyle { selected: Some(JointIndex(1)), ..BoneStyle::default() };
        overlay.add_skeleton(&model, &shown, |joint| *model_pose.model_from_joint(joint), style);
        // Three octahedra of 8 faces and 12 edges, and two dots per joint.
        assert_eq!((overlay.depth_tested.counts(), overlay.always_on_top.counts()), ([3 * 12 + 3 * 2, 3 * 8], [0, 0]));
        let bounds = overlay.bounds();
        assert!((bounds.min.y, bounds.max.y) == (0.0, 2.5), "{bounds:?}");
        let is_selected = |triangle: &&[[f32; 4]; 4]| triangle[3][..3] == SELECTED;
        assert_eq!(overlay.depth_tested.triangles.iter().filter(is_selected).count(), 8);
    }
}

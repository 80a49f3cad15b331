//! A skeleton as it is drawn: bones between joints, as Blender has them, axes, and the paths of joints.

use super::Overlay;
use super::overlay::DebugLines;
use crate::math::Affine;
use crate::model::{JointIndex, Model};
use crate::palette::{PaletteLayout, Source};
use nalgebra::Vector3;

/// How a skeleton is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoneStyle {
    /// Whether it is seen through the model.
    pub x_ray: bool,
    /// Whether each joint shows its axes: X red, Y green, Z blue.
    pub axes: bool,
    /// The joint that stands out.
    pub selected: Option<JointIndex>,
}

/// Light gray, as Blender's bones.
const BONE: [f32; 3] = [0.78, 0.79, 0.82];
const SELECTED: [f32; 3] = [1.0, 0.60, 0.16];
const OUTLINE: [f32; 4] = [0.07, 0.07, 0.09, 0.9];
const SELECTED_OUTLINE: [f32; 4] = [0.45, 0.18, 0.0, 1.0];
/// Where a bone is thickest and how thick it is, as shares of its length: Blender's octahedra.
const WAIST: f64 = 0.1;

/// The joints that make up the skeleton of what `layout` draws: those of its skins; of rigid meshes the joints that carry
/// them, with their ancestors. In hierarchy order.
pub fn shown_joints(model: &Model, layout: &PaletteLayout) -> Vec<JointIndex> {
    let joints = model.skeleton.joints();
    let mut shown = vec![false; joints.len()];
    for section in &layout.sections {
        match section.source {
            Source::Skin(skin) => model.skins[skin.get()].joints.iter().for_each(|joint| shown[joint.get()] = true),
            Source::Joint(joint) => {
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

impl Overlay {
    /// Adds the bones between the joints of `shown`, which is in hierarchy order, as they stand.
    pub fn add_skeleton(
        &mut self,
        model: &Model,
        shown: &[JointIndex],
        world_from_joint: impl Fn(JointIndex) -> Affine,
        style: BoneStyle,
    ) {
        let joints = model.skeleton.joints();
        let is_shown = |joint: JointIndex| shown.binary_search(&joint).is_ok();
        let shown_parent = |joint: JointIndex| {
            let mut next = joints[joint.get()].parent;
            while let Some(parent) = next.filter(|parent| !is_shown(*parent)) {
                next = joints[parent.get()].parent;
            }
            next
        };
        let places: Vec<Affine> = shown.iter().map(|joint| world_from_joint(*joint)).collect();
        let place = |joint: JointIndex| &places[shown.binary_search(&joint).expect("a shown joint")];
        // Each bone: the joint that turns it, and both ends.
        let mut bones: Vec<(JointIndex, Vector3<f64>, Vector3<f64>)> = Vec::new();
        let mut has_child = vec![false; shown.len()];
        for (&joint, placed) in shown.iter().zip(&places) {
            if let Some(parent) = shown_parent(joint) {
                bones.push((parent, place(parent).translation, placed.translation));
                has_child[shown.binary_search(&parent).expect("a shown joint")] = true;
            }
        }
        let mut lengths: Vec<f64> =
            bones.iter().map(|(_, from, to)| (to - from).norm()).filter(|length| *length > 0.0).collect();
        lengths.sort_by(f64::total_cmp);
        let usual = lengths.get(lengths.len() / 2).copied().unwrap_or(1.0);
        // A joint without children has no length in glTF; it goes on where its parent came from, a little.
        for (i, &joint) in shown.iter().enumerate() {
            if let (false, Some(parent)) = (has_child[i], shown_parent(joint)) {
                let (from, at) = (place(parent).translation, places[i].translation);
                if (at - from).norm() > 0.0 {
                    let length = (0.5 * (at - from).norm()).min(usual);
                    bones.push((joint, at, at + (at - from).normalize() * length));
                }
            }
        }
        let marks = if style.x_ray { &mut self.always_on_top } else { &mut self.depth_tested };
        for (joint, from, to) in bones {
            let selected = style.selected == Some(joint);
            bone(marks, (from, to), place(joint), 2.0 * WAIST * usual, selected);
        }
        for (&joint, placed) in shown.iter().zip(&places) {
            let selected = style.selected == Some(joint);
            let color = if selected { SELECTED } else { BONE };
            marks.dot(placed.translation, OUTLINE, if selected { 9.0 } else { 6.0 });
            marks.dot(placed.translation, [color[0], color[1], color[2], 1.0], if selected { 6.5 } else { 3.5 });
            if style.axes {
                axes(marks, placed, 0.4 * usual);
            }
        }
    }

    /// Adds the path of a joint through evenly spaced places, from blue at the start to orange at the end, and a dot at
    /// the place with number `now`.
    pub fn add_motion_path(&mut self, places: &[Vector3<f64>], now: Option<usize>) {
        let last = places.len().saturating_sub(1).max(1) as f32;
        let color = |i: usize| {
            let share = i as f32 / last;
            [0.20 + 0.80 * share, 0.50 + 0.05 * share, 1.0 - 0.85 * share, 1.0]
        };
        for (i, ends) in places.windows(2).enumerate() {
            self.always_on_top.gradient_line(ends[0], ends[1], [color(i), color(i + 1)], 2.0);
        }
        for (i, place) in places.iter().enumerate() {
            self.always_on_top.dot(*place, color(i), 3.5);
        }
        if let Some(place) = now.and_then(|now| places.get(now)) {
            self.always_on_top.dot(*place, OUTLINE, 10.0);
            self.always_on_top.dot(*place, [1.0, 1.0, 1.0, 1.0], 7.0);
        }
    }
}

/// An octahedron from head to tail, turned as its joint, and no thicker than `thickest` however long it is.
fn bone(
    marks: &mut DebugLines,
    (head, tail): (Vector3<f64>, Vector3<f64>),
    placed: &Affine,
    thickest: f64,
    selected: bool,
) {
    let along = tail - head;
    let length = along.norm();
    if !(length > 0.0 && length.is_finite()) {
        return;
    }
    let direction = along / length;
    // The joint's axis that lies farthest from the bone tells how it is turned about itself.
    let side = (0..3)
        .filter_map(|axis| placed.linear.column(axis).into_owned().try_normalize(1e-30))
        .min_by(|a, b| a.dot(&direction).abs().total_cmp(&b.dot(&direction).abs()))
        .and_then(|axis| (axis - direction * axis.dot(&direction)).try_normalize(1e-9))
        .unwrap_or_else(|| direction.cross(&Vector3::new(0.3, 0.5, 0.81)).normalize());
    let waist = (length * WAIST).min(thickest);
    let (x, z) = (side * waist, side.cross(&direction) * waist);
    let middle = head + direction * waist;
    let ring = [middle + x, middle + z, middle - x, middle - z];
    let (color, outline) = if selected { (SELECTED, SELECTED_OUTLINE) } else { (BONE, OUTLINE) };
    for i in 0..4 {
        let (a, b) = (ring[i], ring[(i + 1) % 4]);
        marks.triangle([head, a, b], color);
        marks.triangle([tail, b, a], color);
        for (from, to) in [(head, a), (a, b), (a, tail)] {
            marks.line(from, to, outline, 1.1);
        }
    }
}

/// The axes of a joint, `length` long.
fn axes(marks: &mut DebugLines, placed: &Affine, length: f64) {
    const COLORS: [[f32; 4]; 3] = [[0.92, 0.23, 0.28, 1.0], [0.42, 0.78, 0.15, 1.0], [0.20, 0.46, 0.98, 1.0]];
    for (axis, color) in COLORS.into_iter().enumerate() {
        if let Some(direction) = placed.linear.column(axis).into_owned().try_normalize(1e-30) {
            marks.line(placed.translation, placed.translation + direction * length, color, 2.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Drawable, Joint, Mesh, MeshIndex, Primitive, Scene, SceneIndex, Skeleton, Topology, Vertices};
    use crate::pose::{ModelPose, Pose};

    /// A chain of joints along Y, a meter apart, the last of which carries a mesh.
    fn chain(count: u32) -> Model {
        let joint = |i: u32| Joint {
            name: None,
            node: i as usize,
            parent: i.checked_sub(1).map(JointIndex),
            rest: Transform { translation: Vector3::y() * f64::from(i.min(1)), ..Transform::identity() },
            sheared_rest: None,
            weights: 0..0,
        };
        let vertices = Vertices { positions: vec![[0.0; 3]; 3], ..Vertices::default() };
        let primitive = Primitive {
            topology: Topology::Triangles,
            vertices,
            indices: None,
            material: None,
            variant_materials: vec![],
            targets: vec![],
        };
        Model {
            skeleton: Skeleton::new((0..count).map(joint).collect(), Vec::new()),
            meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
            scenes: vec![Scene {
                drawables: vec![Drawable { joint: JointIndex(count - 1), mesh: MeshIndex(0), skin: None }],
                ..Scene::default()
            }],
            ..Model::default()
        }
    }

    #[test]
    fn a_chain_has_a_bone_between_neighbors_and_one_that_goes_on() {
        let model = chain(3);
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        let shown = shown_joints(&model, &layout);
        assert_eq!(shown, [JointIndex(0), JointIndex(1), JointIndex(2)]);
        let mut model_pose = ModelPose::default();
        model_pose.update(&model.skeleton, &Pose::rest(&model.skeleton));
        let mut overlay = Overlay::default();
        let style = BoneStyle { selected: Some(JointIndex(1)), ..BoneStyle::default() };
        overlay.add_skeleton(&model, &shown, |joint| *model_pose.model_from_joint(joint), style);
        // Three octahedra of 8 faces and 12 edges, and two dots a joint.
        assert_eq!((overlay.depth_tested.counts(), overlay.always_on_top.counts()), ([3 * 12 + 3 * 2, 3 * 8], [0, 0]));
        let bounds = overlay.bounds();
        assert!((bounds.min.y, bounds.max.y) == (0.0, 2.5), "{bounds:?}");
        let orange = |facet: &&[[f32; 4]; 4]| facet[3][..3] == SELECTED;
        assert_eq!(overlay.depth_tested.triangles.iter().filter(orange).count(), 8);
    }
}

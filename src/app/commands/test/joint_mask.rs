//! Masks by joint: the boxes, in the image, of the vertices that a joint moves.

use crate::app::FileError;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::find_joint;
use nalgebra::{Matrix4, Vector3};
use rigview_core::model::JointIndex;
use rigview_core::palette::{PaletteLayout, PrimitiveDraw, skin_positions_on_cpu};
use rigview_render::scene::Camera;
use rigview_suite::suite::MaskRegion;

/// Returns a rectangle per joint region and instance, with its margin: left, top, width and height in pixels. The scene is posed.
///
/// # Errors
/// If the model has no such joint, or a joint moves no vertex.
pub(crate) fn rects(
    scene: &LoadedScene,
    camera: &Camera,
    size: [u32; 2],
    mask: &[MaskRegion],
) -> Result<Vec<[u32; 4]>, FileError> {
    let projection_from_world = camera.projection_from_world(f64::from(size[0]) / f64::from(size[1]));
    let mut rects = Vec::new();
    for region in mask {
        let MaskRegion::Joint { joint: name, margin } = region else { continue };
        let joint = find_joint(scene.model(), name)?;
        let draws: Vec<(&PrimitiveDraw, Vec<usize>)> =
            scene.layout().draws.iter().map(|draw| (draw, moved_vertices(scene, draw, joint))).collect();
        if draws.iter().all(|(_, vertices)| vertices.is_empty()) {
            return Err(FileError::UnusedJoint(name.clone()));
        }
        for block in scene.palette().blocks() {
            let mut region = ProjectedBox::default();
            for (draw, vertices) in &draws {
                if vertices.is_empty() || scene.palette().is_hidden(draw.joint) {
                    continue;
                }
                let positions = skin_positions_on_cpu(scene.rig(), scene.palette(), block, draw);
                vertices.iter().for_each(|vertex| region.add(&projection_from_world, positions[*vertex]));
            }
            rects.extend(region.rect(size, *margin));
        }
    }
    Ok(rects)
}

/// The vertices of `draw` with a weight above 0 for `joint`.
fn moved_vertices(scene: &LoadedScene, draw: &PrimitiveDraw, joint: JointIndex) -> Vec<usize> {
    let (model, layout) = (scene.model(), scene.layout());
    let joints = PaletteLayout::matrices_of(model, &layout.matrix_ranges[draw.matrix_range]);
    let joints: Vec<JointIndex> = joints.map(|(joint, _)| joint).collect();
    let vertices = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
    let count = vertices.positions.len();
    match vertices.influences.as_ref().filter(|_| draw.skinned) {
        None if joints[0] == joint => (0..count).collect(),
        None => Vec::new(),
        Some(influences) => {
            let moves =
                |(slot, weight): (rigview_core::model::SkinSlot, f32)| weight > 0.0 && joints[slot.get()] == joint;
            (0..count).filter(|vertex| influences.of_vertex(*vertex).any(moves)).collect()
        }
    }
}

/// Bounding box of points in the image plane, in fractions of the image from the top left corner.
#[derive(Debug)]
struct ProjectedBox {
    min: [f64; 2],
    max: [f64; 2],
    /// A point is behind the camera, so that the box is unbounded.
    has_points_behind: bool,
}

impl Default for ProjectedBox {
    fn default() -> Self {
        Self { min: [f64::INFINITY; 2], max: [f64::NEG_INFINITY; 2], has_points_behind: false }
    }
}

impl ProjectedBox {
    fn add(&mut self, projection_from_world: &Matrix4<f64>, position: [f32; 3]) {
        let p = projection_from_world * Vector3::from(position).cast::<f64>().push(1.0);
        // Matrices of hidden joints are zero, and files may have infinite positions.
        if p.w <= 0.0 || !p.iter().all(|component| component.is_finite()) {
            self.has_points_behind = true;
            return;
        }
        let point = [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w];
        for (axis, x) in point.into_iter().enumerate() {
            self.min[axis] = self.min[axis].min(x);
            self.max[axis] = self.max[axis].max(x);
        }
    }

    /// The rectangle in an image of `size` with a margin in pixels; `None` if it is outside of the image.
    fn rect(&self, size: [u32; 2], margin: u32) -> Option<[u32; 4]> {
        if self.min[0] > self.max[0] {
            return None;
        }
        if self.has_points_behind {
            return Some([0, 0, size[0], size[1]]);
        }
        let range = |axis: usize| {
            let (scale, margin) = (f64::from(size[axis]), f64::from(margin));
            let first = (self.min[axis] * scale - margin).floor().clamp(0.0, scale);
            let end = (self.max[axis] * scale + margin).ceil().clamp(0.0, scale);
            (end > first).then_some((first as u32, (end - first) as u32))
        };
        let ((left, width), (top, height)) = (range(0)?, range(1)?);
        Some([left, top, width, height])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(points: &[[f32; 3]], margin: u32) -> Option<[u32; 4]> {
        let camera = Camera::look_at(Vector3::new(0.0, 0.0, 10.0), Vector3::zeros(), std::f64::consts::FRAC_PI_2);
        let mut region = ProjectedBox::default();
        points.iter().for_each(|point| region.add(&camera.projection_from_world(2.0), *point));
        region.rect([200, 100], margin)
    }

    #[test]
    fn boxes_are_projected_with_a_margin_and_cut_at_the_image() {
        // At this distance and field of view, a pixel is 0.2.
        let points = [[-1.0, 0.0, 0.0], [3.0, 2.0, 0.0]];
        let expected = |margin: i32| {
            let [left, top, right, bottom] = [95 - margin, 40 - margin, 115 + margin, 50 + margin];
            Some([left as u32, top as u32, (right - left) as u32, (bottom - top) as u32])
        };
        let near = |found: Option<[u32; 4]>, expected: Option<[u32; 4]>| {
            let (found, expected) = (found.unwrap(), expected.unwrap());
            assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 2), "{found:?} {expected:?}");
        };
        near(rect(&points, 0), expected(0));
        near(rect(&points, 8), expected(8));
        assert_eq!(rect(&[[-100.0, -100.0, 0.0], [100.0, 100.0, 0.0]], 3), Some([0, 0, 200, 100]));
        assert_eq!(rect(&[[100.0, 0.0, 0.0], [101.0, 1.0, 0.0]], 0), None);
    }

    #[test]
    fn points_behind_the_camera_make_the_box_unbounded() {
        assert_eq!(rect(&[[0.0, 0.0, 0.0], [0.0, 0.0, 20.0]], 0), Some([0, 0, 200, 100]));
        assert_eq!(rect(&[[0.0, 0.0, 20.0]], 0), None);
        assert_eq!(rect(&[[f32::NAN, 0.0, 0.0]], 0), None);
    }
}

//! Selection of levels of detail by projected size.

use super::{Camera, Lens};
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::math::BoundingSphere;
use rigview_core::palette::MatrixRangeIndex;

/// Maximum error of a level on the screen. Errors of neighboring surfaces add up to half a pixel.
const MAX_ERROR_PIXELS: f64 = 0.25;

/// An instance becomes coarser when its permitted error exceeds the used one by this factor. It becomes finer at once.
const COARSENING_RATIO: f32 = 1.25;

/// The error that each instance of a crowd permits its level of detail.
#[derive(Clone, Debug, Default)]
pub struct DetailSelection {
    /// In model space, by instance. Kept from frame to frame for hysteresis.
    by_instance: Vec<f32>,
    by_block: Vec<BlockDetail>,
    /// Largest scale of each matrix range's matrices.
    range_scales: Vec<f32>,
}

/// The permitted error of the instance of one palette block.
#[derive(Clone, Copy, Debug)]
struct BlockDetail {
    /// In model space.
    max_error: f32,
    /// World meters per meter of the model.
    scale: f32,
}

impl DetailSelection {
    /// Selects for an image of `size` pixels, after an update of `animator` with `crowd`.
    pub fn update(&mut self, animator: &mut CrowdAnimator, crowd: &mut Crowd, camera: &Camera, size: [u32; 2]) {
        self.by_instance.resize(crowd.len(), 0.0);
        self.by_block.clear();
        for block in animator.palette().blocks() {
            let instance = crowd.instance_of_block(block);
            let sphere = animator.bounding_sphere(crowd, instance);
            let unit = BoundingSphere { center: Vector3::zeros(), radius: 1.0 };
            let scale = unit.transformed(&crowd.placement(instance)).radius;
            let permitted = MAX_ERROR_PIXELS / (scale * pixels_per_meter(camera, &sphere, size));
            let used = &mut self.by_instance[instance.get()];
            *used = with_hysteresis(*used, permitted as f32);
            self.by_block.push(BlockDetail { max_error: *used, scale: scale as f32 });
        }
        self.range_scales.clear();
        self.range_scales.extend(animator.range_scales(crowd).iter().map(|scale| *scale as f32));
    }

    /// Returns the permitted error of the meshes of a matrix range for the instance of a palette block, in mesh units: at least
    /// `in_world` meters, converted to these units.
    pub fn max_error(&self, block: usize, matrix_range: MatrixRangeIndex, in_world: f32) -> f32 {
        let BlockDetail { max_error, scale } = self.by_block[block];
        max_error.max(in_world / scale) / self.range_scales[matrix_range.get()]
    }
}

/// Returns the error to use, given the one of the last frame. Never exceeds `permitted`.
fn with_hysteresis(last: f32, permitted: f32) -> f32 {
    if (last..=last * COARSENING_RATIO).contains(&permitted) { last } else { permitted }
}

/// Returns the largest projected length of one meter within `sphere`; infinite at the camera.
fn pixels_per_meter(camera: &Camera, sphere: &BoundingSphere, [width, height]: [u32; 2]) -> f64 {
    let (width, height) = (f64::from(width), f64::from(height));
    match camera.lens {
        Lens::Perspective { fov_y } => {
            let center = camera.view_from_world().transform_point(sphere.center);
            let depth = -center.z - sphere.radius;
            if depth <= 0.0 {
                return f64::INFINITY;
            }
            // Lengths along an oblique ray are stretched by the inverse cosine of its angle.
            let inverse_cosine = (center.norm() + sphere.radius) / depth;
            0.5 * height / libm::tan(0.5 * fov_y) / depth * inverse_cosine
        }
        Lens::Orthographic { half_size: [half_width, half_height] } => {
            0.5 * height / half_height.max(half_width * height / width)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(lens: Lens) -> Camera {
        Camera { lens, ..Camera::look_at(Vector3::z() * 10.0, Vector3::zeros(), 1.0) }
    }

    #[test]
    fn projected_length_follows_the_nearest_point() {
        let sphere = |x, radius| BoundingSphere { center: Vector3::new(x, 0.0, 0.0), radius };
        let perspective = camera(Lens::Perspective { fov_y: std::f64::consts::FRAC_PI_2 });
        let pixels = |sphere| pixels_per_meter(&perspective, &sphere, [1600, 800]);
        assert!((pixels(sphere(0.0, 0.0)) - 40.0).abs() < 1e-9);
        assert!(pixels(sphere(0.0, 2.0)) > 50.0, "the near side counts");
        assert!(pixels(sphere(5.0, 0.0)) > pixels(sphere(0.0, 0.0)), "oblique rays stretch");
        assert_eq!(pixels(sphere(0.0, 10.0)), f64::INFINITY);
        let parallel = camera(Lens::Orthographic { half_size: [4.0, 1.0] });
        // 1600 pixels show 8 m.
        assert!((pixels_per_meter(&parallel, &sphere(0.0, 50.0), [1600, 800]) - 200.0).abs() < 1e-9);
    }

    #[test]
    fn small_changes_of_size_keep_the_level() {
        assert_eq!(with_hysteresis(0.0, 2.0), 2.0);
        assert_eq!([2.0, 2.4, 2.5].map(|permitted| with_hysteresis(2.0, permitted)), [2.0; 3]);
        assert_eq!([1.9, 2.6].map(|permitted| with_hysteresis(2.0, permitted)), [1.9, 2.6], "finer at once");
        let back_and_forth = [2.0, 2.2, 2.05, 2.3, 2.1].into_iter().scan(0.0, |used, permitted| {
            *used = with_hysteresis(*used, permitted);
            Some(*used)
        });
        assert!(back_and_forth.into_iter().all(|used| used == 2.0));
    }
}

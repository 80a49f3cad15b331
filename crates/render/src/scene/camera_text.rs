//! Text form of a camera, for the metadata of images.

use super::camera::{Camera, Lens};
use nalgebra::{Matrix3, Vector3};
use rigview_core::math::Affine;

/// Maximum difference of two equal cameras, relative to the size of the view.
const TOLERANCE: f64 = 1e-4;

impl Camera {
    /// Returns the lens, then the matrix in rows, the position, and the depth range. Each number is exact.
    pub fn to_text(&self) -> String {
        let Camera { world_from_view, lens, shift, near, far, .. } = self;
        let (lens, numbers) = match lens {
            Lens::Perspective { fov_y } => ("perspective", vec![*fov_y]),
            Lens::Orthographic { half_size } => ("orthographic", half_size.to_vec()),
        };
        let rows = world_from_view.linear.transpose();
        let all = numbers.iter().chain(shift).chain(&rows).chain(&world_from_view.translation).chain([near, far]);
        all.fold(lens.to_owned(), |text, number| format!("{text} {number}"))
    }

    /// Parses the result of [`to_text`](Self::to_text); `None` for any other text.
    pub fn from_text(text: &str) -> Option<Self> {
        let (lens, numbers) = text.split_once(' ')?;
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let (lens, rest) = match (lens, numbers.as_slice()) {
            ("perspective", [fov_y, rest @ ..]) if *fov_y > 0.0 && *fov_y < std::f64::consts::PI => {
                (Lens::Perspective { fov_y: *fov_y }, rest)
            }
            ("orthographic", [width, height, rest @ ..]) if *width > 0.0 && *height > 0.0 => {
                (Lens::Orthographic { half_size: [*width, *height] }, rest)
            }
            _ => return None,
        };
        let (view, [near, far]) = rest.split_last_chunk::<2>()?;
        let is_valid = view.len() == 14 && *near > 0.0 && near < far && numbers.iter().all(|number| number.is_finite());
        is_valid.then(|| Camera {
            world_from_view: Affine {
                linear: Matrix3::from_row_slice(&view[2..11]),
                translation: Vector3::from_column_slice(&view[11..]),
            },
            lens,
            shift: [view[0], view[1]],
            near: *near,
            far: *far,
        })
    }

    /// Returns `true` if the images of two cameras differ visibly in their framing.
    pub fn frames_differently(&self, other: &Self) -> bool {
        let sizes = |camera: &Camera| match camera.lens {
            Lens::Perspective { fov_y } => [fov_y; 2],
            Lens::Orthographic { half_size } => half_size,
        };
        let moved = (self.eye_in_world() - other.eye_in_world()).norm() > TOLERANCE * self.far.min(other.far);
        let rotated = (self.world_from_view.linear - other.world_from_view.linear).norm() > TOLERANCE;
        let zoomed = sizes(self).iter().zip(sizes(other)).any(|(a, b)| (a - b).abs() > TOLERANCE * a.max(b));
        moved || rotated || zoomed || self.shift != other.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        let mut camera = Camera::look_at(Vector3::new(0.1, 2.0, 1.0 / 3.0), Vector3::zeros(), 0.7);
        (camera.near, camera.far) = (0.01, 12.5);
        camera
    }

    #[test]
    fn cameras_round_trip_exactly() {
        let orthographic = Camera { lens: Lens::Orthographic { half_size: [2.0, 1.1] }, ..camera() };
        for camera in [camera(), orthographic] {
            let text = camera.to_text();
            assert_eq!(Camera::from_text(&text), Some(camera));
            assert!(text.len() < 600, "{text}");
        }
    }

    #[test]
    fn hostile_cameras_are_ignored() {
        let text = camera().to_text();
        for (from, to) in [("perspective", "fisheye"), (" 0.7", " NaN"), (" 0.7", " 4"), (" 12.5", ""), ("12.5", "inf")]
        {
            assert_eq!(Camera::from_text(&text.replace(from, to)), None, "{from} replaced by {to}");
        }
        assert_eq!(
            [Camera::from_text(""), Camera::from_text("perspective"), Camera::from_text(&"1 ".repeat(1000))],
            [None; 3]
        );
    }

    #[test]
    fn rounding_noise_is_no_difference() {
        let mut other = camera();
        other.world_from_view.translation.x += 1e-6;
        assert!(!camera().frames_differently(&other));
        other.world_from_view.translation.x += 0.01;
        assert!(camera().frames_differently(&other));
        assert!(camera().frames_differently(&Camera { lens: Lens::Perspective { fov_y: 0.71 }, ..camera() }));
    }
}

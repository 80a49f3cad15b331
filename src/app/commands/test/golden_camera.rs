//! The camera of a golden: a shot is drawn with it, so that a change of the animation does not move all images of a clip.

use super::planned_shot::PlannedShot;
use super::report_files::read_regular;
use nalgebra::{Matrix3, Vector3};
use rigview_core::math::Affine;
use rigview_render::export::{PngMetadata, png_metadata};
use rigview_render::scene::{Camera, Lens};

/// The notice of a shot whose automatic camera differs from that of the golden.
pub(crate) const MOVED: &str =
    "the automatic camera would move with this model; the image has the camera of the golden (--update moves it)";

/// Maximum difference of two equal cameras, relative to the size of the view.
const TOLERANCE: f64 = 1e-4;

/// Returns the camera that the golden of a shot records; `None` if it was rendered with other options than `origin`.
pub(crate) fn read(planned: &PlannedShot, origin: &PngMetadata) -> Option<Camera> {
    let golden = planned.golden(origin.renderer.as_deref());
    if planned.suite.is_refused_link(&golden) {
        return None;
    }
    let recorded = png_metadata(&read_regular(&golden).ok()?)?;
    (recorded.command == origin.command).then(|| parse(&recorded.camera?)).flatten()
}

/// Returns the lens, then the matrix in rows, the position, and the depth range. Each number is exact.
pub(crate) fn to_text(camera: &Camera) -> String {
    let Camera { world_from_view, lens, shift, near, far, .. } = camera;
    let (lens, numbers) = match lens {
        Lens::Perspective { fov_y } => ("perspective", vec![*fov_y]),
        Lens::Orthographic { half_size } => ("orthographic", half_size.to_vec()),
    };
    let rows = world_from_view.linear.transpose();
    let all = numbers.iter().chain(shift).chain(&rows).chain(&world_from_view.translation).chain([near, far]);
    all.fold(lens.to_owned(), |text, number| format!("{text} {number}"))
}

fn parse(text: &str) -> Option<Camera> {
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
        aperture: None,
        near: *near,
        far: *far,
    })
}

/// Returns `true` if the images of two cameras differ visibly in their framing.
pub(crate) fn differ(a: &Camera, b: &Camera) -> bool {
    let sizes = |camera: &Camera| match camera.lens {
        Lens::Perspective { fov_y } => [fov_y; 2],
        Lens::Orthographic { half_size } => half_size,
    };
    let moved = (a.eye_in_world() - b.eye_in_world()).norm() > TOLERANCE * a.far.min(b.far);
    let rotated = (a.world_from_view.linear - b.world_from_view.linear).norm() > TOLERANCE;
    let zoomed = sizes(a).iter().zip(sizes(b)).any(|(a, b)| (a - b).abs() > TOLERANCE * a.max(b));
    moved || rotated || zoomed || a.shift != b.shift
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
            let text = to_text(&camera);
            assert_eq!(parse(&text), Some(camera));
            assert!(text.len() < 600, "{text}");
        }
    }

    #[test]
    fn hostile_cameras_are_ignored() {
        let text = to_text(&camera());
        for (from, to) in [("perspective", "fisheye"), (" 0.7", " NaN"), (" 0.7", " 4"), (" 12.5", ""), ("12.5", "inf")]
        {
            assert_eq!(parse(&text.replace(from, to)), None, "{from} replaced by {to}");
        }
        assert_eq!([parse(""), parse("perspective"), parse(&"1 ".repeat(1000))], [None; 3]);
    }

    #[test]
    fn rounding_noise_is_no_difference() {
        let mut other = camera();
        other.world_from_view.translation.x += 1e-6;
        assert!(!differ(&camera(), &other));
        other.world_from_view.translation.x += 0.01;
        assert!(differ(&camera(), &other));
        assert!(differ(&camera(), &Camera { lens: Lens::Perspective { fov_y: 0.71 }, ..camera() }));
    }
}

//! How a matrix lies in texels.

use super::PaletteLayout;
use super::scale_noise::only_trembles;
use crate::math::Affine;
use crate::model::{Keys, Model};
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

/// How one `world_from_mesh` lies in RGBA32F texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MatrixFormat {
    /// Three texels: the rows of the upper 3x4 matrix. Holds any affine map.
    #[default]
    Mat3x4,
    /// Two texels: translation and uniform scale, then the rotation quaternion `x, y, z, w`.
    ///
    /// A third less to upload and to fetch. A negative scale mirrors (through a point, so any mirroring similarity is
    /// one of these).
    QuatTranslationScale,
}

/// How far a linear part may be from a similarity, relative to its scale and to the mesh it moves.
///
/// A quarter of the 2e-6 of the model's size that posing promises.
const SIMILARITY_TOLERANCE: f64 = 5e-7;

impl MatrixFormat {
    /// Texels that a matrix takes.
    pub fn texels_per_matrix(self) -> usize {
        match self {
            Self::Mat3x4 => 3,
            Self::QuatTranslationScale => 2,
        }
    }

    /// The smallest packing that holds every pose of `layout`'s joints, in rest or in any clip, exactly enough.
    ///
    /// [`MatrixFormat::QuatTranslationScale`] needs uniform scale in every joint that a drawn mesh follows and in all their ancestors,
    /// in every key of every clip, no sheared matrix, and inverse bind matrices that are similarities too: all of it
    /// together within 5e-7 of the size of the mesh. Scales that only tremble, as exporters write them that take joints apart
    /// from matrices, are measured instead: at the clips' keys, all together within 1.5e-6.
    pub fn choose(model: &Model, layout: &PaletteLayout) -> Self {
        let unevenness = unevenness_of_chains(model);
        let all_similar = layout.sections.iter().all(|section| {
            PaletteLayout::joints_of(model, section).all(|(joint, joint_from_origin)| {
                let of_bind = distance_to_similarity(&joint_from_origin);
                (unevenness[joint.get()] + of_bind) * section.reach <= SIMILARITY_TOLERANCE
            })
        });
        if all_similar || only_trembles(model, layout) { Self::QuatTranslationScale } else { Self::Mat3x4 }
    }

    /// Writes `matrix` into `texels`, of which there are [`texels_per_matrix`](Self::texels_per_matrix).
    ///
    /// A matrix with a number beyond single precision is written as zeros: it draws nothing, and no infinity gets near
    /// a screen.
    pub fn write(self, matrix: &Affine, texels: &mut [[f32; 4]]) {
        let (l, t) = (&matrix.linear, &matrix.translation);
        let largest = f64::from(f32::MAX) / 4.0;
        if !l.iter().chain(t.iter()).all(|x| x.abs() <= largest) {
            texels.fill([0.0; 4]);
            return;
        }
        match self {
            Self::Mat3x4 => {
                for (row, texel) in texels.iter_mut().enumerate() {
                    *texel = [l[(row, 0)] as f32, l[(row, 1)] as f32, l[(row, 2)] as f32, t[row] as f32];
                }
            }
            Self::QuatTranslationScale => {
                let (scale, rotation) = scale_and_rotation(matrix);
                let q = rotation.quaternion().coords;
                texels[0] = [t.x as f32, t.y as f32, t.z as f32, scale as f32];
                texels[1] = [q.x as f32, q.y as f32, q.z as f32, q.w as f32];
            }
        }
    }

    /// The rows of the upper 3x4 matrix that `texels` hold, in single precision: the twin of the shader's `fetch_matrix`.
    pub fn read(self, texels: &[[f32; 4]]) -> [[f32; 4]; 3] {
        match self {
            Self::Mat3x4 => [texels[0], texels[1], texels[2]],
            Self::QuatTranslationScale => {
                let ([tx, ty, tz, s], [x, y, z, w]) = (texels[0], texels[1]);
                [
                    [s * (1.0 - 2.0 * (y * y + z * z)), s * (2.0 * (x * y - z * w)), s * (2.0 * (x * z + y * w)), tx],
                    [s * (2.0 * (x * y + z * w)), s * (1.0 - 2.0 * (x * x + z * z)), s * (2.0 * (y * z - x * w)), ty],
                    [s * (2.0 * (x * z - y * w)), s * (2.0 * (y * z + x * w)), s * (1.0 - 2.0 * (x * x + y * y)), tz],
                ]
            }
        }
    }
}

/// The signed uniform scale and the rotation of the similarity nearest to `matrix`; no rotation where it flattens all.
pub(super) fn scale_and_rotation(matrix: &Affine) -> (f64, UnitQuaternion<f64>) {
    let l = &matrix.linear;
    let size = (l.norm_squared() / 3.0).sqrt();
    if size == 0.0 || !size.is_finite() {
        return (0.0, UnitQuaternion::identity());
    }
    let scale = if l.determinant() < 0.0 { -size } else { size };
    (scale, UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(l / scale)))
}

/// Largest difference between the linear part and that of the nearest similarity, relative to the scale.
pub(super) fn distance_to_similarity(matrix: &Affine) -> f64 {
    let (scale, rotation) = scale_and_rotation(matrix);
    if scale == 0.0 {
        return if matrix.linear.amax() == 0.0 { 0.0 } else { f64::INFINITY };
    }
    (matrix.linear / scale - rotation.to_rotation_matrix().matrix()).amax()
}

/// For each joint, how far it and all its ancestors together are from scaling uniformly, relative to their scale, at worst
/// over the rest pose and every key of every clip; infinite for shear.
fn unevenness_of_chains(model: &Model) -> Vec<f64> {
    let joints = model.skeleton.joints();
    let mut unevenness: Vec<f64> = joints
        .iter()
        .map(|joint| if joint.sheared_rest.is_some() { f64::INFINITY } else { unevenness_of(joint.rest.scale) })
        .collect();
    for track in model.clips.iter().flat_map(|clip| &clip.tracks) {
        if let Keys::Scale(values) = &track.keys {
            // What lies between two keys, two clips or a clip and the rest pose is similar only if all mirror alike.
            let rest = mirrors_of(joints[track.joint.get()].rest.scale);
            let alike = values.iter().all(|s| match mirrors_of(s.cast()) {
                Some(mirrors) => rest.is_none_or(|rest| rest == mirrors),
                None => true,
            });
            let worst = values.iter().map(|s| unevenness_of(s.cast())).fold(0.0, f64::max);
            let here = &mut unevenness[track.joint.get()];
            *here = here.max(if alike { worst } else { f64::INFINITY });
        }
    }
    for i in 0..joints.len() {
        if let Some(parent) = joints[i].parent {
            unevenness[i] += unevenness[parent.get()];
        }
    }
    unevenness
}

/// Whether Y and Z are mirrored otherwise than X: the same for all numbers of a scale's multiples. Nothing for no size.
fn mirrors_of(scale: Vector3<f64>) -> Option<[bool; 2]> {
    let [x, y, z] = [scale.x, scale.y, scale.z].map(|s| s < 0.0);
    (scale.abs().min() > 0.0).then_some([x != y, x != z])
}

/// Largest relative difference between the sizes of three scales.
pub(super) fn unevenness_of(scale: Vector3<f64>) -> f64 {
    let size = scale.abs();
    if size.max() > 0.0 { (size.max() - size.min()) / size.max() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;

    #[test]
    fn both_packings_give_back_what_was_written() {
        for scale in [1.0, 0.01, 100.0, -1.0, -3.5] {
            for turn in 0..20 {
                let angle = 0.37 * f64::from(turn);
                let matrix = Transform {
                    translation: Vector3::new(1.0, -2.0, 3.0),
                    rotation: UnitQuaternion::from_euler_angles(angle, 2.0 * angle, -1.7 * angle),
                    scale: Vector3::repeat(scale),
                }
                .to_affine();
                for packing in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
                    let mut texels = vec![[0.0; 4]; packing.texels_per_matrix()];
                    packing.write(&matrix, &mut texels);
                    for (i, row) in packing.read(&texels).iter().enumerate() {
                        for (j, number) in row[..3].iter().enumerate() {
                            let error = (f64::from(*number) - matrix.linear[(i, j)]).abs();
                            assert!(error < 4e-7 * scale.abs(), "{packing:?} at scale {scale}: {error:e}");
                        }
                        assert_eq!(f64::from(row[3]), matrix.translation[i]);
                    }
                }
            }
        }
    }

    #[test]
    fn mirrors_are_similarities_and_shear_is_none() {
        let about = |scale: [f64; 3]| {
            let rotation = UnitQuaternion::from_euler_angles(0.4, 1.1, -0.3);
            Transform { translation: Vector3::zeros(), rotation, scale: scale.into() }.to_affine()
        };
        for scale in [[1.0, 1.0, 1.0], [-2.0, 2.0, 2.0], [1.0, -1.0, -1.0], [-1.0, -1.0, -1.0], [0.0, 0.0, 0.0]] {
            assert!(distance_to_similarity(&about(scale)) < 1e-14, "{scale:?}");
        }
        for scale in [[1.0, 1.0, 1.001], [1.0, 0.0, 0.0]] {
            assert!(distance_to_similarity(&about(scale)) > 1e-4, "{scale:?}");
        }
    }

    #[test]
    fn what_single_precision_cannot_hold_draws_nothing() {
        for packing in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
            let mut texels = vec![[1.0; 4]; packing.texels_per_matrix()];
            packing.write(&Affine::from_translation(Vector3::x() * 1e300), &mut texels);
            assert!(texels.iter().flatten().all(|&x| x == 0.0));
            packing.write(&Affine::from_translation(Vector3::x() * f64::NAN), &mut texels);
            assert!(texels.iter().flatten().all(|&x| x == 0.0));
        }
    }
}

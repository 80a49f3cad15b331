//! Properties of stored node transforms.

/// Tolerance of the length of a stored quaternion, which may have been quantized to bytes.
pub(super) const QUATERNION_LENGTH_TOLERANCE: f64 = 0.00769;

/// A column-major matrix, rounded to the single precision of viewers.
fn single(matrix: &[f64; 16]) -> [f64; 16] {
    matrix.map(|x| f64::from(x as f32))
}

pub(super) fn is_identity(matrix: &[f64; 16]) -> bool {
    single(matrix).iter().enumerate().all(|(i, x)| *x == if i % 5 == 0 { 1.0 } else { 0.0 })
}

/// Returns `true` if the matrix is a product of translation, rotation and scale.
pub(super) fn is_decomposable(matrix: &[f64; 16]) -> bool {
    let m = single(matrix);
    if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
        return false;
    }
    let column = |i: usize| [m[4 * i], m[4 * i + 1], m[4 * i + 2]];
    let columns = [column(0), column(1), column(2)];
    let [a, b, c] = columns;
    let determinant = dot(cross(a, b), c);
    if determinant == 0.0 || !determinant.is_finite() {
        return false;
    }
    // Orthogonal columns are a rotation times a scale. The deviation is measured in the units of the matrix, as the
    // largest difference to the nearest such product.
    let lengths = columns.map(|column| dot(column, column).sqrt());
    let unit = |i: usize| columns[i].map(|x| x / lengths[i]);
    let skew = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (dot(unit(i), unit(j)).abs(), lengths[i].max(lengths[j])));
    skew.iter().all(|(cosine, length)| cosine * length.min(1e6) < 2e-4 || *cosine < 1e-5)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shear_zero_scale_and_perspective_are_not_decomposable() {
        let mut m = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(is_identity(&m) && is_decomposable(&m));
        (m[0], m[12]) = (-2.0, 7.0);
        assert!(is_decomposable(&m), "mirrored, scaled, moved");
        m[4] = 0.5;
        assert!(!is_decomposable(&m), "sheared");
        (m[4], m[0]) = (0.0, 0.0);
        assert!(!is_decomposable(&m), "collapsed");
        (m[0], m[15]) = (1.0, 2.0);
        assert!(!is_decomposable(&m), "perspective");
    }
}

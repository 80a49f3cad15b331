//! Points, 4x4 matrices and quaternions in double precision.

/// Three coordinates.
pub(crate) type Vec3 = [f64; 3];

/// A column-major 4x4 matrix (section 3.6.2.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mat4(pub(crate) [f64; 16]);

impl Mat4 {
    /// The identity.
    pub(crate) const IDENTITY: Self =
        Self([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);

    /// The zero matrix.
    pub(crate) const ZERO: Self = Self([0.0; 16]);

    /// Translation times rotation times scale (section 3.5.3). The quaternion `x, y, z, w` is normalized.
    pub(crate) fn from_trs(translation: &[f64], rotation: &[f64], scale: &[f64]) -> Self {
        let q = normalized(rotation);
        let (x, y, z, w) = (q[0], q[1], q[2], q[3]);
        let turn = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let mut m = Self::IDENTITY;
        for row in 0..3 {
            for column in 0..3 {
                m.0[column * 4 + row] = turn[row][column] * scale[column];
            }
            m.0[12 + row] = translation[row];
        }
        m
    }

    /// The component in a row and a column.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.0[column * 4 + row]
    }

    /// `self * right`: `right` is applied first.
    pub(crate) fn times(&self, right: &Self) -> Self {
        let mut product = Self::ZERO;
        for row in 0..4 {
            for column in 0..4 {
                product.0[column * 4 + row] = (0..4).map(|i| self.at(row, i) * right.at(i, column)).sum();
            }
        }
        product
    }

    /// Adds `weight` times `other`.
    pub(crate) fn add_scaled(&mut self, weight: f64, other: &Self) {
        for (sum, number) in self.0.iter_mut().zip(other.0) {
            *sum += weight * number;
        }
    }

    /// Transforms a point: the first three rows times `(p, 1)`.
    pub(crate) fn point(&self, p: Vec3) -> Vec3 {
        [0, 1, 2].map(|row| self.at(row, 0) * p[0] + self.at(row, 1) * p[1] + self.at(row, 2) * p[2] + self.at(row, 3))
    }

    /// Transforms a direction: the first three rows times `(v, 0)`.
    pub(crate) fn direction(&self, v: Vec3) -> Vec3 {
        [0, 1, 2].map(|row| self.at(row, 0) * v[0] + self.at(row, 1) * v[1] + self.at(row, 2) * v[2])
    }

    /// Transforms a direction by the cofactor matrix of the upper left 3x3 part.
    ///
    /// The cofactors are the inverse transpose times the determinant, and exist where the inverse does not.
    pub(crate) fn cofactor_direction(&self, v: Vec3) -> Vec3 {
        let cofactor = |row: usize, column: usize| {
            let (r1, r2) = ((row + 1) % 3, (row + 2) % 3);
            let (c1, c2) = ((column + 1) % 3, (column + 2) % 3);
            self.at(r1, c1) * self.at(r2, c2) - self.at(r1, c2) * self.at(r2, c1)
        };
        [0, 1, 2].map(|row| cofactor(row, 0) * v[0] + cofactor(row, 1) * v[1] + cofactor(row, 2) * v[2])
    }

    /// The determinant of the upper left 3x3 part.
    pub(crate) fn determinant(&self) -> f64 {
        let [a, b, c] = [0, 1, 2].map(|column| [0, 1, 2].map(|row| self.at(row, column)));
        dot(&cross(a, b), &c)
    }

    /// The determinant divided by the lengths of the axes: 1 for a rotation, 0 for a singular matrix.
    pub(crate) fn handedness(&self) -> f64 {
        let lengths: f64 = (0..3).map(|column| length(&[0, 1, 2].map(|row| self.at(row, column)))).product();
        if lengths == 0.0 { 0.0 } else { self.determinant() / lengths }
    }

    /// Frobenius norm of the upper left 3x3 part.
    pub(crate) fn norm(&self) -> f64 {
        (0..3).flat_map(|row| (0..3).map(move |column| self.at(row, column).powi(2))).sum::<f64>().sqrt()
    }
}

/// The dot product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The cross product.
pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length of a vector of any dimension.
pub(crate) fn length(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

/// The distance of two points.
pub(crate) fn distance(a: Vec3, b: Vec3) -> f64 {
    length(&[a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

/// The vector divided by its length; a zero vector stays.
pub(crate) fn normalized(v: &[f64]) -> Vec<f64> {
    let length = length(v);
    v.iter().map(|x| if length > 0.0 { x / length } else { *x }).collect()
}

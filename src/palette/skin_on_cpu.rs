//! Morphing and linear blend skinning on the CPU, equivalent to the vertex shader.
//!
//! Names, order of operations and precision match `shaders/mesh.vert`, so that a test can compare the two.

use super::buffer::Palette;
use super::layout::Draw;
use super::rig::Rig;
use crate::model::{Influences, Primitive};
use nalgebra::{Matrix3, Vector3, Vector4};

/// Skinned vertices of one primitive of one instance, in world space and file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedVertices {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, if the primitive has normals.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Unit tangents with the sign of the bitangent, if the primitive has tangents.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Per vertex: `true` if its blended matrix mirrors.
    pub mirrored: Vec<bool>,
}

/// Skins the vertices of `draw` with the matrices and morph weights of one block.
///
/// # Panics
/// If `palette` or `draw` belongs to another rig, or the block does not exist.
pub fn skin_on_cpu(rig: &Rig, palette: &Palette, block: usize, draw: &Draw) -> PosedVertices {
    let (model, layout) = (rig.model(), rig.layout());
    let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
    let vertices = &primitive.vertices;
    let block = palette.block(block);
    let format = palette.format();
    let texels_per_matrix = format.texels_per_matrix();
    let first_texel = layout.sections[draw.section].first_matrix as usize * texels_per_matrix;
    let fetch_matrix = |slot: usize| format.read(&block[first_texel + slot * texels_per_matrix..]);
    let weights = draw
        .first_weight
        .map_or(&[][..], |first| &block[layout.matrix_count as usize * texels_per_matrix + first as usize / 4..]);
    let influences = vertices.influences.as_ref().filter(|_| draw.skinned);

    let positions = layout.positions(model, draw);
    let count = positions.len();
    let mut posed = PosedVertices {
        positions: Vec::with_capacity(count),
        normals: vertices.normals.as_ref().map(|_| Vec::with_capacity(count)),
        tangents: vertices.tangents.as_ref().map(|_| Vec::with_capacity(count)),
        mirrored: Vec::with_capacity(count),
    };
    for vertex in 0..count {
        let rows = blend_matrix(influences, vertex, fetch_matrix);
        let (position, normal, tangent) = morph(primitive, positions[vertex], vertex, weights);
        posed.positions.push(rows.map(|row| Vector4::from(row).dot(&position.push(1.0))));
        let linear = scale_to_unit_max(Matrix3::from_fn(|row, column| rows[row][column]));
        let (normal_matrix, mirrors) = normal_matrix(&linear);
        posed.mirrored.push(mirrors);
        if let Some(normals) = &mut posed.normals {
            normals.push(unit_or(Vector3::z(), normal_matrix * normal).into());
        }
        if let (Some(tangents), Some(sources)) = (&mut posed.tangents, &vertices.tangents) {
            let tangent = unit_or(Vector3::x(), linear * tangent);
            // Mirroring flips the bitangent, because normal and tangent keep their sides.
            let sign = if mirrors { -sources[vertex][3] } else { sources[vertex][3] };
            tangents.push([tangent.x, tangent.y, tangent.z, sign]);
        }
    }
    posed
}

/// Returns the rows of the weighted sum of a vertex's matrices.
fn blend_matrix(
    influences: Option<&Influences>,
    vertex: usize,
    fetch_matrix: impl Fn(usize) -> [[f32; 4]; 3],
) -> [[f32; 4]; 3] {
    let Some(influences) = influences else {
        return fetch_matrix(0);
    };
    let mut sum = [[0.0; 4]; 3];
    for (slot, weight) in influences.of_vertex(vertex) {
        if weight != 0.0 {
            for (sum, row) in sum.iter_mut().zip(fetch_matrix(usize::from(slot.0))) {
                for (sum, x) in sum.iter_mut().zip(row) {
                    *sum += weight * x;
                }
            }
        }
    }
    sum
}

/// Returns position, normal and tangent with weighted morph targets; zero vectors for missing attributes.
fn morph(
    primitive: &Primitive,
    position: [f32; 3],
    vertex: usize,
    weights: &[[f32; 4]],
) -> (Vector3<f32>, Vector3<f32>, Vector3<f32>) {
    let vertices = &primitive.vertices;
    let mut position = Vector3::from(position);
    let mut normal = vertices.normals.as_ref().map_or(Vector3::zeros(), |n| n[vertex].into());
    let mut tangent = vertices.tangents.as_ref().map_or(Vector3::zeros(), |t| Vector4::from(t[vertex]).xyz());
    for (i, target) in primitive.targets.iter().enumerate() {
        let weight = weights[i / 4][i % 4];
        if weight == 0.0 {
            continue;
        }
        for (sum, deltas) in
            [(&mut position, &target.positions), (&mut normal, &target.normals), (&mut tangent, &target.tangents)]
        {
            if let Some(deltas) = deltas {
                *sum += Vector3::from(deltas[vertex]) * weight;
            }
        }
    }
    (position, normal, tangent)
}

/// Scales `linear` to a largest component of 1, so that products of three components stay in range.
fn scale_to_unit_max(linear: Matrix3<f32>) -> Matrix3<f32> {
    let largest = linear.amax();
    if largest > 0.0 { linear / largest } else { linear }
}

/// Returns the normal matrix of `linear`, and whether `linear` mirrors.
///
/// The cofactor matrix with the sign of the determinant equals the inverse transpose up to a positive factor. It is also
/// defined for singular matrices.
fn normal_matrix(linear: &Matrix3<f32>) -> (Matrix3<f32>, bool) {
    let [x, y, z] = [0, 1, 2].map(|i| linear.column(i).into_owned());
    let cofactors = Matrix3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
    let mirrors = x.dot(&cofactors.column(0)) < 0.0;
    (if mirrors { -cofactors } else { cofactors }, mirrors)
}

/// Returns `v` normalized, or `fallback` if it is zero or not finite.
fn unit_or(fallback: Vector3<f32>, v: Vector3<f32>) -> Vector3<f32> {
    let largest = v.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return fallback;
    }
    // The division keeps the squares of very small or large components in range.
    (v / largest).normalize()
}

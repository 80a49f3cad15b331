//! The vertex shader's twin: morphing and linear blend skinning on the CPU.
//!
//! Same names, same order of operations and same single precision as `shaders/mesh.vert`, so that the two can be compared.

use super::{Draw, Palette, PaletteLayout};
use crate::model::{Influences, Model, Primitive};
use nalgebra::{Matrix3, Vector3, Vector4};

/// The vertices of one primitive of one instance, in world space and in file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedVertices {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, where the primitive has normals.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Unit tangents with the sign of the bitangent, where the primitive has tangents.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// For each vertex, whether its blended matrix mirrors.
    pub mirrored: Vec<bool>,
}

/// Poses the vertices of `draw` for one instance.
///
/// # Panics
/// If `draw`, `layout` and `palette` do not belong together.
pub fn skin_on_cpu(
    model: &Model,
    layout: &PaletteLayout,
    palette: &Palette,
    instance: usize,
    draw: &Draw,
) -> PosedVertices {
    let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
    let vertices = &primitive.vertices;
    let block = palette.block(instance);
    let packing = palette.packing();
    let texels_per_matrix = packing.texels_per_matrix();
    let first_texel = layout.sections[draw.section].first_matrix as usize * texels_per_matrix;
    let fetch_matrix = |slot: usize| packing.read(&block[first_texel + slot * texels_per_matrix..]);
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
        let linear = scaled_to_one(Matrix3::from_fn(|row, column| rows[row][column]));
        let (normal_matrix, mirrors) = normal_matrix(&linear);
        posed.mirrored.push(mirrors);
        if let Some(normals) = &mut posed.normals {
            normals.push(unit_or(Vector3::z(), normal_matrix * normal).into());
        }
        if let (Some(tangents), Some(given)) = (&mut posed.tangents, &vertices.tangents) {
            let tangent = unit_or(Vector3::x(), linear * tangent);
            // Mirroring turns the bitangent around, since normal and tangent keep their sides.
            let sign = if mirrors { -given[vertex][3] } else { given[vertex][3] };
            tangents.push([tangent.x, tangent.y, tangent.z, sign]);
        }
    }
    posed
}

/// The weighted sum of the matrices of a vertex, as rows.
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

/// Position, normal and tangent with the weighted morph targets added; zero where the primitive has none.
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
    for (number, target) in primitive.targets.iter().enumerate() {
        let weight = weights[number / 4][number % 4];
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

/// `linear` with its largest number at 1, so that products of three of its numbers stay in range at any unit of length.
fn scaled_to_one(linear: Matrix3<f32>) -> Matrix3<f32> {
    let largest = linear.amax();
    if largest > 0.0 { linear / largest } else { linear }
}

/// The matrix that keeps normals at right angles to surfaces moved by `linear`, and whether `linear` mirrors.
///
/// It is the cofactors with the sign of the determinant: the inverse transpose but for a positive factor, and defined
/// for singular matrices too.
fn normal_matrix(linear: &Matrix3<f32>) -> (Matrix3<f32>, bool) {
    let [x, y, z] = [0, 1, 2].map(|i| linear.column(i).into_owned());
    let cofactors = Matrix3::from_columns(&[y.cross(&z), z.cross(&x), x.cross(&y)]);
    let mirrors = x.dot(&cofactors.column(0)) < 0.0;
    (if mirrors { -cofactors } else { cofactors }, mirrors)
}

/// `v` at length 1, or `other` where it has no direction: a surface that is flattened to nothing.
fn unit_or(other: Vector3<f32>, v: Vector3<f32>) -> Vector3<f32> {
    let largest = v.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return other;
    }
    // Divided first so that the squares of very small or large numbers stay in range.
    (v / largest).normalize()
}

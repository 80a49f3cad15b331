//! Morphing and skinning on the CPU, equivalent to the vertex shader.
//!
//! Names, order of operations and precision match `shaders/mesh.vert`, so that a test can compare the two.

use super::buffer::{BlockIndex, Palette};
use super::layout::PrimitiveDraw;
use super::matrix_format::MatrixFormat;
use super::rig::Rig;
use super::skinning::{Skinning, blend_dual_quaternions};
use crate::model::{Influences, MorphTarget, Primitive};
use crate::util::parallel::*;
use nalgebra::{Matrix3, SVector, Vector2, Vector3, Vector4};

/// Number of vertices from which a thread pool is worth its start.
const MIN_PARALLEL_VERTICES: usize = 4096;

/// Skinned vertices of one primitive of one instance, in world space and file order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosedVertices {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, if the primitive has normals.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Unit tangents with the sign of the bitangent, if the primitive has tangents.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Linear RGBA colors, if a morph target of the primitive changes its colors.
    pub colors: Option<Vec<[f32; 4]>>,
    /// All texture coordinate sets, if a morph target of the primitive changes one; else empty.
    pub tex_coords: Vec<Vec<[f32; 2]>>,
    /// Per vertex: `true` if its blended matrix mirrors.
    pub mirrored: Vec<bool>,
}

/// Skins the vertices of `draw` with the matrices and morph weights of one block.
///
/// ```
/// use rigview_core::palette::{BlockIndex, skin_on_cpu};
/// # use rigview_core::{crowd::*, model::ClipIndex, palette::Rig};
/// # use rigview_core::import::{ImportOptions, open};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let model = open(file, &ImportOptions::default()).unwrap().model;
/// # let scene = model.default_scene;
/// # let rig = Rig::new(model, scene).unwrap();
/// # let (mut crowd, mut animator) = (Crowd::single(Some(ClipIndex(0))), CrowdAnimator::new(&rig));
///
/// animator.update(&mut crowd, 0.5);
/// let posed = skin_on_cpu(&rig, animator.palette(), BlockIndex(0), &rig.layout().draws[0]);
/// let highest = posed.positions.iter().map(|[_, y, _]| *y).fold(f32::MIN, f32::max);
/// assert!(highest > 0.0);
/// ```
///
/// # Panics
/// If `palette` or `draw` belongs to another rig, or the block does not exist.
pub fn skin_on_cpu(rig: &Rig, palette: &Palette, block: BlockIndex, draw: &PrimitiveDraw) -> PosedVertices {
    SkinningInputs::new(rig, draw).skin(palette, block)
}

fn skin(inputs: &SkinningInputs<'_>, source: &PosedPrimitive<'_>) -> PosedVertices {
    let vertices = &inputs.primitive.vertices;
    let count = inputs.vertex_count();
    let mut posed = PosedVertices {
        positions: Vec::with_capacity(count),
        normals: vertices.normals.as_ref().map(|_| Vec::with_capacity(count)),
        tangents: vertices.tangents.as_ref().map(|_| Vec::with_capacity(count)),
        mirrored: Vec::with_capacity(count),
        ..source.surface_attributes()
    };
    for vertex in 0..count {
        let rows = source.blended_matrix(vertex);
        posed.positions.push(source.position(vertex, &rows));
        let linear = scale_to_unit_max(Matrix3::from_fn(|row, column| rows[row][column]));
        let (normal_matrix, mirrors) = normal_matrix(&linear);
        posed.mirrored.push(mirrors);
        if let (Some(normals), Some(normal)) = (&mut posed.normals, source.normal(vertex, &normal_matrix)) {
            normals.push(normal);
        }
        if let (Some(tangents), Some(sources)) = (&mut posed.tangents, &vertices.tangents) {
            let tangent = Vector4::from(sources[vertex]).xyz();
            let tangent = source.morphed(vertex, tangent, |target| target.tangents.as_ref());
            let tangent = unit_or(Vector3::x(), linear * tangent);
            // Mirroring flips the bitangent, because normal and tangent keep their sides.
            let sign = if mirrors { -sources[vertex][3] } else { sources[vertex][3] };
            tangents.push([tangent.x, tangent.y, tangent.z, sign]);
        }
    }
    posed
}

/// Returns the positions of [`skin_on_cpu`], in a fraction of its time.
///
/// # Panics
/// As [`skin_on_cpu`].
pub fn skin_positions_on_cpu(rig: &Rig, palette: &Palette, block: BlockIndex, draw: &PrimitiveDraw) -> Vec<[f32; 3]> {
    let inputs = SkinningInputs::new(rig, draw);
    let source = inputs.posed(palette, block);
    let vertices = 0..inputs.vertex_count();
    if vertices.len() < MIN_PARALLEL_VERTICES {
        return vertices.map(|vertex| source.posed_position(vertex)).collect();
    }
    vertices.into_par_iter().map(|vertex| source.posed_position(vertex)).collect()
}

/// A skinned triangle in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PosedTriangle {
    /// Positions of the corners.
    pub positions: [[f32; 3]; 3],
    /// `true` if the blended matrix of the first corner mirrors.
    pub is_mirrored: bool,
}

/// Skins the triangle of these vertices.
///
/// # Panics
/// As [`skin_on_cpu`], and if a vertex does not exist.
pub fn skin_triangle_on_cpu(
    rig: &Rig,
    palette: &Palette,
    block: BlockIndex,
    draw: &PrimitiveDraw,
    corners: [u32; 3],
) -> PosedTriangle {
    let inputs = SkinningInputs::new(rig, draw);
    let source = inputs.posed(palette, block);
    let matrices = corners.map(|corner| source.blended_matrix(corner as usize));
    let [rows, ..] = matrices;
    let (_, is_mirrored) = normal_matrix(&scale_to_unit_max(Matrix3::from_fn(|row, column| rows[row][column])));
    let position = |i: usize| source.position(corners[i] as usize, &matrices[i]);
    PosedTriangle { positions: [0, 1, 2].map(position), is_mirrored }
}

/// Inputs of the vertices of one draw that do not depend on the pose.
pub struct SkinningInputs<'a> {
    /// The primitive that the draw shows.
    pub primitive: &'a Primitive,
    /// That of the draw's matrix range.
    position_offset: Vector3<f32>,
    /// `None` for a rigid mesh, whose vertices use the first matrix.
    pub influences: Option<&'a Influences>,
    format: MatrixFormat,
    /// First texel of the draw's matrices within a block.
    first_matrix: usize,
    /// First texel of its morph weights within a block.
    first_morph_weight: Option<usize>,
    skinning: Skinning,
}

impl<'a> SkinningInputs<'a> {
    /// Resolves the primitive and the matrices of a draw of `rig`.
    pub fn new(rig: &'a Rig, draw: &PrimitiveDraw) -> Self {
        let (model, layout, format) = (rig.model(), rig.layout(), rig.format());
        let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
        let texels_per_matrix = format.texels_per_matrix();
        Self {
            primitive,
            position_offset: layout.matrix_ranges[draw.matrix_range].position_offset.into(),
            influences: primitive.vertices.influences.as_ref().filter(|_| draw.skinned),
            format,
            first_matrix: layout.matrix_ranges[draw.matrix_range].first_matrix as usize * texels_per_matrix,
            first_morph_weight: draw
                .first_morph_weight
                .map(|first| layout.matrix_count as usize * texels_per_matrix + first as usize / 4),
            skinning: Skinning::Linear,
        }
    }

    /// Blends matrices by another method than that of glTF.
    #[must_use]
    pub fn with_skinning(self, skinning: Skinning) -> Self {
        Self { skinning, ..self }
    }

    /// Skins all vertices with the matrices and morph weights of one block, as [`skin_on_cpu`].
    pub fn skin(&self, palette: &Palette, block: BlockIndex) -> PosedVertices {
        skin(self, &self.posed(palette, block))
    }

    /// Number of vertices of the primitive.
    pub fn vertex_count(&self) -> usize {
        self.primitive.vertices.positions.len()
    }

    /// The position of a vertex, relative to the position offset of the draw's matrix range.
    pub fn position(&self, vertex: usize) -> Vector3<f32> {
        Vector3::from(self.primitive.vertices.positions[vertex]) - self.position_offset
    }

    /// The vertices with the matrices and morph weights of one block of the rig's palette.
    pub fn posed<'b>(&'b self, palette: &'b Palette, block: BlockIndex) -> PosedPrimitive<'b> {
        let block = palette.block(block);
        PosedPrimitive {
            vertices: self,
            matrices: &block[self.first_matrix..],
            weights: self.first_morph_weight.map_or(&[][..], |first| &block[first..]),
        }
    }
}

/// The vertices of one draw in one block.
pub struct PosedPrimitive<'a> {
    vertices: &'a SkinningInputs<'a>,
    /// The block from the first matrix of the draw on.
    matrices: &'a [[f32; 4]],
    /// Morph weights, four per texel.
    weights: &'a [[f32; 4]],
}

impl PosedPrimitive<'_> {
    /// The matrix of a slot of the draw's matrix range.
    pub fn matrix(&self, slot: usize) -> [[f32; 4]; 3] {
        let format = self.vertices.format;
        format.read(&self.matrices[slot * format.texels_per_matrix()..])
    }

    /// The weight of a morph target.
    pub fn morph_weight(&self, target: usize) -> f32 {
        self.weights[target / 4][target % 4]
    }

    /// The position of a vertex in world space.
    pub fn posed_position(&self, vertex: usize) -> [f32; 3] {
        self.position(vertex, &self.blended_matrix(vertex))
    }

    /// The unit normal of a vertex in world space, if the primitive has normals.
    pub fn posed_normal(&self, vertex: usize) -> Option<[f32; 3]> {
        let rows = self.blended_matrix(vertex);
        let linear = scale_to_unit_max(Matrix3::from_fn(|row, column| rows[row][column]));
        self.normal(vertex, &normal_matrix(&linear).0)
    }

    fn normal(&self, vertex: usize, normal_matrix: &Matrix3<f32>) -> Option<[f32; 3]> {
        let normal = self.vertices.primitive.vertices.normals.as_ref()?[vertex];
        let normal = self.morphed(vertex, normal.into(), |target| target.normals.as_ref());
        Some(unit_or(Vector3::z(), normal_matrix * normal).into())
    }

    fn blended_matrix(&self, vertex: usize) -> [[f32; 4]; 3] {
        let SkinningInputs { influences, skinning, .. } = *self.vertices;
        let linear = || blend_matrix(influences, vertex, |slot| self.matrix(slot));
        let Some(influences) = influences else { return linear() };
        let slots = || influences.of_vertex(vertex).filter(|(_, weight)| *weight != 0.0);
        match skinning {
            Skinning::Linear => linear(),
            Skinning::Rigid => {
                // Of equal weights the first.
                let strongest = slots().reduce(|best, other| if other.1 > best.1 { other } else { best });
                strongest.map_or_else(linear, |(slot, _)| self.matrix(slot.get()))
            }
            Skinning::DualQuaternion => {
                let matrices = slots().map(|(slot, weight)| (weight, self.matrix(slot.get())));
                blend_dual_quaternions(matrices).unwrap_or_else(linear)
            }
        }
    }

    fn position(&self, vertex: usize, rows: &[[f32; 4]; 3]) -> [f32; 3] {
        let position = self.morphed(vertex, self.vertices.position(vertex), |target| target.positions.as_ref());
        rows.map(|row| Vector4::from(row).dot(&position.push(1.0)))
    }

    /// Returns colors and texture coordinates, if morph targets change them.
    fn surface_attributes(&self) -> PosedVertices {
        let Primitive { vertices, targets, .. } = self.vertices.primitive;
        let colors = vertices.colors.as_ref().filter(|_| targets.iter().any(|target| target.colors.is_some()));
        let colors = colors.map(|colors| {
            let morphed = |(i, color): (usize, &[f32; 4])| {
                let color = self.morphed(i, Vector4::from(*color), |target| target.colors.as_ref());
                color.map(|x| x.clamp(0.0, 1.0)).into()
            };
            colors.iter().enumerate().map(morphed).collect()
        });
        let mut tex_coords = Vec::new();
        if targets.iter().any(|target| !target.tex_coords.is_empty()) {
            for (set, coords) in vertices.tex_coords.iter().enumerate() {
                let morphed = |(i, coords): (usize, &[f32; 2])| {
                    self.morphed(i, Vector2::from(*coords), |target| target.tex_coords_of(set)).into()
                };
                tex_coords.push(coords.iter().enumerate().map(morphed).collect());
            }
        }
        PosedVertices { colors, tex_coords, ..PosedVertices::default() }
    }

    /// Adds the weighted morph targets to an attribute of a vertex.
    fn morphed<'b, const N: usize>(
        &'b self,
        vertex: usize,
        mut value: SVector<f32, N>,
        deltas_of: impl Fn(&'b MorphTarget) -> Option<&'b Vec<[f32; N]>>,
    ) -> SVector<f32, N> {
        for (i, target) in self.vertices.primitive.targets.iter().enumerate() {
            let weight = self.morph_weight(i);
            if let Some(deltas) = deltas_of(target).filter(|_| weight != 0.0) {
                value += SVector::from(deltas[vertex]) * weight;
            }
        }
        value
    }
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

//! Meshes: primitives, vertices, morph targets, skin influences.

use super::{MaterialIndex, SkinSlot, VariantIndex};
use std::sync::Arc;

/// Mesh: primitives that share morph weights.
///
/// Not exhaustive, since extensions add fields: end literals by `..Mesh::default()`, and patterns by `..`.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Name in the file.
    pub name: Option<String>,
    /// Primitives, each with one material.
    pub primitives: Vec<Primitive>,
    /// Number of morph targets, equal for all primitives, also if these are left out or not loaded.
    pub target_count: usize,
    /// Names of the morph targets (`extras.targetNames`); empty or one per target.
    pub target_names: Vec<String>,
    #[doc(hidden)]
    pub non_exhaustive: (),
}

/// Mesh primitive: vertices drawn with one material.
///
/// Not exhaustive, since extensions add fields: end literals by `..Primitive::default()`, and patterns by `..`.
#[derive(Clone, Debug, Default)]
pub struct Primitive {
    /// Primitive topology.
    pub topology: Topology,
    /// The vertices, in file order. Primitives with the same accessors share them.
    pub vertices: Arc<Vertices>,
    /// Vertex indices, each below the vertex count; `None` draws all vertices in order. Primitives with the same accessor share them.
    pub indices: Option<Arc<[u32]>>,
    /// Material; `None` for the default material of glTF. [`Model::set_variant`](super::Model::set_variant) replaces it.
    pub material: Option<MaterialIndex>,
    /// The material without a variant, if there are [`variant_materials`](Self::variant_materials).
    pub default_material: Option<MaterialIndex>,
    /// Variants that replace the material, with the replacement.
    pub variant_materials: Vec<(VariantIndex, MaterialIndex)>,
    /// Morph targets, as many as [`Mesh::target_count`].
    pub targets: Arc<Vec<MorphTarget>>,
    #[doc(hidden)]
    pub non_exhaustive: (),
}

impl Primitive {
    /// Returns the vertices for changes. Copies them if other primitives share them.
    pub fn vertices_mut(&mut self) -> &mut Vertices {
        Arc::make_mut(&mut self.vertices)
    }

    /// Returns the morph targets for changes. Copies them if other primitives share them.
    pub fn targets_mut(&mut self) -> &mut Vec<MorphTarget> {
        Arc::make_mut(&mut self.targets)
    }

    /// Returns the number of indices, or of vertices if there are no indices.
    pub fn element_count(&self) -> usize {
        self.indices.as_ref().map_or(self.vertices.positions.len(), |indices| indices.len())
    }

    /// Returns the number of triangles, degenerate ones included.
    pub fn triangle_count(&self) -> usize {
        match self.topology {
            Topology::Triangles => self.element_count() / 3,
            Topology::TriangleStrip | Topology::TriangleFan => self.element_count().saturating_sub(2),
            _ => 0,
        }
    }

    /// Returns three vertex indices per triangle, in the winding order of glTF 2.0, section 3.7.2.1.
    ///
    /// Points and lines return none.
    pub fn triangles(&self) -> Vec<u32> {
        let count = self.element_count() as u32;
        let corner = |i: u32| self.indices.as_ref().map_or(i, |indices| indices[i as usize]);
        let corners: Vec<u32> = match self.topology {
            Topology::Triangles => (0..count - count % 3).collect(),
            // Every other triangle of a strip is shifted by one vertex, which keeps the winding order.
            Topology::TriangleStrip => (2..count).flat_map(|i| [i - 2, i - 1 + i % 2, i - i % 2]).collect(),
            Topology::TriangleFan => (2..count).flat_map(|i| [i - 1, i, 0]).collect(),
            _ => Vec::new(),
        };
        corners.into_iter().map(corner).collect()
    }
}

/// Primitive topology (glTF 2.0, section 3.7.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// One point per vertex.
    Points,
    /// One line per two vertices.
    Lines,
    /// A closed line.
    LineLoop,
    /// An open line.
    LineStrip,
    /// One triangle per three vertices.
    #[default]
    Triangles,
    /// One triangle per vertex after the second, with the two previous vertices.
    TriangleStrip,
    /// One triangle per vertex after the second, with the previous and the first vertex.
    TriangleFan,
}

impl Topology {
    /// Returns `true` for triangle topologies.
    pub fn has_triangles(self) -> bool {
        matches!(self, Self::Triangles | Self::TriangleStrip | Self::TriangleFan)
    }
}

/// Vertex attributes in mesh space. Every present array has one element per vertex.
///
/// Attributes have single precision whatever their format in the file, since skinning on the CPU, bounds and lints read them. To keep the
/// bytes of the file besides would save little: in 72 sample files they are 1.4 % smaller, as 4 files are quantized. The renderer stores
/// slots, weights and colors in the smallest exact type, so that its vertices are 0.6 % larger than those of the files. All vertices of
/// DamagedHelmet are imported in 0.14 ms, those of CesiumMan in 0.15 ms.
///
/// Not exhaustive, since extensions add fields: end literals by `..Vertices::default()`, and patterns by `..`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// Positions, all finite.
    pub positions: Vec<[f32; 3]>,
    /// Normals as in the file: finite, not zero, and of unit length in valid files. `None` for flat shading.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Tangents as in the file: finite, and of unit length in valid files. The fourth component is the sign of the bitangent.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Texture coordinates per set.
    pub tex_coords: Vec<Vec<[f32; 2]>>,
    /// Linear RGBA colors.
    pub colors: Option<Vec<[f32; 4]>>,
    /// Skin influences; `None` without skinning attributes.
    pub influences: Option<Influences>,
    /// Vertices whose weights in the file do not sum to 1, each with that sum. [`influences`](Self::influences) has
    /// normalized weights.
    pub unnormalized_weights: Vec<(u32, f32)>,
    #[doc(hidden)]
    pub non_exhaustive: (),
}

/// Morph target: displacements per vertex at weight 1. A missing array adds nothing.
///
/// Not exhaustive, since extensions add fields: end literals by `..MorphTarget::default()`, and patterns by `..`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Added to the position.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Added to the normal.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Added to the first three components of the tangent.
    pub tangents: Option<Vec<[f32; 3]>>,
    /// Added to the color; the sum of all targets is clamped to the range from 0 to 1.
    pub colors: Option<Vec<[f32; 4]>>,
    /// Added to texture coordinates: numbers of sets of [`Vertices::tex_coords`], and their displacements.
    pub tex_coords: Vec<(usize, Vec<[f32; 2]>)>,
    #[doc(hidden)]
    pub non_exhaustive: (),
}

impl MorphTarget {
    /// Returns the displacements of a texture coordinate set.
    pub fn tex_coords_of(&self, set: usize) -> Option<&Vec<[f32; 2]>> {
        self.tex_coords.iter().find(|(other, _)| *other == set).map(|(_, deltas)| deltas)
    }
}

/// Joint influences of all vertices.
///
/// Each vertex has [`per_vertex`](Self::per_vertex) influences; unused ones have weight 0 and slot 0.
/// The weights of a vertex are not negative and sum to 1 within rounding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// Influences per vertex: 1, 2, 4 or 8, the smallest for the non-zero weights of the file.
    pub per_vertex: usize,
    /// Skin slots, `per_vertex` for each vertex.
    pub slots: Vec<SkinSlot>,
    /// Weights, `per_vertex` for each vertex.
    pub weights: Vec<f32>,
}

impl Influences {
    /// Maximum influences per vertex.
    pub const MAX_PER_VERTEX: usize = 8;

    /// Returns slots and weights of one vertex.
    pub fn of_vertex(&self, vertex: usize) -> impl Iterator<Item = (SkinSlot, f32)> + '_ {
        let range = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        self.slots[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_convert_to_triangles_of_equal_winding() {
        let triangles = |topology, indices: Option<&[u32]>| {
            let indices = indices.map(Arc::from);
            let vertices = Arc::new(Vertices { positions: vec![[0.0; 3]; 5], ..Vertices::default() });
            Primitive { topology, vertices, indices, ..Primitive::default() }.triangles()
        };
        assert_eq!(triangles(Topology::Triangles, None), [0, 1, 2]);
        assert_eq!(triangles(Topology::TriangleStrip, None), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
        assert_eq!(triangles(Topology::TriangleFan, None), [1, 2, 0, 2, 3, 0, 3, 4, 0]);
        assert_eq!(triangles(Topology::TriangleStrip, Some(&[4, 3, 2, 1])), [4, 3, 2, 3, 1, 2]);
        assert_eq!(triangles(Topology::LineStrip, None), [0; 0]);
    }
}

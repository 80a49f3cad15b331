//! Vertices, and how they hang on joints.

use super::{MaterialIndex, SkinSlot};

/// A mesh: primitives that share morph weights.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Its name in the file.
    pub name: Option<String>,
    /// Its parts, each with one material.
    pub primitives: Vec<Primitive>,
    /// Number of morph targets, the same for every primitive.
    pub target_count: usize,
    /// Names of the morph targets (`extras.targetNames`); empty or one for each target.
    pub target_names: Vec<String>,
}

/// Vertices of one material, drawn together.
#[derive(Clone, Debug)]
pub struct Primitive {
    /// What the indices make.
    pub topology: Topology,
    /// The vertices, in file order.
    pub vertices: Vertices,
    /// Vertex numbers in drawing order, each below the vertex count; `None` draws the vertices in their own order.
    pub indices: Option<Vec<u32>>,
    /// Its material; `None` for glTF's default one.
    pub material: Option<MaterialIndex>,
    /// Its materials in those of the model's variants that give it another one, each with the variant's number.
    pub variant_materials: Vec<(usize, MaterialIndex)>,
    /// Morph targets, as many as [`Mesh::target_count`].
    pub targets: Vec<MorphTarget>,
}

impl Primitive {
    /// Number of vertices that are drawn: of indices, or of all vertices where there are none.
    pub fn drawn_count(&self) -> usize {
        self.indices.as_ref().map_or(self.vertices.positions.len(), Vec::len)
    }

    /// The corners of its triangles, three for each, wound as glTF says (2.0, section 3.7.2.1); none for points and lines.
    pub fn triangles(&self) -> Vec<u32> {
        let count = self.drawn_count() as u32;
        let corner = |i: u32| self.indices.as_ref().map_or(i, |indices| indices[i as usize]);
        let corners: Vec<u32> = match self.topology {
            Topology::Triangles => (0..count - count % 3).collect(),
            // Every other triangle of a strip starts one later, which keeps all of them wound alike.
            Topology::TriangleStrip => (2..count).flat_map(|i| [i - 2, i - 1 + i % 2, i - i % 2]).collect(),
            Topology::TriangleFan => (2..count).flat_map(|i| [i - 1, i, 0]).collect(),
            _ => Vec::new(),
        };
        corners.into_iter().map(corner).collect()
    }
}

/// What consecutive vertices make (glTF 2.0, section 3.7.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// A dot each.
    Points,
    /// A line for each two.
    Lines,
    /// A closed line.
    LineLoop,
    /// An open line.
    LineStrip,
    /// A triangle for each three.
    #[default]
    Triangles,
    /// A triangle for each vertex after the second, with the two before it.
    TriangleStrip,
    /// A triangle for each vertex after the second, with the one before it and the first.
    TriangleFan,
}

impl Topology {
    /// Whether it makes surfaces, which have a front and a back.
    pub fn has_triangles(self) -> bool {
        matches!(self, Self::Triangles | Self::TriangleStrip | Self::TriangleFan)
    }
}

/// Vertex attributes in mesh space; every present list has one item a vertex.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    /// Positions, all finite.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals; `None` asks for flat shading.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Unit tangents, and in the fourth number the sign of the bitangent.
    pub tangents: Option<Vec<[f32; 4]>>,
    /// Texture coordinates, set by set.
    pub tex_coords: Vec<Vec<[f32; 2]>>,
    /// Linear colors with opacity.
    pub colors: Option<Vec<[f32; 4]>>,
    /// The joints of each vertex; `None` for a mesh without skinning attributes.
    pub influences: Option<Influences>,
    /// Vertices whose weights do not sum to 1 in the file, and what they sum to there; [`influences`](Self::influences)
    /// has them scaled.
    pub unnormalized_weights: Vec<(u32, f32)>,
}

/// What one morph target adds to each vertex at weight 1; a missing list adds nothing.
#[derive(Clone, Debug, Default)]
pub struct MorphTarget {
    /// Added to the position.
    pub positions: Option<Vec<[f32; 3]>>,
    /// Added to the normal.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Added to the first three numbers of the tangent.
    pub tangents: Option<Vec<[f32; 3]>>,
}

/// The joints that move each vertex and how strongly.
///
/// Each vertex has the same number of places, [`per_vertex`](Self::per_vertex); unused places have weight 0 and slot 0.
/// The weights of a vertex are not negative and sum to 1 within rounding.
#[derive(Clone, Debug, Default)]
pub struct Influences {
    /// Places for each vertex: 1, 2, 4 or 8, the smallest that holds the file's non-zero weights.
    pub per_vertex: usize,
    /// The slots, `per_vertex` of them for each vertex.
    pub slots: Vec<SkinSlot>,
    /// The weights, `per_vertex` of them for each vertex.
    pub weights: Vec<f32>,
}

impl Influences {
    /// The most joints of a vertex that are kept.
    pub const MAX_PER_VERTEX: usize = 8;

    /// The slots and weights of one vertex.
    pub fn of_vertex(&self, vertex: usize) -> impl Iterator<Item = (SkinSlot, f32)> + '_ {
        let places = vertex * self.per_vertex..(vertex + 1) * self.per_vertex;
        self.slots[places.clone()].iter().copied().zip(self.weights[places].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_and_fans_come_apart_into_triangles_wound_alike() {
        let triangles = |topology, indices: Option<Vec<u32>>| {
            let vertices = Vertices { positions: vec![[0.0; 3]; 5], ..Vertices::default() };
            Primitive {
                topology,
                vertices,
                indices,
                material: None,
                variant_materials: Vec::new(),
                targets: Vec::new(),
            }
            .triangles()
        };
        assert_eq!(triangles(Topology::Triangles, None), [0, 1, 2]);
        assert_eq!(triangles(Topology::TriangleStrip, None), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
        assert_eq!(triangles(Topology::TriangleFan, None), [1, 2, 0, 2, 3, 0, 3, 4, 0]);
        assert_eq!(triangles(Topology::TriangleStrip, Some(vec![4, 3, 2, 1])), [4, 3, 2, 3, 1, 2]);
        assert_eq!(triangles(Topology::LineStrip, None), [0; 0]);
    }
}

//! Generates tangents for primitives with a normal texture (glTF 2.0, section 3.7.2.1).

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use rigview_core::model::{Primitive, TextureRef, TextureTransform};
use rigview_core::util::panic_guard::catch;
use std::collections::HashMap;

/// The texture coordinates that tangents are generated from: their set, and offset, rotation and scale as bits.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct TangentKey(u32, [u32; 5]);

impl TangentKey {
    pub(super) fn new(texture: TextureRef) -> Self {
        let TextureTransform { offset: [u, v], rotation, scale: [x, y] } = texture.transform;
        Self(texture.tex_coord, [u, v, rotation, x, y].map(f32::to_bits))
    }
}

/// MikkTSpace tangents.
///
/// Vertices whose triangles have different tangents are copied. Copies come after the file's vertices.
pub(crate) struct TangentSpaces {
    /// The original of each copy.
    pub(crate) copies: Vec<u32>,
    /// Tangents of all vertices and copies, with the sign of the bitangent.
    pub(crate) tangents: Vec<[f32; 4]>,
    /// Triangle list.
    pub(crate) indices: Vec<u32>,
}

/// Maximum number of triangles around a vertex that MikkTSpace gets at a time, since it takes quadratic time for them, and
/// recursion as deep as their number. Vertices of real meshes have fewer.
const MAX_TRIANGLES_OF_VERTEX: u32 = 256;

/// Generates the tangents of a primitive for a texture; `None` without triangles, normals or texture coordinates.
pub(crate) fn generate(primitive: &Primitive, texture: TextureRef) -> Option<TangentSpaces> {
    let vertices = &primitive.vertices;
    let mesh = TexturedMesh {
        positions: &vertices.positions,
        normals: vertices.normals.as_ref()?,
        coords: vertices.tex_coords.get(texture.tex_coord as usize).filter(|coords| !coords.is_empty())?,
        texture,
        corners: primitive.triangles(),
    };
    if mesh.corners.is_empty() {
        return None;
    }
    let welded = mesh.welded_vertices();
    let faces = mesh.regular_faces();
    let mut tangents = vec![None; mesh.corners.len()];
    for faces in mesh.face_batches(&faces, &welded) {
        let mut batch = FaceBatch { mesh: &mesh, faces, tangents: &mut tangents };
        // The generator may panic on some meshes.
        if !catch(|| generate_tangents(&mut batch).is_ok()).unwrap_or(false) {
            return None;
        }
    }
    Some(mesh.share_vertices(&tangents, &welded))
}

/// A triangle list with a texture.
struct TexturedMesh<'a> {
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    coords: &'a [[f32; 2]],
    texture: TextureRef,
    /// Vertices, three per face.
    corners: Vec<u32>,
}

impl TexturedMesh<'_> {
    fn position(&self, vertex: usize) -> [f32; 3] {
        nan_and_infinity_to_zero(self.positions[vertex])
    }

    fn normal(&self, vertex: usize) -> [f32; 3] {
        nan_and_infinity_to_zero(self.normals[vertex])
    }

    /// Normal textures have V up; glTF has V down.
    fn tex_coord(&self, vertex: usize) -> [f32; 2] {
        let [u, v] = self.texture.transform.apply(self.coords[vertex]);
        nan_and_infinity_to_zero([u, 1.0 - v])
    }

    fn face(&self, face: u32) -> &[u32] {
        &self.corners[3 * face as usize..][..3]
    }

    /// Returns for each vertex the first one that MikkTSpace takes for the same.
    fn welded_vertices(&self) -> Vec<u32> {
        let mut known = HashMap::new();
        let key = |vertex| {
            let (position, normal, coord) = (self.position(vertex), self.normal(vertex), self.tex_coord(vertex));
            (position.map(f32::to_bits), normal.map(f32::to_bits), coord.map(f32::to_bits))
        };
        (0..self.positions.len()).map(|vertex| *known.entry(key(vertex)).or_insert(vertex as u32)).collect()
    }

    /// Returns the faces whose corners have different positions. MikkTSpace searches all faces for each of the others.
    fn regular_faces(&self) -> Vec<u32> {
        let is_regular = |face: &u32| {
            let [a, b, c] = [0, 1, 2].map(|corner| self.position(self.face(*face)[corner] as usize));
            a != b && b != c && c != a
        };
        (0..self.corners.len() as u32 / 3).filter(is_regular).collect()
    }

    /// Splits faces where a vertex gets too many.
    fn face_batches<'f>(&self, faces: &'f [u32], welded: &[u32]) -> Vec<&'f [u32]> {
        let mut triangle_counts = vec![0; welded.len()];
        let mut batches = Vec::new();
        let mut first = 0;
        for (end, &face) in faces.iter().enumerate() {
            let corners = self.face(face).iter().map(|&vertex| welded[vertex as usize] as usize);
            if corners.clone().any(|vertex| triangle_counts[vertex] == MAX_TRIANGLES_OF_VERTEX) {
                let batch = &faces[first..end];
                for &vertex in batch.iter().flat_map(|&face| self.face(face)) {
                    triangle_counts[welded[vertex as usize] as usize] = 0;
                }
                batches.push(batch);
                first = end;
            }
            corners.for_each(|vertex| triangle_counts[vertex] += 1);
        }
        batches.push(&faces[first..]);
        batches
    }

    /// Merges corners with equal vertices and tangents.
    fn share_vertices(&self, tangents: &[Option<[f32; 4]>], welded: &[u32]) -> TangentSpaces {
        // For vertices of degenerate triangles only, where the texture is constant.
        const DEFAULT_TANGENT: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
        let mut first_tangents = vec![None; self.positions.len()];
        for (&vertex, &tangent) in self.corners.iter().zip(tangents) {
            let first = &mut first_tangents[welded[vertex as usize] as usize];
            *first = first.or(tangent);
        }
        // Degenerate triangles use the first tangent of an equal vertex.
        let first_tangent = |&welded: &u32| first_tangents[welded as usize].unwrap_or(DEFAULT_TANGENT);
        let mut out = TangentSpaces {
            copies: Vec::new(),
            tangents: welded.iter().map(first_tangent).collect(),
            indices: Vec::with_capacity(self.corners.len()),
        };
        let mut is_set = vec![false; self.positions.len()];
        let mut copy_of: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
        for (&vertex, tangent) in self.corners.iter().zip(tangents) {
            let i = vertex as usize;
            let index = match tangent {
                None => vertex,
                Some(tangent) if !is_set[i] => {
                    (is_set[i], out.tangents[i]) = (true, *tangent);
                    vertex
                }
                Some(tangent) if out.tangents[i] == *tangent => vertex,
                Some(tangent) => *copy_of.entry((vertex, tangent.map(f32::to_bits))).or_insert_with(|| {
                    out.copies.push(vertex);
                    out.tangents.push(*tangent);
                    out.tangents.len() as u32 - 1
                }),
            };
            out.indices.push(index);
        }
        out
    }
}

/// Faces of a mesh as MikkTSpace input.
struct FaceBatch<'a> {
    mesh: &'a TexturedMesh<'a>,
    faces: &'a [u32],
    /// Output: the tangents of the mesh's corners.
    tangents: &'a mut [Option<[f32; 4]>],
}

impl FaceBatch<'_> {
    fn corner(&self, face: usize, corner: usize) -> usize {
        3 * self.faces[face] as usize + corner
    }

    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.mesh.corners[self.corner(face, corner)] as usize
    }
}

fn nan_and_infinity_to_zero<const N: usize>(components: [f32; N]) -> [f32; N] {
    components.map(|x| if x.is_finite() { x } else { 0.0 })
}

impl Geometry for FaceBatch<'_> {
    fn num_faces(&self) -> usize {
        self.faces.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.position(self.vertex(face, corner))
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.mesh.normal(self.vertex(face, corner))
    }

    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        self.mesh.tex_coord(self.vertex(face, corner))
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[self.corner(face, corner)] = space.map(|space| space.tangent_encoded());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::{Topology, Vertices};
    use std::sync::Arc;

    fn texture() -> TextureRef {
        TextureRef { texture: Default::default(), tex_coord: 0, transform: Default::default() }
    }

    /// A strip of two squares facing +Z. The right one mirrors the texture of the left one, and they share two
    /// vertices.
    fn mirrored(topology: Topology, indices: Option<Vec<u32>>) -> Primitive {
        let positions = [-1.0, 0.0, 1.0].into_iter().flat_map(|x| [[x, 1.0, 0.0], [x, 0.0, 0.0]]).collect();
        let coords = [0.0, 1.0, 0.0].into_iter().flat_map(|u| [[u, 0.0], [u, 1.0]]).collect();
        let vertices = Vertices {
            normals: Some(vec![[0.0, 0.0, 1.0]; 6]),
            tex_coords: vec![coords],
            positions,
            ..Default::default()
        };
        Primitive { topology, vertices: vertices.into(), indices: indices.map(Arc::from), ..Primitive::default() }
    }

    #[test]
    fn mirrored_texture_copies_the_vertices_of_its_seam() {
        let strip = mirrored(Topology::TriangleStrip, None);
        let list = mirrored(Topology::Triangles, Some(strip.triangles()));
        for primitive in [strip, list] {
            let spaces = generate(&primitive, texture()).unwrap();
            assert_eq!(spaces.indices.len(), 12);
            assert_eq!(spaces.tangents.len(), 6 + spaces.copies.len());
            let mut copies = spaces.copies.clone();
            copies.sort_unstable();
            assert_eq!(copies, [2, 3]);
            for (corner, (&index, &vertex)) in spaces.indices.iter().zip(&primitive.triangles()).enumerate() {
                let index = index as usize;
                assert_eq!(index.checked_sub(6).map_or(index as u32, |copy| spaces.copies[copy]), vertex);
                let expected = if corner < 6 { [1.0, 0.0, 0.0, 1.0] } else { [-1.0, 0.0, 0.0, -1.0] };
                for (a, b) in spaces.tangents[index].iter().zip(expected) {
                    assert!((a - b).abs() < 1e-6, "corner {corner}: {:?}", spaces.tangents[index]);
                }
            }
        }
    }

    /// A disk of triangles that face +Z around one vertex, with a texture along X.
    fn disk(triangle_count: u32, is_indexed: bool) -> Primitive {
        let rim = (0..triangle_count).map(|i| {
            let (sin, cos) = (i as f32 / triangle_count as f32 * std::f32::consts::TAU).sin_cos();
            [cos, sin, 0.0]
        });
        let mut positions: Vec<_> = std::iter::once([0.0; 3]).chain(rim).collect();
        let mut indices: Vec<_> = (0..triangle_count).flat_map(|i| [0, 1 + i, 1 + (i + 1) % triangle_count]).collect();
        if !is_indexed {
            positions = indices.iter().map(|&vertex| positions[vertex as usize]).collect();
            indices = (0..indices.len() as u32).collect();
        }
        let vertices = Vertices {
            normals: Some(vec![[0.0, 0.0, 1.0]; positions.len()]),
            tex_coords: vec![positions.iter().map(|[x, y, _]| [*x, -*y]).collect()],
            positions,
            ..Default::default()
        };
        Primitive {
            topology: Topology::Triangles,
            vertices: vertices.into(),
            indices: Some(indices.into()),
            ..Primitive::default()
        }
    }

    #[test]
    fn vertex_of_many_triangles_is_processed_in_batches() {
        let triangle_count = 4 * MAX_TRIANGLES_OF_VERTEX + 1;
        for is_indexed in [false, true] {
            let primitive = disk(triangle_count, is_indexed);
            let mesh = TexturedMesh {
                positions: &primitive.vertices.positions,
                normals: primitive.vertices.normals.as_ref().unwrap(),
                coords: &primitive.vertices.tex_coords[0],
                texture: texture(),
                corners: primitive.triangles(),
            };
            let faces: Vec<u32> = (0..triangle_count).collect();
            let batches = mesh.face_batches(&faces, &mesh.welded_vertices());
            let sizes: Vec<u32> = batches.iter().map(|batch| batch.len() as u32).collect();
            assert_eq!(sizes, [[MAX_TRIANGLES_OF_VERTEX; 4].as_slice(), &[1]].concat());
            assert_eq!(batches.concat(), faces);

            let spaces = generate(&primitive, texture()).unwrap();
            for (&index, &vertex) in spaces.indices.iter().zip(&primitive.triangles()) {
                let original = index.checked_sub(mesh.positions.len() as u32);
                assert_eq!(original.map_or(index, |copy| spaces.copies[copy as usize]), vertex);
                for (a, b) in spaces.tangents[index as usize].iter().zip([1.0, 0.0, 0.0, 1.0]) {
                    assert!((a - b).abs() < 1e-4, "vertex {vertex}: {:?}", spaces.tangents[index as usize]);
                }
            }
        }
    }

    #[test]
    fn degenerate_triangle_uses_the_tangents_of_equal_vertices() {
        let mut primitive = disk(3, false);
        let vertices = primitive.vertices_mut();
        // The texture is turned by 90 degrees, so that tangents differ from the default.
        vertices.tex_coords[0] = vertices.positions.iter().map(|[x, y, _]| [*y, *x]).collect();
        for vertex in [0, 1, 1] {
            vertices.positions.push(vertices.positions[vertex]);
            let coord = vertices.tex_coords[0][vertex];
            vertices.tex_coords[0].push(coord);
            vertices.normals.as_mut().unwrap().push([0.0, 0.0, 1.0]);
        }
        primitive.indices = Some((0..12).collect());
        let spaces = generate(&primitive, texture()).unwrap();
        assert_eq!(spaces.indices, (0..12).collect::<Vec<_>>());
        for tangent in spaces.tangents {
            assert!(tangent.iter().zip([0.0, 1.0, 0.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-6), "{tangent:?}");
        }
    }

    #[test]
    fn degenerate_and_nan_meshes_do_not_panic() {
        for number in [0.0, f32::NAN, f32::INFINITY, 1e38, 1e-45] {
            let mut primitive = mirrored(Topology::TriangleStrip, None);
            let vertices = primitive.vertices_mut();
            vertices.positions[1..].fill([number; 3]);
            let spaces = generate(&primitive, texture());
            assert!(spaces.is_none_or(|spaces| spaces.indices.iter().all(|i| (*i as usize) < spaces.tangents.len())));
            let vertices = primitive.vertices_mut();
            vertices.tex_coords[0].fill([number; 2]);
            vertices.normals.as_mut().unwrap().fill([number; 3]);
            generate(&primitive, texture());
        }
        let mut bare = mirrored(Topology::Points, None);
        assert!(generate(&bare, texture()).is_none());
        bare.topology = Topology::TriangleStrip;
        bare.vertices_mut().normals = None;
        assert!(generate(&bare, texture()).is_none());
    }
}

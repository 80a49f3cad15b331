//! Generates tangents for primitives with a normal texture (glTF 2.0, section 3.7.2.1).

use crate::model::{Primitive, TextureRef};
use crate::util::panic_guard::catch;
use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use std::collections::HashMap;

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

/// Generates the tangents of a primitive for a texture; `None` without triangles, normals or texture coordinates.
pub(crate) fn generate(primitive: &Primitive, texture: TextureRef) -> Option<TangentSpaces> {
    let vertices = &primitive.vertices;
    let corners = primitive.triangles();
    let mut mesh = Corners {
        positions: &vertices.positions,
        normals: vertices.normals.as_ref()?,
        coords: vertices.tex_coords.get(texture.tex_coord as usize).filter(|coords| !coords.is_empty())?,
        texture,
        tangents: vec![None; corners.len()],
        corners,
    };
    if mesh.corners.is_empty() {
        return None;
    }
    // The generator may panic on some meshes.
    let succeeded = catch(|| generate_tangents(&mut mesh).is_ok());
    succeeded.unwrap_or(false).then(|| mesh.weld())
}

/// A triangle list as MikkTSpace input.
struct Corners<'a> {
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    coords: &'a [[f32; 2]],
    texture: TextureRef,
    corners: Vec<u32>,
    tangents: Vec<Option<[f32; 4]>>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.corners[3 * face + corner] as usize
    }

    /// Merges corners with equal vertices and tangents.
    fn weld(self) -> TangentSpaces {
        // For vertices of degenerate triangles only, where the texture is constant.
        const DEFAULT_TANGENT: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
        let count = self.positions.len();
        let mut out = TangentSpaces {
            copies: Vec::new(),
            tangents: vec![DEFAULT_TANGENT; count],
            indices: Vec::with_capacity(self.corners.len()),
        };
        let mut is_set = vec![false; count];
        let mut copy_of: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
        for (&vertex, tangent) in self.corners.iter().zip(&self.tangents) {
            let i = vertex as usize;
            let index = match tangent {
                // Degenerate triangles use the vertex's tangent.
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

fn nan_and_infinity_to_zero<const N: usize>(components: [f32; N]) -> [f32; N] {
    components.map(|x| if x.is_finite() { x } else { 0.0 })
}

impl Geometry for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.corners.len() / 3
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        nan_and_infinity_to_zero(self.positions[self.vertex(face, corner)])
    }

    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        nan_and_infinity_to_zero(self.normals[self.vertex(face, corner)])
    }

    /// Normal textures have V up; glTF has V down.
    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        let [u, v] = self.texture.transform.apply(self.coords[self.vertex(face, corner)]);
        nan_and_infinity_to_zero([u, 1.0 - v])
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        self.tangents[3 * face + corner] = space.map(|space| space.tangent_encoded());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Topology, Vertices};

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
        Primitive { topology, vertices, indices, material: None, variant_materials: Vec::new(), targets: Vec::new() }
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

    #[test]
    fn degenerate_and_nan_meshes_do_not_panic() {
        for number in [0.0, f32::NAN, f32::INFINITY, 1e38, 1e-45] {
            let mut primitive = mirrored(Topology::TriangleStrip, None);
            let vertices = &mut primitive.vertices;
            vertices.positions[1..].fill([number; 3]);
            let spaces = generate(&primitive, texture());
            assert!(spaces.is_none_or(|spaces| spaces.indices.iter().all(|i| (*i as usize) < spaces.tangents.len())));
            let vertices = &mut primitive.vertices;
            vertices.tex_coords[0].fill([number; 2]);
            vertices.normals.as_mut().unwrap().fill([number; 3]);
            generate(&primitive, texture());
        }
        let mut bare = mirrored(Topology::Points, None);
        assert!(generate(&bare, texture()).is_none());
        (bare.topology, bare.vertices.normals) = (Topology::TriangleStrip, None);
        assert!(generate(&bare, texture()).is_none());
    }
}

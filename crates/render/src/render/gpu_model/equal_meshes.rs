//! Meshes with the same vertices and indices, as exporters write them for objects that differ in their materials.

use rigview_core::model::{MeshIndex, Model, Primitive};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Number of positions of a primitive that are hashed.
const HASHED_POSITIONS: usize = 16;

/// Returns for each mesh the first one with equal vertices and indices: itself, if there is none.
///
/// Takes time in proportion to the size of the meshes, since each is compared with one other at most.
pub(super) fn first_equal_meshes(model: &Model) -> Vec<MeshIndex> {
    let mut first_of_hash: HashMap<u64, usize> = HashMap::new();
    let first_equal = |index: usize| {
        let primitives = &model.meshes[index].primitives;
        let first = *first_of_hash.entry(hash(primitives)).or_insert(index);
        let is_equal = first == index || have_equal_geometry(&model.meshes[first].primitives, primitives);
        MeshIndex(if is_equal { first } else { index } as u32)
    };
    (0..model.meshes.len()).map(first_equal).collect()
}

/// Returns a hash of the topologies, of the counts of vertices and indices, and of a few positions.
fn hash(primitives: &[Primitive]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for primitive in primitives {
        let positions = &primitive.vertices.positions;
        let indices = primitive.indices.as_ref().map(|indices| indices.len());
        (primitive.topology, positions.len(), indices).hash(&mut hasher);
        for position in positions.iter().step_by((positions.len() / HASHED_POSITIONS).max(1)) {
            position.map(f32::to_bits).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Returns `true` if the primitives differ in their materials at most.
fn have_equal_geometry(a: &[Primitive], b: &[Primitive]) -> bool {
    let is_equal = |a: &Primitive, b: &Primitive| {
        let is_shared = Arc::ptr_eq(&a.vertices, &b.vertices) && Arc::ptr_eq(&a.targets, &b.targets);
        (a.topology, &a.indices) == (b.topology, &b.indices)
            && (is_shared || (&a.vertices, &a.targets) == (&b.vertices, &b.targets))
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::{MaterialIndex, Mesh, Topology, Vertices};

    #[test]
    fn meshes_are_equal_up_to_materials() {
        let mesh = |material: u32, x: f32, indices: [u32; 3]| {
            let positions = (0..40).map(|i| [i as f32, x, 0.0]).collect();
            Mesh {
                primitives: vec![Primitive {
                    topology: Topology::Triangles,
                    vertices: Vertices { positions, ..Vertices::default() }.into(),
                    indices: Some(indices.into()),
                    material: Some(MaterialIndex(material)),
                    ..Primitive::default()
                }],
                ..Mesh::default()
            }
        };
        let mut meshes = vec![
            mesh(0, 1.0, [0, 1, 2]),
            mesh(1, 1.0, [0, 1, 2]),
            mesh(0, 2.0, [0, 1, 2]),
            mesh(0, 1.0, [0, 2, 1]),
            mesh(2, 1.0, [0, 1, 2]),
        ];
        // A vertex that is not hashed.
        meshes[4].primitives[0].vertices_mut().positions[1][2] = 0.5;
        meshes.push(mesh(3, 1.0, [0, 1, 2]));
        meshes.push(Mesh::default());
        let model = Model { meshes, ..Model::default() };
        assert_eq!(first_equal_meshes(&model), [0, 0, 2, 3, 4, 0, 6].map(MeshIndex));
    }
}

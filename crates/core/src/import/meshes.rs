//! Meshes.

use super::accessor::AccessorReader;
use super::decoded_geometry::DecodedGeometry;
use super::diagnostics::Diagnostics;
use super::error::{AccessorError, ImportError};
use super::json::GltfJson;
use super::limits::Limit;
use super::options::MeshLoading;
use super::primitive::PrimitiveReader;
use crate::model::{Material, Mesh, MorphTarget, Primitive, Skin};
use gltf::json;
use serde_json::Value;

/// Indices per vertex of a closed mesh of triangles: each vertex has six.
const INDICES_PER_VERTEX: usize = 6;

/// Deltas of morph targets that take about the time of a vertex, which reads eight matrices at most.
const DELTAS_PER_VERTEX: usize = 8;

/// Returns the number of morph targets per mesh: the maximum of its primitives.
pub(super) fn morph_target_counts(document: &GltfJson) -> Vec<usize> {
    let of_primitive = |primitive: &json::mesh::Primitive| primitive.targets.as_ref().map_or(0, Vec::len);
    document.meshes.iter().map(|mesh| mesh.primitives.iter().map(of_primitive).max().unwrap_or(0)).collect()
}

pub(super) fn read(
    document: &GltfJson,
    reader: &AccessorReader,
    loading: MeshLoading,
    materials: &[Material],
    skins: &[Skin],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Mesh>, ImportError> {
    let count: usize = document.meshes.iter().map(|mesh| mesh.primitives.len()).sum();
    document.check_limit(Limit::Primitives, count as u64, || ("/meshes".into(), "mesh primitives".into()))?;
    let targets = morph_target_counts(document);
    let each =
        document.meshes.iter().zip(&targets).map(|(mesh, targets)| mesh.primitives.len().saturating_mul(*targets));
    let count = each.fold(0, usize::saturating_add);
    document.check_limit(Limit::MorphTargets, count as u64, || ("/meshes".into(), "morph targets".into()))?;
    let smallest_skin_joint_counts = smallest_skin_joint_counts(document, skins);
    let quantized = document.uses("KHR_mesh_quantization");
    let variants = super::materials::variants(document).len();
    let mut meshes = Vec::with_capacity(document.meshes.len());
    let mut cache = DecodedGeometry::default();
    for (i, mesh) in document.meshes.iter().enumerate() {
        let (target_count, skin_joint_count) = (targets[i], smallest_skin_joint_counts[i]);
        let at = document.location("meshes", i);
        let mut primitives = Vec::with_capacity(mesh.primitives.len());
        if mesh.primitives.iter().any(|p| p.targets.as_ref().map_or(0, Vec::len) != target_count) {
            diagnostics.add(
                &at,
                format!("not all of its primitives have {target_count} morph targets; the others do not morph"),
            );
        }
        let read_primitives = if loading == MeshLoading::Decode { mesh.primitives.as_slice() } else { &[] };
        for (p, json) in read_primitives.iter().enumerate() {
            let at = at.child(format!("primitives/{p}"), format!("primitive {p}"));
            let value = document.element("meshes", i).get("primitives").and_then(|list| list.get(p));
            let value = value.unwrap_or(&Value::Null);
            let primitive = PrimitiveReader {
                reader,
                materials,
                typed: json,
                raw: value,
                at: &at,
                quantized,
                skin_joint_count,
                variants,
                target_count,
            };
            match primitive.read(&mut cache, diagnostics) {
                Ok(primitive) => primitives.extend(primitive),
                Err(error) => diagnostics.leave_out_geometry(error, "the primitive is not drawn")?,
            }
        }
        let target_names = target_names(document.element("meshes", i), target_count);
        meshes.push(Mesh { name: mesh.name.clone(), primitives, target_count, target_names, ..Mesh::default() });
    }
    // Primitives that share vertices or indices take no memory for them, but time wherever primitives are processed one by one.
    let count = meshes.iter().map(vertex_count).sum();
    document.check_limit(Limit::Vertices, count, || ("/meshes".into(), "vertices of all primitives".into()))?;
    Ok(meshes)
}

/// Returns the number of vertices of all primitives, where indices and deltas of morph targets count by the time that they take.
pub(super) fn vertex_count(mesh: &Mesh) -> u64 {
    let of_primitive = |primitive: &Primitive| {
        let targets = primitive.targets.iter().filter(|target| **target != MorphTarget::default()).count();
        let vertices = primitive.vertices.positions.len() * (DELTAS_PER_VERTEX + targets) / DELTAS_PER_VERTEX;
        vertices.max(primitive.indices.as_ref().map_or(0, |indices| indices.len() / INDICES_PER_VERTEX)) as u64
    };
    mesh.primitives.iter().map(of_primitive).sum()
}

/// Returns per mesh the joint count of the smallest skin that it is used with.
fn smallest_skin_joint_counts(document: &GltfJson, skins: &[Skin]) -> Vec<usize> {
    let mut counts = vec![usize::MAX; document.meshes.len()];
    for node in &document.nodes {
        if let (Some(mesh), Some(skin)) = (node.mesh, node.skin)
            && let (Some(count), Some(skin)) = (counts.get_mut(mesh.value()), skins.get(skin.value()))
            && !skin.joints.is_empty()
        {
            *count = skin.joints.len().min(*count);
        }
    }
    counts
}

/// Reads `extras.targetNames`. Returns no names unless there is one per target.
fn target_names(mesh: &Value, count: usize) -> Vec<String> {
    let names = mesh.get("extras").and_then(|extras| extras.get("targetNames")).and_then(Value::as_array);
    let names = names.filter(|names| names.len() == count).map(|names| {
        let strings = names.iter().map(|name| name.as_str().map(str::to_owned));
        strings.collect::<Option<Vec<String>>>().unwrap_or_default()
    });
    names.unwrap_or_default()
}

/// Reports the accessors that exceed their buffer views, used or not.
pub(super) fn check_accessors(
    document: &GltfJson,
    reader: &AccessorReader,
    diagnostics: &mut Diagnostics,
) -> Result<(), ImportError> {
    for i in 0..document.accessors.len() {
        match reader.check(i) {
            // The reason is reported.
            Ok(()) | Err(AccessorError::InvalidAccessor { .. } | AccessorError::InvalidView { .. }) => {}
            Err(problem) => {
                let error = ImportError::UnreadableAccessor { pointer: format!("/accessors/{i}"), problem };
                diagnostics.leave_out_geometry(error, "what reads it is left out")?;
            }
        }
    }
    Ok(())
}

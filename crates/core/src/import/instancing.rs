//! GPU instances (EXT_mesh_gpu_instancing). Each becomes a joint with the mesh, as a child of the node's joint.

use super::accessor::AccessorReader;
use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::hierarchy::{Hierarchy, unit_quaternion};
use super::json::GltfJson;
use super::limits::Limit;
use crate::gltf_format::{ComponentType, ElementFormat, ElementType};
use crate::math::Transform;
use crate::model::{Joint, JointIndex, Skeleton};
use nalgebra::Vector3;
use serde_json::Value;

const NAME: &str = "EXT_mesh_gpu_instancing";

/// Maximum length of the node name in the names of its instances, each of which has a copy.
const MAX_NAME_CHARS: usize = 100;

/// Adds a joint per instance after all others, and marks the joint of the node: [GPU
/// instances](Hierarchy::has_gpu_instances) draw the mesh instead of the joint itself.
///
/// A node with a skin keeps its one mesh, since instances have no joints of their own (glTF issue 2404).
pub(super) fn add_gpu_instances(
    document: &GltfJson,
    reader: &AccessorReader<'_>,
    hierarchy: Hierarchy,
    diagnostics: &mut Diagnostics,
) -> Result<Hierarchy, ImportError> {
    let Hierarchy { skeleton, joints: joint_of_node, mut has_gpu_instances } = hierarchy;
    let mut joints = skeleton.joints().to_vec();
    let mut instances = 0_u64;
    for (index, node) in document.nodes.iter().enumerate() {
        let extension = document.element("nodes", index).get("extensions").and_then(|all| all.get(NAME));
        let (Some(extension), Some(_), Some(&joint)) = (extension, node.mesh, joint_of_node.get(index)) else {
            continue;
        };
        let at = || document.location("nodes", index).child(format!("extensions/{NAME}"), NAME);
        if node.skin.is_some() {
            let text = "a skinned mesh cannot be instanced, since its joints place it; it is shown once";
            diagnostics.add(&at(), text);
            continue;
        }
        let transforms = transforms(extension, reader, &at, diagnostics);
        let Some(transforms) = diagnostics.or_leave_out(transforms, "the mesh is shown once")? else { continue };
        instances += transforms.len() as u64;
        document.check_limit(Limit::Instances, instances, || (at().pointer, "instances of all nodes".into()))?;
        let original = skeleton.joint(joint);
        let name = original.name.as_deref().map(|name| match name.char_indices().nth(MAX_NAME_CHARS) {
            Some(_) => name.chars().take(MAX_NAME_CHARS).chain(['…']).collect(),
            None => name.to_owned(),
        });
        for (instance, rest) in transforms.into_iter().enumerate() {
            joints.push(Joint {
                name: name.as_ref().map(|name| format!("{name} [{instance}]")),
                node: index,
                parent: Some(joint),
                rest,
                exact_rest_matrix: None,
                morph_weights: original.morph_weights.clone(),
            });
        }
        if let Some(has_gpu_instances) = has_gpu_instances.get_mut(joint.get()) {
            *has_gpu_instances = true;
        }
    }
    has_gpu_instances.resize(joints.len(), false);
    let skeleton = match instances {
        0 => skeleton,
        _ => Skeleton::new(joints, skeleton.rest_morph_weights().to_vec()),
    };
    Ok(Hierarchy { skeleton, joints: joint_of_node, has_gpu_instances })
}

impl Hierarchy {
    /// Returns `true` if GPU instances replace the mesh of a joint.
    pub(super) fn has_gpu_instances(&self, joint: JointIndex) -> bool {
        self.has_gpu_instances.get(joint.get()).copied().unwrap_or_default()
    }
}

/// Reads `node_from_instance` of each instance.
fn transforms(
    extension: &Value,
    reader: &AccessorReader<'_>,
    at: &dyn Fn() -> super::diagnostic::JsonLocation,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Transform>, ImportError> {
    let attribute = |name: &str| -> Result<Option<usize>, ImportError> {
        match extension.get("attributes").and_then(|all| all.get(name)) {
            None => Ok(None),
            Some(index) => match index.as_u64().and_then(|index| usize::try_from(index).ok()) {
                Some(index) => Ok(Some(index)),
                None => {
                    let at = at().child(format!("attributes/{name}"), name);
                    Err(ImportError::InvalidData { at, problem: "this is not an accessor index".into() })
                }
            },
        }
    };
    let failed =
        |name: &str, problem| ImportError::Accessor { at: at().child(format!("attributes/{name}"), name), problem };
    let vectors = |name: &str| -> Result<Option<Vec<[f32; 3]>>, ImportError> {
        let fits = |f: ElementFormat| f.element == ElementType::Vec3 && f.component == ComponentType::F32;
        let read = |index| reader.read(index, "VEC3 of FLOAT", fits).map(|data| data.floats::<3>());
        attribute(name)?.map(read).transpose().map_err(|source| failed(name, source))
    };
    let fits = |f: ElementFormat| {
        let is_normalized = f.normalized && matches!(f.component, ComponentType::I8 | ComponentType::I16);
        f.element == ElementType::Vec4 && (is_normalized || f.component == ComponentType::F32)
    };
    let read =
        |index| reader.read(index, "VEC4 of FLOAT or normalized BYTE or SHORT", fits).map(|data| data.floats::<4>());
    let rotations: Option<Vec<[f32; 4]>> =
        attribute("ROTATION")?.map(read).transpose().map_err(|source| failed("ROTATION", source))?;
    let (translations, scales) = (vectors("TRANSLATION")?, vectors("SCALE")?);
    let counts = [translations.as_ref().map(Vec::len), rotations.as_ref().map(Vec::len), scales.as_ref().map(Vec::len)];
    let count = counts.into_iter().flatten().min().unwrap_or(0);
    if counts.into_iter().flatten().any(|other| other != count) {
        diagnostics.add(&at(), format!("its attributes are of different lengths; {count} instances have all of them"));
    }
    if count == 0 {
        diagnostics.add(&at(), "it has no transforms; no instance is shown");
    }
    let (mut transforms, mut scaled_count) = (Vec::with_capacity(count), 0);
    for instance in 0..count {
        let vector =
            |list: &Option<Vec<[f32; 3]>>, default: f64| match list.as_ref().and_then(|list| list.get(instance)) {
                Some(v) => Vector3::from(*v).cast::<f64>(),
                None => Vector3::repeat(default),
            };
        let stored = rotations.as_ref().and_then(|list| list.get(instance)).map(|q| q.map(f64::from));
        let (rotation, problem) = unit_quaternion(stored.unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let transform = Transform { translation: vector(&translations, 0.0), rotation, scale: vector(&scales, 1.0) };
        if !transform.to_affine().is_finite() {
            let problem = format!("instance {instance} has a number that is not finite");
            return Err(ImportError::InvalidData { at: at(), problem });
        }
        scaled_count += usize::from(problem.is_some());
        transforms.push(transform);
    }
    if scaled_count > 0 {
        diagnostics.add(&at(), format!("{scaled_count} rotations are not of length 1; they are normalized"));
    }
    Ok(transforms)
}

//! Converts nodes to the joints of a [`Skeleton`], parents first.

use super::diagnostic::JsonLocation;
use super::diagnostics::{Diagnostics, LEFT_OUT};
use super::error::ImportError;
use super::json::GltfJson;
use super::limits::Limit;
use super::pointers::{pointer_of_channel, transformed_node};
use crate::math::{Affine, Transform};
use crate::model::{Joint, JointIndex, Skeleton};
use gltf::json::animation::Property;
use gltf::json::validation::Checked;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

/// The skeleton, and the joint of each node.
pub(super) struct Hierarchy {
    pub(super) skeleton: Skeleton,
    /// The joint of each node, by node index.
    pub(super) joints: Vec<JointIndex>,
    /// Per joint: `true` if instances of EXT_mesh_gpu_instancing replace its mesh.
    pub(super) has_gpu_instances: Vec<bool>,
}

/// Reads all nodes. `morph_target_counts` is indexed by mesh.
pub(super) fn read(
    document: &GltfJson,
    morph_target_counts: &[usize],
    diagnostics: &mut Diagnostics,
) -> Result<Hierarchy, ImportError> {
    let links = links(document, diagnostics)?;
    let order = depth_first_order(document, &links)?;
    let animated = animated_nodes(document);

    let mut joint_of_node = vec![JointIndex::default(); order.len()];
    let mut joints = Vec::with_capacity(order.len());
    let mut rest_morph_weights = Vec::new();
    for (index, &node) in order.iter().enumerate() {
        // A file has at most 2^20 nodes.
        let joint = JointIndex(index as u32);
        if let Some(slot) = joint_of_node.get_mut(node) {
            *slot = joint;
        }
        let parent = links.parents.get(node).copied().flatten().and_then(|parent| joint_of_node.get(parent).copied());
        let is_animated = animated.get(node).copied().unwrap_or_default();
        let (rest, exact_rest_matrix) = rest(document, node, is_animated, diagnostics)?;
        let weights = weights(document, node, morph_target_counts, &mut rest_morph_weights, diagnostics)?;
        let name = document.nodes.get(node).and_then(|node| node.name.clone());
        joints.push(Joint { name, node, parent, rest, exact_rest_matrix, morph_weights: weights });
    }
    let has_gpu_instances = vec![false; joints.len()];
    Ok(Hierarchy { skeleton: Skeleton::new(joints, rest_morph_weights), joints: joint_of_node, has_gpu_instances })
}

/// The valid links between nodes, by node index.
struct NodeLinks {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

/// Returns parent and children of each node. A node keeps its first parent.
fn links(document: &GltfJson, diagnostics: &mut Diagnostics) -> Result<NodeLinks, ImportError> {
    let count = document.nodes.len();
    let (mut parents, mut children) = (vec![None; count], vec![Vec::new(); count]);
    for (i, node) in document.nodes.iter().enumerate() {
        for child in node.children.iter().flatten().map(|child| child.value()) {
            let Some(parent) = parents.get_mut(child) else {
                let at = document.location("nodes", i);
                let error = ImportError::MissingReference { at, kind: "child node", index: child, count };
                diagnostics.leave_out_geometry(error, LEFT_OUT)?;
                continue;
            };
            if let Some(other) = *parent {
                let (at, this) = (document.location("nodes", child), document.location("nodes", i));
                let problem = if other == i {
                    format!("{this} has it as a child twice")
                } else {
                    format!("it is a child of both {} and {this}", document.location("nodes", other))
                };
                diagnostics
                    .leave_out_geometry(ImportError::Hierarchy { at, problem }, "the first one is its parent")?;
                continue;
            }
            *parent = Some(i);
            children[i].push(child);
        }
    }
    Ok(NodeLinks { parents, children })
}

/// Sorts the nodes depth first, parents before children, roots and children in file order.
fn depth_first_order(
    document: &GltfJson,
    NodeLinks { parents, children }: &NodeLinks,
) -> Result<Vec<usize>, ImportError> {
    let mut order = Vec::with_capacity(parents.len());
    let mut visited = vec![false; parents.len()];
    let mut stack: Vec<usize> = Vec::new();
    for root in (0..parents.len()).filter(|node| parents.get(*node) == Some(&None)) {
        stack.push(root);
        // A node has at most one parent, so it is visited once.
        while let Some(node) = stack.pop() {
            order.push(node);
            if let Some(visited) = visited.get_mut(node) {
                *visited = true;
            }
            stack.extend(children.get(node).into_iter().flatten().rev());
        }
    }
    match visited.iter().position(|visited| !visited) {
        None => Ok(order),
        Some(node) => {
            let at = document.location("nodes", node);
            Err(ImportError::Hierarchy {
                at,
                problem: "it is its own ancestor, or a descendant of a node that is".into(),
            })
        }
    }
}

/// Returns per node `true` if an animation changes its translation, rotation or scale, by a pointer or without.
fn animated_nodes(document: &GltfJson) -> Vec<bool> {
    let mut animated = vec![false; document.nodes.len()];
    for (i, animation) in document.animations.iter().enumerate() {
        let value = document.element("animations", i);
        for (k, channel) in animation.channels.iter().enumerate() {
            let Some(channel) = channel else { continue };
            let is_transform =
                matches!(channel.target.path, Checked::Valid(path) if path != Property::MorphTargetWeights);
            let node = match pointer_of_channel(value, k) {
                Some(pointer) => transformed_node(pointer),
                None => channel.target.node.filter(|_| is_transform).map(|node| node.value()),
            };
            if let Some(animated) = node.and_then(|node| animated.get_mut(node)) {
                *animated = true;
            }
        }
    }
    animated
}

/// Returns the rest transform of a node, and its matrix if a transform cannot represent it.
fn rest(
    document: &GltfJson,
    node: usize,
    is_animated: bool,
    diagnostics: &mut Diagnostics,
) -> Result<(Transform, Option<Affine>), ImportError> {
    let at = || document.location("nodes", node);
    // Read from the JSON, since the typed node is rounded to single precision.
    let json = document.element("nodes", node);
    if let Some(matrix) = float_array::<16>(json, "matrix", at, diagnostics)? {
        return Ok(rest_from_matrix(&matrix, json, is_animated, &at, diagnostics));
    }
    let translation = float_array(json, "translation", at, diagnostics)?.unwrap_or([0.0; 3]);
    let scale = float_array(json, "scale", at, diagnostics)?.unwrap_or([1.0; 3]);
    let [x, y, z, w] = float_array(json, "rotation", at, diagnostics)?.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let (rotation, problem) = unit_quaternion([x, y, z, w]);
    if let Some(problem) = problem {
        diagnostics.add(&at().child("rotation", "rotation"), problem);
    }
    Ok((Transform { translation: translation.into(), rotation, scale: scale.into() }, None))
}

fn rest_from_matrix(
    matrix: &[f64; 16],
    json: &Value,
    is_animated: bool,
    at: &dyn Fn() -> JsonLocation,
    diagnostics: &mut Diagnostics,
) -> (Transform, Option<Affine>) {
    let [a, b, c, p, d, e, f, q, g, h, i, r, x, y, z, s] = *matrix;
    let affine = Affine { linear: Matrix3::new(a, d, g, b, e, h, c, f, i), translation: Vector3::new(x, y, z) };
    if [p, q, r, s] != [0.0, 0.0, 0.0, 1.0] {
        diagnostics.add(&at().child("matrix", "matrix"), "its last row is not 0 0 0 1; it is replaced by that");
    }
    if ["translation", "rotation", "scale"].iter().any(|key| json.get(key).is_some()) {
        diagnostics.add(&at(), "it has both a matrix and a translation, rotation or scale; the matrix is used");
    }
    // The decomposition of huge values overflows.
    let rest =
        Some(affine.to_transform()).filter(|rest| rest.to_affine().is_finite()).unwrap_or_else(Transform::identity);
    let (error, size) = ((rest.to_affine().linear - affine.linear).amax(), affine.linear.amax());
    if error <= 1e-7 * size {
        if is_animated {
            diagnostics.add(&at().child("matrix", "matrix"), "clips move this node; its matrix is decomposed");
        }
        return (rest, None);
    }
    // Rounding in the file causes about 1e-7, which is not reported.
    if error <= Joint::MAX_MATRIX_NOISE * size {
        return (rest, (!is_animated).then_some(affine));
    }
    if is_animated {
        let text =
            "clips move this node, so the shear in its matrix is lost; in Blender, apply the scale of its parents";
        diagnostics.add(&at().child("matrix", "matrix"), text);
        return (rest, None);
    }
    let text = "this matrix has shear, which glTF does not allow; it is drawn as it is; in Blender, apply the scale of its parents";
    diagnostics.add(&at().child("matrix", "matrix"), text);
    (rest, Some(affine))
}

/// Reads `N` finite numbers. Returns `None` if the property is absent, or out of the range of single precision.
fn float_array<const N: usize>(
    json: &Value,
    key: &str,
    at: impl Fn() -> JsonLocation,
    diagnostics: &mut Diagnostics,
) -> Result<Option<[f64; N]>, ImportError> {
    let Some(list) = json.get(key).filter(|list| !list.is_null()) else { return Ok(None) };
    let mut out = [0.0; N];
    let items = list.as_array().map_or(&[][..], Vec::as_slice);
    let are_numbers = items.len() == N
        && out.iter_mut().zip(items).all(|(out, item)| {
            *out = item.as_f64().unwrap_or(f64::NAN);
            out.is_finite()
        });
    let error = if !are_numbers {
        let problem = format!("these are not {N} finite numbers");
        ImportError::InvalidData { at: at().child(key, key), problem }
    } else if out.iter().any(|x| !(*x as f32).is_finite()) {
        ImportError::BeyondSinglePrecision { at: at().child(key, key) }
    } else {
        return Ok(Some(out));
    };
    diagnostics.leave_out(error, "it is ignored")?;
    Ok(None)
}

/// Normalizes a quaternion. Also returns the problem if its length is not 1.
pub(super) fn unit_quaternion([x, y, z, w]: [f64; 4]) -> (UnitQuaternion<f64>, Option<String>) {
    let quaternion = Quaternion::new(w, x, y, z);
    let length = quaternion.norm();
    // Normalizing a denormal length loses all precision.
    match UnitQuaternion::try_new(quaternion, 1e-30) {
        None => (UnitQuaternion::identity(), Some("a rotation of length 0 is replaced by the identity".into())),
        Some(unit) if (length - 1.0).abs() > 1e-3 => {
            (unit, Some(format!("a rotation of length {length:.4} is scaled to length 1")))
        }
        Some(unit) => (unit, None),
    }
}

/// Appends a node's morph weights to `all`. Returns their range.
fn weights(
    document: &GltfJson,
    node: usize,
    morph_target_counts: &[usize],
    all: &mut Vec<f32>,
    diagnostics: &mut Diagnostics,
) -> Result<std::ops::Range<usize>, ImportError> {
    let at = || document.location("nodes", node);
    let start = all.len();
    let Some(json) = document.nodes.get(node) else { return Ok(start..start) };
    let Some(mesh) = json.mesh.map(|mesh| mesh.value()) else { return Ok(start..start) };
    let Some(&count) = morph_target_counts.get(mesh) else {
        let count = morph_target_counts.len();
        let error = ImportError::MissingReference { at: at(), kind: "mesh", index: mesh, count };
        diagnostics.leave_out_geometry(error, LEFT_OUT)?;
        return Ok(start..start);
    };
    let total = (start as u64).saturating_add(count as u64);
    document.check_limit(Limit::MorphWeights, total, || (at().pointer, "morph weights of all nodes".into()))?;
    let mesh_weights = document.meshes.get(mesh).and_then(|mesh| mesh.weights.as_ref());
    let (list, at): (_, JsonLocation) = match (&json.weights, mesh_weights) {
        (Some(weights), _) => (weights.as_slice(), at().child("weights", "weights")),
        (None, Some(weights)) => (weights.as_slice(), document.location("meshes", mesh).child("weights", "weights")),
        (None, None) => (&[][..], at()),
    };
    if !list.is_empty() && list.len() != count {
        let text = format!("there are {} weights for {count} morph targets; missing ones are 0", list.len());
        diagnostics.add(&at, text);
    }
    if list.iter().any(|weight| !weight.is_finite()) {
        diagnostics.leave_out(ImportError::BeyondSinglePrecision { at }, "0 replaces it")?;
    }
    let weights = list.iter().map(|weight| if weight.is_finite() { *weight } else { 0.0 });
    all.extend(weights.chain(std::iter::repeat(0.0)).take(count));
    Ok(start..all.len())
}

//! Skins.

use super::accessor::AccessorReader;
use super::diagnostics::Diagnostics;
use super::error::ImportError;
use super::json::GltfJson;
use super::limits::Limit;
use crate::gltf_format::{ComponentType, ElementType};
use crate::math::Affine;
use crate::model::{JointIndex, Skin};
use crate::util::text::counted;
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum joints per skin: `JOINTS_n` has at most 16 bits.
const MAX_JOINTS: usize = 1 << 16;

/// Inverse bind matrices by accessor and joint count.
type MatrixCache = HashMap<(usize, usize), Arc<[Affine]>>;

/// Reads all skins. An invalid one has no joints. `joint_of_node` maps node indices to joints.
pub(super) fn read(
    document: &GltfJson,
    reader: &AccessorReader,
    joint_of_node: &[JointIndex],
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Skin>, ImportError> {
    let count: usize = document.skins.iter().map(|skin| skin.joints.len()).sum();
    document.check_limit(Limit::SkinJoints, count as u64, || ("/skins".into(), "joints of all skins".into()))?;
    let mut skins = Vec::with_capacity(document.skins.len());
    let mut cache = MatrixCache::new();
    for (i, json) in document.skins.iter().enumerate() {
        if document.is_invalid("skins", i) {
            skins.push(Skin::default());
            continue;
        }
        let skin = read_skin(document, reader, joint_of_node, i, &mut cache, diagnostics);
        let skin = diagnostics.or_leave_out(skin, "it is left out, and its meshes are shown unskinned")?;
        skins.push(skin.unwrap_or_else(|| Skin { name: json.name.clone(), ..Skin::default() }));
    }
    Ok(skins)
}

fn read_skin(
    document: &GltfJson,
    reader: &AccessorReader,
    joint_of_node: &[JointIndex],
    i: usize,
    cache: &mut MatrixCache,
    diagnostics: &mut Diagnostics,
) -> Result<Skin, ImportError> {
    let at = || document.location("skins", i);
    let nodes = joint_of_node.len();
    let (name, joints, matrices, root) = match document.skins.get(i) {
        Some(json) => (json.name.clone(), json.joints.as_slice(), json.inverse_bind_matrices, json.skeleton),
        None => (None, &[][..], None, None),
    };
    if joints.is_empty() {
        return Err(ImportError::InvalidData {
            at: at(),
            problem: "it has no joints; in Blender, check the Armature modifier".into(),
        });
    }
    if joints.len() > MAX_JOINTS {
        let problem = format!("it has {} joints, vertices can refer to at most {MAX_JOINTS}", joints.len());
        return Err(ImportError::InvalidData { at: at(), problem });
    }
    if let Some(root) = root.filter(|root| root.value() >= nodes) {
        let error =
            ImportError::MissingReference { at: at(), kind: "skeleton node", index: root.value(), count: nodes };
        diagnostics.leave_out(error, "it is ignored")?;
    }
    let joint = |node: usize| {
        let missing = || ImportError::MissingReference { at: at(), kind: "joint node", index: node, count: nodes };
        joint_of_node.get(node).copied().ok_or_else(missing)
    };
    let joints: Vec<JointIndex> = joints.iter().map(|node| joint(node.value())).collect::<Result<_, _>>()?;
    let mut distinct = joints.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < joints.len() {
        let twice = counted(joints.len() - distinct.len(), "joint is", "joints are");
        diagnostics.add(&at(), format!("{twice} in it more than once"));
    }
    let joint_from_mesh = match matrices {
        None => vec![Affine::IDENTITY; joints.len()].into(),
        Some(accessor) => {
            let key = (accessor.value(), joints.len());
            match cache.get(&key) {
                Some(shared) => shared.clone(),
                None => {
                    let matrices = inverse_bind_matrices(document, reader, i, key.0, key.1, diagnostics)?;
                    cache.entry(key).or_insert(matrices).clone()
                }
            }
        }
    };
    Ok(Skin { name, joints, joint_from_mesh })
}

fn inverse_bind_matrices(
    document: &GltfJson,
    reader: &AccessorReader,
    skin: usize,
    accessor: usize,
    joints: usize,
    diagnostics: &mut Diagnostics,
) -> Result<Arc<[Affine]>, ImportError> {
    let at = || document.location("skins", skin).child("inverseBindMatrices", "inverse bind matrices");
    let data =
        reader.read(accessor, "MAT4 of FLOAT", |f| f.element == ElementType::Mat4 && f.component == ComponentType::F32);
    let data = data.map_err(|problem| ImportError::Accessor { at: at(), problem })?;
    if data.count < joints {
        let problem =
            format!("there are {} for {}; export the file again", data.count, counted(joints, "joint", "joints"));
        return Err(ImportError::InvalidData { at: at(), problem });
    }
    let mut matrices = data.floats::<16>();
    matrices.truncate(joints);
    let mut replaced_rows = 0;
    for (slot, matrix) in matrices.iter().enumerate() {
        if matrix.iter().any(|x| !x.is_finite()) {
            let problem = format!("matrix {slot} holds a number that is not finite (accessor {accessor})");
            return Err(ImportError::InvalidData { at: at(), problem });
        }
        let [_, _, _, p, _, _, _, q, _, _, _, r, _, _, _, s] = *matrix;
        replaced_rows += usize::from([p, q, r, s].iter().zip([0.0, 0.0, 0.0, 1.0]).any(|(x, y)| (x - y).abs() > 1e-5));
    }
    if replaced_rows > 0 {
        let matrices = counted(replaced_rows, "matrix has a last row", "matrices have last rows");
        diagnostics.add(&at(), format!("{matrices} other than 0 0 0 1, which is used instead"));
    }
    Ok(matrices.iter().map(Affine::from_column_major).collect())
}

//! Decoded vertices and indices of the primitives of one file, by their accessors.

use crate::model::{MorphTarget, Vertices};
use std::collections::HashMap;
use std::sync::Arc;

/// Vertices and indices that primitives share, since they have the same accessors. An exporter writes one primitive per material
/// over common vertices, or one mesh per material, and each copy would take memory and time.
///
/// Attributes are shared together, not one by one: files rarely combine one accessor with different others.
#[derive(Default)]
pub(super) struct DecodedGeometry {
    pub(super) vertices: HashMap<AttributeKey, SharedVertices>,
    /// By accessor, and the number of indices per point, line or triangle.
    pub(super) indices: HashMap<(usize, usize), SharedIndices>,
}

/// What vertices and morph targets are read from.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct AttributeKey {
    /// JSON of the attributes.
    pub(super) attributes: String,
    /// JSON of the morph targets.
    pub(super) targets: String,
    pub(super) target_count: usize,
    pub(super) skin_joint_count: usize,
}

/// Vertices and morph targets of one or more primitives.
#[derive(Clone)]
pub(super) struct SharedVertices {
    pub(super) vertices: Arc<Vertices>,
    pub(super) targets: Arc<Vec<MorphTarget>>,
}

/// Indices of one or more primitives.
#[derive(Clone)]
pub(super) struct SharedIndices {
    /// Without an incomplete line or triangle at the end.
    pub(super) indices: Arc<[u32]>,
    /// Number of indices in the file.
    pub(super) count: usize,
    /// The largest index in the file.
    pub(super) max: u32,
    /// Position of the first index that is `max`.
    pub(super) max_position: usize,
    /// Value that glTF reserves for primitive restart.
    pub(super) restart: u32,
}

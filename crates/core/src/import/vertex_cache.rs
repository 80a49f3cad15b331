//! Decoded vertices of the primitives of one file, by their accessors.

use crate::model::{MorphTarget, Vertices};
use std::collections::HashMap;
use std::sync::Arc;

/// Vertices that primitives share, since they have the same accessors. An exporter writes one primitive per material over common
/// vertices, and each copy would take memory and time.
pub(super) type VertexCache = HashMap<VertexKey, SharedVertices>;

/// What vertices and morph targets are read from.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct VertexKey {
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

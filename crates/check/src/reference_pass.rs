//! References between elements: they must exist, and their targets must suit their use.

use super::checked_file::{Accessor, CheckedFile, View};
use super::data_rules::DataRule;
use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::index;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// The use of a buffer view; only one is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewUse {
    Vertices,
    Indices,
    InverseBindMatrices,
    Image,
    Other,
}

/// The use of an accessor; only one is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessorUse {
    Vertices,
    Indices,
    InverseBindMatrices,
    KeyTimes,
    KeyValues,
}

/// The primitives of a mesh, and what the checks of nodes, animations and expressions need of them all: many nodes may show a mesh of
/// many primitives.
pub(super) struct MeshSummary {
    pub(super) primitives: Vec<PrimitiveSummary>,
    /// Number of morph targets of its first primitive; `None` without the property.
    pub(super) targets: Option<usize>,
    /// The largest number of morph targets of a primitive.
    pub(super) max_targets: usize,
    /// `true` if a primitive has joints and weights.
    pub(super) is_skinned: bool,
}

impl MeshSummary {
    /// Returns `None` without primitives.
    pub(super) fn new(primitives: Vec<PrimitiveSummary>) -> Option<Self> {
        Some(Self {
            targets: primitives.first()?.targets,
            max_targets: primitives.iter().filter_map(|primitive| primitive.targets).max().unwrap_or(0),
            is_skinned: primitives.iter().any(|primitive| primitive.influence_sets > 0),
            primitives,
        })
    }
}

/// Properties of a primitive that the checks of its mesh and of its influences need.
#[derive(Clone, Default)]
pub(super) struct PrimitiveSummary {
    /// Number of JOINTS sets, if there are as many WEIGHTS sets; otherwise 0.
    pub(super) influence_sets: usize,
    /// The accessors of JOINTS_n and WEIGHTS_n.
    pub(super) influences: Vec<(Option<usize>, Option<usize>)>,
    pub(super) vertices: Option<u64>,
    /// Number of morph targets; `None` without the property.
    pub(super) targets: Option<usize>,
}

/// The pass over all references. Its checks of each kind of element are in files of their own.
pub(super) struct ReferencePass<'a> {
    pub(super) file: &'a CheckedFile<'a>,
    pub(super) issues: &'a mut Issues,
    /// `None` for a malformed mesh.
    pub(super) meshes: Vec<Option<MeshSummary>>,
    /// Rules by accessor, each with the pointer of its issues.
    pub(super) rules: BTreeMap<usize, Vec<(DataRule, String)>>,
    view_uses: Vec<Option<ViewUse>>,
    accessor_uses: Vec<Option<AccessorUse>>,
    /// The accessor of vertices that uses a view without a stride.
    unshared_views: Vec<Option<usize>>,
}

impl<'a> ReferencePass<'a> {
    pub(super) fn new(file: &'a CheckedFile<'a>, issues: &'a mut Issues) -> Self {
        let declared = |view: &View| match view.target {
            Some(34962) => Some(ViewUse::Vertices),
            Some(34963) => Some(ViewUse::Indices),
            _ => None,
        };
        Self {
            file,
            issues,
            meshes: Vec::new(),
            rules: BTreeMap::new(),
            view_uses: file.views.iter().map(declared).collect(),
            accessor_uses: vec![None; file.accessors.len()],
            unshared_views: vec![None; file.views.len()],
        }
    }

    /// Checks all elements. Meshes come before nodes, and nodes before animations, which use their results.
    pub(super) fn check_all(&mut self) {
        self.views();
        self.accessors();
        self.textures();
        self.meshes();
        self.nodes();
        self.skins();
        self.animations();
        self.scenes();
        self.vrm();
        self.unused_elements();
    }

    /// As [`CheckedFile::follow`].
    pub(super) fn follow(
        &mut self,
        value: &Value,
        name: &str,
        target: &'static str,
        at: &JsonPath<'_>,
    ) -> Option<usize> {
        self.file.follow(value, name, target, at, self.issues)
    }

    /// The index in `value`; reports an issue if there is no such element in `target`.
    pub(super) fn resolve(&mut self, value: &Value, target: &'static str, at: &JsonPath<'_>) -> Option<usize> {
        self.file.resolve(index(value)?, target, at, self.issues)
    }

    /// Records the use of a buffer view; reports an issue if it has another one already.
    pub(super) fn use_view(&mut self, view: usize, usage: ViewUse, at: impl Display) {
        let Some(known) = self.view_uses.get_mut(view) else { return };
        match known {
            None => {
                *known = Some(usage);
                if matches!(usage, ViewUse::Vertices | ViewUse::Indices) {
                    let message =
                        format_args!("buffer view {view} should have a target, for viewers that upload it as a whole");
                    self.issues.add("BUFFER_VIEW_TARGET_MISSING", at, message);
                }
            }
            Some(known) if *known != usage => {
                let message =
                    format_args!("buffer view {view} already contains {known} and cannot contain {usage} too");
                self.issues.add("BUFFER_VIEW_TARGET_OVERRIDE", at, message);
            }
            Some(_) => {}
        }
    }

    /// Records the use of an accessor and of its buffer view.
    pub(super) fn use_accessor(
        &mut self,
        index: usize,
        usage: AccessorUse,
        view_usage: ViewUse,
        at: impl Display + Copy,
    ) {
        let Some(known) = self.accessor_uses.get_mut(index) else { return };
        match known {
            None => *known = Some(usage),
            Some(known) if *known != usage => {
                let message = format_args!("accessor {index} already contains {known} and cannot contain {usage} too");
                self.issues.add("ACCESSOR_USAGE_OVERRIDE", at, message);
            }
            Some(_) => {}
        }
        if let Some(view) = self.existing_view(index) {
            self.use_view(view, view_usage, at);
        }
    }

    /// Reports an issue if two accessors of vertices share a buffer view without a stride.
    pub(super) fn require_stride_if_shared(&mut self, index: usize, at: impl Display) {
        let Some(view) = self.existing_view(index).filter(|view| self.file.views[*view].stride.is_none()) else {
            return;
        };
        match self.unshared_views[view] {
            None => self.unshared_views[view] = Some(index),
            Some(first) if first != index => {
                let message = format_args!(
                    "accessors {first} and {index} share buffer view {view}, which needs a byteStride for that"
                );
                self.issues.add("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", at, message);
            }
            Some(_) => {}
        }
    }

    /// The buffer view of an accessor, if it exists.
    pub(super) fn existing_view(&self, accessor: usize) -> Option<usize> {
        let view = self.file.accessors.get(accessor)?.view?;
        self.file.element("bufferViews", Some(view)).map(|_| view)
    }

    /// Returns `true` if the buffer view of the accessor has a stride.
    pub(super) fn has_stride(&self, accessor: usize) -> bool {
        self.existing_view(accessor).is_some_and(|view| self.file.views[view].stride.is_some())
    }

    /// An accessor that exists.
    pub(super) fn accessor(&self, index: usize) -> Option<&'a Accessor> {
        self.file.element("accessors", Some(index)).and_then(|_| self.file.accessors.get(index))
    }

    /// Adds a rule for an accessor, once per kind.
    pub(super) fn add_data_rule(&mut self, accessor: usize, rule: DataRule, at: impl Display) {
        let rules = self.rules.entry(accessor).or_default();
        for (known, pointer) in rules.iter_mut() {
            match (&mut *known, rule) {
                // Of several primitives, the one with the fewest vertices has the strictest limit, in any order.
                (
                    DataRule::Indices { limit: lowest, triangles: are_triangles },
                    DataRule::Indices { limit, triangles },
                ) => {
                    *are_triangles |= triangles;
                    if limit < *lowest {
                        (*lowest, *pointer) = (limit, at.to_string());
                    }
                    return;
                }
                (known, rule) if *known == rule => return,
                _ => {}
            }
        }
        rules.push((rule, at.to_string()));
    }
}

impl Display for ViewUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertices => "vertices",
            Self::Indices => "indices",
            Self::InverseBindMatrices => "inverse bind matrices",
            Self::Image => "an image",
            Self::Other => "other data",
        })
    }
}

impl Display for AccessorUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertices => "vertices",
            Self::Indices => "indices",
            Self::InverseBindMatrices => "inverse bind matrices",
            Self::KeyTimes => "key times",
            Self::KeyValues => "key values",
        })
    }
}

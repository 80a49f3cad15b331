//! References between elements: that they exist, and that what they lead to is fit for its use.

use super::file::{Accessor, CheckedFile};
use super::issue::{JsonPath, Issues};
use std::collections::BTreeMap;
use std::fmt::Display;

/// What a buffer view is used for; it can be only one of these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewUse {
    Vertices,
    Indices,
    InverseBindMatrices,
    Image,
    Other,
}

/// What an accessor is used for; it can be only one of these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessorUse {
    Vertices,
    Indices,
    InverseBindMatrices,
    KeyTimes,
    KeyValues,
}

/// Something that the numbers of an accessor must satisfy because of its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataRule {
    /// Key times: from 0 on, increasing.
    Times,
    /// Unit quaternions; with tangents around each where the keys are cubic.
    Quaternions { cubic: bool },
    /// Inverse bind matrices: nothing but 0 0 0 1 in the last row.
    InverseBind,
    /// Unit vectors.
    Directions,
    /// Unit vectors and a sign.
    Tangents,
    /// Colors, 0 to 1.
    Colors,
    /// Vertex numbers below the limit.
    Indices { limit: u64, triangles: bool },
}

/// What the checks of a primitive leave for nodes, animations and influences.
#[derive(Clone, Default)]
pub(super) struct PrimitiveSummary {
    /// Sets of JOINTS, if there are as many of WEIGHTS; otherwise 0.
    pub(super) influence_sets: usize,
    /// The accessors of JOINTS_n and WEIGHTS_n.
    pub(super) influences: Vec<(Option<usize>, Option<usize>)>,
    pub(super) vertices: Option<u64>,
    /// Number of morph targets; `None` without the property.
    pub(super) targets: Option<usize>,
}

/// The state of the pass over all references.
pub(super) struct ReferencePass<'a> {
    pub(super) file: &'a CheckedFile<'a>,
    pub(super) issues: &'a mut Issues,
    /// Primitives of each mesh; `None` for a broken mesh.
    pub(super) meshes: Vec<Option<Vec<PrimitiveSummary>>>,
    /// What the numbers of each accessor must satisfy, and where the issue is told.
    pub(super) rules: BTreeMap<usize, Vec<(DataRule, String)>>,
    view_uses: Vec<Option<ViewUse>>,
    accessor_uses: Vec<Option<AccessorUse>>,
    /// The accessor that vertices read from a view without a stride.
    tight_views: Vec<Option<usize>>,
}

impl<'a> ReferencePass<'a> {
    pub(super) fn new(file: &'a CheckedFile<'a>, issues: &'a mut Issues) -> Self {
        let declared = |view: &super::file::View| match view.target {
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
            tight_views: vec![None; file.views.len()],
        }
    }

    /// Follows all references, in the order that one kind of element needs the other.
    pub(super) fn run(&mut self) {
        self.views();
        self.accessors();
        self.textures();
        self.meshes();
        self.nodes();
        self.skins();
        self.animations();
        self.scenes();
    }

    fn views(&mut self) {
        let at_list = JsonPath::ROOT.key("bufferViews");
        for (i, view) in self.file.views.iter().enumerate() {
            let at = at_list.item(i);
            let Some(buffer) = view.buffer else { continue };
            let Some(buffer) = self.file.resolve(buffer, "buffers", &at.key("buffer"), self.issues) else { continue };
            let length = self.file.list("buffers").get(buffer).and_then(|buffer| {
                buffer.get("byteLength").and_then(super::schema::integer).filter(|length| *length > 0)
            });
            let (Some(has), Some(offset)) = (length, view.offset) else { continue };
            let end = i128::from(offset) + i128::from(view.length.unwrap_or(0));
            if i128::from(offset) >= has || end > has {
                let at = at.key(if i128::from(offset) >= has { "byteOffset" } else { "byteLength" });
                let message = format_args!(
                    "it ends at byte {end} of buffer {buffer}, which has {has}; copy or export the file again"
                );
                self.issues.add("BUFFER_VIEW_TOO_LONG", at, message);
            }
        }
    }

    fn accessors(&mut self) {
        let at_list = JsonPath::ROOT.key("accessors");
        for (i, accessor) in self.file.accessors.iter().enumerate() {
            let at = at_list.item(i);
            let (Some(component), Some(count), Some(_)) = (accessor.component, accessor.count, &accessor.kind) else {
                continue;
            };
            if let Some(view) = accessor.view
                && let Some(view) = self.file.resolve(view, "bufferViews", &at.key("bufferView"), self.issues)
            {
                let stride = self.file.views[view].stride;
                if let Some(stride) = stride.filter(|stride| *stride < accessor.item_bytes()) {
                    let message = format_args!(
                        "its items of {} bytes overlap: buffer view {view} places them {stride} bytes apart",
                        accessor.item_bytes()
                    );
                    self.issues.add("ACCESSOR_SMALL_BYTESTRIDE", at, message);
                }
                let length = accessor.length(stride.unwrap_or(accessor.step()));
                self.fits(accessor.offset, component.size(), length, view, &at);
            }
            let Some(sparse) = &accessor.sparse else { continue };
            let at = at.key("sparse");
            let Some(replaced) = sparse.count else { continue };
            if replaced > count {
                let message = format_args!("it replaces {replaced} items, but has {count}");
                self.issues.add("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", at.key("count"), message);
            }
            let parts = [
                ("indices", sparse.indices_view, sparse.indices_offset, sparse.component.map(|c| (c.size(), c.size()))),
                (
                    "values",
                    sparse.values_view,
                    sparse.values_offset,
                    Some((component.size(), component.size() * accessor.width() as u64)),
                ),
            ];
            for (name, view, offset, size) in parts {
                let at = at.key(name);
                let at_view = at.key("bufferView");
                let Some(view) = view.and_then(|view| self.file.resolve(view, "bufferViews", &at_view, self.issues))
                else {
                    continue;
                };
                self.use_view(view, ViewUse::Other, at_view);
                if self.file.views[view].stride.is_some() {
                    let message = format_args!("sparse {name} must stand side by side, without a byteStride");
                    self.issues.add("BUFFER_VIEW_INVALID_BYTE_STRIDE", at_view, message);
                }
                if let Some((alignment, size)) = size {
                    self.fits(offset, alignment, size.checked_mul(replaced), view, &at);
                }
            }
        }
    }

    /// Checks that `length` bytes from `offset` on lie in a buffer view, at multiples of `alignment`.
    fn fits(&mut self, offset: Option<u64>, alignment: u64, length: Option<u64>, view: usize, at: &JsonPath<'_>) {
        let Some(offset) = offset else { return };
        if offset % alignment != 0 {
            let message = format_args!("offset {offset} is not a multiple of {alignment}, the size of one number");
            self.issues.add("ACCESSOR_OFFSET_ALIGNMENT", at.key("byteOffset"), message);
        }
        let json = &self.file.views[view];
        let Some(start) = json.offset else { return };
        if start.wrapping_add(offset) % alignment != 0 {
            let message = format_args!(
                "it begins at byte {} of the buffer, not at a multiple of {alignment}",
                start.wrapping_add(offset)
            );
            self.issues.add("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", at, message);
        }
        let Some(has) = json.length else { return };
        let needs = length.and_then(|length| length.checked_add(offset));
        if offset > has || needs.is_none_or(|needs| needs > has) {
            let needs = needs.unwrap_or(u64::MAX);
            let message = format_args!(
                "it reads past the end of its buffer view: {needs} bytes of {has} in buffer view {view}; export the file again"
            );
            let at_offset = at.key("byteOffset");
            self.issues.add("ACCESSOR_TOO_LONG", if offset > has { &at_offset } else { at }, message);
        }
    }

    /// Notes what a buffer view is used for; a second, other use is an issue.
    pub(super) fn use_view(&mut self, view: usize, usage: ViewUse, at: impl Display) {
        let Some(known) = self.view_uses.get_mut(view) else { return };
        match known {
            None => {
                *known = Some(usage);
                if matches!(usage, ViewUse::Vertices | ViewUse::Indices) {
                    let message =
                        format_args!("buffer view {view} should tell its target, for viewers that upload it whole");
                    self.issues.add("BUFFER_VIEW_TARGET_MISSING", at, message);
                }
            }
            Some(known) if *known != usage => {
                let message = format_args!("buffer view {view} holds {known} already and cannot hold {usage} too");
                self.issues.add("BUFFER_VIEW_TARGET_OVERRIDE", at, message);
            }
            Some(_) => {}
        }
    }

    /// Notes what an accessor is used for, and its buffer view with it.
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
                let message = format_args!("accessor {index} holds {known} already and cannot hold {usage} too");
                self.issues.add("ACCESSOR_USAGE_OVERRIDE", at, message);
            }
            Some(_) => {}
        }
        if let Some(view) = self.existing_view(index) {
            self.use_view(view, view_usage, at);
        }
    }

    /// Two accessors of vertices may share a buffer view only if it has a stride.
    pub(super) fn require_stride_if_shared(&mut self, index: usize, at: impl Display) {
        let Some(view) = self.existing_view(index).filter(|view| self.file.views[*view].stride.is_none()) else {
            return;
        };
        match self.tight_views[view] {
            None => self.tight_views[view] = Some(index),
            Some(first) if first != index => {
                let message = format_args!(
                    "accessors {first} and {index} share buffer view {view}, which must tell its byteStride then"
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

    /// Whether an accessor's items stand apart in their buffer view.
    pub(super) fn has_stride(&self, accessor: usize) -> bool {
        self.existing_view(accessor).is_some_and(|view| self.file.views[view].stride.is_some())
    }

    /// An accessor that exists.
    pub(super) fn accessor(&self, index: usize) -> Option<&'a Accessor> {
        self.file.element("accessors", Some(index)).and_then(|_| self.file.accessors.get(index))
    }

    /// Adds a check of an accessor's numbers, once for each kind.
    pub(super) fn add_data_rule(&mut self, accessor: usize, rule: DataRule, at: impl Display) {
        let rules = self.rules.entry(accessor).or_default();
        for (known, place) in rules.iter_mut() {
            match (&mut *known, rule) {
                // Of several primitives, the one with the fewest vertices is the one to break.
                (DataRule::Indices { limit: least, .. }, DataRule::Indices { limit, .. }) => {
                    if limit < *least {
                        (*known, *place) = (rule, at.to_string());
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
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Vertices => "vertices",
            Self::Indices => "indices",
            Self::InverseBindMatrices => "inverse bind matrices",
            Self::KeyTimes => "key times",
            Self::KeyValues => "key values",
        })
    }
}

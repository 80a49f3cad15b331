//! What is found wrong: code, severity, place, words; and the list that collects it within bounds.

use super::source_map::{Order, around};
use crate::util::text::one_line;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The file works, but not everywhere or not as meant.
    Warning,
    /// The glTF 2.0 specification is broken, or the file cannot be shown as meant.
    Error,
}

impl Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, for programs: the Khronos validator's code, or one of our own beginning with `RIGVIEW_`.
    pub code: &'static str,
    /// JSON Pointer (RFC 6901) to the element; empty for the container or the whole file.
    pub pointer: String,
    /// Its line in a .gltf file, from 1.
    #[serde(skip)]
    pub line: Option<u32>,
    /// What it is, for people: one line without control characters.
    pub message: String,
}

/// More issues of one code help nobody.
pub const MAX_OF_A_CODE: usize = 100;

/// The issues of one file while they are found.
#[derive(Default)]
pub(super) struct Issues {
    list: Vec<Issue>,
    counts: BTreeMap<&'static str, usize>,
}

impl Issues {
    /// Adds an issue, or only counts it where there are too many of its code; nothing is formatted then.
    pub(super) fn add(&mut self, code: &'static str, at: impl Display, message: fmt::Arguments<'_>) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= MAX_OF_A_CODE {
            let message = one_line(&message.to_string());
            let pointer = at.to_string();
            self.list.push(Issue { severity: severity(code), code, pointer, line: None, message });
        }
    }

    /// Whether an error has been found.
    pub(super) fn any_error(&self) -> bool {
        self.counts.keys().any(|code| severity(code) == Severity::Error)
    }

    /// Whether an issue of this code has been found.
    pub(super) fn has(&self, code: &str) -> bool {
        self.counts.contains_key(code)
    }

    /// All of them in the order of the JSON text; of each code that had too many, one more tells how many.
    ///
    /// Lines are given where the text is a file of its own.
    pub(super) fn into_vec(mut self, text: &[u8], with_lines: bool) -> Vec<Issue> {
        let pointers = self.list.iter().flat_map(|issue| around(&issue.pointer)).collect();
        let order = Order::new(text, &pointers);
        self.list.sort_by_cached_key(|issue| order.place(&issue.pointer).0);
        if with_lines {
            self.list.iter_mut().for_each(|issue| issue.line = Some(order.place(&issue.pointer).1));
        }
        for (code, count) in self.counts.into_iter().filter(|(_, count)| *count > MAX_OF_A_CODE) {
            let message = format!("{} more of {code} are not listed", count - MAX_OF_A_CODE);
            self.list.push(Issue { severity: Severity::Info, code, pointer: String::new(), line: None, message });
        }
        self.list
    }
}

/// Where an element is: a chain of steps from the root, written out only when an issue needs it.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    parent: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

impl<'a> At<'a> {
    /// The whole file.
    pub(super) const ROOT: At<'static> = At { parent: None, step: Step::Root };

    /// A member of this object.
    pub(super) fn key(&'a self, key: &'a str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    /// An item of this list.
    pub(super) fn item(&'a self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// Whether it is one of the document's own members.
    pub(super) fn is_in_root(&self) -> bool {
        self.parent.is_some_and(|parent| parent.parent.is_none())
    }

    /// The object or list that this is in.
    pub(super) fn parent(&self) -> At<'a> {
        self.parent.copied().unwrap_or(At::ROOT)
    }
}

impl Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Root => Ok(()),
            Step::Index(index) => write!(f, "/{index}"),
            // A key can be as long as the file, a pointer need not.
            Step::Key(key) if key.len() <= 1000 => write!(f, "/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Key(_) => Ok(()),
        }
    }
}

/// How bad a code is: as the Khronos validator says, where it has the code.
pub fn severity(code: &str) -> Severity {
    if WARNINGS.contains(&code) {
        Severity::Warning
    } else if INFOS.contains(&code) {
        Severity::Info
    } else {
        Severity::Error
    }
}

const WARNINGS: &[&str] = &[
    "ACCESSOR_JOINTS_USED_ZERO_WEIGHT",
    "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
    "BUFFER_GLB_CHUNK_TOO_BIG",
    "CAMERA_XMAG_YMAG_NEGATIVE",
    "CAMERA_YFOV_GEQUAL_PI",
    "DATA_URI_GLB",
    "GLB_EXTRA_DATA",
    "GLB_UNKNOWN_CHUNK_TYPE",
    "IMAGE_FEATURES_UNSUPPORTED",
    "IMAGE_UNRECOGNIZED_FORMAT",
    "INVALID_EXTENSION_NAME_FORMAT",
    "KHR_MATERIALS_DISPERSION_NO_VOLUME",
    "KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR",
    "KHR_MATERIALS_VOLUME_DOUBLE_SIDED",
    "KHR_MATERIALS_VOLUME_NO_TRANSMISSION",
    "MATERIAL_ALPHA_CUTOFF_INVALID_MODE",
    "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE",
    "MESH_PRIMITIVE_INCOMPATIBLE_MODE",
    "MESH_PRIMITIVE_NO_POSITION",
    "MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL",
    "MULTIPLE_EXTENSIONS",
    "NODE_SKINNED_MESH_LOCAL_TRANSFORMS",
    "NODE_SKINNED_MESH_NON_ROOT",
    "NODE_SKINNED_MESH_PARENT_TRANSFORMS",
    "NODE_SKINNED_MESH_WITHOUT_SKIN",
    "NON_RELATIVE_URI",
    "UNEXPECTED_PROPERTY",
    "UNKNOWN_ASSET_MINOR_VERSION",
    "VALUE_NOT_IN_LIST",
    "RIGVIEW_INFLUENCES_LOST",
    "RIGVIEW_JOINT_NEGATIVE_SCALE",
    "RIGVIEW_JOINT_NON_UNIFORM_SCALE",
    "RIGVIEW_QUATERNION_FLIP",
    "RIGVIEW_UNBOUND_VERTICES",
    "RIGVIEW_UNCHECKED",
    "RIGVIEW_UNIT_SCALE",
    "RIGVIEW_UNSUPPORTED_EXTENSION",
];

const INFOS: &[&str] = &[
    "ACCESSOR_INDEX_TRIANGLE_DEGENERATE",
    "BUFFER_VIEW_TARGET_MISSING",
    "EXTRA_PROPERTY",
    "GLB_EMPTY_BIN_CHUNK",
    "IMAGE_NPOT_DIMENSIONS",
    "INCOMPLETE_EXTENSION_SUPPORT",
    "KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE",
    "KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED",
    "NODE_EMPTY",
    "NODE_MATRIX_DEFAULT",
    "NON_OBJECT_EXTRAS",
    "UNSUPPORTED_EXTENSION",
    "UNUSED_MESH_TANGENT",
    "UNUSED_MESH_WEIGHTS",
    "UNUSED_OBJECT",
    "URI_GLB",
    "RIGVIEW_CLIPS_END_APART",
    "RIGVIEW_CLIP_LEAD_IN",
    "RIGVIEW_CROWD",
    "RIGVIEW_IDLE_JOINTS",
    "RIGVIEW_LOOP_SEAM",
    "RIGVIEW_MANY_INFLUENCES",
    "RIGVIEW_REDUNDANT_KEYS",
    "RIGVIEW_REST_IS_NOT_BIND",
    "RIGVIEW_TEXTURE_SIZE",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_escaped() {
        let at = At::ROOT.key("a/b~c");
        assert_eq!(at.item(3).to_string(), "/a~1b~0c/3");
        assert_eq!(At::ROOT.to_string(), "");
    }

    #[test]
    fn too_many_of_one_code_are_counted() {
        let mut issues = Issues::default();
        for i in 0..250 {
            issues.add("INVALID_INDEX", At::ROOT.item(i), format_args!("line\nbreak"));
        }
        issues.add("NODE_LOOP", At::ROOT, format_args!("x"));
        let list = issues.into_vec(b"", false);
        assert_eq!(list.len(), 102);
        assert_eq!(list[0].message, "line break");
        let last = &list[101];
        assert_eq!(
            (last.code, last.severity, last.message.starts_with("150 ")),
            ("INVALID_INDEX", Severity::Info, true)
        );
    }

    #[test]
    fn severities_do_not_contradict_each_other() {
        assert!(WARNINGS.iter().all(|code| !INFOS.contains(code)));
        assert_eq!(severity("NODE_LOOP"), Severity::Error);
        assert_eq!(severity("RIGVIEW_LIMIT"), Severity::Error);
    }
}

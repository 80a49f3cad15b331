//! Issues and their severities, and the bounded list that collects them.

use super::source_map::{SourceMap, ancestors};
use crate::util::text::one_line;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// Severity of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A hint, such as possible savings.
    Info,
    /// The file works, but not in every viewer or not as intended.
    Warning,
    /// The file violates the glTF 2.0 specification, or cannot be shown as intended.
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

/// One finding of the checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issue {
    /// Severity of the code.
    pub severity: Severity,
    /// The Khronos validator's code, or one of rigview's own, which begin with `RIGVIEW_`.
    pub code: &'static str,
    /// JSON Pointer (RFC 6901) to the element; empty for the container or the whole file.
    pub pointer: String,
    /// Line of the element in a .gltf file, from 1.
    #[serde(skip)]
    pub line: Option<u32>,
    /// One line of text without control characters.
    pub message: String,
}

/// Maximum issues that are listed per code; the others are counted.
pub const MAX_ISSUES_PER_CODE: usize = 100;

/// The issues of one file during the checks.
#[derive(Default)]
pub(super) struct Issues {
    list: Vec<Issue>,
    counts: BTreeMap<&'static str, usize>,
}

impl Issues {
    /// Adds an issue, or only counts it beyond [`MAX_ISSUES_PER_CODE`], without formatting its message.
    pub(super) fn add(&mut self, code: &'static str, at: impl Display, message: fmt::Arguments<'_>) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= MAX_ISSUES_PER_CODE {
            let message = one_line(&message.to_string());
            let pointer = at.to_string();
            self.list.push(Issue { severity: severity(code), code, pointer, line: None, message });
        }
    }

    pub(super) fn any_error(&self) -> bool {
        self.counts.keys().any(|code| severity(code) == Severity::Error)
    }

    pub(super) fn has(&self, code: &str) -> bool {
        self.counts.contains_key(code)
    }

    /// All issues in the order of the JSON text, then one issue per code that counts those not listed.
    ///
    /// `with_lines` sets [`Issue::line`]: for JSON that is a file of its own.
    pub(super) fn into_vec(mut self, text: &[u8], with_lines: bool) -> Vec<Issue> {
        let pointers = self.list.iter().flat_map(|issue| ancestors(&issue.pointer)).collect();
        let map = SourceMap::new(text, &pointers);
        self.list.sort_by_cached_key(|issue| map.locate(&issue.pointer).0);
        if with_lines {
            self.list.iter_mut().for_each(|issue| issue.line = Some(map.locate(&issue.pointer).1));
        }
        for (code, count) in self.counts.into_iter().filter(|(_, count)| *count > MAX_ISSUES_PER_CODE) {
            let message = format!("{} more of {code} are not listed", count - MAX_ISSUES_PER_CODE);
            self.list.push(Issue { severity: Severity::Info, code, pointer: String::new(), line: None, message });
        }
        self.list
    }
}

/// Severity of a code; that of the Khronos validator for its codes.
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
    "RIGVIEW_INFLUENCES_TRUNCATED",
    "RIGVIEW_JOINT_NEGATIVE_SCALE",
    "RIGVIEW_JOINT_NON_UNIFORM_SCALE",
    "RIGVIEW_LIGHT_TOO_BRIGHT",
    "RIGVIEW_QUATERNION_FLIP",
    "RIGVIEW_UNBOUND_VERTICES",
    "RIGVIEW_CHECK_SKIPPED",
    "RIGVIEW_UNIT_SCALE",
    "RIGVIEW_UNSUPPORTED",
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
    "RIGVIEW_CLIP_LENGTH_MISMATCH",
    "RIGVIEW_CLIP_STARTS_LATE",
    "RIGVIEW_INSTANCE_COST",
    "RIGVIEW_UNUSED_JOINTS",
    "RIGVIEW_LOOP_DISCONTINUITY",
    "RIGVIEW_MANY_INFLUENCES",
    "RIGVIEW_REDUNDANT_KEYS",
    "RIGVIEW_REST_POSE_NOT_BIND_POSE",
    "RIGVIEW_TEXTURE_SIZE",
    "RIGVIEW_TRACK_LENGTH_MISMATCH",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::json_path::JsonPath;

    #[test]
    fn issues_beyond_the_maximum_are_counted() {
        let mut issues = Issues::default();
        for i in 0..250 {
            issues.add("INVALID_INDEX", JsonPath::ROOT.item(i), format_args!("line\nbreak"));
        }
        issues.add("NODE_LOOP", JsonPath::ROOT, format_args!("x"));
        let list = issues.into_vec(b"", false);
        assert_eq!(list.len(), 102);
        assert_eq!(list[0].message, "line break");
        let last = &list[101];
        assert_eq!((last.code, last.severity), ("INVALID_INDEX", Severity::Info));
        assert!(last.message.starts_with("150 "));
    }

    #[test]
    fn severity_tables_are_disjoint() {
        assert!(WARNINGS.iter().all(|code| !INFOS.contains(code)));
        assert_eq!(severity("NODE_LOOP"), Severity::Error);
        assert_eq!(severity("RIGVIEW_LIMIT"), Severity::Error);
    }
}

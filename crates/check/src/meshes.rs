//! Meshes: attributes and indices.

use super::checked_file::Accessor;
use super::data_rules::DataRule;
use super::formats::{attribute_formats, plain};
use super::json_path::JsonPath;
use super::json_values::{array, index, integer};
use super::reference_pass::{AccessorUse, MeshSummary, PrimitiveSummary, ReferencePass, ViewUse};
use super::textures::MaterialRequirements;
use rigview_core::gltf_format::ComponentType::{F32, U8, U16, U32};
use rigview_core::gltf_format::{ElementFormat, ElementType};
use rigview_core::util::text::{counted, quoted};
use serde_json::{Map, Value};

/// Attribute semantics with a set index.
const SETS: [&str; 4] = ["COLOR", "JOINTS", "TEXCOORD", "WEIGHTS"];

/// Exclusive limit of the index of an attribute set.
const MAX_SETS: usize = 1_000_000;

impl ReferencePass<'_> {
    pub(super) fn meshes(&mut self) {
        let at_array = JsonPath::ROOT.key("meshes");
        let requirements = self.material_requirements();
        for (i, mesh) in self.file.array("meshes").iter().enumerate() {
            let at = at_array.item(i);
            let primitives = array(mesh, "primitives");
            let are_objects = primitives.iter().all(Value::is_object);
            let at_primitives = at.key("primitives");
            let found: Vec<PrimitiveSummary> = primitives
                .iter()
                .enumerate()
                .map(|(k, primitive)| self.primitive(primitive, &requirements, &at_primitives.item(k)))
                .collect();
            if let Some(first) = found.first().filter(|_| are_objects) {
                for (k, other) in found.iter().enumerate() {
                    if other.targets.unwrap_or(0) != first.targets.unwrap_or(0) {
                        let message =
                            format_args!("all primitives of a mesh must have the same number of morph targets");
                        self.issues.add("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", at_primitives.item(k), message);
                    }
                }
                let weights = mesh.get("weights").and_then(Value::as_array).filter(|weights| !weights.is_empty());
                if let Some(weights) = weights
                    && weights.iter().all(Value::is_number)
                    && weights.len() != first.targets.unwrap_or(0)
                {
                    let message = format_args!(
                        "{} for {}",
                        counted(weights.len(), "weight", "weights"),
                        counted(first.targets.unwrap_or(0), "morph target", "morph targets")
                    );
                    self.issues.add("MESH_INVALID_WEIGHTS_COUNT", at.key("weights"), message);
                }
            }
            self.meshes.push(MeshSummary::new(found).filter(|_| are_objects));
        }
    }

    fn primitive(
        &mut self,
        json: &Value,
        requirements: &[MaterialRequirements],
        at: &JsonPath<'_>,
    ) -> PrimitiveSummary {
        let empty = Map::new();
        let attributes = json.get("attributes").and_then(Value::as_object).unwrap_or(&empty);
        let at_attributes = at.key("attributes");
        let mut summary = PrimitiveSummary::default();
        let sets = self.names(attributes, &at_attributes);
        let [_, joints, tex_coords, weights] = sets;
        let (mut vertices, mut reference_name) = (None, "POSITION");
        // If there is a POSITION, it determines the vertex count.
        let first = attributes.get_key_value("POSITION");
        let others = attributes.iter().filter(|(name, _)| *name != "POSITION");
        for (name, value) in first.into_iter().chain(others) {
            let at = at_attributes.key(name);
            let Some(accessor) = self.resolve(value, "accessors", &at) else {
                continue;
            };
            self.use_accessor(accessor, AccessorUse::Vertices, ViewUse::Vertices, at);
            let Some(json) = self.accessor(accessor) else { continue };
            if name == "POSITION" {
                self.bounds(json, &at);
            }
            let prefix = name.split('_').next().unwrap_or_default();
            let formats = attribute_formats(prefix, false, self.file.extensions.is_declared("KHR_mesh_quantization"));
            if !formats.is_empty() {
                self.format(json, &formats, &at);
                self.add_attribute_rule(accessor, json, name, &formats, &at);
            } else if json.component == Some(U32) {
                let message = format_args!("vertex attributes cannot be 32-bit integers");
                self.issues.add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", at, message);
            }
            self.alignment(accessor, json, &at);
            match (vertices, json.count) {
                (None, Some(count)) => (vertices, reference_name) = (Some(count), name.as_str()),
                (Some(expected), Some(count)) if count != expected => {
                    let message = format_args!(
                        "{count} elements, but {} has {expected}: every attribute needs one per vertex; export the file again",
                        quoted(reference_name)
                    );
                    self.issues.add("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", at, message);
                }
                _ => {}
            }
            self.require_stride_if_shared(accessor, at);
        }
        if joints != weights {
            let message = format_args!(
                "{joints} sets of joints and {weights} of weights; bind the mesh again (Ctrl P, Armature Deform) and export it"
            );
            self.issues.add("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", at_attributes, message);
        } else {
            summary.influence_sets = joints;
            let accessor = |name: String| attributes.get(&name).and_then(index);
            summary.influences =
                (0..joints).map(|n| (accessor(format!("JOINTS_{n}")), accessor(format!("WEIGHTS_{n}")))).collect();
        }
        summary.vertices = vertices;
        let drawn = self.indices(json, vertices, at);
        self.mode(json, drawn.or(vertices), at);
        self.material(json, attributes, tex_coords, requirements, at);
        self.targets(json, attributes, &mut summary, at);
        self.compressed_mesh(json, attributes, at);
        summary
    }

    /// Checks the names of attributes, and returns the number of sets of each of [`SETS`].
    fn names(&mut self, attributes: &Map<String, Value>, at: &JsonPath<'_>) -> [usize; 4] {
        let (mut counts, mut max_index) = ([0; 4], [0; 4]);
        for name in attributes.keys() {
            let is_of_splat = name.starts_with("KHR_gaussian_splatting:")
                && self.file.extensions.is_declared("KHR_gaussian_splatting");
            if name.starts_with('_') || is_of_splat || matches!(name.as_str(), "POSITION" | "NORMAL" | "TANGENT") {
                continue;
            }
            let set = SETS
                .iter()
                .enumerate()
                .find_map(|(i, set)| Some((i, set_number(name.strip_prefix(set)?.strip_prefix('_')?)?)));
            match set {
                Some((i, number)) => {
                    counts[i] += 1;
                    max_index[i] = max_index[i].max(number);
                }
                None => {
                    let quoted_name = quoted(name);
                    let message = format_args!(
                        "{quoted_name} is not an attribute of glTF; custom attributes must begin with `_`"
                    );
                    self.issues.add("MESH_PRIMITIVE_INVALID_ATTRIBUTE", at.key(name), message);
                }
            }
        }
        for i in 0..4 {
            if counts[i] > 0 && max_index[i] + 1 != counts[i] {
                let message =
                    format_args!("the sets of {0} must be numbered {0}_0, {0}_1 and so on, without a gap", SETS[i]);
                self.issues.add("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", at, message);
                counts[i] = 0;
            }
        }
        if !attributes.is_empty() {
            if !attributes.contains_key("POSITION") {
                let message = format_args!("it has no POSITION and is not drawn");
                self.issues.add("MESH_PRIMITIVE_NO_POSITION", at, message);
            }
            if attributes.contains_key("TANGENT") && !attributes.contains_key("NORMAL") {
                let message = format_args!("tangents are ignored without normals");
                self.issues.add("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", at.key("TANGENT"), message);
            }
        }
        counts
    }

    pub(super) fn bounds(&mut self, accessor: &Accessor, at: &JsonPath<'_>) {
        if accessor.min.is_none() || accessor.max.is_none() {
            let message = format_args!("positions need min and max, which viewers use to frame the model");
            self.issues.add("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", at, message);
        }
    }

    pub(super) fn format(&mut self, accessor: &Accessor, formats: &[ElementFormat], at: &JsonPath<'_>) {
        if !accessor.has_format(formats) {
            let names: Vec<String> = formats.iter().map(|format| format.name()).collect();
            let message =
                format_args!("{} is not an allowed format; allowed are {}", accessor.format_name(), names.join(", "));
            self.issues.add("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", at, message);
        }
    }

    fn add_attribute_rule(
        &mut self,
        index: usize,
        accessor: &Accessor,
        name: &str,
        formats: &[ElementFormat],
        at: &JsonPath<'_>,
    ) {
        let rule = match name {
            "NORMAL" => DataRule::Directions,
            "TANGENT" => DataRule::Tangents,
            "COLOR_0" if accessor.component == Some(F32) => DataRule::Colors,
            _ => return,
        };
        if accessor.has_format(formats) {
            self.add_data_rule(index, rule, at);
        }
    }

    pub(super) fn alignment(&mut self, index: usize, accessor: &Accessor, at: &JsonPath<'_>) {
        let is_packed = self.existing_view(index).is_some() && !self.has_stride(index);
        if accessor.offset.is_some_and(|offset| offset % 4 != 0)
            || !accessor.format().size().is_multiple_of(4) && is_packed
        {
            let message =
                format_args!("every vertex must begin at a multiple of 4 bytes; pad the elements, or export again");
            self.issues.add("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", at, message);
        }
    }

    /// Checks the index accessor, and returns its count.
    fn indices(&mut self, json: &Value, vertices: Option<u64>, at: &JsonPath<'_>) -> Option<u64> {
        let index = self.follow(json, "indices", "accessors", at)?;
        let at = at.key("indices");
        self.use_accessor(index, AccessorUse::Indices, ViewUse::Indices, at);
        let accessor = self.accessor(index)?;
        if self.has_stride(index) {
            let message = format_args!("indices must be contiguous, without a byteStride");
            self.issues.add("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", at, message);
        }
        let formats = [U8, U16, U32].map(|component| plain(ElementType::Scalar, component));
        if !accessor.has_format(&formats) {
            let format = accessor.format_name();
            let message = format_args!("{format} is not a format of indices, which is SCALAR of unsigned integers");
            self.issues.add("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", at, message);
        } else {
            let triangles = json.get("mode").and_then(integer).is_none_or(|mode| mode == 4);
            self.add_data_rule(index, DataRule::Indices { limit: vertices.unwrap_or(0), triangles }, at);
        }
        accessor.count
    }

    fn mode(&mut self, json: &Value, drawn: Option<u64>, at: &JsonPath<'_>) {
        let Some(drawn) = drawn else { return };
        let mode = json.get("mode").map_or(Some(4), integer);
        let (fits, what) = match mode {
            Some(1) => (drawn % 2 == 0, "lines need a multiple of 2"),
            Some(2 | 3) => (drawn >= 2, "a line needs 2 or more"),
            Some(4) => (drawn % 3 == 0, "triangles need a multiple of 3"),
            Some(5 | 6) => (drawn >= 3, "a strip or fan needs 3 or more"),
            _ => return,
        };
        if !fits {
            let message = format_args!("{} drawn, but {what}", counted(drawn as usize, "vertex is", "vertices are"));
            self.issues.add("MESH_PRIMITIVE_INCOMPATIBLE_MODE", at, message);
        }
    }
}

/// The index of an attribute set, written without leading zeros.
pub(super) fn set_number(text: &str) -> Option<usize> {
    let plain =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten().filter(|number| *number < MAX_SETS)
}

//! Animations: samplers and channels.

use super::checked_file::Accessor;
use super::data_rules::DataRule;
use super::formats::{normalized, plain};
use super::json_path::JsonPath;
use super::json_values::{array, numbers, reference};
use super::reference_pass::{AccessorUse, ReferencePass, ViewUse};
use rigview_core::gltf_format::ComponentType::{F32, I8, I16, U8, U16};
use rigview_core::gltf_format::{ElementFormat, ElementType};
use rigview_core::util::text::counted;
use serde_json::Value;
use std::collections::BTreeMap;

impl ReferencePass<'_> {
    pub(super) fn animations(&mut self) {
        let at_array = JsonPath::ROOT.key("animations");
        for (i, animation) in self.file.array("animations").iter().enumerate() {
            let at = at_array.item(i);
            let (samplers, channels) = (array(animation, "samplers"), array(animation, "channels"));
            let (at_samplers, at_channels) = (at.key("samplers"), at.key("channels"));
            for (k, sampler) in samplers.iter().enumerate() {
                self.sampler(sampler, &at_samplers.item(k));
            }
            let mut targets = BTreeMap::new();
            for (k, channel) in channels.iter().enumerate() {
                let at = at_channels.item(k);
                let target = channel.get("target").unwrap_or(&Value::Null);
                let path = target.get("path").and_then(Value::as_str);
                if let (Some(node), Some(path)) = (reference(target, "node"), path) {
                    if let Some(first) = targets.get(&(node, path)) {
                        let message = format_args!(
                            "channel {first} already animates the {path} of node {node}; bake the action in Blender and export again"
                        );
                        self.issues.add("ANIMATION_DUPLICATE_TARGETS", at.key("target"), message);
                    } else {
                        targets.insert((node, path), k);
                    }
                }
                self.channel(channel, target, path, samplers, &at);
            }
        }
    }

    fn sampler(&mut self, sampler: &Value, at: &JsonPath<'_>) {
        let cubic = sampler.get("interpolation").and_then(Value::as_str) == Some("CUBICSPLINE");
        if let Some(input) = self.follow(sampler, "input", "accessors", at) {
            let at = at.key("input");
            self.use_accessor(input, AccessorUse::KeyTimes, ViewUse::Other, at);
            self.reject_stride(input, &at);
            let Some(accessor) = self.accessor(input) else { return };
            if accessor.has_format(&[plain(ElementType::Scalar, F32)]) {
                self.add_data_rule(input, DataRule::KeyTimes, at);
            } else {
                let format = accessor.format_name();
                let message = format_args!("{format} is not a format of key times, which is SCALAR of FLOAT");
                self.issues.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", at, message);
            }
            if accessor.min.is_none() || accessor.max.is_none() {
                let message = format_args!("key times need min and max, from which players take the clip's duration");
                self.issues.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", at, message);
            }
            if cubic && accessor.count.is_none_or(|count| count < 2) {
                let message = format_args!("a cubic spline needs two or more keys");
                self.issues.add("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", at, message);
            }
        }
        if let Some(output) = self.follow(sampler, "output", "accessors", at) {
            let at = at.key("output");
            self.use_accessor(output, AccessorUse::KeyValues, ViewUse::Other, at);
            self.reject_stride(output, &at);
        }
    }

    fn reject_stride(&mut self, accessor: usize, at: &JsonPath<'_>) {
        if self.has_stride(accessor) {
            let message = format_args!("keyframe data must be contiguous, without a byteStride");
            self.issues.add("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", at, message);
        }
    }

    fn channel(&mut self, channel: &Value, target: &Value, path: Option<&str>, samplers: &[Value], at: &JsonPath<'_>) {
        let at_target = at.key("target");
        let mut morph_targets = None;
        if let Some(node) = self.follow(target, "node", "nodes", &at_target) {
            let json = self.file.element("nodes", Some(node)).unwrap_or(&Value::Null);
            let mesh = reference(json, "mesh").and_then(|mesh| self.meshes.get(mesh)?.as_ref());
            morph_targets = mesh.and_then(|mesh| mesh.targets);
            match path {
                Some("translation" | "rotation" | "scale") => {
                    if numbers::<16>(json.get("matrix")).is_some() {
                        let message = format_args!("node {node} has a matrix, which an animation cannot change");
                        self.issues.add("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", at_target, message);
                    }
                    if self.file.element("skins", reference(json, "skin")).is_some() {
                        let message = format_args!(
                            "node {node} has a skinned mesh, which only its joints move; animate the armature"
                        );
                        self.issues.add("ANIMATION_CHANNEL_TARGET_NODE_SKIN", at_target.key("path"), message);
                    }
                }
                Some("weights") if morph_targets.is_none() => {
                    let message = format_args!("node {node} has no morph targets to animate");
                    self.issues.add("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", at_target, message);
                }
                _ => {}
            }
        }
        if target.pointer("/extensions/KHR_animation_pointer").is_some()
            && self.file.extensions.is_declared("KHR_animation_pointer")
        {
            self.animation_pointer(target, path, &at_target);
        }
        let Some(sampler) = reference(channel, "sampler") else { return };
        let at_sampler = at.key("sampler");
        let Some(sampler) = samplers.get(sampler) else {
            let message = format_args!("samplers[{sampler}] does not exist: the animation has {}", samplers.len());
            return self.issues.add("UNRESOLVED_REFERENCE", at_sampler, message);
        };
        let output = reference(sampler, "output");
        if let (Some(output), Some(path)) = (output, path)
            && let Some(accessor) = self.accessor(output)
        {
            self.output(sampler, output, accessor, path, morph_targets, &at_sampler);
        }
    }

    fn animation_pointer(&mut self, target: &Value, path: Option<&str>, at: &JsonPath<'_>) {
        let (at_extensions, name) = (at.key("extensions"), "KHR_animation_pointer");
        let at = at_extensions.key(name);
        self.issues.add("INCOMPLETE_EXTENSION_SUPPORT", at, format_args!("the target of the pointer is not checked"));
        if target.get("node").is_some() {
            let message = format_args!("a channel with a pointer must not have a node");
            self.issues.add("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE", at, message);
        }
        if path != Some("pointer") {
            let message = format_args!("a channel with a pointer must have the path `pointer`");
            self.issues.add("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH", at, message);
        }
    }

    fn output(
        &mut self,
        sampler: &Value,
        index: usize,
        accessor: &Accessor,
        path: &str,
        targets: Option<usize>,
        at: &JsonPath<'_>,
    ) {
        const fn keys(element: ElementType) -> [ElementFormat; 5] {
            [
                plain(element, F32),
                normalized(element, U8),
                normalized(element, I8),
                normalized(element, U16),
                normalized(element, I16),
            ]
        }
        const ROTATION: [ElementFormat; 5] = keys(ElementType::Vec4);
        const WEIGHTS: [ElementFormat; 5] = keys(ElementType::Scalar);
        const VEC3: [ElementFormat; 1] = [plain(ElementType::Vec3, F32)];
        let formats = match path {
            "translation" | "scale" => &VEC3[..],
            "rotation" => &ROTATION,
            "weights" => &WEIGHTS,
            _ => return,
        };
        let interpolation = sampler.get("interpolation").map_or(Some("LINEAR"), Value::as_str);
        let cubic = interpolation == Some("CUBICSPLINE");
        if !accessor.has_format(formats) {
            let message = format_args!("{} is not a format of {path} keys", accessor.format_name());
            self.issues.add("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", at, message);
        }
        if path == "rotation" && accessor.format().component_count() == 4 {
            self.add_data_rule(index, DataRule::Quaternions { cubic }, at);
        }
        let input = reference(sampler, "input").and_then(|input| self.accessor(input)).and_then(|input| input.count);
        if let (Some(keys), Some(found), Some(_)) = (input, accessor.count, interpolation) {
            let per_key = if path == "weights" { targets.unwrap_or(0) as u64 } else { 1 };
            let expected = keys.saturating_mul(if cubic { 3 } else { 1 }).saturating_mul(per_key);
            if expected != 0 && expected != found {
                let message = format_args!(
                    "{} for {}, but {expected} are needed; export the file again",
                    counted(found as usize, "value", "values"),
                    counted(keys as usize, "key", "keys")
                );
                self.issues.add("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", at, message);
            }
        }
    }
}

//! Punctual lights of nodes (KHR_lights_punctual).

use super::diagnostic::JsonLocation;
use super::diagnostics::Diagnostics;
use super::json::GltfJson;
use crate::model::{JointIndex, LightNode, LightShape};
use serde_json::Value;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const EXTENSION: &str = "KHR_lights_punctual";

/// Reads the lights in node order. Reports and skips invalid ones.
pub(super) fn read(document: &GltfJson, joint_of_node: &[JointIndex], diagnostics: &mut Diagnostics) -> Vec<LightNode> {
    let list = list(document);
    let mut lights = Vec::new();
    for (node, &joint) in joint_of_node.iter().enumerate() {
        let json = document.element("nodes", node);
        let Some(reference) = json.get("extensions").and_then(|all| all.get(EXTENSION)) else { continue };
        let index = reference.get("light").and_then(Value::as_u64).unwrap_or(u64::MAX);
        match usize::try_from(index).ok().and_then(|index| list.get(index)) {
            Some(light) => {
                let at = JsonLocation {
                    pointer: format!("/extensions/{EXTENSION}/lights/{index}"),
                    display_name: format!("light {index}"),
                };
                let node_name = document.nodes.get(node).and_then(|node| node.name.as_deref());
                match read_light(light, node_name, index as u32, joint) {
                    Ok(light) => lights.push(light),
                    Err(problem) => diagnostics.add(&at, format_args!("{problem}; it is ignored")),
                }
            }
            None => diagnostics.add(&document.location("nodes", node), "its light does not exist"),
        }
    }
    lights
}

/// Returns the number of lights in the file, used or not.
pub(super) fn count(document: &GltfJson) -> usize {
    list(document).len()
}

fn list(document: &GltfJson) -> &[Value] {
    let list = document.value.pointer("/extensions/KHR_lights_punctual/lights");
    list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
}

fn read_light(
    json: &Value,
    node_name: Option<&str>,
    gltf_index: u32,
    joint: JointIndex,
) -> Result<LightNode, &'static str> {
    let number = |parent: &Value, key: &str, default: f64| match parent.get(key) {
        None | Some(Value::Null) => Some(default),
        Some(number) => number.as_f64().filter(|number| (*number as f32).is_finite() && *number >= 0.0),
    };
    let mut color = [1.0; 3];
    if let Some(list) = json.get("color").and_then(Value::as_array) {
        for (out, value) in color.iter_mut().zip(list) {
            *out = value.as_f64().filter(|x| x.is_finite()).ok_or("its color is not a number")?.max(0.0);
        }
    }
    let intensity = number(json, "intensity", 1.0).ok_or("its intensity is not a number of at least 0")?;
    let range = match json.get("range") {
        None | Some(Value::Null) => None,
        Some(range) => Some(range.as_f64().filter(|range| *range > 0.0).ok_or("its range is not a number above 0")?),
    };
    let shape = match json.get("type").and_then(Value::as_str) {
        Some("directional") => LightShape::Directional,
        Some("point") => LightShape::Point { range },
        Some("spot") => {
            let spot = json.get("spot").unwrap_or(&Value::Null);
            let outer =
                number(spot, "outerConeAngle", FRAC_PI_4).ok_or("its outer angle is not a number of at least 0")?;
            let inner = number(spot, "innerConeAngle", 0.0).ok_or("its inner angle is not a number of at least 0")?;
            let outer = outer.min(FRAC_PI_2);
            LightShape::Spot { range, inner_angle: inner.min(outer), outer_angle: outer }
        }
        _ => return Err("its type is unknown"),
    };
    let name = json.get("name").and_then(Value::as_str).or(node_name).map(str::to_owned);
    Ok(LightNode { gltf_index, name, joint, color, intensity, shape })
}

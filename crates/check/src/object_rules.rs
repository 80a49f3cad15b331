//! Rules of the core objects that go beyond the types of single properties.

use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::{index, integer, numbers, version};
use super::transforms;
use rigview_core::gltf_format::{ComponentType, ElementType};
use rigview_core::schema::Schema;
use rigview_core::util::text::counted;
use serde_json::{Map, Value};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

/// Properties of an object.
type Members = Map<String, Value>;

/// Rules of one kind of object.
pub(super) type ObjectRules = fn(&Members, &JsonPath<'_>, &mut Issues);

/// Returns the rules of the objects of a schema.
pub(super) fn rules(schema: &Schema) -> Option<ObjectRules> {
    Some(match schema.name {
        "glTF" => root,
        "asset" => asset,
        "accessor" => accessor,
        "bufferView" => buffer_view,
        "camera" => camera,
        "camera.orthographic" => orthographic,
        "camera.perspective" => perspective,
        "image" => image,
        "material" => material,
        "node" => node,
        "KHR_lights_punctual.light" => light,
        "KHR_lights_punctual.light.spot" => spot,
        _ => return None,
    })
}

fn number(map: &Members, name: &str) -> Option<f64> {
    map.get(name)?.as_f64()
}

fn root(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    if map.contains_key("extensionsRequired") && !map.contains_key("extensionsUsed") {
        let message = format_args!("extensionsRequired needs extensionsUsed");
        issues.add("UNSATISFIED_DEPENDENCY", at.key("extensionsRequired"), message);
    }
}

fn asset(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let found = map.get("version").and_then(version);
    match found {
        Some((2, 0)) | None => {}
        Some((2, minor)) => {
            let message =
                format_args!("glTF 2.{minor} is newer than 2.0, and may use features that viewers do not support");
            issues.add("UNKNOWN_ASSET_MINOR_VERSION", at.key("version"), message);
        }
        Some((major, _)) => {
            let message = format_args!("glTF {major} is not glTF 2.0: export the file again as glTF 2.0");
            issues.add("UNKNOWN_ASSET_MAJOR_VERSION", at.key("version"), message);
        }
    }
    if let (Some(found), Some(min_version)) = (found, map.get("minVersion").and_then(version))
        && min_version > found
    {
        let message = format_args!("minVersion is newer than version");
        issues.add("ASSET_MIN_VERSION_GREATER_THAN_VERSION", at.key("minVersion"), message);
    }
}

fn accessor(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    if map.contains_key("byteOffset") && map.get("bufferView").is_none_or(|view| index(view).is_none()) {
        let message = format_args!("byteOffset needs a bufferView");
        issues.add("UNSATISFIED_DEPENDENCY", at.key("byteOffset"), message);
    }
    let component = map.get("componentType").and_then(integer);
    if map.get("normalized") == Some(&Value::Bool(true)) && matches!(component, Some(5125 | 5126)) {
        let message = format_args!("only bytes and shorts can be normalized");
        issues.add("ACCESSOR_NORMALIZED_INVALID", at.key("normalized"), message);
    }
    let element = map.get("type").and_then(Value::as_str).and_then(ElementType::from_name);
    let offset = map.get("byteOffset").and_then(integer).unwrap_or(0);
    if element.is_some_and(|element| element.columns() > 1) && offset % 4 != 0 {
        let message = format_args!("matrices must begin at a multiple of 4 bytes, not at {offset}");
        issues.add("ACCESSOR_MATRIX_ALIGNMENT", at.key("byteOffset"), message);
    }
    let (Some(element), Some(component)) = (element, component.and_then(ComponentType::from_gl_enum)) else { return };
    let expected = element.component_count();
    for bound in ["min", "max"] {
        let Some(list) = map.get(bound).and_then(Value::as_array).filter(|list| !list.is_empty()) else { continue };
        let at = at.key(bound);
        if list.len() != expected {
            let message = format_args!("{} numbers, but {} needs {expected}", list.len(), element.name());
            issues.add("ARRAY_LENGTH_NOT_IN_LIST", at, message);
        }
        let Some((low, high)) = component.integer_range() else { continue };
        for (i, item) in list.iter().enumerate().filter(|(_, item)| item.is_number()) {
            match integer(item) {
                None => {
                    let message = format_args!("expected an integer, because the accessor stores integers");
                    issues.add("ARRAY_TYPE_MISMATCH", at.item(i), message);
                }
                Some(x) if x < low || x > high => {
                    let message = format_args!("{x} is out of the range of the component type: {low} to {high}");
                    issues.add("INVALID_GL_VALUE", at.item(i), message);
                }
                Some(_) => {}
            }
        }
    }
}

fn buffer_view(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let number = |name: &str| map.get(name).and_then(integer);
    let Some(stride) = number("byteStride").filter(|stride| (4..=252).contains(stride)) else { return };
    let at = at.key("byteStride");
    if let Some(length) = number("byteLength").filter(|length| (1..stride).contains(length)) {
        let message = format_args!("items {stride} bytes apart do not fit into {length} bytes");
        issues.add("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", at, message);
    }
    if stride % 4 != 0 {
        issues.add("VALUE_MULTIPLE_OF", at, format_args!("{stride} is not a multiple of 4"));
    }
    if number("target") == Some(34963) {
        issues.add("BUFFER_VIEW_INVALID_BYTE_STRIDE", at, format_args!("indices must be contiguous"));
    }
}

fn camera(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    if map.contains_key("orthographic") && map.contains_key("perspective") {
        issues.add("ONE_OF_MISMATCH", at, format_args!("a camera is orthographic or perspective, not both"));
    }
}

fn near_and_far(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    // A `zfar` of 0 or less is reported already.
    if let (Some(near), Some(far)) = (number(map, "znear"), number(map, "zfar").filter(|far| *far > 0.0))
        && far <= near
    {
        issues.add(
            "CAMERA_ZFAR_LEQUAL_ZNEAR",
            at,
            format_args!("empty view: zfar {far} must be greater than znear {near}"),
        );
    }
}

fn orthographic(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    near_and_far(map, at, issues);
    for name in ["xmag", "ymag"] {
        match number(map, name) {
            Some(0.0) => issues.add("CAMERA_XMAG_YMAG_ZERO", at.key(name), format_args!("empty view: the size is 0")),
            Some(x) if x < 0.0 => {
                let message = format_args!("a negative size mirrors the image");
                issues.add("CAMERA_XMAG_YMAG_NEGATIVE", at.key(name), message);
            }
            _ => {}
        }
    }
}

fn perspective(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    near_and_far(map, at, issues);
    if number(map, "yfov").is_some_and(|angle| angle >= std::f64::consts::PI) {
        let message = format_args!("the field of view is 180 degrees or more; is it in degrees instead of radians?");
        issues.add("CAMERA_YFOV_GEQUAL_PI", at, message);
    }
}

fn image(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let in_view = map.get("bufferView").is_some_and(|view| index(view).is_some());
    let by_uri = map.get("uri").is_some_and(Value::is_string);
    if in_view && !map.get("mimeType").is_some_and(Value::is_string) {
        let message = format_args!("an image in a buffer view needs a mimeType");
        issues.add("UNSATISFIED_DEPENDENCY", at.key("bufferView"), message);
    }
    if in_view == by_uri {
        let presence = if in_view { "both" } else { "neither" };
        let message = format_args!("an image has either a uri or a bufferView, this one has {presence}");
        issues.add("ONE_OF_MISMATCH", at, message);
    }
}

fn material(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    if map.contains_key("alphaCutoff") && map.get("alphaMode").and_then(Value::as_str) != Some("MASK") {
        let message = format_args!("alphaCutoff is ignored unless alphaMode is MASK");
        issues.add("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", at.key("alphaCutoff"), message);
    }
}

fn node(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let has_mesh = map.get("mesh").is_some_and(|mesh| index(mesh).is_some());
    for name in ["skin", "weights"] {
        let valid =
            map.get(name).is_some_and(|value| if name == "skin" { index(value).is_some() } else { value.is_array() });
        if valid && !has_mesh {
            issues.add(
                "UNSATISFIED_DEPENDENCY",
                at.key(name),
                format_args!("{name} has no effect on a node without a mesh"),
            );
        }
    }
    if let Some(rotation) = numbers::<4>(map.get("rotation"))
        && rotation.iter().all(|x| x.abs() <= 1.0)
    {
        let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > transforms::QUATERNION_LENGTH_TOLERANCE {
            let message = format_args!("the rotation must be a unit quaternion, but has length {length}; export again");
            issues.add("ROTATION_NON_UNIT", at.key("rotation"), message);
        }
    }
    let Some(matrix) = numbers::<16>(map.get("matrix")) else { return };
    let at_matrix = at.key("matrix");
    let parts = [("translation", 3), ("rotation", 4), ("scale", 3)];
    let is_list =
        |(name, length): &(&str, usize)| map.get(*name).and_then(Value::as_array).is_some_and(|l| l.len() == *length);
    if parts.iter().any(is_list) {
        let message = format_args!("a node has either a matrix or translation, rotation and scale");
        issues.add("NODE_MATRIX_TRS", at_matrix, message);
    }
    if transforms::is_identity(&matrix) {
        issues.add("NODE_MATRIX_DEFAULT", at_matrix, format_args!("the matrix is the identity and can be omitted"));
    } else if !transforms::is_decomposable(&matrix) {
        let message = format_args!(
            "the matrix cannot be decomposed into translation, rotation and scale; apply the transform in Blender (Ctrl A) and export again"
        );
        issues.add("NODE_MATRIX_NON_TRS", at_matrix, message);
    }
}

/// Reports an index that is not below the length of the array `list` of `map`.
pub(super) fn require_element(
    map: &Members,
    list: &str,
    value: Option<&Value>,
    at: &JsonPath<'_>,
    issues: &mut Issues,
) {
    let count = map.get(list).and_then(Value::as_array).map_or(0, Vec::len);
    if let Some(index) = value.and_then(index).filter(|index| *index >= count) {
        let message = format_args!("{index} is not in `{list}`, which has {}", counted(count, "element", "elements"));
        issues.add("UNRESOLVED_REFERENCE", at, message);
    }
}

fn light(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let kind = map.get("type").and_then(Value::as_str);
    if kind != Some("spot") && map.contains_key("spot") {
        issues.add("EXTRA_PROPERTY", at.key("spot"), format_args!("only spot lights use this"));
    }
    if kind == Some("directional") && map.contains_key("range") {
        issues.add("EXTRA_PROPERTY", at.key("range"), format_args!("a directional light has no range"));
    }
}

fn spot(map: &Members, at: &JsonPath<'_>, issues: &mut Issues) {
    let angle = |name: &str, default: f64| map.get(name).map_or(Some(default), Value::as_f64);
    let inner = angle("innerConeAngle", 0.0).filter(|angle| (0.0..FRAC_PI_2).contains(angle));
    let outer = angle("outerConeAngle", FRAC_PI_4).filter(|angle| *angle > 0.0 && *angle <= FRAC_PI_2);
    if let (Some(inner), Some(outer)) = (inner, outer)
        && outer <= inner
    {
        let message = format_args!("the outer cone ({outer} rad) must be wider than the inner one ({inner} rad)");
        issues.add("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", at.key("outerConeAngle"), message);
    }
}

//! What else holds within one of glTF's own objects, beyond the forms of its properties.

use super::core_schemas::{ORTHOGRAPHIC, PERSPECTIVE, TYPES};
use super::issue::At;
use super::schema::{index, integer, version};
use super::schema_validator::Walk;
use super::transforms;
use serde_json::{Map, Value};

/// Numbers of a list, if they are as many as asked for.
pub(super) fn numbers<const N: usize>(value: Option<&Value>) -> Option<[f64; N]> {
    let list = value?.as_array()?;
    let numbers: Vec<f64> = list.iter().map_while(Value::as_f64).collect();
    (list.len() == N).then(|| numbers.try_into().ok())?
}

fn number(map: &Map<String, Value>, name: &str) -> Option<f64> {
    map.get(name)?.as_f64()
}

pub(super) fn also_root(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("extensionsRequired") && !map.contains_key("extensionsUsed") {
        let message = format_args!("extensionsRequired stands without extensionsUsed");
        walk.issues.add("UNSATISFIED_DEPENDENCY", at.key("extensionsRequired"), message);
    }
}

pub(super) fn also_asset(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let found = map.get("version").and_then(version);
    match found {
        Some((2, 0)) | None => {}
        Some((2, minor)) => {
            let message = format_args!("glTF 2.{minor} is newer than 2.0, and may hold what no viewer knows yet");
            walk.issues.add("UNKNOWN_ASSET_MINOR_VERSION", at.key("version"), message);
        }
        Some((major, _)) => {
            let message = format_args!("glTF {major} is not glTF 2.0: export the file again as glTF 2.0");
            walk.issues.add("UNKNOWN_ASSET_MAJOR_VERSION", at.key("version"), message);
        }
    }
    if let (Some(found), Some(least)) = (found, map.get("minVersion").and_then(version))
        && least > found
    {
        let message = format_args!("the least version that it needs is newer than its own");
        walk.issues.add("ASSET_MIN_VERSION_GREATER_THAN_VERSION", at.key("minVersion"), message);
    }
}

pub(super) fn also_accessor(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("byteOffset") && map.get("bufferView").is_none_or(|view| index(view).is_none()) {
        let message = format_args!("byteOffset means nothing without a bufferView");
        walk.issues.add("UNSATISFIED_DEPENDENCY", at.key("byteOffset"), message);
    }
    let component = map.get("componentType").and_then(integer);
    if map.get("normalized") == Some(&Value::Bool(true)) && matches!(component, Some(5125 | 5126)) {
        let message = format_args!("only bytes and shorts can be normalized");
        walk.issues.add("ACCESSOR_NORMALIZED_INVALID", at.key("normalized"), message);
    }
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    let offset = map.get("byteOffset").and_then(integer).unwrap_or(0);
    if kind.starts_with("MAT") && TYPES.contains(&kind) && offset % 4 != 0 {
        let message = format_args!("matrices must begin at a multiple of 4 bytes, these begin at {offset}");
        walk.issues.add("ACCESSOR_MATRIX_ALIGNMENT", at.key("byteOffset"), message);
    }
    let (Some(width), Some(component)) = (super::accessor_view::width(kind), component) else { return };
    let Some(range) = super::accessor_view::range(component) else { return };
    for bound in ["min", "max"] {
        let Some(list) = map.get(bound).and_then(Value::as_array).filter(|list| !list.is_empty()) else { continue };
        let at = at.key(bound);
        if list.len() != width {
            let message = format_args!("{} numbers stand here, a {kind} needs {width}", list.len());
            walk.issues.add("ARRAY_LENGTH_NOT_IN_LIST", at, message);
        }
        let Some((least, most)) = range else { continue };
        for (i, item) in list.iter().enumerate().filter(|(_, item)| item.is_number()) {
            match integer(item) {
                None => {
                    let message = format_args!("a whole number is needed, since the accessor holds whole numbers");
                    walk.issues.add("ARRAY_TYPE_MISMATCH", at.item(i), message);
                }
                Some(x) if x < least || x > most => {
                    let message = format_args!("{x} cannot stand in this accessor: {least} to {most}");
                    walk.issues.add("INVALID_GL_VALUE", at.item(i), message);
                }
                Some(_) => {}
            }
        }
    }
}

pub(super) fn also_buffer_view(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let number = |name: &str| map.get(name).and_then(integer);
    let Some(stride) = number("byteStride").filter(|stride| (4..=252).contains(stride)) else { return };
    let at = at.key("byteStride");
    if let Some(length) = number("byteLength").filter(|length| (1..stride).contains(length)) {
        let message = format_args!("items {stride} bytes apart do not fit into {length} bytes");
        walk.issues.add("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", at, message);
    }
    if stride % 4 != 0 {
        walk.issues.add("VALUE_MULTIPLE_OF", at, format_args!("{stride} is not a multiple of 4"));
    }
    if number("target") == Some(34963) {
        walk.issues.add("BUFFER_VIEW_INVALID_BYTE_STRIDE", at, format_args!("indices must stand side by side"));
    }
}

pub(super) fn also_camera(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("orthographic") && map.contains_key("perspective") {
        walk.issues.add("ONE_OF_MISMATCH", at, format_args!("a camera is orthographic or perspective, not both"));
    }
    for (kind, schema) in [("orthographic", &ORTHOGRAPHIC), ("perspective", &PERSPECTIVE)] {
        if map.get("type").and_then(Value::as_str) != Some(kind) {
            continue;
        }
        match map.get(kind) {
            None => walk.issues.add("UNDEFINED_PROPERTY", at, format_args!("`{kind}` is missing here")),
            Some(value) if value.is_object() => walk.object(value, schema, &at.key(kind)),
            Some(_) => walk.issues.add("TYPE_MISMATCH", at.key(kind), format_args!("an object is needed here")),
        }
    }
}

fn near_and_far(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if let (Some(near), Some(far)) = (number(map, "znear"), number(map, "zfar"))
        && far <= near
    {
        walk.issues.add(
            "CAMERA_ZFAR_LEQUAL_ZNEAR",
            at,
            format_args!("it sees nothing: zfar {far} is not beyond znear {near}"),
        );
    }
}

pub(super) fn also_orthographic(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    near_and_far(walk, map, at);
    for name in ["xmag", "ymag"] {
        match number(map, name) {
            Some(0.0) => walk.issues.add("CAMERA_XMAG_YMAG_ZERO", at.key(name), format_args!("it sees nothing")),
            Some(x) if x < 0.0 => {
                let message = format_args!("a negative size shows the picture mirrored");
                walk.issues.add("CAMERA_XMAG_YMAG_NEGATIVE", at.key(name), message);
            }
            _ => {}
        }
    }
}

pub(super) fn also_perspective(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    near_and_far(walk, map, at);
    if number(map, "yfov").is_some_and(|angle| angle >= std::f64::consts::PI) {
        let message = format_args!("a field of view of 180 degrees or more cannot be shown; is it in degrees?");
        walk.issues.add("CAMERA_YFOV_GEQUAL_PI", at, message);
    }
}

pub(super) fn also_image(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let in_view = map.get("bufferView").is_some_and(|view| index(view).is_some());
    let by_uri = map.get("uri").is_some_and(Value::is_string);
    if in_view && !map.get("mimeType").is_some_and(Value::is_string) {
        let message = format_args!("an image in a buffer view must tell its mimeType");
        walk.issues.add("UNSATISFIED_DEPENDENCY", at.key("bufferView"), message);
    }
    if in_view == by_uri {
        let message = format_args!(
            "an image has either a uri or a bufferView, this one has {}",
            if in_view { "both" } else { "neither" }
        );
        walk.issues.add("ONE_OF_MISMATCH", at, message);
    }
}

pub(super) fn also_material(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    if map.contains_key("alphaCutoff") && map.get("alphaMode").and_then(Value::as_str) != Some("MASK") {
        let message = format_args!("alphaCutoff means nothing unless alphaMode is MASK");
        walk.issues.add("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", at.key("alphaCutoff"), message);
    }
}

pub(super) fn also_node(walk: &mut Walk<'_>, map: &Map<String, Value>, at: &At<'_>) {
    let has_mesh = map.get("mesh").is_some_and(|mesh| index(mesh).is_some());
    for name in ["skin", "weights"] {
        let valid =
            map.get(name).is_some_and(|value| if name == "skin" { index(value).is_some() } else { value.is_array() });
        if valid && !has_mesh {
            walk.issues.add(
                "UNSATISFIED_DEPENDENCY",
                at.key(name),
                format_args!("{name} means nothing on a node without a mesh"),
            );
        }
    }
    if let Some(rotation) = numbers::<4>(map.get("rotation"))
        && rotation.iter().all(|x| x.abs() <= 1.0)
    {
        let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (length - 1.0).abs() > transforms::UNIT_QUATERNION {
            let message =
                format_args!("a rotation must be a unit quaternion, this one has length {length}; export again");
            walk.issues.add("ROTATION_NON_UNIT", at.key("rotation"), message);
        }
    }
    let Some(matrix) = numbers::<16>(map.get("matrix")) else { return };
    let at_matrix = at.key("matrix");
    let parts = [("translation", 3), ("rotation", 4), ("scale", 3)];
    let is_list =
        |(name, length): &(&str, usize)| map.get(*name).and_then(Value::as_array).is_some_and(|l| l.len() == *length);
    if parts.iter().any(is_list) {
        let message = format_args!("a node has a matrix or translation, rotation and scale, not both");
        walk.issues.add("NODE_MATRIX_TRS", at_matrix, message);
    }
    if transforms::is_identity(&matrix) {
        walk.issues.add(
            "NODE_MATRIX_DEFAULT",
            at_matrix,
            format_args!("the matrix changes nothing and can be left out"),
        );
    } else if !transforms::is_decomposable(&matrix) {
        let message = format_args!(
            "the matrix is more than translation, rotation and scale; apply the transform in Blender (Ctrl A) and export again"
        );
        walk.issues.add("NODE_MATRIX_NON_TRS", at_matrix, message);
    }
}

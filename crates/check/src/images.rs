//! The contents of images: presence, format, size.

use super::checked_file::CheckedFile;
use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::reference;
use super::ktx2;
use super::resources::{Resources, check_uri, decode_data};
use rigview_core::gltf_format::{ImageFormat, ImageHeaderError, mime_type};
use rigview_core::import::{Limit, PolicyChange, data_uri_type, decode_data_uri, is_data_uri};
use rigview_core::util::text::quoted;
use serde_json::Value;
use std::borrow::Cow;

pub(super) fn check(file: &CheckedFile<'_>, resources: Resources<'_>, issues: &mut Issues) {
    let at_array = JsonPath::ROOT.key("images");
    let max_bytes = resources.policy.limits.get(Limit::ImageFiles);
    let mut bytes_read = 0;
    let ktx2_uses = ktx2::uses(file);
    for (i, image) in file.array("images").iter().enumerate().filter(|(_, image)| image.is_object()) {
        let at = at_array.item(i);
        let at_uri = at.key("uri");
        let bytes = match image.get("uri").and_then(Value::as_str) {
            Some(uri) => {
                resources.report_uri_in_glb(uri, &at_uri, issues);
                if is_data_uri(uri) {
                    data_uri_image(uri, &at_uri, issues)
                } else if !check_uri(uri, &at_uri, issues) || !image.get("extensions").is_none_or(is_empty) {
                    None
                } else if bytes_read > max_bytes {
                    let max = Limit::ImageFiles.format(max_bytes);
                    let change = PolicyChange::RaiseLimit { limit: Limit::ImageFiles, needed: bytes_read + 1 };
                    let message = format_args!("not checked: the image files before it have more than {max}");
                    issues.add_with_change("RIGVIEW_CHECK_SKIPPED", at, message, Some(change));
                    None
                } else {
                    let bytes = resources.read_external(uri, None, &at_uri, issues);
                    bytes_read += bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
                    bytes
                }
                .map(Cow::Owned)
            }
            None => view_bytes(file, image).map(Cow::Borrowed),
        };
        if let Some(bytes) = bytes {
            check_content(file, image, &bytes, &at, issues);
            if ImageFormat::sniff(&bytes) == Some(ImageFormat::Ktx2) {
                let uses = ktx2_uses.get(&i).cloned().unwrap_or_default();
                let member = if image.get("uri").is_some() { "uri" } else { "bufferView" };
                for fault in ktx2::faults(&bytes, &uses) {
                    issues.add("RIGVIEW_KTX2_FORMAT", at.key(member), format_args!("{fault}; save the image again"));
                }
            }
        }
    }
}

/// Decodes a data URI; `None` if its MIME type does not match its content.
fn data_uri_image(uri: &str, at: &JsonPath<'_>, issues: &mut Issues) -> Option<Vec<u8>> {
    let bytes = decode_data(uri, at, issues)?;
    let (stated, found) = (data_uri_type(uri).to_ascii_lowercase(), mime_type(&bytes));
    if stated != found {
        let found = if found.is_empty() { "unknown" } else { found };
        let message = format_args!("the MIME type of its data is {found}, not {}", quoted(&stated));
        issues.add("INVALID_URI", at, message);
        return None;
    }
    Some(bytes)
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn view_bytes<'a>(file: &'a CheckedFile<'_>, image: &Value) -> Option<&'a [u8]> {
    file.view_bytes(file.views.get(reference(image, "bufferView")?)?)
}

/// The content of an image that is not an external file.
pub(super) fn embedded_bytes<'a>(file: &'a CheckedFile<'_>, image: &Value) -> Option<Cow<'a, [u8]>> {
    match image.get("uri").and_then(Value::as_str) {
        Some(uri) if is_data_uri(uri) => decode_data_uri(uri).ok().map(Cow::Owned),
        Some(_) => None,
        None => view_bytes(file, image).map(Cow::Borrowed),
    }
}

fn check_content(file: &CheckedFile<'_>, image: &Value, bytes: &[u8], at: &JsonPath<'_>, issues: &mut Issues) {
    if bytes.is_empty() {
        return issues.add("IMAGE_UNEXPECTED_EOS", at, format_args!("the image is empty; export the file again"));
    }
    let format = ImageFormat::sniff(bytes).filter(|format| *format != ImageFormat::Dds);
    let Some(format) = format else {
        let message = format_args!("its format is unknown; save the image as PNG or JPEG");
        return issues.add("IMAGE_UNRECOGNIZED_FORMAT", at, message);
    };
    let (width, height) = match format.size(bytes) {
        Ok(size) => size,
        Err(ImageHeaderError::NotParsed) => return,
        Err(ImageHeaderError::Truncated) => {
            return issues.add("IMAGE_UNEXPECTED_EOS", at, format_args!("the image is truncated; save it again"));
        }
        Err(ImageHeaderError::Invalid(reason)) => {
            return issues.add("IMAGE_DATA_INVALID", at, format_args!("{reason}; save the image again"));
        }
    };
    let found = format.mime_type();
    if !file.extensions.allows_image(found) {
        let message = format_args!("{found} needs an extension; save the image as PNG or JPEG");
        issues.add("IMAGE_NON_ENABLED_MIME_TYPE", at, message);
    }
    let stated = image.get("mimeType").and_then(Value::as_str);
    if let Some(stated) = stated.filter(|stated| *stated != found) {
        let member = if image.get("uri").is_some() { "uri" } else { "bufferView" };
        let message = format_args!("its MIME type is {found}, not {}", quoted(stated));
        issues.add("IMAGE_MIME_TYPE_INVALID", at.key(member), message);
    }
    if format == ImageFormat::Ktx2 && (width % 4 != 0 || height % 4 != 0) {
        let message = format_args!(
            "{width} x {height} are not multiples of 4, which block compression needs; save the image again"
        );
        issues.add("IMAGE_DATA_INVALID", at, message);
    }
    if let Some(feature) = format.ignored_feature(bytes) {
        let message = format_args!("it has {feature}, which glTF ignores; save the image as sRGB without it");
        issues.add("IMAGE_FEATURES_UNSUPPORTED", at, message);
    }
    if !(width.is_power_of_two() && height.is_power_of_two()) {
        let message = format_args!("{width} x {height} are not powers of two, which old devices need");
        issues.add("IMAGE_NPOT_DIMENSIONS", at, message);
    }
}

//! Metadata: XMP (KHR_xmp_json_ld), the license of VRM avatars, and the thumbnail.

use crate::schema::integer;
use crate::util::text::escaped;
use serde_json::{Map, Value};

/// Maximum number of reported properties.
const MAX_PROPERTIES: usize = 40;
/// Maximum length of a name or value.
const MAX_CHARS: usize = 300;

/// Maximum number of values that are read, at all nesting levels.
const MAX_VALUES: usize = 1000;

/// Returns names and values of the metadata of a glTF file: the asset's XMP packet, and the `meta` objects of VRM 1.0 and 0.x,
/// such as title, authors and license.
///
/// At most 40 properties of each object, with control characters escaped.
pub fn metadata(json: &Value) -> Vec<(String, String)> {
    let number = json.pointer("/asset/extensions/KHR_xmp_json_ld/packet").and_then(Value::as_u64);
    let packet = number.and_then(|number| {
        let packets = json.pointer("/extensions/KHR_xmp_json_ld/packets")?.as_array()?;
        packets.get(usize::try_from(number).ok()?)?.as_object()
    });
    let mut found = properties(packet, "");
    for extension in ["VRMC_vrm", "VRM"] {
        let meta = json.get("extensions").and_then(|extensions| extensions.get(extension)?.get("meta")?.as_object());
        found.extend(properties(meta, "vrm:"));
    }
    found
}

/// Returns the index of the image that is the thumbnail of a file: of VRM 1.0 and 0.x.
pub(super) fn thumbnail_image(json: &Value) -> Option<usize> {
    let index = |pointer: &str| usize::try_from(integer(json.pointer(pointer)?)?).ok();
    let texture =
        || index("/extensions/VRM/meta/texture").and_then(|texture| index(&format!("/textures/{texture}/source")));
    index("/extensions/VRMC_vrm/meta/thumbnailImage").or_else(texture)
}

fn properties(object: Option<&Map<String, Value>>, prefix: &str) -> Vec<(String, String)> {
    let mut left = MAX_VALUES;
    let mut found = Vec::new();
    // Indices of textures and images say nothing to a reader.
    let is_shown = |name: &str| !name.starts_with('@') && !matches!(name, "texture" | "thumbnailImage");
    for (name, value) in object.into_iter().flatten().filter(|(name, _)| is_shown(name)).take(MAX_PROPERTIES) {
        let mut parts = Vec::new();
        collect(value, &mut parts, &mut left);
        let text = parts.join(", ");
        if !text.is_empty() {
            found.push((format!("{prefix}{}", escaped(name, MAX_CHARS)), escaped(&text, MAX_CHARS)));
        }
    }
    found
}

/// Collects the texts of a JSON-LD value: all items of lists and sets, and the default language of alternatives.
fn collect(value: &Value, parts: &mut Vec<String>, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    match value {
        Value::String(text) => parts.push(text.clone()),
        Value::Number(number) => parts.push(number.to_string()),
        Value::Bool(truth) => parts.push(truth.to_string()),
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| collect(item, parts, left)),
        Value::Object(members) => {
            let is_choice = members.get("@type").and_then(Value::as_str) == Some("rdf:Alt");
            // Other keys with `@` describe the text, such as its language.
            let content = |name: &str| matches!(name, "@value" | "@list" | "@set" | "@id") || !name.starts_with('@');
            let items = members.iter().filter(|(name, _)| content(name)).map(|(_, value)| value);
            items.take(if is_choice { 1 } else { usize::MAX }).for_each(|item| collect(item, parts, left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of_packet(packet: Value) -> Vec<(String, String)> {
        metadata(&json!({
            "asset": { "extensions": { "KHR_xmp_json_ld": { "packet": 1 } } },
            "extensions": { "KHR_xmp_json_ld": { "packets": [{ "dc:title": "another" }, packet] } },
        }))
    }

    #[test]
    fn title_creators_and_rights_are_read() {
        let packet = json!({
            "@context": { "dc": "http://purl.org/dc/elements/1.1/" },
            "@id": "",
            "dc:title": { "@type": "rdf:Alt", "rdf:_1": { "@language": "en-us", "@value": "A lamp" },
                "rdf:_2": { "@language": "de-de", "@value": "Eine Lampe" } },
            "dc:creator": { "@list": ["Ann", "Bob"] },
            "dc:rights": "CC0",
            "xmp:Rating": 5,
        });
        let expected = [("dc:creator", "Ann, Bob"), ("dc:rights", "CC0"), ("dc:title", "A lamp"), ("xmp:Rating", "5")];
        let mut found = of_packet(packet);
        found.sort();
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn authors_and_license_of_vrm_are_read() {
        let new =
            json!({ "authors": ["Ann", "Bob"], "licenseUrl": "https://vrm.dev/licenses/1.0/", "thumbnailImage": 3 });
        let old = json!({ "author": "Ann", "licenseName": "CC0", "reference": "", "texture": 2 });
        for (extension, meta, expected) in [
            ("VRMC_vrm", new, [("vrm:authors", "Ann, Bob"), ("vrm:licenseUrl", "https://vrm.dev/licenses/1.0/")]),
            ("VRM", old, [("vrm:author", "Ann"), ("vrm:licenseName", "CC0")]),
        ] {
            let mut found = metadata(&json!({ "extensions": { extension: { "meta": meta } } }));
            found.sort();
            assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        assert_eq!(metadata(&json!({ "extensions": { "VRM": { "meta": [1] }, "VRMC_vrm": 2 } })), []);
    }

    #[test]
    fn thumbnail_is_that_of_vrm() {
        let vrm = |texture: i64| {
            json!({
                "extensions": { "VRM": { "meta": { "texture": texture } } },
                "textures": [{ "source": 5 }, { "sampler": 0 }],
            })
        };
        assert_eq!(thumbnail_image(&vrm(0)), Some(5));
        assert_eq!([-1, 1, 2].map(|texture| thumbnail_image(&vrm(texture))), [None; 3]);
        let new = |image: Value| json!({ "extensions": { "VRMC_vrm": { "meta": { "thumbnailImage": image } } } });
        assert_eq!([json!(3), json!("3")].map(|image| thumbnail_image(&new(image))), [Some(3), None]);
    }

    #[test]
    fn long_values_are_cut_and_control_characters_escaped() {
        let long = "x".repeat(10_000);
        let [(name, value)] = &of_packet(json!({ "a\u{1b}[2J": format!("b\n{long}") }))[..] else { panic!() };
        assert_eq!(name, "a\\u{1b}[2J");
        assert!(value.starts_with("b\\nxxx") && value.chars().count() < MAX_CHARS + 10);
        let many: serde_json::Map<String, Value> =
            (0..1000).map(|i| (format!("k{i}"), json!(vec!["v"; 1000]))).collect();
        assert!(of_packet(Value::Object(many)).len() <= MAX_PROPERTIES);
    }

    #[test]
    fn file_without_packet_has_no_metadata() {
        assert_eq!(metadata(&json!({ "asset": {} })), []);
        let asset = json!({ "extensions": { "KHR_xmp_json_ld": { "packet": 9 } } });
        assert_eq!(metadata(&json!({ "asset": asset, "extensions": { "KHR_xmp_json_ld": { "packets": [] } } })), []);
    }
}

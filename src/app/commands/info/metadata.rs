//! What XMP tells of a file (KHR_xmp_json_ld): title, makers, rights, and what else there is.

use crate::util::text::escaped;
use serde_json::Value;

/// Properties that are told, and characters of each; a packet may hold any amount.
const MOST: usize = 40;
const LONGEST: usize = 300;

/// Values of a packet that are looked at, however they are nested.
const MOST_VALUES: usize = 1000;

/// The packet that the asset names: its properties and their values, each a line of text.
pub(crate) fn of(json: &Value) -> Vec<(String, String)> {
    let number = json.pointer("/asset/extensions/KHR_xmp_json_ld/packet").and_then(Value::as_u64);
    let packet = number.and_then(|number| {
        let packets = json.pointer("/extensions/KHR_xmp_json_ld/packets")?.as_array()?;
        packets.get(usize::try_from(number).ok()?)?.as_object()
    });
    let mut left = MOST_VALUES;
    let mut told = Vec::new();
    for (name, value) in packet.into_iter().flatten().filter(|(name, _)| !name.starts_with('@')).take(MOST) {
        let mut parts = Vec::new();
        collect(value, &mut parts, &mut left);
        if !parts.is_empty() {
            told.push((escaped(name, LONGEST), escaped(&parts.join(", "), LONGEST)));
        }
    }
    told
}

/// The texts within a value of JSON-LD: of lists and sets every item, of the languages of one text the one that is usual.
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
            // Keys that begin so tell of the text: its language, its kind.
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

    fn told(packet: Value) -> Vec<(String, String)> {
        of(&json!({
            "asset": { "extensions": { "KHR_xmp_json_ld": { "packet": 1 } } },
            "extensions": { "KHR_xmp_json_ld": { "packets": [{ "dc:title": "another" }, packet] } },
        }))
    }

    #[test]
    fn titles_makers_and_rights_are_told() {
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
        let mut told = told(packet);
        told.sort();
        assert_eq!(told, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn what_is_long_or_steers_a_terminal_is_made_harmless() {
        let long = "x".repeat(10_000);
        let [(name, value)] = &told(json!({ "a\u{1b}[2J": format!("b\n{long}") }))[..] else { panic!() };
        assert_eq!(name, "a\\u{1b}[2J");
        assert!(value.starts_with("b\\nxxx") && value.chars().count() < LONGEST + 10);
        let many: serde_json::Map<String, Value> =
            (0..1000).map(|i| (format!("k{i}"), json!(vec!["v"; 1000]))).collect();
        assert!(told(Value::Object(many)).len() <= MOST);
    }

    #[test]
    fn a_file_without_a_packet_tells_nothing() {
        assert_eq!(of(&json!({ "asset": {} })), []);
        let asset = json!({ "extensions": { "KHR_xmp_json_ld": { "packet": 9 } } });
        assert_eq!(of(&json!({ "asset": asset, "extensions": { "KHR_xmp_json_ld": { "packets": [] } } })), []);
    }
}

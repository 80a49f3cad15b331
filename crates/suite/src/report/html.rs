//! Report as a self-contained HTML page.

use super::{ImageKind, Run, ShotResult, Status};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rigview_core::util::text::one_line;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Template with placeholders.
const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");
/// Maximum size of the embedded images, which the browser keeps in memory. It loads others from the folder when they are shown.
const MAX_IMAGE_BYTES: usize = 24 << 20;
/// Part of [`MAX_IMAGE_BYTES`] that is reserved for thumbnails.
const MAX_THUMBNAIL_BYTES: usize = 8 << 20;

/// Returns the page. `image` returns the bytes of an image of a shot, if it exists.
pub fn page(run: &Run, results: &[ShotResult], image: &dyn Fn(&str, ImageKind) -> Option<Vec<u8>>) -> String {
    let (mut small, mut large) = (MAX_THUMBNAIL_BYTES, MAX_IMAGE_BYTES - MAX_THUMBNAIL_BYTES);
    let shots = results.iter().map(|result| {
        // Data URIs by kind, and kinds of images that are only in the report's folder.
        let (mut images, mut files) = (BTreeMap::new(), Vec::new());
        for &kind in &result.images {
            let budget = match kind {
                // The page arranges the images itself.
                ImageKind::SideBySide => continue,
                ImageKind::Thumbnail => &mut small,
                _ => &mut large,
            };
            let is_embedded = kind != ImageKind::Golden || result.status != Status::Passed;
            match if is_embedded { image(&result.name, kind) } else { None } {
                Some(bytes) if bytes.len() <= *budget => {
                    *budget -= bytes.len();
                    images.insert(kind.label(), format!("data:image/png;base64,{}", STANDARD.encode(bytes)));
                }
                _ => files.push(kind.label()),
            }
        }
        let mut data = sanitized(json!(result));
        data["images"] = json!(images);
        data["files"] = json!(files);
        data
    });
    let data = json!({ "run": sanitized(json!(run)), "shots": shots.collect::<Vec<_>>() });
    // Only `<` could end the script element.
    let data = data.to_string().replace('<', "\\u003c");
    // Insert the data last, so that placeholders in it are not replaced.
    let page = PAGE.replace("{{STYLE}}", STYLE).replace("{{SCRIPT}}", SCRIPT);
    let (before, after) = page.split_once("{{DATA}}").expect("the template has a data placeholder");
    format!("{before}{data}{after}")
}

/// Replaces the unprintable characters of all texts, such as those that change the text direction.
fn sanitized(value: Value) -> Value {
    match value {
        Value::String(text) => one_line(&text).into(),
        Value::Array(values) => values.into_iter().map(sanitized).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, sanitized(value))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::util::text::is_unprintable;

    #[test]
    fn texts_cannot_change_the_text_direction_or_add_markup() {
        let hostile = "\u{202e}gnp\u{2066}.\u{200f}x\u{1b}[2J</script><!--".to_owned();
        let run = Run {
            suite: hostile.clone(),
            renderer: hostile.clone(),
            obsolete_goldens: vec![hostile.clone()],
            ..Run::default()
        };
        let result = ShotResult {
            name: "שלום".to_owned(),
            message: hostile.clone(),
            notices: vec![hostile.clone()],
            golden_differences: vec![hostile.clone()],
            golden_renderer: Some(hostile),
            ..ShotResult::default()
        };
        let page = page(&run, &[result], &|_, _| None);
        assert!(page.chars().all(|c| c == '\n' || !is_unprintable(c)));
        assert_eq!(page.matches("</script>").count(), 2, "the two of the template");
        assert!(page.contains("\u{fffd}gnp\u{fffd}.\u{fffd}x\u{fffd}[2J\\u003c/script>") && page.contains("שלום"));
    }

    #[test]
    fn goldens_of_passed_shots_are_linked_and_those_of_changed_shots_embedded() {
        let result = |status| ShotResult { status, images: vec![ImageKind::Golden], ..ShotResult::default() };
        let results = [result(Status::Passed), result(Status::Changed)];
        let page = page(&Run::default(), &results, &|_, _| Some(vec![1, 2, 3]));
        assert_eq!(page.matches("\"files\":[\"golden\"],").count(), 1);
        assert_eq!(page.matches("\"golden\":\"data:image/png;base64,AQID\"").count(), 1);
    }
}

//! Report as a self-contained HTML page.

use super::result::{ImageKind, Run, ShotResult};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Template with placeholders.
const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");
/// Maximum size of the embedded images, which the browser keeps in memory.
const MAX_IMAGE_BYTES: usize = 96 << 20;
/// Part of [`MAX_IMAGE_BYTES`] that is reserved for thumbnails.
const MAX_THUMBNAIL_BYTES: usize = 32 << 20;

#[derive(Serialize)]
struct Data<'a> {
    run: &'a Run,
    shots: Vec<ShotData<'a>>,
}

#[derive(Serialize)]
struct ShotData<'a> {
    #[serde(flatten)]
    result: &'a ShotResult,
    /// Data URIs by kind.
    images: BTreeMap<&'static str, String>,
    /// The size limit excluded images.
    left_out: bool,
}

/// Returns the page. `image` returns the bytes of an image of a shot, if it exists.
pub(crate) fn page(run: &Run, results: &[ShotResult], image: &dyn Fn(&str, ImageKind) -> Option<Vec<u8>>) -> String {
    let (mut small, mut large) = (MAX_THUMBNAIL_BYTES, MAX_IMAGE_BYTES - MAX_THUMBNAIL_BYTES);
    let shots = results.iter().map(|result| {
        let mut shot = ShotData { result, images: BTreeMap::new(), left_out: false };
        for &kind in &result.images {
            let (key, budget) = match kind {
                ImageKind::Thumbnail => ("thumbnail", &mut small),
                ImageKind::Golden => ("golden", &mut large),
                ImageKind::Actual => ("actual", &mut large),
                ImageKind::Repeat => ("repeat", &mut large),
                ImageKind::Difference => ("difference", &mut large),
                // The page arranges the images itself.
                ImageKind::SideBySide => continue,
            };
            match image(&result.name, kind) {
                Some(bytes) if bytes.len() <= *budget => {
                    *budget -= bytes.len();
                    shot.images.insert(key, format!("data:image/png;base64,{}", STANDARD.encode(bytes)));
                }
                _ => shot.left_out = true,
            }
        }
        shot
    });
    let data = Data { run, shots: shots.collect() };
    let data: Value = serde_json::to_value(&data).expect("plain data becomes JSON");
    // Only `<` could end the script element.
    let data = data.to_string().replace('<', "\\u003c");
    // Insert the data last, so that placeholders in it are not replaced.
    let page = PAGE.replace("{{STYLE}}", STYLE).replace("{{SCRIPT}}", SCRIPT);
    let (before, after) = page.split_once("{{DATA}}").expect("the template has a data placeholder");
    format!("{before}{data}{after}")
}

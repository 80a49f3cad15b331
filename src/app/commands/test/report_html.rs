//! A report for people: one page without outside files.

use super::result::{Kind, Outcome, Run};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The page, with a place for the data.
const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");
/// The most bytes of pictures that go into the page; a browser has to hold it.
const MAX_PICTURES: usize = 96 << 20;
/// Of these, what is kept for the small ones.
const MAX_THUMBNAILS: usize = 32 << 20;

#[derive(Serialize)]
struct Data<'a> {
    run: &'a Run,
    shots: Vec<ShotData<'a>>,
}

#[derive(Serialize)]
struct ShotData<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    /// By kind, as addresses that hold their data.
    images: BTreeMap<&'static str, String>,
    /// Whether pictures were left out because there were too many.
    left_out: bool,
}

/// The page's text. `picture` gives the bytes of a shot's picture, if it is there.
pub(crate) fn page(run: &Run, outcomes: &[Outcome], picture: &dyn Fn(&str, Kind) -> Option<Vec<u8>>) -> String {
    let (mut small, mut large) = (MAX_THUMBNAILS, MAX_PICTURES - MAX_THUMBNAILS);
    let shots = outcomes.iter().map(|outcome| {
        let mut shot = ShotData { outcome, images: BTreeMap::new(), left_out: false };
        for &kind in &outcome.pictures {
            let (key, budget) = match kind {
                Kind::Thumbnail => ("thumbnail", &mut small),
                Kind::Golden => ("golden", &mut large),
                Kind::Actual => ("actual", &mut large),
                Kind::Difference => ("difference", &mut large),
                // The page puts them beside each other itself.
                Kind::SideBySide => continue,
            };
            match picture(&outcome.name, kind) {
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
    // Within a script only `<` could end it.
    let data = data.to_string().replace('<', "\\u003c");
    // The data last: nothing in it is looked for.
    let page = PAGE.replace("{{STYLE}}", STYLE).replace("{{SCRIPT}}", SCRIPT);
    let (before, after) = page.split_once("{{DATA}}").expect("a place for the data");
    format!("{before}{data}{after}")
}

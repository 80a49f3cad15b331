//! A profile from good files.

use super::limits::LimitKey;
use super::measures::Measures;
use super::rules::{extensions_of, has_frames};
use rigview_core::import::Imported;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Margin of a measured value.
const MARGIN: f64 = 0.1;
/// Frame rates that are recognized.
const FRAME_RATES: [f64; 5] = [24.0, 25.0, 30.0, 50.0, 60.0];

/// What good files have: their least and largest values, the joints and clips that all of them have, and their materials.
///
/// ```
/// use rigview_check::profile::{Profile, ProfileDraft};
/// use rigview_core::import::{ImportOptions, open};
///
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../core/assets/hare.glb"));
/// let mut draft = ProfileDraft::default();
/// draft.add(&open(file, &ImportOptions::default())?);
/// let text = draft.text("hares");
/// assert!(text.contains("[clips]\nrequired = [\"nod\", \"listen\"]"), "{text}");
/// assert!(Profile::from_toml(&text).is_ok());
/// # Ok::<(), rigview_core::import::OpenError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProfileDraft {
    /// Least and largest value by key.
    ranges: BTreeMap<LimitKey, [f64; 2]>,
    /// Names of joints that all files have; `None` without a file.
    joints: Option<Vec<String>>,
    clips: Option<Vec<String>>,
    /// Frame rates of [`FRAME_RATES`] that a clip does not have.
    other_rates: BTreeSet<usize>,
    /// Extensions of materials; `None` without a material.
    extensions: Option<BTreeSet<String>>,
    has_double_sided: bool,
}

impl ProfileDraft {
    /// Adds a good file. The time is linear in its size.
    pub fn add(&mut self, file: &Imported) {
        let measures = Measures::new(file);
        for key in LimitKey::ALL {
            for value in measures.of(key).into_iter().map(|found| found.value).filter(|value| value.is_finite()) {
                let [min, max] = self.ranges.entry(key).or_insert([value; 2]);
                (*min, *max) = (min.min(value), max.max(value));
            }
        }
        let model = &file.model;
        let joints = model.skins.iter().flat_map(|skin| &skin.joints);
        keep_common(&mut self.joints, joints.filter_map(|joint| model.skeleton.joint(*joint).name.as_deref()));
        keep_common(&mut self.clips, model.clips.iter().filter_map(|clip| clip.name.as_deref()));
        let is_other = |rate: f64| !model.clips.iter().all(|clip| has_frames(clip, rate));
        self.other_rates.extend((0..FRAME_RATES.len()).filter(|rate| is_other(FRAME_RATES[*rate])));
        let materials = file.gltf_file.json().get("materials").and_then(Value::as_array);
        for material in materials.into_iter().flatten() {
            self.extensions.get_or_insert_default().extend(extensions_of(material));
            self.has_double_sided |= material.get("doubleSided") == Some(&Value::Bool(true));
        }
    }

    /// Returns a profile, as TOML, whose rules all added files keep: values have a tenth of margin.
    pub fn text(&self, name: &str) -> String {
        let mut text = format!("name = {}\n\n[limits]\n", toml::Value::from(name));
        for (key, &[min, max]) in &self.ranges {
            let (least, largest) = (1.0 - MARGIN, 1.0 + MARGIN);
            let range = match key {
                LimitKey::ClipSeconds | LimitKey::Height => {
                    format!(
                        "{{ min = {:?}, max = {:?} }}",
                        thousandths(min * least, f64::floor),
                        thousandths(max * largest, f64::ceil)
                    )
                }
                LimitKey::RootTravel => format!("{:?}", thousandths(max * largest, f64::ceil)),
                _ => (max * largest).ceil().to_string(),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:<40}# {}", format!("{} = {range}", key.name()), key.meaning());
        }
        let list = |names: &[String]| toml::Value::from(names.to_vec()).to_string();
        if let Some(joints) = self.joints.as_ref().filter(|joints| !joints.is_empty()) {
            let _ = writeln!(text, "\n[skeleton]\nrequired = {}", list(joints));
        }
        if let Some(clips) = self.clips.as_ref().filter(|clips| !clips.is_empty()) {
            let _ = writeln!(text, "\n[clips]\nrequired = {}", list(clips));
            if let Some(rate) = (0..FRAME_RATES.len()).find(|rate| !self.other_rates.contains(rate)) {
                let _ = writeln!(text, "frame-rate = {}", FRAME_RATES[rate]);
            }
        }
        if let Some(extensions) = &self.extensions {
            let extensions: Vec<String> = extensions.iter().cloned().collect();
            let _ = writeln!(text, "\n[materials]\nallowed-extensions = {}", list(&extensions));
            if !self.has_double_sided {
                text.push_str("double-sided = false\n");
            }
        }
        text
    }
}

/// Rounds to thousandths.
fn thousandths(value: f64, round: fn(f64) -> f64) -> f64 {
    round(value * 1000.0) / 1000.0
}

/// Keeps the names that a further file has, too, in the order of the first file.
fn keep_common<'a>(common: &mut Option<Vec<String>>, names: impl Iterator<Item = &'a str>) {
    match common {
        Some(common) => {
            let names: BTreeSet<&str> = names.collect();
            common.retain(|name| names.contains(name.as_str()));
        }
        None => {
            let mut seen = BTreeSet::new();
            *common = Some(names.filter(|name| seen.insert(*name)).map(str::to_owned).collect());
        }
    }
}

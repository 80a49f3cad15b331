//! Parsing of a suite file.

use super::error::{SuiteError, SuiteErrorKind};
use super::mask::{self, MaskRegion};
use super::shot::{Shot, ShotKind};
use super::value::{Value, number, wrong_value};
use crate::compare::Tolerances;
use crate::pose::DEFAULT_TOLERANCE;
use rigview_core::util::text::excerpt;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use toml::de::{DeArray, DeTable, DeValue};

/// A parsed suite file, before globs are expanded.
pub(super) struct SuiteFile {
    /// The folder of the goldens, relative to the suite's.
    pub(super) goldens: PathBuf,
    /// The folder of the store, relative to the suite's.
    pub(super) store: Option<String>,
    /// Each `[[shot]]`, completed with `[defaults]`.
    pub(super) shots: Vec<ShotTable>,
}

/// A `[[shot]]`.
pub(super) struct ShotTable {
    pub(super) name: Option<String>,
    /// Paths and globs.
    pub(super) models: Vec<String>,
    /// `model` is an array.
    pub(super) is_model_array: bool,
    /// Tables share the axes from `[defaults]`.
    pub(super) axes: Vec<Rc<OptionValues>>,
    /// What all of its shots have in common.
    pub(super) shot: Shot,
}

/// An option of `rigview shot` and its values, one shot each.
pub(super) struct OptionValues {
    /// The name, without leading dashes.
    pub(super) option: String,
    pub(super) choices: Vec<OptionValue>,
    /// It is from `[defaults]`.
    pub(super) is_default: bool,
    /// It stands for every clip of the model, whose names are parts of the shots' names.
    pub(super) is_every_clip: bool,
    pub(super) line: usize,
}

/// One value of an option.
#[derive(Clone)]
pub(super) struct OptionValue {
    /// Command line arguments.
    pub(super) args: Vec<String>,
    /// The part of a shot's name.
    pub(super) text: String,
}

impl OptionValue {
    /// Length of the text of the arguments and of the name.
    pub(super) fn bytes(&self) -> usize {
        self.args.iter().map(String::len).sum::<usize>() + self.text.len()
    }
}

const ROOT_KEYS: [&str; 4] = ["goldens", "defaults", "limits", "shot"];
/// Keys of a `[[shot]]` that are not options of `rigview shot`.
const SHOT_KEYS: [&str; 10] =
    ["name", "model", MORE_MODELS, "kind", "limits", "mask", "tolerance", "profile", "skip", "expect-failure"];
/// Other models of the scene: arguments of `rigview shot` without an option.
const MORE_MODELS: &str = "more-models";
/// Options of shots that are no images.
const IMPORT_OPTIONS: [&str; 2] = ["allow-external-files", "limit"];
const LIMIT_KEYS: [&str; 9] = [
    "max-channel-diff",
    "changed-pixels",
    "pixels",
    "flip-mean",
    "flip-p99",
    "different-pixels",
    "alpha-mean",
    "alpha-pixels",
    "reason",
];
/// Maximum number of options of a shot; `rigview shot` has fewer.
const MAX_OPTIONS: usize = 200;
/// Options that the suite determines itself.
const RESERVED: [&str; 4] = ["output", "file", "help", "version"];
/// The option for one shot per clip.
pub(super) const EVERY_CLIP: &str = "--clip=*";
/// The option for the rest pose.
pub(super) const NO_CLIP: &str = "--clip=none";
/// Options whose value is an array of numbers.
const VECTORS: [&str; 5] = ["eye", "target", "look-at", "background", "light"];
/// Options whose several values are passed together, instead of making several shots.
const REPEATABLE: [&str; 4] = ["light", "limit", "overlay", MORE_MODELS];

/// Limits that `pixels` replaces. Tables are sorted, so `pixels` of the same table follows and remains.
const COUNT_REPLACES: [&str; 3] = ["max-channel-diff", "changed-pixels", "different-pixels"];

/// Positions of the line feeds of a text.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// Returns the line, from 1, in which a span begins.
    fn of(&self, span: Range<usize>) -> usize {
        1 + self.0.partition_point(|line_feed| *line_feed < span.start)
    }
}

/// Parses a suite file. `options` are the names of the options of `rigview shot`.
pub(super) fn suite_file(text: &str, options: &[String]) -> Result<SuiteFile, SuiteError> {
    let lines = Lines::new(text);
    let document = DeTable::parse(text).map_err(|error| SuiteError {
        line: error.span().map(|span| lines.of(span)),
        kind: SuiteErrorKind::InvalidToml { message: one_line(error.message()) },
    })?;
    let mut goldens = PathBuf::from("goldens");
    let (mut defaults, mut limits, mut shots, mut store) = (None, None, None, None);
    for (key, value) in document.get_ref() {
        let line = lines.of(key.span());
        match key.get_ref().as_ref() {
            "goldens" => {
                let folder = string("goldens", value, line)?;
                store = folder.strip_prefix("store:").filter(|store| !store.is_empty()).map(str::to_owned);
                if store.is_some() {
                    continue;
                }
                goldens = PathBuf::from(folder);
                if !is_inside(&goldens) {
                    return Err(SuiteErrorKind::GoldensOutside { folder: excerpt(folder) }.at(line));
                }
            }
            "defaults" => defaults = Some(table("defaults", value, line)?),
            "limits" => limits = Some((value, line)),
            "shot" => {
                shots = Some(
                    value.get_ref().as_array().ok_or_else(|| wrong_value("shot", "[[shot]] tables", value, line))?,
                );
            }
            key => return Err(SuiteErrorKind::unknown_key(key, ROOT_KEYS, &ROOT_KEYS.join(", ")).at(line)),
        }
    }
    let (mut default_limits, mut default_reason) = (Tolerances::default(), None);
    if let Some((value, line)) = limits {
        read_limits(value, line, &mut default_limits, &mut default_reason, &lines)?;
    }
    let mut default_axes = Vec::new();
    let mut default_mask: Arc<[MaskRegion]> = Arc::new([]);
    for (key, value) in defaults.into_iter().flatten() {
        let (key, line) = (key.get_ref().as_ref(), lines.of(key.span()));
        if key == "mask" {
            default_mask = mask::regions(value, line)?.into();
            continue;
        }
        if SHOT_KEYS.contains(&key) {
            return Err(SuiteErrorKind::OnlyInShot { key: key.to_owned() }.at(line));
        }
        default_axes.push(Rc::new(OptionValues { is_default: true, ..axis(key, value, line, options)? }));
    }
    if default_axes.len() > MAX_OPTIONS {
        return Err(SuiteErrorKind::TooManyOptions { limit: MAX_OPTIONS }.into());
    }
    let shots = shots.filter(|shots| shots.iter().next().is_some());
    let shots = shots.ok_or(SuiteErrorKind::NoShots)?;
    let mut shot_tables = Vec::new();
    for value in shots.iter() {
        let line = lines.of(value.span());
        let entries = self::table("shot", value, line)?;
        let mut table = ShotTable {
            name: None,
            models: Vec::new(),
            is_model_array: false,
            axes: Vec::new(),
            shot: Shot {
                limits: default_limits,
                reason: default_reason.clone(),
                mask: Arc::clone(&default_mask),
                line,
                ..Shot::default()
            },
        };
        let (mut kind, mut keys) = (Kind::default(), Vec::new());
        for (key, value) in entries {
            let line = lines.of(key.span());
            keys.push((key.get_ref().as_ref(), line));
            match key.get_ref().as_ref() {
                "kind" => kind.name = kind_name(value, line)?,
                "tolerance" => {
                    let tolerance =
                        number(value).and_then(|text| text.parse().ok()).filter(|x| (0.0..=1e6).contains(x));
                    kind.tolerance =
                        Some(tolerance.ok_or_else(|| wrong_value("tolerance", "a number from 0", value, line))?);
                }
                "profile" => kind.profile = Some(PathBuf::from(string("profile", value, line)?)),
                "name" => table.name = Some(string("name", value, line)?.to_owned()),
                "model" => (table.models, table.is_model_array) = models(value, line)?,
                "limits" => read_limits(value, line, &mut table.shot.limits, &mut table.shot.reason, &lines)?,
                "mask" => table.shot.mask = mask::regions(value, line)?.into(),
                "skip" => table.shot.skip = Some(why("skip", value, line)?),
                "expect-failure" => table.shot.expect_failure = Some(why("expect-failure", value, line)?),
                key => table.axes.push(Rc::new(axis(key, value, line, options)?)),
            }
        }
        if table.axes.len() > MAX_OPTIONS {
            return Err(SuiteErrorKind::TooManyOptions { limit: MAX_OPTIONS }.at(line));
        }
        let is_image = kind.name == "image";
        table.shot.kind = kind.checked(&keys)?;
        for default in &default_axes {
            let is_used = is_image || IMPORT_OPTIONS.contains(&default.option.as_str());
            if is_used && table.axes.iter().all(|own| own.option != default.option) {
                table.axes.push(Rc::clone(default));
            }
        }
        if matches!(table.shot.kind, ShotKind::Pose { .. }) {
            table.axes.push(Rc::new(rig_and_clips(line)));
        }
        table.axes.sort_by(|a, b| sort_key(&a.option).cmp(&sort_key(&b.option)));
        if table.models.is_empty() {
            return Err(SuiteErrorKind::NoModel.at(line));
        }
        shot_tables.push(table);
    }
    Ok(SuiteFile { goldens, store, shots: shot_tables })
}

/// The keys of the kind of a shot.
struct Kind {
    name: &'static str,
    tolerance: Option<f64>,
    profile: Option<PathBuf>,
}

impl Default for Kind {
    fn default() -> Self {
        Self { name: "image", tolerance: None, profile: None }
    }
}

impl Kind {
    /// Returns the kind of a shot with these `keys`. Fails for a key of another kind.
    fn checked(self, keys: &[(&str, usize)]) -> Result<ShotKind, SuiteError> {
        let is_taken = |key: &str| match (self.name, key) {
            (_, "name" | "model" | "kind" | "skip" | "expect-failure") => true,
            (name, "tolerance") => name == "pose",
            (name, "profile") => name == "check",
            (name, key) => name == "image" || IMPORT_OPTIONS.contains(&key),
        };
        if let Some((key, line)) = keys.iter().find(|(key, _)| !is_taken(key)) {
            return Err(SuiteErrorKind::OtherKind { kind: self.name, key: (*key).to_owned() }.at(*line));
        }
        Ok(match self.name {
            "pose" => ShotKind::Pose { tolerance: self.tolerance.unwrap_or(DEFAULT_TOLERANCE) },
            "check" => ShotKind::Check { profile: self.profile },
            _ => ShotKind::Image,
        })
    }
}

fn kind_name(value: &Value<'_>, line: usize) -> Result<&'static str, SuiteError> {
    let name =
        value.get_ref().as_str().and_then(|kind| ["image", "pose", "check"].into_iter().find(|name| *name == kind));
    name.ok_or_else(|| wrong_value("kind", "\"image\", \"pose\" or \"check\"", value, line))
}

/// A reason, which must not be empty.
fn why(key: &str, value: &Value<'_>, line: usize) -> Result<String, SuiteError> {
    let reason = value.get_ref().as_str().filter(|reason| !reason.trim().is_empty());
    reason.map(excerpt).ok_or_else(|| wrong_value(key, "a reason, such as \"waits for the new rig\"", value, line))
}

/// Sort key of options, for the parts of names and for the nesting of values.
fn sort_key(option: &str) -> (usize, &str) {
    const FIRST: [&str; 5] = ["clip", "time", "camera", "size", "instances"];
    (FIRST.iter().position(|first| *first == option).unwrap_or(FIRST.len()), option)
}

fn models(value: &Value<'_>, line: usize) -> Result<(Vec<String>, bool), SuiteError> {
    match value.get_ref() {
        DeValue::String(model) => Ok((vec![model.to_string()], false)),
        DeValue::Array(models) => {
            let models: Result<_, _> =
                models.iter().map(|model| string("model", model, line).map(str::to_owned)).collect();
            Ok((models?, true))
        }
        _ => Err(wrong_value("model", "a path, or an array of paths", value, line)),
    }
}

fn axis(key: &str, value: &Value<'_>, line: usize, options: &[String]) -> Result<OptionValues, SuiteError> {
    let option = key.to_owned();
    if RESERVED.contains(&option.as_str()) || !options.contains(&option) && option != MORE_MODELS {
        let all = format!("{} and the options of `rigview shot`", SHOT_KEYS.join(", "));
        let options = options.iter().map(String::as_str).filter(|option| !RESERVED.contains(option));
        return Err(SuiteErrorKind::unknown_key(key, SHOT_KEYS.into_iter().chain(options), &all).at(line));
    }
    let choices_of = |values: &[&Value<'_>]| -> Result<Vec<OptionValue>, SuiteError> {
        values.iter().map(|value| choice(&option, value, line)).collect()
    };
    let choices = match value.get_ref() {
        DeValue::Array(values) => {
            let values: Vec<&Value<'_>> = values.iter().collect();
            let numbers = values.iter().all(|value| number(value).is_some());
            if values.is_empty() {
                return Err(wrong_value(key, "at least one value", value, line));
            } else if numbers && (VECTORS.contains(&option.as_str()) || option == "size") {
                vec![choice(&option, value, line)?]
            } else if REPEATABLE.contains(&option.as_str()) {
                let all = choices_of(&values)?;
                let text = all.iter().map(|choice| choice.text.as_str()).collect::<Vec<_>>().join("+");
                vec![OptionValue { args: all.into_iter().flat_map(|choice| choice.args).collect(), text }]
            } else {
                choices_of(&values)?
            }
        }
        _ => vec![choice(&option, value, line)?],
    };
    let is_every_clip = option == "clip" && choices.iter().any(|choice| choice.args == [EVERY_CLIP]);
    Ok(OptionValues { option, choices, is_default: false, is_every_clip, line })
}

fn choice(option: &str, value: &Value<'_>, line: usize) -> Result<OptionValue, SuiteError> {
    let text = match value.get_ref() {
        DeValue::Boolean(true) => {
            return Ok(OptionValue { args: vec![format!("--{option}")], text: option.to_owned() });
        }
        DeValue::Boolean(false) => return Ok(OptionValue { args: Vec::new(), text: format!("no-{option}") }),
        DeValue::String(text) => text.to_string(),
        DeValue::Array(values) => {
            let separator = if option == "size" { "x" } else { "," };
            let numbers: Option<Vec<String>> = values.iter().map(number).collect();
            let is_vector = option == "size" || VECTORS.contains(&option);
            match numbers.filter(|numbers| is_vector && !numbers.is_empty()) {
                Some(numbers) => numbers.join(separator),
                None => return repeated(option, values, value, line),
            }
        }
        _ => number(value).ok_or_else(|| wrong_value(option, "a string, a number, true or false", value, line))?,
    };
    Ok(OptionValue { args: vec![argument(option, &text)], text: name_part(option, &text) })
}

/// The argument of `rigview shot` for a value. A file name like an option gets `./` in front.
fn argument(option: &str, text: &str) -> String {
    match option {
        MORE_MODELS if text.starts_with('-') => format!("./{text}"),
        MORE_MODELS => text.to_owned(),
        _ => format!("--{option}={text}"),
    }
}

/// The shots of poses: one of the rig, and one of each clip.
fn rig_and_clips(line: usize) -> OptionValues {
    let choice = |arg: &str, text: &str| OptionValue { args: vec![arg.to_owned()], text: text.to_owned() };
    let choices = vec![choice(NO_CLIP, ""), choice(EVERY_CLIP, "*")];
    OptionValues { option: "clip".to_owned(), choices, is_default: false, is_every_clip: true, line }
}

/// An array of strings within the array of an option: values that one shot repeats.
fn repeated(option: &str, values: &DeArray<'_>, value: &Value<'_>, line: usize) -> Result<OptionValue, SuiteError> {
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.get_ref().as_str()).collect();
    let texts = texts.filter(|texts| !texts.is_empty()).ok_or_else(|| {
        wrong_value(option, "a string, a number, true, false, or an array of strings for one shot", value, line)
    })?;
    let args = texts.iter().map(|text| argument(option, text)).collect();
    Ok(OptionValue { args, text: name_part(option, &texts.join("+")) })
}

/// The part of a shot's name for a value.
fn name_part(option: &str, text: &str) -> String {
    match option {
        "clip" | "camera" | "size" | "overlay" | MORE_MODELS => text.to_owned(),
        "time" => format!("t{}", text.replace('%', "pct")),
        "instances" => format!("n{text}"),
        _ => format!("{option}-{text}"),
    }
}

fn read_limits(
    value: &Value<'_>,
    line: usize,
    limits: &mut Tolerances,
    reason: &mut Option<String>,
    lines: &Lines,
) -> Result<(), SuiteError> {
    let mut has_reason = false;
    for (key, value) in table("limits", value, line)? {
        let line = lines.of(key.span());
        let key = key.get_ref().as_ref();
        if key == "reason" {
            let text = string("reason", value, line)?;
            has_reason = !text.trim().is_empty();
            *reason = Some(excerpt(text));
            continue;
        }
        if COUNT_REPLACES.contains(&key) {
            limits.pixel_count = None;
        }
        let given = number(value).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        if !limits.set(key, given).map_err(|expected| wrong_value(key, expected, value, line))? {
            return Err(SuiteErrorKind::unknown_key(key, LIMIT_KEYS, &LIMIT_KEYS.join(", ")).at(line));
        }
    }
    if has_reason { Ok(()) } else { Err(SuiteErrorKind::NoReason.at(line)) }
}

fn table<'a, 'i>(key: &str, value: &'a Value<'i>, line: usize) -> Result<&'a DeTable<'i>, SuiteError> {
    value.get_ref().as_table().ok_or_else(|| wrong_value(key, "a table", value, line))
}

fn string<'a>(key: &str, value: &'a Value<'_>, line: usize) -> Result<&'a str, SuiteError> {
    value.get_ref().as_str().ok_or_else(|| wrong_value(key, "a string", value, line))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns `true` if a relative path does not leave its folder.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

//! TOML to a plan: what each table says, with its lines.

use super::error::{Problem, SuiteError};
use super::stays_inside;
use crate::compare::{Limit, Limits};
use crate::util::text::excerpt;

use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a suite file says, before models are looked for.
pub(super) struct Plan {
    /// The folder of the goldens, relative to the suite's.
    pub(super) goldens: PathBuf,
    /// Each `[[shot]]`, with what `[defaults]` says where it says nothing itself.
    pub(super) blocks: Vec<Block>,
}

/// A `[[shot]]`.
pub(super) struct Block {
    pub(super) name: Option<String>,
    /// Models and patterns of models.
    pub(super) models: Vec<String>,
    /// Whether `models` is a list.
    pub(super) many_models: bool,
    pub(super) axes: Vec<Axis>,
    pub(super) limits: Limits,
    pub(super) reason: Option<String>,
    pub(super) line: usize,
}

/// An option of `rigview shot` and the values that it takes, one after the other.
#[derive(Clone)]
pub(super) struct Axis {
    /// The option's name, without dashes in front.
    pub(super) option: String,
    pub(super) choices: Vec<Choice>,
    /// Whether it is from `[defaults]`.
    pub(super) is_default: bool,
}

/// One value of an option.
#[derive(Clone)]
pub(super) struct Choice {
    /// What the command line says for it.
    pub(super) words: Vec<String>,
    /// What a shot's name says for it.
    pub(super) text: String,
}

const TOP: &str = "goldens, [defaults], [limits] and [[shot]]";
const LIMITS: &str = "step, share, flip-mean, flip-p99, pixels, alpha-mean, alpha-pixels and reason";
/// Options that a suite decides itself.
const OWN: [&str; 4] = ["output", "file", "help", "version"];
/// Options of which several numbers are one value.
const VECTORS: [&str; 4] = ["eye", "target", "background", "light"];
/// Options that are repeated where they have several values: lights shine together, limits hold together.
const TOGETHER: [&str; 2] = ["light", "limit"];

struct Lines<'a>(&'a str);

impl Lines<'_> {
    fn of(&self, span: Range<usize>) -> usize {
        let end = span.start.min(self.0.len());
        1 + self.0.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
    }
}

type Value<'i> = Spanned<DeValue<'i>>;

/// Reads a suite file.
pub(super) fn plan(text: &str) -> Result<Plan, SuiteError> {
    let lines = Lines(text);
    let document = DeTable::parse(text).map_err(|error| SuiteError {
        line: error.span().map(|span| lines.of(span)),
        problem: Problem::NotToml { message: one_line(error.message()) },
    })?;
    let mut goldens = PathBuf::from("goldens");
    let (mut defaults, mut limits, mut shots) = (None, None, None);
    for (key, value) in document.get_ref() {
        let line = lines.of(key.span());
        match key.get_ref().as_ref() {
            "goldens" => {
                let folder = string("goldens", value, line)?;
                goldens = PathBuf::from(folder);
                if !stays_inside(&goldens) {
                    return Err(Problem::GoldensOutside { folder: folder.to_owned() }.at(line));
                }
            }
            "defaults" => defaults = Some(table("defaults", value, line)?),
            "limits" => limits = Some((value, line)),
            "shot" => {
                shots = Some(value.get_ref().as_array().ok_or_else(|| wrong("shot", "[[shot]] tables", value, line))?);
            }
            key => return Err(Problem::UnknownKey { key: excerpt(key), known: TOP }.at(line)),
        }
    }
    let (mut usual, mut usual_reason) = (Limits::default(), None);
    if let Some((value, line)) = limits {
        read_limits(value, line, &mut usual, &mut usual_reason, &lines)?;
    }
    let mut default_axes = Vec::new();
    for (key, value) in defaults.into_iter().flatten() {
        let line = lines.of(key.span());
        default_axes.push(Axis { is_default: true, ..axis(key.get_ref(), value, line)? });
    }
    let shots = shots.filter(|shots| shots.iter().next().is_some());
    let shots = shots.ok_or(SuiteError { line: None, problem: Problem::NoShots })?;
    let mut blocks = Vec::new();
    for shot in shots.iter() {
        let line = lines.of(shot.span());
        let table = table("shot", shot, line)?;
        let mut block = Block {
            name: None,
            models: Vec::new(),
            many_models: false,
            axes: Vec::new(),
            limits: usual,
            reason: usual_reason.clone(),
            line,
        };
        for (key, value) in table {
            let line = lines.of(key.span());
            match key.get_ref().as_ref() {
                "name" => block.name = Some(string("name", value, line)?.to_owned()),
                "model" => (block.models, block.many_models) = models(value, line)?,
                "limits" => read_limits(value, line, &mut block.limits, &mut block.reason, &lines)?,
                key => block.axes.push(axis(key, value, line)?),
            }
        }
        for default in &default_axes {
            if block.axes.iter().all(|own| own.option != default.option) {
                block.axes.push(default.clone());
            }
        }
        block.axes.sort_by(|a, b| rank(&a.option).cmp(&rank(&b.option)));
        if block.models.is_empty() {
            return Err(Problem::NoModel.at(line));
        }
        blocks.push(block);
    }
    Ok(Plan { goldens, blocks })
}

/// The order in which options stand in a name, and in which the values of several are gone through.
fn rank(option: &str) -> (usize, &str) {
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
        _ => Err(wrong("model", "a path, or a list of paths", value, line)),
    }
}

fn axis(key: &str, value: &Value<'_>, line: usize) -> Result<Axis, SuiteError> {
    let option = key.replace('_', "-");
    let is_option = option.starts_with(|c: char| c.is_ascii_lowercase())
        && option.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if OWN.contains(&option.as_str()) || !is_option {
        return Err(Problem::UnknownKey {
            key: excerpt(key),
            known: "name, model, limits and the options of `rigview shot`",
        }
        .at(line));
    }
    let many = |values: &[&Value<'_>]| -> Result<Vec<Choice>, SuiteError> {
        values.iter().map(|value| choice(&option, value, line)).collect()
    };
    let choices = match value.get_ref() {
        DeValue::Array(values) => {
            let values: Vec<&Value<'_>> = values.iter().collect();
            let numbers = values.iter().all(|value| number(value).is_some());
            if values.is_empty() {
                return Err(wrong(key, "at least one value", value, line));
            } else if numbers && (VECTORS.contains(&option.as_str()) || option == "size") {
                vec![choice(&option, value, line)?]
            } else if TOGETHER.contains(&option.as_str()) {
                let all = many(&values)?;
                let text = all.iter().map(|choice| choice.text.as_str()).collect::<Vec<_>>().join("+");
                vec![Choice { words: all.into_iter().flat_map(|choice| choice.words).collect(), text }]
            } else {
                many(&values)?
            }
        }
        _ => vec![choice(&option, value, line)?],
    };
    Ok(Axis { option, choices, is_default: false })
}

fn choice(option: &str, value: &Value<'_>, line: usize) -> Result<Choice, SuiteError> {
    let text = match value.get_ref() {
        DeValue::Boolean(true) => return Ok(Choice { words: vec![format!("--{option}")], text: option.to_owned() }),
        DeValue::Boolean(false) => return Ok(Choice { words: Vec::new(), text: format!("no-{option}") }),
        DeValue::String(text) => text.to_string(),
        DeValue::Array(numbers) => {
            let separator = if option == "size" { "x" } else { "," };
            let numbers: Option<Vec<String>> = numbers.iter().map(number).collect();
            let is_vector = option == "size" || VECTORS.contains(&option);
            let numbers = numbers.filter(|numbers| is_vector && !numbers.is_empty());
            numbers.ok_or_else(|| wrong(option, "text, a number, true or false", value, line))?.join(separator)
        }
        _ => number(value).ok_or_else(|| wrong(option, "text, a number, true or false", value, line))?,
    };
    Ok(Choice { words: vec![format!("--{option}={text}")], text: short(option, &text) })
}

/// A value in a shot's name.
fn short(option: &str, text: &str) -> String {
    match option {
        "clip" | "camera" | "size" => text.to_owned(),
        "time" => format!("t{text}"),
        "instances" => format!("n{text}"),
        _ => format!("{option}-{text}"),
    }
}

/// A number as the command line has it, in the shortest way.
fn number(value: &Value<'_>) -> Option<String> {
    match value.get_ref() {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|i| i.to_string()),
        DeValue::Float(float) => float.as_str().parse::<f64>().ok().map(|f| f.to_string()),
        _ => None,
    }
}

fn read_limits(
    value: &Value<'_>,
    line: usize,
    limits: &mut Limits,
    reason: &mut Option<String>,
    lines: &Lines<'_>,
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
        let given = number(value).and_then(|text| text.parse::<f64>().ok());
        match limits.named().into_iter().find(|(name, _)| *name == key) {
            None => return Err(Problem::UnknownKey { key: excerpt(key), known: LIMITS }.at(line)),
            Some((_, Limit::Step(step))) => match given {
                Some(given) if (0.0..=255.0).contains(&given) && given.fract() == 0.0 => *step = given as u8,
                _ => return Err(wrong(key, "a whole number from 0 to 255", value, line)),
            },
            Some((_, Limit::Share(share))) => match given {
                Some(given) if (0.0..=1.0).contains(&given) => *share = given,
                _ => return Err(wrong(key, "a number from 0 to 1", value, line)),
            },
        }
    }
    if has_reason { Ok(()) } else { Err(Problem::NoReason.at(line)) }
}

fn table<'a, 'i>(key: &str, value: &'a Value<'i>, line: usize) -> Result<&'a DeTable<'i>, SuiteError> {
    value.get_ref().as_table().ok_or_else(|| wrong(key, "a table", value, line))
}

fn string<'a>(key: &str, value: &'a Value<'_>, line: usize) -> Result<&'a str, SuiteError> {
    value.get_ref().as_str().ok_or_else(|| wrong(key, "text", value, line))
}

fn wrong(key: &str, expected: &'static str, value: &Value<'_>, line: usize) -> SuiteError {
    let found = match value.get_ref() {
        DeValue::Array(array) if array.iter().next().is_none() => "an empty list".to_owned(),
        DeValue::Array(_) => "a list of this kind".to_owned(),
        DeValue::String(text) => format!("`{}`", excerpt(text)),
        other => number(value).unwrap_or_else(|| format!("a {}", other.type_str())),
    };
    Problem::WrongValue { key: excerpt(key), expected, found }.at(line)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

//! Layout files: one instance per CSV line or JSON object.

use super::{ClipUse, InstancePlacement, Layout, LayoutError, LayoutProblem};
use nalgebra::Vector3;
use rigview_core::pose::MAX_LAYERS;
use rigview_core::util::text::excerpt;
use serde::Deserialize;
use std::collections::HashMap;

/// Maximum number of instances in a file.
pub const MAX_INSTANCES: usize = 10_000_000;

/// Maximum number of clips of an instance: all layers but one for a cross-fade and one for the rest pose.
const MAX_CLIPS: usize = MAX_LAYERS - 2;

/// Maximum distance from the origin along each axis, in meters, because of single precision.
const MAX_COORDINATE_METERS: f64 = 1e9;

/// Format of a layout file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutFormat {
    /// A header line, then one line per instance: `x,y,z,yaw,scale,clip,phase,speed`. Only x and z are required. Empty
    /// fields are ignored, and lines that start with `#` are comments. Several clips that play together are separated by `;`, as are
    /// their phases and speeds: `yaw;work,0;2.5,1;0.5`.
    Csv,
    /// An array of objects such as `{ "position": [1, 0, 2], "yaw": 90, "scale": 1, "clip": "Walk", "phase": 0.5,
    /// "speed": 1 }`. Only the position is required. Several clips that play together, their phases and their speeds are arrays.
    Json,
}

/// Parses a layout: positions in meters, yaw in degrees, phases in seconds.
///
/// # Errors
/// With the line of the first problem.
pub fn parse_layout(text: &str, format: LayoutFormat) -> Result<Layout, LayoutError> {
    let layout = match format {
        LayoutFormat::Csv => parse_csv(text),
        LayoutFormat::Json => parse_json(text),
    }?;
    if layout.placements.is_empty() {
        return Err(at(text.lines().count().max(1), LayoutProblem::NoInstances));
    }
    Ok(layout)
}

fn at(line: usize, problem: LayoutProblem) -> LayoutError {
    LayoutError { line, problem }
}

/// An unvalidated entry.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    position: [f64; 3],
    #[serde(rename = "yaw")]
    yaw_degrees: Option<f64>,
    scale: Option<f64>,
    #[serde(default, rename = "clip")]
    clips: OneOrMore<String>,
    #[serde(default, rename = "phase")]
    phases_secs: OneOrMore<f64>,
    #[serde(default, rename = "speed")]
    speeds: OneOrMore<f64>,
}

/// A value for all clips of an entry, or one for each.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a value, or an array of values")]
enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> Default for OneOrMore<T> {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl<T> OneOrMore<T> {
    fn into_values(self) -> Vec<T> {
        match self {
            Self::One(value) => vec![value],
            Self::More(values) => values,
        }
    }
}

/// A validated entry.
#[derive(Deserialize)]
#[serde(try_from = "RawEntry")]
struct Entry {
    placement: InstancePlacement,
    clips: Vec<String>,
    /// For each clip, its phase and speed.
    playbacks: Vec<(Option<f64>, Option<f32>)>,
}

impl TryFrom<RawEntry> for Entry {
    type Error = LayoutProblem;

    fn try_from(raw: RawEntry) -> Result<Self, LayoutProblem> {
        let invalid = |what, value: f64| LayoutProblem::InvalidValue { what, value: value.to_string() };
        let check_magnitude = |what, value: Option<f64>, max: f64| match value {
            Some(value) if value.is_nan() || value.abs() > max => Err(invalid(what, value)),
            value => Ok(value),
        };
        for coordinate in raw.position {
            check_magnitude("position within a million kilometers", Some(coordinate), MAX_COORDINATE_METERS)?;
        }
        if let Some(scale) = raw.scale.filter(|scale| !(*scale > 0.0 && *scale <= 1e6)) {
            return Err(invalid("scale above 0", scale));
        }
        let clips = raw.clips.into_values();
        if clips.len() > MAX_CLIPS {
            return Err(invalid("number of clips that can play together", clips.len() as f64));
        }
        // The value of all clips, and those of each.
        let values = |what, values: Vec<f64>, max: f64| {
            values.iter().try_for_each(|value| check_magnitude(what, Some(*value), max).map(drop))?;
            match values[..] {
                [] => Ok((None, vec![None; clips.len()])),
                [value] => Ok((Some(value), vec![None; clips.len()])),
                _ if values.len() == clips.len() => Ok((None, values.into_iter().map(Some).collect())),
                _ => {
                    let value = values.iter().map(f64::to_string).collect::<Vec<_>>().join(";");
                    Err(LayoutProblem::InvalidValue { what: "value for each clip", value: excerpt(&value) })
                }
            }
        };
        let (phase_secs, phases) = values("phase", raw.phases_secs.into_values(), 1e9)?;
        let (speed, speeds) = values("speed", raw.speeds.into_values(), 1e6)?;
        let single = |speed: Option<f64>| speed.map(|speed| speed as f32);
        let placement = InstancePlacement {
            position: Vector3::from(raw.position),
            yaw: check_magnitude("angle", raw.yaw_degrees, 1e6)?.unwrap_or(0.0).to_radians(),
            scale: raw.scale.unwrap_or(1.0),
            clip_uses: [0; 2],
            phase_secs,
            speed: single(speed),
        };
        let playbacks = phases.into_iter().zip(speeds.into_iter().map(single)).collect();
        Ok(Self { placement, clips, playbacks })
    }
}

/// Collects entries and assigns clip indices.
#[derive(Default)]
struct LayoutBuilder {
    layout: Layout,
    clip_indices: HashMap<String, u32>,
}

impl LayoutBuilder {
    /// Adds an entry. `line` returns the line of a clip name.
    fn add(&mut self, entry: Entry, line: impl Fn(&str) -> usize) -> Result<(), LayoutError> {
        if self.layout.placements.len() >= MAX_INSTANCES {
            return Err(at(line(""), LayoutProblem::TooMany { max: MAX_INSTANCES }));
        }
        let Entry { mut placement, clips, playbacks } = entry;
        let start = self.layout.clip_uses.len() as u32;
        for (name, (phase_secs, speed)) in clips.into_iter().zip(playbacks) {
            let clip = match self.clip_indices.get(&name) {
                Some(&index) => index,
                None => {
                    let index = self.layout.clips.len() as u32;
                    self.layout.clips.push((name.clone(), line(&name)));
                    self.clip_indices.insert(name, index);
                    index
                }
            };
            self.layout.clip_uses.push(ClipUse { clip, phase_secs, speed });
        }
        placement.clip_uses = [start, self.layout.clip_uses.len() as u32];
        self.layout.placements.push(placement);
        Ok(())
    }
}

const COLUMNS: [&str; 8] = ["x", "y", "z", "yaw", "scale", "clip", "phase", "speed"];

fn parse_csv(text: &str) -> Result<Layout, LayoutError> {
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).flexible(false).from_reader(text.as_bytes());
    // The position of a record is the end of the previous one, before empty lines and comments.
    let line_of = |position: Option<&csv::Position>| {
        let Some(position) = position else { return 1 };
        let (mut line, mut rest) = (position.line() as usize, text.get(position.byte() as usize..).unwrap_or_default());
        while let Some((first, after)) = rest.split_once('\n') {
            if !first.trim_end_matches('\r').is_empty() && !first.starts_with('#') {
                break;
            }
            (line, rest) = (line + 1, after);
        }
        line
    };
    let malformed = |error: csv::Error| {
        let line = line_of(error.position());
        let message = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("has {len} fields, the first line has {expected_len}")
            }
            _ => error.to_string(),
        };
        at(line, LayoutProblem::Malformed { message })
    };
    let headers = reader.headers().map_err(malformed)?.clone();
    let first_line = line_of(headers.position());
    let mut field_of_column = [None; COLUMNS.len()];
    for (field, name) in headers.iter().enumerate() {
        let name = name.trim_start_matches('\u{feff}').to_lowercase();
        let Some(column) = COLUMNS.iter().position(|column| *column == name) else {
            return Err(at(first_line, LayoutProblem::UnknownColumn { name: excerpt(&name) }));
        };
        if field_of_column[column].replace(field).is_some() {
            return Err(at(first_line, LayoutProblem::DuplicateColumn { name }));
        }
    }
    if field_of_column[0].is_none() || field_of_column[2].is_none() {
        return Err(at(first_line, LayoutProblem::MissingPosition));
    }
    let mut builder = LayoutBuilder::default();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(malformed)? {
        let line = line_of(record.position());
        let field =
            |column: usize| field_of_column[column].and_then(|field| record.get(field)).filter(|text| !text.is_empty());
        let finite = |text: &str| match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(at(line, LayoutProblem::InvalidValue { what: "number", value: excerpt(text) })),
        };
        let number = |column: usize| field(column).map(finite).transpose();
        let several = |column: usize| field(column).into_iter().flat_map(|text| text.split(';').map(str::trim));
        let coordinate = |column: usize| match number(column)? {
            None if column != 1 => Err(at(
                line,
                LayoutProblem::InvalidValue { what: "number, which a position needs", value: String::new() },
            )),
            value => Ok(value.unwrap_or(0.0)),
        };
        let raw = RawEntry {
            position: [coordinate(0)?, coordinate(1)?, coordinate(2)?],
            yaw_degrees: number(3)?,
            scale: number(4)?,
            clips: OneOrMore::More(several(5).map(str::to_owned).collect()),
            phases_secs: OneOrMore::More(several(6).map(finite).collect::<Result<_, _>>()?),
            speeds: OneOrMore::More(several(7).map(finite).collect::<Result<_, _>>()?),
        };
        builder.add(Entry::try_from(raw).map_err(|problem| at(line, problem))?, |_| line)?;
    }
    Ok(builder.layout)
}

fn parse_json(text: &str) -> Result<Layout, LayoutError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = excerpt(message.split(" at line ").next().unwrap_or_default());
        at(error.line().max(1), LayoutProblem::Malformed { message })
    })?;
    // The parser reports no lines: searches for the first occurrence of each name.
    let mut lines: HashMap<String, usize> =
        entries.iter().flat_map(|entry| &entry.clips).map(|name| (name.clone(), usize::MAX)).collect();
    for (i, line) in text.lines().enumerate() {
        for quoted in line.split('"') {
            if let Some(first) = lines.get_mut(quoted) {
                *first = i.min(*first);
            }
        }
    }
    let line_of = |name: &str| lines.get(name).filter(|line| **line < usize::MAX).map_or(1, |line| 1 + line);
    let mut builder = LayoutBuilder::default();
    for entry in entries {
        builder.add(entry, line_of)?;
    }
    Ok(builder.layout)
}

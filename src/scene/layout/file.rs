//! Layout files: one instance per CSV line or JSON object.

use super::{InstancePlacement, Layout, LayoutError, LayoutProblem};
use crate::util::text::excerpt;
use nalgebra::Vector3;
use serde::Deserialize;
use std::collections::HashMap;

/// Maximum number of instances in a file.
pub const MAX_INSTANCES: usize = 10_000_000;

/// Maximum distance from the origin along each axis, in meters, because of single precision.
const MAX_COORDINATE_METERS: f64 = 1e9;

/// Format of a layout file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutFormat {
    /// A header line, then one line per instance: `x,y,z,yaw,scale,clip,phase,speed`. Only x and z are required. Empty
    /// fields are ignored, and lines that start with `#` are comments.
    Csv,
    /// An array of objects such as `{ "position": [1, 0, 2], "yaw": 90, "scale": 1, "clip": "Walk", "phase": 0.5,
    /// "speed": 1 }`. Only the position is required.
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
    clip: Option<String>,
    #[serde(rename = "phase")]
    phase_secs: Option<f64>,
    speed: Option<f64>,
}

/// A validated entry.
#[derive(Deserialize)]
#[serde(try_from = "RawEntry")]
struct Entry {
    standing: InstancePlacement,
    clip: Option<String>,
}

impl TryFrom<RawEntry> for Entry {
    type Error = LayoutProblem;

    fn try_from(said: RawEntry) -> Result<Self, LayoutProblem> {
        let wrong = |what, value: f64| LayoutProblem::InvalidValue { what, value: value.to_string() };
        let within = |what, value: Option<f64>, most: f64| match value {
            Some(value) if value.is_nan() || value.abs() > most => Err(wrong(what, value)),
            value => Ok(value),
        };
        for coordinate in said.position {
            within("position within a million kilometers", Some(coordinate), MAX_COORDINATE_METERS)?;
        }
        if let Some(scale) = said.scale.filter(|scale| !(*scale > 0.0 && *scale <= 1e6)) {
            return Err(wrong("scale above 0", scale));
        }
        let standing = InstancePlacement {
            position: Vector3::from(said.position),
            yaw: within("angle", said.yaw_degrees, 1e6)?.unwrap_or(0.0).to_radians(),
            scale: said.scale.unwrap_or(1.0),
            clip: None,
            phase_secs: within("phase", said.phase_secs, 1e9)?,
            speed: within("speed", said.speed, 1e6)?.map(|speed| speed as f32),
        };
        Ok(Self { standing, clip: said.clip })
    }
}

/// Collects entries and assigns clip indices.
#[derive(Default)]
struct Reader {
    layout: Layout,
    clip_numbers: HashMap<String, u32>,
}

impl Reader {
    fn add(&mut self, entry: Entry, line: impl Fn(&str) -> usize) -> Result<(), LayoutError> {
        if self.layout.placements.len() >= MAX_INSTANCES {
            return Err(at(line(""), LayoutProblem::TooMany { most: MAX_INSTANCES }));
        }
        let Entry { mut standing, clip } = entry;
        standing.clip = clip.map(|name| match self.clip_numbers.get(&name) {
            Some(&number) => number,
            None => {
                let number = self.layout.clips.len() as u32;
                self.layout.clips.push((name.clone(), line(&name)));
                self.clip_numbers.insert(name, number);
                number
            }
        });
        self.layout.placements.push(standing);
        Ok(())
    }
}

const COLUMNS: [&str; 8] = ["x", "y", "z", "yaw", "scale", "clip", "phase", "speed"];

fn parse_csv(text: &str) -> Result<Layout, LayoutError> {
    let mut reader =
        csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).flexible(false).from_reader(text.as_bytes());
    // The position of a record is the end of the previous one, before empty lines and comments.
    let line_of = |place: Option<&csv::Position>| {
        let Some(place) = place else { return 1 };
        let (mut line, mut rest) = (place.line() as usize, text.get(place.byte() as usize..).unwrap_or_default());
        while let Some((first, behind)) = rest.split_once('\n') {
            if !first.trim_end_matches('\r').is_empty() && !first.starts_with('#') {
                break;
            }
            (line, rest) = (line + 1, behind);
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
    let mut places = [None; COLUMNS.len()];
    for (field, name) in headers.iter().enumerate() {
        let name = name.trim_start_matches('\u{feff}').to_lowercase();
        let Some(column) = COLUMNS.iter().position(|column| *column == name) else {
            return Err(at(first_line, LayoutProblem::UnknownColumn { name: excerpt(&name) }));
        };
        if places[column].replace(field).is_some() {
            return Err(at(first_line, LayoutProblem::DuplicateColumn { name }));
        }
    }
    if places[0].is_none() || places[2].is_none() {
        return Err(at(first_line, LayoutProblem::MissingPosition));
    }
    let mut out = Reader::default();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(malformed)? {
        let line = line_of(record.position());
        let field = |column: usize| places[column].and_then(|place| record.get(place)).filter(|text| !text.is_empty());
        let number = |column: usize| match field(column) {
            None => Ok(None),
            Some(text) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(at(line, LayoutProblem::InvalidValue { what: "number", value: excerpt(text) })),
            },
        };
        let coordinate = |column: usize| match number(column)? {
            None if column != 1 => Err(at(
                line,
                LayoutProblem::InvalidValue { what: "number, which a position needs", value: String::new() },
            )),
            value => Ok(value.unwrap_or(0.0)),
        };
        let said = RawEntry {
            position: [coordinate(0)?, coordinate(1)?, coordinate(2)?],
            yaw_degrees: number(3)?,
            scale: number(4)?,
            clip: field(5).map(str::to_owned),
            phase_secs: number(6)?,
            speed: number(7)?,
        };
        out.add(Entry::try_from(said).map_err(|problem| at(line, problem))?, |_| line)?;
    }
    Ok(out.layout)
}

fn parse_json(text: &str) -> Result<Layout, LayoutError> {
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        let message = excerpt(message.split(" at line ").next().unwrap_or_default());
        at(error.line().max(1), LayoutProblem::Malformed { message })
    })?;
    // The parser reports no lines: searches for the first occurrence of the name.
    let line_of = |name: &str| {
        let quoted = format!("\"{name}\"");
        1 + text.lines().position(|line| line.contains(&quoted)).unwrap_or(0)
    };
    let mut out = Reader::default();
    for entry in entries {
        out.add(entry, line_of)?;
    }
    Ok(out.layout)
}

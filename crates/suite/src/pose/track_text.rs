//! Text of the values of tracks, one line each.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Properties of tracks.
pub(super) const ROTATION: &str = "rotation";
pub(super) const WEIGHTS: &str = "weights";

/// Unit of key times in seconds.
const TIME_UNIT: f64 = 1e-6;
/// Largest integer of a text, so that sums remain exact in double precision.
const MAX_INTEGER: i64 = 1 << 52;

/// The values of a track at its keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Track<'a> {
    pub(super) interpolation: &'a str,
    /// Empty if the values are constant.
    pub(super) times_secs: &'a [f64],
    /// By component, with a value per key, or one if they are equal.
    pub(super) columns: Vec<Vec<f64>>,
    /// Of the values.
    pub(super) unit: f64,
}

impl Track<'_> {
    /// The components at a key.
    pub(super) fn at(&self, key: usize) -> Vec<f64> {
        self.columns.iter().map(|column| column[key.min(column.len() - 1)]).collect()
    }
}

/// Returns integers as text: the first one, and the differences from one to the next. One integer if all are equal.
fn encode(integers: &[i64]) -> String {
    let mut text = integers.first().map_or_else(String::new, i64::to_string);
    if integers.iter().any(|integer| *integer != integers[0]) {
        for pair in integers.windows(2) {
            // Writing to a string cannot fail.
            let _ = write!(text, " {}", pair[1] - pair[0]);
        }
    }
    text
}

fn decode(text: &str, unit: f64) -> Option<Vec<f64>> {
    let mut sum = 0_i64;
    let mut add = |word: &str| {
        sum = sum.checked_add(word.parse().ok()?).filter(|sum| sum.abs() <= MAX_INTEGER)?;
        Some(sum as f64 * unit)
    };
    text.split(' ').map(&mut add).collect()
}

fn integer(x: f64, unit: f64) -> i64 {
    // NaN is 0.
    ((x / unit).round() as i64).clamp(-MAX_INTEGER, MAX_INTEGER)
}

/// The lines of tracks, and the lines with their key times, which tracks share.
#[derive(Default)]
pub(super) struct TrackLines {
    keys: HashMap<Vec<i64>, usize>,
    text: String,
}

impl TrackLines {
    /// Adds the line of a track with `values` at each of `times_secs`, in units of `unit`.
    pub(super) fn add(&mut self, name: &str, interpolation: &str, times_secs: &[f64], values: &[Vec<f64>], unit: f64) {
        let count = values.first().map_or(0, Vec::len);
        let column = |index: usize| encode(&values.iter().map(|key| integer(key[index], unit)).collect::<Vec<_>>());
        let columns: Vec<String> = (0..count).map(column).collect();
        let keys =
            if columns.iter().any(|column| column.contains(' ')) { self.keys(times_secs) } else { String::new() };
        self.text += &format!("{name}: {interpolation}; unit {unit}{keys}; {}\n", columns.join("; "));
    }

    /// Returns the reference to these times. Writes their line before the line of their first track.
    fn keys(&mut self, times_secs: &[f64]) -> String {
        let times: Vec<i64> = times_secs.iter().map(|time| integer(*time, TIME_UNIT)).collect();
        let next = self.keys.len() + 1;
        let number = *self.keys.entry(times).or_insert_with_key(|times| {
            self.text += &format!("keys {next}: {}\n", encode(times));
            next
        });
        format!("; keys {number}")
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Key times by the name of their line, as in `keys 1`.
pub(super) type Keys<'a> = HashMap<&'a str, Vec<f64>>;

/// Parses a line with key times; `None` if it has another form.
pub(super) fn parse_keys(value: &str) -> Option<Vec<f64>> {
    decode(value, TIME_UNIT)
}

/// Parses the text after the name of a track; `None` if it has another form.
pub(super) fn parse_track<'a>(value: &'a str, keys: &'a Keys<'_>) -> Option<Track<'a>> {
    let mut parts = value.split("; ").peekable();
    let interpolation = parts.next()?;
    let unit: f64 = parts.next()?.strip_prefix("unit ")?.parse().ok()?;
    let times_secs = match parts.next_if(|part| part.starts_with("keys ")) {
        Some(name) => keys.get(name)?.as_slice(),
        None => &[],
    };
    let columns: Vec<Vec<f64>> = parts.map(|part| decode(part, unit)).collect::<Option<_>>()?;
    let is_whole = |column: &Vec<f64>| column.len() == 1 || column.len() == times_secs.len();
    let is_constant = columns.iter().all(|column| column.len() == 1);
    let track = Track { interpolation, times_secs: if is_constant { &[] } else { times_secs }, columns, unit };
    track.columns.iter().all(is_whole).then_some(track)
}

pub(super) fn numbers<'a>(numbers: impl Iterator<Item = &'a f64>) -> String {
    numbers.map(|x| number(*x)).collect::<Vec<_>>().join(" ")
}

/// A number with at most six decimals.
pub(super) fn number(x: f64) -> String {
    let text = format!("{x:.6}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_read_as_they_were_written() {
        let mut lines = TrackLines::default();
        let times = [0.0, 0.5, 1.0];
        lines.add("a", "linear", &times, &[vec![0.0, 2.0], vec![0.25, 2.0], vec![-1.0, 2.0]], 1e-4);
        lines.add("b", "step", &times, &[vec![5.0], vec![5.0], vec![5.0]], 1e-4);
        lines.add("c", "step", &times, &[vec![5.0], vec![f64::NAN], vec![f64::INFINITY]], 0.1);
        let text = lines.finish();
        let expected = "keys 1: 0 500000 500000\n\
                        a: linear; unit 0.0001; keys 1; 0 2500 -12500; 20000\n\
                        b: step; unit 0.0001; 50000\n\
                        c: step; unit 0.1; keys 1; 50 -50 4503599627370496\n";
        assert_eq!(text, expected);
        let keys = Keys::from([("keys 1", parse_keys("0 500000 500000").unwrap())]);
        let track = parse_track("linear; unit 0.0001; keys 1; 0 2500 -12500; 20000", &keys).unwrap();
        assert_eq!((track.at(1), track.times_secs.len()), (vec![0.25, 2.0], 3));
        for other in ["", "linear", "linear; unit x; 0", "linear; unit 1; keys 2; 0", "linear; unit 1; keys 1; 0 1"] {
            assert_eq!(parse_track(other, &keys), None, "{other}");
        }
        assert_eq!(parse_track("linear; unit 1; 9223372036854775807 1", &keys), None);
    }
}

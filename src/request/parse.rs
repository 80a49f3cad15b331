//! Parsers of option values. An error names the expected form.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use rigview_core::import::Limit;
use std::ffi::OsStr;

/// Values with their names and help texts.
pub(crate) type NamedValues<T, const N: usize> = [(T, &'static str, &'static str); N];

/// Returns the parser of a name; `--help` lists the names.
pub(super) fn one_of<T: Copy + Send + Sync, const N: usize>(
    values: &'static NamedValues<T, N>,
) -> impl TypedValueParser<Value = T> {
    let names = values.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    let value = |name: String| values.iter().find(|(_, other, _)| *other == name).map(|(value, ..)| *value);
    PossibleValuesParser::new(names).map(move |name| value(name).expect("a name of the list"))
}

/// Parser of values of which some are names, such as `auto` besides numbers. Completions offer the names.
#[derive(Clone)]
struct WithNames<P> {
    parser: P,
    names: Vec<&'static str>,
}

impl<P: TypedValueParser> TypedValueParser for WithNames<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, clap::Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}

/// Returns the parser of a value that has other forms besides these names. Options with it have `hide_possible_values`.
pub(crate) fn with_names<P: TypedValueParser>(
    parser: P,
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = P::Value> {
    WithNames { parser, names: names.into_iter().collect() }
}

/// Parses a finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("`{text}` is not finite")),
        _ => Err(format!("`{text}` is not a number")),
    }
}

/// Returns the shortest decimal that rounds to `number` in single precision.
pub(crate) fn shortest_f64(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

/// Parses exactly `N` finite numbers, separated by commas.
pub fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|got: Vec<f64>| format!("expected {N} comma-separated numbers, got {}", got.len()))
}

/// Parses `NAME=VALUE`; the suffixes K, M and G are powers of 1024.
pub fn limit(text: &str) -> Result<(Limit, u64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as images=4G")?;
    let limit = name.trim().parse::<Limit>().map_err(|error| error.to_string())?;
    let value = value.trim().to_ascii_uppercase();
    let digits = value.trim_end_matches('B').trim_end_matches('I');
    let (digits, shift) = match digits.as_bytes().last() {
        Some(b'K') => (&digits[..digits.len() - 1], 10),
        Some(b'M') => (&digits[..digits.len() - 1], 20),
        Some(b'G') => (&digits[..digits.len() - 1], 30),
        _ => (digits, 0),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    let number =
        number.ok_or_else(|| format!("`{value}` is not a size: expected an integer, such as 500, 64M or 4G"))?;
    Ok((limit, number))
}

pub(crate) fn size(text: &str) -> Result<[u32; 2], String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=16_384).contains(side));
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .ok_or_else(|| "expected a width and a height from 1 to 16384, such as 1280x720".to_owned())
}

pub(super) fn field_of_view(text: &str) -> Result<f64, String> {
    match finite(text)? {
        degrees if (0.1..179.0).contains(&degrees) => Ok(degrees),
        _ => Err("expected an angle between 0.1 and 179 degrees".to_owned()),
    }
}

pub(super) fn light(text: &str) -> Result<[f64; 4], String> {
    let light = numbers::<4>(text)?;
    if light[..3] == [0.0; 3] {
        return Err("the direction to the light must not be 0,0,0".to_owned());
    }
    if light[3] < 0.0 { Err("the illuminance must not be negative".to_owned()) } else { Ok(light) }
}

pub(crate) fn non_negative(text: &str) -> Result<f64, String> {
    match finite(text)? {
        x if x >= 0.0 => Ok(x),
        _ => Err("the factor must not be negative".to_owned()),
    }
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match finite(text)? {
        number if number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

pub(crate) fn from_0_to_1(text: &str) -> Result<f64, String> {
    match finite(text)? {
        x if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

/// Returns the parser of a switch.
pub(super) fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|text| text == "on")
}

pub(super) fn frame_rate(text: &str) -> Result<f64, String> {
    match finite(text)? {
        rate if (0.1..=240.0).contains(&rate) => Ok(rate),
        _ => Err("expected frames per second from 0.1 to 240".to_owned()),
    }
}

pub(super) fn range(text: &str) -> Result<[f64; 2], String> {
    match numbers::<2>(text)? {
        [start, end] if 0.0 <= start && start < end => Ok([start, end]),
        _ => Err("expected a start and a later end, such as 0.5,2".to_owned()),
    }
}

//! Values of a suite file.

use super::error::{SuiteError, SuiteErrorKind};
use rigview_core::util::text::excerpt;
use toml::Spanned;
use toml::de::DeValue;

pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// A number in its shortest form.
pub(super) fn number(value: &Value<'_>) -> Option<String> {
    match value.get_ref() {
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|i| i.to_string()),
        DeValue::Float(float) => float.as_str().parse::<f64>().ok().map(|f| f.to_string()),
        _ => None,
    }
}

/// The error of a value of another kind or range.
pub(super) fn wrong_value(key: &str, expected: &'static str, value: &Value<'_>, line: usize) -> SuiteError {
    let found = match value.get_ref() {
        DeValue::Array(array) if array.iter().next().is_none() => "an empty array".to_owned(),
        DeValue::Array(_) => "an array of this kind".to_owned(),
        DeValue::String(text) => format!("`{}`", excerpt(text)),
        other => number(value).unwrap_or_else(|| format!("a {}", other.type_str())),
    };
    SuiteErrorKind::WrongValue { key: excerpt(key), expected, found }.at(line)
}

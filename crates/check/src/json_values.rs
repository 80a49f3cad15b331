//! Lenient access to members of JSON values: `None` for what is missing or malformed.

use rigview_core::schema::MAX_INTEGER;
pub(super) use rigview_core::schema::integer;
use serde_json::Value;

/// A non-negative integer; saturates.
pub(super) fn index(value: &Value) -> Option<usize> {
    integer(value).filter(|integer| *integer >= 0).map(|integer| usize::try_from(integer).unwrap_or(usize::MAX))
}

/// The index that a member of `value` refers to; the element need not exist.
pub(super) fn reference(value: &Value, name: &str) -> Option<usize> {
    value.get(name).and_then(index)
}

/// A non-negative integer. Saturates at [`MAX_INTEGER`], so that sums in 64 bits do not overflow.
pub(super) fn unsigned(value: &Value, name: &str) -> Option<u64> {
    let integer = value.get(name).and_then(integer).filter(|x| *x >= 0)?;
    Some(u64::try_from(integer).unwrap_or(u64::MAX).min(MAX_INTEGER))
}

/// The array in a member of `value`, or an empty one.
pub(super) fn array<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// An array of exactly `N` numbers.
pub(super) fn numbers<const N: usize>(value: Option<&Value>) -> Option<[f64; N]> {
    let array = value?.as_array()?;
    let numbers: Vec<f64> = array.iter().map_while(Value::as_f64).collect();
    (array.len() == N).then(|| numbers.try_into().ok())?
}

/// Major and minor version, such as 2 and 0; saturates.
pub(super) fn version(value: &Value) -> Option<(u64, u64)> {
    let (major, minor) = value.as_str()?.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| is_number(text).then(|| text.parse().unwrap_or(u64::MAX));
    Some((number(major)?, number(minor)?))
}

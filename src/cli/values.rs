//! Parsers of option values. An error names the expected form.

use crate::request::{BackgroundRequest, DEFAULT_BACKGROUND_BLUR, ExposureRequest, finite, numbers};
use rigview_check::{Code, LINTS_PAGE};
use rigview_core::import::Limit;

pub(super) fn code(text: &str) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        Ok(text.to_owned())
    } else {
        Err("expected an issue code such as NODE_EMPTY".to_owned())
    }
}

pub(super) fn explained_code(text: &str) -> Result<&'static Code, String> {
    Code::find(text).ok_or_else(|| format!("unknown code; {LINTS_PAGE} lists all"))
}

/// Parses `NAME=VALUE`; the suffixes K, M and G are powers of 1024.
pub(super) fn limit(text: &str) -> Result<(Limit, u64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as images=4G")?;
    let limit: Limit = name.trim().parse()?;
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

pub(super) fn size(text: &str) -> Result<[u32; 2], String> {
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

pub(super) fn non_negative(text: &str) -> Result<f64, String> {
    match finite(text)? {
        x if x >= 0.0 => Ok(x),
        _ => Err("the factor must not be negative".to_owned()),
    }
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    match finite(text)? {
        number if number > 0.0 => Ok(number),
        _ => Err("expected a number above 0".to_owned()),
    }
}

pub(super) fn from_0_to_1(text: &str) -> Result<f64, String> {
    match finite(text)? {
        x if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

pub(super) fn exposure(text: &str) -> Result<ExposureRequest, String> {
    if text == "auto" {
        return Ok(ExposureRequest::Auto);
    }
    match finite(text)? {
        ev if ev.abs() <= 32.0 => Ok(ExposureRequest::Stops(ev)),
        _ => Err("expected stops from -32 to 32, or `auto`".to_owned()),
    }
}

pub(super) fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected `on` or `off`".to_owned()),
    }
}

pub(super) fn background(text: &str) -> Result<BackgroundRequest, String> {
    if text == "transparent" {
        return Ok(BackgroundRequest::Transparent);
    }
    if text == "environment" {
        return Ok(BackgroundRequest::Environment(DEFAULT_BACKGROUND_BLUR));
    }
    if let Some(blur) = text.strip_prefix("environment:") {
        return from_0_to_1(blur).map(BackgroundRequest::Environment);
    }
    let color = numbers::<3>(text).map_err(
        |_| "expected three numbers such as 0.2,0.2,0.25, or `transparent`, or `environment`, optionally blurred as in environment:0.5",
    )?;
    if color.iter().all(|c| (0.0..=1.0).contains(c)) {
        Ok(BackgroundRequest::Color(color))
    } else {
        Err("expected numbers from 0 to 1".to_owned())
    }
}

//! The values of flags, read and checked; an error says what was expected.

use super::BackgroundArg;

pub(super) fn code(text: &str) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        Ok(text.to_owned())
    } else {
        Err("expected a code such as NODE_EMPTY, as the issues name it".to_owned())
    }
}

pub(super) fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("`{text}` is not a number")),
    }
}

pub(super) fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    numbers
        .try_into()
        .map_err(|got: Vec<f64>| format!("expected {N} numbers with commas between them, got {}", got.len()))
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
    if light[3] < 0.0 { Err("light cannot be negative".to_owned()) } else { Ok(light) }
}

pub(super) fn brightness(text: &str) -> Result<f64, String> {
    match finite(text)? {
        x if x >= 0.0 => Ok(x),
        _ => Err("light cannot be negative".to_owned()),
    }
}

pub(super) fn stops(text: &str) -> Result<f64, String> {
    match finite(text)? {
        ev if ev.abs() <= 32.0 => Ok(ev),
        _ => Err("expected stops from -32 to 32".to_owned()),
    }
}

pub(super) fn background(text: &str) -> Result<BackgroundArg, String> {
    if text == "transparent" {
        return Ok(BackgroundArg::Transparent);
    }
    let colour = numbers::<3>(text).map_err(|_| "expected three numbers such as 0.2,0.2,0.25, or `transparent`")?;
    if colour.iter().all(|c| (0.0..=1.0).contains(c)) {
        Ok(BackgroundArg::Colour(colour))
    } else {
        Err("expected numbers from 0 to 1".to_owned())
    }
}

//! Numbers in the text of an option.

/// Parses a finite number.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => Err(format!("`{text}` is not finite")),
        _ => Err(format!("`{text}` is not a number")),
    }
}

/// Parses exactly `N` finite numbers, separated by commas.
pub fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    numbers.try_into().map_err(|got: Vec<f64>| format!("expected {N} comma-separated numbers, got {}", got.len()))
}

//! Output of measurements: text or JSON.

use crate::app::AppError;
use crate::app::console::report;
use crate::app::util::json::json_pretty;
use serde::Serialize;

/// Prints a report as JSON or text.
pub(crate) fn print<T: Serialize>(result: &T, json: bool, text: impl Fn(&T) -> String) -> Result<(), AppError> {
    let text = match json {
        true => json_pretty(result),
        false => text(result),
    };
    report::text(&text)
}

//! Output of measurements: text or JSON.

use crate::app::AppError;
use crate::app::console::report;
use serde::Serialize;

/// Prints what was found: as JSON, or in words.
pub(crate) fn print<T: Serialize>(found: &T, json: bool, text: impl Fn(&T) -> String) -> Result<(), AppError> {
    let text = match json {
        true => serde_json::to_string_pretty(found).expect("plain data becomes JSON") + "\n",
        false => text(found),
    };
    report::text(&text)
}

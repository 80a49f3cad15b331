//! The file of a numeric golden: a header, what it records of its shot, and a text.

use crate::report::ShotCommand;
use crate::stray_goldens::GoldenRecord;
use rigview_core::util::text::one_line;

/// First line of the file. The number is that of the format.
pub const HEADER: &str = "rigview pose 2";
const COMMAND: &str = "command: ";
const INPUTS: &str = "inputs: ";

/// Returns the golden with this text. `command` renders the model, and `inputs` is a hash of its files.
pub fn pose_golden(command: &str, inputs: Option<&str>, text: &str) -> String {
    let inputs = inputs.map_or_else(String::new, |inputs| format!("{INPUTS}{inputs}\n"));
    format!("{HEADER}\n{COMMAND}{}\n{inputs}{text}", one_line(command))
}

/// Returns the record and the text of a golden.
///
/// # Errors
/// If it has another format.
pub fn parse_golden(golden: &str) -> Result<(GoldenRecord, &str), String> {
    let other = || format!("its first line is not `{HEADER}`; write it again with --update");
    let mut text = golden.strip_prefix(HEADER).and_then(|text| text.strip_prefix('\n')).ok_or_else(other)?;
    let mut record = GoldenRecord::default();
    while let Some((line, rest)) = text.split_once('\n') {
        match (line.strip_prefix(COMMAND), line.strip_prefix(INPUTS)) {
            (Some(command), _) => record.command = ShotCommand::parse(command),
            (_, Some(inputs)) => record.inputs = Some(inputs.to_owned()),
            _ => break,
        }
        text = rest;
    }
    Ok((record, text))
}

//! What a golden records of its shot, and the file of a numeric golden: a header, the record, and a text.

use crate::report::ShotCommand;
use rigview_core::util::text::one_line;

/// What a golden records of its shot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldenRecord {
    /// The command that renders the shot, with paths relative to the suite's folder.
    pub command: ShotCommand,
    /// Hash of the files that it shows.
    pub inputs: Option<String>,
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_other_files_refused() {
        let golden = pose_golden("rigview shot a.glb --clip=Run -o OUT.png", Some("0123"), "first and last key: 0 1\n");
        let (record, text) = parse_golden(&golden).unwrap();
        assert_eq!(
            (record.command.clip(), record.inputs.as_deref(), text),
            (Some("Run"), Some("0123"), "first and last key: 0 1\n")
        );
        for golden in ["", "x", "rigview pose 1\n", "version https://git-lfs.github.com/spec/v1"] {
            assert!(parse_golden(golden).unwrap_err().contains("rigview pose 2"));
        }
    }
}

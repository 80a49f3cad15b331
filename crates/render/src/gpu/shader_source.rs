//! Assembles shader source text.

use rigview_shaders::GlslFile;
use std::fmt::Write;

/// Text of a shader, and the files that it consists of.
pub(crate) struct ShaderSource {
    pub(super) text: String,
    /// Files by the number that the text refers to.
    files: Vec<GlslFile>,
    defines: String,
}

impl ShaderSource {
    /// Prepends the version directive and `defines` to `files`, which contain neither.
    ///
    /// Each file is numbered in order, so that the driver's log names file and line.
    pub(crate) fn new(defines: &[(&str, String)], files: &[GlslFile]) -> Self {
        let mut text = String::from("#version 330 core\n");
        for (name, value) in defines {
            writeln!(text, "#define {name} {value}").expect("writing to a string");
        }
        for (number, file) in files.iter().enumerate() {
            writeln!(text, "#line 1 {number}\n{}", file.text).expect("writing to a string");
        }
        let defines: Vec<String> = defines.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Self { text, files: files.to_vec(), defines: defines.join(" ") }
    }

    /// Returns a driver's log on one line, with the names of files in place of their numbers, and the defines.
    ///
    /// Drivers write `0:12(34): error` (Mesa), `0(12) : error` (NVIDIA) or `ERROR: 0:12:` (Intel, Apple, glslang).
    pub(super) fn explain(&self, log: &str) -> String {
        let lines = log.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| {
            let start = if line.starts_with("ERROR: ") { "ERROR: ".len() } else { 0 };
            let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = line[start..].split_at(digits);
            let line_number =
                rest.strip_prefix([':', '(']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let file = number.parse::<usize>().ok().and_then(|number| self.files.get(number));
            match (file, line_number) {
                (Some(file), Some(rest)) => format!("{}:{rest}", file.name),
                _ => line.to_owned(),
            }
        });
        let log = lines.collect::<Vec<_>>().join("; ");
        if self.defines.is_empty() { log } else { format!("{log} (with {})", self.defines) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [GlslFile; 2] =
        [GlslFile { name: "one.glsl", text: "first\n" }, GlslFile { name: "two.frag", text: "second\n" }];

    #[test]
    fn version_is_first_and_lines_restart_per_file() {
        let source = ShaderSource::new(&[("A", "1".into())], &FILES);
        assert_eq!(source.text, "#version 330 core\n#define A 1\n#line 1 0\nfirst\n\n#line 1 1\nsecond\n\n");
    }

    #[test]
    fn logs_name_files_and_defines() {
        let source = ShaderSource::new(&[("A", "1".into()), ("B", "x".into())], &FILES);
        for (log, expected) in [
            ("0:12(34): error: undeclared\n", "one.glsl:12(34): error: undeclared (with A=1 B=x)"),
            (
                "1(7) : error C0000: a\n\n0(3) : warning: b",
                "two.frag:7) : error C0000: a; one.glsl:3) : warning: b (with A=1 B=x)",
            ),
            ("ERROR: 1:12: 'a' : undeclared", "two.frag:12: 'a' : undeclared (with A=1 B=x)"),
            ("9:1: unknown file", "9:1: unknown file (with A=1 B=x)"),
        ] {
            assert_eq!(source.explain(log), expected);
        }
        assert_eq!(ShaderSource::new(&[], &FILES).explain("2 errors"), "2 errors");
    }
}

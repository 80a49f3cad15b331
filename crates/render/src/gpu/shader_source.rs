//! Assembles shader source text.

use std::fmt::Write;

/// Prepends the version directive and `constants` to `files`, which contain neither.
///
/// Each file is numbered in order, so that the driver's log names `file:line`.
pub(crate) fn shader_source(constants: &[(&str, String)], files: &[&str]) -> String {
    let mut source = String::from("#version 330 core\n");
    for (name, value) in constants {
        writeln!(source, "#define {name} {value}").expect("writing to a string");
    }
    for (number, text) in files.iter().enumerate() {
        writeln!(source, "#line 1 {number}\n{text}").expect("writing to a string");
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_first_and_lines_restart_per_file() {
        let source = shader_source(&[("A", "1".into())], &["first\n", "second\n"]);
        assert_eq!(source, "#version 330 core\n#define A 1\n#line 1 0\nfirst\n\n#line 1 1\nsecond\n\n");
    }
}

//! Shader text as the driver gets it.

use std::fmt::Write;

/// Puts the version and `constants` in front of `files`, which carry neither.
///
/// Each file is numbered in the order given, so that a driver's log names `file:line`.
pub(crate) fn shader_source(constants: &[(&str, String)], files: &[&str]) -> String {
    shader_source_of(330, constants, files)
}

/// The same in another version of the language.
pub(crate) fn shader_source_of(version: u32, constants: &[(&str, String)], files: &[&str]) -> String {
    let mut source = format!("#version {version} core\n");
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
    fn the_version_comes_first_and_lines_count_from_each_file() {
        let source = shader_source(&[("A", "1".into())], &["first\n", "second\n"]);
        assert_eq!(source, "#version 330 core\n#define A 1\n#line 1 0\nfirst\n\n#line 1 1\nsecond\n\n");
    }
}

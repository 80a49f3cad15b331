//! Rules of the GLSL files that Mesa's software renderer does not enforce.

use crate::{add_files, root};
use std::fs;

/// Returns the name of the interface block that `line` opens, such as `out DebugVertex {`.
fn stage_block(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with("//")).collect();
    let direction = words.iter().position(|word| matches!(*word, "in" | "out"))?;
    let name = words.get(direction + 1)?.trim_end_matches('{');
    let opens = words.get(direction + 1)?.ends_with('{') || words.get(direction + 2).is_none_or(|word| *word == "{");
    (opens && !name.ends_with(';') && !name.ends_with(')')).then_some(name)
}

#[test]
fn stages_are_connected_by_separate_variables() {
    assert_eq!(stage_block("out DebugVertex {"), Some("DebugVertex"));
    assert_eq!(stage_block("flat in Corner{ // block"), Some("Corner"));
    assert_eq!(stage_block("in Corner"), Some("Corner"));
    assert_eq!(stage_block("layout(std140) uniform FrameUniforms {"), None);
    assert_eq!(stage_block("noperspective out vec3 edge_distance;"), None);
    assert_eq!(stage_block("layout(triangles) in;"), None);

    // The NVIDIA driver 580.159 passes zeros through an interface block that is declared after a function. Shader files
    // are concatenated, so that any declaration may follow a function.
    let mut files = Vec::new();
    add_files(&root().join("shaders"), &["vert", "geom", "frag", "glsl"], &mut files);
    let mut blocks = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let found = text.lines().enumerate().filter_map(|(i, line)| Some((i + 1, stage_block(line)?.to_owned())));
        blocks.extend(found.map(|(line, name)| format!("{}:{line}: {name}", file.display())));
    }
    assert!(files.len() > 20, "the shaders are missing");
    assert!(blocks.is_empty(), "interface blocks between stages; use separate variables:\n{}", blocks.join("\n"));
}

/// Returns the first line that does anything after the first `discard` of `text`.
fn statement_after_discard(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("discard;"));
    // A condition may open the block of a second `discard`.
    let can_follow = |line: &str| {
        line.is_empty() || line == "}" || ["//", "#", "discard;", "if ("].iter().any(|start| line.starts_with(start))
    };
    lines.find(|line| !can_follow(line))
}

#[test]
fn discard_is_the_last_statement_of_a_shader() {
    assert_eq!(statement_after_discard("if (a) {\n discard;\n}\n light = dFdx(b);"), Some("light = dFdx(b);"));
    assert_eq!(statement_after_discard("light = a;\n#ifdef B\nif (a) {\n discard;\n}\n#endif\n}\n"), None);
    assert_eq!(statement_after_discard("light = a;"), None);

    // Derivatives and implicit texture levels are undefined after a `discard` (GLSL 3.30, sections 8.7 and 8.8).
    let mut files = Vec::new();
    add_files(&root().join("shaders"), &["frag", "glsl"], &mut files);
    let mut discards = 0;
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        discards += usize::from(text.contains("discard;"));
        assert_eq!(statement_after_discard(&text), None, "{}: move it before `discard`", file.display());
    }
    assert!(discards > 0, "the shaders are missing");
}

//! Command lines with their results, from `tests/cases/*.txt`.
//!
//! A case starts with a line `## TITLE`. It runs in a folder of its own with `arm.glb`, a small model:
//!
//! ```text
//! > FILE                   writes a file of the lines after it that start with `| `
//! patch NAME POINTER JSON  sets a value of the JSON of NAME.glb; a new file is a copy of arm.glb
//! folder NAME              makes a folder
//! copy PATH                copies a file of the project
//! $ ARGUMENTS              runs rigview; arguments are separated by blanks
//! ```
//!
//! After a command are its exit code, the lines of standard error (`!`) and standard output (`:`), and new (`+`), changed (`~`) and
//! removed (`-`) files. `make renew WHAT=cases` writes them. A command that fails by wrong usage prints nothing to standard output and
//! changes no file; that is not a matter of review.
//!
//! An own runner, since the inputs are command lines: `insta` has the expected text only, and a test function for each case.

use crate::support::reference::chunks;
use crate::support::rigs;
use crate::support::run::rigview_in;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Lines of a stream that are compared, and their length.
const MAX_LINES: usize = 12;
const MAX_LENGTH: usize = 240;

/// The files of cases, sorted.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

/// Contents of the files below a folder.
fn contents(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            contents(&path, &format!("{name}/"), found);
        } else {
            found.insert(name, std::fs::read(path).expect("a file"));
        }
    }
}

/// Appends the lines of a stream, except for usage and help after an error of the command line, which follow an empty line, and the
/// infos of `check` about the small model.
fn add_lines(results: &mut String, mark: char, text: &str, folder: &Path) {
    let text = text.replace(&*folder.to_string_lossy(), "FOLDER").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let lines =
        || text.lines().take_while(|line| mark != '!' || !line.is_empty()).filter(|line| !line.starts_with("info "));
    let count = lines().count();
    for line in lines().take(MAX_LINES) {
        let short: String = line.chars().take(MAX_LENGTH).collect();
        writeln!(results, "{mark} {short}{}", if short == line { "" } else { "..." }).expect("memory");
    }
    if count > MAX_LINES {
        writeln!(results, "{mark} ... {} more lines", count - MAX_LINES).expect("memory");
    }
}

/// Runs a command; returns the lines of its result.
fn run(folder: &Path, command: &str) -> String {
    let mut before = BTreeMap::new();
    contents(folder, "", &mut before);
    let output = rigview_in(folder, &command.split_whitespace().collect::<Vec<_>>());
    let mut after = BTreeMap::new();
    contents(folder, "", &mut after);
    let mut results = output.code.map_or("no exit code\n".to_owned(), |code| format!("exit {code}\n"));
    add_lines(&mut results, '!', &output.stderr, folder);
    add_lines(&mut results, ':', &output.stdout, folder);
    for name in before.keys().chain(after.keys()).collect::<std::collections::BTreeSet<_>>() {
        let mark = match (before.get(name), after.get(name)) {
            (None, _) => '+',
            (_, None) => '-',
            (before, after) if before != after => '~',
            _ => continue,
        };
        writeln!(results, "{mark} {name}").expect("memory");
    }
    assert!(output.code == Some(0) || !output.stderr.trim().is_empty(), "no message: {}", output.report());
    // `test` writes a report of the error.
    if output.code == Some(2) && !command.starts_with("diff") {
        let is_unchanged = command.starts_with("test") || before == after;
        assert!(output.stdout.is_empty() && is_unchanged, "wrong usage has an output: {}", output.report());
    }
    results
}

/// Sets a value of a model.
fn patch(folder: &Path, words: &str) {
    let [name, pointer, value] = words.splitn(3, ' ').collect::<Vec<_>>().try_into().expect("name, pointer, JSON");
    let file = folder.join(name).with_extension("glb");
    let source = if file.exists() { &file } else { &folder.join("arm.glb") };
    let bytes = std::fs::read(source).expect("a model");
    let (json, binary) = chunks(&bytes);
    let mut json: Value = serde_json::from_slice(json).expect("JSON");
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{words}: {error}"));
    match json.pointer_mut(parent).unwrap_or_else(|| panic!("{words}: no {parent}")) {
        Value::Array(list) => list[key.parse::<usize>().expect("an index")] = value,
        object => object[key] = value,
    }
    let json = serde_json::to_vec(&json).expect("JSON");
    std::fs::write(file, crate::support::glb::container(&json, binary.expect("data"))).expect("a file");
}

/// Runs the cases of a text; returns it with their results.
fn renewed(text: &str) -> String {
    let (mut renewed, mut world, mut written) = (String::new(), None, None::<PathBuf>);
    for line in text.lines() {
        if line.starts_with("## ") {
            let folder = TempDir::new().expect("a folder for temporary files");
            rigs::arm().rig.write_glb(folder.path(), "arm");
            world = Some(folder);
        }
        let folder = world.as_ref().map(|folder: &TempDir| folder.path()).expect("a title");
        if line.starts_with(['!', ':', '+', '~', '-']) || line.starts_with("exit ") || line.starts_with("no exit") {
            continue;
        }
        writeln!(renewed, "{line}").expect("memory");
        if let Some(file) = line.strip_prefix("> ") {
            let file = folder.join(file);
            std::fs::write(&file, "").expect("a file");
            written = Some(file);
        } else if let Some(content) = line.strip_prefix('|') {
            let file = written.as_ref().expect("a file");
            let content = content.strip_prefix(' ').unwrap_or(content);
            let before = std::fs::read_to_string(file).expect("a file");
            std::fs::write(file, format!("{before}{content}\n")).expect("a file");
        } else if let Some(words) = line.strip_prefix("patch ") {
            patch(folder, words);
        } else if let Some(name) = line.strip_prefix("folder ") {
            std::fs::create_dir(folder.join(name)).expect("a folder");
        } else if let Some(path) = line.strip_prefix("copy ") {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
            std::fs::copy(&file, folder.join(file.file_name().expect("a name"))).expect("a file of the project");
        } else if let Some(command) = line.strip_prefix("$ ") {
            renewed += &run(folder, command);
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "not a line of a case: {line}");
        }
    }
    renewed
}

#[test]
#[cfg_attr(windows, ignore = "paths and errors of the system have the words of Unix")]
fn results_of_cases_are_those_of_their_files() {
    let is_update = std::env::var_os("RIGVIEW_UPDATE_CASES").is_some();
    let mut differences = String::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("cases");
        let renewed = renewed(&text);
        if is_update {
            std::fs::write(&file, &renewed).expect("a file");
        } else if let Some((number, pair)) =
            text.lines().zip(renewed.lines()).enumerate().find(|(_, (old, new))| old != new)
        {
            writeln!(differences, "{}:{}:\nexpected {}\nfound    {}", file.display(), number + 1, pair.0, pair.1)
                .expect("memory");
        } else if text != renewed {
            writeln!(differences, "{}: has another number of lines", file.display()).expect("memory");
        }
    }
    assert!(!is_update, "cases renewed: review and commit them");
    assert!(differences.is_empty(), "{differences}RIGVIEW_UPDATE_CASES=1 renews the results");
}

//! Command lines with their results, from `tests/cases/*.txt`.
//!
//! A case starts with a line `## TITLE`. It runs in a folder of its own with `arm.glb`, a small model:
//!
//! ```text
//! > FILE                   writes a file of the lines after it that start with `| `
//! patch NAME POINTER JSON  sets a value of the JSON of NAME.glb, or adds it if the pointer ends with `-`; a new file is a copy of arm.glb
//! gltf NAME                writes NAME.glb as NAME.gltf and NAME.bin
//! paint FILE X,Y,W,H RGB   fills a rectangle of a PNG with a color `rrggbb`; a new file has the rectangle's size
//! pixels FILE X,Y ...      prints colors of pixels
//! env NAME=VALUE           sets a variable of all later commands; FOLDER is the folder of the case
//! % LINE                   runs a line of `sh`: $PROJECT is the project, `rigview` the program, `edit FILE SCRIPT` runs `sed`,
//!                          `suite NAME` makes a folder with two models and a suite of tests/cases/suites, `bless` writes goldens
//! $ ARGUMENTS              runs rigview; arguments are separated by blanks
//! shots REPORT             prints status, name and JUnit result of the shots of a report, and validates its files
//! ```
//!
//! After a command are its exit code, the lines of standard error (`!`) and standard output (`:`), and new (`+`), changed (`~`) and
//! removed (`-`) files. A report of image tests is one entry with its file names. A line of `sh` has its output only, and its exit
//! code, unless that is 0. `make renew WHAT=cases` writes the results, `RIGVIEW_CASES=TEXT` those of the cases whose title has
//! the text. `...` in an expected line is any text, and a line of `...` any number of lines; both are kept. A command that fails by
//! wrong usage prints nothing to standard output and changes no file; that is not a matter of review.
//!
//! An own runner, since the inputs are command lines: `insta` has the expected text only, and a test function for each case.

use crate::support::reference::chunks;
use crate::support::reports::junit_cases;
use crate::support::rigs;
use crate::support::run::{Output, program, watched_program};
use crate::support::schema::{schema, validate};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Lines of a stream that are compared, and their length.
const MAX_LINES: usize = 12;
const MAX_LENGTH: usize = 240;

/// Functions of lines of `sh`.
const FUNCTIONS: &str = "rigview() { \"$PROGRAM\" \"$@\"; }
edit() { sed \"$2\" \"$1\" > \"$1.new\" && ! cmp -s \"$1\" \"$1.new\" && mv \"$1.new\" \"$1\"; }
suite() { mkdir models && cp \"$PROJECT/assets/hare.glb\" \"$PROJECT/assets/windmill.glb\" models &&
    cp \"$PROJECT/tests/cases/suites/$1.toml\" suite.toml; }
bless() { rigview test suite.toml --update > log 2>&1 || cat log; rm log; }
git() { command git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false \"$@\"; }
";

/// The files of cases, sorted.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(folder).expect("the cases").map(|entry| entry.expect("a file").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Contents of the files below a folder. The content of a report is the list of its files.
fn contents(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_string_lossy());
        if path.join("junit.xml").is_file() {
            let files = crate::support::run::names(&path);
            found.insert(format!("{name}/ {}", files.join(" ")), Vec::new());
        } else if path.is_dir() && name != ".git" {
            contents(&path, &format!("{name}/"), found);
        } else if path.is_file() {
            found.insert(name, std::fs::read(path).expect("a file"));
        }
    }
}

/// Folder and variables of a case.
struct World {
    folder: TempDir,
    variables: Vec<(String, String)>,
    /// The file that is written.
    written: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder for temporary files");
        rigs::arm().rig.write_glb(folder.path(), "arm");
        let variables = [("PROGRAM", program()), ("PROJECT", env!("CARGO_MANIFEST_DIR").into())];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.display().to_string()));
        Self { folder, variables: variables.into(), written: PathBuf::new() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> Output {
        let variables: Vec<(&str, &str)> = self.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        watched_program(program, self.folder.path(), &variables, arguments, Duration::from_secs(120)).output
    }

    /// Appends the lines of a stream, except for usage and help after an error of the command line, which follow an empty line, the
    /// infos of `check` about the small model, and time and renderer of `test`.
    fn add_lines(&self, results: &mut String, mark: char, text: &str) {
        let text = text.replace(&*self.folder.path().to_string_lossy(), "FOLDER");
        let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
        let lines = || {
            text.lines().take_while(|line| mark != '!' || !line.is_empty()).filter(|line| !line.starts_with("info "))
        };
        let count = lines().count();
        for line in lines().take(MAX_LINES) {
            let timed = line.rsplit_once("; ").filter(|(_, end)| end.contains(" s on ") || end.ends_with(" s"));
            let line = timed.map_or(line.to_owned(), |(start, _)| format!("{start}; ..."));
            let short: String = line.chars().take(MAX_LENGTH).collect();
            writeln!(results, "{mark} {short}{}", if short == line { "" } else { "..." }).expect("memory");
        }
        if count > MAX_LINES {
            writeln!(results, "{mark} ... {} more lines", count - MAX_LINES).expect("memory");
        }
    }

    /// Runs the program; returns the lines of its result.
    fn rigview(&self, command: &str) -> String {
        let files = || {
            let mut files = BTreeMap::new();
            contents(self.folder.path(), "", &mut files);
            files
        };
        let before = files();
        let output = self.run(&program(), &command.split_whitespace().collect::<Vec<_>>());
        let after = files();
        let mut results = output.code.map_or("no exit code\n".to_owned(), |code| format!("exit {code}\n"));
        self.add_lines(&mut results, '!', &output.stderr);
        self.add_lines(&mut results, ':', &output.stdout);
        for name in before.keys().chain(after.keys()).collect::<std::collections::BTreeSet<_>>() {
            let mark = match (before.get(name), after.get(name)) {
                (None, _) => '+',
                (_, None) => '-',
                (before, after) if before != after => '~',
                _ => continue,
            };
            writeln!(results, "{mark} {name}").expect("memory");
        }
        // `diff` and `test` have results that are no failure of the program.
        let has_message = !output.stderr.trim().is_empty() || output.stdout.contains("error");
        assert!(output.code == Some(0) || has_message, "no message: {}", output.report());
        // `test` writes a report of the error, which may come after its results.
        if output.code == Some(2) && !command.starts_with("diff") {
            let has_output = output.stdout.lines().any(|line| !line.starts_with("::error"));
            let is_wrong = has_output || before != after;
            assert!(command.starts_with("test") || !is_wrong, "wrong usage has an output: {}", output.report());
        }
        results
    }

    /// Runs a line of `sh`; returns its output.
    fn sh(&self, line: &str) -> String {
        let output = self.run(Path::new("sh"), &["-c", &format!("{FUNCTIONS}{line}")]);
        let mut results = match output.code {
            Some(0) => String::new(),
            code => format!("exit {}\n", code.map_or("by a signal".to_owned(), |code| code.to_string())),
        };
        self.add_lines(&mut results, '!', &output.stderr);
        self.add_lines(&mut results, ':', &output.stdout);
        results
    }

    /// Sets a value of a model.
    fn patch(&self, words: &str) {
        let [name, pointer, value] = words.splitn(3, ' ').collect::<Vec<_>>().try_into().expect("name, pointer, JSON");
        let file = self.path(name).with_extension("glb");
        let source = if file.exists() { &file } else { &self.path("arm.glb") };
        let bytes = std::fs::read(source).expect("a model");
        let (json, binary) = chunks(&bytes);
        let mut json: Value = serde_json::from_slice(json).expect("JSON");
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        let value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{words}: {error}"));
        match json.pointer_mut(parent).unwrap_or_else(|| panic!("{words}: no {parent}")) {
            Value::Array(list) if key == "-" => list.push(value),
            Value::Array(list) => list[key.parse::<usize>().expect("an index")] = value,
            object => object[key] = value,
        }
        let json = serde_json::to_vec(&json).expect("JSON");
        std::fs::write(file, crate::support::glb::container(&json, binary.expect("data"))).expect("a file");
    }

    /// Writes a model as two files.
    fn gltf(&self, name: &str) {
        let bytes = std::fs::read(self.path(&format!("{name}.glb"))).expect("a model");
        let (json, binary) = chunks(&bytes);
        let mut json: Value = serde_json::from_slice(json).expect("JSON");
        let file = self.path(&format!("{name}.bin"));
        json["buffers"][0]["uri"] = file.file_name().expect("a name").to_string_lossy().into();
        std::fs::write(file, binary.expect("data")).expect("a file");
        std::fs::write(self.path(&format!("{name}.gltf")), json.to_string()).expect("a file");
    }

    /// Fills a rectangle of an image.
    fn paint(&self, words: &str) {
        let [name, rectangle, color] = words.split(' ').collect::<Vec<_>>().try_into().expect("file, rectangle, color");
        let rectangle: Vec<u32> = rectangle.split(',').map(|side| side.parse().expect("a number")).collect();
        let [left, top, width, height] = rectangle.try_into().expect("four numbers");
        let [_, red, green, blue] = u32::from_str_radix(color, 16).expect("a color").to_be_bytes();
        let file = self.path(name);
        let mut image = if file.exists() {
            image::open(&file).expect("an image").to_rgba8()
        } else {
            image::RgbaImage::new(width, height)
        };
        for (x, y) in (left..left + width).flat_map(|x| (top..top + height).map(move |y| (x, y))) {
            image.put_pixel(x, y, image::Rgba([red, green, blue, 255]));
        }
        image.save(file).expect("an image");
    }

    /// Returns colors of pixels.
    fn pixels(&self, words: &str) -> String {
        let (file, places) = words.split_once(' ').expect("a file and places");
        let image = image::open(self.path(file)).expect("an image").to_rgb8();
        let color = |place: &str| {
            let (x, y) = place.split_once(',').expect("two numbers");
            let [red, green, blue] = image.get_pixel(x.parse().expect("a number"), y.parse().expect("a number")).0;
            format!(" {red:02x}{green:02x}{blue:02x}")
        };
        format!("={}\n", places.split(' ').map(color).collect::<String>())
    }

    /// Lists the shots of a report, whose files are valid.
    fn shots(&self, report: &str) -> String {
        let read = |name: &str| std::fs::read_to_string(self.path(report).join(name)).unwrap_or_default();
        let (lines, cases, mut results) = (read("report.jsonl"), junit_cases(&read("junit.xml")), String::new());
        let report = schema("report.json");
        for line in lines.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            validate(&report, &line, "").unwrap_or_else(|error| panic!("{error}"));
            if let (Some(status), Some(name)) = (line["status"].as_str(), line["name"].as_str()) {
                let case = cases.iter().find(|case| case.name == name).map(|case| case.result.as_deref());
                let result = case.map_or("not in JUnit", |result| result.unwrap_or(""));
                writeln!(results, "{}", format!("= {status} {name} {result}").trim_end()).expect("memory");
            }
        }
        // Shots that did not run, and errors of the run.
        let others = cases.iter().filter(|case| !results.contains(&format!(" {}", case.name)));
        let others = others.map(|case| format!("= {} {}\n", case.result.as_deref().unwrap_or("passed"), case.name));
        let others: String = others.collect();
        results + &others
    }

    /// Does what a line says; returns its result.
    fn step(&mut self, line: &str) -> String {
        let (verb, words) = line.split_once([' ']).unwrap_or((line, ""));
        match verb {
            ">" => {
                self.written = self.path(words);
                std::fs::write(&self.written, "").expect("a file");
            }
            "|" => {
                let before = std::fs::read_to_string(&self.written).expect("a file");
                std::fs::write(&self.written, format!("{before}{words}\n")).expect("a file");
            }
            "patch" => self.patch(words),
            "gltf" => self.gltf(words),
            "paint" => self.paint(words),
            "env" => {
                let (name, value) = words.split_once('=').expect("a variable");
                let value = value.replace("FOLDER", &self.folder.path().to_string_lossy());
                self.variables.push((name.to_owned(), value));
            }
            "%" => return self.sh(words),
            "$" => return self.rigview(words),
            "pixels" => return self.pixels(words),
            "shots" => return self.shots(words),
            _ => assert!(line.is_empty() || line.starts_with('#'), "not a line of a case: {line}"),
        }
        String::new()
    }
}

/// `true` if a line is a result.
fn is_result(line: &str) -> bool {
    line.starts_with(['!', ':', '=', '+', '~', '-']) || line.starts_with("exit ") || line.starts_with("no exit")
}

/// `true` if `...` in an expected line stands for what the line has there.
fn matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        let at = if i + 1 == parts.len() { rest.strip_suffix(part).map(str::len) } else { rest.find(part) };
        let Some(at) = at else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Results in which expected lines with `...` stand for those that they match.
fn merged(expected: &[&str], results: &str) -> String {
    let mut merged = Vec::new();
    for line in results.lines() {
        let is_same = |expected: &&&str| **expected == line;
        let same = expected.iter().find(is_same).or_else(|| expected.iter().find(|pattern| matches(pattern, line)));
        let same = same.copied().unwrap_or(line);
        if !(same.ends_with(" ...") && same.len() == 5 && merged.last() == Some(&same)) {
            merged.push(same);
        }
    }
    merged.iter().map(|line| format!("{line}\n")).collect()
}

/// Runs a case; returns it with its results.
fn renewed(case: &str) -> String {
    let (mut renewed, mut world) = (String::new(), World::new());
    let mut lines = case.lines().peekable();
    while let Some(line) = lines.next() {
        let mut expected = Vec::new();
        while let Some(result) = lines.next_if(|line| is_result(line)) {
            expected.push(result);
        }
        renewed += &format!("{line}\n{}", merged(&expected, &world.step(line)));
    }
    renewed
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "paths and errors of the system have the words of Linux")]
fn results_of_cases_are_those_of_their_files() {
    let is_update = std::env::var_os("RIGVIEW_UPDATE_CASES").is_some();
    let wanted = std::env::var("RIGVIEW_CASES").unwrap_or_default();
    let cases: Vec<(PathBuf, String)> = files()
        .into_iter()
        .flat_map(|file| {
            let text = std::fs::read_to_string(&file).expect("cases");
            let cases: Vec<String> = text.split_inclusive('\n').fold(Vec::new(), |mut cases, line| {
                match cases.last_mut() {
                    Some(case) if !line.starts_with("## ") => *case += line,
                    _ => cases.push(line.to_owned()),
                }
                cases
            });
            cases.into_iter().map(move |case| (file.clone(), case))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let run = || {
        let mut found = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((file, case)) = cases.get(number) else { break };
            let is_wanted = case.lines().next().is_some_and(|title| title.contains(&wanted));
            let renewed = std::panic::catch_unwind(|| if is_wanted { renewed(case) } else { case.clone() });
            found.push((number, file, case, renewed));
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    let mut results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("cases that run")).collect()
    });
    results.sort_by_key(|(number, ..)| *number);
    let (mut differences, mut texts, mut failed) = (String::new(), BTreeMap::<&PathBuf, String>::new(), false);
    for (_, file, case, renewed) in &results {
        let Ok(renewed) = renewed else {
            failed = true;
            *texts.entry(file).or_default() += case;
            continue;
        };
        *texts.entry(file).or_default() += renewed;
        if **case != *renewed {
            let pair = case.lines().zip(renewed.lines()).find(|(old, new)| old != new);
            let (old, new) = pair.unwrap_or(("", "another number of lines"));
            let title = case.lines().next().unwrap_or_default();
            writeln!(differences, "{}: {title}:\nexpected {old}\nfound    {new}", file.display()).expect("memory");
        }
    }
    if is_update {
        texts.iter().for_each(|(file, text)| std::fs::write(file, text).expect("a file"));
    }
    assert!(!failed, "a case has no result, see above");
    assert!(!is_update, "cases renewed: review and commit them");
    assert!(differences.is_empty(), "{differences}RIGVIEW_UPDATE_CASES=1 renews the results");
}

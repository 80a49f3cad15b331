//! The normative passages of glTF 2.0 and of ratified extensions, with what rigview does and the tests that show it.
//!
//! `tests/structure/spec-coverage.txt` is the table, from which `docs/spec-coverage.md` is generated.

use crate::root;
use rigview::check::CODES;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The edits of a valid file with the codes that they have, one row each.
const EDITS: &str = "crates/check/src/tests/codes.txt";

/// Length of edits in the page; longer ones are cut.
const MAX_EDITS: usize = 120;

/// Key words of BCP 14 that bind.
const WORDS: [&str; 4] = ["MUST", "MUST NOT", "REQUIRED", "SHALL"];

/// What is not shown by a test, with its reason instead.
const UNTESTED: [&str; 2] = ["not checked", "not its subject"];

const HEAD: &str = "# The specification, passage by passage

Each passage of glTF 2.0 with MUST, MUST NOT, REQUIRED or SHALL, where rigview has its rule, what it does, and the test that shows it.
Passages are named by their first words. `check` reports the codes in capitals ([all codes](book/src/reference/lints.md)). A passage that
only an author of the specification can follow is not rigview's subject.

The text is not part of the project. The Properties Reference of glTF 2.0, which is generated from the JSON schemas, is not listed:
`check` validates each property ([measurements](measurements.md#check)). In extensions, must counts in lower case, too, and sections
that are not normative are left out. Not listed: KHR_xmp_json_ld, whose metadata is not drawn.

`make renew WHAT=spec` writes this page from `tests/structure/spec-coverage.txt`. A test fails if a passage has neither a test nor a reason,
if a named test, row or code does not exist, if a named code is not in the test, or if the words do not add up to those of the text.

";

struct Document {
    title: String,
    /// Where the text is.
    source: String,
    /// Occurrences of each key word in the text.
    words: BTreeMap<String, usize>,
    passages: Vec<Passage>,
}

struct Passage {
    section: String,
    first_words: String,
    words: BTreeMap<String, usize>,
    /// `check`, `import`, `render`, or one of [`UNTESTED`].
    stand: String,
    what: String,
    tests: Vec<Test>,
}

enum Test {
    /// The edits of a row of [`EDITS`].
    Edits(String),
    Function {
        file: String,
        name: String,
    },
}

/// Numbers of key words, such as `2 MUST + MUST NOT`.
fn words(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for part in text.split(" + ") {
        let (count, word) = match part.split_once(' ') {
            Some((count, word)) if count.parse::<usize>().is_ok() => (count.parse().unwrap(), word),
            _ => (1, part),
        };
        assert!(WORDS.contains(&word), "{text}: {word} is no key word");
        *words.entry(word.to_owned()).or_default() += count;
    }
    words
}

fn test(text: &str) -> Test {
    match text.strip_prefix("edits ") {
        Some(edits) => Test::Edits(edits.to_owned()),
        None => {
            let (file, name) = text.split_once(' ').unwrap_or_else(|| panic!("{text}: FILE FUNCTION is expected"));
            Test::Function { file: file.to_owned(), name: name.to_owned() }
        }
    }
}

fn documents() -> Vec<Document> {
    let (mut documents, mut section) = (Vec::<Document>::new(), String::new());
    for line in include_str!("spec-coverage.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("== ") {
            name.clone_into(&mut section);
            continue;
        }
        let fields: Vec<&str> = line.trim_start_matches("= ").split(" | ").collect();
        if line.starts_with("= ") {
            let [title, source, found] = fields[..] else { panic!("{line}: three fields are expected") };
            let words = if found == "none" { BTreeMap::new() } else { words(found) };
            let (title, source) = (title.to_owned(), source.to_owned());
            documents.push(Document { title, source, words, passages: Vec::new() });
            section.clear();
            continue;
        }
        let [first_words, found, stand, what, ref tests @ ..] = fields[..] else { panic!("{line}: too few fields") };
        let passage = Passage {
            section: section.clone(),
            first_words: first_words.to_owned(),
            words: words(found),
            stand: stand.to_owned(),
            what: what.to_owned(),
            tests: tests.iter().map(|text| test(text)).collect(),
        };
        documents.last_mut().expect("a document").passages.push(passage);
    }
    documents
}

impl Document {
    fn count(&self, is_counted: impl Fn(&Passage) -> bool) -> usize {
        self.passages.iter().filter(|passage| is_counted(passage)).count()
    }

    fn tested(&self) -> usize {
        self.count(|passage| !passage.tests.is_empty())
    }
}

/// The text of a function, from its name to its closing brace.
fn body<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text.find(&format!("fn {name}("))?;
    let indent = text[..start].rsplit('\n').next()?;
    let end = text[start..].find(&format!("\n{}}}", " ".repeat(indent.len())))?;
    Some(&text[start..start + end])
}

/// Words in capitals with an underscore, which are not in backticks: codes of `check`.
fn codes(what: &str) -> impl Iterator<Item = &str> {
    let plain = what.split('`').step_by(2);
    plain
        .flat_map(|text| text.split(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')))
        .filter(|word| word.contains('_') && word.len() > 6)
}

impl Passage {
    /// Adds what is wrong with the row.
    fn check(&self, rows: &[(&str, &str)], faults: &mut Vec<String>) {
        let at = format!("{} {}: {}", self.section, self.first_words, self.what);
        let is_untested = UNTESTED.contains(&&*self.stand);
        if !is_untested && !["check", "import", "render"].contains(&&*self.stand) {
            faults.push(format!("{at}\n  unknown: {}", self.stand));
        }
        if is_untested != self.tests.is_empty() {
            faults.push(format!("{at}\n  it needs tests, or a reason why there is none"));
        }
        if is_untested && self.what.len() < 10 || self.first_words.split(' ').count() > 12 {
            faults.push(format!("{at}\n  it needs a reason, and at most 12 of the first words"));
        }
        // The texts of the tests.
        let mut shown = String::new();
        for test in &self.tests {
            match test {
                Test::Edits(edits) => {
                    let codes = rows.iter().filter(|(_, row)| row == edits).flat_map(|(codes, _)| codes.split(' '));
                    let before = shown.len();
                    codes.filter(|code| !code.starts_with('!')).for_each(|code| shown.push_str(&format!(" {code}")));
                    if shown.len() == before {
                        faults.push(format!("{at}\n  {EDITS} has no row of these edits: {edits}"));
                    }
                }
                Test::Function { file, name } => {
                    let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
                    match body(&text, name) {
                        Some(body) if is_test(&text, name) => shown.push_str(body),
                        _ => faults.push(format!("{at}\n  {file} has no test {name}")),
                    }
                }
            }
        }
        for code in codes(&self.what) {
            if CODES.iter().all(|known| known.name != code) {
                faults.push(format!("{at}\n  `check` has no code {code}"));
            } else if !is_untested && !shown.contains(code) {
                faults.push(format!("{at}\n  no test of the row has {code}"));
            }
        }
    }
}

/// Returns `true` if the function has an attribute `#[test]`, and is not ignored.
fn is_test(text: &str, name: &str) -> bool {
    let before = text.split(&format!("fn {name}(")).next().unwrap_or_default();
    let attributes: Vec<&str> =
        before.trim_end().lines().rev().take_while(|line| line.trim().starts_with("#[")).collect();
    attributes.iter().any(|line| line.trim() == "#[test]") && !attributes.iter().any(|line| line.contains("ignore"))
}

fn page(documents: &[Document]) -> String {
    let mut page = HEAD.to_owned();
    page.push_str(
        "| document | passages | with a test | not checked | not its subject |\n| --- | --- | --- | --- | --- |\n",
    );
    for document in documents {
        let [not_checked, no_subject] = UNTESTED.map(|stand| document.count(|passage| passage.stand == stand));
        let (title, passages, tested) = (&document.title, document.passages.len(), document.tested());
        _ = writeln!(page, "| {title} | {passages} | {tested} | {not_checked} | {no_subject} |");
    }
    for document in documents {
        let words: Vec<String> = document.words.iter().map(|(word, count)| format!("{count} {word}")).collect();
        let words = if words.is_empty() { "none of the words".to_owned() } else { words.join(", ") };
        _ = writeln!(page, "\n## {}\n\n{}: {words}.\n", document.title, document.source);
        if document.passages.is_empty() {
            continue;
        }
        page.push_str("| section | passage | rigview | what it does | shown by |\n| --- | --- | --- | --- | --- |\n");
        for passage in &document.passages {
            let tests = passage.tests.iter().map(|test| match test {
                Test::Edits(edits) if edits.len() > MAX_EDITS => {
                    format!(
                        "[edits](../{EDITS}): `{} ...`",
                        edits.split_at(edits.floor_char_boundary(MAX_EDITS)).0.trim_end()
                    )
                }
                Test::Edits(edits) => format!("[edits](../{EDITS}): `{edits}`"),
                Test::Function { file, name } => format!("[{name}](../{file})"),
            });
            let tests = tests.collect::<Vec<_>>().join("; ");
            let Passage { section, first_words, stand, what, .. } = passage;
            _ = writeln!(page, "| {section} | {first_words} ... | {stand} | {what} | {tests} |");
        }
    }
    page
}

/// The claim of README.md.
pub(crate) fn claim() -> String {
    let core = &documents()[0];
    let (passages, tested) = (core.passages.len(), core.tested());
    format!("Of the {passages} passages of glTF 2.0 with MUST, MUST NOT, REQUIRED or SHALL, {tested} have a test")
}

#[test]
fn passages_of_the_specification_have_tests_or_reasons() {
    let edits = std::fs::read_to_string(root().join(EDITS)).unwrap();
    let rows: Vec<(&str, &str)> = edits
        .lines()
        .filter(|row| !row.starts_with('#'))
        .filter_map(|row| row.split_once(" |"))
        .map(|(codes, edits)| (codes, edits.trim_start()))
        .collect();
    let documents = documents();
    let mut faults = Vec::new();
    for document in &documents {
        document.passages.iter().for_each(|passage| passage.check(&rows, &mut faults));
        let mut found = BTreeMap::new();
        for (word, count) in document.passages.iter().flat_map(|passage| &passage.words) {
            *found.entry(word.clone()).or_default() += count;
        }
        if found != document.words {
            faults.push(format!("{}: the passages have {found:?}, the text {:?}", document.title, document.words));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn page_of_the_specification_is_generated() {
    let documents = documents();
    let (file, text) = (root().join("docs/spec-coverage.md"), page(&documents));
    if std::env::var_os("RIGVIEW_UPDATE_SPEC").is_some() {
        std::fs::write(&file, &text).unwrap();
        panic!("{} is written; review its diff and run the test again", file.display());
    }
    let hint = "RIGVIEW_UPDATE_SPEC=1 cargo test --test structure spec writes it";
    assert!(std::fs::read_to_string(&file).unwrap_or_default() == text, "docs/spec-coverage.md differs; {hint}");
}

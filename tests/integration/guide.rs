//! The guide in `docs/book`: its figures, commands, links and paths are valid.

use crate::support::run::{rigview, rigview_in};
use clap::CommandFactory;
use clap::error::ErrorKind;
use rigview::import::{Limit, MAX_JSON_DEPTH};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book")
}

/// Path and text of each page.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    for folder in ["src", "src/ci", "src/artists", "src/library", "src/how-it-works", "src/reference"]
        .map(|folder| book().join(folder))
    {
        for entry in fs::read_dir(folder).expect("the pages") {
            let path = entry.expect("a page").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&path).expect("a page");
                pages.push((path, text));
            }
        }
    }
    pages.sort();
    assert!(pages.len() > 10, "{} pages", pages.len());
    pages
}

/// Targets of relative links and images in Markdown.
fn relative_links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|link| !link.contains("://"))
}

/// Identifiers of the headings of a page, as mdBook and code hosts form them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let title = |line: &str| line.strip_prefix('#').map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let anchor = |title: String| {
        title.chars().filter(|c| c.is_alphanumeric() || "_- ".contains(*c)).collect::<String>().replace(' ', "-")
    };
    text.lines().filter_map(title).map(anchor).collect()
}

#[test]
fn reference_is_that_of_the_program() {
    let (folder, reference) = (tempfile::TempDir::new().expect("a temporary folder"), book().join("src/reference"));
    let is_update = std::env::var_os("RIGVIEW_UPDATE_REFERENCE").is_some();
    let written = if is_update { &reference } else { folder.path() };
    let run = rigview(&[Path::new("man"), Path::new("--markdown"), written]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let names = |folder: &Path| -> BTreeSet<_> {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a page").file_name()).collect()
    };
    assert_eq!(names(written), names(&reference));
    let hint = "RIGVIEW_UPDATE_REFERENCE=1 cargo test --test integration reference_is renews the pages";
    for name in names(written) {
        let read = |folder: &Path| fs::read_to_string(folder.join(&name)).expect("a page");
        assert!(read(written) == read(&reference), "{name:?} is not that of the program; {hint}");
    }
    assert!(!is_update, "pages renewed: review and commit them");
}

#[test]
fn documentation_lists_all_limits() {
    let page = include_str!("../../docs/untrusted-files.md");
    for limit in Limit::ALL {
        let row = format!("| `{limit}` | {} | {} |\n", limit.format(limit.default_value()), limit.description());
        assert!(page.contains(&row), "docs/untrusted-files.md lacks {row}");
    }
    assert!(page.contains(&format!("nested {MAX_JSON_DEPTH} deep")));
}

#[test]
#[ignore = "needs Python 3"]
fn faults_are_those_of_their_script() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    for script in ["faults/make_faults.py", "faults/make_mills.py"] {
        let mut python = std::process::Command::new("python3");
        python.arg("-B").arg(book().join(script)).arg(folder.path());
        assert!(python.status().expect("python3").success());
    }
    let mut count = 0;
    for entry in fs::read_dir(folder.path()).expect("the faults") {
        let file = entry.expect("a file").path();
        let committed = fs::read(book().join("faults").join(file.file_name().expect("a name"))).expect("a fault");
        assert!(fs::read(&file).expect("a fault") == committed, "{}", file.display());
        count += 1;
    }
    assert!(count >= 21, "{count} files");
}

#[test]
fn every_code_has_a_section() {
    let anchors = anchors(&Path::new(env!("CARGO_MANIFEST_DIR")).join(rigview::check::LINTS_PAGE));
    let missing = rigview::check::CODES.iter().filter(|code| !anchors.contains(&code.anchor())).count();
    assert_eq!(missing, 0);
}

#[test]
fn figures_of_the_guide_match() {
    let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/output/guide");
    let run = rigview(&[Path::new("test"), &book().join("figures.toml"), Path::new("-o"), &report]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(!run.stdout.contains("obsolete"), "{}", run.report());
}

#[test]
fn links_of_the_guide_lead_to_files() {
    let (mut targets, mut problems) = (BTreeSet::new(), Vec::new());
    let source = book().join("src").canonicalize().expect("the pages");
    for (page, text) in pages() {
        let folder = page.parent().expect("the folder of a page");
        for link in relative_links(&text) {
            let (link, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if link.is_empty() { page.clone() } else { folder.join(link) };
            if !anchor.is_empty() && !anchors(&file).contains(anchor) {
                problems.push(format!("{}: {link} has no section {anchor}", page.display()));
            }
            match file.canonicalize() {
                // mdBook renders no page outside of its source folder.
                Ok(target) if !target.starts_with(&source) => problems.push(format!("{}: {link}", page.display())),
                Ok(target) => drop(targets.insert(target)),
                Err(error) => problems.push(format!("{}: {link}: {error}", page.display())),
            }
        }
        let code = text.split('`').skip(1).step_by(2);
        for path in code.filter(|code| {
            ["src/", "shaders/", "tests/", "docs/", "README.md"].iter().any(|root| code.starts_with(root))
        }) {
            if !Path::new(env!("CARGO_MANIFEST_DIR")).join(path).exists() {
                problems.push(format!("{}: {path} does not exist", page.display()));
            }
        }
    }
    let images = ["src/images", "src/captures"].map(|folder| fs::read_dir(book().join(folder)).expect("the images"));
    for entry in images.into_iter().flatten() {
        let image = entry.expect("an image").path().canonicalize().expect("an image");
        if !targets.contains(&image) {
            problems.push(format!("no page shows {}", image.display()));
        }
    }
    for (page, _) in pages() {
        let name = page.file_name().expect("a file name");
        if name != "SUMMARY.md" && !targets.contains(&page.canonicalize().expect("a page")) {
            problems.push(format!("SUMMARY.md does not list {}", page.display()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn commands_of_the_guide_succeed() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    fs::create_dir(folder.path().join("assets")).expect("a folder");
    for model in ["hare.glb", "mannequin.glb", "windmill.glb"] {
        fs::copy(assets.join(model), folder.path().join("assets").join(model)).expect("a copy");
    }
    let profile = "profiles/mobile-character.toml";
    fs::create_dir(folder.path().join("assets/profiles")).expect("a folder");
    fs::copy(assets.join(profile), folder.path().join("assets").join(profile)).expect("a copy");
    for examples in ["faults", "motion"] {
        let copies = folder.path().join("docs/book").join(examples);
        fs::create_dir_all(&copies).expect("a folder");
        for entry in fs::read_dir(book().join(examples)).expect("the examples") {
            let file = entry.expect("a file").path();
            fs::copy(&file, copies.join(file.file_name().expect("a name"))).expect("a copy");
        }
    }
    let mut count = 0;
    for (page, text) in pages() {
        for rest in text.split("```sh\n").skip(1) {
            let (block, rest) = rest.split_once("```").expect("the end of a block");
            // A block of text right after the commands is the output of the last one.
            let output = rest.strip_prefix("\n\n```text\n").and_then(|rest| rest.split("```").next());
            for (i, line) in block.lines().enumerate() {
                let mut words = line.split_whitespace();
                assert_eq!(words.next(), Some("rigview"), "{}: {line}", page.display());
                let run = rigview_in(folder.path(), &words.collect::<Vec<_>>());
                let output = output.filter(|_| i + 1 == block.lines().count());
                let has_error = output.is_some_and(|output| output.lines().any(|line| line.starts_with("error ")));
                assert_eq!(run.code, Some(has_error.into()), "{}: {line}\n{}", page.display(), run.report());
                if let Some(output) = output {
                    assert_eq!(run.stdout, output, "{}: {line}", page.display());
                }
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count} commands");
}

/// The Markdown files outside of the guide.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["", "docs", "docs/notes", "assets", "fuzz", "python", "tests/against-cycles", "tests/against-three"];
    let entries = folders.into_iter().flat_map(|folder| fs::read_dir(root.join(folder)).expect("the documents"));
    entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect()
}

#[test]
fn links_and_paths_of_the_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = [
        "src/",
        "crates/",
        "shaders/",
        "tests/",
        "docs/",
        "scripts/",
        "benches/",
        "examples/",
        "packaging/",
        "python/",
    ];
    let (mut problems, mut count) = (Vec::new(), 0);
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        for link in relative_links(&text) {
            let (link, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if link.is_empty() { document.clone() } else { document.with_file_name(link) };
            if !file.exists() || !anchor.is_empty() && !anchors(&file).contains(anchor) {
                problems.push(format!("{}: {link}#{anchor}", document.display()));
            }
        }
        // Blocks are indented or fenced, so that a line has an even number of backticks.
        let code = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
        for path in code.filter(|code| roots.iter().any(|root| code.starts_with(root))) {
            let is_pattern = path.contains("NAME") || path.contains(['*', ' ', '<']);
            // A folder of the Khronos sample models, which git ignores.
            let is_ignored = path == "tests/golden/materials/models";
            if !is_pattern && !is_ignored && !root.join(path).exists() {
                problems.push(format!("{}: {path} does not exist", document.display()));
            }
            count += 1;
        }
    }
    assert!(count > 60, "{count} paths");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Adds the long options of a command and of its subcommands.
fn add_options(command: &clap::Command, options: &mut BTreeSet<String>) {
    options.extend(command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)));
    command.get_subcommands().for_each(|subcommand| add_options(subcommand, options));
}

#[test]
fn commands_and_options_in_the_documents_exist() {
    /// Of cargo and docker, and a placeholder.
    const OTHERS: [&str; 3] = ["features", "user", "option"];
    let mut command = rigview::cli::Cli::command();
    command.build();
    let (mut options, mut problems, mut count) = (BTreeSet::new(), Vec::new(), 0);
    add_options(&command, &mut options);
    let guide =
        pages().into_iter().map(|(page, _)| page).filter(|page| !page.starts_with(book().join("src/reference")));
    for document in documents().into_iter().chain(guide) {
        let text = fs::read_to_string(&document).expect("a document");
        for code in text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let name = code.strip_prefix("--").and_then(|code| code.split(['=', ' ']).next());
            if name.is_some_and(|name| !options.contains(name) && !OTHERS.contains(&name)) {
                problems.push(format!("{}: no command has {code}", document.display()));
            }
        }
        for line in text.lines().filter(|line| line.starts_with("    rigview ")) {
            let words = line.split(" #").next().expect("a command").split_whitespace();
            let kind = command.clone().try_get_matches_from(words).err().map(|error| error.kind());
            if matches!(kind, Some(ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand)) {
                problems.push(format!("{}: {}", document.display(), line.trim()));
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count} commands");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

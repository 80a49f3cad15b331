//! Hostile files through the program: `check`, `shot` and `bake` end in bounded time and memory, with a message, and leave
//! a complete file or none.
//!
//! `support::mutate` generates the files. A run uses a sample of them. To run more:
//!
//!     RIGVIEW_MUTATIONS=10000 RIGVIEW_SAMPLE_MODELS=... cargo test --test integration mutated_files -- --nocapture
//!
//! `RIGVIEW_MUTATIONS=4711..4712` runs a range of seeds and keeps the failing files.

use crate::support::models::{name, samples, shipped};
use crate::support::mutate::{Mutant, Original};
use crate::support::random::Random;
use crate::support::rigs;
use crate::support::run::{Watched, watched};
use rigview::import::{ImportOptions, from_bytes};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Number or range of seeds.
const VARIABLE: &str = "RIGVIEW_MUTATIONS";

/// Default number of seeds, for about one minute.
const USUALLY: usize = 120;

/// CPU time limit of a command.
const LIMIT: Duration = Duration::from_secs(10);

/// Wall time limit of a command. The machine may be busy.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// Memory limit of a command, in bytes.
const MEMORY: u64 = 1 << 30;

/// Valid result of a command.
struct Fate {
    done: bool,
    took: Duration,
    memory: u64,
}

fn chosen() -> Range<usize> {
    let Ok(text) = std::env::var(VARIABLE) else { return 0..USUALLY };
    let number = |text: &str| text.parse::<usize>().unwrap_or_else(|e| panic!("{VARIABLE}: `{text}`: {e}"));
    match text.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => 0..number(&text),
    }
}

fn originals() -> Vec<Original> {
    let rigs = rigs::all().into_iter().filter(|(name, _)| !name.contains("320"));
    let mut all: Vec<Original> = rigs.map(|(name, rig)| Original::new(name.to_owned(), &rig.glb(), None)).collect();
    all.extend(shipped().iter().map(|path| Original::open(name(path), path)));
    all.extend(samples("mutated_files").unwrap_or_default().iter().map(|path| Original::open(name(path), path)));
    all
}

/// A folder with the file and with targets of its URIs.
fn lay_out(mutant: &Mutant) -> TempDir {
    let folder = TempDir::new().expect("a folder for temporary files");
    let inside = folder.path().join("model");
    std::fs::create_dir(&inside).expect("a folder");
    std::fs::write(inside.join(mutant.file), &mutant.bytes).expect("a file");
    std::fs::write(folder.path().join("secret.bin"), vec![7; 1 << 20]).expect("a file");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../secret.bin", inside.join("link.bin")).expect("a link");
        let made = std::process::Command::new("mkfifo").arg(inside.join("pipe.bin")).status().expect("mkfifo");
        assert!(made.success());
    }
    folder
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs a command on a file and describes what is wrong with its result.
fn try_command(folder: &Path, words: &[&str], output: Option<&str>) -> Result<Fate, String> {
    let before = files(folder);
    let Watched { output: run, took, memory } = watched(folder, &[], words, TIME_LIMIT);
    let wrong = |what: &str| Err(format!("{what} ({took:.1?}, {} MiB)\n{}", memory >> 20, run.report()));
    match run.code {
        _ if run.timed_out => return wrong("it does not end"),
        None => return wrong("a signal ended it"),
        Some(0 | 1) => {}
        Some(_) => return wrong("it ended otherwise than by 0 or 1"),
    }
    if took > LIMIT {
        return wrong("it takes too long");
    }
    if memory > MEMORY {
        return wrong("it takes too much memory");
    }
    let text = format!("{}{}", run.stdout, run.stderr);
    if text.contains("panicked") || text.contains("broke on this file") || text.contains("CRASHED") {
        return wrong("it panics");
    }
    // C1 characters control terminals, too. Bidi overrides hide text.
    let hidden =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if let Some(c) = text.chars().find(|c| hidden(*c)) {
        return wrong(&format!("it says {c:?}"));
    }
    if run.stderr.lines().any(|line| line.len() > 4000) {
        return wrong("it says far too much");
    }
    let done = run.code == Some(0);
    if !done && run.stderr.trim().is_empty() {
        return wrong("it fails without a word");
    }
    let mut after = before.clone();
    if let Some(output) = output.filter(|_| done) {
        after.push(output.to_owned());
        after.sort();
    }
    let left = files(folder);
    if left != after {
        return wrong(&format!("it leaves {left:?} instead of {after:?}"));
    }
    if let Some(output) = output.filter(|_| done) {
        let file = folder.join(output);
        let bytes = std::fs::read(&file).expect("the output");
        let is_whole = match bytes.strip_prefix(b"glTF") {
            Some(rest) => rest.get(4..8).is_some_and(|length| length == (bytes.len() as u32).to_le_bytes()),
            None => image::load_from_memory(&bytes).is_ok(),
        };
        if !is_whole {
            return wrong(&format!("{output} is not whole"));
        }
        std::fs::remove_file(file).expect("the output");
    }
    Ok(Fate { done, took, memory })
}

/// Result counts.
#[derive(Default)]
struct Tally {
    /// Per mutation class: files, and successful commands.
    classes: BTreeMap<&'static str, (usize, usize)>,
    commands: usize,
    slowest: (Duration, String),
    largest: (u64, String),
    faults: Vec<String>,
}

impl Tally {
    fn add(&mut self, number: usize, mutant: &Mutant, fates: &[(&str, Result<Fate, String>)]) {
        let class = self.classes.entry(mutant.class).or_default();
        class.0 += 1;
        for (command, fate) in fates {
            self.commands += 1;
            let label = format!("{number}, {command}: {}: {}", mutant.class, mutant.what);
            match fate {
                Ok(Fate { done, took, memory }) => {
                    class.1 += usize::from(*done);
                    if *took > self.slowest.0 {
                        self.slowest = (*took, label.clone());
                    }
                    if *memory > self.largest.0 {
                        self.largest = (*memory, label);
                    }
                }
                Err(fault) => self.faults.push(format!("{label}: {fault}")),
            }
        }
    }

    fn report(&self) -> String {
        let classes =
            self.classes.iter().map(|(class, (files, done))| format!("  {class}: {files} files, {done} done"));
        let (slowest, largest) = (&self.slowest, &self.largest);
        let short = |text: &str| text.chars().take(160).collect::<String>();
        format!(
            "{} commands\n{}\nslowest {:.2?}: {}\nlargest {} MiB: {}",
            self.commands,
            classes.collect::<Vec<_>>().join("\n"),
            slowest.0,
            short(&slowest.1),
            largest.0 >> 20,
            short(&largest.1)
        )
    }
}

#[test]
fn unmutated_files_are_valid() {
    for original in originals() {
        let opened = from_bytes(original.glb(), None, &ImportOptions::default());
        assert!(opened.is_ok(), "{}: {}", original.name, opened.expect_err("an error"));
    }
}

#[test]
fn mutated_files_end_quickly_with_message_and_no_output() {
    let (chosen, originals) = (chosen(), originals());
    let (next, tally, start) = (AtomicUsize::new(chosen.start), Mutex::new(Tally::default()), Instant::now());
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get().min(8));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= chosen.end {
                        return;
                    }
                    let mut random = Random(0x7269_6776_6965_7700 + number as u64);
                    let original = &originals[random.below(originals.len())];
                    let mut mutant = original.mutant(&mut random);
                    mutant.what = format!("{}: {}", original.name, mutant.what);
                    let laid = lay_out(&mutant);
                    let folder = laid.path().join("model");
                    let file = mutant.file;
                    let fates = [
                        ("check", try_command(&folder, &["check", file], None)),
                        ("shot", {
                            let words =
                                ["shot", file, "-o", "out.png", "--size=64x64", "--samples=1", "--ignore-required"];
                            try_command(&folder, &words, Some("out.png"))
                        }),
                        ("bake", try_command(&folder, &["bake", file, "-o", "out.glb", "--time=0.3"], Some("out.glb"))),
                    ];
                    if fates.iter().any(|(_, fate)| fate.is_err()) && std::env::var_os(VARIABLE).is_some() {
                        eprintln!("number {number} is kept in {}", laid.keep().display());
                        fates.iter().filter_map(|(_, fate)| fate.as_ref().err()).for_each(|fault| eprintln!("{fault}"));
                    }
                    tally.lock().expect("no panic").add(number, &mutant, &fates);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no panic");
    println!("{} files, {:.0?}, {}", chosen.len(), start.elapsed(), tally.report());
    let shown: Vec<&str> = tally.faults.iter().take(40).map(String::as_str).collect();
    assert!(tally.faults.is_empty(), "{} faults:\n{}", tally.faults.len(), shown.join("\n\n"));
}

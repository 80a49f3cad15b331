//! Cost of files: instructions and peak memory grow linearly with each kind of element.
//!
//! A generator per kind makes files of n and 4n elements. Valgrind counts instructions, so that other programs on the machine do not
//! change the result.
//!
//! `library` measures the functions of the libraries on all kinds in one process. `dense`, a part of `make test-all`, measures each command
//! on each kind in a process of its own: 270 runs of Valgrind. Its memory is that of 8n and 16n elements.

mod files;
mod library;

use crate::support::run::{program, watched};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// Maximum growth of the instructions for four times as many elements: 4 for linear time, some more for sorting, 16 for
/// quadratic time.
const MAX_INSTRUCTION_GROWTH: f64 = 5.0;

/// Maximum growth of memory for twice as many elements: 2 if it is linear, 4 if it is quadratic.
const MAX_MEMORY_GROWTH: f64 = 2.3;

/// Instructions below which the growth of a command is not judged.
const MIN_INSTRUCTIONS: f64 = 1e7;

/// Instructions of a nearly empty file.
const BASE_INSTRUCTIONS: u64 = 3_000_000;

/// Memory below which its growth is not judged: allocators work in steps.
const MIN_MEMORY_BYTES: f64 = 24e6;

/// Maximum CPU time of a run.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Contents of files with their extensions.
type Files = Vec<(&'static str, Vec<u8>)>;

/// A kind of element.
struct Kind {
    name: &'static str,
    /// Makes files with this many elements.
    files: fn(usize) -> Files,
    /// Command lines, where `IN.glb` stands for the file with this extension, `OUT.glb` for a new file.
    commands: &'static [&'static [&'static str]],
    /// Number of elements of the smallest file.
    count: usize,
}

const MODEL_COMMANDS: &[&[&str]] =
    &[&["check", "IN.glb"], &["info", "IN.glb"], &["bake", "IN.glb", "-o", "OUT.glb"], &["diff", "IN.glb", "IN.glb"]];
const CLIPS_COMMANDS: &[&[&str]] = &[&["bake", "IN.glb", "--clips-from", "IN.glb", "-o", "OUT.glb"]];
const CSV_COMMANDS: &[&[&str]] = &[&["bake", "IN.glb", "--layout", "IN.csv", "-o", "OUT.glb"]];
const JSON_COMMANDS: &[&[&str]] = &[&["bake", "IN.glb", "--layout", "IN.json", "-o", "OUT.glb"]];
/// Draws one thumbnail of the smallest size.
const SHEET_COMMANDS: &[&[&str]] = &[&["sheet", "IN.glb", "-o", "OUT.png", "--size", "16x16", "--frames", "1"]];
/// Parses all shots and renders none.
const SUITE_COMMANDS: &[&[&str]] = &[&["test", "IN.toml", "--filter", "no such shot", "-o", "OUT"]];

const ZIP_COMMANDS: &[&[&str]] = &[&["check", "IN.zip"], &["info", "IN.zip"]];
const BVH_COMMANDS: &[&[&str]] = &[&["check", "IN.bvh"], &["info", "IN.bvh"], &["diff", "IN.bvh", "IN.bvh"]];
const FLEX_COMMANDS: &[&[&str]] = &[&["check", "--flex", "IN.glb"]];
const RIG_MAP_COMMANDS: &[&[&str]] = &[&["rig-map", "IN.glb"]];
/// Objects are missing, so that the manifest and its messages are measured.
const STORE_COMMANDS: &[&[&str]] = &[&["store", "verify", "IN.toml"]];

/// Compares the instructions for n and 4n elements, and the memory for 8n and 16n.
fn assert_linear(kind: &Kind) {
    if !cfg!(target_os = "linux") || Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: complexity::{} needs Valgrind", kind.name);
        return;
    }
    let folder = TempDir::new().expect("a folder for temporary files");
    let file = |count: usize| {
        let path = folder.path().join(format!("{}-{count}", kind.name));
        for (extension, content) in (kind.files)(count) {
            std::fs::write(path.with_extension(extension), content).expect("a file");
        }
        path
    };
    let files = [1, 2, 4, 8, 16].map(|factor| file(factor * kind.count));
    let mut faults = Vec::new();
    for command in kind.commands {
        let name = command[0];
        let draws = name == "sheet";
        // The first runs fill the driver's shader cache, unless they end before it is written.
        let runs = if draws { 3 } else { 1 };
        let count = |file: &PathBuf| (0..runs).map(|_| instructions(command, file)).min().expect("at least one run");
        let [single, fourfold] = [&files[0], &files[2]].map(count);
        // The driver's part does not grow: it is what remains for no elements on the line through the counts of n and 2n.
        let base = if draws { (2 * single).saturating_sub(count(&files[1])) } else { BASE_INSTRUCTIONS };
        let memory = [&files[3], &files[4]].map(|file| peak_memory_bytes(command, file));
        let [single, fourfold] = [single, fourfold].map(|count| count.saturating_sub(base) as f64);
        let mib = memory.map(|bytes| bytes >> 20);
        eprintln!("{} {name}: {single:.0}, {fourfold:.0} instructions, {mib:?} MiB", kind.name);
        if fourfold > MIN_INSTRUCTIONS && fourfold > MAX_INSTRUCTION_GROWTH * single {
            faults.push(format!("{name}: {single:.0}, {fourfold:.0} instructions for four times as many"));
        }
        let [single, double] = memory.map(|bytes| bytes as f64);
        if double > MIN_MEMORY_BYTES && double > MAX_MEMORY_GROWTH * single {
            faults.push(format!("{name}: {single:.0}, {double:.0} bytes of memory for 8 and 16 times as many"));
        }
    }
    assert!(faults.is_empty(), "{}: cost for {} elements and more:\n{}", kind.name, kind.count, faults.join("\n"));
}

/// The program without debug information, which Valgrind would read in every run.
fn stripped_program() -> &'static Path {
    static STRIPPED: OnceLock<(PathBuf, TempDir)> = OnceLock::new();
    &STRIPPED
        .get_or_init(|| {
            let folder = TempDir::new().expect("a folder for temporary files");
            let path = folder.path().join("rigview");
            let stripped = Command::new("strip").arg("-o").arg(&path).arg(program()).status();
            if !stripped.is_ok_and(|status| status.success()) {
                std::fs::copy(program(), &path).expect("a copy of the program");
            }
            (path, folder)
        })
        .0
}

fn arguments(command: &[&str], file: &Path) -> Vec<PathBuf> {
    let path = |word: &&str| match word.split_once('.') {
        Some(("IN", extension)) => file.with_extension(extension),
        Some(("OUT", extension)) => file.with_extension(format!("out.{extension}")),
        None if *word == "OUT" => file.with_extension("out"),
        _ => PathBuf::from(word),
    };
    command.iter().map(path).collect()
}

/// Instructions of a command, on one thread.
fn instructions(command: &[&str], file: &Path) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(stripped_program())
        .args(arguments(command, file))
        .env("RAYON_NUM_THREADS", "1")
        .env("LP_NUM_THREADS", "0")
        .output()
        .expect("Valgrind");
    let report = String::from_utf8_lossy(&output.stderr);
    let number = report.lines().find_map(|line| line.split_once("I   refs:").or(line.split_once("I refs:")));
    let count = number.and_then(|(_, number)| number.trim().replace(',', "").parse().ok());
    count.unwrap_or_else(|| panic!("no instruction count of {command:?} {}:\n{report}", file.display()))
}

/// Peak memory of a command: the maximum of three runs, since the system is queried at intervals.
fn peak_memory_bytes(command: &[&str], file: &Path) -> u64 {
    let run = |_| {
        let run = watched(Path::new("."), &[("RAYON_NUM_THREADS", "1")], &arguments(command, file), TIME_LIMIT);
        assert!(!run.output.timed_out, "{}", run.output.report());
        run.memory
    };
    (0..3).map(run).max().unwrap_or_default()
}

/// Names, counts and commands of all kinds, for the macro `$use`.
macro_rules! with_kinds {
    ($use:ident) => {
        $use! {
            nodes: 600;
            draws: 300;
            chain: 300;
            joints: 300;
            skins: 300;
            scenes: 3000;
            channels: 300;
            clips: 300;
            clips_and_joints: 2000;
            nodes_and_primitives: 2000;
            binds_and_targets: 300;
            skins_and_nodes: 300;
            keys: 4000;
            meshes: 300;
            primitives: 300;
            vertices: 1000;
            targets: 300;
            copies: 2400;
            materials: 300;
            animated_materials: 300;
            textures: 300;
            images: 200;
            broken_images: 200;
            variants: 300;
            cameras: 300;
            lights: 300;
            accessors: 600;
            buffer_views: 600;
            names: 2000;
            extensions: 300;
            unknown_properties: 600;
            avatars: 300;
            blend_shapes: 300;
            clips_from: 300, CLIPS_COMMANDS;
            layout_lines: 300, CSV_COMMANDS;
            layout_objects: 300, JSON_COMMANDS;
            suite_tables: 300, SUITE_COMMANDS;
            suite_shots: 300, SUITE_COMMANDS;
            drawn: 500, SHEET_COMMANDS;
            archive_entries: 2000, ZIP_COMMANDS;
            bvh_joints: 2000, BVH_COMMANDS;
            bvh_joints_and_frames: 2000, BVH_COMMANDS;
            bvh_channels_and_frames: 40, BVH_COMMANDS;
            flexed_joints: 100, FLEX_COMMANDS;
            flexed_vertices: 500, FLEX_COMMANDS;
            rig_maps: 1000, RIG_MAP_COMMANDS;
            stores: 1000, STORE_COMMANDS;
        }
    };
}
use with_kinds;

macro_rules! dense_tests {
    ($($name:ident: $count:literal $(, $commands:ident)?;)*) => {
        mod dense {
            use super::*;
            $(
                #[test]
                #[ignore = "slow: make test-all"]
                fn $name() {
                    let (files, commands) = dense_tests!(@ $name $($commands)?);
                    assert_linear(&Kind { name: stringify!($name), files, commands, count: $count });
                }
            )*
        }
    };
    (@ $rig:ident) => {
        (|count| vec![("glb", files::$rig(count).glb())], MODEL_COMMANDS)
    };
    (@ $files:ident $commands:ident) => {
        (files::$files, $commands)
    };
}

with_kinds!(dense_tests);

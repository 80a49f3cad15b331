//! Hostile files.
//!
//! In this process, every truncation, and flipped bits and replaced values, of a small file with elements of all kinds.
//! Through the program, `check`, `shot`, `thumbnail` and `bake` end in bounded time and memory, with a message, and leave a complete file
//! or none.
//!
//! `support::mutate` generates the files. A run uses a sample of them. To run more:
//!
//!     RIGVIEW_MUTATIONS=10000 RIGVIEW_SAMPLE_MODELS=... cargo test --test integration mutated_files -- --nocapture
//!
//! `RIGVIEW_MUTATIONS=4711..4712` runs a range of seeds and keeps the failing files.

use crate::support::glb::{Channel, Data, Store};
use crate::support::models::{name, samples, shipped};
use crate::support::mutate::{Mutant, Original};
use crate::support::random::Random;
use crate::support::rigs;
use crate::support::run::{Watched, names, watched};
use rigview::check::{Issue, Severity, check_bytes};
use rigview::import::{Diagnostic, DiagnosticKind, ImageLoading, ImportOptions, ImportPolicy, from_bytes};
use serde_json::json;
use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Number or range of seeds.
const VARIABLE: &str = "RIGVIEW_MUTATIONS";

/// Default number of seeds. `make test-all` has more.
const USUALLY: usize = 24;

/// CPU time limit of a command. Time limit of a file in this process.
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
    all.extend([small(), avatar("VRMC_vrm"), avatar("VRM"), splats(), skeleton()]);
    all.extend(shipped().iter().map(|path| Original::open(name(path), path)));
    all.extend(samples("mutated_files").unwrap_or_default().iter().map(|path| Original::open(name(path), path)));
    all
}

/// A small file with elements of all kinds.
fn small() -> Original {
    const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let rigs::Arm { mut rig, body, .. } = rigs::arm();
    let lift = rig.data(&Data::new("VEC3", &[0.0, 0.0, 0.5].repeat(3)).without_view(Store::U8));
    let indices = rig.data(&Data::new("SCALAR", &[0.0, 1.0, 2.0]).integers(Store::U8));
    let uv = rig.floats("VEC2", &[0.5; 6]);
    let primitive = &mut rig.object("meshes", 0)["primitives"][0];
    primitive["attributes"]["TEXCOORD_0"] = json!(uv);
    primitive["targets"] = json!([{"POSITION": lift}]);
    (primitive["indices"], primitive["material"]) = (json!(indices), json!(0));
    let texture = json!({"index": 0});
    rig.add("materials", json!({"pbrMetallicRoughness": {"baseColorTexture": texture}, "normalTexture": texture}));
    rig.add("textures", json!({"source": 0, "sampler": 0}));
    rig.add("samplers", json!({"magFilter": 9729}));
    rig.add("images", json!({"uri": PNG}));
    rig.object("nodes", 0)["camera"] =
        json!(rig.add("cameras", json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}})));
    let (times, values) = (rig.floats("SCALAR", &[0.0]), rig.floats("SCALAR", &[0.0, 1.0, 0.0]));
    rig.clip("swell", &[Channel { node: body, path: "weights", interpolation: "CUBICSPLINE", times, values }]);
    Original::new("small".to_owned(), &rig.glb(), None)
}

/// The small file as an avatar: VRM 1.0 with springs, a constraint and a toon material, or VRM 0.x. Its morph target has colors.
fn avatar(extension: &str) -> Original {
    let mut avatar = small();
    avatar.name = extension.to_owned();
    let json = &mut avatar.json;
    let position = json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = position.clone();
    json["meshes"][0]["primitives"][0]["targets"][0]["COLOR_0"] = position;
    let body = json["nodes"].as_array().expect("nodes").iter().position(|node| node.get("mesh").is_some());
    if extension == "VRM" {
        let groups = json!([{"name": "Joy", "presetName": "joy", "binds": [{"mesh": 0, "index": 0, "weight": 50}]}]);
        let springs = json!({"boneGroups": [{"bones": [0], "center": -1, "colliderGroups": [0]}], "colliderGroups": [{"node": 0}]});
        json["extensions"]["VRM"] = json!({
            "meta": {"title": "small", "texture": 0, "licenseName": "CC0"},
            "humanoid": {"humanBones": [{"bone": "hips", "node": 0}]},
            "blendShapeMaster": {"blendShapeGroups": groups},
            "secondaryAnimation": springs,
            "materialProperties": [{"shader": "VRM/MToon", "textureProperties": {"_MainTex": 0}}],
        });
        json["extensionsUsed"] = json!(["VRM"]);
        return avatar;
    }
    let bind = json!({"node": body, "index": 0, "weight": 1});
    let expression = json!({"morphTargetBinds": [bind], "overrideBlink": "blend", "isBinary": true});
    json["extensions"] = json!({
        "VRMC_vrm": {
            "specVersion": "1.0",
            "meta": {"name": "small", "authors": ["a"], "licenseUrl": "https://vrm.dev/licenses/1.0/", "thumbnailImage": 0},
            "humanoid": {"humanBones": {"hips": {"node": 0}}},
            "firstPerson": {"meshAnnotations": [{"node": body, "type": "auto"}]},
            "expressions": {"preset": {"happy": expression, "blink": expression}, "custom": {"grin": expression}},
        },
        "VRMC_springBone": {
            "colliders": [{"node": 0, "shape": {"sphere": {"radius": 1}}}],
            "colliderGroups": [{"colliders": [0]}],
            "springs": [{"joints": [{"node": 0}, {"node": 1}], "colliderGroups": [0]}],
        },
    });
    let constraint = json!({"aim": {"source": 0, "aimAxis": "PositiveX", "weight": 0.5}});
    json["nodes"][1]["extensions"]["VRMC_node_constraint"] = json!({"specVersion": "1.0", "constraint": constraint});
    let toon = json!({"specVersion": "1.0", "matcapTexture": {"index": 0}});
    json["materials"][0]["extensions"]["VRMC_materials_mtoon"] = toon;
    json["extensionsUsed"] = json!(["VRMC_vrm", "VRMC_springBone", "VRMC_node_constraint", "VRMC_materials_mtoon"]);
    avatar
}

/// The small file as points with Gaussian splats.
fn splats() -> Original {
    let mut splats = small();
    splats.name = "splats".to_owned();
    let primitive = &mut splats.json["meshes"][0]["primitives"][0];
    primitive["mode"] = json!(0);
    primitive["attributes"]["KHR_gaussian_splatting:SCALE"] = primitive["attributes"]["POSITION"].clone();
    let splatting = json!({"kernel": "ellipse", "colorSpace": "srgb_rec709_display"});
    primitive["extensions"]["KHR_gaussian_splatting"] = splatting;
    splats.json["extensionsUsed"] = json!(["KHR_gaussian_splatting"]);
    splats
}

/// The small file without its mesh: a skeleton with clips.
fn skeleton() -> Original {
    let mut skeleton = small();
    skeleton.name = "skeleton".to_owned();
    for node in skeleton.json["nodes"].as_array_mut().expect("nodes") {
        node.as_object_mut().expect("a node").retain(|key, _| !matches!(key.as_str(), "mesh" | "skin" | "weights"));
    }
    skeleton.json.as_object_mut().expect("an object").retain(|key, _| !matches!(key.as_str(), "meshes" | "skins"));
    let channels = skeleton.json["animations"].as_array_mut().into_iter().flatten();
    channels.for_each(|clip| {
        clip["channels"].as_array_mut().expect("channels").retain(|it| it["target"]["path"] != "weights")
    });
    skeleton
}

/// Imports and checks a file in this process. `true` if it is imported. The error describes a violation.
fn read(bytes: &[u8]) -> Result<bool, String> {
    let timed = || {
        let start = Instant::now();
        (read_once(bytes), start.elapsed())
    };
    let (result, took) = timed();
    // A pause of the machine does not repeat, unlike a slow file: 32 s were seen for a file of 10 ms.
    let again = if took > LIMIT { timed().1 } else { took };
    if again > LIMIT { Err(format!("it takes {took:?}, then {again:?}")) } else { result }
}

fn read_once(bytes: &[u8]) -> Result<bool, String> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        let issues = check_bytes(bytes.to_vec(), None, &ImportPolicy::default());
        let severity = issues.iter().map(|issue| issue.severity).max();
        let mut messages: Vec<String> = issues.into_iter().map(|issue| issue.message).collect();
        let imported = from_bytes(bytes.to_vec(), None, &ImportOptions::default());
        let is_ok = imported.is_ok();
        let is_left_out = |notice: &&Diagnostic| notice.kind == DiagnosticKind::LeftOut;
        let hidden = match imported {
            Ok(loaded) => {
                let first = loaded.diagnostics.iter().find(is_left_out).map(|notice| notice.message.clone());
                messages.extend(loaded.diagnostics.into_iter().map(|notice| notice.message));
                first.filter(|_| severity < Some(Severity::Warning))
            }
            Err(error) => {
                messages.push(error.to_string());
                Some(error.to_string()).filter(|_| severity < Some(Severity::Error))
            }
        };
        (is_ok, messages, hidden)
    }));
    let (is_ok, messages, hidden) = result.map_err(|_| "it panics")?;
    if let Some(message) = hidden {
        return Err(format!("check passes it, but the import says {message:?}"));
    }
    if let Some(message) = messages.iter().find(|message| message.contains(is_hidden)) {
        return Err(format!("it says {message:?}"));
    }
    Ok(is_ok)
}

/// C1 characters control terminals, too. Bidi overrides hide text.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

/// Runs a command on a file and describes what is wrong with its result.
fn try_command(folder: &Path, words: &[&str], output: Option<&str>) -> Result<Fate, String> {
    let before = names(folder);
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
    if let Some(c) = text.chars().find(|c| *c != '\n' && is_hidden(*c)) {
        return wrong(&format!("it says {c:?}"));
    }
    if run.stderr.lines().any(|line| line.len() > 4000) {
        return wrong("it says far too much");
    }
    let done = run.code == Some(0);
    // The other commands also print issues or warnings.
    if !done && words[0] == "bake" {
        run.refusal(Path::new(words[1]))?;
    } else if !done && run.stderr.trim().is_empty() {
        return wrong("it fails without a word");
    }
    let mut after = before.clone();
    if let Some(output) = output.filter(|_| done) {
        after.push(output.to_owned());
        after.sort();
    }
    let left = names(folder);
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

/// What `shot` says, `check` says.
#[test]
fn check_has_an_issue_at_each_diagnostic_of_the_import() {
    for original in originals() {
        let (bytes, policy) = (original.glb(), ImportPolicy::default());
        let options = ImportOptions::default().with_images(ImageLoading::Verify);
        let imported = from_bytes(bytes.clone(), None, &options).expect("a valid file");
        let issues = check_bytes(bytes, None, &policy);
        for diagnostic in imported.diagnostics {
            let pointer = &diagnostic.pointer;
            let is_related = |issue: &Issue| {
                issue.pointer.starts_with(pointer) || !issue.pointer.is_empty() && pointer.starts_with(&issue.pointer)
            };
            assert!(issues.iter().any(is_related), "{}: {diagnostic} has no issue at {pointer}", original.name);
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    for bytes in [small().glb(), rigs::arm().rig.embedded()] {
        assert_eq!(read(&bytes), Ok(true));
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), Ok(false), "cut to {length} of {} bytes", bytes.len());
        }
    }
}

#[test]
fn flipped_bits_and_replaced_values_do_not_panic() {
    let (small, avatars) = (small(), [avatar("VRMC_vrm"), avatar("VRM")]);
    let original = small.glb();
    let flipped = (0..original.len()).map(|at| {
        let mut bytes = original.clone();
        bytes[at] ^= 1 << (at % 8);
        (format!("bit {} of byte {at}", at % 8), bytes)
    });
    let (mut count, mut imported) = (0, 0);
    // A check takes milliseconds in a debug build.
    let replaced = small.with_all_replacements().step_by(5);
    let replaced = replaced.chain(avatars.iter().flat_map(|avatar| avatar.with_all_replacements().step_by(17)));
    for (what, bytes) in flipped.chain(replaced) {
        count += 1;
        imported += usize::from(read(&bytes).unwrap_or_else(|fault| panic!("{what}: {fault}")));
    }
    println!("{imported} of {count} files are imported");
    assert!(imported > 0 && imported < count);
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
                        ("thumbnail", {
                            let words = ["thumbnail", file, "out.png", "--size=64", "--timeout=9"];
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

/// A file with text of a kind that is not a model, and the command that reads it.
const TEXTS: &[(&str, &str, &[&str])] = &[
    (
        "walk.bvh",
        "HIERARCHY\nROOT Hips\n{\n OFFSET 0 90 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n \
         JOINT Leg\n {\n  OFFSET 10 -5 0\n  CHANNELS 3 Yrotation Zrotation Xrotation\n  End Site\n  {\n   OFFSET 0 -80 0\n  }\n }\n}\n\
         MOTION\nFrames: 2\nFrame Time: 0.05\n1 2 3 10 20 30 40 50 60\n0 91 0 0 0 0 0 0 -170\n",
        &["info", "walk.bvh"],
    ),
    ("hare.rigmap.toml", "head = 'head'\nhips = 3\nleftFoot = ''\n", &["rig-map", "hare.glb"]),
    (
        "suite.goldens",
        "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3  a.png\n\
         3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f4  b.png\n",
        &["store", "verify", "suite.toml"],
    ),
    ("crowd.csv", "x,z,clip\n0,0,none\n1,2,0\n", &["bake", "mill.glb", "--layout", "crowd.csv", "-o", "out.glb"]),
    (
        "crowd.json",
        "[{\"position\": [0, 0, 0], \"clip\": \"none\"}, {\"position\": [1, 0, 2]}]",
        &["bake", "mill.glb", "--layout", "crowd.json", "-o", "out.glb"],
    ),
];

/// One to four changes of a text.
fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    const INSERTED: [&str; 14] = [
        "\0",
        "\u{202e}",
        "\x1b[2J",
        "1e999",
        "-1",
        "nan",
        "4294967296",
        "{",
        "}",
        "[[",
        "'",
        "\n",
        "::error::",
        "\u{feff}",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let (at, end) = (random.below(bytes.len()), random.below(bytes.len()));
        let lines = || bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        match random.below(6) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.splice(at..at, INSERTED[random.below(INSERTED.len())].bytes())),
            2 => drop(bytes.splice(at..at, vec![b"a9 {"[random.below(4)]; 100_000])),
            3 => bytes.truncate(at.max(1)),
            4 => drop(bytes.drain(at.min(end)..at.max(end))),
            _ => {
                let mut lines = lines();
                let line = lines[random.below(lines.len())].clone();
                let at = random.below(lines.len());
                lines.splice(at..at, vec![line; 2000]);
                bytes = lines.concat();
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn mutated_texts_end_quickly_with_a_message() {
    let folder = TempDir::new().expect("a folder for temporary files");
    // The mill is small: a mutated layout has thousands of instances.
    for file in ["assets/hare.glb", "docs/book/faults/mill.glb"].map(Path::new) {
        let copy = folder.path().join(file.file_name().expect("a name"));
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), copy).expect("a model");
    }
    let suite = "goldens = \"store:objects\"\n[[shot]]\nmodel = \"hare.glb\"\n";
    std::fs::write(folder.path().join("suite.toml"), suite).expect("a suite");
    let mut done = [0; TEXTS.len()];
    for number in chosen() {
        for (i, (file, text, words)) in TEXTS.iter().enumerate() {
            let mut random = Random(0x7465_7874_0000_0000 + (number * TEXTS.len() + i) as u64);
            let bytes = if number == 0 { text.as_bytes().to_vec() } else { mutated(text, &mut random) };
            std::fs::write(folder.path().join(file), &bytes).expect("a file");
            let Watched { output: run, took, memory } = watched(folder.path(), &[], words, TIME_LIMIT);
            let what = format!("{number}, {file}: {took:.1?}, {} MiB\n{}", memory >> 20, run.report());
            assert!(!run.timed_out && matches!(run.code, Some(0..=2)), "{what}");
            assert!(took < LIMIT && memory < MEMORY, "{what}");
            let printed = format!("{}{}", run.stdout, run.stderr);
            assert!(!printed.contains("panicked") && !printed.contains(|c| c != '\n' && is_hidden(c)), "{what}");
            assert!(printed.lines().all(|line| line.len() <= 4100), "{what}");
            assert!(run.code == Some(0) || !printed.trim().is_empty(), "{what}");
            assert!(number > 0 || run.code == Some(u8::from(i == 2).into()), "the unchanged text: {what}");
            done[i] += usize::from(run.code == Some(0));
            std::fs::remove_file(folder.path().join(file)).expect("the file");
        }
    }
    println!("{done:?} of {} were accepted", chosen().len());
}

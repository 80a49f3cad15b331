//! Instructions of the functions of the libraries on all kinds of elements, in one process under Valgrind.
//!
//! Each kind and size is a function, and so is each task: the profile has the instructions of each pair. The files are made before, outside
//! of Valgrind.

use super::{Files, MAX_INSTRUCTION_GROWTH, files, with_kinds};
use rigview::check::check_bytes;
use rigview::check::diff::{RigDiff, Tolerances};
use rigview::check::flex::{FlexLimits, measure};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::export::{StaticGlb, StaticMesh};
use rigview::import::{GltfFile, ImportOptions, ImportPolicy, Imported, copy_clips_by_joint_name, from_bytes};
use rigview::math::Affine;
use rigview::model::{ClipIndex, InstanceIndex, Model};
use rigview::palette::{BlockIndex, Rig, skin_on_cpu};
use rigview::scene::layout::{LayoutFormat, parse_layout};
use rigview::suite;
use std::collections::{BTreeMap, HashMap};
use std::hint::black_box;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Instructions below which the growth of a task is not judged.
const MIN_INSTRUCTIONS: u64 = 1_000_000;

/// Part of the elements of the dense tests.
const PART: usize = 8;

/// Kinds that reach enough instructions with fewer elements.
const EXPENSIVE_KINDS: [&str; 5] =
    ["archive_entries", "clips_and_joints", "copies", "flexed_vertices", "nodes_and_primitives"];
const PART_OF_EXPENSIVE: usize = 20;

#[inline(never)]
fn import(bytes: &[u8]) -> Imported {
    from_bytes(bytes.to_vec(), None, &ImportOptions::default()).expect("a model")
}

#[inline(never)]
fn check(bytes: &[u8]) {
    black_box(check_bytes(bytes.to_vec(), None, &ImportPolicy::default()));
}

#[inline(never)]
fn diff(loaded: &Imported) {
    assert!(black_box(RigDiff::of(&loaded.model, &loaded.model, &Tolerances::EXACT)).is_empty());
}

#[inline(never)]
fn rig(model: Model) -> Rig {
    let scene = model.default_scene;
    Rig::new(model, scene).unwrap()
}

#[inline(never)]
fn bake(rig: &Rig, file: &GltfFile) {
    let clip = (!rig.model().clips.is_empty()).then_some(ClipIndex(0));
    let mut crowd = Crowd::new([Instance::new(Affine::IDENTITY, clip, 0.0)]);
    let mut animator = CrowdAnimator::new(rig);
    animator.update_in_double_precision(&mut crowd, 0.0);
    let mut glb = StaticGlb::new(rig.model(), Cursor::new(Vec::new()));
    for draw in &rig.layout().draws {
        let vertices = skin_on_cpu(rig, animator.palette(), BlockIndex(0), draw);
        glb.add(&StaticMesh { instance: InstanceIndex(0), draw: *draw, vertices }).expect("memory");
    }
    black_box(glb.finish(file).expect("a file"));
}

#[inline(never)]
fn flex(rig: &Rig) {
    black_box(measure(rig, &FlexLimits::default(), &|_, _| true));
}

#[inline(never)]
fn copy_clips(source: &Model) {
    black_box(copy_clips_by_joint_name(&mut source.clone(), source));
}

#[inline(never)]
fn parse(text: &str, extension: &str) {
    match extension {
        "toml" => assert!(
            suite::from_text(text, Path::new("."), &["size".to_owned(), "time".to_owned()], suite::Trust::Trusted)
                .is_ok()
        ),
        "csv" => assert!(parse_layout(text, LayoutFormat::Csv).is_ok()),
        _ => assert!(parse_layout(text, LayoutFormat::Json).is_ok()),
    }
}

/// Does all tasks of the files in a folder. Inlined, so that the caller of a task is the function of a kind and size.
#[inline(always)]
fn tasks(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("the files") {
        let path = entry.expect("a file").path();
        let content = std::fs::read(&path).expect("a file");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        match name.split_once('.').expect("an extension").1 {
            "bvh" | "zip" => {
                check(&content);
                diff(&import(&content));
            }
            "glb" => {
                check(&content);
                let loaded = import(&content);
                diff(&loaded);
                copy_clips(&loaded.model);
                let rig = rig(loaded.model);
                flex(&rig);
                bake(&rig, &loaded.gltf_file);
            }
            // Of the program, which the dense tests measure.
            "rigmap.toml" | "goldens" => {}
            extension => parse(std::str::from_utf8(&content).expect("UTF-8"), extension),
        }
    }
}

struct KindFunctions {
    name: &'static str,
    /// Number of elements of the dense test.
    count: usize,
    files_of: fn(usize) -> Files,
    /// Do all tasks of the files in a folder, of some elements and of four times as many.
    functions: [fn(&Path); 2],
}

impl KindFunctions {
    /// The folders of these files.
    fn folders(&self, root: &Path) -> [PathBuf; 2] {
        ["single", "fourfold"].map(|size| root.join(format!("{}-{size}", self.name)))
    }
}

/// Variable with the folder of the files.
const FOLDER: &str = "RIGVIEW_COMPLEXITY_FILES";

macro_rules! functions {
    ($($name:ident: $count:literal $(, $commands:ident)?;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) fn files_of(count: usize) -> Files {
                    functions!(@ $name count $($commands)?)
                }

                #[inline(never)]
                pub(super) fn single(folder: &Path) {
                    // Functions of equal code could be merged.
                    black_box(concat!(stringify!($name), " single"));
                    tasks(folder);
                }

                #[inline(never)]
                pub(super) fn fourfold(folder: &Path) {
                    black_box(concat!(stringify!($name), " fourfold"));
                    tasks(folder);
                }
            }
        )*

        const KINDS: &[KindFunctions] = &[$(KindFunctions {
            name: stringify!($name),
            count: $count,
            files_of: $name::files_of,
            functions: [$name::single, $name::fourfold],
        },)*];
    };
    (@ $rig:ident $n:ident) => {
        vec![("glb", files::$rig($n).glb())]
    };
    (@ $files:ident $n:ident $commands:ident) => {
        files::$files($n)
    };
}

with_kinds!(functions);

#[test]
#[ignore = "is run by the test below, under Valgrind"]
fn all_kinds() {
    let Some(root) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        eprintln!("skipped: complexity::library::all_kinds needs {FOLDER}");
        return;
    };
    // Parallel iterators then run on this thread, below the function of their kind.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| {
        for kind in KINDS {
            for (function, folder) in kind.functions.iter().zip(kind.folders(&root)) {
                function(&folder);
            }
        }
    });
}

/// Instructions of each task of each kind and size: those of the calls of a profile of Callgrind from the first to the second name.
fn calls(profile: &str) -> BTreeMap<(String, String), u64> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let (mut caller, mut callee, mut is_call) = ("", "", false);
    let mut counts = BTreeMap::new();
    for line in profile.lines() {
        if let Some((what, named)) =
            line.strip_prefix("fn=").map(|name| (0, name)).or(line.strip_prefix("cfn=").map(|name| (1, name)))
        {
            let (id, name) = named.split_once(' ').unwrap_or((named, ""));
            if !name.is_empty() {
                names.insert(id, name);
            }
            *[&mut caller, &mut callee][what] = names.get(id).copied().unwrap_or_default();
        } else if is_call {
            let count = line.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok()).expect("a count");
            let [kind, task] = [caller, callee].map(|name| name.split_once("library::").map_or("", |(_, name)| name));
            if !task.is_empty() && kind.contains("::") && !task.contains("::") {
                *counts.entry((kind.to_owned(), task.to_owned())).or_default() += count;
            }
        }
        is_call = line.starts_with("calls=");
    }
    counts
}

#[test]
fn instructions_of_libraries_grow_linearly() {
    if !cfg!(target_os = "linux") || Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("skipped: complexity::library needs Valgrind");
        return;
    }
    let folder = tempfile::TempDir::new().expect("a folder for temporary files");
    for kind in KINDS {
        let part = if EXPENSIVE_KINDS.contains(&kind.name) { PART_OF_EXPENSIVE } else { PART };
        for (factor, folder) in [1, 4].into_iter().zip(kind.folders(folder.path())) {
            std::fs::create_dir(&folder).expect("a folder");
            for (extension, content) in (kind.files_of)(factor * kind.count / part) {
                std::fs::write(folder.join("file").with_extension(extension), content).expect("a file");
            }
        }
    }
    let file = folder.path().join("profile");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--callgrind-out-file={}", file.display())])
        .arg(std::env::current_exe().expect("path of the test program"))
        .args(["--exact", "--ignored", "complexity::library::all_kinds"])
        .env(FOLDER, folder.path())
        .output()
        .expect("Valgrind");
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let counts = calls(&std::fs::read_to_string(file).expect("a profile"));
    let (mut faults, mut judged) = (Vec::new(), 0);
    for ((function, task), fourfold) in &counts {
        let Some(kind) = function.strip_suffix("::fourfold") else { continue };
        let single = counts[&(format!("{kind}::single"), task.clone())];
        eprintln!("{kind} {task}: {single}, {fourfold}");
        if *fourfold > MIN_INSTRUCTIONS {
            judged += 1;
            if *fourfold as f64 > MAX_INSTRUCTION_GROWTH * single as f64 {
                faults.push(format!("{kind} {task}: {single}, {fourfold} instructions for four times as many"));
            }
        }
    }
    let names = KINDS.iter().map(|kind| kind.name);
    let missing = names.filter(|name| !counts.keys().any(|(function, _)| function.starts_with(&format!("{name}::"))));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new(), "kinds without tasks in the profile");
    assert!(judged > KINDS.len(), "only {judged} counts are large enough");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

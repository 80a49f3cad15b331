//! Conversion of other 3D formats to glTF, by a program of the user.
//!
//! The program reads a file of the user, with the rights of the user: files of strangers are never converted.

use crate::app::FileError;
use crate::app::files::atomic_write::PartialOutput;
use crate::request::ConversionRequest;
use rigview_core::import::{Limit, Limits, ModelFile};
use rigview_core::util::regular_file::{open_regular, read_bytes};
use rigview_core::util::text::excerpt;
use rigview_render::platform::install_hints;
use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time after which a converter is ended.
const MAX_TIME: Duration = Duration::from_secs(300);

/// Limit of the address space of a converter on Linux. Blender reserves several GiB.
#[cfg(unix)]
const MAX_MEMORY_BYTES: u64 = 16 << 30;

/// Interval of looking whether a converter has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Time to wait for the last message of a converter that has ended.
const MESSAGE_WAIT: Duration = Duration::from_millis(500);

/// Maximum length of the messages that are kept.
const MAX_MESSAGE_BYTES: usize = 4096;

/// Sets limits in KiB of memory, in blocks of 512 bytes per file and in seconds of processor time, then runs the other words. A system
/// that lacks one of the limits goes on without it.
#[cfg(unix)]
const LIMIT: &str =
    r#"ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; exec "$@""#;

/// Imports the last but one argument, and exports to the last.
const BLENDER_SCRIPT: &str = "import bpy, sys
source, target = sys.argv[-2:]
extension = source.rsplit('.', 1)[-1].lower()
if extension == 'blend':
    bpy.ops.wm.open_mainfile(filepath=source, use_scripts=False)
else:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if extension == 'fbx':
        bpy.ops.import_scene.fbx(filepath=source)
    elif extension == 'dae':
        bpy.ops.wm.collada_import(filepath=source)
    else:
        bpy.ops.wm.obj_import(filepath=source)
bpy.ops.export_scene.gltf(filepath=target, export_format='GLB')";

/// A program that rigview knows.
struct Program {
    name: &'static str,
    /// In lower case.
    extensions: &'static [&'static str],
    /// `{in}` and `{out}` stand for files.
    arguments: &'static [&'static str],
}

/// In the order of preference.
const PROGRAMS: [Program; 3] = [
    Program {
        name: "FBX2glTF",
        extensions: &["fbx"],
        arguments: &["--binary", "--input", "{in}", "--output", "{out}"],
    },
    Program {
        name: "blender",
        extensions: &["fbx", "dae", "obj", "blend"],
        arguments: &[
            "--background",
            "--factory-startup",
            "--disable-autoexec",
            "--python-exit-code",
            "1",
            "--python-expr",
            BLENDER_SCRIPT,
            "--",
            "{in}",
            "{out}",
        ],
    },
    Program { name: "assimp", extensions: &["fbx", "dae", "obj"], arguments: &["export", "{in}", "{out}", "-fglb2"] },
];

/// A model that was converted, and the name of the program.
pub(crate) struct Converted {
    pub(crate) file: ModelFile,
    pub(crate) program: String,
}

/// Converts a file in a temporary folder, which is removed. Side files of the result are in the folder of `file`.
///
/// # Errors
/// If there is no converter, or it fails, takes too long or writes no file.
pub(crate) fn convert(file: &Path, request: &ConversionRequest, limits: &Limits) -> Result<Converted, FileError> {
    convert_within(file, request, limits, MAX_TIME)
}

fn convert_within(
    file: &Path,
    request: &ConversionRequest,
    limits: &Limits,
    max_time: Duration,
) -> Result<Converted, FileError> {
    let failed = |problem: String| FileError::NotConverted(problem);
    let system = |error: std::io::Error| failed(error.to_string());
    // The path begins with a root, so that it is no option.
    let source = std::path::absolute(file).map_err(system)?;
    open_regular(&source).map_err(system)?.ok_or_else(|| failed("it is not a regular file".to_owned()))?;
    let folder = tempfile::Builder::new().prefix("rigview-").tempdir().map_err(system)?;
    let _partial = PartialOutput::new(folder.path());
    let target = folder.path().join("out.glb");
    let (program, words) = command(&source, &target, request).map_err(failed)?;
    let max_bytes = limits.get(Limit::File);
    run(&words, folder.path(), max_bytes, max_time).map_err(|problem| failed(format!("{program} {problem}")))?;
    let bytes = read_bytes(&target, max_bytes).map_err(|error| match error.kind() {
        ErrorKind::NotFound => failed(format!("{program} wrote no file")),
        _ => failed(format!("the output of {program}: {error}")),
    })?;
    let converted = ModelFile::from_bytes(bytes, source.parent(), limits);
    let converted = converted.map_err(|error| failed(format!("the output of {program}: {error}")));
    Ok(Converted { file: converted?, program })
}

/// Returns the name of the program, and the words that run it.
fn command(source: &Path, target: &Path, request: &ConversionRequest) -> Result<(String, Vec<OsString>), String> {
    let file_words = |words: &[&str]| words.iter().map(|word| with_files(word, source, target)).collect::<Vec<_>>();
    if let Some(converter) = &request.converter {
        let words: Vec<&str> = converter.words().iter().map(String::as_str).collect();
        let name = Path::new(words[0]).file_name().unwrap_or_default().to_string_lossy();
        return Ok((excerpt(&name), file_words(&words)));
    }
    let extension = source.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = || PROGRAMS.iter().filter(|program| program.extensions.contains(&&*extension));
    let found = known().find_map(|program| Some((program, path_of(program.name)?)));
    let (program, path) = found.ok_or_else(|| {
        let names: Vec<&str> = known().map(|program| program.name).collect();
        let install = match names.contains(&"assimp") {
            true => format!("install one (such as `{}`)", install_hints::ASSIMP),
            false => "install Blender".to_owned(),
        };
        format!(
            "a .{extension} file needs a converter, and none was found ({}): {install}, or in Blender: File > Export > glTF 2.0",
            names.join(", ")
        )
    })?;
    Ok((program.name.to_owned(), [vec![path.into_os_string()], file_words(program.arguments)].concat()))
}

/// Replaces `{in}` and `{out}` in a word by paths.
fn with_files(word: &str, source: &Path, target: &Path) -> OsString {
    let (mut replaced, mut rest) = (OsString::new(), word);
    while let Some(start) = rest.find('{') {
        replaced.push(&rest[..start]);
        rest = &rest[start..];
        if let Some(tail) = rest.strip_prefix("{in}") {
            replaced.push(source);
            rest = tail;
        } else if let Some(tail) = rest.strip_prefix("{out}") {
            replaced.push(target);
            rest = tail;
        } else {
            replaced.push("{");
            rest = &rest[1..];
        }
    }
    replaced.push(rest);
    replaced
}

/// Finds a program in the folders of `PATH`; relative folders are left out.
fn path_of(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let mut paths =
        std::env::split_paths(&folders).filter(|folder| folder.is_absolute()).map(|folder| folder.join(&file));
    paths.find(|path| path.is_file())
}

/// Runs a program in `folder` within limits. The error continues a sentence.
fn run(words: &[OsString], folder: &Path, max_file_bytes: u64, max_time: Duration) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("failed to start: {error}");
    let (messages, writer) = std::io::pipe().map_err(failed)?;
    let mut command = limited(words, max_file_bytes, max_time);
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let mut child = command.spawn().map_err(failed)?;
    // It holds the ends of the pipe that it gave to the process.
    drop(command);
    let last_messages = Arc::default();
    let reader = std::thread::spawn({
        let last_messages = Arc::clone(&last_messages);
        move || keep_tail(messages, &last_messages)
    });
    let end = Instant::now() + max_time;
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if Instant::now() >= end => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("was ended after {} s", max_time.as_secs_f64()));
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    };
    if status.success() {
        return Ok(());
    }
    // A process that it started may keep the pipe open.
    let end = Instant::now() + MESSAGE_WAIT;
    while !reader.is_finished() && Instant::now() < end {
        std::thread::sleep(POLL_INTERVAL);
    }
    let messages = last_messages.lock().unwrap_or_else(PoisonError::into_inner);
    let messages = String::from_utf8_lossy(&messages);
    let lines = || messages.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().rfind(|line| line.to_lowercase().contains("error")).or_else(|| lines().next_back());
    Err(format!("failed: {}", line.map_or_else(|| status.to_string(), excerpt)))
}

/// Returns the command, with limits of memory, time and size of files on Unix. On Windows its time is limited only.
#[cfg(unix)]
fn limited(words: &[OsString], max_file_bytes: u64, max_time: Duration) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", LIMIT, "rigview"]);
    let [memory, size, time] = [MAX_MEMORY_BYTES >> 10, max_file_bytes.div_ceil(512), max_time.as_secs().max(1)];
    command.args([memory, size, time].map(|limit| limit.to_string())).args(words);
    command
}

#[cfg(not(unix))]
fn limited(words: &[OsString], _: u64, _: Duration) -> Command {
    /// Process creation flag of Windows: no window for the console.
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    let mut command = Command::new(words.first().map_or(std::ffi::OsStr::new(""), OsString::as_os_str));
    command.args(&words[1..]);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, CREATE_NO_WINDOW);
    command
}

/// Reads to the end, and keeps the last [`MAX_MESSAGE_BYTES`] or fewer.
pub(crate) fn keep_tail(mut from: impl Read, last: &Mutex<Vec<u8>>) {
    let mut buffer = [0; MAX_MESSAGE_BYTES];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.extend_from_slice(&buffer[..count]);
        let excess = last.len().saturating_sub(MAX_MESSAGE_BYTES);
        last.drain(..excess);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rigview_core::import::ImportOptions;

    /// Converts with a shell script, whose parameters are the files.
    fn by_script(script: &str, name: &str, limits: &Limits) -> Result<usize, String> {
        let folder = tempfile::tempdir().unwrap();
        let (file, program) = (folder.path().join(name), folder.path().join("my script.sh"));
        std::fs::write(&file, "not a model").unwrap();
        std::fs::write(&program, script).unwrap();
        let converter = format!("/bin/sh \"{}\" {{in}} {{out}}", program.display()).parse().unwrap();
        let request = ConversionRequest { converter: Some(converter) };
        let converted = convert_within(&file, &request, limits, Duration::from_secs(2));
        let loaded = converted.map_err(|error| error.to_string())?.file.import(&ImportOptions::default());
        Ok(loaded.map_err(|error| error.to_string())?.model.clips.len())
    }

    fn copying() -> String {
        format!("cat '{}/assets/hare.glb' > \"$2\"", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn names_of_any_kind_reach_the_converter() {
        for name in ["a.fbx", "with space.fbx", "quote's \"both\".fbx", "$HOME `ls` {out}.fbx", "-o.fbx", "über.fbx"] {
            let script = format!("test \"$(cat \"$1\")\" = 'not a model' && {}", copying());
            assert_eq!(by_script(&script, name, &Limits::default()), Ok(2), "{name}");
        }
    }

    #[test]
    fn failures_of_a_converter_are_one_line() {
        let mut limits = Limits::default();
        limits.set(Limit::File, 1 << 20);
        for (script, expected) in [
            ("echo first; echo 'ERROR: no mesh' >&2; echo last; exit 3", "sh failed: ERROR: no mesh"),
            ("exit 3", "sh failed: exit status: 3"),
            ("sleep 100", "sh was ended after 2 s"),
            ("while :; do :; done", "sh "),
            ("exit 0", "sh wrote no file"),
            ("mkdir \"$2\"", "the output of sh: it is not a regular file"),
            ("echo hello > \"$2\"", "this is not a glTF file"),
            (": > \"$2\"", "it is empty"),
            ("head -c 9000000 /dev/zero > \"$2\"", "sh failed"),
            ("sleep 3 & yes error | head -c 9000000; exit 1", "sh failed: error"),
        ] {
            let error = by_script(script, "a.fbx", &limits).unwrap_err();
            assert!(error.contains(expected) && !error.contains('\n'), "{script}: {error}");
        }
    }

    #[test]
    fn files_stay_as_they_are_and_the_temporary_folder_is_removed() {
        let script = format!("{}; pwd > \"$1\"; touch more", copying());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.obj");
        for script in [script.clone(), format!("{script}; exit 1")] {
            std::fs::write(&file, "").unwrap();
            let request = ConversionRequest {
                converter: Some(format!("sh -c '{}' sh {{in}} {{out}}", script.replace('\'', "")).parse().unwrap()),
            };
            let converted = convert_within(&file, &request, &Limits::default(), Duration::from_secs(20));
            assert_eq!(converted.is_ok(), !script.ends_with('1'));
            let temporary = std::fs::read_to_string(&file).unwrap();
            assert!(temporary.contains("rigview-") && !Path::new(temporary.trim()).exists(), "{temporary}");
        }
    }

    #[test]
    fn a_missing_file_or_program_is_an_error() {
        let request = ConversionRequest { converter: Some("/no/such/program {in} {out}".parse().unwrap()) };
        let missing = convert(Path::new("/no/such.fbx"), &request, &Limits::default());
        assert!(missing.is_err_and(|error| error.to_string().contains("No such file")));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        let error = convert(&file, &request, &Limits::default()).map(drop).unwrap_err().to_string();
        assert!(error.starts_with("program failed") && error.contains("not found"), "{error}");
    }
}

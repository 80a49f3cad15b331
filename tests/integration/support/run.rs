//! Runs the program under test.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Time limit of a run. The longest runs take a few seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Output {
    /// The command line, for messages.
    pub(crate) command: String,
    /// Exit code; `None` after a signal or a time-out.
    pub(crate) code: Option<i32>,
    /// `true` after a time-out.
    pub(crate) timed_out: bool,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Output {
    /// Description of the run for a failing test.
    pub(crate) fn report(&self) -> String {
        let Self { command, code, timed_out, stdout, stderr } = self;
        let late = if *timed_out { ", ended since it took too long" } else { "" };
        format!("$ {command}\nexit code {code:?}{late}\nstdout: {}\nstderr: {}", stdout.trim_end(), stderr.trim_end())
    }

    /// Asserts that the program refused `file`: exit code 1, one line on stderr that starts with the file name, and empty
    /// stdout. Returns the message.
    pub(crate) fn refusal(&self, file: &Path) -> Result<&str, String> {
        let start = format!("error: {}: ", file.display());
        let message = self.stderr.strip_prefix(&start).and_then(|rest| rest.strip_suffix('\n'));
        match message {
            Some(text) if self.code == Some(1) && self.stdout.is_empty() && is_one_line(text) => Ok(text),
            _ => Err(format!("expected exit code 1 and one line `{start}...`\n{}", self.report())),
        }
    }
}

/// `true` if a message is not empty and has no control characters.
fn is_one_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Runs rigview with arguments in a folder.
pub(crate) fn rigview_in<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Output {
    start(folder, &[], arguments)
}

/// Runs rigview with environment variables and arguments.
pub(crate) fn rigview_with<S: AsRef<OsStr>>(variables: &[(&str, &str)], arguments: &[S]) -> Output {
    start(Path::new(env!("CARGO_MANIFEST_DIR")), variables, arguments)
}

fn start<S: AsRef<OsStr>>(folder: &Path, variables: &[(&str, &str)], arguments: &[S]) -> Output {
    watched(folder, variables, arguments, LIMIT).output
}

/// Result and resource usage of a run.
pub(crate) struct Watched {
    /// Result.
    pub(crate) output: Output,
    /// CPU time of all threads; wall time if the system does not report CPU time.
    pub(crate) took: Duration,
    /// Peak memory in bytes; 0 if the system does not report it.
    pub(crate) memory: u64,
}

/// The program under test. `RIGVIEW_PROGRAM` selects another build.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("RIGVIEW_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_rigview").into()).into()
}

/// Sorted file names of a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs rigview in a folder with a time limit.
pub(crate) fn watched<S: AsRef<OsStr>>(
    folder: &Path,
    variables: &[(&str, &str)],
    arguments: &[S],
    limit: Duration,
) -> Watched {
    watched_program(&program(), folder, variables, arguments, limit)
}

/// Runs another program.
pub(crate) fn watched_program<S: AsRef<OsStr>>(
    program: &Path,
    folder: &Path,
    variables: &[(&str, &str)],
    arguments: &[S],
    limit: Duration,
) -> Watched {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let words: Vec<String> = arguments.iter().map(|x| x.as_ref().to_string_lossy().into_owned()).collect();
    let mut child = command.spawn().unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    // Both pipes are read during the run; a full pipe would block the program.
    let stdout = drain(child.stdout.take().expect("a pipe"));
    let stderr = drain(child.stderr.take().expect("a pipe"));
    let (start, mut seen) = (Instant::now(), Seen::default());
    let (code, timed_out) = wait(&mut child, limit, &mut seen);
    let took = seen.processor.unwrap_or(start.elapsed());
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().expect("the pipe's reader")).into_owned()
    };
    let output = Output {
        command: format!("rigview {}", words.join(" ")),
        code,
        timed_out,
        stdout: text(stdout),
        stderr: text(stderr),
    };
    Watched { output, took, memory: seen.memory }
}

/// Runs rigview with arguments.
pub(crate) fn rigview<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    rigview_with(&[], arguments)
}

/// Reads a pipe to its end on a thread.
fn drain(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // The text before a read error is kept.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Statistics of a running process.
#[derive(Default)]
struct Seen {
    /// Peak memory in bytes.
    memory: u64,
    /// CPU time of all threads.
    processor: Option<Duration>,
}

impl Seen {
    fn look(&mut self, process: u32) -> Option<()> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        self.memory = line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10;
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name may contain any character. 11 fields after it follow the CPU times, in hundredths of a second.
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap_or(0));
        self.processor = Some(Duration::from_millis(ticks.sum::<u64>() * 10));
        Some(())
    }
}

/// Waits for exit; kills the program at the time limit.
fn wait(child: &mut Child, limit: Duration, seen: &mut Seen) -> (Option<i32>, bool) {
    let start = Instant::now();
    loop {
        seen.look(child.id());
        if let Some(status) = child.try_wait().expect("the program's state") {
            return (status.code(), false);
        }
        if start.elapsed() > limit {
            child.kill().expect("a program that can be ended");
            child.wait().expect("the program's state");
            return (None, true);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

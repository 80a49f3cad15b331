//! The progress of a run: `report.jsonl` line by line, messages, and the report of a run that is stopped.

use super::child_process::ChildProcess;
use super::report_files::{ReportError, refuse_link};
use super::reports::{self, LINES, PAGE};
use crate::app::AppError;
use crate::app::console::json_text::json_line;
use crate::app::console::progress::LOG_INTERVAL;
use crate::app::console::{report, takes_escape_codes};
use rigview_render::image_file::PngMetadata;
use rigview_render::platform::shutdown;
use rigview_suite::report::{Line, Run, ShotResult, Status};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Shared by the threads that render, compare, and stop the run.
pub(crate) struct Monitor {
    output: PathBuf,
    started: Instant,
    state: Mutex<State>,
}

pub(super) struct State {
    run: Run,
    /// The results so far, in the order of the suite.
    shots: Vec<ShotResult>,
    /// Index in `shots` by name.
    indices: HashMap<String, usize>,
    /// The report that remains if the process is killed. Closed before the final report, since Windows replaces no open file.
    lines: Option<File>,
    /// The last shot whose rendering began.
    current: Option<String>,
    /// The process that runs shots for `--isolate`. It ends with the run.
    pub(super) child: Option<ChildProcess>,
    /// The run writes its report, and cannot be stopped any more.
    is_finishing: bool,
}

impl Monitor {
    /// Starts `report.jsonl` in the folder `output`. `shots` are the planned shots.
    pub(crate) fn start(
        output: &Path,
        run: &Run,
        shots: &[ShotResult],
        started: Instant,
        report_error: &ReportError,
    ) -> Result<Self, AppError> {
        let file = output.join(LINES);
        refuse_link(&file)?;
        let indices = shots.iter().enumerate().map(|(index, shot)| (shot.name.clone(), index)).collect();
        let (run, shots) = (run.clone(), shots.to_vec());
        let planned =
            shots.iter().map(|shot| json_line(&Line::<&Run, &ShotResult>::Planned { name: shot.name.clone() }));
        let line = json_line(&Line::<_, &ShotResult>::Run(&run));
        let text: String = std::iter::once(line).chain(planned).collect();
        let create = || {
            let mut lines = File::create(&file)?;
            lines.write_all(text.as_bytes())?;
            Ok(Some(lines))
        };
        let lines = report_error.unless_full(create().map_err(|source| AppError::output(&file, source)))?;
        let state = State { run, shots, indices, lines, current: None, child: None, is_finishing: false };
        Ok(Self { output: output.to_owned(), started, state: Mutex::new(state) })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the rendering of a shot begins.
    pub(crate) fn begin(&self, name: &str) {
        let mut state = self.state();
        state.current = Some(name.to_owned());
        state.append(&Line::Begun { name: name.to_owned() });
    }

    /// Records the renderer of the run.
    pub(crate) fn set_metadata(&self, metadata: &PngMetadata) {
        let run = &mut self.state().run;
        run.renderer = metadata.renderer.clone().unwrap_or_default();
        run.driver = metadata.driver.clone().unwrap_or_default();
    }

    /// Records a result. Prints it if it did not pass and the run is long, but not on a terminal, which has the summary soon.
    pub(crate) fn finish(&self, result: &ShotResult) {
        let mut state = self.state();
        state.append(&Line::Shot(result));
        if let Some(&index) = state.indices.get(&result.name) {
            state.shots[index] = result.clone();
        }
        if !result.is_ok() && self.started.elapsed() >= LOG_INTERVAL && !takes_escape_codes(&std::io::stderr()) {
            report::notice(format_args!("{} {}: {}", result.status.label(), result.name, result.message));
        }
    }

    /// Returns the counts of the shots and the name of the current one.
    pub(crate) fn progress(&self) -> String {
        let state = self.state();
        let done = state.shots.iter().filter(|shot| shot.status != Status::NotRun).count();
        let failed = state.shots.iter().filter(|shot| shot.status != Status::NotRun && !shot.is_ok()).count();
        let failed = if failed == 0 { String::new() } else { format!(", {failed} not passed") };
        let current = state.current.as_ref().map_or_else(String::new, |name| format!(", now {name}"));
        format!("{done} of {} images{failed}{current}", state.shots.len())
    }

    /// Ends the record, because the run writes its own report.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        (state.is_finishing, state.lines) = (true, None);
    }

    /// Writes the report of the results so far, and ends the process with `code`; returns if the run writes its own report.
    ///
    /// The current shot is an error.
    pub(crate) fn stop(&self, reason: &str, code: u8) {
        // The lock keeps other threads from writing until the process ends.
        let mut state = self.state();
        if state.is_finishing {
            return;
        }
        (state.lines, state.child) = (None, None);
        let State { run, shots, current, .. } = &mut *state;
        run.wall_secs = self.started.elapsed().as_secs_f64();
        let mut during = String::new();
        if let Some(shot) = shots.iter_mut().find(|shot| Some(&shot.name) == current.as_ref())
            && shot.status == Status::NotRun
        {
            shot.status = Status::Error;
            shot.message = format!("{reason} during this shot");
            during = format!(", during {}", shot.name);
        }
        let not_run: Vec<ShotResult> = shots.extract_if(.., |shot| shot.status == Status::NotRun).collect();
        let page = self.output.join(PAGE);
        let message =
            format!("{reason}{during}; {} of {} shots did not run", not_run.len(), not_run.len() + shots.len());
        let message = match reports::write(&self.output, run, shots, &not_run) {
            Ok(()) => format!("{message}; see {}", page.display()),
            Err(error) => format!("{message}; {}", report::line_of(&error)),
        };
        report::error(&AppError::TestsBroken(message));
        shutdown::exit_now(code);
    }
}

impl State {
    /// Adds a line to `report.jsonl`. An error is ignored: the report at the end of the run has it again.
    fn append(&mut self, line: &Line<&Run, &ShotResult>) {
        let _ = self.lines.as_mut().map(|lines| lines.write_all(json_line(line).as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_suite::report::Report;

    #[test]
    fn killed_run_leaves_results_and_the_name_of_the_current_shot() {
        let folder = tempfile::tempdir().unwrap();
        let shot = |name: &str, status| ShotResult { name: name.to_owned(), status, ..ShotResult::default() };
        let shots = ["a", "b", "c"].map(|name| shot(name, Status::NotRun));
        let run = Run { suite: "suite.toml".to_owned(), ..Run::default() };
        let monitor = Monitor::start(folder.path(), &run, &shots, Instant::now(), &ReportError::default()).unwrap();
        assert_eq!(monitor.progress(), "0 of 3 images");
        monitor.begin("a");
        monitor.finish(&shot("a", Status::Changed));
        monitor.begin("b");
        assert_eq!(monitor.progress(), "1 of 3 images, 1 not passed, now b");
        // As after SIGKILL: the last line is cut.
        std::fs::write(folder.path().join(LINES), {
            let mut bytes = std::fs::read(folder.path().join(LINES)).unwrap();
            bytes.extend(b"{\"kind\":\"beg");
            bytes
        })
        .unwrap();
        let Report { run, shots: results, not_run } = reports::read(folder.path()).unwrap();
        assert_eq!((run.suite.as_str(), not_run), ("suite.toml", vec!["c".to_owned()]));
        let found: Vec<_> = results.iter().map(|shot| (shot.name.as_str(), shot.status)).collect();
        assert_eq!(found, [("a", Status::Changed), ("b", Status::Error)]);
        assert!(results[1].message.contains("ended during this shot"), "{}", results[1].message);
    }
}

//! `rigview test`: renders the shots of a suite and compares them with golden images.

use super::conclusion::finish;
use super::planned_shot::PlannedShot;
use super::result::Run;
use super::{compare_golden, init, merge, reports, runner, update_goldens};
use crate::app::AppError;
use crate::app::console::progress::Progress;
use crate::cli::{TestArgs, parse_shot_options};
use crate::platform::oom_handler;
use crate::request::ImportRequest;
use crate::suite::{self, Suite, SuiteErrorKind};
use std::path::Path;
use std::time::Instant;

pub(crate) fn run(args: &TestArgs) -> Result<(), AppError> {
    // 1 means that an image changed.
    oom_handler::set_exit_code(3);
    if let Some(suite) = &args.init {
        return init::run(suite, &args.files, &ImportRequest::from(&args.policy).policy());
    }
    if args.merge {
        return merge::run(&args.files, &args.output);
    }
    let [file] = args.files.as_slice() else {
        let message = "expected one suite (several models need --init, several reports need --merge)";
        return Err(AppError::TestUsage { message: message.to_owned() });
    };
    test(file, args).map_err(|error| match error {
        known @ (AppError::Suite { .. }
        | AppError::TestUsage { .. }
        | AppError::TestsDiffer { .. }
        | AppError::TestsBroken { .. }) => known,
        other => AppError::CannotTest(Box::new(other)),
    })
}

fn test(file: &Path, args: &TestArgs) -> Result<(), AppError> {
    let started = Instant::now();
    let in_suite = |source| AppError::Suite { file: file.to_owned(), source };
    let suite = suite::open(file).map_err(in_suite)?;
    let folder = suite::folder_of(file);
    let Suite { goldens, shots } = suite;
    let mut planned = Vec::with_capacity(shots.len());
    // Parse all shots, selected or not, so that an error in the suite fails every shard.
    for shot in shots {
        let display_request = parse_shot_options(folder.join(&shot.model), &shot.options)
            .map_err(|message| in_suite(SuiteErrorKind::Option { message }.at(shot.line)))?
            .with_import(&(&args.policy).into());
        planned.push(PlannedShot { shot, request: display_request.clone().with_files_in(folder), display_request });
    }
    let all_names: Vec<String> = planned.iter().map(|planned| planned.shot.name.clone()).collect();
    if !args.filters.is_empty() {
        planned.retain(|planned| args.filters.iter().any(|filter| filter.matches(&planned.shot.name)));
        if planned.is_empty() {
            let message = format!("--filter matches none of the {} shots", all_names.len());
            return Err(AppError::TestUsage { message });
        }
    }
    if let Some(shard) = args.shard {
        planned.retain(|planned| shard.contains(&planned.shot));
    }
    let whole = args.filters.is_empty() && args.shard.is_none();
    let images = reports::prepare(&args.output)?;
    let compare = compare_golden::GoldenComparer {
        goldens: goldens.clone(),
        folder: folder.to_owned(),
        images,
        update: args.update,
    };
    let jobs = args.jobs.map_or_else(default_jobs, |jobs| jobs as usize);
    let progress = Progress::start(format!("rendering {} images", planned.len()));
    let (origin, results) = runner::run_all(&planned, &compare, jobs, args.fail_fast)?;
    drop(progress);
    let run = Run {
        rigview: env!("CARGO_PKG_VERSION").to_owned(),
        suite: file.display().to_string(),
        shard: args.shard.map(|shard| shard.to_string()),
        shots_in_suite: all_names.len(),
        shots_chosen: planned.len(),
        renderer: origin.renderer.unwrap_or_default(),
        driver: origin.driver.unwrap_or_default(),
        updating: args.update,
        wall_secs: started.elapsed().as_secs_f64(),
        obsolete_goldens: if whole { update_goldens::obsolete_goldens(&goldens, &all_names) } else { Vec::new() },
    };
    reports::write(&args.output, &run, &results)?;
    finish(&args.output, &run, &results)
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |processors| processors.get().min(4))
}

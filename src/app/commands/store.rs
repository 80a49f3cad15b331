//! `rigview store`: goldens outside of git.

use crate::app::AppError;
use crate::app::console::report;
use crate::cli::{StoreArgs, StoreCommand, shot_option_names};
use rigview_core::util::text::counted;
use rigview_suite::store::{self, Store};
use rigview_suite::suite::{self, Trust};
use std::path::PathBuf;
use std::time::Duration;

pub(crate) fn run(args: &StoreArgs) -> Result<(), AppError> {
    match &args.command {
        StoreCommand::Verify { suites } => {
            let stores = open(suites)?;
            let problems: Vec<String> = stores.iter().flat_map(Store::verify).collect();
            report::lines(&problems.iter().collect())?;
            let goldens = |count| counted(count, "golden", "goldens");
            if problems.is_empty() {
                let all = stores.iter().map(|store| store.names().len()).sum();
                return report::line(format_args!("{}, none missing or damaged", goldens(all)));
            }
            let remedy = "synchronize the store, or run `rigview test --update`";
            Err(AppError::TestsDiffer(format!("{} missing or damaged; {remedy}", goldens(problems.len()))))
        }
        StoreCommand::Gc { suites, days, dry_run } => {
            let age = Duration::from_secs(u64::from(*days) * 24 * 3600);
            let deleted = store::gc(&open(suites)?, age, *dry_run);
            let deleted = deleted.map_err(|error| AppError::ExportFailed(format!("store: {error}")))?;
            let (goldens, kilobytes) = (counted(deleted.objects, "golden", "goldens"), deleted.bytes.div_ceil(1000));
            report::line(format_args!("{goldens}, {kilobytes} kB {}", if *dry_run { "to delete" } else { "deleted" }))
        }
    }
}

fn open(suites: &[PathBuf]) -> Result<Vec<Store>, AppError> {
    let open = |file: &PathBuf| {
        let no_store = || format!("{}: its goldens are in no store: goldens = \"store:FOLDER\"", file.display());
        let suite = suite::open(file, &shot_option_names(), Trust::Trusted);
        let suite = suite.map_err(|source| AppError::Suite { file: file.clone(), source })?;
        let folder = suite.store.ok_or_else(|| AppError::Usage(no_store()))?;
        let store = Store::open(&folder, &file.with_extension("goldens"));
        store.map_err(|error| AppError::Usage(report::line_of(&error)))
    };
    suites.iter().map(open).collect()
}

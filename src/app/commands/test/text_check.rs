//! Shots without an image: poses as text.

use super::compare_golden::GoldenComparer;
use super::planned_shot::PlannedShot;
use super::report_files::read_regular;
use super::update_goldens::should_update;
use crate::app::AppError;
use crate::app::console::report::line_of;
use crate::app::files::model_file::open_model;
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::util::git_lfs::{LFS_POINTER, is_lfs_pointer};
use rigview_core::util::panic_guard::catch;
use rigview_core::util::text::counted;
use rigview_suite::pose::{MAX_LINES, describe, differences};
use rigview_suite::report::{ShotResult, Status};
use rigview_suite::suite::ShotKind;
use std::io;
use std::time::Instant;

/// Maximum number of differences in a message, and in the report.
const MAX_IN_MESSAGE: usize = 3;
const MAX_IN_REPORT: usize = 50;

impl GoldenComparer {
    /// Returns the result of a shot without an image; `None` for an image.
    pub(crate) fn check_text(&self, planned: &PlannedShot) -> Option<ShotResult> {
        let started = Instant::now();
        let mut result = ShotResult { status: Status::Error, ..planned.result() };
        let crashed = || Err(line_of(&AppError::Crashed { file: planned.request.file.clone() }));
        let checked = catch(|| match &planned.shot.kind {
            ShotKind::Image => Ok(false),
            ShotKind::Pose { tolerance } => self.check_pose(planned, *tolerance, &mut result).map(|()| true),
        });
        match checked.unwrap_or_else(crashed) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(message) => (result.status, result.message) = (Status::Error, message),
        }
        result.compare_secs = started.elapsed().as_secs_f64();
        Some(result.with_expectation(&planned.shot))
    }

    fn check_pose(&self, planned: &PlannedShot, tolerance: f64, result: &mut ShotResult) -> Result<(), String> {
        let policy = planned.request.scene.import.policy();
        let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(policy);
        let model = open_model(&planned.request.file, &options).map_err(|error| line_of(&error))?.model;
        let text =
            describe(&model).ok_or_else(|| format!("its clips have more than {MAX_LINES} keys; bake fewer keys"))?;
        let file = planned.golden(None);
        if planned.suite.is_refused_link(&file) {
            return Err("the golden is a link, and --untrusted reads no links".to_owned());
        }
        let unreadable = |reason: String| vec![format!("the golden cannot be read: {reason}")];
        let found = match read_regular(&file) {
            Ok(bytes) if is_lfs_pointer(&bytes) => unreadable(LFS_POINTER.to_owned()),
            Ok(bytes) => differences(&String::from_utf8_lossy(&bytes), &text, tolerance).unwrap_or_else(unreadable),
            Err(error) if error.kind() == io::ErrorKind::NotFound && planned.missing_in_store().is_none() => {
                result.status = Status::New;
                result.message = "no golden yet: write it with --update, and review it".to_owned();
                Vec::new()
            }
            Err(error) => unreadable(planned.missing_in_store().unwrap_or_else(|| error.to_string())),
        };
        if result.status != Status::New {
            set_differences(found, result);
        }
        if self.update.is_some_and(|mode| result.status != Status::Passed && should_update(mode, result)) {
            self.write_golden(planned, &file, || text.into_bytes(), result);
        }
        Ok(())
    }
}

/// Sets status and message of a shot with these differences.
fn set_differences(mut found: Vec<String>, result: &mut ShotResult) {
    result.status = if found.is_empty() { Status::Passed } else { Status::Changed };
    let count = found.len();
    result.message = found.iter().take(MAX_IN_MESSAGE).cloned().collect::<Vec<_>>().join("; ");
    if count > MAX_IN_MESSAGE {
        result.message += &format!("; {} in all", counted(count, "difference", "differences"));
    }
    found.truncate(MAX_IN_REPORT);
    result.golden_differences = found;
}

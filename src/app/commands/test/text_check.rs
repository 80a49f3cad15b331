//! Shots without an image: poses as text, and the issues of `rigview check`.

use super::compare_golden::GoldenComparer;
use super::planned_shot::PlannedShot;
use super::update_goldens::should_update;
use crate::app::AppError;
use crate::app::console::report::line_of;
use crate::app::files::model_file::{check_model, open_model};
use crate::app::scene::find_clips;
use crate::cli::Shell;
use rigview_check::Severity;
use rigview_check::profile::Profile;
use rigview_core::import::{ImageLoading, ImportOptions};
use rigview_core::model::Model;
use rigview_core::util::panic_guard::catch;
use rigview_core::util::text::counted;
use rigview_suite::golden_record::{parse_golden, pose_golden};
use rigview_suite::pose::{MAX_KEYS, describe_clip, describe_rig, differences};
use rigview_suite::report::{ShotResult, Status};
use rigview_suite::suite::ShotKind;
use std::cell::OnceCell;
use std::path::Path;
use std::time::Instant;

/// Maximum number of differences in a message, and in the report.
const MAX_IN_MESSAGE: usize = 3;
const MAX_IN_REPORT: usize = 50;

impl GoldenComparer {
    /// Returns the result of each shot of one model that has no image; `None` for an image. The model is opened once.
    pub(crate) fn check_texts(&self, planned: &[PlannedShot]) -> Vec<Option<ShotResult>> {
        let opened = OnceCell::new();
        let of_shot = |planned: &PlannedShot| {
            if planned.shot.kind == ShotKind::Image {
                return None;
            }
            let started = Instant::now();
            let mut result = ShotResult { status: Status::Error, ..planned.result() };
            let crashed = || Err(line_of(&AppError::Crashed(planned.request.file.clone())));
            let checked = catch(|| match &planned.shot.kind {
                ShotKind::Image => Ok(()),
                ShotKind::Check { profile } => check_issues(planned, profile.as_deref(), &mut result),
                ShotKind::Pose { tolerance } => {
                    let model = opened.get_or_init(|| open(planned)).as_ref().map_err(Clone::clone)?;
                    self.check_pose(planned, model, *tolerance, &mut result)
                }
            });
            if let Err(message) = checked.unwrap_or_else(crashed) {
                (result.status, result.message) = (Status::Error, message);
            }
            result.compare_secs = started.elapsed().as_secs_f64();
            Some(result.with_expectation(&planned.shot))
        };
        planned.iter().map(of_shot).collect()
    }

    fn check_pose(
        &self,
        planned: &PlannedShot,
        model: &Model,
        tolerance: f64,
        result: &mut ShotResult,
    ) -> Result<(), String> {
        let clips = find_clips(model, &planned.request.scene);
        let (clip, together) = clips.map_err(|error| line_of(&AppError::in_file(&planned.request.file, error)))?;
        if !together.is_empty() {
            return Err("a pose has the keys of one clip: name it, or write clip = \"*\" for a shot of each".to_owned());
        }
        let text = match clip {
            None => describe_rig(model),
            Some(clip) => describe_clip(model, clip, tolerance)
                .ok_or_else(|| format!("the clip has more than {MAX_KEYS} keys; bake fewer keys"))?,
        };
        let named = |difference: String| match planned.request.scene.clip.as_deref().filter(|_| clip.is_some()) {
            Some(clip) => format!("clip {clip:?} {difference}"),
            None => difference,
        };
        let unreadable = |reason: String| vec![format!("the golden cannot be read: {reason}")];
        let found = match planned.read_golden(None) {
            Ok(Some(bytes)) => match parse_golden(&String::from_utf8_lossy(&bytes)) {
                Ok((_, golden)) => differences(golden, &text, tolerance).into_iter().map(named).collect(),
                Err(reason) => unreadable(reason),
            },
            Ok(None) => {
                result.status = Status::New;
                result.message = "no golden yet: write it with --update, and review it".to_owned();
                Vec::new()
            }
            Err(reason) => unreadable(reason),
        };
        if result.status != Status::New {
            set_differences(found, result);
        }
        planned.set_moved(result);
        if self.update.is_some_and(|mode| result.status != Status::Passed && should_update(mode, result)) {
            let golden = || {
                let inputs = self.inputs.of(planned);
                pose_golden(&planned.image_command(Shell::Posix), inputs.as_deref(), &text).into_bytes()
            };
            self.write_golden(planned, None, golden, result);
        }
        Ok(())
    }
}

/// Sets the result to the errors of `rigview check`.
fn check_issues(planned: &PlannedShot, profile: Option<&Path>, result: &mut ShotResult) -> Result<(), String> {
    let profile = profile.map(|file| Profile::open(&planned.suite.folder.join(file))).transpose()?;
    let policy = planned.request.scene.import.policy();
    let issues = check_model(&planned.request.file, &planned.request.scene.conversion, &policy, None, profile.as_ref());
    let errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
    set_differences(errors.map(ToString::to_string).collect(), result);
    Ok(())
}

fn open(planned: &PlannedShot) -> Result<Model, String> {
    let policy = planned.request.scene.import.policy();
    let options = ImportOptions::default().with_images(ImageLoading::Skip).with_policy(policy);
    let scene = &planned.request.scene;
    open_model(&planned.request.file, &scene.conversion, &options)
        .map(|loaded| loaded.model)
        .map_err(|error| line_of(&error))
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

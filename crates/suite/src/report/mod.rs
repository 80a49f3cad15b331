//! Reports of image tests: results of a run and its shots, as a page and as JUnit XML.

mod github;
mod html;
mod image_budget;
mod junit;
mod lines;
mod result;
mod shot_command;
mod xml;

pub use github::{
    MAX_ANNOTATIONS, Place, annotation, error_summary, is_github_job, job_summary, path_in_repository, shot_annotations,
};
pub use html::page;
pub use image_budget::ImageBudget;
pub use junit::junit;
pub use lines::{ENDED_DURING_SHOT, Line, Report, parse_lines};
pub use result::{ImageKind, Run, ShotResult, Status};
pub use shot_command::ShotCommand;
pub use xml::escape_xml;

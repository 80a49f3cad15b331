//! Reports of image tests: results of a run and its shots, as a page and as JUnit XML.

mod command_differences;
mod github;
mod html;
mod image_budget;
mod junit;
mod lines;
mod result;
mod xml;

pub use command_differences::command_differences;
pub use github::{Place, annotation, error_summary, is_github_job, job_summary, path_in_repository};
pub use html::page;
pub use image_budget::ImageBudget;
pub use junit::junit;
pub use lines::{ENDED_DURING_SHOT, Line, parse_lines};
pub use result::{ImageKind, Run, ShotResult, Status};
pub use xml::escape_xml;

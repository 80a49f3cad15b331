//! Shots of a suite with their command-line arguments.

use crate::request::RenderRequest;
use crate::suite::Shot;

pub(crate) struct PlannedShot {
    pub(crate) shot: Shot,
    pub(crate) request: RenderRequest,
    /// The request with the suite's own file names, for the command in the report.
    pub(crate) display_request: RenderRequest,
}

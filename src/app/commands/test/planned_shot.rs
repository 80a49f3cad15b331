//! Shots of a suite with their command-line arguments.

use crate::request::RenderRequest;
use crate::suite::Shot;

/// A shot of the suite with the arguments of its picture.
pub(crate) struct PlannedShot {
    pub(crate) shot: Shot,
    pub(crate) args: RenderRequest,
    /// The same with files as the suite names them, for the command that is told.
    pub(crate) told: RenderRequest,
}

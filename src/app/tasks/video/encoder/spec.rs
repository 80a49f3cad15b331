//! Properties that all frames of a video share.

use crate::app::tasks::video::schedule::FrameSchedule;

#[derive(Clone, Copy)]
pub(crate) struct VideoSpec {
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    pub(crate) schedule: FrameSchedule,
    pub(crate) transparent: bool,
}

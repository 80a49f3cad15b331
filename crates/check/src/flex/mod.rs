//! The rig under stress: each joint is posed through its range, and the skinned mesh is measured.
//!
//! Measures are relative to the rest pose, and percentiles or means, so that one vertex decides nothing. They need no model of a body:
//! roles of joints only choose the ranges of the poses.

mod anatomy;
mod clear_view;
mod findings;
mod intersections;
mod issues;
mod limits;
mod mesh;
mod mirror;
mod poses;
mod range_of_motion;
mod region;
mod symmetry;
#[cfg(test)]
mod tests;

pub use clear_view::clear_view;
pub use findings::{FlexFinding, FlexMeasure, JointFlex};
pub use issues::FlexCheck;
pub use limits::FlexLimits;
pub use mirror::{NO_MIRRORED_VERTEX, mirror_differences};
pub use poses::FlexPose;
pub use range_of_motion::{Flex, measure};

//! Inverse kinematics: changes of poses after sampling.
//!
//! [`two_bone`] solves a limb. [`PoseStages`] reach, aim and put feet on a [`Ground`], for one pose in double precision and for all
//! instances of a crowd in SIMD, by the same formulas.

mod feet;
mod ground;
mod limb;
mod solver;
mod stages;
#[cfg(test)]
mod tests;
mod vector;

pub use ground::Ground;
pub(crate) use ground::GroundSample;
pub use limb::Limb;
pub use solver::two_bone;
pub use stages::{Aim, Feet, Leg, PoseStages, StageIndex, Target};
pub(crate) use stages::{StageContext, Targets};
pub(crate) use vector::Rigid;

//! Inverse kinematics: changes of poses after sampling.
//!
//! [`two_bone`] solves a limb. [`PoseConstraints`] reach, aim and put feet on a [`Ground`], for one pose in double precision and for all
//! instances of a crowd in SIMD, by the same formulas.

mod constraints;
mod feet;
mod ground;
mod limb;
mod solver;
mod targets;
#[cfg(test)]
mod tests;
mod vector;

pub(crate) use constraints::ConstraintContext;
pub use constraints::{Aim, Feet, Leg, PoseConstraints};
pub(crate) use ground::GroundSample;
pub use ground::{Ground, GroundPoint, GroundQuery};
pub use limb::{ArmBody, Limb};
pub use solver::two_bone;
pub(crate) use targets::Targets;
pub use targets::{ConstraintIndex, ConstraintTargets, Target};
pub(crate) use vector::Rigid;

//! The reference: what a glTF file looks like at one instant, straight from the specification.
//!
//! Everything is computed in double precision, one vertex at a time, with nothing shared with the product but the JSON
//! parser. It is meant to be slow and obviously right; section numbers are those of the glTF 2.0 specification.

mod file;
mod matrix;
mod pose;
mod sample;
mod tests;

pub(crate) use file::{Document, list, number, numbers};
pub(crate) use matrix::{Vec3, distance, length};
pub(crate) use pose::{Direction, Instant, PosedCrowd, PosedPrimitive, Winding, drawn_triangles};

//! The reference: poses of a glTF file by the specification.
//!
//! It computes in double precision, one vertex at a time, and shares only the JSON parser with the product. It is slow and
//! simple by intention. Section numbers are those of the glTF 2.0 specification.

mod file;
mod matrix;
mod pose;
mod sample;
mod tests;

pub(crate) use file::{Document, chunks, fetch, list, number, numbers};
pub(crate) use matrix::{Vec3, distance, length};
pub(crate) use pose::{Direction, Instant, PosedCrowd, PosedPrimitive, Winding, drawn_triangles};

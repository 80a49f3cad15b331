//! Mesh simplification by half-edge collapses, with a measured error per level of detail.
//!
//! A collapse moves the triangles of one vertex position to a neighbor, so that levels share the vertices of the full mesh.
//! Its error is the distance of the removed position from the new surface, including the shift of textures and skin weights.

mod collapser;
mod geometry;
mod mesh;
#[cfg(test)]
mod tests;

pub(super) use collapser::simplify;
#[cfg(test)]
pub(super) use geometry::distance;
pub(super) use mesh::{Attributes, Mesh, Skin};

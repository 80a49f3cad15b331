//! Poses to the matrices that a shader reads; many instances.

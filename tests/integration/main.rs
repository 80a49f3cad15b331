//! Integration tests, one file per capability.
//!
//! Poses are compared with `support::reference`, which computes them in double precision by the glTF specification
//! and shares no code with `src`.

mod allocations;
mod archives;
mod cases;
mod check;
mod cli;
mod clips;
mod complexity;
mod compressed;
#[cfg(unix)]
mod converters;
mod culling;
mod cycles;
mod encodings;
mod explain;
mod extensions;
mod far_from_origin;
mod feet;
mod file_access;
mod git;
mod golden;
mod guide;
mod hierarchy;
mod influences;
mod instructions;
mod memory_bounds;
mod morphs;
mod mutations;
mod primitive_modes;
mod properties;
mod retarget;
mod samples;
mod simd_parity;
mod skeletons;
mod suite_gates;
mod suite_runs;
mod suite_samples;
mod support;
mod video;

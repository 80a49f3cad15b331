//! Tests of what users see, one file for each capability.
//!
//! Whatever is posed is held against `support::reference`, which computes it again in double precision straight from
//! the glTF specification and shares no code with the product.

mod allocations;
mod check;
mod cli;
mod clips;
mod compressed;
mod culling;
mod differences;
mod encodings;
mod extensions;
mod file_access;
mod films;
mod golden;
mod hierarchy;
mod hostile;
mod influences;
mod instructions;
mod io_failures;
mod memory_bounds;
mod morphs;
mod mutations;
mod primitive_modes;
mod samples;
mod scenes;
mod simd_parity;
mod suite;
mod suite_samples;
mod support;

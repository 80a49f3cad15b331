//! Tests of what users see, one file for each capability.
//!
//! Whatever is posed is held against `support::reference`, which computes it again in double precision straight from
//! the glTF specification and shares no code with the product.

mod allocations;
mod bounded;
mod chain;
mod check;
mod cli;
mod clips;
mod compressed;
mod differences;
mod encodings;
mod extensions;
mod failing;
mod films;
mod golden;
mod hostile;
mod influences;
mod instructions;
mod lanes;
mod modes;
mod morphs;
mod mutations;
mod samples;
mod scenes;
mod sight;
mod suite;
mod suite_samples;
mod support;
mod trust;

//! The `rigview` program: one report, one exit code.

fn main() {}

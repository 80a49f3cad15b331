//! Shared by the tests: builder of files, reference, comparison, and the program under test.

pub(crate) mod bake;
pub(crate) mod compare;
mod compare_tests;
pub(crate) mod glb;
pub(crate) mod meshopt;
pub(crate) mod models;
pub(crate) mod mutate;
pub(crate) mod random;
pub(crate) mod reference;
pub(crate) mod reports;
pub(crate) mod rigs;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod suite_world;
pub(crate) mod tolerance;
pub(crate) mod zip;

//! What needs OpenGL: one context for each test. Without a driver these tests fail and say what is missing.

mod rigs;
mod stage;

mod look;
mod posing;

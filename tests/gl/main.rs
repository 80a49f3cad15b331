//! What needs OpenGL: one context for each test. Without a driver these tests fail and say what is missing.

mod allocations;
mod environment;
mod ground;
mod layers;
mod light;
mod limits;
mod looks;
mod posing;
mod rigs;
mod scenes;
mod sides;
mod stage;
mod surfaces;

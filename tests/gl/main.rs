//! What needs OpenGL: one context for each test. Without a driver these tests fail and say what is missing.

mod allocations;
mod context;
mod debug_views;
mod environment;
mod light;
mod limits;
mod material_features;
mod posing;
mod rigs;
mod scenes;
mod shadow_catcher;
mod surfaces;
mod winding;

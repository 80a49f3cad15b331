//! Tests with OpenGL, one context each. Without a driver they fail and name what is missing.

mod allocations;
mod ambient_occlusion;
mod brdf;
mod context;
mod debug_views;
mod detail;
mod environment;
mod headless;
mod light;
mod limits;
mod material_features;
mod posing;
mod progressive;
mod rigs;
mod scenes;
mod shared_draws;
mod sun_shadow;
mod surfaces;
mod tone_mapping;
mod uploads;
mod winding;

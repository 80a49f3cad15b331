//! A current GL context, on screen or off.
#![allow(unsafe_code, reason = "contexts are made through the system's own libraries")]

pub mod headless;
pub mod window;

mod error;

pub use error::PlatformError;

//! A current GL context, on screen or off; and what the system does to a program that asks too much of it.
#![allow(unsafe_code, reason = "contexts, signals and memory are the system's own libraries' matter")]

pub mod guard;
pub mod headless;
pub mod libraries;
pub mod stop;
pub mod window;

mod error;
mod robust;

pub use error::PlatformError;
use robust::most_robust;

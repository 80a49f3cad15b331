//! GL context creation, consoles, signals and out-of-memory handling.
#![allow(unsafe_code, reason = "contexts, signals and allocators are C interfaces")]

pub mod clock;
pub mod console;
pub mod headless;
pub mod hold_report;
pub mod install_hints;
pub mod oom_handler;
pub mod open_event;
pub mod shader_compiler;
pub mod shutdown;
pub mod system_libraries;
pub mod window;

#[cfg(target_os = "macos")]
mod color_space;
mod context;
mod error;
#[cfg(windows)]
mod thread_cycles;

use context::create_context_with_fallback;
pub use error::PlatformError;

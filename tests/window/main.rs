//! The real window on a private display: contents, input, exit.
//!
//! Each test starts Xvfb and the program, sends input by xdotool, drops files, and reads title, pixels and CPU time.
//! Waits have long timeouts for slow machines.
//! Only for Linux, whose windows they read through X11.
#![cfg(target_os = "linux")]

mod camera;
mod capture;
mod commands;
mod comparing;
mod display;
mod drop;
mod ending;
mod exporting;
mod guide;
mod lighting;
mod losing;
mod opening;
mod panels;
mod playing;
mod reloading;
mod viewer;
mod viewing;

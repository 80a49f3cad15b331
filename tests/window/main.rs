//! The real window on a display of its own: what it shows, what it hears, how it ends.
//!
//! Each test starts an X server without a screen (Xvfb) and the program itself, moves the pointer and presses keys
//! (xdotool), drops files as another program would, and looks at the title, the pixels and the processor's time. It waits for
//! what must come, for as long as a slow machine may need.

mod blending;
mod capture;
mod comparing;
mod display;
mod drop;
mod ending;
mod opening;
mod panels;
mod playing;
mod reloading;
mod viewer;
mod viewing;

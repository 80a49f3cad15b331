//! A frame to pixels.

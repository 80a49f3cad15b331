//! A current GL context, on screen or off.

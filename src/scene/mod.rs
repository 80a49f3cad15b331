//! What to draw at one instant, as plain data.

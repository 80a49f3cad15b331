//! A posed model as a file.

//! Arguments to a checked command.

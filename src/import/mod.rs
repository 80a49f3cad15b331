//! Bytes to Asset, and Asset to Model; the only code that knows glTF and reads files.

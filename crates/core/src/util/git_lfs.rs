//! Pointers of Git LFS, which replace files in a checkout without it.

/// The message for a file whose content is in Git LFS.
pub const LFS_POINTER: &str = "it is a pointer of Git LFS; run git lfs pull";

/// The start of a pointer.
pub(crate) const LFS_START: &[u8] = b"version https://git-lfs";

/// Returns `true` if the bytes are a pointer.
pub fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.starts_with(LFS_START)
}

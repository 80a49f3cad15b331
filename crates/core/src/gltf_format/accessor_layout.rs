//! Byte layout of accessors: spans in a buffer view, interleaved elements, indices.

use super::ComponentType;

/// Bytes from the first element to the end of the last one. 128 bits cannot overflow.
pub fn span_bytes(count: u64, stride: u64, element_bytes: u64) -> u128 {
    if count == 0 { 0 } else { u128::from(count - 1) * u128::from(stride) + u128::from(element_bytes) }
}

/// The bytes of `count` elements that start at `offset`; `None` if they exceed `bytes`.
pub fn element_bytes(bytes: &[u8], offset: u64, count: u64, stride: u64, element_bytes: u64) -> Option<&[u8]> {
    let end = u128::from(offset) + span_bytes(count, stride, element_bytes);
    bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)
}

/// Copies elements of `size` bytes that start every `stride` bytes, without the gaps.
pub(crate) fn deinterleave(bytes: &[u8], size: usize, stride: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() / stride.max(1) * size + size);
    for element in bytes.chunks(stride.max(1)) {
        // The last element has no gap after it.
        out.extend_from_slice(element.get(..size).unwrap_or_default());
    }
    out
}

/// The unsigned integer at the start of `bytes`, such as a sparse index; 0 if there are too few bytes.
pub(crate) fn decode_index(component: ComponentType, bytes: &[u8]) -> u32 {
    match (component, bytes) {
        (ComponentType::U16, [a, b, ..]) => u16::from_le_bytes([*a, *b]).into(),
        (ComponentType::U32, [a, b, c, d, ..]) => u32::from_le_bytes([*a, *b, *c, *d]),
        (_, [a, ..]) => (*a).into(),
        (_, []) => 0,
    }
}

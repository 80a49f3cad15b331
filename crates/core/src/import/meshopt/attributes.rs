//! Mode ATTRIBUTES, versions 0 and 1: deltas to the previous element, as byte planes in groups of 16.

const HEADER: u8 = 0xa0;
/// Elements per group.
const GROUP_SIZE: usize = 16;
/// Maximum elements per block.
const MAX_BLOCK: usize = 256;
/// Maximum decompressed bytes per block.
const BLOCK_BYTES: usize = 8192;

const TRUNCATED: &str = "the stream is truncated";

/// Returns the elements per full block.
fn block_elements(stride: usize) -> usize {
    ((BLOCK_BYTES / stride) & !(GROUP_SIZE - 1)).min(MAX_BLOCK)
}

/// Returns the minimum compressed size of `count` elements in any version.
pub(super) fn min_encoded_size(count: usize, stride: usize) -> usize {
    // Per block, one control byte for every four bytes of an element. Then the shortest tail.
    let blocks = count.div_ceil(block_elements(stride));
    blocks.saturating_mul(stride / 4).saturating_add(1 + 24)
}

/// Decompresses `count` elements of `stride` bytes.
///
/// `stride` is a multiple of four from 4 to 256.
pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, &'static str> {
    let (&header, rest) = stream.split_first().ok_or(TRUNCATED)?;
    let version = header & 0x0f;
    if header & 0xf0 != HEADER || version > 1 {
        return Err("its header is not that of an attribute stream");
    }
    // The tail contains the base of the first deltas, and in version 1 the channel of every four bytes.
    let channels = if version == 0 { 0 } else { stride / 4 };
    let (tail, min) = (stride + channels, if version == 0 { 32 } else { 24 });
    let body_end = rest.len().checked_sub(tail.max(min)).ok_or(TRUNCATED)?;
    let (mut body, tail) = (&rest[..body_end], &rest[rest.len() - tail..]);
    let (mut previous, channels) = (tail[..stride].to_vec(), &tail[stride..]);

    let mut elements = vec![0; count * stride];
    for block in elements.chunks_mut(block_elements(stride) * stride) {
        decode_block(&mut body, block, &previous, stride, channels).ok_or(TRUNCATED)?;
        previous.copy_from_slice(&block[block.len() - stride..]);
    }
    if !body.is_empty() {
        return Err("it has bytes after its end");
    }
    Ok(elements)
}

/// Decodes a block from the front of `body`. Returns `None` if the data is truncated or invalid.
fn decode_block(body: &mut &[u8], block: &mut [u8], previous: &[u8], stride: usize, channels: &[u8]) -> Option<()> {
    let count = block.len() / stride;
    let controls = body.split_off(..channels.len())?;
    let mut byte_planes = [[0_u8; MAX_BLOCK]; 4];
    for quad in 0..stride / 4 {
        let control = controls.get(quad).copied();
        for (j, plane) in byte_planes.iter_mut().enumerate() {
            match control.map(|control| control >> (2 * j) & 3) {
                None => decode_plane(body, plane, count, [0, 2, 4, 8])?,
                Some(0) => decode_plane(body, plane, count, [0, 1, 2, 4])?,
                Some(1) => decode_plane(body, plane, count, [1, 2, 4, 8])?,
                Some(2) => plane.fill(0),
                Some(_) => plane[..count].copy_from_slice(body.split_off(..count)?),
            }
        }
        let offset = 4 * quad;
        let mut base = [0; 4];
        base.copy_from_slice(&previous[offset..offset + 4]);
        let elements = block.chunks_exact_mut(stride).map(|element| &mut element[offset..offset + 4]);
        decode_deltas(&byte_planes, base, channels.get(quad).copied().unwrap_or(0), elements)?;
    }
    Some(())
}

/// Decodes one byte of each element. The header has the bit width of each group.
fn decode_plane(body: &mut &[u8], plane: &mut [u8; MAX_BLOCK], count: usize, bits: [u32; 4]) -> Option<()> {
    let groups = count.div_ceil(GROUP_SIZE);
    let header = body.split_off(..groups.div_ceil(4))?;
    for (i, group) in plane.chunks_exact_mut(GROUP_SIZE).take(groups).enumerate() {
        match bits[usize::from(header[i / 4] >> (2 * (i % 4)) & 3)] {
            0 => group.fill(0),
            8 => group.copy_from_slice(body.split_off(..GROUP_SIZE)?),
            bits => decode_group(body, group, bits)?,
        }
    }
    Some(())
}

/// Decodes a group of 16 values of `bits` bits. The value with all bits set is an escape for a following byte.
fn decode_group(body: &mut &[u8], group: &mut [u8], bits: u32) -> Option<()> {
    let packed = body.split_off(..2 * bits as usize)?;
    let per_byte = 8 / bits as usize;
    let escape = ((1_u16 << bits) - 1) as u8;
    for (i, out) in group.iter_mut().enumerate() {
        let within = (i % per_byte) as u32;
        // Single bits start at the lowest bit, wider values at the highest.
        let shift = if bits == 1 { within } else { 8 - bits - within * bits };
        let value = packed[i / per_byte] >> shift & escape;
        *out = if value == escape { *body.split_off_first()? } else { value };
    }
    Some(())
}

/// Decodes deltas into elements. Returns `None` for an undefined channel.
fn decode_deltas<'a>(
    byte_planes: &[[u8; MAX_BLOCK]; 4],
    base: [u8; 4],
    channel: u8,
    elements: impl Iterator<Item = &'a mut [u8]>,
) -> Option<()> {
    let deltas = (0..MAX_BLOCK).map(|i| [byte_planes[0][i], byte_planes[1][i], byte_planes[2][i], byte_planes[3][i]]);
    match channel & 3 {
        0 => {
            let mut last = base;
            for (element, delta) in elements.zip(deltas) {
                for (last, d) in last.iter_mut().zip(delta) {
                    *last = last.wrapping_add((d >> 1) ^ (d & 1).wrapping_neg());
                }
                element.copy_from_slice(&last);
            }
        }
        1 => {
            let halves = |[a, b, c, d]: [u8; 4]| [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
            let mut last = halves(base);
            for (element, delta) in elements.zip(deltas) {
                for (last, d) in last.iter_mut().zip(halves(delta)) {
                    *last = last.wrapping_add((d >> 1) ^ (d & 1).wrapping_neg());
                }
                let [[a, b], [c, d]] = last.map(u16::to_le_bytes);
                element.copy_from_slice(&[a, b, c, d]);
            }
        }
        2 => {
            let mut last = u32::from_le_bytes(base);
            for (element, delta) in elements.zip(deltas) {
                last ^= u32::from_le_bytes(delta).rotate_right(u32::from(channel >> 4));
                element.copy_from_slice(&last.to_le_bytes());
            }
        }
        _ => return None,
    }
    Some(())
}

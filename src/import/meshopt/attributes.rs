//! Mode ATTRIBUTES, versions 0 and 1: items as differences from the one before, byte by byte, in groups of 16.

const HEADER: u8 = 0xa0;
/// Items in a group.
const GROUP: usize = 16;
/// The most items in a block.
const MAX_BLOCK: usize = 256;
/// The most bytes that a block unfolds to.
const BLOCK_BYTES: usize = 8192;

const CUT: &str = "the stream ends in its middle";

/// Items in a full block.
fn block_items(stride: usize) -> usize {
    ((BLOCK_BYTES / stride) & !(GROUP - 1)).min(MAX_BLOCK)
}

/// The fewest bytes that `count` items can be compressed to, in whichever version.
pub(super) fn least_bytes(count: usize, stride: usize) -> usize {
    // A block's control bytes, one for every four bytes of an item; the shortest tail.
    let blocks = count.div_ceil(block_items(stride));
    blocks.saturating_mul(stride / 4).saturating_add(1 + 24)
}

/// The `count` items of `stride` bytes that `stream` unfolds to.
///
/// `stride` is a multiple of four from 4 to 256.
pub(super) fn decode(stream: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, &'static str> {
    let (&header, rest) = stream.split_first().ok_or(CUT)?;
    let version = header & 0x0f;
    if header & 0xf0 != HEADER || version > 1 {
        return Err("it begins unlike any stream of attributes");
    }
    // The tail holds what the first item differs from, and in version 1 the kind of every four bytes of an item.
    let kinds = if version == 0 { 0 } else { stride / 4 };
    let (tail, min) = (stride + kinds, if version == 0 { 32 } else { 24 });
    let body_end = rest.len().checked_sub(tail.max(min)).ok_or(CUT)?;
    let (mut body, tail) = (&rest[..body_end], &rest[rest.len() - tail..]);
    let (mut previous, kinds) = (tail[..stride].to_vec(), &tail[stride..]);

    let mut items = vec![0; count * stride];
    for block in items.chunks_mut(block_items(stride) * stride) {
        decode_block(&mut body, block, &previous, (stride, kinds)).ok_or(CUT)?;
        previous.copy_from_slice(&block[block.len() - stride..]);
    }
    if !body.is_empty() {
        return Err("something is left over at its end");
    }
    Ok(items)
}

/// Fills `block` from the front of `body`; `None` if that is too short or not well formed.
fn decode_block(body: &mut &[u8], block: &mut [u8], previous: &[u8], (stride, kinds): (usize, &[u8])) -> Option<()> {
    let count = block.len() / stride;
    let controls = body.split_off(..kinds.len())?;
    let mut planes = [[0_u8; MAX_BLOCK]; 4];
    for quad in 0..stride / 4 {
        let control = controls.get(quad).copied();
        for (j, plane) in planes.iter_mut().enumerate() {
            match control.map(|control| control >> (2 * j) & 3) {
                None => decode_plane(body, plane, count, [0, 2, 4, 8])?,
                Some(0) => decode_plane(body, plane, count, [0, 1, 2, 4])?,
                Some(1) => decode_plane(body, plane, count, [1, 2, 4, 8])?,
                Some(2) => plane.fill(0),
                Some(_) => plane[..count].copy_from_slice(body.split_off(..count)?),
            }
        }
        let at = 4 * quad;
        let mut before = [0; 4];
        before.copy_from_slice(&previous[at..at + 4]);
        let items = block.chunks_exact_mut(stride).map(|item| &mut item[at..at + 4]);
        undo_deltas(&planes, before, kinds.get(quad).copied().unwrap_or(0), items)?;
    }
    Some(())
}

/// One byte of each item, in groups that tell how many bits they take.
fn decode_plane(body: &mut &[u8], plane: &mut [u8; MAX_BLOCK], count: usize, bits: [u32; 4]) -> Option<()> {
    let groups = count.div_ceil(GROUP);
    let header = body.split_off(..groups.div_ceil(4))?;
    for (i, group) in plane.chunks_exact_mut(GROUP).take(groups).enumerate() {
        match bits[usize::from(header[i / 4] >> (2 * (i % 4)) & 3)] {
            0 => group.fill(0),
            8 => group.copy_from_slice(body.split_off(..GROUP)?),
            bits => decode_group(body, group, bits)?,
        }
    }
    Some(())
}

/// A group of 16 small numbers. Those that do not fit their bits have all of them set, and follow in a byte each.
fn decode_group(body: &mut &[u8], group: &mut [u8], bits: u32) -> Option<()> {
    let small = body.split_off(..2 * bits as usize)?;
    let in_byte = 8 / bits as usize;
    let large = ((1_u16 << bits) - 1) as u8;
    for (place, out) in group.iter_mut().enumerate() {
        let within = (place % in_byte) as u32;
        // Single bits count from the lowest, all others from the highest.
        let shift = if bits == 1 { within } else { 8 - bits - within * bits };
        let number = small[place / in_byte] >> shift & large;
        *out = if number == large { *body.split_off_first()? } else { number };
    }
    Some(())
}

/// Turns differences into items; `None` for a kind that does not exist.
fn undo_deltas<'a>(
    planes: &[[u8; MAX_BLOCK]; 4],
    before: [u8; 4],
    kind: u8,
    items: impl Iterator<Item = &'a mut [u8]>,
) -> Option<()> {
    let differences = (0..MAX_BLOCK).map(|i| [planes[0][i], planes[1][i], planes[2][i], planes[3][i]]);
    match kind & 3 {
        0 => {
            let mut last = before;
            for (item, difference) in items.zip(differences) {
                for (last, d) in last.iter_mut().zip(difference) {
                    *last = last.wrapping_add((d >> 1) ^ (d & 1).wrapping_neg());
                }
                item.copy_from_slice(&last);
            }
        }
        1 => {
            let halves = |[a, b, c, d]: [u8; 4]| [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
            let mut last = halves(before);
            for (item, difference) in items.zip(differences) {
                for (last, d) in last.iter_mut().zip(halves(difference)) {
                    *last = last.wrapping_add((d >> 1) ^ (d & 1).wrapping_neg());
                }
                let [[a, b], [c, d]] = last.map(u16::to_le_bytes);
                item.copy_from_slice(&[a, b, c, d]);
            }
        }
        2 => {
            let mut last = u32::from_le_bytes(before);
            for (item, difference) in items.zip(differences) {
                last ^= u32::from_le_bytes(difference).rotate_right(u32::from(kind >> 4));
                item.copy_from_slice(&last.to_le_bytes());
            }
        }
        _ => return None,
    }
    Some(())
}

//! Mutations of the container and of raw bytes.

use super::{Work, one_of, text};
use crate::support::glb::container;
use crate::support::random::Random;

/// Extreme lengths.
const LENGTHS: [u32; 14] =
    [0, 1, 3, 4, 8, 11, 12, 19, 20, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_fffc, 0xffff_ffff];

/// Truncates the file or its chunks, with and without matching headers.
pub(super) fn cut(work: &mut Work, random: &mut Random) -> String {
    let (json, whole) = (text(&work.json), container(&text(&work.json), &work.bin));
    match random.below(4) {
        0 => {
            let length = random.below(work.bin.len() + 1);
            work.bin.truncate(length);
            format!("the binary chunk ends after {length} bytes, and says so")
        }
        1 => {
            let length = random.below(json.len());
            work.bytes = Some(container(&json[..length], &work.bin));
            format!("the JSON ends after {length} bytes, and says so")
        }
        _ => {
            let near = [12, 20, 20 + json.len(), 28 + json.len()];
            let length = if random.below(2) == 0 {
                near[random.below(4)].saturating_add(random.below(9)).saturating_sub(4)
            } else {
                random.below(whole.len())
            };
            let length = length.min(whole.len());
            work.bytes = Some(whole[..length].to_vec());
            format!("cut to {length} bytes")
        }
    }
}

/// Wrong lengths, versions and chunk types.
pub(super) fn container_lies(work: &mut Work, random: &mut Random) -> String {
    let json = text(&work.json);
    let mut bytes = container(&json, &work.bin);
    let padded = json.len().next_multiple_of(4);
    let mut put = |at: usize, value: u32| {
        if let Some(place) = bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    };
    let near = |value: usize, random: &mut Random| (value + random.below(17)).wrapping_sub(8) as u32;
    let mut what = Vec::new();
    for _ in 0..1 + random.below(2) {
        let (field, at, is) = *one_of(
            &[
                ("version", 4, 2),
                ("length", 8, 0),
                ("length of the JSON chunk", 12, padded),
                ("kind of the first chunk", 16, 0),
                ("length of the binary chunk", 20 + padded, work.bin.len()),
                ("kind of the second chunk", 24 + padded, 0),
            ],
            random,
        );
        let value = match random.below(3) {
            0 => near(is, random),
            1 => random.bits() as u32,
            _ => *one_of(&LENGTHS, random),
        };
        put(at, value);
        what.push(format!("{field} {value}"));
    }
    match random.below(6) {
        0 => {
            let more = random.below(40);
            bytes.extend((0..more).map(|_| random.bits() as u8));
            what.push(format!("{more} bytes behind it"));
        }
        1 => {
            // Many extra chunks.
            let count = 1 + random.below(20_000);
            for _ in 0..count {
                bytes.extend([0, 0, 0, 0]);
                bytes.extend(one_of(&[*b"BIN\0", *b"JSON", *b"EXT1"], random));
            }
            let length = bytes.len() as u32;
            bytes[8..12].copy_from_slice(&length.to_le_bytes());
            what.push(format!("{count} empty chunks"));
        }
        _ => {}
    }
    work.bytes = Some(bytes);
    what.join(", ")
}

/// Flips bits of the JSON.
pub(super) fn flip_json(work: &mut Work, random: &mut Random) -> String {
    let mut json = text(&work.json);
    let what = flip(&mut json, random);
    work.bytes = Some(container(&json, &work.bin));
    what
}

/// Flips bits of buffers and images.
pub(super) fn flip_data(work: &mut Work, random: &mut Random) -> String {
    flip(&mut work.bin, random)
}

fn flip(bytes: &mut [u8], random: &mut Random) -> String {
    if bytes.is_empty() {
        return "nothing to flip".into();
    }
    let count = 1 + random.below(24);
    let mut what = Vec::new();
    for _ in 0..count {
        let (place, bit) = (random.below(bytes.len()), random.below(8));
        bytes[place] ^= 1 << bit;
        what.push(format!("{place}.{bit}"));
    }
    format!("flipped {}", what.join(" "))
}

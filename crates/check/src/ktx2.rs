//! What KHR_texture_basisu requires of a KTX2 image: supercompression, data format descriptor, metadata.
//!
//! The importer refuses what it cannot transcode. This is the rest, which other viewers may show in other colors.

use super::checked_file::CheckedFile;
use super::json_values::reference;
use rigview_core::model::{TEXTURE_SLOTS, TextureSlot};
use rigview_core::util::text::quoted;
use std::collections::BTreeMap;

// Values of the Khronos Data Format Specification 1.3, as in `khr_df.h`.
const MODEL_ETC1S: u8 = 163;
const MODEL_UASTC: u8 = 166;
const PRIMARIES_UNSPECIFIED: u8 = 0;
const PRIMARIES_BT709: u8 = 1;
const TRANSFER_LINEAR: u8 = 1;
const TRANSFER_SRGB: u8 = 2;
const FLAG_ALPHA_PREMULTIPLIED: u8 = 1;

/// Allowed channels of a color model, with the number of color channels that they have.
const CHANNELS: [(u8, &[u8], usize); 8] = [
    (MODEL_ETC1S, &[0], 3),
    (MODEL_ETC1S, &[0, 15], 3),
    (MODEL_ETC1S, &[3], 1),
    (MODEL_ETC1S, &[3, 4], 2),
    (MODEL_UASTC, &[0], 3),
    (MODEL_UASTC, &[3], 3),
    (MODEL_UASTC, &[4], 1),
    (MODEL_UASTC, &[6], 2),
];

/// The materials that use an image: the first one for each purpose.
#[derive(Clone, Default)]
pub(super) struct ImageUses {
    color: Option<String>,
    data: Option<String>,
    /// The largest number of color channels that are read: red, then green, then blue.
    channels: (usize, String),
}

/// The uses of each image by KHR_texture_basisu.
pub(super) fn uses(file: &CheckedFile<'_>) -> BTreeMap<usize, ImageUses> {
    let mut uses: BTreeMap<usize, ImageUses> = BTreeMap::new();
    for (i, material) in file.array("materials").iter().enumerate() {
        for (slot, pointer) in TEXTURE_SLOTS {
            let texture = material.pointer(&format!("/{pointer}")).and_then(|info| reference(info, "index"));
            let image = file
                .element("textures", texture)
                .and_then(|texture| reference(texture.pointer("/extensions/KHR_texture_basisu")?, "source"));
            let Some(image) = image else { continue };
            let found = uses.entry(image).or_default();
            let (is_color, channels) = content(*slot);
            let name = || format!("{} of material {i}", slot.name());
            if is_color { &mut found.color } else { &mut found.data }.get_or_insert_with(name);
            if channels > found.channels.0 {
                found.channels = (channels, name());
            }
        }
    }
    uses
}

/// Whether a slot has colors, in sRGB, and how many color channels it reads.
fn content(slot: TextureSlot) -> (bool, usize) {
    use TextureSlot as Slot;
    match slot {
        Slot::BaseColor | Slot::Emissive | Slot::SpecularColor | Slot::SheenColor | Slot::DiffuseTransmissionColor => {
            (true, 3)
        }
        Slot::MetallicRoughness | Slot::Normal | Slot::ClearcoatNormal | Slot::Anisotropy => (false, 3),
        Slot::ClearcoatRoughness | Slot::IridescenceThickness | Slot::Thickness => (false, 2),
        Slot::Occlusion | Slot::Clearcoat | Slot::Iridescence | Slot::Transmission => (false, 1),
        // They read alpha only.
        Slot::Specular | Slot::SheenRoughness | Slot::DiffuseTransmission => (false, 0),
    }
}

/// Returns what is wrong with a KTX2 image, one sentence each.
pub(super) fn faults(bytes: &[u8], uses: &ImageUses) -> Vec<String> {
    let mut faults = metadata_faults(bytes);
    let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let block = word(48).and_then(|offset| bytes.get((offset as usize).checked_add(4)?..)).filter(|b| b.len() >= 24);
    let (Some(scheme), Some(block)) = (word(44), block) else {
        faults.push("its data format descriptor is missing".into());
        return faults;
    };
    let [model, primaries, transfer, flags] = [block[8], block[9], block[10], block[11]];
    let samples = usize::from(u16::from_le_bytes([block[6], block[7]])).saturating_sub(24) / 16;
    // The low four bits are the channel, the high ones qualifiers.
    let channels: Vec<u8> = block[24..].chunks_exact(16).take(samples).map(|sample| sample[3] & 15).collect();

    let schemes: &[u32] = match model {
        MODEL_ETC1S => &[1],
        MODEL_UASTC => &[0, 2],
        _ => {
            faults.push(format!("its color model is {model}, neither ETC1S (163) nor UASTC (166)"));
            return faults;
        }
    };
    if !schemes.contains(&scheme) {
        let needed = if model == MODEL_ETC1S { "1 (BasisLZ)" } else { "0 (none) or 2 (Zstandard)" };
        faults.push(format!("its supercompression scheme is {scheme} instead of {needed}"));
    }
    match CHANNELS.iter().find(|(of, allowed, _)| *of == model && *allowed == channels) {
        None => faults.push(format!("its channels {channels:?} are none of RGB, RGBA, R and RG")),
        Some((.., count)) => {
            if *count < uses.channels.0 {
                let (needed, slot) = &uses.channels;
                faults.push(format!("it has {count} of the {needed} color channels that {slot} reads"));
            }
            if *count < 3 && transfer == TRANSFER_SRGB {
                faults.push("it has no RGB channels, and must not be sRGB".into());
            }
        }
    }
    for (slot, needed, name) in [
        (&uses.color, (TRANSFER_SRGB, PRIMARIES_BT709), "sRGB with the primaries of BT.709"),
        (&uses.data, (TRANSFER_LINEAR, PRIMARIES_UNSPECIFIED), "linear without primaries"),
    ] {
        if let Some(slot) = slot.as_ref().filter(|_| (transfer, primaries) != needed) {
            let found = match transfer {
                TRANSFER_LINEAR => "linear",
                TRANSFER_SRGB => "sRGB",
                _ => "another",
            };
            faults.push(format!(
                "its transfer function is {found} ({transfer}) and its primaries are {primaries}; for the {slot} it must be {name}"
            ));
        }
    }
    if flags & FLAG_ALPHA_PREMULTIPLIED != 0 {
        faults.push("its alpha is premultiplied".into());
    }
    faults
}

/// What is wrong with the key/value data: a length, a name that ends with a zero byte, a value, and padding to 4 bytes.
fn metadata_faults(bytes: &[u8]) -> Vec<String> {
    let word = |bytes: &[u8], at: usize| bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word) as usize);
    let range = word(bytes, 56).zip(word(bytes, 60));
    let mut rest = range.and_then(|(offset, length)| bytes.get(offset..)?.get(..length)).unwrap_or_default();
    let mut faults = Vec::new();
    while let Some(length) = word(rest, 0) {
        let Some(entry) = rest.get(4..).and_then(|rest| rest.get(..length)) else { break };
        let mut parts = entry.splitn(2, |byte| *byte == 0);
        let name = parts.next().unwrap_or_default();
        let value = String::from_utf8_lossy(parts.next().unwrap_or_default());
        let value = value.trim_end_matches('\0');
        for (key, allowed) in [("KTXswizzle", "rgba"), ("KTXorientation", "rd")] {
            if name == key.as_bytes() && value != allowed {
                faults.push(format!("its {key} is {} instead of {allowed}", quoted(value)));
            }
        }
        rest = rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
    }
    faults
}

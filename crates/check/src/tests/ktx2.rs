//! Damaged headers of KTX2 images.

use super::valid_file::{glb, set, valid_file};
use crate::check_bytes;
use base64::Engine as _;
use rigview_core::import::ImportPolicy;
use serde_json::json;

const ETC1S: &[u8] = include_bytes!("../../../../tests/fixtures/ktx2/etc1s.ktx2");
const ETC1S_ALPHA: &[u8] = include_bytes!("../../../../tests/fixtures/ktx2/etc1s-alpha.ktx2");
const UASTC: &[u8] = include_bytes!("../../../../tests/fixtures/ktx2/uastc.ktx2");

/// Offsets within the basic block of the data format descriptor.
const MODEL: usize = 8;
const PRIMARIES: usize = 9;
const TRANSFER: usize = 10;
const FLAGS: usize = 11;
const CHANNEL: usize = 27;
const CHANNEL_2: usize = 43;

/// Messages of a code about a file with this image in these slots of its material.
fn messages(code: &str, image: &[u8], slots: &[&str]) -> Vec<String> {
    let (mut json, bytes) = valid_file();
    let data = base64::engine::general_purpose::STANDARD.encode(image);
    set(&mut json, "/extensionsUsed", json!(["KHR_texture_basisu"]));
    set(&mut json, "/extensionsRequired", json!(["KHR_texture_basisu"]));
    set(&mut json, "/images/0", json!({"uri": format!("data:image/ktx2;base64,{data}")}));
    set(&mut json, "/textures/0", json!({"extensions": {"KHR_texture_basisu": {"source": 0}}}));
    set(&mut json, "/materials/0", json!({"pbrMetallicRoughness": {}}));
    slots.iter().for_each(|slot| set(&mut json, &format!("/materials/0/{slot}"), json!({"index": 0})));
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    issues.into_iter().filter(|issue| issue.code == code).map(|issue| issue.message).collect()
}

fn descriptor(image: &[u8]) -> usize {
    u32::from_le_bytes(image[48..52].try_into().unwrap()) as usize + 4
}

/// An image with other bytes in its descriptor.
fn changed(image: &[u8], bytes: &[(usize, u8)]) -> Vec<u8> {
    let mut image = image.to_vec();
    let start = descriptor(&image);
    bytes.iter().for_each(|(at, byte)| image[start + at] = *byte);
    image
}

const COLOR: &str = "pbrMetallicRoughness/baseColorTexture";
const NORMAL: &str = "normalTexture";

#[test]
fn ktx2_headers_are_those_that_the_extension_requires() {
    let messages = |image: &[u8], slots: &[&str]| messages("RIGVIEW_KTX2_FORMAT", image, slots);
    let linear = [(TRANSFER, 1), (PRIMARIES, 0)];
    let srgb = [(TRANSFER, 2), (PRIMARIES, 1)];
    let scheme = |image: &[u8], scheme: u8| {
        let mut image = image.to_vec();
        image[44] = scheme;
        image
    };
    for (image, slot) in [
        (changed(ETC1S, &srgb), COLOR),
        (changed(ETC1S_ALPHA, &srgb), COLOR),
        (changed(UASTC, &srgb), COLOR),
        (changed(UASTC, &linear), NORMAL),
        (changed(UASTC, &[linear[0], linear[1], (CHANNEL, 4)]), "occlusionTexture"),
        (changed(UASTC, &[linear[0], linear[1], (CHANNEL, 3)]), "occlusionTexture"),
    ] {
        assert_eq!(messages(&image, &[slot]), [""; 0], "{slot}");
    }
    let mut short = ETC1S.to_vec();
    short[48..52].copy_from_slice(&u32::MAX.to_le_bytes());
    let red = |transfer| [(CHANNEL, 4), (TRANSFER, transfer), (PRIMARIES, transfer - 1)];
    let rg_of_etc1s = [(CHANNEL, 3), (CHANNEL_2, 4), linear[0], linear[1]];
    for (image, slot, expected) in [
        (short, COLOR, "its data format descriptor is missing"),
        (changed(ETC1S, &[(MODEL, 1)]), COLOR, "its color model is 1, neither ETC1S (163) nor UASTC (166)"),
        (scheme(&changed(ETC1S, &srgb), 2), COLOR, "its supercompression scheme is 2 instead of 1 (BasisLZ)"),
        (scheme(&changed(UASTC, &srgb), 1), COLOR, "its supercompression scheme is 1 instead of 0 (none) or 2"),
        (
            changed(ETC1S, &[(CHANNEL, 15), srgb[0], srgb[1]]),
            COLOR,
            "its channels [15] are none of RGB, RGBA, R and RG",
        ),
        (changed(ETC1S_ALPHA, &[(CHANNEL_2, 0), srgb[0], srgb[1]]), COLOR, "its channels [0, 0] are none of RGB"),
        (changed(UASTC, &[(CHANNEL, 5), srgb[0], srgb[1]]), COLOR, "its channels [5] are none of RGB, RGBA, R and RG"),
        (changed(UASTC, &red(1)), NORMAL, "it has 1 of the 3 color channels that normal of material 0 reads"),
        (
            changed(ETC1S_ALPHA, &rg_of_etc1s),
            NORMAL,
            "it has 2 of the 3 color channels that normal of material 0 reads",
        ),
        (changed(UASTC, &red(2)), "occlusionTexture", "it has no RGB channels, and must not be sRGB"),
        (changed(UASTC, &linear), COLOR, "for the base color of material 0 it must be sRGB"),
        (changed(UASTC, &srgb), NORMAL, "for the normal of material 0 it must be linear"),
        (changed(UASTC, &[srgb[0], (PRIMARIES, 0)]), COLOR, "its primaries are 0"),
        (changed(UASTC, &[linear[0], (PRIMARIES, 1)]), NORMAL, "its primaries are 1"),
        (changed(UASTC, &[srgb[0], srgb[1], (FLAGS, 1)]), COLOR, "its alpha is premultiplied"),
    ] {
        let found = messages(&image, &[slot]);
        assert!(found.iter().any(|message| message.contains(expected)), "{expected}: {found:?}");
    }
    // One image for both cannot be right.
    assert!(!messages(&changed(UASTC, &srgb), &[COLOR, NORMAL]).is_empty());
    assert!(!messages(&changed(UASTC, &linear), &[COLOR, NORMAL]).is_empty());
}

#[test]
fn ktx2_metadata_is_that_which_the_extension_permits() {
    let messages = |image: &[u8], slots: &[&str]| messages("RIGVIEW_KTX2_FORMAT", image, slots);
    let with = |entries: &[(&str, &str)]| {
        let mut image = changed(UASTC, &[(TRANSFER, 2), (PRIMARIES, 1)]);
        let (start, mut data) = (image.len() as u32, Vec::new());
        for (name, value) in entries {
            let entry = [name.as_bytes(), &[0], value.as_bytes(), &[0]].concat();
            data.extend((entry.len() as u32).to_le_bytes());
            data.extend(entry);
            data.resize(data.len().next_multiple_of(4), 0);
        }
        image[56..60].copy_from_slice(&start.to_le_bytes());
        image[60..64].copy_from_slice(&(data.len() as u32).to_le_bytes());
        image.extend(data);
        messages(&image, &[COLOR])
    };
    assert_eq!(with(&[("KTXswizzle", "rgba"), ("KTXorientation", "rd"), ("KTXwriter", "a test")]), [""; 0]);
    let faults = with(&[("KTXwriter", "a test"), ("KTXswizzle", "rrr1"), ("KTXorientation", "ru")]);
    let expected = ["its KTXswizzle is \"rrr1\" instead of rgba", "its KTXorientation is \"ru\" instead of rd"];
    assert!(expected.iter().all(|expected| faults.iter().any(|fault| fault.contains(expected))), "{faults:?}");
    // Damaged metadata ends the reading.
    let mut image = UASTC.to_vec();
    image[60..64].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(messages(&image, &[]).is_empty());
}

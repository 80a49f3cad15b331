//! Mutations of images: wrong headers and decompression bombs.

use super::{Work, list, one_of, push};
use crate::support::random::Random;
use serde_json::json;
use std::io::{Cursor, Write as _};

/// A small valid image.
pub(super) fn small() -> Vec<u8> {
    encoded(image::ImageFormat::Png)
}

fn encoded(format: image::ImageFormat) -> Vec<u8> {
    let image = image::RgbImage::from_fn(8, 8, |x, y| image::Rgb([(x * 30) as u8, (y * 30) as u8, 128]));
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).expect("memory");
    bytes.into_inner()
}

/// A PNG chunk with a valid checksum.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [&kind[..], data].concat();
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    let crc = !body.iter().fold(!0u32, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step));
    [&(data.len() as u32).to_be_bytes()[..], &body, &crc.to_be_bytes()].concat()
}

/// A PNG of zeros that decompresses to `megabytes`, at a thousandth of this size.
fn png(width: u32, height: u32, depth: u8, color: u8, interlace: u8, megabytes: usize, palette: bool) -> Vec<u8> {
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[depth, color, 0, 0, interlace]].concat();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0u8; 1 << 20];
    (0..megabytes).for_each(|_| zlib.write_all(&zeros).expect("memory"));
    let pixels = zlib.finish().expect("memory");
    let palette = if palette { chunk(b"PLTE", &[0; 3]) } else { Vec::new() };
    let signature = b"\x89PNG\r\n\x1a\n";
    [&signature[..], &chunk(b"IHDR", &head), &palette, &chunk(b"IDAT", &pixels), &chunk(b"IEND", &[])].concat()
}

/// A JPEG with another size in its header.
fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut bytes = encoded(image::ImageFormat::Jpeg);
    let frame = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("a frame");
    bytes[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    bytes[frame + 7..frame + 9].copy_from_slice(&width.to_be_bytes());
    bytes
}

/// Adds a hostile image as texture of the first mesh.
pub(super) fn image(work: &mut Work, random: &mut Random) -> String {
    const SIDES: [u32; 9] = [0, 1, 8, 2000, 8192, 16_384, 16_385, 65_535, 0x7fff_ffff];
    let (what, bytes) = match random.below(6) {
        0 | 1 => {
            let (width, height) = (*one_of(&SIDES, random), *one_of(&SIDES, random));
            let (depth, color) =
                *one_of(&[(8, 2), (8, 6), (16, 6), (1, 0), (8, 3), (1, 3), (4, 3), (16, 3), (7, 9)], random);
            let (interlace, megabytes) = (random.below(3) as u8, *one_of(&[0, 1, 20], random));
            let palette = random.below(2) == 0;
            let bytes = png(width, height, depth, color, interlace, megabytes, palette);
            (
                format!(
                    "PNG of {width} x {height}, depth {depth}, color {color}, interlace {interlace}, {megabytes} MiB of zeros"
                ),
                bytes,
            )
        }
        2 => {
            let (width, height) = (*one_of(&SIDES, random) as u16, *one_of(&SIDES, random) as u16);
            (format!("JPEG of {width} x {height}"), jpeg(width, height))
        }
        3 => {
            let format = *one_of(&[image::ImageFormat::Png, image::ImageFormat::Jpeg], random);
            let mut bytes = encoded(format);
            for _ in 0..1 + random.below(8) {
                let place = 8 + random.below(bytes.len() - 8);
                bytes[place] = random.bits() as u8;
            }
            (format!("{format:?} with changed bytes"), bytes)
        }
        4 => {
            let format = *one_of(&[image::ImageFormat::Png, image::ImageFormat::Jpeg], random);
            let bytes = encoded(format);
            let length = random.below(bytes.len());
            (format!("{format:?} cut to {length} bytes"), bytes[..length].to_vec())
        }
        _ => {
            let chunks = [
                chunk(b"IHDR", &[0, 0, 0, 4, 0, 0, 0, 4, 8, 6, 0, 0, 0]),
                chunk(b"PLTE", &vec![7; random.below(900)]),
                chunk(b"tRNS", &vec![7; random.below(300)]),
                chunk(b"iCCP", b"a\0\0x\x9c\xff\xff"),
                chunk(b"zTXt", b"a\0\0x\x9c"),
                chunk(b"acTL", &[0xff; 8]),
                chunk(b"fcTL", &[0xff; 26]),
                chunk(b"IDAT", &[0x78, 0x9c, 0xff]),
                [&0xffff_fff0u32.to_be_bytes()[..], b"IDAT"].concat(),
                chunk(b"IEND", &[]),
            ];
            let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
            let mut order = Vec::new();
            for _ in 0..1 + random.below(8) {
                let i = random.below(chunks.len());
                order.push(i);
                bytes.extend_from_slice(&chunks[i]);
            }
            (format!("PNG of the chunks {order:?}"), bytes)
        }
    };
    let offset = work.bin.len();
    work.bin.extend_from_slice(&bytes);
    work.bin.resize(work.bin.len().next_multiple_of(4).max(4), 0);
    let length = work.bin.len();
    if list(&work.json, "buffers").is_empty() {
        push(&mut work.json, "buffers", json!({}));
    }
    work.json["buffers"][0] = json!({"byteLength": length});
    let view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len().max(1)});
    let view = push(&mut work.json, "bufferViews", view);
    let mime = *one_of(&["image/png", "image/jpeg", "image/webp", "text/html"], random);
    let image = push(&mut work.json, "images", json!({"bufferView": view, "mimeType": mime}));
    let texture = push(&mut work.json, "textures", json!({"source": image}));
    let slot = json!({"index": texture});
    let material = match random.below(3) {
        0 => json!({"pbrMetallicRoughness": {"baseColorTexture": slot}}),
        1 => json!({"normalTexture": slot}),
        _ => json!({"emissiveTexture": slot, "emissiveFactor": [1, 1, 1]}),
    };
    let material = push(&mut work.json, "materials", material);
    if work.json["meshes"][0]["primitives"][0].is_object() {
        work.json["meshes"][0]["primitives"][0]["material"] = json!(material);
    }
    format!("{what}, {} bytes, said to be {mime}", bytes.len())
}

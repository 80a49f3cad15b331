//! Other file formats under a model's name.

use super::{Work, image_bomb, one_of, text};
use crate::support::glb::container;
use crate::support::random::Random;

/// Replaces the file by another format.
pub(super) fn disguise(work: &mut Work, random: &mut Random) -> String {
    let json = text(&work.json);
    let whole = container(&json, &work.bin);
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(json.iter().flat_map(|byte| [*byte, 0])).collect();
    let noise: Vec<u8> = (0..1 + random.below(5000)).map(|_| random.bits() as u8).collect();
    let kinds: [(&str, Vec<u8>); 19] = [
        ("empty", Vec::new()),
        ("a PNG", image_bomb::small()),
        ("a ZIP archive", [b"PK\x03\x04\x14\0\0\0", &noise[..]].concat()),
        ("gzip", [b"\x1f\x8b\x08\0", &noise[..]].concat()),
        ("a program", [b"\x7fELF\x02\x01\x01", &noise[..]].concat()),
        ("HTML", b"<!DOCTYPE html><html><head><title>404</title></head></html>\n".to_vec()),
        ("an OBJ", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_vec()),
        ("FBX", b"Kaydara FBX Binary  \0\x1a\0".to_vec()),
        ("Blender", b"BLENDER-v300".to_vec()),
        ("a pointer of Git LFS", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".to_vec()),
        ("noise", noise),
        ("zeros", vec![0; 1 + random.below(1 << 20)]),
        ("braces", b"{".repeat(1 + random.below(1 << 16))),
        ("UTF-16", utf16),
        ("JSON with a byte order mark", [b"\xef\xbb\xbf", &json[..]].concat()),
        ("JSON of another kind", b"[1, 2, {\"asset\": {\"version\": \"2.0\"}}]".to_vec()),
        ("the magic alone", b"glTF".to_vec()),
        ("glTF 1", [b"glTF\x01\0\0\0", &whole[8..]].concat()),
        ("a container in a container", container(&whole, &work.bin)),
    ];
    let (what, bytes) = one_of(&kinds, random);
    work.file = *one_of(&["model.glb", "model.gltf"], random);
    work.bytes = Some(bytes.clone());
    format!("{what} as {}", work.file)
}

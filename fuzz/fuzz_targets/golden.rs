//! Arbitrary bytes as a golden PNG: pixels and text of bounded size, which survive another encoding.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview_render::image_file::{decode_png, encode_png, png_size};
use rigview_fuzz::allow_caught_panics;

fuzz_target!(init: allow_caught_panics(), |bytes: &[u8]| {
    // As in a comparison, the size is read before pixels are decoded.
    if !png_size(bytes).is_some_and(|[width, height]| u64::from(width) * u64::from(height) <= 1 << 20) {
        return;
    }
    let Ok(png) = decode_png(bytes) else { return };
    assert_eq!(png_size(bytes), Some([png.width, png.height]));
    assert_eq!(png.rgba.len(), png.width as usize * png.height as usize * 4);
    let again = decode_png(&encode_png(png.width, png.height, &png.rgba, &png.metadata)).expect("an encoded image");
    assert!(again.rgba == png.rgba && again.metadata == png.metadata, "{:?} {:?}", png.metadata, again.metadata);
});

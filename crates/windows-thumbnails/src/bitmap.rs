//! Bitmaps of GDI.

use png::{BitDepth, ColorType, Decoder};
use std::io::{Cursor, Error, Result};
use std::ptr;
use windows::Win32::Graphics::Gdi::{
    BI_RGB, BITMAPINFO, BITMAPINFOHEADER, CreateDIBSection, DIB_RGB_COLORS, DeleteObject, HBITMAP,
};

/// Returns a bitmap with premultiplied alpha. The caller owns it.
pub(crate) fn from_png(png: &[u8]) -> Result<HBITMAP> {
    let mut reader = Decoder::new(Cursor::new(png)).read_info()?;
    let (width, height) = reader.info().size();
    if reader.output_color_type() != (ColorType::Rgba, BitDepth::Eight) || width.max(height) > 2048 {
        return Err(Error::other("not a thumbnail of rigview"));
    }
    let byte_count = 4 * (width * height) as usize;
    let header = BITMAPINFOHEADER {
        biSize: size_of::<BITMAPINFOHEADER>() as u32,
        biWidth: width as i32,
        // Negative: the first row is the top one.
        biHeight: -(height as i32),
        biPlanes: 1,
        biBitCount: 32,
        biCompression: BI_RGB.0,
        ..BITMAPINFOHEADER::default()
    };
    let info = BITMAPINFO { bmiHeader: header, ..BITMAPINFO::default() };
    let mut start = ptr::null_mut();
    // SAFETY: the header has the size of its type. Rows of 32 bits per pixel have no padding, so that the bitmap has `byte_count` bytes,
    // which belong to it until it is deleted.
    let (bitmap, pixels) = unsafe {
        let bitmap = CreateDIBSection(None, &info, DIB_RGB_COLORS, &mut start, None, 0)?;
        (bitmap, std::slice::from_raw_parts_mut(start.cast::<u8>(), byte_count))
    };
    if let Err(error) = reader.next_frame(pixels) {
        // SAFETY: the bitmap is not used any more.
        let _ = unsafe { DeleteObject(bitmap.into()) };
        return Err(error.into());
    }
    for pixel in pixels.as_chunks_mut::<4>().0 {
        let [red, green, blue, alpha] = pixel.map(u16::from);
        let premultiplied = |channel: u16| ((channel * alpha + 127) / 255) as u8;
        *pixel = [premultiplied(blue), premultiplied(green), premultiplied(red), alpha as u8];
    }
    Ok(bitmap)
}

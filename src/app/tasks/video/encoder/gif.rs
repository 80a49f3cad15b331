//! GIF with one color table for all frames. Pixels that do not change are not stored.

use super::spec::VideoSpec;
use crate::app::AppError;
use crate::app::files::atomic_write::AtomicFile;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use rigview_render::image_file::{ColorTable, changed_rect};
use std::borrow::Cow;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

pub(crate) struct Gif {
    encoder: Encoder<BufWriter<File>>,
    output: AtomicFile,
    spec: VideoSpec,
    colors: ColorTable,
    last: Vec<u8>,
    frame: usize,
}

impl Gif {
    pub(crate) fn new(file: &Path, spec: VideoSpec, samples: &[Vec<u8>]) -> Result<Self, AppError> {
        let [width, height] = spec.size;
        let (Ok(width), Ok(height)) = (u16::try_from(width), u16::try_from(height)) else {
            return Err(AppError::Usage("a GIF is limited to 65535 x 65535 pixels; use a smaller --size".to_owned()));
        };
        let colors = ColorTable::choose(samples);
        let output = AtomicFile::new(file)?;
        let output_writer = output.writer()?;
        let make = || {
            let mut encoder = Encoder::new(output_writer, width, height, &colors.bytes())?;
            encoder.set_repeat(Repeat::Infinite)?;
            Ok::<_, gif::EncodingError>(encoder)
        };
        let encoder = make().map_err(|error| output.failed(io_error(error)))?;
        Ok(Self { encoder, output, spec, colors, last: Vec::new(), frame: 0 })
    }

    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        let [width, height] = self.spec.size;
        let indices = self.colors.indices(rgba, width as usize);
        let [x, y, w, h] = match self.frame {
            0 => [0, 0, width, height],
            // GIF can only make a pixel transparent again by clearing the whole frame.
            _ if self.spec.transparent => [0, 0, width, height],
            _ => changed_rect(&self.last, &indices, self.spec.size).unwrap_or([0, 0, 1, 1]),
        };
        let mut part = Vec::with_capacity(w as usize * h as usize);
        for row in y..y + h {
            for column in x..x + w {
                let i = (row * width + column) as usize;
                let same = self.frame > 0 && !self.spec.transparent && self.last[i] == indices[i];
                part.push(if same { ColorTable::CLEAR } else { indices[i] });
            }
        }
        let frame = Frame {
            delay: self.spec.schedule.frame_delay(self.frame, 100.0),
            dispose: if self.spec.transparent { DisposalMethod::Background } else { DisposalMethod::Keep },
            transparent: Some(ColorTable::CLEAR),
            left: x as u16,
            top: y as u16,
            width: w as u16,
            height: h as u16,
            buffer: Cow::Owned(part),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(|error| self.output.failed(io_error(error)))?;
        (self.last, self.frame) = (indices, self.frame + 1);
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<(), AppError> {
        let Self { encoder, output, .. } = self;
        // `into_inner` writes the trailer.
        let writer = encoder.into_inner().map_err(|error| output.failed(io_error(error)))?;
        drop(writer.into_inner().map_err(|error| output.failed(error.into_error()))?);
        output.finish()
    }
}

fn io_error(error: gif::EncodingError) -> std::io::Error {
    match error {
        gif::EncodingError::Io(error) => error,
        other => std::io::Error::other(other.to_string()),
    }
}

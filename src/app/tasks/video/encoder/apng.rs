//! Animated PNG: full color with straight alpha.

use super::spec::VideoSpec;
use crate::app::AppError;
use crate::app::files::atomic_write::AtomicFile;
use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder, Filter, Writer};
use rigview_render::image_file::changed_rect;
use std::fs::File;
use std::io::BufWriter;

pub(crate) struct Apng {
    writer: Writer<BufWriter<File>>,
    output: AtomicFile,
    spec: VideoSpec,
    last: Vec<u8>,
    frame: usize,
}

const DELAY_UNITS_PER_SEC: u16 = 1000;

impl Apng {
    pub(crate) fn new(file: &std::path::Path, spec: VideoSpec) -> Result<Self, AppError> {
        let output = AtomicFile::new(file)?;
        let output_writer = output.writer()?;
        let [width, height] = spec.size;
        let make = || -> Result<_, png::EncodingError> {
            let mut encoder = Encoder::new(output_writer, width, height);
            encoder.set_color(ColorType::Rgba);
            encoder.set_depth(BitDepth::Eight);
            encoder.set_compression(Compression::Balanced);
            encoder.set_filter(Filter::Adaptive);
            encoder.set_animated(spec.schedule.frames as u32, 0)?;
            encoder.set_blend_op(BlendOp::Source)?;
            encoder.set_dispose_op(DisposeOp::None)?;
            encoder.write_header()
        };
        let writer = make().map_err(|error| output.failed(error.into()))?;
        Ok(Self { writer, output, spec, last: Vec::new(), frame: 0 })
    }

    pub(crate) fn add(&mut self, rgba: &[u8]) -> Result<(), AppError> {
        let [width, height] = self.spec.size;
        // Only the changed rectangle is stored; a frame has at least one pixel.
        let [x, y, w, h] = match self.frame {
            0 => [0, 0, width, height],
            _ => changed_rect(&self.last, rgba, self.spec.size).unwrap_or([0, 0, 1, 1]),
        };
        let rows = (y..y + h).flat_map(|row| {
            let first = (row * width + x) as usize * 4;
            &rgba[first..first + w as usize * 4]
        });
        let part: Vec<u8> = rows.copied().collect();
        let frame_delay = self.spec.schedule.frame_delay(self.frame, f64::from(DELAY_UNITS_PER_SEC));
        let first = self.frame == 0;
        let writer = &mut self.writer;
        let mut write = || -> Result<(), png::EncodingError> {
            writer.set_frame_delay(frame_delay, DELAY_UNITS_PER_SEC)?;
            if !first {
                writer.reset_frame_position()?;
                writer.set_frame_dimension(w, h)?;
                writer.set_frame_position(x, y)?;
            }
            writer.write_image_data(&part)
        };
        write().map_err(|error| self.output.failed(error.into()))?;
        self.last.clear();
        self.last.extend_from_slice(rgba);
        self.frame += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<(), AppError> {
        let Self { writer, output, .. } = self;
        writer.finish().map_err(|error| output.failed(error.into()))?;
        output.finish()
    }
}

//! Quality of frames while the camera or the pose moves.

use std::time::Duration;

/// A movement with slower frames has less quality.
const MAX_FRAME_TIME: Duration = Duration::from_millis(100);

/// A single slow frame may be that of a compilation.
const MIN_SLOW_FRAMES: u32 = 2;

/// Quality of a frame, the best first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameQuality {
    /// That of a still image.
    #[default]
    Full,
    /// Without occlusion, and one sample per pixel: of llvmpipe's time, a sixth. Edges have steps of one pixel.
    WithoutOcclusion,
    /// Also without shadows, and half the width and height, scaled with a linear filter. More samples would cost as much as the full size.
    Coarse,
}

/// Quality of the next frame of a movement, by the time of former ones.
#[derive(Debug, Default)]
pub struct AdaptiveQuality {
    /// Quality of the next frame.
    pub quality: FrameQuality,
    slow_frames: u32,
}

impl AdaptiveQuality {
    /// Adds the time of a frame. A fast frame of full quality, such as a still one, restores full quality.
    pub fn add(&mut self, drawn: FrameQuality, time: Duration) {
        if time <= MAX_FRAME_TIME {
            self.slow_frames = 0;
            if drawn == FrameQuality::Full {
                self.quality = FrameQuality::Full;
            }
        } else if drawn == self.quality {
            self.slow_frames += 1;
            if self.slow_frames >= MIN_SLOW_FRAMES {
                let is_full = self.quality == FrameQuality::Full;
                let lower = if is_full { FrameQuality::WithoutOcclusion } else { FrameQuality::Coarse };
                *self = Self { quality: lower, slow_frames: 0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_movements_lose_quality_until_a_full_frame_is_fast() {
        let (mut adaptive, [fast, slow]) = (AdaptiveQuality::default(), [20, 300].map(Duration::from_millis));
        let mut qualities = |times: &[(FrameQuality, Duration)]| {
            times.iter().for_each(|(drawn, time)| adaptive.add(*drawn, *time));
            adaptive.quality
        };
        use FrameQuality::{Coarse, Full, WithoutOcclusion};
        assert_eq!(qualities(&[(Full, slow), (Full, fast), (Full, slow)]), Full, "single slow frames");
        assert_eq!(qualities(&[(Full, slow)]), WithoutOcclusion);
        assert_eq!(qualities(&[(Full, slow), (Full, slow)]), WithoutOcclusion, "still images of full quality");
        assert_eq!(qualities(&[(WithoutOcclusion, slow), (WithoutOcclusion, slow)]), Coarse);
        assert_eq!(qualities(&[(Coarse, slow), (Coarse, slow), (Coarse, fast)]), Coarse);
        assert_eq!(qualities(&[(Full, fast)]), Full);
    }
}

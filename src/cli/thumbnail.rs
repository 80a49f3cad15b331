//! Arguments of `rigview thumbnail`.

use crate::request::{ImportRequest, RenderRequest, positive};
use clap::Args;
use rigview_core::import::Limit;
use std::path::{Path, PathBuf};

/// Limits below the defaults, so that hostile files neither keep a file manager waiting nor fill the memory.
const LIMITS: [(Limit, u64); 5] = [
    (Limit::File, 512 << 20),
    (Limit::JsonMemory, 128 << 20),
    (Limit::Decompressed, 256 << 20),
    (Limit::Images, 256 << 20),
    (Limit::Vertices, 1 << 23),
];

#[derive(Clone, Debug, Args)]
pub struct ThumbnailArgs {
    /// Model (.glb, .gltf, .vrm, .vrma, .bvh or .zip), or `-` for standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// PNG file to write, or `-` for standard output
    #[arg(value_name = "OUT")]
    pub output: PathBuf,

    /// Width and height of the image, in pixels. A thumbnail in the file keeps its proportions, and is not enlarged
    #[arg(short, long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(16..=2048))]
    pub size: u32,

    /// Seconds after which the command fails
    #[arg(long = "timeout", value_name = "SECONDS", default_value_t = 10.0, value_parser = positive)]
    pub timeout_secs: f64,

    #[command(flatten)]
    pub policy: ImportRequest,
}

impl ThumbnailArgs {
    /// Returns `true` if a path stands for standard input or output.
    pub fn is_stream(path: &Path) -> bool {
        path == Path::new("-")
    }
}

impl From<&ThumbnailArgs> for RenderRequest {
    /// The rest pose, or the middle frame of a clip without a mesh, with the default look and framing, in twice the size. Without a GPU, four times the pixels take half the time of
    /// four samples per pixel.
    fn from(args: &ThumbnailArgs) -> Self {
        let mut request = Self::new(match ThumbnailArgs::is_stream(&args.input) {
            true => PathBuf::from("standard input"),
            false => args.input.clone(),
        });
        request.size = [2 * args.size; 2];
        request.samples = Some(1);
        request.scene.clip = Some("none".to_owned());
        request.scene.ignore_required = true;
        request.scene.import = args.policy.clone();
        request.scene.import.limits.splice(0..0, LIMITS);
        request
    }
}

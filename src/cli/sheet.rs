//! Arguments of `rigview sheet`.

use super::values::size;
use super::{BackgroundArgs, DebugViewArgs, ImportPolicyArgs, LightArgs};
use crate::request::{ContactSheetRequest, RenderRequest, SceneRequest};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct SheetArgs {
    /// Model to draw (.glb or .gltf)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// PNG file to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,

    /// Clip to include, by name or by index from 0; repeatable [default: the rest pose and all clips]
    #[arg(long = "clip", value_name = "NAME|INDEX")]
    pub clips: Vec<String>,

    /// Number of thumbnails per clip, evenly spaced from its start to its end
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub frames_per_clip: u32,

    /// Width and height of a thumbnail, in pixels
    #[arg(long, value_name = "WxH", default_value = "256x192", value_parser = size)]
    pub thumbnail_size: [u32; 2],

    /// Scene to show, by name or by index from 0 [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// Material variant, by name or by index from 0 [default: the file's default materials]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// Open the file even if it requires an extension that is not supported
    #[arg(long)]
    pub ignore_required: bool,

    #[command(flatten)]
    pub background: BackgroundArgs,

    #[command(flatten)]
    pub light: LightArgs,

    #[command(flatten)]
    pub debug_view: DebugViewArgs,

    #[command(flatten)]
    pub policy: ImportPolicyArgs,
}

impl From<&SheetArgs> for ContactSheetRequest {
    fn from(args: &SheetArgs) -> Self {
        let thumbnail = RenderRequest {
            scene: SceneRequest {
                scene: args.scene.clone(),
                variant: args.variant.clone(),
                ignore_required: args.ignore_required,
                import: (&args.policy).into(),
                ..SceneRequest::default()
            },
            size: args.thumbnail_size,
            background: args.background.to_request(),
            light: (&args.light).into(),
            debug_view: (&args.debug_view).into(),
            ..RenderRequest::new(args.file.clone())
        };
        Self { thumbnail, clips: args.clips.clone(), frames_per_clip: args.frames_per_clip }
    }
}

//! `rigview sheet`.

use super::values::{background, size};
use super::{LightArgs, LookArgs, TrustArgs};
use crate::request::{BackgroundRequest, ContactSheetRequest, RenderRequest, SceneRequest};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `sheet`.
#[derive(Clone, Debug, Args)]
pub struct SheetArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The PNG file to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,

    /// Only this clip, by name or by number from 0. May be repeated [default: all]
    #[arg(long = "clip", value_name = "NAME|INDEX")]
    pub clips: Vec<String>,

    /// Moments of each clip, evenly spread from its start to its end
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub phases: u32,

    /// Width and height of each picture in pixels
    #[arg(long, value_name = "WxH", default_value = "256x192", value_parser = size)]
    pub cell: [u32; 2],

    /// The scene to show, by name or by number from 0 [default: the file's own choice]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// The variant of its materials to show, by name or by number from 0
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// Show what can be shown even when the file requires an extension that rigview lacks
    #[arg(long)]
    pub ignore_required: bool,

    /// How far the file is trusted.
    #[command(flatten)]
    pub trust: TrustArgs,

    /// Behind the models: a color, 0 to 1 as seen on screen, `transparent`, or what lights them, `environment` [default: a
    /// quiet backdrop]
    #[arg(long, value_name = "R,G,B|transparent|environment[:BLUR]", value_parser = background)]
    pub background: Option<BackgroundRequest>,

    /// What lights them.
    #[command(flatten)]
    pub light: LightArgs,

    /// How they are looked at.
    #[command(flatten)]
    pub look: LookArgs,
}

impl From<&SheetArgs> for ContactSheetRequest {
    fn from(args: &SheetArgs) -> Self {
        let thumbnail = RenderRequest {
            scene: SceneRequest {
                scene: args.scene.clone(),
                variant: args.variant.clone(),
                ignore_required: args.ignore_required,
                import: (&args.trust).into(),
                ..SceneRequest::default()
            },
            size: args.cell,
            background: args.background,
            light: (&args.light).into(),
            debug_view: (&args.look).into(),
            ..RenderRequest::new(args.file.clone())
        };
        Self { thumbnail, clips: args.clips.clone(), frames_per_clip: args.phases }
    }
}

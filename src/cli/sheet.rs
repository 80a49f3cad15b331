//! Arguments of `rigview sheet`.

use super::render::BackgroundArgs;
use crate::request::{
    ContactSheetRequest, ConversionRequest, DebugViewRequest, ImportRequest, LightRequest, MotionRequest,
    RenderRequest, SceneRequest, size,
};
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

    #[command(flatten)]
    pub options: ContactSheetRequest,

    /// Width and height of a thumbnail, in pixels
    #[arg(long, value_name = "WxH", default_value = "256x192", value_parser = size)]
    pub size: [u32; 2],

    /// Scene to show, by name or by index from 0 [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// Material variant, by name or by index from 0 [default: the file's default materials]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    #[command(flatten)]
    pub motion: MotionRequest,

    /// Open the file even if it requires an extension that is not supported
    #[arg(long)]
    pub ignore_required: bool,

    #[command(flatten)]
    pub background: BackgroundArgs,

    #[command(flatten)]
    pub light: LightRequest,

    #[command(flatten)]
    pub debug_view: DebugViewRequest,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}

impl From<&SheetArgs> for ContactSheetRequest {
    fn from(args: &SheetArgs) -> Self {
        let thumbnail = RenderRequest {
            scene: SceneRequest {
                scene: args.scene.clone(),
                variant: args.variant.clone(),
                motion: args.motion.clone(),
                ignore_required: args.ignore_required,
                import: args.policy.clone(),
                conversion: args.conversion.clone(),
                ..SceneRequest::default()
            },
            size: args.size,
            background: args.background.background,
            light: args.light.clone(),
            debug_view: args.debug_view.clone(),
            ..RenderRequest::new(args.file.clone())
        };
        Self { thumbnail, ..args.options.clone() }
    }
}

//! Arguments of `rigview sheet`.

use super::render::BackgroundArgs;
use crate::request::{
    ContactSheetRequest, DebugViewRequest, GroundRequest, ImportRequest, LightRequest, RenderRequest, SceneRequest,
    size,
};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser as _};
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
    pub thumbnail_size: [u32; 2],

    /// Scene to show, by name or by index from 0 [default: the file's default scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// Material variant, by name or by index from 0 [default: the file's default materials]
    #[arg(long, value_name = "NAME|INDEX")]
    pub variant: Option<String>,

    /// Import the clips of another file, as `shot` does; repeatable
    #[arg(long = "clips-from", value_name = "FILE")]
    pub clip_sources: Vec<PathBuf>,

    /// Fit imported clips to the joints and proportions of this model
    #[arg(long)]
    pub retarget: bool,

    /// Put the feet on a ground, as `shot` does
    #[arg(long, value_name = "FILE|slope:DEGREES|steps:HEIGHT", value_parser = OsStringValueParser::new().try_map(GroundRequest::try_from))]
    pub feet_on: Option<GroundRequest>,

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
}

impl From<&SheetArgs> for ContactSheetRequest {
    fn from(args: &SheetArgs) -> Self {
        let thumbnail = RenderRequest {
            scene: SceneRequest {
                scene: args.scene.clone(),
                variant: args.variant.clone(),
                clip_sources: args.clip_sources.clone(),
                retarget: args.retarget,
                feet_on: args.feet_on.clone(),
                ignore_required: args.ignore_required,
                import: args.policy.clone(),
                ..SceneRequest::default()
            },
            size: args.thumbnail_size,
            background: args.background.to_request(),
            light: args.light.clone(),
            debug_view: args.debug_view.clone(),
            ..RenderRequest::new(args.file.clone())
        };
        Self { thumbnail, ..args.options.clone() }
    }
}

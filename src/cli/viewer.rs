//! Arguments of the viewer window.

use super::{DebugViewArgs, LightArgs, LodArg, PoseArgs, QualityArg};
use crate::request::{ExposureRequest, LightRequest, ModelSpec, SceneRequest, ViewRequest};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct ViewerArgs {
    /// Models to open (.glb, .gltf or .vrm), or a folder with models; Page Up and Page Down switch between them. FILE:N shows
    /// N instances, and all such models in one scene [default: an empty window]
    #[arg(value_name = "FILE[:N]|FOLDER")]
    pub files: Vec<PathBuf>,

    /// Compare two files from the same view at the same time: split screen, side by side, blinking or difference, with a list
    /// of changes
    #[arg(long)]
    pub compare: bool,

    /// Quality while nothing moves: `high` averages 256 draws, for shadows of the environment and of all lights
    #[arg(long, value_name = "standard|high", default_value = "standard")]
    pub quality: QualityArg,

    /// Anti-aliasing samples per pixel; 1 for none. Limited to what the GPU supports
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,

    /// Level of detail: `auto` draws distant instances of crowds with fewer triangles, within half a pixel of the full mesh
    #[arg(long, value_name = "auto|off", default_value = "auto")]
    pub lod: LodArg,

    /// Start without panels; Tab shows them
    #[arg(long)]
    pub no_ui: bool,

    /// Do not load or save settings such as panel sizes and recent files
    #[arg(long)]
    pub no_config: bool,

    #[command(flatten)]
    pub pose: PoseArgs,

    #[command(flatten)]
    pub light: LightArgs,

    #[command(flatten)]
    pub debug_view: DebugViewArgs,
}

impl From<&ViewerArgs> for ViewRequest {
    fn from(args: &ViewerArgs) -> Self {
        let mut scene = SceneRequest::from(&args.pose);
        let mut files = args.files.clone();
        let mut models = files.iter().map(|file| ModelSpec::from(file.clone().into_os_string()));
        // Files with a count share one scene.
        if models.clone().any(|model| model.count.is_some()) {
            models.next();
            files = vec![scene.crowd.add_models(files[0].clone(), models)];
        }
        Self {
            files,
            scene,
            // A file with physical lights must not open as a white silhouette.
            light: LightRequest {
                exposure: args.light.exposure.unwrap_or(ExposureRequest::Auto),
                occlusion: args.light.occlusion.unwrap_or(true),
                ..LightRequest::from(&args.light)
            },
            debug_view: (&args.debug_view).into(),
            quality: args.quality.into(),
            samples: args.samples,
            level_of_detail: args.lod == LodArg::Auto,
            compare: args.compare,
            hide_panels: args.no_ui,
            ignore_settings: args.no_config,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::Cli;
    use crate::request::ViewRequest;
    use clap::Parser;

    #[test]
    fn files_with_counts_share_a_scene() {
        let view = |words: &[&str]| ViewRequest::from(&Cli::parse_from(words).viewer);
        let ViewRequest { files, scene, .. } = view(&["rigview", "windmill.glb:500", "fox.glb:200", "hare.glb"]);
        assert_eq!(files, ["windmill.glb"].map(std::path::PathBuf::from));
        assert_eq!(scene.crowd.instances, 500);
        let others: Vec<String> = scene.crowd.other_models.iter().map(ToString::to_string).collect();
        assert_eq!(others, ["fox.glb:200", "hare.glb"]);
        let ViewRequest { files, scene, .. } = view(&["rigview", "windmill.glb", "fox.glb", "--instances", "3"]);
        assert_eq!((files.len(), scene.crowd.instances), (2, 3));
        assert!(scene.crowd.other_models.is_empty());
    }
}

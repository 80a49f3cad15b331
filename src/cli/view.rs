//! The window.

use super::{LightArgs, LookArgs, PoseArgs};
use crate::request::{ModelSpec, SceneRequest, ViewRequest};
use clap::Args;
use std::path::PathBuf;

/// Arguments of the window.
#[derive(Clone, Debug, Args)]
pub struct ViewArgs {
    /// The .glb or .gltf files to open; Page Up and Page Down step through several, but those with a number, FILE:N, stand in
    /// one scene, as many of each [default: an empty window]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// What lights it.
    #[command(flatten)]
    pub light: LightArgs,

    /// How it is looked at.
    #[command(flatten)]
    pub look: LookArgs,

    /// Compare two files: same view, same moment, split at a line, in turn, or as their difference; and what differs in
    /// words
    #[arg(long)]
    pub compare: bool,

    /// Anti-aliasing samples for each pixel; 1 for none. At most what the driver offers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,

    /// Begin with only the model in the window; Tab shows the panels
    #[arg(long)]
    pub bare: bool,

    /// Neither read nor write what the window remembers: panels, sizes, recent files
    #[arg(long)]
    pub no_config: bool,
}

impl From<&ViewArgs> for ViewRequest {
    fn from(args: &ViewArgs) -> Self {
        let mut scene = SceneRequest::from(&args.pose);
        let mut files = args.files.clone();
        let mut models = files.iter().map(|file| ModelSpec::from(file.clone().into_os_string()));
        // Files with a count are one scene.
        if models.clone().any(|model| model.count.is_some()) {
            models.next();
            files = vec![scene.crowd.add_models(files[0].clone(), models)];
        }
        Self {
            files,
            scene,
            light: (&args.light).into(),
            debug_view: (&args.look).into(),
            samples: args.samples,
            compare: args.compare,
            hide_panels: args.bare,
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
        let view = |words: &[&str]| ViewRequest::from(&Cli::parse_from(words).view);
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

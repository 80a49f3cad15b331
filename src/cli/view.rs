//! The window.

use super::{LightArgs, LookArgs, Party, PoseArgs};
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

impl ViewArgs {
    /// The same with models that have numbers in the crowd that they make.
    #[must_use]
    pub fn gathered(mut self) -> Self {
        let parties: Vec<Party> = self.files.iter().map(|file| Party::from(file.clone().into_os_string())).collect();
        if parties.iter().any(|party| party.count.is_some()) {
            let file = self.files.swap_remove(0);
            self.files = vec![self.pose.crowd.invite(file, parties.into_iter().skip(1))];
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::Cli;
    use clap::Parser;

    #[test]
    fn files_with_numbers_share_a_scene() {
        let view = |words: &[&str]| Cli::parse_from(words).view.gathered();
        let crowd = view(&["rigview", "windmill.glb:500", "fox.glb:200", "hare.glb"]);
        assert_eq!(crowd.files, ["windmill.glb"].map(std::path::PathBuf::from));
        assert_eq!(crowd.pose.crowd.instances, 500);
        let with: Vec<String> = crowd.pose.crowd.with.iter().map(ToString::to_string).collect();
        assert_eq!(with, ["fox.glb:200", "hare.glb"]);
        let steps = view(&["rigview", "windmill.glb", "fox.glb", "--instances", "3"]);
        assert_eq!((steps.files.len(), steps.pose.crowd.instances), (2, 3));
        assert!(steps.pose.crowd.with.is_empty());
    }
}

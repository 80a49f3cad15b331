//! The program's command line: the viewer's options and the subcommands.

use super::help::with_help_for;
use super::{
    BakeArgs, BenchArgs, CheckArgs, CompareArgs, CompletionsArgs, DiffArgs, ExplainArgs, InfoArgs, ManArgs,
    RetargetArgs, RigMapArgs, SheetArgs, ShotArgs, StoreArgs, TestArgs, ThumbnailArgs, VideoArgs, did_you_mean,
};
use crate::request::WindowRequest;
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};
use rigview_core::util::text::excerpt;
use std::ffi::{OsStr, OsString};
use std::path::Path;

#[derive(Debug, Parser)]
#[command(
    name = "rigview",
    version,
    about = "Viewer for skinned, animated glTF models: interactive window, screenshots, videos, checks and image tests.",
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        rigview fox.glb                                 open a window; drag to orbit, scroll to zoom, Space to pause\n  \
        rigview old.glb new.glb --compare               compare two versions side by side, with a list of changes\n  \
        rigview fox.glb --clip Run --instances 100      a crowd of 100, each with its own start time\n  \
        rigview fox.glb --instances 50 --layout scatter --clips Walk:2,Run:1     two thirds walk, one third runs\n  \
        rigview shot fox.glb -o fox.png                 a screenshot, without a display or a GPU\n  \
        rigview video fox.glb -o fox.gif                a video of a clip, or a turntable\n  \
        rigview sheet fox.glb -o sheet.png              a contact sheet of all clips\n  \
        rigview bake fox.glb --time 0.5 -o posed.glb    the posed mesh as a static model\n  \
        rigview explain fox.glb --vertex 120            why a vertex is where it is\n  \
        rigview retarget walk.bvh anna.glb -o out.glb   the clips of another rig\n  \
        rigview info fox.glb                            contents of the file\n  \
        rigview check fox.glb                           validate the file and its rig\n  \
        rigview diff old.glb new.glb                    list the changes between two models\n  \
        rigview test suite.toml                         compare screenshots with golden images\n\n\
        In the window (on macOS, Ctrl is Cmd):\n  \
        drag, two fingers      orbit; with Shift pan, with Ctrl zoom\n  \
        right-button drag      pan\n  \
        wheel, pinch, + and -  zoom; Shift+wheel pans\n  \
        click                  select the joint with the largest weight under the cursor\n  \
        Space                  play or pause\n  \
        Left, Right            step one frame; with Shift ten frames; with Ctrl to the next key\n  \
        Up, Down               previous or next clip\n  \
        F, R                   frame the model; reset view and playback\n  \
        Tab                    show or hide the panels\n  \
        Page Up, Page Down     previous or next file\n  \
        Ctrl+K, ?              command palette; keyboard shortcuts\n  \
        Ctrl+Z, Ctrl+Shift+Z   undo or redo changes of pose, clips, light and view options\n  \
        Esc                    close the dialog, show the panels, or clear the selection\n  \
        Ctrl+Q                 quit\n  \
        Drop a file on the window to open it.\n\n\
        `rigview COMMAND --help` describes a command."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Options of the window that opens without a command.
    #[command(flatten)]
    pub viewer: WindowRequest,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Save a screenshot as .png; on Linux it needs neither a display nor a GPU
    #[command(after_help = "Examples:\n  \
        rigview shot fox.glb -o fox.png --clip Walk --time 0.25\n  \
        rigview shot fox.glb -o fox.png --clip Walk --time 50%     halfway from the first key to the last\n  \
        rigview shot fox.glb -o fox.png --size 512x512 --background transparent\n  \
        rigview shot fox.glb -o fox.png --eye 0,80,250 --target 0,40,0 --fov 40\n  \
        rigview shot fox.glb -o fox.png --light 0,1,1,3 --background 0,0,0\n  \
        rigview shot fox.glb -o fox.png --environment studio.hdr --environment-rotation 90 --exposure 0.5\n  \
        rigview shot fox.glb -o fox.png --view-mode weights:b_Head_05 --overlay skeleton,legend\n  \
        rigview shot fox.glb -o fox.png --clip Run --time 0.3 --ghosts 3:0.08 --motion-path b_Tail03_014 --overlay grid\n  \
        rigview shot windmill.glb:500 fox.glb:200 -o farm.png --layout scatter")]
    Shot(Box<ShotArgs>),
    /// Render a clip, a turntable or both as .gif, animated .png, image sequence, .mp4 or .webm
    #[command(after_help = "Examples:\n  \
        rigview video fox.glb -o fox.gif --clip Run\n  \
        rigview video fox.glb -o fox.gif --turntable --fps 25 --size 480x480\n  \
        rigview video fox.glb -o fox.png --clip Walk --background transparent       animated PNG\n  \
        rigview video fox.glb -o frames/%04d.png --clip Walk                        image sequence\n  \
        rigview video fox.glb -o fox.mp4 --turntable --size 1280x720                needs ffmpeg\n  \
        rigview video fox.glb -o tail.gif --view-mode weights:b_Tail03_014 --overlay skeleton\n\n\
        Videos loop: the end of the clip is followed by its start, and a turntable lasts complete loops of the clip.")]
    Video(Box<VideoArgs>),
    /// Save a contact sheet as .png: thumbnails of every clip at a few times
    #[command(after_help = "Examples:\n  \
        rigview sheet fox.glb -o sheet.png\n  \
        rigview sheet fox.glb -o sheet.png --clip Walk --clip Run --frames 8 --size 200x200\n  \
        rigview sheet fox.glb -o sheet.png --view-mode weights:b_Head_05")]
    Sheet(Box<SheetArgs>),
    /// Save a small image with a fixed look, for file managers: the thumbnail in the file, or a rendering
    #[command(after_help = "Examples:\n  \
        rigview thumbnail avatar.vrm avatar.png --size 512\n  \
        curl -s https://example.org/fox.glb | rigview thumbnail - - > fox.png\n\n\
        Files that need more than 10 seconds or 2 GiB of memory have no thumbnail.")]
    Thumbnail(ThumbnailArgs),
    /// List the changes between two models: joints, weights, clips, vertices, materials, images and all else, matched by name
    #[command(after_help = "Examples:\n  \
        rigview diff old.glb new.glb\n  \
        rigview diff fox.glb --against-git main          the file in main and the present one, without a checkout\n  \
        rigview diff old.glb new.glb --json | jq '.clips.changed[].clip'\n  \
        rigview diff old.glb new.glb --tolerance degrees=0.1 --tolerance distance=0.001\n\n\
        Default tolerances: distance=1e-5 of the size, degrees=0.01, scale=1e-4, weight=0.003, seconds=1e-4, value=1e-4.\n\
        The output names what is not compared. The order of named items, and how data is stored, are no changes.\n\
        `extras` and unknown extensions are compared by their place in the file.\n\
        Exit code: 0 no changes within the tolerances, 1 changes found, or with --tolerance exact something was not compared,\n\
        2 a file cannot be read, or memory is missing.")]
    Diff(DiffArgs),
    /// Write the posed mesh as a static .glb in world space, without skin, clips or morph targets
    #[command(after_help = "Examples:\n  \
        rigview bake fox.glb --clip Run --time 0.2 -o running.glb\n  \
        rigview bake fox.glb --gpu -o posed.glb         skinned by the vertex shader instead of the CPU")]
    Bake(Box<BakeArgs>),
    /// Print why a vertex is where it is in a pose: its morph targets, and what each joint adds to its position
    #[command(after_help = "Examples:\n  \
        rigview explain fox.glb --vertex 120 --clip Run --time 0.2\n  \
        rigview explain fox.glb --vertex 120 --mesh fox --primitive 0 --pose b_Head_05=0,30,0\n  \
        rigview explain fox.glb --vertex 120 --json | jq '.joints[].weight'\n\n\
        The numbers are those of `rigview bake` with the same options. Of several nodes or instances with the mesh, the first counts.")]
    Explain(Box<ExplainArgs>),
    /// Add the clips of another rig or of motion capture to a model, for its proportions and its rest pose
    #[command(after_help = "Examples:\n  \
        rigview retarget walk.bvh anna.glb -o anna-walks.glb\n  \
        rigview retarget walk.bvh anna.glb -o out.glb --assume up=+Z              where an estimate is wrong\n  \
        rigview video anna.glb --clips-from walk.bvh --retarget -o walk.gif       the same without a new file\n  \
        rigview rig-map anna.glb -o anna.rigmap.toml                              to correct which joint is which\n\n\
        It prints how far standing feet move on the ground, relative to the length of a leg.")]
    Retarget(RetargetArgs),
    /// Print which joint of a rig is the hips, a knee, a finger and so on, for retargeting
    #[command(after_help = "Examples:\n  \
        rigview rig-map anna.glb\n  \
        rigview rig-map anna.glb -o anna.rigmap.toml    writes the map; edit it to correct a joint")]
    RigMap(RigMapArgs),
    /// Describe the contents of a file, and list what is not supported and why
    #[command(after_help = "Examples:\n  rigview info fox.glb\n  rigview info fox.glb --json | jq .clips\n  \
        rigview info models 'props/*.glb'      a table with a line per file\n\n\
        With --json and several files, each line of the output is the object of one file.")]
    Info(InfoArgs),
    /// Validate files against the glTF specification, and find rig problems, with hints how to fix them
    #[command(after_help = "Examples:\n  \
        rigview check fox.glb                           one line per issue; exit code 1 if one is an error\n  \
        rigview check fox.glb --json | jq -r .issues[].code\n  \
        rigview check *.glb --deny warnings --allow RIGVIEW_LOOP_DISCONTINUITY --report report.xml\n\n\
        With --json and several files, each line of the output is the object of one file.")]
    Check(CheckArgs),
    /// Render the shots of a suite and compare them with golden images
    #[command(after_help = "Examples:\n  \
        rigview test --init models/*.glb        write a starter suite, suite.toml\n  \
        rigview test suite.toml                 render and compare; the report is written to rigview-report/\n  \
        rigview test suite.toml --update        write the new and changed images as goldens\n  \
        rigview test suite.toml --update=missing --dry-run     list the missing goldens, and write none\n  \
        rigview test suite.toml --changed-since main     only the shots of models that this branch changes\n  \
        rigview test suite.toml --last-failed   only the shots that did not pass in the former report\n  \
        rigview test suite.toml --dry-run       list the shots with their goldens\n  \
        rigview test a.toml b.toml              several suites with one report\n  \
        rigview test suite.toml --deny uncovered     fail if a model or a clip has no shot\n  \
        rigview test suite.toml --prune         delete the goldens that belong to no shot\n  \
        rigview test suite.toml --filter Walk   only the shots with Walk in their names\n  \
        rigview test suite.toml --shard 2/8 -o part-2      one of eight parts, for one of eight machines\n  \
        rigview test --merge part-* -o report              merge the reports of the parts\n  \
        rigview test suite.toml --accept part-*            write the images of the reports as goldens\n\n\
        Exit code: 0 all passed or updated, 1 an image changed or has no golden, 2 wrong usage, 3 a shot could not be rendered.\n\
        Suite keys and tolerances: docs/image-tests.md")]
    Test(TestArgs),
    /// Check or clean a store of goldens outside of git: goldens = "store:FOLDER" in a suite
    #[command(after_help = "Examples:\n  \
        rigview store verify suite.toml              exit code 1 if a golden is missing or damaged\n  \
        rigview store gc a.toml b.toml --dry-run     count what no suite has, and what is older than 90 days\n  \
        rigview store gc a.toml b.toml --days 30")]
    Store(StoreArgs),
    /// Compare two PNG images with the tolerances of `rigview test`
    #[command(after_help = "Examples:\n  \
        rigview compare golden.png actual.png\n  \
        rigview compare golden.png actual.png -o diff.png --tolerance pixels=40\n  \
        rigview compare golden.png actual.png --mask 0,0,120,40 --mask 0.0,0.9,1.0,0.1 --json | jq .measures\n\n\
        If both images record the same renderer, or one records none, the tolerances for the same renderer apply.\n\
        Exit code: 0 equal within the tolerances, 1 different, 2 an image cannot be read.")]
    Compare(CompareArgs),
    /// Measure the animation time of a crowd and its numerical error, or whole frames
    #[command(after_help = "Examples:\n  \
        rigview bench fox.glb --clip Run\n  \
        rigview bench fox.glb --instances 10000 --json | jq .ns_per_joint\n  \
        rigview bench frame fox.glb --occlusion on")]
    Bench(Box<BenchArgs>),
    /// Print a shell completion script
    #[command(after_help = "Examples:\n  \
        rigview completions bash > ~/.local/share/bash-completion/completions/rigview\n  \
        rigview completions zsh > ~/.zfunc/_rigview         with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc\n  \
        rigview completions fish > ~/.config/fish/completions/rigview.fish")]
    Completions(CompletionsArgs),
    /// Write the manual pages, for packages
    #[command(hide = true)]
    Man(ManArgs),
    /// Render the images that standard input requests, for the Python package
    #[command(hide = true)]
    Session,
}

/// Returns the definition of the command line, with all options and their headings.
pub fn command() -> clap::Command {
    with_help_for(Cli::command(), &[])
}

impl Cli {
    /// Parses the arguments of the program. Ends it for `--help` and for wrong usage.
    pub fn of_program(arguments: impl Iterator<Item = OsString>) -> Self {
        let arguments: Vec<OsString> = arguments.collect();
        let mut command = with_help_for(Self::command(), &arguments);
        if let Some(hint) = arguments.get(1).and_then(|word| mistyped_command(word)) {
            command.error(ErrorKind::InvalidSubcommand, hint).exit();
        }
        let matches = command.try_get_matches_from_mut(arguments);
        let parsed =
            matches.and_then(|matches| Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command)));
        parsed.unwrap_or_else(|error| error.exit())
    }
}

/// Returns the error for a first argument that is neither a file nor a command, but similar to a command.
fn mistyped_command(word: &OsStr) -> Option<String> {
    let text = word.to_str().filter(|text| !text.starts_with('-') && !text.contains(['.', '/', '\\', ':']))?;
    let command = Cli::command();
    let visible = || command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let is_command = command.find_subcommand(text).is_some() || text == "help";
    let hint = did_you_mean(text, visible().map(clap::Command::get_name))?;
    (!is_command && !Path::new(text).exists()).then(|| format!("no command and no file `{}`; {hint}", excerpt(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn mistyped_commands_suggest_one() {
        let hint = |word: &str| mistyped_command(word.as_ref());
        assert_eq!(hint("sho").as_deref(), Some("no command and no file `sho`; did you mean `shot`?"));
        for word in ["shot", "help", "fox.glb", "models/sho", "src", "--vers", "zebra"] {
            assert_eq!(hint(word), None, "{word}");
        }
    }

    #[test]
    fn file_without_command_opens_the_viewer() {
        let cli = Cli::try_parse_from(["rigview", "a.glb", "--clip", "Walk"]).unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.viewer.files[0].to_str(), Some("a.glb"));
    }

    #[test]
    fn vectors_may_start_with_a_minus() {
        let cli =
            Cli::try_parse_from(["rigview", "shot", "a.glb", "-o", "a.png", "--eye", "-1,2,-3", "--light", "-1,0,0,3"]);
        let Some(Command::Shot(shot)) = cli.unwrap().command else { panic!("not a shot") };
        assert_eq!(
            (shot.render.options.eye, shot.render.options.light.lights),
            (Some([-1.0, 2.0, -3.0]), vec![[-1.0, 0.0, 0.0, 3.0]])
        );
    }

    #[test]
    fn invalid_values_are_rejected_with_the_expected_form() {
        for (flag, value, reason) in [
            ("--size", "0x100", "width"),
            ("--size", "100", "width"),
            ("--eye", "1,2", "expected 3 comma-separated numbers"),
            ("--eye", "1,2,nan", "`nan` is not finite"),
            ("--background", "2,0,0", "from 0 to 1"),
            ("--background", "red", "transparent"),
            ("--fov", "180", "angle"),
            ("--light", "0,0,0,1", "0,0,0"),
            ("--light", "0,0,1,-1", "negative"),
            ("--exposure", "40", "stops"),
            ("--environment-intensity", "-1", "negative"),
            ("--tone-mapping", "film", "neutral"),
            ("--time", "inf", "`inf` is not finite"),
            ("--samples", "0", "samples"),
            ("--limit", "images", "NAME=VALUE"),
            ("--limit", "photos=4G", "image-dimension"),
            ("--limit", "images=4T", "4G"),
            ("--limit", "images=99999999999G", "4G"),
        ] {
            let error = Cli::try_parse_from(["rigview", "shot", "a.glb", "-o", "a.png", flag, value]).unwrap_err();
            assert!(error.to_string().contains(reason), "{flag} {value}: {error}");
        }
    }

    #[test]
    fn files_with_counts_share_a_scene() {
        let view = |words: &[&str]| Cli::parse_from(words).viewer.with_window_defaults();
        let WindowRequest { files, scene, .. } = view(&["rigview", "windmill.glb:500", "fox.glb:200", "hare.glb"]);
        assert_eq!(files, ["windmill.glb"].map(std::path::PathBuf::from));
        assert_eq!(scene.crowd.instances, 500);
        let others: Vec<String> = scene.crowd.other_models.iter().map(ToString::to_string).collect();
        assert_eq!(others, ["fox.glb:200", "hare.glb"]);
        let WindowRequest { files, scene, .. } = view(&["rigview", "windmill.glb", "fox.glb", "--instances", "3"]);
        assert_eq!((files.len(), scene.crowd.instances), (2, 3));
        assert!(scene.crowd.other_models.is_empty());
    }
}

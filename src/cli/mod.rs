//! Arguments to a checked command: one file for each command, and what they share.

mod bake;
mod bench;
mod check;
mod crowd;
mod diff;
mod film;
mod generate;
mod info;
mod light;
mod line;
mod look;
mod pose;
mod sheet;
mod shot;
mod test;
mod trust;
mod values;
mod view;

pub use bake::BakeArgs;
pub use bench::{BenchArgs, Contest, ContestArgs, SimdLevelArg, UpdateArgs};
pub use check::{CheckArgs, Deny};
pub use crowd::CrowdArgs;
pub use diff::DiffArgs;
pub use film::FilmArgs;
pub use generate::{CompletionsArgs, ManArgs, manual};
pub use info::InfoArgs;
pub use light::{LightArgs, ToneMappingArg};
pub use line::{parse_shot_options, shot_command_line, shot_options};
pub use look::LookArgs;
pub use pose::PoseArgs;
pub use sheet::SheetArgs;
pub use shot::ShotArgs;
pub use test::TestArgs;
pub use trust::TrustArgs;
pub use view::ViewArgs;

use clap::{Parser, Subcommand};

/// A viewer for skinned, animated glTF models.
#[derive(Debug, Parser)]
#[command(
    name = "rigview",
    version,
    about = "Shows skinned, animated glTF models: in a window, in pictures, in numbers.",
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        rigview fox.glb                                 open a window; drag to turn, scroll to zoom, space to pause\n  \
        rigview old.glb new.glb --compare               both from one place at one moment: a line to drag, what differs in words\n  \
        rigview fox.glb --clip Run --instances 100      a hundred foxes, each at its own moment of the run\n  \
        rigview fox.glb --instances 50 --layout scatter --clips Walk:2,Run:1     most of them walk, some run\n  \
        rigview shot fox.glb -o fox.png                 a picture, without a display or a GPU\n  \
        rigview bake fox.glb --time 0.5 -o posed.glb    the mesh as it stands half a second into the first clip\n  \
        rigview info fox.glb                            what is in the file\n  \
        rigview check fox.glb                           what is wrong with it\n  \
        rigview diff old.glb new.glb                    what differs between two rigs\n  \
        rigview film fox.glb -o fox.gif                 a film of a clip, or a turntable\n  \
        rigview sheet fox.glb -o sheet.png              every clip on one picture\n  \
        rigview test suite.toml                         compare pictures with those that were right\n\n\
        In the window:\n  \
        drag, two fingers      turn; with Shift pan, with Control zoom\n  \
        drag with the right    pan\n  \
        wheel, pinch, + and -  zoom; wheel with Shift pans\n  \
        click                  select the joint that moves what is there\n  \
        Space                  play, pause\n  \
        Left, Right            step a frame; ten with Shift; to the next key with Control\n  \
        Up, Down               previous clip, next clip\n  \
        F, R                   frame the model; start again: first view, first moment\n  \
        Tab                    hide the panels, show them again\n  \
        Page Up, Page Down     previous file, next file\n  \
        Ctrl+K, ?              find an action by its name; show every key\n  \
        Esc                    close what lies over the model, let go of what is selected\n  \
        Ctrl+Q                 close the window\n  \
        A file dropped on the window is opened in it.\n\n\
        `rigview COMMAND --help` tells more of a command."
)]
pub struct Cli {
    /// What to do; without one, FILE is opened in a window.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The window that opens without a command.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// What the program can do besides opening a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Take a picture: needs neither a display nor a GPU
    #[command(after_help = "Examples:\n  \
        rigview shot fox.glb -o fox.png --clip Walk --time 0.25\n  \
        rigview shot fox.glb -o fox.png --size 512x512 --background transparent\n  \
        rigview shot fox.glb -o fox.png --eye 0,80,250 --target 0,40,0 --fov 40\n  \
        rigview shot fox.glb -o fox.png --light 0,1,1,3 --background 0,0,0\n  \
        rigview shot fox.glb -o fox.png --environment studio.hdr --environment-rotation 90 --exposure 0.5\n  \
        rigview shot fox.glb -o fox.png --look weights:b_Head_05 --skeleton --legend\n  \
        rigview shot fox.glb -o fox.png --clip Run --time 0.3 --ghosts 3:0.08 --trail b_Tail03_014 --grid\n  \
        rigview shot windmill.glb:500 fox.glb:200 -o farm.png --layout scatter")]
    Shot(Box<ShotArgs>),
    /// Make a film of a clip, a turntable or both: .gif, animated .png, pictures, .mp4 or .webm
    #[command(after_help = "Examples:\n  \
        rigview film fox.glb -o fox.gif --clip Run\n  \
        rigview film fox.glb -o fox.gif --turntable --fps 25 --size 480x480\n  \
        rigview film fox.glb -o fox.png --clip Walk --background transparent       an animated PNG\n  \
        rigview film fox.glb -o frames/%04d.png --clip Walk                        a picture a frame\n  \
        rigview film fox.glb -o fox.mp4 --turntable --size 1280x720                with ffmpeg, when it is installed\n  \
        rigview film fox.glb -o tail.gif --look weights:b_Tail03_014 --skeleton    any way of looking\n\n\
        Films go round: the clip's end is followed by its start, a turntable takes whole rounds of the clip.")]
    Film(Box<FilmArgs>),
    /// Put every clip of a file on one picture, at a few moments each
    #[command(after_help = "Examples:\n  \
        rigview sheet fox.glb -o sheet.png\n  \
        rigview sheet fox.glb -o sheet.png --clip Walk --clip Run --phases 8 --cell 200x200\n  \
        rigview sheet fox.glb -o sheet.png --look weights:b_Head_05")]
    Sheet(Box<SheetArgs>),
    /// Tell what differs between two rigs: joints, weights, clips, meshes and materials, matched by name
    #[command(after_help = "Examples:\n  \
        rigview diff old.glb new.glb\n  \
        rigview diff old.glb new.glb --json | jq '.clips.changed[].clip'\n\n\
        Exit code: 0 the same, 1 they differ, 2 one cannot be read.")]
    Diff(DiffArgs),
    /// Write the posed mesh as a static .glb, in world space, without skin, clip or morph target
    #[command(after_help = "Examples:\n  \
        rigview bake fox.glb --clip Run --time 0.2 -o running.glb\n  \
        rigview bake fox.glb --gpu -o posed.glb         posed by the vertex shader instead of the processor")]
    Bake(Box<BakeArgs>),
    /// Tell what is in a file, and what of it is not shown and why
    #[command(after_help = "Examples:\n  rigview info fox.glb\n  rigview info fox.glb --json | jq .clips")]
    Info(InfoArgs),
    /// Tell what is wrong with files: the specification's errors, and a rig's faults with the cure
    #[command(after_help = "Examples:\n  \
        rigview check fox.glb                           a line for each issue; exit code 1 if one is an error\n  \
        rigview check fox.glb --json | jq -r .issues[].code\n  \
        rigview check *.glb --deny warnings --allow RIGVIEW_LOOP_DISCONTINUITY --junit report.xml\n\n\
        With --json and several files, each line of the output is one file's object.")]
    Check(CheckArgs),
    /// Take the pictures that a suite lists, and compare them with their goldens
    #[command(after_help = "Examples:\n  \
        rigview test --init models/*.glb        write a first suite, suite.toml\n  \
        rigview test suite.toml                 take the pictures and compare; the report is in rigview-report/\n  \
        rigview test suite.toml --bless         take them as the goldens (and end with 1: look at them first)\n  \
        rigview test suite.toml --filter Walk   the shots with Walk in their names\n  \
        rigview test suite.toml --shard 2/8 -o part-2      a part of the suite, on one of eight machines\n  \
        rigview test --merge part-* -o report              the parts' reports as one\n\n\
        Exit code: 0 all the same, 1 a picture differs or has no golden, 2 wrong usage, 3 a picture cannot be taken.\n\
        Keys of a suite and limits: docs/picture-tests.md")]
    Test(TestArgs),
    /// Measure what a crowd costs to animate and to draw, and how exact it is
    #[command(after_help = "Examples:\n  \
        rigview bench fox.glb --clip Run --cpu-only\n  \
        rigview bench fox.glb --instances 10000 --dispatch avx2 --json --cpu-only | jq .ns_per_joint\n  \
        rigview bench transports fox.glb        uniforms, blocks, buffer textures, storage buffers: what each can and costs\n  \
        rigview bench skinning fox.glb          what blending several joints costs over a mesh without a skin")]
    Bench(Box<BenchArgs>),
    /// Print a script that makes a shell complete commands and options
    #[command(after_help = "Examples:\n  \
        rigview completions bash > ~/.local/share/bash-completion/completions/rigview\n  \
        rigview completions zsh > ~/.zfunc/_rigview         with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc\n  \
        rigview completions fish > ~/.config/fish/completions/rigview.fish")]
    Completions(CompletionsArgs),
    /// Write the manual's pages, for packages
    #[command(hide = true)]
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_file_alone_opens_a_window() {
        let cli = Cli::try_parse_from(["rigview", "a.glb", "--clip", "Walk"]).unwrap();
        assert!(cli.command.is_none());
        assert_eq!(cli.view.files[0].to_str(), Some("a.glb"));
    }

    #[test]
    fn vectors_may_begin_with_a_minus() {
        let cli =
            Cli::try_parse_from(["rigview", "shot", "a.glb", "-o", "a.png", "--eye", "-1,2,-3", "--light", "-1,0,0,3"]);
        let Some(Command::Shot(shot)) = cli.unwrap().command else { panic!("not a shot") };
        assert_eq!((shot.eye, shot.light.lights), (Some([-1.0, 2.0, -3.0]), vec![[-1.0, 0.0, 0.0, 3.0]]));
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for (flag, value, reason) in [
            ("--size", "0x100", "width"),
            ("--size", "100", "width"),
            ("--eye", "1,2", "expected 3 numbers"),
            ("--eye", "1,2,nan", "not a number"),
            ("--background", "2,0,0", "from 0 to 1"),
            ("--background", "red", "transparent"),
            ("--fov", "180", "angle"),
            ("--light", "0,0,0,1", "0,0,0"),
            ("--light", "0,0,1,-1", "negative"),
            ("--exposure", "40", "stops"),
            ("--environment-intensity", "-1", "negative"),
            ("--tone-mapping", "filmic", "neutral"),
            ("--time", "inf", "not a number"),
            ("--samples", "0", "samples"),
            ("--limit", "images", "LIMIT=VALUE"),
            ("--limit", "pictures=4G", "image-dimension"),
            ("--limit", "images=4T", "4G"),
            ("--limit", "images=99999999999G", "4G"),
        ] {
            let error = Cli::try_parse_from(["rigview", "shot", "a.glb", "-o", "a.png", flag, value]).unwrap_err();
            assert!(error.to_string().contains(reason), "{flag} {value}: {error}");
        }
    }
}

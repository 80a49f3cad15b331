//! Arguments to a checked command.

mod line;

use crate::suite::{Filter, Shard};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A viewer for skinned, animated glTF models.
#[derive(Debug, Parser)]
#[command(
    name = "rigview",
    version,
    about = "Shows skinned, animated glTF models: in a window, in pictures, in numbers.",
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  \
        rigview fox.glb                                 open a window; drag to turn, scroll to zoom, space to pause\n  \
        rigview fox.glb --clip Run --instances 100      a hundred foxes, each at its own moment of the run\n  \
        rigview shot fox.glb -o fox.png                 a picture, without a display or a GPU\n  \
        rigview bake fox.glb --time 0.5 -o posed.glb    the mesh as it stands half a second into the first clip\n  \
        rigview info fox.glb                            what is in the file\n  \
        rigview check fox.glb                           what is wrong with it\n  \
        rigview test suite.toml                         compare pictures with those that were right\n\n\
        In the window:\n  \
        drag, two fingers      turn; with Shift pan, with Control zoom\n  \
        drag with the right    pan\n  \
        wheel, pinch, + and -  zoom; wheel with Shift pans\n  \
        Space                  play, pause\n  \
        Left, Right            step a frame; ten with Shift\n  \
        Up, Down               previous clip, next clip\n  \
        F                      frame the model\n  \
        R                      start again: first view, first moment\n  \
        Esc                    close\n  \
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
        rigview shot fox.glb -o fox.png --environment studio.hdr --environment-rotation 90 --exposure 0.5")]
    Shot(Box<ShotArgs>),
    /// Write the posed mesh as a static .glb, in world space, without skin, clip or morph target
    #[command(after_help = "Examples:\n  \
        rigview bake fox.glb --clip Run --time 0.2 -o running.glb\n  \
        rigview bake fox.glb --gpu -o posed.glb         posed by the vertex shader instead of the processor")]
    Bake(BakeArgs),
    /// Tell what is in a file, and what of it is not shown and why
    #[command(after_help = "Examples:\n  rigview info fox.glb\n  rigview info fox.glb --json | jq .clips")]
    Info(InfoArgs),
    /// Tell what is wrong with files: the specification's errors, and a rig's faults with the cure
    #[command(after_help = "Examples:\n  \
        rigview check fox.glb                           a line for each issue; exit code 1 if one is an error\n  \
        rigview check fox.glb --json | jq -r .issues[].code\n  \
        rigview check *.glb --deny warnings --allow RIGVIEW_LOOP_SEAM --junit report.xml\n\n\
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
    /// Measure what a crowd costs to animate: nanoseconds for each joint of each instance and frame, and how exact it is
    #[command(after_help = "Examples:\n  \
        rigview bench fox.glb --clip Run --cpu-only\n  \
        rigview bench fox.glb --instances 10000 --dispatch avx2 --json --cpu-only | jq .ns_per_joint")]
    Bench(BenchArgs),
}

/// What is common to everything that poses a model.
#[derive(Clone, Debug, Default, Args)]
pub struct PoseArgs {
    /// The clip to play, by name or by number from 0; `none` for the rest pose [default: the first]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// Seconds into the clip; before its start and after its end the nearest pose holds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub time: f64,

    /// The scene to show, by name or by number from 0 [default: the file's own choice]
    #[arg(long, value_name = "NAME|INDEX")]
    pub scene: Option<String>,

    /// How many to show, on a grid, each at its own phase of the clip
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// Show what can be shown even when the file requires an extension that rigview lacks
    #[arg(long)]
    pub ignore_required: bool,
}

/// What lights a model.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LightArgs {
    /// Light from all around: the `neutral` studio, `none`, or a panorama in an .hdr or .exr file [default: neutral; none
    /// with --light]
    #[arg(long, value_name = "neutral|none|FILE")]
    pub environment: Option<String>,

    /// Turns the environment about the vertical, counter-clockwise as seen from above, in degrees
    #[arg(long, value_name = "DEG", default_value_t = 0.0, value_parser = finite, allow_negative_numbers = true)]
    pub environment_rotation: f64,

    /// What the environment's light is multiplied with
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = brightness, allow_negative_numbers = true)]
    pub environment_intensity: f64,

    /// A white directional light: the vector from the scene to the light, and its illuminance in lux. May be repeated;
    /// giving one replaces the default lighting, and the file's
    #[arg(long = "light", value_name = "X,Y,Z,LUX", value_parser = light, allow_hyphen_values = true)]
    pub lights: Vec<[f64; 4]>,

    /// Brightens by this many stops: each doubles the light
    #[arg(long, value_name = "EV", default_value_t = 0.0, value_parser = stops, allow_negative_numbers = true)]
    pub exposure: f64,

    /// What becomes of light brighter than the screen [default: neutral; none with --light]
    #[arg(long, value_name = "CURVE")]
    pub tone_mapping: Option<ToneMappingArg>,
}

/// What becomes of light brighter than the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ToneMappingArg {
    /// It is cut off
    None,
    /// Khronos PBR Neutral: colours of surfaces stay as they are
    Neutral,
    /// The film look of games
    Aces,
    /// As in Blender: bright colours fade to white
    Agx,
}

/// Arguments of the window.
#[derive(Clone, Debug, Args)]
pub struct ViewArgs {
    /// The .glb or .gltf file to open
    #[arg(value_name = "FILE", required = true)]
    pub file: Option<PathBuf>,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// What lights it.
    #[command(flatten)]
    pub light: LightArgs,

    /// Anti-aliasing samples for each pixel; 1 for none. At most what the driver offers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,
}

/// Arguments of `shot`.
#[derive(Clone, Debug, Args)]
pub struct ShotArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The PNG file to write
    #[arg(short, long, value_name = "OUT.png")]
    pub output: PathBuf,

    /// What is shown of it.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size)]
    pub size: [u32; 2],

    /// Where the camera stands, in metres [default: so that the whole clip is in the picture]
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true, conflicts_with = "camera")]
    pub eye: Option<[f64; 3]>,

    /// The point that the camera looks at [default: the middle of the model]
    #[arg(long, value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true, conflicts_with = "camera")]
    pub target: Option<[f64; 3]>,

    /// Vertical field of view in degrees [default: 35]
    #[arg(long, value_name = "DEG", value_parser = field_of_view, conflicts_with = "camera")]
    pub fov: Option<f64>,

    /// A camera of the file, by name or by number from 0
    #[arg(long, value_name = "NAME|INDEX")]
    pub camera: Option<String>,

    /// Colour behind the model, 0 to 1 as seen on screen, or `transparent` [default: a quiet backdrop]
    #[arg(long, value_name = "R,G,B|transparent", value_parser = background)]
    pub background: Option<BackgroundArg>,

    /// What lights it.
    #[command(flatten)]
    pub light: LightArgs,

    /// Anti-aliasing samples for each pixel; 1 for none. At most what the driver offers
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub samples: u32,
}

/// Arguments of `bake`.
#[derive(Clone, Debug, Args)]
pub struct BakeArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The .glb file to write
    #[arg(short, long, value_name = "POSED.glb")]
    pub output: PathBuf,

    /// What is posed.
    #[command(flatten)]
    pub pose: PoseArgs,

    /// Pose the vertices with the vertex shader that draws them instead of on the processor
    #[arg(long)]
    pub gpu: bool,
}

/// Arguments of `info`.
#[derive(Clone, Debug, Args)]
pub struct InfoArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The .glb or .gltf files
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// One JSON object a file instead of text
    #[arg(long)]
    pub json: bool,

    /// Write the issues to this file too, as SARIF 2.1.0
    #[arg(long, value_name = "PATH")]
    pub sarif: Option<PathBuf>,

    /// Write the issues to this file too, as a JUnit report
    #[arg(long, value_name = "PATH")]
    pub junit: Option<PathBuf>,

    /// Fail on warnings as on errors
    #[arg(long, value_name = "warnings")]
    pub deny: Option<Deny>,

    /// Leave out issues of this code. May be repeated
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub allow: Vec<String>,
}

/// What `check` fails on besides errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Deny {
    /// Warnings.
    Warnings,
}

/// Arguments of `test`.
#[derive(Clone, Debug, Args)]
pub struct TestArgs {
    /// The suite; with --init the models, with --merge the folders of the reports
    #[arg(value_name = "SUITE.toml", required = true)]
    pub files: Vec<PathBuf>,

    /// Write a first suite for the named models, to SUITE.toml or to the file given with `=`
    #[arg(long, value_name = "SUITE.toml", num_args = 0..=1, require_equals = true,
        default_missing_value = "suite.toml", conflicts_with_all = ["merge", "bless", "filters", "shard"])]
    pub init: Option<PathBuf>,

    /// Make one report of the reports of all shards
    #[arg(long, conflicts_with_all = ["bless", "filters", "shard", "fail_fast"])]
    pub merge: bool,

    /// The folder of the report
    #[arg(short, long, value_name = "FOLDER", default_value = "rigview-report")]
    pub output: PathBuf,

    /// Take the pictures as the goldens where they differ; such a run ends with 1
    #[arg(long)]
    pub bless: bool,

    /// Only shots with TEXT in their name; with `*` or `?` in it, only those whose whole name matches. May be repeated
    #[arg(long = "filter", value_name = "TEXT")]
    pub filters: Vec<Filter>,

    /// Only a part of the suite, such as 2/8; all parts together are the suite
    #[arg(long, value_name = "PART/PARTS")]
    pub shard: Option<Shard>,

    /// Stop at the first picture that is not as it should be
    #[arg(long)]
    pub fail_fast: bool,

    /// How many models are read ahead while others are drawn [default: one for each processor, at most 4]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub jobs: Option<u32>,
}

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// The .glb or .gltf file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The clip to play, by name or by number from 0; `none` for the rest pose [default: the first]
    #[arg(long, value_name = "NAME|INDEX|none")]
    pub clip: Option<String>,

    /// How many instances, each at its own phase of the clip
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub instances: u32,

    /// Frames in each of the rounds of which the median is told [default: as many as take about 0.1 s]
    #[arg(long, value_name = "F", value_parser = clap::value_parser!(u32).range(1..))]
    pub frames: Option<u32>,

    /// Threads that animate
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: u32,

    /// The instructions to use: `scalar` is the double precision path that the others are measured against
    /// [default: the widest that this processor has]
    #[arg(long, value_name = "LEVEL")]
    pub dispatch: Option<DispatchArg>,

    /// Only the animation; needs no OpenGL. Drawing is not measured yet, with or without this
    #[arg(long)]
    pub cpu_only: bool,

    /// One JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// How a crowd is animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DispatchArg {
    /// 16 lanes.
    Avx512,
    /// 8 lanes.
    Avx2,
    /// 4 lanes.
    Baseline,
    /// One instance after the other, in double precision.
    Scalar,
}

/// What is behind the model, as asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BackgroundArg {
    /// A colour as seen on screen.
    Colour([f64; 3]),
    /// Nothing.
    Transparent,
}

fn code(text: &str) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') {
        Ok(text.to_owned())
    } else {
        Err("expected a code such as NODE_EMPTY, as the issues name it".to_owned())
    }
}

fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(format!("`{text}` is not a number")),
    }
}

fn numbers<const N: usize>(text: &str) -> Result<[f64; N], String> {
    let numbers: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    numbers
        .try_into()
        .map_err(|got: Vec<f64>| format!("expected {N} numbers with commas between them, got {}", got.len()))
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=16_384).contains(side));
    text.split_once(['x', 'X'])
        .and_then(|(width, height)| Some([side(width)?, side(height)?]))
        .ok_or_else(|| "expected a width and a height from 1 to 16384, such as 1280x720".to_owned())
}

fn field_of_view(text: &str) -> Result<f64, String> {
    match finite(text)? {
        degrees if (0.1..179.0).contains(&degrees) => Ok(degrees),
        _ => Err("expected an angle between 0.1 and 179 degrees".to_owned()),
    }
}

fn light(text: &str) -> Result<[f64; 4], String> {
    let light = numbers::<4>(text)?;
    if light[..3] == [0.0; 3] {
        return Err("the direction to the light must not be 0,0,0".to_owned());
    }
    if light[3] < 0.0 { Err("light cannot be negative".to_owned()) } else { Ok(light) }
}

fn brightness(text: &str) -> Result<f64, String> {
    match finite(text)? {
        x if x >= 0.0 => Ok(x),
        _ => Err("light cannot be negative".to_owned()),
    }
}

fn stops(text: &str) -> Result<f64, String> {
    match finite(text)? {
        ev if ev.abs() <= 32.0 => Ok(ev),
        _ => Err("expected stops from -32 to 32".to_owned()),
    }
}

fn background(text: &str) -> Result<BackgroundArg, String> {
    if text == "transparent" {
        return Ok(BackgroundArg::Transparent);
    }
    let colour = numbers::<3>(text).map_err(|_| "expected three numbers such as 0.2,0.2,0.25, or `transparent`")?;
    if colour.iter().all(|c| (0.0..=1.0).contains(c)) {
        Ok(BackgroundArg::Colour(colour))
    } else {
        Err("expected numbers from 0 to 1".to_owned())
    }
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
        assert_eq!(cli.view.file.unwrap().to_str(), Some("a.glb"));
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
        ] {
            let error = Cli::try_parse_from(["rigview", "shot", "a.glb", "-o", "a.png", flag, value]).unwrap_err();
            assert!(error.to_string().contains(reason), "{flag} {value}: {error}");
        }
    }
}

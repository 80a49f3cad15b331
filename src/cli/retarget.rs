//! Arguments of `rigview retarget` and `rigview rig-map`.

use crate::request::{ConversionRequest, ImportRequest};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct RetargetArgs {
    /// Model or motion capture with the clips (.glb, .gltf, .vrm, .vrma, .bvh or .zip)
    #[arg(value_name = "SOURCE")]
    pub source: PathBuf,

    /// Model that gets the clips
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,

    /// File to write: the target with the clips of the source; a .vrm for a .vrm target, which stays an avatar
    #[arg(short, long, value_name = "OUT.glb")]
    pub output: PathBuf,

    /// Refuse a motion or model whose rest pose, up or facing is uncertain, instead of printing a notice
    #[arg(long, value_name = "low-confidence")]
    pub deny: Option<DenyRetarget>,

    /// Replace an estimate for the motion, or with `model.` for the model: kind, up, facing, rest, or the joint of a role, such as up=+Z,
    /// model.rest=T or hips=Bip01. Repeatable
    #[arg(long, value_name = "[model.]NAME=VALUE", value_parser = assumption)]
    pub assume: Vec<Assumption>,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}

/// A line of a rig map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// `true` for the map of the model, `false` for that of the motion.
    pub is_of_model: bool,
    /// A setting or a role.
    pub name: String,
    pub value: String,
}

fn assumption(text: &str) -> Result<Assumption, String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as up=+Z or model.rest=T")?;
    let of_model = name.strip_prefix("model.");
    let name = of_model.unwrap_or(name).to_owned();
    Ok(Assumption { is_of_model: of_model.is_some(), name, value: value.to_owned() })
}

/// Notices that make `retarget` fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DenyRetarget {
    /// An uncertain rest pose, up or facing
    LowConfidence,
}

#[derive(Clone, Debug, Args)]
pub struct RigMapArgs {
    /// Model (.glb, .gltf, .vrm, .vrma, .bvh or .zip)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,

    /// Write the map, for corrections; MODEL.rigmap.toml next to the model is read by every command
    #[arg(short, long, value_name = "MODEL.rigmap.toml", conflicts_with = "json")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub policy: ImportRequest,

    #[command(flatten)]
    pub conversion: ConversionRequest,
}

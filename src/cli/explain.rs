//! Arguments of `rigview explain`.

use crate::request::SceneRequest;
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// Model with the vertex (.glb or .gltf)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Vertex to explain, by its index from 0 in the primitive
    #[arg(long, value_name = "INDEX")]
    pub vertex: usize,

    /// Mesh with the vertex, by name or by index from 0 [default: the first of the scene]
    #[arg(long, value_name = "NAME|INDEX")]
    pub mesh: Option<String>,

    /// Primitive with the vertex, by its index from 0 in the mesh
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    pub primitive: usize,

    /// Print a JSON object instead of text
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub pose: SceneRequest,
}

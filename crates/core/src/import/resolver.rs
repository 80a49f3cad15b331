//! External files that are not in a folder.

use std::fmt;
use std::io;
use std::sync::Arc;

/// Reads the external files of a model: buffers and images of a `.gltf` file in an archive or on a server.
///
/// ```
/// use rigview_core::import::{FileResolver, ImportOptions, from_bytes};
/// use std::{collections::HashMap, io};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // The content of an archive.
/// let positions: Vec<u8> = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].into_iter().flat_map(f32::to_le_bytes).collect();
/// let archive = HashMap::from([("data/triangle.bin".to_owned(), positions)]);
/// let gltf = br#"{ "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
///     "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
///     "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
///     "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
///     "buffers": [{ "byteLength": 36, "uri": "data/triangle.bin" }] }"#;
///
/// let read = move |path: &str| archive.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into());
/// let options = ImportOptions::default().with_resolver(FileResolver::new(read));
/// let model = from_bytes(gltf, None, &options)?.model;
/// assert_eq!(model.meshes[0].primitives[0].vertices.positions[1], [1.0, 0.0, 0.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct FileResolver(Arc<ReadFile>);

type ReadFile = dyn Fn(&str) -> io::Result<Vec<u8>> + Send + Sync;

impl FileResolver {
    /// Creates a resolver from a function that returns the content of a file, or an error of kind
    /// [`NotFound`](io::ErrorKind::NotFound).
    ///
    /// Its argument is the decoded path of a URI, relative to the model, with `/` and without `.`. The path begins with `/` or `..`
    /// only if the policy allows external paths. The import refuses URIs of other schemes. Several threads may call the function.
    pub fn new(read: impl Fn(&str) -> io::Result<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(super) fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        (self.0)(path)
    }
}

impl fmt::Debug for FileResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileResolver(..)")
    }
}

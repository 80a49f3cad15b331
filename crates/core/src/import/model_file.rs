//! Reading of a model with its side files, from a file, an archive or memory.

use super::archive::{Archive, is_zip};
use super::diagnostic::Problem;
use super::error::ImportError;
use super::external_file::{FileError, ReadLength, open_main_file, read_external, read_whole};
use super::limits::{ImportPolicy, Limit, Limits};
use super::side_files::SideFiles;
use crate::util::text::quoted;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Extensions of files that the import opens, in lower case.
pub const MODEL_FILE_EXTENSIONS: [&str; 6] = ["glb", "gltf", "vrm", "vrma", "bvh", "zip"];

/// Other 3D files in archives, which need another program.
const OTHER_EXTENSIONS: [&str; 9] = ["zip", "7z", "rar", "fbx", "blend", "obj", "dae", "usdz", "max"];

/// Maximum number of models that an error lists.
const MAX_LISTED: usize = 3;

/// The bytes of a model, and access to its side files. [`import`](Self::import) makes a model of it.
#[derive(Clone)]
pub struct ModelFile {
    pub(super) bytes: Vec<u8>,
    pub(super) side_files: SideFiles,
    /// The path of the file, or that in its archive; empty in memory.
    pub(super) path: PathBuf,
}

impl fmt::Debug for ModelFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFile").field("path", &self.path).field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

impl ModelFile {
    /// Reads a model file. Of an archive, reads the only model; the path of one of several continues with its path in the archive, as in
    /// `shop.zip/models/fox.glb`.
    ///
    /// # Errors
    /// If the file cannot be read or exceeds a limit, or the archive is damaged or has not exactly one model.
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, ImportError> {
        let read = || match find(path, limits)? {
            Found::File(file) => {
                Ok(Self { bytes: read_whole(file, limits)?, side_files: folder_of(path), path: path.to_owned() })
            }
            Found::InArchive(archive, inner) => Self::of_archive(archive, inner, limits),
        };
        read().map_err(FileError::of_main_file)
    }

    /// A model in memory. URIs of external files are relative to the folder `base`, or to the model's folder in an archive.
    ///
    /// # Errors
    /// If it is an archive that is damaged or has not exactly one model.
    pub fn from_bytes(bytes: Vec<u8>, base: Option<&Path>, limits: &Limits) -> Result<Self, ImportError> {
        if is_zip(&bytes) {
            let read = || {
                let archive = Archive::open(Box::new(Cursor::new(bytes)), limits)?;
                let inner = only_model(&archive, Path::new(""))?;
                Self::of_archive(archive, inner, limits)
            };
            return read().map_err(FileError::of_main_file);
        }
        Ok(Self { bytes, side_files: SideFiles::Folder(base.map(Path::to_owned)), path: PathBuf::new() })
    }

    /// Reads the model of an archive at the path `inner`.
    fn of_archive(archive: Archive, inner: String, limits: &Limits) -> Result<Self, FileError> {
        let bytes = archive.read(&inner, ReadLength::AllOf(limits.get(Limit::File)))?;
        if is_zip(&bytes) {
            return Err(FileError::Archive(format!("{} is an archive in the archive; unpack it", quoted(&inner))));
        }
        let folder = inner.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let side_files = SideFiles::Archive(Arc::new(archive), folder);
        Ok(Self { bytes, side_files, path: inner.into() })
    }

    /// Returns the bytes of the model: a GLB container, JSON or BVH.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads the file of a relative URI: the first `length` bytes, or all of an image within its limit.
    ///
    /// # Errors
    /// A message that starts like `the file "a.bin" is missing`.
    pub fn read_external(&self, uri: &str, policy: &ImportPolicy, length: Option<u64>) -> Result<Vec<u8>, Problem> {
        self.side_files.read(uri, policy, length)
    }
}

/// Opens a model as a stream, with its side files. That of an archive is read into memory.
pub(super) fn open_stream(path: &Path, limits: &Limits) -> Result<(Box<dyn Read>, SideFiles), ImportError> {
    let open = || match find(path, limits)? {
        Found::File(file) => Ok((Box::new(file) as Box<dyn Read>, folder_of(path))),
        Found::InArchive(archive, inner) => {
            let model = ModelFile::of_archive(archive, inner, limits)?;
            Ok((Box::new(Cursor::new(model.bytes)) as Box<dyn Read>, model.side_files))
        }
    };
    open().map_err(FileError::of_main_file)
}

/// Where a model is: in a file of its own, or at a path in an archive.
enum Found {
    File(File),
    InArchive(Archive, String),
}

fn find(path: &Path, limits: &Limits) -> Result<Found, FileError> {
    if let Some((file, inner)) = inside_archive(path) {
        return Ok(Found::InArchive(open_archive(file, limits)?, inner));
    }
    let mut file = open_main_file(path)?;
    if !starts_as_zip(&mut file)? {
        return Ok(Found::File(file));
    }
    let archive = Archive::open(Box::new(file), limits)?;
    let inner = only_model(&archive, path)?;
    Ok(Found::InArchive(archive, inner))
}

fn folder_of(path: &Path) -> SideFiles {
    SideFiles::Folder(Some(path.parent().unwrap_or(Path::new("")).to_owned()))
}

/// Returns the file on disk that has a model: the archive, if the path continues in one.
pub fn file_on_disk(path: &Path) -> &Path {
    inside_archive(path).map_or(path, |(archive, _)| archive)
}

/// Returns the paths of the models in an archive, such as `shop.zip/models/fox.glb`, sorted; none of a file that is no archive.
///
/// Hidden files and folders are left out, and those that macOS adds.
///
/// # Errors
/// If the file cannot be read, or the archive is damaged or has more entries than the limit `elements`.
pub fn models_in_archive(path: &Path, limits: &Limits) -> Result<Vec<PathBuf>, ImportError> {
    let models = || {
        let mut file = open_main_file(path)?;
        if !starts_as_zip(&mut file)? {
            return Ok(Vec::new());
        }
        let archive = Archive::open(Box::new(file), limits)?;
        Ok(model_names(&archive).map(|name| path.join(name)).collect())
    };
    models().map_err(FileError::of_main_file)
}

/// Reads a text file of at most `max_bytes` beside a model, such as a map of its joints: links lead out of its folder only if the
/// policy permits external files.
///
/// # Errors
/// If it cannot be read, is not a regular file in the folder, is longer, or is not UTF-8.
pub fn read_text_beside(path: &Path, max_bytes: u64, policy: &ImportPolicy) -> io::Result<String> {
    let error = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message.to_owned());
    let length = ReadLength::AllOf(max_bytes);
    let bytes = match inside_archive(path) {
        Some((archive, inner)) => {
            open_archive(archive, &policy.limits).and_then(|archive| archive.read(&inner, length))
        }
        None => read_external(path, Some(path.parent().unwrap_or(Path::new(""))), policy, length),
    };
    let bytes = bytes.map_err(|problem| match problem {
        FileError::Outside => error("it is a link that leads out of the model's folder"),
        FileError::NotAFile => error("it is not a regular file"),
        FileError::TooLong { .. } => error(&format!("it is larger than {} MiB", max_bytes >> 20)),
        FileError::TooManyEntries { .. } => error("its archive has too many entries"),
        FileError::Archive(problem) => error(&problem),
        FileError::Io(source) => source,
    })?;
    String::from_utf8(bytes).map_err(|_| error("it is not UTF-8"))
}

/// Splits a path that continues in an archive into that file and the path in it, with `/`.
fn inside_archive(path: &Path) -> Option<(&Path, String)> {
    let is_archive =
        |path: &&Path| path.extension().is_some_and(|found| found.eq_ignore_ascii_case("zip")) && path.is_file();
    let archive = path.ancestors().skip(1).find(is_archive)?;
    let inner = path.strip_prefix(archive).ok()?;
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    Some((archive, parts?.join("/")))
}

fn open_archive(path: &Path, limits: &Limits) -> Result<Archive, FileError> {
    Archive::open(Box::new(open_main_file(path)?), limits)
}

/// Returns `true` if a file is an archive by its first bytes; reads from the start afterwards.
fn starts_as_zip(file: &mut File) -> Result<bool, FileError> {
    let mut start = Vec::new();
    file.take(4).read_to_end(&mut start).and_then(|_| file.rewind()).map_err(FileError::Io)?;
    Ok(is_zip(&start))
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn is_visible(name: &str) -> bool {
    name.split('/').all(|part| !part.starts_with('.') && part != "__MACOSX")
}

fn model_names(archive: &Archive) -> impl Iterator<Item = &str> {
    let is_model = |name: &str| has_extension(name, &MODEL_FILE_EXTENSIONS) && !has_extension(name, &["zip"]);
    archive.names().filter(move |name| is_visible(name) && is_model(name))
}

/// Returns the path of the only model in an archive.
fn only_model(archive: &Archive, file: &Path) -> Result<String, FileError> {
    let mut models: Vec<&str> = model_names(archive).take(MAX_LISTED + 1).collect();
    Err(FileError::Archive(match &models[..] {
        [only] => return Ok((*only).to_owned()),
        [] => match archive.names().find(|name| is_visible(name) && has_extension(name, &OTHER_EXTENSIONS)) {
            Some(other) => {
                format!("the archive has no glTF model, but {}; unpack it, and open that file", quoted(other))
            }
            None => "the archive has no .glb, .gltf, .vrm, .vrma or .bvh file".to_owned(),
        },
        _ => {
            let more = if models.len() > MAX_LISTED { ", ..." } else { "" };
            models.truncate(MAX_LISTED);
            let paths: Vec<String> = models.iter().map(|name| quoted(&file.join(name).to_string_lossy())).collect();
            format!("the archive has several models; open one by its path: {}{more}", paths.join(", "))
        }
    }))
}

//! Output paths: unused names, and checks before anything is rendered.

use crate::app::AppError;
use crate::request::RenderRequest;
use rigview_core::import::{ImportPolicy, ModelOutline, file_on_disk};
use std::path::{Path, PathBuf};

/// [`check_output`] for all inputs of a request.
pub(crate) fn check_request_output(
    output: &Path,
    request: &RenderRequest,
    extension: Option<&str>,
) -> Result<(), AppError> {
    let inputs = request.input_files();
    check_output(output, inputs.iter().map(|file| &*file.path), &request.scene.import.policy(), extension)
}

/// Refuses an output that is one of the `inputs` or an external file of one, or whose extension is not `extension`. `policy` decides
/// which files a model may have.
///
/// Existing special files such as `/dev/stdout` need no extension.
pub(crate) fn check_output<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
    policy: &ImportPolicy,
    extension: Option<&str>,
) -> Result<(), AppError> {
    let refused = |reason: String| Err(AppError::Usage(format!("{}: {reason}", output.display())));
    let is_special = std::fs::metadata(output).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if let Some(extension) = extension
        && !is_special
        && !output.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
    {
        return refused(format!("the output of this command is a .{extension} file"));
    }
    if let Ok(target) = output.canonicalize()
        && !is_special
    {
        let is_target = |path: &Path| file_on_disk(path).canonicalize().is_ok_and(|path| path == target);
        let external =
            |input| ModelOutline::open(input, policy).map_or_else(|_| Vec::new(), |outline| outline.external_files());
        if inputs.into_iter().any(|input| is_target(input) || external(input).iter().any(|path| is_target(path))) {
            return refused("this is an input file; name another output".to_owned());
        }
    }
    Ok(())
}

/// Returns an unused path next to `model`, or to its archive: `fox-1.png`, `fox-2.png` and so on, with `suffix` after the stem.
pub(crate) fn unique_output_path(model: &Path, suffix: &str, extension: &str) -> PathBuf {
    let stem = model.file_stem().unwrap_or(model.as_os_str()).to_string_lossy();
    let name = |number: usize| file_on_disk(model).with_file_name(format!("{stem}{suffix}-{number}.{extension}"));
    let unused = (1..10_000).find(|&number| !name(number).exists());
    name(unused.unwrap_or(10_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_other_extensions_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [model, other] = ["a.png", "b.png"].map(|name| folder.path().join(name));
        std::fs::write(&model, b"model").unwrap();
        let check = |output: &Path, extension| {
            check_output(output, [other.as_path(), &model], &ImportPolicy::default(), extension).is_ok()
        };
        assert!(check(&folder.path().join("out.PNG"), Some("png")));
        assert!(check(&other, Some("png")), "an input that does not exist");
        assert!(!check(&model, Some("png")) && !check(&model, None));
        assert!(!check(&folder.path().join("./a.png"), Some("png")));
        assert!(!check(&folder.path().join("out.jpg"), Some("png")) && !check(&folder.path().join("out"), Some("png")));
        #[cfg(unix)]
        assert!(check(Path::new("/dev/null"), Some("png")));
    }

    #[test]
    fn output_paths_are_unused() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("fox.v2.glb");
        assert_eq!(unique_output_path(&model, "", "png"), folder.path().join("fox.v2-1.png"));
        assert_eq!(unique_output_path(&model, "-sheet", "gif"), folder.path().join("fox.v2-sheet-1.gif"));
        std::fs::write(folder.path().join("fox.v2-1.png"), b"").unwrap();
        assert_eq!(unique_output_path(&model, "", "png"), folder.path().join("fox.v2-2.png"));
    }
}

//! Checks of output paths before anything is rendered.

use crate::app::AppError;
use std::path::Path;

/// Refuses an output that is one of the `inputs`, or whose extension is not `extension`.
///
/// Existing special files such as `/dev/stdout` need no extension.
pub(crate) fn check_output<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
    extension: Option<&str>,
) -> Result<(), AppError> {
    let refused = |reason: String| Err(AppError::ExportFailed { reason: format!("{}: {reason}", output.display()) });
    let is_special = std::fs::metadata(output).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if let Some(extension) = extension
        && !is_special
        && !output.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
    {
        return refused(format!("the output of this command is a .{extension} file"));
    }
    if let Ok(target) = output.canonicalize()
        && !is_special
        && inputs.into_iter().any(|input| input.canonicalize().is_ok_and(|input| input == target))
    {
        return refused("this is an input file; name another output".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_other_extensions_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [model, other] = ["a.png", "b.png"].map(|name| folder.path().join(name));
        std::fs::write(&model, b"model").unwrap();
        let check = |output: &Path, extension| check_output(output, [other.as_path(), &model], extension).is_ok();
        assert!(check(&folder.path().join("out.PNG"), Some("png")));
        assert!(check(&other, Some("png")), "an input that does not exist");
        assert!(!check(&model, Some("png")) && !check(&model, None));
        assert!(!check(&folder.path().join("./a.png"), Some("png")));
        assert!(!check(&folder.path().join("out.jpg"), Some("png")) && !check(&folder.path().join("out"), Some("png")));
        #[cfg(unix)]
        assert!(check(Path::new("/dev/null"), Some("png")));
    }
}

//! Relative paths of models in a suite.

use std::path::{Component, Path, PathBuf};

/// Returns the relative path from `folder` to `file`, with forward slashes.
pub fn relative_path(folder: &Path, file: &Path) -> String {
    let joined = |path: &Path| without_verbatim_prefix(&path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
    let (Ok(folder), Ok(file)) = (folder.canonicalize(), file.canonicalize()) else { return joined(file) };
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (folder.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if common <= 1 {
        return joined(&file);
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    joined(&up.chain(to[common..].iter().copied()).collect::<PathBuf>())
}

/// Removes the prefix of canonical paths of Windows from a path with forward slashes: `//?/C:/a` is `C:/a`.
fn without_verbatim_prefix(path: &str) -> String {
    match (path.strip_prefix("//?/UNC/"), path.strip_prefix("//?/")) {
        (Some(rest), _) => format!("//{rest}"),
        (None, rest) => rest.unwrap_or(path).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbatim_prefix_of_windows_is_removed() {
        let paths = ["//?/C:/m/hare.glb", "//?/UNC/server/share/hare.glb", "C:/m/hare.glb", "../hare.glb"];
        let expected = ["C:/m/hare.glb", "//server/share/hare.glb", "C:/m/hare.glb", "../hare.glb"];
        assert_eq!(paths.map(without_verbatim_prefix), expected);
    }
}

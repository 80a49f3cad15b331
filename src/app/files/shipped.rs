//! Files that come with the program: example models and the guide.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The files that exist on this machine.
pub(crate) struct ShippedFiles {
    pub(crate) models: Vec<PathBuf>,
    /// First page of the guide.
    pub(crate) guide: Option<PathBuf>,
    /// Page of the guide with a section for each code of `rigview check`.
    pub(crate) lints: Option<PathBuf>,
}

/// Searched on first use.
pub(crate) static SHIPPED: LazyLock<ShippedFiles> = LazyLock::new(|| {
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).unwrap_or_default();
    // The folder of the program, /usr of a package, Contents of an .app, and the checkout above target/release.
    let mut roots: Vec<&Path> = program.ancestors().skip(1).take(3).collect();
    let folder = std::env::current_dir().unwrap_or_default();
    roots.push(&folder);
    ShippedFiles::below(&roots)
});

impl ShippedFiles {
    fn below(roots: &[&Path]) -> Self {
        let find = |folders: [&str; 3], name: &str| {
            let files = roots.iter().flat_map(|root| folders.map(|folder| root.join(folder).join(name)));
            files.into_iter().find(|file| file.is_file())
        };
        let page =
            |name: &str| find(["docs/book/src", "share/doc/rigview/guide", "Resources/share/doc/rigview/guide"], name);
        Self {
            models: ["hare.glb", "windmill.glb"]
                .iter()
                .filter_map(|name| find(["assets", "share/rigview", "Resources/share/rigview"], name))
                .collect(),
            guide: page("README.md"),
            lints: page("reference/lints.md"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_checkout_and_of_a_package_are_found() {
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = ShippedFiles::below(&[&checkout.join("target/release"), checkout]);
        assert_eq!(found.models, [checkout.join("assets/hare.glb"), checkout.join("assets/windmill.glb")]);
        assert!(found.guide.is_some() && found.lints.is_some());

        let package = tempfile::TempDir::new().unwrap();
        for folder in ["Resources/share/rigview", "share/rigview"] {
            let models = package.path().join(folder);
            std::fs::create_dir_all(&models).unwrap();
            std::fs::write(models.join("hare.glb"), []).unwrap();
            let found = ShippedFiles::below(&[package.path()]);
            assert_eq!((found.models, found.guide), (vec![models.join("hare.glb")], None));
        }
    }
}

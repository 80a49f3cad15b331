//! Files are opened in few modules, which state what they may read: a second reader beside them would not have their rules.
//!
//! A model refers to files only through `import::external_file`. Everything else reads by `util::regular_file`, which refuses pipes and
//! devices and bounds the size.

use crate::{CRATES, add_files, root};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};

/// Modules that open files or list folders, with the reason.
const OPENING: &[(&str, &str)] = &[
    ("crates/core/src/util/regular_file.rs", "opens all regular files"),
    ("crates/core/src/import/external_file.rs", "suggests a similar name in the folder of a missing file"),
    ("crates/render/src/disk_cache.rs", "lists the folder of the cache"),
    ("crates/render/src/platform/shader_compiler.rs", "lists the threads in /proc"),
    ("crates/suite/src/report/result.rs", "reads the name of the host in /proc"),
    ("crates/suite/src/store.rs", "lists objects, and creates the lock"),
    ("src/app/commands/test/child_process.rs", "reads its own temporary file"),
    ("src/app/commands/test/report_github.rs", "appends to the summary of the job"),
    ("src/app/commands/test/stray_goldens.rs", "lists the folder of the goldens"),
    ("src/app/files/atomic_write.rs", "writes to a device that the user names"),
    ("src/app/files/model_folder.rs", "lists the folder that the user opens"),
];

/// Modules that resolve paths or read their attributes, with the reason.
const RESOLVING: &[(&str, &str)] = &[
    ("crates/core/src/import/external_file.rs", "confines the files of a model to its folder"),
    ("crates/core/src/util/regular_file.rs", "refuses pipes and devices"),
    ("crates/render/src/disk_cache.rs", "ages of the entries of the cache"),
    ("crates/render/src/platform/console/unix.rs", "kind of the standard streams"),
    ("crates/suite/src/changes.rs", "paths in the repository"),
    ("crates/suite/src/git.rs", "paths in the repository"),
    ("crates/suite/src/report/github.rs", "paths in the repository"),
    ("crates/suite/src/store.rs", "ages of the objects"),
    ("crates/suite/src/suite/confinement.rs", "confines an untrusted suite to its folder"),
    ("crates/suite/src/suite/coverage.rs", "models of shots"),
    ("crates/suite/src/suite/relative_path.rs", "paths in a new suite"),
];

/// Folders of the program that resolve paths of the user.
const RESOLVING_FOLDERS: &[(&str, &str)] = &[
    ("src/app/commands/info/", "size of the model"),
    ("src/app/commands/test/", "goldens and reports"),
    ("src/app/files/", "outputs and folders that the user names"),
    ("src/app/scene/load.rs", "sizes of the files that were read"),
    ("src/app/viewer/jobs/", "changes of the files that were read"),
    ("src/app/viewer/ui/overlays/export_dialog.rs", "the folder of an output"),
];

const OPENERS: &[&str] =
    &["File::open", "File::options", "OpenOptions::new", "fs::read", "fs::read_dir", "fs::read_to_string"];
const RESOLVERS: &[&str] = &["canonicalize", "metadata", "read_link", "symlink_metadata"];

/// Uses of the functions above outside of tests.
#[derive(Default)]
struct Uses {
    opens: bool,
    resolves: bool,
}

impl Uses {
    fn add(&mut self, path: &str) {
        let ends_with = |name: &str| path == name || path.ends_with(&format!("::{name}"));
        self.opens |= OPENERS.iter().any(|name| ends_with(name));
        self.resolves |= RESOLVERS.iter().any(|name| path.ends_with(&format!("fs::{name}")));
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = |attribute: &syn::Attribute| {
            let syn::Meta::List(list) = &attribute.meta else { return false };
            attribute.path().is_ident("cfg") && list.tokens.to_string().contains("test")
        };
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&names.join("::"));
        visit::visit_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        // `metadata` of an open file has no path.
        self.resolves |= RESOLVERS.iter().any(|name| call.method == name);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace(' ', "");
        self.opens |= OPENERS.iter().any(|name| text.contains(&format!("{name}(")));
        self.resolves |= RESOLVERS.iter().any(|name| text.contains(&format!(".{name}(")));
    }
}

#[test]
fn files_are_opened_and_paths_resolved_in_listed_modules() {
    let (mut opening, mut resolving) = (BTreeSet::new(), BTreeSet::new());
    for (_, folder) in CRATES {
        let mut files = Vec::new();
        add_files(&root().join(folder), &["rs"], &mut files);
        for path in files {
            let file = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            if file.contains("/tests/") || file.ends_with("tests.rs") {
                continue;
            }
            let mut uses = Uses::default();
            uses.visit_file(&syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap());
            if uses.opens {
                opening.insert(file.clone());
            }
            if uses.resolves && !RESOLVING_FOLDERS.iter().any(|(folder, _)| file.starts_with(folder)) {
                resolving.insert(file);
            }
        }
    }
    let listed = |list: &[(&str, &str)]| list.iter().map(|(file, _)| (*file).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(opening, listed(OPENING), "read files by `util::regular_file`, those of models by `import`");
    assert_eq!(
        resolving,
        listed(RESOLVING),
        "resolve paths of models by `import`, those of suites by `suite::is_beneath`"
    );
}

//! The structure of `src`: which module may use which, and no import cycle between files or folders.
//!
//! The tests parse every source file and resolve its paths, so that `use crate::{a, b}` and paths in expressions count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// Each module of `src/`, and the modules that it may use besides `util`. A new arrow is a deliberate edit of this table.
const ALLOWED_IMPORTS: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("math", &[]),
    ("model", &["math"]),
    ("gltf_format", &["math"]),
    ("import", &["math", "model", "gltf_format"]),
    ("pose", &["math", "model"]),
    ("memory", &[]),
    ("palette", &["math", "memory", "model", "pose"]),
    ("animate", &["math", "model", "pose", "palette"]),
    ("crowd", &["math", "model", "pose", "palette", "animate"]),
    ("scene", &["math", "model", "pose", "palette", "crowd"]),
    ("check", &["math", "model", "gltf_format", "import", "pose", "palette"]),
    ("export", &["math", "model", "import", "palette"]),
    ("compare", &[]),
    // For the limits that a shot may set.
    ("suite", &["compare"]),
    // The GL line: nothing above names a crate of the screen.
    // For the words of its topologies and samplers, which need no second copy.
    ("gpu", &["model"]),
    ("render", &["math", "model", "palette", "scene", "gpu"]),
    ("platform", &["gpu"]),
    ("cli", &["import", "scene", "check", "compare", "suite", "request"]),
    // Plain data between the command line, the window and the commands.
    ("request", &["math", "import", "scene"]),
    (
        "app",
        &[
            "math", "model", "import", "pose", "palette", "crowd", "scene", "check", "export", "compare", "suite",
            "gpu", "render", "platform", "request", "cli",
        ],
    ),
];

/// Modules that need neither OpenGL nor a window.
const CORE: &[&str] =
    &["util", "math", "model", "gltf_format", "import", "pose", "palette", "scene", "check", "export", "compare"];
const WINDOW_AND_GL_CRATES: &[&str] =
    &["glow", "winit", "glutin", "glutin_winit", "egui", "egui_winit", "egui_glow", "rfd", "clap"];

/// A parsed source file.
struct Source {
    /// Path below `src`, with `/`.
    file: String,
    /// Module path, e.g. `["render", "passes", "mesh"]`.
    module: Vec<String>,
    syntax: syn::File,
}

/// The whole tree, and the files that its modules and re-exports stand for.
struct Tree {
    sources: Vec<Source>,
    /// Module path to the index of its file.
    files: BTreeMap<Vec<String>, usize>,
    /// Re-exports by module path and name: the path behind them.
    reexports: BTreeMap<(Vec<String>, String), Vec<String>>,
}

/// A use of one file by another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Import {
    from: String,
    to: String,
    path: String,
}

impl Tree {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut paths = Vec::new();
        rust_files(&root, &mut paths);
        let mut sources = Vec::new();
        for path in paths {
            let file = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            let mut module: Vec<String> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
                module.pop();
            }
            let is_test = module.iter().any(|name| name == "tests");
            if file == "main.rs" || is_test {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
            sources.push(Source { file, module, syntax });
        }
        let files = sources.iter().enumerate().map(|(index, source)| (source.module.clone(), index)).collect();
        let mut tree = Self { sources, files, reexports: BTreeMap::new() };
        let mut reexports = BTreeMap::new();
        for source in &tree.sources {
            for item in &source.syntax.items {
                let syn::Item::Use(item) = item else { continue };
                if !matches!(item.vis, syn::Visibility::Inherited) {
                    for (path, name) in use_paths(&item.tree) {
                        let path = tree.absolute(&source.module, &path);
                        if let Some(path) = path {
                            reexports.insert((source.module.clone(), name), path);
                        }
                    }
                }
            }
        }
        tree.reexports = reexports;
        tree
    }

    /// The path from the crate's root, or `None` for a path into another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut base = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            first => {
                let mut child = module.to_vec();
                child.push(first.to_owned());
                if !self.files.contains_key(&child) {
                    return None;
                }
                child
            }
        };
        for name in &path[1..] {
            if name == "super" {
                base.pop();
            } else {
                base.push(name.clone());
            }
        }
        Some(base)
    }

    /// The index of the file that defines what `path` names; re-exports are followed.
    fn definition(&self, path: &[String]) -> usize {
        let mut path = path.to_vec();
        for _ in 0..8 {
            let depth = (0..=path.len()).rev().find(|depth| self.files.contains_key(&path[..*depth])).unwrap_or(0);
            let index = self.files[&path[..depth]];
            let Some(name) = path.get(depth) else { return index };
            let Some(target) = self.reexports.get(&(path[..depth].to_vec(), name.clone())) else { return index };
            path = [target.as_slice(), &path[depth + 1..]].concat();
        }
        panic!("re-exports in a circle: {path:?}");
    }

    /// Every import of another file, without those of tests and without re-exports.
    fn imports(&self) -> BTreeSet<Import> {
        let mut imports = BTreeSet::new();
        for source in &self.sources {
            let mut collector = Collector { paths: Vec::new(), depth: 0 };
            collector.visit_file(&source.syntax);
            for (path, nesting) in collector.paths {
                // `super` inside an inline module names this file.
                let mut path = path;
                for _ in 0..nesting {
                    if path.first().is_some_and(|first| first == "super") {
                        path.remove(0);
                    }
                }
                let Some(absolute) = self.absolute(&source.module, &path) else { continue };
                let target = &self.sources[self.definition(&absolute)].file;
                if *target != source.file {
                    imports.insert(Import { from: source.file.clone(), to: target.clone(), path: absolute.join("::") });
                }
            }
        }
        imports
    }
}

/// Collects the paths of a file, with the number of inline modules around each.
struct Collector {
    paths: Vec<(Vec<String>, usize)>,
    depth: usize,
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !attributes(item).iter().any(is_test_only) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, item);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if matches!(item.vis, syn::Visibility::Inherited) {
            self.paths.extend(use_paths(&item.tree).into_iter().map(|(path, _)| (path, self.depth)));
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if matches!(names[0].as_str(), "crate" | "super" | "self") && names.len() > 1 {
            self.paths.push((names, self.depth));
        }
        visit::visit_path(self, path);
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        _ => &[],
    }
}

fn is_test_only(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Ident>().is_ok_and(|argument| argument == "test")
}

/// The full paths of a use tree, each with the name that it binds.
fn use_paths(tree: &syn::UseTree) -> Vec<(Vec<String>, String)> {
    fn walk(tree: &syn::UseTree, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
        let joined = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => walk(&path.tree, &joined(&path.ident), found),
            syn::UseTree::Name(name) if name.ident == "self" => {
                found.push((prefix.to_vec(), prefix.last().cloned().unwrap_or_default()));
            }
            syn::UseTree::Name(name) => found.push((joined(&name.ident), name.ident.to_string())),
            syn::UseTree::Rename(rename) => found.push((joined(&rename.ident), rename.rename.to_string())),
            syn::UseTree::Glob(_) => found.push((prefix.to_vec(), "*".to_owned())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| walk(item, prefix, found)),
        }
    }
    let mut found = Vec::new();
    walk(tree, &[], &mut found);
    found
}

fn rust_files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| rust_files(entry, found));
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

/// The groups of nodes that reach each other, larger than one.
fn cycles(edges: &BTreeSet<(String, String)>) -> Vec<Vec<String>> {
    let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        targets.entry(from).or_default().push(to);
        targets.entry(to).or_default();
    }
    let reachable = |start: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
        while let Some(node) = open.pop() {
            for next in &targets[node.as_str()] {
                if seen.insert((*next).to_owned()) {
                    open.push((*next).to_owned());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<String>> = targets.keys().map(|node| (*node, reachable(node))).collect();
    let mut done = BTreeSet::new();
    let mut found = Vec::new();
    for (node, from_node) in &reach {
        if from_node.contains(*node) && !done.contains(*node) {
            let group: Vec<String> =
                from_node.iter().filter(|other| reach[other.as_str()].contains(*node)).cloned().collect();
            done.extend(group.clone());
            found.push(group);
        }
    }
    found
}

/// What stands for `file` among the entries of `folder`: itself, or the subfolder that holds it.
fn entry_of(folder: &str, file: &str) -> Option<String> {
    let inside = file.strip_prefix(folder)?.trim_start_matches('/');
    Some(inside.split('/').next()?.to_owned())
}

fn report(cycle: &[String], imports: &BTreeSet<Import>, name: impl Fn(&str) -> Option<String>) -> String {
    let mut lines = vec![format!("cycle of {}: {}", cycle.len(), cycle.join(", "))];
    for import in imports {
        if let (Some(from), Some(to)) = (name(&import.from), name(&import.to))
            && from != to
            && cycle.contains(&from)
            && cycle.contains(&to)
        {
            lines.push(format!("    {} -> {} ({})", import.from, import.to, import.path));
        }
    }
    lines.join("\n")
}

#[test]
fn files_import_each_other_without_cycles() {
    let imports = Tree::read().imports();
    let edges = imports.iter().map(|import| (import.from.clone(), import.to.clone())).collect();
    let wrong: Vec<String> =
        cycles(&edges).iter().map(|cycle| report(cycle, &imports, |file| Some(file.to_owned()))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn folders_import_each_other_without_cycles() {
    let imports = Tree::read().imports();
    let folders: BTreeSet<String> = imports
        .iter()
        .flat_map(|import| [&import.from, &import.to])
        .flat_map(|file| Path::new(file).ancestors().skip(1).map(|path| path.to_str().unwrap().to_owned()))
        .collect();
    let mut wrong = Vec::new();
    for folder in &folders {
        let entry = |file: &str| {
            let inside = if folder.is_empty() { Some(file) } else { file.strip_prefix(&format!("{folder}/")) };
            inside.and_then(|file| entry_of("", file)).filter(|entry| entry != "mod.rs" && entry != "lib.rs")
        };
        let edges = imports
            .iter()
            .filter_map(|import| Some((entry(&import.from)?, entry(&import.to)?)))
            .filter(|(from, to)| from != to)
            .collect();
        for cycle in cycles(&edges) {
            wrong.push(format!("in src/{folder}: {}", report(&cycle, &imports, entry)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn modules_import_only_lower_layers() {
    let module_of = |file: &str| file.split(['/', '.']).next().unwrap_or_default().to_owned();
    let mut wrong = Vec::new();
    for import in Tree::read().imports() {
        let (from, to) = (module_of(&import.from), module_of(&import.to));
        if from == to || from == "lib" {
            continue;
        }
        match ALLOWED_IMPORTS.iter().find(|(name, _)| *name == from) {
            None => wrong.push(format!("{}: module `{from}` has no row in the table", import.from)),
            Some((_, allowed)) if to != "util" && !allowed.contains(&to.as_str()) => {
                wrong.push(format!("{}: `{from}` uses `{to}`: {}", import.from, import.path));
            }
            Some(_) => {}
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "imports of a higher layer:\n{}", wrong.join("\n"));
}

/// The external crates that a file names in paths.
fn crates_of(source: &Source) -> BTreeSet<String> {
    struct First(BTreeSet<String>);
    impl<'ast> Visit<'ast> for First {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            if path.segments.len() > 1 {
                self.0.insert(path.segments[0].ident.to_string());
            }
            visit::visit_path(self, path);
        }
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            self.0.extend(use_paths(&item.tree).into_iter().filter_map(|(path, _)| path.first().cloned()));
        }
    }
    let mut first = First(BTreeSet::new());
    first.visit_file(&source.syntax);
    first.0
}

#[test]
fn the_core_names_no_window_or_gl_crate() {
    let mut wrong = Vec::new();
    for source in Tree::read().sources {
        if source.module.first().is_some_and(|module| CORE.contains(&module.as_str())) {
            let named = crates_of(&source);
            wrong.extend(
                WINDOW_AND_GL_CRATES
                    .iter()
                    .filter(|name| named.contains(**name))
                    .map(|name| format!("{}: {name}", source.file)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_importer_names_the_gltf_crate() {
    let tree = Tree::read();
    let wrong: Vec<&str> = tree
        .sources
        .iter()
        .filter(|source| {
            source.module.first().is_none_or(|module| module != "import") && crates_of(source).contains("gltf")
        })
        .map(|source| source.file.as_str())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

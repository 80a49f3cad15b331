//! No import cycles between the files or folders of a crate. Cargo refuses cycles of crates.
//!
//! The tests parse every source file and resolve its paths, so that `use crate::{a, b}` and paths in expressions count.

use crate::{CRATES, add_files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};

/// A parsed source file.
struct Source {
    /// Path below the crate's folder, with `/`.
    file: String,
    /// Module path, e.g. `["render", "passes", "mesh"]`.
    module: Vec<String>,
    syntax: syn::File,
}

/// The sources of a crate, and the files that its modules and re-exports stand for.
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
    fn read(folder: &str) -> Self {
        let root = root().join(folder);
        let mut paths = Vec::new();
        add_files(&root, &["rs"], &mut paths);
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
    for (name, folder) in CRATES {
        let imports = Tree::read(folder).imports();
        let edges = imports.iter().map(|import| (import.from.clone(), import.to.clone())).collect();
        let cycles = cycles(&edges);
        let reports: Vec<_> =
            cycles.iter().map(|cycle| report(cycle, &imports, |file| Some(file.to_owned()))).collect();
        assert!(reports.is_empty(), "{name}: {}", reports.join("\n"));
    }
}

#[test]
fn folders_import_each_other_without_cycles() {
    for (name, crate_folder) in CRATES {
        let imports = Tree::read(crate_folder).imports();
        let folders: BTreeSet<String> = imports
            .iter()
            .flat_map(|import| [&import.from, &import.to])
            .flat_map(|file| Path::new(file).ancestors().skip(1).map(|path| path.to_str().unwrap().to_owned()))
            .collect();
        for folder in &folders {
            let entry = |file: &str| {
                let inside = if folder.is_empty() { Some(file) } else { file.strip_prefix(&format!("{folder}/")) };
                let entry = inside?.split('/').next()?;
                (entry != "mod.rs" && entry != "lib.rs").then(|| entry.to_owned())
            };
            let edges = imports
                .iter()
                .filter_map(|import| Some((entry(&import.from)?, entry(&import.to)?)))
                .filter(|(from, to)| from != to)
                .collect();
            let cycles = cycles(&edges);
            let reports: Vec<_> = cycles.iter().map(|cycle| report(cycle, &imports, entry)).collect();
            assert!(reports.is_empty(), "{name}, folder {folder:?}: {}", reports.join("\n"));
        }
    }
}

//! The public items of the libraries, as the package `rigview` re-exports them.
//!
//! `tests/structure/public-items.txt` lists them, so that a diff shows an accidental export.

use crate::{CRATES, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Attribute, ImplItem, Item, ItemUse, UseTree, Visibility};

/// The parsed libraries: items by module path, public methods and constants by crate and name of their type, and all public items.
#[derive(Default)]
struct Libraries {
    modules: BTreeMap<String, Vec<Item>>,
    members: BTreeMap<(String, String), BTreeSet<(&'static str, String)>>,
    public: BTreeSet<String>,
}

/// Returns `true` for items of unit tests.
fn is_excluded(attributes: &[Attribute]) -> bool {
    let mut conditions = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    conditions.any(|attribute| attribute.meta.require_list().unwrap().tokens.to_string() == "test")
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_excluded(attributes)
}

/// Kind, name, and `true` if it is public, of an item that has a name.
fn describe(item: &Item) -> Option<(&'static str, String, bool)> {
    macro_rules! describe {
        ($($variant:ident $kind:literal $($signature:ident)?),*) => {
            match item {
                $(Item::$variant(i) => ($kind, i.$($signature.)?ident.to_string(), is_public(&i.vis, &i.attrs)),)*
                _ => return None,
            }
        };
    }
    Some(describe!(Const "const", Enum "enum", Fn "fn" sig, Mod "mod", Static "static", Struct "struct", Type "type"))
}

fn crate_of(module: &str) -> String {
    module.split("::").next().unwrap_or_default().to_owned()
}

impl Libraries {
    /// Parses a file, and the files of its modules in `folder`.
    fn parse(&mut self, file: &Path, folder: &Path, module: &str) {
        let items = syn::parse_file(&std::fs::read_to_string(file).unwrap()).unwrap().items;
        for item in &items {
            match item {
                Item::Mod(item) if item.content.is_none() && !is_excluded(&item.attrs) => {
                    let folder = folder.join(item.ident.to_string());
                    let mut files = [folder.with_extension("rs"), folder.join("mod.rs")].into_iter();
                    self.parse(
                        &files.find(|file| file.exists()).unwrap(),
                        &folder,
                        &format!("{module}::{}", item.ident),
                    );
                }
                Item::Impl(item) if item.trait_.is_none() && !is_excluded(&item.attrs) => {
                    let syn::Type::Path(self_type) = &*item.self_ty else { continue };
                    let members = item.items.iter().filter_map(|member| match member {
                        ImplItem::Fn(f) => is_public(&f.vis, &f.attrs).then(|| ("fn", f.sig.ident.to_string())),
                        ImplItem::Const(c) => is_public(&c.vis, &c.attrs).then(|| ("const", c.ident.to_string())),
                        _ => None,
                    });
                    let name = self_type.path.segments.last().unwrap().ident.to_string();
                    self.members.entry((crate_of(module), name)).or_default().extend(members);
                }
                _ => {}
            }
        }
        self.modules.insert(module.to_owned(), items);
    }

    /// Adds the public items of a module that is reachable as `path`.
    fn add_module(&mut self, module: &str, path: &str) {
        for item in self.modules[module].clone() {
            match &item {
                Item::Use(item) if is_public(&item.vis, &item.attrs) => self.add_use(&item.tree, module, path),
                item => {
                    if let Some((_, name, true)) = describe(item) {
                        self.add_item(module, &name, path);
                    }
                }
            }
        }
    }

    /// Adds the items of a `pub use` in `module`, which must be items of child modules.
    fn add_use(&mut self, tree: &UseTree, module: &str, path: &str) {
        match tree {
            UseTree::Path(tree) => self.add_use(&tree.tree, &format!("{module}::{}", tree.ident), path),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_use(tree, module, path)),
            UseTree::Name(name) => self.add_item(module, &name.ident.to_string(), path),
            UseTree::Rename(tree) => _ = self.public.insert(format!("item {path}::{}", tree.rename)),
            _ => panic!("{module}: re-exports must list names"),
        }
    }

    /// Adds the item `name` of `module`, which is reachable in `path`. Items of macros and nested re-exports are an `item`.
    fn add_item(&mut self, module: &str, name: &str, path: &str) {
        let item = self.modules[module].iter().filter_map(describe).find(|(_, found, _)| found == name);
        let kind = item.map_or("item", |(kind, ..)| kind);
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
        self.public.insert(format!("{kind} {path}"));
        if kind == "mod" {
            return self.add_module(&format!("{module}::{name}"), &path);
        }
        let members = self.members.get(&(crate_of(module), name.to_owned())).into_iter().flatten();
        self.public.extend(members.map(|(kind, member)| format!("{kind} {path}::{member}")));
    }
}

#[test]
fn public_items_match_the_list() {
    let mut libraries = Libraries::default();
    for (name, folder) in CRATES {
        let folder = root().join(folder);
        libraries.parse(&folder.join("lib.rs"), &folder, name);
    }
    // `pub use rigview_core::{...}`, and `pub use rigview_check as check`. The modules of the program are left out.
    for item in libraries.modules["rigview"].clone() {
        match item {
            Item::Use(ItemUse { tree: UseTree::Path(tree), .. }) => {
                libraries.add_use(&tree.tree, &tree.ident.to_string(), "")
            }
            Item::Use(ItemUse { tree: UseTree::Rename(tree), .. }) => {
                libraries.add_module(&tree.ident.to_string(), &tree.rename.to_string());
            }
            _ => {}
        }
    }
    let file = root().join("tests/structure/public-items.txt");
    if std::env::var_os("RIGVIEW_UPDATE_PUBLIC_ITEMS").is_some() {
        std::fs::write(&file, libraries.public.iter().map(|item| format!("{item}\n")).collect::<String>()).unwrap();
        panic!("{} is written; review its diff and run the test again", file.display());
    }
    let listed = std::fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    let added = libraries.public.difference(&listed).map(|item| format!("+ {item}\n"));
    let changes: String = added.chain(listed.difference(&libraries.public).map(|item| format!("- {item}\n"))).collect();
    let hint = "`pub(crate)` hides an item; RIGVIEW_UPDATE_PUBLIC_ITEMS=1 cargo test --test structure updates the list";
    assert!(changes.is_empty(), "the public items differ from {}:\n{changes}{hint}", file.display());
}

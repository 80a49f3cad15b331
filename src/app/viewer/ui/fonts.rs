//! Fallback fonts of the system, for characters that egui's own fonts lack, such as Japanese joint names.

use ab_glyph::{Font, FontVec};
use egui::{Context, FallbackRequest, FontData, FontInsert, FontPriority, FontProvider, InsertFontFamily};
use rigview_core::util::regular_file::read_bytes;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use walkdir::WalkDir;

/// Larger font files are ignored.
const MAX_FONT_BYTES: u64 = 64 << 20;

/// Limits of the search, because a link may lead anywhere.
const MAX_DIR_ENTRIES: usize = 10_000;
const MAX_DEPTH: usize = 5;

/// Searches the system's fonts for characters that egui's fonts lack. Calls `wake` when text must be laid out again. Returns the provider of
/// the found fonts.
pub(crate) fn install(context: &Context, wake: impl Fn() + Send + 'static) -> Arc<dyn FontProvider> {
    let found: Found = Arc::default();
    let (requests, queue) = channel();
    let provider: Arc<dyn FontProvider> = Arc::new(SystemFonts { found: Arc::clone(&found), requests });
    context.add_font_provider(Arc::clone(&provider));
    let installed = Arc::clone(&provider);
    let context = context.clone();
    std::thread::spawn(move || {
        let (mut files, mut loaded) = (None, Vec::new());
        while let Ok(character) = queue.recv() {
            let mut any_found = false;
            for character in std::iter::once(character).chain(queue.try_iter()) {
                let files = files.get_or_insert_with(|| font_files(&font_folders()));
                let font = font_with(files, &mut loaded, character);
                any_found |= font.is_some();
                found.lock().unwrap_or_else(PoisonError::into_inner).insert(character, font);
            }
            if any_found {
                // egui remembers missing characters until the providers change.
                context.set_font_providers(vec![provider.clone()]);
                wake();
            }
        }
    });
    installed
}

fn font_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = if cfg!(windows) {
        let windows = std::env::var_os("WINDIR").map_or_else(|| PathBuf::from("C:\\Windows"), PathBuf::from);
        let of_user = |base: directories::BaseDirs| base.data_local_dir().join("Microsoft\\Windows\\Fonts");
        std::iter::once(windows.join("Fonts")).chain(directories::BaseDirs::new().map(of_user)).collect()
    } else if cfg!(target_vendor = "apple") {
        vec!["/System/Library/Fonts".into(), "/Library/Fonts".into()]
    } else {
        vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()]
    };
    folders.extend(directories::UserDirs::new().and_then(|user| Some(user.font_dir()?.to_owned())));
    folders
}

struct LoadedFont {
    name: String,
    font: FontVec,
}

/// The font of each character that was searched; `None` if no font has it.
type Found = Arc<Mutex<HashMap<char, Option<Arc<LoadedFont>>>>>;

/// Provides the fonts that a thread found. A character without a result is requested, and missing until then.
struct SystemFonts {
    found: Found,
    requests: Sender<char>,
}

impl FontProvider for SystemFonts {
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let character = request.cluster.chars().next()?;
        let mut found = self.found.lock().ok()?;
        let Some(font) = found.get(&character) else {
            found.insert(character, None);
            let _ = self.requests.send(character);
            return None;
        };
        let LoadedFont { name, font } = &**font.as_ref()?;
        let family = InsertFontFamily { family: request.family.clone(), priority: FontPriority::Lowest };
        Some(FontInsert::new(name, FontData::from_owned(font.as_slice().to_vec()), vec![family]))
    }
}

/// The first font that has a glyph for `character`: one of `loaded`, else of `files`.
fn font_with(files: &[PathBuf], loaded: &mut Vec<Arc<LoadedFont>>, character: char) -> Option<Arc<LoadedFont>> {
    // Glyph 0 stands for missing characters.
    let has_glyph = |font: &FontVec| font.glyph_id(character).0 != 0;
    if let Some(font) = loaded.iter().find(|loaded| has_glyph(&loaded.font)) {
        return Some(Arc::clone(font));
    }
    let font = files.iter().find_map(|file| {
        let font = FontVec::try_from_vec_and_index(read_bytes(file, MAX_FONT_BYTES).ok()?, 0).ok().filter(has_glyph)?;
        Some(Arc::new(LoadedFont { name: file.display().to_string(), font }))
    })?;
    loaded.push(Arc::clone(&font));
    Some(font)
}

/// The font files in `folders` by priority.
fn font_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let walk = |folder| WalkDir::new(folder).follow_links(true).max_depth(MAX_DEPTH).into_iter();
    let entries = folders.iter().flat_map(walk).take(MAX_DIR_ENTRIES).flatten();
    let has = |path: &Path, extension| path.extension().is_some_and(|other| other.eq_ignore_ascii_case(extension));
    let is_font = |path: &PathBuf| ["ttf", "ttc", "otf"].into_iter().any(|extension| has(path, extension));
    let mut files: Vec<PathBuf> = entries.map(walkdir::DirEntry::into_path).filter(is_font).collect();
    files.sort_by_cached_key(|file| (priority(file), file.clone()));
    files
}

/// Sort key by file name, lowest first: fonts with many scripts, then upright sans serifs.
fn priority(file: &Path) -> i32 {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [
        (&["cjk", "fallback", "unicode", "yugothr", "meiryo", "msyh", "malgun", "hiragino", "pingfang"][..], -8),
        (&["sans", "gothic", "segoeui"], -4),
        (&["regular"], -2),
        (&["bold", "black", "heavy", "italic", "oblique", "thin"], 6),
        (&["serif", "mincho", "mono", "condensed", "light"], 3),
    ]
    .into_iter()
    .filter(|(words, _)| words.iter().any(|word| name.contains(word)))
    .map(|(_, weight)| weight)
    .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_is_found_in_a_font_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let deeper = folder.path().join("truetype").join("hack");
        std::fs::create_dir_all(&deeper).unwrap();
        std::fs::write(folder.path().join("broken-sans.ttf"), b"not a font").unwrap();
        std::fs::write(folder.path().join("notes.txt"), b"not a font").unwrap();
        #[cfg(unix)]
        {
            // A cyclic link, and a pipe without a writer.
            std::os::unix::fs::symlink(folder.path(), deeper.join("cycle")).unwrap();
            let pipe = folder.path().join("a-sans-cjk-regular.ttf");
            assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }
        std::fs::write(deeper.join("Hack-Regular.ttf"), epaint_default_fonts::HACK_REGULAR).unwrap();
        std::fs::write(folder.path().join("Ubuntu-Light.ttf"), epaint_default_fonts::UBUNTU_LIGHT).unwrap();
        let files = font_files(&[folder.path().to_owned(), "/no/such/folder".into()]);
        let mut loaded = Vec::new();
        let mut name = |character| font_with(&files, &mut loaded, character).map(|font| font.name.clone());
        // Both fonts have it; the regular one has priority.
        assert!(name('a').unwrap().ends_with("Hack-Regular.ttf"));
        // Only the other font has U+018F.
        assert!(name('\u{18f}').unwrap().ends_with("Ubuntu-Light.ttf"));
        assert_eq!(name('\u{65e5}'), None);
        assert_eq!(loaded.len(), 2, "each font is read once");
    }

    #[test]
    fn upright_sans_serifs_with_many_scripts_have_priority() {
        let order = |files: &[&str]| {
            let mut files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            files.sort_by_key(|file| priority(file));
            files.into_iter().map(|file| file.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            order(&["DejaVuSerif-BoldItalic.ttf", "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc"]),
            ["NotoSansCJK-Regular.ttc", "DejaVuSans.ttf", "DejaVuSerif-BoldItalic.ttf"]
        );
    }
}

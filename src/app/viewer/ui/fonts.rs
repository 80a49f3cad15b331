//! Fallback fonts of the system, for characters that egui's own fonts lack, such as Japanese joint names.

use ab_glyph::{Font, FontVec};
use egui::{Context, FallbackRequest, FontData, FontInsert, FontPriority, FontProvider, InsertFontFamily};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use walkdir::WalkDir;

/// Total time for all searches. After that, missing characters stay boxes, so that the window does not stall.
const SEARCH_BUDGET: Duration = Duration::from_millis(1500);

/// Larger font files are ignored.
const MAX_FONT_BYTES: u64 = 64 << 20;

/// Limits of the search, because a link may lead anywhere.
const MAX_DIR_ENTRIES: usize = 10_000;
const MAX_DEPTH: usize = 5;

/// Lets egui use the system's fonts.
pub(crate) fn install(context: &Context) {
    context.add_font_provider(Arc::new(SystemFonts::new(font_folders())));
}

fn font_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = if cfg!(windows) {
        let windows = std::env::var_os("WINDIR").map_or_else(|| PathBuf::from("C:\\Windows"), PathBuf::from);
        vec![windows.join("Fonts")]
    } else if cfg!(target_vendor = "apple") {
        vec!["/System/Library/Fonts".into(), "/Library/Fonts".into()]
    } else {
        vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()]
    };
    folders.extend(directories::UserDirs::new().and_then(|user| Some(user.font_dir()?.to_owned())));
    folders
}

/// The fonts in some folders, listed when the first character is missing.
struct SystemFonts {
    folders: Vec<PathBuf>,
    search: Mutex<Search>,
}

#[derive(Default)]
struct Search {
    /// Font files by priority; `None` before the first search.
    files: Option<Vec<PathBuf>>,
    elapsed: Duration,
}

impl SystemFonts {
    fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders, search: Mutex::default() }
    }

    /// The name and the bytes of the first font that has a glyph for `character`.
    fn font_with(&self, character: char) -> Option<(String, Vec<u8>)> {
        let mut search = self.search.lock().ok()?;
        let start = Instant::now();
        let budget = SEARCH_BUDGET.checked_sub(search.elapsed)?;
        let files = search.files.get_or_insert_with(|| font_files(&self.folders));
        let font = files.iter().take_while(|_| start.elapsed() < budget).find_map(|file| {
            // Opening a named pipe would block.
            std::fs::metadata(file).ok().filter(|data| data.is_file() && data.len() <= MAX_FONT_BYTES)?;
            let font = FontVec::try_from_vec_and_index(std::fs::read(file).ok()?, 0).ok()?;
            // Glyph 0 stands for missing characters.
            (font.glyph_id(character).0 != 0).then(|| (file.display().to_string(), font.into_vec()))
        });
        search.elapsed += start.elapsed();
        font
    }
}

impl FontProvider for SystemFonts {
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let (name, bytes) = self.font_with(request.cluster.chars().next()?)?;
        let family = InsertFontFamily { family: request.family.clone(), priority: FontPriority::Lowest };
        Some(FontInsert::new(&name, FontData::from_owned(bytes), vec![family]))
    }
}

/// The font files in `folders` by priority.
fn font_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let walk = |folder| WalkDir::new(folder).follow_links(true).max_depth(MAX_DEPTH).into_iter();
    let entries = folders.iter().flat_map(walk).take(MAX_DIR_ENTRIES).flatten();
    let mut files: Vec<PathBuf> = entries.map(walkdir::DirEntry::into_path).filter(|path| is_font(path)).collect();
    files.sort_by_cached_key(|file| (priority(file), file.clone()));
    files
}

fn is_font(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
    extension.is_some_and(|extension| ["ttf", "ttc", "otf"].contains(&extension.as_str()))
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
        let fonts = SystemFonts::new(vec![folder.path().to_owned(), "/no/such/folder".into()]);
        let name = |character| fonts.font_with(character).map(|(name, _)| name);
        // Both fonts have it; the regular one has priority.
        assert!(name('a').unwrap().ends_with("Hack-Regular.ttf"));
        // Only the other font has U+018F.
        assert!(name('\u{18f}').unwrap().ends_with("Ubuntu-Light.ttf"));
        assert_eq!(name('\u{65e5}'), None);
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

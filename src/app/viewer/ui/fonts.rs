//! Letters that the interface's own fonts do not have, such as Japanese names of joints: out of the system's fonts.

use ab_glyph::{Font, FontVec};
use egui::{Context, FallbackRequest, FontData, FontInsert, FontPriority, FontProvider, InsertFontFamily};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// All searching together takes no longer than this: a window that waits for letters is worse than boxes in their place.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A larger file than this is not read.
const MAX_BYTES: u64 = 64 << 20;

/// As many files and folders are looked at, and folders within folders so deep: a link may lead anywhere.
const MAX_FILES: usize = 4000;
const MAX_FOLDERS: usize = 1000;
const MAX_DEPTH: usize = 5;

/// Lets the interface take letters from the system's fonts.
pub(crate) fn install(context: &Context) {
    context.add_font_provider(Arc::new(SystemFonts::new(folders())));
}

/// Where a system keeps fonts.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = if cfg!(windows) {
        let windows = std::env::var_os("WINDIR").map_or_else(|| PathBuf::from("C:\\Windows"), PathBuf::from);
        vec![windows.join("Fonts")]
    } else if cfg!(target_vendor = "apple") {
        vec!["/System/Library/Fonts".into(), "/Library/Fonts".into()]
    } else {
        vec!["/usr/share/fonts".into(), "/usr/local/share/fonts".into()]
    };
    folders.extend(directories::UserDirs::new().and_then(|of_user| Some(of_user.font_dir()?.to_owned())));
    folders
}

/// The fonts of the system, found when the first letter is missing.
struct SystemFonts {
    folders: Vec<PathBuf>,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    /// The files, the likeliest first; `None` before anybody has looked.
    files: Option<Vec<PathBuf>>,
    spent: Duration,
}

impl SystemFonts {
    fn new(folders: Vec<PathBuf>) -> Self {
        Self { folders, found: Mutex::default() }
    }

    /// The name and the bytes of a font that has this letter.
    fn font_with(&self, letter: char) -> Option<(String, Vec<u8>)> {
        let mut found = self.found.lock().ok()?;
        let begun = Instant::now();
        let left = PATIENCE.checked_sub(found.spent)?;
        let files = found.files.get_or_insert_with(|| files_in(&self.folders));
        let font = files.iter().take_while(|_| begun.elapsed() < left).find_map(|file| {
            // Opening a pipe would wait for whoever writes into it.
            std::fs::metadata(file).ok().filter(|there| there.is_file() && there.len() <= MAX_BYTES)?;
            let font = FontVec::try_from_vec_and_index(std::fs::read(file).ok()?, 0).ok()?;
            // Glyph 0 is the one for letters that are missing.
            (font.glyph_id(letter).0 != 0).then(|| (file.display().to_string(), font.into_vec()))
        });
        found.spent += begun.elapsed();
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

/// The files of fonts in some folders, the likeliest to be of use first.
fn files_in(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left: Vec<(PathBuf, usize)> = folders.iter().map(|folder| (folder.clone(), 0)).collect();
    for _ in 0..MAX_FOLDERS {
        let Some((folder, depth)) = left.pop() else { break };
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.extend((depth < MAX_DEPTH).then_some((path, depth + 1)));
            } else if is_font(&path) && files.len() < MAX_FILES {
                files.push(path);
            }
        }
    }
    files.sort_by_cached_key(|file| (likelihood(file), file.clone()));
    files
}

fn is_font(file: &Path) -> bool {
    let ending = file.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
    ending.is_some_and(|ending| ["ttf", "ttc", "otf"].contains(&ending.as_str()))
}

/// The lower, the sooner a font is asked: upright ones without serifs, and those that are made to have every letter.
fn likelihood(file: &Path) -> i32 {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let mut likelihood = 0;
    for (words, weight) in [
        (&["cjk", "fallback", "unicode", "yugothr", "meiryo", "msyh", "malgun", "hiragino", "pingfang"][..], -8),
        (&["sans", "gothic", "segoeui"], -4),
        (&["regular"], -2),
        (&["bold", "black", "heavy", "italic", "oblique", "thin"], 6),
        (&["serif", "mincho", "mono", "condensed", "light"], 3),
    ] {
        likelihood += if has(words) { weight } else { 0 };
    }
    likelihood
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_found_in_the_font_that_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let deeper = folder.path().join("truetype").join("hack");
        std::fs::create_dir_all(&deeper).unwrap();
        std::fs::write(folder.path().join("broken-sans.ttf"), b"no font").unwrap();
        std::fs::write(folder.path().join("notes.txt"), b"no font").unwrap();
        #[cfg(unix)]
        {
            // A link in a circle, and a pipe that nobody writes into.
            std::os::unix::fs::symlink(folder.path(), deeper.join("round")).unwrap();
            let pipe = folder.path().join("a-sans-cjk-regular.ttf");
            assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }
        std::fs::write(deeper.join("Hack-Regular.ttf"), epaint_default_fonts::HACK_REGULAR).unwrap();
        std::fs::write(folder.path().join("Ubuntu-Light.ttf"), epaint_default_fonts::UBUNTU_LIGHT).unwrap();
        let fonts = SystemFonts::new(vec![folder.path().to_owned(), "/no/such/folder".into()]);
        let name = |letter| fonts.font_with(letter).map(|(name, _)| name);
        // Both have it; the regular one is asked first.
        assert!(name('a').unwrap().ends_with("Hack-Regular.ttf"));
        // U+018F is in the other one alone.
        assert!(name('\u{18f}').unwrap().ends_with("Ubuntu-Light.ttf"));
        assert_eq!(name('\u{65e5}'), None);
    }

    #[test]
    fn upright_sans_serifs_with_many_letters_go_first() {
        let order = |files: &[&str]| {
            let mut files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            files.sort_by_key(|file| likelihood(file));
            files.into_iter().map(|file| file.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            order(&["DejaVuSerif-BoldItalic.ttf", "DejaVuSans.ttf", "NotoSansCJK-Regular.ttc"]),
            ["NotoSansCJK-Regular.ttc", "DejaVuSans.ttf", "DejaVuSerif-BoldItalic.ttf"]
        );
    }
}

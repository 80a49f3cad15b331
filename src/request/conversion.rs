//! Conversion of other 3D formats to glTF.

use super::FILE_ACCESS_HEADING;
use clap::Args;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// Extensions of files that another program converts, in lower case.
pub const CONVERTIBLE_EXTENSIONS: [&str; 4] = ["fbx", "dae", "obj", "blend"];

/// Returns `true` if `file` has the extension of a file that another program converts, in any case.
pub fn is_convertible(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default();
    CONVERTIBLE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// How files of other formats become glTF.
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = FILE_ACCESS_HEADING)]
pub struct ConversionRequest {
    /// Program that converts .fbx, .dae, .obj and .blend files to .glb, such as "fbx2glb {in} {out}".
    ///
    /// Without it: FBX2glTF, Blender or assimp, if it is installed
    #[arg(long, value_name = "COMMAND")]
    pub converter: Option<ConverterCommand>,
}

/// A command line with the words `{in}` and `{out}`, which stand for files. No shell runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConverterCommand {
    text: String,
    words: Vec<String>,
}

impl ConverterCommand {
    /// The program and its arguments.
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

impl fmt::Display for ConverterCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for ConverterCommand {
    type Err = String;

    /// Splits at spaces. Quotes, double or single, enclose words with spaces; a backslash is a character like others.
    fn from_str(text: &str) -> Result<Self, String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for character in text.chars() {
            match quote {
                Some(open) if character == open => quote = None,
                None if matches!(character, '"' | '\'') => {
                    quote = Some(character);
                    word.get_or_insert_default();
                }
                None if character.is_whitespace() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(character),
            }
        }
        if quote.is_some() {
            return Err("a quote is not closed".to_owned());
        }
        words.extend(word);
        let has = |name: &str| words.iter().skip(1).any(|word| word.contains(name));
        match has("{in}") && has("{out}") {
            true => Ok(Self { text: text.to_owned(), words }),
            false => Err("the files are missing: \"PROGRAM {in} {out}\"".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        let words = |text: &str| text.parse::<ConverterCommand>().map(|command| command.words);
        assert_eq!(words("a {in}  {out}").unwrap(), ["a", "{in}", "{out}"]);
        let quoted = r#""C:\my tools\a.exe" -i={in} '' '--name="x y"' {out}.glb"#;
        assert_eq!(words(quoted).unwrap(), [r"C:\my tools\a.exe", "-i={in}", "", "--name=\"x y\"", "{out}.glb"]);
        for wrong in ["", "a", "a {in}", "a {out}", "{in} {out}", "a \"{in} {out}"] {
            assert!(words(wrong).is_err(), "{wrong}");
        }
        assert!(is_convertible(Path::new("a.FBX")) && !is_convertible(Path::new("fbx")));
    }
}

//! Embeds icon, version and manifest in the program for Windows, and exports symbols for graphics drivers. Does nothing for other systems.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    windows::build();
}

mod windows {
    use std::path::{Path, PathBuf};
    use std::{env, fs, io};

    const ICONS: &str = "packaging/icons";
    const MANIFEST: &str = "packaging/windows/rigview.exe.manifest";

    /// Symbols of `src/main.rs`.
    const EXPORTS: [&str; 2] = ["NvOptimusEnablement", "AmdPowerXpressRequestHighPerformance"];

    pub(crate) fn build() {
        if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
            return;
        }
        if let Err(error) = export() {
            println!("cargo::error=cannot write the list of exports: {error}");
        }
        println!("cargo::rerun-if-changed={ICONS}");
        println!("cargo::rerun-if-changed={MANIFEST}");
        // Without a resource compiler the program has no icon, and a type check still works.
        if let Err(error) = compile() {
            println!("cargo::warning=no icon, version and manifest: {error}");
        }
    }

    fn out_path(name: &str) -> io::Result<PathBuf> {
        Ok(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join(name))
    }

    /// Linkers export no symbols of programs unless they are listed.
    fn export() -> io::Result<()> {
        if env::var("CARGO_CFG_TARGET_ENV").as_deref() == Ok("msvc") {
            EXPORTS.iter().for_each(|symbol| println!("cargo::rustc-link-arg-bins=/EXPORT:{symbol},DATA"));
            return Ok(());
        }
        let file = out_path("exports.def")?;
        println!("cargo::rustc-link-arg-bins={}", file.display());
        fs::write(file, format!("EXPORTS\n{}", EXPORTS.map(|symbol| format!("{symbol} DATA\n")).concat()))
    }

    fn compile() -> io::Result<()> {
        let icon = out_path("rigview.ico")?;
        fs::write(&icon, icon_file([16, 24, 32, 48, 64, 128, 256])?)?;
        let mut resource = winresource::WindowsResource::new();
        resource.set("ProductName", "rigview").set("FileDescription", "rigview, a viewer for animated glTF models");
        resource.set_icon(&icon.to_string_lossy()).set_manifest_file(MANIFEST).compile()
    }

    /// Returns an .ico file with the PNG file of each size.
    fn icon_file<const N: usize>(sizes: [u32; N]) -> io::Result<Vec<u8>> {
        const HEADER_BYTES: usize = 6;
        const ENTRY_BYTES: usize = 16;
        let mut header = [0, 1, N as u16].map(u16::to_le_bytes).concat();
        let mut images = Vec::new();
        for size in sizes {
            let png = fs::read(format!("{ICONS}/{size}.png"))?;
            let offset = HEADER_BYTES + N * ENTRY_BYTES + images.len();
            // Width, height (0 is 256), no palette, reserved; planes, bits per pixel; length, offset.
            header.extend([size as u8, size as u8, 0, 0, 1, 0, 32, 0]);
            header.extend([png.len() as u32, offset as u32].map(u32::to_le_bytes).concat());
            images.extend(png);
        }
        header.extend(images);
        Ok(header)
    }
}

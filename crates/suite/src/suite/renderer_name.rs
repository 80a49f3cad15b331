//! Short names of renderers.

/// Maximum characters of a renderer's short name.
const MAX_RENDERER_CHARS: usize = 40;

/// A short name of a GL renderer for a folder: lower-case ASCII letters, digits and single dashes, without details in parentheses
/// and after a slash.
pub fn renderer_name(renderer: &str) -> String {
    let renderer = renderer.strip_prefix("Mesa ").unwrap_or(renderer);
    let (mut name, mut depth) = (String::new(), 0_usize);
    for c in renderer.chars().take_while(|c| *c != '/') {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
        if name.len() == MAX_RENDERER_CHARS {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "unknown".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_of_renderers_are_safe() {
        for (renderer, expected) in [
            ("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"),
            ("softpipe", "softpipe"),
            ("NVIDIA GeForce RTX 3080/PCIe/SSE2", "nvidia-geforce-rtx-3080"),
            ("Mesa Intel(R) UHD Graphics 620 (KBL GT2)", "intel-uhd-graphics-620"),
            ("AMD Radeon RX 6600 (radeonsi, navi23, LLVM 15.0.6, DRM 3.49)", "amd-radeon-rx-6600"),
            ("../..", "unknown"),
            ("\u{202e}(", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(renderer_name(renderer), expected);
        }
        assert_eq!(renderer_name(&"x".repeat(200)).len(), MAX_RENDERER_CHARS);
    }
}

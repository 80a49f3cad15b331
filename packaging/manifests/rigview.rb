# Formula of Homebrew, from the archives of a release.
class Rigview < Formula
  desc "Viewer for skinned, animated glTF models"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/rigview-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256 rigview-@VERSION@-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/rigview-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256 rigview-@VERSION@-x86_64-apple-darwin.tar.gz@"
    end
  end
  on_linux do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/rigview-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@SHA256 rigview-@VERSION@-x86_64-unknown-linux-gnu.tar.gz@"
    end
  end

  def install
    bin.install "bin/rigview"
    share.install "share/rigview"
    doc.install Dir["share/doc/rigview/*"]
    generate_completions_from_executable(bin/"rigview", "completions")
    system bin/"rigview", "man", man1
  end

  test do
    assert_match "nod", shell_output("#{bin}/rigview info #{share}/rigview/hare.glb")
  end
end

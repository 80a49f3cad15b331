# Builds rigview from a checkout: nix-build -E 'with import <nixpkgs> {}; callPackage packaging/manifests/rigview.nix {}'
{
  lib,
  rustPlatform,
  installShellFiles,
  makeWrapper,
  libGL,
  libX11,
  libXcursor,
  libXi,
  libXrandr,
  libxcb,
  libxkbcommon,
  wayland,
}:

rustPlatform.buildRustPackage {
  pname = "rigview";
  version = (lib.importTOML ../../Cargo.toml).workspace.package.version;
  src = lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  buildFeatures = [ "full" ];
  cargoBuildFlags = [ "--bin=rigview" ];
  # They need Mesa's software renderer and the sample models.
  doCheck = false;
  nativeBuildInputs = [
    installShellFiles
    makeWrapper
  ];
  postInstall = ''
    $out/bin/rigview man $out/share/man/man1
    for shell in bash fish zsh; do
      $out/bin/rigview completions $shell >rigview.$shell
      installShellCompletion rigview.$shell
    done
    install -D -m 644 packaging/linux/rigview.desktop $out/share/applications/rigview.desktop
    install -D -m 644 packaging/linux/rigview.thumbnailer $out/share/thumbnailers/rigview.thumbnailer
    install -D -m 644 packaging/icons/256.png $out/share/icons/hicolor/256x256/apps/rigview.png
    install -D -m 644 -t $out/share/rigview assets/hare.glb assets/windmill.glb
  '';
  # GL and the libraries of windows are loaded at run time.
  postFixup = ''
    wrapProgram $out/bin/rigview --prefix LD_LIBRARY_PATH : ${
      lib.makeLibraryPath [
        libGL
        libX11
        libXcursor
        libXi
        libXrandr
        libxcb
        libxkbcommon
        wayland
      ]
    }
  '';
  meta = {
    description = "Viewer for skinned, animated glTF models";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "rigview";
    platforms = lib.platforms.linux;
  };
}

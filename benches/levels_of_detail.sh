#!/bin/sh
# Levels of detail relative to full meshes, frame by frame in turn, at 1280 x 720: 10,000 windmills and 100 foxes.
#
# usage: benches/levels_of_detail.sh FOX.glb
#
# Needs `cargo build --release`. Ratios are medians over pairs of frames, which other load on the machine affects equally.
set -eu
cd "$(dirname "$0")/.."
rigview=${RIGVIEW:-target/release/rigview}
"$rigview" bench detail assets/windmill.glb --instances 10000 --frames 3
"$rigview" bench detail "$1" --instances 100

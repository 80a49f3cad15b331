#!/bin/bash -eu
# Builds the fuzz targets for OSS-Fuzz, with their corpora, dictionaries and limits. OUT is the folder of the results.
cd "$SRC/rigview/fuzz"
cargo fuzz build -O
for target in $(cargo fuzz list); do
    cp "target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    if [ -f "corpus/$target.tar.gz" ]; then
        tar -xzf "corpus/$target.tar.gz" -C corpus
        (cd "corpus/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
    fi
    case $target in
        check | import | json) dictionary=gltf length=16384 ;;
        environment | golden | image) dictionary=image length=16384 ;;
        bvh | layout | suite) dictionary=$target length=4096 ;;
        accessor | clip) dictionary=$target length=1024 ;;
        *) dictionary='' length=4096 ;;
    esac
    if [ -n "$dictionary" ]; then cp "dictionaries/$dictionary.dict" "$OUT/$target.dict"; fi
    printf '[libfuzzer]\nmax_len = %s\nrss_limit_mb = 2048\ntimeout = 20\n' "$length" >"$OUT/$target.options"
done

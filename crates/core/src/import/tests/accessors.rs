//! Accessors: errors, limits and unusual encodings.

use super::*;
use crate::import::accessor::AccessorReader;
use crate::import::side_files::SideFiles;

/// Parses the file with other values of some limits.
fn asset(file: &File, limits: &[(Limit, u64)]) -> GltfFile {
    let mut options = ImportOptions::default();
    limits.iter().for_each(|(limit, max)| options.policy.limits.set(*limit, *max));
    let parsed = GltfFile::new(file.glb().into(), SideFiles::Folder(None), &options, &mut Diagnostics::default());
    parsed.unwrap_or_else(|error| panic!("{error}"))
}

/// Reads accessor `index` of the file as floats.
fn read<const N: usize>(file: &File, index: usize) -> Result<Vec<[f32; N]>, AccessorError> {
    let gltf_file = asset(file, &[]);
    let reader = AccessorReader::new(&gltf_file);
    reader.read(index, "anything", |_| true).map(|packed| packed.floats())
}

/// Makes an accessor sparse.
fn sparse(file: &mut File, accessor: usize, indices: &[u8], values: &[f32]) {
    let values: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let (index_view, value_view) = (file.view(indices), file.view(&values));
    file.set(
        &format!("/accessors/{accessor}/sparse"),
        json!({
            "count": indices.len(),
            "indices": { "bufferView": index_view, "componentType": UNSIGNED_BYTE },
            "values": { "bufferView": value_view },
        }),
    );
}

#[test]
fn sparse_indices_are_checked() {
    let mut file = File::new();
    let stored = file.floats("SCALAR", &[1.0, 2.0, 3.0]);
    let mut beyond = file.clone();
    sparse(&mut beyond, stored, &[0, 3], &[0.0, 0.0]);
    assert!(matches!(read::<1>(&beyond, 0), Err(AccessorError::SparseIndex { position: 1, index: 3, .. })));
    let mut falling = file.clone();
    sparse(&mut falling, stored, &[2, 1], &[0.0, 0.0]);
    assert!(matches!(read::<1>(&falling, 0), Err(AccessorError::SparseIndex { position: 1, index: 1, .. })));
    let mut many = file.clone();
    sparse(&mut many, stored, &[0, 1, 2, 3], &[0.0; 4]);
    assert!(matches!(read::<1>(&many, 0), Err(AccessorError::SparseCount { sparse: 4, count: 3, .. })));
    let mut short = file.clone();
    sparse(&mut short, stored, &[0, 1], &[0.0]);
    assert!(matches!(read::<1>(&short, 0), Err(AccessorError::PastView { required_bytes: 8, view_bytes: 4, .. })));
    short.set("/accessors/0/sparse/count", json!(0));
    assert_eq!(read(&short, 0).unwrap(), [[1.0], [2.0], [3.0]]);
}

#[test]
fn access_past_the_view_is_an_error_with_the_accessor_index() {
    let mut file = File::triangle();
    file.set("/bufferViews/0/byteLength", json!(35));
    file.refused("accessor 0 reads past the end of its buffer view: 36 bytes of 35 in buffer view 0");
    file.set("/bufferViews/0/byteLength", json!(36)).set("/accessors/0/byteOffset", json!(1));
    file.refused("37 bytes of 36");
    file.set("/accessors/0/byteOffset", json!(0)).set("/bufferViews/0/byteLength", json!(37));
    file.refused("buffer view 0: it reaches past the end of buffer 0: 37 bytes from 0 on, of 36");
    assert_eq!(file.load().err().unwrap().pointer(), "/bufferViews/0");
}

#[test]
fn huge_offsets_and_counts_do_not_overflow() {
    for number in [u64::MAX, u64::MAX - 35, 1 << 62, (1 << 53) + 1, 1 << 32] {
        for pointer in
            ["/accessors/0/byteOffset", "/accessors/0/count", "/bufferViews/0/byteOffset", "/bufferViews/0/byteLength"]
        {
            let mut file = File::triangle();
            file.set(pointer, json!(number)).error();
        }
        let mut file = File::triangle();
        file.set("/buffers", json!([{ "byteLength": number }]));
        // The stored bytes are read.
        file.notice(&format!("buffer 0: it has 36 bytes, but its byteLength is {number}"));
        let mut file = File::triangle();
        file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "VEC3", "count": number }));
        file.set("/meshes/0/primitives/0/attributes/POSITION", json!(1));
        file.refused("more than rigview decodes");
    }
}

#[test]
fn accessors_without_data_are_limited() {
    let mut file = File::triangle();
    file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "VEC3", "count": 1 << 22 }));
    file.set("/meshes/0/primitives/-", json!({ "attributes": { "POSITION": 1 } }));
    file.load().unwrap();
    file.set("/accessors/-", file.json["accessors"][1].clone());
    file.set("/meshes/0/primitives/-", json!({ "attributes": { "POSITION": 2 } }));
    file.refused("more than rigview decodes: 67108864 bytes in all");
}

#[test]
fn decoded_data_and_zeros_may_reach_their_limits_exactly() {
    // 100,000 elements of two bytes: 200,000 bytes of zeros, 800,000 bytes as floats.
    let mut file = File::new();
    file.set("/accessors/-", json!({ "componentType": UNSIGNED_BYTE, "type": "VEC2", "count": 100_000 }));
    let read_with = |limits: &[(Limit, u64)], times: usize| {
        let gltf_file = asset(&file, limits);
        let reader = AccessorReader::new(&gltf_file);
        let mut count = 0;
        for _ in 0..times {
            count = reader.read(0, "anything", |_| true)?.count;
        }
        Ok::<usize, AccessorError>(count)
    };
    for (limit, bytes) in [(Limit::AccessorData, 800_000), (Limit::ZeroAccessors, 200_000)] {
        assert_eq!(read_with(&[(limit, bytes)], 1).unwrap(), 100_000);
        assert_eq!(read_with(&[(limit, 2 * bytes)], 2).unwrap(), 100_000);
        for (max, times) in [(bytes - 1, 1), (2 * bytes - 1, 2)] {
            let error = read_with(&[(limit, max)], times).err();
            let Some(AccessorError::TooLarge { limit: exceeded, required_bytes, max: found, .. }) = error else {
                panic!("{limit} of {max}: {error:?}");
            };
            assert_eq!((exceeded, required_bytes, found), (limit, times as u64 * bytes, max));
        }
    }
}

#[test]
fn limits_grow_with_the_file() {
    // 16,000 bytes of stored data are 64,000 bytes as floats, and zeros of 60,000 bytes are less than four times the file.
    let mut file = File::new();
    file.accessor(&[7; 16_000], UNSIGNED_BYTE, "SCALAR", 16_000);
    file.set("/accessors/-", json!({ "componentType": UNSIGNED_BYTE, "type": "SCALAR", "count": 60_000 }));
    let gltf_file = asset(&file, &[(Limit::AccessorData, 0), (Limit::ZeroAccessors, 0)]);
    let reader = AccessorReader::new(&gltf_file);
    for (index, count) in [(0, 16_000), (1, 60_000)] {
        assert_eq!(reader.read(index, "anything", |_| true).map(|data| data.count).unwrap(), count);
    }
}

#[test]
fn accessors_without_stored_bytes_are_all_zero() {
    let mut file = File::new();
    file.floats("SCALAR", &[0.0]);
    for _ in 0..3 {
        file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "SCALAR", "count": 1 }));
    }
    sparse(&mut file, 2, &[0], &[0.0]);
    let mut gltf_file = asset(&file, &[]);
    gltf_file.decoded_accessors.insert(3, Some(vec![0; 4]));
    let reader = AccessorReader::new(&gltf_file);
    // Stored, neither stored nor sparse, sparse, decompressed, missing.
    assert_eq!([0, 1, 2, 3, 4].map(|index| reader.is_all_zero(index)), [false, true, false, false, false]);
}

#[test]
fn ranges_of_stored_and_sparse_elements_are_checked_without_reading() {
    let check = |file: &File| AccessorReader::new(&asset(file, &[])).check(0);
    let mut file = File::new();
    let accessor = file.floats("SCALAR", &[1.0, 2.0, 3.0]);
    sparse(&mut file, accessor, &[0, 1], &[10.0, 20.0]);
    check(&file).unwrap();
    // Accessor, sparse indices, sparse values.
    for (view, required) in [(0, 12), (1, 2), (2, 8)] {
        let mut short = file.clone();
        short.set(&format!("/bufferViews/{view}/byteLength"), json!(required - 1));
        let error = check(&short).unwrap_err();
        assert!(
            matches!(error, AccessorError::PastView { view: found, required_bytes, .. }
                if found == view && required_bytes == required),
            "{error}"
        );
    }
}

#[test]
fn overlapping_elements_and_invalid_strides_are_errors() {
    let mut file = File::triangle();
    file.set("/bufferViews/0/byteStride", json!(4));
    file.refused("accessor 0 has items of 12 bytes, but buffer view 0 places them 4 bytes apart");
    file.set("/bufferViews/0/byteStride", json!(3)).refused("its byteStride is 3, it must be from 4 to 252");
    // Exporters of glTF 1.0 write 0 for contiguous elements.
    file.set("/bufferViews/0/byteStride", json!(0)).notice("buffer view 0, byteStride: 0 is read as absent");
}

#[test]
fn stride_of_a_single_element_may_be_smaller_than_the_element() {
    let mut file = File::new();
    let accessor = file.floats("VEC2", &[1.0, 2.0]);
    file.set("/bufferViews/0/byteStride", json!(4));
    assert_eq!(read(&file, accessor).unwrap(), [[1.0, 2.0]]);
    file.set("/accessors/-", json!({ "componentType": FLOAT, "type": "VEC2", "count": 2 }));
    sparse(&mut file, 1, &[1], &[3.0, 4.0]);
    file.set("/bufferViews/2/byteStride", json!(4));
    assert_eq!(read(&file, 1).unwrap(), [[0.0, 0.0], [3.0, 4.0]]);
}

#[test]
fn missing_accessors_and_views_are_errors_with_their_index() {
    let mut file = File::triangle();
    file.set("/meshes/0/primitives/0/attributes/POSITION", json!(7));
    file.refused("mesh 0 \"Body\", primitive 0, POSITION: accessor 7 does not exist, the file has 1");
    let mut file = File::triangle();
    file.set("/accessors/0/bufferView", json!(7));
    file.refused("accessor 0 reads buffer view 7, which does not exist: the file has 1");
    let mut file = File::triangle();
    file.set("/bufferViews/0/buffer", json!(7));
    file.refused("buffer view 0: buffer 7 does not exist, the file has 1");
    // An index whose lower 32 bits are valid.
    let mut file = File::triangle();
    file.set("/accessors/0/bufferView", json!(1u64 << 32)).error();
    let mut file = File::triangle();
    file.set("/accessors/0/bufferView", json!(0.0)).load().unwrap();
    let loaded = file.set("/accessors/0/bufferView", json!(-1)).reported("bufferView: -1 is read as absent");
    assert_eq!(primitive(&loaded).vertices.positions, [[0.0; 3]; 3]);
    file.set("/accessors/0/bufferView", json!(0.5)).error();
}

#[test]
fn bin_chunk_is_that_of_buffer_0_without_a_uri() {
    let mut file = File::triangle();
    let zeros = json!({ "byteLength": 36, "uri": format!("data:application/octet-stream;base64,{}", "A".repeat(48)) });
    file.set("/buffers", json!([zeros]));
    assert_eq!(primitive(&file.load().unwrap()).vertices.positions, [[0.0; 3]; 3]);
    file.set("/buffers/-", json!({ "byteLength": 36 })).load().unwrap();
    file.set("/bufferViews/0/buffer", json!(1)).error();
    file.set("/buffers", json!([{ "byteLength": 36 }])).set("/bufferViews/0/buffer", json!(0));
    assert_ne!(primitive(&file.load().unwrap()).vertices.positions, [[0.0; 3]; 3]);
}

//! An edit of the valid file for each code.

use super::valid_file::{Edit, glb, poke, poke_float, remove, set, use_extension, valid_file};
use crate::{Issue, Severity, check_bytes};
use rigview_core::import::ImportPolicy;
use serde_json::{Value, json};

#[rustfmt::skip]
const EDITS: &[(&str, Edit)] = &[
    // Schemas.
    ("TYPE_MISMATCH", |j, _| set(j, "/nodes/1/name", json!(3))),
    ("TYPE_MISMATCH", |j, _| set(j, "/nodes/-", json!("x"))),
    ("TYPE_MISMATCH", |j, _| set(j, "/accessors/0/count", json!(2.5))),
    ("ARRAY_TYPE_MISMATCH", |j, _| set(j, "/nodes/2/translation", json!([0, "x", 0]))),
    ("ARRAY_LENGTH_NOT_IN_LIST", |j, _| set(j, "/nodes/2/translation", json!([0, 0]))),
    ("INVALID_INDEX", |j, _| set(j, "/nodes/0/mesh", json!(-1))),
    ("VALUE_NOT_IN_RANGE", |j, _| set(j, "/materials/0/alphaCutoff", json!(-1))),
    ("VALUE_NOT_IN_RANGE", |j, _| set(j, "/accessors/0/count", json!(0))),
    ("VALUE_NOT_IN_LIST", |j, _| set(j, "/accessors/0/componentType", json!(5130))),
    ("VALUE_MULTIPLE_OF", |j, _| set(j, "/bufferViews/0/byteStride", json!(14))),
    ("UNDEFINED_PROPERTY", |j, _| remove(j, "/skins/0/joints")),
    ("UNEXPECTED_PROPERTY", |j, _| set(j, "/skins/0/bones", json!(1))),
    ("EMPTY_ENTITY", |j, _| set(j, "/nodes/1/children", json!([]))),
    ("DUPLICATE_ELEMENTS", |j, _| set(j, "/scenes/0/nodes", json!([0, 1, 1]))),
    ("ONE_OF_MISMATCH", |j, _| set(j, "/images/0/uri", json!("a.png"))),
    ("UNSATISFIED_DEPENDENCY", |j, _| remove(j, "/nodes/0/mesh")),
    ("PATTERN_MISMATCH", |j, _| set(j, "/asset/version", json!("two"))),
    ("UNKNOWN_ASSET_MAJOR_VERSION", |j, _| set(j, "/asset/version", json!("3.0"))),
    ("UNKNOWN_ASSET_MINOR_VERSION", |j, _| set(j, "/asset/version", json!("2.1"))),
    ("UNKNOWN_ASSET_MINOR_VERSION", |j, _| set(j, "/asset/version", json!("2.99999999999999999999999"))),
    ("ASSET_MIN_VERSION_GREATER_THAN_VERSION", |j, _| set(j, "/asset/minVersion", json!("2.1"))),
    ("INVALID_GL_VALUE", |j, _| set(j, "/accessors/1/max", json!([70000]))),
    ("NON_OBJECT_EXTRAS", |j, _| set(j, "/asset/extras", json!(1))),
    // References and files.
    ("UNRESOLVED_REFERENCE", |j, _| set(j, "/nodes/1/children", json!([9]))),
    ("UNRESOLVED_REFERENCE", |j, _| set(j, "/scene", json!(1e300))),
    ("UNRESOLVED_REFERENCE", |j, _| set(j, "/scene", json!(18446744073709551616.0))),
    ("INVALID_URI", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "data:application/octet-stream;base64,!"}))),
    ("INVALID_URI", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "data:application/octet-stream;base64,A A"}))),
    ("INVALID_URI", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "data:application/octet-stream;base64,AB=="}))),
    ("IO_ERROR", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "missing.bin"}))),
    ("NON_RELATIVE_URI", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "http://example.com/a.bin"}))),
    ("URI_GLB", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "missing.bin"}))),
    ("DATA_URI_GLB", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "data:application/octet-stream;base64,AA"}))),
    ("BUFFER_BYTE_LENGTH_MISMATCH", |j, _| set(j, "/buffers/0/byteLength", json!(1 << 20))),
    ("BUFFER_GLB_CHUNK_TOO_BIG", |_, b| b.extend([0; 8])),
    ("BUFFER_DATA_URI_MIME_TYPE_INVALID", |j, _| set(j, "/buffers/-", json!({"byteLength": 1, "uri": "data:text/plain;base64,AA"}))),
    // Out of bounds.
    ("BUFFER_VIEW_TOO_LONG", |j, _| set(j, "/bufferViews/0/byteLength", json!(1 << 20))),
    ("BUFFER_VIEW_INVALID_BYTE_STRIDE", |j, _| set(j, "/bufferViews/1/byteStride", json!(4))),
    ("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", |j, _| set(j, "/bufferViews/2/byteStride", json!(16))),
    ("BUFFER_VIEW_TARGET_OVERRIDE", |j, _| set(j, "/bufferViews/0/target", json!(34963))),
    ("BUFFER_VIEW_TARGET_MISSING", |j, _| remove(j, "/bufferViews/0/target")),
    ("ACCESSOR_TOO_LONG", |j, _| set(j, "/accessors/0/count", json!(4))),
    ("ACCESSOR_TOO_LONG", |j, _| set(j, "/accessors/0/count", json!(u64::MAX >> 11))),
    ("ACCESSOR_TOO_LONG", |j, _| set(j, "/accessors/0/count", json!(1e300))),
    ("ACCESSOR_SMALL_BYTESTRIDE", |j, _| set(j, "/bufferViews/0/byteStride", json!(8))),
    ("ACCESSOR_OFFSET_ALIGNMENT", |j, _| set(j, "/accessors/5/byteOffset", json!(2))),
    ("ACCESSOR_TOTAL_OFFSET_ALIGNMENT", |j, _| set(j, "/bufferViews/5/byteOffset", json!(2))),
    ("ACCESSOR_MATRIX_ALIGNMENT", |j, _| set(j, "/accessors/4/byteOffset", json!(2))),
    ("ACCESSOR_NORMALIZED_INVALID", |j, _| set(j, "/accessors/0/normalized", json!(true))),
    ("ACCESSOR_USAGE_OVERRIDE", |j, _| set(j, "/animations/0/samplers/0/output", json!(5))),
    ("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", |j, _| set(j, "/accessors/9/count", json!(1))),
    ("ACCESSOR_SPARSE_INDICES_NON_INCREASING", |j, b| poke(j, b, 9, 0, &[2, 1])),
    ("ACCESSOR_SPARSE_INDEX_OOB", |j, b| poke(j, b, 9, 1, &[7])),
    // Vertex data.
    ("ACCESSOR_INDEX_OOB", |j, b| poke(j, b, 1, 0, &[3])),
    ("ACCESSOR_INDEX_PRIMITIVE_RESTART", |j, b| poke(j, b, 1, 0, &[255, 255])),
    ("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", |j, b| poke(j, b, 1, 0, &[1])),
    ("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", |j, b| {
        // The points before the triangles have the same indices.
        poke(j, b, 1, 0, &[1]);
        let mut points = j["meshes"][0]["primitives"][0].clone();
        points["mode"] = json!(0);
        j["meshes"][0]["primitives"].as_array_mut().expect("primitives").insert(0, points);
    }),
    ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", |j, _| set(j, "/accessors/10/count", json!(2))),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", |j, _| set(j, "/accessors/10/type", json!("VEC3"))),
    ("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", |j, _| {
        set(j, "/accessors/10/componentType", json!(5125));
        set(j, "/meshes/0/primitives/0/attributes/_OWN", json!(10));
    }),
    ("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", |j, _| set(j, "/accessors/2/type", json!("VEC3"))),
    ("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", |j, _| set(j, "/accessors/10/bufferView", json!(0))),
    ("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", |j, _| set(j, "/accessors/1/componentType", json!(5122))),
    ("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", |j, _| set(j, "/bufferViews/1/byteStride", json!(4))),
    ("MESH_PRIMITIVE_INVALID_ATTRIBUTE", |j, _| set(j, "/meshes/0/primitives/0/attributes/TEXCOORD_01", json!(10))),
    ("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", |j, _| set(j, "/meshes/0/primitives/0/attributes/TEXCOORD_2", json!(10))),
    ("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", |j, _| remove(j, "/accessors/0/min")),
    ("MESH_PRIMITIVE_NO_POSITION", |j, _| remove(j, "/meshes/0/primitives/0/attributes/POSITION")),
    ("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", |j, _| remove(j, "/meshes/0/primitives/0/attributes/NORMAL")),
    ("MESH_PRIMITIVE_INCOMPATIBLE_MODE", |j, _| set(j, "/meshes/0/primitives/0/mode", json!(1))),
    ("ACCESSOR_INVALID_FLOAT", |j, b| poke_float(j, b, 0, 0, f32::NAN)),
    ("ACCESSOR_MIN_MISMATCH", |j, _| set(j, "/accessors/0/min/0", json!(-1))),
    ("ACCESSOR_MAX_MISMATCH", |j, _| set(j, "/accessors/0/max/0", json!(2))),
    ("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND", |j, _| set(j, "/accessors/0/min/0", json!(0.5))),
    ("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND", |j, _| set(j, "/accessors/0/max/0", json!(0.5))),
    ("ACCESSOR_VECTOR3_NON_UNIT", |j, b| poke_float(j, b, 13, 2, 2.0)),
    ("ACCESSOR_INVALID_SIGN", |j, b| poke_float(j, b, 14, 3, 0.5)),
    ("ACCESSOR_NON_CLAMPED", |j, b| poke_float(j, b, 15, 0, 1.5)),
    // Nodes.
    ("NODE_LOOP", |j, _| set(j, "/nodes/3/children", json!([1]))),
    ("NODE_PARENT_OVERRIDE", |j, _| set(j, "/nodes/1/children", json!([2, 3]))),
    ("SCENE_NON_ROOT_NODE", |j, _| set(j, "/scenes/0/nodes", json!([0, 1, 3]))),
    ("NODE_MATRIX_TRS", |j, _| set(j, "/nodes/3/matrix", json!([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]))),
    ("NODE_MATRIX_DEFAULT", |j, _| set(j, "/nodes/0/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]))),
    ("NODE_MATRIX_NON_TRS", |j, _| set(j, "/nodes/0/matrix", json!([1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]))),
    ("NODE_EMPTY", |j, _| set(j, "/nodes/-", json!({}))),
    ("ROTATION_NON_UNIT", |j, _| set(j, "/nodes/3/rotation", json!([0, 0, 0, 0.5]))),
    // Skins.
    ("SKIN_NO_COMMON_ROOT", |j, _| remove(j, "/nodes/1/children")),
    ("SKIN_SKELETON_INVALID", |j, _| set(j, "/skins/0/skeleton", json!(2))),
    ("INVALID_IBM_ACCESSOR_COUNT", |j, _| set(j, "/accessors/4/count", json!(1))),
    ("SKIN_IBM_INVALID_FORMAT", |j, _| set(j, "/accessors/4/type", json!("VEC4"))),
    ("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", |j, _| set(j, "/bufferViews/4/byteStride", json!(64))),
    ("ACCESSOR_INVALID_IBM", |j, b| poke_float(j, b, 4, 3, 0.5)),
    ("NODE_SKIN_WITH_NON_SKINNED_MESH", |j, _| {
        remove(j, "/meshes/0/primitives/0/attributes/JOINTS_0");
        remove(j, "/meshes/0/primitives/0/attributes/WEIGHTS_0");
    }),
    ("NODE_SKIN_NO_SCENE", |j, _| set(j, "/scenes/0/nodes", json!([0]))),
    ("NODE_SKINNED_MESH_WITHOUT_SKIN", |j, _| remove(j, "/nodes/0/skin")),
    ("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", |j, _| set(j, "/nodes/0/scale", json!([2, 2, 2]))),
    ("NODE_SKINNED_MESH_NON_ROOT", |j, _| set(j, "/nodes/1/children", json!([2, 0]))),
    ("NODE_SKINNED_MESH_PARENT_TRANSFORMS", |j, _| set(j, "/nodes/2/children", json!([3, 0]))),
    ("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", |j, _| remove(j, "/meshes/0/primitives/0/attributes/JOINTS_0")),
    ("ACCESSOR_JOINTS_INDEX_OOB", |j, b| poke(j, b, 2, 0, &[9])),
    ("ACCESSOR_JOINTS_INDEX_DUPLICATE", |j, b| poke(j, b, 2, 1, &[0])),
    ("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", |j, b| poke(j, b, 2, 2, &[1])),
    ("ACCESSOR_WEIGHTS_NEGATIVE", |j, b| poke_float(j, b, 3, 0, -0.5)),
    ("ACCESSOR_WEIGHTS_NON_NORMALIZED", |j, b| poke_float(j, b, 3, 0, 0.25)),
    ("RIGVIEW_UNBOUND_VERTICES", |j, b| poke_float(j, b, 3, 8, 0.0)),
    // Morph targets.
    ("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", |j, _| {
        let mut other = j["meshes"][0]["primitives"][0].clone();
        other.as_object_mut().unwrap().remove("targets");
        set(j, "/meshes/0/primitives/-", other);
    }),
    ("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", |j, _| set(j, "/meshes/0/primitives/0/targets/0/COLOR_1", json!(7))),
    ("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", |j, _| set(j, "/accessors/7/count", json!(2))),
    ("MESH_INVALID_WEIGHTS_COUNT", |j, _| set(j, "/meshes/0/weights", json!([0, 0]))),
    ("NODE_WEIGHTS_INVALID", |j, _| set(j, "/nodes/0/weights", json!([0, 0]))),
    // Animations.
    ("ACCESSOR_ANIMATION_INPUT_NEGATIVE", |j, b| poke_float(j, b, 5, 0, -1.0)),
    ("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", |j, b| poke_float(j, b, 5, 1, 0.0)),
    ("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", |j, b| poke_float(j, b, 6, 3, 0.5)),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", |j, _| set(j, "/accessors/5/componentType", json!(5125))),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", |j, _| remove(j, "/accessors/5/max")),
    ("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", |j, _| {
        set(j, "/accessors/5/count", json!(1));
        set(j, "/animations/0/samplers/0/interpolation", json!("CUBICSPLINE"));
    }),
    ("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", |j, _| set(j, "/accessors/6/count", json!(1))),
    ("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", |j, _| set(j, "/animations/0/channels/0/target/path", json!("scale"))),
    ("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", |j, _| set(j, "/bufferViews/5/byteStride", json!(4))),
    ("ANIMATION_DUPLICATE_TARGETS", |j, _| {
        let channel = j["animations"][0]["channels"][0].clone();
        set(j, "/animations/0/channels/-", channel);
    }),
    ("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", |j, _| {
        remove(j, "/nodes/2/translation");
        set(j, "/nodes/2/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]));
    }),
    ("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", |j, _| set(j, "/animations/0/channels/1/target/node", json!(1))),
    ("ANIMATION_CHANNEL_TARGET_NODE_SKIN", |j, _| set(j, "/animations/0/channels/0/target/node", json!(0))),
    // Images and materials.
    ("IMAGE_DATA_INVALID", |j, b| poke(j, b, 12, 12, b"XXXX")),
    ("IMAGE_UNEXPECTED_EOS", |j, _| set(j, "/bufferViews/12/byteLength", json!(20))),
    ("IMAGE_UNRECOGNIZED_FORMAT", |j, b| poke(j, b, 12, 0, b"XXXX")),
    ("IMAGE_MIME_TYPE_INVALID", |j, _| set(j, "/images/0/mimeType", json!("image/jpeg"))),
    ("IMAGE_NON_ENABLED_MIME_TYPE", |j, b| poke(j, b, 12, 0, b"RIFF....WEBPVP8X........................")),
    ("IMAGE_NPOT_DIMENSIONS", |j, b| poke(j, b, 12, 16, &[0, 0, 0, 3])),
    // A gamma of 1 / 2.
    ("IMAGE_FEATURES_UNSUPPORTED", |j, _| {
        let uri = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAABGdBTUEAAMNQAJm1NAAAAApJREFUeJxj+A8AAQEBALE49hQAAAAASUVORK5CYII=";
        set(j, "/images/0", json!({ "uri": uri }));
    }),
    ("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", |j, _| set(j, "/bufferViews/12/byteStride", json!(4))),
    ("TEXTURE_INVALID_IMAGE_MIME_TYPE", |j, _| set(j, "/images/0/mimeType", json!("image/webp"))),
    ("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", |j, _| remove(j, "/meshes/0/primitives/0/attributes/TEXCOORD_0")),
    ("MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", |j, _| remove(j, "/meshes/0/primitives/0/attributes/TANGENT")),
    ("UNUSED_MESH_TANGENT", |j, _| remove(j, "/materials/0/normalTexture")),
    ("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", |j, _| set(j, "/materials/0/alphaCutoff", json!(0.5))),
    ("CAMERA_ZFAR_LEQUAL_ZNEAR", |j, _| set(j, "/cameras/0/perspective/zfar", json!(0.1))),
    ("CAMERA_YFOV_GEQUAL_PI", |j, _| set(j, "/cameras/0/perspective/yfov", json!(4))),
    ("CAMERA_XMAG_YMAG_ZERO", |j, _| set(j, "/cameras/1/orthographic/xmag", json!(0))),
    ("CAMERA_XMAG_YMAG_NEGATIVE", |j, _| set(j, "/cameras/1/orthographic/ymag", json!(-1))),
    // Extensions.
    ("UNDECLARED_EXTENSION", |j, _| set(j, "/materials/0/extensions", json!({"KHR_materials_unlit": {}}))),
    ("UNEXPECTED_EXTENSION_OBJECT", |j, _| {
        use_extension(j, "KHR_materials_unlit");
        set(j, "/nodes/0/extensions", json!({"KHR_materials_unlit": {}}));
    }),
    ("UNUSED_EXTENSION_REQUIRED", |j, _| set(j, "/extensionsRequired", json!(["KHR_materials_unlit"]))),
    ("UNSATISFIED_DEPENDENCY", |j, _| set(j, "/extensionsRequired", json!(["KHR_materials_unlit"]))),
    ("NON_REQUIRED_EXTENSION", |j, _| use_extension(j, "KHR_mesh_quantization")),
    ("UNSUPPORTED_EXTENSION", |j, _| use_extension(j, "ACME_dust")),
    ("TYPE_MISMATCH", |j, _| {
        use_extension(j, "KHR_node_selectability");
        set(j, "/nodes/1/extensions", json!({"KHR_node_selectability": {"selectable": 1}}));
    }),
    ("INVALID_EXTENSION_NAME_FORMAT", |j, _| use_extension(j, "dust")),
    ("RIGVIEW_UNSUPPORTED_EXTENSION", |j, _| {
        use_extension(j, "ACME_dust");
        set(j, "/extensionsRequired", json!(["ACME_dust"]));
    }),
    ("TYPE_MISMATCH", |j, _| {
        use_extension(j, "KHR_node_visibility");
        set(j, "/nodes/1/extensions", json!({"KHR_node_visibility": {"visible": 1}}));
    }),
    ("UNEXPECTED_EXTENSION_OBJECT", |j, _| {
        use_extension(j, "KHR_node_visibility");
        set(j, "/scenes/0/extensions", json!({"KHR_node_visibility": {"visible": true}}));
    }),
    ("UNRESOLVED_REFERENCE", |j, _| gpu_instances(j, json!({"TRANSLATION": 99}))),
    ("INVALID_INDEX", |j, _| gpu_instances(j, json!({"_OWN": "x"}))),
    ("EMPTY_ENTITY", |j, _| gpu_instances(j, json!({}))),
    ("RIGVIEW_INSTANCE_ATTRIBUTES", |j, _| gpu_instances(j, json!({"TRANSLATION": 10}))),
    ("RIGVIEW_INSTANCE_ATTRIBUTES", |j, _| gpu_instances(j, json!({"TRANSLATION": 11, "ROTATION": 6}))),
    ("RIGVIEW_IMPORT_FAILED", |j, _| set(j, "/asset", json!({"version": "2.1", "minVersion": "2.1"}))),
    ("RIGVIEW_UNSUPPORTED", |j, _| set(j, "/nodes/1/translation", json!([1e300, 0, 0]))),
    ("RIGVIEW_LEFT_OUT", |j, _| broken_draco(j)),
    ("RIGVIEW_IMPORT_FAILED", |j, _| {
        broken_draco(j);
        // The compressed data is the only data.
        for accessor in j["accessors"].as_array_mut().unwrap() {
            accessor.as_object_mut().unwrap().remove("bufferView");
        }
    }),
    ("RIGVIEW_IMPORT_NOTE", |j, _| remove(j, "/scenes")),
    ("UNUSED_OBJECT", |j, _| set(j, "/materials/-", json!({}))),
    ("UNUSED_OBJECT", |j, _| {
        let channel = j["animations"][0]["channels"][0].clone();
        set(j, "/animations/0/channels", json!([channel]));
    }),
    ("UNUSED_MESH_WEIGHTS", |j, _| set(j, "/nodes/0/weights", json!([0.5]))),
    ("MESH_PRIMITIVE_NO_TANGENT_SPACE", |j, _| {
        use_extension(j, "KHR_materials_anisotropy");
        remove(j, "/materials/0/normalTexture");
        set(j, "/materials/0/extensions", json!({"KHR_materials_anisotropy": {}}));
        remove(j, "/meshes/0/primitives/0/attributes/TANGENT");
    }),
    ("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", |j, _| {
        use_extension(j, "KHR_lights_punctual");
        let light = json!({"type": "spot", "spot": {"innerConeAngle": 1.0, "outerConeAngle": 0.5}});
        set(j, "/extensions", json!({"KHR_lights_punctual": {"lights": [light]}}));
    }),
    ("UNRESOLVED_REFERENCE", |j, _| {
        use_extension(j, "KHR_lights_punctual");
        set(j, "/extensions", json!({"KHR_lights_punctual": {"lights": [{"type": "point"}]}}));
        set(j, "/nodes/1/extensions", json!({"KHR_lights_punctual": {"light": 3}}));
    }),
    ("UNSATISFIED_DEPENDENCY", |j, _| {
        use_extension(j, "KHR_lights_punctual");
        set(j, "/nodes/1/extensions", json!({"KHR_lights_punctual": {"light": 0}}));
    }),
    ("UNSATISFIED_DEPENDENCY", |j, _| {
        use_extension(j, "KHR_materials_variants");
        let mappings = json!([{"material": 0, "variants": [0]}]);
        set(j, "/meshes/0/primitives/0/extensions", json!({"KHR_materials_variants": {"mappings": mappings}}));
    }),
    ("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", |j, _| {
        use_extension(j, "KHR_texture_transform");
        let extensions = json!({"KHR_texture_transform": {"texCoord": 0}});
        set(j, "/materials/0/normalTexture", json!({"index": 0, "texCoord": 4, "extensions": extensions}));
    }),
    ("KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD", |j, _| {
        use_extension(j, "KHR_materials_anisotropy");
        let anisotropy = json!({"anisotropyTexture": {"index": 0, "texCoord": 1}});
        set(j, "/materials/0/extensions", json!({"KHR_materials_anisotropy": anisotropy}));
    }),
    ("KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD", |j, _| {
        use_extension(j, "KHR_materials_clearcoat");
        let clearcoat = json!({"clearcoatNormalTexture": {"index": 0, "texCoord": 1}});
        set(j, "/materials/0/extensions", json!({"KHR_materials_clearcoat": clearcoat}));
    }),
    ("RIGVIEW_LIMIT", |j, _| {
        let bound = json!([0, 0, 0]);
        let zeros = json!({"componentType": 5126, "type": "VEC3", "count": 3e9, "min": bound, "max": bound});
        set(j, "/accessors/-", zeros);
        set(j, "/meshes/-", json!({"primitives": [{"attributes": {"POSITION": 14}}]}));
        set(j, "/nodes/-", json!({"mesh": 1}));
    }),
    // Rig lints.
    ("RIGVIEW_INSTANCE_COST", |_, _| {}),
    ("RIGVIEW_UNUSED_JOINTS", |j, b| {
        remove(j, "/nodes/3/camera");
        poke(j, b, 2, 0, &[0, 0, 0, 0, 0, 0, 0, 0, 0]);
        for vertex in 0..3 {
            poke_float(j, b, 3, 4 * vertex, 1.0);
            poke_float(j, b, 3, 4 * vertex + 1, 0.0);
        }
    }),
    ("RIGVIEW_REST_POSE_NOT_BIND_POSE", |j, _| set(j, "/nodes/2/translation", json!([0.5, 1, 0]))),
    ("RIGVIEW_JOINT_NON_UNIFORM_SCALE", |j, _| set(j, "/nodes/1/scale", json!([1, 2, 1]))),
    ("RIGVIEW_JOINT_NEGATIVE_SCALE", |j, _| set(j, "/nodes/1/scale", json!([-1, 1, 1]))),
    ("RIGVIEW_UNIT_SCALE", |j, _| set(j, "/nodes/1/scale", json!([0.01, 0.01, 0.01]))),
    ("RIGVIEW_LIGHT_TOO_BRIGHT", |j, _| {
        use_extension(j, "KHR_lights_punctual");
        set(j, "/extensions", json!({"KHR_lights_punctual": {"lights": [{"type": "directional", "intensity": 3415}]}}));
        set(j, "/nodes/1/extensions", json!({"KHR_lights_punctual": {"light": 0}}));
    }),
    ("RIGVIEW_CLIP_STARTS_LATE", |j, b| {
        poke_float(j, b, 5, 0, 0.5);
        set(j, "/accessors/5/min", json!([0.5]));
    }),
    ("RIGVIEW_LOOP_DISCONTINUITY", |j, b| {
        poke_float(j, b, 6, 4, 1.0);
        poke_float(j, b, 6, 7, 0.0);
    }),
];

/// Makes the mesh of node 0 instanced.
fn gpu_instances(json: &mut Value, attributes: Value) {
    use_extension(json, "EXT_mesh_gpu_instancing");
    set(json, "/nodes/0/extensions", json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}}));
}

/// A primitive with a broken stream beside uncompressed data.
fn broken_draco(j: &mut Value) {
    use_extension(j, "KHR_draco_mesh_compression");
    set(j, "/extensionsRequired", json!(["KHR_draco_mesh_compression"]));
    set(j, "/bufferViews/-", json!({"buffer": 0, "byteLength": 4}));
    let draco = json!({"KHR_draco_mesh_compression": {"bufferView": 16, "attributes": {"POSITION": 0}}});
    set(j, "/meshes/0/primitives/0/extensions", draco);
}

/// Codes of warnings and errors.
fn warnings_and_errors(issues: &[Issue]) -> Vec<&'static str> {
    issues.iter().filter(|issue| issue.severity > Severity::Info).map(|issue| issue.code).collect()
}

#[test]
fn valid_file_has_no_warnings() {
    let (json, bytes) = valid_file();
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    assert_eq!(warnings_and_errors(&issues), [""; 0], "{issues:#?}");
    assert_eq!(issues.iter().map(|issue| issue.code).collect::<Vec<_>>(), ["RIGVIEW_INSTANCE_COST"]);
}

#[test]
fn every_fault_is_reported_with_its_code() {
    let mut missed = Vec::new();
    for (i, (code, edit)) in EDITS.iter().enumerate() {
        let (mut json, mut bytes) = valid_file();
        edit(&mut json, &mut bytes);
        let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
        if !issues.iter().any(|issue| issue.code == *code) {
            missed.push(format!("{i} {code}: found {:?}", issues.iter().map(|i| i.code).collect::<Vec<_>>()));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_container_fault_is_reported_with_its_code() {
    let (json, bytes) = valid_file();
    let whole = glb(&json, &bytes);
    let json_end = 20 + u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    let codes = |bytes: Vec<u8>| {
        check_bytes(bytes, None, &ImportPolicy::default()).into_iter().map(|issue| issue.code).collect::<Vec<_>>()
    };
    let edited = |at: usize, data: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + data.len()].copy_from_slice(data);
        bytes
    };
    let grown = |chunk: &[u8]| {
        let mut bytes = [&whole, chunk].concat();
        let length = (bytes.len() as u32).to_le_bytes();
        bytes[8..12].copy_from_slice(&length);
        bytes
    };
    for (code, bytes) in [
        ("GLB_UNEXPECTED_END_OF_HEADER", whole[..8].to_vec()),
        ("GLB_INVALID_MAGIC", edited(0, b"glTT")),
        ("GLB_INVALID_VERSION", edited(4, &[1])),
        ("GLB_LENGTH_TOO_SMALL", edited(8, &[12, 0, 0, 0])),
        ("GLB_LENGTH_MISMATCH", edited(8, &((whole.len() + 4) as u32).to_le_bytes())),
        ("GLB_CHUNK_TOO_BIG", edited(json_end, &u32::MAX.to_le_bytes())),
        ("GLB_CHUNK_LENGTH_UNALIGNED", edited(12, &[whole[12] - 1])),
        ("GLB_EMPTY_CHUNK", edited(12, &[0; 4])),
        ("GLB_EMPTY_BIN_CHUNK", glb(&json, &[])),
        ("GLB_DUPLICATE_CHUNK", grown(b"\0\0\0\0BIN\0")),
        ("GLB_UNEXPECTED_FIRST_CHUNK", edited(16, b"BIN\0")),
        ("GLB_UNEXPECTED_BIN_CHUNK", {
            let mut bytes = edited(json_end + 4, b"OWN\0");
            bytes.extend(b"\0\0\0\0BIN\0");
            let length = (bytes.len() as u32).to_le_bytes();
            bytes[8..12].copy_from_slice(&length);
            bytes
        }),
        ("GLB_UNKNOWN_CHUNK_TYPE", grown(b"\0\0\0\0OWN\0")),
        ("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", whole[..json_end + 4].to_vec()),
        ("GLB_UNEXPECTED_END_OF_CHUNK_DATA", whole[..whole.len() - 4].to_vec()),
        ("GLB_EXTRA_DATA", [&whole[..], &[0; 8]].concat()),
        ("BUFFER_MISSING_GLB_DATA", edited(json_end + 4, b"OWN\0")),
        ("INVALID_JSON", edited(20, b"x")),
        ("INVALID_JSON", b"not a model".to_vec()),
        ("INVALID_JSON", Vec::new()),
        ("INVALID_JSON", [&b"\xef\xbb\xbf"[..], json.to_string().as_bytes()].concat()),
        ("TYPE_MISMATCH", b"[]".to_vec()),
        ("UNDEFINED_PROPERTY", b"{}".to_vec()),
    ] {
        let found = codes(bytes);
        assert!(found.contains(&code), "{code}: {found:?}");
    }
}

#[test]
fn files_of_other_formats_are_named() {
    let issues = check_bytes(b"BLENDER-v500".to_vec(), None, &ImportPolicy::default());
    let message = "this is not a glTF file: it is a Blender file; open it there and export glTF 2.0; rigview opens .glb, .gltf, .vrm and .bvh";
    assert_eq!(
        issues.iter().map(|issue| (issue.code, &*issue.message)).collect::<Vec<_>>(),
        [("INVALID_JSON", message)]
    );
}

#[test]
fn faults_do_not_hide_each_other() {
    let (mut json, bytes) = valid_file();
    set(&mut json, "/nodes/2/translation", json!("up"));
    set(&mut json, "/accessors/0/count", json!(4));
    set(&mut json, "/scene", json!(7));
    set(&mut json, "/skins/0/skeleton", json!(9));
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    let found: Vec<(&str, &str)> = issues.iter().map(|issue| (issue.code, issue.pointer.as_str())).collect();
    for expected in [
        ("TYPE_MISMATCH", "/nodes/2/translation"),
        ("ACCESSOR_TOO_LONG", "/accessors/0"),
        ("UNRESOLVED_REFERENCE", "/scene"),
        ("UNRESOLVED_REFERENCE", "/skins/0/skeleton"),
    ] {
        assert!(found.contains(&expected), "{expected:?}: {found:?}");
    }
}

#[test]
fn unusual_but_valid_files_have_no_errors() {
    let edits: &[Edit] = &[
        |j, _| set(j, "/accessors/-", json!({"componentType": 5126, "type": "VEC3", "count": 1e12})),
        |j, _| set(j, "/textures/-", json!({})),
        |j, _| set(j, "/scenes/-", json!({"name": "empty"})),
        |j, _| remove(j, "/animations/0/channels/0/target/node"),
        |j, _| set(j, "/nodes/0/mesh", json!(0.0)),
        |j, _| set(j, "/nodes/0/extras", json!([1, null])),
        |j, _| set(j, "/asset/bones", json!(1)),
        // rigview leaves these out, which is a warning.
        |j, _| set(j, "/accessors/-", json!({"componentType": 5130, "type": "VEC3", "count": 1})),
        |j, _| set(j, "/accessors/-", json!({"componentType": 5126, "type": "VEC9", "count": 1})),
        |j, _| set(j, "/accessors/-", json!({"componentType": 5126, "type": "SCALAR", "count": 1e300})),
        |j, _| set(j, "/samplers/0/wrapS", json!(-1)),
        |j, _| set(j, "/bufferViews/4/target", json!(-1)),
        |j, _| set(j, "/nodes/0/weights", json!([1e300])),
        |j, _| set(j, "/nodes/1/translation", json!([1e300, 0, 0])),
        // The padding after the last column of the last matrix is optional.
        |j, _| set(j, "/accessors/-", json!({"bufferView": 1, "componentType": 5121, "type": "MAT2", "count": 1})),
        |j, _| {
            use_extension(j, "EXT_texture_webp");
            set(j, "/textures/0/extensions", json!({"EXT_texture_webp": {}}));
        },
    ];
    for (i, edit) in edits.iter().enumerate() {
        let (mut json, mut bytes) = valid_file();
        edit(&mut json, &mut bytes);
        let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
        let errors: Vec<&Issue> = issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{i}: {errors:?}");
    }
}

/// Codes of the file after an edit.
fn codes_after(edit: Edit) -> Vec<&'static str> {
    let (mut json, mut bytes) = valid_file();
    edit(&mut json, &mut bytes);
    let issues = check_bytes(glb(&json, &bytes), None, &ImportPolicy::default());
    issues.iter().map(|issue| issue.code).collect()
}

#[test]
fn extensions_add_values_to_enums() {
    let webp = codes_after(|j, _| {
        use_extension(j, "EXT_texture_webp");
        set(j, "/images/-", json!({"bufferView": 12, "mimeType": "image/webp"}));
    });
    assert!(!webp.contains(&"VALUE_NOT_IN_LIST"), "{webp:?}");
    let pointer = codes_after(|j, _| {
        use_extension(j, "KHR_animation_pointer");
        let extensions = json!({"KHR_animation_pointer": {"pointer": "/nodes/2/rotation"}});
        set(j, "/animations/0/channels/0/target", json!({"path": "pointer", "extensions": extensions}));
    });
    assert!(!pointer.contains(&"VALUE_NOT_IN_LIST"), "{pointer:?}");
}

#[test]
fn emissive_strength_of_black_has_an_issue_unless_it_is_1() {
    const CODE: &str = "KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR";
    fn strength(json: &mut Value, strength: f64) {
        use_extension(json, "KHR_materials_emissive_strength");
        let extension = json!({"emissiveStrength": strength});
        set(json, "/materials/0/extensions", json!({"KHR_materials_emissive_strength": extension}));
    }
    assert!(codes_after(|j, _| strength(j, 2.0)).contains(&CODE));
    assert!(!codes_after(|j, _| strength(j, 1.0)).contains(&CODE));
}

#[test]
fn texture_coordinates_of_a_required_transform_replace_others() {
    let codes = codes_after(|j, _| {
        use_extension(j, "KHR_texture_transform");
        set(j, "/extensionsRequired", json!(["KHR_texture_transform"]));
        let extensions = json!({"KHR_texture_transform": {"texCoord": 0}});
        set(j, "/materials/0/normalTexture", json!({"index": 0, "texCoord": 4, "extensions": extensions}));
    });
    assert!(!codes.contains(&"MESH_PRIMITIVE_TOO_FEW_TEXCOORDS"), "{codes:?}");
}

#[test]
fn consequences_of_a_fault_are_not_reported() {
    let far = codes_after(|j, _| set(j, "/cameras/0/perspective/zfar", json!(-1)));
    assert!(!far.contains(&"CAMERA_ZFAR_LEQUAL_ZNEAR"), "{far:?}");
    let spot = codes_after(|j, _| {
        use_extension(j, "KHR_lights_punctual");
        let light = json!({"type": "spot", "spot": {"outerConeAngle": -1}});
        set(j, "/extensions", json!({"KHR_lights_punctual": {"lights": [light]}}));
    });
    assert!(!spot.contains(&"KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES"), "{spot:?}");
    let camera = codes_after(|j, _| set(j, "/cameras/0/orthographic", Value::Null));
    assert!(!camera.contains(&"TYPE_MISMATCH"), "{camera:?}");
    let primitive = codes_after(|j, _| set(j, "/meshes/0/primitives/0", Value::Null));
    for code in ["MESH_INVALID_WEIGHTS_COUNT", "NODE_SKIN_WITH_NON_SKINNED_MESH", "MESH_PRIMITIVE_NO_POSITION"] {
        assert!(!primitive.contains(&code), "{code}: {primitive:?}");
    }
}

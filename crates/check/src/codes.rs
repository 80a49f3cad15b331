//! The codes of all checks: severity, meaning and remedy, from which the reference is generated.

use Severity::{Error, Info, Warning};
use serde::Serialize;
use std::fmt::{self, Display};

/// Severity of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A hint, such as possible savings.
    Info,
    /// The file works, but not in every viewer or not as intended.
    Warning,
    /// The file violates the glTF 2.0 specification, or cannot be shown as intended.
    Error,
}

impl Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A code of the checks.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The Khronos validator's code, or one of rigview's own, which begin with `RIGVIEW_`.
    pub name: &'static str,
    /// Severity; that of the Khronos validator for its codes.
    pub severity: Severity,
    /// Meaning, as Markdown.
    pub meaning: &'static str,
    /// What removes the cause, as Markdown.
    pub remedy: &'static str,
}

impl Code {
    const fn new(name: &'static str, severity: Severity, meaning: &'static str, remedy: &'static str) -> Self {
        Self { name, severity, meaning, remedy }
    }

    /// Returns the code of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        CODES.binary_search_by_key(&name, |code| code.name).ok().map(|i| &CODES[i])
    }

    /// Returns the identifier of its section in the page [`LINTS_PAGE`].
    pub fn anchor(&self) -> String {
        self.name.to_ascii_lowercase()
    }
}

/// Page of the guide with a section for each code.
pub const LINTS_PAGE: &str = "docs/book/src/reference/lints.md";

/// Severity of a code; that of the Khronos validator for its codes.
pub fn severity(code: &str) -> Severity {
    Code::find(code).map_or(Error, |code| code.severity)
}

/// The remedy for faults in the structure of a file.
const EXPORTER: &str = "Export the file again. If the fault stays, report it to the authors of the exporter.";

/// An error in the structure of a file, which only the exporter can cause.
const fn fault(name: &'static str, meaning: &'static str) -> Code {
    Code::new(name, Error, meaning, EXPORTER)
}

/// All codes, sorted by name.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code::new("ACCESSOR_ANIMATION_INPUT_NEGATIVE", Error,
        "The time of a key is negative.",
        "Start the action at frame 0 or later and export again."),
    Code::new("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", Error,
        "The times of the keys of a track do not increase.",
        "Remove duplicate keys of the action, or bake it, and export again."),
    fault("ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION", "A rotation key is not a unit quaternion."),
    fault("ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND",
        "A value is larger than the `max` of its accessor, so bounding boxes are too small."),
    fault("ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND",
        "A value is smaller than the `min` of its accessor, so bounding boxes are too small."),
    fault("ACCESSOR_INDEX_OOB", "An index refers to a vertex that does not exist."),
    fault("ACCESSOR_INDEX_PRIMITIVE_RESTART",
        "An index has the largest value of its type, which restarts a primitive on GPUs."),
    Code::new("ACCESSOR_INDEX_TRIANGLE_DEGENERATE", Info,
        "A triangle uses a vertex twice, so it has no area.",
        "In Blender, use Mesh > Clean Up > Degenerate Dissolve."),
    Code::new("ACCESSOR_INVALID_FLOAT", Error,
        "A value is infinite or NaN.",
        "Find the object with broken coordinates in the source file, usually the result of a division by zero in a modifier or driver."),
    fault("ACCESSOR_INVALID_IBM", "The last row of an inverse bind matrix is not 0, 0, 0, 1."),
    fault("ACCESSOR_INVALID_SIGN", "The sign of a tangent is neither 1 nor -1."),
    Code::new("ACCESSOR_JOINTS_INDEX_DUPLICATE", Error,
        "A vertex lists one joint twice with a weight.",
        "Merge vertex groups of equal joints, or export again."),
    Code::new("ACCESSOR_JOINTS_INDEX_OOB", Error,
        "A vertex refers to a joint that its skin does not have.",
        "Check that the mesh has the right armature in its Armature modifier, and export again."),
    Code::new("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", Warning,
        "An influence has the weight 0 and a joint other than 0.",
        "Nothing is visible. In Blender, Weights > Clean removes such weights."),
    fault("ACCESSOR_MATRIX_ALIGNMENT", "A column of a matrix does not start at a multiple of 4 bytes."),
    fault("ACCESSOR_MAX_MISMATCH", "The `max` of an accessor is not the largest of its values."),
    fault("ACCESSOR_MIN_MISMATCH", "The `min` of an accessor is not the smallest of its values."),
    Code::new("ACCESSOR_NON_CLAMPED", Error,
        "A component of a color is not in the range from 0 to 1.",
        "Clamp the color attribute in the source file."),
    fault("ACCESSOR_NORMALIZED_INVALID", "Floats or 32-bit integers are marked as normalized."),
    fault("ACCESSOR_OFFSET_ALIGNMENT", "The offset of an accessor is not a multiple of its component size."),
    fault("ACCESSOR_SMALL_BYTESTRIDE", "The stride of a buffer view is smaller than an element."),
    fault("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", "A sparse accessor replaces more elements than it has."),
    fault("ACCESSOR_SPARSE_INDEX_OOB", "A sparse accessor replaces an element that it does not have."),
    fault("ACCESSOR_SPARSE_INDICES_NON_INCREASING", "The indices of a sparse accessor do not increase."),
    Code::new("ACCESSOR_TOO_LONG", Error,
        "An accessor reads beyond the end of its buffer view.",
        "The file is truncated or damaged: copy it or export it again."),
    fault("ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
        "The sum of the offsets of accessor and buffer view is not a multiple of the component size."),
    fault("ACCESSOR_USAGE_OVERRIDE", "An accessor is used for two kinds of data."),
    Code::new("ACCESSOR_VECTOR3_NON_UNIT", Error,
        "A normal or tangent does not have the length 1.",
        "In Blender, clear custom normals (Mesh > Normals > Reset Vectors), remove degenerate faces, and export again."),
    Code::new("ACCESSOR_WEIGHTS_NEGATIVE", Error,
        "A vertex weight is negative.",
        "In Blender's Weight Paint mode, Weights > Normalize All."),
    Code::new("ACCESSOR_WEIGHTS_NON_NORMALIZED", Error,
        "The weights of a vertex do not sum to 1. Viewers that do not normalize them move the vertex.",
        "In Blender's Weight Paint mode, Weights > Normalize All. rigview normalizes on import."),
    fault("ANIMATION_CHANNEL_TARGET_NODE_MATRIX",
        "A clip animates a node that has a matrix instead of translation, rotation and scale."),
    Code::new("ANIMATION_CHANNEL_TARGET_NODE_SKIN", Warning,
        "A clip moves a node with a skinned mesh, which has no effect.",
        "Animate the bones, or the armature object, instead of the mesh object."),
    Code::new("ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS", Error,
        "A clip animates morph weights of a mesh without morph targets.",
        "Export shape keys (Data > Shape Keys), or remove their keyframes."),
    Code::new("ANIMATION_DUPLICATE_TARGETS", Error,
        "Two channels of a clip animate the same property.",
        "Remove the duplicate track of the action or NLA strip."),
    fault("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", "Animation data is in a buffer view with a stride."),
    fault("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", "Key times are not scalar floats."),
    Code::new("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", Error,
        "A cubic spline has fewer than two keys.",
        "Add a second key, or use linear interpolation."),
    fault("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", "The accessor of key times lacks `min` or `max`."),
    fault("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
        "The number of key values does not match the number of key times."),
    fault("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
        "Key values have a format that the animated property does not permit."),
    fault("ARRAY_LENGTH_NOT_IN_LIST", "An array of numbers has the wrong length."),
    fault("ARRAY_TYPE_MISMATCH", "An element of an array has the wrong JSON type."),
    fault("ASSET_MIN_VERSION_GREATER_THAN_VERSION", "The minimum glTF version of the file is higher than its version."),
    Code::new("BUFFER_BYTE_LENGTH_MISMATCH", Error,
        "A buffer has fewer bytes than it states.",
        "The file is truncated or damaged: copy it or export it again."),
    fault("BUFFER_DATA_URI_MIME_TYPE_INVALID", "The data URI of a buffer has the media type of something else."),
    Code::new("BUFFER_GLB_CHUNK_TOO_BIG", Warning,
        "The BIN chunk has more bytes than its buffer states.",
        "Nothing is visible. Export again to drop the unused bytes."),
    Code::new("BUFFER_MISSING_GLB_DATA", Error,
        "A buffer refers to the BIN chunk, which is missing.",
        "The file is truncated or was converted from .glb to .gltf by renaming: export it again."),
    fault("BUFFER_VIEW_INVALID_BYTE_STRIDE", "A buffer view has a stride that its data does not permit."),
    Code::new("BUFFER_VIEW_TARGET_MISSING", Info,
        "A buffer view of vertices or indices does not state its target.",
        "Nothing is visible."),
    fault("BUFFER_VIEW_TARGET_OVERRIDE", "A buffer view is used for vertices and for indices, or against its target."),
    fault("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", "The stride of a buffer view is larger than the buffer view."),
    Code::new("BUFFER_VIEW_TOO_LONG", Error,
        "A buffer view reads beyond the end of its buffer.",
        "The file is truncated or damaged: copy it or export it again."),
    Code::new("CAMERA_XMAG_YMAG_NEGATIVE", Warning,
        "The size of an orthographic camera is negative, which mirrors the image.",
        "Set a positive orthographic scale."),
    Code::new("CAMERA_XMAG_YMAG_ZERO", Error,
        "The size of an orthographic camera is 0.",
        "Set a positive orthographic scale."),
    Code::new("CAMERA_YFOV_GEQUAL_PI", Warning,
        "The field of view of a camera is 180 degrees or more, perhaps in degrees instead of radians.",
        "Correct the field of view and export again."),
    Code::new("CAMERA_ZFAR_LEQUAL_ZNEAR", Error,
        "The far plane of a camera is not behind its near plane.",
        "Set Clip End of the camera larger than Clip Start."),
    Code::new("DATA_URI_GLB", Warning,
        "A .glb file contains data as base64, which is a third larger than in the BIN chunk.",
        "Export as glTF Binary (.glb)."),
    fault("DUPLICATE_ELEMENTS", "An array lists an element twice."),
    fault("EMPTY_ENTITY", "An array or object is empty where glTF requires contents."),
    Code::new("EXTRA_PROPERTY", Info,
        "A light has a property that its type does not use.",
        "Nothing is visible."),
    fault("GLB_CHUNK_LENGTH_UNALIGNED", "The length of a GLB chunk is not a multiple of 4."),
    Code::new("GLB_CHUNK_TOO_BIG", Error,
        "A GLB chunk is longer than the container.",
        "The file is truncated or damaged: copy it or export it again."),
    fault("GLB_DUPLICATE_CHUNK", "A GLB container has two chunks of one type."),
    Code::new("GLB_EMPTY_BIN_CHUNK", Info,
        "The BIN chunk is empty and can be omitted.",
        "Nothing is visible."),
    fault("GLB_EMPTY_CHUNK", "The JSON chunk is empty."),
    Code::new("GLB_EXTRA_DATA", Warning,
        "Bytes after the GLB container are ignored.",
        "Copy or export the file again."),
    Code::new("GLB_INVALID_MAGIC", Error,
        "The file does not begin with `glTF`, so it is not a GLB file.",
        "Check that the file is a model, and not a Git LFS pointer or a web page."),
    Code::new("GLB_INVALID_VERSION", Error,
        "The GLB container has a version other than 2.",
        "Export the file again as glTF 2.0."),
    Code::new("GLB_LENGTH_MISMATCH", Error,
        "The length in the GLB header is not the length of the file.",
        "The file is truncated or damaged: copy it or export it again."),
    fault("GLB_LENGTH_TOO_SMALL", "The length in the GLB header is too small for a chunk."),
    fault("GLB_UNEXPECTED_BIN_CHUNK", "The BIN chunk is not the second chunk."),
    Code::new("GLB_UNEXPECTED_END_OF_CHUNK_DATA", Error,
        "The file ends within a GLB chunk.",
        "The file is truncated or damaged: copy it or export it again."),
    Code::new("GLB_UNEXPECTED_END_OF_CHUNK_HEADER", Error,
        "The file ends within the header of a GLB chunk.",
        "The file is truncated or damaged: copy it or export it again."),
    Code::new("GLB_UNEXPECTED_END_OF_HEADER", Error,
        "The file ends within the GLB header.",
        "The file is truncated or damaged: copy it or export it again."),
    fault("GLB_UNEXPECTED_FIRST_CHUNK", "The first GLB chunk is not the JSON chunk."),
    Code::new("GLB_UNKNOWN_CHUNK_TYPE", Warning,
        "A GLB chunk has an unknown type and is ignored.",
        "Nothing is visible."),
    fault("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", "An image is in a buffer view with a stride."),
    Code::new("IMAGE_DATA_INVALID", Error,
        "An image cannot be decoded.",
        "Save the image again as PNG or JPEG, and export again."),
    Code::new("IMAGE_FEATURES_UNSUPPORTED", Warning,
        "An image has a color space other than sRGB, pixels that are not square, or animation. glTF ignores these.",
        "Save the image as sRGB, without a color profile."),
    Code::new("IMAGE_MIME_TYPE_INVALID", Error,
        "The media type of an image is not that of its data.",
        "Save the image in the format of its file extension, and export again."),
    Code::new("IMAGE_NON_ENABLED_MIME_TYPE", Error,
        "An image has a format that no extension of the file enables.",
        "Save the image as PNG or JPEG, and export again."),
    Code::new("IMAGE_NPOT_DIMENSIONS", Info,
        "The sides of an image are not powers of two, which old devices need.",
        "Scale the image to 512, 1024, 2048 or 4096 texels, if old devices are a target."),
    Code::new("IMAGE_UNEXPECTED_EOS", Error,
        "An image is empty or truncated.",
        "Save the image again, and export again."),
    Code::new("IMAGE_UNRECOGNIZED_FORMAT", Warning,
        "An image is in no format of glTF.",
        "Save the image as PNG or JPEG, and export again."),
    Code::new("INCOMPLETE_EXTENSION_SUPPORT", Info,
        "A part of an extension is not checked.",
        "Nothing is visible."),
    Code::new("INVALID_EXTENSION_NAME_FORMAT", Warning,
        "The name of an extension has no vendor prefix.",
        "Correct the name in the exporter."),
    fault("INVALID_GL_VALUE", "A value of `min` or `max` is not in the range of the component type."),
    fault("INVALID_IBM_ACCESSOR_COUNT", "A skin has fewer inverse bind matrices than joints."),
    fault("INVALID_INDEX", "An index is not a non-negative integer."),
    Code::new("INVALID_JSON", Error,
        "The JSON has a syntax error.",
        "The file is truncated or was edited: export it again, or correct the line that the message names."),
    Code::new("INVALID_URI", Error,
        "A URI is malformed.",
        "Rename the file without special characters, and export again."),
    Code::new("IO_ERROR", Error,
        "A file cannot be read.",
        "Put textures and buffers next to the model, or export as glTF Binary (.glb)."),
    fault("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_NODE",
        "A channel has an animation pointer and a target node."),
    fault("KHR_ANIMATION_POINTER_ANIMATION_CHANNEL_TARGET_PATH",
        "A channel with an animation pointer has a path other than `pointer`."),
    Code::new("KHR_LIGHTS_PUNCTUAL_LIGHT_SPOT_ANGLES", Error,
        "The outer cone of a spot light is not larger than its inner cone.",
        "In Blender, set Blend of the spot shape larger than 0."),
    Code::new("KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD", Warning,
        "The anisotropy texture and the normal map of a material use different UV maps.",
        "Give both textures the same UV map in the material."),
    Code::new("KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD", Warning,
        "The clearcoat normal map and the normal map of a material use different UV maps.",
        "Give both textures the same UV map in the material."),
    Code::new("KHR_MATERIALS_DISPERSION_NO_VOLUME", Warning,
        "A material has dispersion without a volume, so it has no effect.",
        "Add a thickness, or remove the dispersion."),
    Code::new("KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR", Warning,
        "A material has an emissive strength, but its emission color is black.",
        "Set an emission color, or remove the strength."),
    Code::new("KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE", Info,
        "A material has a minimum film thickness without a thickness texture, so it has no effect.",
        "Add the texture, or remove the minimum."),
    Code::new("KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED", Info,
        "The texture of the film thickness has no effect: minimum and maximum are equal.",
        "Set two thicknesses, or remove the texture."),
    Code::new("KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT", Error,
        "A primitive lists a material variant twice.",
        "Remove the duplicate in Blender's Variants tab."),
    Code::new("KHR_MATERIALS_VOLUME_DOUBLE_SIDED", Warning,
        "A material with a volume is double-sided.",
        "In Blender, tick Backface Culling in the material settings."),
    Code::new("KHR_MATERIALS_VOLUME_NO_TRANSMISSION", Warning,
        "A material has a volume without transmission, so no light enters it.",
        "Set Transmission Weight, or remove the volume."),
    Code::new("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", Warning,
        "A material has an alpha cutoff, but its alpha mode is not MASK.",
        "Nothing is visible."),
    fault("MESH_INVALID_WEIGHTS_COUNT",
        "The number of morph weights of a mesh is not the number of its morph targets."),
    fault("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", "The primitives of a mesh have different numbers of morph targets."),
    fault("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", "A vertex does not start at a multiple of 4 bytes."),
    fault("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", "Accessors share a buffer view of vertices without a stride."),
    fault("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
        "A vertex attribute has a format that glTF does not permit."),
    fault("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", "A vertex attribute consists of 32-bit integers."),
    Code::new("MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", Warning,
        "A material has a normal map, but the mesh has no tangents. Viewers generate them, each in its own way.",
        "Tick Data > Mesh > Tangents in Blender's glTF export, for normal maps that are equal everywhere. The export writes none for a \
         mesh with faces of more than four corners: triangulate it first (Ctrl T in Edit Mode)."),
    Code::new("MESH_PRIMITIVE_INCOMPATIBLE_MODE", Warning,
        "The number of vertices does not fit the kind of primitive, such as triangles.",
        EXPORTER),
    fault("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", "The sets of an attribute are not numbered 0, 1, 2 and so on."),
    fault("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", "Indices have a format that glTF does not permit."),
    fault("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", "Indices are in a buffer view with a stride."),
    fault("MESH_PRIMITIVE_INVALID_ATTRIBUTE",
        "An attribute has a name that is not in glTF, and no underscore in front."),
    fault("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
        "A primitive has joints without weights, or weights without joints."),
    fault("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
        "A morph target has another number of vertices than its primitive."),
    fault("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
        "A morph target changes an attribute that its primitive does not have."),
    Code::new("MESH_PRIMITIVE_NO_POSITION", Warning,
        "A primitive has no positions, so it is not drawn.",
        "Delete the empty object, and export again."),
    Code::new("MESH_PRIMITIVE_NO_TANGENT_SPACE", Error,
        "A material needs tangents, and the mesh has none.",
        "Tick Data > Mesh > Tangents in Blender's glTF export."),
    fault("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", "The positions lack `min` or `max`."),
    Code::new("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", Warning,
        "A primitive has tangents without normals.",
        "Tick Data > Mesh > Normals in Blender's glTF export."),
    Code::new("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", Error,
        "A texture uses a UV map that the mesh does not have.",
        "Add the UV map that the material's UV Map node names, or remove the node. Tick Data > Mesh > UVs in Blender's glTF export."),
    fault("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", "The attributes of a primitive have different lengths."),
    Code::new("MULTIPLE_EXTENSIONS", Warning,
        "Extensions of one object contradict each other.",
        "Remove one of the extensions in the exporter."),
    Code::new("NODE_EMPTY", Info,
        "A node has no mesh, camera, light or child, and is no joint.",
        "Delete unused empties, or keep those that mark positions."),
    fault("NODE_LOOP", "A node is its own ancestor."),
    Code::new("NODE_MATRIX_DEFAULT", Info,
        "The matrix of a node is the identity and can be omitted.",
        "Nothing is visible."),
    Code::new("NODE_MATRIX_NON_TRS", Error,
        "The matrix of a node has shear, so it is no translation, rotation and scale.",
        "In Blender, apply the transform (Ctrl A) of the object and its parents."),
    fault("NODE_MATRIX_TRS", "A node has a matrix and also a translation, rotation or scale."),
    fault("NODE_PARENT_OVERRIDE", "A node has two parents."),
    Code::new("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", Warning,
        "A node with a skinned mesh has a transform, which glTF ignores.",
        "In Blender, apply the transform of the mesh object (Ctrl A, All Transforms)."),
    Code::new("NODE_SKINNED_MESH_NON_ROOT", Warning,
        "A node with a skinned mesh has a parent, whose transform does not affect it.",
        "Nothing is visible, unless the parent moves. Blender's export writes skinned meshes as children of their armature."),
    Code::new("NODE_SKINNED_MESH_PARENT_TRANSFORMS", Warning,
        "A parent of a skinned mesh has a transform, which glTF ignores for the mesh.",
        "In Blender, apply the transforms of the parents (Ctrl A, All Transforms)."),
    Code::new("NODE_SKINNED_MESH_WITHOUT_SKIN", Warning,
        "A mesh has joints and weights, but its node has no skin, so it does not bend.",
        "Export the armature with the mesh, and tick Data > Skinning in Blender's glTF export."),
    Code::new("NODE_SKIN_NO_SCENE", Error,
        "A skinned mesh is in a scene without its joints.",
        "Put the armature into the scene and collection that are exported."),
    Code::new("NODE_SKIN_WITH_NON_SKINNED_MESH", Error,
        "A node has a skin, but its mesh has no joints and weights.",
        "Assign vertex groups to the mesh, or remove the Armature modifier."),
    fault("NODE_WEIGHTS_INVALID", "The number of morph weights of a node is not the number of morph targets."),
    Code::new("NON_OBJECT_EXTRAS", Info,
        "A value of `extras` is not an object.",
        "Nothing is visible."),
    Code::new("NON_RELATIVE_URI", Warning,
        "A URI is not relative to the model. Other machines do not have the file.",
        "Put the file next to the model, or export as glTF Binary (.glb)."),
    fault("NON_REQUIRED_EXTENSION", "An extension without which the file cannot be read is not listed as required."),
    fault("ONE_OF_MISMATCH", "An object has none or several of the properties of which it must have one."),
    fault("PATTERN_MISMATCH", "A text does not have the required form."),
    Code::new("RIGVIEW_BLACK_VERTEX_COLORS", Warning,
        "All vertex colors of a primitive are 0. They multiply the base color, so the surface is black.",
        "Delete the color attribute in Blender's Object Data tab, or paint it."),
    Code::new("RIGVIEW_CHECK_SKIPPED", Warning,
        "Data was not checked, because the accessors of the file overlap too often, or the rig is too large for `--flex`.",
        "Export the file again, with fewer meshes for `--flex`. Overlapping accessors are made to slow down programs."),
    Code::new("RIGVIEW_CLIP_LENGTH_MISMATCH", Info,
        "Each clip animates other joints, and the clips have different lengths. Played together, they lose synchronization.",
        "Give the actions one length, or export with Animation > Animation Mode set to Scene."),
    Code::new("RIGVIEW_CLIP_STARTS_LATE", Info,
        "The first key of a clip is later than 0 s, so each loop begins with a pause.",
        "Start the action at frame 0, or tick Animation > Rest & Ranges > Set All glTF Animation Starting at 0."),
    Code::new("RIGVIEW_CRASHED", Error,
        "rigview has a fault that this file triggers.",
        "Report the fault, with the file."),
    Code::new("RIGVIEW_FAR_FROM_ORIGIN", Warning,
        "The model is farther from the origin than 10,000 times its size. Single precision, which viewers and engines use, is too coarse there.",
        "Move the model to the origin in Blender, and apply the location (Ctrl A)."),
    Code::new("RIGVIEW_FLEX_ASYMMETRY", Warning,
        "With `--flex`: a joint and its mirror image move areas of different size, or stretch by different factors.",
        "In Blender's Weight Paint mode, copy the better side: Weights > Mirror with Flip Group Names."),
    Code::new("RIGVIEW_FLEX_BIND_OFFSET", Warning,
        "With `--flex`: the bind position of a joint under its own matrix differs from that under its parent's. The mesh is torn at rest.",
        "In Blender, apply the transforms of armature and mesh (Ctrl A, All Transforms), and bind the mesh again."),
    Code::new("RIGVIEW_FLEX_COLLAPSE", Warning,
        "With `--flex`: the cross-section at a joint shrinks, which is the candy wrapper effect of linear skinning.",
        "In Blender, spread the twist over a second bone, such as one for the forearm."),
    Code::new("RIGVIEW_FLEX_INTERSECTION", Info,
        "With `--flex`: triangles around a joint intersect others in a pose, but not at rest.",
        "In Blender, narrow the transition of weights on the inside of the bend, or add a corrective shape key."),
    Code::new("RIGVIEW_FLEX_LEFT_BEHIND", Warning,
        "With `--flex`: the mesh tears far from a joint, because neighbors follow joints that are not neighbors.",
        "In Blender's Weight Paint mode, compare the vertex groups that the message names: swapped names, or vertices without weights."),
    Code::new("RIGVIEW_FLEX_STRETCH", Warning,
        "With `--flex`: edges or surfaces around a joint grow too much in a pose.",
        "In Blender's Weight Paint mode, smooth the weights around the joint (Weights > Smooth)."),
    Code::new("RIGVIEW_FLEX_VOLUME", Warning,
        "With `--flex`: the body around a joint loses volume in a pose.",
        "In Blender's Weight Paint mode, narrow the transition of weights at the joint, then add edge loops there, a helper bone or a corrective shape key."),
    Code::new("RIGVIEW_IMPORT_FAILED", Error,
        "rigview cannot open the file, although no other check found an error; or the file is made for another version of glTF.",
        "Follow the message. If it does not help, report the fault, with the file."),
    Code::new("RIGVIEW_IMPORT_NOTE", Info,
        "The import repairs or ignores a detail, which the other commands print as a notice.",
        "Follow the message."),
    Code::new("RIGVIEW_INFLUENCES_TRUNCATED", Warning,
        "A vertex follows more than 8 joints. rigview keeps the 8 largest weights.",
        "In Blender's Weight Paint mode, Weights > Limit Total with 8 or 4."),
    fault("RIGVIEW_INSTANCE_ATTRIBUTES",
        "Attributes of EXT_mesh_gpu_instancing have a wrong format or different lengths."),
    Code::new("RIGVIEW_INSTANCE_COST", Info,
        "The cost of each instance of a crowd: joints, draw calls, vertices, bytes of matrices.",
        "Fewer materials and bones reduce the cost."),
    Code::new("RIGVIEW_JOINT_NEGATIVE_SCALE", Warning,
        "A joint has a negative scale. Some viewers show its surfaces inside out.",
        "Clear the scale of the bone in Blender's Pose Mode (Alt S) and delete its scale keys. Mirror bones with Armature > Symmetrize."),
    Code::new("RIGVIEW_JOINT_NON_UNIFORM_SCALE", Warning,
        "A joint with children has different scales of its axes, so that its children shear when they rotate.",
        "Clear the scale of the bone in Blender's Pose Mode (Alt S) and delete its scale keys, or scale all axes alike."),
    Code::new("RIGVIEW_LEFT_OUT", Error,
        "An element is damaged. rigview leaves it out or replaces it, and shows the rest.",
        "Follow the message, or export the file again."),
    Code::new("RIGVIEW_LIGHT_TOO_BRIGHT", Warning,
        "A light makes white surfaces many times too bright, because it has physical units.",
        "Set Data > Lighting > Lighting Mode to Unitless in Blender's glTF export."),
    Code::new("RIGVIEW_LIMIT", Error,
        "The file is larger than a limit that protects the machine.",
        "If you trust the file, raise the limit with the option in the message."),
    Code::new("RIGVIEW_LOOP_DISCONTINUITY", Info,
        "The last pose of a clip is not its first one, so a loop jumps.",
        "If the clip is meant to loop, copy the first keys to its last frame."),
    Code::new("RIGVIEW_MANY_INFLUENCES", Info,
        "A vertex follows more than 4 joints. Many engines keep 4, so the surface deforms differently there.",
        "In Blender's Weight Paint mode, Weights > Limit Total with 4."),
    Code::new("RIGVIEW_PARTIALLY_SKINNED", Warning,
        "Some primitives of a skinned mesh have no weights. They stay behind when the others move.",
        "Assign their vertices to vertex groups in Blender."),
    Code::new("RIGVIEW_PARTS_FAR_APART", Warning,
        "The parts of a model are farther apart than 10,000 times the size of the largest one. An image of all of them shows none.",
        "Delete the stray part in Blender, or clear its location (Alt G)."),
    Code::new("RIGVIEW_PART_OUT_OF_SCALE", Warning,
        "A skinned part is more than 100 times larger than its skeleton, or smaller than the distance of its joints, a sign of other units.",
        "Apply the scale of the mesh and the armature in Blender (Ctrl A, Scale)."),
    Code::new("RIGVIEW_QUATERNION_FLIP", Warning,
        "Neighboring keys of a spline have quaternions of opposite sign, so the joint rotates the long way round.",
        "Tick Animation > Sampling Animations in Blender's glTF export."),
    Code::new("RIGVIEW_REDUNDANT_KEYS", Info,
        "At least a fifth of the keys repeat their neighbors and make the file larger.",
        "Tick Animation > Optimize Animations > Optimize Animation Size in Blender's glTF export."),
    Code::new("RIGVIEW_REST_POSE_NOT_BIND_POSE", Info,
        "The rest pose of joints is not the pose in which the mesh was bound, so the mesh is deformed without a clip.",
        "Tick Data > Armature > Use Rest Position Armature, or apply the pose as rest pose in Blender."),
    Code::new("RIGVIEW_TEXTURE_SIZE", Info,
        "A texture is larger than screens show, or the UV maps use a small part of it.",
        "Scale the image to half, crop it, or pack the UV islands to fill it."),
    Code::new("RIGVIEW_TRACK_LENGTH_MISMATCH", Info,
        "Tracks of a clip end before the clip, and hold their last value.",
        "Bake the action over one frame range."),
    Code::new("RIGVIEW_UNBOUND_VERTICES", Warning,
        "A vertex follows no joint, or the neutral bone of Blender's export. It stays behind when the mesh moves.",
        "In Blender, Select > Select All by Trait > Ungrouped Vertices, and assign them to a bone."),
    Code::new("RIGVIEW_UNIT_SCALE", Warning,
        "A joint or its parent is scaled by 0.01 or 100, a sign of centimeters in a file that should have meters.",
        "Apply the scale in Blender (Ctrl A, Scale) before you animate."),
    Code::new("RIGVIEW_UNSUPPORTED", Warning,
        "The file is valid, but has contents that rigview does not show.",
        "Follow the message."),
    Code::new("RIGVIEW_UNSUPPORTED_EXTENSION", Error,
        "The file requires an extension that rigview does not support.",
        "Export without the extension."),
    Code::new("RIGVIEW_UNUSED_JOINTS", Info,
        "Joints of a skin affect no vertex, mesh or camera, but cost time in each frame.",
        "Tick Data > Armature > Export Deformation Bones Only. Untick Add Leaf Bones in FBX sources."),
    Code::new("RIGVIEW_VRM_HIERARCHY", Error,
        "Nodes of a VRM avatar are not above or below each other as VRM requires: a human bone and its parent, the joints of a spring, \
         or a constraint that depends on itself.",
        "Assign the bones again in the VRM panel of the exporter."),
    fault("ROTATION_NON_UNIT", "The rotation of a node is not a unit quaternion."),
    fault("SCENE_NON_ROOT_NODE", "A scene lists a node that has a parent."),
    fault("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", "Inverse bind matrices are in a buffer view with a stride."),
    fault("SKIN_IBM_INVALID_FORMAT", "Inverse bind matrices are not 4 x 4 matrices of floats."),
    Code::new("SKIN_NO_COMMON_ROOT", Error,
        "The joints of a skin have no common root.",
        "Put all bones of the mesh into one armature."),
    fault("SKIN_SKELETON_INVALID", "The skeleton root of a skin is not an ancestor of all its joints."),
    fault("TEXTURE_INVALID_IMAGE_MIME_TYPE", "A texture refers to an image in a format that it does not permit."),
    fault("TYPE_MISMATCH", "A property has the wrong JSON type."),
    fault("UNDECLARED_EXTENSION", "An extension is used, but not listed in `extensionsUsed`."),
    fault("UNDEFINED_PROPERTY", "A required property is missing."),
    fault("UNEXPECTED_EXTENSION_OBJECT", "An extension is at an object that it does not extend."),
    Code::new("UNEXPECTED_PROPERTY", Warning,
        "A property is not in the specification, often a misspelled one.",
        "Correct the name, or move the property into `extras`."),
    Code::new("UNKNOWN_ASSET_MAJOR_VERSION", Error,
        "The file has a glTF version other than 2.",
        "Export the file again as glTF 2.0."),
    Code::new("UNKNOWN_ASSET_MINOR_VERSION", Warning,
        "The file has a glTF version later than 2.0.",
        "Export the file again as glTF 2.0, if a part is missing."),
    fault("UNRESOLVED_REFERENCE", "An index refers to an element that does not exist."),
    fault("UNSATISFIED_DEPENDENCY", "A property is present without another one that it needs."),
    Code::new("UNSUPPORTED_EXTENSION", Info,
        "The contents of an extension are not checked.",
        "Nothing is visible."),
    fault("UNUSED_EXTENSION_REQUIRED", "An extension is required, but not listed as used."),
    Code::new("UNUSED_MESH_TANGENT", Info,
        "A mesh has tangents, but its material has no normal map.",
        "Untick Data > Mesh > Tangents in Blender's glTF export for a smaller file."),
    Code::new("UNUSED_MESH_WEIGHTS", Info,
        "All nodes with a mesh have morph weights of their own, so that those of the mesh have no effect.",
        "Remove the weights of the mesh."),
    Code::new("UNUSED_OBJECT", Info,
        "Nothing refers to an element, which makes the file larger.",
        "Export the file again, or remove the element."),
    Code::new("URI_GLB", Info,
        "A .glb file refers to external files.",
        "Export as glTF Binary (.glb), which contains all textures."),
    fault("VALUE_MULTIPLE_OF", "A value is not a multiple of 4."),
    Code::new("VALUE_NOT_IN_LIST", Warning,
        "A value is not one of those that the specification lists.",
        EXPORTER),
    fault("VALUE_NOT_IN_RANGE", "A number is not in the range that the specification permits."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// Environment variables and vertex attributes, which look like codes.
    const OTHER_NAMES: [&str; 5] =
        ["CARGO_MANIFEST_DIR", "CARGO_PKG_VERSION", "COLOR_0", "NO_COLOR", "RIGVIEW_SAMPLE_MODELS"];

    /// Adds the string literals of a folder's sources that have the form of a code; test modules are left out.
    fn add_literals(folder: &Path, codes: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap();
            if path.is_dir() && name != "tests" {
                add_literals(&path, codes);
            } else if path.is_file() && name != "codes.rs" && name != "tests.rs" {
                let text = fs::read_to_string(&path).unwrap();
                let is_code = |word: &&str| {
                    word.len() > 6
                        && word.contains('_')
                        && !word.ends_with('_')
                        && !OTHER_NAMES.contains(word)
                        && word.starts_with(|letter: char| letter.is_ascii_uppercase())
                        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
                };
                codes.extend(text.split('"').filter(is_code).map(str::to_owned));
            }
        }
    }

    #[test]
    fn codes_are_sorted_and_complete() {
        let names: Vec<&str> = CODES.iter().map(|code| code.name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "not sorted");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut used = BTreeSet::new();
        add_literals(&root.join("src"), &mut used);
        add_literals(&root.join("../../src/app/commands/check"), &mut used);
        assert_eq!(used.iter().filter(|name| Code::find(name).is_none()).collect::<Vec<_>>(), [""; 0]);
        assert_eq!(names.iter().filter(|name| !used.contains(**name)).collect::<Vec<_>>(), [&""; 0]);
    }

    #[test]
    fn severity_of_codes() {
        assert_eq!(severity("NODE_LOOP"), Error);
        assert_eq!(severity("NON_RELATIVE_URI"), Warning);
        assert_eq!(severity("RIGVIEW_UNUSED_JOINTS"), Info);
    }
}

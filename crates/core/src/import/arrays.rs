//! The top-level arrays of glTF.

/// Names of the arrays, each with the noun for one element in messages.
pub(super) const ROOT_ARRAYS: [(&str, &str); 13] = [
    ("accessors", "accessor"),
    ("animations", "animation"),
    ("buffers", "buffer"),
    ("bufferViews", "buffer view"),
    ("cameras", "camera"),
    ("images", "image"),
    ("materials", "material"),
    ("meshes", "mesh"),
    ("nodes", "node"),
    ("samplers", "sampler"),
    ("scenes", "scene"),
    ("skins", "skin"),
    ("textures", "texture"),
];

//! Typed indices, which cannot be confused with each other.

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $int);

        impl $name {
            /// Returns the index as `usize`.
            pub fn get(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$int> for $name {
            fn from(index: $int) -> Self {
                Self(index)
            }
        }

        impl From<$name> for usize {
            fn from(index: $name) -> Self {
                index.get()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

/// Makes lists of `$item` accept `$name` as an index, beside `usize`.
macro_rules! index_list {
    ($name:ident, $item:ty) => {
        impl std::ops::Index<$name> for [$item] {
            type Output = $item;

            fn index(&self, index: $name) -> &$item {
                &self[index.get()]
            }
        }

        impl std::ops::Index<$name> for Vec<$item> {
            type Output = $item;

            fn index(&self, index: $name) -> &$item {
                &self[index.get()]
            }
        }
    };
}

pub(crate) use {index_list, index_type};

index_type!(
    /// Index of a joint in the [`Skeleton`](super::Skeleton), parents first. Not a glTF node index.
    JointIndex(u32)
);
index_type!(
    /// A joint mask of the model.
    JointMaskIndex(u32)
);
index_type!(
    /// Index of a joint in one [`Skin`](super::Skin), as vertices store it.
    SkinSlot(u16)
);
index_type!(
    /// A skin of the model.
    SkinIndex(u32)
);
index_type!(
    /// A mesh of the model.
    MeshIndex(u32)
);
index_type!(
    /// A material of the model.
    MaterialIndex(u32)
);
index_type!(
    /// A texture of the model: an image with a sampler.
    TextureIndex(u32)
);
index_type!(
    /// An image of the model.
    ImageIndex(u32)
);
index_type!(
    /// A clip of the model.
    ClipIndex(u32)
);
index_type!(
    /// A scene of the model.
    SceneIndex(u32)
);
index_type!(
    /// A camera node of the model.
    CameraIndex(u32)
);
index_type!(
    /// A light node of the model.
    LightIndex(u32)
);
index_type!(
    /// A material variant of the model.
    VariantIndex(u32)
);
index_type!(
    /// An expression of the model.
    ExpressionIndex(u32)
);
index_type!(
    /// An instance of a [`Crowd`](crate::crowd::Crowd). Not its [block](crate::palette::BlockIndex) in the palette.
    InstanceIndex(u32)
);
index_type!(
    /// A timeline of a clip.
    TimelineIndex(u32)
);
index_list!(ExpressionIndex, super::Expression);
index_list!(TimelineIndex, super::Timeline);

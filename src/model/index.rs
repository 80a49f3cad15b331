//! One index type for each numbering, so that they cannot be mixed.

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $int);

        impl $name {
            /// The number, to index a slice.
            pub fn get(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index_type!(
    /// A joint's place in the [`Skeleton`](super::Skeleton): hierarchy order, parents first. Not a glTF node number.
    JointIndex(u32)
);
index_type!(
    /// A joint's place in one [`Skin`](super::Skin): the number that vertices hold.
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
    /// A texture of the model: an image and how it is sampled.
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
    /// A camera as placed in the model.
    CameraIndex(u32)
);
index_type!(
    /// A light as placed in the model.
    LightIndex(u32)
);

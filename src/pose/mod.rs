//! Model and time to joint transforms.

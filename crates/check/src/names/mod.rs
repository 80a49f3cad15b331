//! Names of files and of their items: search by words, the parts that names share, and their order.

mod natural_order;
mod search;
mod shared_affixes;

pub use natural_order::natural_order;
pub use search::{MatchRank, NameSearch};
pub use shared_affixes::shared_affixes;

//! What stands between the retirement port of any core and the recorder.
//!
//! [`adapter`] makes the styles of real cores one; [`conformance`] checks that the port tells the
//! truth; [`mod@kept`] is what the smallest
//! recorder needs of a core that keeps its port; [`styles`] makes runs in the styles of real cores to try both with.

pub mod adapter;
pub mod conformance;
pub mod kept;
pub mod styles;

pub use adapter::Adapted;
pub use conformance::{Breach, Conformance};
pub use kept::kept;

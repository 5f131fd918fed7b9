//! What stands between the retirement port of any core and the recorder.
//!
//! [`adapter`] makes the styles of real cores one; [`conformance`] checks that the port tells the
//! truth; [`styles`] makes runs in the styles of real cores to try both with.

pub mod adapter;
pub mod conformance;
pub mod styles;

pub use adapter::Adapted;
pub use conformance::{Breach, Conformance};

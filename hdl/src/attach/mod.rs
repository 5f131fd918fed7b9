//! What stands between the retirement port of any core and the recorder.
//!
//! ```text
//!  rvfi_* ─┬─► adapter ──► recorder
//!          │      ▲ old_rd
//!          └─► conformance ──► breach
//! ```
//! `adapter` makes the styles of real cores one, `conformance` checks that the port tells the truth.
//! `opaque_word` decodes for both; `register_copy` and `expectation` are parts of `conformance`.

pub mod adapter;
pub mod conformance;
pub mod expectation;
pub mod opaque_word;
pub mod register_copy;

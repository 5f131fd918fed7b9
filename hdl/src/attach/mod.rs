//! The recorder beside a core that is not this project's: any core with an RVFI port. Begin with
//! `recorder`, which has the ports; this is what stands between them and the recorder proper.
//!
//! ```text
//!  rvfi_* ─┬─► adapter ──► recorder
//!          │      ▲ old_rd
//!          └─► conformance ──► breach
//! ```
//! `adapter` makes the styles of real cores one, `conformance` checks that the port tells the truth.
//! `expand` and `opaque_word` decode for both; `register_copy` and `expectation` are parts of `conformance`.
//! `wishbone` and `stream` are the way in and out.

pub mod adapter;
pub mod conformance;
pub mod expand;
pub mod expectation;
pub mod opaque_word;
pub mod recorder;
pub mod register_copy;
pub mod stream;
pub mod wishbone;

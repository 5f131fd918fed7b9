//! All harts of a recording together, in one order: section 11.5 of the format.
//!
//! Reading order: `cursor` (one hart, from access to access), `region` (the order within a strata
//! region), `shared` (the memory that all harts see), `together` (from one element of the log to the
//! next), [`schedule`] (the order as a whole, for debuggers).
//!
//! Every hart replays from its own log as if it were alone; what is checked here is that the logged
//! order explains what each of them saw.

mod cursor;
mod region;
pub mod schedule;
mod shared;
mod together;

pub use schedule::{Schedule, Slice};
pub use shared::{Shared, WrittenBy};

use crate::{Divergence, Image, Recording};
use lookback_log_format::order::OrderKind;
use serde::Serialize;
use std::sync::Arc;
use together::{Nobody, Together};

/// Something in the log of the order that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{kind}, record {record}{}: {what}", .element.map_or(String::new(), |n| format!(", element {n}")))]
pub struct Fault {
    /// Strata or chunks.
    pub kind: &'static str,
    /// Index of the record.
    pub record: u32,
    /// Which of its elements.
    pub element: Option<u32>,
    /// What is wrong.
    pub what: String,
}

/// What came of one log of the order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrderReport {
    /// Strata or chunks.
    pub kind: OrderKind,
    /// Records.
    pub records: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Strata or chunks that were followed.
    pub elements: u64,
    /// Instructions of all harts that were put in order.
    pub instructions: u64,
    /// Accesses of all harts that were put in order.
    pub accesses: u64,
    /// Reads whose bytes were known from an earlier access of whichever hart, and agreed.
    pub reads_confirmed: u64,
    /// Where a hart saw something else than the order explains; the first one ends the check.
    pub divergence: Option<Divergence>,
    /// What is wrong with the log of the order itself.
    pub faults: Vec<Fault>,
    /// What is missing without being wrong.
    pub notes: Vec<String>,
}

impl OrderReport {
    /// Whether the order explains what every hart saw, as far as the recording reaches.
    pub fn is_ok(&self) -> bool {
        self.divergence.is_none() && self.faults.is_empty()
    }

    /// Why the order does not explain what every hart saw, if it does not.
    pub fn problem(&self) -> Option<String> {
        let fault = || self.faults.first().map(ToString::to_string);
        let divergence = self.divergence.as_ref();
        divergence.map(ToString::to_string).or_else(fault)
    }
}

/// How people call it.
pub fn name(kind: OrderKind) -> &'static str {
    match kind {
        OrderKind::Strata => "strata",
        OrderKind::Chunks => "chunks",
    }
}

/// Follows one log of the order from its beginning to its end. `progress` hears of instructions that
/// are done.
pub fn check(
    recording: &Recording,
    image: &Arc<Image>,
    kind: OrderKind,
    progress: &mut dyn FnMut(u64),
) -> OrderReport {
    Together::new(recording, image, kind).run(&mut Nobody(progress))
}

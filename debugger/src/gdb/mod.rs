//! gdb over a recording.
//!
//! Reading order: [`session`] (what is debugged), `together` (several harts in one order), [`monitor`] (commands beyond gdb's own), `target`
//! and [`arch`] (the session as `gdbstub` sees it), [`wire`] (packets, and whatever else comes),
//! [`conversation`] (one client), [`server`] (clients).

pub mod arch;
pub mod conversation;
pub mod monitor;
mod search;
pub mod server;
pub mod session;
mod target;
mod together;
pub mod wire;

pub use server::serve;
pub use session::Session;

use crate::timeline::Timeline;
use lookback_replay::Recording;

/// Goes to the crash of a hart, or to its end; says whether it was a crash.
pub fn crash_of(timeline: &mut Timeline<'_>, recording: &Recording) -> bool {
    timeline.goto_start(recording, &mut || false)
}

//! Ctrl-C: asked once, a command ends cleanly; asked twice, at once.

use std::sync::atomic::{AtomicU32, Ordering};

static ASKED: AtomicU32 = AtomicU32::new(0);

/// Begins to count Ctrl-C instead of dying from it.
pub fn listen() {
    // Fails only when somebody else listens already, which then counts as well.
    let _ = ctrlc::set_handler(|| {
        ASKED.fetch_add(1, Ordering::Relaxed);
    });
}

/// How often the user asked to stop.
pub fn asked() -> u32 {
    ASKED.load(Ordering::Relaxed)
}

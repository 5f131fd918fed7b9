//! Golden recorder.

//! Bytes of the log.

//! From retirements to interval bytes.

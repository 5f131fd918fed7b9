//! Circuits.

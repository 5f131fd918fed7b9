//! Tops: pins and wiring only.

pub mod sim;

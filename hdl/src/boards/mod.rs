//! Tops: pins and wiring only.

pub mod pins;
pub mod sim;
